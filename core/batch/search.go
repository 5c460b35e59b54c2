package batch

import (
	"sync"
	"sync/atomic"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/search"
	"komadori/core/shogi"
)

// Found is what a search of one row found.
type Found struct {
	Problem  fault.Kind // 0, or why there is no answer and all else is zero
	BestMove shogi.Move // as in search.Result
	Depth    int
	Nodes    uint64
	Lines    []search.Line // best first; one without a PV when no move is to be made
}

// Progress counts while Search works. It may be read at any time.
type Progress struct {
	Rows  atomic.Int64 // rows that are done
	Nodes atomic.Uint64
}

// Search looks for the best moves of every position, each by one thread and as by a new Searcher: with limits of depth or nodes, the answers do not depend
// on the number of threads or on the other rows. There are as many transposition tables as threads. Positions have no history: what was before
// them does not count as repeated.
//
// dst has an entry for each row. Rows that Run.Cancel kept from an answer have the Problem fault.Cancelled, those before them are good. Unlike other
// functions it reports bad rows in Found.Problem; Run.Status is not filled, and the error tells only of options, limits and Cancel.
func Search(dst []Found, in Packed, options search.Options, limits search.Limits, progress *Progress, run Run) error {
	const op = "batch.Search"
	n, err := in.rows(op)
	if err != nil {
		return err
	}
	if err := wantLength(op, "dst", len(dst), n); err != nil {
		return err
	}
	options.Threads = 1
	if _, err := search.New(options); err != nil {
		return err
	}
	if err := limits.Check(op); err != nil {
		return err
	}
	if limits.Infinite || limits.Ponder {
		return fault.New(fault.Argument, op, "searches of many rows have to end by themselves")
	}
	if progress == nil {
		progress = new(Progress)
	}
	var free searchers
	run.Status = nil
	_, err = rows(n, 1, run, newWorkspace, func(row, _ int, w *workspace) {
		f := &dst[row]
		err := in.load(row, w)
		if err == nil {
			err = free.search(f, w, options, limits, run.Cancel)
		}
		if err != nil {
			*f = Found{Problem: faultOf(err).Kind}
			if f.Problem == fault.Cancelled {
				return
			}
		}
		progress.Rows.Add(1)
		progress.Nodes.Add(f.Nodes)
	})
	if err == nil && int(progress.Rows.Load()) < n {
		err = fault.New(fault.Cancelled, op, "after %d of %d rows", progress.Rows.Load(), n)
	}
	if err != nil {
		for row := range dst {
			if f := &dst[row]; f.Problem == 0 && f.Lines == nil {
				f.Problem = faultOf(err).Kind
			}
		}
	}
	return err
}

// searchers are those that no row uses at the moment.
type searchers struct {
	mutex sync.Mutex
	free  []*search.Searcher
}

func (s *searchers) take(o search.Options) (*search.Searcher, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if n := len(s.free); n > 0 {
		taken := s.free[n-1]
		s.free = s.free[:n-1]
		return taken, taken.Clear()
	}
	return search.New(o)
}

func (s *searchers) giveBack(free *search.Searcher) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.free = append(s.free, free)
}

func (s *searchers) search(f *Found, w *workspace, o search.Options, l search.Limits, cancel *atomic.Int32) error {
	searcher, err := s.take(o)
	if err != nil {
		return err
	}
	defer s.giveBack(searcher)
	r, err := searcher.Search(board.NewGameFrom(w.pos), l, cancel, nil)
	if err != nil {
		return err
	}
	if r.Stopped {
		return fault.New(fault.Cancelled, "batch.Search", "stopped")
	}
	*f = Found{BestMove: r.BestMove, Depth: r.Depth, Nodes: r.Nodes, Lines: r.Lines}
	if len(f.Lines) == 0 {
		f.Lines = []search.Line{{Score: r.Score}}
	}
	return nil
}
