package record

import (
	"strings"
	"unicode/utf8"

	"komadori/core/board"
	"komadori/core/notation"
	"komadori/core/shogi"
)

// KIF (http://kakinoki.o.oo7.jp/kif_format.html) and the parts that KI2 shares with it: headers, the diagram, comments, variations, the line まで.

// kif reads a KIF file. Several games may follow each other, each with headers of its own.
func (r *Reader) kif() error {
	for {
		more, err := r.kifGame()
		if err != nil {
			return err
		}
		if !r.give(nil) {
			return errStopped
		}
		if !more {
			return nil
		}
		r.begin()
	}
}

// kifGame reads one game and tells whether another one follows.
func (r *Reader) kifGame() (more bool, err error) {
	begin := r.next
	inMoves, place := false, 0 // place is the number of the move that comes next
	h := headers{begin: begin}
	for {
		line, ok := r.line()
		if !ok {
			break
		}
		i := blanks(line)
		if i == len(line) {
			continue
		}
		word := line[i:]
		if word[0] >= '0' && word[0] <= '9' || word[0] == 0xEF {
			if n, size := number(word); size > 0 {
				if !inMoves {
					if h.isFiles(word) {
						continue
					}
					if err := r.startOf(&h, r.at); err != nil {
						return false, err
					}
					inMoves = true
				}
				if place == 0 {
					place = 1
					if first := int(r.k.Start.Ply); n == first { // moves are numbered from the ply of the start on
						r.base = first - 1
					}
				}
				if n != place+r.base {
					if n == 1 && r.hasEnded() { // the next game, without headers
						r.next = r.at
						return true, nil
					}
					r.warn(WarnNumber, r.at+i, -1, clip(word))
				}
				if err := r.kifMove(word, r.at+i, size); err != nil {
					return false, err
				}
				place++
				continue
			}
		}
		switch {
		case word[0] == '*':
			r.note(Comment, word[1:])
			continue
		case word[0] == '#':
			if inMoves && strings.HasPrefix(word, "#KIF") { // the next game
				r.next = r.at
				return true, nil
			}
			if !isEncodingLine(word) {
				r.note(Remark, word[1:])
			}
			continue
		case word[0] == '&':
			r.note(Bookmark, word[1:])
			continue
		case strings.HasPrefix(word, "手数-"):
			if inMoves {
				return false, r.fail(r.at+i, "the table of moves begins again")
			}
			if err := r.startOf(&h, r.at); err != nil {
				return false, err
			}
			inMoves = true
			continue
		case strings.HasPrefix(word, "まで"):
			if !inMoves {
				if err := r.startOf(&h, r.at); err != nil {
					return false, err
				}
				inMoves = true
			}
			if err := r.result(word, r.at+i); err != nil {
				return false, err
			}
			continue
		case strings.HasPrefix(word, "変化"):
			if place, err = r.variationLine(word, r.at+i); err != nil {
				return false, err
			}
			continue
		}
		if inMoves {
			if r.hasEnded() && (strings.Contains(word, "：") || word[0] == '|') {
				r.next = r.at
				return true, nil
			}
			return false, r.fail(r.at+i, "%q is no line of a KIF record", clip(word))
		}
		if err := r.headerLine(&h, word, r.at+i); err != nil {
			return false, err
		}
	}
	if !inMoves {
		if err := r.startOf(&h, len(r.text)); err != nil {
			return false, err
		}
		if !h.diagram && !h.named && len(r.k.Headers) == 0 && len(r.k.Notes) == 0 {
			return false, r.fail(len(r.text), "nothing to read")
		}
	}
	return false, nil
}

// headers are what is known of a record before its moves.
type headers struct {
	begin    int // where the game begins
	diagram  bool
	named    bool // 手合割 has been
	handicap string
	at       int // where its value stands
	turnLine bool
}

// isFiles tells whether a line has nothing but the names of the files of a diagram.
func (h *headers) isFiles(word string) bool {
	n := 0
	for len(word) > 0 {
		if b := isBlankAt(word); b > 0 {
			word = word[b:]
			continue
		}
		_, size := utf8.DecodeRuneInString(word)
		if _, is := number(word[:size]); is == 0 && !strings.Contains("一二三四五六七八九", word[:size]) {
			return false
		}
		word = word[size:]
		n++
	}
	return n == 9
}

