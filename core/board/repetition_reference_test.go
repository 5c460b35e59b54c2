package board_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/shogi"
)

// A chronicle is repetition told a second time, slowly: a list of everything that stood on the board.
type chronicle []stood

type stood struct {
	setup   board.Setup // with ply 1
	inCheck bool
	pass    bool // the move that led here
}

func (c *chronicle) add(g *board.Game) {
	s := g.Pos.Setup()
	s.Ply = 1
	*c = append(*c, stood{s, g.Pos.InCheck(), g.LastMove() == shogi.MoveNull})
}

// back lists the indexes of the positions that the present one can be a return of, nearest first.
func (c chronicle) back() (out []int) {
	now := len(c) - 1
	for i := now; i > 0 && !c[i].pass; i-- {
		if c[i-1].setup.Turn == c[now].setup.Turn {
			out = append(out, i-1)
		}
	}
	return out
}

// checkedFrom tells whether every position after index first that the side by has moved to is a check.
func (c chronicle) checkedFrom(first int, by shogi.Color) bool {
	for _, s := range c[first+1:] {
		if s.setup.Turn != by && !s.inCheck {
			return false
		}
	}
	return true
}

func (c chronicle) verdict(first int) shogi.RepetitionState {
	us := c[len(c)-1].setup.Turn
	switch {
	case c.checkedFrom(first, us):
		return shogi.RepetitionLose
	case c.checkedFrom(first, us.Opposite()):
		return shogi.RepetitionWin
	}
	return shogi.RepetitionDraw
}

// times is how often the present position stands, and the index of its first time.
func (c chronicle) times() (n, first int) {
	now := c[len(c)-1]
	n, first = 1, len(c)-1
	for _, i := range c.back() {
		if c[i].setup == now.setup {
			n, first = n+1, i
		}
	}
	return n, first
}

// nearest is the verdict of the nearest return of the board within maxPly plies.
func (c chronicle) nearest(maxPly int) shogi.RepetitionState {
	now := c[len(c)-1].setup
	for _, i := range c.back() {
		then := c[i].setup
		if len(c)-1-i > maxPly || then.Board != now.Board {
			continue
		}
		more, less := true, true
		for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
			have, had := now.Hands[now.Turn].Count(kind), then.Hands[now.Turn].Count(kind)
			more, less = more && have >= had, less && have <= had
		}
		switch {
		case more && less:
			return c.verdict(i)
		case more:
			return shogi.RepetitionSuperior
		case less:
			return shogi.RepetitionInferior
		}
	}
	return shogi.RepetitionNone
}

func (c chronicle) state() shogi.RepetitionState {
	if n, first := c.times(); n >= 4 {
		return c.verdict(first)
	}
	if r := c.nearest(1 << 30); r == shogi.RepetitionSuperior || r == shogi.RepetitionInferior {
		return r
	}
	return shogi.RepetitionNone
}

func compareWithChronicle(t *testing.T, g *board.Game, c chronicle) {
	t.Helper()
	name := func() []any { return []any{"%s %v", sfen(&g.Start), g.AppendMoves(nil)} }
	require.Equal(t, c.state(), g.RepetitionState(), name()...)
	n, _ := c.times()
	for count := range n + 3 {
		require.Equal(t, n >= count, g.IsRepetition(count), name()...)
	}
	for _, maxPly := range []int{-1, 0, 3, 4, 5, 6, 8, 11, 16, 40, 1 << 30} {
		require.Equal(t, c.nearest(maxPly), g.SearchRepetition(maxPly), name()...)
	}
}

// shuffleMove often takes the side's last move back or gives check, so that positions return.
func shuffleMove(r *rand.Rand, g *board.Game) (shogi.Move, bool) {
	legal := g.Pos.AppendLegal(nil)
	if len(legal) == 0 {
		return 0, false
	}
	if moves := g.AppendMoves(nil); len(moves) >= 2 && r.IntN(8) < 5 {
		if m := moves[len(moves)-2]; m.IsNormal() && !m.IsDrop() {
			if back, err := shogi.NewMove(m.To(), m.From(), false); err == nil && g.Pos.IsLegal(back) {
				return back, true
			}
		}
	}
	if checks := g.Pos.AppendMoves(nil, board.Checks, shogi.NoSquare); len(checks) > 0 && r.IntN(3) > 0 {
		return checks[r.IntN(len(checks))], true
	}
	return legal[r.IntN(len(legal))], true
}

