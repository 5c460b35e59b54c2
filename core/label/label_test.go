package label_test

import (
	"fmt"
	"math/rand/v2"
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
	// Values outside the spaces stay.
	assert.EqualValues(t, label.Count, label.Label(label.Count).MirrorFile())
	assert.EqualValues(t, label.None, label.Label(label.None).MirrorFile())
	assert.EqualValues(t, label.CompactCount, label.Compact(label.CompactCount).MirrorFile())
	assert.EqualValues(t, label.None, label.Compact(label.None).MirrorFile())
}

func TestLabelsThatUsersStore(t *testing.T) {
	for _, c := range []struct {
		usi           string
		full, compact uint16
	}{{"7g7f", 59, 53}, {"8h2b+", 12*81 + 10, 0}, {"2g3e", 8*81 + 22, 0}, {"2h5h", 3*81 + 43, 0}, {"8h7g", 2*81 + 60, 0}, {"P*5e", 20*81 + 40, 0}, {"G*5e", 26*81 + 40, 0}, {"R*5e", 25*81 + 40, 0}} {
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

// How many labels of each class can occur: forward, forward-left, ... knights, the same with promotion, drops of P L N S B R G.
func TestPossibleLabelsByClass(t *testing.T) {
	var counts [27]int
	for l := label.Label(0); l < label.Count; l++ {
		if c, ok := l.Compact(); ok {
			counts[l.Class()]++
			assert.Equal(t, l, c.Full())
		} else {
			assert.EqualValues(t, label.None, c)
		}
	}
	assert.Equal(t, [27]int{
		72, 64, 64, 72, 72, 72, 64, 64, 40, 40,
		27, 24, 24, 24, 24, 72, 49, 49, 24, 24,
		72, 72, 63, 81, 81, 81, 81,
	}, counts)
	assert.Equal(t, 2187, label.Count)
	assert.Equal(t, 1496, label.CompactCount)
	for c := label.Compact(1); c < label.CompactCount; c++ {
		assert.Less(t, (c - 1).Full(), c.Full(), "ascending")
	}
	_, ok := label.Label(label.Count).Compact()
	assert.False(t, ok)
	assert.EqualValues(t, label.None, label.Compact(label.CompactCount).Full())
}

// Every move that a position allows has a compact label that no other of its moves has, and leads back to the move.
func TestVectorsLegalMovesHaveTheirOwnLabels(t *testing.T) {
	type row struct{ SFEN string }
	moves := 0
	vectors.Each(t, "vectors/positions.jsonl.gz", func(r row) bool {
		s, err := notation.ParseSFEN(r.SFEN)
		require.NoError(t, err)
		p, err := s.Position()
		if err != nil {
			return false // not a position here, so it has no moves
		}
		mirrored := p.MirrorFile()
		seen := map[label.Label]shogi.Move{}
		for i, m := range p.AppendLegal(nil) {
			l, ok := label.FromMove(m, p.Turn())
			c, can := label.CompactFromMove(m, p.Turn())
			if other, double := seen[l]; !ok || !can || double || c.Full() != l {
				t.Fatalf("%v in %s: label %d, compact %d, also of %v", m, r.SFEN, l, c, other)
			}
			seen[l] = m
			if i%16 == 0 {
				back, ok := label.ToMove(&p, l)
				require.True(t, ok)
				require.Equal(t, m, back)
				back, ok = label.ToMove(&mirrored, l.MirrorFile())
				require.True(t, ok)
				require.Equal(t, m.MirrorFile(), back)
			}
			moves++
		}
		for _, l := range []label.Label{0, 700, 1500, 2186, label.Count, label.None} {
			m, ok := label.ToMove(&p, l)
			_, has := seen[l]
			require.Equal(t, has, ok)
			require.Equal(t, seen[l], m)
		}
		return true
	})
	t.Logf("%d legal moves", moves)
}

// The slice form says what the scalar form says, for every value of a move.
func TestSlicesSayWhatScalarsSay(t *testing.T) {
	const n = 1 << 16
	moves, turns, dst := make([]uint16, n), make([]uint8, n), make([]uint16, n)
	for i := range moves {
		moves[i] = uint16(i)
	}
	for turn := range 2 {
		for i := range turns {
			turns[i] = uint8(turn)
		}
		for _, compact := range []bool{false, true} {
			bad := label.FromMoves(dst, moves, turns, compact)
			first := -1
			for i, m := range moves {
				want, ok := uint16(label.None), false
				if compact {
					c, has := label.CompactFromMove(shogi.Move(m), shogi.Color(turn))
					want, ok = uint16(c), has
				} else {
					l, has := label.FromMove(shogi.Move(m), shogi.Color(turn))
					want, ok = uint16(l), has
				}
				if dst[i] != want || ok != (want != label.None) {
					t.Fatalf("move 0x%04x of %d: %d, want %d", m, turn, dst[i], want)
				}
				if !ok && first < 0 {
					first = i
				}
			}
			assert.Equal(t, first, bad)
			if turn == 0 {
				alone := make([]uint16, n)
				label.FromMoves(alone, moves, nil, compact)
				assert.Equal(t, dst, alone, "without turns every move is Black's")
			}
		}
	}
	assert.Equal(t, -1, label.FromMoves(nil, nil, nil, true))
	assert.Zero(t, testing.AllocsPerRun(10, func() { label.FromMoves(dst, moves, turns, true) }))
}

// The label of a move is the label of the turned move of the other side.
func TestLabelsAreSeenByTheMover(t *testing.T) {
	for raw := range 1 << 16 {
		m := shogi.Move(raw)
		black, ok := label.FromMove(m, shogi.Black)
		white, also := label.FromMove(m.FlipSide(), shogi.White)
		if black != white || ok != also || ok != m.IsNormal() {
			t.Fatalf("%v: %d, %d", m, black, white)
		}
	}
}

func BenchmarkFromMoves(b *testing.B) {
	const n = 4096
	moves, turns, dst := make([]uint16, n), make([]uint8, n), make([]uint16, n)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range moves {
		for !shogi.Move(moves[i]).IsNormal() {
			moves[i] = uint16(r.Uint32())
		}
		turns[i] = uint8(r.IntN(2))
	}
	for _, compact := range []bool{false, true} {
		b.Run(fmt.Sprintf("compact=%v", compact), func(b *testing.B) {
			b.SetBytes(2 * n)
			for b.Loop() {
				label.FromMoves(dst, moves, turns, compact)
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mmoves/s")
		})
	}
}

// The two ways to the label of a move agree on every value.
func TestLabelsWithoutTable(t *testing.T) {
	for raw := range 1 << 16 {
		for turn := shogi.Black; turn <= shogi.White; turn++ {
			want, isMove := label.FromMove(shogi.Move(raw), turn)
			got, ok := label.Of(shogi.Move(raw), turn)
			if got != want || ok != isMove {
				t.Fatalf("move 0x%04x of %d: %d %v, want %d %v", raw, turn, got, ok, want, isMove)
			}
		}
	}
}
