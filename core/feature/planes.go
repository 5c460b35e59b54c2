// Package feature has the input planes of policy and value networks.
//
// # dlshogi planes
//
// The board is seen by the side to move: for White it is turned by 180 degrees and the sides are exchanged. Then
// c = 0 is the side to move and c = 1 the opponent. Element 81*plane + square, square = 9*file + rank, so that the
// tensor has the shape (planes, 9, 9) with files on axis 1.
//
//	Board planes ("features1"), 62: plane 31*c + i with
//	  i =  0..13  pieces, in the order P L N S B R G K +P +L +N +S +B +R
//	  i = 14..27  squares attacked by pieces of that kind, through the pieces as they stand, own ones included
//	  i = 28..30  squares attacked by at least 1, 2, 3 pieces of c
//	Flat planes ("features2"), 57 or 119, each all 0 or all 1:
//	  28*c + ...  hand of c, unary: P 8, L 4, N 4, S 4, G 4, B 2, R 2 (the order with gold before bishop); pawns stop at 8
//	  56          the side to move is in check
//	  57 + 31*c + ... (119 planes only) entering king of c:
//	    0         its king stands in its camp, the three far ranks
//	    1 + r     r = 10 - its pieces in the camp without the king, when 0 <= r < 10
//	    11 + r    r = 28 (Black) or 27 (White) - its points in camp and hand, when 0 <= r < 20; bishops and rooks count 5,
//	              promoted ones too, others 1. With a surplus, r < 0, no plane of the group is set.
//
// A Set holds the planes of a position as bits; writers spread them into the caller's memory.
package feature

import (
	"encoding/binary"

	"komadori/core/bitboard"
	"komadori/core/board"
	"komadori/core/shogi"
)

// Numbers of planes, and of elements in a row of each kind.
const (
	BoardPlanes    = 62  // features1
	FlatPlanes     = 57  // features2
	FlatPlanesKing = 119 // features2 with the entering-king planes
	PiecePlanes    = 28

	BoardSize    = BoardPlanes * shogi.SquareCount    // 5022 elements
	FlatSize     = FlatPlanes * shogi.SquareCount     // 4617 elements
	FlatSizeKing = FlatPlanesKing * shogi.SquareCount // 9639 elements
	PieceSize    = PiecePlanes * shogi.SquareCount    // 2268 elements

	BoardBytes    = (BoardSize + 7) / 8      // 628 bytes of bits
	FlatBytes     = (FlatPlanes + 7) / 8     // 8 bytes: one bit a plane
	FlatBytesKing = (FlatPlanesKing + 7) / 8 // 15 bytes
)

const (
	sidePlanes  = 31
	attackPlane = 14
	countPlane  = 28
	handPlanes  = 28
	checkPlane  = 56
	kingPlane   = 57
	campGroup   = 1
	pointGroup  = 11

	// Room for whole groups of eight planes, for what is stored beyond the last one, and for readers of 64 bytes at a time.
	boardPlanesRoom = (BoardPlanes + 7) / 8 * 8
	rowGroup        = shogi.SquareCount + 8
	boardRoom       = boardPlanesRoom/8*shogi.SquareCount + 8
)

// A Set holds the dlshogi planes of one position, one bit an element of the board planes and one bit a flat plane.
// It is a plain value without pointers; the zero value has no plane set.
type Set struct {
	board [boardRoom]byte
	flat  [2]uint64
}

// A Scratch is memory that loading a Set needs on the way. It may be used again and again, by one goroutine at a time.
type Scratch struct{ sides [2]reach }

// A view turns squares and pieces so that the side to move is Black.
type view struct {
	flip  int // 0, or -1 when the board is turned
	add   int // 0, or 81
	color shogi.Piece
}

func viewOf(turn shogi.Color) view {
	t := int(turn & 1)
	return view{-t, 81 * t, shogi.Piece(t << 4)}
}

func (v view) square(sq shogi.Square) shogi.Square { return shogi.Square(int(sq) ^ v.flip + v.add) }

func (v view) set(b bitboard.Bitboard) bitboard.Bitboard {
	if v.flip != 0 {
		return b.FlipSide()
	}
	return b
}

