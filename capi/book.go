package main

/*
#include "native.h"
*/
import "C"

import (
	"unsafe"

	"komadori/core/board"
	"komadori/core/book"
	"komadori/core/fault"
)

var _ = [1]struct{}{}[book.NoScore-C.KMD_NO_SCORE]

var books = registry[book.Book]{tag: 0xB00, what: "book"}

//export go_kmd_book_open
func go_kmd_book_open(path *C.char, length C.size_t, ignorePly, flip C.int32_t, out *C.kmd_book) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_book_open"
	if isNull(op, "book", unsafe.Pointer(out), 8, &status) {
		return status
	}
	name, ok := readText(op, path, length, &status)
	if !ok {
		return status
	}
	if ignorePly&^1 != 0 || flip&^1 != 0 {
		return badArgument(op, "ignore_ply %d, flip %d, want 0 or 1", ignorePly, flip)
	}
	b, err := book.Open(name, book.Options{IgnorePly: ignorePly == 1, Flip: flip == 1})
	if err != nil {
		return report(err)
	}
	*out = C.kmd_book(books.add(b))
	return C.KMD_OK
}

//export go_kmd_book_close
func go_kmd_book_close(h C.kmd_book) (status C.kmd_status) {
	defer recovered(&status)
	if h == 0 {
		return C.KMD_OK
	}
	b, err := books.remove("kmd_book_close", uint64(h))
	if err == nil {
		err = b.Close()
	}
	return report(err)
}

//export go_kmd_book_lookup
func go_kmd_book_lookup(h C.kmd_book, from C.kmd_board, moves *C.kmd_book_move, capacity C.size_t, count *C.size_t) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_book_lookup"
	if isNull(op, "count", unsafe.Pointer(count), 8, &status) || capacity > 0 && isNull(op, "moves", unsafe.Pointer(moves), 4, &status) ||
		isNoCapacity(op, capacity, &status) || !apart(op, &status, writes("moves", moves, int(capacity)), writes("count", count, 1)) {
		return status
	}
	b, err := books.find(op, uint64(h))
	if err != nil {
		return report(err)
	}
	return use(from, func(g board.Game) error {
		found, err := b.Lookup(&g.Pos)
		if err != nil {
			return err
		}
		*count = C.size_t(len(found))
		if len(found) > int(capacity) {
			return fault.New(fault.Buffer, op, "%d moves, room for %d", len(found), capacity)
		}
		out := unsafe.Slice(moves, len(found))
		for i, m := range found {
			out[i] = C.kmd_book_move{move: C.kmd_move(m.Move), reply: C.kmd_move(m.Reply), score: C.int32_t(m.Score), depth: C.int32_t(m.Depth), count: C.uint32_t(m.Count)}
		}
		return nil
	})
}

//export go_kmd_book_size
func go_kmd_book_size(h C.kmd_book, positions *C.int64_t) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_book_size"
	if isNull(op, "positions", unsafe.Pointer(positions), 8, &status) {
		return status
	}
	b, err := books.find(op, uint64(h))
	if err != nil {
		return report(err)
	}
	*positions = C.int64_t(b.Len())
	return C.KMD_OK
}
