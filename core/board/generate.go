package board

import (
	"math/bits"

	"komadori/core/bitboard"
	"komadori/core/shogi"
)

// MaxLegalMoves is the largest number of legal moves that any position has.
const MaxLegalMoves = 593

// A MoveList receives generated moves. It is large: reuse it, or keep it on the stack of a caller that needs no speed.
type MoveList struct {
	Moves [1032]shogi.Move // slack beyond MaxLegalMoves lets indices be masked and eight moves be stored at once
	N     int
}

// Slice is the moves generated last.
func (l *MoveList) Slice() []shogi.Move { return l.Moves[:l.N] }

// What to generate, as a type like the colors: list moves or only count them.
type (
	listing  = [0]struct{}
	counting = [1]struct{}
	mode     interface{ listing | counting }
)

func trailing(word uint64) shogi.Square { return shogi.Square(bits.TrailingZeros64(word)) }

// emit adds the moves with one origin to a set of targets.
func emit[M mode](l *MoveList, n int, base shogi.Move, to bitboard.Bitboard) int {
	var m M
	if len(m) == 1 {
		return n + to.Count()
	}
	for lo := to.Lo; lo != 0; lo &= lo - 1 {
		l.Moves[n&1023] = base | shogi.Move(trailing(lo))
		n++
	}
	for hi := to.Hi; hi != 0; hi &= hi - 1 {
		l.Moves[n&1023] = base | shogi.Move(63+trailing(hi))
		n++
	}
	return n
}

// emitStep adds moves whose origin is a fixed distance from the target: base already holds the distance.
func emitStep[M mode](l *MoveList, n int, base shogi.Move, to bitboard.Bitboard) int {
	var m M
	if len(m) == 1 {
		return n + to.Count()
	}
	for lo := to.Lo; lo != 0; lo &= lo - 1 {
		l.Moves[n&1023] = base + 129*shogi.Move(trailing(lo))
		n++
	}
	for hi := to.Hi; hi != 0; hi &= hi - 1 {
		l.Moves[n&1023] = base + 129*shogi.Move(63+trailing(hi))
		n++
	}
	return n
}

// emitPromotable adds the moves of a piece that may promote: with promotion where origin or target lies in the zone, and
// without it where the piece could still move.
func emitPromotable[M mode](l *MoveList, n int, from shogi.Square, to, zone, dead bitboard.Bitboard) int {
	base := shogi.Move(from) << 7
	promoted := to
	if !zone.Test(from) {
		promoted = to.And(zone)
	}
	n = emit[M](l, n, base|shogi.MovePromote, promoted)
	return emit[M](l, n, base, to.AndNot(dead))
}

// zoneOf, lastRank and lastTwo are by color as constants, so that the generic code folds them.
func zoneOf(c int) bitboard.Bitboard {
	if c == 0 {
		return bitboard.Bitboard{Lo: 7 * files7, Hi: 7 * files7 & hiMask}
	}
	return bitboard.Bitboard{Lo: 7 << 6 * files7, Hi: 7 << 6 * files7 & hiMask}
}

func lastRank(c int) bitboard.Bitboard {
	if c == 0 {
		return bitboard.Bitboard{Lo: files7, Hi: files7 & hiMask}
	}
	return bitboard.Bitboard{Lo: 1 << 8 * files7, Hi: 1 << 8 * files7 & hiMask}
}

func lastTwo(c int) bitboard.Bitboard {
	if c == 0 {
		return bitboard.Bitboard{Lo: 3 * files7, Hi: 3 * files7 & hiMask}
	}
	return bitboard.Bitboard{Lo: 3 << 7 * files7, Hi: 3 << 7 * files7 & hiMask}
}

// generate lists or counts the legal moves of the side to move: board moves to the targets of the node, drops on its drop squares.
func generate[C, E side, M mode](p *Position, nd *node, l *MoveList) int {
	var c C
	var e E
	us, them := len(c), len(e)
	own := &p.sets[us]
	n := 0
	if nd.king != shogi.NoSquare {
		to := bitboard.Step(shogi.BKing, nd.king).AndNot(own[allPieces].Or(p.sets[them][kingSet]).Or(nd.danger))
		n = emit[M](l, n, shogi.Move(nd.king)<<7, to)
		if nd.double {
			return n
		}
	}
	n = boardMoves[C, M](p, nd, l, n)
	if p.hands[us] != 0 && !nd.drops.IsEmpty() {
		n = dropMoves[C, M](p, nd, l, n)
	}
	return n
}

