package notation

import (
	"strconv"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/shogi"
)

// A Text is a way to write a setup down. Numbers are part of the C interface.
type Text int32

const (
	TextSFEN           Text = 1 // board, side to move, hands, ply
	TextCSA            Text = 2 // lines P1 to P9, P+ and P-, + or -; no ply
	TextBOD            Text = 3 // the diagram of KIF files (盤面図)
	TextPlain          Text = 4 // for people to look at
	TextSFENWithoutPly Text = 5
)

// FormatSetup writes a setup down, without a line end after the last line. Anything that a diagram can show can be written, whatever rules it
// breaks, and ParseSetup reads it back (without the ply where the text has none); what no diagram can show is fault.InvalidPosition, see
// Setup.CheckDiagram, and an unknown text fault.InvalidValue.
func FormatSetup(s *board.Setup, text Text) (string, error) {
	if text < TextSFEN || text > TextSFENWithoutPly {
		return "", fault.New(fault.InvalidValue, "notation.FormatSetup", "text %d, want 1..5", int32(text))
	}
	if err := s.CheckDiagram(); err != nil {
		return "", err
	}
	var dst []byte
	switch text {
	case TextSFEN:
		dst = AppendSFEN(nil, s)
	case TextSFENWithoutPly:
		dst = appendSFENWithoutPly(nil, s)
	case TextCSA:
		dst = appendCSABoard(nil, s)
	case TextBOD:
		dst = appendBOD(nil, s)
	case TextPlain:
		dst = appendPlain(nil, s)
	}
	return string(dst), nil
}

// ParseSetup reads a setup. Unlike ParseSFEN it takes more men than exist, as far as a hand has room for them; Setup.Problems names them. docs/formats.md
// says what is read beyond what FormatSetup writes. fault.Parse with the offset, fault.InvalidValue for an unknown text.
func ParseSetup(source string, text Text) (board.Setup, error) {
	switch text {
	case TextSFEN, TextSFENWithoutPly:
		var room [mostFields]field
		var m board.Men
		if err := parseStart(split(room[:0], source, mostFields), len(source), anyMen, &m); err != nil {
			return board.Setup{}, err
		}
		return m.Setup(), nil
	case TextCSA:
		return parseCSABoard(source)
	case TextBOD:
		return parseDiagram(source, false)
	case TextPlain:
		return parseDiagram(source, true)
	}
	return board.Setup{}, fault.New(fault.InvalidValue, "notation.ParseSetup", "text %d, want 1..5", int32(text))
}

// lines cuts a text into its lines and knows where they are. A byte order mark before the first and carriage returns and blanks after each are left out.
type lines struct {
	op     string
	text   string
	next   int // where the rest begins
	at     int // where the line begins
	number int // of the line, from 1
}

func newLines(op, text string) *lines {
	l := &lines{op: op, text: text}
	if len(text) >= 3 && text[:3] == "\ufeff" {
		l.next = 3
	}
	return l
}

// read gives the next line.
func (l *lines) read() (line string, ok bool) {
	if l.next >= len(l.text) {
		return "", false
	}
	l.at = l.next
	end := l.at
	for end < len(l.text) && l.text[end] != '\n' {
		end++
	}
	l.next = end + 1
	l.number++
	for end > l.at && (isBlank(l.text[end-1]) || l.text[end-1] == '\r') {
		end--
	}
	return l.text[l.at:end], true
}

// fail is the error of the line read last, at a place in it.
func (l *lines) fail(offset int, format string, args ...any) error {
	e := fault.New(fault.Parse, l.op, format, args...).At(l.at + offset)
	e.Detail = "line " + strconv.Itoa(l.number) + ": " + e.Detail
	return e
}

// end is the error of a text that has come to its end too soon.
func (l *lines) end(format string, args ...any) error {
	return fault.New(fault.Parse, l.op, format, args...).At(len(l.text))
}

// addToHand puts n more men into a hand and tells whether there was room.
func addToHand(s *board.Setup, c shogi.Color, t shogi.PieceType, n int) bool {
	return s.SetHand(c, t, s.Hands[c].Count(t)+n) == nil
}