// Random games in small positions, where boards return, checks go on for ever and pawns change hands: every verdict at every ply is
// the slow one, also after passes, moves taken back and copies, and for the flipped and the mirrored game.
func TestRepetitionAgainstAListOfBoards(t *testing.T) {
	starts := []string{
		"8k/9/7R1/9/9/9/9/9/K8 b - 1", "k8/9/9/9/9/4R4/9/9/K8 b p 1", "4k4/9/4+R4/9/9/9/4+r4/9/4K4 w - 1",
		"lk7/9/K1R6/9/9/9/9/9/9 b - 1", "k8/l1R6/1g7/9/9/9/1G7/L1r6/K8 b P2p 1", "8k/8l/7+B1/9/9/9/1+b7/L8/K8 b 2P2p 1",
		"4k4/9/9/9/9/9/9/9/4K4 b Rr 1", "9/9/3k5/3p5/3R5/9/5r3/5P3/5K3 b Gg 1", "9/9/9/9/9/9/9/1R6k/K7r b - 77",
	}
	games, plies, least := 120, 60, 20
	if testing.Short() {
		games, least = 25, 1
	}
	r := rand.New(rand.NewPCG(4, 10))
	met := map[shogi.RepetitionState]int{}
	for _, start := range starts {
		for range games {
			g := board.NewGameFrom(position(t, start))
			flipped, mirrored := board.NewGameFrom(g.Pos.FlipSide()), board.NewGameFrom(g.Pos.MirrorFile())
			var c chronicle
			c.add(g)
			for range plies {
				if g.Len > 0 && r.IntN(40) == 0 {
					for range 1 + r.IntN(int(g.Len)) {
						for _, h := range []*board.Game{g, flipped, mirrored} {
							_, err := h.Pop()
							require.NoError(t, err)
						}
						c = c[:len(c)-1]
					}
				}
				m, ok := shuffleMove(r, g)
				if !ok {
					break
				}
				if !g.InCheck() && r.IntN(150) == 0 {
					for _, h := range []*board.Game{g, flipped, mirrored} {
						require.NoError(t, h.PushNull())
					}
				} else {
					require.NoError(t, g.Push(m))
					require.NoError(t, flipped.Push(m.FlipSide()))
					require.NoError(t, mirrored.Push(m.MirrorFile()))
				}
				if r.IntN(30) == 0 {
					g = g.Clone()
				}
				c.add(g)
				compareWithChronicle(t, g, c)
				met[g.RepetitionState()]++
				for _, h := range []*board.Game{flipped, mirrored} {
					require.Equal(t, g.RepetitionState(), h.RepetitionState())
					require.Equal(t, g.SearchRepetition(16), h.SearchRepetition(16))
					require.Equal(t, g.IsRepetition(3), h.IsRepetition(3))
				}
			}
		}
	}
	t.Logf("verdicts met: %v", met)
	for state := shogi.RepetitionNone; state <= shogi.RepetitionInferior; state++ {
		require.Greater(t, met[state], least, state.String())
	}
}

// A position that stood three times and returns once more behind boards with other hands stands for the fourth time: the
// nearest return of the board does not hide the earlier ones.
func TestOtherHandsDoNotHideARepetition(t *testing.T) {
	g := board.NewGameFrom(position(t, "k8/9/9/9/9/4R4/9/9/K8 w p 1"))
	for i := range 3 {
		// White loses its pawn and the board returns; then Black loses it.
		push(t, g, "P*5e", "5f5e", "9a9b", "5e5g", "9b9a", "5g5f")
		require.False(t, g.IsRepetition(i+2))
		require.Equal(t, shogi.RepetitionInferior, g.SearchRepetition(6))
		push(t, g, "9a9b", "P*8b", "9b8b", "9i9h", "8b9a", "9h9i")
		require.Equal(t, shogi.RepetitionSuperior, g.SearchRepetition(100), "the nearest return of the board")
		require.True(t, g.IsRepetition(i+2))
		require.False(t, g.IsRepetition(i+3))
		require.Equal(t, i == 2, g.RepetitionState() == shogi.RepetitionDraw)
	}
}

// A cycle may be as long as it likes.
func TestLongCycles(t *testing.T) {
	// Both kings walk round the board: 24 squares each way, 48 plies a lap.
	var lap []string
	square := func(file, rank int) string { return string([]byte{byte('0' + file), byte('a' + rank)}) }
	var black, white []string
	for i := range 24 {
		path := func(i int) string {
			i %= 24
			switch {
			case i < 6:
				return square(2+i, 1)
			case i < 12:
				return square(8, 1+i-6)
			case i < 18:
				return square(8-(i-12), 7)
			}
			return square(2, 7-(i-18))
		}
		black = append(black, path(i)+path(i+1))
		white = append(white, path(i+12)+path(i+13))
	}
	for i := range black {
		lap = append(lap, black[i], white[i])
	}
	g := board.NewGameFrom(position(t, "9/7K1/9/9/9/9/9/1k7/9 b - 1"))
	for i := range 3 {
		push(t, g, lap...)
		require.True(t, g.IsRepetition(i+2))
		require.False(t, g.IsRepetition(i+3))
	}
	require.Equal(t, shogi.RepetitionDraw, g.RepetitionState())
	require.Equal(t, shogi.RepetitionNone, g.SearchRepetition(47))
	require.Equal(t, shogi.RepetitionDraw, g.SearchRepetition(48))
}
