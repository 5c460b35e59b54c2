package feature_test

import (
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/feature"
	"komadori/core/internal/vectors"
	"komadori/core/shogi"
)

// someSFENs are the positions of the vectors of features, whatever they are about.
func someSFENs(t *testing.T) (sfens []string) {
	type row struct{ SFEN string }
	for _, name := range []string{"vectors/features.jsonl", "vectors/features119.jsonl"} {
		vectors.Each(t, name, func(r row) bool { sfens = append(sfens, r.SFEN); return true })
	}
	return sfens
}

func allPlanes() []feature.Plane {
	all := make([]feature.Plane, feature.PlaneCount)
	for i := range all {
		all[i] = feature.Plane(i)
	}
	return all
}

// Names are for ever: their number, that no two are alike, and some of them where they must be.
func TestPlaneNames(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range allPlanes() {
		assert.False(t, seen[p.String()], p.String())
		seen[p.String()] = true
		one, err := feature.ParsePlanes(nil, p.String())
		if assert.NoError(t, err) && len(one) == 1 {
			assert.Equal(t, []feature.Plane{p}, one)
		}
	}
	assert.Equal(t, 216, len(seen))
	for n, name := range map[feature.Plane]string{0: "pieces.own.pawn", 13: "pieces.own.dragon", 14: "attacks.own.pawn", 28: "attacked.own.1", 31: "pieces.opponent.pawn",
		61: "attacked.opponent.3", 62: "hands.own.pawn.1", 82: "hands.own.gold.1", 86: "hands.own.bishop.1", 117: "hands.opponent.rook.2", 118: "check", 119: "camp.own.king",
		120: "camp.own.pieces.0", 130: "camp.own.points.0", 180: "camp.opponent.points.19", 181: "occupied.own", 185: "checkers", 186: "white", 187: "one", 188: "board.black.pawn", 215: "board.white.dragon"} {
		assert.Equal(t, name, n.String())
	}
	for text, want := range map[string]int{"pieces": 28, "pieces.own": 14, "hands": 56, "hands.own.gold": 4, "camp": 62, "board": 28, "attacked,check": 7, " check, one ": 2, "": 0, "pieces pieces": 56} {
		found, err := feature.ParsePlanes(nil, text)
		assert.NoError(t, err)
		assert.Len(t, found, want, text)
	}
	for text, offset := range map[string]int{"piece": 0, "check,nothing": 6, "pieces.": 0, "own": 0} {
		_, err := feature.ParsePlanes(nil, text)
		var f *fault.Error
		if assert.ErrorAs(t, err, &f) {
			assert.Equal(t, fault.Parse, f.Kind)
			assert.Equal(t, offset, f.Offset)
		}
	}
	_, err := feature.NewPlane(feature.PlaneCount)
	assert.ErrorIs(t, err, fault.InvalidValue)
}

// A stack of all of dlshogi's planes is dlshogi's planes; the rest is what the position says, square by square.
func TestStacks(t *testing.T) {
	sfens := someSFENs(t)
	stack, err := feature.NewStack(allPlanes())
	require.NoError(t, err)
	row, bits := soiled[float32](stack.Size()), make([]byte, stack.Bytes())
	f1, f2 := make([]float32, feature.BoardSize), make([]float32, feature.FlatSizeKing)
	pieces := make([]float32, feature.PieceSize)
	for _, sfen := range sfens {
		p := position(t, sfen)
		require.NoError(t, stack.Load(&p))
		feature.WriteStack(stack, row, nil)
		require.NoError(t, feature.Write(&p, f1, f2))
		require.Equal(t, append(append([]float32(nil), f1...), f2...), row[:len(f1)+len(f2)], sfen)
		require.NoError(t, feature.WritePieces(&p, false, pieces))
		require.Equal(t, pieces, row[188*81:], sfen)
		us := p.Turn()
		for sq := shogi.Square(0); sq < 81; sq++ {
			at := int(sq)
			if us == shogi.White {
				at = 80 - at
			}
			mine := func(set interface{ Test(shogi.Square) bool }) float32 {
				if set.Test(sq) {
					return 1
				}
				return 0
			}
			for k, want := range []float32{mine(p.Pieces(us)), mine(p.Pieces(us ^ 1)), mine(p.Pinned(us)), mine(p.Pinned(us ^ 1)), mine(p.Checkers()), float32(us), 1} {
				require.Equal(t, want, row[(181+k)*81+at], "%s: %v at %v", sfen, feature.Plane(181+k), sq)
			}
		}
		stack.Bits(bits)
		for i, v := range row {
			if bits[i/8]>>(i%8)&1 != uint8(v) {
				t.Fatalf("%s: bit %d", sfen, i)
			}
		}
	}
}

