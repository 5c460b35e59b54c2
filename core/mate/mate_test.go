package mate_test

import (
	"bufio"
	"bytes"
	"strconv"
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
	"komadori/core/mate"
	"komadori/core/notation"
	"komadori/core/shogi"
)

func position(t testing.TB, sfen string) *board.Position {
	t.Helper()
	p, err := notation.ParsePosition(sfen)
	require.NoError(t, err, sfen)
	return &p
}

func solver(t testing.TB) *mate.Solver {
	s, err := mate.NewSolver(16)
	require.NoError(t, err)
	return s
}

// long leaves a test out of short runs, such as those of the race detector, which a test on one goroutine tells nothing new.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("one goroutine, and long")
	}
}

// requireLine replays a mate: checks alone by the attacker, legal moves, checkmate at the end.
func requireLine(t testing.TB, p *board.Position, r mate.Result) {
	t.Helper()
	require.Equal(t, len(r.PV), r.Length)
	requireChecks(t, p, r.PV)
}

func requireChecks(t testing.TB, p *board.Position, line []shogi.Move) {
	t.Helper()
	require.NotEmpty(t, line)
	require.Equal(t, 1, len(line)%2)
	q := *p
	for i, m := range line {
		require.True(t, q.IsLegal(m), "move %d of %v", i+1, line)
		q.Do(m)
		if i%2 == 0 {
			require.True(t, q.InCheck(), "move %d of %v gives no check", i+1, line)
		}
	}
	require.True(t, q.IsCheckmate(), "%v", line)
}

// accepted is false for diagrams that no Position holds, such as a knight that could never move again.
func accepted(t testing.TB, sfen string) (*board.Position, bool) {
	p, err := notation.ParsePosition(sfen)
	if err != nil {
		require.ErrorIs(t, err, fault.InvalidPosition)
		return nil, false
	}
	return &p, true
}

// A proof for less in hand may be longer than the mate that it leads to: with more in the attacker's hand the defender has nothing left to put
// between. Such mates were given up once they had been proven.
func TestProofsForLessInHand(t *testing.T) {
	s := solver(t)
	for _, sfen := range []string{
		"1nlp3np/l2s1g2l/p3p3G/1gp2pNp1/Pp1PP1K1P/1PP4P1/6P2/1B1G+s3k/LSB1R1R1N b 2Ps 151",
		"+P+Nl2pBS1/p3rn2l/2+P1sgpp1/2Pp3Pp/P1SP1g2P/1p4PK1/NP+r1p4/2gkb3L/2g+sL4 w NP 246",
		"+P+Nl2pBS1/p3rn2l/3+Ps1pp1/2Ppg2Pp/P1SP1g2P/1p4PK1/NP+r1p4/2gkb3L/2g+sL4 w NP 248",
		"l+P+S3kn1/r6bl/1+PpP1sp1p/p1g3S2/2PGp1PpP/1G3NSP1/Lp+p1P3G/1N3K2L/bN7 b R2P 175",
	} {
		p := position(t, sfen)
		r, err := s.Solve(p, mate.Limits{Nodes: 100_000}, nil)
		require.NoError(t, err)
		require.Equal(t, mate.Mate, r.Status, sfen)
		requireLine(t, p, r)
	}
}

type mateRow struct {
	SFEN   string   `json:"sfen"`
	Result string   `json:"result"`
	Length int      `json:"length"`
	First  []string `json:"first_moves"`
}

// The answers of an exhaustive search: mate or not, shortest length, first moves that keep it.
func TestVectors(t *testing.T) {
	s := solver(t)
	var unknown, mates, none int
	var nodes uint64
	vectors.Each(t, "vectors/mates.jsonl", func(row mateRow) bool {
		p, ok := accepted(t, row.SFEN)
		if !ok {
			return false
		}
		r, err := s.Solve(p, mate.Limits{Nodes: 300_000}, nil)
		require.NoError(t, err)
		nodes += r.Nodes
		switch {
		case r.Status == mate.Unknown:
			unknown++
			require.Greater(t, row.Length, 5, "%+v", row)
		case row.Result == "mate":
			require.Equal(t, mate.Mate, r.Status, "%+v", row)
			requireLine(t, p, r)
			require.GreaterOrEqual(t, r.Length, row.Length, "%+v %v", row, r.PV)
			mates++
		default:
			require.Equal(t, mate.NoMate, r.Status, "%+v %v", row, r.PV)
			require.Empty(t, r.PV)
			none++
		}
		return true
	})
	t.Logf("%d mates, %d without, %d unknown, %d positions visited", mates, none, unknown, nodes)
	assert.Zero(t, unknown)
}

