package search

import (
	"math"
	"sync/atomic"

	"komadori/core/bitboard"
	"komadori/core/board"
	"komadori/core/internal/pages"
	"komadori/core/mate"
	"komadori/core/shogi"
)

// A frame is what one ply of the search keeps.
type frame struct {
	trail
	list     board.MoveList
	order    [1032]int32 // as put makes them; see fence
	moves    [1024]shogi.Move
	nodes    [2]node        // of the ply, and of the search that leaves its best move out
	quiets   [64]shogi.Move // searched without success
	captures [32]shogi.Move
	pv       [maxPly]shogi.Move
	pvLen    int
	killers  [2]shogi.Move
	follow   *followUps // histories of moves that follow the one being searched
	excluded shogi.Move // left out, to see whether the others are much worse
	cutoffs  int        // of nodes of this ply since the node two plies before began

	isAnalysed bool // analysis is that of the present position
	hasChecks  bool // checks are those of the present position
	analysis   board.Analysis
	checks     board.CheckFinder
}

// A trail is what the plies below look back at.
type trail struct {
	move       shogi.Move // being searched
	moved      int        // the piece it brings to its target, and that target, as an index of histories; 0 for a pass
	count      int        // of the moves tried
	staticEval value
	quiet      bool // the move being searched neither captures nor promotes
	inCheck    bool // the side to move stands in check
	wasPV      bool // this node is or has been on a principal variation
}

// extend makes the frame's principal variation a move and the variation of the frame after it.
func (f *frame) extend(m shogi.Move, next *frame) {
	f.pv[0] = m
	f.pvLen = 1 + copy(f.pv[1:], next.pv[:next.pvLen])
}

// frameLead is how many frames stand before the root's, so that a node may look at moves before it.
const frameLead = 4

func (w *worker) frame(ply int) *frame { return &w.frames[ply+frameLead] }

// A worker is one thread of a search.
type worker struct {
	game      board.Game
	table     *table
	eval      Evaluator
	histories *histories
	frames    [maxPly + 8 + frameLead]frame
	root      []rootMove
	line      int // of MultiPV
	mates     *mate.Solver
	run       *Run
	index     int // of the worker; 0 is the one that reports
	maxDepth  int
	finished  int // iterations
	rootDepth int
	selDepth  int
	asked     int  // moves of the lines that are being told
	nullFrom  int  // below this ply the side that passed may pass again
	stopped   bool // everything is on its way back, to the root or to a shared node that is decided
	halted    bool // the search has to end

	pool         *pool  // nil with a single thread
	split        *split // the shared node that the worker is at, or below
	cuts         uint32 // of the pool when the worker asked last; 0 where it has not asked below this node
	splits       [maxPly]*split
	rootPosition board.Position

	nodes     uint64 // visited in this search
	pause     uint64 // of nodes, at which to look at limits
	granted   uint64 // nodes that may be visited
	published atomic.Uint64
	counted   uint64 // of the nodes of all workers, those that the table has been told of

	rules board.Rules

	noQuiescence, noTable, noRepetition, allMoves bool
	reductions                                    [64]int32 // 1024 times the logarithm of the index
}

func newWorker(o *Options, t *table) *worker {
	w := &worker{
		game: board.Game{State: new(board.State)}, table: t, eval: o.NewEvaluator(), histories: pages.New[histories](),
		rules: o.Rules, noQuiescence: o.NoQuiescence, noTable: o.NoTable, noRepetition: o.NoRepetition, allMoves: o.AllMoves,
	}
	w.mates, _ = mate.NewSolver(1)
	for i := range w.reductions {
		w.reductions[i] = int32(math.Round(1024 * math.Log(float64(max(i, 1)))))
	}
	return w
}

// forget makes the worker as good as new.
func (w *worker) forget() { *w.histories = histories{} }

// begin takes over a game for a run.
func (w *worker) begin(r *Run, index int, g *board.Game) {
	*w.game.State = *g.State
	n := int(g.Len)
	if room := n + maxPly + 16; len(w.game.Entries) < room {
		w.game.Entries = make([]board.Entry, room)
	}
	copy(w.game.Entries, g.Entries[:n])
	w.rootPosition = g.Pos
	w.eval.Reset(&w.game.Pos)
	w.run, w.index = r, index
	w.maxDepth = MaxDepth
	if r.limits.Depth > 0 {
		w.maxDepth = min(r.limits.Depth, MaxDepth)
	}
	w.nodes, w.pause, w.granted, w.counted = 0, 0, 0, 0
	w.published.Store(0)
	w.finished, w.selDepth, w.rootDepth, w.line, w.nullFrom = 0, 0, 0, 0, 0
	w.stopped, w.halted, w.split = false, false, nil
	for i := range w.frames {
		f := &w.frames[i]
		f.killers, f.pvLen, f.excluded, f.move = [2]shogi.Move{}, 0, shogi.MoveNone, shogi.MoveNone
		f.count, f.cutoffs, f.quiet, f.wasPV = 0, 0, false, false
		f.follow, f.moved = &w.histories.follow[0], 0
		f.staticEval = noValue
	}
	w.frame(0).arrive(w.game.InCheck())
}

// visit counts a node and tells whether the search has to end.
func (w *worker) visit() bool {
	if w.nodes >= w.pause {
		w.look()
	}
	if w.split != nil && w.isOver() {
		w.stopped = true
	}
	if w.stopped {
		return true
	}
	w.nodes++
	return false
}

// tellTable tells the table of what has been visited since the last call, by all threads.
func (w *worker) tellTable() {
	n := w.run.Nodes()
	w.table.add(n - w.counted)
	w.counted = n
}

// lookEvery is the number of nodes between two looks at flags, clock and budget, and what several threads are granted at once.
const lookEvery = 128

