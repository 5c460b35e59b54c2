package shogi

import (
	"komadori/core/fault"
	"komadori/core/internal/assert"
)

// A PieceType is a kind of piece without color, 0..15.
type PieceType int8

const (
	NoPieceType PieceType = 0
	Pawn        PieceType = 1  // 歩
	Lance       PieceType = 2  // 香
	Knight      PieceType = 3  // 桂
	Silver      PieceType = 4  // 銀
	Bishop      PieceType = 5  // 角
	Rook        PieceType = 6  // 飛
	Gold        PieceType = 7  // 金
	King        PieceType = 8  // 玉
	ProPawn     PieceType = 9  // と
	ProLance    PieceType = 10 // 成香
	ProKnight   PieceType = 11 // 成桂
	ProSilver   PieceType = 12 // 成銀
	Horse       PieceType = 13 // 馬
	Dragon      PieceType = 14 // 龍
	GoldLike    PieceType = 15 // class of all that moves like a gold; never on a board

	PieceTypeCount                = 16
	PromoteOffset                 = 8
	PieceHandZero       PieceType = Pawn // the first kind that can be in hand
	PieceHandTableSize            = 8    // array size for tables indexed by the kind in hand
	PieceUnpromotedKind           = 8    // number of unpromoted kinds, King included
)

// NewPieceType checks a raw value 0..15.
func NewPieceType(raw int) (PieceType, error) {
	if raw < 0 || raw > 15 {
		return 0, fault.New(fault.InvalidValue, "shogi.NewPieceType", "piece type %d, want 0..15", raw)
	}
	return PieceType(raw), nil
}

// IsPromotable holds for Pawn, Lance, Knight, Silver, Bishop and Rook.
func (t PieceType) IsPromotable() bool { return t >= Pawn && t <= Rook }

// IsPromoted holds for ProPawn to Dragon; not for King and GoldLike.
func (t PieceType) IsPromoted() bool { return t >= ProPawn && t <= Dragon }

// IsUnpromotable holds for every value from Gold up: gold, king, promoted pieces, GoldLike. It does not hold for NoPieceType.
func (t PieceType) IsUnpromotable() bool { return t >= Gold }

// Promote is the promoted kind, or t itself when it cannot promote.
func (t PieceType) Promote() PieceType {
	if t.IsPromotable() {
		return t + PromoteOffset
	}
	return t
}

// Demote is the unpromoted kind of a promoted one, else t itself.
func (t PieceType) Demote() PieceType {
	if t.IsPromoted() {
		return t - PromoteOffset
	}
	return t
}

// MustPromote tells whether a piece of this kind and color that arrives on a rank could never move again without promoting.
func (t PieceType) MustPromote(c Color, to Rank) bool {
	switch t {
	case Pawn, Lance:
		return to.IsLast(c)
	case Knight:
		return to.IsLastTwo(c)
	}
	return false
}

// ImpassePoints is the worth of a piece when kings have entered: 5 for bishop, rook, horse and dragon, 0 for the king, 1 for others.
func (t PieceType) ImpassePoints() int {
	switch t.Demote() {
	case Bishop, Rook:
		return 5
	case Pawn, Lance, Knight, Silver, Gold:
		return 1
	}
	return 0
}

const pieceLetters = "?PLNSBRGKPLNSBR?"

// Letter is the upper-case SFEN letter of the unpromoted kind, '?' for none.
func (t PieceType) Letter() byte { return pieceLetters[t&15] }

// PieceTypeFromLetter reads an SFEN letter of either case.
func PieceTypeFromLetter(letter byte) (PieceType, error) {
	upper := letter &^ 0x20
	for t := Pawn; t <= King; t++ {
		if pieceLetters[t] == upper {
			return t, nil
		}
	}
	return 0, fault.New(fault.Parse, "shogi.PieceTypeFromLetter", "%q, want one of PLNSBRGK", letter).At(0)
}

