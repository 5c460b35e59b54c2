package mate

import (
	"math"
	"sync/atomic"
	"time"
	"unsafe"

	"komadori/core/bitboard"
	"komadori/core/board"
	"komadori/core/shogi"
)

// Depth-first proof-number search (df-pn; Nagai 2002). A node's proof number estimates how many leaves must yet be proven
// to prove the mate, its disproof number how many refuted to refute it; the search follows the most promising leaf by
// thresholds, and stays with a child until it is an eighth worse than the next best (1 + epsilon; Pawlewicz and Lew 2007). Over the
// attacker's open moves disproof numbers are not added up, but the largest is taken and something for each other ("weak" numbers; Ueda et
// al. 2008), as many checks lead to the same positions.
//
// Loops: a position that returns on the path, or comes back with no more in the attacker's hand, is refuted there. Proofs never
// lean on that, but refutations may, and then hold on this path only (the graph-history problem; Kishimoto and Müller 2004). Such a
// refutation carries the ply of the earliest position it leans on. Above that position it holds on any path: the shortest mate never
// returns to where it came from. Below, it is stored under a key that includes the whole path. So no answer depends on a path.
//
// Plies: every search has a limit of them, at most MaxLength. Proofs and refutations say for how many plies they hold, so that one table
// serves all limits; numbers are of use under the same limit alone.

// The numbers of positions seen for the first time. Only their proportions matter; they were found by trying on sets of problems.
const (
	perMove     = 3 // proof number in check: for each move on the board,
	perSquare   = 3 // for each square on which something can be put between,
	sacrifice   = 6 // and more when the man that checks stands next to the king, or is a knight, and has more enemies than friends there
	inCheck     = 8 // disproof number in check
	noMateInOne = 4 // proof number, the attacker to move
	perCheck    = 5 // and his disproof number: for each check,
	perNode     = 6 // and for the position itself
	another     = 4 // what each further check adds to the largest disproof number

	lookedAt = 2  // replies that are looked at in any case
	notSeen  = 20 // disproof number of those that have not been looked at
)

// A search is the state of one Solve.
type search struct {
	pos      board.Position
	attacker shogi.Color
	list     board.MoveList // moves of the node at work,
	replies  board.MoveList // of a child of it,
	checks   board.MoveList // and of a child of that
	memory   [memorySize]memo
	counts   [countsSize]count
	answers  board.Answers
	stack    []child // children of all nodes on the path
	path     []visited
	onPath   [1024]uint8 // how many positions of the path have these low bits of the key; it saves looking for most

	nodes, limit uint64
	nextClock    uint64
	timed        bool
	deadline     time.Time
	begun        time.Time
	stop         *atomic.Int32
	stopped      bool
	tell         func(Progress)
	told         time.Time
	found        int    // the length of a mate that is being shortened
	round        uint16 // the limit of plies that numbers in the table must be of
	loops        bool   // whether any path-dependent refutation has been stored
}

// visited is a position on the path.
type visited struct {
	key  uint64
	hand shogi.Hand
}

// A memo is the first guess of a position. Nodes that are left and come back to have most of their children looked at again.
type memo struct {
	key  uint64
	held shogi.Hand
	age  uint16
	outcome
	n      int // checks
	checks [24]shogi.Move
}

const memorySize = 1024

// An outcome is what is known of a node. Its hand, length and depend are those of an entry, when it is proven or refuted.
type outcome struct {
	proof, refute uint32
	hand          shogi.Hand
	length        int16
	depend        int16
}

// A child is a move of a node with what is known of the position after it.
type child struct {
	key  uint64
	held shogi.Hand // the attacker's hand there
	outcome
	move shogi.Move
	wait bool // looked at only when the child before it is solved in vain
	todo bool // not looked at yet
}

// childSize is what a child takes, in bytes.
const childSize = int(unsafe.Sizeof(child{}))

func unsolved(proof, refute uint32) outcome { return outcome{proof: proof, refute: refute} }

