package record

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/notation"
	"komadori/core/shogi"
)

// WriteOptions say how a record is written.
type WriteOptions struct {
	Format   Format
	Encoding Encoding // what the text says of itself; AnyEncoding is UTF-8
	CSA3     bool     // CSA in version 3.0, else 2.2
}

// Write gives a record as text in UTF-8, and what the format has no place for, a line each: "3 variations". What was read from a format and is
// written in it comes back whole when it is read again. A move that the format cannot say is fault.InvalidValue, and nothing is written: no
// record becomes shorter in silence.
func Write(k *Kifu, o WriteOptions) (text string, losses []string, err error) {
	w := writer{k: k, o: o, notes: map[int32][]int{}}
	if w.start, err = k.Start.Position(); err != nil {
		return "", nil, err
	}
	w.first, w.next = k.children()
	for i := range k.Notes {
		w.notes[k.Notes[i].Node] = append(w.notes[k.Notes[i].Node], i)
	}
	switch o.Format {
	case KIF:
		err = w.kif()
	case KI2:
		err = w.ki2()
	case CSA:
		err = w.csa()
	case JKF:
		err = w.jkf()
	case USI:
		err = w.usi()
	case SFEN:
		w.out = append(notation.AppendSFEN(w.out, &k.Start), '\n')
		w.onlyStart()
	case BOD:
		w.diagram()
		w.onlyStart()
	default:
		return "", nil, fault.New(fault.InvalidValue, "record.Write", "format %d, want 1..7", int32(o.Format))
	}
	if err != nil {
		return "", nil, err
	}
	return string(w.out), w.losses(), nil
}

// A writer writes one record.
type writer struct {
	k           *Kifu
	o           WriteOptions
	out         []byte
	start       board.Position
	first, next []int32
	notes       map[int32][]int

	lost   [lossCount]int
	others []string // losses in words
}

// What a format may have no place for.
const (
	lostVariations = iota
	lostEndings
	lostBookmarks
	lostRemarks
	lostComments
	lostTimes
	lostFractions
	lostResults
	lostMoves
	lostBlanks
	lossCount
)

var lossWords = [lossCount][2]string{
	lostVariations: {"variation", "variations"}, lostEndings: {"ending", "endings"}, lostBookmarks: {"bookmark", "bookmarks"},
	lostRemarks: {"remark", "remarks"}, lostComments: {"comment", "comments"}, lostTimes: {"time", "times"},
	lostFractions: {"fraction of a second", "fractions of seconds"}, lostResults: {"result that its ending does not have", "results that their endings do not have"},
	lostMoves: {"move", "moves"}, lostBlanks: {"text with blanks or line ends that are not kept", "texts with blanks or line ends that are not kept"},
}

func (w *writer) losses() []string {
	var found []string
	for i, n := range w.lost {
		if n > 0 {
			found = append(found, strconv.Itoa(n)+" "+lossWords[i][min(n-1, 1)])
		}
	}
	return append(found, w.others...)
}

func (w *writer) lose(format string, args ...any) {
	w.others = append(w.others, fmt.Sprintf(format, args...))
}

// onlyStart counts what is lost when the start alone is written.
func (w *writer) onlyStart() {
	for i := range w.k.Nodes[1:] {
		if w.k.Nodes[i+1].Ending == EndingNone {
			w.lost[lostMoves]++
		} else {
			w.lost[lostEndings]++
		}
	}
	w.lost[lostComments] = len(w.k.Notes)
	for i := range w.k.Headers {
		w.lose("header %s", w.k.Headers[i].Key)
	}
}

var oneLine = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

// line writes a mark and a text in one line.
func (w *writer) line(mark, text string) {
	kept := trimRight(oneLine.Replace(text))
	if isEncodingLine(mark + kept) { // a remark that would be taken for what the file says of itself
		w.lost[lostRemarks]++
		return
	}
	if kept != text {
		w.lost[lostBlanks]++
	}
	w.out = append(append(append(w.out, mark...), kept...), '\n')
}

// lines writes the lines of a text with a mark before each.
func (w *writer) lines(mark, text string) {
	for _, line := range strings.Split(text, "\n") {
		w.line(mark, line)
	}
}

// remarks writes those of the start, at the top: below the headers one reader does not take them.
func (w *writer) remarks() {
	for _, i := range w.notes[0] {
		if n := &w.k.Notes[i]; n.Kind == Remark {
			w.lines("#", n.Text)
		}
	}
}

