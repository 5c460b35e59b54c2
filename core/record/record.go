// Package record reads and writes game records (棋譜): KIF, KI2, CSA, JKF, position lines of USI, SFEN and diagrams, as trees of moves.
//
// A record is flat: nodes in one array, in which a parent comes before its children and the main line before everything else, and texts apart
// from them. Readers are lenient on spelling and strict on loss: all moves of a text come out, or there is an error that says where reading
// stopped, and what was read before. docs/records.md has what is read and written of each format.
package record

import (
	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/shogi"
)

// A Format is a way to write records. Numbers are part of the C interface.
type Format int32

const (
	Auto Format = 0 // when reading: what the text looks like
	KIF  Format = 1
	KI2  Format = 2
	CSA  Format = 3
	JKF  Format = 4 // JSON棋譜フォーマット
	USI  Format = 5 // position lines
	SFEN Format = 6 // a start without moves
	BOD  Format = 7 // a diagram (盤面図) without moves
)

var formatNames = [...]string{"auto", "kif", "ki2", "csa", "jkf", "usi", "sfen", "bod"}

// String is the name, in lower case as in the endings of files.
func (f Format) String() string {
	if f < 0 || int(f) >= len(formatNames) {
		return "unknown format"
	}
	return formatNames[f]
}

// Flags of a node.
type Flags uint8

const (
	Illegal  Flags = 1 << iota // the move breaks the rules of the game
	Unplayed                   // ... and the board cannot show it: it stays as it was. Nothing follows such a move but an ending
)

const resultShift = 4 // of an ending: the result + 1 in bits 4 and 5, 0 without one

// MaxTimeMS is the longest time of a move: a billion minutes, which no clock shows.
const MaxTimeMS = 1e9*60_000 - 1

// A Node is the start of a game, a move, or an ending. Numbers and layout are part of the C interface.
type Node struct {
	TimeMS int64      // time that the move took, at most MaxTimeMS; -1 where the record does not say
	Parent int32      // -1 of the start
	Move   shogi.Move // MoveNone of the start and of endings
	Ending Ending     // EndingNone of the start and of moves
	Flags  Flags
}

// Result is who won by an ending; false where it does not say.
func (n *Node) Result() (shogi.GameResult, bool) {
	r := n.Flags >> resultShift & 3
	return shogi.GameResult(r - 1), r != 0
}

func (n *Node) setResult(r shogi.GameResult) {
	n.Flags = n.Flags&^(3<<resultShift) | Flags(r+1)<<resultShift
}

// A NoteKind says what a text beside a node is.
type NoteKind int32

const (
	Comment  NoteKind = 1 // lines without the mark of their format, joined by line feeds
	Bookmark NoteKind = 2 // しおり, the & of KIF
	Remark   NoteKind = 3 // lines that readers of the format pass over: # of KIF, ' without * of CSA
	Words    NoteKind = 4 // of an ending, how the record writes it where that is not the usual way
)

// A Note is a text beside a node.
type Note struct {
	Node int32
	Kind NoteKind
	Text string
}

// A Header is a line such as 先手：name. Keys are those of KIF; what CSA alone has keeps its $.
type Header struct{ Key, Value string }

// A WarningKind says what is odd about a record. Numbers are part of the C interface.
type WarningKind int32

const (
	WarnIllegal   WarningKind = 1 // a move against the rules, kept
	WarnUnplayed  WarningKind = 2 // a move that the board cannot show, kept
	WarnEncoding  WarningKind = 3 // bytes that are no characters, read as U+FFFD
	WarnPlies     WarningKind = 4 // the record says another number of moves than it has
	WarnNumber    WarningKind = 5 // a move has another number than its place
	WarnEnding    WarningKind = 6 // an ending of unknown meaning, kept as text
	WarnVariation WarningKind = 7 // a variation that the line before it does not have the place for; taken for one of an earlier line
	WarnResult    WarningKind = 8 // the record names another winner than its ending does
	WarnTime      WarningKind = 9 // a time above MaxTimeMS, which stands in its place
)

