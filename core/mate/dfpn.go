package mate

import (
	"math"
	"slices"
	"sync/atomic"
	"time"

	"komadori/core/board"
	"komadori/core/shogi"
)

// Depth-first proof-number search (df-pn; Nagai 2002). A node's proof number estimates how many leaves must yet be proven
// to prove the mate, its disproof number how many refuted to refute it; the search follows the most promising leaf by
// thresholds. Over several open children the numbers are not added up but the largest is taken plus one for each other
// ("weak" proof numbers), as one position tends to be reached on many ways.
//
// Loops: a position that returns on the path, or comes back with no more in the attacker's hand, is refuted there. Proofs never
// lean on that, but refutations may, and then hold on this path only (the graph-history problem). Such a refutation carries the
// ply of the earliest position it leans on. Above that position it holds on any path: the shortest mate never returns to
// where it came from. Below, it is stored under a key that includes the whole path. So the root's answer never depends on a path.
//
// With a limit of plies the search needs no rule for loops, as the plies run out; keys then include the plies left.

// A search is the state of one Solve.
type search struct {
	pos      board.Position
	attacker shogi.Color
	list     board.MoveList
	stack    []child // children of all nodes on the path
	path     []visited

	nodes, limit uint64
	nextClock    uint64
	timed        bool
	deadline     time.Time
	stop         *atomic.Int32
	stopped      bool
	loops        bool // whether any path-dependent refutation has been stored
	limited      bool // plies are limited
}

// visited is a position on the path.
type visited struct {
	key  uint64
	hand shogi.Hand
}

// A child is a move of a node with the numbers of the position after it.
type child struct {
	key    uint64
	hand   shogi.Hand
	move   shogi.Move
	length int32
	outcome
}

// An outcome is the numbers of a node.
type outcome struct {
	proof, refute uint32
	depend        int32
}

// Plies left become part of a key by these.
func pliesKey(n int) uint64 { return mix(uint64(n) + 0x9E3779B97F4A7C15) }

// mix is the finaliser of splitmix64.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

func (s *Solver) solve(p *board.Position, limits Limits, stop *atomic.Int32, start time.Time) Result {
	if limits.Nodes == 0 && limits.MoveTime == 0 {
		limits.Nodes = DefaultNodes
	}
	if limits.Nodes == 0 {
		limits.Nodes = math.MaxUint64
	}
	s.pos, s.attacker = *p, p.Turn()
	s.nodes, s.limit, s.nextClock = 0, limits.Nodes, 0
	s.timed, s.deadline = limits.MoveTime > 0, start.Add(limits.MoveTime)
	s.stop, s.stopped, s.loops = stop, false, false
	s.table.nextSearch()

	r := Result{}
	switch o := s.prove(limits.Depth); {
	case o.proof == 0:
		if line := s.line(limits.Depth); line != nil {
			r.Status, r.PV = Mate, line
		}
	case o.refute == 0 && o.depend >= 0:
		r.Status = NoMate
	}
	if r.Status == Mate && limits.Shortest {
		s.shorten(&r)
	}
	r.Length, r.Nodes = len(r.PV), s.nodes
	r.Stopped = stop != nil && stop.Load() != 0
	return r
}

// prove searches the present position with the attacker to move, within so many plies if they are not 0.
func (s *Solver) prove(plies int) outcome {
	s.limited = plies > 0
	s.stack, s.path = s.stack[:0], s.path[:0]
	key := s.key(true, plies)
	hand := s.pos.Hand(s.attacker)
	if e := s.table.lookup(key, hand); e != nil && (e.proof == 0 || e.refute == 0) {
		return outcome{e.proof, e.refute, int32(e.depend)}
	}
	return s.expand(true, key, hand, mix(key), plies, infinite, infinite)
}

