package search

import "komadori/core/shogi"

// quiesce plays out what would make a static value wrong: captures and promotions, and all ways out of check.
// The side to move may stand pat when it is not in check. qdepth is 0 at the first such node and falls.
func (w *worker) quiesce(ply, qdepth int, alpha, beta value, pv bool) value {
	f := w.frame(ply)
	f.pvLen = 0
	if w.visit() {
		return 0
	}
	w.selDepth = max(w.selDepth, ply)
	pos := &w.game.Pos
	inCheck := f.inCheck
	if v, ok := w.verdict(ply); ok {
		return v
	}
	if ply >= maxPly-2 {
		return w.evaluate()
	}
	alpha = max(alpha, matedAt(ply))
	beta = min(beta, -matedAt(ply+1))
	if alpha >= beta {
		return alpha
	}

	key := pos.Key()
	tt, hit := record{eval: noValue}, false
	if !w.noTable {
		tt, hit = w.table.probe(key)
	}
	if hit {
		tt.value = fromTable(tt.value, ply)
		if !pv && tt.proves(alpha, beta) {
			return tt.value
		}
	}

	best := -infinity
	first := alpha
	f.staticEval = noValue
	if !inCheck {
		if hit && tt.eval != noValue {
			f.staticEval = tt.eval
		} else {
			f.staticEval = w.evaluate()
		}
		best = f.staticEval
		if hit && (tt.bound == boundExact || tt.bound == boundLower && tt.value > best || tt.bound == boundUpper && tt.value < best) {
			best = tt.value
		}
		if best >= beta {
			if !hit && !w.noTable {
				w.table.store(key, record{shogi.MoveNone, toTable(best, ply), f.staticEval, -1, boundLower, false})
			}
			if pv && best == -matedAt(ply+1) && tt.move != shogi.MoveNone { // a mate that the table knows is a part of the line, too
				f.pv[0], f.pvLen = tt.move, 1
			}
			return best
		}
		if qdepth == 0 && !hit {
			if m := pos.MateInOne(); m != shogi.MoveNone {
				v := -matedAt(ply + 1)
				f.pv[0], f.pvLen = m, 1
				if !w.noTable {
					w.table.store(key, record{m, toTable(v, ply), f.staticEval, MaxDepth, boundExact, pv})
				}
				return v
			}
		}
		alpha = max(alpha, best)
	}

	bestMove := shogi.MoveNone
	pick := w.newQuietPicker(ply, tt.move, inCheck)
	count := 0
	for {
		m := pick.next()
		if m == shogi.MoveNone {
			break
		}
		count++
		isLost := best <= -mateInMax // so far; then every move is worth a look
		if !inCheck && !isLost {
			// Even the whole gain would not reach alpha.
			gain := captureGain[pos.Board()[m&127]&15]
			if m.IsPromotion() {
				gain += promotionGain[pos.Board()[m>>7&127]&15]
			}
			if futile := f.staticEval + gain + 185; futile <= alpha {
				best = max(best, futile)
				continue
			}
		}
		if inCheck && !isLost && count > 3 && w.isQuiet(m) {
			continue
		}
		w.table.prefetch(pos.KeyAfter(m)) // early, as it takes long
		if !inCheck && !isLost && !pos.SEEReaches(m, 0) {
			continue
		}
		f.quiet = false // histories learn from the search alone
		w.push(ply, m, w.givesCheck(f, m))
		v := -w.quiesce(ply+1, qdepth-1, -beta, -alpha, pv)
		w.pop()
		if w.stopped {
			return 0
		}
		if v > best {
			best = v
			if v > alpha {
				bestMove = m
				if pv {
					f.extend(m, w.frame(ply+1))
				}
				if v >= beta {
					break
				}
				alpha = v
			}
		}
	}
	if inCheck && count == 0 {
		return matedAt(ply)
	}
	if !w.noTable {
		b := boundUpper
		switch {
		case best >= beta:
			b = boundLower
		case best > first && bestMove != shogi.MoveNone:
			b = boundExact
		}
		w.table.store(key, record{bestMove, toTable(best, ply), f.staticEval, b2i(inCheck) - 1, b, pv || hit && tt.pv})
	}
	return best
}
