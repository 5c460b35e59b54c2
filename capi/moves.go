package main

/*
#include "native.h"
*/
import "C"

import (
	"unsafe"

	"komadori/core/fault"
	"komadori/core/label"
	"komadori/core/shogi"
)

//export go_kmd_move_from_usi
func go_kmd_move_from_usi(text *C.char, length C.size_t, move *C.kmd_move) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_move_from_usi"
	if isNull(op, "move", unsafe.Pointer(move), 2, &status) {
		return status
	}
	s, ok := readText(op, text, length, &status)
	if !ok {
		return status
	}
	m, err := shogi.ParseMove(s)
	if err != nil {
		return report(err)
	}
	*move = C.kmd_move(m)
	return C.KMD_OK
}

//export go_kmd_move_to_usi
func go_kmd_move_to_usi(move C.kmd_move, buffer *C.char, capacity C.size_t, needed *C.size_t) (status C.kmd_status) {
	defer recovered(&status)
	var text [8]byte
	return writeText("kmd_move_to_usi", shogi.Move(move).AppendUSI(text[:0]), buffer, capacity, needed)
}

//export go_kmd_move_is_normal
func go_kmd_move_is_normal(move C.kmd_move) C.int32_t { return truth(shogi.Move(move).IsNormal()) }

//export go_kmd_move_flip_side
func go_kmd_move_flip_side(move C.kmd_move) C.kmd_move {
	return C.kmd_move(shogi.Move(move).FlipSide())
}

//export go_kmd_move_mirror_file
func go_kmd_move_mirror_file(move C.kmd_move) C.kmd_move {
	return C.kmd_move(shogi.Move(move).MirrorFile())
}

//export go_kmd_move32_flip_side
func go_kmd_move32_flip_side(move C.kmd_move32) C.kmd_move32 {
	return C.kmd_move32(shogi.Move32(move).FlipSide())
}

//export go_kmd_move32_mirror_file
func go_kmd_move32_mirror_file(move C.kmd_move32) C.kmd_move32 {
	return C.kmd_move32(shogi.Move32(move).MirrorFile())
}

//export go_kmd_move_to_apery
func go_kmd_move_to_apery(move C.kmd_move, apery *C.kmd_apery) (status C.kmd_status) {
	defer recovered(&status)
	if isNull("kmd_move_to_apery", "apery", unsafe.Pointer(apery), 2, &status) {
		return status
	}
	a, err := shogi.Move(move).Apery()
	if err != nil {
		return report(err)
	}
	*apery = C.kmd_apery(a)
	return C.KMD_OK
}

//export go_kmd_move_from_apery
func go_kmd_move_from_apery(apery C.kmd_apery, move *C.kmd_move) (status C.kmd_status) {
	defer recovered(&status)
	if isNull("kmd_move_from_apery", "move", unsafe.Pointer(move), 2, &status) {
		return status
	}
	m, err := shogi.AperyMove(apery).Move()
	if err != nil {
		return report(err)
	}
	*move = C.kmd_move(m)
	return C.KMD_OK
}

//export go_kmd_move32_from_apery32
func go_kmd_move32_from_apery32(apery C.kmd_apery32, turn C.uint8_t, move *C.kmd_move32) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_move32_from_apery32"
	if isNull(op, "move", unsafe.Pointer(move), 4, &status) {
		return status
	}
	c, err := shogi.NewColor(int(turn))
	if err != nil {
		return report(err)
	}
	m, err := shogi.AperyMove32(apery).Move32(c)
	if err != nil {
		return report(err)
	}
	*move = C.kmd_move32(m)
	return C.KMD_OK
}

// labelOf is the label of a move in one of the two spaces, label.None without one.
func labelOf(m shogi.Move, turn shogi.Color, compact bool) uint16 {
	l, ok := label.FromMove(m, turn)
	if ok && compact {
		return label.FullToCompact[l]
	}
	return uint16(l)
}

//export go_kmd_move_label
func go_kmd_move_label(move C.kmd_move, turn C.uint8_t, compact C.int32_t, out *C.uint16_t) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_move_label"
	if isNull(op, "label", unsafe.Pointer(out), 2, &status) {
		return status
	}
	c, err := shogi.NewColor(int(turn))
	if err != nil {
		return report(err)
	}
	l := labelOf(shogi.Move(move), c, compact != 0)
	if l == label.None {
		return report(fault.New(fault.InvalidValue, op, "move 0x%04x (%v) has no label", uint16(move), shogi.Move(move)))
	}
	*out = C.uint16_t(l)
	return C.KMD_OK
}

