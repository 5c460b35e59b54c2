// Package zobrist has the random numbers that position keys are made of.
//
// They come from a fixed seed and are part of the API: users store keys, so they never change.
package zobrist

import (
	"sync"

	"komadori/core/shogi"
)

const (
	seed       = 0x6B6F6D61646F7269 // "komadori"
	secondSeed = 0x69726F64616D6F6B // and backwards
)

// Board is indexed by piece and square, Hand by color, kind and count (count 0 is 0), Side is added when White is to move.
var (
	Board [shogi.PieceCount][128]uint64
	Hand  [shogi.ColorCount][8][32]uint64
	Side  uint64
)

func init() { fill(seed, &Board, &Hand, &Side) }

// fill makes tables from a seed.
func fill(seed uint64, board *[shogi.PieceCount][128]uint64, hand *[shogi.ColorCount][8][32]uint64, side *uint64) {
	state := seed
	// SplitMix64 (Steele, Lea, Flood 2014), written out because its output must never change.
	next := func() uint64 {
		state += 0x9E3779B97F4A7C15
		z := state
		z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		return z ^ z>>31
	}
	*side = next()
	for p := range board {
		if !shogi.Piece(p).IsOnBoard() {
			continue
		}
		for sq := range shogi.SquareCount {
			board[p][sq] = next()
		}
	}
	for c := range hand {
		for t := shogi.Pawn; t <= shogi.Gold; t++ {
			for n := 1; n <= shogi.HandMax[t]; n++ {
				hand[c][t][n] = next()
			}
		}
	}
}

// Tables are numbers laid out as Board, Hand and Side.
type Tables struct {
	Board [shogi.PieceCount][128]uint64
	Hand  [shogi.ColorCount][8][32]uint64
	Side  uint64
}

// Second has other numbers, for the upper half of keys of 128 bits. They are made at the first call.
var Second = sync.OnceValue(func() *Tables {
	t := new(Tables)
	fill(secondSeed, &t.Board, &t.Hand, &t.Side)
	return t
})
