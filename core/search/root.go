package search

import (
	"slices"
	"time"

	"komadori/core/mate"
	"komadori/core/shogi"
)

// A rootMove is a move of the root with what the search knows of it.
type rootMove struct {
	move  shogi.Move
	score value // of this iteration; -infinity until it has been found good
	last  value // of the iteration before
	tried bool  // searched in this search
	low   bool  // score is but an upper bound, and pv still the line of last
	high  bool  // score is but a lower bound
	pv    [maxPly]shogi.Move
	pvLen int
}

func (r *rootMove) line() []shogi.Move { return r.pv[:r.pvLen] }

// keepsLine tells whether the line of an iteration before says more than the frame after the move: a search that fails high seldom has a line.
func (r *rootMove) keepsLine(next *frame) bool {
	return r.high && next.pvLen == 0 && isEstimate(r.score) && isEstimate(r.last)
}

// prelude lists the moves of the root, and has the result already where no search is needed.
func (w *worker) prelude() (Result, bool) {
	g, limits := &w.game, &w.run.limits
	w.listRoot(limits.SearchMoves)
	switch {
	case !g.Pos.HasLegalMove():
		return Result{BestMove: shogi.MoveResign, Score: MatedIn(0)}, true
	case len(limits.SearchMoves) > 0 && len(w.root) == 0:
		return Result{BestMove: shogi.MoveNone}, true
	case len(limits.SearchMoves) > 0 || limits.MultiPV > 1:
		return Result{}, false
	}
	if m := w.declaration(); m != shogi.MoveNone {
		r := Result{BestMove: m, Score: scoreOf(declarationWin), PV: []shogi.Move{m}}
		if m == shogi.MoveWin {
			r.PV = nil
		}
		r.Lines = []Line{{Score: r.Score, PV: r.PV}}
		return r, true
	}
	return w.mate()
}

// iterate deepens the search until a limit is reached, and reports.
func (w *worker) iterate() {
	r := w.run
	lines := w.lines()
	for depth := 1; depth <= w.maxDepth && !w.stopped; depth++ {
		w.rootDepth = depth
		if w.pool != nil { // between iterations the other threads rest
			w.tellTable()
			w.table.grow(r.Nodes())
		}
		for i := range w.root {
			w.root[i].last, w.root[i].score = w.root[i].score, -infinity
		}
		for w.line = 0; w.line < lines && !w.stopped; w.line++ {
			w.aspire(depth)
			slices.SortStableFunc(w.root[:w.line+1], func(a, b rootMove) int { return compareRoot(&a, &b) })
		}
		if w.stopped {
			break
		}
		w.finished, w.asked = depth, 0
		for line := range lines {
			r.tell(w.info(depth, line))
		}
		if !r.isOpen() && w.isEnough(depth, lines) {
			break
		}
	}
	w.published.Store(w.nodes)
}

// lines is how many lines are wanted and there.
func (w *worker) lines() int { return min(max(w.run.limits.MultiPV, 1), len(w.root)) }

// isEnough tells after an iteration whether another one is not worth its time.
func (w *worker) isEnough(depth, lines int) bool {
	// A mate found with room to spare will not become shorter.
	if best := w.root[0].score; lines == 1 && (best >= mateInMax || best <= -mateInMax) && depth >= 2*int(mateValue-max(best, -best))+8 {
		return true
	}
	if w.run.limits.Clock == nil {
		return false
	}
	spent, counts := w.run.spent()
	return counts && (len(w.root) == 1 && depth >= 4 || spent >= w.run.soft)
}

// conclude makes the result of what the iterations found.
func (w *worker) conclude() Result {
	r := Result{Nodes: w.run.Nodes(), Depth: w.finished, SelDepth: w.selDepth}
	if w.finished == 0 {
		w.guess()
	}
	w.asked = 0
	lines := w.root[:w.lines()]
	for i := range lines {
		m := &lines[i]
		if m.score == -infinity || m.low && m.last != -infinity {
			m.score, m.low, m.high = m.last, false, false // the iteration was cut off before this move's turn
		}
		// What it found best is best, whatever the one before thought of others.
		if m.score > lines[0].score {
			m.score, m.low, m.high = lines[0].score, true, false
			if !isEstimate(m.score) { // what followed then does not lead to such a score
				m.pvLen = 1
			}
		}
	}
	slices.SortStableFunc(lines[1:], func(a, b rootMove) int { return int(b.score - a.score) })
	for i := range lines {
		if lines[i].score == -infinity && i > 0 {
			break // the first iteration had but begun
		}
		r.Lines = append(r.Lines, w.told(&lines[i]))
	}
	r.BestMove, r.Score, r.PV = w.root[0].move, r.Lines[0].Score, r.Lines[0].PV
	return r
}

