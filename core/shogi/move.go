package shogi

import (
	"komadori/core/fault"
	"komadori/core/internal/assert"
)

// A Move is 16 bits: to (bits 0-6), from or dropped PieceType (7-13), drop (14), promote (15).
// It has no color. Values with from == to are not moves of the game but special ones, such as MoveResign.
type Move uint16

const (
	MoveNone   Move = 0        // no move
	MoveNull   Move = 1<<7 | 1 // pass
	MoveResign Move = 2<<7 | 2
	MoveWin    Move = 3<<7 | 3 // declaration win
	MoveEnd    Move = 4<<7 | 4 // end of a game record

	MoveDrop    Move = 1 << 14
	MovePromote Move = 1 << 15
)

// NewMove is a checked board move.
func NewMove(from, to Square, promote bool) (Move, error) {
	if !from.IsOnBoard() || !to.IsOnBoard() || from == to {
		return MoveNone, fault.New(fault.InvalidValue, "shogi.NewMove", "from %d to %d, want two squares of 0..80", from, to)
	}
	return MoveUnchecked(from, to, promote), nil
}

// MoveUnchecked trusts that from and to are different squares of the board.
func MoveUnchecked(from, to Square, promote bool) Move {
	assert.That(from.IsOnBoard() && to.IsOnBoard() && from != to, "two squares")
	m := Move(from)<<7 | Move(to)
	if promote {
		m |= MovePromote
	}
	return m
}

// NewDrop is a checked drop.
func NewDrop(t PieceType, to Square) (Move, error) {
	if t < Pawn || t > Gold || !to.IsOnBoard() {
		return MoveNone, fault.New(fault.InvalidValue, "shogi.NewDrop", "drop of %v on %d, want a kind of 1..7 and a square of 0..80", t, to)
	}
	return DropUnchecked(t, to), nil
}

// DropUnchecked trusts that t is Pawn..Gold and to on the board.
func DropUnchecked(t PieceType, to Square) Move {
	assert.That(t >= Pawn && t <= Gold && to.IsOnBoard(), "kind in hand, square on board")
	return MoveDrop | Move(t)<<7 | Move(to)
}

// To is the target square. It is meaningful for normal moves.
func (m Move) To() Square { return Square(m & 127) }

// From is the origin of a board move, NoSquare for a drop.
func (m Move) From() Square {
	if m&MoveDrop != 0 {
		return NoSquare
	}
	return Square(m >> 7 & 127)
}

// IsDrop tells whether the drop bit is set.
func (m Move) IsDrop() bool { return m&MoveDrop != 0 }

// IsPromotion tells whether the promotion bit is set.
func (m Move) IsPromotion() bool { return m&MovePromote != 0 }

// DroppedType is the kind of a drop, NoPieceType for a board move.
func (m Move) DroppedType() PieceType {
	if m&MoveDrop == 0 || m>>7&127 > 7 {
		return NoPieceType
	}
	return PieceType(m >> 7 & 7)
}

// IsNormal tells whether the value can be a move of the game: squares on the board and different,
// or a kind of 1..7 dropped on a square without promotion.
func (m Move) IsNormal() bool {
	to, from := m&127, m>>7&127
	if m&MoveDrop != 0 {
		return to <= 80 && m&MovePromote == 0 && from >= 1 && from <= 7
	}
	return to <= 80 && from <= 80 && from != to
}

// IsSpecial tells whether the value is MoveNone, MoveNull, MoveResign, MoveWin or MoveEnd.
func (m Move) IsSpecial() bool { return m <= MoveEnd && m%129 == 0 }

// FlipSide turns both squares by 180 degrees. Values that are not normal stay.
func (m Move) FlipSide() Move {
	switch {
	case !m.IsNormal():
		return m
	case m.IsDrop():
		return m&^127 | Move(m.To().FlipSide())
	}
	return m&^(1<<14-1) | Move(m.From().FlipSide())<<7 | Move(m.To().FlipSide())
}

