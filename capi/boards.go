package main

/*
#include "native.h"
*/
import "C"

import (
	"sync"
	"unsafe"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/label"
	"komadori/core/notation"
	"komadori/core/packed"
	"komadori/core/shogi"
)

// create opens a board of the position that from gives.
func create(op string, out *C.kmd_board, from func() (board.Position, error)) (status C.kmd_status) {
	defer recovered(&status)
	if isNull(op, "the board's place", unsafe.Pointer(out), 8, &status) {
		return status
	}
	p, err := from()
	if err != nil {
		return report(err)
	}
	return report(newBoard(&p, nil, out))
}

// take makes the slot's game a copy of another one.
func (s *slot) take(from *board.Game) error {
	if err := s.room(int(from.Len)); err != nil {
		return err
	}
	g := s.game()
	copy(g.Entries, from.Entries[:from.Len])
	s.state = *from.State
	return nil
}

var startPosition = board.Start()

//export go_kmd_board_new
func go_kmd_board_new(out *C.kmd_board) C.kmd_status {
	return create("kmd_board_new", out, func() (board.Position, error) { return startPosition, nil })
}

//export go_kmd_board_from_sfen
func go_kmd_board_from_sfen(text *C.char, length C.size_t, out *C.kmd_board) (status C.kmd_status) {
	s, ok := readText("kmd_board_from_sfen", text, length, &status)
	if !ok {
		return status
	}
	return create("kmd_board_from_sfen", out, func() (board.Position, error) { return notation.ParsePosition(s) })
}

//export go_kmd_board_from_position
func go_kmd_board_from_position(text *C.char, length C.size_t, out *C.kmd_board) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_board_from_position"
	if isNull(op, "the board's place", unsafe.Pointer(out), 8, &status) {
		return status
	}
	s, ok := readText(op, text, length, &status)
	if !ok {
		return status
	}
	g, _, err := notation.ParseGame(s)
	if err != nil {
		return report(err)
	}
	return report(newBoard(&g.Start, func(s *slot) error { return s.take(g) }, out))
}

// createMen opens a board of men that have been read, with or without success.
func createMen(op string, out *C.kmd_board, m *board.Men, err error) C.kmd_status {
	return create(op, out, func() (p board.Position, _ error) {
		if err == nil {
			err = p.LoadMen(m)
		}
		return p, err
	})
}

//export go_kmd_board_from_hcp
func go_kmd_board_from_hcp(bytes *C.uint8_t, out *C.kmd_board) (status C.kmd_status) {
	defer recovered(&status)
	if isNull("kmd_board_from_hcp", "bytes", unsafe.Pointer(bytes), 1, &status) {
		return status
	}
	var m board.Men
	err := packed.DecodeHCPMen((*[packed.Size]byte)(unsafe.Pointer(bytes)), &m)
	return createMen("kmd_board_from_hcp", out, &m, err)
}

//export go_kmd_board_from_packed_sfen
func go_kmd_board_from_packed_sfen(bytes *C.uint8_t, out *C.kmd_board) (status C.kmd_status) {
	defer recovered(&status)
	if isNull("kmd_board_from_packed_sfen", "bytes", unsafe.Pointer(bytes), 1, &status) {
		return status
	}
	var m board.Men
	err := packed.DecodePackedSfenMen((*[packed.Size]byte)(unsafe.Pointer(bytes)), &m)
	return createMen("kmd_board_from_packed_sfen", out, &m, err)
}

//export go_kmd_board_copy
func go_kmd_board_copy(h C.kmd_board, out *C.kmd_board) (status C.kmd_status) {
	if isNull("kmd_board_copy", "copy", unsafe.Pointer(out), 8, &status) {
		return status
	}
	return use(h, func(g board.Game) error {
		return newBoard(&g.Start, func(s *slot) error { return s.take(&g) }, out)
	})
}