// A Warning is something odd that was read.
type Warning struct {
	Kind   WarningKind
	Line   int32 // from 1; 0 where there are no lines
	Column int32 // in characters, from 1
	Node   int32 // -1 where it is none's
	Text   string
}

// A Kifu is a game record (棋譜).
type Kifu struct {
	Start    board.Setup
	Nodes    []Node // Nodes[0] is the start, Nodes[1..] the main line, then the variations
	Headers  []Header
	Notes    []Note // in the order of the record: those of a node stand in their own order
	Warnings []Warning
	Format   Format
	Encoding Encoding
}

// New is a record without moves.
func New(start board.Setup) *Kifu {
	return &Kifu{Start: start, Nodes: []Node{{TimeMS: -1, Parent: -1}}}
}

// MainLine is the number of nodes of the main line, the start and an ending included: they are Nodes[0..MainLine).
func (k *Kifu) MainLine() int {
	n := 1
	for n < len(k.Nodes) && k.Nodes[n].Parent == int32(n-1) {
		n++
	}
	return n
}

// Plies is the number of moves of the main line: they are Nodes[1..Plies].
func (k *Kifu) Plies() int {
	n := k.MainLine() - 1
	if n > 0 && k.Nodes[n].Ending != EndingNone {
		n--
	}
	return n
}

// Ending is the ending of the main line; false where it has none.
func (k *Kifu) Ending() (*Node, bool) {
	n := k.MainLine() - 1
	if n > 0 && k.Nodes[n].Ending != EndingNone {
		return &k.Nodes[n], true
	}
	return nil, false
}

// Result is who won; false where the record does not say.
func (k *Kifu) Result() (shogi.GameResult, bool) {
	if e, ok := k.Ending(); ok {
		return e.Result()
	}
	return 0, false
}

// End is how the game ended, in the codes that training files store: EndPaused for a game that was broken off, EndInvalid for one without an ending.
func (k *Kifu) End() shogi.GameEnd {
	e, ok := k.Ending()
	if !ok {
		return shogi.EndInvalid
	}
	r, decided := e.Result()
	return endCode(e.Ending, r, decided)
}

// Header gives the value of a key; false where there is none.
func (k *Kifu) Header(key string) (string, bool) {
	for i := range k.Headers {
		if k.Headers[i].Key == key {
			return k.Headers[i].Value, true
		}
	}
	return "", false
}

// line appends the nodes from the start to a node, the start left out.
func (k *Kifu) line(dst []int32, node int32) []int32 {
	first := len(dst)
	for ; node > 0; node = k.Nodes[node].Parent {
		dst = append(dst, node)
	}
	for i, j := first, len(dst)-1; i < j; i, j = i+1, j-1 {
		dst[i], dst[j] = dst[j], dst[i]
	}
	return dst
}

// Path is the nodes from the start to a node, both included.
func (k *Kifu) Path(node int32) []int32 { return k.line([]int32{0}, node) }

// play plays a node's move, whether it is legal or not.
func play(p *board.Position, n *Node) {
	switch {
	case n.Ending != EndingNone || n.Flags&Unplayed != 0:
	case n.Move == shogi.MoveNull:
		p.DoNull()
	case n.Flags&Illegal != 0:
		p.Force(n.Move)
	case n.Move != shogi.MoveNone:
		p.Do(n.Move)
	}
}

// previous is the square that 同 means after a node.
func (k *Kifu) previous(node int32) shogi.Square {
	if m := k.Nodes[node].Move; m.IsNormal() {
		return m.To()
	}
	return shogi.NoSquare
}

// children are the children of every node in order, as first child and next sibling, -1 for none.
func (k *Kifu) children() (first, next []int32) {
	both := make([]int32, 3*len(k.Nodes))
	for i := range both {
		both[i] = -1
	}
	n := len(k.Nodes)
	first, next, last := both[:n], both[n:2*n], both[2*n:]
	for i := 1; i < n; i++ {
		p := k.Nodes[i].Parent
		if first[p] < 0 {
			first[p] = int32(i)
		} else {
			next[last[p]] = int32(i)
		}
		last[p] = int32(i)
	}
	return first, next
}

