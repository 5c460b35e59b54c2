package main

/*
#include "native.h"
*/
import "C"

import (
	"unsafe"

	"komadori/core/shogi"
)

// The numbers of the header are those of package shogi.
var (
	_ = [1]struct{}{}[shogi.Black-C.KMD_BLACK]
	_ = [1]struct{}{}[shogi.White-C.KMD_WHITE]
	_ = [1]struct{}{}[shogi.Pawn-C.KMD_PAWN]
	_ = [1]struct{}{}[shogi.Lance-C.KMD_LANCE]
	_ = [1]struct{}{}[shogi.Knight-C.KMD_KNIGHT]
	_ = [1]struct{}{}[shogi.Silver-C.KMD_SILVER]
	_ = [1]struct{}{}[shogi.Bishop-C.KMD_BISHOP]
	_ = [1]struct{}{}[shogi.Rook-C.KMD_ROOK]
	_ = [1]struct{}{}[shogi.Gold-C.KMD_GOLD]
	_ = [1]struct{}{}[shogi.King-C.KMD_KING]
	_ = [1]struct{}{}[shogi.ProPawn-C.KMD_PRO_PAWN]
	_ = [1]struct{}{}[shogi.ProLance-C.KMD_PRO_LANCE]
	_ = [1]struct{}{}[shogi.ProKnight-C.KMD_PRO_KNIGHT]
	_ = [1]struct{}{}[shogi.ProSilver-C.KMD_PRO_SILVER]
	_ = [1]struct{}{}[shogi.Horse-C.KMD_HORSE]
	_ = [1]struct{}{}[shogi.Dragon-C.KMD_DRAGON]
	_ = [1]struct{}{}[shogi.WPawn-(C.KMD_PAWN+C.KMD_WHITE_PIECE)]
	_ = [1]struct{}{}[shogi.NoSquare-C.KMD_NO_SQUARE]
	_ = [1]struct{}{}[shogi.MoveNone-C.KMD_MOVE_NONE]
	_ = [1]struct{}{}[shogi.MoveNull-C.KMD_MOVE_NULL]
	_ = [1]struct{}{}[shogi.MoveResign-C.KMD_MOVE_RESIGN]
	_ = [1]struct{}{}[shogi.MoveWin-C.KMD_MOVE_WIN]
	_ = [1]struct{}{}[shogi.MoveEnd-C.KMD_MOVE_END]
	_ = [1]struct{}{}[shogi.BlackWin-C.KMD_BLACK_WIN]
	_ = [1]struct{}{}[shogi.WhiteWin-C.KMD_WHITE_WIN]
	_ = [1]struct{}{}[shogi.Draw-C.KMD_DRAW]
	_ = [1]struct{}{}[shogi.EndDrawByRepetition-C.KMD_END_DRAW_BY_REPETITION]
	_ = [1]struct{}{}[shogi.EndError-C.KMD_END_ERROR]
	_ = [1]struct{}{}[shogi.EndBlackWinByDeclaration-C.KMD_END_BLACK_WIN_BY_DECLARATION]
	_ = [1]struct{}{}[shogi.EndDrawByMaxPlies-C.KMD_END_DRAW_BY_MAX_PLIES]
	_ = [1]struct{}{}[shogi.EndInvalid-C.KMD_END_INVALID]
	_ = [1]struct{}{}[shogi.EndBlackWinByForfeit-C.KMD_END_BLACK_WIN_BY_FORFEIT]
	_ = [1]struct{}{}[shogi.EndDrawByImpasse-C.KMD_END_DRAW_BY_IMPASSE]
	_ = [1]struct{}{}[shogi.EndPaused-C.KMD_END_PAUSED]
	_ = [1]struct{}{}[shogi.EndBlackWinByIllegalMove-C.KMD_END_BLACK_WIN_BY_ILLEGAL_MOVE]
	_ = [1]struct{}{}[shogi.EndDrawByAdjudication-C.KMD_END_DRAW_BY_ADJUDICATION]
	_ = [1]struct{}{}[shogi.EndBlackWinByTimeout-C.KMD_END_BLACK_WIN_BY_TIMEOUT]
	_ = [1]struct{}{}[shogi.EndBlackWinByTryRule-C.KMD_END_BLACK_WIN_BY_TRY_RULE]
)

