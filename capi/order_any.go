//go:build !amd64

package main

import "sync/atomic"

// store32 and store64 write a value after everything that was written before it, for other threads and for processes with a copy of the memory.
func store32(at *uint32, value uint32) { atomic.StoreUint32(at, value) }

func store64(at *uint64, value uint64) { atomic.StoreUint64(at, value) }
