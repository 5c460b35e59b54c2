package search_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/internal/vectors"
	"komadori/core/notation"
	"komadori/core/search"
	"komadori/core/shogi"
)

func newSearcher(t testing.TB, o search.Options) *search.Searcher {
	t.Helper()
	if o.HashMB == 0 {
		o.HashMB = 4
	}
	s, err := search.New(o)
	require.NoError(t, err)
	return s
}

func find(t testing.TB, s *search.Searcher, g *board.Game, l search.Limits) search.Result {
	t.Helper()
	r, err := s.Search(g, l, nil, nil)
	require.NoError(t, err)
	return r
}

// long leaves a test out of short runs, such as those of the race detector, which a test on one goroutine tells nothing new.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("one goroutine, and long")
	}
}

// requireLegal replays every line of a result.
func requireLegal(t testing.TB, g *board.Game, r search.Result) {
	t.Helper()
	if !g.Pos.HasLegalMove() {
		require.Equal(t, shogi.MoveResign, r.BestMove)
		require.Equal(t, search.MatedIn(0), r.Score)
		require.Empty(t, r.PV)
		return
	}
	require.NotEmpty(t, r.PV)
	require.Equal(t, r.BestMove, r.PV[0])
	require.Equal(t, r.Score, r.Lines[0].Score)
	for _, line := range r.Lines {
		p := g.Pos
		for i, m := range line.PV {
			require.True(t, p.IsLegal(m), "move %d of %v in %s", i+1, line.PV, notation.FormatSFEN(&g.Pos))
			p.Do(m)
		}
		if n, ok := line.Score.MatePlies(); ok && line.Bound == search.Exact && len(line.PV) == max(n, -n) {
			require.False(t, p.HasLegalMove(), "%v after %v in %s", line.Score, line.PV, notation.FormatSFEN(&g.Pos))
		}
	}
}

// eachPosition visits positions of the set that a search accepts.
func eachPosition(t *testing.T, every int, f func(sfen string, g *board.Game)) {
	n := 0
	vectors.Each(t, "vectors/positions.jsonl.gz", func(row struct {
		SFEN string `json:"sfen"`
	}) bool {
		n++
		if n%every != 0 {
			return false
		}
		p, err := notation.ParsePosition(row.SFEN)
		if err != nil || p.NeedKings("") != nil {
			return false
		}
		f(row.SFEN, board.NewGameFrom(p))
		return true
	})
}

// Positions of every kind, checks, mates, a handful of men and the side not to move in check included: moves are legal and
// lines replay.
func TestLinesAreLegal(t *testing.T) {
	s := newSearcher(t, search.Options{})
	every := 3
	if testing.Short() {
		every = 97
	}
	eachPosition(t, every, func(sfen string, g *board.Game) {
		before := *g.State
		r := find(t, s, g, search.Limits{Nodes: 1500, MultiPV: 1 + int(g.Pos.Key()%3)})
		requireLegal(t, g, r)
		require.Equal(t, before, *g.State, "the game is left alone")
		require.LessOrEqual(t, r.Nodes, uint64(1500))
	})
}

// The answers of an exhaustive mate search: the shortest mate is found, with its length and a line to it.
func TestFindsMates(t *testing.T) {
	long(t)
	s := newSearcher(t, search.Options{})
	vectors.Each(t, "vectors/mates.jsonl", func(row struct {
		SFEN   string   `json:"sfen"`
		Result string   `json:"result"`
		Length int      `json:"length"`
		First  []string `json:"first_moves"`
	}) bool {
		p, err := notation.ParsePosition(row.SFEN)
		if err != nil || p.NeedKings("") != nil || row.Result != "mate" || row.Length > 3 {
			return false
		}
		require.NoError(t, s.Clear())
		g := board.NewGameFrom(p)
		r := find(t, s, g, search.Limits{Depth: 8, Nodes: 400_000})
		requireLegal(t, g, r)
		require.Equal(t, search.MateIn(row.Length), r.Score, "%+v %v", row, r.PV)
		require.Contains(t, row.First, r.BestMove.String(), row.SFEN)
		require.Len(t, r.PV, row.Length)
		return true
	})
}

