package record_test

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/internal/vectors"
	"komadori/core/notation"
	"komadori/core/record"
)

// content is all that a record says, as text, whatever the order of its nodes.
func content(k *record.Kifu) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s\n", notation.AppendSFEN(nil, &k.Start))
	for _, h := range k.Headers {
		fmt.Fprintf(&s, "%q=%q\n", h.Key, h.Value)
	}
	children := make([][]int32, len(k.Nodes))
	for i := range k.Nodes[1:] {
		p := k.Nodes[i+1].Parent
		children[p] = append(children[p], int32(i+1))
	}
	notes := make([]string, len(k.Nodes))
	for i := range k.Nodes {
		for kind := record.Comment; kind <= record.Words; kind++ {
			if text, ok := k.Text(int32(i), kind); ok {
				notes[i] += fmt.Sprintf(" %d:%q", kind, text)
			}
		}
	}
	var walk func(node int32)
	walk = func(node int32) {
		for {
			n := &k.Nodes[node]
			fmt.Fprintf(&s, "(%v %d %d %d%s", n.Move, n.Ending, n.Flags, n.TimeMS, notes[node])
			for _, c := range children[node][min(1, len(children[node])):] {
				s.WriteString(" [")
				walk(c)
				s.WriteString("]")
			}
			s.WriteString(")")
			if len(children[node]) == 0 {
				return
			}
			node = children[node][0]
		}
	}
	walk(0)
	return s.String()
}

// reread writes a record in its own format and reads it again.
func reread(t *testing.T, k *record.Kifu, o record.WriteOptions) (again *record.Kifu, text string, losses []string) {
	t.Helper()
	text, losses, err := record.Write(k, o)
	require.NoError(t, err)
	games, err := record.Read([]byte(text), record.Options{})
	require.NoError(t, err, text)
	require.Len(t, games, 1)
	require.Equal(t, o.Format, games[0].Format, text)
	return games[0], text, losses
}

// Every record of the shared collection, and every text of the vectors, is the same after it was written in its own format and read again, and nothing
// is reported as lost.
func TestWrittenAndReadAgain(t *testing.T) {
	check := func(label string, data []byte, csa3 bool) {
		games, err := record.Read(data, record.Options{})
		require.NoError(t, err, label)
		k := games[0]
		again, _, losses := reread(t, k, record.WriteOptions{Format: k.Format, CSA3: csa3})
		if !assert.Equal(t, content(k), content(again), label) {
			return
		}
		assert.Empty(t, losses, label)
	}
	vectors.Each(t, "games/index.jsonl", func(row struct {
		File    string
		Initial string `json:"initial_sfen"`
	}) bool {
		if row.Initial == "" {
			return false
		}
		check(row.File, vectors.Bytes(t, "games/"+row.File), row.File == "records/csa_v3.csa")
		return true
	})
	vectors.Each(t, "vectors/games.jsonl.gz", func(row gameRow) bool {
		for name, text := range row.texts() {
			if text != nil {
				check(fmt.Sprintf("%s of game %d", name, row.ID), []byte(*text), name == "csa3")
			}
		}
		return true
	})
	vectors.Each(t, "vectors/variations.jsonl", func(row struct {
		ID         int
		KIFTsshogi string `json:"kif_tsshogi"`
		KI2Tsshogi string `json:"ki2_tsshogi"`
		JKFTsshogi string `json:"jkf_tsshogi"`
	}) bool {
		for _, text := range []string{row.KIFTsshogi, row.KI2Tsshogi, row.JKFTsshogi} {
			check(fmt.Sprintf("variations %d", row.ID), []byte(text), false)
		}
		return true
	})
}

// A record that is written in another format keeps what is not reported as lost: the moves at the least.
// A remark that the format would take for a line of its own, such as the one that begins a file, is lost and counted, and nothing else is.
func TestRemarksLikeTheLinesOfFiles(t *testing.T) {
	for text, want := range map[string]int{"KIF\rversion=2.0": 1, "KIF version=2.0 encoding=UTF-8": 1, "a\nKIF version=2.0": 1, "KI2 version=2.0": 1, "encoding=UTF-8": 0, "KIF": 0} {
		for node := range int32(2) {
			k := read(t, "PI\n+\n+7776FU\n", record.Options{})
			k.Notes = []record.Note{{Node: node, Kind: record.Remark, Text: text}}
			out, losses, err := record.Write(k, record.WriteOptions{Format: record.KIF})
			require.NoError(t, err)
			again := read(t, out, record.Options{})
			second, _, err := record.Write(again, record.WriteOptions{Format: record.KIF})
			require.NoError(t, err)
			assert.Equal(t, out, second, text)
			if want == 1 || node > 0 && text == "KIF" {
				assert.Contains(t, strings.Join(losses, "\n"), "remark", text)
			} else {
				assert.Empty(t, losses, text)
			}
		}
	}
}

func TestWrittenInOtherFormats(t *testing.T) {
	vectors.Each(t, "games/index.jsonl", func(row struct {
		File, USI string
		Initial   string `json:"initial_sfen"`
		AllLegal  bool   `json:"all_legal"`
	}) bool {
		if row.Initial == "" {
			return false
		}
		games, err := record.Read(vectors.Bytes(t, "games/"+row.File), record.Options{})
		require.NoError(t, err)
		k := games[0]
		var kinds []string
		for format := record.KIF; format <= record.USI; format++ {
			text, losses, err := record.Write(k, record.WriteOptions{Format: format})
			if err != nil {
				assert.False(t, row.AllLegal, "%s as %v: %v", row.File, format, err)
				continue
			}
			again, err := record.Read([]byte(text), record.Options{Format: format})
			require.NoError(t, err, "%s as %v: %s", row.File, format, text)
			moves, _ := usiOf(t, again[0])
			assert.Equal(t, row.USI, moves)
			second, _, err := record.Write(again[0], record.WriteOptions{Format: format})
			require.NoError(t, err)
			assert.Equal(t, text, second, "%s as %v", row.File, format)
			if len(losses) == 0 {
				assert.Equal(t, treeOf(k), treeOf(again[0]))
				assert.Equal(t, resultOf(k), resultOf(again[0]), row.File)
				assert.Equal(t, len(k.Notes), len(again[0].Notes), row.File)
			}
			kinds = append(kinds, losses...)
		}
		sort.Strings(kinds)
		t.Logf("%s: %v", row.File, kinds)
		return true
	})
}
