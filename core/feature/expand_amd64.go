//go:build !purego

package feature

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// The expanders write groups of 32 bytes (AVX2) or 64 (wide: AVX-512) to dst from one bit an element. The first bit is shift bits (0..7) into the byte at
// bits; eight bytes are read at a time, and with wide1 nine, up to eight beyond the last one needed. With stream, dst is aligned to a group and the stores bypass the
// caches; fence orders them before what follows.

//go:noescape
func expand4(dst unsafe.Pointer, bits *byte, groups int, one uint32, shift uint8, stream bool)

//go:noescape
func expand2(dst unsafe.Pointer, bits *byte, groups int, one uint32, shift uint8, stream bool)

//go:noescape
func expand1(dst unsafe.Pointer, bits *byte, groups int, one uint32, shift uint8, stream bool)

//go:noescape
func wide4(dst unsafe.Pointer, bits *byte, groups int, one uint32, shift uint8, stream bool)

//go:noescape
func wide2(dst unsafe.Pointer, bits *byte, groups int, one uint32, shift uint8, stream bool)

//go:noescape
func wide1(dst unsafe.Pointer, bits *byte, groups int, one uint32, shift uint8, stream bool)

// store copies a group of 32 or 64 bytes to an aligned place, past the caches.
//
//go:noescape
func store(to unsafe.Pointer, from *byte, group int)

func fence()

// groupBytes is how much is written at a time: 64 with AVX-512, 32 with AVX2, 0 without either. Tests change it.
var groupBytes = func() int {
	switch {
	case cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasBMI2:
		return 64
	case cpu.X86.HasAVX2:
		return 32
	}
	return 0
}()

// expand writes a row from its bits, after which 16 bytes more must follow. Without a Stream it goes through the caches.
func expand[T Element](row []byte, dst []T, one T, s *Stream) {
	group, size := groupBytes, int(unsafe.Sizeof(one))
	if group == 0 || len(dst)*size < 2*group || uintptr(unsafe.Pointer(&dst[0]))%uintptr(size) != 0 { // memory from C may lie anywhere
		expandPlain(row, dst, one)
		return
	}
	// The first group wherever it lies, whole groups from the first aligned address on, and the last group, which may overlap those.
	lanes := group / size
	start := unsafe.Pointer(&dst[0])
	first := int(-uintptr(start)&uintptr(group-1)) / size
	if first != 0 {
		if s != nil && s.meets(start) {
			groups(row, unsafe.Pointer(&s.end[s.n]), one, 0, 1, false)
			store(s.at, &s.end[0], group)
		} else {
			groups(row, start, one, 0, 1, false)
		}
	}
	whole := (len(dst) - first) / lanes
	groups(row, unsafe.Pointer(&dst[first]), one, first, whole, s != nil)
	at := first + whole*lanes
	switch {
	case s != nil:
		if s.n != 0 && !s.meets(start) {
			s.Flush()
		}
		s.at, s.n = nil, 0
		if at != len(dst) {
			groups(row, unsafe.Pointer(&s.end[0]), one, at, 1, false)
			s.at, s.n = unsafe.Pointer(&dst[at]), (len(dst)-at)*size
		}
	case at != len(dst):
		at = len(dst) - lanes
		groups(row, unsafe.Pointer(&dst[at]), one, at, 1, false)
	}
}

// groups writes n groups, from element at of the row on.
func groups[T Element](row []byte, to unsafe.Pointer, one T, at, n int, stream bool) {
	from := &row[at/8]
	shift := uint8(at % 8)
	switch unsafe.Sizeof(one) {
	case 4:
		raw := *(*uint32)(unsafe.Pointer(&one))
		if groupBytes == 64 {
			wide4(to, from, n, raw, shift, stream)
		} else {
			expand4(to, from, n, raw, shift, stream)
		}
	case 2:
		raw := uint32(*(*uint16)(unsafe.Pointer(&one)))
		if groupBytes == 64 {
			wide2(to, from, n, raw, shift, stream)
		} else {
			expand2(to, from, n, raw, shift, stream)
		}
	case 1:
		raw := uint32(*(*uint8)(unsafe.Pointer(&one)))
		if groupBytes == 64 {
			wide1(to, from, n, raw, shift, stream)
		} else {
			expand1(to, from, n, raw, shift, stream)
		}
	}
}

// Fence orders streamed rows before everything that the goroutine does next. Call it after the last Flush of a Stream.
func Fence() { fence() }