// Wherever a limit cuts an iteration off, what is told is more than a move, and a score that was to be looked at again is no exact one.
func TestLinesOfIterationsCutOff(t *testing.T) {
	most := uint64(12_000)
	if testing.Short() {
		most = 2000
	}
	bounds, single := map[search.Bound]int{}, 0
	s := newSearcher(t, search.Options{HashMB: 1})
	for _, c := range benchPositions {
		g := gameOf(t, c.sfen)
		for nodes := uint64(1000); nodes < most; nodes += 400 {
			require.NoError(t, s.Clear())
			r, err := s.Search(g, search.Limits{Nodes: nodes, MultiPV: 1 + int(nodes/400)%2}, nil, func(i search.Info) {
				require.Equal(t, search.Exact, i.Bound)
			})
			require.NoError(t, err)
			requireLegal(t, g, r)
			for _, line := range r.Lines {
				bounds[line.Bound]++
				if r.Depth >= 4 && !line.Score.IsMate() && len(line.PV) == 1 {
					single++
					t.Logf("%s, %d nodes: %+v", c.name, nodes, r)
				}
			}
		}
	}
	assert.Less(t, 50*single, bounds[search.Exact], "the table may have lost what it knew, but seldom")
	assert.Positive(t, bounds[search.Exact])
	assert.Positive(t, bounds[search.LowerBound])
}

// Every line of a mate goes on to it, those of long ones included, for the side that mates and for the side that is mated.
func TestLinesOfMatesEndInMate(t *testing.T) {
	long(t)
	lengths := map[int]int{}
	s := newSearcher(t, search.Options{HashMB: 1})
	whole, broken := 0, 0
	see := func(g *board.Game, l search.Limits) shogi.Move {
		require.NoError(t, s.Clear())
		tell := func(line search.Line) {
			switch n, ok := line.Score.MatePlies(); {
			case !ok:
			case len(line.PV) < max(n, -n):
				broken++
				t.Logf("%v in %s", line, notation.FormatSFEN(&g.Pos))
				require.LessOrEqual(t, max(n, -n), search.MaxDepth+8, "%v in %s", line, notation.FormatSFEN(&g.Pos))
			default:
				whole++
				lengths[n]++
			}
		}
		r, err := s.Search(g, l, nil, func(i search.Info) {
			tell(search.Line{Score: i.Score, PV: i.PV})
		})
		require.NoError(t, err)
		requireLegal(t, g, r)
		for _, line := range r.Lines {
			if line.Bound == search.Exact {
				tell(line)
			}
		}
		return r.BestMove
	}
	// One whose lines broke off at entries of the table; one whose mate in 12 became one in 249, as a bound was lowered like one of centipawns.
	for _, sfen := range []string{
		"5+b1+PB/8k/2P5G/1l6p/9/2G3G2/N8/5K3/9 b GS3N12P2r2s3p 1", "ln1g3Rl/1k3G3/3ppp+Bsp/p2s5/2P6/1Pp6/P2PPPS1P/1S1K2+r+n1/L2G+n2NL b 5Pbg 73",
	} {
		for _, nodes := range []uint64{1500, 20_000, 100_000} {
			see(gameOf(t, sfen), search.Limits{Nodes: nodes, MultiPV: 2})
		}
	}
	vectors.Each(t, "vectors/mates.jsonl", func(row struct {
		SFEN   string `json:"sfen"`
		Result string `json:"result"`
		Length int    `json:"length"`
	}) bool {
		p, err := notation.ParsePosition(row.SFEN)
		if err != nil || p.NeedKings("") != nil || row.Result != "mate" || row.Length < 3 {
			return false
		}
		g := board.NewGameFrom(p)
		require.NoError(t, g.Push(see(g, search.Limits{Nodes: 6000, MultiPV: 2})))
		see(g, search.Limits{Nodes: 6000, MultiPV: 2})
		return true
	})
	assert.Less(t, 50*broken, whole, "the table may have lost what it knew, but seldom")
	for _, n := range []int{1, 3, 5, -2, -4} {
		assert.Positive(t, lengths[n], "mates in %d", n)
	}
}