func TestVectorsShortest(t *testing.T) {
	long(t)
	s := solver(t)
	unproven := 0
	vectors.Each(t, "vectors/mates.jsonl", func(row mateRow) bool {
		if row.Result != "mate" {
			return false
		}
		p, ok := accepted(t, row.SFEN)
		if !ok {
			return false
		}
		r, err := s.Solve(p, mate.Limits{Nodes: 1_000_000, Shortest: true}, nil)
		require.NoError(t, err)
		require.Equal(t, mate.Mate, r.Status)
		requireLine(t, p, r)
		if !r.Proven {
			unproven++
			return false
		}
		require.Equal(t, row.Length, r.Length, "%+v %v", row, r.PV)
		require.Contains(t, row.First, r.PV[0].String(), "%+v %v", row, r.PV)
		return true
	})
	t.Logf("%d not shown to be shortest within the limit", unproven)
	assert.Zero(t, unproven)
}

// A limit of plies must not find longer mates, and says unknown, not "no mate", where the plies ran out.
func TestVectorsDepth(t *testing.T) {
	long(t)
	s := solver(t)
	vectors.Each(t, "vectors/mates.jsonl", func(row mateRow) bool {
		p, ok := accepted(t, row.SFEN)
		if !ok {
			return false
		}
		for _, depth := range []int{1, 3, 5} {
			r, err := s.Solve(p, mate.Limits{Nodes: 300_000, Depth: depth}, nil)
			require.NoError(t, err)
			switch {
			case row.Result == "mate" && row.Length <= depth:
				require.Equal(t, mate.Mate, r.Status, "%+v depth %d", row, depth)
				requireLine(t, p, r)
				require.LessOrEqual(t, r.Length, depth)
			case row.Result == "mate":
				require.Equal(t, mate.Unknown, r.Status, "%+v depth %d %v", row, depth, r.PV)
			default:
				require.NotEqual(t, mate.Mate, r.Status, "%+v depth %d %v", row, depth, r.PV)
			}
		}
		return true
	})
}

func lines(t testing.TB, name string) []string {
	var out []string
	sc := bufio.NewScanner(bytes.NewReader(vectors.Bytes(t, name)))
	for sc.Scan() {
		if s := strings.TrimSpace(sc.Text()); s != "" {
			out = append(out, s)
		}
	}
	return out
}

func TestProblems(t *testing.T) {
	long(t)
	s := solver(t)
	for _, n := range []int{1, 3, 5, 7, 9, 11} {
		name := "games/positions/mate-" + strconv.Itoa(n) + ".sfen"
		rows := lines(t, name)
		start, solved, unknown := time.Now(), 0, 0
		var nodes uint64
		for _, sfen := range rows {
			p := position(t, sfen)
			r, err := s.Solve(p, mate.Limits{Nodes: 1_000_000}, nil)
			require.NoError(t, err)
			nodes += r.Nodes
			require.NotEqual(t, mate.NoMate, r.Status, sfen)
			if r.Status == mate.Unknown {
				unknown++
				require.Greater(t, n, 5, sfen)
				continue
			}
			solved++
			requireLine(t, p, r)
		}
		t.Logf("length %d: %d solved, %d unknown, %.0f positions and %v each", n, solved, unknown,
			float64(nodes)/float64(len(rows)), time.Since(start)/time.Duration(len(rows)))
		vectors.Count(t, name, len(rows))
	}
}

func TestNoMateInOne(t *testing.T) {
	long(t)
	s := solver(t)
	rows := lines(t, "games/positions/no-mate-1.sfen")
	for _, sfen := range rows {
		p := position(t, sfen)
		r, err := s.Solve(p, mate.Limits{Depth: 1}, nil)
		require.NoError(t, err)
		require.NotEqual(t, mate.Mate, r.Status, sfen)
		r, err = s.Solve(p, mate.Limits{Nodes: 20_000}, nil)
		require.NoError(t, err)
		if r.Status == mate.Mate {
			requireLine(t, p, r)
			require.Greater(t, r.Length, 1)
		}
	}
	vectors.Count(t, "games/positions/no-mate-1.sfen", len(rows))
}

