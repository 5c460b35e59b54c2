package record

import (
	"encoding/binary"
	"errors"
	"unsafe"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/notation"
	"komadori/core/shogi"
)

// The flat form of a record is what crosses the C interface: a head, arrays of fixed size, and text, in memory of the caller. It has no pointers,
// so that it can be copied, stored and sent; numbers have the byte order of the machine. komadori.h has its structs.

// Magic begins a flat form.
const Magic uint32 = 0x314B4D4B // "KMK1"

// A Head is the beginning of a flat form; kmd_kifu_head.
type Head struct {
	Magic       uint32
	Size        uint32 // bytes in all, a multiple of 8
	Status      int32  // 0, or the kind of the error at which reading stopped
	Format      int32
	Encoding    int32
	Plies       uint32 // moves of the main line
	Nodes       uint32
	Notes       uint32
	Headers     uint32
	Warnings    uint32
	Start       span // the start as SFEN
	Message     span // of the error
	ErrorLine   int32
	ErrorColumn int32
	ErrorOffset int64  // in bytes of the text as UTF-8, -1 without one
	Text        uint32 // where the text begins
	Result      uint8  // a GameResult, 255 without one
	End         uint8  // a GameEnd
	Reserved    uint16
}

// A span is a part of the text.
type span struct{ Offset, Length uint32 }

type flatNote struct {
	Node uint32
	Kind uint32
	Text span
}

type flatHeader struct{ Key, Value span }

type flatWarning struct {
	Kind, Line, Column, Node int32
	Text                     span
}

const (
	headSize    = int(unsafe.Sizeof(Head{}))
	nodeSize    = int(unsafe.Sizeof(Node{}))
	noteSize    = int(unsafe.Sizeof(flatNote{}))
	headerSize  = int(unsafe.Sizeof(flatHeader{}))
	warningSize = int(unsafe.Sizeof(flatWarning{}))
)

// NoResult is Head.Result of a record that names no winner.
const NoResult = 255

var evenSFEN = func() string { s := board.StartSetup(); return string(notation.AppendSFEN(nil, &s)) }()

// bytesOf is the memory of values without pointers.
func bytesOf[T any](values []T) []byte {
	if len(values) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(values)*int(unsafe.Sizeof(values[0])))
}

// A Flattener makes flat forms and uses its memory again.
type Flattener struct {
	notes    []flatNote
	headers  []flatHeader
	warnings []flatWarning
	text     []byte
}

func (f *Flattener) add(text string) span {
	s := span{uint32(len(f.text)), uint32(len(text))}
	f.text = append(f.text, text...)
	return s
}

