package record

import (
	"strings"

	"komadori/core/fault"
	"komadori/core/notation"
	"komadori/core/shogi"
)

// CSA: http://www2.computer-shogi.org/protocol/record_v22.html and record_v3.html.

// csaKeys has the headers that CSA and KIF both know.
var csaKeys = [...]struct{ csa, kif string }{
	{"N+", "先手"}, {"N-", "後手"}, {"$EVENT:", "棋戦"}, {"$SITE:", "場所"}, {"$START_TIME:", "開始日時"}, {"$END_TIME:", "終了日時"},
	{"$TIME_LIMIT:", "持ち時間"}, {"$OPENING:", "戦型"}, {"$NOTE:", "備考"},
}

// csaKindNames has the two letters of the kinds, by PieceType.
var csaKindNames = [16]string{"", "FU", "KY", "KE", "GI", "KA", "HI", "KI", "OU", "TO", "NY", "NK", "NG", "UM", "RY", ""}

// csaNames are the same letters as numbers; csaKinds has the kinds by the difference of their letters, in which no two are alike.
var csaNames, csaKinds = func() (names [16]uint16, kinds [32]shogi.PieceType) {
	for i, name := range csaKindNames {
		if name != "" {
			names[i] = uint16(name[0])<<8 | uint16(name[1])
			kinds[(name[0]-name[1])&31] = shogi.PieceType(i)
		}
	}
	return names, kinds
}()

// csaKind is the kind of two letters, NoPieceType for others.
func csaKind(a, b byte) shogi.PieceType {
	kind := csaKinds[(a-b)&31]
	if csaNames[kind&15] != uint16(a)<<8|uint16(b) {
		return shogi.NoPieceType
	}
	return kind
}

// csa reads a CSA file, whose games are parted by lines with a /.
func (r *Reader) csa() error {
	games := 0
	for {
		more, empty, err := r.csaGame()
		if err != nil {
			return err
		}
		if !empty || !more && games == 0 {
			games++
			if !r.give(nil) {
				return errStopped
			}
		}
		if !more {
			return nil
		}
		r.begin()
	}
}

// csaGame reads one game and tells whether a line with a / follows it, and whether there was nothing.
func (r *Reader) csaGame() (more, empty bool, err error) {
	begin, isPlaced := -1, false // where the position lines begin; whether the start is known
	empty = true
	for {
		line, ok := r.line()
		if !ok {
			break
		}
		if line == "" {
			continue
		}
		switch c := line[0]; c {
		case '+', '-':
			if isPlaced {
				if next := r.csaMoves(r.at); next > r.at {
					r.next = next
					continue
				}
			} else {
				if begin < 0 {
					begin = r.at
				}
				end := r.at
				if len(line) == 1 {
					end = r.next
				}
				if err := r.csaStart(begin, min(end, len(r.text)), line); err != nil {
					return false, false, err
				}
				isPlaced, empty = true, false
				if len(line) == 1 {
					continue
				}
			}
			if len(line) == 1 {
				return false, false, r.fail(r.at, "the side to move is said twice")
			}
			if err := r.csaStatements(line); err != nil {
				return false, false, err
			}
		case 'T', '%':
			if c == '%' && !isPlaced {
				if err := r.csaStart(max(begin, 0), r.at, line); err != nil {
					return false, false, err
				}
				isPlaced, empty = true, false
			}
			if err := r.csaStatements(line); err != nil {
				return false, false, err
			}
		case '\'':
			r.csaComment(line)
		case 'V':
			empty = false
			if isPlaced {
				return false, false, r.fail(r.at, "%q within a game", clip(line))
			}
		case 'N':
			if len(line) < 2 || line[1] != '+' && line[1] != '-' {
				return false, false, r.fail(r.at, "%q, want N+ or N-", clip(line))
			}
			empty = false
			r.csaHeader(line[:2], line[2:])
		case '$':
			empty = false
			key, value, ok := strings.Cut(line, ":")
			if !ok {
				return false, false, r.fail(r.at, "%q, want $KEY:value", clip(line))
			}
			r.csaHeader(key+":", value)
		case 'P':
			empty = false
			if isPlaced {
				return false, false, r.fail(r.at, "%q after the side to move", clip(line))
			}
			if begin < 0 {
				begin = r.at
			}
		case '/':
			if trimRight(line) != "/" {
				return false, false, r.fail(r.at, "%q is no line of a CSA record", clip(line))
			}
			if !isPlaced && !empty {
				if err := r.csaStart(max(begin, 0), r.at, line); err != nil {
					return false, false, err
				}
			}
			return true, empty, nil
		default:
			return false, false, r.fail(r.at, "%q is no line of a CSA record", clip(line))
		}
	}
	if !isPlaced {
		if empty && len(r.k.Notes) == 0 {
			if begin := strings.TrimLeft(r.text, " \t\r\n"); begin == "" {
				return false, true, r.fail(len(r.text), "nothing to read")
			}
			return false, true, nil
		}
		if begin < 0 {
			return false, empty, nil // names and comments alone: the even game before its first move
		}
		if err := r.csaStart(begin, len(r.text), ""); err != nil {
			return false, false, err
		}
	}
	return false, false, nil
}

