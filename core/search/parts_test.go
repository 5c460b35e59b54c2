package search_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/search"
	"komadori/core/shogi"
)

// Each test shows what a part of the search is for: it passes with the part and would not without, which it checks too.

// The rook can take the pawn on 2c, but the gold on 3b takes back.
func TestQuiescenceSeesTheRecapture(t *testing.T) {
	g := gameOf(t, "lnsgk1snl/1r4gb1/ppppppppp/9/9/9/PPPPPPP1P/1B5R1/LNSGKGSNL b P 1")
	blunder := parse(t, "2h2c+")
	solves := func(o search.Options) bool {
		r := find(t, newSearcher(t, o), g, search.Limits{Depth: 1})
		cp, ok := r.Score.Cp()
		return ok && r.BestMove != blunder && cp < 500
	}
	assert.True(t, solves(search.Options{}))
	assert.False(t, solves(search.Options{NoQuiescence: true}))
}

// With a handful of men most lines lead to the same positions, and only one who remembers them gets deep enough to see that
// both the pawn and the lance behind it promote.
func TestTableRemembersTranspositions(t *testing.T) {
	long(t)
	g := gameOf(t, "k8/p8/9/9/9/9/8P/8L/K8 b - 1")
	solves := func(o search.Options) bool {
		r := find(t, newSearcher(t, o), g, search.Limits{Nodes: 50_000})
		cp, ok := r.Score.Cp()
		return ok && cp > 920 && r.Depth > 16
	}
	assert.True(t, solves(search.Options{}))
	assert.False(t, solves(search.Options{NoTable: true}))
}

func play(t *testing.T, g *board.Game, usi ...string) {
	t.Helper()
	for _, s := range usi {
		require.NoError(t, g.Push(parse(t, s)), s)
	}
}

// Black is a rook short and glad to bring a position back: that is a draw.
func TestRepetitionSavesTheGame(t *testing.T) {
	g := gameOf(t, "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B7/LNSGKGSNL b - 1")
	play(t, g, "4i4h", "4a4b", "4h4i", "4b4a", "4i4h", "4a4b")
	solves := func(o search.Options) bool {
		r := find(t, newSearcher(t, o), g, search.Limits{Depth: 5})
		return r.BestMove == parse(t, "4h4i") && r.Score == search.Cp(0)
	}
	assert.True(t, solves(search.Options{}))
	assert.False(t, solves(search.Options{NoRepetition: true}))
}

// Bringing a position back by checks alone loses the game; for the side that is checked it wins.
func TestPerpetualCheckLoses(t *testing.T) {
	g := gameOf(t, "k8/2+R6/9/9/9/9/9/9/8K b - 1")
	play(t, g, "7b7a", "9a9b", "7a7b", "9b9a")
	again := search.Limits{Depth: 6, SearchMoves: []shogi.Move{parse(t, "7b7a")}}
	score := func(o search.Options) search.Score { return find(t, newSearcher(t, o), g, again).Score }
	assert.Negative(t, score(search.Options{}).Compare(search.Cp(-20000)))
	assert.False(t, score(search.Options{}).IsMate(), "lost, but not by mate")
	assert.Positive(t, score(search.Options{NoRepetition: true}).Compare(search.Cp(0)))
	r := find(t, newSearcher(t, search.Options{}), g, search.Limits{Depth: 6})
	assert.NotEqual(t, parse(t, "7b7a"), r.BestMove)
}
