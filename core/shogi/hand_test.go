package shogi_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/fault"
	. "komadori/core/shogi"
)

func TestHandLayout(t *testing.T) {
	shift, width, borrow, top := []uint8{0, 8, 12, 16, 20, 24, 28}, []uint{5, 3, 3, 3, 2, 2, 3}, []uint{5, 11, 15, 19, 22, 26, 31}, []int{18, 4, 4, 4, 2, 2, 4}
	var all Hand
	for i, kind := range []PieceType{Pawn, Lance, Knight, Silver, Bishop, Rook, Gold} {
		assert.EqualValues(t, i, HandPiece(kind-1))
		assert.Equal(t, kind, HandPiece(i).Type())
		assert.Equal(t, shift[i], HandShift[kind])
		assert.Equal(t, uint32(1)<<width[i]-1, HandMask[kind])
		assert.Equal(t, top[i], HandMax[kind])
		all |= 1 << borrow[i]
	}
	assert.Equal(t, all, HandBorrow)
	assert.Equal(t, [7]HandPiece{0, 1, 2, 3, 4, 5, 6}, [7]HandPiece{HandPawn, HandLance, HandKnight, HandSilver, HandBishop, HandRook, HandGold})
	assert.Equal(t, 7, HandPieceCount)
	assert.Equal(t, [7]PieceType{Pawn, Lance, Knight, Silver, Gold, Bishop, Rook}, HandOrderGBR)
	for raw, counts := range map[uint32][7]int{0x40000000: {6: 4}, 0x02000012: {0: 18, 5: 2}, 0: {}} {
		h, err := HandFromCounts(counts)
		require.NoError(t, err)
		assert.EqualValues(t, raw, h)
		assert.Equal(t, counts, h.Counts())
	}
	h, _ := HandFromCounts([7]int{1, 2, 3, 4, 1, 2, 3})
	assert.Equal(t, [7]int{1, 2, 3, 4, 3, 1, 2}, h.CountsGBR())
	assert.Equal(t, 16, h.Total())
	assert.True(t, Hand(0).IsEmpty())
	assert.False(t, h.IsEmpty())
}

func TestHandHoldsAtMostTheMenThatExist(t *testing.T) {
	for kind := Pawn; kind <= Gold; kind++ {
		var counts [7]int
		for _, n := range []int{-1, HandMax[kind] + 1, 1 << (bits.UintSize / 2)} {
			counts[kind-1] = n
			_, err := HandFromCounts(counts)
			assert.ErrorIs(t, err, fault.InvalidValue, "%d %v", n, kind)
		}
		for n := 0; n <= int(HandMask[kind]); n++ {
			raw := uint32(n) << HandShift[kind]
			h, err := NewHand(raw)
			if n > HandMax[kind] {
				assert.ErrorIs(t, err, fault.InvalidValue, "%d %v", n, kind)
				continue
			}
			require.NoError(t, err)
			more, err := h.Add(kind, 1)
			if n == HandMax[kind] {
				assert.ErrorIs(t, err, fault.InvalidValue)
				assert.Equal(t, h, more, "unchanged on error")
			} else {
				assert.Equal(t, n+1, more.Count(kind))
				less, err := more.Sub(kind, 1)
				assert.NoError(t, err)
				assert.Equal(t, h, less)
			}
			_, err = h.Sub(kind, n+1)
			assert.ErrorIs(t, err, fault.InvalidValue)
			none, err := h.Sub(kind, n)
			assert.NoError(t, err)
			assert.True(t, none.IsEmpty())
		}
		for _, n := range []int{-1, math.MinInt, math.MaxInt} {
			_, err := Hand(0).Add(kind, n)
			assert.ErrorIs(t, err, fault.InvalidValue)
			_, err = Hand(0).Sub(kind, n)
			assert.ErrorIs(t, err, fault.InvalidValue)
		}
	}
	for bit := range 32 {
		raw := uint32(1) << bit
		inside := false
		for kind := Pawn; kind <= Gold; kind++ {
			inside = inside || raw>>HandShift[kind] != 0 && raw>>HandShift[kind] <= HandMask[kind] && raw>>HandShift[kind]<<HandShift[kind] == raw
		}
		if !inside {
			_, err := NewHand(raw)
			assert.ErrorIs(t, err, fault.InvalidValue, "bit %d", bit)
		}
	}
}

// A captured piece goes to hand unpromoted: nothing else can be put there.
func TestHandRefusesPromotedPiecesKingsAndNone(t *testing.T) {
	for kind := PieceType(-128); ; kind++ {
		if kind < Pawn || kind > Gold {
			h, err := Hand(5).Add(kind, 1)
			assert.ErrorIs(t, err, fault.InvalidValue, int(kind))
			assert.EqualValues(t, 5, h)
			_, err = Hand(5).Sub(kind, 0)
			assert.ErrorIs(t, err, fault.InvalidValue, int(kind))
			assert.Zero(t, Hand(0xFFFFFFFF).Count(kind))
		}
		if kind == 127 {
			break
		}
	}
}

// The subtraction with borrow bits says the same as comparing kind by kind.
func TestHandSuperiorityIsKindByKind(t *testing.T) {
	compare := func(a, b Hand) {
		want := true
		for kind := Pawn; kind <= Gold; kind++ {
			want = want && a.Count(kind) >= b.Count(kind)
		}
		if a.IsSuperiorOrEqual(b) != want {
			t.Fatalf("%v against %v", a.Counts(), b.Counts())
		}
	}
	// Every pair of counts of one kind, with the neighbours empty or full.
	for kind := Pawn; kind <= Gold; kind++ {
		for a := 0; a <= HandMax[kind]; a++ {
			for b := 0; b <= HandMax[kind]; b++ {
				for fill := range 4 {
					var ca, cb [7]int
					for i := range ca {
						ca[i], cb[i] = fill&1*HandMax[i+1], fill>>1*HandMax[i+1]
					}
					ca[kind-1], cb[kind-1] = a, b
					ha, _ := HandFromCounts(ca)
					hb, _ := HandFromCounts(cb)
					compare(ha, hb)
				}
			}
		}
	}
	// Pairs that differ by little in every kind: all edges of the borrow.
	r := rand.New(rand.NewPCG(1, 2))
	for range 300_000 {
		var ca, cb [7]int
		for i := range ca {
			top := HandMax[i+1]
			ca[i] = r.IntN(top + 1)
			cb[i] = min(max(ca[i]+r.IntN(4)-2, 0), top)
			if r.IntN(8) == 0 {
				cb[i] = r.IntN(top + 1)
			}
		}
		ha, err := HandFromCounts(ca)
		require.NoError(t, err)
		hb, err := HandFromCounts(cb)
		require.NoError(t, err)
		compare(ha, hb)
		compare(hb, ha)
	}
}