func proven(hand shogi.Hand, length int16) outcome {
	return outcome{0, infinite, hand, length, free}
}

func refuted(hand shogi.Hand, length, depend int16) outcome {
	return outcome{infinite, 0, hand, length, depend}
}

// longer is a length with some plies before it.
func longer(length int16, plies int16) int16 {
	if length == endless {
		return endless
	}
	return length + plies
}

// mix is the finaliser of splitmix64.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// onward leads a path's identity on to the next position.
func onward(trail, key uint64, hand shogi.Hand) uint64 { return mix(trail*3 + key ^ uint64(hand)<<32) }

// begin prepares for a problem.
func (s *Solver) begin(p *board.Position, limits Limits, stop *atomic.Int32, start time.Time) {
	if limits.Nodes == 0 && limits.MoveTime == 0 {
		limits.Nodes = DefaultNodes
	}
	if limits.Nodes == 0 {
		limits.Nodes = math.MaxUint64
	}
	s.pos, s.attacker = *p, p.Turn()
	s.nodes, s.limit, s.nextClock = 0, limits.Nodes, 0
	s.timed, s.deadline = limits.MoveTime > 0, start.Add(limits.MoveTime)
	s.begun, s.stop, s.stopped, s.loops = start, stop, false, false
	s.tell, s.told, s.found = limits.Tell, start, 0
	s.table.reset()
}

// prove searches the present position with the attacker to move, for mates within so many plies. The move is that of a proof.
func (s *Solver) prove(plies int) (outcome, shogi.Move) {
	s.round = uint16(plies)
	key, hand := s.key(true), s.pos.Hand(s.attacker)
	if f := s.table.lookup(key, hand, plies, s.round); f.proof == 0 || f.refute == 0 {
		return outcome{f.proof, f.refute, f.hand, f.length, f.depend}, f.move
	}
	if m := s.pos.MateInOne(); m != shogi.MoveNone {
		return s.matesBy(m), m
	}
	return s.proveFromHere(plies)
}

// proveFromHere is prove for a position of which nothing is known but that there is no mate in one.
func (s *Solver) proveFromHere(plies int) (outcome, shogi.Move) {
	s.round = uint16(plies)
	key, hand := s.key(true), s.pos.Hand(s.attacker)
	s.stack, s.path = s.stack[:0], s.path[:0]
	return s.expand(true, key, hand, mix(key), plies, infinite, infinite)
}

// key is of the board and the side to move.
func (s *search) key(or bool) uint64 {
	if or {
		return ^s.pos.BoardKey()
	}
	return s.pos.BoardKey()
}

// visit counts a position and tells whether to end.
func (s *Solver) visit() bool {
	if s.stopped {
		return true
	}
	s.nodes++
	if s.nodes >= s.limit {
		s.stopped = true
	}
	if s.nodes >= s.nextClock {
		s.nextClock = s.nodes + 256
		s.lookUp()
	}
	return s.stopped
}

// lookUp looks at flag and clock, and tells the progress.
func (s *Solver) lookUp() {
	if s.stop != nil && s.stop.Load() != 0 {
		s.stopped = true
	}
	if !s.timed && s.tell == nil {
		return
	}
	now := time.Now()
	if s.timed && !now.Before(s.deadline) {
		s.stopped = true
	}
	if s.tell != nil && now.Sub(s.told) >= 100*time.Millisecond {
		s.told = now
		s.tell(Progress{s.nodes, now.Sub(s.begun), len(s.path), s.table.fill(), s.found})
	}
}

// matesBy is the outcome of a position in which a move mates at once.
func (s *search) matesBy(m shogi.Move) outcome {
	taken := shogi.NoPiece
	if !m.IsDrop() {
		taken = s.pos.PieceAt(m.To())
	}
	u := s.pos.Do(m)
	hand := s.mated()
	s.pos.Undo(m, u)
	return proven(before(hand, m, taken), 1)
}

