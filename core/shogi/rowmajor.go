package shogi

import "komadori/core/fault"

// A RowMajorMove is a move as row-major engines hold it, in five fields. Squares are row-major indices (7g = 56).
type RowMajorMove struct {
	From    int8 // -1 for a drop
	To      int8
	Piece   int8 // kind before the move in GBR order, the dropped kind for a drop; 0 none
	Promote bool
	Drop    bool
}

// NoRowMajorMove is no move.
var NoRowMajorMove = RowMajorMove{From: -1, To: -1}

// IsValid tells whether there is a target on the board and a piece: what such engines ask of a move. Move asks more.
func (r RowMajorMove) IsValid() bool { return r.To >= 0 && r.To < SquareCount && r.Piece != 0 }

// RowMajor converts a normal move of a piece of kind before. A drop takes its own kind, and before must be that or NoPieceType.
func (m Move) RowMajor(before PieceType) (RowMajorMove, error) {
	drop := m.IsDrop()
	if drop && before == NoPieceType {
		before = m.DroppedType()
	}
	bad := !m.IsNormal() || before < Pawn || before > Dragon || (drop && before != m.DroppedType()) || (m.IsPromotion() && !before.IsPromotable())
	if bad {
		return NoRowMajorMove, fault.New(fault.InvalidValue, "shogi.Move.RowMajor", "move 0x%04x with kind %d, want a normal move and the kind that makes it", uint16(m), before)
	}
	r := RowMajorMove{From: -1, To: int8(m.To().RowMajor()), Piece: int8(before.GBR()), Promote: m.IsPromotion(), Drop: drop}
	if !drop {
		r.From = int8(m.From().RowMajor())
	}
	return r, nil
}

// Move is the inverse of RowMajor; the kind of a board move is checked and left out.
func (r RowMajorMove) Move() (Move, error) {
	const op = "shogi.RowMajorMove.Move"
	t, err := PieceTypeFromGBR(int(r.Piece))
	if err != nil || !r.IsValid() || t == GoldLike || (r.Promote && !t.IsPromotable()) || (r.Drop && (r.Promote || r.From != -1)) {
		return MoveNone, fault.New(fault.InvalidValue, op, "%+v is no move", r)
	}
	to := SquareFromRowMajor(int(r.To))
	if r.Drop {
		return NewDrop(t, to)
	}
	return NewMove(SquareFromRowMajor(int(r.From)), to, r.Promote)
}
