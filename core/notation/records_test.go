package notation_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/internal/vectors"
	"komadori/core/notation"
	"komadori/core/shogi"
)

// The words of moves inside records. These readers know no more of a record than where its main line has its moves.

var kifLine = regexp.MustCompile(`^[ 　]*([0-9]+)[ 　]+([^ 　\r\n].*)$`)

// Words of a KIF record in the place of a move that end its line.
var endings = []string{"投了", "中断", "千日手", "持将棋", "詰み", "切れ負け", "反則勝ち", "反則負け", "入玉勝ち", "入玉宣言", "不戦勝", "不戦敗", "不詰", "封じ手", "最大手数", "Time-up"}

// moveTexts gives the texts that begin with the words of a move, of the main line alone. What follows the words is left in.
func moveTexts(t *testing.T, format, text string) (texts []string, style notation.Style) {
	switch format {
	case "kif":
		style = notation.KIF
	case "ki2":
		style = notation.KI2
	case "csa":
		style = notation.CSA
	case "usi":
		style = notation.USI
	}
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, "\r")
		if strings.HasPrefix(line, "変化：") || strings.HasPrefix(line, "まで") || (format == "csa" && strings.HasPrefix(line, "%")) {
			break
		}
		switch found := kifLine.FindStringSubmatch(line); {
		case strings.HasPrefix(line, "*"), strings.HasPrefix(line, "#"), strings.HasPrefix(line, "'"), format != "csa" && strings.Contains(line, "："):
		case format == "kif" && found != nil:
			if !slices.ContainsFunc(endings, func(word string) bool { return strings.HasPrefix(found[2], word) }) {
				texts = append(texts, found[2])
			}
		case format == "ki2":
			for {
				i := strings.IndexAny(line, "▲△▽▼☗☖")
				if i < 0 {
					break
				}
				texts = append(texts, line[i:])
				line = line[i+len("▲"):]
			}
		case format == "csa" && len(line) >= 3 && (line[0] == '+' || line[0] == '-') && line[1] >= '0' && line[1] <= '9':
			texts = append(texts, line)
		case format == "usi":
			if _, moves, ok := strings.Cut(line, " moves "); ok {
				texts = append(texts, strings.Fields(moves)...)
			}
		}
	}
	if n := len(texts); format == "usi" && n > 0 && texts[n-1] == "resign" {
		texts = texts[:n-1]
	}
	return texts, style
}

// cp932 has the characters that move lines are written with, in the encoding of most KIF files; others become question marks.
var cp932 = func() map[string]rune {
	const chars = "▲△▽▼同　歩香桂銀角飛金玉王と成杏圭全馬龍竜一二三四五六七八九１２３４５６７８９右左直上行入引寄打不生変化：手まで（）投了中断千日持将棋詰切れ負け反則勝ち宣言戦敗封じ最大数み"
	const codes = "81a381a281a481a593af814095e08d818c6a8be28a7094f28be08bca89a482c690ac88c78c5c9153946e97b497b388ea93f18e4f8e6c8cdc985a8eb594aa8be3" +
		"82508251825282538254825582568257825889458db692bc8fe38d7393fc88f88af191c5957390b695cf89bb81468ee882dc82c58169816a938a97b992869266" +
		"90e793fa8e9d8fab8afb8b6c90d882ea958982af94bd91a58f9f82bf90e98cbe90ed9473959582b68dc591e5909482dd"
	m := make(map[string]rune)
	raw, _ := hex.DecodeString(codes)
	for i, c := range []rune(chars) {
		m[string(raw[2*i:2*i+2])] = c
	}
	return m
}()

func decoded(b []byte, encoding string) string {
	if encoding != "cp932" {
		return strings.TrimPrefix(string(b), "\ufeff")
	}
	var out strings.Builder
	for len(b) > 0 {
		switch {
		case b[0] < 0x80 || (b[0] >= 0xA1 && b[0] <= 0xDF): // one byte
			out.WriteByte(b[0] & 0x7F)
			b = b[1:]
		case len(b) == 1:
			b = nil
		default:
			c, ok := cp932[string(b[:2])]
			if !ok {
				c = '?'
			}
			out.WriteRune(c)
			b = b[2:]
		}
	}
	return out.String()
}