func boardMoves[C side, M mode](p *Position, nd *node, l *MoveList, n int) int {
	var c C
	us := len(c)
	own, targets, occupied := &p.sets[us], nd.targets, nd.occupied
	free := own[allPieces].AndNot(nd.pinned)
	zone, last := zoneOf(us), lastRank(us)

	// Pawns, all at once. The base of a pawn move is its distance: from = to + 1 for Black, to - 1 for White.
	movers := own[pawns].And(free)
	var ahead bitboard.Bitboard
	base := shogi.Move(1 << 7)
	if us == 0 {
		ahead = bitboard.Bitboard{Lo: movers.Lo >> 1, Hi: movers.Hi >> 1}
	} else {
		ahead = bitboard.Bitboard{Lo: movers.Lo << 1, Hi: movers.Hi << 1}
		base = ^base + 1
	}
	ahead = ahead.And(targets)
	n = emitStep[M](l, n, base, ahead.AndNot(last))
	if promoted := ahead.And(zone); !promoted.IsEmpty() {
		n = emitStep[M](l, n, base+shogi.MovePromote, promoted)
	}

	for s := own[lances].And(free); !s.IsEmpty(); {
		from := s.Pop()
		n = emitPromotable[M](l, n, from, bitboard.Lance(shogi.Color(us), from, occupied).And(targets), zone, last)
	}
	for s := own[knights].And(free); !s.IsEmpty(); {
		from := s.Pop()
		n = emitPromotable[M](l, n, from, bitboard.Step(shogi.Piece(us<<4|knights), from).And(targets), zone, lastTwo(us))
	}
	for s := own[silvers].And(free); !s.IsEmpty(); {
		from := s.Pop()
		n = emitPromotable[M](l, n, from, bitboard.Step(shogi.Piece(us<<4|silvers), from).And(targets), zone, bitboard.Bitboard{})
	}
	for s := own[golds].And(free); !s.IsEmpty(); {
		from := s.Pop()
		n = emit[M](l, n, shogi.Move(from)<<7, bitboard.Step(shogi.Piece(us<<4|golds), from).And(targets))
	}
	for s := own[bishops].And(free); !s.IsEmpty(); {
		from := s.Pop()
		n = emitPromotable[M](l, n, from, bitboard.Bishop(from, occupied).And(targets), zone, bitboard.Bitboard{})
	}
	for s := own[rooks].And(free); !s.IsEmpty(); {
		from := s.Pop()
		n = emitPromotable[M](l, n, from, bitboard.Rook(from, occupied).And(targets), zone, bitboard.Bitboard{})
	}
	for s := own[horses].And(free); !s.IsEmpty(); {
		from := s.Pop()
		n = emit[M](l, n, shogi.Move(from)<<7, bitboard.Horse(from, occupied).And(targets))
	}
	for s := own[dragons].And(free); !s.IsEmpty(); {
		from := s.Pop()
		n = emit[M](l, n, shogi.Move(from)<<7, bitboard.Dragon(from, occupied).And(targets))
	}

	// A pinned piece moves along the line of its pin, and never out of a check by another piece.
	if nd.pinned.IsEmpty() || !nd.checkers.IsEmpty() {
		return n
	}
	for s := nd.pinned; !s.IsEmpty(); {
		from := s.Pop()
		piece := shogi.Piece(p.board[from&127])
		to := bitboard.Attacks(piece, from, occupied).And(targets).And(bitboard.Line(nd.king, from))
		if piece.IsPromotable() {
			n = emitPromotable[M](l, n, from, to, zone, lastRanks[piece&31])
		} else {
			n = emit[M](l, n, shogi.Move(from)<<7, to)
		}
	}
	return n
}

// dropped is the base of a drop move by kind.
func dropBase(t int) shogi.Move { return shogi.MoveDrop | shogi.Move(t)<<7 }

