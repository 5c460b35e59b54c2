package search_test

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/search"
	"komadori/core/shogi"
)

func start(t testing.TB, s *search.Searcher, g *board.Game, l search.Limits, info func(search.Info)) *search.Run {
	t.Helper()
	r, err := s.Start(g, l, nil, info)
	require.NoError(t, err)
	return r
}

// A run is stopped at a thousand random moments, by any goroutine, on one thread and several, and always leaves a legal answer and a
// Searcher that works.
func TestRunStopsAtAnyMoment(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	times := 1000
	if testing.Short() {
		times = 60
	}
	searchers := []*search.Searcher{newSearcher(t, search.Options{}), newSearcher(t, search.Options{Threads: 2}), newSearcher(t, search.Options{Threads: 5})}
	for i := range times {
		g := gameOf(t, benchPositions[i%len(benchPositions)].sfen)
		s := searchers[i%len(searchers)]
		limits := search.Limits{Infinite: true, MultiPV: 1 + i%3}
		if i%5 == 0 {
			limits = search.Limits{Ponder: true, MoveTime: time.Millisecond}
		}
		r := start(t, s, g, limits, nil)
		time.Sleep(time.Duration(random.IntN(2500)) * time.Microsecond)
		var stoppers sync.WaitGroup
		for range 2 {
			stoppers.Go(r.Stop)
		}
		result := r.Wait()
		stoppers.Wait()
		assert.True(t, result.Stopped || result.Score.IsMate())
		requireLegal(t, g, result)
	}
}

// The caller's own flag stops a run as Stop does.
func TestRunStopsByTheCallersFlag(t *testing.T) {
	var stop atomic.Int32
	s := newSearcher(t, search.Options{})
	r, err := s.Start(board.NewGame(), search.Limits{Infinite: true}, &stop, nil)
	require.NoError(t, err)
	for r.Nodes() == 0 {
		time.Sleep(time.Millisecond)
	}
	stop.Store(1)
	assert.True(t, r.Wait().Stopped)
}

func TestRunIsBusyUntilDone(t *testing.T) {
	s := newSearcher(t, search.Options{Threads: 2})
	g := board.NewGame()
	r := start(t, s, g, search.Limits{Infinite: true}, nil)
	require.NoError(t, g.Push(parse(t, "7g7f")), "the run has its own copy")
	_, err := s.Start(g, search.Limits{Depth: 1}, nil, nil)
	assert.ErrorIs(t, err, fault.Busy)
	assert.ErrorIs(t, s.SetOptions(search.Options{}), fault.Busy)
	select {
	case <-r.Done():
		t.Fatal("done before it was stopped")
	default:
	}
	r.Stop()
	<-r.Done()
	require.NoError(t, s.SetOptions(search.Options{HashMB: 1}))
	assert.Equal(t, 1, s.Options().Threads)
	requireLegal(t, g, find(t, s, g, search.Limits{Depth: 2}))
}

// What is told is what can be asked for.
func TestRunTellsAndIsAsked(t *testing.T) {
	s := newSearcher(t, search.Options{})
	var told []search.Info
	r := start(t, s, board.NewGame(), search.Limits{Depth: 4, MultiPV: 3}, func(i search.Info) { told = append(told, i) })
	result := r.Wait()
	assert.Equal(t, result.Nodes, r.Nodes())
	require.Len(t, told, 12)
	assert.Equal(t, told[9:], r.Latest())
	for i := 0; i < len(told); i += 3 {
		assert.NotEqual(t, told[i].PV[0], told[i+1].PV[0])
		assert.NotEqual(t, told[i].PV[0], told[i+2].PV[0])
		assert.NotEqual(t, told[i+1].PV[0], told[i+2].PV[0])
	}
	for i, line := range result.Lines {
		assert.Equal(t, line.Score, told[9+i].Score)
		assert.Equal(t, line.PV, told[9+i].PV)
	}
}

// Pondering does not count; from the hit on it does.
func TestPonder(t *testing.T) {
	s := newSearcher(t, search.Options{})
	for _, limits := range []search.Limits{
		{Ponder: true, MoveTime: 20 * time.Millisecond},
		{Ponder: true, Clock: &search.Clock{Byoyomi: 20 * time.Millisecond}},
	} {
		r := start(t, s, board.NewGame(), limits, nil)
		time.Sleep(60 * time.Millisecond)
		select {
		case <-r.Done():
			t.Fatal("done while pondering")
		default:
		}
		r.PonderHit()
		r.PonderHit()
		result := r.Wait()
		assert.False(t, result.Stopped)
		assert.NotEqual(t, shogi.MoveNone, result.BestMove)
	}
	r := start(t, s, board.NewGame(), search.Limits{Depth: 1}, nil)
	r.PonderHit()
	r.Wait()
}

