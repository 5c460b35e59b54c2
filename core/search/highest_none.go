//go:build !amd64 || purego

package search

// highest is the highest of one or more.
func highest(o []int32) int32 { return highestOf(o) }
