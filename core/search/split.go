package search

import (
	"runtime"
	"sync"
	"sync/atomic"

	"komadori/core/board"
	"komadori/core/shogi"
)

// Several threads search one tree together: the first worker walks it as if it were alone, and where a node's first move has not ended it and
// other workers wait, they take the node's remaining moves together (young brothers wait, Feldmann 1993). Whoever is done waits for
// the others, and meanwhile helps at nodes below. Threads that only share a table, each with its tree, reached a depth hardly sooner
// than one: their histories differ, and with them what is reduced and pruned.

// splitDepth is the depth from which on a node is worth sharing.
const splitDepth = 5

// eagerDepth is the depth from which on a node is shared before anyone waits: whoever comes free finds much to do at once.
const eagerDepth = 8

// splitAfter is how many moves of a node that is expected to be cut off are tried before it is shared.
const splitAfter = 3

// wants tells whether a node is to be shared before its next move.
func (p *pool) wants(n *node) bool {
	return n.depth >= splitDepth && n.total > b2i(n.cut)*splitAfter && n.excluded == shogi.MoveNone && (n.depth >= eagerDepth || p.waiting.Load() > 0)
}

// A split is a node that is shared.
type split struct {
	master *worker
	parent *split // the shared node above, of the master
	ply    int
	node   *node

	mutex sync.Mutex // over node, its frame's lists, moves and at
	moves []splitMove
	at    int

	active     atomic.Int32 // helpers at work
	isOpen     atomic.Bool  // moves are left
	cut        atomic.Bool  // a move was good enough: everyone leaves
	skipQuiets atomic.Bool

	// What a helper needs to stand where the master stood.
	state   board.State
	entries [maxPly + 8]board.Entry
	trail   [maxPly + 8 + frameLead]trail
	count   int // of entries after the root

	rootDepth, nullFrom int
	killers             [2]shogi.Move // of the ply below
	cutoffs             int           // of the ply below
}

type splitMove struct {
	move       shogi.Move
	bad, quiet bool
}

// next is the next move that is left; the caller holds the mutex.
func (s *split) next() (shogi.Move, bool) {
	for s.at < len(s.moves) {
		m := &s.moves[s.at]
		s.at++
		if m.quiet && s.skipQuiets.Load() {
			continue
		}
		return m.move, m.bad
	}
	s.exhaust()
	return shogi.MoveNone, false
}

// enter takes the mutex for the next move, unless the node is decided: then the worker leaves.
func (s *split) enter(w *worker) bool {
	s.mutex.Lock()
	if !w.isCut(s) {
		return true
	}
	w.stopped = true
	s.mutex.Unlock()
	return false
}

// settle takes the mutex for a move that has been searched, and a promise back. It returns the move's value: one that is not above alpha is but a
// bound, as alpha may have been a promise.
func (s *split) settle(v, alpha value, promised bool) value {
	s.mutex.Lock()
	n := s.node
	if promised {
		n.promised = -infinity
	}
	if v <= alpha {
		v = min(v, n.alpha)
	}
	return v
}

// exhaust says that there is nothing left to join for.
func (s *split) exhaust() {
	if s.isOpen.CompareAndSwap(true, false) {
		s.master.pool.open.Add(-1)
	}
}

// A pool is where workers wait for nodes to share.
type pool struct {
	mutex   sync.Mutex
	wake    *sync.Cond
	splits  []*split      // open ones
	open    atomic.Int32  // how many
	shared  atomic.Uint32 // nodes shared so far
	waiting atomic.Int32  // workers with nothing to do
	over    bool

	_    [64]byte      // what follows is looked at all the time
	cuts atomic.Uint32 // how many shared nodes have been decided so far, and one
	_    [64]byte
}

func newPool() *pool {
	p := new(pool)
	p.cuts.Store(1)
	p.wake = sync.NewCond(&p.mutex)
	return p
}

// close sends all workers home.
func (p *pool) close() {
	p.mutex.Lock()
	p.over = true
	p.mutex.Unlock()
	p.wake.Broadcast()
}

