package notation

import (
	"komadori/core/board"
	"komadori/core/shogi"
)

// The Japanese words: http://kakinoki.o.oo7.jp/kif_format.html (KIF), https://www.shogi.or.jp/faq/kihuhyouki.html (KI2's words are the federation's).

// kindText has the kinds as moves write them, by PieceType.
var kindText = [16]string{"", "歩", "香", "桂", "銀", "角", "飛", "金", "玉", "と", "成香", "成桂", "成銀", "馬", "龍", ""}

const (
	fileText = "１２３４５６７８９"
	rankText = "一二三四五六七八九"
)

// appendSquare appends a target such as ７六. Each character has three bytes.
func appendSquare(dst []byte, sq shogi.Square) []byte {
	f, r := 3*int(sq.File()), 3*int(sq.Rank())
	dst = append(dst, fileText[f:f+3]...)
	return append(dst, rankText[r:r+3]...)
}

// appendKIF writes ７六歩(77), 同　銀(31), ５五角打, ２二角成(88). KIF does not say whose move it is, nor that a promotion is declined.
func appendKIF(dst []byte, p *board.Position, previous shogi.Square, m shogi.Move) []byte {
	to := m.To()
	if m.IsDrop() {
		dst = appendSquare(dst, to)
		dst = append(dst, kindText[m.DroppedType()]...)
		return append(dst, "打"...)
	}
	if to == previous {
		dst = append(dst, "同　"...)
	} else {
		dst = appendSquare(dst, to)
	}
	from := m.From()
	dst = append(dst, kindText[p.PieceAt(from).Type()]...)
	if m.IsPromotion() {
		dst = append(dst, "成"...)
	}
	return append(dst, '(', '1'+byte(from.File()), '1'+byte(from.Rank()), ')')
}

// japanese reads the words of KIF and KI2 alike, in all spellings that files have: the side, the target or 同, the kind, the words that tell
// pieces apart and those about promotion in any order, and an origin in brackets.
func (r *reader) japanese(w *Words) error {
	r.side(w)
	file, ok := r.digit()
	if ok {
		rank, ok := r.digit()
		if !ok {
			return r.failure(w.Style, "a rank 1..9")
		}
		w.To = shogi.MakeSquare(shogi.File(file-1), shogi.Rank(rank-1))
		r.blanks()
	}
	if c, n := r.peek(); c == '同' || c == '仝' {
		r.at += n
		w.Same = true
		r.blanks()
	} else if !ok {
		return r.failure(w.Style, "a file 1..9 or 同")
	}
	if w.Kind, ok = r.kind(); !ok {
		return r.failure(w.Style, "a piece")
	}
	if err := r.marks(w); err != nil {
		return err
	}
	if w.Drop {
		return nil
	}
	open, n := r.peek()
	if open != '(' && open != '（' {
		return nil
	}
	r.at += n
	origin := r.at
	file, ok = r.digit()
	rank, ok2 := r.digit()
	if !ok || !ok2 {
		return r.failure(w.Style, "an origin such as (77)")
	}
	if c, n := r.peek(); c != ')' && c != '）' {
		return r.failure(w.Style, "a bracket after the origin")
	} else {
		r.at += n
	}
	if w.From = shogi.MakeSquare(shogi.File(file-1), shogi.Rank(rank-1)); w.From == w.To {
		r.at = origin
		return r.failure(w.Style, "another origin than the target")
	}
	return r.marks(w) // some writers put 成 behind the origin
}

// digit takes a number 1..9 in ASCII, wide or Chinese digits.
func (r *reader) digit() (int, bool) {
	c, n := r.peek()
	d, ok := digitOf(c)
	if !ok || d == 0 {
		return 0, false
	}
	r.at += n
	return d, true
}

// kindOf is the kind of a character, NoPieceType for others.
func kindOf(c rune) shogi.PieceType {
	switch c {
	case '歩', '步':
		return shogi.Pawn
	case '香':
		return shogi.Lance
	case '桂':
		return shogi.Knight
	case '銀':
		return shogi.Silver
	case '角':
		return shogi.Bishop
	case '飛':
		return shogi.Rook
	case '金':
		return shogi.Gold
	case '玉', '王':
		return shogi.King
	case 'と':
		return shogi.ProPawn
	case '杏':
		return shogi.ProLance
	case '圭':
		return shogi.ProKnight
	case '全':
		return shogi.ProSilver
	case '馬':
		return shogi.Horse
	case '龍', '竜':
		return shogi.Dragon
	}
	return shogi.NoPieceType
}

// kind takes a kind of piece: one character, or 成 and the kind that is promoted.
func (r *reader) kind() (shogi.PieceType, bool) {
	start := r.at
	c, n := r.peek()
	r.at += n
	if c != '成' {
		if t := kindOf(c); t != shogi.NoPieceType {
			return t, true
		}
		r.at = start
		return shogi.NoPieceType, false
	}
	c, n = r.peek()
	if t := kindOf(c); t >= shogi.Pawn && t <= shogi.Silver {
		r.at += n
		return t.Promote(), true
	}
	r.at = start
	return shogi.NoPieceType, false
}

// marks takes the words after the kind. Each may be said once, and they must not contradict each other.
func (r *reader) marks(w *Words) error {
	for {
		start := r.at
		c, n := r.peek()
		r.at += n
		var m Marks
		promotion := Unsaid
		switch c {
		case '上', '行', '入':
			m = Up
		case '引', '下', '退':
			m = Back
		case '寄':
			m = Sideways
		case '直':
			m = Straight
		case '右':
			m = Right
		case '左':
			m = Left
		case '打':
		case '成':
			promotion = Promotes
		case '生':
			promotion = Declines
		case '不':
			if c, n = r.peek(); c != '成' {
				return r.failure(w.Style, "成 after 不")
			}
			r.at += n
			promotion = Declines
		default:
			r.at = start
			return nil
		}
		all := w.Marks | m
		motions := 0
		for _, motion := range [...]Marks{Up, Back, Sideways} {
			if all&motion != 0 {
				motions++
			}
		}
		drop := w.Drop || c == '打'
		bad := w.Marks&m != 0 || (promotion != Unsaid && w.Promotion != Unsaid) || (c == '打' && w.Drop) ||
			motions > 1 || all&(Right|Left) == Right|Left || (all&Straight != 0 && all&^(Straight|Up) != 0) ||
			(drop && (all != 0 || w.From.IsOnBoard() || promotion != Unsaid || w.Promotion != Unsaid || w.Kind > shogi.Gold))
		if bad {
			r.at = start
			return r.failure(w.Style, "words that neither repeat nor contradict the others")
		}
		w.Marks, w.Drop = all, drop
		if promotion != Unsaid {
			w.Promotion = promotion
		}
	}
}
