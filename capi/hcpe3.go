package main

/*
#include "native.h"
*/
import "C"

import (
	"unsafe"

	"komadori/core/batch"
	"komadori/core/packed"
)

var _ = [1]struct{}{}[batch.HCPE3RowSize-C.KMD_HCPE3_ROW_SIZE]
var _ = [1]struct{}{}[packed.HCPE3MaxMoves-C.KMD_HCPE3_MAX_MOVES]
var _ = [1]struct{}{}[packed.HCPE3MaxCandidates-C.KMD_HCPE3_MAX_CANDIDATES]
var _ = [1]struct{}{}[batch.Targets-C.KMD_HCPE3_TARGETS]
var _ = [1]struct{}{}[batch.SkipRepetitions-C.KMD_HCPE3_SKIP_REPETITIONS]
var _ = [1]struct{}{}[unsafe.Sizeof(batch.Game3{})-unsafe.Sizeof(C.kmd_hcpe3_game{})]
var _ = [1]struct{}{}[unsafe.Sizeof(C.kmd_candidate{})-packed.CandidateSize]

//export go_kmd_hcpe3_index
func go_kmd_hcpe3_index(data *C.uint8_t, length C.size_t, base C.uint64_t, last C.int32_t, games *C.kmd_hcpe3_game, capacity C.size_t, count, used *C.size_t) (status C.kmd_status) {
	defer recovered(&status)
	defer onFault()()
	const op = "kmd_hcpe3_index"
	if length > 0 && isNull(op, "data", unsafe.Pointer(data), 1, &status) || capacity > 0 && isNull(op, "games", unsafe.Pointer(games), 8, &status) ||
		isNull(op, "count", unsafe.Pointer(count), 8, &status) || isNull(op, "used", unsafe.Pointer(used), 8, &status) {
		return status
	}
	if capacity > maxRows || length > 1<<46 || base > 1<<62 {
		return badArgument(op, "%d bytes from %d on, room for %d games", length, base, capacity)
	}
	if !apart(op, &status, reads("data", data, int(length)), writes("games", games, int(capacity)), writes("count", count, 1), writes("used", used, 1)) {
		return status
	}
	room := unsafe.Slice((*batch.Game3)(unsafe.Pointer(games)), int(capacity))
	found, size, err := batch.IndexHCPE3(room[:0:len(room)], slice[byte](unsafe.Pointer(data), int(length)), uint64(base), len(room), last != 0)
	*count, *used = C.size_t(len(found)), C.size_t(size)
	return report(err)
}

// hcpe3Of checks a file and how it is to be worked through.
func hcpe3Of(op string, f *C.kmd_hcpe3_file, n C.size_t, rowStatus *C.kmd_status, status *C.kmd_status) (data []byte, which batch.Which, run batch.Run, ok bool) {
	if isNull(op, "file", unsafe.Pointer(f), 8, status) || !hasSize(op, "file", f.size, unsafe.Sizeof(*f), status) ||
		f.length > 0 && isNull(op, "data", unsafe.Pointer(f.data), 1, status) || isReserved(op, "file.reserved", f.reserved, status) || !aligned(op, "row_status", unsafe.Pointer(rowStatus), 4, status) {
		return nil, 0, run, false
	}
	if f.threads < 0 || f.threads > maxThreads || f.which < 0 || f.which > 3 || f.length > 1<<46 || n > maxRows {
		*status = badArgument(op, "%d rows of %d bytes, which %d, threads %d", n, f.length, f.which, f.threads)
		return nil, 0, run, false
	}
	return slice[byte](unsafe.Pointer(f.data), int(f.length)), batch.Which(f.which), runOf(f.threads, rowStatus, int(n)), true
}

//export go_kmd_hcpe3_rows_batch
func go_kmd_hcpe3_rows_batch(f *C.kmd_hcpe3_file, games *C.uint64_t, places *C.uint16_t, n C.size_t, rows *C.uint8_t, at *C.int64_t, rowStatus *C.kmd_status) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_hcpe3_rows_batch"
	data, which, run, ok := hcpe3Of(op, f, n, rowStatus, &status)
	if !ok || n > 0 && (isNull(op, "games", unsafe.Pointer(games), 8, &status) || isNull(op, "places", unsafe.Pointer(places), 2, &status) ||
		isNull(op, "rows", unsafe.Pointer(rows), 1, &status) || isNull(op, "at", unsafe.Pointer(at), 8, &status)) {
		return status
	}
	count := int(n)
	if !apart(op, &status, reads("file.data", f.data, int(f.length)), reads("games", games, count), reads("places", places, count),
		writes("rows", rows, count*batch.HCPE3RowSize), writes("at", at, count), writes("row_status", rowStatus, count)) {
		return status
	}
	_, err := batch.HCPE3Rows(slice[byte](unsafe.Pointer(rows), count*batch.HCPE3RowSize), slice[int64](unsafe.Pointer(at), count), data,
		slice[uint64](unsafe.Pointer(games), count), slice[uint16](unsafe.Pointer(places), count), which, run)
	return report(err)
}