// shorten looks for a shorter mate ply by ply, and for the line of longest resistance.
func (s *Solver) shorten(r *Result) {
	for plies := 1; plies < len(r.PV); plies += 2 {
		o := s.prove(plies)
		if s.stopped {
			return
		}
		if o.proof == 0 {
			line := s.resist(plies)
			if line != nil {
				r.PV, r.Proven = line, true
			}
			return
		}
	}
	if line := s.resist(len(r.PV)); line != nil {
		r.PV, r.Proven = line, true
	}
}

// key is of the board and the side to move, and of the plies left where they count.
func (s *search) key(or bool, plies int) uint64 {
	k := s.pos.BoardKey()
	if or {
		k = ^k
	}
	if s.limited {
		k ^= pliesKey(plies)
	}
	return k
}

// visit counts a position and tells whether to end.
func (s *search) visit() bool {
	s.nodes++
	if s.nodes >= s.limit {
		s.stopped = true
	}
	if s.nodes >= s.nextClock {
		s.nextClock = s.nodes + 256
		if s.stop != nil && s.stop.Load() != 0 || s.timed && !time.Now().Before(s.deadline) {
			s.stopped = true
		}
	}
	return s.stopped
}

// expand searches a node until its numbers reach the thresholds, or it is solved, or the search is stopped.
// or tells whether the attacker is to move. trail identifies the path, plies are those left.
func (s *Solver) expand(or bool, key uint64, hand shogi.Hand, trail uint64, plies int, proofLimit, refuteLimit uint32) outcome {
	begun := s.nodes
	ply := len(s.path)
	s.path = append(s.path, visited{key, hand})
	base := len(s.stack)
	o, best := s.children(or, trail, plies, ply)
	for o.proof != 0 && o.refute != 0 && o.proof < proofLimit && o.refute < refuteLimit && !s.stopped {
		o, best = s.step(or, trail, plies, ply, base, proofLimit, refuteLimit)
	}
	s.path = s.path[:ply]
	n := entry{key: key, hand: uint32(hand), proof: o.proof, refute: o.refute, depend: free,
		effort: uint32(min(s.nodes-begun, math.MaxUint32))}
	switch {
	case o.proof == 0:
		n.move, n.length = best.move, uint16(best.length)
	case o.refute == 0:
		if int(o.depend) >= ply {
			o.depend = free // it leans on nothing before this position
		}
		n.depend = int16(o.depend)
		if o.depend != free && !s.limited {
			n.key, s.loops = key^trail, true
		}
	}
	if !s.stopped || o.proof == 0 || o.refute == 0 {
		s.table.store(n)
	}
	s.stack = s.stack[:base]
	return o
}

// children puts the moves of a node on the stack with what is known of them, and sums up.
// When a move solves the node at once it is returned alone.
func (s *Solver) children(or bool, trail uint64, plies, ply int) (outcome, child) {
	base := len(s.stack)
	if or {
		s.pos.Generate(board.Checks, shogi.NoSquare, &s.list)
	} else {
		s.pos.Legal(&s.list)
	}
	for _, m := range s.list.Slice() {
		u := s.pos.Do(m)
		c := s.child(or, m, trail, plies-1, ply+1)
		s.pos.Undo(m, u)
		s.stack = append(s.stack, c)
		if or && c.proof == 0 {
			return outcome{0, infinite, free}, child{move: m, length: c.length + 1}
		}
		if !or && c.refute == 0 {
			return outcome{infinite, 0, c.depend}, child{move: m}
		}
		if s.visit() {
			break
		}
	}
	if s.stopped {
		return outcome{1, 1, free}, child{}
	}
	return s.sum(or, base)
}

