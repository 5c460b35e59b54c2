package search

import (
	"slices"

	"komadori/core/board"
	"komadori/core/shogi"
)

// told is the line of a root move as users see it.
func (w *worker) told(m *rootMove) Line {
	l := Line{Score: scoreOf(m.score)}
	switch {
	case m.high:
		l.Bound = LowerBound
	case m.low:
		l.Bound = UpperBound
	}
	l.PV = w.continued(m.line(), m.score)
	return l
}

// continued is a copy of a line with what the table knows of its end: the search breaks a line off where it uses an exact entry, and has none
// after a move that is good enough and was looked at no further. The value is that of the line, seen from the root.
func (w *worker) continued(line []shogi.Move, v value) []shogi.Move {
	all := make([]shogi.Move, 0, maxPly)
	play := func(m shogi.Move) {
		all = append(all, m)
		w.game.PushUnchecked(m)
	}
	for _, m := range line {
		if !w.game.Pos.IsLegal(m) { // never, as far as is known; a line that users see is worth the check
			break
		}
		play(m)
	}
	known := len(all)
	isMate := v >= mateInMax || v <= -mateInMax
	end := maxPly - 2
	if isMate {
		end = min(end, int(mateValue-max(v, -v)))
	}
	if w.noTable || known < len(line) {
		end = known
	}
	sure := end // so many moves are told even where those after them lead to no mate
	for len(all) < end {
		n := len(all)
		if _, over := w.verdict(n); over && n > 0 {
			break
		}
		u := v // for the side to move
		if n&1 == 1 {
			u = -v
		}
		m := shogi.MoveNone
		switch r, ok := w.known(n); {
		case isMate:
			var isSure bool
			if m, isSure = w.towardsMate(n, u, r, ok); !isSure {
				sure = min(sure, n)
			}
		case ok && r.bound == boundExact && r.value == u:
			m = r.move
		case known == 1 && n < w.rootDepth:
			m = w.likely(n, r, ok)
		}
		if m == shogi.MoveNone || !w.game.Pos.IsLegal(m) {
			break
		}
		play(m)
	}
	if n := len(all); isMate && n > known && (n < end || w.game.Pos.HasLegalMove()) {
		if n == end && sure == end {
			sure = known // the entry was another position's
		}
		for range n - min(n, sure) {
			w.game.PopUnchecked()
		}
		all = all[:min(n, sure)]
	}
	for range all {
		w.game.PopUnchecked()
	}
	return slices.Clip(all)
}

// known is what the table has of the present position, so many plies from the root.
func (w *worker) known(ply int) (record, bool) {
	if w.noTable {
		return record{}, false
	}
	r, ok := w.table.probe(w.game.Pos.Key())
	r.value = fromTable(r.value, ply)
	return r, ok
}

// towardsMate is a move with which a mate of value u takes as many plies as it says. r is what the table knows, if ok. It is not sure where the
// table has but a bound that a later search, with another window, has written over the value, or where there is a mate in one that the value does not know.
func (w *worker) towardsMate(ply int, u value, r record, ok bool) (m shogi.Move, isSure bool) {
	if ok && r.move != shogi.MoveNone && r.value == u && (r.bound == boundExact || u > 0 && r.bound == boundLower) {
		return r.move, true
	}
	m = w.amongMoves(ply, func(r record, ok bool) (value, bool) {
		isLong := ok && r.value == -u
		isSure = isLong && (r.bound == boundExact || u < 0 && r.bound == boundLower || u > 0 && r.bound == boundUpper)
		if u < 0 && w.game.Pos.MateInOne() != shogi.MoveNone {
			isSure = u == matedAt(ply+2)
		}
		if isSure {
			return infinity, true
		}
		return 0, isLong
	})
	return m, isSure
}

// likely is the best move of a position as far as the table knows, whatever the present search wanted to know of it.
func (w *worker) likely(ply int, r record, ok bool) shogi.Move {
	switch {
	case !ok || r.depth < 1:
		return shogi.MoveNone
	case r.bound != boundUpper && r.move != shogi.MoveNone:
		return r.move
	}
	// Where no move was good enough, the table may still tell of each how good it was. A static evaluation alone is left of moves that were refuted at
	// a glance.
	if m := w.amongMoves(ply, func(r record, ok bool) (value, bool) { return -r.value, ok && r.bound != boundNone }); m != shogi.MoveNone {
		return m
	}
	return r.move
}

// mostAsked is how many moves are looked at for the lines of an iteration or a result, about a millisecond.
const mostAsked = 2000

// amongMoves is the legal move with the greatest worth, MoveNone when none has one. worth is called in the position after the move, with what the
// table knows of that position; where the game is over there, with the value of its end. An infinite worth ends the round.
func (w *worker) amongMoves(ply int, worth func(r record, ok bool) (value, bool)) shogi.Move {
	var list [board.MaxLegalMoves]shogi.Move
	best, bestMove := -infinity, shogi.MoveNone
	for _, m := range w.game.Pos.AppendLegal(list[:0]) {
		if w.asked++; w.asked > mostAsked || best == infinity {
			break
		}
		w.game.PushUnchecked(m)
		r, ok := w.known(ply + 1)
		if v, over := w.verdict(ply + 1); over {
			r, ok = record{value: v, bound: boundExact}, true
		} else if !w.game.Pos.HasLegalMove() {
			r, ok = record{value: matedAt(ply + 1), bound: boundExact}, true
		}
		v, ok := worth(r, ok)
		w.game.PopUnchecked()
		if ok && v > best {
			best, bestMove = v, m
		}
	}
	return bestMove
}

// guess orders the root where not even the first iteration is through: the table's move first, the others by what the iteration found or, where it
// did not get to them, by a first look.
func (w *worker) guess() {
	p := &w.game.Pos
	static := w.evaluate()
	for i := range w.root {
		m := &w.root[i]
		if m.tried {
			continue
		}
		exchange := value(p.SEE(m.move))
		isCapture := p.Board()[m.move.To()] != 0
		w.push(0, m.move, p.GivesCheck(m.move))
		v, over := w.verdict(1)
		switch {
		case over:
			m.score = -v
		case !p.HasLegalMove():
			m.score = -matedAt(1)
		case p.MateInOne() != shogi.MoveNone:
			m.score = matedAt(2)
		case isCapture || exchange < 0:
			m.score = max(-maxCp, min(maxCp, static+exchange))
		default:
			m.score = -w.evaluate()
		}
		w.pop()
	}
	slices.SortStableFunc(w.root, func(a, b rootMove) int { return compareRoot(&a, &b) })
	if r, ok := w.known(0); ok && r.bound != boundNone {
		if i := slices.IndexFunc(w.root, func(m rootMove) bool { return m.move == r.move }); i >= 0 {
			m := w.root[i]
			if isEstimate(r.value) || r.bound != boundUpper { // that it is no shorter mate tells nobody anything
				m.score, m.low, m.high = r.value, r.bound == boundUpper, r.bound == boundLower
			}
			copy(w.root[1:], w.root[:i])
			w.root[0] = m
		}
	}
}
