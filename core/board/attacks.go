package board

import (
	"komadori/core/bitboard"
	"komadori/core/shogi"
)

// AttacksBy is the set of squares that the piece on a square attacks, own pieces on them included; none for an empty square.
func (p *Position) AttacksBy(sq shogi.Square) bitboard.Bitboard {
	if !sq.IsOnBoard() {
		return bitboard.Bitboard{}
	}
	return bitboard.Attacks(p.PieceAt(sq), sq, p.Occupied())
}

// AttackedBy is the set of squares that any of c's pieces attacks, own pieces on them included.
func (p *Position) AttackedBy(c shogi.Color) bitboard.Bitboard {
	occupied := p.Occupied()
	var out bitboard.Bitboard
	for s := p.sets[c&1][allPieces]; !s.IsEmpty(); {
		sq := s.Pop()
		out = out.Or(bitboard.Attacks(shogi.Piece(p.board[sq&127]), sq, occupied))
	}
	return out
}

// Discoverers is the set of the mover's pieces that alone stand between one of its sliders and the enemy king: leaving the line gives check.
func (p *Position) Discoverers() bitboard.Bitboard {
	return p.Blockers(p.turn.Opposite()).And(p.sets[p.turn&1][allPieces])
}

// CheckSquares is the set of squares on which a piece of a kind of the side to move attacks the enemy king, pieces standing as they
// do: where a drop, or a move that does not vacate a line, gives check. None for a king, and without an enemy king.
func (p *Position) CheckSquares(t shogi.PieceType) bitboard.Bitboard {
	king := p.kings[p.turn&1^1]
	if t == shogi.King || king == shogi.NoSquare {
		return bitboard.Bitboard{}
	}
	// A piece of the enemy's on the king's square attacks exactly the squares from which ours would attack it.
	return bitboard.Attacks(shogi.MakePiece(p.turn.Opposite(), t), king, p.Occupied())
}

// An AttackCounts says by square how many pieces of a kind attack it; index 0 of the kinds is all of them together.
type AttackCounts [shogi.ColorCount][shogi.Dragon + 1][shogi.SquareCount]uint8

// CountAttacks counts by color, kind and square the pieces that attack the square, own pieces on it included.
//
// With xray, a slider also counts where own pieces stand in its way that all attack the square along the same line: those that can
// take there one after the other, a lance behind a pawn on the square before the pawn.
func (p *Position) CountAttacks(xray bool, out *AttackCounts) {
	*out = AttackCounts{}
	p.eachAttack(xray, func(c, kind int, attacked bitboard.Bitboard) {
		all, one := &out[c&1][0], &out[c&1][kind]
		for !attacked.IsEmpty() {
			sq := attacked.Pop()
			all[sq]++
			one[sq]++
		}
	})
}

// CountAttacksBySide is CountAttacks without the kinds.
func (p *Position) CountAttacksBySide(xray bool, out *[shogi.ColorCount][shogi.SquareCount]uint8) {
	*out = [shogi.ColorCount][shogi.SquareCount]uint8{}
	p.eachAttack(xray, func(c, _ int, attacked bitboard.Bitboard) {
		all := &out[c&1]
		for !attacked.IsEmpty() {
			all[attacked.Pop()]++
		}
	})
}

// Mobility counts by square the squares that the piece there attacks and that hold no piece of its own side; 0 for empty squares.
// Pins and checks play no part.
func (p *Position) Mobility(out *[shogi.SquareCount]uint8) {
	*out = [shogi.SquareCount]uint8{}
	occupied := p.Occupied()
	for s := occupied; !s.IsEmpty(); {
		sq := s.Pop()
		piece := shogi.Piece(p.board[sq&127])
		out[sq] = uint8(bitboard.Attacks(piece, sq, occupied).AndNot(p.sets[piece.Color()&1][allPieces]).Count())
	}
}

func (p *Position) eachAttack(xray bool, visit func(c, kind int, attacked bitboard.Bitboard)) {
	occupied := p.Occupied()
	for s := occupied; !s.IsEmpty(); {
		sq := s.Pop()
		piece := shogi.Piece(p.board[sq&127])
		attacked := bitboard.Attacks(piece, sq, occupied)
		if xray {
			attacked = attacked.Or(p.xray(piece, sq, occupied))
		}
		visit(int(piece.Color()), int(piece.Type()), attacked)
	}
}

// slide is the part of a piece's attack that may be cut off by other pieces.
func slide(piece shogi.Piece, sq shogi.Square, occupied bitboard.Bitboard) bitboard.Bitboard {
	switch piece.Type() {
	case shogi.Lance:
		return bitboard.Lance(piece.Color(), sq, occupied)
	case shogi.Bishop, shogi.Horse:
		return bitboard.Bishop(sq, occupied)
	case shogi.Rook, shogi.Dragon:
		return bitboard.Rook(sq, occupied)
	}
	return bitboard.Bitboard{}
}

// xray is what a slider attacks behind own pieces that attack it along the same line.
func (p *Position) xray(piece shogi.Piece, from shogi.Square, occupied bitboard.Bitboard) (out bitboard.Bitboard) {
	own := p.sets[piece.Color()&1][allPieces]
	for ends := slide(piece, from, occupied).And(own); !ends.IsEmpty(); {
		for at := ends.Pop(); at != shogi.NoSquare; {
			// What the piece in the way attacks on the far side of itself; a step ends there, a slide may meet the next own piece.
			in := shogi.Piece(p.board[at&127])
			far := bitboard.Line(from, at).AndNot(bitboard.Between(from, at)).Clear(from)
			out = out.Or(bitboard.Attacks(in, at, occupied).And(far))
			at = slide(in, at, occupied).And(far).And(own).First()
		}
	}
	return out
}
