package book

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/notation"
	"komadori/core/shogi"
)

// A text is a DB2016 book: lines "sfen" and an SFEN, each followed by the lines of its moves,
//
//	move reply score depth count
//
// where all but the move may be missing or "none". Blanks run together; # begins a comment, the head line among them; lines end with or
// without carriage return; a byte order mark may stand at the beginning.
//
// Books in order have their SFEN lines sorted as bytes, as YaneuraOu writes them. They then stand in order without their move numbers
// too, for a blank comes before all other bytes of an SFEN.
type text struct {
	reader  io.ReaderAt
	size    int64
	index   []indexed // by key, then ply, then place; unused when sorted
	sorted  bool
	section io.SectionReader
	lines   *bufio.Reader
}

// An indexed is where a position's moves begin.
type indexed struct {
	key uint64
	at  int64
	ply int32
}

const (
	maxLine    = 4096 // bytes of a line that can be read
	sampleSize = 1000
)

const opText = "book.New"

func newText(r io.ReaderAt, size, indexAbove int64) (*text, error) {
	t := &text{reader: r, size: size, lines: bufio.NewReaderSize(nil, maxLine)}
	if indexAbove == 0 {
		indexAbove = defaultIndexAbove
	}
	if size > indexAbove {
		ordered, err := t.seemsOrdered()
		if err != nil || ordered {
			t.sorted = ordered
			return t, err
		}
	}
	return t, t.scan()
}

func (t *text) format() string { return "DB2016" }

func (t *text) len() int {
	if t.sorted {
		return -1
	}
	return len(t.index)
}

// seek begins reading lines at a place.
func (t *text) seek(at int64) {
	t.section = *io.NewSectionReader(t.reader, at, t.size-at)
	t.lines.Reset(&t.section)
}

// line reads the next line, without its end and its comment, trimmed. It is good until the next call. n is the bytes it takes in the file; 0 at
// the end. A line that is too long is an error unless it is a comment.
func (t *text) line(at int64) (line []byte, n int64, err error) {
	line, err = t.lines.ReadSlice('\n')
	n = int64(len(line))
	long := errors.Is(err, bufio.ErrBufferFull)
	if long {
		line = slices.Clone(line[:64]) // enough to see whether it is a comment
	}
	for errors.Is(err, bufio.ErrBufferFull) {
		var rest []byte
		rest, err = t.lines.ReadSlice('\n')
		n += int64(len(rest))
	}
	if err != nil && err != io.EOF {
		return nil, 0, err
	}
	if at == 0 {
		line = bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF"))
	}
	line = bytes.TrimSpace(line)
	if i := bytes.IndexByte(line, '#'); i >= 0 {
		line = bytes.TrimSpace(line[:i])
	} else if long {
		return nil, 0, fault.New(fault.Parse, opText, "a line of %d bytes, want at most %d", n, maxLine).At(int(at))
	}
	return line, n, nil
}

var sfenWord = []byte("sfen ")

// scan reads the whole book once, checks it and makes the index.
func (t *text) scan() error {
	t.seek(0)
	var position board.Position
	for at := int64(0); ; {
		line, n, err := t.line(at)
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
		switch {
		case len(line) == 0:
		case bytes.HasPrefix(line, sfenWord):
			if position, err = notation.ParsePosition(string(line)); err != nil {
				return fault.New(fault.Parse, opText, "no position: %s", fault.Detail(err)).At(int(at))
			}
			t.index = append(t.index, indexed{position.Key(), at + n, int32(position.Ply())})
		case len(t.index) == 0:
			return fault.New(fault.Parse, opText, "%.40q before the first position, want a line that begins with sfen", line).At(int(at))
		default:
			if _, err := parseMove(line, at); err != nil {
				return err
			}
		}
		at += n
	}
	slices.SortFunc(t.index, func(a, b indexed) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.ply, b.ply), cmp.Compare(a.at, b.at))
	})
	return nil
}

// parseMove reads a line of a move.
func parseMove(line []byte, at int64) (Move, error) {
	var room [8]string
	fields := room[:0]
	for f := range bytes.FieldsSeq(line) {
		if len(fields) == cap(fields) {
			break // what else stands there says nothing that this library knows
		}
		fields = append(fields, string(f))
	}
	m := Move{Score: NoScore}
	var err error
	if m.Move, err = parseWord(fields[0]); err != nil {
		return m, fault.New(fault.Parse, opText, "%.40q, want a move such as 7g7f", fields[0]).At(int(at))
	}
	if len(fields) > 1 {
		if m.Reply, err = parseWord(fields[1]); err != nil {
			return m, fault.New(fault.Parse, opText, "%.40q, want a reply such as 3c3d, or none", fields[1]).At(int(at))
		}
	}
	for i, name := range []string{"score", "depth", "count"} {
		if len(fields) <= i+2 || strings.EqualFold(fields[i+2], "none") {
			continue
		}
		n, err := strconv.ParseInt(fields[i+2], 10, 64)
		if err != nil || i > 0 && n < 0 {
			return m, fault.New(fault.Parse, opText, "%s %.40q, want a number or none", name, fields[i+2]).At(int(at))
		}
		switch i {
		case 0:
			m.Score = int32(max(math.MinInt32+1, min(math.MaxInt32, n)))
		case 1:
			m.Depth = int32(min(math.MaxInt32, n))
		case 2:
			m.Count = uint32(min(math.MaxUint32, n))
		}
	}
	return m, nil
}

