// Package notation reads and writes positions, games and moves as text: SFEN and the position line of USI; the words of a move in USI, CSA, KIF, KI2
// and Western notation.
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

// split cuts at runs of blanks and tabs and appends the fields, at most so many: the rest of the text is not looked at. Blanks and line ends around
// the whole are left out.
func split(fields []field, text string, most int) []field {
	end := len(text)
	for end > 0 && (isBlank(text[end-1]) || text[end-1] == '\n' || text[end-1] == '\r') {
		end--
	}
	tabs := strings.IndexByte(text, '\t') >= 0
	for i := 0; i < end && len(fields) < most; {
		if isBlank(text[i]) {
			i++
			continue
		}
		start := i
		if n := strings.IndexByte(text[i:end], ' '); n >= 0 && !tabs {
			i += n
		} else if !tabs {
			i = end
		}
		for i < end && !isBlank(text[i]) {
			i++
		}
		fields = append(fields, field{text[start:i], start})
	}
	return fields
}

// ParseSFEN reads board, side to move, hands and ply. Beyond the strict form it accepts a missing ply or ply 0 (read as 1), hands in any
// order with a letter twice (counts add up), runs of blanks or tabs, blanks and a line end around it, "startpos", and a leading "sfen".
// Whether the setup is a legal position is asked by Setup.Position; here only more men than exist are refused.
func ParseSFEN(text string) (board.Setup, error) {
	var m board.Men
	if err := ParseMen(text, &m); err != nil {
		return board.Setup{}, err
	}
	return m.Setup(), nil
}

// ParseMen is ParseSFEN into a list of men, the fastest way to a Position. On an error m has no meaning. It does not allocate on success.
func ParseMen(text string, m *board.Men) error {
	var room [mostFields]field
	return parseStart(split(room[:0], text, mostFields), len(text), fullSet, m)
}

// ParsePosition is ParseMen and Position.LoadMen in one.
func ParsePosition(text string) (board.Position, error) {
	var m board.Men
	err := ParseMen(text, &m)
	if err != nil {
		return board.Position{}, err
	}
	var p board.Position
	if err = p.LoadMen(&m); err != nil {
		return board.Position{}, err
	}
	return p, nil
}

// mostFields is one more than there are: "sfen", board, side to move, hands, ply, and what is too much.
const mostFields = 6

// parseStart reads "startpos", or an SFEN with or without the word "sfen", with at most so many men of every kind on the board, and again in hand.
func parseStart(fields []field, end int, most uint64, m *board.Men) error {
	if len(fields) == 1 && fields[0].text == "startpos" {
		*m = startMen
		return nil
	}
	if len(fields) > 0 && fields[0].text == "sfen" {
		fields = fields[1:]
	}
	return parseFields(fields, end, most, m)
}

// startMen is the even game.
var startMen = func() (m board.Men) {
	for sq, p := range board.StartSetup().Board {
		if !p.IsEmpty() {
			m.Squares[m.Count], m.Pieces[m.Count] = shogi.Square(sq), p
			m.Count++
		}
	}
	m.Ply = 1
	return m
}()

