package batch

import (
	"sync"

	"komadori/core/fault"
	games "komadori/core/record"
)

// A KifuReader reads records into flat form and uses its memory again.
type KifuReader struct {
	reader    games.Reader
	flattener games.Flattener
	out       []byte
}

// KifuReaders lends readers.
var KifuReaders = sync.Pool{New: func() any { return new(KifuReader) }}

// Append reads all games of a text and appends their flat forms, see record.Reader.AppendFlat.
func (r *KifuReader) Append(dst []byte, text string, o games.Options) ([]byte, error) {
	return r.reader.AppendFlat(dst, &r.flattener, text, o)
}

// Read is Append into memory of the reader, which is good until its next use.
func (r *KifuReader) Read(text string, o games.Options) ([]byte, error) {
	out, err := r.Append(r.out[:0], text, o)
	if cap(out) <= 1<<20 {
		r.out = out
	}
	return out, err
}

// kifuChunk is how many texts a worker takes at a time.
const kifuChunk = 16

// A kifuWriter puts the blocks of chunks into their places, in the order of the chunks, whichever is ready first.
type kifuWriter struct {
	dst    []byte
	places []int64 // of the rows; before a chunk's turn, places[i+1] is the size of row i

	mu      sync.Mutex
	waiting map[int]*[]byte // chunks that are ready before their turn
	next    int             // the chunk whose turn it is
}

// kifuBlocks lends memory for the blocks of a chunk.
var kifuBlocks = sync.Pool{New: func() any { return new([]byte) }}

// add hands over a chunk that is ready.
func (w *kifuWriter) add(chunk int, blocks *[]byte) {
	type move struct {
		blocks *[]byte
		at     int64
	}
	var room [4]move
	ready := room[:0]
	w.mu.Lock()
	w.waiting[chunk] = blocks
	for b := w.waiting[w.next]; b != nil; b = w.waiting[w.next] {
		from := w.next * kifuChunk
		ready = append(ready, move{b, w.places[from]})
		for i := from; i < min(from+kifuChunk, len(w.places)-1); i++ {
			w.places[i+1] += w.places[i]
		}
		delete(w.waiting, w.next)
		w.next++
	}
	w.mu.Unlock()
	for _, m := range ready {
		if m.at+int64(len(*m.blocks)) <= int64(len(w.dst)) {
			copy(w.dst[m.at:], *m.blocks)
		}
		if cap(*m.blocks) <= 1<<20 {
			kifuBlocks.Put(m.blocks)
		}
	}
}

// ReadKifus reads the records of n texts, that of row i from text[offsets[i]] to text[offsets[i+1]], and writes their games in flat form one after
// another: those of row i to dst[places[i]] to dst[places[i+1]]. A text that cannot be read to its end gives what was read before, and its error in the
// last head. Errors of rows go where the run says; other errors are fault.Argument, and fault.Buffer when dst is too small: places are right then and
// dst holds some of the games.
func ReadKifus(text string, offsets []int64, o games.Options, run Run, dst []byte, places []int64) error {
	const op = "batch.ReadKifus"
	n := max(len(offsets)-1, 0)
	if len(places) != n+1 {
		return fault.New(fault.Argument, op, "%d places for %d rows", len(places), n)
	}
	for i := range n {
		if offsets[i] < 0 || offsets[i] > offsets[i+1] || offsets[i+1] > int64(len(text)) {
			return fault.New(fault.Argument, op, "offsets %d and %d of a text of %d bytes", offsets[i], offsets[i+1], len(text)).InRow(i)
		}
	}
	clear(places)
	w := kifuWriter{dst: dst, places: places, waiting: map[int]*[]byte{}}
	_, err := run.each(op, n, kifuChunk, nil, func(from, to int, t *tally, _ *workspace) {
		r := KifuReaders.Get().(*KifuReader)
		defer KifuReaders.Put(r)
		blocks := kifuBlocks.Get().(*[]byte)
		out := (*blocks)[:0]
		for i := from; i < to; i++ {
			begin := len(out)
			var failed error
			out, failed = r.Append(out, text[offsets[i]:offsets[i+1]], o)
			places[i+1] = int64(len(out) - begin)
			if failed == nil {
				t.good(i)
			} else {
				t.fail(i, failed)
			}
		}
		*blocks = out
		w.add(from/kifuChunk, blocks)
	})
	if w.next*kifuChunk >= n && places[n] > int64(len(dst)) {
		return fault.New(fault.Buffer, op, "%d bytes needed, %d given", places[n], len(dst))
	}
	return err
}
