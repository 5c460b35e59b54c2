package notation

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"komadori/core/board"
	"komadori/core/shogi"
)

// Diagrams: BOD (盤面図), the position in the header of KIF files (http://kakinoki.o.oo7.jp/kif_format.html), and the plain text, which
// looks much like it. One reader takes both.

// cellKinds has the kinds as diagrams write them, one character each.
var cellKinds = [16]string{"", "歩", "香", "桂", "銀", "角", "飛", "金", "玉", "と", "杏", "圭", "全", "馬", "龍", ""}

const filesLine = "  ９ ８ ７ ６ ５ ４ ３ ２ １\n"

// appendRank appends the cells of a rank between bars, and its name.
func appendRank(dst []byte, s *board.Setup, r int) []byte {
	dst = append(dst, '|')
	for sq := 72 + r; sq >= 0; sq -= 9 {
		p := s.Board[sq]
		switch {
		case p.IsEmpty():
			dst = append(dst, " ・"...)
			continue
		case p.Color() == shogi.White:
			dst = append(dst, 'v')
		default:
			dst = append(dst, ' ')
		}
		dst = append(dst, cellKinds[p.Type()]...)
	}
	dst = append(dst, '|')
	dst = append(dst, rankText[3*r:3*r+3]...)
	return append(dst, '\n')
}

// appendHand appends what a side holds, kinds in the order of SFEN, or なし.
func appendHand(dst []byte, h shogi.Hand, blank string, count func([]byte, int) []byte) []byte {
	if h.IsEmpty() {
		return append(dst, "なし"...)
	}
	first := true
	for _, t := range handOrder {
		if n := h.Count(t); n > 0 {
			if !first {
				dst = append(dst, blank...)
			}
			first = false
			dst = append(dst, cellKinds[t]...)
			if n > 1 {
				dst = count(dst, n)
			}
		}
	}
	return dst
}

// appendKanji appends a number 1..99.
func appendKanji(dst []byte, n int) []byte {
	if n >= 20 {
		dst = append(dst, rankText[3*(n/10-1):3*(n/10)]...)
	}
	if n >= 10 {
		dst = append(dst, "十"...)
	}
	if n%10 > 0 {
		dst = append(dst, rankText[3*(n%10-1):3*(n%10)]...)
	}
	return dst
}

// appendBOD writes the diagram of a KIF file: White's hand, the board, Black's hand, the number of moves before when there are any, and
// 後手番 when White is to move.
func appendBOD(dst []byte, s *board.Setup) []byte {
	const border = "+---------------------------+\n"
	dst = append(dst, "後手の持駒："...)
	dst = appendHand(dst, s.Hands[shogi.White], "　", appendKanji)
	dst = append(dst, "\n"+filesLine+border...)
	for r := range 9 {
		dst = appendRank(dst, s, r)
	}
	dst = append(dst, border+"先手の持駒："...)
	dst = appendHand(dst, s.Hands[shogi.Black], "　", appendKanji)
	if s.Ply > 1 {
		dst = append(dst, "\n手数＝"...)
		dst = strconv.AppendInt(dst, int64(s.Ply)-1, 10)
		dst = append(dst, "  まで"...)
	}
	if s.Turn == shogi.White {
		dst = append(dst, "\n後手番"...)
	}
	return dst
}

// sideMarks are the marks of Black and White in the plain text.
var sideMarks = [2]string{"☗", "☖"}

// appendPlain writes the diagram for people to look at: White's hand, the board with v before White's pieces, Black's hand, side to move and ply.
func appendPlain(dst []byte, s *board.Setup) []byte {
	number := func(dst []byte, n int) []byte { return strconv.AppendInt(dst, int64(n), 10) }
	dst = append(dst, "☖ "...)
	dst = appendHand(dst, s.Hands[shogi.White], " ", number)
	dst = append(dst, "\n"+filesLine...)
	for r := range 9 {
		dst = appendRank(dst, s, r)
	}
	dst = append(dst, "☗ "...)
	dst = appendHand(dst, s.Hands[shogi.Black], " ", number)
	dst = append(dst, '\n')
	dst = append(dst, sideMarks[s.Turn]...)
	dst = append(dst, " to move, ply "...)
	return strconv.AppendInt(dst, int64(s.Ply), 10)
}

