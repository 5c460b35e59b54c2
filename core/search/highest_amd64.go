//go:build !purego

package search

import "golang.org/x/sys/cpu"

// highest8 looks at eight at a time, at up to seven behind the last one, too.
//
//go:noescape
func highest8(o *int32, n int) int32

// highest is the highest of one or more, with lower ones behind them as fence puts them there.
func highest(o []int32) int32 {
	if cpu.X86.HasAVX2 {
		return highest8(&o[0], len(o))
	}
	return highestOf(o)
}
