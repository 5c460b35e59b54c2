//go:build (amd64 || arm64) && !race

package search

// put writes a word of the table. Here a word is written as a whole, which is all that the table needs; an atomic store would also wait for
// everything that was written and asked for before it.
func put(at *uint64, value uint64) { *at = value }
