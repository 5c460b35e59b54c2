package search

import "komadori/core/shogi"

// search is the value of the present position for the side to move, within alpha and beta exactly, else a bound (fail-soft).
// pv is for nodes that may be on the principal variation; cut for those expected to fail high.
//
// Margins are in centipawns, reductions in 1024ths of a ply. The numbers come from simultaneous perturbation (SPSA, Spall 1992): 2000 pairs of
// games between two versions of all of them at once, a step towards the winner after each pair; docs/search.md has what it gave.
func (w *worker) search(ply, depth int, alpha, beta value, pv, cut bool) value {
	if depth <= 0 {
		if w.noQuiescence {
			return w.leaf(ply)
		}
		return w.quiesce(ply, 0, alpha, beta, pv)
	}
	f, before := w.frame(ply), w.frame(ply-1)
	f.pvLen = 0
	if w.visit() {
		return 0
	}
	w.selDepth = max(w.selDepth, ply)
	pos := &w.game.Pos
	inCheck := f.inCheck
	excluded := f.excluded

	if excluded == shogi.MoveNone {
		if v, ok := w.verdict(ply); ok {
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
	f.count = 0
	w.frame(ply + 2).cutoffs = 0

	key := pos.Key()
	var hit bool
	tt := record{eval: noValue}
	if !w.noTable && excluded == shogi.MoveNone {
		tt, hit = w.table.probe(key)
	}
	if excluded == shogi.MoveNone {
		f.wasPV = pv || hit && tt.pv
	}
	ttQuiet := tt.move != shogi.MoveNone && w.isQuiet(tt.move)
	if hit {
		tt.value = fromTable(tt.value, ply)
		if !pv && tt.depth >= depth && tt.proves(alpha, beta) {
			if ttQuiet && tt.value >= beta {
				w.nudgeQuiet(ply, tt.move, bonusOf(depth))
				if before.quiet && before.count <= 3 {
					w.nudgeFollow(ply-1, before.moved, -bonusOf(depth+1))
				}
			}
			return tt.value
		}
	}

	eval := noValue
	improving, worsening := false, false
	switch {
	case inCheck:
		f.staticEval = w.frame(ply - 2).staticEval
	case excluded != shogi.MoveNone:
		eval = f.staticEval
	default:
		if hit && tt.eval != noValue {
			f.staticEval = tt.eval
		} else {
			f.staticEval = w.evaluate()
			if !hit && !w.noTable {
				// Many nodes end here, and come back.
				w.table.store(key, record{shogi.MoveNone, 0, f.staticEval, depthUnsearched, boundNone, f.wasPV})
			}
		}
		eval = f.staticEval
		// What the table knows may be better than the static value.
		if hit && (tt.bound == boundExact || tt.bound == boundLower && tt.value > eval || tt.bound == boundUpper && tt.value < eval) {
			eval = tt.value
		}
		// How much the opponent's last move changed says how good it was.
		if before.quiet && !before.inCheck && before.staticEval != noValue {
			w.nudgeMain(pos.Turn()^1, before.move, max(-1200, min(1200, -8*(before.staticEval+f.staticEval-24)))*3/4)
		}
	}
	if !inCheck {
		two := w.frame(ply - 2).staticEval
		improving = two == noValue || f.staticEval > two
		worsening = before.staticEval != noValue && f.staticEval > -before.staticEval+2
	}

	if !pv && !inCheck && excluded == shogi.MoveNone {
		// Razoring: hopeless, unless an exchange saves the day.
		if depth <= 5 && eval+value(330+270*depth*depth) < alpha && alpha < maxCp {
			if v := w.quiesce(ply, 0, alpha, alpha+1, false); v <= alpha || w.stopped {
				return v
			}
		}
		// Futility: so good that a shallow search will not change it.
		if depth <= 9 && eval < maxCp && beta > -maxCp && eval >= beta && !(f.wasPV && depth > 4) && (tt.move == shogi.MoveNone || !ttQuiet || tt.value >= beta) {
			margin := value(141 * depth)
			if improving {
				margin -= 44
			}
			if worsening {
				margin -= 30
			}
			if eval-max(margin, 20) >= beta {
				return beta + (eval-beta)/3
			}
		}
	}

	// Mate in one ends most won lines a move early.
	if !hit && excluded == shogi.MoveNone && !inCheck {
		if m := pos.MateInOne(); m != shogi.MoveNone {
			v := -matedAt(ply + 1)
			f.pv[0], f.pvLen = m, 1
			w.frame(ply + 1).pvLen = 0
			if !w.noTable {
				w.table.store(key, record{m, toTable(v, ply), f.staticEval, MaxDepth, boundExact, f.wasPV})
			}
			return v
		}
	}

	if !pv && !inCheck && excluded == shogi.MoveNone {
		// Null move: if passing is good enough, a move will be.
		if cut && depth >= 3 && eval >= beta && f.staticEval >= beta-value(20*depth)+100 && ply >= w.nullFrom && beta > -maxCp && before.move != shogi.MoveNull {
			r := (5250+depth*341)/1024 + min(int(eval-beta)/312, 4)
			w.pass(ply)
			v := -w.search(ply+1, depth-r, -beta, -beta+1, false, false)
			w.pop()
			if w.stopped {
				return 0
			}
			if v >= beta {
				// A mate that the opponent could not have escaped by moving is none.
				v = min(v, maxCp)
				if depth < 14 || w.nullFrom > 0 {
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
	if depth >= 4 && (pv || cut) && tt.move == shogi.MoveNone && excluded == shogi.MoveNone && !w.noTable {
		depth--
	}

	// ProbCut: a capture that a shallower search finds far above beta would be above it in a deep one.
	if bar := beta + 237; !pv && !inCheck && depth >= 4 && excluded == shogi.MoveNone && beta < maxCp && beta > -maxCp &&
		!(hit && tt.depth >= depth-3 && tt.value < bar) {
		pick := w.newQuietPicker(ply, tt.move, false)
		for m := pick.next(); m != shogi.MoveNone; m = pick.next() {
			if !pos.SEEReaches(m, int(bar-f.staticEval)) {
				continue
			}
			w.table.prefetch(pos.KeyAfter(m))
			w.push(ply, m, w.givesCheck(f, m))
			v := -w.quiesce(ply+1, 0, -bar, -bar+1, false)
			if v >= bar && !w.stopped {
				v = -w.search(ply+1, depth-4, -bar, -bar+1, false, !cut)
			}
			w.pop()
			if w.stopped {
				return 0
			}
			if v >= bar {
				if !w.noTable {
					w.table.store(key, record{m, toTable(v, ply), f.staticEval, depth - 3, boundLower, f.wasPV})
				}
				if isEstimate(v) {
					v -= bar - beta
				}
				return v
			}
		}
	}

	w.frame(ply + 1).killers = [2]shogi.Move{}
	n := &f.nodes[b2i(excluded != shogi.MoveNone)]
	n.pick.begin(w, ply, depth, tt.move, w.allMoves)
	n.tt, n.ttQuiet = tt, ttQuiet
	n.depth, n.pv, n.cut, n.improving, n.excluded = depth, pv, cut, improving, excluded
	n.alpha, n.beta, n.best, n.bestMove = alpha, beta, -infinity, shogi.MoveNone
	n.promised = -infinity
	n.total, n.quiets, n.captures, n.settled = 0, 0, 0, false
	w.moves(ply, n, nil)
	if w.stopped {
		return 0
	}
	best, bestMove := n.best, n.bestMove
	switch {
	case n.settled:
		return best
	case n.total == 0 && excluded != shogi.MoveNone:
		return alpha
	case n.total == 0:
		return matedAt(ply) // without a legal move the side to move has lost, in check or not
	case bestMove != shogi.MoveNone:
		w.reward(ply, depth, bestMove, f.quiets[:n.quiets], f.captures[:n.captures])
	case before.quiet:
		// Nothing helped against the move before: it was good.
		w.nudgeFollow(ply-1, before.moved, bonusOf(depth)/2)
	}
	if best <= alpha {
		f.wasPV = f.wasPV || before.wasPV && depth > 3
	}
	if !w.noTable && excluded == shogi.MoveNone {
		b := boundUpper
		switch {
		case best >= beta:
			b = boundLower
		case pv && bestMove != shogi.MoveNone:
			b = boundExact
		}
		eval := f.staticEval
		if inCheck {
			eval = noValue
		}
		w.table.store(key, record{bestMove, toTable(best, ply), eval, depth, b, f.wasPV})
	}
	return best
}

// A node is what the loop over the moves of a position keeps. Workers that search the moves together share it.
type node struct {
	pick               picker
	tt                 record
	ttQuiet            bool // the table's move neither captures nor promotes
	depth              int
	pv, cut, improving bool
	excluded           shogi.Move
	alpha, beta, best  value
	promised           value // what a move that is being searched again, with a window, has been found to reach; of shared nodes
	bestMove           shogi.Move
	total              int  // moves that have had their turn, those that were pruned included
	quiets, captures   int  // of the frame's lists
	settled            bool // best is the value, whatever the other moves
}

// moves searches the moves of a node, together with other workers when they share it: sp is nil otherwise.
func (w *worker) moves(ply int, n *node, sp *split) {
	f := w.frame(ply)
	pos := &w.game.Pos
	inCheck, depth, pv, cut, improving := f.inCheck, n.depth, n.pv, n.cut, n.improving
	late := (965 + 203*depth*depth) / 100 / (2 - b2i(improving)) // so many moves are enough, if they are good enough
	for {
		if sp == nil && w.pool != nil && w.pool.wants(n) {
			w.share(ply, n)
			return
		}
		if sp != nil && !sp.enter(w) {
			return
		}
		var m shogi.Move
		var bad bool
		if sp == nil {
			m, bad = n.pick.next(), n.pick.bad
		} else {
			m, bad = sp.next()
		}
		if m == shogi.MoveNone || m == n.excluded {
			if sp != nil {
				sp.mutex.Unlock()
			}
			if m == shogi.MoveNone {
				return
			}
			continue
		}
		n.total++
		count, alpha, beta, best := n.total, max(n.alpha, n.promised), n.beta, n.best
		if sp != nil {
			sp.mutex.Unlock()
		}
		quiet := w.isQuiet(m)
		givesCheck := w.givesCheck(f, m)
		f.count = count
		r := w.reduction(depth, count)
		if !improving {
			r += 1168
		}
		var history int32
		if quiet {
			history = w.quietScore(ply, m)
		}
		exchange := 0 // below 0: what the move may lose at most
		if best > -mateInMax {
			if count >= late && !inCheck {
				if sp != nil {
					sp.skipQuiets.Store(true)
				} else {
					n.pick.skipQuiets = true
				}
			}
			reduced := depth - 1 - r/1024
			if quiet {
				reduced = max(reduced+int(history)/4615, 0)
				if !givesCheck || depth > 5 {
					if history < int32(-5745*depth) && depth <= 6 {
						continue
					}
					if futile := min(f.staticEval+value(29+60*reduced), maxCp); !inCheck && !givesCheck && reduced <= 8 && futile <= alpha {
						if sp == nil && futile > best {
							n.best = futile
						}
						continue
					}
					if reduced <= 8 {
						exchange = -17*reduced*reduced - 20
					}
				} else {
					exchange = -120 * depth
				}
			} else if depth <= 8 {
				exchange = -129 * depth
			}
		}
		w.table.prefetch(pos.KeyAfter(m)) // as early as it is likely to be needed: it takes long
		if exchange < 0 && !pos.SEEReaches(m, exchange) {
			continue
		}

		extension := 0
		// Singular: when the table's move is much better than all others, look at it longer.
		if tt := &n.tt; m == tt.move && depth >= 6 && n.excluded == shogi.MoveNone && tt.bound&boundLower != 0 && tt.depth >= depth-3 &&
			tt.value < maxCp && tt.value > -maxCp && ply < 2*w.rootDepth {
			margin := tt.value - value((1+b2i(f.wasPV && !pv))*depth*74/100)
			f.excluded = m
			v := w.search(ply, (depth-1)/2, margin-1, margin, false, cut)
			f.excluded = shogi.MoveNone
			if w.stopped {
				return
			}
			f.count = count
			switch {
			case v < margin:
				extension = 1
				if !pv && v < margin-39 {
					extension = 2
				}
			case v >= beta && v < maxCp:
				n.best, n.settled = v, true
				return
			case tt.value >= beta:
				extension = -2
			case cut:
				extension = -1
			}
		} else if givesCheck && ply < 2*w.rootDepth && (pv || depth <= 6) && pos.SEEReaches(m, 0) {
			extension = 1
		}

		w.push(ply, m, givesCheck)
		f.quiet = quiet
		d := depth - 1 + extension
		promises := false
		var v value
		if depth >= 2 && count > 1 {
			if f.wasPV {
				r -= 946
				if pv {
					r -= 171
				}
			}
			if cut {
				r += 1219
			}
			if n.tt.move != shogi.MoveNone && !n.ttQuiet {
				r += 809
			}
			if w.frame(ply+1).cutoffs > 2 {
				r += 1202
			}
			if givesCheck || inCheck {
				r -= 928
			}
			if quiet {
				r -= int(history) * 1024 / 9404
			} else {
				r -= 1686
				if !bad {
					r -= 803
				}
			}
			reduced := max(1, min(d-r/1024, d+1))
			v = -w.search(ply+1, reduced, -alpha-1, -alpha, false, true)
			if v > alpha && reduced < d {
				switch {
				case v > best+48 && d-reduced > 1:
					d++
				case v < best+8:
					d--
				}
				if reduced < d {
					v = -w.search(ply+1, d, -alpha-1, -alpha, false, !cut)
				}
				if quiet && !w.stopped {
					w.nudgeFollow(ply, f.moved, bonusOf(depth)/2)
				}
			}
		} else if !pv || count > 1 {
			v = -w.search(ply+1, d, -alpha-1, -alpha, false, !cut)
		}
		if sp != nil && pv {
			v, alpha, promises = w.promise(sp, d, v, alpha)
		}
		if pv && (count == 1 || v > alpha) {
			v = -w.search(ply+1, d, -beta, -alpha, true, false)
		}
		w.pop()
		if w.stopped {
			return
		}
		if sp != nil {
			v = sp.settle(v, alpha, promises)
		}
		over := w.found(ply, n, sp, m, v, quiet)
		if sp != nil {
			sp.mutex.Unlock()
		}
		if over {
			return
		}
	}
}

// found takes in the value of a move, and tells whether the node is over.
func (w *worker) found(ply int, n *node, sp *split, m shogi.Move, v value, quiet bool) bool {
	f := w.frame(ply)
	if sp != nil {
		f = sp.master.frame(ply)
	}
	if v > n.best {
		n.best = v
		if v > n.alpha {
			n.bestMove = m
			if n.pv {
				f.extend(m, w.frame(ply+1))
			}
			if v >= n.beta {
				f.cutoffs++
				if sp != nil {
					w.decide(sp)
				}
				return true
			}
			n.alpha = v
		}
	}
	if m != n.bestMove {
		switch {
		case quiet && n.quiets < len(f.quiets):
			f.quiets[n.quiets] = m
			n.quiets++
		case !quiet && n.captures < len(f.captures):
			f.captures[n.captures] = m
			n.captures++
		}
	}
	return false
}

// proves tells whether an entry settles a search with this window.
func (r *record) proves(alpha, beta value) bool {
	return r.bound == boundExact || r.bound == boundLower && r.value >= beta || r.bound == boundUpper && r.value <= alpha
}

// leaf judges a position without looking further.
func (w *worker) leaf(ply int) value {
	f := w.frame(ply)
	f.pvLen = 0
	if w.visit() {
		return 0
	}
	w.selDepth = max(w.selDepth, ply)
	if v, ok := w.verdict(ply); ok {
		return v
	}
	if f.inCheck && !w.game.Pos.HasLegalMove() {
		return matedAt(ply)
	}
	return w.evaluate()
}