// headerLine reads a line before the moves.
func (r *Reader) headerLine(h *headers, word string, at int) error {
	switch {
	case word[0] == '|' || strings.HasPrefix(word, "｜"):
		h.diagram = true
		return nil
	case strings.HasPrefix(word, "+-") || h.isFiles(word):
		return nil
	case word == "先手番" || word == "後手番" || word == "下手番" || word == "上手番":
		h.turnLine = true
		return nil
	case strings.HasPrefix(word, "手数＝"), strings.HasPrefix(word, "手数="):
		return nil // of the diagram
	}
	key, value, ok := strings.Cut(word, "：")
	if k, v, ascii := strings.Cut(word, ":"); ascii && (!ok || len(k) < len(key)) {
		key, value, ok = k, v, true
	}
	if !ok || key == "" {
		return r.fail(at, "%q is no line of a record", clip(word))
	}
	valueAt := at + len(word) - len(value)
	key = trimRight(key)
	switch key {
	case "手合割":
		h.named, h.handicap, h.at = true, value, valueAt
	case "手番":
		return nil // of the diagram
	}
	if _, ok := notation.HandOf(key); ok {
		return nil // likewise
	}
	value = trimRight(value[blanks(value):])
	if key != "手合割" {
		r.header(key, value)
	}
	return nil
}

// startOf sets the start of the game when the headers are read, up to end.
func (r *Reader) startOf(h *headers, end int) error {
	if h.diagram {
		s, err := notation.ParseSetup(r.text[h.begin:end], notation.TextBOD)
		if err != nil {
			return r.because(h.begin, err)
		}
		return r.setStart(&s, h.begin)
	}
	if !h.named {
		return nil
	}
	handicap, err := board.ParseHandicap(h.handicap)
	if err != nil {
		return r.fail(h.at, "%q is no handicap", clip(h.handicap))
	}
	if handicap == board.HandicapEven {
		return nil
	}
	s, err := handicap.Setup()
	if err != nil {
		return r.fail(h.at, "%q without a diagram", clip(h.handicap))
	}
	return r.setStart(&s, h.begin)
}

// kifMove reads a line of the table of moves: 12 ７六歩(77) ( 0:02/00:00:02)+. The number takes the first bytes.
func (r *Reader) kifMove(line string, at, numberSize int) error {
	i := numberSize + blanks(line[numberSize:])
	if i == numberSize && i < len(line) && (line[i] == '.' || line[i] == ':') { // 1. ７六歩
		i++
		i += blanks(line[i:])
	}
	if i == len(line) {
		return r.fail(at, "a number without a move")
	}
	text := line[i:]
	if m, n := r.quickKIF(text); n > 0 {
		if timeMS, ok := quickTime(text[n:]); ok && r.pos.IsLegal(m) {
			r.add(m, timeMS)
			return nil
		}
	}
	if !beginsMove(text) {
		return r.kifEnding(text, at+i)
	}
	if err := r.open(at + i); err != nil {
		return err
	}
	w, n, err := notation.ReadWords(text, notation.KIF)
	if err != nil {
		return r.because(at+i, err)
	}
	timeMS, rest := readTime(text[n:])
	if rest != "" {
		if rest[0] != '*' && rest[0] != '#' {
			return r.fail(at+len(line)-len(rest), "%q after the move", clip(rest))
		}
	}
	if err := r.move(&w, at+i, timeMS); err != nil {
		return err
	}
	r.limitTime(timeMS, at+i+n, text[n:])
	if rest != "" {
		r.note(Comment, rest[1:])
	}
	return nil
}

// three is a character of three bytes as a number, 0 where fewer are left.
func three(text string) uint32 {
	if len(text) < 3 {
		return 0
	}
	return uint32(text[0])<<16 | uint32(text[1])<<8 | uint32(text[2])
}

// The characters of most moves, as numbers of three bytes.
const (
	wideOne  = 0xEFBC91 // １; the others follow
	promoted = 0xE68890 // 成
	dropped  = 0xE68993 // 打
	same     = 0xE5908C // 同
	wide     = 0xE38080 // the wide blank
)