// noteLines writes the notes of a node with the marks of the format; kinds without a mark are lost.
func (w *writer) noteLines(node int32, comment, bookmark, remark string) {
	for _, i := range w.notes[node] {
		switch n := &w.k.Notes[i]; {
		case n.Kind == Comment && comment != "":
			w.lines(comment, n.Text)
		case n.Kind == Bookmark && bookmark != "":
			w.lines(bookmark, n.Text)
		case n.Kind == Remark && remark != "":
			if node > 0 { // see remarks
				for _, line := range strings.Split(n.Text, "\n") {
					if strings.HasPrefix(line, "KIF") || strings.HasPrefix(line, "KI2") { // a new game would begin
						w.lost[lostRemarks]++
						continue
					}
					w.line(remark, line)
				}
			}
		default:
			w.loseNote(n)
		}
	}
}

func (w *writer) loseNote(n *Note) {
	switch n.Kind {
	case Comment:
		w.lost[lostComments]++
	case Bookmark:
		w.lost[lostBookmarks]++
	case Remark:
		w.lost[lostRemarks]++
	}
}

// loseWords is for an ending that is written in the usual words.
func (w *writer) loseWords(node int32) {
	if words, said := w.k.notes(w.notes, node, Words); said {
		w.lose("the words %q of an ending", words)
	}
}

// seconds is a time in whole seconds.
func (w *writer) seconds(ms int64) int64 {
	if ms%1000 != 0 {
		w.lost[lostFractions]++
	}
	return ms / 1000
}

// unwritable is the error of a move that a format cannot say.
func (w *writer) unwritable(node int32, why string) error {
	depth := len(w.k.line(nil, node))
	return fault.New(fault.InvalidValue, "record.Write", "%v cannot say move %d, %v: %s", w.o.Format, depth, w.k.Nodes[node].Move, why)
}

// words appends the words of a move, which must lead back to it.
func (w *writer) words(p *board.Position, node int32, style notation.Style) error {
	n := &w.k.Nodes[node]
	if n.Move == shogi.MoveNull {
		return w.unwritable(node, "it has no pass")
	}
	previous := w.k.previous(n.Parent)
	begin := len(w.out)
	out, err := notation.AppendRecordMove(w.out, p, previous, n.Move, style)
	if err != nil {
		return w.unwritable(node, "no piece of the side to move stands there")
	}
	w.out = out
	if n.Flags&Illegal == 0 && style != notation.KI2 {
		return nil
	}
	back, err := notation.ParseWords(string(out[begin:]), style)
	if err != nil {
		return w.unwritable(node, "its words cannot be read")
	}
	m, ok := back.Literal(p, previous)
	if !ok || m != n.Move {
		return w.unwritable(node, "its words mean another move")
	}
	return nil
}

// ---------------------------------------------------------------------------------------------------------------------- KIF and KI2

// isHeader holds for keys that come back from a line of a header: of one line, and not what another kind of line begins with.
func isHeader(key string) bool {
	if key == "" || strings.ContainsAny(key, ":：\r\n") || strings.IndexByte("*#&|", key[0]) >= 0 || trimRight(key) != key || blanks(key) > 0 || beginsMove(key) {
		return false
	}
	for _, other := range [...]string{"手数-", "手数＝", "手数=", "まで", "変化", "+-", "｜"} {
		if strings.HasPrefix(key, other) {
			return false
		}
	}
	_, isHand := notation.HandOf(key)
	_, digits := number(key)
	return !isHand && key != "手合割" && key != "手番" && digits == 0
}

// headers writes the headers and the start.
func (w *writer) headers() {
	for i := range w.k.Headers {
		h := &w.k.Headers[i]
		if !isHeader(h.Key) {
			w.lose("header %s", h.Key)
			continue
		}
		value := oneLine.Replace(h.Value)
		value = value[blanks(value):]
		if value != h.Value {
			w.lost[lostBlanks]++
		}
		w.line(h.Key+"：", value)
	}
	if h := w.handicap(); h != board.HandicapOther && w.k.Start.Ply == 1 {
		w.line("手合割：", h.Japanese())
		return
	}
	w.diagram()
}

