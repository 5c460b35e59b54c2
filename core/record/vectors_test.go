package record_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/fault"
	"komadori/core/internal/vectors"
	"komadori/core/notation"
	"komadori/core/record"
	"komadori/core/shogi"
)

// usiOf is the main line in USI, and the position at its end.
func usiOf(t *testing.T, k *record.Kifu) (moves string, final string) {
	t.Helper()
	var words []string
	p, err := k.Start.Position()
	require.NoError(t, err)
	for _, n := range k.Nodes[1 : k.Plies()+1] {
		words = append(words, n.Move.String())
		switch {
		case n.Flags&record.Unplayed != 0:
		case n.Flags&record.Illegal != 0:
			require.False(t, p.IsLegal(n.Move))
			p.Force(n.Move)
		default:
			require.True(t, p.IsLegal(n.Move))
			p.Do(n.Move)
		}
	}
	return strings.Join(words, " "), notation.FormatSFEN(&p)
}

// withPly is an SFEN with another ply.
func withPly(sfen, ply string) string { return sfen[:strings.LastIndexByte(sfen, ' ')+1] + ply }

func plyOf(sfen string) string { return sfen[strings.LastIndexByte(sfen, ' ')+1:] }

// branchesOf is the number of variations.
func branchesOf(k *record.Kifu) int {
	children := map[int32]int{}
	n := 0
	for _, node := range k.Nodes[1:] {
		if children[node.Parent]++; children[node.Parent] > 1 {
			n++
		}
	}
	return n
}

func resultOf(k *record.Kifu) any {
	r, ok := k.Result()
	if !ok {
		return nil
	}
	return []any{"black", "white", "draw"}[r]
}

// Each record of the shared collection gives the main line, the end position, the variations and the result that independent readers give.
func TestRealRecords(t *testing.T) {
	type row struct {
		File, Format, Encoding, USI string
		Plies                       *int
		Result                      any
		Branches                    *int
		Initial                     string `json:"initial_sfen"`
		Final                       string `json:"final_sfen"`
		AllLegal                    bool   `json:"all_legal"`
		FirstIllegal                int    `json:"first_illegal_ply"`
		Verified                    bool
		EndingTsshogi               string `json:"ending_tsshogi"`
	}
	vectors.Each(t, "games/index.jsonl", func(row row) bool {
		if row.Initial == "" {
			return false // ki2u_left_seven_handicap: no reader of the collection knows it; TestLeftSevenPiece does
		}
		data := vectors.Bytes(t, "games/"+row.File)
		games, err := record.Read(data, record.Options{})
		if !assert.NoError(t, err, row.File) || !assert.Len(t, games, 1, row.File) {
			return true
		}
		k := games[0]
		assert.Equal(t, row.Format, k.Format.String(), row.File)
		want := map[string]record.Encoding{"utf-8": record.UTF8, "utf-8-bom": record.UTF8, "ascii": record.UTF8, "cp932": record.CP932}[row.Encoding]
		assert.Equal(t, want, k.Encoding, row.File)
		initial := k.Start
		initial.Ply = 1
		assert.Equal(t, row.Initial, string(notation.AppendSFEN(nil, &initial)), row.File)
		moves, final := usiOf(t, k)
		assert.Equal(t, row.USI, moves, row.File)
		assert.Equal(t, row.Final, withPly(final, plyOf(row.Final)), row.File)
		assert.Equal(t, row.Result, resultOf(k), row.File)
		assert.Equal(t, *row.Branches, branchesOf(k), row.File)
		first := 0
		for i, n := range k.Nodes {
			if n.Flags&record.Illegal != 0 {
				first = i
				break
			}
		}
		assert.Equal(t, row.FirstIllegal, first, row.File)
		if row.AllLegal {
			for _, w := range k.Warnings {
				t.Logf("%s: %+v", row.File, w)
			}
			again, err := record.Read(data, record.Options{RefuseIllegal: true})
			assert.NoError(t, err, row.File)
			assert.Equal(t, games, again, row.File)
		} else {
			_, err := record.Read(data, record.Options{RefuseIllegal: true})
			assert.ErrorIs(t, err, fault.IllegalMove, row.File)
		}
		return true
	})
}

// gameRow is a row of vectors/games.jsonl.
type gameRow struct {
	Plies      int
	ID         int
	Start, USI string
	Final      string  `json:"final_sfen"`
	ResultName *string `json:"result"`
	Code       *int    `json:"result_code"`
	Metadata   map[string]string
	Initial    *string  `json:"initial_comment"`
	Time       []*int64 `json:"time_ms"`
	Eval       []*int
	Comments   map[string]string
	EndTime    *int64 `json:"end_time_ms"`
	KIF, KI2   *string
	CSA, CSA3  *string
	JKF        *string
	Position   string `json:"usi_position"`
}

func (row *gameRow) texts() map[string]*string {
	return map[string]*string{"kif": row.KIF, "ki2": row.KI2, "csa": row.CSA, "csa3": row.CSA3, "jkf": row.JKF, "usi": &row.Position}
}