// rankOf is the rank 0..8 of a Chinese digit, 9 for what is none.
func rankOf(c uint32) uint8 {
	switch c {
	case 0xE4B880:
		return 0
	case 0xE4BA8C:
		return 1
	case 0xE4B889:
		return 2
	case 0xE59B9B:
		return 3
	case 0xE4BA94:
		return 4
	case 0xE585AD:
		return 5
	case 0xE4B883:
		return 6
	case 0xE585AB:
		return 7
	case 0xE4B99D:
		return 8
	}
	return 9
}

// pieceOf is the kind of a character, NoPieceType for what is none.
func pieceOf(c uint32) shogi.PieceType {
	switch c {
	case 0xE6ADA9: // 歩
		return shogi.Pawn
	case 0xE9A699: // 香
		return shogi.Lance
	case 0xE6A182: // 桂
		return shogi.Knight
	case 0xE98A80: // 銀
		return shogi.Silver
	case 0xE8A792: // 角
		return shogi.Bishop
	case 0xE9A39B: // 飛
		return shogi.Rook
	case 0xE98791: // 金
		return shogi.Gold
	case 0xE78E89, 0xE78E8B: // 玉 王
		return shogi.King
	case 0xE381A8: // と
		return shogi.ProPawn
	case 0xE9A6AC: // 馬
		return shogi.Horse
	case 0xE9BE8D, 0xE7AB9C: // 龍 竜
		return shogi.Dragon
	}
	return shogi.NoPieceType
}

// quickKIF reads a move that is written as most are: ７六歩(77), 同　銀(31), ５五角打, ２二角成(88). n is 0 for what is not, else the bytes that it takes. The piece
// is the one that stands on the origin; whether the move is legal is not asked.
func (r *Reader) quickKIF(text string) (m shogi.Move, n int) {
	parent := &r.k.Nodes[r.cur]
	if parent.Ending != EndingNone || parent.Flags&Unplayed != 0 {
		return 0, 0
	}
	var to shogi.Square
	if c := three(text); c == same {
		if !parent.Move.IsNormal() {
			return 0, 0
		}
		to, n = parent.Move.To(), 3
		if len(text) > 6 && three(text[3:]) == wide {
			n = 6
		}
	} else {
		file := c - wideOne
		if file > 8 || len(text) < 6 {
			return 0, 0
		}
		rank := rankOf(three(text[3:]))
		if rank > 8 {
			return 0, 0
		}
		to, n = shogi.Square(9*uint8(file)+rank), 6
	}
	c := three(text[n:])
	n += 3
	kind := pieceOf(c)
	if c == promoted {
		if kind = pieceOf(three(text[n:])); kind < shogi.Pawn || kind > shogi.Silver {
			return 0, 0
		}
		kind = kind.Promote()
		n += 3
	}
	if kind == shogi.NoPieceType || n > len(text) {
		return 0, 0
	}
	c = three(text[n:])
	if c == dropped {
		if kind > shogi.Gold {
			return 0, 0
		}
		return shogi.DropUnchecked(kind, to), n + 3
	}
	promotes := c == promoted
	if promotes {
		n += 3
	}
	if len(text) < n+4 || text[n] != '(' || text[n+3] != ')' {
		return 0, 0
	}
	file, rank := text[n+1]-'1', text[n+2]-'1'
	if file > 8 || rank > 8 {
		return 0, 0
	}
	from := shogi.Square(9*file + rank)
	if from == to || r.pos.PieceAt(from).Type() != kind {
		return 0, 0
	}
	return shogi.MoveUnchecked(from, to, promotes), n + 4
}

// quickTime reads what follows a move in most files: nothing, or blanks and ( 0:02/00:00:02), with or without a +. The total is passed over.
func quickTime(text string) (ms int64, ok bool) {
	i := 0
	for i < len(text) && text[i] == ' ' {
		i++
	}
	if i == len(text) {
		return -1, true
	}
	if text[i] != '(' {
		return 0, false
	}
	var part [2]int64 // minutes, seconds
	for p := range part {
		for i++; i < len(text) && text[i] == ' '; i++ {
		}
		digits := i
		for ; i < len(text) && i < digits+6 && text[i] >= '0' && text[i] <= '9'; i++ {
			part[p] = 10*part[p] + int64(text[i]-'0')
		}
		if i == digits || i == len(text) || text[i] != ":/"[p] {
			return 0, false
		}
	}
	for i++; i < len(text) && (text[i] >= '0' && text[i] <= ':' || text[i] == ' '); i++ {
	}
	if i == len(text) || text[i] != ')' {
		return 0, false
	}
	if rest := text[i+1:]; rest != "" && rest != "+" {
		return 0, false
	}
	return (60*part[0] + part[1]) * 1000, true
}