// Load computes the planes of a position. With king set, the entering-king planes are computed too.
// A position that lacks a king is an InvalidPosition, and s is then unchanged. It does not allocate on success.
func (s *Set) Load(p *board.Position, king bool) error {
	var scratch Scratch
	return s.LoadWith(p, king, &scratch)
}

// LoadWith is Load with memory that is not cleared every time.
func (s *Set) LoadWith(p *board.Position, king bool, scratch *Scratch) error {
	if p.KingSquare(shogi.Black) == shogi.NoSquare || p.KingSquare(shogi.White) == shogi.NoSquare {
		return p.NeedKings("feature.Load")
	}
	var planes [boardPlanesRoom]bitboard.Bitboard
	us := p.Turn()
	boardPlanes(&planes, &scratch.sides, p)
	s.pack(&planes)
	s.flat = [2]uint64{}
	if p.InCheck() {
		s.setFlat(checkPlane)
	}
	for c := range 2 {
		owner := us ^ shogi.Color(c)
		s.hand(handPlanes*c, p.Hand(owner))
		if king {
			s.enteringKing(kingPlane+sidePlanes*c, p, owner)
		}
	}
	return nil
}

// A reach is what the pieces of a side but its pawns attack, one entry a piece.
type reach struct {
	attacks [32]bitboard.Bitboard // 22 men at most
	squares [32]shogi.Square
	kinds   [32]uint8
	n       int
}

// boardPlanes fills the planes of both sides. Its loops run over both sides at once and leave the rest to tables: a loop's end that
// cannot be foreseen costs as much as several pieces.
func boardPlanes(planes *[boardPlanesRoom]bitboard.Bitboard, sides *[2]reach, p *board.Position) {
	v := viewOf(p.Turn())
	occupied := v.set(p.Occupied())
	raw := p.Board()
	a, b := p.Sets(shogi.Black), p.Sets(shogi.White)
	pawns := a[shogi.Pawn].Or(b[shogi.Pawn])
	lances := a[shogi.Lance].Or(b[shogi.Lance])
	diagonal := a[shogi.Bishop].Or(a[shogi.Horse]).Or(b[shogi.Bishop].Or(b[shogi.Horse]))
	straight := a[shogi.Rook].Or(a[shogi.Dragon]).Or(b[shogi.Rook].Or(b[shogi.Dragon]))
	steppers := p.Occupied().AndNot(pawns).AndNot(lances.Or(diagonal).Or(straight))

	sides[0].n, sides[1].n = 0, 0
	add := func(piece shogi.Piece, sq shogi.Square, attacks bitboard.Bitboard) {
		r := &sides[uint8(piece)>>4&1]
		i := r.n & 31
		r.attacks[i], r.squares[i], r.kinds[i] = attacks, sq, uint8(piece)&15
		r.n = i + 1
	}
	for !steppers.IsEmpty() {
		from := steppers.Pop()
		piece, sq := shogi.Piece(raw[from&127])^v.color, v.square(from)
		add(piece, sq, bitboard.Step(piece, sq))
	}
	for !lances.IsEmpty() {
		from := lances.Pop()
		piece, sq := shogi.Piece(raw[from&127])^v.color, v.square(from)
		add(piece, sq, bitboard.Lance(piece.Color(), sq, occupied))
	}
	for !diagonal.IsEmpty() { // the steps of a bishop are empty, those of a horse the king's
		from := diagonal.Pop()
		piece, sq := shogi.Piece(raw[from&127])^v.color, v.square(from)
		add(piece, sq, bitboard.Bishop(sq, occupied).Or(bitboard.Step(piece, sq)))
	}
	for !straight.IsEmpty() {
		from := straight.Pop()
		piece, sq := shogi.Piece(raw[from&127])^v.color, v.square(from)
		add(piece, sq, bitboard.Rook(sq, occupied).Or(bitboard.Step(piece, sq)))
	}

	for c := range sides {
		own := (*[sidePlanes]bitboard.Bitboard)(planes[sidePlanes*c:])
		r := &sides[c]
		for i := range r.n {
			kind := (r.kinds[i&31] - 1) & 15
			where, reached := &own[kind], &own[attackPlane+kind]
			*where = where.Or(bitboard.Of(r.squares[i&31]))
			*reached = reached.Or(r.attacks[i&31])
		}

		// No two pawns of a side attack the same square: they are taken together.
		pawns := v.set(p.Sets(p.Turn() ^ shogi.Color(c))[shogi.Pawn])
		own[shogi.Pawn-1] = pawns
		once, twice, thrice := pawns.Forward(shogi.Color(c)), bitboard.Bitboard{}, bitboard.Bitboard{}
		own[attackPlane+shogi.Pawn-1] = once

		// Squares attacked once, twice, three times or more, added up like binary numbers with two carries.
		for i := range r.n {
			a := r.attacks[i&31]
			thrice = thrice.Or(twice.And(a))
			twice = twice.Or(once.And(a))
			once = once.Or(a)
		}
		own[countPlane], own[countPlane+1], own[countPlane+2] = once, twice, thrice
	}
}

