package record

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/notation"
	"komadori/core/shogi"
)

// presets are JKF's names of the handicaps.
var presets = [board.HandicapCount]string{"HIRATE", "KY", "KY_R", "KA", "HI", "HIKY", "2", "3", "4", "5", "5_L", "6", "7_L", "7_R", "8", "10", "OTHER"}

// relatives are JKF's letters for the suffixes of KI2, in the order of its numbers.
var relatives = [16]string{"", "U", "D", "M", "C", "R", "L", "RU", "RD", "LU", "LD", "H"}

func (w *writer) quoted(text string) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil { // a string can be written
		panic(err)
	}
	w.out = append(w.out, bytes.TrimRight(b.Bytes(), "\n")...)
}

func (w *writer) raw(text string) { w.out = append(w.out, text...) }

func (w *writer) jkf() error {
	w.raw(`{"header":{`)
	seen := map[string]bool{}
	for i := range w.k.Headers {
		h := &w.k.Headers[i]
		if seen[h.Key] || h.Key == "手合割" {
			w.lose("header %s", h.Key)
			continue
		}
		if len(seen) > 0 {
			w.raw(",")
		}
		seen[h.Key] = true
		w.quoted(h.Key)
		w.raw(":")
		w.quoted(h.Value)
	}
	w.raw(`},"initial":{"preset":`)
	if w.k.Start.Ply != 1 {
		w.lose("ply %d of the start", w.k.Start.Ply)
	}
	h := w.handicap()
	w.quoted(presets[h])
	if h == board.HandicapOther {
		w.jkfData(&w.k.Start)
	}
	w.raw(`},"moves":[{`)
	w.jkfComments(0, false)
	w.raw("}")
	var used [2]int64
	if w.first[0] >= 0 {
		if err := w.jkfLine(w.first[0], true, w.start, used, 0); err != nil {
			return err
		}
	}
	w.raw("]}\n")
	return nil
}

func (w *writer) jkfData(s *board.Setup) {
	w.raw(`,"data":{"color":` + strconv.Itoa(int(s.Turn)) + `,"board":[`)
	for f := range 9 {
		w.raw([...]string{"[", ",["}[min(f, 1)])
		for r := range 9 {
			w.raw([...]string{"{", ",{"}[min(r, 1)])
			if piece := s.Board[9*f+r]; !piece.IsEmpty() {
				w.raw(`"color":` + strconv.Itoa(int(piece.Color())) + `,"kind":"` + csaKindNames[piece.Type()] + `"`)
			}
			w.raw("}")
		}
		w.raw("]")
	}
	w.raw(`],"hands":[`)
	for c := range s.Hands {
		w.raw([...]string{"{", ",{"}[min(c, 1)])
		for t := shogi.Pawn; t <= shogi.Gold; t++ {
			if t > shogi.Pawn {
				w.raw(",")
			}
			w.raw(`"` + csaKindNames[t] + `":` + strconv.Itoa(s.Hands[c].Count(t)))
		}
		w.raw("}")
	}
	w.raw("]}")
}

// jkfLine writes the entries of a line, each with the forks that leave it.
func (w *writer) jkfLine(node int32, follows bool, p board.Position, used [2]int64, nesting int) error {
	if nesting > maxDepth/4 {
		return fault.New(fault.InvalidValue, "record.Write", "variations of variations deeper than %d", maxDepth/4)
	}
	for at := node; at >= 0; at = w.first[at] {
		n := &w.k.Nodes[at]
		if follows {
			w.raw(",")
		}
		follows = true
		w.raw("{")
		mover := p.Turn()
		before := used
		if n.Ending == EndingNone {
			if err := w.jkfMove(&p, at); err != nil {
				return err
			}
		} else {
			w.raw(`"special":`)
			w.quoted(w.jkfSpecial(at, mover))
		}
		if n.TimeMS >= 0 {
			s := w.seconds(n.TimeMS)
			used[mover] += s
			w.raw(`,"time":{"now":` + jkfTime(s, false) + `,"total":` + jkfTime(used[mover], true) + "}")
		}
		w.jkfComments(at, true)
		if w.next[at] >= 0 && (at != node || nesting == 0) { // those of a fork's first node stand beside it
			if err := w.jkfForks(at, p, before, nesting); err != nil {
				return err
			}
		}
		w.raw("}")
		play(&p, n)
	}
	return nil
}