// beginsMove tells whether text begins with a square or 同, or the mark of a side.
func beginsMove(text string) bool {
	if text[0] >= '0' && text[0] <= '9' {
		return true
	}
	c, _ := utf8.DecodeRuneInString(text)
	return c >= '０' && c <= '９' || strings.ContainsRune("一二三四五六七八九同仝▲△▼▽☗☖", c)
}

// kifEnding reads the word of an ending in the table of moves.
func (r *Reader) kifEnding(text string, at int) error {
	word := text
	timeMS := int64(-1)
	if open := strings.IndexAny(text, "(（"); open > 0 {
		if ms, rest := readTime(text[open:]); rest == "" && ms >= 0 {
			timeMS, word = ms, text[:open]
		}
	}
	word = trimRight(strings.TrimSuffix(trimRight(word), "+"))
	e, ok := kifEndings[word]
	if !ok {
		e = Other
	}
	if err := r.end(e, word, at, timeMS); err != nil {
		return err
	}
	r.limitTime(timeMS, at, text)
	return nil
}

// readTime reads ( 0:02/00:00:02) and a + after it, with any blanks; -1 where there is none, and what follows.
func readTime(text string) (ms int64, rest string) {
	ms = -1
	i := blanks(text)
	open := 0
	if strings.HasPrefix(text[i:], "(") {
		open = 1
	} else if strings.HasPrefix(text[i:], "（") {
		open = len("（")
	}
	if open > 0 {
		j := i + open
		t, size := clock(text[j:])
		if size > 0 {
			j += size
			j += blanks(text[j:])
			if strings.HasPrefix(text[j:], "/") {
				j++
				_, total := clock(text[j:])
				j += total
				j += blanks(text[j:])
			}
			if strings.HasPrefix(text[j:], ")") {
				ms, i = t, j+1
			} else if strings.HasPrefix(text[j:], "）") {
				ms, i = t, j+len("）")
			}
		}
	}
	i += blanks(text[i:])
	if i < len(text) && text[i] == '+' {
		i++
		i += blanks(text[i:])
	}
	return ms, text[i:]
}

// clock reads 0:02, 1:02:03 or 12.345 in any number of digits, as milliseconds; size 0 when there is none.
func clock(text string) (ms int64, size int) {
	i := blanks(text)
	for {
		i += blanks(text[i:])
		n, digits := number(text[i:])
		if digits == 0 {
			if size > 0 {
				return ms, size
			}
			return 0, 0
		}
		if ms = min(ms*60, 1<<50) + int64(n)*1000; n == mostNumber {
			ms = 1 << 50
		}
		i += digits
		size = i
		if i < len(text) && text[i] == '.' {
			unit := int64(100)
			for i++; i < len(text) && text[i] >= '0' && text[i] <= '9'; i++ {
				ms += unit * int64(text[i]-'0')
				unit /= 10
			}
			return ms, i
		}
		if i >= len(text) || text[i] != ':' {
			return ms, size
		}
		i++
	}
}

// variationLine reads 変化：12手, goes there, and gives the number of the move that follows.
func (r *Reader) variationLine(word string, at int) (int, error) {
	rest := word[len("変化"):]
	rest = strings.TrimPrefix(strings.TrimPrefix(rest[blanks(rest):], "："), ":")
	rest = rest[blanks(rest):]
	n, size := number(rest)
	if tail := rest[size:]; size == 0 || tail != "" && tail != "手" && tail != "手目" {
		return 0, r.fail(at, "%q, want 変化：12手", clip(word))
	}
	if n > 1<<20 {
		return 0, r.fail(at, "a variation at move %d", n)
	}
	place := n - r.base
	if err := r.variation(place, at); err != nil {
		return 0, err
	}
	return place, nil
}

