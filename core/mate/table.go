package mate

import (
	"math/bits"
	"unsafe"

	"komadori/core/shogi"
)

// infinite is the number of what is refuted (as a proof number) or proven (as a disproof number).
const infinite uint32 = 1 << 30

const (
	// free marks a refutation that does not depend on the path that led to it.
	free = 1<<15 - 1

	// endless is the length of a refutation that holds for mates of any length.
	endless = 1<<15 - 1
)

// An entry is what is known of a board with a side to move, for some hands of the attacker. The men of a problem are always the same, so
// the attacker's hand decides the defender's.
//
// Proven: with this hand or more the attacker mates within so many plies. Refuted: with this hand or less he does not within so many
// plies. Neither: the numbers of just this hand in searches of just so many plies from the root.
type entry struct {
	key    uint64 // of board and side; of the path besides where the result leans on it
	hand   shogi.Hand
	proof  uint32 // proof number; 0 is proven
	refute uint32 // disproof number; 0 is refuted
	effort uint32 // nodes spent below
	length uint16 // plies; of numbers the round
	depend int16  // of a refutation: the ply of the earliest position on the path that it leans on; free when none
	move   shogi.Move
	age    uint16 // of the problem that it belongs to; another age is an empty place
}

const (
	entrySize  = 32
	chunkBits  = 11
	chunkSlots = 1 << chunkBits
	chunkFull  = chunkSlots * 5 / 8
)

// A chunk is a hash table with linear probing for a part of all keys.
type chunk struct {
	slots [chunkSlots]entry
	used  int32
	bits  uint8 // of the key, counted from the top, that its entries share
}

// A table begins with one chunk and divides chunks that are full, so that small problems stay within the processor's cache. Once it has all
// the memory it may have, a full chunk is cleaned instead: entries with little work behind them go (SmallTreeGC, Nagai 2002).
type table struct {
	dir    []*chunk // by the top bits of a key; neighbours may share one
	bits   uint
	chunks []*chunk // all that have been made
	inUse  int
	most   int
	deep   uint8 // how many bits of a key may choose the chunk
	age    uint16
	spare  []entry // of one chunk, while it is cleaned or divided
}

// newTable makes a table that takes at most so many bytes, and two chunks in any case.
func newTable(bytes int) table {
	const perChunk = int(unsafe.Sizeof(chunk{})) + 8 + 8<<3 // with its place in the list and in the directory
	n := max(bytes/perChunk-1, 2)                           // one is spare
	return table{most: n, deep: uint8(bits.Len(uint(n-1)) + 2)}
}

// reset forgets everything. It keeps the memory.
func (t *table) reset() {
	t.age++
	if t.age == 0 {
		for _, c := range t.chunks {
			clear(c.slots[:])
		}
		t.age = 1
	}
	t.inUse, t.bits = 0, 0
	t.dir = append(t.dir[:0], t.take(0))
}

// take gives an empty chunk, nil when there is none left.
func (t *table) take(bits uint8) *chunk {
	if t.inUse == len(t.chunks) {
		if len(t.chunks) >= t.most {
			return nil
		}
		t.chunks = append(t.chunks, new(chunk))
	}
	c := t.chunks[t.inUse]
	t.inUse++
	c.used, c.bits = 0, bits
	return c
}

func (t *table) chunkOf(key uint64) *chunk { return t.dir[key>>((64-t.bits)&127)] }

// A finding is what the table tells of a position.
type finding struct {
	proof, refute uint32
	hand          shogi.Hand
	length        int16
	depend        int16
	move          shogi.Move
	known         bool
}

// lookup finds what is known of a position with so many plies left: a proof or a refutation where there is one, numbers otherwise. The
// numbers of other hands are bounds: more in hand makes a mate no harder to prove and no easier to refute.
//
// Numbers of another round are left out.
func (t *table) lookup(key uint64, hand shogi.Hand, plies int, round uint16) (f finding) {
	c := t.chunkOf(key)
	f.proof, f.refute = 1, 1
	for i := key; ; i++ {
		e := &c.slots[i%chunkSlots]
		if e.age != t.age {
			return f
		}
		if e.key != key {
			continue
		}
		switch {
		case e.proof == 0:
			if int(e.length) <= plies && hand.IsSuperiorOrEqual(e.hand) {
				return finding{0, infinite, e.hand, int16(e.length), free, e.move, true}
			}
		case e.refute == 0:
			if int(e.length) >= plies && e.hand.IsSuperiorOrEqual(hand) {
				return finding{infinite, 0, e.hand, int16(e.length), e.depend, shogi.MoveNone, true}
			}
		case e.length != round:
		case e.hand == hand:
			f.known = true
			f.proof, f.refute = max(f.proof, e.proof), max(f.refute, e.refute)
		case e.hand.IsSuperiorOrEqual(hand):
			f.proof = max(f.proof, e.proof)
		case hand.IsSuperiorOrEqual(e.hand):
			f.refute = max(f.refute, e.refute)
		}
	}
}