// A mate that the table knows from another line is a part of this one, too.
func TestLinesOfMatesHaveTheirLastMove(t *testing.T) {
	p, err := notation.ParsePosition("5+b1+PB/8k/2P5G/1l6p/9/2G3G2/N8/5K3/9 b GS3N12P2r2s3p 1")
	require.NoError(t, err)
	mates := 0
	for _, nodes := range []uint64{300, 500, 1000, 1500} {
		r := find(t, newSearcher(t, search.Options{}), board.NewGameFrom(p), search.Limits{Nodes: nodes, MultiPV: 5})
		for _, line := range r.Lines {
			if plies, ok := line.Score.MatePlies(); ok && plies == 3 {
				assert.Len(t, line.PV, 3)
				mates++
			}
		}
	}
	assert.Positive(t, mates)
}

// Lines whose values searches with other windows have written over, or that pass a mate in one which the search did not see, are whole, too, all but a few.
func TestLinesOfMatesWrittenOver(t *testing.T) {
	all, broken := 0, 0
	for _, c := range []struct {
		sfen  string
		lines int
	}{
		{"7k1/5+S3/1G2K3+P/9/5p3/4L4/9/2B3l2/5+P3 b B3G3S4NL12Pl3p 5", 9},
		{"3g1+b+p2/5+p1p1/+ppK4+pl/5l1n1/1gP1g+b1+p1/1+p2k1g1p/1+pn1+pn3/+p1+r+p3l1/+l+p+p+p1r1+p1 b n 6", 5},
		{"9/9/6N2/9/1n1k5/9/3K3Nr/9/9 b 4gn 6", 6},
		{"k1+P+N1+P+P2/G+p1+N2+P1R/p+Ls1+P+B1s1/N1L+P4+P/7P1/G1+P2B+N2/3+P+LP+P2/5SG2/K2PP4 b RGSL2P 1", 11},
		{"3+L5/4kLG2/7SG/7B1/1G3N3/6S2/1nN3+B2/3K4S/S2R+n3R b G 5", 4},
	} {
		g, mates := gameOf(t, c.sfen), 0
		see := func(line search.Line) {
			if n, ok := line.Score.MatePlies(); ok && line.Bound == search.Exact {
				mates++
				if all++; len(line.PV) != max(n, -n) {
					broken++
				}
			}
		}
		r, err := newSearcher(t, search.Options{HashMB: 1}).Search(g, search.Limits{Nodes: 6000, MultiPV: c.lines}, nil, func(i search.Info) {
			see(search.Line{Score: i.Score, Bound: i.Bound, PV: i.PV})
		})
		require.NoError(t, err)
		requireLegal(t, g, r)
		for _, line := range r.Lines {
			see(line)
		}
		assert.Positive(t, mates, c.sfen)
	}
	assert.Less(t, 25*broken, all, "the table may have lost what it knew, but seldom")
}

func TestMatedScores(t *testing.T) {
	s := newSearcher(t, search.Options{})
	// Gold takes mates; before it, White's only move runs into it.
	g := gameOf(t, "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1")
	r := find(t, s, g, search.Limits{Depth: 5})
	assert.Equal(t, shogi.MoveResign, r.BestMove)
	assert.Equal(t, search.MatedIn(0), r.Score)
	assert.Empty(t, r.PV)
	assert.Empty(t, r.Lines)
}

