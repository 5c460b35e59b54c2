package main

/*
#include "native.h"
*/
import "C"

import (
	"math"
	"sync/atomic"
	"unsafe"

	"komadori/core/batch"
	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/feature"
	"komadori/core/label"
	"komadori/core/packed"
	"komadori/core/shogi"
)

// The formats, labels and checks of the header are those of package batch.
var _ = [1]struct{}{}[batch.HCP-C.KMD_FORMAT_HCP]
var _ = [1]struct{}{}[batch.PackedSfen-C.KMD_FORMAT_PACKED_SFEN]
var _ = [1]struct{}{}[batch.HCPE-C.KMD_FORMAT_HCPE]
var _ = [1]struct{}{}[batch.PSV-C.KMD_FORMAT_PSV]
var _ = [1]struct{}{}[batch.HCPE2-C.KMD_FORMAT_HCPE2]
var _ = [1]struct{}{}[batch.HCPE3-C.KMD_FORMAT_HCPE3]
var _ = [1]struct{}{}[batch.Board-C.KMD_FORMAT_BOARD]
var _ = [1]struct{}{}[batch.CheckLegal-C.KMD_CHECK_LEGAL]
var _ = [1]struct{}{}[batch.CheckNone-C.KMD_CHECK_NONE]
var _ = [1]struct{}{}[batch.FullLabels-C.KMD_LABELS_FULL]
var _ = [1]struct{}{}[batch.CompactLabels-C.KMD_LABELS_COMPACT]
var _ = [1]struct{}{}[packed.Apery-C.KMD_RESULT_APERY]
var _ = [1]struct{}{}[packed.YaneuraOu-C.KMD_RESULT_YANEURAOU]
var _ = [1]struct{}{}[packed.Rsshogi-C.KMD_RESULT_RSSHOGI]
var _ = [1]struct{}{}[packed.Dlshogi-C.KMD_RESULT_DLSHOGI]

const (
	maxRows  = 1 << 40
	manyRows = 1024 // for which a question to the system costs nothing beside the work
	workMB   = 32   // what the threads of a call may need, at most
)

// hasMemoryForRows refuses what a limit leaves no memory to work on; few rows are not worth the question.
func hasMemoryForRows(op string, n int) error {
	if n < manyRows {
		return nil
	}
	return isFree(op, "buffers", workMB, workMB)
}

// rowsOf checks the rows of a call and how they are to be worked through.
func rowsOf(op string, in *C.kmd_rows, rowStatus *C.kmd_status, status *C.kmd_status) (rows batch.Packed, n int, run batch.Run, ok bool) {
	if isNull(op, "rows", unsafe.Pointer(in), 8, status) || !hasSize(op, "rows", in.size, unsafe.Sizeof(*in), status) {
		return rows, 0, run, false
	}
	if in.format < C.KMD_FORMAT_HCP || in.format > C.KMD_FORMAT_BOARD {
		*status = badArgument(op, "format %d", in.format)
		return rows, 0, run, false
	}
	f := batch.Format(in.format)
	stride := int(in.stride)
	if in.stride == 0 {
		stride = f.Size()
	}
	switch {
	case in.n > maxRows || in.stride > 1<<20:
		*status = badArgument(op, "%d rows with a stride of %d", in.n, in.stride)
	case stride < f.Size():
		*status = badArgument(op, "stride %d, a row has %d bytes", stride, f.Size())
	case in.n > 0 && in.data == nil:
		*status = badArgument(op, "data is null with %d rows", in.n)
	case in.threads < 0 || in.threads > maxThreads:
		*status = badArgument(op, "threads %d, want 0..%d", in.threads, maxThreads)
	case in.candidate_count > maxRows || in.candidate_count > 0 && in.candidates == nil:
		*status = badArgument(op, "%d candidates, candidates %p", in.candidate_count, in.candidates)
	case isReserved(op, "rows.reserved", in.reserved, status) || !aligned(op, "row_status", unsafe.Pointer(rowStatus), 4, status) ||
		!aligned(op, "candidates", unsafe.Pointer(in.candidates), 2, status) || !aligned(op, "cancel", unsafe.Pointer(in.cancel), 4, status):
	default:
		n = int(in.n)
		rows = batch.Packed{Format: f, Stride: stride, Candidates: slice[byte](unsafe.Pointer(in.candidates), int(in.candidate_count)*packed.CandidateSize)}
		if n > 0 {
			rows.Data = unsafe.Slice((*byte)(in.data), (n-1)*stride+f.Size())
		}
		run = runOf(in.threads, rowStatus, n)
		run.Cancel = (*atomic.Int32)(unsafe.Pointer(in.cancel))
		if err := hasMemoryForRows(op, n); err != nil {
			*status = report(err)
			return rows, 0, run, false
		}
		return rows, n, run, true
	}
	return rows, 0, run, false
}

