package notation

import (
	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/shogi"
)

// A Ki2Notation is the words of a move in KI2, such as ▲５八金右, in 32 bits. Two values are equal exactly when they are displayed alike.
//
//	bit 0       side: 0 ▲, 1 △
//	bit 1       同
//	bits 2-8    target + 1, 0 with 同
//	bits 9-12   the kind that is shown: a PieceType 1..14, before a promotion
//	bits 13-16  0 nothing, 1 上, 2 引, 3 寄, 4 直, 5 右, 6 左, 7 右上, 8 右引, 9 左上, 10 左引, 11 打
//	bits 17-18  0 nothing, 1 成, 2 不成
//
// It says what is said, not what is done: which move it is depends on the position, and with 同 on the move before.
type Ki2Notation uint32

// A suffix is the word after the kind, in the numbers of Ki2Notation.
type suffix uint8

const (
	noSuffix   suffix = 0
	dropSuffix suffix = 11
)

var suffixMarks = [12]Marks{0, Up, Back, Sideways, Straight, Right, Left, Right | Up, Right | Back, Left | Up, Left | Back, 0}

var suffixText = [12]string{"", "上", "引", "寄", "直", "右", "左", "右上", "右引", "左上", "左引", "打"}

// suffixOf is the suffix that says some marks. 右寄 and 左寄 are said as 右 and 左, which is enough: only one piece reaches a target along its rank
// from a side, and the others on that side say 上 or 引 besides. 直 says that it goes up.
func suffixOf(m Marks) suffix {
	if m&(Right|Left) != 0 {
		m &^= Sideways
	}
	if m&Straight != 0 {
		m &^= Up
	}
	for s := suffix(1); s < dropSuffix; s++ {
		if suffixMarks[s] == m {
			return s
		}
	}
	return noSuffix
}

func makeKi2(c shogi.Color, same bool, to shogi.Square, kind shogi.PieceType, s suffix, promotion Promotion) Ki2Notation {
	k := Ki2Notation(c&1) | Ki2Notation(kind&15)<<9 | Ki2Notation(s&15)<<13 | Ki2Notation(promotion&3)<<17
	if same {
		return k | 2
	}
	return k | Ki2Notation(to+1)<<2
}

// NewKi2Notation checks a raw value. Beyond the ranges of its fields it refuses what no move could be: a drop of what cannot be in hand, to the
// square of the move before, or with a word about promotion; such a word with a kind that does not promote. fault.InvalidValue.
func NewKi2Notation(raw uint32) (Ki2Notation, error) {
	k := Ki2Notation(raw)
	if !k.isValid() {
		return 0, fault.New(fault.InvalidValue, "notation.NewKi2Notation", "0x%x: side %d, same %d, target %d, kind %d, suffix %d, promotion %d, rest %d fit no move",
			raw, k&1, k>>1&1, k>>2&127, k.Kind(), k.suffix(), k.Promotion(), k>>19)
	}
	return k, nil
}

func (k Ki2Notation) isValid() bool {
	to, kind, s, promotion := k>>2&127, k.Kind(), k.suffix(), k.Promotion()
	return k>>19 == 0 && k.IsSame() == (to == 0) && to <= 81 && kind != shogi.NoPieceType && kind != shogi.GoldLike &&
		s <= dropSuffix && promotion <= Declines && (promotion == Unsaid || (kind.IsPromotable() && s != dropSuffix)) &&
		(s != dropSuffix || (!k.IsSame() && kind <= shogi.Gold))
}

// ParseKi2Notation reads text such as ▲５八金右, with the mark of the side and all spellings of KI2. fault.Parse with the offset.
func ParseKi2Notation(text string) (Ki2Notation, error) {
	const op = "notation.ParseKi2Notation"
	w, err := ParseWords(text, KI2)
	switch {
	case err != nil:
		return 0, err
	case !w.HasColor:
		return 0, fault.New(fault.Parse, op, "%q: no mark of the side, want ▲ or △", clip(text)).At(0)
	case w.From.IsOnBoard():
		return 0, fault.New(fault.Parse, op, "%q names an origin", clip(text)).At(0)
	case w.Same && w.To.IsOnBoard():
		return 0, fault.New(fault.Parse, op, "%q names the target twice", clip(text)).At(0)
	}
	s := suffixOf(w.Marks)
	if w.Drop {
		s = dropSuffix
	}
	k, err := NewKi2Notation(uint32(makeKi2(w.Color, w.Same, w.To, w.Kind, s, w.Promotion)))
	if err != nil {
		return 0, fault.New(fault.Parse, op, "%q says what no move could be", clip(text)).At(0)
	}
	return k, nil
}

// Ki2Of is the notation of a legal move; previous is the target of the move before, NoSquare when there is none. fault.IllegalMove.
func Ki2Of(p *board.Position, previous shogi.Square, m shogi.Move) (Ki2Notation, error) {
	if !p.IsLegal(m) {
		return 0, fault.New(fault.IllegalMove, "notation.Ki2Of", "%v (0x%04x) is not legal here", m, uint16(m))
	}
	return ki2Of(p, previous, m), nil
}

// ki2Of is the notation of a normal move, legal or not, whose origin holds a piece of the side to move.
func ki2Of(p *board.Position, previous shogi.Square, m shogi.Move) Ki2Notation {
	us, to := p.Turn(), m.To()
	if m.IsDrop() {
		kind, s := m.DroppedType(), noSuffix
		if c := candidatesFor(p, kind, to); !c.set.IsEmpty() {
			s = dropSuffix
		}
		return makeKi2(us, false, to, kind, s, Unsaid)
	}
	from := m.From()
	kind := p.PieceAt(from).Type()
	c := candidatesFor(p, kind, to)
	c.set = c.set.Set(from)
	return makeKi2(us, to == previous, to, kind, c.suffix(from), promotionOf(us, kind, m))
}

