package board

import (
	"komadori/core/bitboard"
)

// GenerateEvasions lists the legal moves as Legal does, and returns the squares on which a man can be put between a check and the king,
// empty when there are none: in check by a man next to the king or by a knight, by two men, or not in check at all.
func (p *Position) GenerateEvasions(l *MoveList) (between bitboard.Bitboard) {
	var nd node
	p.analyse(&nd)
	p.listNode(&nd, l)
	if nd.checkers.IsEmpty() || nd.double {
		return bitboard.Bitboard{}
	}
	return nd.drops
}
