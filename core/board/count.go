package board

import (
	"math/bits"

	"komadori/core/bitboard"
	"komadori/core/shogi"
)

// count is generate without the list: set sizes instead of moves. It runs at the leaves of perft and wherever only the existence
// of moves matters, so it is written for itself; the tests hold the two together.
func count[C, E side](p *Position, nd *node) int {
	n := nd.flights.Count()
	if nd.double {
		return n
	}
	n += countFree[C](p, nd)
	if !nd.pinned.IsEmpty() && nd.checkers.IsEmpty() {
		n += countPinned[C](p, nd)
	}
	return n + countDrops[C, E](p, nd)
}

// countFree is the number of moves of pieces that are neither the king nor pinned.
func countFree[C side](p *Position, nd *node) (n int) {
	var c C
	us := len(c)
	own, targets := &p.sets[us], nd.targets
	free := own[allPieces].AndNot(nd.pinned)

	// Pawns all at once, the others one by one. Each kind has its own function, so that what it needs fits into registers.
	to := own[pawns].And(free).Forward(shogi.Color(us)).And(targets)
	n += promotableCount(to, zoneOf(us).Lo, lastRank(us))
	n += countSteps(p, nd, own[knights].Or(own[silvers]).Or(own[golds]).And(free))
	if s := own[lances].And(free); !s.IsEmpty() {
		n += countLances[C](nd, s)
	}
	if s := own[bishops].And(free); !s.IsEmpty() {
		n += countBishops[C](nd, s)
	}
	if s := own[rooks].And(free); !s.IsEmpty() {
		n += countRooks[C](nd, s)
	}
	if s := own[horses].Or(own[dragons]).And(free); !s.IsEmpty() {
		n += countHorsesAndDragons(p, nd, s)
	}
	return n
}

// countPinned is the number of moves of pinned pieces out of check.
func countPinned[C side](p *Position, nd *node) (n int) {
	var c C
	us := len(c)
	for s := nd.pinned; !s.IsEmpty(); {
		from := s.Pop()
		piece := shogi.Piece(p.board[from&127])
		to := p.pinnedTargets(nd, piece, from)
		if piece.IsPromotable() {
			n += promotableCount(to, promotionsFrom(us, from), lastRanks[piece&31])
		} else {
			n += to.Count()
		}
	}
	return n
}

// countSteps is the number of moves of knights, silvers and gold-like pieces.
func countSteps(p *Position, nd *node, s bitboard.Bitboard) (n int) {
	targets := nd.targets.Lo
	for w := s.Lo & rightOwn; w != 0; w &= w - 1 {
		from := trailing(w)
		st := &steppers[p.board[from&127]&31][from&127]
		n += bits.OnesCount64(st.stay&targets) + bits.OnesCount64(st.promote&targets)
	}
	targets = leftWing(nd.targets)
	for w := leftWing(s) & leftOwn; w != 0; w &= w - 1 {
		from := leftFirst + trailing(w)
		st := &steppers[p.board[from&127]&31][from&127]
		n += bits.OnesCount64(st.stay&targets) + bits.OnesCount64(st.promote&targets)
	}
	return n
}

func countLances[C side](nd *node, s bitboard.Bitboard) (n int) {
	var c C
	us := len(c)
	last := lastRank(us).Lo
	occupied, targets := nd.occupied.Lo, nd.targets.Lo
	for w := s.Lo; w != 0; w &= w - 1 {
		from := trailing(w)
		to := lanceWord(us, from, occupied) & targets
		n += bits.OnesCount64(to&^last) + bits.OnesCount64(to&promotionsFrom(us, from))
	}
	occupied, targets = nd.occupied.Hi, nd.targets.Hi
	for w := s.Hi; w != 0; w &= w - 1 {
		from := 63 + trailing(w)
		to := lanceWord(us, from, occupied) & targets
		n += bits.OnesCount64(to&^last) + bits.OnesCount64(to&promotionsFrom(us, from))
	}
	return n
}

func countBishops[C side](nd *node, s bitboard.Bitboard) (n int) {
	var c C
	us := len(c)
	middle, targets := nd.occupied.Middle(), nd.targets
	for half, w := shogi.Square(0), s.Lo; half < 126; half, w = half+63, s.Hi {
		for ; w != 0; w &= w - 1 {
			from := half + trailing(w)
			to := bitboard.OnDiagonal(from, middle).Or(bitboard.OnAntiDiagonal(from, middle)).And(targets)
			n += to.Count() + to.AndWord(promotionsFrom(us, from)).Count()
		}
	}
	return n
}

func countRooks[C side](nd *node, s bitboard.Bitboard) (n int) {
	var c C
	us := len(c)
	occupied, middle, targets := nd.occupied, nd.occupied.Middle(), nd.targets
	for w := s.Lo; w != 0; w &= w - 1 {
		from := trailing(w)
		to := bitboard.OnRank(from, middle)
		to.Lo |= lanceWord(0, from, occupied.Lo) | lanceWord(1, from, occupied.Lo)
		to = to.And(targets)
		n += to.Count() + to.AndWord(promotionsFrom(us, from)).Count()
	}
	for w := s.Hi; w != 0; w &= w - 1 {
		from := 63 + trailing(w)
		to := bitboard.OnRank(from, middle)
		to.Hi |= lanceWord(0, from, occupied.Hi) | lanceWord(1, from, occupied.Hi)
		to = to.And(targets)
		n += to.Count() + to.AndWord(promotionsFrom(us, from)).Count()
	}
	return n
}

func countHorsesAndDragons(p *Position, nd *node, s bitboard.Bitboard) (n int) {
	occupied, middle, targets := nd.occupied, nd.occupied.Middle(), nd.targets
	for half, w := shogi.Square(0), s.Lo; half < 126; half, w = half+63, s.Hi {
		for ; w != 0; w &= w - 1 {
			from := half + trailing(w)
			to := bitboard.Step(shogi.BKing, from)
			if p.board[from&127]&15 == uint8(horses) {
				to = to.Or(bitboard.OnDiagonal(from, middle)).Or(bitboard.OnAntiDiagonal(from, middle))
			} else {
				to = to.Or(bitboard.OnRank(from, middle)).Or(bitboard.OnFile(from, occupied))
			}
			n += to.And(targets).Count()
		}
	}
	return n
}

// promotableCount is the number of moves to a set by pieces that promote inside the zone and must not stay unpromoted on dead squares.
func promotableCount(to bitboard.Bitboard, zone uint64, dead bitboard.Bitboard) int {
	return to.AndNot(dead).Count() + to.AndWord(zone).Count()
}

func countDrops[C, E side](p *Position, nd *node) int {
	var c C
	us := len(c)
	hand, squares := uint32(p.hands[us]), nd.drops
	n := 0
	if hand == 0 || squares.IsEmpty() {
		return n
	}
	if hand&31 != 0 {
		n = pawnDrops[C, E](p, nd).Count()
	}
	if hand>>5 == 0 {
		return n
	}
	present := presentIn(p.hands[us])
	n += bits.OnesCount32(uint32(present&anywhere)) * squares.Count()
	if present&withLance != 0 {
		n += squares.AndNot(lastRank(us)).Count()
	}
	if present&withKnight != 0 {
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
	return !nd.flights.IsEmpty() || !nd.double && p.count(nd) > 0
}

// IsCheckmate tells whether the side to move stands in check and has no legal move.
func (p *Position) IsCheckmate() bool {
	var nd node
	p.analyse(&nd)
	return !nd.checkers.IsEmpty() && !p.hasLegalMove(&nd)
}