func (r *Reader) csaComment(line string) {
	if isEncodingLine(line) {
		return
	}
	if len(line) > 1 && line[1] == '*' {
		r.note(Comment, line[2:])
	} else {
		r.note(Remark, line[1:])
	}
}

func (r *Reader) csaHeader(key, value string) {
	for i := range csaKeys {
		if csaKeys[i].csa == key {
			r.header(csaKeys[i].kif, value)
			return
		}
	}
	r.header(strings.TrimSuffix(key, ":"), value)
}

// csaStart sets the start by the position lines and the line that ends them.
func (r *Reader) csaStart(begin, end int, last string) error {
	block := r.text[begin:end]
	if !strings.HasPrefix(block, "P") { // none: the even game, with the turn of the line
		if strings.HasPrefix(last, "-") {
			s := r.k.Start
			s.Turn = shogi.White
			return r.setStart(&s, begin)
		}
		return nil
	}
	if string(r.lastBlock) == block {
		r.k.Start, r.pos = r.lastStart, r.lastPos
		return nil
	}
	text := block
	if last != "" && len(last) > 1 {
		text = r.text[begin:min(r.next, len(r.text))]
	}
	s, err := notation.ParseSetup(text, notation.TextCSA)
	if err != nil {
		return r.because(begin, err)
	}
	if err := r.setStart(&s, begin); err != nil {
		return err
	}
	if len(last) == 1 { // else the turn is not in the block
		r.lastBlock, r.lastStart, r.lastPos = append(r.lastBlock[:0], block...), s, r.pos
	}
	return nil
}

// csaMoves reads moves from a line on, and the times after them, as long as they are in order and written as most files have them: seven
// characters, T and digits. It gives the line where that ends, which is left for csaGame.
func (r *Reader) csaMoves(at int) int {
	if n := &r.k.Nodes[r.cur]; n.Ending != EndingNone || n.Flags&Unplayed != 0 {
		return at
	}
	text, nodes := r.text, r.k.Nodes
	for len(text)-at > len("+7776FU") {
		next := lineEnd(text, at+len("+7776FU"))
		m := r.csaMove(text[at : at+len("+7776FU")])
		if next == 0 || m == shogi.MoveNone || !r.pos.IsLegal(m) {
			break
		}
		timeMS := int64(-1)
		at = next
		if at < len(text) && text[at] == 'T' {
			ms, i := int64(0), at+1
			for ; i < len(text) && i < at+10 && text[i]-'0' <= 9; i++ {
				ms = 10*ms + int64(text[i]-'0')
			}
			if end := lineEnd(text, i); end > 0 && i > at+1 {
				timeMS, at = 1000*ms, end
			}
		}
		nodes = append(nodes, Node{TimeMS: timeMS, Parent: int32(len(nodes) - 1), Move: m})
		r.pos.Do(m)
	}
	r.k.Nodes, r.cur = nodes, int32(len(nodes)-1)
	return at
}

// lineEnd is where the next line begins if a line ends at a byte, else 0.
func lineEnd(text string, at int) int {
	switch {
	case at < len(text) && text[at] == '\n':
		return at + 1
	case at+1 < len(text) && text[at] == '\r' && text[at+1] == '\n':
		return at + 2
	}
	return 0
}

