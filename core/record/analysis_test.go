package record_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/internal/vectors"
	"komadori/core/record"
)

func TestAnalysesAsProgramsWriteThem(t *testing.T) {
	for _, c := range []struct{ comment, want string }{
		{"* 130 7g7f 8c8d 7i6h 3c3d", "130 0 0 0 r1 from 0: 7g7f 8c8d 7i6h 3c3d"}, // the line begins with the move that was made
		{"* -50 -8384FU +7968GI -3334FU", "-50 0 0 0 r1 from 1: 8c8d 7i6h 3c3d"},
		{"* 5000", "5000 0 0 0 r1 from 1: "},
		{"*評価値=-2423", "-2423 0 0 0 r1 from 1: "},
		{"*評価値=210\n*読み筋=△８四歩▲２六歩△８五歩\n*深さ=10\n*ノード数=12345678", "210 0 10 12345678 r1 from 1: 8c8d 2g2f 8d8e"},
		{"#詰み=先手勝ち:15手", "0 15 0 0 r1 from 1: "},
		{"#詰み=後手勝ち", "0 -1048576 0 0 r1 from 1: "},
		{"*対局 時間 00:00.8 深さ 22/28 ノード数 744743 評価値 88 読み筋 △３四歩(33) ▲２六歩(27) △８八角成(22) ▲同　銀(79) △４五角打 ", "88 0 22 744743 r1 from 1: 3c3d 2g2f 2b8h+ 7i8h B*4e"},
		{"*解析 0 △ 候補2 時間 00:00.0 深さ 32 ノード数 1 評価値 -12↑ 読み筋 △３三角(22) ", "-12 0 32 1 r2 from 1: "}, // the move is not legal here,
		{"*検討 候補1 時間 00:06.0 深さ 27/43 評価値 +詰 9 読み筋 △８四歩(83)", "0 9 27 0 r1 from 1: 8c8d"},
		{"a comment of 12 words", ""}, {"12 歩", ""}, {"*星付き", ""},
	} {
		k := read(t, table+"   1 ７六歩(77)\n*"+strings.ReplaceAll(c.comment, "\n", "\n*")+"\n", record.Options{})
		got := ""
		for _, a := range k.Analyses() {
			var pv []string
			for _, m := range a.PV {
				pv = append(pv, m.String())
			}
			got += fmt.Sprintf("%d %d %d %d r%d from %d: %s", a.Score, a.Mate, a.Depth, a.Nodes, a.Rank, a.From, strings.Join(pv, " "))
		}
		assert.Equal(t, c.want, got, c.comment)
	}
}

// rsshogi writes evaluations of KIF as Black's; the vectors have them for the side to move.
func TestEvaluationsOfTheVectors(t *testing.T) {
	vectors.Each(t, "vectors/games.jsonl.gz", func(row gameRow) bool {
		if row.KIF == nil || row.Eval == nil {
			return false
		}
		games, err := record.Read([]byte(*row.KIF), record.Options{})
		require.NoError(t, err)
		k := games[0]
		want := map[int32]int32{}
		for i, e := range row.Eval {
			if e != nil {
				sign := 1 - 2*((i+int(k.Start.Turn))&1)
				want[int32(i+1)] = int32(sign * *e)
			}
		}
		got := map[int32]int32{}
		for _, a := range k.Analyses() {
			got[a.Node] = a.Score
		}
		assert.Equal(t, want, got, row.ID)
		return len(want) > 0
	})
}