// separate is apart for the outputs of a call over rows, which are of n entries each, beside what it reads.
func separate(op string, in *C.kmd_rows, rows batch.Packed, rowStatus *C.kmd_status, n int, status *C.kmd_status, spans ...span) bool {
	all := append(make([]span, 0, 32), reads("rows.data", (*byte)(in.data), len(rows.Data)), reads("rows.candidates", in.candidates, int(in.candidate_count)),
		reads("rows.cancel", in.cancel, 1), writes("row_status", rowStatus, n))
	return apart(op, status, append(all, spans...)...)
}

func runOf(threads C.int32_t, rowStatus *C.kmd_status, n int) batch.Run {
	return batch.Run{Threads: threadCount(threads), Status: slice[int32](unsafe.Pointer(rowStatus), n)}
}

// slice is n entries at p, nil when p is null.
func slice[T any](p unsafe.Pointer, n int) []T {
	if p == nil {
		return nil
	}
	return unsafe.Slice((*T)(p), n)
}

// aligned reports an output that is not aligned to its entries.
func aligned(op, name string, p unsafe.Pointer, alignment uintptr, status *C.kmd_status) bool {
	return p == nil || !isNull(op, name, p, alignment, status)
}

//export go_kmd_labels_batch
func go_kmd_labels_batch(moves *C.kmd_move, turns *C.uint8_t, n C.size_t, compact, threads C.int32_t, labels *C.uint16_t, rowStatus *C.kmd_status) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_labels_batch"
	if n == 0 {
		return C.KMD_OK
	}
	if isNull(op, "moves", unsafe.Pointer(moves), 2, &status) || isNull(op, "labels", unsafe.Pointer(labels), 2, &status) || !aligned(op, "row_status", unsafe.Pointer(rowStatus), 4, &status) {
		return status
	}
	if n > maxRows || threads < 0 || threads > maxThreads {
		return badArgument(op, "%d rows, %d threads", n, threads)
	}
	rows := int(n)
	if !apart(op, &status, reads("moves", moves, rows), reads("turns", turns, rows), writes("labels", labels, rows), writes("row_status", rowStatus, rows)) {
		return status
	}
	out, in, sides := slice[uint16](unsafe.Pointer(labels), rows), slice[uint16](unsafe.Pointer(moves), rows), slice[uint8](unsafe.Pointer(turns), rows)
	bad, err := batch.Labels(out, in, sides, space(compact), runOf(threads, rowStatus, rows))
	for i := 0; bad > 0 && i < rows; i++ {
		if side := sides != nil && sides[i] > 1; out[i] == 0 && (side || labelOf(shogi.Move(in[i]), sideOf(sides, i), compact != 0) == label.None) {
			out[i] = label.None // 0 is a label
		}
	}
	return report(err)
}

func sideOf(sides []uint8, row int) shogi.Color {
	if sides == nil {
		return shogi.Black
	}
	return shogi.Color(sides[row])
}

func space(compact C.int32_t) batch.LabelSpace {
	if compact != 0 {
		return batch.CompactLabels
	}
	return batch.FullLabels
}

var _ = [1]struct{}{}[feature.PlaneCount-C.KMD_PLANES]
var _ = [1]struct{}{}[feature.MaxStack-C.KMD_MAX_STACK]
var _ = [1]struct{}{}[feature.HalfKP-C.KMD_NNUE_HALFKP]
var _ = [1]struct{}{}[feature.HalfKA-C.KMD_NNUE_HALFKA]
var _ = [1]struct{}{}[feature.HalfKAhm-C.KMD_NNUE_HALFKA_HM1]

//export go_kmd_plane_name
func go_kmd_plane_name(plane C.uint16_t, buffer *C.char, capacity C.size_t, needed *C.size_t) (status C.kmd_status) {
	defer recovered(&status)
	p, err := feature.NewPlane(int(plane))
	if err != nil {
		return report(err)
	}
	return writeText("kmd_plane_name", []byte(p.String()), buffer, capacity, needed)
}