// diagramReader reads a diagram, with or without the header of a KIF file around it.
type diagramReader struct {
	*lines
	s        board.Setup
	plain    bool // ☗ and ☖ open the lines of the plain text, not a move
	ranks    int  // read so far
	hands    [2]bool
	rest     int // who holds all remaining men, -1 for neither
	handicap board.Handicap
	named    bool // there was a handicap
	turn     bool // there was a side to move
	mover    int  // who made the last move by the line 手数＝, -1 where it does not say
}

// parseDiagram reads the lines of a diagram. Other headers of a KIF file are passed over, and reading stops where the moves begin. Without a
// diagram the header 手合割 tells the position.
func parseDiagram(text string, plain bool) (board.Setup, error) {
	r := diagramReader{lines: newLines("notation.ParseSetup", text), s: board.EmptySetup(), plain: plain, rest: -1, mover: -1}
	for {
		line, ok := r.read()
		if !ok {
			break
		}
		if !utf8.ValidString(line) {
			return board.Setup{}, r.fail(0, "%q is not UTF-8", clip(line))
		}
		moves, err := r.line(line)
		if err != nil {
			return board.Setup{}, err
		}
		if moves {
			break
		}
	}
	return r.finish()
}

// line reads one line and tells whether the moves of a record begin with it.
func (r *diagramReader) line(line string) (moves bool, err error) {
	at := wideBlanks(line)
	word := line[at:]
	word = strings.TrimRight(word, " \t　")
	if word == "" {
		return false, nil
	}
	c, _ := utf8.DecodeRuneInString(word)
	if r.plain && (c == '☗' || c == '☖') {
		return false, r.plainLine(word, at)
	}
	switch c {
	case '|', '｜':
		return false, r.rank(word, at)
	case '#', '&', '*':
		return false, nil
	case '▲', '△', '▼', '▽', '☗', '☖':
		return true, nil
	}
	if strings.HasPrefix(word, "+-") {
		return false, nil
	}
	if files, ok := fileNames(word); ok {
		if files != "987654321" {
			return false, r.fail(at, "the files are %s, want 9 to 1 from the left", files)
		}
		return false, nil
	}
	if _, ok := digitOf(c); ok || strings.HasPrefix(word, "手数-") || strings.HasPrefix(word, "まで") || strings.HasPrefix(word, "変化") {
		return true, nil
	}
	for _, sign := range []string{"手数＝", "手数="} {
		if rest, ok := strings.CutPrefix(word, sign); ok {
			return false, r.moveNumber(rest, at+len(sign))
		}
	}
	switch word {
	case "先手番", "下手番":
		r.s.Turn, r.turn = shogi.Black, true
		return false, nil
	case "後手番", "上手番":
		r.s.Turn, r.turn = shogi.White, true
		return false, nil
	}
	for _, colon := range []string{"：", ":"} {
		if key, value, ok := strings.Cut(word, colon); ok {
			return false, r.header(strings.TrimRight(key, " \t　"), value, at+len(word)-len(value))
		}
	}
	return false, r.fail(at, "%q is no line of a diagram", clip(word))
}

// header reads a line such as 先手の持駒：飛二; those that say nothing about the position are passed over.
func (r *diagramReader) header(key, value string, at int) error {
	if key == "手合割" {
		h, err := board.ParseHandicap(value)
		if err != nil {
			return r.fail(at, "%q is no handicap", clip(value))
		}
		r.handicap, r.named = h, true
		return nil
	}
	if key == "手番" {
		switch strings.Trim(value, " \t　") {
		case "先手", "下手", "先手番", "下手番":
			r.s.Turn, r.turn = shogi.Black, true
		case "後手", "上手", "後手番", "上手番":
			r.s.Turn, r.turn = shogi.White, true
		default:
			return r.fail(at, "%q, want 先手 or 後手", clip(value))
		}
		return nil
	}
	if c, ok := HandOf(key); ok {
		return r.hand(c, value, at)
	}
	return nil
}