func (w *writer) jkfForks(node int32, p board.Position, used [2]int64, nesting int) error {
	w.raw(`,"forks":[`)
	for s, first := w.next[node], true; s >= 0; s, first = w.next[s], false {
		if !first {
			w.raw(",")
		}
		w.raw("[")
		if err := w.jkfLine(s, false, p, used, nesting+1); err != nil {
			return err
		}
		w.raw("]")
	}
	w.raw("]")
	return nil
}

func jkfTime(s int64, hours bool) string {
	if hours || s >= 3600 {
		return `{"h":` + strconv.FormatInt(s/3600, 10) + `,"m":` + strconv.FormatInt(s/60%60, 10) + `,"s":` + strconv.FormatInt(s%60, 10) + "}"
	}
	return `{"m":` + strconv.FormatInt(s/60, 10) + `,"s":` + strconv.FormatInt(s%60, 10) + "}"
}

// jkfComments writes the comments of a node, a line each, bookmarks among them with a &.
func (w *writer) jkfComments(node int32, follows bool) {
	n := 0
	for _, i := range w.notes[node] {
		note := &w.k.Notes[i]
		if note.Kind != Comment && note.Kind != Bookmark {
			w.loseNote(note)
			continue
		}
		for _, line := range strings.Split(note.Text, "\n") {
			if n++; n > 1 {
				w.raw(",")
			} else if follows {
				w.raw(`,"comments":[`)
			} else {
				w.raw(`"comments":[`)
			}
			if note.Kind == Bookmark {
				line = "&" + line
			} else if strings.HasPrefix(line, "&") {
				w.lost[lostComments]++ // it is read as a bookmark
			}
			w.quoted(line)
		}
	}
	if n > 0 {
		w.raw("]")
	}
}

// jkfSpecial is the word of an ending: CSA's without %, else that of KIF.
func (w *writer) jkfSpecial(node int32, turn shogi.Color) string {
	n := &w.k.Nodes[node]
	words, _ := w.k.notes(w.notes, node, Words)
	if n.Ending == Other {
		if _, decided := n.Result(); decided {
			w.lost[lostResults]++
		}
		return words
	}
	w.loseWords(node)
	won, decided := n.Result()
	if means, fixed := n.Ending.result(turn); decided != fixed || decided && won != means {
		w.lost[lostResults]++
	}
	if n.Ending == IllegalMoveBefore {
		return csaSigns[turn^1:turn^1+1] + "ILLEGAL_ACTION"
	}
	if word := n.Ending.CSA(); word != "" {
		return word
	}
	return n.Ending.Japanese()
}

func (w *writer) jkfMove(p *board.Position, node int32) error {
	n := &w.k.Nodes[node]
	m := n.Move
	if m == shogi.MoveNull {
		return w.unwritable(node, "it has no pass")
	}
	square := func(sq shogi.Square) string {
		return `{"x":` + strconv.Itoa(int(sq.File())+1) + `,"y":` + strconv.Itoa(int(sq.Rank())+1) + "}"
	}
	w.raw(`"move":{"color":` + strconv.Itoa(int(p.Turn())))
	kind := m.DroppedType()
	if !m.IsDrop() {
		piece := p.PieceAt(m.From())
		if piece.IsEmpty() || piece.Color() != p.Turn() {
			return w.unwritable(node, "no piece of the side to move stands there")
		}
		kind = piece.Type()
		w.raw(`,"from":` + square(m.From()))
	}
	w.raw(`,"to":` + square(m.To()) + `,"piece":"` + csaKindNames[kind] + `"`)
	previous := w.k.previous(n.Parent)
	if m.To() == previous {
		w.raw(`,"same":true`)
	}
	if captured := p.PieceAt(m.To()); !captured.IsEmpty() {
		w.raw(`,"capture":"` + csaKindNames[captured.Type()] + `"`)
	}
	if n.Flags&Illegal == 0 {
		words, err := notation.Ki2Of(p, previous, m)
		if err != nil {
			return w.unwritable(node, fault.Detail(err))
		}
		switch words.Promotion() {
		case notation.Promotes:
			w.raw(`,"promote":true`)
		case notation.Declines:
			w.raw(`,"promote":false`)
		}
		if relative := relatives[words>>13&15]; relative != "" {
			w.raw(`,"relative":"` + relative + `"`)
		}
	} else if m.IsPromotion() {
		w.raw(`,"promote":true`)
	}
	w.raw("}")
	return nil
}