// MirrorFile mirrors the files of both squares. Values that are not normal stay.
func (m Move) MirrorFile() Move {
	switch {
	case !m.IsNormal():
		return m
	case m.IsDrop():
		return m&^127 | Move(m.To().MirrorFile())
	}
	return m&^(1<<14-1) | Move(m.From().MirrorFile())<<7 | Move(m.To().MirrorFile())
}

// Apery converts to the Apery layout. Values that are not normal are refused, special ones pass unchanged.
func (m Move) Apery() (AperyMove, error) {
	switch {
	case m.IsSpecial():
		return AperyMove(m), nil
	case !m.IsNormal():
		return 0, fault.New(fault.InvalidValue, "shogi.Move.Apery", "0x%04x is no move", uint16(m))
	case m.IsDrop():
		return AperyMove(m&127) | AperyMove(80+m>>7&127)<<7, nil
	}
	return AperyMove(m&(1<<14-1)) | AperyMove(m>>15)<<14, nil
}

// specialText names the special moves in USI-like words; 0000 is also read as the null move.
var specialText = [...]string{"none", "null", "resign", "win", "end"}

// String is the USI text: 7g7f, 8h2b+, P*5e; the word of a special move; "invalid" for other values.
func (m Move) String() string {
	var b [5]byte
	switch {
	case m.IsSpecial():
		return specialText[m/129]
	case !m.IsNormal():
		return "invalid"
	}
	return string(m.AppendUSI(b[:0]))
}

// AppendUSI appends the USI text of a normal move; other values append their word.
func (m Move) AppendUSI(dst []byte) []byte {
	if !m.IsNormal() {
		return append(dst, m.String()...)
	}
	to := m.To()
	if m.IsDrop() {
		dst = append(dst, m.DroppedType().Letter(), '*')
	} else {
		from := m.From()
		dst = append(dst, '1'+byte(from.File()), 'a'+byte(from.Rank()))
	}
	dst = append(dst, '1'+byte(to.File()), 'a'+byte(to.Rank()))
	if m.IsPromotion() {
		dst = append(dst, '+')
	}
	return dst
}

// ParseMove reads USI text: a board move, a drop with an upper-case letter, or a word that String prints
// ("none", "null", "0000", "resign", "win", "end"). Which moves are possible on a board is not asked here,
// but the two squares must differ.
func ParseMove(text string) (Move, error) {
	const op = "shogi.ParseMove"
	const want = "want USI such as 7g7f, 8h2b+ or P*5e"
	for i, word := range specialText {
		if text == word {
			return Move(i * 129), nil
		}
	}
	if text == "0000" {
		return MoveNull, nil
	}
	if len(text) != 4 && len(text) != 5 {
		return 0, fault.New(fault.Parse, op, "%q has %d bytes, %s", clip(text), len(text), want).At(0)
	}
	drop := text[1] == '*'
	var from Square
	var kind PieceType
	if drop {
		var err error
		if kind, err = PieceTypeFromLetter(text[0]); err != nil || text[0] >= 'a' || kind > Gold {
			return 0, fault.New(fault.Parse, op, "%q: %q cannot be dropped, %s", clip(text), text[0], want).At(0)
		}
	} else {
		var err error
		if from, err = ParseSquare(text[:2]); err != nil {
			return 0, fault.New(fault.Parse, op, "%q: no square at the start, %s", clip(text), want).At(0)
		}
	}
	to, err := ParseSquare(text[2:4])
	if err != nil {
		return 0, fault.New(fault.Parse, op, "%q: no square at the end, %s", clip(text), want).At(2)
	}
	if len(text) == 5 && (drop || text[4] != '+') {
		return 0, fault.New(fault.Parse, op, "%q ends in %q, %s", clip(text), text[4], want).At(4)
	}
	if drop {
		return DropUnchecked(kind, to), nil
	}
	if from == to {
		return 0, fault.New(fault.Parse, op, "%q does not move, %s", clip(text), want).At(2)
	}
	return MoveUnchecked(from, to, len(text) == 5), nil
}