// derive opens a board of a position made from another board's.
func derive(op string, h C.kmd_board, out *C.kmd_board, f func(*board.Position) board.Position) (status C.kmd_status) {
	if isNull(op, "the new board's place", unsafe.Pointer(out), 8, &status) {
		return status
	}
	return use(h, func(g board.Game) error {
		p := f(&g.Pos)
		return newBoard(&p, nil, out)
	})
}

//export go_kmd_board_flip_side
func go_kmd_board_flip_side(h C.kmd_board, out *C.kmd_board) C.kmd_status {
	return derive("kmd_board_flip_side", h, out, (*board.Position).FlipSide)
}

//export go_kmd_board_mirror_file
func go_kmd_board_mirror_file(h C.kmd_board, out *C.kmd_board) C.kmd_status {
	return derive("kmd_board_mirror_file", h, out, (*board.Position).MirrorFile)
}

// reset sets a board to men that have been read, with or without success. Functions that read are called by their name: behind a variable
// they would make the men escape to the heap.
func reset(h C.kmd_board, m *board.Men, err error) (status C.kmd_status) {
	if err != nil {
		return report(err)
	}
	var p board.Position
	if err = p.LoadMen(m); err != nil {
		return report(err)
	}
	return resetTo(h, &p)
}

// resetTo sets a board to a position.
func resetTo(h C.kmd_board, p *board.Position) (status C.kmd_status) {
	s, err := acquire(h, phaseReset)
	if err != nil {
		return report(err)
	}
	defer s.finish(phaseReset, &status)
	g := s.game()
	g.ResetTo(*p)
	return C.KMD_OK
}

// setSFEN reads text where it lies: nothing keeps it.
func setSFEN(op string, h C.kmd_board, text *C.char, length C.size_t) (status C.kmd_status) {
	defer recovered(&status)
	if !isText(op, text, length, &status) {
		return status
	}
	var m board.Men
	err := notation.ParseMen(unsafe.String((*byte)(unsafe.Pointer(text)), int(length)), &m)
	return reset(h, &m, err)
}

//export go_kmd_board_set_sfen
func go_kmd_board_set_sfen(h C.kmd_board, text *C.char, length C.size_t) C.kmd_status {
	return setSFEN("kmd_board_set_sfen", h, text, length)
}

// resetToGame sets a board to a copy of a game.
func resetToGame(h C.kmd_board, g *board.Game) (status C.kmd_status) {
	s, err := acquire(h, phaseReset)
	if err != nil {
		return report(err)
	}
	defer s.finish(phaseReset, &status)
	return report(s.take(g))
}

//export go_kmd_board_set_position
func go_kmd_board_set_position(h C.kmd_board, text *C.char, length C.size_t) (status C.kmd_status) {
	defer recovered(&status)
	s, ok := readText("kmd_board_set_position", text, length, &status)
	if !ok {
		return status
	}
	g, _, err := notation.ParseGame(s)
	if err != nil {
		return report(err)
	}
	return resetToGame(h, g)
}

//export go_kmd_board_set_board
func go_kmd_board_set_board(h, other C.kmd_board) (status C.kmd_status) {
	s, err := acquire(other, phaseUse)
	if err != nil {
		return report(err)
	}
	defer s.leave(&status)
	g := s.game()
	return resetToGame(h, &g)
}

// setTurned sets a board to a position made from another board's.
func setTurned(h, other C.kmd_board, turned func(*board.Position) board.Position) (status C.kmd_status) {
	s, err := acquire(other, phaseUse)
	if err != nil {
		return report(err)
	}
	defer s.leave(&status)
	p := turned(&s.state.Pos)
	return resetTo(h, &p)
}

//export go_kmd_board_set_flipped
func go_kmd_board_set_flipped(h, other C.kmd_board) C.kmd_status {
	return setTurned(h, other, (*board.Position).FlipSide)
}

//export go_kmd_board_set_mirrored
func go_kmd_board_set_mirrored(h, other C.kmd_board) C.kmd_status {
	return setTurned(h, other, (*board.Position).MirrorFile)
}

