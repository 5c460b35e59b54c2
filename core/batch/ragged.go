package batch

import (
	"sync"

	"komadori/core/fault"
)

// flatten writes rows of different lengths one after the other. Each chunk is made in memory of its goroutine, waits for the
// chunks before it to tell where they end, and is copied there: chunks are taken in order, so the wait is short.
func flatten[T uint16 | byte](op string, offsets []int64, flat []T, in Packed, run Run, of func(w *workspace, dst []T) []T) (total int64, bad int, err error) {
	n, err := in.rows(op)
	if err != nil {
		return 0, 0, err
	}
	if err := wantLength(op, "offsets", len(offsets), n+1); err != nil {
		return 0, 0, err
	}
	const grain = grainPositions
	offsets[0] = 0
	places := newQueue()
	bad, err = run.each(op, n, grain, newWorkspace, func(from, to int, t *tally, w *workspace) {
		chunk := from / grain
		placed := false
		defer func() {
			if !placed {
				places.breakOff()
			}
		}()
		items := scratch[T](w)[:0]
		for row := from; row < to; row++ {
			if err := in.load(row, w); err != nil {
				t.fail(row, err)
			} else {
				items = of(w, items)
				t.good(row)
			}
			offsets[row+1] = int64(len(items))
		}
		keep(w, items)
		base, ok := places.take(chunk, int64(len(items)))
		placed = true
		if !ok {
			return
		}
		for row := from; row < to; row++ {
			offsets[row+1] += base
		}
		if base+int64(len(items)) <= int64(len(flat)) {
			copy(flat[base:], items)
		}
	})
	total = places.end
	for row := places.next * grain; row < n; row++ {
		offsets[row+1] = total
	}
	if err == nil && total > int64(len(flat)) {
		err = fault.New(fault.Buffer, op, "%d entries do not fit in %d", total, len(flat))
	}
	return total, bad, err
}

// scratch and keep take the list of the right type out of a workspace and put it back.
func scratch[T uint16 | byte](w *workspace) (list []T) {
	switch l := any(&list).(type) {
	case *[]uint16:
		*l = w.moves
	case *[]byte:
		*l = w.text
	}
	return list
}

func keep[T uint16 | byte](w *workspace, list []T) {
	switch l := any(list).(type) {
	case []uint16:
		w.moves = l
	case []byte:
		w.text = l
	}
}

// A queue hands out places in a flat array in the order of chunks.
type queue struct {
	mu     sync.Mutex
	turn   *sync.Cond
	next   int
	end    int64
	broken bool
}

func newQueue() *queue {
	q := &queue{}
	q.turn = sync.NewCond(&q.mu)
	return q
}

// take waits for the chunks before and returns where this one goes; false when one of them will never come.
func (q *queue) take(chunk int, length int64) (at int64, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.next != chunk && !q.broken {
		q.turn.Wait()
	}
	if q.broken {
		return 0, false
	}
	at = q.end
	q.end += length
	q.next++
	q.turn.Broadcast()
	return at, true
}

// breakOff lets all who wait go, after a panic.
func (q *queue) breakOff() {
	q.mu.Lock()
	q.broken = true
	q.mu.Unlock()
	q.turn.Broadcast()
}