// dropMoves lists or counts the drops. Squares fall into three groups: the last rank (no lance, no knight), the one before
// (no knight), and the rest.
func dropMoves[C side, M mode](p *Position, nd *node, l *MoveList, n int) int {
	var c C
	var m M
	us := len(c)
	hand, squares := uint32(p.hands[us]), nd.drops
	if hand&31 != 0 {
		if to := pawnDrops[C](p, nd); !to.IsEmpty() {
			n = emit[M](l, n, dropBase(pawns), to)
		}
	}
	if hand>>5 == 0 {
		return n
	}
	last := squares.And(lastRank(us))
	second := squares.And(lastTwo(us).AndNot(lastRank(us)))
	rest := squares.AndNot(lastTwo(us))
	var everywhere int
	for _, t := range [...]int{silvers, golds, bishops, rooks} {
		if hand>>(shogi.HandShift[t]&31)&shogi.HandMask[t] != 0 {
			everywhere++
		}
	}
	lance, knight := hand>>8&7 != 0, hand>>12&7 != 0
	if len(m) == 1 {
		n += everywhere * squares.Count()
		if lance {
			n += squares.Count() - last.Count()
		}
		if knight {
			n += rest.Count()
		}
		return n
	}
	// Kinds in the order in which a group drops from the front: those for every square first, then lance, then knight.
	var kinds [8]shogi.Move
	k := 0
	for _, t := range [...]int{silvers, golds, bishops, rooks} {
		if hand>>(shogi.HandShift[t]&31)&shogi.HandMask[t] != 0 {
			kinds[k&7] = dropBase(t)
			k++
		}
	}
	n = emitDrops(l, n, &kinds, k, last)
	if lance {
		kinds[k&7] = dropBase(lances)
		k++
	}
	n = emitDrops(l, n, &kinds, k, second)
	if knight {
		kinds[k&7] = dropBase(knights)
		k++
	}
	return emitDrops(l, n, &kinds, k, rest)
}

// pawnDrops is where a pawn may be dropped: not on the last rank, not on a file with an own unpromoted pawn, not mating.
func pawnDrops[C side](p *Position, nd *node) bitboard.Bitboard {
	var c C
	us := len(c)
	to := nd.drops.AndNot(lastRank(us).Or(nifuFiles(p.sets[us][pawns])))
	enemyKing := p.kings[us^1]
	if enemyKing == shogi.NoSquare {
		return to
	}
	front := bitboard.Step(shogi.Piece((us^1)<<4|pawns), enemyKing)
	if to.Overlaps(front) && p.isUchifuzume(front.First()) {
		to = to.AndNot(front)
	}
	return to
}

// isUchifuzume (打ち歩詰め) tells whether a pawn dropped in front of the enemy king would mate. The square must be free to drop on otherwise.
func (p *Position) isUchifuzume(sq shogi.Square) bool {
	us := p.turn
	king := p.kings[us^1]
	if p.attackersThrough(sq, us, p.Occupied().Clear(king)).IsEmpty() {
		return false // the king takes the pawn
	}
	q := *p
	drop := shogi.DropUnchecked(shogi.Pawn, sq)
	if us == shogi.Black {
		do[black, white](&q, drop)
	} else {
		do[white, black](&q, drop)
	}
	return q.CountLegal() == 0
}

// Legal lists all legal moves, optional non-promotions included, in a fixed order. It does not allocate.
func (p *Position) Legal(l *MoveList) {
	var nd node
	if p.turn == shogi.Black {
		analyse[black, white](p, &nd)
		l.N = generate[black, white, listing](p, &nd, l)
	} else {
		analyse[white, black](p, &nd)
		l.N = generate[white, black, listing](p, &nd, l)
	}
}

// AppendLegal appends all legal moves, optional non-promotions included, in a fixed order.
func (p *Position) AppendLegal(dst []shogi.Move) []shogi.Move {
	var l MoveList
	p.Legal(&l)
	return append(dst, l.Slice()...)
}

// CountLegal is the number of legal moves.
func (p *Position) CountLegal() int {
	var nd node
	if p.turn == shogi.Black {
		analyse[black, white](p, &nd)
		return generate[black, white, counting](p, &nd, nil)
	}
	analyse[white, black](p, &nd)
	return generate[white, black, counting](p, &nd, nil)
}

// HasLegalMove tells whether there is any legal move.
func (p *Position) HasLegalMove() bool { return p.CountLegal() > 0 }

// IsCheckmate tells whether the side to move stands in check and has no legal move.
func (p *Position) IsCheckmate() bool { return p.InCheck() && p.CountLegal() == 0 }
