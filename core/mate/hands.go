package mate

import "komadori/core/shogi"

// What mates with some hand mates with more in it and less in the defender's; what does not mate does not with less. So a proof holds for
// all hands with what it used (証明駒), and a refutation for all that offer no more than it has answered (反証駒). Hands are the attacker's,
// and are worked on kind by kind within one word, which has a free bit above each count.

// below has all bits of the counts set in which a is less than b.
func below(a, b shogi.Hand) shogi.Hand {
	const (
		five  = shogi.Hand(1 << 5)
		two   = shogi.Hand(1<<22 | 1<<26)
		three = shogi.HandBorrow &^ (five | two)
	)
	short := ^(a | shogi.HandBorrow - b) & shogi.HandBorrow // the free bit is used up where a is short
	return short - (short&five>>5 | short&three>>3 | short&two>>2)
}

// most and least are the larger and the smaller count of every kind.
func most(a, b shogi.Hand) shogi.Hand {
	m := below(a, b)
	return a&^m | b&m
}

func least(a, b shogi.Hand) shogi.Hand {
	m := below(a, b)
	return b&^m | a&m
}

// kinds has all bits of the counts set that are not 0.
func kinds(h shogi.Hand) shogi.Hand { return below(0, h) }

// oneOf is one man of a kind in hand.
func oneOf(t shogi.PieceType) shogi.Hand { return 1 << (shogi.HandShift[t&7] & 31) }

// before leads a hand that suffices (or does not) after an attacker's move back to before it. taken is the piece that the move captures.
func before(h shogi.Hand, m shogi.Move, taken shogi.Piece) shogi.Hand {
	switch {
	case m.IsDrop():
		return h + oneOf(m.DroppedType())
	case taken != shogi.NoPiece:
		if t := taken.Type().Demote(); h.Count(t) > 0 {
			return h - oneOf(t)
		}
	}
	return h
}

// after leads a hand on to after an attacker's move.
func after(h shogi.Hand, m shogi.Move, taken shogi.Piece) shogi.Hand {
	switch {
	case m.IsDrop():
		return h - oneOf(m.DroppedType())
	case taken != shogi.NoPiece:
		return h + oneOf(taken.Type().Demote())
	}
	return h
}