//export go_kmd_planes_parse
func go_kmd_planes_parse(text *C.char, length C.size_t, planes *C.uint16_t, capacity C.size_t, count *C.size_t) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_planes_parse"
	words, ok := readText(op, text, length, &status)
	if !ok || isNull(op, "count", unsafe.Pointer(count), 8, &status) || !room(op, unsafe.Pointer(planes), capacity, &status) || !aligned(op, "planes", unsafe.Pointer(planes), 2, &status) {
		return status
	}
	if !apart(op, &status, reads("text", text, int(length)), writes("planes", planes, int(capacity)), writes("count", count, 1)) {
		return status
	}
	found, err := feature.ParsePlanes(nil, words)
	if err != nil {
		return report(err)
	}
	*count = C.size_t(len(found))
	if len(found) > int(capacity) {
		return report(fault.New(fault.Buffer, op, "%d planes, room for %d", len(found), capacity))
	}
	for i, p := range found {
		unsafe.Slice(planes, len(found))[i] = C.uint16_t(p)
	}
	return C.KMD_OK
}

//export go_kmd_decode_batch
func go_kmd_decode_batch(in *C.kmd_rows, d *C.kmd_decode, rowStatus *C.kmd_status) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_decode_batch"
	rows, n, run, ok := rowsOf(op, in, rowStatus, &status)
	if !ok || isNull(op, "decode", unsafe.Pointer(d), 8, &status) || !hasSize(op, "decode", d.size, unsafe.Sizeof(*d), &status) {
		return status
	}
	planes := int(d.features2_planes)
	if planes == 0 {
		planes = feature.FlatPlanes
	}
	switch {
	case planes != feature.FlatPlanes && planes != feature.FlatPlanesKing:
		return badArgument(op, "features2_planes %d, want 57 or 119", planes)
	case d.labels != C.KMD_LABELS_FULL && d.labels != C.KMD_LABELS_COMPACT:
		return badArgument(op, "labels %d", d.labels)
	case d.check != C.KMD_CHECK_LEGAL && d.check != C.KMD_CHECK_NONE:
		return badArgument(op, "check %d", d.check)
	case d.convention < 0 || d.convention > 4:
		return badArgument(op, "convention %d", d.convention)
	case d.element < 0 || d.element > 3:
		return badArgument(op, "element %d", d.element)
	case d.label != nil && d.label_bytes != 2 && d.label_bytes != 4 && d.label_bytes != 8:
		return badArgument(op, "label_bytes %d, want 2, 4 or 8", d.label_bytes)
	case math.IsNaN(float64(d.value_scale)) || math.IsInf(float64(d.value_scale), 0):
		return badArgument(op, "value_scale is no number")
	case d.planes != nil && (d.stack == nil || d.stack_count < 1 || d.stack_count > C.KMD_MAX_STACK):
		return badArgument(op, "a stack of %d planes, want 1..%d", d.stack_count, C.KMD_MAX_STACK)
	case d.nnue_indices != nil && (d.nnue_bytes != 4 && d.nnue_bytes != 8 || d.nnue < 1 || d.nnue > 3):
		return badArgument(op, "nnue %d, nnue_bytes %d, want 1..3, and 4 or 8", d.nnue, d.nnue_bytes)
	case d.policy_width < 0 || d.policy_width > C.KMD_HCPE3_MAX_CANDIDATES:
		return badArgument(op, "policy_width %d, want 0..%d", d.policy_width, C.KMD_HCPE3_MAX_CANDIDATES)
	}
	if !isFlag(op, "mirror_all", d.mirror_all, &status) || !isFlag(op, "nnue_pad", d.nnue_pad, &status) {
		return status
	}
	width := [4]uintptr{4, 2, 1, 1}[d.element]
	for _, o := range []struct {
		name      string
		p         unsafe.Pointer
		alignment uintptr
	}{
		{"features1", d.features1, width}, {"features2", d.features2, width}, {"label", d.label, uintptr(max(d.label_bytes, 1))},
		{"value", unsafe.Pointer(d.value), 4}, {"result", unsafe.Pointer(d.result), 4}, {"move", unsafe.Pointer(d.move), 2},
		{"eval", unsafe.Pointer(d.eval), 2}, {"ply", unsafe.Pointer(d.ply), 2}, {"key", unsafe.Pointer(d.key), 8},
		{"planes", d.planes, width}, {"stack", unsafe.Pointer(d.stack), 2}, {"nnue_indices", d.nnue_indices, uintptr(max(d.nnue_bytes, 1))},
		{"policy", unsafe.Pointer(d.policy), 4}, {"policy_labels", unsafe.Pointer(d.policy_labels), 4}, {"policy_weights", unsafe.Pointer(d.policy_weights), 4},
		{"row_numbers", unsafe.Pointer(d.row_numbers), 8}, {"row_status", unsafe.Pointer(rowStatus), 4},
	} {
		if !aligned(op, o.name, o.p, o.alignment, &status) {
			return status
		}
	}
	if !separate(op, in, rows, rowStatus, n, &status, decodeSpans(d, n, planes)...) {
		return status
	}
	out := batch.Out{
		Value: slice[float32](unsafe.Pointer(d.value), n), Result: slice[float32](unsafe.Pointer(d.result), n),
		Move: slice[uint16](unsafe.Pointer(d.move), n), Eval: slice[int16](unsafe.Pointer(d.eval), n), Turn: slice[uint8](unsafe.Pointer(d.turn), n),
		Ply: slice[uint16](unsafe.Pointer(d.ply), n), Key: slice[uint64](unsafe.Pointer(d.key), n), Ending: slice[uint8](unsafe.Pointer(d.ending), n),
	}
	labels := batch.LabelSpace(d.labels)
	classes := n * batch.MaskSize(labels, false)
	out.Mask, out.MaskBits = slice[byte](unsafe.Pointer(d.mask), classes), slice[byte](unsafe.Pointer(d.mask_bits), n*batch.MaskSize(labels, true))
	out.Policy = slice[float32](unsafe.Pointer(d.policy), classes)
	out.PolicyLabels, out.PolicyWeights = slice[int32](unsafe.Pointer(d.policy_labels), n*int(d.policy_width)), slice[float32](unsafe.Pointer(d.policy_weights), n*int(d.policy_width))
	if d.nnue_indices != nil {
		count := n * 2 * feature.NNUE(d.nnue).Active()
		if d.nnue_bytes == 4 {
			out.NNUE32 = slice[int32](d.nnue_indices, count)
		} else {
			out.NNUE64 = slice[int64](d.nnue_indices, count)
		}
	}
	stack := slice[feature.Plane](unsafe.Pointer(d.stack), int(d.stack_count))
	stackSize := n * int(d.stack_count) * shogi.SquareCount
	size1, size2 := n*feature.BoardSize, n*planes*shogi.SquareCount
	switch d.element {
	case C.KMD_FLOAT32:
		out.Features1, out.Features2 = slice[float32](d.features1, size1), slice[float32](d.features2, size2)
		out.Stack = slice[float32](d.planes, stackSize)
	case C.KMD_FLOAT16:
		out.Half1, out.Half2 = slice[feature.Half](d.features1, size1), slice[feature.Half](d.features2, size2)
		out.StackHalf = slice[feature.Half](d.planes, stackSize)
	case C.KMD_UINT8:
		out.Bytes1, out.Bytes2 = slice[uint8](d.features1, size1), slice[uint8](d.features2, size2)
		out.StackBytes = slice[uint8](d.planes, stackSize)
	case C.KMD_BITS:
		bytes2 := feature.FlatBytes
		if planes == feature.FlatPlanesKing {
			bytes2 = feature.FlatBytesKing
		}
		out.Bits1, out.Bits2 = slice[byte](d.features1, n*feature.BoardBytes), slice[byte](d.features2, n*bytes2)
		out.StackBits = slice[byte](d.planes, n*((int(d.stack_count)*shogi.SquareCount+7)/8))
	}
	switch d.label_bytes {
	case 2:
		out.Label16 = slice[uint16](d.label, n)
	case 4:
		out.Label32 = slice[int32](d.label, n)
	case 8:
		out.Label64 = slice[int64](d.label, n)
	}
	options := batch.Options{
		FlatPlanes: planes, Stack: stack, NNUE: feature.NNUE(d.nnue), PadNNUE: d.nnue_pad != 0,
		Labels: labels, Check: batch.Check(d.check), Results: packed.ResultConvention(d.convention),
		ValueScale: float64(d.value_scale), Blend: float64(d.blend), Temperature: float64(d.temperature), PolicyWidth: int(d.policy_width),
		Mirror: slice[uint8](unsafe.Pointer(d.mirror), n), MirrorAll: d.mirror_all != 0,
		MirrorShare: float64(d.mirror_share), MirrorSeed: uint64(d.mirror_seed), FirstRow: uint64(d.first_row), RowNumbers: slice[uint64](unsafe.Pointer(d.row_numbers), n),
	}
	_, err := batch.Decode(rows, options, &out, run)
	return report(err)
}

