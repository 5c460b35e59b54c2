package mate

import (
	"math/bits"

	"komadori/core/shogi"
)

// infinite is the number of what is refuted (as a proof number) or proven (as a disproof number).
const infinite uint32 = 1 << 30

// free marks a result that does not depend on the path that led to it.
const free = 1<<15 - 1

// An entry is what is known of a position, for the attacker's hand it was reached with.
type entry struct {
	key    uint64 // of board and side, and of the plies left or the path where those matter
	hand   uint32 // the attacker's
	proof  uint32 // proof number; 0 is proven
	refute uint32 // disproof number; 0 is refuted
	effort uint32 // nodes spent below
	move   shogi.Move
	length uint16 // of the mate, when proven
	depend int16  // of a refutation: the ply of the earliest position on the path that it leans on; free when none
	age    uint16 // of the search that wrote it; 0 is an empty entry
}

const clusterSize = 4

// A table holds entries in clusters by key; the least laborious gives way.
type table struct {
	entries []entry
	shift   uint
	age     uint16
}

func newTable(mebibytes int) table {
	n := uint(bits.Len(uint(mebibytes)<<20/(32*clusterSize))) - 1
	return table{entries: make([]entry, clusterSize<<n), shift: 64 - n}
}

// nextSearch forgets everything.
func (t *table) nextSearch() {
	t.age++
	if t.age == 0 {
		clear(t.entries)
		t.age = 1
	}
}

func (t *table) cluster(key uint64) []entry {
	i := key >> t.shift * clusterSize
	return t.entries[i : i+clusterSize : i+clusterSize]
}

// lookup finds what is known of a position. The men of a problem are always the same, so the attacker's hand decides the
// defender's. What mates with less in hand mates with more, and what does not mate with more does not with less.
func (t *table) lookup(key uint64, hand shogi.Hand) (found *entry) {
	c := t.cluster(key)
	for i := range c {
		e := &c[i]
		if e.key != key || e.age != t.age {
			continue
		}
		switch {
		case e.hand == uint32(hand):
			if e.proof == 0 || e.refute == 0 {
				return e
			}
			found = e
		case e.proof == 0 && hand.IsSuperiorOrEqual(shogi.Hand(e.hand)):
			return e
		case e.refute == 0 && shogi.Hand(e.hand).IsSuperiorOrEqual(hand):
			return e
		}
	}
	return found
}

// exact finds a position with just this hand.
func (t *table) exact(key uint64, hand shogi.Hand) *entry {
	c := t.cluster(key)
	for i := range c {
		if e := &c[i]; e.key == key && e.age == t.age && e.hand == uint32(hand) {
			return e
		}
	}
	return nil
}

// store writes over the position's own entry or the least laborious one.
func (t *table) store(n entry) {
	n.age = t.age
	c := t.cluster(n.key)
	victim := &c[0]
	for i := range c {
		e := &c[i]
		if e.key == n.key && e.hand == n.hand && e.age == t.age {
			// A proven length only ever falls, so that lines read from the table come to an end.
			if e.proof == 0 && (n.proof != 0 || n.length >= e.length) {
				return
			}
			n.effort = max(n.effort, e.effort)
			victim = e
			break
		}
		if e.age != t.age {
			if victim.age == t.age {
				victim = e
			}
		} else if victim.age == t.age && e.effort < victim.effort {
			victim = e
		}
	}
	*victim = n
}
