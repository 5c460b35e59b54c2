package board

import (
	"math/bits"

	"komadori/core/bitboard"
	"komadori/core/shogi"
)

// MaxLegalMoves is the largest number of legal moves that a position with both kings has; without one there may be a few more, and
// a MoveList has room for them.
const MaxLegalMoves = 593

// A MoveList receives generated moves. It is large: reuse it, or keep it on the stack of a caller that needs no speed.
type MoveList struct {
	Moves [1032]shogi.Move // slack beyond MaxLegalMoves lets indices be masked and eight moves be stored at once
	N     int
}

// Slice is the moves generated last.
func (l *MoveList) Slice() []shogi.Move { return l.Moves[:l.N] }

func trailing(word uint64) shogi.Square { return shogi.Square(bits.TrailingZeros64(word)) }

// emit adds the moves base + to for the squares of a word; base may hold a multiple of the target, as pawns need.
func emit(l *MoveList, n int, base, step shogi.Move, word uint64) int {
	for ; word != 0; word &= word - 1 {
		l.Moves[n&1023] = base + step*shogi.Move(bits.TrailingZeros64(word))
		n++
	}
	return n
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

// Sets are walked word by word: half 0 is the low word, half 1 the high word, whose squares start at 63.

// generate lists the legal moves of the side to move: board moves to the targets of the node, drops on its drop squares.
func generate[C, E side](p *Position, nd *node, l *MoveList) int {
	var c C
	us := len(c)
	n := emit(l, 0, shogi.Move(nd.king)<<7, 1, nd.flights.Lo)
	n = emit(l, n, shogi.Move(nd.king)<<7+63, 1, nd.flights.Hi)
	if nd.double {
		return n
	}
	n = boardMoves[C](p, nd, l, n)
	if p.hands[us] != 0 && !nd.drops.IsEmpty() {
		n = dropMoves[C, E](p, nd, l, n)
	}
	return n
}

func boardMoves[C side](p *Position, nd *node, l *MoveList, n int) int {
	var c C
	us := len(c)
	own := &p.sets[us]
	free := own[allPieces].AndNot(nd.pinned)
	n = pawnMoves[C](nd, own[pawns].And(free), l, n)
	n = stepMoves(p, nd, own[knights].Or(own[silvers]).Or(own[golds]).And(free), l, n)
	if s := own[lances].And(free); !s.IsEmpty() {
		n = lanceMoves[C](nd, s, l, n)
	}
	if s := own[bishops].Or(own[rooks]).And(free); !s.IsEmpty() {
		n = sliderMoves[C](p, nd, s, l, n)
	}
	if s := own[horses].Or(own[dragons]).And(free); !s.IsEmpty() {
		n = promotedSliderMoves(p, nd, s, l, n)
	}

	// A pinned piece moves along the line of its pin, and never out of a check by another piece.
	if nd.pinned.IsEmpty() || !nd.checkers.IsEmpty() {
		return n
	}
	for s := nd.pinned; !s.IsEmpty(); {
		from := s.Pop()
		piece := shogi.Piece(p.board[from&127])
		to := p.pinnedTargets(nd, piece, from)
		if piece.IsPromotable() {
			promoted := to.AndWord(promotionsFrom(us, from))
			n = emit(l, n, shogi.Move(from)<<7|shogi.MovePromote, 1, promoted.Lo)
			n = emit(l, n, shogi.Move(from)<<7|shogi.MovePromote+63, 1, promoted.Hi)
		}
		to = to.AndNot(lastRanks[piece&31])
		n = emit(l, n, shogi.Move(from)<<7, 1, to.Lo)
		n = emit(l, n, shogi.Move(from)<<7+63, 1, to.Hi)
	}
	return n
}

// pawnMoves lists the moves of pawns, all at once: their origin is a fixed distance from the target, so a move is 129 times the target
// plus a constant.
func pawnMoves[C side](nd *node, movers bitboard.Bitboard, l *MoveList, n int) int {
	var c C
	us := len(c)
	base := shogi.Move(1 << 7) // from = to + 1 for Black
	if us == int(shogi.White) {
		base = ^base + 1
	}
	to := movers.Forward(shogi.Color(us)).And(nd.targets)
	if promoted := to.AndWord(zoneOf(us).Lo); !promoted.IsEmpty() {
		n = emit(l, n, base+shogi.MovePromote, 129, promoted.Lo)
		n = emit(l, n, base+shogi.MovePromote+63*129, 129, promoted.Hi)
		to = to.AndNot(lastRank(us))
	}
	n = emit(l, n, base, 129, to.Lo)
	return emit(l, n, base+63*129, 129, to.Hi)
}

// stepMoves lists the moves of knights, silvers and gold-like pieces.
func stepMoves(p *Position, nd *node, s bitboard.Bitboard, l *MoveList, n int) int {
	targets := nd.targets.Lo
	for w := s.Lo & rightOwn; w != 0; w &= w - 1 {
		from := trailing(w)
		st := &steppers[p.board[from&127]&31][from&127]
		n = emit(l, n, shogi.Move(from)<<7, 1, st.stay&targets)
		n = emit(l, n, shogi.Move(from)<<7|shogi.MovePromote, 1, st.promote&targets)
	}
	targets = leftWing(nd.targets)
	for w := leftWing(s) & leftOwn; w != 0; w &= w - 1 {
		from := leftFirst + trailing(w)
		st := &steppers[p.board[from&127]&31][from&127]
		n = emit(l, n, shogi.Move(from)<<7+shogi.Move(leftFirst), 1, st.stay&targets)
		n = emit(l, n, shogi.Move(from)<<7|shogi.MovePromote+shogi.Move(leftFirst), 1, st.promote&targets)
	}
	return n
}

func lanceMoves[C side](nd *node, s bitboard.Bitboard, l *MoveList, n int) int {
	var c C
	us := len(c)
	last := lastRank(us).Lo
	for w := s.Lo; w != 0; w &= w - 1 {
		from := trailing(w)
		to := lanceWord(us, from, nd.occupied.Lo) & nd.targets.Lo
		n = emit(l, n, shogi.Move(from)<<7|shogi.MovePromote, 1, to&promotionsFrom(us, from))
		n = emit(l, n, shogi.Move(from)<<7, 1, to&^last)
	}
	for w := s.Hi; w != 0; w &= w - 1 {
		from := 63 + trailing(w)
		to := lanceWord(us, from, nd.occupied.Hi) & nd.targets.Hi
		n = emit(l, n, shogi.Move(from)<<7|shogi.MovePromote+63, 1, to&promotionsFrom(us, from))
		n = emit(l, n, shogi.Move(from)<<7+63, 1, to&^last)
	}
	return n
}

// sliderMoves lists the moves of bishops and rooks.
func sliderMoves[C side](p *Position, nd *node, s bitboard.Bitboard, l *MoveList, n int) int {
	var c C
	us := len(c)
	middle := nd.occupied.Middle()
	for !s.IsEmpty() {
		from := s.Pop()
		var to bitboard.Bitboard
		if p.board[from&127]&15 == uint8(bishops) {
			to = bitboard.OnDiagonal(from, middle).Or(bitboard.OnAntiDiagonal(from, middle))
		} else {
			to = bitboard.OnRank(from, middle).Or(bitboard.OnFile(from, nd.occupied))
		}
		to = to.And(nd.targets)
		base := shogi.Move(from) << 7
		n = emit(l, n, base, 1, to.Lo)
		n = emit(l, n, base+63, 1, to.Hi)
		if promoted := to.AndWord(promotionsFrom(us, from)); !promoted.IsEmpty() {
			n = emit(l, n, base|shogi.MovePromote, 1, promoted.Lo)
			n = emit(l, n, base|shogi.MovePromote+63, 1, promoted.Hi)
		}
	}
	return n
}

// promotedSliderMoves lists the moves of horses and dragons.
func promotedSliderMoves(p *Position, nd *node, s bitboard.Bitboard, l *MoveList, n int) int {
	middle := nd.occupied.Middle()
	for !s.IsEmpty() {
		from := s.Pop()
		to := bitboard.Step(shogi.BKing, from)
		if p.board[from&127]&15 == uint8(horses) {
			to = to.Or(bitboard.OnDiagonal(from, middle)).Or(bitboard.OnAntiDiagonal(from, middle))
		} else {
			to = to.Or(bitboard.OnRank(from, middle)).Or(bitboard.OnFile(from, nd.occupied))
		}
		to = to.And(nd.targets)
		n = emit(l, n, shogi.Move(from)<<7, 1, to.Lo)
		n = emit(l, n, shogi.Move(from)<<7+63, 1, to.Hi)
	}
	return n
}

// pinnedTargets is where a pinned piece may go when its side is not in check.
func (p *Position) pinnedTargets(nd *node, piece shogi.Piece, from shogi.Square) bitboard.Bitboard {
	return bitboard.Attacks(piece, from, nd.occupied).And(nd.targets).And(bitboard.Line(nd.king, from))
}

// dropBase is a drop of a kind without its square.
func dropBase(t int) shogi.Move { return shogi.MoveDrop | shogi.Move(t)<<7 }

// dropMoves lists the drops. Squares fall into three groups: the last rank (no lance, no knight), the one before
// (no knight), and the rest. The kinds that may be dropped everywhere come first in the list of kinds, then lance, then knight.
func dropMoves[C, E side](p *Position, nd *node, l *MoveList, n int) int {
	var c C
	us := len(c)
	hand, squares := uint32(p.hands[us]), nd.drops
	if hand&31 != 0 {
		to := pawnDrops[C, E](p, nd)
		n = emit(l, n, dropBase(pawns), 1, to.Lo)
		n = emit(l, n, dropBase(pawns)+63, 1, to.Hi)
	}
	if hand>>5 == 0 {
		return n
	}
	var kinds [8]shogi.Move
	k := 0
	for _, t := range [...]int{silvers, golds, bishops, rooks} {
		if hand>>(shogi.HandShift[t]&31)&shogi.HandMask[t] != 0 {
			kinds[k&7] = dropBase(t)
			k++
		}
	}
	n = emitDrops(l, n, &kinds, k, squares.And(lastRank(us)))
	if hand>>8&7 != 0 {
		kinds[k&7] = dropBase(lances)
		k++
	}
	n = emitDrops(l, n, &kinds, k, squares.And(lastTwo(us).AndNot(lastRank(us))))
	if hand>>12&7 != 0 {
		kinds[k&7] = dropBase(knights)
		k++
	}
	return emitDrops(l, n, &kinds, k, squares.AndNot(lastTwo(us)))
}

// pawnDrops is where a pawn may be dropped: not on the last rank, not on a file with an own unpromoted pawn, not mating.
func pawnDrops[C, E side](p *Position, nd *node) bitboard.Bitboard {
	var c C
	us := len(c)
	to := nd.drops.AndNot(lastRank(us).Or(nifuFiles(p.sets[us][pawns])))
	enemyKing := p.kings[us^1]
	if enemyKing == shogi.NoSquare {
		return to
	}
	front := bitboard.Step(shogi.Piece((us^1)<<4|pawns), enemyKing)
	if to.Overlaps(front) && isUchifuzume[C, E](p, front.First()) {
		to = to.AndNot(front)
	}
	return to
}

// isUchifuzume (打ち歩詰め) tells whether a pawn dropped in front of the enemy king would mate. The square must be free to drop on otherwise.
//
// The check comes from the next square, so nothing can be put between: the pawn is taken, the king flees, or it is mate.
func isUchifuzume[C, E side](p *Position, sq shogi.Square) bool {
	var c C
	var e E
	us, them := shogi.Color(len(c)), shogi.Color(len(e))
	king := p.kings[them]
	occupied := p.Occupied().Set(sq).Clear(king)
	if p.attackersThrough(sq, us, occupied).IsEmpty() {
		return false // the king takes the pawn
	}
	if p.IsAttacked(king, us) {
		// Only in a diagram: the king stands in check already, so taking the pawn need not be enough.
		q := *p
		do[C, E](&q, shogi.DropUnchecked(shogi.Pawn, sq))
		return !q.HasLegalMove()
	}
	if takers := p.AttackersTo(sq, them).Clear(king); !takers.IsEmpty() {
		// A pinned piece may take only along the line of its pin, which is the king's file here.
		if !takers.AndNot(p.Blockers(them).AndNot(bitboard.Line(king, sq))).IsEmpty() {
			return false
		}
	}
	flights := bitboard.Step(shogi.BKing, king).AndNot(p.sets[them][allPieces].Or(p.sets[us][kingSet])).Clear(sq)
	for !flights.IsEmpty() {
		if p.attackersThrough(flights.Pop(), us, occupied).IsEmpty() {
			return false
		}
	}
	return true
}

// Legal lists all legal moves, optional non-promotions included, in a fixed order. It does not allocate.
func (p *Position) Legal(l *MoveList) {
	var nd node
	p.analyse(&nd)
	if p.turn == shogi.Black {
		l.N = generate[black, white](p, &nd, l)
	} else {
		l.N = generate[white, black](p, &nd, l)
	}
}

// AppendLegal appends all legal moves, optional non-promotions included, in a fixed order.
func (p *Position) AppendLegal(dst []shogi.Move) []shogi.Move {
	var l MoveList
	p.Legal(&l)
	return append(dst, l.Slice()...)
}