// decodeSpans is the memory of a decoding of n rows.
func decodeSpans(d *C.kmd_decode, n, flatPlanes int) []span {
	labels := batch.LabelSpace(d.labels)
	of := func(name string, p unsafe.Pointer, size int) span { return span{name, p, n * size, true} }
	perSquare := func(planes int) int { // bytes of planes
		return planes * shogi.SquareCount * [3]int{4, 2, 1}[min(d.element, C.KMD_UINT8)]
	}
	size1, size2, stack := perSquare(feature.BoardPlanes), perSquare(flatPlanes), perSquare(int(d.stack_count))
	if d.element == C.KMD_BITS {
		size1, size2, stack = feature.BoardBytes, feature.FlatBytes, (int(d.stack_count)*shogi.SquareCount+7)/8
		if flatPlanes == feature.FlatPlanesKing {
			size2 = feature.FlatBytesKing
		}
	}
	nnue := 0
	if d.nnue_indices != nil {
		nnue = 2 * feature.NNUE(d.nnue).Active() * int(d.nnue_bytes)
	}
	return []span{
		reads("mirror", d.mirror, n), reads("stack", d.stack, int(d.stack_count)), reads("row_numbers", d.row_numbers, n),
		of("features1", d.features1, size1), of("features2", d.features2, size2), of("planes", d.planes, stack), of("label", d.label, int(d.label_bytes)),
		writes("value", d.value, n), writes("result", d.result, n), writes("move", d.move, n), writes("eval", d.eval, n), writes("turn", d.turn, n),
		writes("ply", d.ply, n), writes("key", d.key, n), writes("ending", d.ending, n),
		writes("mask", d.mask, n*batch.MaskSize(labels, false)), writes("mask_bits", d.mask_bits, n*batch.MaskSize(labels, true)),
		writes("policy", d.policy, n*batch.MaskSize(labels, false)), of("nnue_indices", d.nnue_indices, nnue),
		writes("policy_labels", d.policy_labels, n*int(d.policy_width)), writes("policy_weights", d.policy_weights, n*int(d.policy_width)),
	}
}

