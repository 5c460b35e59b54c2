package search

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/notation"
	"komadori/core/shogi"
)

// An iteration that is cut off after it found its first move mated says no more of the others than that they are no better: the line
// that followed one of them in the iteration before does not end in mate.
func TestLinesOfTheIterationBefore(t *testing.T) {
	s, err := New(Options{HashMB: 1})
	require.NoError(t, err)
	_, err = s.prepare("", board.NewGame(), Limits{Nodes: 100, MultiPV: 2}, nil, nil)
	require.NoError(t, err)
	w := s.workers[0]
	w.listRoot(nil)
	w.finished = 1
	w.root[0].score, w.root[0].last = matedAt(2), 10
	m := &w.root[1]
	m.score, m.last = -infinity, 5
	g := board.NewGame()
	require.NoError(t, g.Push(m.move))
	m.pv[1], m.pvLen = g.Pos.AppendLegal(nil)[0], 2
	lines := w.conclude().Lines
	require.Len(t, lines, 2)
	assert.Equal(t, MatedIn(2), lines[1].Score)
	assert.Equal(t, UpperBound, lines[1].Bound)
	assert.Equal(t, []shogi.Move{m.move}, lines[1].PV)
}

// Where no move of a position was good enough, the best is the one whose reply is worth least to the other side. Entries with no more than a static
// evaluation are of moves that were refuted at a glance, and say nothing.
func TestLikelyMoves(t *testing.T) {
	w := workerAt(t, shogi.StartSFEN)
	here := record{value: -30, eval: -30, depth: 3, bound: boundUpper}
	moves := w.game.Pos.AppendLegal(nil)
	assert.Equal(t, shogi.MoveNone, w.likely(0, here, true), "nothing is known of any")
	w.table.store(w.game.Pos.KeyAfter(moves[2]), record{eval: 300, depth: depthUnsearched, bound: boundNone})
	assert.Equal(t, shogi.MoveNone, w.likely(0, here, true), "no more is known")
	w.table.store(w.game.Pos.KeyAfter(moves[5]), record{value: 40, eval: noValue, depth: 2, bound: boundLower})
	w.table.store(w.game.Pos.KeyAfter(moves[7]), record{value: 50, eval: noValue, depth: 2, bound: boundExact})
	assert.Equal(t, moves[5], w.likely(0, here, true))
}

// A move into a mate in one is part of the line of such a mate, whatever the table has lost.
func TestTowardsMateInOne(t *testing.T) {
	w := workerAt(t, "3sks3/4R4/4+P4/9/9/9/9/9/4K4 w RGb 2")
	m, isSure := w.towardsMate(0, matedAt(2), record{}, false)
	assert.True(t, w.game.Pos.IsLegal(m))
	assert.True(t, isSure)
	_, isSure = w.towardsMate(0, matedAt(4), record{}, false)
	assert.False(t, isSure, "it is mate sooner")
}

// Lines do not keep a search that was stopped: so many moves are asked for what follows, and no more.
func TestLinesAreSoonTold(t *testing.T) {
	w := workerAt(t, shogi.StartSFEN)
	times := 0
	worth := func(record, bool) (value, bool) {
		times++
		return value(times), true
	}
	for range 100 {
		w.amongMoves(0, worth)
	}
	assert.Equal(t, mostAsked, times)
	w.asked = 0
	assert.NotEqual(t, shogi.MoveNone, w.amongMoves(0, worth))
}

// A thread that has joined the root, and does all the work there, finds what one finds that is alone: every move has its turn, and scores and
// lines are the moves' own.
func TestRootIsShared(t *testing.T) {
	p, err := notation.ParsePosition("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1")
	require.NoError(t, err)
	root := func(threads int) []rootMove {
		s, err := New(Options{HashMB: 1, Threads: threads})
		require.NoError(t, err)
		_, err = s.prepare("", board.NewGameFrom(p), Limits{Depth: 6}, nil, nil)
		require.NoError(t, err)
		w := s.workers[0]
		w.listRoot(nil)
		for w.rootDepth = 1; w.rootDepth <= 6; w.rootDepth++ {
			n := w.beginRoot(w.rootDepth, -infinity, infinity)
			if threads == 1 {
				w.rootMoves(n, nil)
				continue
			}
			shared := w.offer(0, n)
			shared.active.Add(1)
			s.workers[1].join(shared)
			w.withdraw(shared)
			w.below(nil)
		}
		return w.root
	}
	alone := root(1)
	assert.Equal(t, alone, root(2))
	lines := 0
	for _, m := range alone {
		assert.True(t, m.tried)
		if m.pvLen > 2 {
			lines++
		}
	}
	assert.Greater(t, lines, 2)
}

// When time is up, which only the first worker sees, the others end, too; and a node that was shared then does not pass for one that has been searched.
func TestSharedNodesEndWithTheRun(t *testing.T) {
	s, err := New(Options{HashMB: 1, Threads: 2})
	require.NoError(t, err)
	r, err := s.prepare("", board.NewGame(), Limits{MoveTime: 1}, nil, nil)
	require.NoError(t, err)
	w, helper := s.workers[0], s.workers[1]
	w.listRoot(nil)
	w.finished = 1
	n := w.beginRoot(eagerDepth, -infinity, infinity)
	n.total = len(w.root) - 1
	shared := w.offer(0, n)
	w.look()
	assert.True(t, w.halted)
	assert.True(t, r.ended.Load())
	shared.active.Add(1)
	helper.join(shared)
	assert.Equal(t, len(w.root), n.total, "it took the last move")
	assert.Equal(t, -infinity, n.best, "and left it")
	w.withdraw(shared)
	w.below(nil)
	w.stopped, w.halted = false, false // had it not looked
	w.share(0, n)
	assert.True(t, w.stopped)
}