// mated is what the attacker needs in hand for the present position to be mate: all men of kinds that the defender would otherwise put
// between.
func (s *search) mated() shogi.Hand {
	checkers := s.pos.Checkers()
	if checkers.Several() || bitboard.Between(s.pos.KingSquare(s.attacker^1), checkers.First()).IsEmpty() {
		return 0
	}
	return s.lacking()
}

// lacking is all that the attacker holds of kinds of which the defender has none.
func (s *search) lacking() shogi.Hand {
	return s.pos.Hand(s.attacker) &^ kinds(s.pos.Hand(s.attacker^1))
}

// expand searches a node until its numbers reach the thresholds, or it is solved, or the search is stopped.
// or tells whether the attacker is to move. trail identifies the path, plies are those left.
func (s *Solver) expand(or bool, key uint64, held shogi.Hand, trail uint64, plies int, proofLimit, refuteLimit uint32) (outcome, shogi.Move) {
	begun := s.nodes
	s.visit()
	ply := len(s.path)
	s.path = append(s.path, visited{key, held})
	s.onPath[key%1024]++
	base := len(s.stack)
	n := node{or: or, base: base, ply: ply, plies: plies, trail: trail, enough: uint64(proofLimit)}
	if or {
		s.checksOf(&n, key, held)
	} else {
		s.repliesTo(&n)
	}
	for n.proof != 0 && n.refute != 0 && n.proof < proofLimit && n.refute < refuteLimit && !s.stopped {
		s.step(&n, proofLimit, refuteLimit)
	}
	s.onPath[key%1024]--
	s.path = s.path[:ply]
	o, move := n.outcome, shogi.MoveNone
	e := entry{key: key, hand: held, proof: o.proof, refute: o.refute, depend: free, length: s.round, effort: uint32(min(s.nodes-begun, math.MaxUint32))}
	switch {
	case o.proof == 0:
		move = n.best
		e.hand, e.length, e.move = o.hand, uint16(o.length), move
	case o.refute == 0:
		if int(o.depend) >= ply {
			o.depend = free // it leans on nothing before this position
		}
		e.hand, e.length, e.depend = o.hand, uint16(o.length), o.depend
		if o.depend != free {
			e.key, e.hand, s.loops = key^trail, held, true
		}
	}
	if !s.stopped || o.proof == 0 || o.refute == 0 {
		s.table.store(e, held)
	}
	s.stack = s.stack[:base]
	return o, move
}

// A node is one that is being expanded.
type node struct {
	or    bool
	base  int // of its children on the stack
	ply   int
	plies int // left
	trail uint64

	// Of the defender's nodes: the proof number at which they are left, and how many replies have not been looked at, those that wait left out. Such a
	// reply counts as one after which there is no mate in one, and is looked at when it decides whether the node is left.
	enough uint64
	unseen uint64

	// What the children sum up to.
	outcome
	best   shogi.Move // the move of a proof
	next   int        // the most promising child, counted from base
	second uint32     // the number of the second best
	rest   uint32     // what the others add to the next one's other number
	drops  bool       // the defender could put men between
	ready  bool       // Solver.answers is of this position
}

// checksOf puts the attacker's moves on the stack.
func (s *Solver) checksOf(n *node, key uint64, held shogi.Hand) {
	if !s.room(n) {
		return
	}
	if m := s.memoOf(key, held); m.key == key && m.held == held && m.age == s.table.age && m.n <= len(m.checks) {
		for _, m := range m.checks[:m.n] {
			s.stack = append(s.stack, child{move: m, todo: true})
		}
	} else {
		s.pos.Generate(board.Checks, shogi.NoSquare, &s.list)
		for _, m := range s.list.Slice() {
			s.stack = append(s.stack, child{move: m, todo: true})
		}
	}
	s.chainStays(n)
	s.look(n)
}