// twin finds a refutation that leans on the path; key is of both position and path.
func (t *table) twin(key uint64, hand shogi.Hand, plies int) (f finding, ok bool) {
	c := t.chunkOf(key)
	for i := key; ; i++ {
		e := &c.slots[i%chunkSlots]
		if e.age != t.age {
			return f, false
		}
		if e.key == key && e.hand == hand && e.refute == 0 && int(e.length) >= plies {
			return finding{infinite, 0, e.hand, int16(e.length), e.depend, shogi.MoveNone, true}, true
		}
	}
}

// store notes a result. held is the hand with which the position was reached; a proof may hold for less and a refutation for more.
func (t *table) store(n entry, held shogi.Hand) {
	n.age = t.age
	for {
		c := t.chunkOf(n.key)
		for i := n.key; ; i++ {
			e := &c.slots[i%chunkSlots]
			if e.age != t.age {
				if c.used >= chunkFull && t.makeRoom(n.key, c) {
					break // and look again
				}
				*e = n
				c.used++
				return
			}
			if e.key == n.key && e.replaceableBy(&n, held) {
				n.effort = max(n.effort, e.effort)
				*e = n
				return
			}
		}
	}
}

// replaceableBy tells whether a new result of the same board says all that e says.
func (e *entry) replaceableBy(n *entry, held shogi.Hand) bool {
	switch {
	case e.proof != 0 && e.refute != 0:
		return e.hand == held && (e.length == n.length || n.proof == 0 || n.refute == 0)
	case e.proof == 0:
		return n.proof == 0 && e.hand.IsSuperiorOrEqual(n.hand) && n.length <= e.length
	}
	return n.refute == 0 && n.hand.IsSuperiorOrEqual(e.hand) && n.length >= e.length && e.depend == n.depend
}

// makeRoom divides a full chunk or cleans it. It is false when neither is possible and the chunk takes some more.
func (t *table) makeRoom(key uint64, c *chunk) bool {
	if c.bits < t.deep {
		if other := t.take(c.bits + 1); other != nil {
			t.split(key, c, other)
			return true
		}
	}
	return t.clean(c)
}

// split hands the upper half of a chunk's keys to another.
func (t *table) split(key uint64, c, other *chunk) {
	if uint(c.bits) == t.bits {
		n := len(t.dir)
		t.dir = append(t.dir, t.dir...)
		for i := n - 1; i >= 0; i-- {
			t.dir[2*i], t.dir[2*i+1] = t.dir[i], t.dir[i]
		}
		t.bits++
	}
	c.bits++
	span := 1 << (t.bits - uint(c.bits))           // places of the directory for each half
	first := int(key>>(64-t.bits)) &^ (2*span - 1) // of the lower half
	for i := range span {
		t.dir[first+span+i] = other
	}
	t.gather(c)
	for i := range t.spare {
		e := &t.spare[i]
		t.chunkOf(e.key).insert(*e)
	}
}

// gather moves all entries of a chunk into spare.
func (t *table) gather(c *chunk) {
	if t.spare == nil {
		t.spare = make([]entry, 0, chunkSlots)
	}
	t.spare = t.spare[:0]
	for i := range c.slots {
		if c.slots[i].age == t.age {
			t.spare = append(t.spare, c.slots[i])
		}
	}
	clear(c.slots[:])
	c.used = 0
}

// insert adds an entry to a chunk that has room and not yet this entry.
func (c *chunk) insert(e entry) {
	for i := e.key; ; i++ {
		if s := &c.slots[i%chunkSlots]; s.age != e.age {
			*s = e
			c.used++
			return
		}
	}
}

// clean takes about half of the entries out, those with the least work behind them.
func (t *table) clean(c *chunk) bool {
	t.gather(c)
	var count [33]int
	for i := range t.spare {
		count[bits.Len32(t.spare[i].effort)]++
	}
	limit, gone := 0, 0
	for gone < len(t.spare)/2 {
		gone += count[limit]
		limit++
	}
	excess := gone - len(t.spare)/2 // of the last class some may stay
	for i := range t.spare {
		e := &t.spare[i]
		switch size := bits.Len32(e.effort); {
		case size >= limit:
		case size == limit-1 && excess > 0:
			excess--
		default:
			continue
		}
		c.insert(*e)
	}
	return true
}

// fill is how many thousandths of the table's places have an entry.
func (t *table) fill() int {
	used := 0
	for _, c := range t.chunks[:t.inUse] {
		used += int(c.used)
	}
	return used * 1000 / (t.most * chunkFull)
}
