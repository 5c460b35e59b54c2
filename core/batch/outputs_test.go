package batch_test

import (
	"encoding/binary"
	"math"
	"sort"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/batch"
	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/feature"
	"komadori/core/label"
	"komadori/core/packed"
	"komadori/core/shogi"
)

// gamesWithCandidates are rows of HCPE3, few enough candidates for the tests' sparse policies.
func gamesWithCandidates(t testing.TB, seed uint64) batch.Packed {
	file, _ := randomGames(t, seed, 8, 50)
	return readAll(t, file, 0, 1)
}

// Every output of every row is what the functions for one position say.
func TestOutputsAreThoseOfThePosition(t *testing.T) {
	for _, in := range []batch.Packed{sample(t, size(300), batch.HCPE), sample(t, size(300), batch.PSV), gamesWithCandidates(t, 11)} {
		for _, space := range []batch.LabelSpace{batch.FullLabels, batch.CompactLabels} {
			out := decoded(t, in, batch.Options{Labels: space})
			n := len(out.Key)
			masks, bits := make([]uint8, len(out.Mask)), make([]uint8, len(out.MaskBits))
			_, err := batch.LegalMasks(masks, in, space, false, batch.Run{})
			require.NoError(t, err)
			_, err = batch.LegalMasks(bits, in, space, true, batch.Run{})
			require.NoError(t, err)
			require.Equal(t, masks, out.Mask)
			require.Equal(t, bits, out.MaskBits)
			stack, err := feature.NewStack(ownPlanes)
			require.NoError(t, err)
			want, indices := make([]float32, stack.Size()), make([]int32, 40)
			classes := batch.MaskSize(space, false)
			for row := range n {
				p := positionOf(t, in, row)
				require.NoError(t, stack.Load(&p))
				feature.WriteStack(stack, want, nil)
				require.Equal(t, want, out.Stack[row*len(want):][:len(want)])
				for i, v := range want {
					if out.StackBytes[row*len(want)+i] != uint8(v) || out.StackHalf[row*len(want)+i] != feature.Half(v)*0x3C00 || out.StackBits[row*stack.Bytes()+i/8]>>(i%8)&1 != uint8(v) {
						t.Fatalf("row %d element %d", row, i)
					}
				}
				for k, side := range []shogi.Color{p.Turn(), p.Turn().Opposite()} {
					require.NoError(t, feature.WriteNNUE(feature.HalfKAhm, &p, side, false, indices))
					require.Equal(t, indices, out.NNUE32[row*80+40*k:][:40])
					for i, v := range indices {
						if out.NNUE64[row*80+40*k+i] != int64(v) {
							t.Fatalf("row %d index %d", row, i)
						}
					}
				}
				checkPolicy(t, in, out, row, classes, space, p.Turn())
			}
		}
	}
}

func positionOf(t testing.TB, in batch.Packed, row int) board.Position {
	var s board.Setup
	raw := (*[packed.Size]byte)(in.Data[row*in.Format.Size():])
	err := packed.DecodeHCP(raw, &s)
	if in.Format == batch.PSV {
		err = packed.DecodePackedSfen(raw, &s)
	}
	require.NoError(t, err)
	p, err := s.Position()
	require.NoError(t, err)
	return p
}

// checkPolicy compares the policies of a row with its candidates, whose visits make shares at temperature 1.
func checkPolicy(t testing.TB, in batch.Packed, out *batch.Out, row, classes int, space batch.LabelSpace, turn shogi.Color) {
	want := make([]float64, classes)
	add := func(m shogi.Move, share float64) {
		l, _ := label.FromMove(m, turn)
		c := int(l)
		if space == batch.CompactLabels {
			compact, _ := l.Compact()
			c = int(compact)
		}
		want[c] += share
	}
	n := 1
	if in.Format != batch.HCPE3 {
		add(shogi.Move(out.Move[row]), 1)
	} else {
		candidates := packed.Candidates(candidatesOf(in, row))
		n = candidates.Len()
		total := 0
		for i := range n {
			_, visits := candidates.At(i)
			total += int(visits)
		}
		for i := range n {
			a, visits := candidates.At(i)
			m, err := a.Move()
			require.NoError(t, err)
			if n == 1 {
				total, visits = 1, 1
			}
			add(m, float64(visits)/float64(total))
		}
	}
	dense, labels, weights := out.Policy[row*classes:][:classes], out.PolicyLabels[row*policyWidth:][:policyWidth], out.PolicyWeights[row*policyWidth:][:policyWidth]
	again := make([]float64, classes)
	for i, l := range labels {
		if i >= n {
			require.EqualValues(t, -1, l)
			require.Zero(t, weights[i])
			continue
		}
		again[l] += float64(weights[i])
	}
	for c := range want {
		if math.Abs(want[c]-float64(dense[c])) > 1e-6 || math.Abs(want[c]-again[c]) > 1e-6 {
			t.Fatalf("row %d class %d: %v, dense %v, sparse %v", row, c, want[c], dense[c], again[c])
		}
	}
}

