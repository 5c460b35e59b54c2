package search

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"komadori/core/board"
)

// A Run is a search under way. Its methods may be called from any goroutine, at any time, any number of times.
type Run struct {
	searcher *Searcher
	limits   Limits
	info     func(Info)
	stop     *atomic.Int32 // other than 0: the caller wants the search to end; flag, or the caller's own
	flag     atomic.Int32
	ended    atomic.Bool  // a limit has been reached, every worker ends
	budget   atomic.Int64 // nodes that no worker has been granted yet

	start      time.Time
	counting   atomic.Int64 // when time limits began to count, in nanoseconds after start; below 0 while pondering
	soft, hard time.Duration
	timed      bool

	done   chan struct{}
	result Result
	mutex  sync.Mutex
	latest []Info
}

// newRun has the workers take over the game.
func newRun(s *Searcher, g *board.Game, limits Limits, stop *atomic.Int32, start time.Time, info func(Info)) *Run {
	r := &Run{searcher: s, limits: limits, info: info, stop: stop, start: start, done: make(chan struct{})}
	if stop == nil {
		r.stop = &r.flag
	}
	r.limits.SearchMoves = slices.Clone(limits.SearchMoves)
	if limits.Ponder {
		r.counting.Store(-1)
	}
	r.budget.Store(math.MaxInt64)
	if limits.Nodes > 0 && limits.Nodes < math.MaxInt64 {
		r.budget.Store(int64(limits.Nodes))
	}
	r.soft, r.hard = math.MaxInt64, math.MaxInt64
	if limits.Clock != nil {
		r.soft, r.hard = limits.Clock.share(g.Pos.Turn(), &s.options.Time)
	}
	if limits.MoveTime > 0 {
		r.hard = min(r.hard, limits.MoveTime)
	}
	r.timed = limits.Clock != nil || limits.MoveTime > 0
	var p *pool
	if len(s.workers) > 1 {
		p = newPool()
	}
	for i, w := range s.workers {
		w.begin(r, i, g)
		w.pool = p
	}
	return r
}

// run is the whole search: the first worker's goroutine is the caller's.
func (r *Run) run() {
	s := r.searcher
	main := s.workers[0]
	if result, ok := main.prelude(); ok {
		r.result = result
	} else {
		var helpers sync.WaitGroup
		for _, w := range s.workers[1:] {
			helpers.Go(w.serve)
		}
		main.iterate()
		r.ended.Store(true)
		if main.pool != nil {
			main.pool.close()
		}
		helpers.Wait()
		main.tellTable()
		r.result = main.conclude()
	}
	r.result.Stopped = r.isStopped()
	r.result.Elapsed = time.Since(r.start)
	s.busy.Store(false)
	close(r.done)
}

// Stop ends the search within about a millisecond, or a few while the table grows.
func (r *Run) Stop() { r.stop.Store(1) }

// PonderHit says that the opponent has made the move pondered upon: limits of time begin to count. Without Limits.Ponder it does nothing.
func (r *Run) PonderHit() { r.counting.CompareAndSwap(-1, int64(max(time.Since(r.start), 0))) }

// Done is closed when the result is there. By then the Searcher is free for another search.
func (r *Run) Done() <-chan struct{} { return r.done }

// Wait is the result, once it is there.
func (r *Run) Wait() Result {
	<-r.done
	return r.result
}

// Latest is the newest state of every line, best first; none before the first iteration is through.
func (r *Run) Latest() []Info {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.Clone(r.latest)
}

// tell passes a line's state on.
func (r *Run) tell(i Info) {
	r.mutex.Lock()
	if n := i.MultiPV - 1; n < len(r.latest) {
		r.latest[n] = i
	} else {
		r.latest = append(r.latest, i)
	}
	r.mutex.Unlock()
	if r.info != nil {
		r.info(i)
	}
}

func (r *Run) isStopped() bool { return r.stop.Load() != 0 }

// spent is the time used up of what the limits allow; false while it does not count.
func (r *Run) spent() (time.Duration, bool) {
	from := r.counting.Load()
	if !r.timed || from < 0 {
		return 0, false
	}
	return time.Since(r.start) - time.Duration(from), true
}

// timeUp tells whether a limit of time has passed.
func (r *Run) timeUp() bool {
	spent, counts := r.spent()
	return counts && spent >= r.hard
}

// isOpen holds where the search goes on although its answer will not change: someone waits for a word.
func (r *Run) isOpen() bool { return r.limits.Infinite || r.counting.Load() < 0 }

// grant hands out up to n nodes of the budget.
func (r *Run) grant(n int64) int64 {
	left := r.budget.Add(-n)
	if left >= 0 {
		return n
	}
	return max(n+left, 0)
}

// Nodes is how many positions have been visited so far, as far as the threads have said so.
func (r *Run) Nodes() (n uint64) {
	select {
	case <-r.done:
		return r.result.Nodes // the workers may be at another search
	default:
	}
	for _, w := range r.searcher.workers {
		n += w.published.Load()
	}
	return n
}