// Append appends the flat form of a record; failed is the error at which its reading stopped, or nil.
func (f *Flattener) Append(dst []byte, k *Kifu, failed error) []byte {
	f.notes, f.headers, f.warnings, f.text = f.notes[:0], f.headers[:0], f.warnings[:0], f.text[:0]
	h := Head{Magic: Magic, Format: int32(k.Format), Encoding: int32(k.Encoding), Plies: uint32(k.Plies()), Nodes: uint32(len(k.Nodes)), ErrorOffset: -1, Result: NoResult}
	if r, ok := k.Result(); ok {
		h.Result = uint8(r)
	}
	h.End = uint8(k.End())
	if k.Start == board.StartSetup() {
		h.Start = f.add(evenSFEN)
	} else {
		first := len(f.text)
		f.text = notation.AppendSFEN(f.text, &k.Start)
		h.Start = span{uint32(first), uint32(len(f.text) - first)}
	}
	for i := range k.Notes {
		n := &k.Notes[i]
		if last := len(f.notes) - 1; last >= 0 && f.notes[last].Node == uint32(n.Node) && f.notes[last].Kind == uint32(n.Kind) { // lines of one text
			f.text = append(append(f.text, '\n'), n.Text...)
			f.notes[last].Text.Length += uint32(len(n.Text) + 1)
			continue
		}
		f.notes = append(f.notes, flatNote{uint32(n.Node), uint32(n.Kind), f.add(n.Text)})
	}
	for i := range k.Headers {
		f.headers = append(f.headers, flatHeader{f.add(k.Headers[i].Key), f.add(k.Headers[i].Value)})
	}
	for i := range k.Warnings {
		w := &k.Warnings[i]
		f.warnings = append(f.warnings, flatWarning{int32(w.Kind), w.Line, w.Column, w.Node, f.add(w.Text)})
	}
	if failed != nil {
		h.Status = int32(fault.Internal)
		var e *Error
		if errors.As(failed, &e) {
			h.Status, h.ErrorLine, h.ErrorColumn, h.ErrorOffset = int32(e.Fault.Kind), int32(e.Line), int32(e.Column), int64(e.Fault.Offset)
		}
		h.Message = f.add(failed.Error())
	}
	h.Notes, h.Headers, h.Warnings = uint32(len(f.notes)), uint32(len(f.headers)), uint32(len(f.warnings))
	text := headSize + nodeSize*len(k.Nodes) + noteSize*len(f.notes) + headerSize*len(f.headers) + warningSize*len(f.warnings)
	size := (text + len(f.text) + 7) &^ 7
	h.Text, h.Size = uint32(text), uint32(size)
	dst = append(dst, bytesOf([]Head{h})...)
	dst = append(dst, bytesOf(k.Nodes)...)
	dst = append(dst, bytesOf(f.notes)...)
	dst = append(dst, bytesOf(f.headers)...)
	dst = append(dst, bytesOf(f.warnings)...)
	dst = append(dst, f.text...)
	return append(dst, "\x00\x00\x00\x00\x00\x00\x00"[:size-text-len(f.text)]...)
}

// Unflatten reads a flat form, its own or a caller's: it is checked throughout, and the nodes may be in any order in which parents come before
// their children. Which moves are legal, and who won by an ending that has no result, is found out anew. fault.Argument for what is no flat form;
// fault.InvalidPosition for a start that boards refuse; fault.IllegalMove for a move after one that the board cannot show.
func Unflatten(data []byte) (*Kifu, error) {
	const op = "record.Unflatten"
	bad := func(format string, args ...any) error { return fault.New(fault.Argument, op, format, args...) }
	if len(data) < headSize {
		return nil, bad("%d bytes, a record has %d or more", len(data), headSize)
	}

	heads := []Head{{}}
	copy(bytesOf(heads), data[:headSize])
	h := heads[0]
	if h.Magic != Magic || uint64(h.Size) > uint64(len(data)) || h.Nodes == 0 {
		return nil, bad("these bytes are no record")
	}
	data = data[:h.Size]
	want := uint64(headSize) + uint64(nodeSize)*uint64(h.Nodes) + uint64(noteSize)*uint64(h.Notes) + uint64(headerSize)*uint64(h.Headers) + uint64(warningSize)*uint64(h.Warnings)
	if want > uint64(len(data)) || uint64(h.Text) != want {
		return nil, bad("%d bytes do not hold what the head says", len(data))
	}
	text := string(data[h.Text:])
	get := func(s span) (string, error) {
		if uint64(s.Offset)+uint64(s.Length) > uint64(len(text)) {
			return "", bad("a text outside the record")
		}
		return text[s.Offset : s.Offset+s.Length], nil
	}
	k := &Kifu{Format: Format(h.Format), Encoding: Encoding(h.Encoding)}
	sfen, err := get(h.Start)
	if err != nil {
		return nil, err
	}
	if sfen == evenSFEN {
		k.Start = board.StartSetup()
	} else if k.Start, err = notation.ParseSetup(sfen, notation.TextSFEN); err != nil {
		return nil, err
	}
	at := headSize
	k.Nodes = make([]Node, h.Nodes)
	at += copy(bytesOf(k.Nodes), data[at:])
	notes := make([]flatNote, h.Notes)
	at += copy(bytesOf(notes), data[at:])
	headers := make([]flatHeader, h.Headers)
	at += copy(bytesOf(headers), data[at:])
	warnings := make([]flatWarning, h.Warnings)
	copy(bytesOf(warnings), data[at:])
	for _, n := range notes {
		words, err := get(n.Text)
		if err != nil {
			return nil, err
		}
		if n.Node >= h.Nodes || n.Kind < uint32(Comment) || n.Kind > uint32(Words) {
			return nil, bad("a note of kind %d at node %d", n.Kind, n.Node)
		}
		k.Notes = append(k.Notes, Note{int32(n.Node), NoteKind(n.Kind), words})
	}
	for _, n := range headers {
		key, err := get(n.Key)
		if err != nil {
			return nil, err
		}
		value, err := get(n.Value)
		if err != nil {
			return nil, err
		}
		k.Headers = append(k.Headers, Header{key, value})
	}
	for _, w := range warnings {
		words, err := get(w.Text)
		if err != nil {
			return nil, err
		}
		if w.Node < -1 || w.Node >= int32(h.Nodes) {
			return nil, bad("a warning at node %d", w.Node)
		}
		k.Warnings = append(k.Warnings, Warning{WarningKind(w.Kind), w.Line, w.Column, w.Node, words})
	}
	if err := k.check(); err != nil {
		return nil, err
	}
	k.sort()
	return k, nil
}

