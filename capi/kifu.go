package main

/*
#include "native.h"
*/
import "C"

import (
	"strings"
	"unsafe"

	"komadori/core/batch"
	"komadori/core/fault"
	"komadori/core/record"
	"komadori/core/shogi"
)

// The numbers and structs of the header are those of package record.
var _ = [1]struct{}{}[record.BOD-C.KMD_KIFU_BOD]
var _ = [1]struct{}{}[record.UTF16-C.KMD_ENCODING_UTF16]
var _ = [1]struct{}{}[record.Other-C.KMD_ENDING_OTHER]
var _ = [1]struct{}{}[record.Illegal-C.KMD_NODE_ILLEGAL]
var _ = [1]struct{}{}[record.Unplayed-C.KMD_NODE_UNPLAYED]
var _ = [1]struct{}{}[record.Words-C.KMD_NOTE_WORDS]
var _ = [1]struct{}{}[record.WarnTime-C.KMD_WARN_TIME]
var _ = [1]struct{}{}[record.Magic-C.KMD_KIFU_MAGIC]
var _ = [1]struct{}{}[record.NoResult-C.KMD_NO_RESULT]
var _ = [1]struct{}{}[unsafe.Sizeof(record.Head{})-unsafe.Sizeof(C.kmd_kifu_head{})]
var _ = [1]struct{}{}[unsafe.Offsetof(record.Head{}.End)-unsafe.Offsetof(C.kmd_kifu_head{}.end)]
var _ = [1]struct{}{}[unsafe.Sizeof(record.Node{})-unsafe.Sizeof(C.kmd_kifu_node{})]
var _ = [1]struct{}{}[unsafe.Offsetof(record.Node{}.Flags)-unsafe.Offsetof(C.kmd_kifu_node{}.flags)]

// kifuOptions checks how records are to be read.
func kifuOptions(op string, o *C.kmd_kifu_options, status *C.kmd_status) (record.Options, bool) {
	if o == nil {
		return record.Options{}, true
	}
	if isNull(op, "options", unsafe.Pointer(o), 4, status) || !hasSize(op, "options", o.size, unsafe.Sizeof(*o), status) {
		return record.Options{}, false
	}
	if o.format < 0 || o.format > C.KMD_KIFU_BOD || o.encoding < 0 || o.encoding > C.KMD_ENCODING_UTF16 || o.refuse_illegal&^1 != 0 {
		*status = badArgument(op, "format %d, encoding %d, refuse_illegal %d", o.format, o.encoding, o.refuse_illegal)
		return record.Options{}, false
	}
	return record.Options{Format: record.Format(o.format), Encoding: record.Encoding(o.encoding), RefuseIllegal: o.refuse_illegal == 1}, true
}

// lend gives text of C without copying it, for the time of a call.
func lend(text *C.char, length C.size_t) string {
	return unsafe.String((*byte)(unsafe.Pointer(text)), int(length))
}

// isRoom reports a buffer that cannot be one.
func isRoom(op string, in span, buffer *C.uint8_t, capacity C.size_t, needed *C.size_t, status *C.kmd_status) bool {
	return !isNull(op, "needed", unsafe.Pointer(needed), 8, status) && (capacity == 0 || !isNull(op, "buffer", unsafe.Pointer(buffer), 8, status)) &&
		!isNoCapacity(op, capacity, status) && apart(op, status, in, writes("buffer", buffer, int(capacity)), writes("needed", needed, 1))
}

// hasMemoryForKifus is hasMemory for the records of a text. Small ones are not worth the question; large ones take about so many times their size.
func hasMemoryForKifus(op string, length int) error {
	if length < 1<<20 {
		return nil
	}
	return hasMemory(op, "records", 24*length>>20)
}

//export go_kmd_kifu_read
func go_kmd_kifu_read(text *C.char, length C.size_t, options *C.kmd_kifu_options, buffer *C.uint8_t, capacity C.size_t, needed *C.size_t) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_kifu_read"
	if !isText(op, text, length, &status) || !isRoom(op, reads("text", text, int(length)), buffer, capacity, needed, &status) {
		return status
	}
	o, ok := kifuOptions(op, options, &status)
	if !ok {
		return status
	}
	if err := hasMemoryForKifus(op, int(length)); err != nil {
		return report(err)
	}
	r := batch.KifuReaders.Get().(*batch.KifuReader)
	defer batch.KifuReaders.Put(r)
	out, err := r.Read(lend(text, length), o)
	*needed = C.size_t(len(out))
	if len(out) > int(capacity) {
		return report(fault.New(fault.Buffer, op, "%d bytes needed, %d given", len(out), capacity))
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(buffer)), len(out)), out)
	return report(err)
}

