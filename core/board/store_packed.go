//go:build (amd64 || arm64) && !purego

package board

import (
	"math/bits"
	"unsafe"

	"komadori/core/bitboard"
)

// Moves are stored by whole words. Stores beyond the last move land in the list's slack and are overwritten or ignored.

const (
	everyLane  = 1 | 1<<16 | 1<<32 | 1<<48 // four 16-bit moves
	everyLane2 = 1 | 1<<32                 // two 32-bit moves
)

// emitDrops adds a drop of every kind on every square.
func emitDrops[M move](l *List[M], n int, kinds *dropKinds, squares bitboard.Bitboard) int {
	var m M
	switch {
	case kinds.count == 1 && unsafe.Sizeof(m) == 4:
		return emitSet(l, n, M(kinds.moves32[0]), squares)
	case unsafe.Sizeof(m) == 4:
		n = emitDrops32(l, n, kinds, squares.Lo, 0)
		return emitDrops32(l, n, kinds, squares.Hi, 63)
	case kinds.count == 1:
		n = emitLanes(l, n, uint64(kinds.moves[0]), squares.Lo)
		return emitLanes(l, n, uint64(kinds.moves[0])+63, squares.Hi)
	case kinds.count == 0:
		return n
	}
	n = emitDrops16(l, n, kinds, squares.Lo, 0)
	return emitDrops16(l, n, kinds, squares.Hi, 63)
}

// emitDrops16 stores up to eight kinds at once.
func emitDrops16[M move](l *List[M], n int, kinds *dropKinds, word, first uint64) int {
	four := (*[2]uint64)(unsafe.Pointer(&kinds.moves))
	a, b, stride := four[0]+first*everyLane, four[1]+first*everyLane, uintptr(2*kinds.count)
	at := unsafe.Add(unsafe.Pointer(l), 2*n)
	n += kinds.count * bits.OnesCount64(word)
	if kinds.count <= 4 {
		for ; word != 0; word &= word - 1 {
			*(*uint64)(at) = a + uint64(bits.TrailingZeros64(word))*everyLane
			at = unsafe.Add(at, stride)
		}
		return n
	}
	for ; word != 0; word &= word - 1 {
		to := uint64(bits.TrailingZeros64(word)) * everyLane
		*(*[2]uint64)(at) = [2]uint64{a + to, b + to}
		at = unsafe.Add(at, stride)
	}
	return n
}

// emitDrops32 stores up to six kinds, two at a time.
func emitDrops32[M move](l *List[M], n int, kinds *dropKinds, word, first uint64) int {
	two := (*[3]uint64)(unsafe.Pointer(&kinds.moves32))
	a, b, c, stride := two[0]+first*everyLane2, two[1]+first*everyLane2, two[2]+first*everyLane2, uintptr(4*kinds.count)
	at := unsafe.Add(unsafe.Pointer(l), 4*n)
	n += kinds.count * bits.OnesCount64(word)
	for ; word != 0; word &= word - 1 {
		to := uint64(bits.TrailingZeros64(word)) * everyLane2
		*(*[3]uint64)(at) = [3]uint64{a + to, b + to, c + to}
		at = unsafe.Add(at, stride)
	}
	return n
}

// emitLanes adds the moves base + target, eight squares of the word at a time: a table has the squares of every byte, packed.
func emitLanes[M move](l *List[M], n int, base, word uint64) int {
	for b := base * everyLane; word != 0; word, b = word>>8, b+8*everyLane {
		squares := &lanes[word&255]
		at := unsafe.Add(unsafe.Pointer(l), 2*n)
		*(*[2]uint64)(at) = [2]uint64{squares[0] + b, squares[1] + b}
		n += bits.OnesCount64(word & 255)
	}
	return n
}

var lanes = func() (t [256][2]uint64) {
	for i := range t {
		k := 0
		for bit := range uint64(8) {
			if i>>bit&1 != 0 {
				t[i][k/4] |= bit << (16 * (k & 3))
				k++
			}
		}
	}
	return t
}()