func TestLimitsAreNeeded(t *testing.T) {
	s := newSearcher(t, search.Options{})
	g := board.NewGame()
	for _, l := range []search.Limits{{}, {Depth: -1}, {MoveTime: -1, Nodes: 1}, {MultiPV: 2}, {MultiPV: -1, Depth: 1}, {MultiPV: 594, Depth: 1}} {
		_, err := s.Search(g, l, nil, nil)
		assert.ErrorIs(t, err, fault.Argument, "%+v", l)
	}
	_, err := s.Search(nil, search.Limits{Depth: 1}, nil, nil)
	assert.ErrorIs(t, err, fault.Argument)
	for _, n := range []int{-1, search.MaxHashMB + 1} {
		_, err = search.New(search.Options{HashMB: n})
		assert.ErrorIs(t, err, fault.Argument)
	}
	for _, sfen := range []string{"9/9/9/9/9/9/9/9/4K4 b - 1", "4k4/9/9/9/9/9/9/9/9 b - 1", "9/9/9/9/9/9/9/9/9 b - 1"} {
		_, err = s.Search(gameOf(t, sfen), search.Limits{Depth: 1}, nil, nil)
		assert.ErrorIs(t, err, fault.InvalidPosition)
	}
}

func TestNodeLimitIsExact(t *testing.T) {
	long(t)
	s := newSearcher(t, search.Options{})
	for _, n := range []uint64{1, 2, 29, 63, 64, 65, 1000, 12345} {
		for _, c := range benchPositions {
			g := gameOf(t, c.sfen)
			r := find(t, s, g, search.Limits{Nodes: n, Depth: 6})
			assert.LessOrEqual(t, r.Nodes, n)
			requireLegal(t, g, r)
		}
	}
	r := find(t, s, board.NewGame(), search.Limits{Nodes: 12345})
	assert.Equal(t, uint64(12345), r.Nodes)
}

func TestDepthLimit(t *testing.T) {
	long(t)
	s := newSearcher(t, search.Options{})
	for depth := 1; depth <= 6; depth++ {
		last := 0
		r, err := s.Search(board.NewGame(), search.Limits{Depth: depth}, nil, func(i search.Info) {
			assert.Equal(t, last+1, i.Depth)
			assert.NotEmpty(t, i.PV)
			last = i.Depth
		})
		require.NoError(t, err)
		assert.Equal(t, depth, r.Depth)
		assert.Equal(t, depth, last)
		assert.GreaterOrEqual(t, r.SelDepth, depth-1)
	}
	g := gameOf(t, "4k4/9/9/9/9/9/9/9/4K4 b - 1")
	r := find(t, s, g, search.Limits{Depth: 1 << 20, Nodes: 50_000})
	assert.LessOrEqual(t, r.Depth, search.MaxDepth)
}

// One thread and a limit of nodes or depth give one answer, from a new Searcher or a cleared one.
func TestSameAnswerEveryTime(t *testing.T) {
	long(t)
	used := newSearcher(t, search.Options{})
	for _, c := range benchPositions {
		g := gameOf(t, c.sfen)
		for _, l := range []search.Limits{{Nodes: 20_000}, {Depth: 6}} {
			first := find(t, newSearcher(t, search.Options{}), g, l)
			require.NoError(t, used.Clear())
			second := find(t, used, g, l)
			first.Elapsed, second.Elapsed = 0, 0
			assert.Equal(t, first, second, c.name)
		}
	}
}

// However short the time, even if it is over before the search has begun, the move has been looked at.
func TestTimeLeavesOneIteration(t *testing.T) {
	for threads := 1; threads <= 2; threads++ {
		r := find(t, newSearcher(t, search.Options{Threads: threads}), board.NewGame(), search.Limits{MoveTime: 1, MultiPV: 3})
		assert.Positive(t, r.Depth)
		assert.Positive(t, r.Nodes)
		assert.Len(t, r.Lines, 3)
	}
}

func TestMoveTime(t *testing.T) {
	s := newSearcher(t, search.Options{})
	r := find(t, s, board.NewGame(), search.Limits{MoveTime: 30 * time.Millisecond})
	assert.NotEqual(t, shogi.MoveNone, r.BestMove)
	assert.False(t, r.Stopped)
	assert.GreaterOrEqual(t, r.Elapsed, 30*time.Millisecond)
}