// check looks at the nodes, and finds out which moves are legal and who won.
func (k *Kifu) check() error {
	const op = "record.Unflatten"
	start, err := k.Start.Position()
	if err != nil {
		return err
	}
	if root := &k.Nodes[0]; root.Parent != -1 || root.Move != shogi.MoveNone || root.Ending != EndingNone {
		return fault.New(fault.Argument, op, "the first node is not the start")
	}
	k.Nodes[0].Flags = 0
	p, at := start, int32(0) // the position after a node
	replays := 0
	for i := 1; i < len(k.Nodes); i++ {
		n := &k.Nodes[i]
		if n.Parent < 0 || int(n.Parent) >= i {
			return fault.New(fault.Argument, op, "node %d has the parent %d", i, n.Parent)
		}
		if up := &k.Nodes[n.Parent]; up.Ending != EndingNone {
			return fault.New(fault.Argument, op, "node %d follows an ending", i)
		} else if up.Flags&Unplayed != 0 && n.Ending == EndingNone {
			return fault.New(fault.IllegalMove, op, "node %d follows a move that the board cannot show", i)
		}
		if n.Parent != at {
			p, at = start, n.Parent
			path := k.line(nil, at)
			if replays += len(path); replays > maxReplays {
				return fault.New(fault.Argument, op, "too many variations far from the start")
			}
			for _, j := range path {
				play(&p, &k.Nodes[j])
			}
		}
		if n.TimeMS < -1 || n.TimeMS > MaxTimeMS {
			return fault.New(fault.Argument, op, "node %d has a time of %d ms, want -1..%d", i, n.TimeMS, int64(MaxTimeMS))
		}
		if n.Ending >= EndingCount || (n.Ending == EndingNone) != (n.Move.IsNormal() || n.Move == shogi.MoveNull) || n.Ending != EndingNone && n.Move != shogi.MoveNone {
			return fault.New(fault.Argument, op, "node %d is neither a move nor an ending", i)
		}
		if n.Ending != EndingNone {
			if _, ok := n.Result(); ok {
				n.Flags &= 3 << resultShift
				continue
			}
			n.Flags = 0
			if r, ok := n.Ending.result(p.Turn()); ok {
				n.setResult(r)
			}
			continue
		}
		n.Flags = 0
		switch {
		case n.Move == shogi.MoveNull:
			if p.InCheck() {
				return fault.New(fault.IllegalMove, op, "node %d passes in check", i)
			}
		case !p.IsLegal(n.Move):
			n.Flags = Illegal
			if q := p; !q.Force(n.Move) {
				n.Flags |= Unplayed
			}
		}
		play(&p, n)
		at = int32(i)
	}
	return nil
}

// FlatSize is the size of the flat form at the start of data, 0 when there is none.
func FlatSize(data []byte) int {
	if len(data) < headSize || binary.NativeEndian.Uint32(data) != Magic {
		return 0
	}
	return int(binary.NativeEndian.Uint32(data[4:]))
}
