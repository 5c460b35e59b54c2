package record

import (
	"strconv"
	"strings"

	"komadori/core/board"
	"komadori/core/notation"
	"komadori/core/shogi"
)

// An Analysis is what an engine said of a position in a comment.
//
// Three ways of writing are read: floodgate's (* 123 7g7f 8c8d, moves in USI or CSA), ShogiHome's (lines *評価値=, #評価値=, #詰み=, 読み筋=, 深さ=, ノード数=, of which
// rsshogi writes the first) and ShogiGUI's (a line with 対局, 解析 or 検討: 深さ 22/28 ノード数 123 評価値 88 読み筋 ▲３四飛(24) ...). In all of them scores are Black's.
type Analysis struct {
	Node  int32
	From  int32 // the node after which the line begins: this one, or the one before when the line begins with the move of this one
	Rank  int32 // 1 is the best line, 2 the next; 1 where it is not said
	Depth int32 // 0 where it is not said
	Score int32 // centipawns for Black
	Mate  int32 // not 0: plies to a mate, positive when Black mates; ±MateUnknown where the plies are not said
	Nodes int64 // 0 where it is not said
	PV    []shogi.Move
}

// MateUnknown is Analysis.Mate of a mate of unknown length.
const MateUnknown = 1 << 20

// Analyses gives what engines said, in the order of the comments.
func (k *Kifu) Analyses() []Analysis {
	var found []Analysis
	replays := 0
	for i := range k.Notes {
		note := &k.Notes[i]
		if note.Kind != Comment {
			continue
		}
		for _, line := range strings.Split(note.Text, "\n") {
			a, pv, isNew, ok := readAnalysis(line)
			if !ok {
				continue
			}
			if isNew {
				a.Node, a.From = note.Node, note.Node
				found = append(found, a)
			} else if last := len(found) - 1; last >= 0 && found[last].Node == note.Node {
				if a.Depth > 0 {
					found[last].Depth = a.Depth
				}
				if a.Nodes > 0 {
					found[last].Nodes = a.Nodes
				}
			} else {
				continue
			}
			if pv == "" {
				continue
			}
			last := &found[len(found)-1]
			if replays += len(k.line(nil, note.Node)); replays > maxReplays {
				continue
			}
			for _, from := range [...]int32{note.Node, k.Nodes[note.Node].Parent} {
				if from < 0 {
					continue
				}
				p, err := k.Position(int(from))
				if err != nil {
					break
				}
				if last.PV = readPV(&p, k.previous(from), pv); len(last.PV) > 0 {
					last.From = from
					break
				}
			}
		}
	}
	return found
}

// readAnalysis reads a line of a comment. A line that goes on with what the one before began is not new.
func readAnalysis(line string) (a Analysis, pv string, isNew, ok bool) {
	a.Rank = 1
	text := strings.TrimLeft(line, "*# 　")
	marked := len(line) > 0 && (line[0] == '*' || line[0] == '#')
	for _, field := range [...]string{"評価値=", "詰み=", "読み筋=", "深さ=", "ノード数="} {
		value, is := strings.CutPrefix(text, field)
		if !is || !marked {
			continue
		}
		switch field {
		case "評価値=":
			a.Score, ok = readScore(value)
			return a, "", true, ok
		case "詰み=":
			sign := int32(1)
			rest, black := strings.CutPrefix(value, "先手勝ち")
			if !black {
				if rest, ok = strings.CutPrefix(value, "後手勝ち"); !ok {
					return a, "", false, false
				}
				sign = -1
			}
			a.Mate = sign * MateUnknown
			if n, size := number(strings.TrimPrefix(rest, ":")); size > 0 && n > 0 && n < MateUnknown {
				a.Mate = sign * int32(n)
			}
			return a, "", true, true
		case "読み筋=":
			return a, value, false, true
		case "深さ=":
			n, size := number(value)
			a.Depth = int32(min(n, 1<<30))
			return a, "", false, size > 0
		case "ノード数=":
			n, err := strconv.ParseInt(trimRight(value), 10, 64)
			a.Nodes = n
			return a, "", false, err == nil && n >= 0
		}
	}
	for _, word := range [...]string{"対局", "解析", "検討"} {
		if strings.HasPrefix(text, word) {
			return readShogiGUI(text)
		}
	}
	if line != "" && line[0] == '*' { // floodgate
		score, rest, _ := strings.Cut(strings.TrimLeft(line, "* "), " ")
		if a.Score, ok = readScore(score); ok {
			return a, rest, true, true
		}
	}
	return a, "", false, false
}

// readShogiGUI reads words and their values in one line.
func readShogiGUI(text string) (a Analysis, pv string, isNew, ok bool) {
	a.Rank = 1
	text, pv, _ = strings.Cut(text, "読み筋 ")
	fields := strings.Fields(text)
	for i, field := range fields {
		if rank, is := strings.CutPrefix(field, "候補"); is {
			if n, size := number(rank); size > 0 && n > 0 {
				a.Rank = int32(min(n, 1<<30))
			}
		}
		if i+1 == len(fields) {
			break
		}
		value := fields[i+1]
		switch field {
		case "深さ":
			n, _ := number(value)
			a.Depth = int32(min(n, 1<<30))
		case "ノード数":
			a.Nodes, _ = strconv.ParseInt(value, 10, 64)
			a.Nodes = max(a.Nodes, 0)
		case "評価値":
			value = strings.TrimRight(value, "↑↓")
			sign := int32(1)
			if strings.HasPrefix(value, "-") {
				sign = -1
			}
			if mate, is := strings.CutPrefix(strings.TrimLeft(value, "+-"), "詰"); is {
				a.Mate, ok = sign*MateUnknown, true
				if mate == "" && i+2 < len(fields) {
					mate = fields[i+2]
				}
				if n, size := number(mate); size > 0 && n > 0 && n < MateUnknown {
					a.Mate = sign * int32(n)
				}
				continue
			}
			a.Score, ok = readScore(value)
		}
	}
	return a, pv, true, ok
}

// readScore reads a number of centipawns; beyond 32 bits it stops at their ends.
func readScore(text string) (int32, bool) {
	text = trimRight(text)
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || text == "" || strings.Trim(text, "+-.0123456789") != "" {
		return 0, false
	}
	return int32(max(-2_000_000_000, min(2_000_000_000, v))), true
}

// readPV reads moves in USI, CSA or Japanese words, as far as they are legal one after another.
func readPV(p *board.Position, previous shogi.Square, text string) []shogi.Move {
	var moves []shogi.Move
	for {
		text = strings.TrimLeft(text, " \t　")
		if text == "" {
			return moves
		}
		style := notation.KIF
		switch c := text[0]; {
		case c == '+' && len(text) > 1 && text[1] >= '0' && text[1] <= '9' || c == '-':
			style = notation.CSA
		case c < 0x80:
			style = notation.USI
		}
		w, n, err := notation.ReadWords(text, style)
		if err != nil || n == 0 {
			return moves
		}
		m, err := w.Resolve(p, previous)
		if err != nil {
			return moves
		}
		moves = append(moves, m)
		p.Do(m)
		previous = m.To()
		text = text[n:]
	}
}