// child is what is known of the present position, which a move has just led to.
func (s *Solver) child(or bool, m shogi.Move, trail uint64, plies, ply int) child {
	c := child{move: m, hand: s.pos.Hand(s.attacker), outcome: outcome{1, 1, free}}
	c.key = s.key(!or, plies)
	refuted := func(depend int32) child {
		c.outcome = outcome{infinite, 0, depend}
		return c
	}
	if !s.limited {
		for i := ply - 2; i >= 0; i -= 2 {
			if v := &s.path[i]; v.key == c.key && v.hand.IsSuperiorOrEqual(c.hand) {
				return refuted(int32(i))
			}
		}
	}
	e := s.table.lookup(c.key, c.hand)
	if s.loops && !s.limited && (e == nil || e.proof != 0 && e.refute != 0) {
		if twin := s.table.exact(c.key^onward(trail, c.key, c.hand), c.hand); twin != nil && twin.refute == 0 {
			return refuted(int32(twin.depend))
		}
	}
	if e != nil {
		c.outcome, c.length = outcome{e.proof, e.refute, int32(e.depend)}, int32(e.length)
		return c
	}
	switch {
	case or: // the defender is to move
		replies := s.pos.CountLegal()
		if replies == 0 {
			c.outcome = outcome{0, infinite, free}
			return c
		}
		c.proof = uint32(replies)
		if s.limited && plies <= 0 {
			return refuted(-1)
		}
	case s.limited && plies <= 0:
		return refuted(-1)
	}
	if ply >= MaxLength {
		return refuted(-1)
	}
	return c
}

// onward leads a path's identity on to the next position.
func onward(trail, key uint64, hand shogi.Hand) uint64 { return mix(trail*3 + key ^ uint64(hand)<<32) }

// sum is the outcome of a node from those of its children, with the move that proves it.
func (s *Solver) sum(or bool, base int) (outcome, child) {
	children := s.stack[base:]
	if or {
		o := outcome{infinite, 0, free}
		open := uint32(0)
		var best child
		for i := range children {
			c := &children[i]
			if c.proof == 0 {
				return outcome{0, infinite, free}, child{move: c.move, length: c.length + 1}
			}
			if c.refute == 0 {
				o.depend = min(o.depend, c.depend)
				continue
			}
			open++
			o.proof = min(o.proof, c.proof)
			o.refute = max(o.refute, c.refute)
		}
		if open > 0 {
			o.refute, o.depend = min(o.refute+open-1, infinite-1), free
		}
		return o, best
	}
	o := outcome{0, infinite, free}
	open := uint32(0)
	var longest child
	for i := range children {
		c := &children[i]
		if c.refute == 0 {
			return outcome{infinite, 0, c.depend}, child{move: c.move}
		}
		if c.proof == 0 {
			if c.length+1 > longest.length {
				longest = child{move: c.move, length: c.length + 1}
			}
			continue
		}
		open++
		o.refute = min(o.refute, c.refute)
		o.proof = max(o.proof, c.proof)
	}
	if open > 0 {
		o.proof = min(o.proof+open-1, infinite-1)
	}
	return o, longest
}

// step searches the most promising child of a node as long as it stays so.
func (s *Solver) step(or bool, trail uint64, plies, ply, base int, proofLimit, refuteLimit uint32) (outcome, child) {
	children := s.stack[base:]
	at, first, second, open := -1, infinite, infinite, uint32(0)
	firstOther := uint32(0)
	for i := range children {
		c := &children[i]
		if c.proof == 0 || c.refute == 0 {
			continue
		}
		open++
		n, other := c.proof, c.refute
		if !or {
			n, other = other, n
		}
		if n < first || n == first && other < firstOther {
			second = first
			at, first, firstOther = i, n, other
		} else {
			second = min(second, n)
		}
	}
	c := children[at]
	// The child keeps the turn while it is at most a quarter worse than the next best, lest the search jump about.
	var childProof, childRefute uint32
	if or {
		childProof = min(proofLimit, second+second/4+1, infinite)
		childRefute = refuteLimit - min(open-1, refuteLimit-1)
	} else {
		childRefute = min(refuteLimit, second+second/4+1, infinite)
		childProof = proofLimit - min(open-1, proofLimit-1)
	}
	u := s.pos.Do(c.move)
	o := s.expand(!or, c.key, c.hand, onward(trail, c.key, c.hand), plies-1, childProof, childRefute)
	s.pos.Undo(c.move, u)
	done := &s.stack[base+at]
	done.outcome = o
	if o.proof == 0 {
		if e := s.table.lookup(c.key, c.hand); e != nil && e.proof == 0 {
			done.length = int32(e.length)
		}
	}
	return s.sum(or, base)
}

