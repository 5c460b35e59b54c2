//go:build !(amd64 || arm64) || purego

package board

import (
	"komadori/core/bitboard"
	"komadori/core/shogi"
)

// emitDrops adds a drop of every kind on every square.
func emitDrops(l *MoveList, n int, kinds *[8]shogi.Move, count int, squares bitboard.Bitboard) int {
	for !squares.IsEmpty() {
		sq := shogi.Move(squares.Pop())
		for k := range count {
			l.Moves[n&1023] = kinds[k&7] + sq
			n++
		}
	}
	return n
}