// share searches the rest of a node with whoever has time. The master's own frame and position are at the node.
func (w *worker) share(ply int, n *node) {
	s := w.offer(ply, n)
	w.movesOf(s)
	w.withdraw(s)
	if s.active.Load() > 0 {
		w.help(s)
	}
	w.below(s.parent)
	w.halted = w.halted || w.run.ended.Load() // a helper may have left a move half searched
	w.stopped = w.halted || w.split != nil && w.isCut(w.split)
}

// offer makes a node one that others may join, and puts the worker there.
func (w *worker) offer(ply int, n *node) *split {
	s := w.spare(ply)
	s.master, s.parent, s.ply, s.node = w, w.split, ply, n
	s.moves, s.at = s.moves[:0], 0
	s.cut.Store(false)
	s.isOpen.Store(true)
	s.skipQuiets.Store(n.pick.skipQuiets)
	if ply > 0 { // the root has a list of its own
		for m := n.pick.next(); m != shogi.MoveNone; m = n.pick.next() {
			s.moves = append(s.moves, splitMove{m, n.pick.bad, w.isQuiet(m)})
		}
	}
	s.state = *w.game.State
	s.count = ply
	s.rootDepth, s.nullFrom = w.rootDepth, w.nullFrom
	s.killers, s.cutoffs = w.frame(ply+1).killers, w.frame(ply+1).cutoffs
	copy(s.entries[:ply], w.game.Entries[int(w.game.Len)-ply:w.game.Len])
	for i := range ply + frameLead + 1 {
		s.trail[i] = w.frames[i].trail
	}
	w.below(s)
	w.pool.mutex.Lock()
	w.pool.splits = append(w.pool.splits, s)
	w.pool.open.Add(1)
	w.pool.shared.Add(1)
	w.pool.mutex.Unlock()
	w.pool.wake.Broadcast()
	return s
}

// withdraw lets nobody join from here on.
func (w *worker) withdraw(s *split) {
	w.pool.mutex.Lock()
	for i, other := range w.pool.splits {
		if other == s {
			w.pool.splits = append(w.pool.splits[:i], w.pool.splits[i+1:]...)
			break
		}
	}
	w.pool.mutex.Unlock()
	s.exhaust()
}

// movesOf searches moves of a shared node.
func (w *worker) movesOf(s *split) {
	if s.ply == 0 {
		w.rootMoves(s.node, s)
	} else {
		w.moves(s.ply, s.node, s)
	}
}

// promise tells the others at a shared node of a principal variation that a move, which has just been played, reaches v, if that is more than alpha
// and more than they have found since the move began. While it is searched again they look for no less: a promise is seldom broken.
// It returns the move's value, what it has to beat, and whether there is a promise to take back.
func (w *worker) promise(s *split, depth int, v, alpha value) (value, value, bool) {
	n := s.node
	for v > alpha && !w.stopped {
		s.mutex.Lock()
		alpha = max(alpha, n.alpha, n.promised)
		promises := v > alpha
		if promises {
			n.promised = min(v, n.beta-1)
		}
		s.mutex.Unlock()
		if promises {
			return v, alpha, true
		}
		// It reaches v; whether it reaches more than others have found, nobody has asked.
		v = -w.search(s.ply+1, depth, -alpha-1, -alpha, false, true)
	}
	return v, alpha, false
}

// decide ends a shared node: a move of it was good enough. The caller holds its mutex.
func (w *worker) decide(s *split) {
	s.cut.Store(true)
	w.pool.cuts.Add(1)
}

// help works below a shared node until its helpers are done. They are told that someone waits, so that there is something to share.
func (w *worker) help(s *split) {
	stopped := w.stopped
	away := false
	w.pool.waiting.Add(1)
	for spins, known := 0, w.pool.shared.Load()-1; s.active.Load() > 0; spins++ {
		if shared := w.pool.shared.Load(); shared != known {
			known = shared // what has been looked through once has nothing below
			if below := w.pool.find(s); below != nil {
				w.pool.waiting.Add(-1)
				w.join(below)
				w.pool.waiting.Add(1)
				away, spins, known = true, 0, known-1
				continue
			}
		}
		if spins&1023 == 1023 {
			w.look()
			runtime.Gosched()
		}
	}
	w.pool.waiting.Add(-1)
	if away {
		w.stand(s)
	}
	w.stopped = stopped
}

