package search

import (
	"syscall"
	"unsafe"
)

// hugePages asks for large pages: a table is read at random places, and finding a small page costs more than reading it.
// A system that refuses is none the worse.
func hugePages(c []cluster) {
	_ = syscall.Madvise(unsafe.Slice((*byte)(unsafe.Pointer(&c[0])), len(c)*clusterBytes), syscall.MADV_HUGEPAGE)
}
