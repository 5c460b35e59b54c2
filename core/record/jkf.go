package record

import (
	"math"
	"strings"

	"komadori/core/board"
	"komadori/core/notation"
	"komadori/core/shogi"
)

// JKF, JSON棋譜フォーマット: https://github.com/na2hiro/json-kifu-format.

var jsonKinds = map[byte]string{'{': "an object", '[': "a list", '"': "a text", 'n': "a number", 'b': "true or false", 0: "null"}

// want reports a value of another kind than a place has.
func (r *Reader) want(v *value, kind byte, what string) error {
	if v.kind == kind {
		return nil
	}
	return r.fail(int(v.at), "%s is %s, want %s", what, jsonKinds[v.kind], jsonKinds[kind])
}

// whole gives the number of a member within limits; missing is 0 and false.
func (r *Reader) whole(of *value, key string, least, most int) (n int, ok bool, err error) {
	v, ok := r.get(of, key)
	if !ok {
		return 0, false, nil
	}
	if err := r.want(v, 'n', key); err != nil {
		return 0, false, err
	}
	if v.number != math.Trunc(v.number) || v.number < float64(least) || v.number > float64(most) {
		return 0, false, r.fail(int(v.at), "%s is %v, want %d..%d", key, v.number, least, most)
	}
	return int(v.number), true, nil
}

func (r *Reader) jkf() error {
	if err := r.readJSON(); err != nil {
		return err
	}
	root := &r.json[0]
	if err := r.want(root, '{', "the record"); err != nil {
		return err
	}
	if err := r.jkfGame(root); err != nil {
		return err
	}
	if !r.give(nil) {
		return errStopped
	}
	return nil
}

