package search

import (
	"math"
	"sync/atomic"

	"komadori/core/board"
	"komadori/core/mate"
	"komadori/core/shogi"
)

// A frame is what one ply of the search keeps.
type frame struct {
	list       board.MoveList
	order      [1032]int64 // moves with how early to try them above their 16 bits
	tried      [64]shogi.Move
	pv         [maxPly]shogi.Move
	pvLen      int
	killers    [2]shogi.Move
	move       shogi.Move // being searched
	moved      int        // the piece it brings to its target, and that target, as an index of histories; 0 for a pass
	follow     *followUps // histories of moves that follow it
	staticEval value
	excluded   shogi.Move // left out, to see whether the others are much worse

	inCheck    bool // the side to move stands in check
	isAnalysed bool // analysis is that of the present position
	hasChecks  bool // checks are those of the present position
	analysis   board.Analysis
	checks     board.CheckFinder
}

// extend makes the frame's principal variation a move and the variation of the frame after it.
func (f *frame) extend(m shogi.Move, next *frame) {
	f.pv[0] = m
	f.pvLen = 1 + copy(f.pv[1:], next.pv[:next.pvLen])
}

// A worker is one thread of a search.
type worker struct {
	game      board.Game
	table     *table
	eval      Evaluator
	histories *histories
	frames    [maxPly + 8]frame
	root      []rootMove
	line      int // of MultiPV
	mates     *mate.Solver
	run       *Run
	index     int // of the worker; 0 is the one that reports
	maxDepth  int
	finished  int // iterations
	rootDepth int
	selDepth  int
	nullFrom  int // below this ply the side that passed may pass again
	stopped   bool

	nodes     uint64 // visited in this search
	pause     uint64 // of nodes, at which to look at limits
	granted   uint64 // nodes that may be visited
	published atomic.Uint64

	noQuiescence, noTable, noRepetition, allMoves bool

	reductions [64]int32 // 1024 times the logarithm of the index
}

