package mate_test

import (
	"math/rand/v2"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/internal/vectors"
	"komadori/core/mate"
	"komadori/core/notation"
	"komadori/core/shogi"
)

// A plain search tries everything, as far as its budget goes. It shares nothing with the solver but the rules.
type plain struct {
	budget int
	path   map[uint64]bool // keys of positions with the attacker to move, for searches without a limit of plies
}

// within tells whether the side to move mates within some plies.
func (s *plain) within(p *board.Position, plies int) bool {
	for _, m := range p.AppendMoves(nil, board.Checks, shogi.NoSquare) {
		if s.budget--; s.budget < 0 {
			return false
		}
		q := *p
		q.Do(m)
		replies := q.AppendLegal(nil)
		all := len(replies) == 0 || plies >= 3
		for _, r := range replies {
			if !all || s.budget < 0 {
				break
			}
			next := q
			next.Do(r)
			all = s.within(&next, plies-2)
		}
		if all && s.budget >= 0 {
			return true
		}
	}
	return false
}

// atAll tells whether the side to move mates in any number of plies: a position that returns on the path fails.
func (s *plain) atAll(p *board.Position) bool {
	key := p.Key()
	if s.path[key] {
		return false
	}
	s.path[key] = true
	defer delete(s.path, key)
	for _, m := range p.AppendMoves(nil, board.Checks, shogi.NoSquare) {
		if s.budget--; s.budget < 0 {
			return false
		}
		q := *p
		q.Do(m)
		all := true
		for _, r := range q.AppendLegal(nil) {
			next := q
			next.Do(r)
			if all = s.atAll(&next); !all {
				break
			}
		}
		if all && s.budget >= 0 {
			return true
		}
	}
	return false
}

// A checker compares the solver with plain searches.
type checker struct {
	t                                         testing.TB
	solver                                    *mate.Solver
	positions, mates, none, inCheck, tooLarge int
}

func (c *checker) check(p *board.Position, plies int) {
	t, sfen := c.t, notation.FormatSFEN(p)
	length, budget := 0, 400_000
	for n := 1; n <= plies && length == 0; n += 2 {
		s := plain{budget: budget}
		if s.within(p, n) {
			length = n
		}
		if s.budget < 0 {
			c.tooLarge++
			return
		}
	}
	c.positions++
	r, err := c.solver.Solve(p, mate.Limits{Nodes: 500_000, Depth: plies, Shortest: true}, nil)
	require.NoError(t, err)
	if length > 0 {
		require.Equal(t, mate.Mate, r.Status, sfen)
		require.True(t, r.Proven, sfen)
		require.Equal(t, length, r.Length, sfen)
		c.mates++
		if p.InCheck() {
			c.inCheck++
		}
	} else {
		require.NotEqual(t, mate.Mate, r.Status, "%s %v", sfen, r.PV)
	}
	long, err := c.solver.Solve(p, mate.Limits{Nodes: 3_000}, nil)
	require.NoError(t, err)
	switch long.Status {
	case mate.Unknown:
		require.GreaterOrEqual(t, long.Nodes, uint64(3_000), "%s: given up before the limit", sfen)
	case mate.Mate:
		requireLine(t, p, long)
		require.GreaterOrEqual(t, long.Length, length, sfen)
		require.True(t, length > 0 || long.Length > plies, "%s %v", sfen, long.PV)
	case mate.NoMate:
		require.Zero(t, length, sfen)
		c.none++
	}
}

// randomGames plays games that seek checks, and looks at the positions in which there is one.
func randomGames(r *rand.Rand, look func(*board.Position) bool) {
	for {
		p := board.Start()
		for range 250 {
			legal := p.AppendLegal(nil)
			if len(legal) == 0 {
				break
			}
			checks := p.AppendMoves(nil, board.Checks, shogi.NoSquare)
			if len(checks) > 0 && !look(&p) {
				return
			}
			m := legal[r.IntN(len(legal))]
			if len(checks) > 0 && r.IntN(3) == 0 {
				m = checks[r.IntN(len(checks))]
			}
			p.Do(m)
		}
	}
}