// csaMove is the move of seven characters when they fit the piece that stands on the origin, else MoveNone. Whether it is legal is not asked.
func (r *Reader) csaMove(word string) shogi.Move {
	word = word[:7]
	if word[0] != csaSigns[r.pos.Turn()&1] {
		return shogi.MoveNone
	}
	name := uint16(word[5])<<8 | uint16(word[6])
	toFile, toRank := word[3]-'1', word[4]-'1'
	fromFile, fromRank := word[1]-'1', word[2]-'1'
	if toFile > 8 || toRank > 8 {
		return shogi.MoveNone
	}
	to := shogi.Square(9*toFile + toRank)
	if fromFile > 8 || fromRank > 8 {
		kind := csaKind(word[5], word[6])
		if word[1] != '0' || word[2] != '0' || kind == shogi.NoPieceType || kind > shogi.Gold {
			return shogi.MoveNone
		}
		return shogi.DropUnchecked(kind, to)
	}
	from := shogi.Square(9*fromFile + fromRank)
	switch before := r.pos.PieceAt(from).Type() & 15; {
	case from == to:
		return shogi.MoveNone
	case csaNames[before] == name && name != 0:
		return shogi.MoveUnchecked(from, to, false)
	case before.IsPromotable() && csaNames[before.Promote()&15] == name:
		return shogi.MoveUnchecked(from, to, true)
	}
	return shogi.MoveNone
}

const csaSigns = "+-"

// csaStatements reads moves, times and endings, of which a line may have several with commas between them.
func (r *Reader) csaStatements(line string) error {
	for at := 0; at < len(line); {
		word := line[at:]
		if word[0] == '\'' {
			r.csaComment(word)
			return nil
		}
		if comma := strings.IndexByte(word, ','); comma >= 0 {
			word = word[:comma]
		}
		if err := r.csaStatement(trimRight(word), r.at+at); err != nil {
			return err
		}
		at += len(word) + 1
	}
	return nil
}

func (r *Reader) csaStatement(word string, at int) error {
	if word == "" {
		return nil
	}
	switch word[0] {
	case '+', '-':
		if err := r.open(at); err != nil {
			return err
		}
		w, n, err := notation.ReadWords(word, notation.CSA)
		if err == nil && n != len(word) {
			err = fault.New(fault.Parse, "record.Read", "%q goes on with %q after the move", clip(word), clip(word[n:])).At(n)
		}
		if err != nil {
			return r.because(at, err)
		}
		return r.move(&w, at, -1)
	case 'T':
		ms, size := seconds(word[1:])
		if size == 0 || size+1 != len(word) {
			return r.fail(at, "%q, want a time in seconds such as T12", clip(word))
		}
		if r.cur == 0 {
			return r.fail(at, "a time before the first move")
		}
		r.k.Nodes[r.cur].TimeMS = ms
		r.limitTime(ms, at, word)
		return nil
	case '%':
		return r.csaEnding(word, at)
	}
	return r.fail(at, "%q is no statement of CSA", clip(word))
}

// seconds reads 12 or 12.345.
func seconds(text string) (ms int64, size int) {
	for size < len(text) && text[size] >= '0' && text[size] <= '9' {
		ms = min(ms*10+int64(text[size]-'0'), 1<<40)
		size++
	}
	ms *= 1000
	if size > 0 && size < len(text) && text[size] == '.' {
		unit := int64(100)
		for size++; size < len(text) && text[size] >= '0' && text[size] <= '9'; size++ {
			ms += unit * int64(text[size]-'0')
			unit /= 10
		}
	}
	return ms, size
}

func (r *Reader) csaEnding(word string, at int) error {
	name := word[1:]
	turn := r.pos.Turn()
	if strings.HasSuffix(name, "ILLEGAL_ACTION") && (name[0] == '+' || name[0] == '-') {
		guilty := shogi.Black
		if name[0] == '-' {
			guilty = shogi.White
		}
		e := IllegalMoveBefore
		if guilty == turn {
			e = IllegalMove
		}
		if err := r.end(e, word, at, -1); err != nil {
			return err
		}
		r.note(Words, word)
		return nil
	}
	e, ok := csaEndings[name]
	if !ok {
		e = Other
	}
	return r.end(e, word, at, -1)
}