//export go_kmd_mirrored_batch
func go_kmd_mirrored_batch(share C.double, seed C.uint64_t, numbers *C.uint64_t, n C.size_t, mirrored *C.uint8_t) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_mirrored_batch"
	if n > 0 && (isNull(op, "numbers", unsafe.Pointer(numbers), 8, &status) || isNull(op, "mirrored", unsafe.Pointer(mirrored), 1, &status)) {
		return status
	}
	if n > maxRows || !(share >= 0 && share <= 1) {
		return badArgument(op, "%d rows, share %v, want 0..1", n, share)
	}
	if !apart(op, &status, reads("numbers", numbers, int(n)), writes("mirrored", mirrored, int(n))) {
		return status
	}
	out := slice[uint8](unsafe.Pointer(mirrored), int(n))
	for i, number := range slice[uint64](unsafe.Pointer(numbers), int(n)) {
		out[i] = 0
		if batch.Mirrored(float64(share), uint64(seed), number) {
			out[i] = 1
		}
	}
	return C.KMD_OK
}

//export go_kmd_record_labels_batch
func go_kmd_record_labels_batch(in *C.kmd_rows, full, compact *C.uint16_t, rowStatus *C.kmd_status) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_record_labels_batch"
	rows, n, run, ok := rowsOf(op, in, rowStatus, &status)
	if !ok || !aligned(op, "full", unsafe.Pointer(full), 2, &status) || !aligned(op, "compact", unsafe.Pointer(compact), 2, &status) ||
		!separate(op, in, rows, rowStatus, n, &status, writes("full", full, n), writes("compact", compact, n)) {
		return status
	}
	_, err := batch.RecordLabels(slice[uint16](unsafe.Pointer(full), n), slice[uint16](unsafe.Pointer(compact), n), rows, run)
	return report(err)
}