// The solver contradicts no plain search on positions of random games: what is a mate, how long it is, what is none.
func TestRandomPositions(t *testing.T) {
	long(t)
	c := checker{t: t, solver: solver(t)}
	randomGames(rand.New(rand.NewPCG(8, 3)), func(p *board.Position) bool {
		c.check(p, 3)
		return c.positions < 3000
	})
	t.Logf("%d positions, %d mates within 3 (%d out of check), %d without any; %d too large to try everything", c.positions, c.mates, c.inCheck, c.none, c.tooLarge)
	assert.Greater(t, c.mates, 50)
	assert.Greater(t, c.inCheck, 0)
}

// The same to five plies, on 100,000 positions of random games and all of the vectors. It runs with KOMADORI_DEEP set and takes some tens of
// minutes: make test-mate.
func TestDeepRandomPositions(t *testing.T) {
	if os.Getenv("KOMADORI_DEEP") == "" {
		t.Skip("set KOMADORI_DEEP=1: 100,000 positions take half an hour")
	}
	c := checker{t: t, solver: solver(t)}
	tell := func(what string) {
		t.Logf("%s: %d positions, %d mates within 5 (%d out of check), %d without any; %d too large to try everything", what, c.positions, c.mates, c.inCheck, c.none, c.tooLarge)
	}
	vectors.Each(t, "vectors/positions.jsonl.gz", func(row struct {
		SFEN string `json:"sfen"`
	}) bool {
		p, ok := accepted(t, row.SFEN)
		if ok && p.KingSquare(p.Turn()^1) != shogi.NoSquare {
			c.check(p, 5)
		}
		return ok
	})
	tell("vectors")
	randomGames(rand.New(rand.NewPCG(8, 5)), func(p *board.Position) bool {
		c.check(p, 5)
		if c.positions%10_000 == 0 {
			tell("so far")
		}
		return c.positions < 100_000
	})
	tell("all")
}

// On boards with few men everything can be tried, in any number of plies and along every path. There the solver's answers are the plain
// search's; positions come back here, which must neither become mates nor, by a table, hide them.
func TestSmallBoards(t *testing.T) {
	long(t)
	s := solver(t)
	r := rand.New(rand.NewPCG(8, 4))
	mates, none, loops, unknown := 0, 0, 0, 0
	for mates+none < 800 {
		p := smallBoard(r)
		if p == nil {
			continue
		}
		search := plain{budget: 3_000, path: map[uint64]bool{}}
		want := search.atAll(p)
		if search.budget < 0 {
			continue
		}
		sfen := notation.FormatSFEN(p)
		got, err := s.Solve(p, mate.Limits{Nodes: 50_000}, nil)
		require.NoError(t, err)
		switch {
		case got.Status == mate.Unknown:
			unknown++
		case want:
			require.Equal(t, mate.Mate, got.Status, sfen)
			requireLine(t, p, got)
			mates++
		default:
			require.Equal(t, mate.NoMate, got.Status, "%s %v", sfen, got.PV)
			none++
			if got.Nodes > 50 {
				loops++
			}
		}
	}
	t.Logf("%d mates, %d without, of which %d took more than 50 positions, %d unknown", mates, none, loops, unknown)
	assert.Greater(t, mates, 20)
	assert.Greater(t, loops, 20)
	assert.Less(t, unknown, 20)
}

