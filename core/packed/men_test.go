package packed_test

import (
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/internal/vectors"
	"komadori/core/packed"
)

// sameMen demands that both decoders, and both ways to a position, say the same of 32 bytes.
func sameMen(t require.TestingT, in *[packed.Size]byte) {
	for _, f := range []struct {
		plain func(*[packed.Size]byte, *board.Setup) error
		men   func(*[packed.Size]byte, *board.Men) error
	}{{packed.DecodeHCP, packed.DecodeHCPMen}, {packed.DecodePackedSfen, packed.DecodePackedSfenMen}} {
		var s board.Setup
		var m board.Men
		want, got := f.plain(in, &s), f.men(in, &m)
		require.Equal(t, want, got)
		if want != nil {
			continue
		}
		require.Equal(t, s, m.Setup())
		var p, q board.Position
		want, got = p.Load(&s), q.LoadMen(&m)
		require.Equal(t, want, got)
		if want == nil {
			require.Equal(t, p, q)
		}

		turned := m
		turned.FlipSide()
		require.Equal(t, s.FlipSide(), turned.Setup())
		turned = m
		turned.MirrorFile()
		require.Equal(t, s.MirrorFile(), turned.Setup())
	}
}

func TestVectorsMenDecodeAlike(t *testing.T) {
	type row struct {
		HCP    *string
		Packed *string `json:"packed_sfen"`
	}
	r := rand.New(rand.NewPCG(1, 2))
	vectors.Each(t, "vectors/positions.jsonl.gz", func(v row) bool {
		for _, text := range []*string{v.HCP, v.Packed} {
			if text == nil {
				continue
			}
			raw, err := hex.DecodeString(*text)
			require.NoError(t, err)
			in := [packed.Size]byte(raw)
			sameMen(t, &in)
			for range 8 { // damaged
				damaged := in
				for range 1 + r.IntN(3) {
					damaged[r.IntN(packed.Size)] ^= 1 << r.IntN(8)
				}
				sameMen(t, &damaged)
			}
		}
		return true
	})
}

func TestMenOfNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		var in [packed.Size]byte
		//lint:ignore SA4000 two draws: a quarter of the bits
		keep := byte(r.IntN(256)) & byte(r.IntN(256))
		for i := range in {
			in[i] = byte(r.IntN(256)) & keep
		}
		sameMen(t, &in)
	}
	sameMen(t, new([packed.Size]byte))
}

func FuzzMen(f *testing.F) {
	p := board.Start()
	var seed [packed.Size]byte
	_ = packed.EncodeHCP(&p, &seed)
	f.Add(seed[:])
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) == packed.Size {
			sameMen(t, (*[packed.Size]byte)(raw))
		}
	})
}

func TestLoadMenRefusesWhatLoadRefuses(t *testing.T) {
	p := board.Start()
	var m board.Men
	m.Ply, m.Count = 1, 1
	m.Squares[0], m.Pieces[0] = 0, 1 // a pawn on the last rank
	assert.ErrorIs(t, p.LoadMen(&m), fault.InvalidPosition)
	m.Squares[0] = 1
	assert.NoError(t, p.LoadMen(&m))
	for _, spoil := range []func(){
		func() { m.Turn = 2 }, func() { m.Ply = 0 }, func() { m.Hands[0] = 19 }, func() { m.Hands[1] = 1 << 7 }, func() { m.Hands[1] = 7 << 8 },
		func() { m.Count, m.Squares[1], m.Pieces[1] = 2, 2, 1 },                            // a second pawn on the file
		func() { m.Count = 2; m.Pieces[0], m.Squares[1], m.Pieces[1] = 8, 2, 8 },           // two kings
		func() { m.Hands[0], m.Hands[1] = 10, 8; m.Pieces[0] = 9; m.Count = 1 },            // nineteen pawns with a promoted one
		func() { m.Hands[0], m.Hands[1] = 3<<28, 1<<28; m.Pieces[0], m.Squares[0] = 7, 5 }, // five golds
	} {
		saved := m
		spoil()
		var q board.Position
		s := m.Setup()
		var r board.Position
		want := r.Load(&s)
		require.Error(t, want)
		assert.Equal(t, want, q.LoadMen(&m))
		m = saved
	}
}

func BenchmarkMen(b *testing.B) {
	p := board.Start()
	var out [packed.Size]byte
	_ = packed.EncodeHCP(&p, &out)
	var m board.Men
	require.NoError(b, packed.DecodeHCPMen(&out, &m))
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			_ = packed.DecodeHCPMen(&out, &m)
		}
	})
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			_ = p.LoadMen(&m)
		}
	})
}
