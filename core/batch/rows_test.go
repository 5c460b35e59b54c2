package batch_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/batch"
	"komadori/core/fault"
)

var threadCounts = []int{1, 2, 3, 7}

func TestRowsAreEachDoneOnce(t *testing.T) {
	for _, threads := range append([]int{0, 1000}, threadCounts...) {
		for _, grain := range []int{-1, 1, 5, 64, 10000} {
			for _, n := range []int{0, 1, 5, 6, 63, 64, 65, 4095} {
				seen := make([]atomic.Int32, n)
				done, err := batch.Rows(n, grain, batch.Run{Threads: threads}, func(from, to int) {
					if to <= from || to-from > max(grain, 1) {
						panic(fmt.Sprintf("range %d..%d", from, to))
					}
					for i := from; i < to; i++ {
						seen[i].Add(1)
					}
				})
				require.NoError(t, err)
				require.Equal(t, n, done)
				for i := range seen {
					require.EqualValues(t, 1, seen[i].Load())
				}
			}
		}
	}
}

func TestRowsRefusesNegativeNumbers(t *testing.T) {
	_, err := batch.Rows(-1, 1, batch.Run{}, func(int, int) {})
	assert.ErrorIs(t, err, fault.Argument)
	_, err = batch.Rows(1, 1, batch.Run{Threads: -1}, func(int, int) {})
	assert.ErrorIs(t, err, fault.Argument)
}

func TestRowsStopsWhenCancelled(t *testing.T) {
	for _, threads := range threadCounts {
		var cancel atomic.Int32
		var mu sync.Mutex
		seen := map[int]bool{}
		done, err := batch.Rows(1000, 10, batch.Run{Threads: threads, Cancel: &cancel}, func(from, to int) {
			mu.Lock()
			defer mu.Unlock()
			for i := from; i < to; i++ {
				seen[i] = true
			}
			if len(seen) >= 200 {
				cancel.Store(1)
			}
		})
		assert.ErrorIs(t, err, fault.Cancelled)
		assert.GreaterOrEqual(t, done, 200)
		assert.LessOrEqual(t, done, 200+10*threads)
		assert.Len(t, seen, done)
		for i := range done {
			require.True(t, seen[i], "the rows that are done have no holes")
		}
	}
	var cancel atomic.Int32
	cancel.Store(1)
	status := []int32{7, 7, 7}
	bad, err := batch.Keys(make([]uint64, 3), packedStart(3), batch.Run{Cancel: &cancel, Status: status})
	assert.ErrorIs(t, err, fault.Cancelled)
	assert.Zero(t, bad)
	assert.Equal(t, []int32{int32(fault.Cancelled), int32(fault.Cancelled), int32(fault.Cancelled)}, status)
}

func TestRowsReturnsPanics(t *testing.T) {
	for _, threads := range threadCounts {
		done, err := batch.Rows(1000, 10, batch.Run{Threads: threads}, func(from, _ int) {
			if from >= 500 {
				panic("the 500th")
			}
		})
		assert.ErrorIs(t, err, fault.Internal)
		assert.ErrorContains(t, err, "the 500th")
		assert.Zero(t, done)
	}
}

func TestStatusNeedsAnEntryARow(t *testing.T) {
	_, err := batch.Keys(make([]uint64, 3), packedStart(3), batch.Run{Status: make([]int32, 2)})
	assert.ErrorIs(t, err, fault.Argument)
}
