// Package notation reads and writes positions, games and moves as text: SFEN and the position line of USI; the words of a move in USI, CSA, KIF, KI2
// and Western notation.
package notation

import (
	"math"
	"strconv"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/shogi"
)

const parseOp = "notation.ParseSFEN"

func parseError(offset int, format string, args ...any) error {
	return fault.New(fault.Parse, parseOp, format, args...).At(offset)
}

// field is a word of the text with its place.
type field struct {
	text string
	at   int
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// split cuts at runs of blanks and tabs and appends the fields. Blanks and line ends around the whole are left out.
func split(fields []field, text string) []field {
	end := len(text)
	for end > 0 && (isBlank(text[end-1]) || text[end-1] == '\n' || text[end-1] == '\r') {
		end--
	}
	for i := 0; i < end; {
		for i < end && isBlank(text[i]) {
			i++
		}
		start := i
		for i < end && !isBlank(text[i]) {
			i++
		}
		if start < i {
			fields = append(fields, field{text[start:i], start})
		}
	}
	return fields
}

// ParseSFEN reads board, side to move, hands and ply. Beyond the strict form it accepts a missing ply or ply 0 (read as 1), hands in any
// order with a letter twice (counts add up), runs of blanks or tabs, blanks and a line end around it, "startpos", and a leading "sfen".
// Whether the setup is a legal position is asked by Setup.Position; here only more men than exist are refused.
func ParseSFEN(text string) (board.Setup, error) {
	var room [6]field
	return parseStart(split(room[:0], text), len(text), &shogi.Men)
}

// anyMen stands in the place of shogi.Men where more men than exist are read; hands have a limit of their own.
var anyMen = func() (men [shogi.PieceTypeCount]int) {
	for t := range men {
		men[t] = 1000
	}
	return men
}()

// parseStart reads "startpos", or an SFEN with or without the word "sfen", with at most so many men of every kind.
func parseStart(fields []field, end int, men *[shogi.PieceTypeCount]int) (board.Setup, error) {
	if len(fields) == 1 && fields[0].text == "startpos" {
		return board.StartSetup(), nil
	}
	if len(fields) > 0 && fields[0].text == "sfen" {
		fields = fields[1:]
	}
	return parseFields(fields, end, men)
}

func parseFields(fields []field, end int, men *[shogi.PieceTypeCount]int) (board.Setup, error) {
	var s board.Setup
	switch {
	case len(fields) < 3:
		return s, parseError(end, "%d fields, want board, side to move, hands and ply", len(fields))
	case len(fields) > 4:
		return s, parseError(fields[4].at, "a fifth field %q", clip(fields[4].text))
	}
	if err := parseBoard(fields[0], &s, men); err != nil {
		return s, err
	}
	switch fields[1].text {
	case "b":
		s.Turn = shogi.Black
	case "w":
		s.Turn = shogi.White
	default:
		return s, parseError(fields[1].at, "side to move %q, want b or w", clip(fields[1].text))
	}
	if err := parseHands(fields[2], &s, men); err != nil {
		return s, err
	}
	s.Ply = 1
	if len(fields) == 4 {
		ply, err := parsePly(fields[3])
		if err != nil {
			return s, err
		}
		s.Ply = ply
	}
	return s, nil
}

// pieceOf has the unpromoted piece of a letter, NoPiece for other bytes; letterOf is its inverse for all pieces on a board.
var pieceOf, letterOf = func() (pieces [256]shogi.Piece, letters [32]byte) {
	for i := range letters {
		p := shogi.Piece(i)
		if !p.IsOnBoard() {
			continue
		}
		letters[i] = p.Type().Letter() | byte(p.Color())<<5
		if !p.IsPromoted() {
			pieces[letters[i]] = p
		}
	}
	return pieces, letters
}()

func parseBoard(f field, s *board.Setup, men *[shogi.PieceTypeCount]int) error {
	var total [16]uint8
	rank, file, promoted, digit := shogi.Rank(0), shogi.File(8), false, false
	for i := 0; i < len(f.text); i++ {
		c, at := f.text[i], f.at+i
		switch {
		case c == '/':
			if promoted {
				return parseError(at, "+ before the end of a rank")
			}
			if file != -1 {
				return parseError(at, "rank %d holds %d squares, want 9", rank+1, 8-file)
			}
			if rank == 8 {
				return parseError(at, "a tenth rank")
			}
			rank, file, digit = rank+1, 8, false
		case c >= '1' && c <= '9':
			if promoted {
				return parseError(at, "+ before a digit")
			}
			if digit {
				return parseError(at, "two digits in a row")
			}
			file -= shogi.File(c - '0')
			if file < -1 {
				return parseError(at, "rank %d holds %d squares, want 9", rank+1, 8-file)
			}
			digit = true
		case c == '+':
			if promoted {
				return parseError(at, "two + in a row")
			}
			promoted = true
		default:
			p := pieceOf[c]
			if p.IsEmpty() {
				return parseError(at, "%q is no piece, digit or /", c)
			}
			t := p.Type()
			if promoted && !t.IsPromotable() {
				return parseError(at, "+ before %q, which does not promote", c)
			}
			if file < 0 {
				return parseError(at, "rank %d holds more than 9 squares", rank+1)
			}
			if total[t]++; int(total[t]) > men[t] {
				return parseError(at, "more %v than exist", t)
			}
			if promoted {
				p = p.Promote()
			}
			s.Board[9*int(file)+int(rank)] = p
			file, promoted, digit = file-1, false, false
		}
	}
	if promoted {
		return parseError(f.at+len(f.text), "+ at the end of the board")
	}
	if rank != 8 || file != -1 {
		return parseError(f.at+len(f.text), "the board ends at rank %d after %d squares, want 9 ranks of 9", rank+1, 8-file)
	}
	return nil
}

func parseHands(f field, s *board.Setup, men *[shogi.PieceTypeCount]int) error {
	if f.text == "-" {
		return nil
	}
	var total [2][8]int
	for i := 0; i < len(f.text); {
		start, n := i, 1
		if f.text[i] == '0' {
			return parseError(f.at+i, "a count that starts with 0")
		}
		for i < len(f.text) && f.text[i] >= '0' && f.text[i] <= '9' && i-start < 3 {
			i++
		}
		if i > start {
			n, _ = strconv.Atoi(f.text[start:i])
			switch {
			case i == len(f.text):
				return parseError(f.at+i, "a count without a piece")
			case f.text[i] >= '0' && f.text[i] <= '9':
				return parseError(f.at+start, "a count above what exists")
			}
		}
		c := f.text[i]
		p := pieceOf[c]
		if p.IsEmpty() || p.Type() == shogi.King {
			return parseError(f.at+i, "%q cannot be in hand", c)
		}
		color, t := p.Color(), p.Type()
		if total[color][t] += n; total[0][t]+total[1][t] > men[t] || total[color][t] > board.HandRoom(t) {
			return parseError(f.at+start, "more %v than exist", t)
		}
		i++
	}
	for c := range total {
		for t := shogi.Pawn; t <= shogi.Gold; t++ {
			s.Hands[c] |= shogi.Hand(total[c][t]) << shogi.HandShift[t]
		}
	}
	return nil
}

func parsePly(f field) (int32, error) {
	for i := range len(f.text) {
		if f.text[i] < '0' || f.text[i] > '9' {
			return 0, parseError(f.at+i, "ply %q, want a decimal number", clip(f.text))
		}
	}
	n, err := strconv.ParseInt(f.text, 10, 64)
	if err != nil || n > math.MaxInt32 {
		return 0, parseError(f.at, "ply %q, want at most %d", clip(f.text), math.MaxInt32)
	}
	return int32(max(n, 1)), nil
}

// clip shortens text from outside for an error message.
func clip(text string) string {
	if len(text) > 64 {
		return text[:61] + "..."
	}
	return text
}

// handOrder is the order of kinds in an SFEN hand field.
var handOrder = [...]shogi.PieceType{shogi.Rook, shogi.Bishop, shogi.Gold, shogi.Silver, shogi.Knight, shogi.Lance, shogi.Pawn}

// AppendSFEN appends the canonical SFEN of a setup: hands Black first, each R B G S N L P, and the ply. It allocates only when dst must grow.
func AppendSFEN(dst []byte, s *board.Setup) []byte {
	dst = append(appendSFENWithoutPly(dst, s), ' ')
	return strconv.AppendInt(dst, int64(s.Ply), 10)
}

// appendSFENWithoutPly appends board, side to move and hands.
func appendSFENWithoutPly(dst []byte, s *board.Setup) []byte {
	for r := range 9 {
		if r > 0 {
			dst = append(dst, '/')
		}
		empty := byte(0)
		for sq := 72 + r; sq >= 0; sq -= 9 {
			p := s.Board[sq]
			if !p.IsOnBoard() {
				empty++
				continue
			}
			if empty > 0 {
				dst = append(dst, '0'+empty)
				empty = 0
			}
			if p.IsPromoted() {
				dst = append(dst, '+')
			}
			dst = append(dst, letterOf[p&31])
		}
		if empty > 0 {
			dst = append(dst, '0'+empty)
		}
	}
	dst = append(dst, ' ', s.Turn.String()[0], ' ')
	hands := len(dst)
	for c := shogi.Black; c <= shogi.White; c++ {
		for _, t := range handOrder {
			if n := s.Hands[c].Count(t); n > 0 {
				if n > 1 {
					dst = strconv.AppendInt(dst, int64(n), 10)
				}
				dst = append(dst, t.Letter()|byte(c)<<5)
			}
		}
	}
	if len(dst) == hands {
		dst = append(dst, '-')
	}
	return dst
}

// FormatSFEN is the canonical SFEN of a position.
func FormatSFEN(p *board.Position) string {
	s := p.Setup()
	return string(AppendSFEN(nil, &s))
}

// ParsePosition is ParseSFEN and Setup.Position in one.
func ParsePosition(text string) (board.Position, error) {
	s, err := ParseSFEN(text)
	if err != nil {
		return board.Position{}, err
	}
	return s.Position()
}