// result reads まで113手で先手の勝ち. Where the line of moves has no ending of its own, this is it.
func (r *Reader) result(word string, at int) error {
	rest := word[len("まで"):]
	rest = strings.TrimPrefix(rest[blanks(rest):], "、")
	n, size := number(rest)
	if size == 0 {
		return r.fail(at, "%q, want まで12手で and what ended the game", clip(word))
	}
	rest = rest[size:]
	rest = rest[blanks(rest):]
	rest = strings.TrimPrefix(rest, "手")
	rest = strings.TrimPrefix(rest, "にて")
	rest = strings.TrimPrefix(rest, "で")
	rest = strings.TrimPrefix(rest, "、")
	words := trimRight(rest)
	moves := r.depth(r.cur)
	if r.hasEnded() {
		moves--
	}
	if n != moves && n != moves+int(r.k.Start.Ply)-1 {
		r.warn(WarnPlies, at, r.cur, clip(word))
	}
	e, winner, decided := readResult(words)
	if !r.hasEnded() {
		if decided {
			e = ofSide(e, winner, r.pos.Turn())
		}
		if err := r.end(e, words, at, -1); err != nil {
			return err
		}
		if decided {
			r.k.Nodes[r.cur].setResult(winner)
		}
		return nil
	}
	if !decided {
		return nil
	}
	node := &r.k.Nodes[r.cur]
	if got, ok := node.Result(); !ok || got != winner {
		if ok {
			r.warn(WarnResult, at, r.cur, clip(word))
		}
		node.setResult(winner)
	}
	return nil
}

// ofSide is the ending that says the same of the side to move, when a winner is named.
func ofSide(e Ending, winner shogi.GameResult, turn shogi.Color) Ending {
	pair := [2]Ending{e, e} // the side to move has lost, has won
	switch e {
	case IllegalMove, IllegalMoveBefore:
		pair = [2]Ending{IllegalMove, IllegalMoveBefore}
	case ForfeitLoss, ForfeitWin:
		pair = [2]Ending{ForfeitLoss, ForfeitWin}
	}
	if winner == shogi.GameResult(turn) {
		return pair[1]
	}
	return pair[0]
}

// readResult reads what follows まで12手で: the ending and, where the words name one, the winner.
func readResult(words string) (e Ending, winner shogi.GameResult, decided bool) {
	if known, ok := kifEndings[words]; ok {
		return known, 0, false
	}
	side, rest := shogi.Black, words
	cause := ""
	if i := strings.Index(rest, "により"); i >= 0 {
		cause, rest = rest[:i], rest[i+len("により"):]
		rest = strings.TrimPrefix(rest, "、")
	}
	switch {
	case strings.HasPrefix(rest, "先手"), strings.HasPrefix(rest, "下手"):
	case strings.HasPrefix(rest, "後手"), strings.HasPrefix(rest, "上手"):
		side = shogi.White
	default:
		return Other, 0, false
	}
	rest = rest[len("先手"):]
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "の"), "が")
	won, lost := shogi.GameResult(side), shogi.GameResult(side^1)
	switch strings.TrimSuffix(rest, "。") {
	case "勝ち", "勝", "勝利":
		switch cause {
		case "時間切れ", "時間切れ負け", "切れ負け":
			return TimeUp, won, true
		case "反則", "反則負け", "反則行為":
			return IllegalMove, won, true
		case "入玉", "入玉宣言", "宣言":
			return Declaration, won, true
		case "詰み", "詰":
			return Mate, won, true
		case "不戦", "不戦敗":
			return ForfeitLoss, won, true
		case "", "投了":
			return Resign, won, true
		}
		return Other, won, true
	case "負け", "敗け", "敗":
		return Other, lost, true
	case "反則勝ち", "反則勝":
		return IllegalMoveBefore, won, true
	case "反則負け", "反則負":
		return IllegalMove, lost, true
	case "入玉勝ち", "入玉勝", "入玉宣言勝ち", "宣言勝ち":
		return Declaration, won, true
	case "不戦勝":
		return ForfeitWin, won, true
	case "不戦敗":
		return ForfeitLoss, lost, true
	case "時間切れ", "時間切れ負け", "切れ負け":
		return TimeUp, lost, true
	case "時間切れ勝ち":
		return TimeUp, won, true
	case "投了":
		return Resign, lost, true
	}
	return Other, 0, false
}