// repliesTo puts the defender's moves on the stack.
func (s *Solver) repliesTo(n *node) {
	between := s.pos.GenerateEvasions(&s.replies)
	if !s.room(n) {
		return
	}
	for _, m := range s.replies.Slice() {
		if !m.IsDrop() {
			s.stack = append(s.stack, child{move: m, todo: true})
			n.unseen++
		}
	}
	n.drops = !between.IsEmpty()
	for !between.IsEmpty() {
		// Men on one square differ little: the next is looked at when the one before is taken care of.
		sq, wait := between.Pop(), false
		for _, m := range s.replies.Slice() {
			if m.IsDrop() && m.To() == sq {
				s.stack = append(s.stack, child{move: m, wait: wait, todo: true})
				if !wait {
					n.unseen++
				}
				wait = true
			}
		}
	}
	s.look(n)
}

// room is false when a node's moves go beyond the memory or the plies. Then nothing but a mate in no plies is refuted.
func (s *Solver) room(n *node) bool {
	if len(s.stack)+board.MaxLegalMoves < s.stackLimit && n.ply < MaxLength {
		return true
	}
	n.outcome = refuted(s.pos.Hand(s.attacker), 0, free)
	return false
}

// chainStays makes moves of pawns, lances, bishops and rooks that could promote and do not wait for those that do: they are better only
// where a pawn dropped would mate otherwise.
func (s *Solver) chainStays(n *node) {
	children := s.stack[n.base:]
	for i := 1; i < len(children); i++ {
		m := children[i].move
		if m.IsDrop() || !m.IsPromotion() {
			continue
		}
		switch s.pos.PieceAt(m.From()).Type() {
		case shogi.Pawn, shogi.Bishop, shogi.Rook, shogi.Lance:
		default:
			continue
		}
		stay := m &^ shogi.MovePromote
		for j := i - 1; j >= 0; j-- {
			if children[j].move == stay && !children[j].wait {
				// promotion into the place of the other, which comes after it
				copy(children[j+2:i+1], children[j+1:i])
				children[j].move = m
				children[j+1] = child{move: stay, wait: true, todo: true}
				break
			}
		}
	}
}

// look looks at the children for the first time, those that wait for others left out, and sums up. It ends at one that decides the node.
func (s *Solver) look(n *node) {
	blocked, total := false, uint64(0)
	for i := n.base; i < len(s.stack); i++ {
		c := &s.stack[i]
		if c.wait && blocked {
			continue
		}
		if !n.or && i >= n.base+lookedAt && total+n.unseen*noMateInOne >= n.enough {
			break
		}
		s.lookAt(n, c)
		if s.stopped {
			n.outcome = unsolved(1, 1)
			return
		}
		if blocked = c.proof != 0 && c.refute != 0; blocked {
			total += uint64(c.proof)
		}
		if n.or && c.proof == 0 || !n.or && c.refute == 0 {
			s.stack = s.stack[:i+1]
			s.stack[n.base], s.stack[i] = s.stack[i], s.stack[n.base]
			break
		}
	}
	n.ready = false
	s.sumUp(n)
}

// sumUp sums up the children, and looks at those whose turn has come.
func (s *Solver) sumUp(n *node) {
	for {
		waiting := s.sum(n)
		if waiting < 0 {
			return
		}
		s.lookAt(n, &s.stack[n.base+waiting])
		n.ready = false
		if s.stopped {
			n.outcome = unsolved(1, 1)
			return
		}
	}
}

// lookAt fills a child with what is known of it.
func (s *Solver) lookAt(n *node, c *child) {
	c.todo = false
	if n.or {
		s.preview(n, c)
		return
	}
	s.visit()
	if !c.wait {
		n.unseen--
	}
	u := s.pos.Do(c.move)
	c.held, c.key = s.pos.Hand(s.attacker), s.key(true)
	var known bool
	if c.outcome, known = s.recall(n, c); !known {
		o := s.guess(c, n.plies-1)
		if o.proof != 0 && o.refute != 0 {
			o.proof, o.refute = max(o.proof, c.proof), max(o.refute, c.refute)
		}
		c.outcome = o
	}
	s.pos.Undo(c.move, u)
}

