package record

import (
	"strings"
	"unicode/utf8"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/notation"
	"komadori/core/shogi"
)

// Options say how a text is to be read. The zero value takes what the text looks like.
type Options struct {
	Format        Format
	Encoding      Encoding
	RefuseIllegal bool // a move against the rules is an error, and not kept and flagged
}

// Read reads all games of a text. With an error, the games that were read before come back, the last one as far as it was read. The error is an
// *Error, which holds a *fault.Error: fault.Parse, or fault.IllegalMove and fault.AmbiguousMove for words that fit no move, or several.
func Read(data []byte, o Options) ([]*Kifu, error) {
	var games []*Kifu
	var r Reader
	err := r.ReadEach(string(data), o, func(k *Kifu, _ error) bool {
		games = append(games, k.clone())
		return true
	})
	return games, err
}

// A Reader reads one text after another and uses its memory again. The zero value is ready.
type Reader struct {
	k   Kifu
	pos board.Position // after cur
	o   Options

	text string
	next int // where the next line begins
	at   int // where the line begins

	cur     int32 // the node that the next move follows
	replays int   // moves that were played again for variations

	lastBlock []byte // position lines of the game before, which are those of most games
	lastStart board.Setup
	lastPos   board.Position

	json        []value // of JKF
	children    []int32 // of variations, see link
	branched    bool    // the record has variations
	emit        func(*Kifu, error) bool
	base        int // of the numbers of moves: 0 where they count from 1
	evenStart   board.Position
	isEvenReady bool
}

func (k *Kifu) clone() *Kifu {
	c := *k
	c.Nodes = append([]Node(nil), k.Nodes...)
	c.Headers = append([]Header(nil), k.Headers...)
	c.Notes = append([]Note(nil), k.Notes...)
	c.Warnings = append([]Warning(nil), k.Warnings...)
	return &c
}

// maxReplays bounds the moves that are played again to reach the places of variations, so that no text takes more than a few seconds.
const maxReplays = 50_000_000

// AppendFlat reads all games of a text and appends their flat forms. With an error the last one is what was read before it; there is none
// where the options are wrong.
func (r *Reader) AppendFlat(dst []byte, f *Flattener, text string, o Options) ([]byte, error) {
	err := r.ReadEach(text, o, func(k *Kifu, failed error) bool {
		dst = f.Append(dst, k, failed)
		return true
	})
	return dst, err
}

