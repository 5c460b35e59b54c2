package feature

import (
	"komadori/core/bitboard"
	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/shogi"
)

// An NNUE is one of the ways to number pieces relative to a king for the sparse inputs of NNUE networks; the definitions are YaneuraOu's.
//
// A piece is a number p: pieces in hand first, then kind by kind 81 squares, own before the other side's. A perspective is a side: its own pieces are those
// of that side, and White's squares are turned by 180 degrees. The index of a piece is then p plus the king's square times the number of ps. A man that is missing
// has p = 0, and its index stands in the list like that of the others.
type NNUE uint8

const (
	HalfKP   NNUE = 1 // the 38 men but the kings
	HalfKA   NNUE = 2 // the 40 men
	HalfKAhm NNUE = 3 // HalfKA_hm1: HalfKA with the board mirrored so that the perspective's king stands on files 1 to 5; hands are not
)

// Piece numbers: the first for n in hand, by kind and own (0) or the other's (1); each further piece in hand adds 1.
var nnueHand = [7]struct {
	kind  shogi.PieceType
	first [2]int32
}{{shogi.Pawn, [2]int32{1, 20}}, {shogi.Lance, [2]int32{39, 44}}, {shogi.Knight, [2]int32{49, 54}}, {shogi.Silver, [2]int32{59, 64}},
	{shogi.Gold, [2]int32{69, 74}}, {shogi.Bishop, [2]int32{79, 82}}, {shogi.Rook, [2]int32{85, 88}}}

// Kinds on the board in the order of piece numbers, which begin at 90 with 81 for each side's; promoted minor pieces count as golds.
var nnueBoard = [9]shogi.PieceType{shogi.Pawn, shogi.Lance, shogi.Knight, shogi.Silver, shogi.GoldLike, shogi.Bishop, shogi.Horse, shogi.Rook, shogi.Dragon}

const (
	nnueBoardFirst = 90
	nnueKings      = 1548 // own king, then the other's
	nnueEnd        = 1710
	nnueMirrorFrom = 45 // 6a
)

// NewNNUE checks a raw value 1..3.
func NewNNUE(raw int) (NNUE, error) {
	if raw < 1 || raw > 3 {
		return 0, fault.New(fault.InvalidValue, "feature.NewNNUE", "numbering %d, want 1 HalfKP, 2 HalfKA or 3 HalfKA_hm1", raw)
	}
	return NNUE(raw), nil
}

// Active is the number of indices of a position in one perspective: 38 or 40.
func (n NNUE) Active() int {
	if n == HalfKP {
		return 38
	}
	return 40
}

// Dimension is the number of inputs: indices are below it. HalfKP 125388, HalfKA 138510, HalfKA_hm1 76950.
func (n NNUE) Dimension() int {
	switch n {
	case HalfKP:
		return shogi.SquareCount * nnueKings
	case HalfKA:
		return shogi.SquareCount * nnueEnd
	}
	return nnueMirrorFrom * nnueEnd
}

// An Index is a type of indices.
type Index interface{ int32 | int64 }

// WriteNNUE writes the indices of a position in the perspective of a side, in ascending order: first those of missing men, which are all the same. dst has Active
// elements; it panics on another size. With pad, missing men have no index, and -1 fills the end instead. A position that lacks a king is an
// InvalidPosition. It does not allocate on success.
func WriteNNUE[T Index](n NNUE, p *board.Position, perspective shogi.Color, pad bool, dst []T) error {
	if len(dst) != n.Active() {
		panic("feature.WriteNNUE: a row of another size")
	}
	if p.KingSquare(shogi.Black) == shogi.NoSquare || p.KingSquare(shogi.White) == shogi.NoSquare {
		return p.NeedKings("feature.WriteNNUE")
	}
	v := viewOf(perspective)
	kings := [2]shogi.Square{v.square(p.KingSquare(perspective)), v.square(p.KingSquare(perspective.Opposite()))}
	mirror := n == HalfKAhm && kings[0] >= nnueMirrorFrom
	if mirror {
		kings[0], kings[1] = kings[0].MirrorFile(), kings[1].MirrorFile()
	}
	per := T(nnueEnd)
	if n == HalfKP {
		per = nnueKings
	}
	base := per * T(kings[0])

	present := p.Pieces(shogi.Black).Count() + p.Pieces(shogi.White).Count() + p.Hand(shogi.Black).Total() + p.Hand(shogi.White).Total()
	if n == HalfKP {
		present -= 2
	}
	missing := max(0, len(dst)-present)
	at := 0
	if !pad {
		for ; at < missing; at++ {
			dst[at] = base
		}
	}
	hands := [2]shogi.Hand{p.Hand(perspective), p.Hand(perspective.Opposite())}
	for i := range nnueHand {
		h := &nnueHand[i]
		for side, hand := range hands {
			for k := range hand.Count(h.kind) {
				dst[at] = base + T(h.first[side]) + T(k)
				at++
			}
		}
	}
	first := base + nnueBoardFirst
	for _, kind := range nnueBoard {
		for side := range 2 {
			set := v.set(p.PiecesOf(perspective^shogi.Color(side), kind))
			if mirror {
				set = set.MirrorFile()
			}
			at = putSquares(dst, at, first, set)
			first += shogi.SquareCount
		}
	}
	if n != HalfKP {
		for side, king := range kings {
			dst[at] = base + nnueKings + T(side*shogi.SquareCount) + T(king)
			at++
		}
	}
	for ; at < len(dst); at++ {
		dst[at] = -1
	}
	return nil
}

func putSquares[T Index](dst []T, at int, first T, set bitboard.Bitboard) int {
	for !set.IsEmpty() {
		dst[at] = first + T(set.Pop())
		at++
	}
	return at
}
