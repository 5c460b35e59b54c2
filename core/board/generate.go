package board

import (
	"math/bits"

	"komadori/core/bitboard"
	"komadori/core/shogi"
)

// MaxLegalMoves is the largest number of legal moves that a position with both kings has; without one there may be a few more, and
// a MoveList has room for them.
const MaxLegalMoves = 593

// A List receives generated moves, in 16 bits or in 32 with the piece as it stands after the move. It is large: reuse it, or keep it on
// the stack of a caller that needs no speed.
//
// Indices are masked instead of checked: no position has more than 883 moves, which is 7 kinds dropped on 81 squares and 316 moves of all
// men on empty lines, promotions counted twice. The rest is slack, so that several moves can be stored at once.
type List[M move] struct {
	Moves [1032]M
	N     int
}

type move interface{ shogi.Move | shogi.Move32 }

// A MoveList receives 16-bit moves.
type MoveList = List[shogi.Move]

// A Move32List receives moves with their pieces.
type Move32List = List[shogi.Move32]

// Slice is the moves generated last.
func (l *List[M]) Slice() []M { return l.Moves[:l.N] }

func trailing(word uint64) shogi.Square { return shogi.Square(bits.TrailingZeros64(word)) }

// A move on the board without its target is carried[M](piece) | M(from)<<7, by the piece as it stands afterwards.

// carried is a piece in the bits that 32-bit moves have for it. 16 bits drop it, which the compiler sees with a shift in two steps.
func carried[M move](piece uint8) M { return M(piece) << 8 << 8 }

// promotes turns a move by a piece that stays as it is into the one with promotion.
func promotes[M move](base M) M { return base + M(shogi.PromoteOffset)<<8<<8 + M(shogi.MovePromote) }

// dropOf is a drop without its square.
func dropOf[M move](us, t int) M { return carried[M](uint8(us<<4|t)) | M(shogi.MoveDrop) | M(t)<<7 }

// emit adds the moves base + step * target for the squares of a word.
func emit[M move](l *List[M], n int, base, step M, word uint64) int {
	for ; word != 0; word &= word - 1 {
		l.Moves[n&1023] = base + step*M(bits.TrailingZeros64(word))
		n++
	}
	return n
}