//export go_kmd_hcpe3_candidates
func go_kmd_hcpe3_candidates(f *C.kmd_hcpe3_file, at *C.int64_t, n C.size_t, rows *C.uint8_t, first C.uint64_t, candidates *C.kmd_candidate, capacity C.size_t, count *C.size_t) (status C.kmd_status) {
	defer recovered(&status)
	defer onFault()()
	const op = "kmd_hcpe3_candidates"
	data, _, _, ok := hcpe3Of(op, f, n, nil, &status)
	if !ok || isNull(op, "count", unsafe.Pointer(count), 8, &status) || !room(op, unsafe.Pointer(candidates), capacity, &status) ||
		!aligned(op, "candidates", unsafe.Pointer(candidates), 2, &status) ||
		n > 0 && (isNull(op, "at", unsafe.Pointer(at), 8, &status) || isNull(op, "rows", unsafe.Pointer(rows), 1, &status)) {
		return status
	}
	if first > 1<<32 {
		return badArgument(op, "first candidate %d", first)
	}
	if !apart(op, &status, reads("file.data", f.data, int(f.length)), reads("at", at, int(n)), writes("rows", rows, int(n)*batch.HCPE3RowSize),
		writes("candidates", candidates, int(capacity)), writes("count", count, 1)) {
		return status
	}
	total, err := batch.CopyCandidates(slice[byte](unsafe.Pointer(candidates), int(capacity)*packed.CandidateSize),
		slice[byte](unsafe.Pointer(rows), int(n)*batch.HCPE3RowSize), data, slice[int64](unsafe.Pointer(at), int(n)), int64(first))
	*count = C.size_t(total)
	return report(err)
}

//export go_kmd_hcpe3_check_batch
func go_kmd_hcpe3_check_batch(f *C.kmd_hcpe3_file, games *C.uint64_t, n C.size_t, check C.int32_t, counts *C.uint16_t, rowStatus *C.kmd_status) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_hcpe3_check_batch"
	data, which, run, ok := hcpe3Of(op, f, n, rowStatus, &status)
	if !ok || n > 0 && isNull(op, "games", unsafe.Pointer(games), 8, &status) || !aligned(op, "counts", unsafe.Pointer(counts), 2, &status) {
		return status
	}
	if check != C.KMD_CHECK_LEGAL && check != C.KMD_CHECK_NONE {
		return badArgument(op, "check %d", check)
	}
	if !apart(op, &status, reads("file.data", f.data, int(f.length)), reads("games", games, int(n)), writes("counts", counts, int(n)), writes("row_status", rowStatus, int(n))) {
		return status
	}
	_, err := batch.CheckHCPE3(slice[uint16](unsafe.Pointer(counts), int(n)), data, slice[uint64](unsafe.Pointer(games), int(n)), which, batch.Check(check), run)
	return report(err)
}

//export go_kmd_hcpe3_pack
func go_kmd_hcpe3_pack(in *C.kmd_rows, last C.int32_t, out *C.uint8_t, capacity C.size_t, needed, used *C.size_t, lostPlies *C.uint64_t, rowStatus *C.kmd_status) (status C.kmd_status) {
	defer recovered(&status)
	defer onFault()()
	const op = "kmd_hcpe3_pack"
	rows, count, run, ok := rowsOf(op, in, rowStatus, &status)
	if !ok || !room(op, unsafe.Pointer(out), capacity, &status) || isNull(op, "needed", unsafe.Pointer(needed), 8, &status) ||
		isNull(op, "used", unsafe.Pointer(used), 8, &status) || isNull(op, "lost_plies", unsafe.Pointer(lostPlies), 8, &status) {
		return status
	}
	if !separate(op, in, rows, rowStatus, count, &status, writes("out", out, int(capacity)), writes("needed", needed, 1), writes("used", used, 1),
		writes("lost_plies", lostPlies, 1)) {
		return status
	}
	size, n, lost, _, err := batch.PackHCPE3(slice[byte](unsafe.Pointer(out), int(capacity)), rows, last != 0, run)
	*needed, *used, *lostPlies = C.size_t(size), C.size_t(n), C.uint64_t(lost)
	return report(err)
}