//export go_kmd_board_set_hcp
func go_kmd_board_set_hcp(h C.kmd_board, bytes *C.uint8_t) (status C.kmd_status) {
	defer recovered(&status)
	if isNull("kmd_board_set_hcp", "bytes", unsafe.Pointer(bytes), 1, &status) {
		return status
	}
	var m board.Men
	err := packed.DecodeHCPMen((*[packed.Size]byte)(unsafe.Pointer(bytes)), &m)
	return reset(h, &m, err)
}

//export go_kmd_board_set_packed_sfen
func go_kmd_board_set_packed_sfen(h C.kmd_board, bytes *C.uint8_t) (status C.kmd_status) {
	defer recovered(&status)
	if isNull("kmd_board_set_packed_sfen", "bytes", unsafe.Pointer(bytes), 1, &status) {
		return status
	}
	var m board.Men
	err := packed.DecodePackedSfenMen((*[packed.Size]byte)(unsafe.Pointer(bytes)), &m)
	return reset(h, &m, err)
}

//export go_kmd_board_get_view
func go_kmd_board_get_view(h C.kmd_board, view **C.kmd_board_view) (status C.kmd_status) {
	defer recovered(&status)
	if isNull("kmd_board_get_view", "view", unsafe.Pointer(view), 8, &status) {
		return status
	}
	s, err := acquire(h, phaseUse)
	if err != nil {
		return report(err)
	}
	*view = &s.view
	s.release()
	return C.KMD_OK
}

//export go_kmd_board_to_sfen
func go_kmd_board_to_sfen(h C.kmd_board, buffer *C.char, capacity C.size_t, needed *C.size_t) (status C.kmd_status) {
	var text [C.KMD_SFEN_SIZE]byte
	var n int
	status = use(h, func(g board.Game) error {
		n = len(notation.AppendPosition(text[:0], &g.Pos))
		return nil
	})
	if status != C.KMD_OK {
		return status
	}
	return writeText("kmd_board_to_sfen", text[:n], buffer, capacity, needed)
}

//export go_kmd_board_to_position
func go_kmd_board_to_position(h C.kmd_board, buffer *C.char, capacity C.size_t, needed *C.size_t) (status C.kmd_status) {
	var text string
	status = use(h, func(g board.Game) error {
		text = notation.FormatGame(&g)
		return nil
	})
	if status != C.KMD_OK {
		return status
	}
	return writeText("kmd_board_to_position", []byte(text), buffer, capacity, needed)
}

//export go_kmd_board_to_hcp
func go_kmd_board_to_hcp(h C.kmd_board, bytes *C.uint8_t) (status C.kmd_status) {
	if isNull("kmd_board_to_hcp", "bytes", unsafe.Pointer(bytes), 1, &status) {
		return status
	}
	return use(h, func(g board.Game) error { return packed.EncodeHCP(&g.Pos, (*[packed.Size]byte)(unsafe.Pointer(bytes))) })
}

//export go_kmd_board_to_packed_sfen
func go_kmd_board_to_packed_sfen(h C.kmd_board, bytes *C.uint8_t) (status C.kmd_status) {
	if isNull("kmd_board_to_packed_sfen", "bytes", unsafe.Pointer(bytes), 1, &status) {
		return status
	}
	return use(h, func(g board.Game) error {
		return packed.EncodePackedSfen(&g.Pos, (*[packed.Size]byte)(unsafe.Pointer(bytes)))
	})
}

//export go_kmd_board_push
func go_kmd_board_push(h C.kmd_board, move C.kmd_move) C.kmd_status {
	return extend(h, func(g board.Game) error { return g.Push(shogi.Move(move)) })
}

//export go_kmd_board_push32
func go_kmd_board_push32(h C.kmd_board, move C.kmd_move32) C.kmd_status {
	return extend(h, func(g board.Game) error { return g.PushMove32(shogi.Move32(move)) })
}