// emitSet adds the moves base + target for the squares of a set.
func emitSet[M move](l *List[M], n int, base M, to bitboard.Bitboard) int {
	n = emit(l, n, base, 1, to.Lo)
	return emit(l, n, base+63, 1, to.Hi)
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

// generate lists the legal moves of the side to move: the king's to its flights, others to the targets of the node, drops on its drop squares.
func generate[C, E side, M move](p *Position, nd *node, l *List[M]) int {
	var c C
	us := len(c)
	n := emitSet(l, 0, carried[M](uint8(us<<4|kingSet))|M(nd.king)<<7, nd.flights)
	if nd.double {
		return n
	}
	n = boardMoves[C](p, nd, l, n)
	if p.hands[us] != 0 && !nd.drops.IsEmpty() {
		n = dropMoves[C, E](p, nd, l, n)
	}
	return n
}

// boardMoves lists the moves of pieces other than the king.
func boardMoves[C side, M move](p *Position, nd *node, l *List[M], n int) int {
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
	if !nd.pinned.IsEmpty() && nd.checkers.IsEmpty() {
		n = pinnedMoves[C](p, nd, l, n)
	}
	return n
}

// pawnMoves lists the moves of pawns, all at once: their origin is a fixed distance from the target, so a move is 129 times the target
// plus a constant.
func pawnMoves[C side, M move](nd *node, movers bitboard.Bitboard, l *List[M], n int) int {
	var c C
	us := len(c)
	base := carried[M](uint8(us<<4|pawns)) + M(1-2*us)<<7 // from = to + 1 for Black
	to := movers.Forward(shogi.Color(us)).And(nd.targets)
	if promoted := to.AndWord(zoneOf(us).Lo); !promoted.IsEmpty() {
		n = emit(l, n, promotes(base), 129, promoted.Lo)
		n = emit(l, n, promotes(base)+63*129, 129, promoted.Hi)
		if nd.sparing {
			to = to.AndNot(zoneOf(us))
		} else {
			to = to.AndNot(lastRank(us))
		}
	}
	n = emit(l, n, base, 129, to.Lo)
	return emit(l, n, base+63*129, 129, to.Hi)
}

// stepMoves lists the moves of knights, silvers and gold-like pieces.
func stepMoves[M move](p *Position, nd *node, s bitboard.Bitboard, l *List[M], n int) int {
	_, _ = p.turn, l.N // the compiler checks pointers here, and not in the loops
	targets := nd.targets.Lo
	for w := s.Lo & rightOwn; w != 0; w &= w - 1 {
		from := bits.TrailingZeros64(w)
		piece := p.board[from&127]
		st := &steppers[piece&31][from&127]
		base := carried[M](piece) | M(from)<<7
		n = emit(l, n, base, 1, st.stay&targets)
		n = emit(l, n, promotes(base), 1, st.promote&targets)
	}
	targets = leftWing(nd.targets)
	for w := leftWing(s) & leftOwn; w != 0; w &= w - 1 {
		from := int(leftFirst) + bits.TrailingZeros64(w)
		piece := p.board[from&127]
		st := &steppers[piece&31][from&127]
		base := carried[M](piece) | M(from)<<7 + M(leftFirst)
		n = emit(l, n, base, 1, st.stay&targets)
		n = emit(l, n, promotes(base), 1, st.promote&targets)
	}
	return n
}

func lanceMoves[C side, M move](nd *node, s bitboard.Bitboard, l *List[M], n int) int {
	var c C
	us := len(c)
	_ = l.N
	last := lastRank(us).Lo
	if nd.sparing {
		last = lastTwo(us).Lo
	}
	for w := s.Lo; w != 0; w &= w - 1 {
		from := bits.TrailingZeros64(w)
		to := lanceWord(us, shogi.Square(from), nd.occupied.Lo) & nd.targets.Lo
		base := carried[M](uint8(us<<4|lances)) | M(from)<<7
		n = emit(l, n, promotes(base), 1, to&promotionsFrom(us, shogi.Square(from)))
		n = emit(l, n, base, 1, to&^last)
	}
	for w := s.Hi; w != 0; w &= w - 1 {
		from := 63 + bits.TrailingZeros64(w)
		to := lanceWord(us, shogi.Square(from), nd.occupied.Hi) & nd.targets.Hi
		base := carried[M](uint8(us<<4|lances)) | M(from)<<7 + 63
		n = emit(l, n, promotes(base), 1, to&promotionsFrom(us, shogi.Square(from)))
		n = emit(l, n, base, 1, to&^last)
	}
	return n
}

// sliderMoves lists the moves of bishops and rooks.
func sliderMoves[C side, M move](p *Position, nd *node, s bitboard.Bitboard, l *List[M], n int) int {
	var c C
	us := len(c)
	_, _ = p.turn, l.N
	middle := nd.occupied.Middle()
	for !s.IsEmpty() {
		from := s.Pop()
		piece := p.board[from&127]
		var to bitboard.Bitboard
		if piece&15 == uint8(bishops) {
			to = bitboard.OnDiagonal(from, middle).Or(bitboard.OnAntiDiagonal(from, middle))
		} else {
			to = bitboard.OnRank(from, middle).Or(bitboard.OnFile(from, nd.occupied))
		}
		to = to.And(nd.targets)
		base := carried[M](piece) | M(from)<<7
		promoted := to.AndWord(promotionsFrom(us, from))
		if nd.sparing {
			to = to.AndNot(promoted)
		}
		n = emitSet(l, n, base, to)
		if !promoted.IsEmpty() {
			n = emitSet(l, n, promotes(base), promoted)
		}
	}
	return n
}

// promotedSliderMoves lists the moves of horses and dragons.
func promotedSliderMoves[M move](p *Position, nd *node, s bitboard.Bitboard, l *List[M], n int) int {
	_, _ = p.turn, l.N
	middle := nd.occupied.Middle()
	for !s.IsEmpty() {
		from := s.Pop()
		piece := p.board[from&127]
		to := bitboard.Step(shogi.BKing, from)
		if piece&15 == uint8(horses) {
			to = to.Or(bitboard.OnDiagonal(from, middle)).Or(bitboard.OnAntiDiagonal(from, middle))
		} else {
			to = to.Or(bitboard.OnRank(from, middle)).Or(bitboard.OnFile(from, nd.occupied))
		}
		n = emitSet(l, n, carried[M](piece)|M(from)<<7, to.And(nd.targets))
	}
	return n
}

// pinnedMoves lists the moves of pinned pieces: along the line of the pin, and none when there is a check to answer.
func pinnedMoves[C side, M move](p *Position, nd *node, l *List[M], n int) int {
	var c C
	us := len(c)
	for s := nd.pinned; !s.IsEmpty(); {
		from := s.Pop()
		piece := p.board[from&127]
		to := p.pinnedTargets(nd, shogi.Piece(piece), from)
		base := carried[M](piece) | M(from)<<7
		if shogi.Piece(piece).IsPromotable() {
			n = emitSet(l, n, promotes(base), to.AndWord(promotionsFrom(us, from)))
		}
		to = to.AndNot(lastRanks[piece&31])
		if left := &leftOut[piece&31]; nd.sparing {
			to = to.AndNot(left.to)
			if left.from.Test(from) {
				continue
			}
		}
		n = emitSet(l, n, base, to)
	}
	return n
}

// pinnedTargets is where a pinned piece may go when its side is not in check.
func (p *Position) pinnedTargets(nd *node, piece shogi.Piece, from shogi.Square) bitboard.Bitboard {
	return bitboard.Attacks(piece, from, nd.occupied).And(nd.targets).And(bitboard.Line(nd.king, from))
}

// A presence has a bit for each kind other than pawns that a hand holds. The order of the bits comes from the places in a hand.
type presence uint32

const (
	anywhere   presence = 1<<1 | 1<<2 | 1<<5 | 1<<6 // silver, rook, bishop, gold
	sliding    presence = 1<<0 | 1<<2 | 1<<5        // lance, rook, bishop
	withLance  presence = 1 << 0
	withKnight presence = 1 << 4
)

// presentIn folds the counts from lances on, each in four bits of which the highest is free: adding 7 sets that bit unless the count is
// 0, and the six bits, four apart, are then laid between each other.
func presentIn(h shogi.Hand) presence {
	x := (uint32(h)>>8&0x777777 + 0x777777) & 0x888888 >> 3
	return presence(x|x>>7|x>>14) & (anywhere | withLance | withKnight)
}

// dropKinds are the drops of the kinds of a presence, without their squares: those that may be dropped anywhere, then lance, then knight.
type dropKinds struct {
	moves32 [8]shogi.Move32
	moves   [8]shogi.Move
	count   int
}

// kindsOf is by color and presence.
var kindsOf = func() (t [2][128]dropKinds) {
	for c := range t {
		for _, kind := range []int{silvers, golds, bishops, rooks, lances, knights} {
			bit := presentIn(1 << shogi.HandShift[kind])
			for i := range t[c] {
				if k := &t[c][i]; presence(i)&bit != 0 {
					k.moves32[k.count], k.moves[k.count] = dropOf[shogi.Move32](c, kind), dropOf[shogi.Move](c, kind)
					k.count++
				}
			}
		}
	}
	return t
}()

// dropMoves lists the drops. For lances and knights squares fall into three groups: the last rank (no lance, no knight), the one
// before (no knight), and the rest.
func dropMoves[C, E side, M move](p *Position, nd *node, l *List[M], n int) int {
	var c C
	us := len(c)
	hand, squares := p.hands[us], nd.drops
	if hand&31 != 0 {
		n = emitDrops(l, n, &pawnKind[us], pawnDrops[C, E](p, nd))
	}
	if hand>>5 == 0 {
		return n
	}
	present := presentIn(hand)
	if present&(withLance|withKnight) == 0 {
		return emitDrops(l, n, &kindsOf[us][present&anywhere], squares)
	}
	n = emitDrops(l, n, &kindsOf[us][present&anywhere], squares.And(lastRank(us)))
	n = emitDrops(l, n, &kindsOf[us][present&(anywhere|withLance)], squares.And(lastTwo(us).AndNot(lastRank(us))))
	return emitDrops(l, n, &kindsOf[us][present&127], squares.AndNot(lastTwo(us)))
}

// pawnKind is the drop of a pawn, by color.
var pawnKind = [2]dropKinds{
	{[8]shogi.Move32{dropOf[shogi.Move32](0, pawns)}, [8]shogi.Move{dropOf[shogi.Move](0, pawns)}, 1},
	{[8]shogi.Move32{dropOf[shogi.Move32](1, pawns)}, [8]shogi.Move{dropOf[shogi.Move](1, pawns)}, 1},
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
	king, occupied := p.kings[them], p.Occupied()
	behind := occupied.Set(sq).Clear(king)
	flights := bitboard.Step(shogi.BKing, king).AndNot(p.sets[them][allPieces].Or(p.sets[us][kingSet]))
	for s := flights; !s.IsEmpty(); { // the square of the pawn is one of them
		if attackers[C](p, s.Pop(), behind).IsEmpty() {
			return false
		}
	}
	takers := attackers[E](p, sq, occupied).Clear(king)
	if takers.IsEmpty() {
		return true
	}
	if !attackers[C](p, king, occupied).IsEmpty() {
		// Only in a diagram: the king stands in check already, so taking the pawn need not be enough.
		q := *p
		do[C, E](&q, shogi.DropUnchecked(shogi.Pawn, sq))
		return !q.HasLegalMove()
	}
	// A pinned piece may take only along the line of its pin, which is the king's file here.
	return takers.AndNot(p.Blockers(them).AndNot(bitboard.Line(king, sq))).IsEmpty()
}

// Legal lists all legal moves, optional non-promotions included, in a fixed order. It does not allocate.
func (p *Position) Legal(l *MoveList) { legal(p, l) }

// Legal32 is Legal with the piece of every move.
func (p *Position) Legal32(l *Move32List) { legal(p, l) }

func legal[M move](p *Position, l *List[M]) {
	var nd node
	if p.turn == shogi.Black {
		analyse[black, white](p, &nd)
		l.N = generate[black, white](p, &nd, l)
	} else {
		analyse[white, black](p, &nd)
		l.N = generate[white, black](p, &nd, l)
	}
}

// AppendLegal appends all legal moves, optional non-promotions included, in a fixed order.
func (p *Position) AppendLegal(dst []shogi.Move) []shogi.Move {
	var l MoveList
	p.Legal(&l)
	return append(dst, l.Slice()...)
}
