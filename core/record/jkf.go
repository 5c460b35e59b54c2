package record

import (
	"encoding/json"
	"io"
	"math"
	"strings"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/notation"
	"komadori/core/shogi"
)

// JKF, JSON棋譜フォーマット: https://github.com/na2hiro/json-kifu-format.

// A value is a JSON value and where it begins. Objects keep their order.
type value struct {
	at     int
	kind   byte // { [ " n (number) b (boolean) 0 (null)
	text   string
	number float64
	is     bool
	keys   []string // of an object
	values []value  // of an object or an array
}

const maxDepth = 50_000 // of JSON: as deep as variations of variations go

// jsonReader reads one JSON value with places.
type jsonReader struct {
	text    string
	decoder *json.Decoder
}

// read gives the next value. An error has its place.
func (j *jsonReader) read(depth int) (value, error) {
	at := int(j.decoder.InputOffset())
	for at < len(j.text) && strings.IndexByte(" \t\r\n:,", j.text[at]) >= 0 {
		at++
	}
	if depth > maxDepth {
		return value{}, errorAt(j.text, at, fault.Parse, "nested deeper than %d", maxDepth)
	}
	token, err := j.decoder.Token()
	if err != nil {
		return value{}, j.fail(err)
	}
	v := value{at: at}
	switch t := token.(type) {
	case json.Delim:
		v.kind = byte(t)
		for j.decoder.More() {
			if v.kind == '{' {
				key, err := j.decoder.Token()
				if err != nil {
					return v, j.fail(err)
				}
				name, _ := key.(string)
				v.keys = append(v.keys, name)
			}
			item, err := j.read(depth + 1)
			if err != nil {
				return v, err
			}
			v.values = append(v.values, item)
		}
		if _, err := j.decoder.Token(); err != nil {
			return v, j.fail(err)
		}
	case string:
		v.kind, v.text = '"', t
	case float64:
		v.kind, v.number = 'n', t
	case bool:
		v.kind, v.is = 'b', t
	}
	return v, nil
}

func (j *jsonReader) fail(err error) error {
	at := int(j.decoder.InputOffset())
	if s, ok := err.(*json.SyntaxError); ok {
		at = int(s.Offset)
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errorAt(j.text, len(j.text), fault.Parse, "the text ends within the record")
	}
	return errorAt(j.text, min(at, len(j.text)), fault.Parse, "%s", strings.TrimPrefix(err.Error(), "json: "))
}

// get gives a member of an object; false where it is missing or null.
func (v *value) get(key string) (*value, bool) {
	for i := len(v.keys) - 1; i >= 0; i-- {
		if v.keys[i] == key {
			return &v.values[i], v.values[i].kind != 0
		}
	}
	return nil, false
}

var jsonKinds = map[byte]string{'{': "an object", '[': "a list", '"': "a text", 'n': "a number", 'b': "true or false", 0: "null"}

// want reports a value of another kind than a place has.
func (r *Reader) want(v *value, kind byte, what string) error {
	if v.kind == kind {
		return nil
	}
	return r.fail(v.at, "%s is %s, want %s", what, jsonKinds[v.kind], jsonKinds[kind])
}

// whole gives the number of a member within limits; missing is 0 and false.
func (r *Reader) whole(of *value, key string, least, most int) (n int, ok bool, err error) {
	v, ok := of.get(key)
	if !ok {
		return 0, false, nil
	}
	if err := r.want(v, 'n', key); err != nil {
		return 0, false, err
	}
	if v.number != math.Trunc(v.number) || v.number < float64(least) || v.number > float64(most) {
		return 0, false, r.fail(v.at, "%s is %v, want %d..%d", key, v.number, least, most)
	}
	return int(v.number), true, nil
}