// Nodes of all threads together keep the limit.
func TestThreadsShareTheNodes(t *testing.T) {
	s := newSearcher(t, search.Options{Threads: 3})
	for _, c := range benchPositions {
		g := gameOf(t, c.sfen)
		r := find(t, s, g, search.Limits{Nodes: 20_000})
		assert.LessOrEqual(t, r.Nodes, uint64(20_000))
		if !r.Score.IsMate() {
			assert.Greater(t, r.Nodes, uint64(20_000-3*128), "a thread may keep what it was granted last")
		}
		requireLegal(t, g, r)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for _, o := range []search.Options{
		{Threads: -1}, {Threads: search.MaxThreads + 1}, {HashMB: -1}, {Time: search.TimeOptions{SlowMover: -1}},
		{Time: search.TimeOptions{SlowMover: 1001}}, {Time: search.TimeOptions{Delay: -1}},
	} {
		_, err := search.New(o)
		assert.ErrorIs(t, err, fault.Argument, "%+v", o)
		assert.ErrorIs(t, newSearcher(t, search.Options{}).SetOptions(o), fault.Argument)
	}
	_, err := search.New(search.Options{Rules: board.Rules{MoveLimit: -1}})
	assert.ErrorIs(t, err, fault.InvalidValue)
	_, err = newSearcher(t, search.Options{}).Search(board.NewGame(), search.Limits{Clock: &search.Clock{Byoyomi: -1}}, nil, nil)
	assert.ErrorIs(t, err, fault.Argument)
}

// Asked for, the non-promotions that are left out otherwise are looked at.
func TestAllMoves(t *testing.T) {
	nodes := map[bool]uint64{}
	for _, all := range []bool{false, true} {
		s := newSearcher(t, search.Options{AllMoves: all})
		g := gameOf(t, "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1")
		r := find(t, s, g, search.Limits{Depth: 5})
		requireLegal(t, g, r)
		nodes[all] = r.Nodes
	}
	assert.NotEqual(t, nodes[false], nodes[true])
}

// A rook that does not promote is no answer, unless the caller asks about it, or for more lines than other moves have.
func TestNonPromotionsAtTheRoot(t *testing.T) {
	g := gameOf(t, "ln1gk1snl/2s3g2/2ppppb1p/p5pR1/1r7/P1P3P2/3PPP2P/1SGK2S2/LN3G1NL b B2P2p 1")
	stays := parse(t, "2d2a")
	likely := len(g.Pos.AppendMoves(nil, board.SearchMoves, shogi.NoSquare))
	legal := len(g.Pos.AppendLegal(nil))
	require.Less(t, likely, legal)
	first := func(o search.Options, lines int, only ...shogi.Move) (moves []shogi.Move) {
		for _, line := range find(t, newSearcher(t, o), g, search.Limits{Depth: 3, MultiPV: lines, SearchMoves: only}).Lines {
			moves = append(moves, line.PV[0])
		}
		return moves
	}
	sparing := first(search.Options{}, likely)
	assert.Len(t, sparing, likely)
	assert.NotContains(t, sparing, stays)
	assert.Contains(t, sparing, parse(t, "2d2a+"))
	assert.Len(t, first(search.Options{}, 593), legal)
	assert.Len(t, first(search.Options{AllMoves: true}, 593), legal)
	assert.Equal(t, []shogi.Move{stays}, first(search.Options{}, 1, stays))
}

// A side that may declare does so, where the rules know declarations and nothing else is asked for.
func TestDeclarations(t *testing.T) {
	entered := "1K7/+P+P+P+P+P+P+P+P+P/1+R+B6/9/9/9/9/9/4k4 b RB4G4S4N4L9P 1"
	try := "9/4K4/9/9/9/9/9/9/k8 b - 1"
	for _, c := range []struct {
		sfen string
		rule shogi.EnteringKingRule
		best string
	}{
		{entered, shogi.Cs27Point, "win"}, {entered, shogi.Cs24Point, "win"}, {entered, shogi.NoEnteringKing, ""}, {entered, shogi.TryRule, ""},
		{try, shogi.TryRule, "5b5a"}, {try, shogi.Cs27Point, ""},
	} {
		s := newSearcher(t, search.Options{HashMB: 1, Rules: board.Rules{EnteringKing: c.rule}})
		g := gameOf(t, c.sfen)
		r := find(t, s, g, search.Limits{Depth: 2})
		if c.best == "" {
			assert.True(t, g.Pos.IsLegal(r.BestMove))
			continue
		}
		assert.Equal(t, c.best, r.BestMove.String())
		assert.False(t, r.Score.IsMate())
		assert.Positive(t, r.Score.Compare(search.Cp(20_000)))
		requireLegal(t, g, find(t, s, g, search.Limits{Depth: 2, MultiPV: 2}))
	}
}