// String is the SFEN form in upper case, such as P or +R.
func (t PieceType) String() string {
	switch {
	case t.IsPromoted():
		return "+" + string(rune(t.Letter()))
	case t >= Pawn && t <= King:
		return string(rune(t.Letter()))
	case t == GoldLike:
		return "goldlike"
	}
	return "none"
}

// The second piece order in use, gold before bishop and rook: P1 L2 N3 S4 G5 B6 R7 K8.
var (
	toGBR   = [16]int8{0, 1, 2, 3, 4, 6, 7, 5, 8, 9, 10, 11, 12, 13, 14, 15}
	fromGBR = [16]PieceType{0, Pawn, Lance, Knight, Silver, Gold, Bishop, Rook, King, ProPawn, ProLance, ProKnight, ProSilver, Horse, Dragon, GoldLike}
)

// GBR is the number of t in the order with gold before bishop and rook.
func (t PieceType) GBR() int { return int(toGBR[t&15]) }

// PieceTypeFromGBR is the inverse of GBR.
func PieceTypeFromGBR(n int) (PieceType, error) {
	if n < 0 || n > 15 {
		return 0, fault.New(fault.InvalidValue, "shogi.PieceTypeFromGBR", "piece type %d, want 0..15", n)
	}
	return fromGBR[n], nil
}

// Men is how many men of an unpromoted kind a set has, both sides together, indexed by PieceType.
var Men = [PieceTypeCount]int{Pawn: 18, Lance: 4, Knight: 4, Silver: 4, Bishop: 2, Rook: 2, Gold: 4, King: 2}

// A Piece is a kind with its color: type + 16*color. 0 is an empty square, 16 does not exist.
type Piece int8

const (
	NoPiece    Piece = 0
	BPawn      Piece = 1
	BLance     Piece = 2
	BKnight    Piece = 3
	BSilver    Piece = 4
	BBishop    Piece = 5
	BRook      Piece = 6
	BGold      Piece = 7
	BKing      Piece = 8
	BProPawn   Piece = 9
	BProLance  Piece = 10
	BProKnight Piece = 11
	BProSilver Piece = 12
	BHorse     Piece = 13
	BDragon    Piece = 14
	BGoldLike  Piece = 15
	WPawn      Piece = 17
	WLance     Piece = 18
	WKnight    Piece = 19
	WSilver    Piece = 20
	WBishop    Piece = 21
	WRook      Piece = 22
	WGold      Piece = 23
	WKing      Piece = 24
	WProPawn   Piece = 25
	WProLance  Piece = 26
	WProKnight Piece = 27
	WProSilver Piece = 28
	WHorse     Piece = 29
	WDragon    Piece = 30
	WGoldLike  Piece = 31

	PieceCount    = 32
	PieceColorBit = 16
)

// NewPiece checks a raw value 0..15 or 17..31.
func NewPiece(raw int) (Piece, error) {
	if raw < 0 || raw > 31 || raw == 16 {
		return 0, fault.New(fault.InvalidValue, "shogi.NewPiece", "piece %d, want 0..15 or 17..31", raw)
	}
	return Piece(raw), nil
}

// PieceUnchecked trusts that raw is 0..15 or 17..31.
func PieceUnchecked(raw int) Piece {
	assert.That(raw >= 0 && raw <= 31 && raw != 16, "piece 0..15, 17..31")
	return Piece(raw)
}

// MakePiece joins a color and a kind; NoPiece for NoPieceType.
func MakePiece(c Color, t PieceType) Piece {
	if t == NoPieceType {
		return NoPiece
	}
	return Piece(t) | Piece(c)<<4
}

// Color is the owner; Black for NoPiece.
func (p Piece) Color() Color { return Color(p>>4) & 1 }

// Type is the kind.
func (p Piece) Type() PieceType { return PieceType(p & 15) }

// IsEmpty holds for NoPiece alone.
func (p Piece) IsEmpty() bool { return p == NoPiece }

// IsOnBoard holds for what can stand on a board: 1..14 and 17..30.
func (p Piece) IsOnBoard() bool { t := p & 15; return p > 0 && p < 31 && t != 0 && t != 15 }

