package main

/*
#include "native.h"
*/
import "C"

import (
	"unsafe"

	"komadori/core/board"
	"komadori/core/notation"
	"komadori/core/shogi"
)

// quick lends a board for a question with a number as its answer.
func quick(h C.kmd_board, f func(*slot) (C.int32_t, error)) (answer C.int32_t) {
	s, err := acquire(h, phaseUse)
	if err != nil {
		return report(err)
	}
	defer s.leave(&answer)
	if answer, err = f(s); err != nil {
		return report(err)
	}
	return answer
}

//export go_kmd_quick_set_sfen
func go_kmd_quick_set_sfen(h C.kmd_board, text *C.char, length C.int32_t) C.int32_t {
	const op = "kmd_quick_set_sfen"
	if length < 0 {
		return badArgument(op, "a length of %d", length)
	}
	return setSFEN(op, h, text, C.size_t(length))
}

//export go_kmd_quick_sfen
func go_kmd_quick_sfen(h C.kmd_board, buffer *C.char) (length C.int32_t) {
	if isNull("kmd_quick_sfen", "buffer", unsafe.Pointer(buffer), 1, &length) {
		return length
	}
	return quick(h, func(s *slot) (C.int32_t, error) {
		room := unsafe.Slice((*byte)(unsafe.Pointer(buffer)), C.KMD_SFEN_SIZE)
		text := notation.AppendPosition(room[:0], &s.state.Pos)
		room[len(text)] = 0
		return C.int32_t(len(text)), nil
	})
}

// A caller's buffer has room for a MoveList.
const _ = uint(unsafe.Sizeof(shogi.Move(0))*C.KMD_QUICK_MOVES - unsafe.Sizeof(board.MoveList{}))

//export go_kmd_quick_list
func go_kmd_quick_list(h C.kmd_board, room *C.kmd_quick_room) (n C.int32_t) {
	const op = "kmd_quick_list"
	if isNull(op, "room", unsafe.Pointer(room), unsafe.Alignof(*room), &n) || !hasSize(op, "room", room.size, unsafe.Sizeof(*room), &n) || isReserved(op, "room.reserved", room.reserved, &n) ||
		isNull(op, "moves", unsafe.Pointer(room.moves), 8, &n) || isNull(op, "words", unsafe.Pointer(room.words), 8, &n) ||
		isNull(op, "picked", unsafe.Pointer(room.picked), 8, &n) ||
		!apart(op, &n, reads("words", room.words, 1<<16), writes("moves", room.moves, C.KMD_QUICK_MOVES), writes("picked", room.picked, C.KMD_MAX_LEGAL_MOVES)) {
		return n
	}
	return quick(h, func(s *slot) (C.int32_t, error) {
		l := (*board.MoveList)(unsafe.Pointer(room.moves))
		s.state.Pos.Legal(l)
		words, picked := (*[1 << 16]uint64)(unsafe.Pointer(room.words)), unsafe.Slice((*uint64)(unsafe.Pointer(room.picked)), l.N)
		for i, m := range l.Slice() {
			picked[i] = words[m]
		}
		return C.int32_t(l.N), nil
	})
}

//export go_kmd_quick_pop
func go_kmd_quick_pop(h C.kmd_board) (move C.int32_t) {
	s, err := acquire(h, phaseChange)
	if err != nil {
		return report(err)
	}
	defer s.finish(phaseChange, &move)
	g := s.game()
	m, err := g.Pop()
	if err != nil {
		return report(err)
	}
	return C.int32_t(m)
}

//export go_kmd_quick_is_legal
func go_kmd_quick_is_legal(h C.kmd_board, move C.kmd_move) C.int32_t {
	return quick(h, func(s *slot) (C.int32_t, error) { return truth(s.state.Pos.IsLegal(shogi.Move(move))), nil })
}

//export go_kmd_quick_is_checkmate
func go_kmd_quick_is_checkmate(h C.kmd_board) C.int32_t {
	return quick(h, func(s *slot) (C.int32_t, error) { return truth(s.state.Pos.IsCheckmate()), nil })
}

//export go_kmd_quick_mate_in_one
func go_kmd_quick_mate_in_one(h C.kmd_board) C.int32_t {
	return quick(h, func(s *slot) (C.int32_t, error) { return C.int32_t(s.state.Pos.MateInOne()), nil })
}