func (r *Reader) jkf() error {
	decoder := json.NewDecoder(strings.NewReader(r.text))
	j := jsonReader{r.text, decoder}
	root, err := j.read(0)
	if err != nil {
		return err
	}
	if rest := r.text[decoder.InputOffset():]; strings.Trim(rest, " \t\r\n") != "" {
		return r.fail(int(decoder.InputOffset()), "%q after the record", clip(strings.TrimLeft(rest, " \t\r\n")))
	}
	if err := r.want(&root, '{', "the record"); err != nil {
		return err
	}
	if err := r.jkfGame(&root); err != nil {
		return err
	}
	if !r.give(nil) {
		return errStopped
	}
	return nil
}

func (r *Reader) jkfGame(root *value) error {
	if header, ok := root.get("header"); ok {
		if err := r.want(header, '{', "header"); err != nil {
			return err
		}
		for i, key := range header.keys {
			if err := r.want(&header.values[i], '"', key); err != nil {
				return err
			}
			r.header(key, header.values[i].text)
		}
	}
	if initial, ok := root.get("initial"); ok {
		if err := r.jkfStart(initial); err != nil {
			return err
		}
	} else if name, ok := r.k.Header("手合割"); ok {
		h, err := board.ParseHandicap(name)
		if err != nil {
			return r.because(root.at, err)
		}
		if s, err := h.Setup(); err == nil {
			if err := r.setStart(&s, root.at); err != nil {
				return err
			}
		}
	}
	for i := range r.k.Headers { // it says what initial says
		if r.k.Headers[i].Key == "手合割" {
			r.k.Headers = append(r.k.Headers[:i], r.k.Headers[i+1:]...)
			break
		}
	}
	moves, ok := root.get("moves")
	if !ok {
		return r.fail(root.at, "a record without moves")
	}
	if err := r.want(moves, '[', "moves"); err != nil {
		return err
	}
	line := moves.values
	if len(line) > 0 {
		if err := r.want(&line[0], '{', "an entry of moves"); err != nil {
			return err
		}
		if _, isMove := line[0].get("move"); !isMove {
			if _, isEnding := line[0].get("special"); !isEnding {
				if err := r.jkfNotes(&line[0]); err != nil {
					return err
				}
				line = line[1:]
			}
		}
	}
	return r.jkfLine(line)
}

// A fork waits until the line that it leaves has been read.
type fork struct {
	parent int32
	line   *value
}