// look ends the search when it has to. Time alone does not end the first iteration: without it the move would be no better than the first of
// a list, and on a machine that has no time for us it may be up before the search begins.
func (w *worker) look() {
	r := w.run
	w.published.Store(w.nodes)
	if w.pool == nil {
		w.tellTable()
		w.table.grow(0)
	}
	if r.isStopped() || r.ended.Load() || w.index == 0 && w.finished > 0 && r.timeUp() {
		r.ended.Store(true) // only the first worker looks at the clock
		w.stopped, w.halted = true, true
		return
	}
	if w.nodes >= w.granted {
		n := int64(lookEvery)
		if len(r.searcher.workers) == 1 {
			n = math.MaxInt64 / 2
		}
		n = r.grant(n)
		if n == 0 {
			r.ended.Store(true)
			w.stopped, w.halted = true, true
			return
		}
		w.granted += uint64(n)
	}
	w.pause = min(w.nodes+lookEvery, w.granted)
}

// analyse works out what move generation knows of the present position, once.
func (w *worker) analyse(f *frame) {
	if !f.isAnalysed {
		f.isAnalysed = true
		w.game.Pos.Analyse(&f.analysis)
	}
}

func (w *worker) isLegal(f *frame, m shogi.Move) bool {
	w.analyse(f)
	return w.game.Pos.IsLegalIn(&f.analysis, m)
}

// givesCheck tells whether a legal move of the present position gives check.
func (w *worker) givesCheck(f *frame, m shogi.Move) bool {
	if !f.hasChecks {
		f.hasChecks = true
		w.game.Pos.PrepareChecks(&f.checks)
	}
	return f.checks.Gives(&w.game.Pos, m)
}

// arrive readies the frame of a position that has come about.
func (f *frame) arrive(inCheck bool) {
	f.inCheck, f.isAnalysed, f.hasChecks = inCheck, false, false
}

// push plays a legal move.
func (w *worker) push(ply int, m shogi.Move, givesCheck bool) {
	f := w.frame(ply)
	p := &w.game.Pos
	f.move = m
	f.moved = shogi.SquareCount*pieceAfter(p, m) + int(m&127)
	f.follow = &w.histories.follow[f.moved]
	w.eval.Push(p, m)
	w.game.PushUnchecked(m)
	w.frame(ply + 1).arrive(givesCheck)
}

// pass is push of a move that is none.
func (w *worker) pass(ply int) {
	f := w.frame(ply)
	f.move, f.moved, f.follow, f.quiet = shogi.MoveNull, 0, &w.histories.follow[0], false
	w.eval.Push(&w.game.Pos, shogi.MoveNull)
	w.game.PassUnchecked()
	w.frame(ply + 1).arrive(false)
}

func (w *worker) pop() {
	w.game.PopUnchecked()
	w.eval.Pop()
}

// evaluate is the static value for the side to move.
func (w *worker) evaluate() value {
	return value(max(-int(maxCp), min(int(maxCp), w.eval.Evaluate(&w.game.Pos))))
}

// verdict is the value of a position that the rules decide, seen by the side to move; false for others.
func (w *worker) verdict(ply int) (value, bool) {
	if !w.noRepetition {
		switch w.game.SearchRepetition(repetitionPlies) {
		case shogi.RepetitionDraw:
			return 0, true
		case shogi.RepetitionWin, shogi.RepetitionSuperior:
			return repetitionWin - value(ply), true
		case shogi.RepetitionLose, shogi.RepetitionInferior:
			return value(ply) - repetitionWin, true
		}
	}
	if w.rules.MoveLimit > 0 && w.game.Pos.Ply() > w.rules.MoveLimit {
		if v, ok := w.limit(ply); ok {
			return v, true
		}
	}
	if m := w.declaration(); m != shogi.MoveNone {
		f := w.frame(ply)
		if m != shogi.MoveWin { // a king's move, by the try rule
			f.pv[0], f.pvLen = m, 1
		}
		return declarationWin - value(ply), true
	}
	return 0, false
}

// limit is the value of a position after the last move that the rules allow, unless the limit waits.
func (w *worker) limit(ply int) (value, bool) {
	o, _ := w.game.Outcome(board.Rules{MoveLimit: w.rules.MoveLimit, LimitWaits: w.rules.LimitWaits}, board.DeclareNever)
	switch o.Reason {
	case shogi.ReasonNone:
		return 0, false
	case shogi.ReasonMoveLimit:
		return 0, true
	}
	return matedAt(ply), true
}

// declaration is how the side to move wins by declaring, MoveNone if it does not.
func (w *worker) declaration() shogi.Move {
	p := &w.game.Pos
	us := p.Turn()
	switch king := p.KingSquare(us); w.rules.EnteringKing {
	case shogi.NoEnteringKing:
		return shogi.MoveNone
	case shogi.TryRule:
		if !bitboard.Step(shogi.BKing, king).Test(board.TrySquare(us)) {
			return shogi.MoveNone
		}
	default:
		if !bitboard.Zone(us).Test(king) {
			return shogi.MoveNone
		}
	}
	d, err := p.Declaration(w.rules.EnteringKing)
	if err != nil || d.Verdict != shogi.VerdictWin {
		return shogi.MoveNone
	}
	return d.Move
}

// repetitionPlies is how far back a search looks for a returning position.
const repetitionPlies = 32

func matedAt(ply int) value { return value(ply) - mateValue }

// reduction is how much shallower a late move is searched at first, in 1024ths of a ply.
func (w *worker) reduction(depth, count int) int {
	return int(w.reductions[min(depth, 63)]*w.reductions[min(count, 63)]>>10)*515/1024 + 713
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