//export go_kmd_sfens_batch
func go_kmd_sfens_batch(in *C.kmd_rows, offsets *C.int64_t, text *C.char, capacity C.size_t, rowStatus *C.kmd_status) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_sfens_batch"
	rows, n, run, ok := rowsOf(op, in, rowStatus, &status)
	if !ok || isNull(op, "offsets", unsafe.Pointer(offsets), 8, &status) || !room(op, unsafe.Pointer(text), capacity, &status) ||
		!separate(op, in, rows, rowStatus, n, &status, writes("offsets", offsets, n+1), writes("text", text, int(capacity))) {
		return status
	}
	_, _, err := batch.SFENs(slice[int64](unsafe.Pointer(offsets), n+1), slice[byte](unsafe.Pointer(text), int(capacity)), rows, run)
	return report(err)
}

// room checks a buffer of entries that may be null when its capacity is 0.
func room(op string, p unsafe.Pointer, capacity C.size_t, status *C.kmd_status) bool {
	if (p == nil && capacity > 0) || capacity > 1<<46 {
		*status = badArgument(op, "no buffer for a capacity of %d", capacity)
		return false
	}
	return true
}

//export go_kmd_encode_batch
func go_kmd_encode_batch(text *C.char, offsets *C.int64_t, n C.size_t, format, threads C.int32_t, out *C.uint8_t, rowStatus *C.kmd_status) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_encode_batch"
	if n == 0 {
		return C.KMD_OK
	}
	if isNull(op, "text", unsafe.Pointer(text), 1, &status) || isNull(op, "offsets", unsafe.Pointer(offsets), 8, &status) || isNull(op, "packed", unsafe.Pointer(out), 1, &status) {
		return status
	}
	if n > maxRows || threads < 0 || threads > maxThreads || !isPositionFormat(format) {
		return badArgument(op, "%d rows, %d threads, format %d", n, threads, format)
	}
	rows := int(n)
	at := slice[int64](unsafe.Pointer(offsets), rows+1)
	for i := range rows {
		if at[i] < 0 || at[i+1] < at[i] {
			return badArgument(op, "offsets[%d] = %d after %d", i+1, at[i+1], at[i])
		}
	}
	size := batch.Format(format).Size()
	if !aligned(op, "row_status", unsafe.Pointer(rowStatus), 4, &status) ||
		!apart(op, &status, reads("text", text, int(at[rows])), reads("offsets", offsets, rows+1), writes("packed", out, size*rows), writes("row_status", rowStatus, rows)) {
		return status
	}
	_, err := batch.Encode(slice[byte](unsafe.Pointer(out), size*rows), batch.Format(format), at, slice[byte](unsafe.Pointer(text), int(at[rows])), runOf(threads, rowStatus, rows))
	return report(err)
}

//export go_kmd_legal_moves_batch
func go_kmd_legal_moves_batch(in *C.kmd_rows, offsets *C.int64_t, moves *C.kmd_move, capacity C.size_t, rowStatus *C.kmd_status) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_legal_moves_batch"
	rows, n, run, ok := rowsOf(op, in, rowStatus, &status)
	if !ok || isNull(op, "offsets", unsafe.Pointer(offsets), 8, &status) || !room(op, unsafe.Pointer(moves), capacity, &status) || !aligned(op, "moves", unsafe.Pointer(moves), 2, &status) ||
		!separate(op, in, rows, rowStatus, n, &status, writes("offsets", offsets, n+1), writes("moves", moves, int(capacity))) {
		return status
	}
	_, _, err := batch.LegalMoves(slice[int64](unsafe.Pointer(offsets), n+1), slice[uint16](unsafe.Pointer(moves), int(capacity)), rows, run)
	return report(err)
}

//export go_kmd_legal_masks_batch
func go_kmd_legal_masks_batch(in *C.kmd_rows, compact, bits C.int32_t, masks *C.uint8_t, rowStatus *C.kmd_status) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_legal_masks_batch"
	rows, n, run, ok := rowsOf(op, in, rowStatus, &status)
	if !ok || n > 0 && isNull(op, "masks", unsafe.Pointer(masks), 1, &status) {
		return status
	}
	size := batch.MaskSize(space(compact), bits != 0)
	if !separate(op, in, rows, rowStatus, n, &status, writes("masks", masks, n*size)) {
		return status
	}
	_, err := batch.LegalMasks(slice[uint8](unsafe.Pointer(masks), n*size), rows, space(compact), bits != 0, run)
	return report(err)
}