// IsPromotable, IsPromoted, Promote and Demote act on the kind and keep the color.
func (p Piece) IsPromotable() bool { return p.Type().IsPromotable() }

// IsPromoted tells whether the kind is a promoted one.
func (p Piece) IsPromoted() bool { return p.Type().IsPromoted() }

// Promote promotes the kind and keeps the color.
func (p Piece) Promote() Piece { return p&16 | Piece(p.Type().Promote()) }

// Demote takes the promotion off and keeps the color.
func (p Piece) Demote() Piece { return p&16 | Piece(p.Type().Demote()) }

// FlipSide gives the piece to the other side; NoPiece stays.
func (p Piece) FlipSide() Piece {
	if p.IsEmpty() {
		return p
	}
	return p ^ 16
}

// Signed is the signed code of row-major boards: + Black, - White, kinds in GBR order, 0 empty.
func (p Piece) Signed() int {
	n := p.Type().GBR()
	if p.Color() == White {
		return -n
	}
	return n
}

// PieceFromSigned is the inverse of Signed for -14..14.
func PieceFromSigned(n int) (Piece, error) {
	c := Black
	if n < 0 {
		c, n = White, -n
	}
	if n > 14 || n < 0 {
		return 0, fault.New(fault.InvalidValue, "shogi.PieceFromSigned", "signed piece outside -14..14")
	}
	return MakePiece(c, fromGBR[n]), nil
}

// Flagged is the byte with separate flags: bits 0-3 unpromoted kind in GBR order, bit 4 White, bit 5 promoted; 0 empty.
func (p Piece) Flagged() uint8 {
	b := uint8(p.Type().Demote().GBR()) | uint8(p)&16
	if p.IsPromoted() {
		b |= 32
	}
	return b
}

// PieceFromFlagged is the inverse of Flagged.
func PieceFromFlagged(b uint8) (Piece, error) {
	kind := int(b & 15)
	if b == 0 {
		return NoPiece, nil
	}
	t := fromGBR[kind]
	if b > 63 || kind < 1 || kind > 8 || (b&32 != 0 && !t.IsPromotable()) {
		return 0, fault.New(fault.InvalidValue, "shogi.PieceFromFlagged", "byte 0x%02x is no piece", b)
	}
	if b&32 != 0 {
		t = t.Promote()
	}
	return MakePiece(Color(b>>4&1), t), nil
}

// String is the SFEN form: upper case for Black, lower case for White, "none" when empty.
func (p Piece) String() string {
	s := p.Type().String()
	if p.Color() == White && p.IsOnBoard() {
		b := []byte(s)
		b[len(b)-1] |= 0x20
		return string(b)
	}
	return s
}

// ParsePiece reads the SFEN form, such as P, +r or k.
func ParsePiece(text string) (Piece, error) {
	bad := fault.New(fault.Parse, "shogi.ParsePiece", "%q, want a letter of PLNSBRGK, with + before it when promoted", clip(text)).At(0)
	rest, promoted := text, false
	if len(rest) == 2 && rest[0] == '+' {
		rest, promoted = rest[1:], true
	}
	if len(rest) != 1 {
		return 0, bad
	}
	t, err := PieceTypeFromLetter(rest[0])
	if err != nil || (promoted && !t.IsPromotable()) {
		return 0, bad
	}
	if promoted {
		t = t.Promote()
	}
	if rest[0] >= 'a' {
		return MakePiece(White, t), nil
	}
	return MakePiece(Black, t), nil
}

// PieceValues has the worth of the kinds in centipawns as engines of the row-major family count them, indexed by PieceType.
var PieceValues = [16]int{0, 100, 300, 320, 450, 800, 1000, 550, 20000, 550, 550, 550, 550, 950, 1150, 0}

// Search limits of the same family, and the even game as SFEN.
const (
	MaxDepth  = 64
	MateScore = 30000
	Infinity  = 32000
	StartSFEN = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
)
