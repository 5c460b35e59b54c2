package notation

import (
	"komadori/core/board"
	"komadori/core/shogi"
)

// csaKinds has the two letters of the kinds, by PieceType (http://www2.computer-shogi.org/protocol/record_v3.html).
var csaKinds = [16]string{"", "FU", "KY", "KE", "GI", "KA", "HI", "KI", "OU", "TO", "NY", "NK", "NG", "UM", "RY", ""}

// appendCSA writes +7776FU: the side, origin or 00, target, and the kind as it stands after the move.
func appendCSA(dst []byte, p *board.Position, m shogi.Move) []byte {
	if p.Turn() == shogi.Black {
		dst = append(dst, '+')
	} else {
		dst = append(dst, '-')
	}
	kind := m.DroppedType()
	if m.IsDrop() {
		dst = append(dst, '0', '0')
	} else {
		from := m.From()
		dst = append(dst, '1'+byte(from.File()), '1'+byte(from.Rank()))
		if kind = p.PieceAt(from).Type(); m.IsPromotion() {
			kind = kind.Promote()
		}
	}
	dst = append(dst, '1'+byte(m.To().File()), '1'+byte(m.To().Rank()))
	return append(dst, csaKinds[kind]...)
}

// csa reads +7776FU. The sign may be missing.
func (r *reader) csa(w *Words) error {
	if sign := r.byte("+-"); sign != 0 {
		w.HasColor = true
		if sign == '-' {
			w.Color = shogi.White
		}
	}
	if r.byte("0") != 0 {
		if r.byte("0") == 0 {
			return r.failure(w.Style, "an origin 11..99 or 00")
		}
		w.Drop = true
	} else if w.From = r.numbers(); !w.From.IsOnBoard() {
		return r.failure(w.Style, "an origin 11..99 or 00")
	}
	if w.To = r.numbers(); !w.To.IsOnBoard() {
		return r.failure(w.Style, "a target 11..99")
	}
	if w.To == w.From {
		r.at -= 2
		return r.failure(w.Style, "another target than the origin")
	}
	for t := shogi.Pawn; t <= shogi.Dragon; t++ {
		if len(r.text)-r.at >= 2 && r.text[r.at:r.at+2] == csaKinds[t] {
			if w.Drop && t > shogi.Gold {
				break
			}
			w.Kind = t
			r.at += 2
			return nil
		}
	}
	if w.Drop {
		return r.failure(w.Style, "a kind that can be dropped, FU to KI")
	}
	return r.failure(w.Style, "a kind such as FU")
}

// numbers takes a square in two digits, NoSquare when there is none.
func (r *reader) numbers() shogi.Square {
	start := r.at
	f, rank := r.byte("123456789"), byte(0)
	if f != 0 {
		rank = r.byte("123456789")
	}
	if rank == 0 {
		r.at = start
		return shogi.NoSquare
	}
	return shogi.MakeSquare(shogi.File(f-'1'), shogi.Rank(rank-'1'))
}
