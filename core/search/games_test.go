package search_test

import (
	"math/rand/v2"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/search"
	"komadori/core/shogi"
)

// playGame plays a whole game of short searches, with a move by chance now and then. Every line must replay, every best move be legal, and
// the game must end by the rules.
func playGame(t *testing.T, s *search.Searcher, rules board.Rules, random *rand.Rand) {
	t.Helper()
	g := board.NewGame()
	for {
		o, err := g.Outcome(rules, board.DeclareNever)
		require.NoError(t, err)
		if o.IsOver() {
			return
		}
		limits := search.Limits{Nodes: 20 + random.Uint64N(60)}
		if random.IntN(4) == 0 {
			limits.MultiPV = 3
		}
		r := find(t, s, g, limits)
		require.LessOrEqual(t, r.Nodes, limits.Nodes)
		if r.BestMove == shogi.MoveWin {
			d, err := g.Pos.Declaration(rules.EnteringKing)
			require.NoError(t, err)
			require.Equal(t, shogi.VerdictWin, d.Verdict)
			return
		}
		requireLegal(t, g, r)
		m := r.BestMove
		if g.Len < 12 || random.IntN(10) == 0 {
			moves := g.Pos.AppendLegal(nil)
			m = moves[random.IntN(len(moves))]
		}
		require.NoError(t, g.Push(m))
	}
}

func playGames(t *testing.T, games int) {
	random := rand.New(rand.NewPCG(11, 12))
	var searchers []*search.Searcher
	var rules []board.Rules
	for _, rule := range []shogi.EnteringKingRule{shogi.Cs27Point, shogi.Cs24Point, shogi.TryRule} {
		r := board.Rules{Repetition: 4, EnteringKing: rule, MoveLimit: 320, LimitWaits: rule == shogi.Cs24Point}
		rules = append(rules, r)
		searchers = append(searchers, newSearcher(t, search.Options{HashMB: 1, Rules: r, Threads: len(rules)}))
	}
	var before, after runtime.MemStats
	goroutines := 0
	for i := range games {
		if i == games/4 {
			runtime.GC()
			runtime.ReadMemStats(&before)
			goroutines = runtime.NumGoroutine()
		}
		playGame(t, searchers[i%len(searchers)], rules[i%len(rules)], random)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Less(t, after.HeapAlloc, before.HeapAlloc+1<<20, "games leave nothing behind")
	require.Equal(t, goroutines, runtime.NumGoroutine())
}

func TestGames(t *testing.T) {
	games := 60
	if testing.Short() {
		games = 6
	}
	playGames(t, games)
}

// Ten thousand games, by `make test-deep`.
func TestDeepGames(t *testing.T) {
	if os.Getenv("KOMADORI_DEEP") == "" {
		t.Skip("set KOMADORI_DEEP=1: ten thousand games take half an hour")
	}
	playGames(t, 10_000)
}