func (r *Reader) jkfGame(root *value) error {
	if header, ok := r.get(root, "header"); ok {
		if err := r.want(header, '{', "header"); err != nil {
			return err
		}
		for i := header.first; i >= 0; i = r.json[i].next {
			if err := r.want(&r.json[i], '"', r.json[i].key); err != nil {
				return err
			}
			r.header(r.json[i].key, r.json[i].text)
		}
	}
	if initial, ok := r.get(root, "initial"); ok {
		if err := r.jkfStart(initial); err != nil {
			return err
		}
	} else if name, ok := r.k.Header("手合割"); ok {
		h, err := board.ParseHandicap(name)
		if err != nil {
			return r.because(int(root.at), err)
		}
		if s, err := h.Setup(); err == nil {
			if err := r.setStart(&s, int(root.at)); err != nil {
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
	moves, ok := r.get(root, "moves")
	if !ok {
		return r.fail(int(root.at), "a record without moves")
	}
	if err := r.want(moves, '[', "moves"); err != nil {
		return err
	}
	first := moves.first
	if first >= 0 {
		entry := &r.json[first]
		if err := r.want(entry, '{', "an entry of moves"); err != nil {
			return err
		}
		_, isMove := r.get(entry, "move")
		_, isEnding := r.get(entry, "special")
		if !isMove && !isEnding {
			if err := r.jkfNotes(entry); err != nil {
				return err
			}
			first = entry.next
		}
	}
	return r.jkfLine(first)
}

// A fork waits until the line that it leaves has been read.
type fork struct{ parent, list int32 }

// jkfLine reads a line of moves from an entry on, then the variations of it.
func (r *Reader) jkfLine(first int32) error {
	var forks []fork
	for i := first; i >= 0; i = r.json[i].next {
		entry := &r.json[i]
		if err := r.want(entry, '{', "an entry of moves"); err != nil {
			return err
		}
		if list, ok := r.get(entry, "forks"); ok {
			if err := r.want(list, '[', "forks"); err != nil {
				return err
			}
			for f := list.first; f >= 0; f = r.json[f].next {
				if err := r.want(&r.json[f], '[', "a fork"); err != nil {
					return err
				}
				forks = append(forks, fork{r.cur, f})
			}
		}
		if err := r.jkfEntry(entry); err != nil {
			return err
		}
	}
	for _, f := range forks {
		list := &r.json[f.list]
		r.branch()
		if err := r.goTo(f.parent, int(list.at)); err != nil {
			return err
		}
		if err := r.jkfLine(list.first); err != nil {
			return err
		}
	}
	return nil
}

func (r *Reader) jkfEntry(entry *value) error {
	timeMS := int64(-1)
	if t, ok := r.get(entry, "time"); ok {
		if err := r.want(t, '{', "time"); err != nil {
			return err
		}
		now, ok := r.get(t, "now")
		if ok {
			if err := r.want(now, '{', "now"); err != nil {
				return err
			}
			timeMS = 0
			for _, part := range [...]struct {
				key  string
				unit float64
			}{{"h", 3600_000}, {"m", 60_000}, {"s", 1000}} {
				if v, ok := r.get(now, part.key); ok {
					if v.kind != 'n' || v.number < 0 {
						return r.fail(int(v.at), "a time that is no number from 0")
					}
					timeMS += int64(math.Round(min(v.number*part.unit, 1<<50)))
				}
			}
		}
	}
	move, isMove := r.get(entry, "move")
	special, isEnding := r.get(entry, "special")
	switch {
	case isMove && isEnding:
		return r.fail(int(special.at), "a move and special in one entry")
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
		if err := r.end(e, special.text, int(special.at), timeMS); err != nil {
			return err
		}
	default:
		if _, ok := r.get(entry, "comments"); ok {
			break
		}
		return r.fail(int(entry.at), "an entry without move, special or comments")
	}
	r.limitTime(timeMS, int(entry.at), r.text[entry.at:])
	return r.jkfNotes(entry)
}

// jkfNotes reads the comments of an entry.
func (r *Reader) jkfNotes(entry *value) error {
	list, ok := r.get(entry, "comments")
	if !ok {
		return nil
	}
	if err := r.want(list, '[', "comments"); err != nil {
		return err
	}
	for i := list.first; i >= 0; i = r.json[i].next {
		c := &r.json[i]
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
		return shogi.NoSquare, r.fail(int(v.at), "%s without x or y", what)
	}
	return shogi.MakeSquare(shogi.File(x-1), shogi.Rank(y-1)), nil
}

func (r *Reader) jkfMove(v *value, timeMS int64) error {
	if err := r.want(v, '{', "move"); err != nil {
		return err
	}
	if err := r.open(int(v.at)); err != nil {
		return err
	}
	w := notation.Words{Style: notation.KIF, From: shogi.NoSquare, To: shogi.NoSquare}
	piece, ok := r.get(v, "piece")
	if !ok || piece.kind != '"' || len(piece.text) != 2 {
		return r.fail(int(v.at), "a move without the two letters of a piece")
	}
	if w.Kind = csaKind(piece.text[0], piece.text[1]); w.Kind == shogi.NoPieceType {
		return r.fail(int(piece.at), "%q is no piece", clip(piece.text))
	}
	color, hasColor, err := r.whole(v, "color", 0, 1)
	if err != nil {
		return err
	}
	w.HasColor, w.Color = hasColor, shogi.Color(color)
	if same, ok := r.get(v, "same"); ok {
		if err := r.want(same, 'b', "same"); err != nil {
			return err
		}
		w.Same = same.is
	}
	if to, ok := r.get(v, "to"); ok {
		if w.To, err = r.place(to, "to"); err != nil {
			return err
		}
	} else if !w.Same {
		return r.fail(int(v.at), "a move without to")
	}
	relative := ""
	if rel, ok := r.get(v, "relative"); ok {
		if err := r.want(rel, '"', "relative"); err != nil {
			return err
		}
		relative = rel.text
	}
	if from, ok := r.get(v, "from"); ok {
		if w.From, err = r.place(from, "from"); err != nil {
			return err
		}
		if w.From == w.To {
			return r.fail(int(from.at), "a move from a square to itself")
		}
	} else if relative == "" || relative == "H" {
		w.Drop = true
	} else {
		for _, c := range relative {
			mark, ok := jkfMarks[c]
			if !ok {
				return r.fail(int(v.at), "relative %q, want letters of LCRUMDH", clip(relative))
			}
			w.Marks |= mark
		}
	}
	if promote, ok := r.get(v, "promote"); ok {
		if err := r.want(promote, 'b', "promote"); err != nil {
			return err
		}
		if w.Promotion = notation.Declines; promote.is {
			w.Promotion = notation.Promotes
		}
	}
	return r.move(&w, int(v.at), timeMS)
}

var jkfMarks = map[rune]notation.Marks{'L': notation.Left, 'C': notation.Straight, 'R': notation.Right, 'U': notation.Up, 'M': notation.Sideways, 'D': notation.Back}

func (r *Reader) jkfStart(initial *value) error {
	if err := r.want(initial, '{', "initial"); err != nil {
		return err
	}
	name, ok := r.get(initial, "preset")
	if !ok {
		return r.fail(int(initial.at), "initial without preset")
	}
	if err := r.want(name, '"', "preset"); err != nil {
		return err
	}
	h, err := board.ParseHandicap(name.text)
	if err != nil {
		return r.fail(int(name.at), "%q is no preset", clip(name.text))
	}
	data, ok := r.get(initial, "data")
	if h != board.HandicapOther || !ok {
		s, err := h.Setup()
		if err != nil {
			return r.fail(int(initial.at), "preset OTHER without data")
		}
		return r.setStart(&s, int(initial.at))
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
	files, ok := r.get(data, "board")
	if !ok || files.kind != '[' || files.count != 9 {
		return r.fail(int(data.at), "board is no list of nine files")
	}
	for i, f := files.first, 0; i >= 0; i, f = r.json[i].next, f+1 {
		file := &r.json[i]
		if file.kind != '[' || file.count != 9 {
			return r.fail(int(file.at), "file %d of board is no list of nine squares", f+1)
		}
		for j, rank := file.first, 0; j >= 0; j, rank = r.json[j].next, rank+1 {
			cell := &r.json[j]
			if err := r.want(cell, '{', "a square"); err != nil {
				return err
			}
			kind, ok := r.get(cell, "kind")
			if !ok {
				continue
			}
			c, hasColor, err := r.whole(cell, "color", 0, 1)
			if err != nil {
				return err
			}
			if kind.kind != '"' || len(kind.text) != 2 || csaKind(kind.text[0], kind.text[1]) == shogi.NoPieceType || !hasColor {
				return r.fail(int(cell.at), "a square without the kind or the color of its piece")
			}
			s.Board[9*f+rank] = shogi.MakePiece(shogi.Color(c), csaKind(kind.text[0], kind.text[1]))
		}
	}
	hands, ok := r.get(data, "hands")
	if !ok || hands.kind != '[' || hands.count != 2 {
		return r.fail(int(data.at), "hands is no list of two")
	}
	for i, c := hands.first, shogi.Black; i >= 0; i, c = r.json[i].next, c+1 {
		hand := &r.json[i]
		if err := r.want(hand, '{', "a hand"); err != nil {
			return err
		}
		for j := hand.first; j >= 0; j = r.json[j].next {
			item := &r.json[j]
			var kind shogi.PieceType
			if len(item.key) == 2 {
				kind = csaKind(item.key[0], item.key[1])
			}
			if kind < shogi.Pawn || kind > shogi.Gold {
				return r.fail(int(item.at), "%q cannot be in hand", clip(item.key))
			}
			n, _, err := r.whole(hand, item.key, 0, board.HandRoom(kind))
			if err != nil {
				return err
			}
			if err := s.SetHand(c, kind, n); err != nil {
				return r.because(int(item.at), err)
			}
		}
	}
	return r.setStart(&s, int(data.at))
}