func parseFields(fields []field, end int, most uint64, m *board.Men) error {
	switch {
	case len(fields) < 3:
		return parseError(end, "%d of 4 fields, want board, side to move, hands and ply", len(fields))
	case len(fields) > 4:
		return parseError(fields[4].at, "a fifth field %q", clip(fields[4].text))
	}
	if err := parseBoard(fields[0], most, m); err != nil {
		return err
	}
	switch fields[1].text {
	case "b":
		m.Turn = shogi.Black
	case "w":
		m.Turn = shogi.White
	default:
		return parseError(fields[1].at, "side to move %q, want b or w", clip(fields[1].text))
	}
	if err := parseHands(fields[2], most, m); err != nil {
		return err
	}
	m.Ply = 1
	if len(fields) == 4 {
		return parsePly(fields[3], m)
	}
	return nil
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

// Numbers of men, a byte for each kind by PieceType & 7: those of a full set, and more than a diagram has room for.
const (
	fullSet uint64 = 2 | 18<<8 | 4<<16 | 4<<24 | 4<<32 | 2<<40 | 2<<48 | 4<<56
	anyMen  uint64 = 0x7F7F7F7F7F7F7F7F
)

// noneLacks is or-ed to such numbers: a byte's upper bit goes when more is taken from it than there is.
const noneLacks uint64 = 0x8080808080808080

func parseBoard(f field, most uint64, m *board.Men) error {
	text, left, n := f.text, most|noneLacks, 0
	rank, sq := 0, 72 // below 0 when its rank is full
	promoted, digit := false, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		p := pieceOf[c]
		if p.IsEmpty() {
			switch {
			case promoted && c == '+':
				return parseError(f.at+i, "two + in a row")
			case promoted && c == '/':
				return parseError(f.at+i, "+ before the end of a rank")
			case promoted && c >= '1' && c <= '9':
				return parseError(f.at+i, "+ before a digit")
			case c == '+':
				promoted = true
			case c == '/':
				if sq >= 0 {
					return parseError(f.at+i, "rank %d holds %d squares, want 9", rank+1, 8-(sq-rank)/9)
				}
				if rank == 8 {
					return parseError(f.at+i, "a tenth rank")
				}
				rank, digit = rank+1, false
				sq = 72 + rank
			case c >= '1' && c <= '9':
				if digit {
					return parseError(f.at+i, "two digits in a row")
				}
				if sq -= 9 * int(c-'0'); sq < rank-9 {
					return parseError(f.at+i, "rank %d holds %d squares, want 9", rank+1, 8-(sq-rank)/9)
				}
				digit = true
			default:
				return parseError(f.at+i, "%q is no piece, digit or /", c)
			}
			continue
		}
		kind := uint(p & 7) // of an unpromoted piece; 0 for the king
		if promoted {
			if !p.Type().IsPromotable() {
				return parseError(f.at+i, "+ before %q, which does not promote", c)
			}
			p += shogi.PromoteOffset
			promoted = false
		}
		if sq < 0 {
			return parseError(f.at+i, "rank %d holds more than 9 squares", rank+1)
		}
		left -= 1 << (8 * kind)
		if left&noneLacks != noneLacks || n >= len(m.Squares) {
			return parseError(f.at+i, "more %v than exist", p.Type().Demote())
		}
		m.Squares[n], m.Pieces[n] = shogi.Square(sq), p
		n++
		sq, digit = sq-9, false
	}
	if promoted {
		return parseError(f.at+len(text), "+ at the end of the board")
	}
	if rank != 8 || sq >= 0 {
		return parseError(f.at+len(text), "the board ends at rank %d after %d squares, want 9 ranks of 9", rank+1, 8-(sq-rank)/9)
	}
	m.Count = n
	return nil
}

func parseHands(f field, most uint64, m *board.Men) error {
	m.Hands = [2]shogi.Hand{}
	if f.text == "-" {
		return nil
	}
	left := most
	for i := 0; i < len(f.text); i++ {
		start, n := i, 0
		for ; i < len(f.text) && f.text[i] >= '0' && f.text[i] <= '9'; i++ {
			if n = 10*n + int(f.text[i]-'0'); n == 0 {
				return parseError(f.at+start, "a count that starts with 0")
			}
			n = min(n, 99) // above what exists
		}
		if i == len(f.text) {
			return parseError(f.at+i, "a count without a piece")
		}
		c := f.text[i]
		p := pieceOf[c]
		if p.IsEmpty() || p.Type() == shogi.King {
			return parseError(f.at+i, "%q cannot be in hand", c)
		}
		if i == start {
			n = 1
		}
		kind, hand := p.Type(), &m.Hands[p.Color()]
		if uint64(n) > left>>(8*uint(kind))&127 || hand.Count(kind)+n > board.HandRoom(kind) {
			return parseError(f.at+start, "more %v than exist", kind)
		}
		left -= uint64(n) << (8 * uint(kind))
		*hand += shogi.Hand(n) << (shogi.HandShift[kind] & 31)
	}
	return nil
}