// preview fills in what is known of a check, and else numbers by the answers that it seems to have, without playing it. Nothing mates here: a position with a
// mate in one is solved when it is looked at.
func (s *Solver) preview(n *node, c *child) {
	taken := shogi.NoPiece
	if !c.move.IsDrop() {
		taken = s.pos.PieceAt(c.move.To())
	}
	c.held, c.key = after(s.pos.Hand(s.attacker), c.move, taken), s.pos.BoardKeyAfter(c.move)
	var known bool
	if c.outcome, known = s.recall(n, c); known {
		return
	}
	if n.plies < 3 {
		c.outcome = refuted(c.held, 0, free)
		return
	}
	if !n.ready {
		s.pos.Answers(&s.answers)
		n.ready = true
	}
	e := s.pos.Estimate(&s.answers, c.move)
	proof := max(1, perMove*uint32(e.Moves)+perSquare*uint32(e.Squares))
	if e.Weak {
		proof += sacrifice
	}
	c.proof, c.refute = max(proof, c.proof), max(inCheck, c.refute)
}

// recall is what the path and the table tell of a child; it is false when they tell nothing that may stand for a look at it.
func (s *Solver) recall(n *node, c *child) (outcome, bool) {
	ply, plies := n.ply+1, n.plies-1
	if s.onPath[c.key%1024] != 0 {
		for i := ply - 2; i >= 0; i -= 2 {
			if v := &s.path[i]; v.key == c.key && v.hand.IsSuperiorOrEqual(c.held) {
				return refuted(c.held, endless, int16(i)), true
			}
		}
	}
	f := s.table.lookup(c.key, c.held, plies, s.round)
	if f.proof == 0 || f.refute == 0 {
		return outcome{f.proof, f.refute, f.hand, f.length, f.depend}, true
	}
	if s.loops {
		if f, ok := s.table.twin(c.key^onward(n.trail, c.key, c.held), c.held, plies); ok {
			return outcome{f.proof, f.refute, f.hand, f.length, f.depend}, true
		}
	}
	return unsolved(f.proof, f.refute), f.known
}

// memoOf is the place of a position in the memory.
func (s *Solver) memoOf(key uint64, held shogi.Hand) *memo {
	return &s.memory[(key^uint64(held)*0x9E3779B97F4A7C15)%memorySize]
}

// guess looks at the present position for the first time, or remembers that. The attacker is to move.
func (s *Solver) guess(c *child, plies int) outcome {
	m := s.memoOf(c.key, c.held)
	if m.key == c.key && m.held == c.held && m.age == s.table.age && (plies >= 3 || m.proof == 0) {
		return m.outcome
	}
	if mate := s.pos.MateInOne(); mate != shogi.MoveNone {
		m.key, m.held, m.age, m.outcome = c.key, c.held, s.table.age, s.matesBy(mate)
		return m.outcome
	}
	s.pos.Generate(board.Checks, shogi.NoSquare, &s.checks)
	switch {
	case s.checks.N == 0:
		all := s.pos.Hand(s.attacker)
		return refuted((all+s.pos.Hand(s.attacker^1))&kinds(all), endless, free)
	case plies < 3:
		return refuted(s.pos.Hand(s.attacker), 1, free)
	}
	m.key, m.held, m.age, m.n = c.key, c.held, s.table.age, s.checks.N
	m.outcome = unsolved(noMateInOne, uint32(perCheck*s.checks.N+perNode))
	copy(m.checks[:], s.checks.Slice())
	return m.outcome
}