// parseWord reads a move; none, and the words resign and win, which are no moves on the board, are MoveNone.
func parseWord(word string) (shogi.Move, error) {
	switch strings.ToLower(word) {
	case "none", "resign", "win":
		return shogi.MoveNone, nil
	}
	return shogi.ParseMove(word)
}

// find looks a position up.
func (t *text) find(p *board.Position, ignorePly bool) ([]Move, error) {
	at, err := t.place(p, ignorePly)
	if err != nil || at < 0 {
		return nil, err
	}
	var moves []Move
	t.seek(at)
	for {
		line, n, err := t.line(at)
		if err != nil {
			return nil, err
		}
		if n == 0 || bytes.HasPrefix(line, sfenWord) {
			return moves, nil
		}
		if len(line) > 0 {
			m, err := parseMove(line, at)
			if err != nil {
				return nil, err
			}
			moves = append(moves, m)
		}
		at += n
	}
}

// place is where the moves of a position begin, or -1.
func (t *text) place(p *board.Position, ignorePly bool) (int64, error) {
	if t.sorted {
		return t.placeOnDisk(p, ignorePly)
	}
	first := sort.Search(len(t.index), func(i int) bool { return t.index[i].key >= p.Key() })
	best := int64(-1)
	for _, e := range t.index[first:] {
		if e.key != p.Key() {
			break
		}
		if int(e.ply) == p.Ply() {
			return e.at, nil
		}
		if ignorePly && best < 0 {
			best = e.at
		}
	}
	return best, nil
}

// nextPosition finds the first line of a position that begins at or after a place. at is -1 when there is none.
func (t *text) nextPosition(from int64) (sfen []byte, at, after int64, err error) {
	// One byte earlier: whether a line begins at from is told by the byte before it.
	at = max(from-1, 0)
	t.seek(at)
	if from > 0 {
		for {
			skipped, err := t.lines.ReadSlice('\n')
			at += int64(len(skipped))
			if err == nil {
				break
			}
			if err == io.EOF {
				return nil, -1, 0, nil
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				return nil, 0, 0, err
			}
		}
	}
	for {
		line, n, err := t.line(at)
		if err != nil {
			return nil, 0, 0, err
		}
		if n == 0 {
			return nil, -1, 0, nil
		}
		if bytes.HasPrefix(line, sfenWord) {
			return bytes.TrimLeft(line[len(sfenWord):], " \t"), at, at + n, nil
		}
		at += n
	}
}

// withoutPly cuts the last field off when it is a number.
func withoutPly(sfen []byte) []byte {
	if i := bytes.LastIndexByte(sfen, ' '); i >= 0 && len(sfen) > i+1 && sfen[i+1] >= '0' && sfen[i+1] <= '9' && bytes.Count(sfen, []byte(" ")) >= 3 {
		return sfen[:i]
	}
	return sfen
}

// placeOnDisk searches a sorted book.
func (t *text) placeOnDisk(p *board.Position, ignorePly bool) (int64, error) {
	wanted := notation.AppendPosition(nil, p)
	wanted = wanted[:bytes.LastIndexByte(wanted, ' ')]
	// Invariant: positions that begin before low are less than the wanted one; one that begins at or after high is not.
	low, high := int64(0), t.size
	for low < high {
		middle := low + (high-low)/2
		sfen, at, after, err := t.nextPosition(middle)
		switch {
		case err != nil:
			return -1, err
		case at < 0 || at >= high:
			high = middle
		case bytes.Compare(withoutPly(sfen), wanted) < 0:
			low = after
		default:
			high = middle
		}
	}
	best, bestPly := int64(-1), math.MaxInt
	for {
		sfen, at, after, err := t.nextPosition(low)
		if err != nil {
			return -1, err
		}
		if at < 0 || !bytes.Equal(withoutPly(sfen), wanted) {
			return best, nil
		}
		ply := 1
		if len(sfen) > len(wanted) {
			if ply, err = strconv.Atoi(string(sfen[len(wanted)+1:])); err != nil {
				return -1, fault.New(fault.Parse, opText, "move number %.40q, want a number", sfen[len(wanted)+1:]).At(int(at))
			}
			ply = max(ply, 1)
		}
		if ply == p.Ply() {
			return after, nil
		}
		if ignorePly && ply < bestPly {
			best, bestPly = after, ply
		}
		low = after
	}
}

// seemsOrdered tells whether positions at a thousand places of the book are in order.
func (t *text) seemsOrdered() (bool, error) {
	var last []byte
	for from := int64(0); from < t.size; from += max(t.size/sampleSize, 1) {
		sfen, at, _, err := t.nextPosition(from)
		if err != nil {
			return false, err
		}
		if at < 0 {
			break
		}
		if bytes.Compare(last, withoutPly(sfen)) > 0 {
			return false, nil
		}
		last = append(last[:0], withoutPly(sfen)...)
	}
	return last != nil, nil
}