// smallBoard is a defender's king with a few men of both sides, nil when it is no position.
func smallBoard(r *rand.Rand) *board.Position {
	var setup board.Setup
	place := func(piece shogi.Piece) {
		sq := shogi.Square(r.IntN(81))
		if piece.Type() != shogi.King && piece.Type() != shogi.Rook && piece.Type() != shogi.Bishop {
			sq = shogi.Square(9*r.IntN(4) + r.IntN(5)) // near the corner in which the king stands
		}
		if setup.Board[sq] == shogi.NoPiece {
			setup.Board[sq] = piece
		}
	}
	setup.Board[9*r.IntN(3)+r.IntN(3)] = shogi.WKing
	attackers := []shogi.PieceType{shogi.Rook, shogi.Bishop, shogi.Gold, shogi.Silver, shogi.Knight, shogi.Pawn, shogi.Dragon, shogi.Horse, shogi.Lance}
	for range 2 + r.IntN(3) {
		place(shogi.MakePiece(shogi.Black, attackers[r.IntN(len(attackers))]))
	}
	for range r.IntN(4) {
		place(shogi.MakePiece(shogi.White, attackers[r.IntN(len(attackers))]))
	}
	for range r.IntN(3) {
		setup.Hands[shogi.Black] += 1 << shogi.HandShift[shogi.Pawn+shogi.PieceType(r.IntN(7))]
	}
	setup.Ply = 1
	p, err := setup.Position()
	if err != nil || p.IsAttacked(p.KingSquare(shogi.White), shogi.Black) {
		return nil
	}
	return &p
}

// A search that is stopped anywhere leaves a Solver that works, and never a wrong answer.
func TestStopAnywhere(t *testing.T) {
	times := 1000
	if testing.Short() {
		times = 100
	}
	s := solver(t)
	p, easy := position(t, hard), position(t, easyFive)
	want, err := s.Solve(easy, mate.Limits{}, nil)
	require.NoError(t, err)
	require.Equal(t, mate.Mate, want.Status)
	r := rand.New(rand.NewPCG(8, 6))
	for i := range times {
		var stop atomic.Int32
		timer := time.AfterFunc(time.Duration(r.IntN(1500))*time.Microsecond, func() { stop.Store(1) })
		got, err := s.Solve(p, mate.Limits{Nodes: 1 << 40}, &stop)
		timer.Stop()
		require.NoError(t, err)
		require.NotEqual(t, mate.NoMate, got.Status)
		if got.Status == mate.Unknown {
			require.True(t, got.Stopped)
			require.Empty(t, got.PV)
		} else {
			requireLine(t, p, got)
		}
		// and by positions, which stops at each of them in turn
		got, err = s.Solve(easy, mate.Limits{Nodes: uint64(1 + i), Shortest: i%2 == 0}, nil)
		require.NoError(t, err)
		require.NotEqual(t, mate.NoMate, got.Status)
		if got.Status == mate.Mate {
			requireLine(t, easy, got)
		}
		again, err := s.Solve(easy, mate.Limits{}, nil)
		require.NoError(t, err)
		require.Equal(t, want.PV, again.PV)
		require.Equal(t, want.Nodes, again.Nodes)
	}
}

// easyFive is a mate in five.
const easyFive = "l4k3/3S2g2/pPng1pspn/2p1p4/P4P1P1/1p1plS3/2P6/2K6/LN5N1 w R2BGSLPrg5p 104"

// What a Solver holds stays below the memory it was given, while it works, on problems that want all of it.
func TestMemory(t *testing.T) {
	long(t)
	inUse := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	p := position(t, hard)
	for _, mib := range []int{1, 4} {
		before := inUse()
		s, err := mate.NewSolver(mib)
		require.NoError(t, err)
		most, fill := int64(0), 0
		tell := func(progress mate.Progress) {
			most, fill = max(most, inUse()-before), max(fill, progress.Fill)
		}
		r, err := s.Solve(p, mate.Limits{Nodes: uint64(250_000 * mib), Tell: tell}, nil)
		require.NoError(t, err)
		most = max(most, inUse()-before)
		runtime.KeepAlive(s)
		t.Logf("%d MiB: %d KiB held, table filled to %d of 1000, %v after %d positions", mib, most>>10, fill, r.Status, r.Nodes)
		assert.LessOrEqual(t, most, int64(mib)<<20+64<<10, "%d MiB", mib) // what the test itself takes
	}
}