// handicap is the handicap of the start, where all readers know its name: others are written as a diagram.
func (w *writer) handicap() board.Handicap {
	switch h := board.HandicapOf(&w.k.Start); h {
	case board.HandicapThreePiece, board.HandicapFivePiece, board.HandicapLeftFive, board.HandicapLeftSeven, board.HandicapRightSeven:
		return board.HandicapOther
	default:
		return h
	}
}

// diagram writes the start as a diagram.
func (w *writer) diagram() {
	text, err := notation.FormatSetup(&w.k.Start, notation.TextBOD)
	if err != nil { // a position can be shown
		panic(err)
	}
	w.out = append(append(w.out, text...), '\n')
	if w.k.Start.Turn == shogi.Black {
		w.out = append(w.out, "先手番\n"...) // without it one reader takes White's turn
	}
}

func (w *writer) encodingName() string {
	switch w.o.Encoding {
	case CP932:
		return "Shift_JIS"
	case EUCJP:
		return "EUC-JP"
	case ISO2022JP:
		return "ISO-2022-JP"
	case UTF16:
		return "UTF-16"
	}
	return "UTF-8"
}

func (w *writer) kif() error {
	w.out = append(w.out, "#KIF version=2.0 encoding="+w.encodingName()+"\n"...)
	w.remarks()
	w.headers()
	timed := false
	for i := range w.k.Nodes {
		timed = timed || w.k.Nodes[i].TimeMS >= 0
	}
	if timed {
		w.out = append(w.out, "手数----指手---------消費時間--\n"...)
	} else {
		w.out = append(w.out, "手数----指手--\n"...)
	}
	w.noteLines(0, "*", "&", "#")
	return w.branches(0, w.kifLine)
}

// A lineWriter writes a line of moves from a node on, to its end; p is the position before it.
type lineWriter func(node int32, depth int, p board.Position) error

// branches writes the line that begins behind the start, and then all variations, as KIF and KI2 have them: those of the end of a line before those of its
// beginning, each followed by its own.
func (w *writer) branches(root int32, write lineWriter) error {
	type place struct {
		node  int32
		depth int
	}
	var waiting []place // the last comes first
	push := func(node int32, depth int) {
		for at := node; at >= 0; at = w.first[at] {
			var siblings []int32
			if at != node { // those of the line's first node wait already
				for s := w.next[at]; s >= 0; s = w.next[s] {
					siblings = append(siblings, s)
				}
			}
			for i := len(siblings) - 1; i >= 0; i-- {
				waiting = append(waiting, place{siblings[i], depth})
			}
			depth++
		}
	}
	if w.first[root] < 0 {
		return nil
	}
	if err := write(w.first[root], 1, w.start); err != nil {
		return err
	}
	var siblings []int32
	for s := w.next[w.first[root]]; s >= 0; s = w.next[s] {
		siblings = append(siblings, s)
	}
	for i := len(siblings) - 1; i >= 0; i-- {
		waiting = append(waiting, place{siblings[i], 1})
	}
	push(w.first[root], 1)
	replays := 0
	for len(waiting) > 0 {
		v := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		w.out = append(w.out, "\n変化："...)
		w.out = strconv.AppendInt(w.out, int64(v.depth), 10)
		w.out = append(w.out, "手\n"...)
		p := w.start
		path := w.k.line(nil, w.k.Nodes[v.node].Parent)
		if replays += len(path); replays > maxReplays {
			return fault.New(fault.InvalidValue, "record.Write", "too many variations far from the start")
		}
		for _, i := range path {
			play(&p, &w.k.Nodes[i])
		}
		if err := write(v.node, v.depth, p); err != nil {
			return err
		}
		push(v.node, v.depth)
	}
	return nil
}

// width is the number of columns that text takes.
func width(text []byte) int {
	n := 0
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		if n++; c >= 0x1100 {
			n++
		}
		text = text[size:]
	}
	return n
}

func (w *writer) pad(begin, columns int) {
	for n := width(w.out[begin:]); n < columns; n++ {
		w.out = append(w.out, ' ')
	}
}

