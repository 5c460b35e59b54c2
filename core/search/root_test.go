package search

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
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