// HandOf is the side whose hand a header of a KIF file or a diagram tells of, as 先手の持駒 does; false for other headers.
func HandOf(header string) (shogi.Color, bool) {
	const side = len("先手")
	if len(header) < side {
		return shogi.Black, false
	}
	c := shogi.Black
	switch header[:side] {
	case "先手", "下手":
	case "後手", "上手":
		c = shogi.White
	default:
		return shogi.Black, false
	}
	rest := strings.TrimPrefix(header[side:], "の")
	return c, rest == "持駒" || rest == "持ち駒"
}

// hand reads what a side holds: kinds with numbers in Chinese, wide or ASCII digits, なし or nothing, or 残り for all the men that remain.
func (r *diagramReader) hand(c shogi.Color, text string, at int) error {
	if r.hands[c] {
		return r.fail(at, "the same hand twice")
	}
	r.hands[c] = true
	// A record whose line end is lost goes on with its table of moves.
	if cut := strings.Index(text, "手数-"); cut >= 0 {
		text = text[:cut]
	}
	for i := wideBlanks(text); i < len(text); i += wideBlanks(text[i:]) {
		rest := text[i:]
		if strings.HasPrefix(rest, "なし") {
			i += len("なし")
			continue
		}
		if strings.HasPrefix(rest, "残り") {
			if r.rest >= 0 {
				return r.fail(at+i, "both sides hold all remaining men")
			}
			r.rest = int(c)
			return nil
		}
		k, size := utf8.DecodeRuneInString(rest)
		t := kindOf(k)
		if t < shogi.Pawn || t > shogi.Gold {
			return r.fail(at+i, "%q cannot be in hand", clip(rest[:size]))
		}
		n, digits := readNumber(rest[size:])
		if digits == 0 {
			n = 1
		}
		if n == 0 || !addToHand(&r.s, c, t, int(min(n, math.MaxInt16))) {
			return r.fail(at+i, "%q, want 1 to %d", clip(rest[:size+digits]), board.HandRoom(t))
		}
		i += size + digits
	}
	return nil
}

// rank reads the cells of the next rank. Blanks around them do not matter; a piece has v before it when it is White's.
func (r *diagramReader) rank(line string, at int) error {
	if r.ranks == 9 {
		return r.fail(at, "a tenth rank")
	}
	cells := reader{text: line}
	_, bar := cells.peek()
	cells.at = bar
	file := shogi.File(8)
	for {
		cells.blanks()
		c, size := cells.peek()
		cells.at += size
		if size == 0 || c == '|' || c == '｜' {
			break
		}
		start := cells.at - size
		if file < 0 {
			return r.fail(at+start, "rank %d has more than 9 squares", r.ranks+1)
		}
		sq, color := shogi.MakeSquare(file, shogi.Rank(r.ranks)), shogi.Black
		file--
		switch c {
		case '・', '･', '·', '.', '．', '*', '＊':
			continue
		case 'v', 'V', 'ｖ', 'Ｖ':
			color = shogi.White
			cells.blanks()
		case '^', '＾':
		default:
			cells.at = start
		}
		t, ok := cells.kind()
		if !ok {
			return r.fail(at+start, "%q, want a piece or ・", clip(line[start:]))
		}
		r.s.Board[sq] = shogi.MakePiece(color, t)
	}
	if file >= 0 {
		return r.fail(at+len(line), "rank %d has %d squares, want 9", r.ranks+1, 8-file)
	}
	r.ranks++
	name := cells.at
	if cells.blanks(); cells.at == len(line) {
		return nil
	}
	if n, ok := cells.digit(); !ok || n != r.ranks || cells.at != len(line) {
		return r.fail(at+name, "%q after rank %d, want its name", clip(line[name:]), r.ranks)
	}
	return nil
}

// moveNumber reads what follows 手数＝: how many moves have been made and, by its mark, whose the last was.
func (r *diagramReader) moveNumber(text string, at int) error {
	i := wideBlanks(text)
	n, digits := readNumber(text[i:])
	if digits == 0 || n >= math.MaxInt32 {
		return r.fail(at+i, "%q, want a number of moves", clip(text[i:]))
	}
	r.s.Ply = int32(n) + 1
	for _, c := range text[i+digits:] {
		switch c {
		case '▲', '▼', '☗':
			r.mover = int(shogi.Black)
		case '△', '▽', '☖':
			r.mover = int(shogi.White)
		}
	}
	return nil
}

