package label_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/internal/vectors"
	"komadori/core/label"
	"komadori/core/notation"
	"komadori/core/shogi"
)

func TestVectorsLabels(t *testing.T) {
	type row struct {
		Label, Class, To int
		Valid            bool
		Compact          *uint16
	}
	vectors.Each(t, "vectors/move_labels.jsonl", func(r row) bool {
		l, err := label.New(r.Label)
		require.NoError(t, err)
		c, ok := l.Compact()
		good := assert.Equal(t, r.Class, l.Class()) && assert.Equal(t, r.To, int(l.To())) && assert.Equal(t, r.Valid, ok)
		if r.Compact != nil {
			good = assert.Equal(t, *r.Compact, uint16(c)) && assert.Equal(t, l, c.Full()) && good
		}
		return good
	})
}

func TestVectorsMoves(t *testing.T) {
	type row struct {
		USI          string
		LabelBlack   uint16  `json:"label_black"`
		LabelWhite   uint16  `json:"label_white"`
		CompactBlack *uint16 `json:"compact_black"`
		CompactWhite *uint16 `json:"compact_white"`
	}
	vectors.Each(t, "vectors/moves.jsonl", func(r row) bool {
		m, err := shogi.ParseMove(r.USI)
		require.NoError(t, err)
		ok := true
		for turn, want := range [2]uint16{r.LabelBlack, r.LabelWhite} {
			l, has := label.FromMove(m, shogi.Color(turn))
			ok = assert.True(t, has) && assert.Equal(t, want, uint16(l), "%s turn %d", r.USI, turn) && ok
			compact := [2]*uint16{r.CompactBlack, r.CompactWhite}[turn]
			c, has := label.CompactFromMove(m, shogi.Color(turn))
			ok = assert.Equal(t, compact != nil, has, r.USI) && ok
			if compact != nil {
				ok = assert.Equal(t, *compact, uint16(c)) && ok
			}
			mirrored, _ := label.FromMove(m.MirrorFile(), shogi.Color(turn))
			ok = assert.Equal(t, mirrored, l.MirrorFile(), "mirror of %s", r.USI) && ok
			flipped, _ := label.FromMove(m.FlipSide(), shogi.Color(turn).FlipSide())
			ok = assert.Equal(t, l, flipped, "flip of %s", r.USI) && ok
		}
		return ok
	})
}

func TestVectorsFeatureLabels(t *testing.T) {
	type row struct {
		SFEN   string
		Labels [][]any
	}
	vectors.Each(t, "vectors/features.jsonl", func(r row) bool {
		p, err := notation.ParsePosition(r.SFEN)
		require.NoError(t, err)
		ok := true
		for _, l := range r.Labels {
			m, err := shogi.ParseMove(l[0].(string))
			require.NoError(t, err)
			full, _ := label.FromMove(m, p.Turn())
			compact, _ := label.CompactFromMove(m, p.Turn())
			mirrored, _ := label.FromMove(m.MirrorFile(), p.Turn())
			ok = assert.Equal(t, l[1], float64(full)) && assert.Equal(t, l[2], float64(compact)) && assert.Equal(t, l[3], float64(mirrored)) && ok
			back, found := label.ToMove(&p, full)
			ok = assert.True(t, found) && assert.Equal(t, m, back) && ok
		}
		return ok
	})
}

func TestMirrorIsAnInvolutionOnBothSpaces(t *testing.T) {
	for l := label.Label(0); l < label.Count; l++ {
		assert.Equal(t, l, l.MirrorFile().MirrorFile())
		_, a := l.Compact()
		_, b := l.MirrorFile().Compact()
		assert.Equal(t, a, b, "a label can occur exactly when its mirror image can")
	}
	for c := label.Compact(0); c < label.CompactCount; c++ {
		assert.Equal(t, c, c.MirrorFile().MirrorFile())
	}
	assert.EqualValues(t, label.None, label.Label(label.Count).MirrorFile()+label.None-label.Count)
}

func TestLabelsThatUsersStore(t *testing.T) {
	for _, c := range []struct {
		usi           string
		full, compact uint16
	}{{"7g7f", 59, 53}, {"8h2b+", 12*81 + 10, 0}, {"P*5e", 20*81 + 40, 0}, {"G*5e", 26*81 + 40, 0}, {"R*5e", 25*81 + 40, 0}} {
		m, err := shogi.ParseMove(c.usi)
		require.NoError(t, err)
		l, ok := label.FromMove(m, shogi.Black)
		assert.True(t, ok)
		assert.Equal(t, c.full, uint16(l), c.usi)
		if c.compact != 0 {
			got, _ := l.Compact()
			assert.Equal(t, c.compact, uint16(got))
		}
	}
}

func TestWhatHasNoLabel(t *testing.T) {
	for _, m := range []shogi.Move{shogi.MoveNone, shogi.MoveResign, shogi.MoveWin, 0xFFFF, 645} {
		_, ok := label.FromMove(m, shogi.Black)
		assert.False(t, ok, "%d", m)
	}
	dst := make([]uint16, 3)
	assert.Equal(t, 1, label.FromMoves(dst, []uint16{7739, 0, 258}, nil, false))
	assert.Equal(t, []uint16{59, label.None, label.None}, dst)
	assert.Equal(t, 0, label.FromMoves(dst[:1], []uint16{7739}, []uint8{2}, false), "a side that is neither")
	_, err := label.New(2187)
	assert.Error(t, err)
	_, err = label.NewCompact(-1)
	assert.Error(t, err)
}

func BenchmarkFromMoves(b *testing.B) {
	moves, dst := make([]uint16, 4096), make([]uint16, 4096)
	for i := range moves {
		moves[i] = 7739
	}
	b.SetBytes(2 * 4096)
	for b.Loop() {
		label.FromMoves(dst, moves, nil, true)
	}
}