// A search may be stopped at any moment, before it begins included, and the Searcher works on afterwards.
func TestStop(t *testing.T) {
	s := newSearcher(t, search.Options{})
	var stop atomic.Int32
	stop.Store(1)
	g := board.NewGame()
	r, err := s.Search(g, search.Limits{Infinite: true}, &stop, nil)
	require.NoError(t, err)
	assert.True(t, r.Stopped)
	assert.Zero(t, r.Depth)
	requireLegal(t, g, r)
	assert.NotEqual(t, "9i9h", r.BestMove.String(), "moves are looked at, if only once")
	known := find(t, s, g, search.Limits{Depth: 6})
	r, err = s.Search(g, search.Limits{Infinite: true}, &stop, nil)
	require.NoError(t, err)
	assert.Equal(t, known.BestMove, r.BestMove, "what the table knows")
	stops := 60
	if testing.Short() {
		stops = 10
	}
	for i := range stops {
		g := gameOf(t, benchPositions[i%len(benchPositions)].sfen)
		var stop atomic.Int32
		timer := time.AfterFunc(time.Duration(i)*150*time.Microsecond, func() { stop.Store(1) })
		r, err := s.Search(g, search.Limits{Infinite: true}, &stop, nil)
		timer.Stop()
		require.NoError(t, err)
		assert.True(t, r.Stopped || r.Score.IsMate(), "only a mate leaves nothing to search for")
		requireLegal(t, g, r)
	}
}

func TestBusy(t *testing.T) {
	s := newSearcher(t, search.Options{})
	inside := false
	_, err := s.Search(board.NewGame(), search.Limits{Depth: 1}, nil, func(search.Info) {
		inside = true
		_, err := s.Search(board.NewGame(), search.Limits{Depth: 1}, nil, nil)
		assert.ErrorIs(t, err, fault.Busy)
		assert.ErrorIs(t, s.Clear(), fault.Busy)
	})
	require.NoError(t, err)
	assert.True(t, inside)
	assert.NoError(t, s.Clear())
}

// Searchers have nothing in common: several at once give the answers each would give alone.
func TestParallelSearchers(t *testing.T) {
	want := make([]search.Result, len(benchPositions))
	for i, c := range benchPositions {
		want[i] = find(t, newSearcher(t, search.Options{}), gameOf(t, c.sfen), search.Limits{Nodes: 3000})
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i, c := range benchPositions {
				s, err := search.New(search.Options{HashMB: 4})
				if !assert.NoError(t, err) {
					return
				}
				p, err := notation.ParsePosition(c.sfen)
				if !assert.NoError(t, err) {
					return
				}
				r, err := s.Search(board.NewGameFrom(p), search.Limits{Nodes: 3000}, nil, nil)
				assert.NoError(t, err)
				r.Elapsed = want[i].Elapsed
				assert.Equal(t, want[i], r)
			}
		})
	}
	wg.Wait()
}

func TestSearchMovesAndLines(t *testing.T) {
	s := newSearcher(t, search.Options{})
	g := board.NewGame()
	only := []shogi.Move{parse(t, "9g9f"), parse(t, "1g1f")}
	r := find(t, s, g, search.Limits{Depth: 4, SearchMoves: only})
	assert.Contains(t, only, r.BestMove)
	r = find(t, s, g, search.Limits{Depth: 4, SearchMoves: []shogi.Move{parse(t, "1a1b")}})
	assert.Equal(t, shogi.MoveNone, r.BestMove)
	r = find(t, s, g, search.Limits{Depth: 4, MultiPV: 40})
	require.Len(t, r.Lines, 30)
	seen := map[shogi.Move]bool{}
	for i, line := range r.Lines {
		assert.False(t, seen[line.PV[0]], "line %d", i+1)
		seen[line.PV[0]] = true
		if i > 0 {
			assert.GreaterOrEqual(t, r.Lines[i-1].Score.Compare(line.Score), 0)
		}
	}
}

