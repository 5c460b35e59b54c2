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

// Lines do not keep a search that was stopped: so many moves are asked for what follows, and no more.
func TestLinesAreSoonTold(t *testing.T) {
	s, err := New(Options{HashMB: 1})
	require.NoError(t, err)
	_, err = s.prepare("", board.NewGame(), Limits{Nodes: 1}, nil, nil)
	require.NoError(t, err)
	w := s.workers[0]
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
