//go:build !purego

package feature

import "unsafe"

// The expanders write groups of 32 bytes to dst, which is aligned to 32 bytes, from one bit an element. The first bit is shift bits
// (0..7) into the byte at bits; eight bytes are read at a time, up to seven beyond the last one needed. With stream the stores bypass the caches; fence orders them before what follows.

//go:noescape
func expand4(dst unsafe.Pointer, bits *byte, groups int, one uint32, shift uint8, stream bool)

//go:noescape
func expand2(dst unsafe.Pointer, bits *byte, groups int, one uint32, shift uint8, stream bool)

//go:noescape
func expand1(dst unsafe.Pointer, bits *byte, groups int, one uint32, shift uint8, stream bool)

func fence()

func cpuid(leaf, sub uint32) (ebx, ecx uint32)

func xgetbv() uint32

// hasAVX2 asks the processor, and whether the operating system keeps the wide registers.
var hasAVX2 = func() bool {
	const osxsave, avx, avx2, wideState = 1 << 27, 1 << 28, 1 << 5, 6
	if _, ecx := cpuid(1, 0); ecx&osxsave == 0 || ecx&avx == 0 || xgetbv()&wideState != wideState {
		return false
	}
	ebx, _ := cpuid(7, 0)
	return ebx&avx2 != 0
}()

const groupBytes = 32

// expand writes a row from its bits, of which at least one word must follow the last one needed.
func expand[T Element](words []uint64, dst []T, one T, stream bool) {
	if len(dst) == 0 {
		return
	}
	size := int(unsafe.Sizeof(one))
	lanes := groupBytes / size
	if !hasAVX2 || uintptr(unsafe.Pointer(&dst[0]))%uintptr(size) != 0 { // memory from C may lie anywhere
		expandPlain(words, dst, one)
		return
	}

	// Elements before the first aligned address, then whole groups, then what is left.
	head := min(int(-uintptr(unsafe.Pointer(&dst[0]))&(groupBytes-1))/size, len(dst))
	for i := range dst[:head] {
		dst[i] = element(words, i, one)
	}
	if groups := (len(dst) - head) / lanes; groups > 0 {
		bits := (*byte)(unsafe.Add(unsafe.Pointer(&words[0]), head/8))
		shift := uint8(head % 8)
		at := unsafe.Pointer(&dst[head])
		switch size {
		case 4:
			expand4(at, bits, groups, *(*uint32)(unsafe.Pointer(&one)), shift, stream)
		case 2:
			expand2(at, bits, groups, uint32(*(*uint16)(unsafe.Pointer(&one))), shift, stream)
		case 1:
			expand1(at, bits, groups, uint32(*(*uint8)(unsafe.Pointer(&one))), shift, stream)
		}
		head += groups * lanes
	}
	for i := head; i < len(dst); i++ {
		dst[i] = element(words, i, one)
	}
}

// element is one or zero by the i-th bit.
func element[T Element](words []uint64, i int, one T) T {
	if words[i>>6]>>(i&63)&1 != 0 {
		return one
	}
	return 0
}

// Fence orders streamed rows before everything that the goroutine does next. Call it after the last streamed row.
func Fence() { fence() }