// Decoding mirrored records and decoding records mirrored are the same in every output, for every format; and both mirror what a network sees.
func TestEveryOutputIsMirrored(t *testing.T) {
	for _, in := range []batch.Packed{sample(t, size(300), batch.HCPE), sample(t, size(300), batch.PSV), gamesWithCandidates(t, 12)} {
		for _, space := range []batch.LabelSpace{batch.FullLabels, batch.CompactLabels} {
			mirrored := batch.Packed{Data: make([]byte, len(in.Data)), Format: in.Format, Candidates: make([]byte, len(in.Candidates))}
			_, err := batch.Convert(mirrored.Data, in, batch.Conversion{To: in.Format, MirrorFile: true, Candidates: mirrored.Candidates}, batch.Run{})
			require.NoError(t, err)
			plain := decoded(t, in, batch.Options{Labels: space})
			all := decoded(t, in, batch.Options{Labels: space, MirrorAll: true})
			require.True(t, sameOut(all, decoded(t, mirrored, batch.Options{Labels: space})))
			n, classes := len(plain.Key), batch.MaskSize(space, false)
			other := make([]int, classes) // class of the mirrored move
			for c := range other {
				if space == batch.FullLabels {
					other[c] = int(label.Label(c).MirrorFile())
				} else {
					other[c] = int(label.Compact(c).MirrorFile())
				}
			}
			for row := range n {
				for i := range 81 * len(ownPlanes) {
					to := i - i%81 + int(shogi.Square(i%81).MirrorFile())
					if plain.StackBytes[row*81*len(ownPlanes)+i] != all.StackBytes[row*81*len(ownPlanes)+to] {
						t.Fatalf("row %d element %d", row, i)
					}
				}
				for c := range classes {
					if plain.Mask[row*classes+c] != all.Mask[row*classes+other[c]] || plain.Policy[row*classes+c] != all.Policy[row*classes+other[c]] {
						t.Fatalf("row %d class %d", row, c)
					}
				}
				require.EqualValues(t, other[plain.Label16[row]], all.Label16[row])
				require.Equal(t, mirroredIndices(plain.NNUE32[row*80:][:80]), sortedBySide(all.NNUE32[row*80:][:80]))
				require.Equal(t, plain.Ending[row], all.Ending[row])
			}
		}
	}
}

// mirroredIndices are the indices of HalfKA_hm1 after mirroring: the same, but for a king on the middle file, where the others stand on the other side.
func mirroredIndices(both []int32) []int32 {
	out := make([]int32, len(both))
	for i, index := range both {
		king, p := index/1710, index%1710
		if king/9 == 4 && p >= 90 {
			sq := (p - 90) % 81
			p += 9*(8-sq/9) + sq%9 - sq
		}
		out[i] = 1710*king + p
	}
	return sortedBySide(out)
}

func sortedBySide(both []int32) []int32 {
	out := append([]int32(nil), both...)
	for _, side := range [][]int32{out[:40], out[40:]} {
		sort.Slice(side, func(i, j int) bool { return side[i] < side[j] })
	}
	return out
}

// The seeded choice depends on seed and number alone: pinned, for trainings that are to be repeated, and about as many as asked for.
func TestSeededMirror(t *testing.T) {
	var bits uint64
	for i := range uint64(64) {
		if batch.Mirrored(0.5, 42, i) {
			bits |= 1 << i
		}
	}
	assert.Equal(t, uint64(0xba3ad46765b762ee), bits)
	for _, share := range []float64{0, 0.1, 0.5, 0.9, 1} {
		for seed := range uint64(3) {
			n := 0
			for i := range uint64(100_000) {
				if batch.Mirrored(share, seed, i) {
					n++
				}
			}
			assert.InDelta(t, share, float64(n)/100_000, 0.01)
		}
	}

	in := sample(t, 700, batch.HCPE)
	const first = 1_000_000_007
	whole := decoded(t, in, batch.Options{MirrorShare: 0.5, MirrorSeed: 9, FirstRow: first})
	which := make([]uint8, 700)
	for i := range which {
		if batch.Mirrored(0.5, 9, first+uint64(i)) {
			which[i] = 1
		}
	}
	require.True(t, sameOut(whole, decoded(t, in, batch.Options{Mirror: which})))
	// However the rows are cut, and in whatever order: the numbers decide.
	part := batch.Packed{Data: in.Data[38*333:], Format: batch.HCPE}
	later := decoded(t, part, batch.Options{MirrorShare: 0.5, MirrorSeed: 9, FirstRow: first + 333})
	require.Equal(t, whole.Key[333:], later.Key)
	require.Equal(t, whole.Label16[333:], later.Label16)
	shuffled, numbers := batch.Packed{Format: batch.HCPE}, make([]uint64, 700)
	for i := range numbers {
		k := (i * 257) % 700
		numbers[i] = first + uint64(k)
		shuffled.Data = append(shuffled.Data, in.Data[38*k:38*k+38]...)
	}
	other := decoded(t, shuffled, batch.Options{MirrorShare: 0.5, MirrorSeed: 9, RowNumbers: numbers})
	for i := range numbers {
		require.Equal(t, whole.Key[(i*257)%700], other.Key[i])
	}
}

