// Package mate solves mate problems (詰将棋): whether the side to move mates by checking on every move, whatever the other side
// replies.
//
// Every reply counts, interpositions that only delay (無駄合い) too. A position that returns is a failure of the attacker, who
// would lose by perpetual check. Answers are proofs: Mate comes with a complete line to checkmate and NoMate only when every
// check has been refuted; what a limit cuts short is Unknown.
package mate

import (
	"sync/atomic"
	"time"
	"unsafe"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/shogi"
)

// A Status is the answer to a mate problem.
type Status uint8

const (
	Unknown Status = 0 // a limit came first
	Mate    Status = 1 // proven, with the line
	NoMate  Status = 2 // proven: every check can be answered
)

// String is "unknown", "mate" or "no mate".
func (s Status) String() string { return [...]string{"unknown", "mate", "no mate"}[min(s, 2)] }

const (
	DefaultMemoryMiB = 16
	MaxMemoryMiB     = 65536

	// DefaultNodes limits a search that has no limit of nodes or time.
	DefaultNodes = 1_000_000

	// MaxLength is the longest mate that can be found, in plies.
	MaxLength = 2047
)

// Limits say how hard to try.
type Limits struct {
	Nodes    uint64        // positions visited; 0 is DefaultNodes when there is no time limit either, else no limit
	MoveTime time.Duration // 0 is no limit
	Depth    int           // only mates within so many plies; 0 is any length up to MaxLength
	Shortest bool          // go on until no shorter mate exists; the line then is the longest resistance

	// FirstMoves asks for all first moves that keep the length of the shortest mate, and so for that.
	FirstMoves bool

	// SkipFutile counts the shortest mate without futile interpositions (無駄合い), as problems are counted, and so asks for that: men dropped
	// between that the checking piece takes, without need of them for a mate in as many plies. See futile.go.
	SkipFutile bool

	// NoMateInOne says that the caller has looked for a mate in one, and there is none.
	NoMateInOne bool

	// Tell, if not nil, is called some ten times a second from the search, which waits for it.
	Tell func(Progress)
}

// Check refuses limits that no search can keep, as the error fault.Argument of the operation op.
func (l Limits) Check(op string) error {
	if l.Depth < 0 || l.MoveTime < 0 {
		return fault.New(fault.Argument, op, "depth %d and time %v, want no negative ones", l.Depth, l.MoveTime)
	}
	return nil
}

// Progress is what a search under way tells.
type Progress struct {
	Nodes   uint64
	Elapsed time.Duration
	Plies   int // from the problem to the position at work
	Fill    int // thousandths of the table in use
	Length  int // of the mate that has been found and is being shortened, 0 before
}

// Result is the answer to a problem.
type Result struct {
	Status Status
	PV     []shogi.Move // for Mate: from the first check to the mating move, both sides' moves
	Length int          // plies of PV; with Limits.Shortest, of the shortest mate against the longest resistance; with SkipFutile as counted, PV may be longer
	Proven bool         // for Mate: it is known that no shorter mate exists; without Limits.Shortest only by luck

	// FirstMoves is for Limits.FirstMoves, when Proven: every first move that mates in Length plies, PV[0] among them, in the order of
	// board.Position.Legal; nil when a limit came before all were known.
	FirstMoves []shogi.Move

	Nodes   uint64
	Elapsed time.Duration
	Stopped bool // by the stop flag
}

// Solve is NewSolver and Solver.Solve for one problem, with the default memory.
func Solve(p *board.Position, limits Limits, stop *atomic.Int32) (Result, error) {
	s, err := NewSolver(DefaultMemoryMiB)
	if err != nil {
		return Result{}, err
	}
	return s.Solve(p, limits, stop)
}

// A Solver holds the memory of mate searches. It serves one at a time and carries nothing over from one to the next.
type Solver struct {
	table      table
	stackLimit int // children
	busy       atomic.Bool
	search
}

// NewSolver makes a Solver that takes at most so many MiB, 1..MaxMemoryMiB. It takes what a problem needs, and keeps it for the next.
func NewSolver(memoryMiB int) (*Solver, error) {
	if memoryMiB < 1 || memoryMiB > MaxMemoryMiB {
		return nil, fault.New(fault.Argument, "mate.NewSolver", "memory of %d MiB, want 1..%d", memoryMiB, MaxMemoryMiB)
	}
	bytes := memoryMiB << 20
	forStack := bytes / 16 // twice, as the stack is copied when it grows
	forTable := bytes - 2*forStack - int(unsafe.Sizeof(Solver{}))
	return &Solver{table: newTable(forTable), stackLimit: forStack / childSize}, nil
}

// Solve looks for a mate by the side to move. The position is not changed. A stop flag that becomes other than 0 ends the
// search within about a millisecond; it may be nil.
//
// Errors: fault.InvalidPosition when the side not to move has no king, fault.Argument for negative limits, fault.Busy when
// this Solver is at work already. Running into a limit is no error, but the Status Unknown.
func (s *Solver) Solve(p *board.Position, limits Limits, stop *atomic.Int32) (Result, error) {
	const op = "mate.Solver.Solve"
	start := time.Now()
	switch {
	case p == nil:
		return Result{}, fault.New(fault.Argument, op, "no position")
	case p.KingSquare(p.Turn()^1) == shogi.NoSquare:
		return Result{}, fault.New(fault.InvalidPosition, op, "the side not to move has no king to mate")
	}
	if err := limits.Check(op); err != nil {
		return Result{}, err
	}
	if !s.busy.CompareAndSwap(false, true) {
		return Result{}, fault.New(fault.Busy, op, "a search is running")
	}
	defer s.busy.Store(false)
	s.begin(p, limits, stop, start)
	r := s.solve(limits)
	r.Elapsed = time.Since(start)
	return r, nil
}