// An AperyMove is 16 bits in Apery's layout: to (0-6), from 0..80 or 80 + dropped PieceType (7-13), promote (14).
type AperyMove uint16

// IsNormal tells whether the value can be a move of the game.
func (a AperyMove) IsNormal() bool {
	m, err := a.Move()
	return err == nil && m.IsNormal()
}

// Move converts to the 16-bit Move. Special values pass unchanged, malformed ones are refused.
func (a AperyMove) Move() (Move, error) {
	if m := Move(a); m.IsSpecial() {
		return m, nil
	}
	to, from := Square(a&127), a>>7&127
	promote := a&(1<<14) != 0
	bad := a&(1<<15) != 0 || to > 80 || from > 87 || (from <= 80 && Square(from) == to) || (from > 80 && promote)
	if bad {
		return 0, fault.New(fault.InvalidValue, "shogi.AperyMove.Move", "0x%04x is no move", uint16(a))
	}
	if from > 80 {
		return DropUnchecked(PieceType(from-80), to), nil
	}
	return MoveUnchecked(Square(from), to, promote), nil
}

// FlipSide turns both squares by 180 degrees. Values that are not normal stay.
func (a AperyMove) FlipSide() AperyMove { return a.through(Move.FlipSide) }

// MirrorFile mirrors the files of both squares. Values that are not normal stay.
func (a AperyMove) MirrorFile() AperyMove { return a.through(Move.MirrorFile) }

func (a AperyMove) through(f func(Move) Move) AperyMove {
	m, err := a.Move()
	if err != nil || !m.IsNormal() {
		return a
	}
	b, _ := f(m).Apery()
	return b
}

// String is the USI text of the move.
func (a AperyMove) String() string {
	m, err := a.Move()
	if err != nil {
		return "invalid"
	}
	return m.String()
}

// A Move32 is a Move with the piece as it stands after the move in bits 16-20 (1..14, 17..30; 0 = unset).
type Move32 uint32

// NewMove32 joins a move with the piece after it.
func NewMove32(m Move, after Piece) (Move32, error) {
	if !m.IsNormal() || !after.IsOnBoard() {
		return Move32(m), fault.New(fault.InvalidValue, "shogi.NewMove32", "move 0x%04x with piece %d, want a normal move and a piece of 1..14, 17..30", uint16(m), after)
	}
	return Move32(m) | Move32(after)<<16, nil
}

// Move32Unchecked trusts its arguments; special moves carry no piece.
func Move32Unchecked(m Move, after Piece) Move32 { return Move32(m) | Move32(uint8(after))<<16 }

// Move is the lower half.
func (m Move32) Move() Move { return Move(m) }

// PieceAfter is the piece that stands on the target after the move; NoPiece when unset.
func (m Move32) PieceAfter() Piece { return Piece(m >> 16 & 31) }

// HasPieceInfo tells whether the piece is set.
func (m Move32) HasPieceInfo() bool { return m>>16&31 != 0 }

// IsNormal holds for a normal move whose piece is unset or can stand on a board, with nothing above bit 20.
func (m Move32) IsNormal() bool {
	return m>>21 == 0 && m.Move().IsNormal() && (!m.HasPieceInfo() || m.PieceAfter().IsOnBoard())
}

// FlipSide turns both squares and gives the piece to the other side. Values that are not normal stay.
func (m Move32) FlipSide() Move32 {
	if !m.IsNormal() {
		return m
	}
	return Move32Unchecked(m.Move().FlipSide(), m.PieceAfter().FlipSide())
}

// MirrorFile mirrors the files of both squares. Values that are not normal stay.
func (m Move32) MirrorFile() Move32 {
	if !m.IsNormal() {
		return m
	}
	return Move32Unchecked(m.Move().MirrorFile(), m.PieceAfter())
}