// line reads a proven mate from the table, searching again what has been overwritten: at each defence the longest known.
// It is nil when that takes too long.
func (s *Solver) line(plies int) []shogi.Move { return s.follow(plies, nil) }

// resist is the line of a mate that needs all its plies: at each defence a move after which no shorter mate exists.
func (s *Solver) resist(plies int) []shogi.Move {
	return s.follow(plies, func(plies int) bool { return s.prove(plies).proof != 0 && !s.stopped })
}

// follow walks along a proven mate. lasts tells, when given, whether the attacker at the present position needs more than some plies.
func (s *Solver) follow(plies int, lasts func(plies int) bool) []shogi.Move {
	saved := s.pos
	limit := s.limit
	defer func() { s.pos, s.limit = saved, limit }()
	if !s.stopped && s.limit < math.MaxUint64/2 {
		s.limit = s.nodes + max(s.limit, DefaultNodes)/2 // proven already: finding the line again is worth some more
	}
	var line []shogi.Move
	var seen []board.Position
	for len(line) < MaxLength {
		if s.prove(plies).proof != 0 || s.stopped {
			return nil
		}
		check := s.matingMove(plies)
		if check == shogi.MoveNone {
			return nil
		}
		line = append(line, check)
		s.pos.Do(check)
		reply, mated := s.longestReply(plies-1, lasts)
		if mated {
			return line
		}
		if reply == shogi.MoveNone {
			return nil
		}
		line = append(line, reply)
		s.pos.Do(reply)
		if plies > 0 {
			plies -= 2
		}
		now := s.pos
		if slices.ContainsFunc(seen, func(p board.Position) bool { return p.Key() == now.Key() }) {
			return nil // entries of different age led in a circle
		}
		seen = append(seen, now)
	}
	return nil
}

// matingMove is the check that leads to the shortest known mate.
func (s *Solver) matingMove(plies int) shogi.Move {
	var list board.MoveList
	s.pos.Generate(board.Checks, shogi.NoSquare, &list)
	best, length := shogi.MoveNone, int32(math.MaxInt32)
	for _, m := range list.Slice() {
		u := s.pos.Do(m)
		s.path = s.path[:0]
		if !s.pos.HasLegalMove() {
			best, length = m, 0
		} else if e := s.table.lookup(s.key(false, plies-1), s.pos.Hand(s.attacker)); e != nil && e.proof == 0 && int32(e.length) < length {
			best, length = m, int32(e.length)
		}
		s.pos.Undo(m, u)
		if length == 0 {
			break
		}
	}
	return best
}

// longestReply is the reply with the longest known mate behind it; true when there is none because it is mate.
func (s *Solver) longestReply(plies int, lasts func(int) bool) (shogi.Move, bool) {
	var list board.MoveList
	s.pos.Legal(&list)
	if list.N == 0 {
		return shogi.MoveNone, true
	}
	best, length := shogi.MoveNone, -1
	for _, m := range list.Slice() {
		u := s.pos.Do(m)
		if lasts != nil && plies >= 3 && lasts(plies-3) {
			s.pos.Undo(m, u)
			return m, false
		}
		if s.stopped {
			s.pos.Undo(m, u)
			return shogi.MoveNone, false
		}
		rest := max(plies-1, 0)
		if s.prove(rest).proof == 0 {
			if e := s.table.lookup(s.key(true, rest), s.pos.Hand(s.attacker)); e != nil && int(e.length) > length {
				best, length = m, int(e.length)
			}
		}
		s.pos.Undo(m, u)
	}
	return best, false
}
