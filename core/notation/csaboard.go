package notation

import (
	"strings"

	"komadori/core/board"
	"komadori/core/shogi"
)

// The position lines of CSA records (http://www2.computer-shogi.org/protocol/record_v22.html, section 2.5).

// handOrderCSA is the order in which the lines P+ and P- have the men.
var handOrderCSA = [...]shogi.PieceType{shogi.Pawn, shogi.Lance, shogi.Knight, shogi.Silver, shogi.Gold, shogi.Bishop, shogi.Rook}

const csaSigns = "+-"

// appendCSABoard writes the nine ranks, the hands even when empty, and the side to move.
func appendCSABoard(dst []byte, s *board.Setup) []byte {
	for r := range 9 {
		dst = append(dst, 'P', '1'+byte(r))
		for sq := 72 + r; sq >= 0; sq -= 9 {
			if p := s.Board[sq]; p.IsEmpty() {
				dst = append(dst, " * "...)
			} else {
				dst = append(dst, csaSigns[p.Color()])
				dst = append(dst, csaKinds[p.Type()]...)
			}
		}
		dst = append(dst, '\n')
	}
	for c := shogi.Black; c <= shogi.White; c++ {
		dst = append(dst, 'P', csaSigns[c])
		for _, t := range handOrderCSA {
			for range s.Hands[c].Count(t) {
				dst = append(dst, '0', '0')
				dst = append(dst, csaKinds[t]...)
			}
		}
		dst = append(dst, '\n')
	}
	return append(dst, csaSigns[s.Turn])
}

// csaKind reads two letters.
func csaKind(text string) shogi.PieceType {
	for t := shogi.Pawn; t <= shogi.Dragon; t++ {
		if text == csaKinds[t] {
			return t
		}
	}
	return shogi.NoPieceType
}

// csaReader reads position lines.
type csaReader struct {
	*lines
	s       board.Setup
	ranks   [9]bool // P1 to P9 that have been
	grid    bool    // one of them has been
	initial bool    // PI has been
	single  bool    // P+ or P- has been
	rest    int     // who gets all remaining men, -1 for neither
}

// parseCSABoard reads the position lines of a CSA text. Version, names, $ lines and comments are passed over; reading stops at the side to move, or at the
// first move, ending or next game of a record that lacks it. Without any position line it is the even game.
func parseCSABoard(text string) (board.Setup, error) {
	r := csaReader{lines: newLines("notation.ParseSetup", text), s: board.EmptySetup(), rest: -1}
	known := false // a line that a CSA text can have
	for done := false; !done; {
		line, ok := r.read()
		if !ok {
			break
		}
		var err error
		switch {
		case line == "":
			continue
		case line[0] == '\'' || line[0] == 'V' || line[0] == '$' || strings.HasPrefix(line, "N+") || strings.HasPrefix(line, "N-"):
		case line == "PI" || strings.HasPrefix(line, "PI"):
			err = r.even(line)
		case strings.HasPrefix(line, "P+"):
			err = r.men(line, shogi.Black)
		case strings.HasPrefix(line, "P-"):
			err = r.men(line, shogi.White)
		case line[0] == 'P':
			err = r.rank(line)
		case line[0] == '+' || line[0] == '-':
			// The side to move, or the first move, which tells it.
			if len(line) > 1 && (len(line) < 7 || line[1] < '0' || line[1] > '9') {
				err = r.fail(1, "%q after the side to move", clip(line[1:]))
			}
			if line[0] == '-' {
				r.s.Turn = shogi.White
			}
			done = true
		case line[0] == '%' || line == "/":
			done = true
		default:
			err = r.fail(0, "%q is no line of a CSA position", clip(line))
		}
		if err != nil {
			return board.Setup{}, err
		}
		known = true
	}
	if !known {
		return board.Setup{}, r.end("nothing to read")
	}
	return r.finish()
}

// even reads PI, the even game, and the men that are taken off it: PI82HI22KA.
func (r *csaReader) even(line string) error {
	if r.initial || r.grid || r.single {
		return r.fail(0, "PI after other position lines")
	}
	r.initial = true
	turn := r.s.Turn
	r.s = board.StartSetup()
	r.s.Turn = turn
	return r.items(line, func(at int, sq shogi.Square, kind string) error {
		t := csaKind(kind)
		if !sq.IsOnBoard() || t == shogi.NoPieceType {
			return r.fail(at, "%q, want a square and the piece that is taken off it", line[at:at+4])
		}
		if r.s.Board[sq].Type() != t {
			return r.fail(at, "%s does not stand on %v in the even game", kind, sq)
		}
		r.s.Board[sq] = shogi.NoPiece
		return nil
	})
}

