package board

import "komadori/core/shogi"

// Repetition (千日手): a position returns when board, both hands and side to move are the same. Four occurrences end a game: as a
// draw, or, when one side gave check with every move from the first to the last of them, as its loss. A return of the board with
// more or less in hand is superior or inferior; that ends no game but is of use to a search. A pass breaks the line of returns.
//
// Keys only say where to look. Whether a position has stood before is decided by its squares and hands: the moves are taken back
// on a copy, once for all occurrences, and not at all while no key is equal.

// RepetitionState is the verdict of the game rule, seen by the side to move: draw, win or lose from the fourth occurrence on;
// before it, superior or inferior when the nearest return of the board is one with less or more in hand. Only the first three end a game.
func (g *Game) RepetitionState() shogi.RepetitionState { return g.repetition(4) }

// repetition is RepetitionState for a rule by which the count-th occurrence ends the game, count >= 2.
func (g *Game) repetition(count int) shogi.RepetitionState {
	limit := int(g.sinceNull)
	d := g.equalKey(2, limit)
	if d == 0 {
		return shogi.RepetitionNone
	}
	times := 1
	var nearest, farthest shogi.RepetitionState
	for r := g.rewind(); d != 0; d = g.equalKey(d, limit) {
		state := r.compare(d)
		if isEqual(state) {
			times, farthest = times+1, state
		}
		if nearest == shogi.RepetitionNone {
			nearest = state
		}
	}
	switch {
	case times >= count:
		return farthest
	case isEqual(nearest):
		return shogi.RepetitionNone
	}
	return nearest
}

// IsRepetition tells whether the present position stands for at least the count-th time, the present occurrence included.
func (g *Game) IsRepetition(count int) bool {
	limit := int(g.sinceNull)
	d := 0
	if count > 1 {
		d = g.equalKey(2, limit)
	}
	if d == 0 {
		return count <= 1
	}
	times := 1
	for r := g.rewind(); d != 0 && times < count; d = g.equalKey(d, limit) {
		if isEqual(r.compare(d)) {
			times++
		}
	}
	return times >= count
}

// SearchRepetition is the verdict of a search, seen by the side to move: that of the nearest return of the board within the last
// maxPly plies, superior and inferior included.
func (g *Game) SearchRepetition(maxPly int) shogi.RepetitionState {
	limit := min(maxPly, int(g.sinceNull))
	d := g.equalKey(2, limit)
	if d == 0 {
		return shogi.RepetitionNone
	}
	return g.nearestReturn(d, limit)
}

func (g *Game) nearestReturn(d, limit int) shogi.RepetitionState {
	for r := g.rewind(); d != 0; d = g.equalKey(d, limit) {
		if state := r.compare(d); state != shogi.RepetitionNone {
			return state
		}
	}
	return shogi.RepetitionNone
}

// equalKey is the next distance beyond d, and within limit, at which the board had its present key; 0 when there is none.
func (g *Game) equalKey(d, limit int) int {
	n := int(g.Len)
	for d += 2; d <= limit; d += 2 {
		if g.Entries[n-d].undo.boardKey == g.Pos.boardKey {
			return d
		}
	}
	return 0
}

// isEqual tells whether a verdict is that of a return with equal hands.
func isEqual(r shogi.RepetitionState) bool {
	return r == shogi.RepetitionDraw || r == shogi.RepetitionWin || r == shogi.RepetitionLose
}

// A rewinding walks back through a game.
type rewinding struct {
	g       *Game
	back    int // plies taken back
	pos     Position
	checked [2]bool // by color: stood in check whenever it was to move, from the present position back to the one after pos
}

func (g *Game) rewind() rewinding { return rewinding{g, 0, g.Pos, [2]bool{true, true}} }

// compare goes on to the position d plies ago and compares the present one with it: a draw, or the loss of the side that has given check
// all the way since, when both are equal; superior or inferior by the hand of the side to move when only the boards are; RepetitionNone
// otherwise. When both sides gave check all the way the side to move loses. d never decreases, and no pass lies within it.
func (r *rewinding) compare(d int) shogi.RepetitionState {
	n := int(r.g.Len)
	for ; r.back < d; r.back++ {
		if us := r.pos.turn & 1; r.checked[us] {
			r.checked[us] = r.pos.InCheck()
		}
		r.pos.takeBack(&r.g.Entries[n-1-r.back])
	}
	now, then := &r.g.Pos, &r.pos
	us := now.turn & 1
	switch hand, earlier := now.hands[us], then.hands[us]; {
	case now.board != then.board:
		return shogi.RepetitionNone // equal keys of different boards
	case hand != earlier && hand.IsSuperiorOrEqual(earlier):
		return shogi.RepetitionSuperior
	case hand != earlier && earlier.IsSuperiorOrEqual(hand):
		return shogi.RepetitionInferior
	case hand != earlier:
		return shogi.RepetitionNone
	// The other side's hand is equal, too, as no man leaves the game.
	case r.checked[us^1]:
		return shogi.RepetitionLose
	case r.checked[us]:
		return shogi.RepetitionWin
	}
	return shogi.RepetitionDraw
}