//export go_kmd_board_push_unchecked
func go_kmd_board_push_unchecked(h C.kmd_board, move C.kmd_move) C.kmd_status {
	return extend(h, func(g board.Game) error { return g.PushTrusted(shogi.Move(move)) })
}

//export go_kmd_board_push_null
func go_kmd_board_push_null(h C.kmd_board) C.kmd_status {
	return extend(h, func(g board.Game) error { return g.PushNull() })
}

//export go_kmd_board_pop
func go_kmd_board_pop(h C.kmd_board, move *C.kmd_move) C.kmd_status {
	if uintptr(unsafe.Pointer(move))%2 != 0 {
		return badArgument("kmd_board_pop", "move is not aligned to 2 bytes")
	}
	m := go_kmd_quick_pop(h)
	if m < 0 {
		return m
	}
	if move != nil {
		*move = C.kmd_move(m)
	}
	return C.KMD_OK
}

// list is a place for results of which the caller may not know the number: *count is always set, the items are written when they fit.
func list[T any](op string, items []T, p unsafe.Pointer, capacity C.size_t, count *C.size_t) error {
	if count != nil {
		*count = C.size_t(len(items))
	}
	if len(items) > int(capacity) {
		return fault.New(fault.Buffer, op, "%d entries needed, %d given", len(items), capacity)
	}
	if len(items) > 0 {
		copy(unsafe.Slice((*T)(p), len(items)), items)
	}
	return nil
}

// isNoList reports a place that cannot be one.
func isNoList[T any](op, name string, p *T, capacity C.size_t, count *C.size_t, status *C.kmd_status) bool {
	switch {
	case p == nil && capacity > 0, p == nil && count == nil:
		*status = badArgument(op, "%s is null", name)
	case uintptr(unsafe.Pointer(p))%unsafe.Alignof(*p) != 0 || uintptr(unsafe.Pointer(count))%8 != 0:
		*status = badArgument(op, "%s or count is not aligned", name)
	default:
		return isNoCapacity(op, capacity, status) || !apart(op, status, writes(name, p, int(capacity)), writes("count", count, 1))
	}
	return true
}

//export go_kmd_board_moves
func go_kmd_board_moves(h C.kmd_board, moves *C.kmd_move, capacity C.size_t, count *C.size_t) (status C.kmd_status) {
	const op = "kmd_board_moves"
	if isNoList(op, "moves", moves, capacity, count, &status) {
		return status
	}
	return use(h, func(g board.Game) error {
		return list(op, g.AppendMoves(nil), unsafe.Pointer(moves), capacity, count)
	})
}

//export go_kmd_board_legal_moves
func go_kmd_board_legal_moves(h C.kmd_board, moves *C.kmd_move, capacity C.size_t, count *C.size_t) (status C.kmd_status) {
	const op = "kmd_board_legal_moves"
	if isNoList(op, "moves", moves, capacity, count, &status) {
		return status
	}
	return use(h, func(g board.Game) error {
		var l board.MoveList
		g.Pos.Legal(&l)
		return list(op, l.Slice(), unsafe.Pointer(moves), capacity, count)
	})
}

//export go_kmd_board_legal_moves32
func go_kmd_board_legal_moves32(h C.kmd_board, moves *C.kmd_move32, capacity C.size_t, count *C.size_t) (status C.kmd_status) {
	const op = "kmd_board_legal_moves32"
	if isNoList(op, "moves", moves, capacity, count, &status) {
		return status
	}
	return use(h, func(g board.Game) error {
		var l board.Move32List
		g.Pos.Legal32(&l)
		return list(op, l.Slice(), unsafe.Pointer(moves), capacity, count)
	})
}

// lists saves clearing the place for a list each time.
var lists = sync.Pool{New: func() any { return new(board.MoveList) }}