// Deeper problems than those of positions/: the search must not contradict them, and solves nearly all.
func TestProblemsOfGames(t *testing.T) {
	long(t)
	s := solver(t)
	rows := lines(t, "data/mates.tsv")
	solved := 0
	for _, row := range rows {
		fields := strings.Split(row, "\t")
		if _, err := strconv.Atoi(fields[0]); err != nil || len(fields) < 2 {
			continue
		}
		p := position(t, fields[1])
		r, err := s.Solve(p, mate.Limits{Nodes: 100_000}, nil)
		require.NoError(t, err)
		require.NotEqual(t, mate.NoMate, r.Status, row)
		if r.Status == mate.Mate {
			requireLine(t, p, r)
			solved++
		}
	}
	t.Logf("%d of %d solved", solved, len(rows))
	vectors.Count(t, "data/mates.tsv", len(rows))
	assert.Greater(t, solved, len(rows)*95/100)
}

// exhaustive says whether the side to move mates within some plies, by trying everything.
func exhaustive(p *board.Position, plies int) bool {
	for _, m := range p.AppendMoves(nil, board.Checks, shogi.NoSquare) {
		u := p.Do(m)
		all := true
		replies := p.AppendLegal(nil)
		if len(replies) > 0 && plies < 3 {
			all = false
		}
		for _, r := range replies {
			if !all {
				break
			}
			v := p.Do(r)
			all = exhaustive(p, plies-2)
			p.Undo(r, v)
		}
		p.Undo(m, u)
		if all {
			return true
		}
	}
	return false
}

// On positions of all kinds, one with a missing attacker's king or a checked attacker included, the solver and an exhaustive
// search of three plies agree.
func TestAgreesWithExhaustiveSearch(t *testing.T) {
	long(t)
	s := solver(t)
	rows, mates := 0, 0
	vectors.Each(t, "vectors/positions.jsonl.gz", func(row struct {
		SFEN string `json:"sfen"`
	}) bool {
		rows++
		p, ok := accepted(t, row.SFEN)
		if !ok || p.KingSquare(p.Turn()^1) == shogi.NoSquare {
			return false
		}
		want := exhaustive(p, 3)
		short, err := s.Solve(p, mate.Limits{Nodes: 1_000_000, Depth: 3}, nil)
		require.NoError(t, err)
		require.Equal(t, want, short.Status == mate.Mate, row.SFEN)
		long, err := s.Solve(p, mate.Limits{Nodes: 2_000}, nil)
		require.NoError(t, err)
		if want {
			require.Equal(t, mate.Mate, long.Status, row.SFEN)
			mates++
		}
		if long.Status == mate.Mate {
			requireLine(t, p, long)
		}
		return true
	})
	t.Logf("%d with a mate in three or less", mates)
}

// Positions with few men have small trees: a disproof can be checked by trying everything, to a depth beyond any mate there.
func TestNoMateIsConfirmed(t *testing.T) {
	long(t)
	s := solver(t)
	n := 0
	vectors.Each(t, "vectors/positions.jsonl.gz", func(row struct {
		SFEN string `json:"sfen"`
	}) bool {
		p, ok := accepted(t, row.SFEN)
		if !ok || p.KingSquare(p.Turn()^1) == shogi.NoSquare || n > 1500 {
			return false
		}
		r, err := s.Solve(p, mate.Limits{Nodes: 3_000}, nil)
		require.NoError(t, err)
		if r.Status != mate.NoMate {
			return false
		}
		n++
		deep, err := s.Solve(p, mate.Limits{Nodes: 20_000, Depth: 9}, nil)
		require.NoError(t, err)
		require.NotEqual(t, mate.Mate, deep.Status, row.SFEN)
		if r.Nodes < 200 {
			require.False(t, exhaustive(p, 5), row.SFEN)
		}
		return true
	})
}

