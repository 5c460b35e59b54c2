//go:build (amd64 || arm64) && !purego

package board

import (
	"math/bits"
	"unsafe"

	"komadori/core/bitboard"
	"komadori/core/shogi"
)

// emitDrops adds a drop of every kind on every square, four moves in one store. Stores beyond the last move land in the
// list's slack and are overwritten or ignored.
func emitDrops(l *MoveList, n int, kinds *[8]shogi.Move, count int, squares bitboard.Bitboard) int {
	if count == 0 {
		return n
	}
	packed := (*[2]uint64)(unsafe.Pointer(kinds))
	first, second := packed[0], packed[1]
	put := func(sq uint64) {
		const everyLane = 0x0001000100010001
		at := (*[2]uint64)(unsafe.Pointer(&l.Moves[n&1023]))
		at[0] = first + sq*everyLane
		at[1] = second + sq*everyLane
		n += count
	}
	for lo := squares.Lo; lo != 0; lo &= lo - 1 {
		put(uint64(bits.TrailingZeros64(lo)))
	}
	for hi := squares.Hi; hi != 0; hi &= hi - 1 {
		put(uint64(63 + bits.TrailingZeros64(hi)))
	}
	return n
}