// Any choice in any order is those planes of the whole, whatever their number does to the places of bits.
func TestStacksOfAnyPlanes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	p := position(t, "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1")
	whole, err := feature.NewStack(allPlanes())
	require.NoError(t, err)
	require.NoError(t, whole.Load(&p))
	all := make([]uint8, whole.Size())
	feature.WriteStack(whole, all, nil)
	for n := range 80 {
		var chosen []feature.Plane
		for range 1 + n {
			chosen = append(chosen, feature.Plane(r.IntN(feature.PlaneCount)))
		}
		s, err := feature.NewStack(chosen)
		require.NoError(t, err)
		s = s.Clone()
		require.NoError(t, s.Load(&p))
		row, half, bits := soiled[uint8](s.Size()), soiled[feature.Half](s.Size()), make([]byte, s.Bytes())
		if n%2 == 0 {
			var stream feature.Stream
			feature.WriteStack(s, row, &stream)
			stream.Flush()
		} else {
			feature.WriteStack(s, row, nil)
		}
		feature.WriteStack(s, half, nil)
		feature.Fence()
		s.Bits(bits)
		for i, plane := range chosen {
			require.Equal(t, all[81*int(plane):][:81], row[81*i:][:81], "%v", plane)
		}
		for i, v := range row {
			require.Equal(t, feature.Half(v)*0x3C00, half[i])
			require.Equal(t, v, bits[i/8]>>(i%8)&1)
		}
	}
	assert.Zero(t, testing.AllocsPerRun(100, func() { _ = whole.Load(&p) }))
	_, err = feature.NewStack(nil)
	assert.ErrorIs(t, err, fault.Argument)
	_, err = feature.NewStack(make([]feature.Plane, feature.MaxStack+1))
	assert.ErrorIs(t, err, fault.Argument)
	_, err = feature.NewStack([]feature.Plane{feature.Plane(feature.PlaneCount)})
	assert.ErrorIs(t, err, fault.Argument)
	lonely := position(t, "4k4/9/9/9/9/9/9/9/9 b - 1")
	assert.ErrorIs(t, whole.Load(&lonely), fault.InvalidPosition)
	free, err := feature.NewStack([]feature.Plane{181, 186, 188})
	require.NoError(t, err)
	assert.NoError(t, free.Load(&lonely), "planes that need no king")
}

// nnueByRule is the list of indices by the rule, piece by piece, without the tables of the library.
func nnueByRule(n feature.NNUE, p *board.Position, side shogi.Color) (indices []int32) {
	turn := func(sq shogi.Square) int {
		if side == shogi.White {
			return 80 - int(sq)
		}
		return int(sq)
	}
	king := turn(p.KingSquare(side))
	mirror := func(sq int) int {
		if n == feature.HalfKAhm && king >= 45 {
			return 9*(8-sq/9) + sq%9
		}
		return sq
	}
	size := map[feature.NNUE]int{feature.HalfKP: 1548, feature.HalfKA: 1710, feature.HalfKAhm: 1710}[n]
	add := func(piece int) { indices = append(indices, int32(size*mirror(king)+piece)) }
	hand := map[shogi.PieceType][2]int{1: {1, 20}, 2: {39, 44}, 3: {49, 54}, 4: {59, 64}, 7: {69, 74}, 5: {79, 82}, 6: {85, 88}}
	squares := map[shogi.PieceType]int{1: 90, 2: 252, 3: 414, 4: 576, 7: 738, 9: 738, 10: 738, 11: 738, 12: 738, 5: 900, 13: 1062, 6: 1224, 14: 1386}
	for c := shogi.Black; c <= shogi.White; c++ {
		other := 0
		if c != side {
			other = 1
		}
		for kind, first := range hand {
			for k := range p.Hand(c).Count(kind) {
				add(first[other] + k)
			}
		}
		for sq := shogi.Square(0); sq < 81; sq++ {
			switch piece := p.PieceAt(sq); {
			case piece.IsEmpty() || piece.Color() != c:
			case piece.Type() != shogi.King:
				add(squares[piece.Type()] + 81*other + mirror(turn(sq)))
			case n != feature.HalfKP:
				add(1548 + 81*other + mirror(turn(sq)))
			}
		}
	}
	for len(indices) < n.Active() {
		add(0)
	}
	sort.Slice(indices, func(i, j int) bool { return indices[i] < indices[j] })
	return indices
}

