// Package search looks for the best move: iterative deepening alpha-beta with a transposition table, quiescence search and
// knowledge of repetition.
//
// With one thread and limits of depth or nodes a search is a function of the game, the limits and the state of its
// table and histories: a new Searcher, or one after Clear, gives the same answer on every machine.
package search

import (
	"math"
	"sync/atomic"
	"time"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/shogi"
)

const (
	DefaultHashMB = 16
	MaxHashMB     = 65536

	// MaxDepth is the deepest iteration; larger depth limits are cut to it.
	MaxDepth = maxPly - 8

	// MaxMultiPV bounds Limits.MultiPV.
	MaxMultiPV = 593

	// MaxThreads bounds Options.Threads.
	MaxThreads = 512
)

// Options are the settings of a Searcher. The zero value is usable.
type Options struct {
	HashMB  int // size of the transposition table in MiB, 1..MaxHashMB; 0 is DefaultHashMB. The largest power of two that fits is used
	Threads int // threads that search together, 1..MaxThreads; 0 is 1

	// Rules are what decides games besides mate: EnteringKing and MoveLimit. The search takes a position that returns for the verdict of
	// the rule of repetition at once, whatever Repetition says. The zero value knows neither declarations nor a limit.
	Rules board.Rules

	// AllMoves looks also at the non-promotions that are almost never better: of pawns, bishops and rooks, and of lances on their second
	// rank from the far edge. Those that Limits.SearchMoves names are looked at always,
	// and all where MultiPV is more than the other moves.
	AllMoves bool

	// Time says how Limits.Clock is spent.
	Time TimeOptions

	// NewEvaluator makes the judge of positions, one a thread; nil is the built-in NewHandMade.
	NewEvaluator func() Evaluator

	// Parts of the search to leave out. They exist to show what the parts are good for.
	NoQuiescence bool // judge leaves as they are, in the middle of exchanges
	NoTable      bool // remember nothing between nodes
	NoRepetition bool // take a returning position for a new one
}

// Limits say when a search ends: when any one of those that are set is reached. Searching without any is an error, lest a
// forgotten argument think for ever.
type Limits struct {
	Depth    int           // iterations; 0 is no limit
	Nodes    uint64        // positions visited by all threads, never exceeded; 0 is no limit
	MoveTime time.Duration // from the call on; 0 is no limit
	Clock    *Clock        // the search chooses its time; nil is no limit
	Infinite bool          // until stopped, or until MaxDepth is done

	// Ponder is for thinking about a move that the opponent has yet to make: MoveTime and Clock begin to count at Run.PonderHit.
	// Like Infinite, it needs no other limit.
	Ponder bool

	MultiPV     int          // number of best lines; 0 is 1
	SearchMoves []shogi.Move // only these moves of the root; empty is all
}

// A Line is one of the best lines.
type Line struct {
	Score Score
	Bound Bound        // not Exact where a limit or Stop ended the search before it had looked again, or before the line's turn
	PV    []shogi.Move // replays legally from the root
}

// A Bound says whether a score is exact.
type Bound uint8

const (
	Exact      Bound = 0
	LowerBound Bound = 1 // the search found the score to be at least this, and was to look again
	UpperBound Bound = 2 // at most this
)

// Info is the state of a search after an iteration, told for each of its lines, best first.
type Info struct {
	Depth    int // of the iteration
	SelDepth int // of the deepest node
	MultiPV  int // number of the line, from 1
	Score    Score
	Bound    Bound
	PV       []shogi.Move
	Nodes    uint64
	Elapsed  time.Duration
	HashFull int // how full the table is with this search, in permille
}

// NPS is nodes per second.
func (i *Info) NPS() uint64 {
	return uint64(float64(i.Nodes) / math.Max(i.Elapsed.Seconds(), 1e-6))
}

// Result is what a search found.
type Result struct {
	// BestMove is legal. When there is no legal move it is MoveResign, with the score MatedIn(0) and no PV. When the side to move wins
	// by declaring, it is MoveWin, with no PV; by the try rule, the king's move. When SearchMoves names only moves that are not legal, it is MoveNone.
	BestMove shogi.Move
	Score    Score
	PV       []shogi.Move // begins with BestMove and replays legally
	Lines    []Line       // best first; the first repeats Score and PV, and has the Bound of that score
	Nodes    uint64
	Depth    int // iterations finished; 0 where the stop flag or Nodes ended the first, and scores are those of a first look
	SelDepth int
	Elapsed  time.Duration
	Stopped  bool // by the stop flag
}

// A Searcher keeps what is useful from one search to the next. It serves one search at a time.
type Searcher struct {
	options Options
	table   *table
	workers []*worker // one a thread; the first reports
	busy    atomic.Bool
}

// New makes a Searcher. Its memory is taken at the first search. Options out of range are fault.Argument, rules that do not exist
// fault.InvalidValue.
func New(options Options) (*Searcher, error) {
	if err := options.complete("search.New"); err != nil {
		return nil, err
	}
	return &Searcher{options: options}, nil
}

