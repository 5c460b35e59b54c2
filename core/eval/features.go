package eval

import (
	"komadori/core/board"
	"komadori/core/shogi"
)

// The evaluation is a sum of weights: each feature of the position has one for the opening and one for the ending. Features are listed for
// each color as that color sees the board, and White's count against Black's, so the evaluation knows no color. The board is mirrored
// so that the king stands on files 1 to 5, so it knows no left or right either.
//
// Feature numbers, in this order:
//
//	places    men and their squares, for each square of a king: [king's square][own men by PieceType - 1, enemy men][square]
//	hands     the n-th piece of a kind in hand: [PieceType - 1][n - 1]
//	freedom   squares that a long-range piece reaches: [slider][count]
//	ring      squares beside the king that the enemy's men attack: [direction][who stands there][attackers - 1][defenders]
//	danger    how hard the king is pressed: [danger]
//	escapes   squares beside the king that it could go to: [count]
//	threats   men that the enemy attacks, or might without anything behind them: [kind][how]
//	holes     squares of the own camp where an enemy's piece in hand may come in: [which piece][count]
//	reach     squares of the enemy's camp that are attacked and not defended: [count]
//	burden    squares of the own camp that are attacked, and defended by one man at most: [count]
//	zone      squares of the 5x5 block around the king: [attacked alone by the enemy, or twice against once, or alone by the own side][count]
//	checks    squares where the enemy may drop a piece with check that is not taken: [which piece][count]
//	pins      men that alone stand between a king and an enemy's long-range piece: [whether they are the enemy's][kind]
//
// Those from freedom on are there twice: for the side to move, then for the other.
const (
	kingSquares = 45
	placeKinds  = 28
	handPieces  = 18
	sliders     = 4
	mostFreedom = 20
	directions  = 5
	mostDanger  = 63

	threatKinds  = 16
	threatStates = 5
	mostSquares  = 15
	mostChecks   = 7

	firstHand    = kingSquares * placeKinds * shogi.SquareCount
	firstFreedom = firstHand + 7*handPieces
	firstRing    = firstFreedom + sliders*(mostFreedom+1)
	firstDanger  = firstRing + directions*3*2*3
	firstEscape  = firstDanger + mostDanger + 1

	firstThreat = firstEscape + 9
	firstHole   = firstThreat + threatKinds*threatStates
	firstReach  = firstHole + len(intruders)*(mostSquares+1)
	firstBurden = firstReach + mostSquares + 1
	firstZone   = firstBurden + mostSquares + 1
	firstCheck  = firstZone + 3*(mostSquares+1)
	firstPin    = firstCheck + len(checkers)*(mostChecks+1)
	sightCount  = firstPin + 2*threatKinds - firstFreedom

	// FeatureCount is the number of features; each has a weight for the opening and one for the ending.
	FeatureCount = firstFreedom + 2*sightCount

	// PlaceCount is the number of features of places, which come first.
	PlaceCount = firstHand
)

// PlaceIndex is the feature of a man on a square, seen from the side whose king stands on the king's square, as Black.
// The man's color is Black for that side's own men. The king's own square is a place, too.
func PlaceIndex(king shogi.Square, man shogi.Piece, sq shogi.Square) int {
	switch f := king.File(); {
	case f > 4:
		king, sq = king.MirrorFile(), sq.MirrorFile()
	case f == 4 && sq.File() > 4: // the board is its own mirror image
		sq = sq.MirrorFile()
	}
	kind := int(man.Type()) - 1
	if man.Color() == shogi.White {
		kind += placeKinds / 2
	}
	return (int(king)*placeKinds+kind)*shogi.SquareCount + int(sq)
}

// handIndex is the feature of the n-th piece of a kind in hand, n from 1.
func handIndex(t shogi.PieceType, n int) int { return firstHand + (int(t)-1)*handPieces + n - 1 }

// Features lists the features of a position with both kings: which, and how often for Black less how often for White.
func Features(p *board.Position, emit func(feature, n int)) {
	for occupied := p.Occupied(); !occupied.IsEmpty(); {
		sq := occupied.Pop()
		piece := p.PieceAt(sq)
		black, white := p.KingSquare(shogi.Black), p.KingSquare(shogi.White)
		emit(PlaceIndex(black, piece, sq), 1)
		emit(PlaceIndex(80-white, piece.FlipSide(), 80-sq), -1)
	}
	for c, sign := shogi.Black, 1; c <= shogi.White; c, sign = c+1, -1 {
		hand := p.Hand(c)
		for t := shogi.Pawn; t <= shogi.Gold; t++ {
			for n := 1; n <= hand.Count(t); n++ {
				emit(handIndex(t, n), sign)
			}
		}
	}
	black, white := look(named(), p)
	for _, f := range black {
		emit(firstFreedom-1+int(f), 1)
	}
	for _, f := range white {
		emit(firstFreedom-1+int(f), -1)
	}
}

// Hands lists the features of pieces in hand with their kinds.
func Hands(visit func(feature int, t shogi.PieceType)) {
	for t := shogi.Pawn; t <= shogi.Gold; t++ {
		for n := 1; n <= handPieces; n++ {
			visit(handIndex(t, n), t)
		}
	}
}
