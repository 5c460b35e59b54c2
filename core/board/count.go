package board

import (
	"math/bits"

	"komadori/core/bitboard"
	"komadori/core/shogi"
)

// count is generate without the list: set sizes instead of moves. It runs at the leaves of perft and wherever only the existence
// of moves matters, so it is written for itself; the tests hold the two together.
func count[C, E side](p *Position, nd *node) int {
	var c C
	us := len(c)
	own, targets, occupied := &p.sets[us], nd.targets, nd.occupied
	n := 0
	if nd.king != shogi.NoSquare {
		n = kingMoves[C, E](p, nd).Count()
		if nd.double {
			return n
		}
	}
	free := own[allPieces].AndNot(nd.pinned)
	zone, last, two := zoneOf(us), lastRank(us), lastTwo(us)

	// Pawns and knights, all at once.
	s := own[pawns].And(free)
	var knightsUp bitboard.Bitboard
	if us == 0 {
		s = bitboard.Bitboard{Lo: s.Lo >> 1, Hi: s.Hi >> 1}
		k := own[knights].And(free)
		knightsUp = bitboard.Bitboard{Lo: k.Lo >> 2, Hi: k.Hi >> 2}
	} else {
		s = bitboard.Bitboard{Lo: s.Lo << 1, Hi: s.Hi << 1}
		k := own[knights].And(free)
		knightsUp = bitboard.Bitboard{Lo: k.Lo << 2, Hi: k.Hi << 2}
	}
	n += promotableCount(s.And(targets), zone, last)
	if !knightsUp.IsEmpty() {
		left := bitboard.Bitboard{Lo: knightsUp.Lo << 9 & (1<<63 - 1), Hi: (knightsUp.Hi<<9 | knightsUp.Lo>>54) & hiMask}
		right := bitboard.Bitboard{Lo: knightsUp.Lo>>9 | knightsUp.Hi<<54&(1<<63-1), Hi: knightsUp.Hi >> 9}
		n += promotableCount(left.And(targets), zone, two) + promotableCount(right.And(targets), zone, two)
	}

	s = own[lances].And(free)
	for half, w := shogi.Square(0), s.Lo; half < 126; half, w = half+63, s.Hi {
		for ; w != 0; w &= w - 1 {
			from := half + trailing(w)
			to := bitboard.Lance(shogi.Color(us), from, occupied).And(targets)
			n += promotableCount(to, promotionFrom(zone, from), last)
		}
	}
	s = own[silvers].And(free)
	for half, w := shogi.Square(0), s.Lo; half < 126; half, w = half+63, s.Hi {
		for ; w != 0; w &= w - 1 {
			from := half + trailing(w)
			to := bitboard.Step(shogi.Piece(us<<4|silvers), from).And(targets)
			n += to.Count() + to.And(promotionFrom(zone, from)).Count()
		}
	}
	s = own[golds].And(free)
	for half, w := shogi.Square(0), s.Lo; half < 126; half, w = half+63, s.Hi {
		for ; w != 0; w &= w - 1 {
			n += bitboard.Step(shogi.Piece(us<<4|golds), half+trailing(w)).And(targets).Count()
		}
	}
	s = own[bishops].And(free)
	for half, w := shogi.Square(0), s.Lo; half < 126; half, w = half+63, s.Hi {
		for ; w != 0; w &= w - 1 {
			from := half + trailing(w)
			to := bitboard.Bishop(from, occupied).And(targets)
			n += to.Count() + to.And(promotionFrom(zone, from)).Count()
		}
	}
	s = own[rooks].And(free)
	for half, w := shogi.Square(0), s.Lo; half < 126; half, w = half+63, s.Hi {
		for ; w != 0; w &= w - 1 {
			from := half + trailing(w)
			to := bitboard.Rook(from, occupied).And(targets)
			n += to.Count() + to.And(promotionFrom(zone, from)).Count()
		}
	}
	s = own[horses].Or(own[dragons]).And(free)
	for half, w := shogi.Square(0), s.Lo; half < 126; half, w = half+63, s.Hi {
		for ; w != 0; w &= w - 1 {
			from := half + trailing(w)
			n += bitboard.Attacks(shogi.Piece(p.board[from&127]), from, occupied).And(targets).Count()
		}
	}
	if !nd.pinned.IsEmpty() && nd.checkers.IsEmpty() {
		for s := nd.pinned; !s.IsEmpty(); {
			from := s.Pop()
			piece := shogi.Piece(p.board[from&127])
			to := p.pinnedTargets(nd, piece, from)
			if piece.IsPromotable() {
				n += promotableCount(to, promotionFrom(zone, from), lastRanks[piece&31])
			} else {
				n += to.Count()
			}
		}
	}
	if p.hands[us] != 0 && !nd.drops.IsEmpty() {
		n += countDrops[C, E](p, nd)
	}
	return n
}

// promotableCount is the number of moves to a set by pieces that promote inside the zone and must not stay unpromoted on dead squares.
func promotableCount(to, zone, dead bitboard.Bitboard) int {
	return to.AndNot(dead).Count() + to.And(zone).Count()
}

// promotionFrom is where a piece from a square may promote: anywhere when it starts in the zone.
func promotionFrom(zone bitboard.Bitboard, from shogi.Square) bitboard.Bitboard {
	if zone.Test(from) {
		return bitboard.All
	}
	return zone
}

func countDrops[C, E side](p *Position, nd *node) int {
	var c C
	us := len(c)
	hand, squares := uint32(p.hands[us]), nd.drops
	n := 0
	if hand&31 != 0 {
		n = pawnDrops[C, E](p, nd).Count()
	}
	if hand>>5 == 0 {
		return n
	}
	// One bit for each of silver, bishop, rook and gold in hand: those drop everywhere.
	everywhere := bits.OnesCount32((hand>>16|hand>>17|hand>>18)&1 | (hand>>20|hand>>21)&1<<1 | (hand>>24|hand>>25)&1<<2 | (hand>>28|hand>>29|hand>>30)&1<<3)
	n += everywhere * squares.Count()
	if hand>>8&7 != 0 {
		n += squares.AndNot(lastRank(us)).Count()
	}
	if hand>>12&7 != 0 {
		n += squares.AndNot(lastTwo(us)).Count()
	}
	return n
}

// CountLegal is the number of legal moves.
func (p *Position) CountLegal() int {
	var nd node
	p.analyse(&nd)
	return p.count(&nd)
}

func (p *Position) count(nd *node) int {
	if p.turn == shogi.Black {
		return count[black, white](p, nd)
	}
	return count[white, black](p, nd)
}

// HasLegalMove tells whether there is any legal move.
func (p *Position) HasLegalMove() bool {
	var nd node
	p.analyse(&nd)
	return p.hasLegalMove(&nd)
}

// hasLegalMove asks the king first, as out of check it is the likeliest to have a move.
func (p *Position) hasLegalMove(nd *node) bool {
	if nd.king != shogi.NoSquare {
		blocked := p.sets[p.turn&1][allPieces].Or(p.sets[p.turn&1^1][kingSet]).Or(nd.danger)
		if !blocked.Contains(bitboard.Step(shogi.BKing, nd.king)) {
			return true
		}
		if nd.double {
			return false
		}
	}
	return p.count(nd) > 0
}

// IsCheckmate tells whether the side to move stands in check and has no legal move.
func (p *Position) IsCheckmate() bool {
	var nd node
	p.analyse(&nd)
	return !nd.checkers.IsEmpty() && !p.hasLegalMove(&nd)
}