// mate looks for a mate by checks alone before the search, which might take long to see it through its cuts.
func (w *worker) mate() (Result, bool) {
	nodes := min(uint64(w.run.budget.Load())/16, rootMateNodes)
	if nodes < 8 {
		return Result{}, false
	}
	m, err := w.mates.Solve(&w.game.Pos, mate.Limits{Nodes: nodes, Shortest: true}, w.run.stop)
	w.granted += uint64(w.run.grant(int64(m.Nodes)))
	w.nodes += m.Nodes
	w.published.Store(w.nodes)
	if err != nil || m.Status != mate.Mate {
		return Result{}, false
	}
	score := MateIn(m.Length)
	r := Result{
		BestMove: m.PV[0], Score: score, PV: m.PV, Lines: []Line{{Score: score, PV: m.PV}}, Nodes: w.nodes, Depth: min(m.Length, w.maxDepth), SelDepth: m.Length,
	}
	w.run.tell(Info{Depth: r.Depth, SelDepth: r.SelDepth, MultiPV: 1, Score: score, PV: slices.Clone(m.PV), Nodes: r.Nodes, Elapsed: time.Since(w.run.start)})
	return r, true
}

// rootMateNodes is how much the mate search may look at before the search, which is a few milliseconds.
const rootMateNodes = 6000

// listRoot fills the moves of the root in the order of a first guess: those that AllMoves tells of if it is set, if the caller has named moves, or
// if it takes them to have as many lines as are wanted.
func (w *worker) listRoot(only []shogi.Move) {
	all := w.allMoves || len(only) > 0
	w.listMoves(only, all)
	if !all && len(w.root) < w.run.limits.MultiPV {
		w.listMoves(only, true)
	}
}

func (w *worker) listMoves(only []shogi.Move, all bool) {
	w.root = w.root[:0]
	tt := shogi.MoveNone
	if !w.noTable {
		if r, ok := w.table.probe(w.game.Pos.Key()); ok {
			tt = r.move
		}
	}
	w.frame(0).killers = [2]shogi.Move{}
	var pick picker
	pick.begin(w, 0, MaxDepth, tt, all)
	for {
		m := pick.next()
		if m == shogi.MoveNone {
			break
		}
		if len(only) > 0 && !slices.Contains(only, m) {
			continue
		}
		r := rootMove{move: m, score: -infinity, last: -infinity, pvLen: 1}
		r.pv[0] = m
		w.root = append(w.root, r)
	}
}

// aspire searches the root with a window around the last score, opening it on the side that fails.
func (w *worker) aspire(depth int) {
	alpha, beta := -infinity, infinity
	delta := value(50)
	last := w.root[w.line].last
	if depth >= 4 && last > -maxCp && last < maxCp {
		alpha, beta = max(last-delta, -infinity), min(last+delta, infinity)
	}
	for {
		v := w.searchRoot(depth, alpha, beta)
		// Best first; the sort is stable, so moves without a score keep their order.
		slices.SortStableFunc(w.root[w.line:], func(a, b rootMove) int { return compareRoot(&a, &b) })
		if w.stopped {
			return
		}
		switch {
		case v <= alpha:
			beta = (alpha + beta) / 2
			alpha = max(v-delta, -infinity)
		case v >= beta:
			beta = min(v+delta, infinity)
		default:
			return
		}
		delta += delta
		if delta > 1000 {
			alpha, beta = -infinity, infinity
		}
	}
}

// compareRoot orders by the score of this iteration, then by the last one.
func compareRoot(a, b *rootMove) int {
	if a.score != b.score {
		return int(b.score - a.score)
	}
	return int(b.last - a.last)
}

