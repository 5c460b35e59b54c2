//go:build !(amd64 || arm64) || purego

package board

import "komadori/core/bitboard"

// emitDrops adds a drop of every kind on every square.
func emitDrops[M move](l *List[M], n int, kinds *dropKinds, squares bitboard.Bitboard) int {
	for !squares.IsEmpty() {
		sq := M(squares.Pop())
		for k := range kinds.count {
			l.Moves[n&1023] = M(kinds.moves32[k&7]) + sq
			n++
		}
	}
	return n
}