// HistoryIndexCount is the size of tables indexed by HistoryIndex.
const HistoryIndexCount = 32 * SquareCount

// HistoryIndex is 81*piece + to, for tables by piece and target.
func (m Move32) HistoryIndex() int { return SquareCount*int(m.PieceAfter()) + int(m&127) }

// FromToCount is the size of tables indexed by FromToIndex.
const FromToCount = 88 * SquareCount

// FromToIndex is 81*origin + to, origins being squares 0..80 and then the seven kinds in hand.
func (m Move) FromToIndex() int {
	origin := int(m >> 7 & 127)
	if m.IsDrop() {
		origin += 80
	}
	return SquareCount*origin + int(m&127)
}

// String is the USI text of the move.
func (m Move32) String() string { return m.Move().String() }

// An AperyMove32 is an AperyMove with the PieceType before the move in bits 16-19 (0 = drop) and the captured PieceType in bits 20-23.
type AperyMove32 uint32

// NewAperyMove32 joins a move, the kind that moves (NoPieceType for a drop) and the captured kind.
func NewAperyMove32(m Move, before, captured PieceType) (AperyMove32, error) {
	a, err := m.Apery()
	bad := err != nil || !m.IsNormal() || m.IsDrop() != (before == NoPieceType) || before < 0 || before > Dragon ||
		captured < 0 || captured > Dragon || captured == King || (m.IsDrop() && captured != NoPieceType) ||
		(m.IsPromotion() && !before.IsPromotable())
	if bad {
		return 0, fault.New(fault.InvalidValue, "shogi.NewAperyMove32", "move 0x%04x, kind %d, captured %d do not fit", uint16(m), before, captured)
	}
	return AperyMove32(a) | AperyMove32(before)<<16 | AperyMove32(captured)<<20, nil
}

// Apery is the lower half.
func (a AperyMove32) Apery() AperyMove { return AperyMove(a) }

// PieceTypeBefore is the kind that moves, NoPieceType for a drop.
func (a AperyMove32) PieceTypeBefore() PieceType { return PieceType(a >> 16 & 15) }

// Captured is the captured kind or NoPieceType.
func (a AperyMove32) Captured() PieceType { return PieceType(a >> 20 & 15) }

// PieceTypeAfter is the kind on the target after the move.
func (a AperyMove32) PieceTypeAfter() PieceType {
	m, err := a.Apery().Move()
	switch {
	case err != nil || !m.IsNormal():
		return NoPieceType
	case m.IsDrop():
		return m.DroppedType()
	case m.IsPromotion():
		return a.PieceTypeBefore().Promote()
	}
	return a.PieceTypeBefore()
}

// Move32 converts to the layout with the piece after the move, which needs the side that moves.
func (a AperyMove32) Move32(turn Color) (Move32, error) {
	m, err := a.Apery().Move()
	if err != nil {
		return 0, err
	}
	if !m.IsNormal() {
		return Move32(m), nil
	}
	check, err := NewAperyMove32(m, a.PieceTypeBefore(), a.Captured())
	if err != nil || check != a {
		return 0, fault.New(fault.InvalidValue, "shogi.AperyMove32.Move32", "0x%08x does not fit together", uint32(a))
	}
	return NewMove32(m, MakePiece(turn, a.PieceTypeAfter()))
}

// FlipSide turns both squares. Values that are not normal stay.
func (a AperyMove32) FlipSide() AperyMove32 { return a&^0xFFFF | AperyMove32(a.Apery().FlipSide()) }

// MirrorFile mirrors the files of both squares. Values that are not normal stay.
func (a AperyMove32) MirrorFile() AperyMove32 {
	return a&^0xFFFF | AperyMove32(a.Apery().MirrorFile())
}

// String is the USI text of the move.
func (a AperyMove32) String() string { return a.Apery().String() }