// stand puts the worker where the master of a node stood when it was shared.
func (w *worker) stand(s *split) {
	root := int(s.state.Len) - s.count
	*w.game.State = s.state
	copy(w.game.Entries[root:], s.entries[:s.count])
	w.rootDepth, w.nullFrom = s.rootDepth, s.nullFrom
	p := w.rootPosition
	w.eval.Reset(&p)
	for i := range s.entries[:s.count] {
		m := s.entries[i].Move()
		w.eval.Push(&p, m)
		if m == shogi.MoveNull {
			p.DoNull()
		} else {
			p.Do(m)
		}
	}
	for i := range s.ply + frameLead + 1 {
		f := &w.frames[i]
		f.trail = s.trail[i]
		f.follow = &w.histories.follow[f.moved]
	}
	f := w.frame(s.ply)
	f.arrive(f.inCheck)
}

// find takes a place at an open node: one below the given one, or any when it is nil. The nearest to the root has the most to do.
func (p *pool) find(above *split) *split {
	if p.open.Load() == 0 {
		return nil
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	var best *split
	for _, s := range p.splits {
		if s.isOpen.Load() && !s.cut.Load() && (above == nil || s.isBelow(above)) && (best == nil || s.node.depth > best.node.depth) {
			best = s
		}
	}
	if best != nil {
		best.active.Add(1)
	}
	return best
}

func (s *split) isBelow(above *split) bool {
	for s = s.parent; s != nil; s = s.parent {
		if s == above {
			return true
		}
	}
	return false
}

// below puts the worker at a shared node, or none.
func (w *worker) below(s *split) { w.split, w.cuts = s, 0 }

// isOver tells whether a node that the worker is at or below has been decided since it asked last.
func (w *worker) isOver() bool {
	cuts := w.pool.cuts.Load()
	if cuts == w.cuts {
		return false
	}
	w.cuts = cuts
	return w.isCut(w.split)
}

// isCut tells whether a node or one above it has been decided.
func (w *worker) isCut(s *split) bool {
	for ; s != nil; s = s.parent {
		if s.cut.Load() {
			return true
		}
	}
	return false
}

// join searches moves of another worker's node. The place has been taken.
func (w *worker) join(s *split) {
	before := w.split
	w.stand(s)
	f := w.frame(s.ply)
	f.excluded = shogi.MoveNone
	w.frame(s.ply+1).killers, w.frame(s.ply+1).cutoffs = s.killers, s.cutoffs
	w.frame(s.ply + 2).cutoffs = 0
	w.below(s)
	w.stopped = false
	w.movesOf(s)
	w.below(before)
	w.stopped = w.halted
	s.active.Add(-1)
}

// patience is how often a worker without work looks for some before it sleeps, about a millisecond: to be woken takes long.
const patience = 400_000

// serve helps the first worker until the search is over.
func (w *worker) serve() {
	p := w.pool
	for {
		p.waiting.Add(1)
		var s *split
		for spins := 0; s == nil && spins < patience && !w.run.ended.Load(); spins++ {
			s = p.find(nil)
			if spins&1023 == 1023 {
				runtime.Gosched()
			}
		}
		if s == nil {
			p.mutex.Lock()
			for len(p.splits) == 0 && !p.over {
				p.wake.Wait()
			}
			over := p.over
			p.mutex.Unlock()
			if over {
				break
			}
			s = p.find(nil)
		}
		p.waiting.Add(-1)
		if s != nil {
			w.join(s)
		}
	}
	w.published.Store(w.nodes)
}

// spare is the worker's split for a ply; there is at most one at a time.
func (w *worker) spare(ply int) *split {
	if w.splits[ply] == nil {
		w.splits[ply] = new(split)
	}
	return w.splits[ply]
}
