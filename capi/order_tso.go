//go:build amd64

package main

// store32 and store64 write a value after everything that was written before it, for other threads and for processes with a copy of the
// memory. amd64 shows stores in the order of the program, and the compiler keeps that order; an atomic store would also wait until all of
// them are seen.
func store32(at *uint32, value uint32) { *at = value }

func store64(at *uint64, value uint64) { *at = value }
