package batch

import (
	"sync"

	"komadori/core/fault"
	"komadori/core/mate"
	"komadori/core/shogi"
)

// MateFound is what the mate search of one row found.
type MateFound struct {
	Problem fault.Kind // 0, or why there is no answer and all else is zero
	Status  mate.Status
	Proven  bool // as in mate.Result
	Length  int  // plies, 0 without a mate
	Nodes   uint64
	PV      []shogi.Move
}

// Mates looks for a mate by the side to move of every position, each by one thread and within the same limits: with limits of depth or nodes
// the answers do not depend on the number of threads or on the other rows. Each thread has a mate.Solver of so many MiB. Positions may
// lack the king of the side to move.
//
// dst has an entry for each row. Rows that Run.Cancel kept from an answer have the Problem fault.Cancelled, those before them are good. Unlike other
// functions it reports bad rows in MateFound.Problem; Run.Status is not filled, and the error tells only of limits and Cancel.
func Mates(dst []MateFound, in Packed, memoryMiB int, limits mate.Limits, progress *Progress, run Run) error {
	const op = "batch.Mates"
	n, err := in.rows(op)
	if err != nil {
		return err
	}
	if err := wantLength(op, "dst", len(dst), n); err != nil {
		return err
	}
	if _, err := mate.NewSolver(memoryMiB); err != nil {
		return err
	}
	if err := limits.Check(op); err != nil {
		return err
	}
	if progress == nil {
		progress = new(Progress)
	}
	limits.Tell, run.Status = nil, nil
	var free solvers
	answered := make([]bool, n)
	_, err = rows(n, grainMates, run, newWorkspace, func(from, to int, w *workspace) {
		s := free.take(memoryMiB)
		defer free.giveBack(s)
		for row := from; row < to && (run.Cancel == nil || run.Cancel.Load() == 0); row++ {
			f := &dst[row]
			var r mate.Result
			err := in.load(row, w)
			if err == nil {
				r, err = s.Solve(&w.pos, limits, run.Cancel)
			}
			switch {
			case err != nil:
				*f = MateFound{Problem: faultOf(err).Kind}
			case r.Stopped && r.Status == mate.Unknown:
				return
			default:
				*f = MateFound{Status: r.Status, Proven: r.Proven, Length: r.Length, Nodes: r.Nodes, PV: r.PV}
			}
			answered[row] = true
			progress.Rows.Add(1)
			progress.Nodes.Add(f.Nodes)
		}
	})
	if err == nil && int(progress.Rows.Load()) < n {
		err = fault.New(fault.Cancelled, op, "after %d of %d rows", progress.Rows.Load(), n)
	}
	if err != nil {
		for row := range dst {
			if !answered[row] {
				dst[row] = MateFound{Problem: faultOf(err).Kind}
			}
		}
	}
	return err
}

// grainMates is small, as one problem may take as long as all others.
const grainMates = 4

// solvers are those that no row uses at the moment.
type solvers struct {
	mutex sync.Mutex
	free  []*mate.Solver
}

func (s *solvers) take(memoryMiB int) *mate.Solver {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if n := len(s.free); n > 0 {
		taken := s.free[n-1]
		s.free = s.free[:n-1]
		return taken
	}
	taken, _ := mate.NewSolver(memoryMiB) // of which it is known that it can be
	return taken
}

func (s *solvers) giveBack(free *mate.Solver) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.free = append(s.free, free)
}