//export go_kmd_kifu_read_batch
func go_kmd_kifu_read_batch(text *C.char, offsets *C.int64_t, n C.size_t, options *C.kmd_kifu_options, threads C.int32_t, buffer *C.uint8_t, capacity C.size_t, places *C.int64_t, rowStatus *C.kmd_status) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_kifu_read_batch"
	if isNull(op, "offsets", unsafe.Pointer(offsets), 8, &status) || isNull(op, "places", unsafe.Pointer(places), 8, &status) ||
		capacity > 0 && isNull(op, "buffer", unsafe.Pointer(buffer), 8, &status) || !aligned(op, "row_status", unsafe.Pointer(rowStatus), 4, &status) {
		return status
	}
	if n > maxRows || threads < 0 || threads > maxThreads {
		return badArgument(op, "%d rows, %d threads", n, threads)
	}
	o, ok := kifuOptions(op, options, &status)
	if !ok {
		return status
	}
	at := slice[int64](unsafe.Pointer(offsets), int(n)+1)
	end := at[n]
	if text == nil && end > 0 {
		return badArgument(op, "text is null with rows up to %d", end)
	}
	if end < 0 || end > 1<<46 {
		return badArgument(op, "the last offset is %d", end)
	}
	if isNoCapacity(op, capacity, &status) || !apart(op, &status, reads("text", text, int(end)), reads("offsets", offsets, int(n)+1),
		writes("buffer", buffer, int(capacity)), writes("places", places, int(n)+1), writes("row_status", rowStatus, int(n))) {
		return status
	}
	err := hasMemoryForKifus(op, int(end))
	if err == nil {
		err = hasMemoryForRows(op, int(n))
	}
	if err != nil {
		return report(err)
	}
	return report(batch.ReadKifus(unsafe.String((*byte)(unsafe.Pointer(text)), int(end)), at, o, runOf(threads, rowStatus, int(n)),
		slice[byte](unsafe.Pointer(buffer), int(capacity)), slice[int64](unsafe.Pointer(places), int(n)+1)))
}

// unflatten reads a record that a caller hands in.
func unflatten(op string, data *C.uint8_t, size C.size_t, status *C.kmd_status) (*record.Kifu, bool) {
	if isNull(op, "kifu", unsafe.Pointer(data), 1, status) {
		return nil, false
	}
	if size > 1<<40 {
		*status = badArgument(op, "a record of %d bytes", size)
		return nil, false
	}
	k, err := record.Unflatten(slice[byte](unsafe.Pointer(data), int(size)))
	if err != nil {
		*status = report(err)
		return nil, false
	}
	return k, true
}

//export go_kmd_kifu_check
func go_kmd_kifu_check(data *C.uint8_t, size C.size_t, buffer *C.uint8_t, capacity C.size_t, needed *C.size_t) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_kifu_check"
	k, ok := unflatten(op, data, size, &status)
	if !ok || !isRoom(op, reads("kifu", data, int(size)), buffer, capacity, needed, &status) {
		return status
	}
	out := new(record.Flattener).Append(nil, k, nil)
	*needed = C.size_t(len(out))
	if len(out) > int(capacity) {
		return report(fault.New(fault.Buffer, op, "%d bytes needed, %d given", len(out), capacity))
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(buffer)), len(out)), out)
	return C.KMD_OK
}

// writeKifu writes a record for C.
func writeKifu(op string, data *C.uint8_t, size C.size_t, o *C.kmd_kifu_write_options, status *C.kmd_status) (text []byte, losses string, ok bool) {
	if isNull(op, "options", unsafe.Pointer(o), 4, status) || !hasSize(op, "options", o.size, unsafe.Sizeof(*o), status) {
		return nil, "", false
	}
	if o.format < C.KMD_KIFU_KIF || o.format > C.KMD_KIFU_BOD || o.encoding < 0 || o.encoding > C.KMD_ENCODING_UTF16 ||
		o.csa_version != 0 && o.csa_version != 22 && o.csa_version != 30 {
		*status = badArgument(op, "format %d, encoding %d, csa_version %d", o.format, o.encoding, o.csa_version)
		return nil, "", false
	}
	k, ok := unflatten(op, data, size, status)
	if !ok {
		return nil, "", false
	}
	encoding := max(record.Encoding(o.encoding), record.UTF8)
	written, lost, err := record.Write(k, record.WriteOptions{Format: record.Format(o.format), Encoding: encoding, CSA3: o.csa_version == 30})
	if err == nil {
		text, err = record.Encode(written, encoding)
	}
	if err != nil {
		*status = report(err)
		return nil, "", false
	}
	return text, strings.Join(lost, "\n"), true
}

