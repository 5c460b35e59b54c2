//go:build !purego

package feature

import "strconv"

// EachExpander calls f with every way of writing that this processor has.
func EachExpander(f func(name string)) {
	best := groupBytes
	defer func() { groupBytes = best }()
	for groupBytes = range best + 1 {
		if groupBytes == 0 || groupBytes == 32 || groupBytes == 64 {
			f(strconv.Itoa(groupBytes) + " bytes")
		}
	}
}