// jkfLine reads a line of moves, then the variations of it.
func (r *Reader) jkfLine(line []value) error {
	var forks []fork
	for i := range line {
		entry := &line[i]
		if err := r.want(entry, '{', "an entry of moves"); err != nil {
			return err
		}
		parent := r.cur
		if list, ok := entry.get("forks"); ok {
			if err := r.want(list, '[', "forks"); err != nil {
				return err
			}
			for f := range list.values {
				if err := r.want(&list.values[f], '[', "a fork"); err != nil {
					return err
				}
				forks = append(forks, fork{parent, &list.values[f]})
			}
		}
		if err := r.jkfEntry(entry); err != nil {
			return err
		}
	}
	for _, f := range forks {
		r.branch()
		if err := r.goTo(f.parent, f.line.at); err != nil {
			return err
		}
		if err := r.jkfLine(f.line.values); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reader) jkfEntry(entry *value) error {
	timeMS := int64(-1)
	if t, ok := entry.get("time"); ok {
		if err := r.want(t, '{', "time"); err != nil {
			return err
		}
		now, ok := t.get("now")
		if ok {
			if err := r.want(now, '{', "now"); err != nil {
				return err
			}
			timeMS = 0
			for key, unit := range map[string]float64{"h": 3600_000, "m": 60_000, "s": 1000} {
				if v, ok := now.get(key); ok {
					if v.kind != 'n' || v.number < 0 || v.number > 1e6 {
						return r.fail(v.at, "a time that is no number from 0")
					}
					timeMS += int64(math.Round(v.number * unit))
				}
			}
		}
	}
	move, isMove := entry.get("move")
	special, isEnding := entry.get("special")
	switch {
	case isMove && isEnding:
		return r.fail(special.at, "a move and special in one entry")
	case isMove:
		if err := r.jkfMove(move, timeMS); err != nil {
			return err
		}
	case isEnding:
		if err := r.want(special, '"', "special"); err != nil {
			return err
		}
		e, ok := csaEndings[special.text]
		if !ok {
			if e, ok = kifEndings[special.text]; !ok {
				e = Other
			}
		}
		turn := r.pos.Turn()
		for _, c := range [...]shogi.Color{shogi.Black, shogi.White} {
			if special.text == csaSigns[c:c+1]+"ILLEGAL_ACTION" {
				e = IllegalMoveBefore
				if c == turn {
					e = IllegalMove
				}
			}
		}
		if err := r.end(e, special.text, special.at, timeMS); err != nil {
			return err
		}
	default:
		if len(entry.keys) > 0 {
			if _, ok := entry.get("comments"); ok {
				break
			}
		}
		return r.fail(entry.at, "an entry without move, special or comments")
	}
	return r.jkfNotes(entry)
}

// jkfNotes reads the comments of an entry.
func (r *Reader) jkfNotes(entry *value) error {
	list, ok := entry.get("comments")
	if !ok {
		return nil
	}
	if err := r.want(list, '[', "comments"); err != nil {
		return err
	}
	for i := range list.values {
		c := &list.values[i]
		if err := r.want(c, '"', "a comment"); err != nil {
			return err
		}
		for _, line := range strings.Split(c.text, "\n") {
			if mark, ok := strings.CutPrefix(line, "&"); ok {
				r.note(Bookmark, mark)
			} else {
				r.note(Comment, line)
			}
		}
	}
	return nil
}

// place reads a square {x, y}.
func (r *Reader) place(v *value, what string) (shogi.Square, error) {
	if err := r.want(v, '{', what); err != nil {
		return shogi.NoSquare, err
	}
	x, hasX, err := r.whole(v, "x", 1, 9)
	if err != nil {
		return shogi.NoSquare, err
	}
	y, hasY, err := r.whole(v, "y", 1, 9)
	if err != nil {
		return shogi.NoSquare, err
	}
	if !hasX || !hasY {
		return shogi.NoSquare, r.fail(v.at, "%s without x or y", what)
	}
	return shogi.MakeSquare(shogi.File(x-1), shogi.Rank(y-1)), nil
}

func (r *Reader) jkfMove(v *value, timeMS int64) error {
	if err := r.want(v, '{', "move"); err != nil {
		return err
	}
	if err := r.open(v.at); err != nil {
		return err
	}
	w := notation.Words{Style: notation.KIF, From: shogi.NoSquare, To: shogi.NoSquare}
	piece, ok := v.get("piece")
	if !ok || piece.kind != '"' || len(piece.text) != 2 {
		return r.fail(v.at, "a move without the two letters of a piece")
	}
	if w.Kind = csaKinds[uint16(piece.text[0])<<8|uint16(piece.text[1])]; w.Kind == shogi.NoPieceType {
		return r.fail(piece.at, "%q is no piece", clip(piece.text))
	}
	color, hasColor, err := r.whole(v, "color", 0, 1)
	if err != nil {
		return err
	}
	w.HasColor, w.Color = hasColor, shogi.Color(color)
	if same, ok := v.get("same"); ok {
		if err := r.want(same, 'b', "same"); err != nil {
			return err
		}
		w.Same = same.is
	}
	if to, ok := v.get("to"); ok {
		if w.To, err = r.place(to, "to"); err != nil {
			return err
		}
	} else if !w.Same {
		return r.fail(v.at, "a move without to")
	}
	relative := ""
	if rel, ok := v.get("relative"); ok {
		if err := r.want(rel, '"', "relative"); err != nil {
			return err
		}
		relative = rel.text
	}
	if from, ok := v.get("from"); ok {
		if w.From, err = r.place(from, "from"); err != nil {
			return err
		}
		if w.From == w.To {
			return r.fail(from.at, "a move from a square to itself")
		}
	} else if relative == "" || relative == "H" {
		w.Drop = true
	} else {
		for _, c := range relative {
			mark, ok := jkfMarks[c]
			if !ok {
				return r.fail(v.at, "relative %q, want letters of LCRUMDH", clip(relative))
			}
			w.Marks |= mark
		}
	}
	if promote, ok := v.get("promote"); ok {
		if err := r.want(promote, 'b', "promote"); err != nil {
			return err
		}
		if w.Promotion = notation.Declines; promote.is {
			w.Promotion = notation.Promotes
		}
	}
	return r.move(&w, v.at, timeMS)
}

var jkfMarks = map[rune]notation.Marks{'L': notation.Left, 'C': notation.Straight, 'R': notation.Right, 'U': notation.Up, 'M': notation.Sideways, 'D': notation.Back}

func (r *Reader) jkfStart(initial *value) error {
	if err := r.want(initial, '{', "initial"); err != nil {
		return err
	}
	name, ok := initial.get("preset")
	if !ok {
		return r.fail(initial.at, "initial without preset")
	}
	if err := r.want(name, '"', "preset"); err != nil {
		return err
	}
	h, err := board.ParseHandicap(name.text)
	if err != nil {
		return r.fail(name.at, "%q is no preset", clip(name.text))
	}
	data, ok := initial.get("data")
	if h != board.HandicapOther || !ok {
		s, err := h.Setup()
		if err != nil {
			return r.fail(initial.at, "preset OTHER without data")
		}
		return r.setStart(&s, initial.at)
	}
	if err := r.want(data, '{', "data"); err != nil {
		return err
	}
	s := board.EmptySetup()
	color, _, err := r.whole(data, "color", 0, 1)
	if err != nil {
		return err
	}
	s.Turn = shogi.Color(color)
	files, ok := data.get("board")
	if !ok || files.kind != '[' || len(files.values) != 9 {
		return r.fail(data.at, "board is no list of nine files")
	}
	for f := range files.values {
		file := &files.values[f]
		if file.kind != '[' || len(file.values) != 9 {
			return r.fail(file.at, "file %d of board is no list of nine squares", f+1)
		}
		for rank := range file.values {
			cell := &file.values[rank]
			if err := r.want(cell, '{', "a square"); err != nil {
				return err
			}
			kind, ok := cell.get("kind")
			if !ok {
				continue
			}
			c, hasColor, err := r.whole(cell, "color", 0, 1)
			if err != nil {
				return err
			}
			if kind.kind != '"' || len(kind.text) != 2 || csaKinds[uint16(kind.text[0])<<8|uint16(kind.text[1])] == shogi.NoPieceType || !hasColor {
				return r.fail(cell.at, "a square without the kind or the color of its piece")
			}
			s.Board[9*f+rank] = shogi.MakePiece(shogi.Color(c), csaKinds[uint16(kind.text[0])<<8|uint16(kind.text[1])])
		}
	}
	hands, ok := data.get("hands")
	if !ok || hands.kind != '[' || len(hands.values) != 2 {
		return r.fail(data.at, "hands is no list of two")
	}
	for c := range hands.values {
		hand := &hands.values[c]
		if err := r.want(hand, '{', "a hand"); err != nil {
			return err
		}
		for i, key := range hand.keys {
			var kind shogi.PieceType
			if len(key) == 2 {
				kind = csaKinds[uint16(key[0])<<8|uint16(key[1])]
			}
			if kind < shogi.Pawn || kind > shogi.Gold {
				return r.fail(hand.values[i].at, "%q cannot be in hand", clip(key))
			}
			n, _, err := r.whole(hand, key, 0, board.HandRoom(kind))
			if err != nil {
				return err
			}
			if err := s.SetHand(shogi.Color(c), kind, n); err != nil {
				return r.because(hand.values[i].at, err)
			}
		}
	}
	return r.setStart(&s, data.at)
}