// men reads P+ or P-: men on squares (P+77FU), in hand (P+00KI), and all that remain (P-00AL).
func (r *csaReader) men(line string, c shogi.Color) error {
	r.single = true
	return r.items(line, func(at int, sq shogi.Square, kind string) error {
		t := csaKind(kind)
		switch {
		case kind == "AL" && sq == shogi.NoSquare:
			if r.rest >= 0 {
				return r.fail(at, "all remaining men are given away already")
			}
			r.rest = int(c)
		case t == shogi.NoPieceType:
			return r.fail(at+2, "%q is no piece", kind)
		case sq.IsOnBoard():
			if !r.s.Board[sq].IsEmpty() {
				return r.fail(at, "%v is occupied", sq)
			}
			r.s.Board[sq] = shogi.MakePiece(c, t)
		case t > shogi.Gold:
			return r.fail(at+2, "%s cannot be in hand", kind)
		case !addToHand(&r.s, c, t, 1):
			return r.fail(at, "more %s in hand than there is room for", kind)
		}
		return nil
	})
}

// items reads the groups of a square and a kind that follow the first two characters. The square 00 is NoSquare.
func (r *csaReader) items(line string, item func(at int, sq shogi.Square, kind string) error) error {
	for at := 2; at < len(line); at += 4 {
		for at < len(line) && isBlank(line[at]) {
			at++
		}
		if len(line)-at < 4 {
			return r.fail(at, "%q, want a square and a piece such as 77FU", clip(line[at:]))
		}
		f, rank := line[at]-'0', line[at+1]-'0'
		sq := shogi.NoSquare
		if f != 0 || rank != 0 {
			if sq = shogi.MakeSquare(shogi.File(f-1), shogi.Rank(rank-1)); !sq.IsOnBoard() {
				return r.fail(at, "%q is no square, want 11..99 or 00", line[at:at+2])
			}
		}
		if err := item(at, sq, line[at+2:at+4]); err != nil {
			return err
		}
	}
	return nil
}

// rank reads a line P1 to P9. Empty squares are written " * ", "*  " or with the blanks cut; a dot in their place is taken for one.
func (r *csaReader) rank(line string) error {
	if len(line) < 2 || line[1] < '1' || line[1] > '9' {
		return r.fail(0, "%q, want P1 to P9, PI, P+ or P-", clip(line))
	}
	n := int(line[1] - '1')
	if r.initial || r.single {
		return r.fail(0, "P%d after PI, P+ or P-", n+1)
	}
	if r.ranks[n] {
		return r.fail(0, "P%d twice", n+1)
	}
	r.ranks[n], r.grid = true, true
	file := shogi.File(8)
	for at := 2; at < len(line); {
		if isBlank(line[at]) || line[at] == '.' {
			at++
			continue
		}
		if file < 0 {
			return r.fail(at, "P%d has more than 9 squares", n+1)
		}
		sq := shogi.MakeSquare(file, shogi.Rank(n))
		file--
		if line[at] == '*' {
			at++
			continue
		}
		sign, kind := line[at], line[at+1:min(at+3, len(line))]
		t := csaKind(kind)
		if sign != '+' && sign != '-' || t == shogi.NoPieceType {
			return r.fail(at, "%q, want a piece such as +FU, or *", clip(line[at:min(at+3, len(line))]))
		}
		c := shogi.Black
		if sign == '-' {
			c = shogi.White
		}
		r.s.Board[sq] = shogi.MakePiece(c, t)
		at += 3
	}
	if file >= 0 {
		return r.fail(len(line), "P%d has %d squares, want 9", n+1, 8-file)
	}
	return nil
}

// finish asks whether the lines belong together, and gives the remaining men away.
func (r *csaReader) finish() (board.Setup, error) {
	for n, been := range r.ranks {
		if r.grid && !been {
			return board.Setup{}, r.end("P%d is missing", n+1)
		}
	}
	if !r.grid && !r.initial && !r.single {
		turn := r.s.Turn
		r.s = board.StartSetup()
		r.s.Turn = turn
	}
	if r.rest >= 0 {
		if err := r.s.GiveBox(shogi.Color(r.rest)); err != nil {
			return board.Setup{}, err
		}
	}
	return r.s, nil
}
