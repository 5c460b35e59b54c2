package search

import (
	"math/bits"
	"sync/atomic"

	"komadori/core/internal/pages"
	"komadori/core/shogi"
)

// A bound says how a stored value relates to the true one.
type bound uint8

const (
	boundNone  bound = 0 // there is no value
	boundUpper bound = 1 // the true value is at most this
	boundLower bound = 2 // at least this
	boundExact bound = 3
)

// An entry is 16 bytes: a packed payload, and the position's key XOR that payload. Two threads that write one entry at
// once can leave halves of both; such a pair does not give the key back and reads as absent, so no lock is needed, nor an order of the halves.
//
// Payload, from bit 0: move 16, value 16, static evaluation 16, depth + depthOffset 8, bound 2, pv 1, generation 5.
type entry struct{ check, payload uint64 }

// A cluster is one cache line; a position's entry may be any of its four.
type cluster [4]entry

// depthOffset makes depths below 0 storable; a payload of 0 is an empty entry.
const depthOffset = 10

// depthUnsearched is that of entries that know no more than a static evaluation: the first to give way.
const depthUnsearched = -3

// A record is an entry unpacked.
type record struct {
	move  shogi.Move
	value value
	eval  value
	depth int
	bound bound
	pv    bool // has been on a principal variation
}

// A table remembers what was found out about positions, shared by the threads of a search.
// The key covers board, hands and side to move.
//
// It uses no more of its memory than it needs: the nearer its entries lie together, the sooner the processor has them (200,000 nodes in 4 MiB took
// 0.85 of the time that they took in 64 MiB).
type table struct {
	clusters   []cluster // in use
	room       []cluster // which clusters are a part of; the rest is zero
	shift      uint
	generation uint64
	positions  uint64 // that have been looked at since it was cleared
}

// HasMemory tells whether the machine has so many MiB for a table at present, as far as it says. The tables of a Searcher are taken without that
// question: a system may promise more memory than there is, and end the process that uses it.
func HasMemory(mib int) bool { return pages.Holds(mib) }

// newTable has the largest power of two of clusters that fits.
func newTable(mebibytes int) *table {
	n := uint(bits.Len(uint(mebibytes)<<20/clusterBytes)) - 1
	t := &table{room: pages.Slice[cluster](1 << n)}
	t.use(min(fewClusters, len(t.room)))
	return t
}

const clusterBytes = 64

// fewClusters are what a table begins with.
const fewClusters = 1 << 12

func (t *table) use(clusters int) {
	t.clusters = t.room[:clusters]
	t.shift = uint(64 - bits.TrailingZeros(uint(clusters)))
}

// add tells of positions that have been visited.
func (t *table) add(positions uint64) { t.positions += positions }

// grow makes room for what has been visited and others that are to come. No other thread may use the table meanwhile. It doubles up to
// mostDoubled, and then takes all: to move more entries would take longer than a search that is to stop may take.
func (t *table) grow(others uint64) {
	for len(t.clusters) < len(t.room) && uint64(len(t.clusters))*clusterFill < t.positions+others {
		clusters := len(t.room)
		if n := len(t.clusters); n < mostDoubled {
			clusters = min(2*n, clusters)
		}
		t.spread(clusters)
	}
}

// clusterFill is how many positions a cluster is to stand for before the table grows. Half to three quarters of them leave an entry; the shallowest give way.
const clusterFill = 3

// mostDoubled are 8 MiB.
const mostDoubled = 1 << 17

// spread puts the entries into so many clusters, as more bits of their keys tell.
func (t *table) spread(clusters int) {
	n := len(t.clusters)
	t.use(clusters)
	for i := n - 1; i >= 0; i-- {
		old := t.clusters[i]
		t.clusters[i] = cluster{}
		for _, e := range old {
			if e.payload == 0 {
				continue
			}
			c := t.cluster(e.check ^ e.payload)
			for j := range c {
				if c[j].payload == 0 {
					c[j] = e
					break
				}
			}
		}
	}
}

// nextSearch makes all entries older by one.
func (t *table) nextSearch() { t.generation = (t.generation + 1) & 31 }

// clear forgets everything; no search may run. So it needs no atomic stores, which would take ten times as long.
func (t *table) clear() {
	clear(t.clusters)
	t.use(min(fewClusters, len(t.room)))
	t.generation, t.positions = 0, 0
}

func (t *table) cluster(key uint64) *cluster { return &t.clusters[key>>t.shift] }

func pack(r record, generation uint64) uint64 {
	return uint64(r.move) | uint64(uint16(r.value))<<16 | uint64(uint16(r.eval))<<32 |
		uint64(uint8(r.depth+depthOffset))<<48 | uint64(r.bound)<<56 | uint64(b2i(r.pv))<<58 | generation<<59
}

func unpack(p uint64) record {
	return record{
		move:  shogi.Move(p),
		value: value(int16(p >> 16)),
		eval:  value(int16(p >> 32)),
		depth: int(uint8(p>>48)) - depthOffset,
		bound: bound(p >> 56 & 3),
		pv:    p>>58&1 != 0,
	}
}

// probe looks a position up.
func (t *table) probe(key uint64) (record, bool) {
	c := t.cluster(key)
	for i := range c {
		p := atomic.LoadUint64(&c[i].payload)
		if p != 0 && atomic.LoadUint64(&c[i].check)^p == key {
			return unpack(p), true
		}
	}
	return record{eval: noValue}, false
}

// store writes a position's entry over its own old one, an empty one, or the least valuable: shallow and old.
func (t *table) store(key uint64, r record) {
	c := t.cluster(key)
	var victim *entry
	worst := 1 << 30
	for i := range c {
		e := &c[i]
		p := atomic.LoadUint64(&e.payload)
		if p == 0 {
			if worst > -1<<20 {
				victim, worst = e, -1<<20
			}
			continue
		}
		if atomic.LoadUint64(&e.check)^p == key {
			old := unpack(p)
			if r.move == shogi.MoveNone {
				r.move = old.move
			}
			// A much deeper result of this search is worth more than a bound found on the way.
			if r.bound != boundExact && p>>59 == t.generation && r.depth < old.depth-3 {
				return
			}
			victim = e
			break
		}
		if age := int((t.generation - p>>59) & 31); int(uint8(p>>48))-8*age < worst {
			victim, worst = e, int(uint8(p>>48))-8*age
		}
	}
	p := pack(r, t.generation)
	put(&victim.check, key^p)
	put(&victim.payload, p)
}

// permille is how full the table is of entries of the present search, from a sample of the first thousand entries.
func (t *table) permille() (n int) {
	total := min(250, len(t.clusters))
	for i := range total {
		for j := range t.clusters[i] {
			if p := atomic.LoadUint64(&t.clusters[i][j].payload); p != 0 && p>>59 == t.generation {
				n++
			}
		}
	}
	return int(int64(n) * 250 * int64(len(t.clusters)) / (int64(total) * int64(len(t.room))))
}
