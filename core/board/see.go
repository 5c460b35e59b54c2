package board

import (
	"komadori/core/bitboard"
	"komadori/core/shogi"
)

// SEE is the static exchange evaluation of a legal move: the material that the mover wins on the target square when both sides go on
// taking there and stop when it pays, in units of shogi.PieceValues.
//
// A captured piece counts as what the loser had on the board and the taker has in hand, twice a pawn's worth for a pawn; a promotion by
// the move itself counts its gain, later ones do not. Each side takes with its least valuable piece, of several of one kind with the one
// that turns out best. Pieces behind others join in. A king does not take what is defended. Pins are not seen.
func (p *Position) SEE(m shogi.Move) int {
	if !m.IsNormal() {
		return 0
	}
	to, occupied := m.To(), p.Occupied()
	moving := p.pieceAfter(m).Type()
	gain := exchangeValue(p.PieceAt(to).Type())
	if m.IsPromotion() {
		gain += shogi.PieceValues[moving&15] - shogi.PieceValues[moving.Demote()&15]
	}
	if !m.IsDrop() {
		occupied = occupied.Clear(m.From())
	}
	return gain - p.exchange(to, p.turn.Opposite(), moving, occupied.Set(to))
}

// exchange is what a side gains at best by taking a piece of the other side on a square, 0 when it does not pay.
func (p *Position) exchange(to shogi.Square, c shogi.Color, standing shogi.PieceType, occupied bitboard.Bitboard) int {
	least, t := p.leastValuable(p.attackersThrough(to, c, occupied).And(occupied))
	if least.IsEmpty() {
		return 0
	}
	if t == shogi.King && !p.attackersThrough(to, c.Opposite(), occupied.AndNot(least)).And(occupied).Clear(to).IsEmpty() {
		return 0
	}
	if least.Several() {
		least = p.differing(least, to, occupied)
	}
	best := 0
	for !least.IsEmpty() {
		best = max(best, exchangeValue(standing)-p.exchange(to, c.Opposite(), t, occupied.Clear(least.Pop())))
	}
	return best
}

// differing leaves one of several pieces of a kind that attack a square, and those with another slider behind them: only these make a difference.
func (p *Position) differing(pieces bitboard.Bitboard, to shogi.Square, occupied bitboard.Bitboard) bitboard.Bitboard {
	var sliders bitboard.Bitboard
	for c := range p.sets {
		s := &p.sets[c]
		sliders = sliders.Or(s[bishops].Or(s[horses]).And(bishopLines[to&127])).
			Or(s[rooks].Or(s[dragons]).Or(s[lances]).And(rookLines[to&127]))
	}
	var uncovering bitboard.Bitboard
	for s := sliders.And(occupied); !s.IsEmpty(); {
		if between := bitboard.Between(to, s.Pop()).And(occupied); pieces.Overlaps(between) && !between.Several() {
			uncovering = uncovering.Or(between)
		}
	}
	if other := pieces.AndNot(uncovering).First(); other != shogi.NoSquare {
		return uncovering.Set(other)
	}
	return uncovering
}

// exchangeValue is what taking a piece changes: the taker gains it in hand and the other loses it from the board.
func exchangeValue(t shogi.PieceType) int {
	return shogi.PieceValues[t&15] + shogi.PieceValues[t.Demote()&15]
}

// leastValuable is the pieces of a set of the kind that is worth least, and that kind.
func (p *Position) leastValuable(set bitboard.Bitboard) (pieces bitboard.Bitboard, t shogi.PieceType) {
	for value := 1 << 30; !set.IsEmpty(); {
		sq := set.Pop()
		kind := shogi.PieceType(p.board[sq&127] & 15)
		switch v := exchangeValue(kind); {
		case v < value:
			pieces, t, value = bitboard.Of(sq), kind, v
		case v == value:
			pieces = pieces.Set(sq)
		}
	}
	return pieces, t
}