// ReadEach is Read that hands on each game as it has been read, until f returns false, and with the last one the error. The Kifu is used again
// for the next game and its texts are parts of text: whoever keeps it makes a copy.
func (r *Reader) ReadEach(text string, o Options, f func(*Kifu, error) bool) error {
	const op = "record.Read"
	if o.Format < Auto || o.Format > BOD {
		return &Error{Fault: fault.New(fault.InvalidValue, op, "format %d, want 0..7", int32(o.Format))}
	}
	if o.Encoding < AnyEncoding || o.Encoding > UTF16 {
		return &Error{Fault: fault.New(fault.InvalidValue, op, "encoding %d, want 0..5", int32(o.Encoding))}
	}
	text, encoding, bad := decode(text, o.Encoding)
	if strings.IndexByte(text, '\r') >= 0 && strings.IndexByte(text, '\n') < 0 {
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	format := o.Format
	if format == Auto {
		format = Detect(text)
	}
	r.o, r.text, r.next, r.at, r.emit, r.replays = o, text, 0, 0, f, 0
	r.k.Format, r.k.Encoding = format, encoding
	r.begin()
	if failed := unreadable(text, bad, format); failed != nil {
		r.give(failed)
		return failed
	}
	if bad > 0 {
		at := strings.Index(text, "\ufffd")
		e := errorAt(text, at, fault.Parse, "")
		r.k.Warnings = append(r.k.Warnings, Warning{WarnEncoding, int32(e.Line), int32(e.Column), -1, "bytes that are no character"})
	}
	var failed error
	switch format {
	case KIF, BOD:
		failed = r.kif()
	case KI2:
		failed = r.ki2()
	case CSA:
		failed = r.csa()
	case JKF:
		failed = r.jkf()
	case USI, SFEN:
		failed = r.usi()
	}
	if failed == errStopped {
		return nil
	}
	if failed != nil {
		r.give(failed)
	}
	return failed
}

// unreadable is why a text is no record, whatever the reader of a format would say; nil when it may be one. bad counts the places that are no characters.
func unreadable(text string, bad int, format Format) error {
	if bad > 8 && bad*4 > utf8.RuneCountInString(text) {
		return errorAt(text, strings.Index(text, "\ufffd"), fault.Parse, "these bytes are no text in UTF-8, cp932 or EUC-JP")
	}
	if format != Auto {
		return nil
	}
	rest := strings.TrimLeft(text, " \t\r\n　")
	if rest == "" {
		return errorAt(text, len(text), fault.Parse, "nothing to read")
	}
	return errorAt(text, len(text)-len(rest), fault.Parse, "%q begins no record of a kind that is known", clip(rest))
}

// errStopped is what a reader returns when the caller wants no more games.
var errStopped = &Error{}

// begin makes ready for a game.
func (r *Reader) begin() {
	r.k.Nodes = append(r.k.Nodes[:0], Node{TimeMS: -1, Parent: -1})
	r.k.Headers, r.k.Notes, r.k.Warnings = r.k.Headers[:0], r.k.Notes[:0], r.k.Warnings[:0]
	r.cur, r.branched, r.base = 0, false, 0
	r.children = r.children[:0]
	r.setEven()
}

// setEven sets the start of the even game.
func (r *Reader) setEven() {
	if !r.isEvenReady {
		r.evenStart, r.isEvenReady = board.Start(), true
	}
	r.k.Start, r.pos = board.StartSetup(), r.evenStart
}

// setStart sets another start.
func (r *Reader) setStart(s *board.Setup, at int) error {
	if err := r.pos.Load(s); err != nil {
		return r.because(at, err)
	}
	r.k.Start = *s
	return nil
}

// give hands on a game that is complete, or as far as it was read before an error.
func (r *Reader) give(failed error) bool {
	if r.branched {
		r.k.sort()
	}
	return r.emit(&r.k, failed)
}

// fail is an error at a byte of the text.
func (r *Reader) fail(at int, format string, args ...any) error {
	return errorAt(r.text, at, fault.Parse, format, args...)
}

// because is an error of another package at a byte of the text.
func (r *Reader) because(at int, err error) error {
	f, ok := err.(*fault.Error)
	if !ok {
		if p, isProblems := err.(*board.ProblemsError); isProblems {
			f, ok = p.Fault, true
		}
	}
	if !ok {
		return errorAt(r.text, at, fault.Parse, "%v", err)
	}
	if f.Kind == fault.Parse && f.Offset > 0 {
		at += f.Offset
	}
	kind := f.Kind
	if kind == fault.InvalidPosition {
		kind = fault.Parse
	}
	return errorAt(r.text, at, kind, "%s", f.Detail)
}

// limitTime puts the longest time that there is in the place of a longer one, with a warning; the node that was read last has it.
func (r *Reader) limitTime(ms int64, at int, text string) {
	if ms > MaxTimeMS {
		r.k.Nodes[r.cur].TimeMS = min(r.k.Nodes[r.cur].TimeMS, MaxTimeMS)
		r.warn(WarnTime, at, r.cur, clip(text))
	}
}

func (r *Reader) warn(kind WarningKind, at int, node int32, text string) {
	e := errorAt(r.text, at, fault.Parse, "")
	r.k.Warnings = append(r.k.Warnings, Warning{kind, int32(e.Line), int32(e.Column), node, text})
}

// line gives the next line without its end and without blanks after it; false at the end of the text.
func (r *Reader) line() (string, bool) {
	if r.next >= len(r.text) {
		return "", false
	}
	r.at = r.next
	rest := r.text[r.at:]
	end := strings.IndexByte(rest, '\n')
	if end < 0 {
		end = len(rest)
	}
	r.next = r.at + end + 1
	if end > 0 && rest[end-1] <= ' ' || end > 2 && rest[end-3] == 0xE3 {
		return trimRight(rest[:end]), true
	}
	return rest[:end], true
}

// note adds a text beside the node that was read last.
func (r *Reader) note(kind NoteKind, text string) {
	r.k.Notes = append(r.k.Notes, Note{r.cur, kind, text})
}

func (r *Reader) header(key, value string) {
	r.k.Headers = append(r.k.Headers, Header{key, value})
}

// hasEnded tells whether nothing can follow the node that was read last.
func (r *Reader) hasEnded() bool { return r.k.Nodes[r.cur].Ending != EndingNone }

// move adds the move that words mean. It tells the error's place from at, where the words begin.
func (r *Reader) move(w *notation.Words, at int, timeMS int64) error {
	m, err := w.Resolve(&r.pos, r.k.previous(r.cur))
	if err == nil {
		r.add(m, timeMS)
		return nil
	}
	f, isFault := err.(*fault.Error)
	if r.o.RefuseIllegal || !isFault || f.Kind == fault.AmbiguousMove {
		return r.because(at, err)
	}
	literal, ok := w.Literal(&r.pos, r.k.previous(r.cur))
	if !ok || !literal.IsNormal() {
		return r.because(at, err)
	}
	return r.addIllegal(literal, at, timeMS, f.Detail)
}

// add adds a legal move.
func (r *Reader) add(m shogi.Move, timeMS int64) {
	r.append(Node{TimeMS: timeMS, Parent: r.cur, Move: m})
	r.pos.Do(m)
}

// addIllegal adds a move against the rules, flagged.
func (r *Reader) addIllegal(m shogi.Move, at int, timeMS int64, why string) error {
	if r.o.RefuseIllegal {
		return errorAt(r.text, at, fault.IllegalMove, "%s", why)
	}
	if r.k.Nodes[r.cur].Flags&Unplayed != 0 {
		return errorAt(r.text, at, fault.IllegalMove, "the move before cannot be shown on the board, so that nothing can follow it")
	}
	n := Node{TimeMS: timeMS, Parent: r.cur, Move: m, Flags: Illegal}
	kind := WarnIllegal
	if !r.pos.Force(m) {
		n.Flags |= Unplayed
		kind = WarnUnplayed
	}
	if r.append(n) {
		r.warn(kind, at, r.cur, why)
	}
	return nil
}

// append adds a node after the one that was read last, or finds it among the variations there. It tells whether it is new.
func (r *Reader) append(n Node) bool {
	if r.branched {
		if same := r.find(n.Parent, &n); same >= 0 {
			if r.k.Nodes[same].TimeMS < 0 {
				r.k.Nodes[same].TimeMS = n.TimeMS
			}
			r.cur = same
			return false
		}
	}
	r.cur = int32(len(r.k.Nodes))
	r.k.Nodes = append(r.k.Nodes, n)
	if r.branched {
		r.link(r.cur)
	}
	return true
}

// children has, once there are variations, three numbers for each node: first child, last child, next sibling; -1 for none.

func (r *Reader) link(node int32) {
	p := r.k.Nodes[node].Parent
	r.children = append(r.children, -1, -1, -1)
	if last := r.children[3*p+1]; last >= 0 {
		r.children[3*last+2] = node
	} else {
		r.children[3*p] = node
	}
	r.children[3*p+1] = node
}

// find is the child of a node with the same move or ending, -1 without one.
func (r *Reader) find(parent int32, n *Node) int32 {
	for c := r.children[3*parent]; c >= 0; c = r.children[3*c+2] {
		if o := &r.k.Nodes[c]; o.Move == n.Move && o.Ending == n.Ending && n.Ending != Other {
			return c
		}
	}
	return -1
}

// branch makes ready for variations.
func (r *Reader) branch() {
	if r.branched {
		return
	}
	r.branched = true
	r.children = append(r.children[:0], -1, -1, -1)
	for i := 1; i < len(r.k.Nodes); i++ {
		r.link(int32(i))
	}
}

// firstChild is the first child of a node, -1 without one. Only after branch.
func (r *Reader) firstChild(node int32) int32 { return r.children[3*node] }

// depth is the number of moves before a node.
func (r *Reader) depth(node int32) int {
	d := 0
	for ; node > 0; node = r.k.Nodes[node].Parent {
		d++
	}
	return d
}

// goTo makes the next move follow a node.
func (r *Reader) goTo(node int32, at int) error {
	path := r.k.line(nil, node)
	if r.replays += len(path); r.replays > maxReplays {
		return r.fail(at, "too many variations far from the start")
	}
	if err := r.pos.Load(&r.k.Start); err != nil {
		return r.because(at, err)
	}
	for _, i := range path {
		play(&r.pos, &r.k.Nodes[i])
	}
	r.cur = node
	return nil
}

// variation goes to where a variation begins whose first move is the n-th: a place of the line that was read last, else of the lines before it.
func (r *Reader) variation(n, at int) error {
	if n < 1 {
		return r.fail(at, "a variation at move %d, want 1 or more", n)
	}
	r.branch()
	leaf := r.cur
	if d := r.depth(leaf); d >= n-1 {
		for ; d > n-1; d-- {
			leaf = r.k.Nodes[leaf].Parent
		}
		return r.goTo(leaf, at)
	}
	// The line does not go so far: its continuation among what was read, then the latest line that has the place.
	d := r.depth(leaf)
	on := leaf
	for d < n-1 {
		c := r.firstChild(on)
		if c < 0 || r.k.Nodes[c].Ending != EndingNone {
			break
		}
		on = c
		d++
	}
	if d == n-1 {
		return r.goTo(on, at)
	}
	for i := len(r.k.Nodes) - 1; i > 0; i-- {
		if r.k.Nodes[i].Ending == EndingNone && r.depthIs(int32(i), n-1) {
			r.warn(WarnVariation, at, int32(i), "the line before does not go so far")
			return r.goTo(int32(i), at)
		}
	}
	return r.fail(at, "a variation at move %d, and no line goes so far", n)
}

// depthIs tells whether a node is the n-th move of its line, and counts the work.
func (r *Reader) depthIs(node int32, n int) bool {
	for ; node > 0 && n >= 0; node = r.k.Nodes[node].Parent {
		n--
		r.replays++
	}
	return node == 0 && n == 0
}

// end adds an ending.
func (r *Reader) end(e Ending, words string, at int, timeMS int64) error {
	if r.hasEnded() {
		if r.k.Nodes[r.cur].Ending == e && e != Other { // said twice
			return nil
		}
		return r.fail(at, "%q after the end of the game", clip(words))
	}
	n := Node{TimeMS: timeMS, Parent: r.cur, Ending: e}
	if result, ok := e.result(r.pos.Turn()); ok {
		n.setResult(result)
	}
	isNew := r.append(n)
	if e == Other && isNew {
		r.note(Words, words)
		r.warn(WarnEnding, at, r.cur, words)
	}
	return nil
}

// open tells whether a move can follow, and why not.
func (r *Reader) open(at int) error {
	n := &r.k.Nodes[r.cur]
	switch {
	case n.Ending != EndingNone:
		return r.fail(at, "%q after the end of the game", clip(r.text[at:]))
	case n.Flags&Unplayed != 0:
		return errorAt(r.text, at, fault.IllegalMove, "the move before cannot be shown on the board, so that nothing can follow it")
	}
	return nil
}

// isEncodingLine tells whether a line says of its file in which format and encoding it is, and nothing of the game.
func isEncodingLine(line string) bool {
	return strings.HasPrefix(line, "#KIF version=") || strings.HasPrefix(line, "#KI2 version=") || strings.HasPrefix(line, "'CSA encoding=") || strings.HasPrefix(line, "'encoding=")
}
