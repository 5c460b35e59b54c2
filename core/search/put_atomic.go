//go:build !(amd64 || arm64) || race

package search

import "sync/atomic"

// put writes a word of the table as a whole.
func put(at *uint64, value uint64) { atomic.StoreUint64(at, value) }
