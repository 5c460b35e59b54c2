package board

import "komadori/core/shogi"

// Repetition (千日手): a position returns when board, both hands and side to move are the same. Four occurrences end a game: as a
// draw, or, when one side gave check on every move between two occurrences, as its loss. A return of the board with more or
// less in hand is superior or inferior; that ends no game but is of use to a search.

// RepetitionState is the verdict of the game rule, seen by the side to move: draw, win or lose from the fourth occurrence on,
// superior or inferior from the first return of the board on. Only the first three end a game.
func (g *Game) RepetitionState() shogi.RepetitionState {
	r := g.returnOf(int(g.Len), int(g.Len))
	if r.earlier >= 0 && r.times < 3 {
		return shogi.RepetitionNone
	}
	return r.state
}

// IsRepetition tells whether the present position stands for at least the count-th time, the present occurrence included.
func (g *Game) IsRepetition(count int) bool {
	if count <= 1 {
		return true
	}
	r := g.returnOf(int(g.Len), int(g.Len))
	return r.earlier >= 0 && r.times+1 >= count
}

// SearchRepetition is the verdict of a search, seen by the side to move: that of the first return within the last maxPly plies,
// superior and inferior included.
func (g *Game) SearchRepetition(maxPly int) shogi.RepetitionState {
	return g.firstReturn(int(g.Len), maxPly).state
}

// A reappearance is what the nearest earlier occurrence says of a position.
type reappearance struct {
	state   shogi.RepetitionState
	earlier int // index of the equal position, -1 when there is none
	times   int // equal positions before this one
}

// at is what is known without replaying of the position after i moves.
func (g *Game) at(i int) (boardKey uint64, sinceNull int) {
	if i == int(g.Len) {
		return g.Pos.boardKey, int(g.sinceNull)
	}
	e := &g.Entries[i]
	return e.undo.boardKey, int(e.sinceNull)
}

// firstReturn looks from the position after i moves back for the nearest equal board.
func (g *Game) firstReturn(i, maxPly int) reappearance {
	key, sinceNull := g.at(i)
	us := g.Start.turn
	if i&1 != 0 {
		us = us.Opposite()
	}
	for d := 4; d <= min(sinceNull, maxPly); d += 2 {
		if g.Entries[i-d].undo.boardKey != key {
			continue
		}
		s := g.stretch(i-d, i)
		if !s.sameBoard {
			continue // equal keys of different boards
		}
		hand, earlier := s.later[us], s.earlier[us]
		switch {
		case hand == earlier: // and the other side's too, as no man leaves the game
			state := shogi.RepetitionDraw
			if s.checked[us^1] {
				state = shogi.RepetitionLose
			} else if s.checked[us] {
				state = shogi.RepetitionWin
			}
			return reappearance{state, i - d, 0}
		case hand.IsSuperiorOrEqual(earlier):
			return reappearance{shogi.RepetitionSuperior, -1, 0}
		case earlier.IsSuperiorOrEqual(hand):
			return reappearance{shogi.RepetitionInferior, -1, 0}
		}
	}
	return reappearance{shogi.RepetitionNone, -1, 0}
}

// returnOf adds to firstReturn how often the position stood before. When the earlier return had another verdict, the whole is a draw.
func (g *Game) returnOf(i, maxPly int) reappearance {
	r := g.firstReturn(i, maxPly)
	state := r.state
	for at := r.earlier; at >= 0; {
		r.times++
		next := g.firstReturn(at, maxPly)
		if next.earlier >= 0 && next.state != state {
			state = shogi.RepetitionDraw
		}
		at = next.earlier
	}
	r.state = state
	return r
}

// A stretch is what lies between two positions of a game.
type stretch struct {
	sameBoard      bool // the squares of both are equal
	later, earlier [2]shogi.Hand
	checked        [2]bool // by color: in check whenever it was to move after the earlier one
}

// stretch takes the moves back from the position after b moves to the one after a moves, a < b.
func (g *Game) stretch(a, b int) stretch {
	p := g.Pos
	for k := int(g.Len); k > b; k-- {
		p.takeBack(&g.Entries[k-1])
	}
	board, s := p.board, stretch{later: p.hands, checked: [2]bool{true, true}}
	for k := b; k > a; k-- {
		if us := p.turn & 1; s.checked[us] {
			s.checked[us] = p.InCheck()
		}
		p.takeBack(&g.Entries[k-1])
	}
	s.sameBoard, s.earlier = board == p.board, p.hands
	return s
}