//export go_kmd_kifu_write
func go_kmd_kifu_write(data *C.uint8_t, size C.size_t, o *C.kmd_kifu_write_options, buffer *C.char, capacity C.size_t, needed *C.size_t) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_kifu_write"
	text, _, ok := writeKifu(op, data, size, o, &status)
	if !ok || !apart(op, &status, reads("kifu", data, int(size)), writes("buffer", buffer, int(min(capacity, maxRows))), writes("needed", needed, 1)) {
		return status
	}
	return writeText(op, text, buffer, capacity, needed)
}

//export go_kmd_kifu_losses
func go_kmd_kifu_losses(data *C.uint8_t, size C.size_t, o *C.kmd_kifu_write_options, buffer *C.char, capacity C.size_t, needed *C.size_t) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_kifu_losses"
	_, losses, ok := writeKifu(op, data, size, o, &status)
	if !ok || !apart(op, &status, reads("kifu", data, int(size)), writes("buffer", buffer, int(min(capacity, maxRows))), writes("needed", needed, 1)) {
		return status
	}
	return writeText(op, []byte(losses), buffer, capacity, needed)
}

var _ = [1]struct{}{}[record.MateUnknown-C.KMD_MATE_DISTANCE_UNKNOWN]

//export go_kmd_kifu_analyses
func go_kmd_kifu_analyses(data *C.uint8_t, size C.size_t, analyses *C.kmd_kifu_analysis, capacity C.size_t, count *C.size_t, moves *C.kmd_move, moveCapacity C.size_t, moveCount *C.size_t) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_kifu_analyses"
	if isNull(op, "count", unsafe.Pointer(count), 8, &status) || isNull(op, "move_count", unsafe.Pointer(moveCount), 8, &status) ||
		capacity > 0 && isNull(op, "analyses", unsafe.Pointer(analyses), 8, &status) || moveCapacity > 0 && isNull(op, "moves", unsafe.Pointer(moves), 2, &status) {
		return status
	}
	if isNoCapacity(op, capacity, &status) || isNoCapacity(op, moveCapacity, &status) {
		return status
	}
	k, ok := unflatten(op, data, size, &status)
	if !ok || !apart(op, &status, reads("kifu", data, int(size)), writes("analyses", analyses, int(capacity)), writes("count", count, 1),
		writes("moves", moves, int(moveCapacity)), writes("move_count", moveCount, 1)) {
		return status
	}
	found := k.Analyses()
	n := 0
	for i := range found {
		n += len(found[i].PV)
	}
	*count, *moveCount = C.size_t(len(found)), C.size_t(n)
	if len(found) > int(capacity) || n > int(moveCapacity) {
		return report(fault.New(fault.Buffer, op, "%d analyses with %d moves, room for %d and %d", len(found), n, capacity, moveCapacity))
	}
	out, words := slice[C.kmd_kifu_analysis](unsafe.Pointer(analyses), len(found)), slice[shogi.Move](unsafe.Pointer(moves), n)
	n = 0
	for i := range found {
		a := &found[i]
		out[i] = C.kmd_kifu_analysis{node: C.int32_t(a.Node), start: C.int32_t(a.From), rank: C.int32_t(a.Rank), depth: C.int32_t(a.Depth), score: C.int32_t(a.Score),
			mate: C.int32_t(a.Mate), nodes: C.int64_t(a.Nodes), first: C.uint32_t(n), moves: C.uint32_t(len(a.PV))}
		n += copy(words[n:], a.PV)
	}
	return C.KMD_OK
}

//export go_kmd_board_set_kifu
func go_kmd_board_set_kifu(h C.kmd_board, data *C.uint8_t, size C.size_t, node C.uint32_t) (status C.kmd_status) {
	defer recovered(&status)
	k, ok := unflatten("kmd_board_set_kifu", data, size, &status)
	if !ok {
		return status
	}
	g, err := k.Game(int(node))
	if err != nil {
		return report(err)
	}
	return resetToGame(h, g)
}