// promotionOf is what is said about the promotion of a board move: that it is declined only where it was possible.
func promotionOf(us shogi.Color, kind shogi.PieceType, m shogi.Move) Promotion {
	switch {
	case m.IsPromotion():
		return Promotes
	case kind.IsPromotable() && (m.From().Rank().InPromotionZone(us) || m.To().Rank().InPromotionZone(us)):
		return Declines
	}
	return Unsaid
}

// Color is the side that moves.
func (k Ki2Notation) Color() shogi.Color { return shogi.Color(k & 1) }

// IsSame tells whether it says 同.
func (k Ki2Notation) IsSame() bool { return k&2 != 0 }

// To is the target that it names, NoSquare with 同.
func (k Ki2Notation) To() shogi.Square {
	if k.IsSame() {
		return shogi.NoSquare
	}
	return shogi.Square(k>>2&127) - 1
}

// Kind is the kind that is shown, before a promotion.
func (k Ki2Notation) Kind() shogi.PieceType { return shogi.PieceType(k >> 9 & 15) }

// Marks are the words that tell the piece apart.
func (k Ki2Notation) Marks() Marks { return suffixMarks[min(k.suffix(), dropSuffix)] }

// IsDrop tells whether it says 打. A drop that needs no such word does not.
func (k Ki2Notation) IsDrop() bool { return k.suffix() == dropSuffix }

// Promotion is what is said about promotion.
func (k Ki2Notation) Promotion() Promotion { return Promotion(k >> 17 & 3) }

func (k Ki2Notation) suffix() suffix { return suffix(k >> 13 & 15) }

// String is the text, such as ▲５八金右; "invalid" for what NewKi2Notation refuses.
func (k Ki2Notation) String() string {
	var room [32]byte
	return string(k.Append(room[:0]))
}

// Append appends the text.
func (k Ki2Notation) Append(dst []byte) []byte {
	if !k.isValid() {
		return append(dst, "invalid"...)
	}
	if k.Color() == shogi.Black {
		dst = append(dst, "▲"...)
	} else {
		dst = append(dst, "△"...)
	}
	if !k.IsSame() {
		dst = appendSquare(dst, k.To())
	} else {
		dst = append(dst, "同"...)
		if k.suffix() == noSuffix && k.Promotion() == Unsaid {
			dst = append(dst, "　"...)
		}
	}
	dst = append(dst, kindText[k.Kind()]...)
	dst = append(dst, suffixText[k.suffix()]...)
	switch k.Promotion() {
	case Promotes:
		dst = append(dst, "成"...)
	case Declines:
		dst = append(dst, "不成"...)
	}
	return dst
}

// Resolve gives the one legal move that has exactly this notation; previous is the target of the move before, NoSquare when there is none.
// fault.IllegalMove when no legal move has it, fault.AmbiguousMove when several have. Words that could be read otherwise, but would not be
// written so, do not count here: ParseMove is more lenient.
func (k Ki2Notation) Resolve(p *board.Position, previous shogi.Square) (shogi.Move, error) {
	const op = "notation.Ki2Notation.Resolve"
	if _, err := NewKi2Notation(uint32(k)); err != nil {
		return shogi.MoveNone, err
	}
	to := k.To()
	if k.IsSame() {
		to = previous
	}
	found, n := shogi.MoveNone, 0
	if k.Color() == p.Turn() && to.IsOnBoard() {
		fits := func(m shogi.Move) {
			if p.IsLegal(m) && ki2Of(p, previous, m) == k {
				found = m
				n++
			}
		}
		c := candidatesFor(p, k.Kind(), to)
		for rest := c.set; !rest.IsEmpty(); {
			fits(shogi.MoveUnchecked(rest.Pop(), to, k.Promotion() == Promotes))
		}
		if k.Kind() <= shogi.Gold {
			fits(shogi.DropUnchecked(k.Kind(), to))
		}
	}
	switch n {
	case 0:
		return shogi.MoveNone, fault.New(fault.IllegalMove, op, "no legal move is written %v", k)
	case 1:
		return found, nil
	}
	return shogi.MoveNone, fault.New(fault.AmbiguousMove, op, "%d legal moves are written %v", n, k)
}

// FlipSide is the notation of the same move on the board turned by 180 degrees with the sides exchanged: the words stay, seen by the other side.
// Invalid values stay.
func (k Ki2Notation) FlipSide() Ki2Notation {
	if !k.isValid() {
		return k
	}
	return k.withTarget(shogi.Square.FlipSide) ^ 1
}

// MirrorFile is the notation of the same move on the board with its files mirrored: right and left are exchanged.
// Invalid values stay.
func (k Ki2Notation) MirrorFile() Ki2Notation {
	if !k.isValid() {
		return k
	}
	mirrored := [16]Ki2Notation{0, 1, 2, 3, 4, 6, 5, 9, 10, 7, 8, 11}[k.suffix()]
	return k.withTarget(shogi.Square.MirrorFile)&^(15<<13) | mirrored<<13
}

func (k Ki2Notation) withTarget(f func(shogi.Square) shogi.Square) Ki2Notation {
	if k.IsSame() {
		return k
	}
	return k&^(127<<2) | Ki2Notation(f(k.To())+1)<<2
}