// listed writes a list of moves into a caller's buffer of KMD_MAX_LEGAL_MOVES entries.
func listed(moves *C.kmd_move, generate func(*board.MoveList)) C.int32_t {
	l := lists.Get().(*board.MoveList)
	defer lists.Put(l)
	generate(l)
	return C.int32_t(copy((*[C.KMD_MAX_LEGAL_MOVES]shogi.Move)(unsafe.Pointer(moves))[:], l.Slice()))
}

//export go_kmd_board_list
func go_kmd_board_list(h C.kmd_board, moves *C.kmd_move) (n C.int32_t) {
	if isNull("kmd_board_list", "moves", unsafe.Pointer(moves), 2, &n) {
		return n
	}
	return quick(h, func(s *slot) (C.int32_t, error) { return listed(moves, s.state.Pos.Legal), nil })
}

// ask gives a number that a board knows.
func ask[T any](op, name string, h C.kmd_board, out *T, f func(board.Game) (T, error)) (status C.kmd_status) {
	if isNull(op, name, unsafe.Pointer(out), unsafe.Alignof(*out), &status) {
		return status
	}
	return use(h, func(g board.Game) error {
		v, err := f(g)
		if err == nil {
			*out = v
		}
		return err
	})
}

//export go_kmd_board_is_legal
func go_kmd_board_is_legal(h C.kmd_board, move C.kmd_move, legal *C.int32_t) C.kmd_status {
	return ask("kmd_board_is_legal", "legal", h, legal, func(g board.Game) (C.int32_t, error) {
		return truth(g.Pos.IsLegal(shogi.Move(move))), nil
	})
}

//export go_kmd_board_complete_move32
func go_kmd_board_complete_move32(h C.kmd_board, move C.kmd_move32, full *C.kmd_move32) C.kmd_status {
	return ask("kmd_board_complete_move32", "full", h, full, func(g board.Game) (C.kmd_move32, error) {
		m, err := g.Pos.CheckMove32(shogi.Move32(move))
		return C.kmd_move32(m), err
	})
}

// wantLegal checks a move of a question about legal moves.
func wantLegal(op string, g board.Game, move C.kmd_move) (shogi.Move, error) {
	m := shogi.Move(move)
	if !g.Pos.IsLegal(m) {
		return m, fault.New(fault.IllegalMove, op, "%v (0x%04x) is not legal here", m, uint16(m))
	}
	return m, nil
}

//export go_kmd_board_apery32
func go_kmd_board_apery32(h C.kmd_board, move C.kmd_move, apery *C.kmd_apery32) C.kmd_status {
	const op = "kmd_board_apery32"
	return ask(op, "apery", h, apery, func(g board.Game) (C.kmd_apery32, error) {
		m, err := wantLegal(op, g, move)
		if err != nil {
			return 0, err
		}
		a, err := g.Pos.AperyMove32(m)
		return C.kmd_apery32(a), err
	})
}

//export go_kmd_board_move_of_label
func go_kmd_board_move_of_label(h C.kmd_board, raw C.uint16_t, compact C.int32_t, move *C.kmd_move) C.kmd_status {
	const op = "kmd_board_move_of_label"
	return ask(op, "move", h, move, func(g board.Game) (C.kmd_move, error) {
		l, err := label.New(int(raw))
		if compact != 0 {
			var c label.Compact
			c, err = label.NewCompact(int(raw))
			l = c.Full()
		}
		if err != nil {
			return 0, err
		}
		m, ok := label.ToMove(&g.Pos, l)
		if !ok {
			return 0, fault.New(fault.IllegalMove, op, "no legal move has the label %d", raw)
		}
		return C.kmd_move(m), nil
	})
}

//export go_kmd_board_is_checkmate
func go_kmd_board_is_checkmate(h C.kmd_board, mated *C.int32_t) C.kmd_status {
	return ask("kmd_board_is_checkmate", "mated", h, mated, func(g board.Game) (C.int32_t, error) { return truth(g.Pos.IsCheckmate()), nil })
}

