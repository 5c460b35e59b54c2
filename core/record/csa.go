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

// csaKinds has, by the first letter, what a kind can be.
var csaKinds = func() (t [1 << 16]shogi.PieceType) {
	for i, name := range [...]string{"", "FU", "KY", "KE", "GI", "KA", "HI", "KI", "OU", "TO", "NY", "NK", "NG", "UM", "RY"} {
		if name != "" {
			t[uint16(name[0])<<8|uint16(name[1])] = shogi.PieceType(i)
		}
	}
	return t
}()

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
				// The line of most files: seven characters, and no more.
				if len(line) == 7 && r.quickMove(line) {
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

// quickMove plays a move of seven characters that is in order, and tells whether it was.
func (r *Reader) quickMove(line string) bool {
	if line[0] != csaSigns[r.pos.Turn()] || r.k.Nodes[r.cur].Ending != EndingNone || r.k.Nodes[r.cur].Flags&Unplayed != 0 {
		return false
	}
	kind := csaKinds[uint16(line[5])<<8|uint16(line[6])]
	toFile, toRank := line[3]-'1', line[4]-'1'
	fromFile, fromRank := line[1]-'1', line[2]-'1'
	if kind == shogi.NoPieceType || toFile > 8 || toRank > 8 {
		return false
	}
	to := shogi.Square(9*toFile + toRank)
	var m shogi.Move
	if fromFile > 8 || fromRank > 8 {
		if line[1] != '0' || line[2] != '0' || kind > shogi.Gold {
			return false
		}
		m = shogi.DropUnchecked(kind, to)
	} else {
		from := shogi.Square(9*fromFile + fromRank)
		switch before := r.pos.PieceAt(from).Type(); {
		case before == kind:
			m = shogi.MoveUnchecked(from, to, false)
		case before.IsPromotable() && before.Promote() == kind:
			m = shogi.MoveUnchecked(from, to, true)
		default:
			return false
		}
		if from == to {
			return false
		}
	}
	if !r.pos.IsLegal(m) {
		return false
	}
	r.add(m, -1)
	return true
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
