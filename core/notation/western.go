package notation

import (
	"komadori/core/board"
	"komadori/core/shogi"
)

// Western notation is that of George Hodges' magazine Shogi (1976), with squares as 7f; The Art of Shogi (Tony Hosking, 1996) writes them as 76
// and leaves the hyphen of a plain move out (https://en.wikipedia.org/wiki/Shogi_notation).

// appendWestern writes P-7f, Bx2b+, N*5e, +R-2h: the kind, its origin where another piece of that kind could be meant, the sort of move, the target,
// and + or = where the move may promote.
func appendWestern(dst []byte, p *board.Position, m shogi.Move) []byte {
	to := m.To()
	if m.IsDrop() {
		dst = append(dst, m.DroppedType().Letter(), '*')
		return append(dst, '1'+byte(to.File()), 'a'+byte(to.Rank()))
	}
	from := m.From()
	kind := p.PieceAt(from).Type()
	if kind.IsPromoted() {
		dst = append(dst, '+')
	}
	dst = append(dst, kind.Letter())
	if c := candidatesFor(p, kind, to); !c.set.Clear(from).IsEmpty() {
		dst = append(dst, '1'+byte(from.File()), 'a'+byte(from.Rank()))
	}
	if p.PieceAt(to).IsEmpty() {
		dst = append(dst, '-')
	} else {
		dst = append(dst, 'x')
	}
	dst = append(dst, '1'+byte(to.File()), 'a'+byte(to.Rank()))
	switch promotionOf(p.Turn(), kind, m) {
	case Promotes:
		dst = append(dst, '+')
	case Declines:
		dst = append(dst, '=')
	}
	return dst
}

// western reads what appendWestern writes, and: a mark of the side before it, ranks as digits, no hyphen, a hyphen where something is taken,
// no = where a promotion is declined, T, H and D for +P, +B and +R.
func (r *reader) western(w *Words) error {
	r.side(w)
	promoted := r.byte("+") != 0
	switch letter := r.byte("PLNSBRGKTHD"); letter {
	case 0:
		return r.failure(w.Style, "a piece such as P or +R")
	case 'T':
		w.Kind = shogi.ProPawn
	case 'H':
		w.Kind = shogi.Horse
	case 'D':
		w.Kind = shogi.Dragon
	default:
		w.Kind, _ = shogi.PieceTypeFromLetter(letter)
	}
	if promoted {
		if !w.Kind.IsPromotable() {
			r.at--
			return r.failure(w.Style, "a piece that promotes after +")
		}
		w.Kind = w.Kind.Promote()
	}
	first := r.square()
	switch sort := r.byte("-x*"); sort {
	case '*':
		if first.IsOnBoard() || w.Kind > shogi.Gold {
			r.at--
			return r.failure(w.Style, "no * after an origin or a kind that cannot be in hand")
		}
		w.Drop = true
		w.To = r.square()
	case 0:
		if w.To = r.square(); w.To.IsOnBoard() {
			w.From = first
		} else {
			w.To = first
		}
	default:
		w.Capture = sort == 'x'
		w.From, w.To = first, r.square()
	}
	if !w.To.IsOnBoard() {
		return r.failure(w.Style, "a target such as 7f or 76")
	}
	if w.From == w.To {
		r.at -= 2
		return r.failure(w.Style, "another target than the origin")
	}
	if !w.Drop && w.Kind.IsPromotable() {
		switch r.byte("+=") {
		case '+':
			w.Promotion = Promotes
		case '=':
			w.Promotion = Declines
		}
	}
	return nil
}

// square takes a square such as 7f or 76, NoSquare when there is none.
func (r *reader) square() shogi.Square {
	start := r.at
	f, rank := r.byte("123456789"), byte(0)
	if f != 0 {
		if rank = r.byte("abcdefghi"); rank != 0 {
			rank -= 'a'
		} else if rank = r.byte("123456789"); rank != 0 {
			rank -= '1'
		} else {
			f = 0
		}
	}
	if f == 0 {
		r.at = start
		return shogi.NoSquare
	}
	return shogi.MakeSquare(shogi.File(f-'1'), shogi.Rank(rank))
}