//export go_kmd_board_mate_in_one
func go_kmd_board_mate_in_one(h C.kmd_board, move *C.kmd_move) C.kmd_status {
	return ask("kmd_board_mate_in_one", "move", h, move, func(g board.Game) (C.kmd_move, error) { return C.kmd_move(g.Pos.MateInOne()), nil })
}

//export go_kmd_board_gives_check
func go_kmd_board_gives_check(h C.kmd_board, move C.kmd_move, check *C.int32_t) C.kmd_status {
	const op = "kmd_board_gives_check"
	return ask(op, "check", h, check, func(g board.Game) (C.int32_t, error) {
		m, err := wantLegal(op, g, move)
		if err != nil {
			return 0, err
		}
		return truth(g.Pos.GivesCheck(m)), nil
	})
}

//export go_kmd_board_problems
func go_kmd_board_problems(h C.kmd_board, problems *C.kmd_problem, capacity C.size_t, count *C.size_t) (status C.kmd_status) {
	const op = "kmd_board_problems"
	if isNoList(op, "problems", problems, capacity, count, &status) {
		return status
	}
	return use(h, func(g board.Game) error {
		writeProblems(g.Pos.Problems(), problems, capacity, count)
		return nil
	})
}

//export go_kmd_board_keys
func go_kmd_board_keys(h C.kmd_board, key, boardKey, handKey *C.uint64_t) (status C.kmd_status) {
	for _, p := range [3]*C.uint64_t{key, boardKey, handKey} {
		if uintptr(unsafe.Pointer(p))%8 != 0 {
			return badArgument("kmd_board_keys", "a key's place is not aligned to 8 bytes")
		}
	}
	return use(h, func(g board.Game) error {
		if key != nil {
			*key = C.uint64_t(g.Pos.Key())
		}
		if boardKey != nil {
			*boardKey = C.uint64_t(g.Pos.BoardKey())
		}
		if handKey != nil {
			*handKey = C.uint64_t(g.Pos.HandKey())
		}
		return nil
	})
}

//export go_kmd_board_records
func go_kmd_board_records(h C.kmd_board, format, convention C.int32_t, evals *C.int16_t, result C.int32_t, records *C.uint8_t, capacity C.size_t, count *C.size_t) (status C.kmd_status) {
	const op = "kmd_board_records"
	if isNoList(op, "records", records, capacity, count, &status) {
		return status
	}
	if uintptr(unsafe.Pointer(evals))%2 != 0 {
		return badArgument(op, "evals is not aligned to 2 bytes")
	}
	f, meaning, err := recordFormat(op, format, convention)
	if err != nil {
		return report(err)
	}
	return use(h, func(g board.Game) error {
		if err := overlap(op, reads("evals", evals, int(g.Len)), writes("records", records, int(capacity)*f.Size()), writes("count", count, 1)); err != nil {
			return err
		}
		r, err := shogi.NewGameResult(int(result))
		if err != nil {
			return err
		}
		moves := g.AppendMoves(nil)
		if evals == nil && len(moves) > 0 {
			return fault.New(fault.Argument, op, "evals is null")
		}
		if count != nil {
			*count = C.size_t(len(moves))
		}
		switch {
		case len(moves) == 0:
			return nil
		case C.size_t(len(moves)) > capacity:
			return fault.New(fault.Buffer, op, "%d records needed, room for %d", len(moves), capacity)
		}
		all := make([]byte, 0, len(moves)*f.Size())
		p := g.Start
		for i, m := range moves {
			if m == shogi.MoveNull {
				return fault.New(fault.InvalidValue, op, "move %d of the history is a pass", i+1)
			}
			record, err := encodeRecord(f, &p, m, shogi.Eval(unsafe.Slice(evals, len(moves))[i]), r, meaning)
			if err != nil {
				return err
			}
			all = append(all, record...)
			p.Do(m)
		}
		copy(unsafe.Slice((*byte)(unsafe.Pointer(records)), len(all)), all)
		return nil
	})
}