func TestNNUE(t *testing.T) {
	assert.Equal(t, [3]int{125388, 138510, 76950}, [3]int{feature.HalfKP.Dimension(), feature.HalfKA.Dimension(), feature.HalfKAhm.Dimension()})
	// A few by hand: the own king of Black at 5i is square 44, its pawn on 7g 60.
	start := board.Start()
	row := make([]int32, 38)
	require.NoError(t, feature.WriteNNUE(feature.HalfKP, &start, shogi.Black, false, row))
	assert.Contains(t, row, int32(1548*44+90+60))
	assert.Contains(t, row, int32(1548*44+171+56), "the pawn on 7c")
	other := make([]int32, 38)
	require.NoError(t, feature.WriteNNUE(feature.HalfKP, &start, shogi.White, false, other))
	assert.Equal(t, row, other, "the start looks alike from both sides")

	sfens := append(someSFENs(t), "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "4k4/9/9/9/9/9/9/9/4K4 w RBG2S 1", "8k/9/9/9/9/9/9/9/K8 b - 1")
	for _, sfen := range sfens {
		p := position(t, sfen)
		mirrored, flipped := p.MirrorFile(), p.FlipSide()
		for _, n := range []feature.NNUE{feature.HalfKP, feature.HalfKA, feature.HalfKAhm} {
			for side := shogi.Black; side <= shogi.White; side++ {
				want := nnueByRule(n, &p, side)
				got, wide := make([]int32, n.Active()), make([]int64, n.Active())
				require.NoError(t, feature.WriteNNUE(n, &p, side, false, got))
				require.NoError(t, feature.WriteNNUE(n, &p, side, false, wide))
				require.Equal(t, want, got, "%s, %d, side %d", sfen, n, side)
				for i := range got {
					require.EqualValues(t, got[i], wide[i])
					require.Less(t, int(got[i]), n.Dimension())
				}
				// Turned, the other side sees the same.
				require.NoError(t, feature.WriteNNUE(n, &flipped, side.Opposite(), false, got))
				require.Equal(t, want, got)
				require.Equal(t, nnueByRule(n, &mirrored, side), written(t, n, &mirrored, side))
				king := p.KingSquare(side)
				if n == feature.HalfKAhm && king.File() != 4 {
					require.Equal(t, want, written(t, n, &mirrored, side), "mirrored is the same but with the king on file 5")
				}
				// Without missing men: the rest, and -1 for each of them.
				missing := 0
				for missing < len(want) && want[missing]%map[feature.NNUE]int32{feature.HalfKP: 1548, feature.HalfKA: 1710, feature.HalfKAhm: 1710}[n] == 0 {
					missing++
				}
				require.NoError(t, feature.WriteNNUE(n, &p, side, true, got))
				require.Equal(t, want[missing:], got[:len(got)-missing])
				for _, i := range got[len(got)-missing:] {
					require.EqualValues(t, -1, i)
				}
			}
		}
	}
	assert.Zero(t, testing.AllocsPerRun(100, func() { _ = feature.WriteNNUE(feature.HalfKP, &start, shogi.White, false, row) }))
	lonely := position(t, "4k4/9/9/9/9/9/9/9/9 b - 1")
	assert.ErrorIs(t, feature.WriteNNUE(feature.HalfKP, &lonely, shogi.White, false, row), fault.InvalidPosition)
	for _, raw := range []int{0, 4, -1} {
		_, err := feature.NewNNUE(raw)
		assert.ErrorIs(t, err, fault.InvalidValue)
	}
}

func written(t *testing.T, n feature.NNUE, p *board.Position, side shogi.Color) []int32 {
	row := make([]int32, n.Active())
	require.NoError(t, feature.WriteNNUE(n, p, side, false, row))
	return row
}

func FuzzParsePlanes(f *testing.F) {
	f.Add("pieces.own,check")
	f.Fuzz(func(t *testing.T, text string) {
		planes, err := feature.ParsePlanes(nil, text)
		if err == nil && len(planes) > 0 {
			names := make([]string, len(planes))
			for i, p := range planes {
				names[i] = p.String()
			}
			again, err := feature.ParsePlanes(nil, strings.Join(names, ","))
			require.NoError(t, err)
			require.GreaterOrEqual(t, len(again), len(planes))
		}
	})
}
