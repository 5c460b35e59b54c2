package main

/*
#include "native.h"
*/
import "C"

import (
	"unsafe"

	"komadori/core/notation"
	"komadori/core/shogi"
)

// quick lends a board for a question with a number as its answer.
func quick(h C.kmd_board, f func(*slot) (C.int32_t, error)) (answer C.int32_t) {
	defer recovered(&answer)
	s, err := acquire(h, phaseUse)
	if err != nil {
		return report(err)
	}
	defer s.release()
	if answer, err = f(s); err != nil {
		return report(err)
	}
	return answer
}

//export go_kmd_quick_set_sfen
func go_kmd_quick_set_sfen(h C.kmd_board, text *C.char, length C.int32_t) C.int32_t {
	return setSFEN("kmd_quick_set_sfen", h, text, C.size_t(max(length, 0)))
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