// sort puts the main line first where a reader or a caller did not.
func (k *Kifu) sort() {
	first, _ := k.children()
	main := 0
	for at := int32(0); at >= 0; at = first[at] {
		main++
	}
	if k.MainLine() == main {
		return
	}
	number := make([]int32, len(k.Nodes))
	nodes := make([]Node, 0, len(k.Nodes))
	isMain := make([]bool, len(k.Nodes))
	for at := int32(0); at >= 0; at = first[at] {
		isMain[at] = true
		number[at] = int32(len(nodes))
		nodes = append(nodes, k.Nodes[at])
	}
	for i := range k.Nodes {
		if !isMain[i] {
			number[i] = int32(len(nodes))
			nodes = append(nodes, k.Nodes[i])
		}
	}
	for i := 1; i < len(nodes); i++ {
		nodes[i].Parent = number[nodes[i].Parent]
	}
	k.Nodes = nodes
	for i := range k.Notes {
		k.Notes[i].Node = number[k.Notes[i].Node]
	}
	for i := range k.Warnings {
		if w := &k.Warnings[i]; w.Node >= 0 {
			w.Node = number[w.Node]
		}
	}
}

// notes are the notes of one kind and node, joined by line feeds.
func (k *Kifu) notes(byNode map[int32][]int, node int32, kind NoteKind) (string, bool) {
	text, found := "", false
	for _, i := range byNode[node] {
		if k.Notes[i].Kind != kind {
			continue
		}
		if found {
			text += "\n"
		}
		text += k.Notes[i].Text
		found = true
	}
	return text, found
}

// Text is the notes of one kind beside a node, joined by line feeds; false where there are none.
func (k *Kifu) Text(node int32, kind NoteKind) (string, bool) {
	var of []int
	for i := range k.Notes {
		if k.Notes[i].Node == node {
			of = append(of, i)
		}
	}
	return k.notes(map[int32][]int{node: of}, node, kind)
}

// isEven tells whether the start is that of the even game, whatever its ply.
func (k *Kifu) isEven() bool {
	s := k.Start
	s.Ply = 1
	return s == board.StartSetup()
}

// Position is the position after a node. It may be one that boards refuse, after moves against the rules. fault.InvalidValue for a node that does not exist.
func (k *Kifu) Position(node int) (board.Position, error) {
	if node < 0 || node >= len(k.Nodes) {
		return board.Position{}, fault.New(fault.InvalidValue, "record.Kifu.Position", "node %d, want 0..%d", node, len(k.Nodes)-1)
	}
	p, err := k.Start.Position()
	if err != nil {
		return p, err
	}
	for _, i := range k.line(nil, int32(node)) {
		play(&p, &k.Nodes[i])
	}
	return p, nil
}

// Game is the game up to a node, with its history: that since the last move against the rules where there was one. fault.InvalidPosition when
// such moves have made a position that boards refuse, fault.InvalidValue for a node that does not exist.
func (k *Kifu) Game(node int) (*board.Game, error) {
	if _, err := k.Position(node); err != nil {
		return nil, err
	}
	p, err := k.Start.Position()
	if err != nil {
		return nil, err
	}
	g := board.NewGameFrom(p)
	for _, i := range k.line(nil, int32(node)) {
		switch n := &k.Nodes[i]; {
		case n.Ending != EndingNone || n.Flags&Unplayed != 0:
		case n.Move == shogi.MoveNull:
			g.PassUnchecked()
		case n.Flags&Illegal != 0:
			p := g.Pos
			p.Force(n.Move)
			g.ResetTo(p)
		default:
			g.PushUnchecked(n.Move)
		}
	}
	s := g.Start.Setup()
	if err := new(board.Position).Load(&s); err != nil {
		return nil, err
	}
	return g, nil
}
