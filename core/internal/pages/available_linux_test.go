package pages

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAvailable(t *testing.T) {
	mib, known := readAvailable([]byte("MemTotal:       24683832 kB\nMemFree:         3 kB\nMemAvailable:   18000000 kB\n"))
	assert.True(t, known)
	assert.Equal(t, 17578, mib)
	for _, other := range []string{"", "MemTotal: 3 kB\n", "MemAvailable: x kB\n", "MemAvailable:\n", "MemAvailable: 99999999999999999999 kB\n"} {
		_, known = readAvailable([]byte(other))
		assert.False(t, known, other)
	}
	assert.True(t, Holds(1))
	if _, err := os.Stat("/proc/meminfo"); err == nil {
		mib, known = available()
		assert.True(t, known)
		assert.Positive(t, mib)
		assert.False(t, Holds(1<<40))
	}
}
