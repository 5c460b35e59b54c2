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

// CountEvasions is the number of legal moves on the board, and the squares between a check and the king onto which something can be dropped.
// Both are nothing only in checkmate, or where there is no legal move without a check.
func (p *Position) CountEvasions() (moves int, between bitboard.Bitboard) {
	var nd node
	p.analyse(&nd)
	if nd.double || p.hands[p.turn&1] == 0 || nd.checkers.IsEmpty() {
		nd.drops = bitboard.Bitboard{}
	}
	between, nd.drops = nd.drops, bitboard.Bitboard{}
	moves = p.count(&nd)
	if moves == 0 && !between.IsEmpty() {
		nd.drops = between
		if p.count(&nd) == 0 { // what there is in hand may not be dropped there
			between = bitboard.Bitboard{}
		}
	}
	return moves, between
}
