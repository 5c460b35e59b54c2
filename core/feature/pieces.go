package feature

import (
	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/shogi"
)

// WritePieces writes the 28 piece planes: plane 14*c + i holds c's pieces of kind i, in the order of the dlshogi
// planes, and nothing else (hands are not among them). Without turned, c = 0 is Black and the board is as it is; with it, c = 0 is
// the side to move and for White the board is turned by 180 degrees. dst has PieceSize elements and is overwritten
// whole; another size is an Argument error. Kings may be missing.
func WritePieces[T Element](p *board.Position, turned bool, dst []T) error {
	if len(dst) != PieceSize {
		return fault.New(fault.Argument, "feature.WritePieces", "%d elements, want %d", len(dst), PieceSize)
	}
	v := viewOf(shogi.Black)
	if turned {
		v = viewOf(p.Turn())
	}
	row := (*[PieceSize]T)(dst)
	clear(row[:])
	raw := p.Board()
	one := oneOf[T]()
	for c := shogi.Black; c <= shogi.White; c++ {
		first := 14*int(c^shogi.Color(v.color>>4)) - 1
		for set := p.Pieces(c); !set.IsEmpty(); {
			from := set.Pop()
			kind := int(raw[from&127] & 15)
			row[(first+kind)*shogi.SquareCount+int(v.square(from))] = one
		}
	}
	return nil
}
