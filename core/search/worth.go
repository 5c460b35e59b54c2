package search

import "komadori/core/shogi"

// pieceWorth is the material worth on the board by PieceType. Kings count nothing: they are always there.
var pieceWorth = func() (t [16]int32) {
	for i, v := range shogi.PieceValues {
		t[i] = int32(v)
	}
	t[shogi.King] = 0
	return t
}()

// handWorth is the worth of a piece in hand: a little more than on the board, as it may come down anywhere.
var handWorth = [8]int32{
	shogi.Pawn: 118, shogi.Lance: 324, shogi.Knight: 344, shogi.Silver: 478, shogi.Bishop: 836, shogi.Rook: 1042, shogi.Gold: 574,
}
