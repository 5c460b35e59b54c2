//go:build unix

package usi

import (
	"syscall"

	"komadori/core/search"
)

// hasMemory asks the system whether it would give so much: Go would abort over what it refuses.
func hasMemory(mib int) bool {
	const forGo = 64 // MiB that Go needs beside a large block
	if !search.HasMemory(mib) {
		return false
	}
	b, err := syscall.Mmap(-1, 0, (mib+forGo)<<20, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return false
	}
	return syscall.Munmap(b) == nil
}