//export go_kmd_facts_batch
func go_kmd_facts_batch(in *C.kmd_rows, f *C.kmd_facts, rowStatus *C.kmd_status) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_facts_batch"
	rows, n, run, ok := rowsOf(op, in, rowStatus, &status)
	if !ok || isNull(op, "facts", unsafe.Pointer(f), 8, &status) || !hasSize(op, "facts", f.size, unsafe.Sizeof(*f), &status) ||
		!aligned(op, "key", unsafe.Pointer(f.key), 8, &status) || !aligned(op, "legal_count", unsafe.Pointer(f.legal_count), 2, &status) ||
		!aligned(op, "mate_in_one", unsafe.Pointer(f.mate_in_one), 2, &status) {
		return status
	}
	if f.rule < 0 || f.rule > shogi.EnteringKingMaxRaw {
		return badArgument(op, "rule %d", f.rule)
	}
	if !separate(op, in, rows, rowStatus, n, &status, writes("key", f.key, n), writes("turn", f.turn, n), writes("in_check", f.in_check, n),
		writes("legal_count", f.legal_count, n), writes("mate_in_one", f.mate_in_one, n), writes("verdict", f.verdict, n), writes("points", f.points, n)) {
		return status
	}
	_, err := batch.Look(&batch.Facts{
		Keys: slice[uint64](unsafe.Pointer(f.key), n), Turns: slice[uint8](unsafe.Pointer(f.turn), n), InCheck: slice[uint8](unsafe.Pointer(f.in_check), n),
		Legal: slice[uint16](unsafe.Pointer(f.legal_count), n), MateInOne: slice[uint16](unsafe.Pointer(f.mate_in_one), n),
		Rule: shogi.EnteringKingRule(f.rule), Verdicts: slice[uint8](unsafe.Pointer(f.verdict), n), Points: slice[uint8](unsafe.Pointer(f.points), n),
	}, rows, run)
	return report(err)
}

//export go_kmd_play_batch
func go_kmd_play_batch(in *C.kmd_rows, moves *C.kmd_move, format C.int32_t, out *C.uint8_t, rowStatus *C.kmd_status) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_play_batch"
	rows, n, run, ok := rowsOf(op, in, rowStatus, &status)
	if !ok || n > 0 && (isNull(op, "moves", unsafe.Pointer(moves), 2, &status) || isNull(op, "out", unsafe.Pointer(out), 1, &status)) {
		return status
	}
	if !isPositionFormat(format) {
		return badArgument(op, "format %d, want 1 HCP, 2 PackedSfen or 7 board", format)
	}
	to := batch.Format(format)
	if !separate(op, in, rows, rowStatus, n, &status, reads("moves", moves, n), writes("out", out, n*to.Size())) {
		return status
	}
	_, err := batch.Play(slice[byte](unsafe.Pointer(out), n*to.Size()), rows, slice[uint16](unsafe.Pointer(moves), n), to, run)
	return report(err)
}

func isPositionFormat(format C.int32_t) bool {
	return format == C.KMD_FORMAT_HCP || format == C.KMD_FORMAT_PACKED_SFEN || format == C.KMD_FORMAT_BOARD
}

//export go_kmd_moves_of_labels_batch
func go_kmd_moves_of_labels_batch(in *C.kmd_rows, labels *C.uint16_t, compact C.int32_t, moves *C.kmd_move, rowStatus *C.kmd_status) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_moves_of_labels_batch"
	rows, n, run, ok := rowsOf(op, in, rowStatus, &status)
	if !ok || n > 0 && (isNull(op, "labels", unsafe.Pointer(labels), 2, &status) || isNull(op, "moves", unsafe.Pointer(moves), 2, &status)) ||
		!separate(op, in, rows, rowStatus, n, &status, reads("labels", labels, n), writes("moves", moves, n)) {
		return status
	}
	_, err := batch.LabelMoves(slice[uint16](unsafe.Pointer(moves), n), rows, slice[uint16](unsafe.Pointer(labels), n), space(compact), run)
	return report(err)
}