// plainLine reads a line of the plain text that a side's mark opens: its hand, or side to move and ply.
func (r *diagramReader) plainLine(line string, at int) error {
	c := shogi.Black
	if strings.HasPrefix(line, sideMarks[shogi.White]) {
		c = shogi.White
	}
	mark := len(sideMarks[c])
	rest := line[mark:]
	if ply, ok := strings.CutPrefix(rest, " to move, ply "); ok {
		n, digits := readNumber(ply)
		if digits != len(ply) || n < 1 || n > math.MaxInt32 {
			return r.fail(at+len(line)-len(ply), "ply %q, want a number from 1", clip(ply))
		}
		r.s.Turn, r.s.Ply, r.turn = c, int32(n), true
		return nil
	}
	return r.hand(c, rest, at+mark)
}

// finish asks whether the diagram is complete, and gives the remaining men and the turn.
func (r *diagramReader) finish() (board.Setup, error) {
	none := board.Setup{}
	switch {
	case r.ranks == 0 && r.named && r.handicap != board.HandicapOther && r.hands == [2]bool{}:
		s, err := r.handicap.Setup()
		if err != nil {
			return none, err
		}
		s.Ply = r.s.Ply
		if r.turn {
			s.Turn = r.s.Turn
		}
		return s, nil
	case r.ranks == 0:
		return none, r.end("no diagram")
	case r.ranks < 9:
		return none, r.end("the diagram ends after rank %d", r.ranks)
	}
	if r.rest >= 0 {
		if err := r.s.GiveBox(shogi.Color(r.rest)); err != nil {
			return none, err
		}
	}
	if !r.turn {
		switch {
		case r.mover >= 0:
			r.s.Turn = shogi.Color(r.mover).Opposite()
		case r.handicap != board.HandicapEven && r.handicap != board.HandicapOther:
			r.s.Turn = shogi.White
		}
	}
	return r.s, nil
}

// wideBlanks counts the bytes of blanks at the start, the wide one included.
func wideBlanks(text string) int {
	return len(text) - len(strings.TrimLeft(text, " \t　"))
}

// digitOf is the value of an ASCII, wide or Chinese digit.
func digitOf(c rune) (int, bool) {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0'), true
	case c >= '０' && c <= '９':
		return int(c - '０'), true
	}
	if i := strings.IndexRune(rankText, c); i >= 0 {
		return i/3 + 1, true
	}
	return 0, false
}

// fileNames tells whether a line has nine digits and blanks alone, and gives the digits.
func fileNames(line string) (digits string, ok bool) {
	for i, c := range line {
		if wideBlanks(line[i:]) > 0 {
			continue
		}
		n, ok := digitOf(c)
		if !ok || len(digits) == 9 {
			return "", false
		}
		digits += string(rune('0' + n))
	}
	return digits, len(digits) == 9
}

// readNumber reads a number in ASCII or wide digits, or in Chinese ones up to 九十九, and returns how many bytes it takes, 0 when there is none. What
// is above math.MaxInt32 comes back as something above it.
func readNumber(text string) (n int64, size int) {
	tens, digit, kanji := -1, -1, false
	for i, c := range text {
		if c == '十' && tens < 0 && (size == 0 || kanji) {
			tens, digit, kanji = max(digit, 1), -1, true
			size = i + len("十")
			continue
		}
		d, ok := digitOf(c)
		if !ok || (kanji && digit >= 0) || (size > 0 && kanji != isKanji(c)) {
			break
		}
		if kanji = isKanji(c); kanji {
			digit = d
		} else {
			n = min(10*n+int64(d), math.MaxInt32+1)
		}
		size = i + utf8.RuneLen(c)
	}
	if kanji {
		n = int64(max(tens, 0)*10 + max(digit, 0))
	}
	return n, size
}

func isKanji(c rune) bool { return c > '０'+9 || (c > '9' && c < '０') }