// kifLine writes lines of the table of moves.
func (w *writer) kifLine(node int32, depth int, p board.Position) error {
	var used [2]int64 // time of each side, in seconds
	for _, i := range w.k.line(nil, w.k.Nodes[node].Parent) {
		if ms := w.k.Nodes[i].TimeMS; ms > 0 {
			used[w.moverOf(i)] += ms / 1000
		}
	}
	last, isSaid := node, true // whether the words of the ending are there
	for at := node; at >= 0; at = w.first[at] {
		n := &w.k.Nodes[at]
		w.out = fmt.Appendf(w.out, "%4d ", depth)
		begin := len(w.out)
		if n.Ending != EndingNone {
			word, said := w.kifEnding(at)
			w.out = append(w.out, word...)
			isSaid = said
		} else if err := w.words(&p, at, notation.KIF); err != nil {
			return err
		}
		mover := p.Turn()
		if n.TimeMS >= 0 {
			s := w.seconds(n.TimeMS)
			used[mover] += s
			total := used[mover]
			w.pad(begin, 13)
			w.out = fmt.Appendf(w.out, "(%2d:%02d/%02d:%02d:%02d)", s/60, s%60, total/3600, total/60%60, total%60)
			if w.next[at] >= 0 {
				w.out = append(w.out, '+')
			}
		} else if w.next[at] >= 0 {
			w.pad(begin, 13)
			w.out = append(w.out, '+')
		}
		w.out = append(w.out, '\n')
		w.noteLines(at, "*", "&", "#")
		play(&p, n)
		last = at
		depth++
	}
	if w.k.Nodes[last].Ending != EndingNone {
		w.result(last, depth-2, p.Turn(), false, isSaid)
	}
	return nil
}

// moverOf is who made the move of a node, or was to move at an ending.
func (w *writer) moverOf(node int32) shogi.Color {
	c := w.start.Turn()
	for at := w.k.Nodes[node].Parent; at > 0; at = w.k.Nodes[at].Parent {
		if w.k.Nodes[at].Flags&Unplayed == 0 {
			c ^= 1
		}
	}
	return c
}

// kifEnding is the word of an ending in the table; false when it had to be taken for a game that was broken off.
func (w *writer) kifEnding(node int32) (word string, said bool) {
	e := w.k.Nodes[node].Ending
	if e != Other {
		w.loseWords(node)
		return e.Japanese(), true
	}
	words, _ := w.k.notes(w.notes, node, Words)
	if words == "" || trimRight(words) != words || blanks(words) > 0 || strings.ContainsAny(words, "\r\n(（") || beginsMove(words) || strings.HasSuffix(words, "+") ||
		kifEndings[words] != EndingNone {
		w.lose("the words %q of an ending", words)
		return Paused.Japanese(), false
	}
	return words, true
}

// result writes the line まで. In KI2 it is the ending; in KIF it says of the ending in the table who has won, and is left out where there is nothing to say.
func (w *writer) result(node int32, moves int, turn shogi.Color, isKI2, isSaid bool) {
	n := &w.k.Nodes[node]
	names := [2]string{"先手", "後手"}
	if h := board.HandicapOf(&w.k.Start); h != board.HandicapEven && h != board.HandicapOther {
		names = [2]string{"下手", "上手"}
	}
	if isKI2 && n.Ending != Other {
		w.loseWords(node)
	}
	won, decided := n.Result()
	means, fixed := n.Ending.result(turn)
	text := ""
	if decided && won != shogi.Draw {
		winner, loser := names[won], names[won^1]
		switch n.Ending {
		case Resign:
			text = winner + "の勝ち"
		case TimeUp:
			text = "時間切れにより" + winner + "の勝ち"
		case IllegalMove:
			text = loser + "の反則負け"
		case IllegalMoveBefore:
			text = winner + "の反則勝ち"
		case Declaration:
			text = winner + "の入玉勝ち"
		case ForfeitLoss, ForfeitWin:
			text = winner + "の不戦勝"
		case Mate:
			if means != won {
				text = "詰みにより" + winner + "の勝ち"
			}
		case Other:
			if !isKI2 && isSaid {
				text = winner + "の勝ち"
			}
		}
	}
	if text == "" {
		if decided != fixed || decided && means != won {
			w.lost[lostResults]++
		}
		text = n.Ending.Japanese()
		if n.Ending == Other {
			words, _ := w.k.notes(w.notes, node, Words)
			if text = trimRight(strings.NewReplacer("\r", " ", "\n", " ").Replace(words)); !isKI2 && isSaid {
				return // the table has them
			}
			if !isSaid {
				text = Paused.Japanese()
			} else if e, _, _ := readResult(text); e != Other || text != words || text == "" || blanks(text) > 0 {
				w.lose("the words %q of an ending", words)
				text = Paused.Japanese()
			}
		}
	}
	w.out = append(w.out, "まで"...)
	w.out = strconv.AppendInt(w.out, int64(moves), 10)
	w.line("手で", text)
}

