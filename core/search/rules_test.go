package search_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/search"
	"komadori/core/shogi"
)

// Ten men and 28 points in the camp: Black declares at once under the rule of 27 points, not under others, and not without a rule.
const declarable = "1+R1GKG1+B1/1S1S1S1S1/P1P6/9/4k4/9/9/9/9 b RB2p 1"

func TestDeclares(t *testing.T) {
	g := gameOf(t, declarable)
	for _, c := range []struct {
		rule shogi.EnteringKingRule
		wins bool
	}{{shogi.NoEnteringKing, false}, {shogi.Cs27Point, true}, {shogi.Cs24Point, false}} {
		d, err := g.Pos.Declaration(c.rule)
		require.NoError(t, err)
		require.Equal(t, c.wins, d.Verdict == shogi.VerdictWin, "%+v", d)
		s := newSearcher(t, search.Options{Rules: board.Rules{EnteringKing: c.rule}})
		r := find(t, s, g, search.Limits{Depth: 2})
		assert.Equal(t, c.wins, r.BestMove == shogi.MoveWin, "%v", c.rule)
		if c.wins {
			assert.Empty(t, r.PV)
			assert.False(t, r.Score.IsMate())
			assert.Positive(t, r.Score.Compare(search.Cp(28000)))
		}
		for _, limits := range []search.Limits{{Depth: 1, MultiPV: 3}, {Depth: 1, SearchMoves: g.Pos.AppendLegal(nil)}} {
			assert.NotEqual(t, shogi.MoveWin, find(t, s, g, limits).BestMove, "who asks for moves gets moves")
		}
	}
}

// One move away from the camp: the search sees that the king's step forward wins, whatever the answer.
func TestSeesDeclarations(t *testing.T) {
	g := gameOf(t, "1+R1G1G1+B1/1S+RS1S+BS1/P1P6/4K4/9/9/9/9/k8 b 2p 1")
	step := parse(t, "5d6c")
	wins := func(rule shogi.EnteringKingRule) bool {
		s := newSearcher(t, search.Options{Rules: board.Rules{EnteringKing: rule}})
		r := find(t, s, g, search.Limits{Depth: 3, SearchMoves: []shogi.Move{step}})
		requireLegal(t, g, r)
		return r.Score.Compare(search.Cp(28000)) > 0 && !r.Score.IsMate()
	}
	assert.True(t, wins(shogi.Cs27Point))
	assert.False(t, wins(shogi.NoEnteringKing))
}

func TestTries(t *testing.T) {
	g := gameOf(t, "9/4K4/9/9/9/9/9/9/k7r b - 1")
	s := newSearcher(t, search.Options{Rules: board.Rules{EnteringKing: shogi.TryRule}})
	r := find(t, s, g, search.Limits{Depth: 1})
	assert.Equal(t, parse(t, "5b5a"), r.BestMove)
	assert.Equal(t, []shogi.Move{r.BestMove}, r.PV)
	g = gameOf(t, "9/9/4K4/9/9/9/9/9/k8 b - 1")
	r = find(t, s, g, search.Limits{Depth: 4})
	requireLegal(t, g, r)
	assert.Positive(t, r.Score.Compare(search.Cp(28000)), "two steps away, and nobody to stop it")
}

// With the last allowed move only mate counts: a rook up is a draw then, and a mate is still a mate.
func TestMoveLimit(t *testing.T) {
	limit := board.Rules{MoveLimit: 10}
	g := gameOf(t, "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 10")
	r := find(t, newSearcher(t, search.Options{Rules: limit}), g, search.Limits{Depth: 4})
	assert.Equal(t, search.Cp(0), r.Score)
	r = find(t, newSearcher(t, search.Options{}), g, search.Limits{Depth: 4})
	assert.Positive(t, r.Score.Compare(search.Cp(500)))
	g = gameOf(t, "4k4/9/4P4/9/9/9/9/9/4K4 b G 10")
	r = find(t, newSearcher(t, search.Options{Rules: limit}), g, search.Limits{Depth: 4})
	assert.Equal(t, search.MateIn(1), r.Score)
}

// A clock is kept to, however short.
func TestClockIsKept(t *testing.T) {
	s := newSearcher(t, search.Options{})
	for _, c := range []search.Clock{
		{Byoyomi: 30 * time.Millisecond}, {Remaining: [2]time.Duration{200 * time.Millisecond, 0}}, {Increment: [2]time.Duration{20 * time.Millisecond, 0}}, {},
	} {
		r := find(t, s, board.NewGame(), search.Limits{Clock: &c})
		assert.False(t, r.Stopped)
		assert.NotEqual(t, shogi.MoveNone, r.BestMove)
	}
	// One legal move needs no thought.
	g := gameOf(t, "k8/9/1G7/9/9/9/9/9/8K w - 1")
	require.Len(t, g.Pos.AppendLegal(nil), 1)
	r := find(t, s, g, search.Limits{Clock: &search.Clock{Byoyomi: time.Hour}})
	assert.LessOrEqual(t, r.Depth, 6)
}
