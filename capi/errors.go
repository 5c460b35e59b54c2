package main

/*
#include "native.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime/debug"
	"syscall"
	"unsafe"

	"komadori/core/board"
	"komadori/core/fault"
)

// The statuses of the header are the kinds of package fault: a number that drifts does not compile.
var _ = [1]struct{}{}[int32(fault.Parse)-C.KMD_ERR_PARSE]
var _ = [1]struct{}{}[int32(fault.IllegalMove)-C.KMD_ERR_ILLEGAL_MOVE]
var _ = [1]struct{}{}[int32(fault.InvalidPosition)-C.KMD_ERR_INVALID_POSITION]
var _ = [1]struct{}{}[int32(fault.InvalidValue)-C.KMD_ERR_INVALID_VALUE]
var _ = [1]struct{}{}[int32(fault.Argument)-C.KMD_ERR_ARGUMENT]
var _ = [1]struct{}{}[int32(fault.Buffer)-C.KMD_ERR_BUFFER]
var _ = [1]struct{}{}[int32(fault.Handle)-C.KMD_ERR_HANDLE]
var _ = [1]struct{}{}[int32(fault.Busy)-C.KMD_ERR_BUSY]
var _ = [1]struct{}{}[int32(fault.Forked)-C.KMD_ERR_FORKED]
var _ = [1]struct{}{}[int32(fault.Cancelled)-C.KMD_ERR_CANCELLED]
var _ = [1]struct{}{}[int32(fault.Memory)-C.KMD_ERR_MEMORY]
var _ = [1]struct{}{}[int32(fault.IO)-C.KMD_ERR_IO]
var _ = [1]struct{}{}[int32(fault.Internal)-C.KMD_ERR_INTERNAL]
var _ = [1]struct{}{}[int32(fault.AmbiguousMove)-C.KMD_ERR_AMBIGUOUS_MOVE]

// report turns an error into a status and keeps its details for kmd_last_error.
func report(err error) C.kmd_status {
	if err == nil {
		return C.KMD_OK
	}
	f := fault.New(fault.Internal, "komadori", "%v", err)
	errors.As(err, &f)
	var problems []C.kmd_problem
	var p *board.ProblemsError
	if errors.As(err, &p) {
		problems = cProblems(p.Problems)
	}
	message := f.Error()
	C.kmdc_set_error(C.int32_t(f.Kind), C.int64_t(f.Offset), C.int64_t(f.Row), C.int32_t(f.Errno),
		(*C.char)(unsafe.Pointer(unsafe.StringData(message))), C.size_t(len(message)), unsafe.SliceData(problems), C.uint32_t(len(problems)))
	return C.kmd_status(f.Kind)
}

func cProblems(problems []board.Problem) []C.kmd_problem {
	out := make([]C.kmd_problem, len(problems))
	for i, p := range problems {
		out[i] = C.kmd_problem{kind: C.int32_t(p.Kind), color: C.uint8_t(p.Color), square: C.uint8_t(p.Square), piece_type: C.uint8_t(p.Type)}
	}
	return out
}

// onFault makes faults of memory panics until the function that it returns is called, for functions that read mapped files.
func onFault() func() {
	before := debug.SetPanicOnFault(true)
	return func() { debug.SetPanicOnFault(before) }
}

// recovered is deferred by every function that C calls: no panic crosses into C.
func recovered(status *C.kmd_status) {
	if r := recover(); r != nil {
		*status = reportPanic(r)
	}
}

func reportPanic(r any) C.kmd_status {
	if _, ok := r.(interface{ Addr() uintptr }); ok { // where faults are panics, see onFault
		gone := fault.New(fault.IO, "komadori", "the memory of an argument is gone: was a mapped file cut?")
		gone.Errno = int(syscall.EIO)
		return report(gone)
	}
	return report(fault.New(fault.Internal, "komadori", "%v; please report this", r))
}

func badArgument(op, format string, args ...any) C.kmd_status {
	return report(fault.New(fault.Argument, op, "%s", fmt.Sprintf(format, args...)))
}

// isNull reports a null or misaligned pointer as a bad argument.
func isNull(op, name string, p unsafe.Pointer, alignment uintptr, status *C.kmd_status) bool {
	switch {
	case p == nil:
		*status = badArgument(op, "%s is null", name)
	case uintptr(p)%alignment != 0:
		*status = badArgument(op, "%s is not aligned to %d bytes", name, alignment)
	default:
		return false
	}
	return true
}

// hasSize reports a struct whose size field is not that of this version.
func hasSize(op, name string, got C.uint32_t, want uintptr, status *C.kmd_status) bool {
	if uintptr(got) == want {
		return true
	}
	*status = badArgument(op, "%s.size is %d, want %d", name, got, want)
	return false
}

// isReserved reports a field that has to be 0 for the sake of later versions and is not.
func isReserved[T ~int32 | ~uint32 | ~int64](op, name string, value T, status *C.kmd_status) bool {
	if value == 0 {
		return false
	}
	*status = badArgument(op, "%s is %d, want 0", name, value)
	return true
}

// isFlag reports a field that is to be 0 or 1 and is neither.
func isFlag(op, name string, value C.int32_t, status *C.kmd_status) bool {
	if value == 0 || value == 1 {
		return true
	}
	*status = badArgument(op, "%s is %d, want 0 or 1", name, value)
	return false
}

// isNoCapacity reports a number of entries that no memory has.
func isNoCapacity(op string, capacity C.size_t, status *C.kmd_status) bool {
	if capacity <= maxRows {
		return false
	}
	*status = badArgument(op, "a capacity of %d", capacity)
	return true
}

// A span is memory that a call reads or, with out, writes.
type span struct {
	name string
	at   unsafe.Pointer
	size int
	out  bool
}

// reads and writes are n entries of a type at an address.
func reads[T any](name string, p *T, n int) span {
	return span{name, unsafe.Pointer(p), n * int(unsafe.Sizeof(*p)), false}
}
func writes[T any](name string, p *T, n int) span {
	return span{name, unsafe.Pointer(p), n * int(unsafe.Sizeof(*p)), true}
}

// overlap is the error of memory that is written and shares bytes with other memory of the call.
func overlap(op string, spans ...span) error {
	for i := range spans {
		a := &spans[i]
		if a.at == nil || a.size == 0 {
			continue
		}
		for k := range spans[:i] {
			b := &spans[k]
			if (a.out || b.out) && b.at != nil && uintptr(a.at) < uintptr(b.at)+uintptr(b.size) && uintptr(b.at) < uintptr(a.at)+uintptr(a.size) {
				return fault.New(fault.Argument, op, "%s and %s overlap", b.name, a.name)
			}
		}
	}
	return nil
}

// apart reports an overlap.
func apart(op string, status *C.kmd_status, spans ...span) bool {
	if err := overlap(op, spans...); err != nil {
		*status = report(err)
		return false
	}
	return true
}

// writeText gives text by the rules of the header.
func writeText(op string, text []byte, buffer *C.char, capacity C.size_t, needed *C.size_t) (status C.kmd_status) {
	if uintptr(unsafe.Pointer(needed))%8 != 0 {
		return badArgument(op, "needed is not aligned to 8 bytes")
	}
	if capacity > 1<<46 {
		return badArgument(op, "a capacity of %d", capacity)
	}
	if !apart(op, &status, writes("buffer", buffer, int(capacity)), writes("needed", needed, 1)) {
		return status
	}
	if buffer == nil && capacity > 0 {
		return badArgument(op, "buffer is null with capacity %d", capacity)
	}
	if needed != nil {
		*needed = C.size_t(len(text))
	}
	if len(text) > int(capacity) {
		return report(fault.New(fault.Buffer, op, "%d bytes needed, %d given", len(text), capacity))
	}
	if len(text) > 0 {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(buffer)), len(text)), text)
	}
	return C.KMD_OK
}

const maxText = 1 << 26

// isText reports text that cannot be one.
func isText(op string, text *C.char, length C.size_t, status *C.kmd_status) bool {
	switch {
	case length > maxText:
		*status = badArgument(op, "text of %d bytes, want at most %d", length, maxText)
	case text == nil && length > 0:
		*status = badArgument(op, "text is null with length %d", length)
	default:
		return true
	}
	return false
}

// readText copies text from C.
func readText(op string, text *C.char, length C.size_t, status *C.kmd_status) (string, bool) {
	if !isText(op, text, length, status) {
		return "", false
	}
	return C.GoStringN(text, C.int(length)), true
}