// The attacker may have no king (詰将棋), and may stand in check himself.
func TestOddAttackers(t *testing.T) {
	s := solver(t)
	for _, c := range []struct {
		name, sfen string
		want       mate.Status
		length     int
	}{
		{"gold in front of a king on the edge, no own king", "4k4/9/4P4/9/9/9/9/9/9 b G 1", mate.Mate, 1},
		{"nothing to check with", "4k4/9/9/9/9/9/9/9/9 b P 1", mate.NoMate, 0},
		{"a pawn dropped may not mate (uchifuzume)", "7nk/9/8G/9/9/9/9/9/9 b P 1", mate.NoMate, 0},
		{"a lance dropped may", "7nk/9/8G/9/9/9/9/9/9 b L 1", mate.Mate, 1},
		{"in check, the escape mates", "4k4/9/4P4/9/9/9/9/4r4/4K4 b G 1", mate.NoMate, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := position(t, c.sfen)
			r, err := s.Solve(p, mate.Limits{Nodes: 100_000, Shortest: true}, nil)
			require.NoError(t, err)
			require.Equal(t, c.want, r.Status)
			if c.want == mate.Mate {
				requireLine(t, p, r)
				require.Equal(t, c.length, r.Length)
			}
		})
	}
}

// Lengths without futile interpositions are those of problems, and lines still end in checkmate.
func TestSkipFutile(t *testing.T) {
	s := solver(t)
	for _, c := range []struct {
		name, sfen     string
		plain, counted int
		first          string
	}{
		{"a rook checks from afar, seven men are put between in vain", "k8/2S6/K8/9/9/9/9/9/8R b r2b4g3s4n4l18p 1", 15, 1, "1i1a"},
		{"nothing to put between", "k8/9/K8/9/9/9/9/9/9 b R 1", 1, 1, "R*1a"},
		{"the king takes the rook where nothing guards it", "k8/9/K8/9/9/9/9/9/8R b 18p 1", 0, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := position(t, c.sfen)
			plain, err := s.Solve(p, mate.Limits{Nodes: 500_000, Shortest: true}, nil)
			require.NoError(t, err)
			require.Equal(t, c.plain, plain.Length)
			r, err := s.Solve(p, mate.Limits{Nodes: 500_000, SkipFutile: true, FirstMoves: true}, nil)
			require.NoError(t, err)
			require.Equal(t, c.counted, r.Length)
			if c.counted == 0 {
				require.Equal(t, mate.NoMate, r.Status)
				return
			}
			require.True(t, r.Proven)
			require.Contains(t, r.FirstMoves, r.PV[0])
			require.Equal(t, c.first, r.PV[0].String())
			requireChecks(t, p, r.PV)
		})
	}
}

func TestSkipFutileOfVectors(t *testing.T) {
	long(t)
	s := solver(t)
	mates, shorter := 0, 0
	vectors.Each(t, "vectors/mates.jsonl", func(row mateRow) bool {
		p, ok := accepted(t, row.SFEN)
		if !ok {
			return false
		}
		r, err := s.Solve(p, mate.Limits{Nodes: 100_000, SkipFutile: true}, nil)
		require.NoError(t, err)
		require.Equal(t, row.Result == "mate", r.Status == mate.Mate, "%+v", row)
		if r.Status == mate.Mate && r.Proven {
			mates++
			require.LessOrEqual(t, r.Length, row.Length, "%+v", row)
			requireChecks(t, p, r.PV)
			if r.Length < row.Length {
				shorter++
			} else {
				require.Contains(t, row.First, r.PV[0].String(), "%+v %v", row, r.PV)
			}
		}
		return true
	})
	t.Logf("%d of %d mates are shorter without futile interpositions", shorter, mates)
}

func TestErrors(t *testing.T) {
	s := solver(t)
	p := position(t, "4K4/9/9/9/9/9/9/9/9 b G 1")
	_, err := s.Solve(p, mate.Limits{}, nil)
	assert.ErrorIs(t, err, fault.InvalidPosition)
	start := board.Start()
	for _, l := range []mate.Limits{{Depth: -1}, {MoveTime: -1}} {
		_, err = s.Solve(&start, l, nil)
		assert.ErrorIs(t, err, fault.Argument)
	}
	_, err = s.Solve(nil, mate.Limits{}, nil)
	assert.ErrorIs(t, err, fault.Argument)
	for _, n := range []int{0, -1, mate.MaxMemoryMiB + 1} {
		_, err = mate.NewSolver(n)
		assert.ErrorIs(t, err, fault.Argument)
	}
}