//export go_kmd_fill_move_tables
func go_kmd_fill_move_tables(t *C.kmd_move_tables) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_fill_move_tables"
	if isNull(op, "tables", unsafe.Pointer(t), 8, &status) || !hasSize(op, "tables", t.size, unsafe.Sizeof(*t), &status) || isReserved(op, "tables.reserved", t.reserved, &status) {
		return status
	}
	for _, p := range []unsafe.Pointer{
		unsafe.Pointer(t.flip_side), unsafe.Pointer(t.mirror_file), unsafe.Pointer(t.to_apery), unsafe.Pointer(t.from_apery),
		unsafe.Pointer(t.label[0]), unsafe.Pointer(t.label[1]), unsafe.Pointer(t.compact[0]), unsafe.Pointer(t.compact[1]),
		unsafe.Pointer(t.full_to_compact), unsafe.Pointer(t.compact_to_full), unsafe.Pointer(t.mirror_label), unsafe.Pointer(t.mirror_compact),
	} {
		if uintptr(p)%2 != 0 {
			return badArgument(op, "a table of 16-bit numbers is not aligned to 2 bytes")
		}
	}
	const n = 1 << 16
	if !apart(op, &status, writes("normal", t.normal, n), writes("flip_side", t.flip_side, n), writes("mirror_file", t.mirror_file, n),
		writes("to_apery", t.to_apery, n), writes("from_apery", t.from_apery, n), writes("label[0]", t.label[0], n), writes("label[1]", t.label[1], n),
		writes("compact[0]", t.compact[0], n), writes("compact[1]", t.compact[1], n), writes("usi", t.usi, 8*n),
		writes("full_to_compact", t.full_to_compact, label.Count), writes("compact_to_full", t.compact_to_full, label.CompactCount),
		writes("mirror_label", t.mirror_label, label.Count), writes("mirror_compact", t.mirror_compact, label.CompactCount)) {
		return status
	}
	fill(unsafe.Pointer(t.normal), n, func(i int) uint8 { return uint8(truth(shogi.Move(i).IsNormal())) })
	fill(unsafe.Pointer(t.flip_side), n, func(i int) uint16 { return uint16(shogi.Move(i).FlipSide()) })
	fill(unsafe.Pointer(t.mirror_file), n, func(i int) uint16 { return uint16(shogi.Move(i).MirrorFile()) })
	fill(unsafe.Pointer(t.to_apery), n, func(i int) uint16 {
		if m := shogi.Move(i); m.IsSpecial() || m.IsNormal() {
			a, _ := m.Apery()
			return uint16(a)
		}
		return 0xFFFF
	})
	if t.from_apery != nil {
		fill(unsafe.Pointer(t.from_apery), n, func(int) uint16 { return 0xFFFF })
		from := unsafe.Slice(t.from_apery, n)
		for i := range n {
			if m := shogi.Move(i); m.IsSpecial() || m.IsNormal() {
				a, _ := m.Apery()
				from[a] = C.kmd_move(m)
			}
		}
	}
	for c := range t.label {
		fill(unsafe.Pointer(t.label[c]), n, func(i int) uint16 { return labelOf(shogi.Move(i), shogi.Color(c), false) })
		fill(unsafe.Pointer(t.compact[c]), n, func(i int) uint16 { return labelOf(shogi.Move(i), shogi.Color(c), true) })
	}
	fill(unsafe.Pointer(t.usi), n, func(i int) (text [8]byte) {
		shogi.Move(i).AppendUSI(text[:0])
		return text
	})
	fill(unsafe.Pointer(t.full_to_compact), label.Count, func(i int) uint16 { return label.FullToCompact[i] })
	fill(unsafe.Pointer(t.compact_to_full), label.CompactCount, func(i int) uint16 { return label.CompactToFull[i] })
	fill(unsafe.Pointer(t.mirror_label), label.Count, func(i int) uint16 { return uint16(label.Label(i).MirrorFile()) })
	fill(unsafe.Pointer(t.mirror_compact), label.CompactCount, func(i int) uint16 { return uint16(label.Compact(i).MirrorFile()) })
	return C.KMD_OK
}

// fill fills a table of n entries in C memory, if it is wanted.
func fill[T any](p unsafe.Pointer, n int, f func(i int) T) {
	if p == nil {
		return
	}
	for i := range unsafe.Slice((*T)(p), n) {
		unsafe.Slice((*T)(p), n)[i] = f(i)
	}
}

func truth(b bool) C.int32_t {
	if b {
		return 1
	}
	return 0
}
