package pages

import "syscall"

// ask asks for large pages; a system that refuses is none the worse.
func ask(memory []byte) { _ = syscall.Madvise(memory, syscall.MADV_HUGEPAGE) }