// jkfWords are the words of a JKF record's main line, which stand in JSON.
func jkfWords(t *testing.T, b []byte) (all []notation.Words) {
	type place struct{ X, Y int }
	var record struct {
		Moves []struct {
			Move *struct {
				From, To *place
				Piece    string
				Same     bool
				Promote  bool
			}
		}
	}
	require.NoError(t, json.Unmarshal(b, &record))
	square := func(p *place) shogi.Square {
		if p == nil {
			return shogi.NoSquare
		}
		return shogi.MakeSquare(shogi.File(p.X-1), shogi.Rank(p.Y-1))
	}
	for _, m := range record.Moves {
		if m.Move == nil {
			continue
		}
		// The kind stands before a promotion, as in KIF; its letters are those of CSA.
		w, err := notation.ParseWords("1122"+m.Move.Piece, notation.CSA)
		require.NoError(t, err)
		w.Style, w.From, w.To, w.Same, w.Drop = notation.KIF, square(m.Move.From), square(m.Move.To), m.Move.Same, m.Move.From == nil
		if m.Move.Promote {
			w.Promotion = notation.Promotes
		}
		all = append(all, w)
	}
	return all
}

type record struct {
	File, Format, Encoding string
	InitialSFEN            string `json:"initial_sfen"`
	FinalSFEN              string `json:"final_sfen"`
	USI                    *string
	Plies                  int
	AllLegal               bool `json:"all_legal"`
	FirstIllegal           int  `json:"first_illegal_ply"`
}

// Main lines of real records: their moves are legal up to the end, or up to the move that is known to break the rules, and the words that the files
// have for them are read as these moves.
func TestVectorsWordsInRecords(t *testing.T) {
	var games, moves, lines, again int
	left := map[string]string{}
	vectors.Each(t, "games/index.jsonl", func(r record) bool {
		if r.USI == nil {
			left[path.Base(r.File)] = "nobody has read it, so there is no main line to compare with; it has a test of its own"
			return false
		}
		p, err := notation.ParsePosition(r.InitialSFEN)
		require.NoError(t, err, r.File)
		g := board.NewGameFrom(p)

		file := vectors.Bytes(t, "games/"+r.File)
		var read []notation.Words
		if r.Format == "jkf" {
			read = jkfWords(t, file)
		} else {
			texts, style := moveTexts(t, r.Format, decoded(file, r.Encoding))
			for _, text := range texts {
				w, n, err := notation.ReadWords(text, style)
				require.NoError(t, err, "%s: %q", r.File, text)
				require.True(t, n == len(text) || strings.ContainsAny(text[n:n+1], " (+,▲△▽　\t") || text[n] >= 0x80, "%s: %q goes on behind the move", r.File, text)
				read = append(read, w)
			}
		}
		usi := strings.Fields(*r.USI)
		require.Len(t, usi, r.Plies, r.File)
		if !assert.Len(t, read, len(usi), r.File) {
			return false
		}
		for i, text := range usi {
			m, err := shogi.ParseMove(text)
			require.NoError(t, err)
			previous := notation.Previous(g)
			back, err := read[i].Resolve(&g.Pos, previous)
			if !r.AllLegal && i+1 == r.FirstIllegal {
				assert.False(t, g.Pos.IsLegal(m), "%s: ply %d", r.File, i+1)
				assert.Error(t, err)
				literal, ok := read[i].Literal(&g.Pos, previous)
				assert.True(t, ok && literal == m, "%s: ply %d is kept as %v", r.File, i+1, literal)
				left[path.Base(r.File)] = fmt.Sprintf("ply %d (%v) is against the rules: read literally, and compared up to there", i+1, m)
				break
			}
			if !assert.NoError(t, err, "%s: ply %d", r.File, i+1) || !assert.Equal(t, m, back, "%s: ply %d", r.File, i+1) {
				return false
			}
			literal, ok := read[i].Literal(&g.Pos, previous)
			require.True(t, ok && literal == m, "%s: ply %d", r.File, i+1)
			lines++
			for _, style := range styles {
				words(t, g, m, style)
				again++
			}
			require.NoError(t, g.Push(m), "%s: ply %d", r.File, i+1)
			moves++
		}
		games++
		if r.AllLegal {
			// The set counts plies from 1, whatever the position says.
			s, err := notation.ParseSFEN(r.FinalSFEN)
			require.NoError(t, err)
			final := g.Pos.Setup()
			final.Ply = s.Ply
			if !assert.Equal(t, s, final, r.File) || !assert.Equal(t, len(usi)+1, int(s.Ply)) {
				return false
			}
		}
		if strings.Contains(r.File, "microcosmos") {
			assert.Equal(t, 1525, int(g.Len))
			assert.True(t, g.Pos.InCheck() && len(g.Pos.AppendLegal(nil)) == 0, "it ends in mate")
		}
		return true
	})
	t.Logf("%d main lines, %d legal moves, %d words in files read as these moves, %d words written and read back", games, moves, lines, again)
	for file, why := range left {
		t.Logf("not a whole comparison: %s: %s", file, why)
	}
	assert.Equal(t, []string{"ki2u_left_seven_handicap.ki2u", "kif_bishop_unpromoted_leaves_king_in_check.kif", "kif_mog014_illegal_end.kif"}, sorted(left))
	assert.Equal(t, lines, moves)
}