// sum makes the outcome of a node from those of its children. It ends early, with its number, at a child that has to be looked at first,
// and is -1 otherwise.
func (s *Solver) sum(n *node) int {
	children := s.stack[n.base:]
	n.next, n.second = -1, infinite
	open := uint32(0)
	first, other, largest, total := infinite, infinite, uint32(0), uint64(0)
	blocked := false
	for i := range children {
		c := &children[i]
		if c.wait && blocked {
			continue
		}
		if c.todo {
			if open > 0 && !n.or && total+n.unseen*noMateInOne >= n.enough {
				continue
			}
			return i
		}
		blocked = false
		if c.proof == 0 {
			if n.or {
				n.outcome = proven(s.handBefore(c), longer(c.length, 1))
				n.best = c.move
				return -1
			}
			continue
		}
		if c.refute == 0 {
			if !n.or {
				all := s.pos.Hand(s.attacker) + s.pos.Hand(s.attacker^1)
				n.outcome = refuted(least(c.hand, all), longer(c.length, 1), c.depend)
				return -1
			}
			continue
		}
		blocked = true
		open++
		mine, its := c.proof, c.refute
		if !n.or {
			mine, its = its, mine
		}
		largest = max(largest, its)
		total += uint64(its)
		if mine < first || mine == first && its < other {
			n.second = first
			n.next, first, other = i, mine, its
		} else {
			n.second = min(n.second, mine)
		}
	}
	if open == 0 {
		s.finish(n)
		return -1
	}
	if n.or {
		n.rest = (open - 1) * another
		n.outcome = unsolved(first, min(largest+n.rest, infinite-1))
	} else {
		if n.unseen > 0 {
			total += n.unseen * noMateInOne
			first = min(first, notSeen)
		}
		n.rest = uint32(min(total-uint64(other), uint64(infinite)))
		n.outcome = unsolved(uint32(min(total, uint64(infinite-1))), first)
	}
	return -1
}

// handBefore is the hand of a child's outcome as the attacker had it before the move.
func (s *Solver) handBefore(c *child) shogi.Hand {
	taken := shogi.NoPiece
	if !c.move.IsDrop() {
		taken = s.pos.PieceAt(c.move.To())
	}
	return before(c.hand, c.move, taken)
}

// finish sums up a node all whose children are solved, and in vain for the side to move.
func (s *Solver) finish(n *node) {
	mine, its := s.pos.Hand(s.attacker), s.pos.Hand(s.attacker^1)
	children := s.stack[n.base:]
	if n.or {
		hand, length, depend := mine+its, int16(endless), int16(free)
		for i := range children {
			c := &children[i]
			hand = least(hand, s.handBefore(c))
			length, depend = min(length, longer(c.length, 1)), min(depend, c.depend)
		}
		n.outcome = refuted(hand&kinds(mine), length, depend)
		return
	}
	var hand shogi.Hand
	length := int16(0)
	for i := range children {
		c := &children[i]
		hand, length = most(hand, c.hand), max(length, longer(c.length, 1))
	}
	if n.drops {
		hand = most(hand, s.lacking())
	}
	n.outcome = proven(hand, length)
}

// step searches the most promising child of a node as long as it stays so.
func (s *Solver) step(n *node, proofLimit, refuteLimit uint32) {
	c := s.stack[n.base+n.next]
	patience := n.second + n.second/8 + 1
	var childProof, childRefute uint32
	if n.or {
		childProof = min(proofLimit, patience, infinite)
		childRefute = refuteLimit - min(n.rest, refuteLimit-1)
	} else {
		childRefute = min(refuteLimit, patience, infinite)
		childProof = proofLimit - min(n.rest, proofLimit-1)
	}
	// Sums end below infinity, where nothing would be left for the child.
	childProof, childRefute = max(childProof, c.proof+1), max(childRefute, c.refute+1)
	u := s.pos.Do(c.move)
	o, _ := s.expand(!n.or, c.key, c.held, onward(n.trail, c.key, c.held), n.plies-1, childProof, childRefute)
	s.pos.Undo(c.move, u)
	s.stack[n.base+n.next].outcome = o
	s.sumUp(n)
}
