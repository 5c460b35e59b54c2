// Package notation reads and writes positions and games as text: SFEN and the position line of USI.
package notation

import (
	"math"
	"strconv"
	"strings"

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

// split cuts at runs of blanks and tabs. Blanks and line ends around the whole are left out.
func split(text string) (fields []field) {
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
	fields := split(text)
	if len(fields) > 0 && fields[0].text == "sfen" {
		fields = fields[1:]
	}
	if len(fields) == 1 && fields[0].text == "startpos" {
		return board.StartSetup(), nil
	}
	return parseFields(fields, len(text))
}

func parseFields(fields []field, end int) (board.Setup, error) {
	var s board.Setup
	switch {
	case len(fields) < 3:
		return s, parseError(end, "%d fields, want board, side to move, hands and ply", len(fields))
	case len(fields) > 4:
		return s, parseError(fields[4].at, "a fifth field %q", clip(fields[4].text))
	}
	if err := parseBoard(fields[0], &s); err != nil {
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
	if err := parseHands(fields[2], &s); err != nil {
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

func parseBoard(f field, s *board.Setup) error {
	var total [16]int
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
			t, err := shogi.PieceTypeFromLetter(c)
			if err != nil || c == '?' {
				return parseError(at, "%q is no piece, digit or /", c)
			}
			if promoted && !t.IsPromotable() {
				return parseError(at, "+ before %q, which does not promote", c)
			}
			if file < 0 {
				return parseError(at, "rank %d holds more than 9 squares", rank+1)
			}
			if total[t]++; total[t] > menOf(t) {
				return parseError(at, "more %v than exist", t)
			}
			if promoted {
				t = t.Promote()
			}
			color := shogi.Black
			if c >= 'a' {
				color = shogi.White
			}
			s.Board[shogi.MakeSquare(file, rank)] = shogi.MakePiece(color, t)
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

func menOf(t shogi.PieceType) int {
	if t == shogi.King {
		return 2
	}
	return shogi.HandMax[t&7]
}

func parseHands(f field, s *board.Setup) error {
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
			if i == len(f.text) {
				return parseError(f.at+i, "a count without a piece")
			}
		}
		c := f.text[i]
		t, err := shogi.PieceTypeFromLetter(c)
		if err != nil || t > shogi.Gold {
			return parseError(f.at+i, "%q cannot be in hand", c)
		}
		color := shogi.Black
		if c >= 'a' {
			color = shogi.White
		}
		if total[color][t] += n; total[0][t]+total[1][t] > menOf(t) {
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
	for r := shogi.Rank(0); r < 9; r++ {
		if r > 0 {
			dst = append(dst, '/')
		}
		empty := byte(0)
		for f := shogi.File(8); f >= 0; f-- {
			p := s.Board[shogi.MakeSquare(f, r)]
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
			dst = append(dst, p.Type().Letter()|byte(p.Color())<<5)
		}
		if empty > 0 {
			dst = append(dst, '0'+empty)
		}
	}
	dst = append(dst, ' ', s.Turn.String()[0], ' ')
	if s.Hands[0] == 0 && s.Hands[1] == 0 {
		dst = append(dst, '-')
	}
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
	dst = append(dst, ' ')
	return strconv.AppendInt(dst, int64(s.Ply), 10)
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

// ParseGame reads what follows "position" in USI, with or without that word: "startpos" or "sfen" and an SFEN (the word may be missing),
// then optionally "moves" and moves. Every move must be legal; an unreadable or illegal one is an error that names its number from 1.
// A trailing word resign, win, draw or rep_* is returned as the ending.
func ParseGame(text string) (g *board.Game, ending string, err error) {
	const op = "notation.ParseGame"
	fields := split(text)
	if len(fields) > 0 && fields[0].text == "position" {
		fields = fields[1:]
	}
	moves := len(fields)
	for i, f := range fields {
		if f.text == "moves" {
			moves = i
			break
		}
	}
	start := fields[:moves]
	if len(start) > 0 && start[0].text == "sfen" {
		start = start[1:]
	}
	var s board.Setup
	if len(start) == 1 && start[0].text == "startpos" {
		s = board.StartSetup()
	} else if s, err = parseFields(start, len(text)); err != nil {
		return nil, "", err
	}
	p, err := s.Position()
	if err != nil {
		return nil, "", err
	}
	g = board.NewGameFrom(p)
	if moves == len(fields) {
		return g, "", nil
	}
	rest := fields[moves+1:]
	for i, f := range rest {
		if i == len(rest)-1 && isEnding(f.text) {
			return g, f.text, nil
		}
		m, err := shogi.ParseMove(f.text)
		if err != nil {
			return nil, "", fault.New(fault.Parse, op, "move %d: %q, want USI such as 7g7f", i+1, clip(f.text)).At(f.at)
		}
		if m == shogi.MoveNull {
			err = g.PushNull()
		} else {
			err = g.Push(m)
		}
		if err != nil {
			return nil, "", fault.New(fault.IllegalMove, op, "move %d: %q is not legal there", i+1, clip(f.text)).At(f.at)
		}
	}
	return g, "", nil
}

func isEnding(word string) bool {
	return word == "resign" || word == "win" || word == "draw" || strings.HasPrefix(word, "rep_")
}

// FormatGame is the position line of USI: "position startpos" or "position sfen ...", and the moves when there are any.
func FormatGame(g *board.Game) string {
	dst := []byte("position ")
	if s := g.Start.Setup(); s == board.StartSetup() {
		dst = append(dst, "startpos"...)
	} else {
		dst = AppendSFEN(append(dst, "sfen "...), &s)
	}
	for i, m := range g.AppendMoves(nil) {
		if i == 0 {
			dst = append(dst, " moves"...)
		}
		dst = m.AppendUSI(append(dst, ' '))
	}
	return string(dst)
}