// Wherever an iteration is cut off, the lines are those of different moves, best first.
func TestLinesAreInOrder(t *testing.T) {
	s := newSearcher(t, search.Options{HashMB: 1})
	most := uint64(8000)
	if testing.Short() {
		most = 500
	}
	for i, nodes := 0, uint64(50); nodes < most; i, nodes = i+1, nodes+1+nodes/20 {
		g := gameOf(t, benchPositions[i%len(benchPositions)].sfen)
		r := find(t, s, g, search.Limits{Nodes: nodes, MultiPV: 5})
		requireLegal(t, g, r)
		for k := 1; k < len(r.Lines); k++ {
			require.GreaterOrEqual(t, r.Lines[k-1].Score.Compare(r.Lines[k].Score), 0, "%d nodes: %v", nodes, r.Lines)
		}
	}
}

func parse(t testing.TB, usi string) shogi.Move {
	m, err := shogi.ParseMove(usi)
	require.NoError(t, err)
	return m
}

// A search allocates for its results alone, however long it takes.
func TestNodesDoNotAllocate(t *testing.T) {
	long(t)
	s := newSearcher(t, search.Options{})
	g := gameOf(t, benchPositions[2].sfen)
	count := func(nodes uint64) float64 {
		return testing.AllocsPerRun(3, func() {
			_ = s.Clear()
			find(t, s, g, search.Limits{Nodes: nodes})
		})
	}
	count(100)
	assert.InDelta(t, count(2_000), count(20_000), 6)
}

// A user's own judge of positions is asked, told of every move, and used.
type counting struct {
	search.Evaluator
	pushes, pops, evaluations int
}

func (c *counting) Push(p *board.Position, m shogi.Move) { c.pushes++; c.Evaluator.Push(p, m) }
func (c *counting) Pop()                                 { c.pops++; c.Evaluator.Pop() }
func (c *counting) Evaluate(p *board.Position) int {
	c.evaluations++
	return 1_000_000
}

func TestOwnEvaluator(t *testing.T) {
	c := &counting{Evaluator: search.NewHandMade()}
	s := newSearcher(t, search.Options{NewEvaluator: func() search.Evaluator { return c }})
	r := find(t, s, board.NewGame(), search.Limits{Depth: 1})
	cp, ok := r.Score.Cp()
	assert.True(t, ok, "an estimate is never a mate, however large")
	assert.Equal(t, -28000, cp)
	assert.Equal(t, c.pushes, c.pops)
	assert.Positive(t, c.evaluations)
}

func TestScore(t *testing.T) {
	mate, mated, cp := search.MateIn(3), search.MatedIn(4), search.Cp(-120)
	assert.Equal(t, "mate 3", mate.String())
	assert.Equal(t, "mate -4", mated.String())
	assert.Equal(t, "mate 0", search.MatedIn(0).String())
	assert.Equal(t, "cp -120", cp.String())
	assert.True(t, mate.IsMate() && mated.IsMate() && !cp.IsMate())
	n, ok := mated.MatePlies()
	assert.True(t, ok)
	assert.Equal(t, -4, n)
	_, ok = cp.MatePlies()
	assert.False(t, ok)
	_, ok = mate.Cp()
	assert.False(t, ok)
	order := []search.Score{search.MatedIn(0), search.MatedIn(2), search.Cp(-30000), cp, search.Cp(0), search.Cp(31000), search.MateIn(9), search.MateIn(1)}
	for i, a := range order {
		assert.Equal(t, a, a.FlipSide().FlipSide())
		for j, b := range order {
			assert.Equal(t, i < j, a.Compare(b) < 0)
			assert.Equal(t, a.Compare(b), b.FlipSide().Compare(a.FlipSide()))
		}
	}
	// Stored evaluations tell mates from centipawns as well.
	assert.True(t, mate.Eval().IsSpecial() && mated.Eval().IsSpecial())
	assert.True(t, search.Cp(50_000).Eval().IsCp() && search.Cp(-50_000).Eval().IsCp())
	assert.Equal(t, shogi.Eval(-120), cp.Eval())
	assert.Greater(t, search.MateIn(1).Eval(), search.MateIn(1001).Eval())
	assert.True(t, search.MateIn(30_000).Eval().IsSpecial())
	assert.False(t, strings.Contains(search.MateIn(1).String(), "cp"))
}
