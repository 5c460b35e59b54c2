package board

import "komadori/core/shogi"

// Force plays a move as game records hold them, whether the rules allow it or not, and tells whether it can be shown on the board: a piece of
// the side to move goes to another square where none of its own stands, or a man from its hand is put on an empty square. A king that is
// taken is gone. When it cannot be shown p is unchanged.
//
// The position may afterwards be one that Setup.Position refuses, such as one with two pawns on a file. All methods work on it.
func (p *Position) Force(m shogi.Move) bool {
	if !m.IsNormal() {
		return false
	}
	us, to := p.turn, m.To()
	at := shogi.Piece(p.board[to&127])
	if m.IsDrop() {
		if !at.IsEmpty() || p.hands[us].Count(m.DroppedType()) == 0 {
			return false
		}
	} else {
		piece := shogi.Piece(p.board[m.From()&127])
		if piece.IsEmpty() || piece.Color() != us || !at.IsEmpty() && at.Color() == us || m.IsPromotion() && !piece.IsPromotable() {
			return false
		}
		if at.Type() == shogi.King {
			p.put(at, to)
			p.board[to&127] = uint8(shogi.NoPiece)
			p.kings[us^1] = shogi.NoSquare
		}
	}
	if us == shogi.Black {
		do[black, white](p, m)
	} else {
		do[white, black](p, m)
	}
	return true
}