func TestShares(t *testing.T) {
	for _, c := range []struct {
		visits      []uint16
		temperature float64
		want        []float64
	}{
		{nil, 1, nil}, {[]uint16{0}, 1, []float64{1}}, {[]uint16{7}, 0, []float64{1}}, {[]uint16{1, 3}, 1, []float64{0.25, 0.75}},
		{[]uint16{3, 9, 9, 1}, 0, []float64{0, 1, 0, 0}}, {[]uint16{1, 3}, 0.5, []float64{0.1, 0.9}}, {[]uint16{1, 9}, 2, []float64{0.25, 0.75}},
		{[]uint16{0, 5}, 3, []float64{0, 1}}, {[]uint16{65535, 1}, 0.001, []float64{1, 0}}, {[]uint16{65535, 1}, 1e300, []float64{0.5, 0.5}},
	} {
		got := make([]float32, len(c.visits))
		require.True(t, batch.Shares(got, c.visits, c.temperature))
		for i, want := range c.want {
			assert.InDelta(t, want, got[i], 1e-6, "%v at %v", c.visits, c.temperature)
		}
	}
	assert.False(t, batch.Shares(make([]float32, 2), []uint16{0, 0}, 1))
}

// Candidates that cannot be a target make bad rows where a policy is asked for, and only there.
func TestBadCandidates(t *testing.T) {
	in := gamesWithCandidates(t, 13)
	row := 0
	for len(candidatesOf(in, row)) < 8 {
		row++
	}
	n := len(in.Data) / batch.HCPE3RowSize
	for name, c := range map[string]struct {
		spoil func(own, raw []byte)
		kind  fault.Kind
		legal bool // a legality matter
	}{
		"malformed": {func(own, _ []byte) { binary.LittleEndian.PutUint16(own, 0xFFFF) }, fault.InvalidValue, false},
		"special":   {func(own, _ []byte) { binary.LittleEndian.PutUint16(own, 2<<7|2) }, fault.InvalidValue, false},
		"illegal":   {func(own, _ []byte) { binary.LittleEndian.PutUint16(own, 80<<7|1) }, fault.IllegalMove, true},
		"unvisited": {func(own, _ []byte) {
			for i := 2; i < len(own); i += 4 {
				own[i], own[i+1] = 0, 0
			}
		}, fault.InvalidValue, false},
		"elsewhere": {func(_, raw []byte) { binary.LittleEndian.PutUint32(raw[44:], 0xFFFFFFFF) }, fault.InvalidValue, false},
	} {
		bad := batch.Packed{Data: append([]byte(nil), in.Data...), Format: batch.HCPE3, Candidates: append([]byte(nil), in.Candidates...)}
		c.spoil(candidatesOf(bad, row), bad.Data[row*batch.HCPE3RowSize:][:batch.HCPE3RowSize])
		for _, check := range []batch.Check{batch.CheckLegal, batch.CheckNone} {
			out, status := newOut(n, feature.FlatPlanes), make([]int32, n)
			count, err := batch.Decode(bad, everything(batch.Options{Check: check}), out, batch.Run{Status: status})
			require.NoError(t, err)
			if c.legal && check == batch.CheckNone {
				assert.Zero(t, count, name)
				continue
			}
			assert.Equal(t, 1, count, name)
			assert.EqualValues(t, c.kind, status[row], name)
			assertZero(t, out, row, feature.FlatPlanes)
		}
		small := &batch.Out{Key: make([]uint64, n)}
		count, err := batch.Decode(bad, batch.Options{}, small, batch.Run{})
		assert.NoError(t, err)
		assert.Zero(t, count)
	}
	narrow, status := &batch.Out{PolicyLabels: make([]int32, n), PolicyWeights: make([]float32, n)}, make([]int32, n)
	count, err := batch.Decode(in, batch.Options{PolicyWidth: 1, Temperature: 1}, narrow, batch.Run{Status: status})
	require.NoError(t, err)
	assert.Positive(t, count)
	assert.EqualValues(t, fault.InvalidValue, status[row], "more candidates than room")
}

func TestBlend(t *testing.T) {
	in := sample(t, 100, batch.HCPE)
	plain := decoded(t, in, batch.Options{})
	for _, blend := range []float64{0, 0.3, 1} {
		mixed := decoded(t, in, batch.Options{Blend: blend})
		for i := range mixed.Value {
			assert.InDelta(t, (1-blend)*float64(plain.Value[i])+blend*float64(plain.Result[i]), mixed.Value[i], 1e-6)
		}
	}
	ended := sample(t, 3, batch.HCPE)
	ended.Format = batch.HCPE2
	for i, result := range []byte{1 | packed.ByDeclaration, packed.ByRepetition, 2} {
		ended.Data[38*i+36] = result
	}
	assert.Equal(t, []uint8{packed.ByDeclaration, packed.ByRepetition, 0}, decoded(t, ended, batch.Options{}).Ending)
	assert.False(t, math.IsNaN(float64(plain.Value[0])))
}