func newWorker(o *Options, t *table) *worker {
	w := &worker{
		game: board.Game{State: new(board.State)}, table: t, eval: o.NewEvaluator(), histories: new(histories),
		noQuiescence: o.NoQuiescence, noTable: o.NoTable, noRepetition: o.NoRepetition, allMoves: o.AllMoves,
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
	w.eval.Reset(&w.game.Pos)
	w.run, w.index = r, index
	w.maxDepth = MaxDepth
	if r.limits.Depth > 0 {
		w.maxDepth = min(r.limits.Depth, MaxDepth)
	}
	w.nodes, w.pause, w.granted = 0, 0, 0
	w.published.Store(0)
	w.finished, w.selDepth, w.rootDepth, w.line, w.nullFrom = 0, 0, 0, 0, 0
	w.stopped = false
	for i := range w.frames {
		f := &w.frames[i]
		f.killers, f.pvLen, f.excluded, f.move = [2]shogi.Move{}, 0, shogi.MoveNone, shogi.MoveNone
		f.follow, f.moved = &w.histories.follow[0], 0
		f.staticEval = noValue
	}
	w.frames[0].arrive(w.game.InCheck())
}

// visit counts a node and tells whether the search has to end.
func (w *worker) visit() bool {
	if w.nodes >= w.pause {
		w.look()
	}
	if w.stopped {
		return true
	}
	w.nodes++
	return false
}

// lookEvery is the number of nodes between two looks at flags, clock and budget, and what several threads are granted at once.
const lookEvery = 128

// look ends the search when it has to.
func (w *worker) look() {
	r := w.run
	w.published.Store(w.nodes)
	if r.isStopped() || r.ended.Load() || w.index == 0 && r.timeUp() {
		w.stopped = true
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
			w.stopped = true
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
	f := &w.frames[ply]
	p := &w.game.Pos
	f.move = m
	f.moved = shogi.SquareCount*pieceAfter(p, m) + int(m&127)
	f.follow = &w.histories.follow[f.moved]
	w.eval.Push(p, m)
	w.game.PushUnchecked(m)
	w.frames[ply+1].arrive(givesCheck)
}

// pass is push of a move that is none.
func (w *worker) pass(ply int) {
	f := &w.frames[ply]
	f.move, f.moved, f.follow = shogi.MoveNull, 0, &w.histories.follow[0]
	w.eval.Push(&w.game.Pos, shogi.MoveNull)
	w.game.PassUnchecked()
	w.frames[ply+1].arrive(false)
}

func (w *worker) pop() {
	w.game.PopUnchecked()
	w.eval.Pop()
}

// evaluate is the static value for the side to move.
func (w *worker) evaluate() value {
	return value(max(-int(maxCp), min(int(maxCp), w.eval.Evaluate(&w.game.Pos))))
}

// repetition is the value of a position that has stood before, seen by the side to move; false when it is new.
func (w *worker) repetition(ply int) (value, bool) {
	if w.noRepetition {
		return 0, false
	}
	switch w.game.SearchRepetition(repetitionPlies) {
	case shogi.RepetitionDraw:
		return 0, true
	case shogi.RepetitionWin, shogi.RepetitionSuperior:
		return repetitionWin - value(ply), true
	case shogi.RepetitionLose, shogi.RepetitionInferior:
		return value(ply) - repetitionWin, true
	}
	return 0, false
}

// repetitionPlies is how far back a search looks for a returning position.
const repetitionPlies = 32

func matedAt(ply int) value { return value(ply) - mateValue }

func (w *worker) reduction(depth, count int) int {
	// 0.45 times the product of the logarithms, and 0.4; in thousands, as results must not depend on how a processor rounds.
	return int(400+(w.reductions[min(depth, 63)]*w.reductions[min(count, 63)]>>10)*450/1024) / 1000
}

// search is the value of the present position for the side to move, within alpha and beta exactly, else a bound (fail-soft).
// pv is for nodes that may be on the principal variation; cut for those expected to fail high.
func (w *worker) search(ply, depth int, alpha, beta value, pv, cut bool) value {
	if depth <= 0 {
		if w.noQuiescence {
			return w.leaf(ply)
		}
		return w.quiesce(ply, 0, alpha, beta, pv)
	}
	f := &w.frames[ply]
	f.pvLen = 0
	if w.visit() {
		return 0
	}
	w.selDepth = max(w.selDepth, ply)
	pos := &w.game.Pos
	inCheck := f.inCheck
	excluded := f.excluded

	if excluded == shogi.MoveNone {
		if v, ok := w.repetition(ply); ok {
			return v
		}
	}
	if ply >= maxPly-2 {
		return w.evaluate()
	}
	// Mate distance: nothing here can be better than mating with the next move, nor worse than being mated now.
	alpha = max(alpha, matedAt(ply))
	beta = min(beta, -matedAt(ply+1))
	if alpha >= beta {
		return alpha
	}

	key := pos.Key()
	var hit bool
	tt := record{eval: noValue}
	if !w.noTable && excluded == shogi.MoveNone {
		tt, hit = w.table.probe(key)
	}
	if hit {
		tt.value = fromTable(tt.value, ply)
		if !pv && tt.depth >= depth &&
			(tt.bound == boundExact || tt.bound == boundLower && tt.value >= beta || tt.bound == boundUpper && tt.value <= alpha) {
			if tt.value >= beta && tt.move != shogi.MoveNone && w.isQuiet(tt.move) && w.isLegal(f, tt.move) {
				w.reward(ply, depth, tt.move, nil)
			}
			return tt.value
		}
	}

	// Mate in one ends most won lines a move early.
	if !hit && excluded == shogi.MoveNone && !inCheck {
		if m := pos.MateInOne(); m != shogi.MoveNone {
			v := -matedAt(ply + 1)
			f.pv[0], f.pvLen = m, 1
			w.frames[ply+1].pvLen = 0
			if !w.noTable {
				w.table.store(key, record{m, toTable(v, ply), noValue, MaxDepth, boundExact})
			}
			return v
		}
	}

	eval := noValue
	improving := false
	switch {
	case inCheck:
		f.staticEval = noValue
	case excluded != shogi.MoveNone:
		eval = f.staticEval
	default:
		if hit && tt.eval != noValue {
			eval = tt.eval
		} else {
			eval = w.evaluate()
		}
		f.staticEval = eval
		// What the table knows may be better than the static value.
		if hit && (tt.bound == boundExact || tt.bound == boundLower && tt.value > eval || tt.bound == boundUpper && tt.value < eval) {
			eval = tt.value
		}
	}
	if !inCheck && ply >= 2 {
		before := w.frames[ply-2].staticEval
		improving = before == noValue || f.staticEval > before
	}

	if !pv && !inCheck && excluded == shogi.MoveNone {
		// Razoring: hopeless, unless an exchange saves the day.
		if depth <= 3 && eval+value(250+220*depth) < alpha && alpha < maxCp {
			if v := w.quiesce(ply, 0, alpha, alpha+1, false); v <= alpha || w.stopped {
				return v
			}
		}
		// Futility: so good that a shallow search will not change it.
		if depth <= 8 && eval < maxCp && beta > -maxCp {
			margin := value(95 * depth)
			if improving {
				margin -= 60
			}
			if eval-margin >= beta {
				return eval
			}
		}
		// Null move: if passing is good enough, a move will be.
		if depth >= 3 && eval >= beta && f.staticEval >= beta-value(20*depth)+100 && ply >= w.nullFrom && beta > -maxCp &&
			w.frames[ply-1].move != shogi.MoveNull {
			r := 3 + depth/4 + min(int(eval-beta)/220, 3)
			w.pass(ply)
			v := -w.search(ply+1, depth-r, -beta, -beta+1, false, !cut)
			w.pop()
			if w.stopped {
				return 0
			}
			if v >= beta {
				// A mate that the opponent could not have escaped by moving is none.
				v = min(v, maxCp)
				if depth < 10 || w.nullFrom > 0 {
					return v
				}
				// Zugzwang is unknown to shogi, but a deep cut deserves a look.
				w.nullFrom = ply + 3*(depth-r)/4
				check := w.search(ply, depth-r, beta-1, beta, false, false)
				w.nullFrom = 0
				if w.stopped {
					return 0
				}
				if check >= beta {
					return v
				}
			}
		}
	}

	// Without a first move from the table, a shallower search finds one for next time.
	if depth >= 4 && (!hit || tt.move == shogi.MoveNone) && excluded == shogi.MoveNone && !w.noTable {
		depth--
	}

	best := -infinity
	bestMove := shogi.MoveNone
	first := alpha
	w.frames[ply+1].killers = [2]shogi.Move{}
	pick := w.newPicker(ply, depth, tt.move, w.allMoves)
	count, tried := 0, 0
	for {
		m := pick.next()
		if m == shogi.MoveNone {
			break
		}
		if m == excluded {
			continue
		}
		w.table.prefetch(pos.KeyAfter(m))
		quiet := w.isQuiet(m)
		givesCheck := w.givesCheck(f, m)
		count++
		if best > -mateInMax {
			reduced := max(depth-1-w.reduction(depth, count), 0)
			if quiet {
				if depth <= 8 && count > (5+depth*depth)/(2-b2i(improving)) && !inCheck {
					pick.skipQuiets = true
				}
				if !givesCheck {
					h := w.quietScore(ply, m)
					if reduced <= 4 && h < int32(-2500*depth) {
						continue
					}
					if !inCheck && reduced <= 6 && f.staticEval+value(110+100*reduced)+value(h/128) <= alpha {
						continue
					}
					if reduced <= 6 && !pos.SEEReaches(m, -30*reduced*reduced-20) {
						continue
					}
				} else if depth <= 5 && !pos.SEEReaches(m, -120*depth) {
					continue
				}
			} else if depth <= 6 && pick.bad && !pos.SEEReaches(m, -120*depth) {
				continue
			}
		}

		extension := 0
		// Singular: when the table's move is much better than all others, look at it longer.
		if m == tt.move && depth >= 7 && excluded == shogi.MoveNone && tt.bound&boundLower != 0 && tt.depth >= depth-3 &&
			tt.value < maxCp && tt.value > -maxCp && ply < 2*w.rootDepth {
			margin := tt.value - value(2*depth)
			f.excluded = m
			v := w.search(ply, (depth-1)/2, margin-1, margin, false, cut)
			f.excluded = shogi.MoveNone
			if w.stopped {
				return 0
			}
			switch {
			case v < margin:
				extension = 1
			case margin >= beta:
				return margin
			case tt.value >= beta:
				extension = -1
			}
		}

		w.push(ply, m, givesCheck)
		if givesCheck && extension == 0 && ply < 2*w.rootDepth && (pv || depth <= 6) {
			extension = 1
		}
		d := depth - 1 + extension
		var v value
		if depth >= 2 && count > 1+b2i(pv) && (quiet || pick.bad) {
			r := w.reduction(depth, count)
			if pv {
				r--
			}
			if cut {
				r++
			}
			if !improving {
				r++
			}
			if givesCheck || inCheck {
				r--
			}
			if quiet {
				r -= int(pick.score / 9000)
			}
			r = max(0, min(r, d-1))
			v = -w.search(ply+1, d-r, -alpha-1, -alpha, false, true)
			if v > alpha && r > 0 {
				v = -w.search(ply+1, d, -alpha-1, -alpha, false, !cut)
			}
		} else if !pv || count > 1 {
			v = -w.search(ply+1, d, -alpha-1, -alpha, false, !cut)
		}
		if pv && (count == 1 || v > alpha) {
			v = -w.search(ply+1, d, -beta, -alpha, true, false)
		}
		w.pop()
		if w.stopped {
			return 0
		}
		if v > best {
			best = v
			if v > alpha {
				bestMove = m
				if pv {
					f.extend(m, &w.frames[ply+1])
				}
				if v >= beta {
					break
				}
				alpha = v
			}
		}
		if m != bestMove && tried < len(f.tried) {
			f.tried[tried] = m
			tried++
		}
	}
	if count == 0 {
		if excluded != shogi.MoveNone {
			return alpha
		}
		return matedAt(ply) // without a legal move the side to move has lost, in check or not
	}
	if best >= beta {
		w.reward(ply, depth, bestMove, f.tried[:tried])
	}
	if !w.noTable && excluded == shogi.MoveNone {
		b := boundUpper
		switch {
		case best >= beta:
			b = boundLower
		case best > first:
			b = boundExact
		}
		w.table.store(key, record{bestMove, toTable(best, ply), f.staticEval, depth, b})
	}
	return best
}

// leaf judges a position without looking further.
func (w *worker) leaf(ply int) value {
	w.frames[ply].pvLen = 0
	if w.visit() {
		return 0
	}
	w.selDepth = max(w.selDepth, ply)
	if v, ok := w.repetition(ply); ok {
		return v
	}
	if w.frames[ply].inCheck && !w.game.Pos.HasLegalMove() {
		return matedAt(ply)
	}
	return w.evaluate()
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
