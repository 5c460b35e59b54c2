package notation

import (
	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/shogi"
)

// A Style is a way to write one move as text.
type Style uint8

const (
	USI     Style = 1 // 7g7f, 8h2b+, B*5e
	CSA     Style = 2 // +7776FU, -0055KA
	KIF     Style = 3 // ７六歩(77), 同　銀(31), ５五角打
	KI2     Style = 4 // ▲７六歩, △同　銀, ▲５八金右
	Western Style = 5 // P-7f, Bx2b+, B*5e, G6i-5h
)

var styleNames = [...]string{USI: "USI", CSA: "CSA", KIF: "KIF", KI2: "KI2", Western: "Western"}

// NewStyle checks a raw value 1..5.
func NewStyle(raw int) (Style, error) {
	if raw < int(USI) || raw > int(Western) {
		return 0, fault.New(fault.InvalidValue, "notation.NewStyle", "style %d, want 1..5", raw)
	}
	return Style(raw), nil
}

// String is the style's name.
func (s Style) String() string {
	if s < USI || s > Western {
		return "unknown style"
	}
	return styleNames[s]
}

// Previous is the square that 同 means in the position a game has reached: where the last move went, NoSquare at the start and after a pass.
func Previous(g *board.Game) shogi.Square {
	if m := g.LastMove(); m.IsNormal() {
		return m.To()
	}
	return shogi.NoSquare
}

// FormatMove writes a legal move of the position a game has reached. Anything else is fault.IllegalMove.
//
// KIF and KI2 write 同 where the move goes to the square of the move before, which the game knows.
func FormatMove(g *board.Game, m shogi.Move, style Style) (string, error) {
	var room [32]byte
	text, err := AppendMove(room[:0], &g.Pos, Previous(g), m, style)
	return string(text), err
}

// AppendMove appends the words of a legal move; previous is the target of the move before, NoSquare when there is none. On an error
// (fault.IllegalMove, fault.InvalidValue for a style that does not exist) dst comes back as it was. It allocates only when dst must grow.
func AppendMove(dst []byte, p *board.Position, previous shogi.Square, m shogi.Move, style Style) ([]byte, error) {
	if !p.IsLegal(m) {
		return dst, fault.New(fault.IllegalMove, "notation.AppendMove", "%v (0x%04x) is not legal here", m, uint16(m))
	}
	return AppendRecordMove(dst, p, previous, m, style)
}

// AppendRecordMove is AppendMove for a move as records hold them, which may be against the rules: a normal move whose origin holds a piece of
// the side to move, or any drop. Anything else is fault.InvalidValue. The words of a move that is not legal need not lead back to it.
func AppendRecordMove(dst []byte, p *board.Position, previous shogi.Square, m shogi.Move, style Style) ([]byte, error) {
	const op = "notation.AppendRecordMove"
	if style < USI || style > Western {
		return dst, fault.New(fault.InvalidValue, op, "style %d, want 1..5", style)
	}
	if !m.IsNormal() {
		return dst, fault.New(fault.InvalidValue, op, "0x%04x (%v) is no move", uint16(m), m)
	}
	if !m.IsDrop() {
		if piece := p.PieceAt(m.From()); piece.IsEmpty() || piece.Color() != p.Turn() {
			return dst, fault.New(fault.InvalidValue, op, "%v: the side to move has no piece on %v", m, m.From())
		}
	}
	switch style {
	case CSA:
		return appendCSA(dst, p, m), nil
	case KIF:
		return appendKIF(dst, p, previous, m), nil
	case KI2:
		return ki2Of(p, previous, m).Append(dst), nil
	case Western:
		return appendWestern(dst, p, m), nil
	}
	return m.AppendUSI(dst), nil
}

// ParseMove reads the words of a move in the position a game has reached and gives the one legal move they mean. Blanks around them are left out.
//
// Text that is no move of the style is fault.Parse with its offset; words that no legal move fits are fault.IllegalMove; words that fit
// several are fault.AmbiguousMove, which also matches fault.IllegalMove. What is read beyond what is written: docs/formats.md.
func ParseMove(g *board.Game, text string, style Style) (shogi.Move, error) {
	return ParseMoveAt(&g.Pos, Previous(g), text, style)
}

// ParseMoveAt is ParseMove in a position; previous is the target of the move before, NoSquare when there is none.
func ParseMoveAt(p *board.Position, previous shogi.Square, text string, style Style) (shogi.Move, error) {
	w, err := ParseWords(text, style)
	if err != nil {
		return shogi.MoveNone, err
	}
	return w.Resolve(p, previous)
}