//export go_kmd_convert_batch
func go_kmd_convert_batch(in *C.kmd_rows, c *C.kmd_conversion, rowStatus *C.kmd_status) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_convert_batch"
	rows, n, run, ok := rowsOf(op, in, rowStatus, &status)
	if !ok || isNull(op, "conversion", unsafe.Pointer(c), 8, &status) || !hasSize(op, "conversion", c.size, unsafe.Sizeof(*c), &status) || n > 0 && isNull(op, "out", unsafe.Pointer(c.out), 1, &status) {
		return status
	}
	if c.format < C.KMD_FORMAT_HCP || c.format > C.KMD_FORMAT_BOARD || c.convention < 0 || c.convention > 4 || c.new_convention < 0 || c.new_convention > 4 {
		return badArgument(op, "format %d, conventions %d and %d", c.format, c.convention, c.new_convention)
	}
	if !isFlag(op, "flip", c.flip, &status) || !isFlag(op, "mirror", c.mirror, &status) {
		return status
	}
	to, lost := batch.Format(c.format), batch.Losses{}
	conversion := batch.Conversion{To: to, FlipSide: c.flip != 0, MirrorFile: c.mirror != 0,
		From: packed.ResultConvention(c.convention), Into: packed.ResultConvention(c.new_convention), Lost: &lost}
	if to == batch.HCPE3 {
		count := n
		if rows.Format == batch.HCPE3 {
			count = len(rows.Candidates) / packed.CandidateSize
		}
		if count > 0 && isNull(op, "candidates", unsafe.Pointer(c.candidates), 2, &status) {
			return status
		}
		conversion.Candidates = slice[byte](unsafe.Pointer(c.candidates), count*packed.CandidateSize)
	}
	if !separate(op, in, rows, rowStatus, n, &status, writes("out", c.out, n*to.Size()), writes("candidates", unsafe.SliceData(conversion.Candidates), len(conversion.Candidates))) {
		return status
	}
	_, err := batch.Convert(slice[byte](unsafe.Pointer(c.out), n*to.Size()), rows, conversion, run)
	for _, l := range []struct {
		sum  *C.uint64_t
		more int64
	}{
		{&c.lost_plies, lost.Plies}, {&c.lost_endings, lost.Endings}, {&c.lost_candidates, lost.Candidates},
		{&c.lost_untrained, lost.Untrained}, {&c.lost_opponents, lost.Opponents}, {&c.lost_extras, lost.Extras},
	} {
		*l.sum += C.uint64_t(l.more)
	}
	return report(err)
}

//export go_kmd_gather_batch
func go_kmd_gather_batch(in *C.kmd_rows, numbers *C.int64_t, n C.size_t, out *C.uint8_t) (status C.kmd_status) {
	defer recovered(&status)
	defer onFault()()
	const op = "kmd_gather_batch"
	rows, _, run, ok := rowsOf(op, in, nil, &status)
	if !ok || n > 0 && (isNull(op, "numbers", unsafe.Pointer(numbers), 8, &status) || isNull(op, "out", unsafe.Pointer(out), 1, &status)) {
		return status
	}
	if n > maxRows {
		return badArgument(op, "%d rows", n)
	}
	size := rows.Format.Size()
	if !separate(op, in, rows, nil, 0, &status, reads("numbers", numbers, int(n)), writes("out", out, int(n)*size)) {
		return status
	}
	return report(batch.Gather(slice[byte](unsafe.Pointer(out), int(n)*size), rows, slice[int64](unsafe.Pointer(numbers), int(n)), run))
}

// recordFormat checks a record format and its convention, 0 being the usual one.
func recordFormat(op string, format, convention C.int32_t) (batch.Format, packed.ResultConvention, error) {
	f := batch.Format(format)
	if format < 0 || format > 255 || !f.IsRecord() || f == batch.HCPE3 {
		return 0, 0, fault.New(fault.Argument, op, "format %d, want 3 HCPE, 4 PSV or 5 HCPE2", format)
	}
	if convention == 0 {
		return f, f.Convention(), nil
	}
	c, err := packed.NewResultConvention(int(convention))
	if err != nil {
		return 0, 0, fault.New(fault.Argument, op, "convention %d, want 0..4", convention)
	}
	return f, c, nil
}

func encodeRecord(f batch.Format, p *board.Position, m shogi.Move, eval shogi.Eval, r shogi.GameResult, meaning packed.ResultConvention) ([]byte, error) {
	raw, err := meaning.Encode(r, p.Turn())
	if err != nil {
		return nil, err
	}
	if f != batch.PSV {
		var out [packed.HCPESize]byte
		err = packed.EncodeHCPE(p, m, eval, raw, 0, &out)
		return out[:], err
	}
	var out [packed.PSVSize]byte
	err = packed.EncodePSV(p, m, eval, raw, 0, &out)
	return out[:], err
}