// Every text of every game gives its moves, its result, its times and its comments, as far as the format holds them.
func TestGames(t *testing.T) {
	vectors.Each(t, "vectors/games.jsonl.gz", func(row gameRow) bool {
		for name, text := range row.texts() {
			if text == nil {
				continue
			}
			label := name + " of game " + strconv.Itoa(row.ID)
			games, err := record.Read([]byte(*text), record.Options{RefuseIllegal: true})
			if !assert.NoError(t, err, label) || !assert.Len(t, games, 1, label) {
				continue
			}
			k := games[0]
			assert.Equal(t, strings.TrimSuffix(name, "3"), k.Format.String(), label)
			assert.Equal(t, withPly(row.Start, "1"), withPly(string(notation.AppendSFEN(nil, &k.Start)), "1"), label)
			moves, final := usiOf(t, k)
			assert.Equal(t, row.USI, moves, label)
			assert.Equal(t, withPly(row.Final, "1"), withPly(final, "1"), label)
			if name != "usi" { // position lines end with the last move
				want := shogi.EndInvalid
				if row.Code != nil {
					want = shogi.GameEnd(*row.Code)
				}
				if want == shogi.EndError { // written as 中断, %CHUDAN
					want = shogi.EndPaused
				}
				assert.Equal(t, want, k.End(), label)
			}
			for i, ms := range row.Time {
				if ms == nil || name == "ki2" || name == "usi" {
					continue
				}
				want := *ms
				if name != "csa3" {
					want -= want % 1000
				}
				if got := k.Nodes[i+1].TimeMS; got != want {
					t.Errorf("%s: move %d took %d ms, want %d", label, i+1, got, want)
				}
			}
			if name == "usi" {
				continue
			}
			for ply, want := range row.Comments {
				n, _ := strconv.Atoi(ply)
				got, _ := k.Text(int32(n), record.Comment)
				assert.Equal(t, want, withoutEvals(got), "%s, comment at %d", label, n)
			}
		}
		return true
	})
}

// withoutEvals leaves out the lines with evaluations, which the vectors keep apart.
func withoutEvals(text string) string {
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "*評価値=") && !strings.HasPrefix(line, "* ") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// A variation's tree is nested: a move in USI and what may follow, the main line first.
type tree []branch

type branch struct {
	Move string
	Next tree
}

func (b *branch) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&b.Move, &b.Next})
}

func (tr tree) String() string {
	var s strings.Builder
	for _, b := range tr {
		s.WriteString("(" + b.Move + b.Next.String() + ")")
	}
	return s.String()
}

// treeOf is the tree of a record; endings are left out.
func treeOf(k *record.Kifu) string {
	children := make([][]int, len(k.Nodes))
	for i, n := range k.Nodes[1:] {
		if n.Ending == record.EndingNone {
			children[n.Parent] = append(children[n.Parent], i+1)
		}
	}
	var s strings.Builder
	var walk func(node int)
	walk = func(node int) {
		for _, c := range children[node] {
			s.WriteString("(" + k.Nodes[c].Move.String())
			walk(c)
			s.WriteString(")")
		}
	}
	walk(0)
	return s.String()
}

// The variations of tsshogi's texts, which follow the convention, come out as the tree they were made from.
func TestVariations(t *testing.T) {
	vectors.Each(t, "vectors/variations.jsonl", func(row struct {
		ID            int
		USI           string
		Tree          tree
		KIF, KI2, JKF string
		KIFTsshogi    string `json:"kif_tsshogi"`
		KI2Tsshogi    string `json:"ki2_tsshogi"`
		JKFTsshogi    string `json:"jkf_tsshogi"`
	}) bool {
		for name, text := range map[string]string{"kif": row.KIFTsshogi, "ki2": row.KI2Tsshogi, "jkf": row.JKFTsshogi, "jkf by rsshogi": row.JKF} {
			games, err := record.Read([]byte(text), record.Options{RefuseIllegal: true})
			if assert.NoError(t, err, "%s of %d", name, row.ID) {
				assert.Equal(t, row.Tree.String(), treeOf(games[0]), "%s of %d", name, row.ID)
			}
		}
		// rsshogi's own order of blocks cannot be read in general, but the main line can, or reading stops with an error behind it.
		for name, text := range map[string]string{"kif": row.KIF, "ki2": row.KI2} {
			games, err := record.Read([]byte(text), record.Options{})
			if assert.NotEmpty(t, games, "%s of %d: %v", name, row.ID, err) {
				moves, _ := usiOf(t, games[0])
				assert.Equal(t, row.USI, moves, "%s of %d", name, row.ID)
			}
		}
		return true
	})
}

// What must be refused is refused when moves against the rules are, and without that is refused or flagged; what is good is read.
func TestBadInput(t *testing.T) {
	kinds := map[string]record.Format{"kif": record.KIF, "ki2": record.KI2, "csa": record.CSA, "jkf": record.JKF}
	vectors.Each(t, "vectors/bad_input.jsonl", func(row struct {
		Kind, Text, Reason string
		Must               *bool `json:"must_reject"`
	}) bool {
		format, ok := kinds[row.Kind]
		if !ok {
			return false
		}
		_, err := record.Read([]byte(row.Text), record.Options{Format: format, RefuseIllegal: true})
		kept, lenient := record.Read([]byte(row.Text), record.Options{Format: format})
		if err != nil {
			var e *record.Error
			require.ErrorAs(t, err, &e)
			assert.Positive(t, e.Line, row.Reason)
			assert.Positive(t, e.Column, row.Reason)
		}
		switch {
		case row.Must == nil:
			t.Logf("%s: %v", row.Reason, err)
		case *row.Must:
			assert.Error(t, err, row.Reason)
			if lenient == nil {
				assert.NotEmpty(t, kept[0].Warnings, row.Reason)
			}
		default:
			assert.NoError(t, err, row.Reason)
		}
		return true
	})
}