func parsePly(f field, m *board.Men) error {
	n := int64(0)
	for i := range len(f.text) {
		digit := f.text[i] - '0'
		if digit > 9 {
			return parseError(f.at+i, "ply %q, want a decimal number", clip(f.text))
		}
		n = min(10*n+int64(digit), math.MaxInt32+1)
	}
	if n > math.MaxInt32 {
		return parseError(f.at, "ply %q, want at most %d", clip(f.text), math.MaxInt32)
	}
	m.Ply = int32(max(n, 1))
	return nil
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

// squareText is what a piece looks like on the board, with its length in the last byte.
var squareText = func() (t [32][3]byte) {
	for i := range t {
		if p := shogi.Piece(i); p.IsPromoted() && p.IsOnBoard() {
			t[i] = [3]byte{'+', letterOf[i], 2}
		} else if p.IsOnBoard() {
			t[i] = [3]byte{letterOf[i], 0, 1}
		}
	}
	return t
}()

// AppendSFEN appends the canonical SFEN of a setup: hands Black first, each R B G S N L P, and the ply. It allocates only when dst must grow.
func AppendSFEN(dst []byte, s *board.Setup) []byte {
	return appendPly(appendSFENWithoutPly(dst, s), int(s.Ply))
}

// AppendPosition is AppendSFEN of a position.
func AppendPosition(dst []byte, p *board.Position) []byte {
	hands := [2]shogi.Hand{p.Hand(shogi.Black), p.Hand(shogi.White)}
	return appendPly(appendFields(dst, (*[81]uint8)(p.Board()[:81]), hands, p.Turn()), p.Ply())
}

func appendPly(dst []byte, ply int) []byte {
	return strconv.AppendInt(append(dst, ' '), int64(ply), 10)
}

// appendSFENWithoutPly appends board, side to move and hands.
func appendSFENWithoutPly(dst []byte, s *board.Setup) []byte {
	return appendFields(dst, &s.Board, s.Hands, s.Turn)
}

// FormatSFEN is the canonical SFEN of a position.
func FormatSFEN(p *board.Position) string {
	var room [256]byte
	return string(AppendPosition(room[:0], p))
}

func appendFields[P ~int8 | ~uint8](dst []byte, pieces *[81]P, hands [2]shogi.Hand, turn shogi.Color) []byte {
	// The longest text, 81 promoted pieces and everything in hand, is shorter; the mask is for the compiler.
	var out [256]byte
	n := uint8(0)
	for rank := range 9 {
		empty := byte(0)
		for sq := 72 + rank; sq >= 0; sq -= 9 {
			text := &squareText[pieces[sq]&31]
			if text[2] == 0 {
				empty++
				continue
			}
			if empty > 0 {
				out[n] = '0' + empty
				empty = 0
				n++
			}
			out[n], out[n+1] = text[0], text[1]
			n += text[2]
		}
		if empty > 0 {
			out[n] = '0' + empty
			n++
		}
		out[n] = '/'
		n++
	}
	out[n-1], out[n], out[n+1] = ' ', "bw"[turn&1], ' '
	n += 2
	start := n
	for c, hand := range hands {
		for _, t := range handOrder {
			count := uint8(hand.Count(t))
			if count == 0 {
				continue
			}
			if count >= 10 {
				out[n] = '0' + count/10
				n++
			}
			if count > 1 {
				out[n] = '0' + count%10
				n++
			}
			out[n] = letterOf[uint8(t)|uint8(c)<<4]
			n++
		}
	}
	if n == start {
		out[n] = '-'
		n++
	}
	return append(dst, out[:n]...)
}
