package main

/*
#include "native.h"
*/
import "C"

import (
	"errors"
	"unsafe"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/notation"
	"komadori/core/shogi"
)

// The styles of the header are those of package notation.
var _ = [1]struct{}{}[notation.USI-C.KMD_STYLE_USI]
var _ = [1]struct{}{}[notation.CSA-C.KMD_STYLE_CSA]
var _ = [1]struct{}{}[notation.KIF-C.KMD_STYLE_KIF]
var _ = [1]struct{}{}[notation.KI2-C.KMD_STYLE_KI2]
var _ = [1]struct{}{}[notation.Western-C.KMD_STYLE_WESTERN]

// styleOf checks the style of a call.
func styleOf(op string, style C.int32_t, status *C.kmd_status) (notation.Style, bool) {
	s, err := notation.NewStyle(int(style))
	if err != nil {
		*status = badArgument(op, "style %d, want KMD_STYLE_USI to KMD_STYLE_WESTERN", style)
	}
	return s, err == nil
}

//export go_kmd_board_format_move
func go_kmd_board_format_move(h C.kmd_board, style C.int32_t, move C.kmd_move, buffer *C.char, capacity C.size_t, needed *C.size_t) (status C.kmd_status) {
	const op = "kmd_board_format_move"
	s, ok := styleOf(op, style, &status)
	if !ok {
		return status
	}
	var room [64]byte
	text := room[:0]
	status = use(h, func(g board.Game) error {
		var err error
		text, err = notation.AppendMove(text, &g.Pos, notation.Previous(&g), shogi.Move(move), s)
		return err
	})
	if status != C.KMD_OK {
		return status
	}
	return writeText(op, text, buffer, capacity, needed)
}

//export go_kmd_board_parse_move
func go_kmd_board_parse_move(h C.kmd_board, style C.int32_t, text *C.char, length C.size_t, move *C.kmd_move) (status C.kmd_status) {
	const op = "kmd_board_parse_move"
	s, ok := styleOf(op, style, &status)
	if !ok || isNull(op, "move", unsafe.Pointer(move), 2, &status) {
		return status
	}
	words, ok := readText(op, text, length, &status)
	if !ok {
		return status
	}
	return use(h, func(g board.Game) error {
		m, err := notation.ParseMove(&g, words, s)
		if err == nil {
			*move = C.kmd_move(m)
		}
		return err
	})
}

//export go_kmd_board_format_moves
func go_kmd_board_format_moves(h C.kmd_board, style C.int32_t, moves *C.kmd_move, n C.size_t, offsets *C.int64_t, text *C.char, capacity C.size_t) (status C.kmd_status) {
	const op = "kmd_board_format_moves"
	s, ok := styleOf(op, style, &status)
	if !ok || isNull(op, "offsets", unsafe.Pointer(offsets), 8, &status) {
		return status
	}
	switch {
	case n > 1<<20:
		return badArgument(op, "%d moves", n)
	case n > 0 && isNull(op, "moves", unsafe.Pointer(moves), 2, &status):
		return status
	case text == nil && capacity > 0 || capacity > 1<<46:
		return badArgument(op, "no buffer for a capacity of %d", capacity)
	case !apart(op, &status, reads("moves", moves, int(n)), writes("offsets", offsets, int(n)+1), writes("text", text, int(capacity))):
		return status
	}
	return use(h, func(g board.Game) error {
		all := make([]byte, 0, min(32*int(n), 1<<16))
		ends := make([]int64, n+1)
		previous := notation.Previous(&g)
		for i, m := range slice[shogi.Move](unsafe.Pointer(moves), int(n)) {
			var err error
			if all, err = notation.AppendMove(all, &g.Pos, previous, m, s); err != nil {
				var f *fault.Error
				if errors.As(err, &f) {
					return f.InRow(i)
				}
				return err
			}
			ends[i+1] = int64(len(all))
		}
		copy(slice[int64](unsafe.Pointer(offsets), int(n)+1), ends)
		if len(all) > int(capacity) {
			return fault.New(fault.Buffer, op, "%d bytes needed, %d given", len(all), capacity)
		}
		copy(slice[byte](unsafe.Pointer(text), len(all)), all)
		return nil
	})
}

//export go_kmd_ki2_is_valid
func go_kmd_ki2_is_valid(ki2 C.kmd_ki2) C.int32_t {
	_, err := notation.NewKi2Notation(uint32(ki2))
	return truth(err == nil)
}

//export go_kmd_ki2_from_text
func go_kmd_ki2_from_text(text *C.char, length C.size_t, ki2 *C.kmd_ki2) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_ki2_from_text"
	if isNull(op, "ki2", unsafe.Pointer(ki2), 4, &status) {
		return status
	}
	s, ok := readText(op, text, length, &status)
	if !ok {
		return status
	}
	k, err := notation.ParseKi2Notation(s)
	if err != nil {
		return report(err)
	}
	*ki2 = C.kmd_ki2(k)
	return C.KMD_OK
}

//export go_kmd_ki2_to_text
func go_kmd_ki2_to_text(ki2 C.kmd_ki2, buffer *C.char, capacity C.size_t, needed *C.size_t) (status C.kmd_status) {
	defer recovered(&status)
	var room [64]byte
	return writeText("kmd_ki2_to_text", notation.Ki2Notation(ki2).Append(room[:0]), buffer, capacity, needed)
}

//export go_kmd_ki2_flip_side
func go_kmd_ki2_flip_side(ki2 C.kmd_ki2) C.kmd_ki2 {
	return C.kmd_ki2(notation.Ki2Notation(ki2).FlipSide())
}

//export go_kmd_ki2_mirror_file
func go_kmd_ki2_mirror_file(ki2 C.kmd_ki2) C.kmd_ki2 {
	return C.kmd_ki2(notation.Ki2Notation(ki2).MirrorFile())
}

// previousOf is the square to which the move before went, as the caller or the board's history says.
func previousOf(g *board.Game, previous C.uint8_t) (shogi.Square, error) {
	if previous == C.KMD_PREVIOUS_OF_HISTORY {
		return notation.Previous(g), nil
	}
	return shogi.NewSquare(int(previous))
}

//export go_kmd_board_ki2
func go_kmd_board_ki2(h C.kmd_board, previous C.uint8_t, move C.kmd_move, ki2 *C.kmd_ki2) C.kmd_status {
	return ask("kmd_board_ki2", "ki2", h, ki2, func(g board.Game) (C.kmd_ki2, error) {
		before, err := previousOf(&g, previous)
		if err != nil {
			return 0, err
		}
		k, err := notation.Ki2Of(&g.Pos, before, shogi.Move(move))
		return C.kmd_ki2(k), err
	})
}

//export go_kmd_board_resolve_ki2
func go_kmd_board_resolve_ki2(h C.kmd_board, previous C.uint8_t, ki2 C.kmd_ki2, move *C.kmd_move) C.kmd_status {
	return ask("kmd_board_resolve_ki2", "move", h, move, func(g board.Game) (C.kmd_move, error) {
		before, err := previousOf(&g, previous)
		if err != nil {
			return 0, err
		}
		m, err := notation.Ki2Notation(ki2).Resolve(&g.Pos, before)
		return C.kmd_move(m), err
	})
}
