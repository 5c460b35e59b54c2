package pages

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// The memory begins with a large page, is zero, holds what it says, and stays while anything of it is in use.
func TestSlice(t *testing.T) {
	for _, n := range []int{1, 3, 1000, large / 8, large/8 + 1} {
		s := Slice[uint64](n)
		assert.Len(t, s, n)
		assert.Zero(t, uintptr(unsafe.Pointer(&s[0]))%large)
		last := &s[n-1]
		assert.Zero(t, *last)
		*last = uint64(n)
		runtime.GC()
		assert.Equal(t, uint64(n), *last)
	}
	v := New[[3]int16]()
	assert.Equal(t, [3]int16{}, *v)
}