// squareOf is a raw square, NoSquare for every number off the board.
func squareOf(raw C.uint8_t) shogi.Square {
	if raw > 80 {
		return shogi.NoSquare
	}
	return shogi.Square(raw)
}

// pieceOf is a raw piece, NoPiece for every number that cannot stand on a board.
func pieceOf(raw C.uint8_t) shogi.Piece {
	if p := shogi.Piece(raw & 31); raw <= 31 && p.IsOnBoard() {
		return p
	}
	return shogi.NoPiece
}

//export go_kmd_square_to_row_major
func go_kmd_square_to_row_major(square C.uint8_t) C.uint8_t {
	return C.uint8_t(squareOf(square).RowMajor())
}

//export go_kmd_square_from_row_major
func go_kmd_square_from_row_major(index C.uint8_t) C.uint8_t {
	return C.uint8_t(shogi.SquareFromRowMajor(int(index)))
}

//export go_kmd_square_flip_side
func go_kmd_square_flip_side(square C.uint8_t) C.uint8_t {
	return C.uint8_t(squareOf(square).FlipSide())
}

//export go_kmd_square_mirror_file
func go_kmd_square_mirror_file(square C.uint8_t) C.uint8_t {
	return C.uint8_t(squareOf(square).MirrorFile())
}

//export go_kmd_piece_type_to_gold_first
func go_kmd_piece_type_to_gold_first(pieceType C.uint8_t) C.uint8_t {
	if pieceType > C.KMD_DRAGON {
		return 0
	}
	return C.uint8_t(shogi.PieceType(pieceType).GBR())
}

//export go_kmd_piece_type_from_gold_first
func go_kmd_piece_type_from_gold_first(number C.uint8_t) C.uint8_t {
	if number > C.KMD_DRAGON {
		return 0
	}
	p, _ := shogi.PieceFromSigned(int(number))
	return C.uint8_t(p.Type())
}

//export go_kmd_piece_to_signed
func go_kmd_piece_to_signed(piece C.uint8_t) C.int8_t { return C.int8_t(pieceOf(piece).Signed()) }

//export go_kmd_piece_from_signed
func go_kmd_piece_from_signed(number C.int8_t) C.uint8_t {
	p, _ := shogi.PieceFromSigned(int(number))
	return C.uint8_t(p)
}

//export go_kmd_piece_to_flagged
func go_kmd_piece_to_flagged(piece C.uint8_t) C.uint8_t { return C.uint8_t(pieceOf(piece).Flagged()) }

//export go_kmd_piece_from_flagged
func go_kmd_piece_from_flagged(flags C.uint8_t) C.uint8_t {
	p, _ := shogi.PieceFromFlagged(uint8(flags))
	return C.uint8_t(p)
}

//export go_kmd_hand_pack
func go_kmd_hand_pack(counts *C.uint8_t, hand *C.kmd_hand) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_hand_pack"
	if isNull(op, "counts", unsafe.Pointer(counts), 1, &status) || isNull(op, "hand", unsafe.Pointer(hand), 4, &status) {
		return status
	}
	var n [shogi.HandPieceCount]int
	for i := range n {
		n[i] = int(unsafe.Slice(counts, len(n))[i])
	}
	h, err := shogi.HandFromCounts(n)
	if err != nil {
		return report(err)
	}
	*hand = C.kmd_hand(h)
	return C.KMD_OK
}

//export go_kmd_hand_unpack
func go_kmd_hand_unpack(hand C.kmd_hand, counts *C.uint8_t) (status C.kmd_status) {
	defer recovered(&status)
	if isNull("kmd_hand_unpack", "counts", unsafe.Pointer(counts), 1, &status) {
		return status
	}
	h, err := shogi.NewHand(uint32(hand))
	if err != nil {
		return report(err)
	}
	for i, n := range h.Counts() {
		unsafe.Slice(counts, shogi.HandPieceCount)[i] = C.uint8_t(n)
	}
	return C.KMD_OK
}

//export go_kmd_hand_is_superior_or_equal
func go_kmd_hand_is_superior_or_equal(a, b C.kmd_hand) C.int32_t {
	return truth(shogi.Hand(a).IsSuperiorOrEqual(shogi.Hand(b)))
}
