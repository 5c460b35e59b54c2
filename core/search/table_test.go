package search

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"komadori/core/shogi"
)

func TestRecordPacks(t *testing.T) {
	for _, r := range []record{
		{shogi.MoveNone, 0, noValue, -1, boundUpper, false},
		{0xFFFF, mateValue, -maxCp, MaxDepth, boundExact, true},
		{1, -mateValue, maxCp, 0, boundLower, true},
		{0x7FFF, -1, -1, -8, boundLower, false},
	} {
		for _, generation := range []uint64{0, 1, 31} {
			p := pack(r, generation)
			assert.NotZero(t, p)
			assert.Equal(t, r, unpack(p))
			assert.Equal(t, generation, p>>59)
		}
	}
}

func TestTableKeepsWhatIsDear(t *testing.T) {
	tab := newTable(1)
	assert.Len(t, tab.room, 1<<14)
	key := func(i int) uint64 { return 5<<(64-12) | uint64(i) }
	for i := range 4 {
		tab.store(key(i), record{shogi.Move(i + 1), value(i), noValue, 10 + i, boundExact, false})
	}
	tab.store(key(9), record{9, 9, noValue, 1, boundExact, false})
	_, ok := tab.probe(key(0))
	assert.False(t, ok, "the shallowest gives way")
	for _, i := range []int{1, 2, 3, 9} {
		r, ok := tab.probe(key(i))
		assert.True(t, ok)
		assert.Equal(t, value(i), r.value)
	}
	tab.clear()
	_, ok = tab.probe(key(3))
	assert.False(t, ok)
	assert.Zero(t, tab.permille())
}

func storeRandom(tab *table, random *rand.Rand, n int) map[uint64]record {
	records := map[uint64]record{}
	for i := range n {
		key := random.Uint64()
		records[key] = record{shogi.Move(i), value(i), value(-i), i % 50, boundExact, i%2 == 0}
		tab.store(key, records[key])
	}
	return records
}

// What a table knows it knows when it has grown, and what it did not know it does not; cleared, it is as new.
func TestTableGrows(t *testing.T) {
	tab := newTable(3)
	assert.Len(t, tab.room, 1<<15)
	records := storeRandom(tab, rand.New(rand.NewPCG(1, 2)), 5000)
	known := map[uint64]bool{}
	for key := range records {
		_, known[key] = tab.probe(key)
	}
	sizes := []int{len(tab.clusters)}
	for range 150 {
		tab.add(1000)
		tab.grow(4000)
		if n := len(tab.clusters); n != sizes[len(sizes)-1] {
			sizes = append(sizes, n)
		}
		for key, r := range records {
			found, ok := tab.probe(key)
			assert.Equal(t, known[key], ok)
			if ok {
				assert.Equal(t, r, found)
			}
			_, ok = tab.probe(key + 1)
			assert.False(t, ok)
		}
	}
	assert.Equal(t, []int{1 << 12, 1 << 13, 1 << 14, 1 << 15}, sizes)
	tab.clear()
	assert.Equal(t, make([]cluster, 1<<15), tab.room)
	assert.Len(t, tab.clusters, sizes[0])
	tab.add(100)
	tab.grow(0)
	assert.Len(t, tab.clusters, sizes[0])
}

// The last step of a large table is more than a doubling, and loses nothing either.
func TestTableTakesAll(t *testing.T) {
	tab := newTable(32)
	tab.use(mostDoubled)
	records := storeRandom(tab, rand.New(rand.NewPCG(5, 6)), 20_000)
	for key := range records { // five in a cluster are one too many
		if _, ok := tab.probe(key); !ok {
			delete(records, key)
		}
	}
	assert.Greater(t, len(records), 19_900)
	tab.add(mostDoubled * clusterFill)
	tab.grow(0)
	assert.Len(t, tab.clusters, mostDoubled)
	tab.grow(1)
	assert.Len(t, tab.clusters, len(tab.room))
	assert.Len(t, tab.room, 4*mostDoubled)
	for key, r := range records {
		found, ok := tab.probe(key)
		assert.True(t, ok)
		assert.Equal(t, r, found)
	}
}

// Threads that write one cluster at once leave torn entries behind. What a reader gets was written for its key as a whole:
// here every field is made from the key.
func TestTornEntriesAreAbsent(t *testing.T) {
	tab := newTable(1)
	made := func(key uint64) record {
		h := key * 0x9E3779B97F4A7C15
		return record{shogi.Move(h>>16) | 1, value(int16(h >> 32)), value(int16(h >> 48)), int(h % 100), boundExact, h>>20&1 != 0}
	}
	n := 200_000
	if testing.Short() {
		n = 20_000
	}
	var wg sync.WaitGroup
	var hits [4]int
	for g := range 4 {
		wg.Go(func() {
			x := uint64(g + 1)
			for range n {
				x = x*6364136223846793005 + 1442695040888963407
				key := x >> 61 // eight keys in one cluster
				if x>>60&1 == 0 {
					tab.store(key, made(key))
				} else if r, ok := tab.probe(key); ok {
					hits[g]++
					if r != made(key) {
						t.Errorf("key %d: %+v", key, r)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	assert.Positive(t, hits[0]+hits[1]+hits[2]+hits[3])
}

func TestMateDistancesMove(t *testing.T) {
	for _, v := range []value{0, 100, -100, maxCp, -maxCp, mateValue - 7, 7 - mateValue, repetitionWin - 7, 7 - repetitionWin} {
		assert.Equal(t, v, fromTable(toTable(v, 5), 5))
		if v > maxCp {
			assert.Equal(t, v+2, fromTable(toTable(v, 7), 5))
		}
	}
}