func (w *writer) ki2() error {
	w.out = append(w.out, "#KI2 version=2.0 encoding="+w.encodingName()+"\n"...)
	w.remarks()
	w.headers()
	w.out = append(w.out, '\n')
	w.noteLines(0, "*", "&", "#")
	return w.branches(0, w.ki2Line)
}

// ki2Line writes moves, six to a line. Remarks between moves are lost: one of two other readers of KI2 takes them for moves.
func (w *writer) ki2Line(node int32, depth int, p board.Position) error {
	column := 0
	for at := node; at >= 0; at = w.first[at] {
		n := &w.k.Nodes[at]
		if n.TimeMS >= 0 {
			w.lost[lostTimes]++
		}
		if n.Ending != EndingNone {
			if column > 0 {
				w.out = append(w.out, '\n')
			}
			column = 0
			w.result(at, depth-1, p.Turn(), true, true)
			w.noteLines(at, "*", "&", "")
			break
		}
		begin := len(w.out)
		if err := w.words(&p, at, notation.KI2); err != nil {
			return err
		}
		noted := slices.ContainsFunc(w.notes[at], func(i int) bool { return w.k.Notes[i].Kind <= Bookmark })
		if column++; column == 6 || noted || w.first[at] < 0 {
			w.out = append(w.out, '\n')
			column = 0
		} else if next := w.first[at]; w.k.Nodes[next].Ending == EndingNone {
			w.pad(begin, 12)
		}
		w.noteLines(at, "*", "&", "")
		play(&p, n)
		depth++
	}
	if column > 0 {
		w.out = append(w.out, '\n')
	}
	return nil
}

// ------------------------------------------------------------------------------------------------------------------------------ CSA

// mainLine calls f for the nodes of the main line, with the position before each, and counts the other nodes as lost.
func (w *writer) mainLine(f func(node int32, p *board.Position) error) error {
	main := w.k.MainLine()
	for i := main; i < len(w.k.Nodes); i++ {
		if parent := w.k.Nodes[i].Parent; int(parent) < main || w.first[parent] != int32(i) {
			w.lost[lostVariations]++
		}
	}
	for i := range w.k.Notes {
		if int(w.k.Notes[i].Node) >= main {
			w.loseNote(&w.k.Notes[i])
		}
	}
	p := w.start
	for i := 1; i < main; i++ {
		if err := f(int32(i), &p); err != nil {
			return err
		}
		play(&p, &w.k.Nodes[i])
	}
	return nil
}

func (w *writer) csa() error {
	if w.o.CSA3 {
		w.out = append(w.out, "'CSA encoding="+strings.ToUpper(w.encodingName())+"\nV3.0\n"...)
	} else {
		w.out = append(w.out, "V2.2\n"...)
	}
	w.csaHeaders()
	if w.k.isEven() {
		w.out = append(w.out, "PI\n+\n"...)
	} else {
		text, err := notation.FormatSetup(&w.k.Start, notation.TextCSA)
		if err != nil {
			return err
		}
		w.out = append(append(w.out, text...), '\n')
	}
	if w.k.Start.Ply != 1 {
		w.lose("ply %d of the start", w.k.Start.Ply)
	}
	w.csaNotes(0)
	return w.mainLine(func(node int32, p *board.Position) error {
		n := &w.k.Nodes[node]
		if n.Ending != EndingNone {
			word := w.csaEnding(node, p.Turn())
			if word == "" {
				for _, i := range w.notes[node] {
					w.loseNote(&w.k.Notes[i])
				}
				return nil
			}
			w.out = append(append(w.out, word...), '\n')
		} else {
			if err := w.words(p, node, notation.CSA); err != nil {
				return err
			}
			w.out = append(w.out, '\n')
		}
		if n.TimeMS >= 0 {
			w.out = append(w.out, 'T')
			if w.o.CSA3 && n.TimeMS%1000 != 0 {
				w.out = fmt.Appendf(w.out, "%d.%03d", n.TimeMS/1000, n.TimeMS%1000)
			} else {
				w.out = strconv.AppendInt(w.out, w.seconds(n.TimeMS), 10)
			}
			w.out = append(w.out, '\n')
		}
		w.csaNotes(node)
		return nil
	})
}