// hard needs many more positions than any limit of the tests below allows.
const hard = "l2g5/2s3g2/3k1p2p/P2pp2P1/1pP4s1/p1+B6/NP1P+nPS1P/K1G4+p1/L6NL b RBGNLPrs3p 1"

func TestLimits(t *testing.T) {
	s := solver(t)
	p := position(t, hard)
	for _, n := range []uint64{1, 2, 10, 1000, 5000} {
		r, err := s.Solve(p, mate.Limits{Nodes: n}, nil)
		require.NoError(t, err)
		assert.Equal(t, mate.Unknown, r.Status)
		assert.LessOrEqual(t, r.Nodes, n)
		assert.Empty(t, r.PV)
	}
	start := board.Start()
	r, err := mate.Solve(&start, mate.Limits{}, nil)
	require.NoError(t, err)
	assert.Equal(t, mate.NoMate, r.Status)
}

// The same problem gives the same answer whatever was solved before, and in however small a table.
func TestRepeatable(t *testing.T) {
	long(t)
	small, err := mate.NewSolver(1)
	require.NoError(t, err)
	rows := lines(t, "games/positions/mate-7.sfen")[:50]
	fresh := make([]mate.Result, len(rows))
	for i, sfen := range rows {
		r, err := mate.Solve(position(t, sfen), mate.Limits{Nodes: 200_000}, nil)
		require.NoError(t, err)
		fresh[i] = r
	}
	reused := solver(t)
	for i, sfen := range rows {
		p := position(t, sfen)
		r, err := reused.Solve(p, mate.Limits{Nodes: 200_000}, nil)
		require.NoError(t, err)
		assert.Equal(t, fresh[i].PV, r.PV)
		assert.Equal(t, fresh[i].Nodes, r.Nodes)
		r, err = small.Solve(p, mate.Limits{Nodes: 200_000}, nil)
		require.NoError(t, err)
		assert.NotEqual(t, mate.NoMate, r.Status)
	}
	vectors.Count(t, "games/positions/mate-7.sfen", len(rows))
}

// Cancelling at any moment leaves a Solver that works.
func TestStop(t *testing.T) {
	s := solver(t)
	p := position(t, hard)
	easy := position(t, "4k4/9/4P4/9/9/9/9/9/9 b G 1")
	for i := range 30 {
		var stop atomic.Int32
		timer := time.AfterFunc(time.Duration(i)*200*time.Microsecond, func() { stop.Store(1) })
		r, err := s.Solve(p, mate.Limits{MoveTime: 20 * time.Second}, &stop)
		timer.Stop()
		require.NoError(t, err)
		if r.Status == mate.Unknown {
			assert.True(t, r.Stopped)
		}
		r, err = s.Solve(easy, mate.Limits{}, nil)
		require.NoError(t, err)
		require.Equal(t, mate.Mate, r.Status)
	}
}

func TestParallel(t *testing.T) {
	rows := lines(t, "games/positions/mate-5.sfen")[:40]
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s, err := mate.NewSolver(1)
			if !assert.NoError(t, err) {
				return
			}
			for _, sfen := range rows {
				p, err := notation.ParsePosition(sfen)
				if !assert.NoError(t, err) {
					return
				}
				r, err := s.Solve(&p, mate.Limits{Nodes: 200_000}, nil)
				assert.NoError(t, err)
				assert.Equal(t, mate.Mate, r.Status)
			}
		})
	}
	wg.Wait()
	vectors.Count(t, "games/positions/mate-5.sfen", len(rows))
}

// BenchmarkSolve reports problems per second by length.
func BenchmarkSolve(b *testing.B) {
	s := solver(b)
	for _, n := range []int{1, 3, 5, 7, 9, 11} {
		rows := lines(b, "games/positions/mate-"+strconv.Itoa(n)+".sfen")
		problems := make([]*board.Position, len(rows))
		for i := range rows {
			problems[i] = position(b, rows[i])
		}
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			done := 0
			for b.Loop() {
				for _, p := range problems {
					_, _ = s.Solve(p, mate.Limits{Nodes: 1_000_000}, nil)
				}
				done += len(problems)
			}
			b.ReportMetric(float64(done)/b.Elapsed().Seconds(), "problems/s")
		})
	}
}
