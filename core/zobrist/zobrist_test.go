package zobrist_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/shogi"
	"komadori/core/zobrist"
)

// Users store keys. The numbers below were written down once and must never change.
func TestKeysNeverChange(t *testing.T) {
	assert.EqualValues(t, uint64(0xde70c244d1ced4d2), zobrist.Side)
	assert.EqualValues(t, uint64(0x8e9efe1ca8a73f0d), zobrist.Board[shogi.BPawn][0])
	assert.EqualValues(t, uint64(0x282ffa29b76e3400), zobrist.Board[shogi.WDragon][80])
	assert.EqualValues(t, uint64(0xc0067fc38149a828), zobrist.Hand[shogi.Black][shogi.Pawn][1])
	assert.EqualValues(t, uint64(0xc4e067bc9f5e6b66), zobrist.Hand[shogi.Black][shogi.Pawn][18])
	assert.EqualValues(t, uint64(0x981442272a356559), zobrist.Hand[shogi.White][shogi.Gold][4])

	h := sha256.New()
	for _, table := range []any{zobrist.Board, zobrist.Hand, zobrist.Side} {
		require.NoError(t, binary.Write(h, binary.LittleEndian, table))
	}
	assert.Equal(t, "2e39bbd6d68bc90a9222fb1cfa340e3d905bbe8ecc9cc20f5f73382077f65b87", hex.EncodeToString(h.Sum(nil)))
}

func TestSecondKeysNeverChange(t *testing.T) {
	second := zobrist.Second()
	assert.Same(t, second, zobrist.Second())
	h := sha256.New()
	for _, table := range []any{second.Board, second.Hand, second.Side} {
		require.NoError(t, binary.Write(h, binary.LittleEndian, table))
	}
	assert.Equal(t, "fe002427a3c7b487b96fdc8601cad027931d7e181410e736d910fbba50ec9cdf", hex.EncodeToString(h.Sum(nil)))

	// They are other numbers than the first ones, and stand in the same places.
	first := map[uint64]bool{zobrist.Side: true}
	for p := range zobrist.Board {
		for sq, k := range zobrist.Board[p] {
			first[k] = true
			assert.Equal(t, k == 0, second.Board[p][sq] == 0)
		}
	}
	for c := range zobrist.Hand {
		for kind := range zobrist.Hand[c] {
			for n, k := range zobrist.Hand[c][kind] {
				first[k] = true
				assert.Equal(t, k == 0, second.Hand[c][kind][n] == 0)
			}
		}
	}
	delete(first, 0)
	assert.NotContains(t, first, second.Side)
	for p := range second.Board {
		for _, k := range second.Board[p] {
			assert.NotContains(t, first, k)
		}
	}
}

// The generator is SplitMix64: its published first outputs for seed 1234567 are reproduced by the same arithmetic, and the first
// number of the tables is the first output for their seed.
func TestNumbersComeFromSplitMix64(t *testing.T) {
	split := func(state uint64) func() uint64 {
		return func() uint64 {
			state += 0x9E3779B97F4A7C15
			z := state
			z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
			z = (z ^ z>>27) * 0x94D049BB133111EB
			return z ^ z>>31
		}
	}
	known := split(1234567)
	for _, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		require.Equal(t, want, known())
	}
	next := split(0x6B6F6D61646F7269)
	assert.Equal(t, next(), zobrist.Side)
	assert.Equal(t, next(), zobrist.Board[shogi.BPawn][0])
}

// Every piece on every square, every count in hand and the side have a number of their own; what cannot be has none.
func TestKeysAreDistinctAndZeroWhereNothingIs(t *testing.T) {
	seen := map[uint64]bool{zobrist.Side: true}
	n := 1
	for p := range zobrist.Board {
		for sq, k := range zobrist.Board[p] {
			if !shogi.Piece(p).IsOnBoard() || sq > 80 {
				assert.Zero(t, k)
				continue
			}
			seen[k] = true
			n++
		}
	}
	for c := range zobrist.Hand {
		for kind := range zobrist.Hand[c] {
			for count, k := range zobrist.Hand[c][kind] {
				if count == 0 || count > shogi.HandMax[kind] {
					assert.Zero(t, k)
					continue
				}
				seen[k] = true
				n++
			}
		}
	}
	assert.Equal(t, 1+28*81+2*38, n)
	assert.Len(t, seen, n)
	assert.NotContains(t, seen, uint64(0))
}