// searchRoot searches the moves of the root from the present line on.
func (w *worker) searchRoot(depth int, alpha, beta value) value {
	if w.visit() {
		return 0
	}
	n := w.beginRoot(depth, alpha, beta)
	w.rootMoves(n, nil)
	if w.stopped {
		return 0
	}
	best := n.best
	if !w.noTable && w.line == 0 {
		b := boundExact
		move := shogi.MoveNone
		switch {
		case best >= beta:
			b = boundLower
		case best <= alpha:
			b = boundUpper
		}
		if b != boundUpper {
			for i := range w.root {
				if w.root[i].score == best {
					move = w.root[i].move
					break
				}
			}
		}
		w.table.store(w.game.Pos.Key(), record{move, best, w.frame(0).staticEval, depth, b, true})
	}
	return best
}

func (w *worker) beginRoot(depth int, alpha, beta value) *node {
	f := w.frame(0)
	f.staticEval = w.evaluate()
	w.frame(1).pvLen = 0
	n := &f.nodes[0]
	n.depth, n.pv, n.cut, n.excluded = depth, true, false, shogi.MoveNone
	n.alpha, n.beta, n.best, n.promised, n.total = alpha, beta, -infinity, -infinity, 0
	return n
}

// rootMoves is moves for the root.
func (w *worker) rootMoves(n *node, sp *split) {
	owner := w
	if sp != nil {
		owner = sp.master
	}
	list := owner.root[owner.line:]
	for {
		if sp == nil && w.pool != nil && w.pool.wants(n) {
			w.share(0, n)
			return
		}
		if sp != nil && !sp.enter(w) {
			return
		}
		i := n.total
		if i == len(list) {
			if sp != nil {
				sp.exhaust()
				sp.mutex.Unlock()
			}
			return
		}
		n.total++
		alpha, beta, depth := max(n.alpha, n.promised), n.beta, n.depth
		if sp != nil {
			sp.mutex.Unlock()
		}
		m := &list[i]
		quiet := w.isQuiet(m.move)
		givesCheck := w.game.Pos.GivesCheck(m.move)
		w.push(0, m.move, givesCheck)
		f := w.frame(0)
		f.quiet, f.count, f.wasPV = quiet, i+1, true
		d := depth - 1
		promises := false
		var v value
		if i > 0 {
			r := 0
			if depth >= 3 && i >= 3 && quiet && !givesCheck {
				r = max((w.reduction(depth, i+1)-1000)/1024, 0)
			}
			v = -w.search(1, d-r, -alpha-1, -alpha, false, true)
			if v > alpha && r > 0 {
				v = -w.search(1, d, -alpha-1, -alpha, false, true)
			}
			if sp != nil {
				v, alpha, promises = w.promise(sp, d, v, alpha)
			}
		}
		if i == 0 || v > alpha {
			v = -w.search(1, d, -beta, -alpha, true, false)
		}
		w.pop()
		if w.stopped {
			return
		}
		if sp != nil {
			v = sp.settle(v, alpha, promises)
		}
		// Only the first move and those that beat it have a score of their own; a first move that fails low has only
		// a bound, and keeps its line from before.
		m.score, m.tried = -infinity, true
		if i == 0 || v > n.alpha {
			m.score, m.low, m.high = v, v <= n.alpha, v >= beta
			if !m.low && !m.keepsLine(w.frame(1)) {
				m.pvLen = 1 + copy(m.pv[1:], w.frame(1).pv[:w.frame(1).pvLen])
			}
		}
		n.best, n.alpha = max(n.best, v), max(n.alpha, v)
		over := v >= beta
		if sp != nil {
			if over {
				w.decide(sp)
			}
			sp.mutex.Unlock()
		}
		if over {
			return
		}
	}
}

func (w *worker) info(depth, line int) Info {
	l := w.told(&w.root[line])
	w.published.Store(w.nodes)
	return Info{
		Depth: depth, SelDepth: w.selDepth, MultiPV: line + 1, Score: l.Score, Bound: l.Bound, PV: l.PV,
		Nodes: w.run.Nodes(), Elapsed: time.Since(w.run.start), HashFull: w.table.permille(),
	}
}