func sorted(m map[string]string) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// The record that no other library reads: its handicap is a rare one.
func TestVectorsWordsOfARareHandicap(t *testing.T) {
	file := vectors.Bytes(t, "games/records/ki2u_left_seven_handicap.ki2u")
	s, err := board.HandicapLeftSeven.Setup()
	require.NoError(t, err)
	p, err := s.Position()
	require.NoError(t, err)
	g := board.NewGameFrom(p)
	texts, _ := moveTexts(t, "ki2", decoded(file, "utf-8"))
	require.Len(t, texts, 2)
	for i, want := range []string{"7a8b", "7g7f"} {
		w, _, err := notation.ReadWords(texts[i], notation.KI2)
		require.NoError(t, err)
		m, err := w.Resolve(&g.Pos, notation.Previous(g))
		require.NoError(t, err, texts[i])
		assert.Equal(t, want, m.String())
		require.NoError(t, g.Push(m))
	}
}

// Records that another library has written: each of their moves is written here in the same words.
func TestVectorsWordsInWrittenRecords(t *testing.T) {
	type row struct {
		ID                  int
		Start, USI          string
		KIF, KI2, CSA, CSA3 string
	}
	var n [6]int
	vectors.Each(t, "vectors/games.jsonl.gz", func(r row) bool {
		p, err := notation.ParsePosition(r.Start)
		require.NoError(t, err)
		usi := strings.Fields(r.USI)
		compared := false
		for _, form := range []struct{ format, text string }{{"kif", r.KIF}, {"ki2", r.KI2}, {"csa", r.CSA}, {"csa", r.CSA3}} {
			if form.text == "" {
				continue // a result that the form cannot say
			}
			texts, style := moveTexts(t, form.format, form.text)
			if !assert.Len(t, texts, len(usi), "game %d in %v", r.ID, style) {
				return false
			}
			g := board.NewGameFrom(p)
			for i, move := range usi {
				m, err := shogi.ParseMove(move)
				require.NoError(t, err)
				w, taken, err := notation.ReadWords(texts[i], style)
				require.NoError(t, err)
				back, err := w.Resolve(&g.Pos, notation.Previous(g))
				if !assert.NoError(t, err) || !assert.Equal(t, m, back) || !assert.Equal(t, texts[i][:taken], words(t, g, m, style), "game %d ply %d", r.ID, i+1) {
					return false
				}
				n[style]++
				require.NoError(t, g.Push(m))
			}
			compared = true
		}
		return compared
	})
	t.Logf("moves in the same words: KIF %d, KI2 %d, CSA %d", n[notation.KIF], n[notation.KI2], n[notation.CSA])
}

// Verdicts on which the set leaves the choice, and those that are about more of a record than the words of its moves.
var (
	openWords = map[string]bool{ // true where the words are read
		"KIF: ASCII destination":                                              false, // the digits are read; the king does not go there
		"KI2: no side marks":                                                  true,
		"KI2: bishop takes on 2b with neither 成 nor 不成":                       true,
		"KI2: 打 where no bishop on the board can reach (needless but common)": true,
	}
	notWords = regexp.MustCompile(`empty text|handicap|diagram|position line|side-to-move|initial position|% line|time|rank|king in hand|piece line|nineteen|twelve|unknown man|not a game|wrong move number|variation`)
)