// complete checks options and fills defaults in.
func (o *Options) complete(op string) error {
	if o.HashMB == 0 {
		o.HashMB = DefaultHashMB
	}
	if o.Threads == 0 {
		o.Threads = 1
	}
	if o.NewEvaluator == nil {
		o.NewEvaluator = NewHandMade
	}
	switch {
	case o.HashMB < 1 || o.HashMB > MaxHashMB:
		return fault.New(fault.Argument, op, "hash of %d MiB, want 1..%d", o.HashMB, MaxHashMB)
	case o.Threads < 1 || o.Threads > MaxThreads:
		return fault.New(fault.Argument, op, "%d threads, want 1..%d", o.Threads, MaxThreads)
	}
	if err := o.Time.check(op); err != nil {
		return err
	}
	return o.Rules.Check()
}

// SetOptions gives the Searcher other settings, with the errors of New, and makes it forget everything. During a search it is fault.Busy.
func (s *Searcher) SetOptions(options Options) error {
	const op = "search.Searcher.SetOptions"
	if err := options.complete(op); err != nil {
		return err
	}
	if !s.busy.CompareAndSwap(false, true) {
		return fault.New(fault.Busy, op, "a search is running")
	}
	defer s.busy.Store(false)
	s.options = options
	s.table, s.workers = nil, nil
	return nil
}

// Options are the settings the Searcher was made with, defaults filled in.
func (s *Searcher) Options() Options { return s.options }

// Clear forgets everything, as if the Searcher were new. During a search it is fault.Busy.
func (s *Searcher) Clear() error {
	if !s.busy.CompareAndSwap(false, true) {
		return fault.New(fault.Busy, "search.Searcher.Clear", "a search is running")
	}
	defer s.busy.Store(false)
	if s.table != nil {
		s.table.clear()
		for _, w := range s.workers {
			w.forget()
		}
	}
	return nil
}

// Search looks for the best move of a game's present position; the moves before it count for repetition. The game is not changed.
//
// A stop flag that becomes other than 0 ends the search within about a millisecond, or a few while the table grows; it may be nil. The function info, which
// may be nil, is called on the caller's goroutine after every iteration.
//
// Errors: fault.Argument for a call without limit or with a negative one, fault.InvalidPosition when a king is missing,
// fault.Busy when this Searcher is searching already. A stopped search is no error: it returns what it has.
func (s *Searcher) Search(g *board.Game, limits Limits, stop *atomic.Int32, info func(Info)) (Result, error) {
	r, err := s.prepare("search.Searcher.Search", g, limits, stop, info)
	if err != nil {
		return Result{}, err
	}
	r.run()
	return r.result, nil
}

// Start is Search on a goroutine of its own, which info is called on. It takes its copy of the game before it returns.
func (s *Searcher) Start(g *board.Game, limits Limits, stop *atomic.Int32, info func(Info)) (*Run, error) {
	r, err := s.prepare("search.Searcher.Start", g, limits, stop, info)
	if err != nil {
		return nil, err
	}
	go r.run()
	return r, nil
}

// prepare makes everything ready for a search and marks the Searcher as busy.
func (s *Searcher) prepare(op string, g *board.Game, limits Limits, stop *atomic.Int32, info func(Info)) (*Run, error) {
	start := time.Now()
	if g == nil || g.State == nil {
		return nil, fault.New(fault.Argument, op, "no game")
	}
	if err := limits.Check(op); err != nil {
		return nil, err
	}
	if err := g.Pos.NeedKings(op); err != nil {
		return nil, err
	}
	if !s.busy.CompareAndSwap(false, true) {
		return nil, fault.New(fault.Busy, op, "a search is running")
	}
	if s.table == nil {
		if s.options.NoTable {
			s.table = newTable(1)
		} else {
			s.table = newTable(s.options.HashMB)
		}
		for range s.options.Threads {
			s.workers = append(s.workers, newWorker(&s.options, s.table))
		}
	}
	s.table.nextSearch()
	return newRun(s, g, limits, stop, start, info), nil
}

// Check reports limits that no search can have, or none at all, as fault.Argument of an operation.
func (l *Limits) Check(op string) error {
	switch {
	case l.Depth < 0:
		return fault.New(fault.Argument, op, "depth %d, want at least 1", l.Depth)
	case l.MoveTime < 0:
		return fault.New(fault.Argument, op, "time %v, want more than 0", l.MoveTime)
	case l.MultiPV < 0 || l.MultiPV > MaxMultiPV:
		return fault.New(fault.Argument, op, "%d lines, want 1..%d", l.MultiPV, MaxMultiPV)
	case l.Depth == 0 && l.Nodes == 0 && l.MoveTime == 0 && l.Clock == nil && !l.Infinite && !l.Ponder:
		return fault.New(fault.Argument, op, "no limit: give depth, nodes or time, or say infinite")
	case l.Clock != nil:
		return l.Clock.check(op)
	}
	return nil
}