// csaHeaders writes the names first, as CSA has them, and the other headers in the order of the record.
func (w *writer) csaHeaders() {
	for _, names := range [...]bool{true, false} {
		seen := map[string]bool{}
		for i := range w.k.Headers {
			h := &w.k.Headers[i]
			key := w.csaKey(h.Key)
			if (key == "N+" || key == "N-") != names {
				continue
			}
			if key == "" || seen[key] && names {
				w.lose("header %s", h.Key)
				continue
			}
			seen[key] = true
			w.line(key, h.Value)
		}
	}
}

// csaKey is how CSA says a header, empty where it has no word for it.
func (w *writer) csaKey(key string) string {
	switch key {
	case "下手":
		return "N+"
	case "上手":
		return "N-"
	}
	for i := range csaKeys {
		if csaKeys[i].kif == key && (w.o.CSA3 || csaKeys[i].csa != "$NOTE:") {
			return csaKeys[i].csa
		}
	}
	if len(key) > 1 && key[0] == '$' && !strings.ContainsAny(key, ":\r\n") {
		return key + ":"
	}
	return ""
}

// csaNotes writes comments as '* and remarks as '. A remark that begins with * would be read as a comment.
func (w *writer) csaNotes(node int32) {
	for _, i := range w.notes[node] {
		n := &w.k.Notes[i]
		switch n.Kind {
		case Comment:
			w.lines("'*", n.Text)
		case Remark:
			for _, line := range strings.Split(n.Text, "\n") {
				if strings.HasPrefix(line, "*") {
					w.lost[lostRemarks]++
					continue
				}
				w.line("'", line)
			}
		default:
			w.loseNote(n)
		}
	}
}

// csaEnding is the statement of an ending, empty where CSA has none.
func (w *writer) csaEnding(node int32, turn shogi.Color) string {
	n := &w.k.Nodes[node]
	won, decided := n.Result()
	means, fixed := n.Ending.result(turn)
	if n.Ending != Other && (decided != fixed || decided && won != means) {
		w.lost[lostResults]++
	}
	words, said := w.k.notes(w.notes, node, Words)
	switch {
	case said && (n.Ending == IllegalMove || n.Ending == IllegalMoveBefore) && (words == "%+ILLEGAL_ACTION" || words == "%-ILLEGAL_ACTION"):
		return words
	case said && n.Ending != Other:
		w.loseWords(node)
	}
	switch {
	case n.Ending == IllegalMoveBefore:
		return "%" + csaSigns[turn^1:turn^1+1] + "ILLEGAL_ACTION"
	case n.Ending.CSA() != "":
		return "%" + n.Ending.CSA()
	case n.Ending == Other && strings.HasPrefix(words, "%") && !strings.ContainsAny(words, ",\r\n") && trimRight(words) == words && csaEndings[words[1:]] == EndingNone:
		return words
	}
	if n.Ending == Other {
		w.lose("the ending %s", words)
	} else {
		w.lose("the ending %s", n.Ending.Japanese())
	}
	return ""
}

// ------------------------------------------------------------------------------------------------------------------------------ USI

func (w *writer) usi() error {
	w.out = append(w.out, "position "...)
	if w.k.Start == board.StartSetup() {
		w.out = append(w.out, "startpos"...)
	} else {
		w.out = notation.AppendSFEN(append(w.out, "sfen "...), &w.k.Start)
	}
	moves := 0
	err := w.mainLine(func(node int32, p *board.Position) error {
		n := &w.k.Nodes[node]
		if n.TimeMS >= 0 {
			w.lost[lostTimes]++
		}
		if n.Ending != EndingNone {
			w.lost[lostEndings]++
			return nil
		}
		if moves++; moves == 1 {
			w.out = append(w.out, " moves"...)
		}
		w.out = n.Move.AppendUSI(append(w.out, ' '))
		return nil
	})
	w.out = append(w.out, '\n')
	main := w.k.MainLine()
	for i := range w.k.Notes {
		if int(w.k.Notes[i].Node) < main {
			w.loseNote(&w.k.Notes[i])
		}
	}
	for i := range w.k.Headers {
		w.lose("header %s", w.k.Headers[i].Key)
	}
	return err
}