func TestVectorsWordsThatAreBad(t *testing.T) {
	type row struct {
		Kind, Text, Reason string
		MustReject         *bool `json:"must_reject"`
	}
	n := 0
	vectors.Each(t, "vectors/bad_input.jsonl", func(r row) bool {
		isRank := strings.Contains(r.Reason, "destination rank missing") // of a move, not of a diagram
		if (r.Kind != "csa" && r.Kind != "kif" && r.Kind != "ki2") || (notWords.MatchString(r.Reason) && !isRank) {
			return false
		}
		g := board.NewGame()
		texts, style := moveTexts(t, r.Kind, r.Text)
		if r.Reason == "KI2: no side marks" {
			texts = strings.Fields(strings.Split(r.Text, "\n")[1])
		}
		require.NotEmpty(t, texts, r.Reason)
		var err error
		for _, text := range texts {
			var m shogi.Move
			var w notation.Words
			if w, _, err = notation.ReadWords(text, style); err == nil {
				m, err = w.Resolve(&g.Pos, notation.Previous(g))
			}
			if err != nil {
				break
			}
			require.NoError(t, g.Push(m))
		}
		read, open := openWords[r.Reason]
		if r.MustReject != nil {
			require.False(t, open, r.Reason)
			read = !*r.MustReject
		}
		n++
		return assert.Equal(t, read, err == nil, "%s: %v", r.Reason, err)
	})
	t.Logf("%d kinds of bad words", n)
}

// Branches of records, block by block: a block names the ply from which it goes on, and follows the line that it stands in.
func TestVectorsWordsInBranches(t *testing.T) {
	type row struct {
		ID    int
		Start string
		Tree  json.RawMessage
		KIF   string `json:"kif_tsshogi"`
		KI2   string `json:"ki2_tsshogi"`
	}
	branch := regexp.MustCompile(`^変化：([0-9]+)手`)
	n := 0
	vectors.Each(t, "vectors/variations.jsonl", func(r row) bool {
		p, err := notation.ParsePosition(r.Start)
		require.NoError(t, err)
		want := treeLines(t, r.Tree)
		for format, text := range map[string]string{"kif": r.KIF, "ki2": r.KI2} {
			var blocks []string
			var from []int
			for _, line := range strings.SplitAfter(text, "\n") {
				if m := branch.FindStringSubmatch(line); m != nil || blocks == nil {
					ply := 1
					if m != nil {
						_, err := fmt.Sscan(m[1], &ply)
						require.NoError(t, err)
						line = ""
					}
					blocks, from = append(blocks, ""), append(from, ply)
				}
				blocks[len(blocks)-1] += line
			}
			var got []string
			line := []shogi.Move{} // the line that the next block leaves
			for i, block := range blocks {
				g := board.NewGameFrom(p)
				require.LessOrEqual(t, from[i]-1, len(line), "record %d", r.ID)
				for _, m := range line[:from[i]-1] {
					require.NoError(t, g.Push(m))
				}
				texts, style := moveTexts(t, format, block)
				for _, text := range texts {
					w, taken, err := notation.ReadWords(text, style)
					require.NoError(t, err, text)
					m, err := w.Resolve(&g.Pos, notation.Previous(g))
					require.NoError(t, err, "record %d, block %d: %s", r.ID, i, text)
					again := words(t, g, m, style)
					if style == notation.KI2 && !assert.Equal(t, strings.NewReplacer("右寄", "右", "左寄", "左").Replace(text[:taken]), again) {
						return false
					}
					require.NoError(t, g.Push(m))
				}
				line = g.AppendMoves(nil)
				got = append(got, fmt.Sprint(line))
				n += len(texts)
			}
			slices.Sort(got)
			if !assert.Equal(t, want, got, "record %d in %s", r.ID, format) {
				return false
			}
		}
		return true
	})
	t.Logf("%d moves of main lines and branches", n)
}

// treeLines are the lines of a tree [move, [children]] from the root to every leaf.
func treeLines(t *testing.T, tree json.RawMessage) (lines []string) {
	var walk func(nodes json.RawMessage, line []shogi.Move)
	walk = func(nodes json.RawMessage, line []shogi.Move) {
		var children [][2]json.RawMessage
		require.NoError(t, json.NewDecoder(bytes.NewReader(nodes)).Decode(&children))
		if len(children) == 0 {
			lines = append(lines, fmt.Sprint(line))
		}
		for _, c := range children {
			var usi string
			require.NoError(t, json.Unmarshal(c[0], &usi))
			m, err := shogi.ParseMove(usi)
			require.NoError(t, err)
			walk(c[1], append(slices.Clone(line), m))
		}
	}
	walk(tree, nil)
	slices.Sort(lines)
	return lines
}