// pack stores the planes one after the other, 81 bits each. A plane begins a bit further into its byte than the one before, and eight planes take 81 bytes.
func (s *Set) pack(planes *[boardPlanesRoom]bitboard.Bitboard) {
	for g := range boardPlanesRoom / 8 {
		pack8((*[rowGroup]byte)(s.board[shogi.SquareCount*g:]), (*[8]bitboard.Bitboard)(planes[8*g:]))
	}
}

// pack8 stores eight planes; what it stores beyond their 81 bytes is zero.
func pack8(dst *[rowGroup]byte, p *[8]bitboard.Bitboard) {
	carry := lay((*[16]byte)(dst[0:]), &p[0], 0, 0)
	carry = lay((*[16]byte)(dst[10:]), &p[1], 1, carry)
	carry = lay((*[16]byte)(dst[20:]), &p[2], 2, carry)
	carry = lay((*[16]byte)(dst[30:]), &p[3], 3, carry)
	carry = lay((*[16]byte)(dst[40:]), &p[4], 4, carry)
	carry = lay((*[16]byte)(dst[50:]), &p[5], 5, carry)
	carry = lay((*[16]byte)(dst[60:]), &p[6], 6, carry)
	lay((*[16]byte)(dst[70:]), &p[7], 7, carry)
}

// lay stores a plane from a bit of the first byte on, whose lower bits are carried from the plane before, and gives what it has in the byte where the next one begins.
// What it stores beyond its end is zero.
func lay(dst *[16]byte, b *bitboard.Bitboard, shift uint, carry uint64) uint64 {
	low, high := b.Lo|b.Hi<<63, b.Hi>>1
	second := low>>1>>(63-shift) | high<<shift
	binary.LittleEndian.PutUint64(dst[:], low<<shift|carry)
	binary.LittleEndian.PutUint64(dst[8:], second)
	return second >> 16
}

func (s *Set) setFlat(plane int) { s.flat[plane>>6&1] |= 1 << (plane & 63) }

// The hand groups in the order of the planes: kind, first plane, most that are shown.
var handGroups = [7]struct {
	kind  shogi.PieceType
	first uint8
	most  uint8
}{{shogi.Pawn, 0, 8}, {shogi.Lance, 8, 4}, {shogi.Knight, 12, 4}, {shogi.Silver, 16, 4}, {shogi.Gold, 20, 4}, {shogi.Bishop, 24, 2}, {shogi.Rook, 26, 2}}

func (s *Set) hand(first int, h shogi.Hand) {
	var planes uint64
	for _, g := range handGroups {
		n := min(uint32(h)>>(shogi.HandShift[g.kind]&31)&shogi.HandMask[g.kind], uint32(g.most))
		planes |= (1<<n - 1) << (g.first & 63)
	}
	s.flat[0] |= planes << (first & 63) // 28 planes from 0 or 28: all in the first word
}

func (s *Set) enteringKing(first int, p *board.Position, c shogi.Color) {
	camp := p.Camp(c)
	if camp.King {
		s.setFlat(first)
	}
	if r := board.CampPieces - camp.Pieces; r >= 0 && r < 10 {
		s.setFlat(first + campGroup + r)
	}
	if r := board.DeclarationPoints(c) - camp.Points; r >= 0 && r < 20 {
		s.setFlat(first + pointGroup + r)
	}
}
