package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
)

// The test's own program serves as the engine: it plays the first legal move, or what the environment tells it.
func TestMain(m *testing.M) {
	if mode := os.Getenv("MATCH_TEST_ENGINE"); mode != "" {
		serve(mode)
		return
	}
	os.Exit(m.Run())
}

func serve(mode string) {
	g := board.NewGame()
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		words := strings.Fields(in.Text())
		switch words[0] {
		case "usi":
			fmt.Println("id name " + mode + "\nusiok")
		case "isready":
			fmt.Println("readyok")
		case "position":
			g = board.NewGame()
			for _, w := range words[min(3, len(words)):] {
				moves, _ := parseOpenings("startpos moves " + w)
				if err := g.Push(moves[0][0]); err != nil {
					fmt.Println("info string", err)
				}
			}
		case "go":
			fmt.Println("info depth 3 seldepth 9 score cp -17 nodes 1234 nps 99 pv 7g7f cp 5")
			switch mode {
			case "resigning":
				fmt.Println("bestmove resign")
			case "cheating":
				fmt.Println("bestmove 5i5a")
			case "declaring":
				fmt.Println("bestmove win")
			case "gone":
				return
			case "slow":
				time.Sleep(80 * time.Millisecond)
				fmt.Println("bestmove", g.Pos.AppendLegal(nil)[0])
			default:
				fmt.Println("bestmove", g.Pos.AppendLegal(nil)[0], "ponder 3c3d")
			}
		case "quit":
			return
		}
	}
}

func launched(t *testing.T, mode string) *engine {
	t.Setenv("MATCH_TEST_ENGINE", mode)
	e, err := launch(os.Args[0], []string{"USI_Hash=1"})
	require.NoError(t, err)
	assert.Equal(t, mode, e.name)
	t.Cleanup(e.quit)
	return e
}

func TestGames(t *testing.T) {
	plain := launched(t, "plain")
	rules := terms{rules: board.CSA.Rules(), goes: [2]string{"go nodes 1", "go nodes 1"}}
	opening, err := parseOpenings("startpos moves 7g7f 3c3d")
	require.NoError(t, err)
	for _, c := range []struct{ mode, reason string }{
		{"resigning", "resignation"}, {"cheating", `illegal move "5i5a"`}, {"declaring", "wrong declaration"},
	} {
		for black := range 2 {
			p, err := play([2]*engine{plain, launched(t, c.mode)}, black, opening[0], &rules)
			require.NoError(t, err)
			assert.Equal(t, 0, p.winner, c.mode)
			assert.Equal(t, c.reason, p.reason)
			assert.Len(t, p.moves, 2+black^1, "the one who moves first decides how far the game gets")
			assert.LessOrEqual(t, p.plies[1], 1)
		}
	}
	_, err = play([2]*engine{plain, launched(t, "gone")}, 0, opening[0], &rules)
	assert.ErrorContains(t, err, "gone")
	p, err := play([2]*engine{plain, plain}, 0, opening[0], &rules)
	require.NoError(t, err)
	assert.NotEmpty(t, p.reason)
	assert.Equal(t, len(p.moves)-2, p.plies[0]+p.plies[1])
}

// An engine that ends in a game loses it, and plays on in the next.
func TestAnEngineThatGoesLoses(t *testing.T) {
	t.Setenv("MATCH_TEST_ENGINE", "gone")
	s := settings{commands: [2]string{os.Args[0], os.Args[0]}, terms: terms{rules: board.CSA.Rules(), goes: [2]string{"go nodes 1", "go nodes 1"}}}
	engines := [2]*engine{launched(t, "plain"), launched(t, "gone")}
	for black := range 2 {
		p, err := s.game(&engines, black, nil)
		require.NoError(t, err)
		assert.Equal(t, 0, p.winner)
		assert.Contains(t, p.reason, "gone")
	}
	engines[1].quit()
}

// A flag falls when a move takes longer than what is left.
func TestClocks(t *testing.T) {
	engines := [2]*engine{launched(t, "plain"), launched(t, "slow")}
	for black := range 2 {
		p, err := play(engines, black, nil, &terms{rules: board.CSA.Rules(), clock: timeControl{base: 200 * time.Millisecond}})
		require.NoError(t, err)
		assert.Equal(t, 0, p.winner)
		assert.Equal(t, "time", p.reason)
		assert.LessOrEqual(t, p.plies[1], 3)
	}
	c := timeControl{base: time.Second, increment: time.Second / 10}.start()
	assert.Equal(t, "go btime 1000 wtime 1000 binc 100 winc 100", c.command())
	assert.True(t, c.spend(1, time.Second/2))
	assert.Equal(t, "go btime 1000 wtime 600 binc 100 winc 100", c.command())
	assert.False(t, c.spend(1, 601*time.Millisecond))
	c = timeControl{byoyomi: 100 * time.Millisecond, margin: 50 * time.Millisecond}.start()
	assert.Equal(t, "go btime 0 wtime 0 byoyomi 100", c.command())
	assert.True(t, c.spend(0, 149*time.Millisecond))
	assert.False(t, c.spend(0, 151*time.Millisecond))
	for text, want := range map[string]timeControl{
		"10+0.1": {base: 10 * time.Second, increment: 100 * time.Millisecond}, "0/0.5": {byoyomi: time.Second / 2}, "60": {base: time.Minute},
	} {
		got, err := parseTime(text)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for _, text := range []string{"", "0", "x", "1+", "-1", "1/2/3", "0+0"} {
		_, err := parseTime(text)
		assert.Error(t, err, text)
	}
}

// The openings of the repository are legal, all different, and not too long.
func TestOpenings(t *testing.T) {
	text, err := os.ReadFile("openings.txt")
	require.NoError(t, err)
	openings, err := parseOpenings(string(text))
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(openings), 300)
	seen := map[uint64]bool{}
	for _, moves := range openings {
		g := board.NewGame()
		for _, m := range moves {
			require.NoError(t, g.Push(m))
		}
		assert.Len(t, moves, 16)
		assert.False(t, seen[g.Pos.Key()])
		seen[g.Pos.Key()] = true
	}
}

func TestAnswer(t *testing.T) {
	var a answer
	for _, line := range []string{"info depth 5 seldepth 8 score cp -31 nodes 77 pv 7g7f nodes 5", "info string nodes 9", "bestmove 2g2f ponder 8c8d", ""} {
		a.read(line)
	}
	assert.Equal(t, answer{move: "2g2f", cp: -31, nodes: 77, depth: 5}, a)
	a.read("info score mate -12")
	assert.Equal(t, -mateCp, a.cp)
	a.read("info score mate +")
	assert.Equal(t, mateCp, a.cp)
}

func TestScore(t *testing.T) {
	var s score
	assert.Zero(t, s.llr(0, 10))
	s.add(2, 0)
	s.add(2, 1)
	s.add(0, 0)
	s.add(2, 2)
	assert.Equal(t, 8, s.games())
	assert.Equal(t, [5]int{1, 0, 1, 1, 1}, s.pairs)
	mean, variance := s.moments(0)
	assert.InDelta(t, 4.5/8, mean-0.0, 0.07) // 9 of 16 half points
	assert.Positive(t, variance)
	assert.InDelta(t, 0, elo(0.5), 1e-9)
	assert.InDelta(t, 0.64, points(elo(0.64)), 1e-9)

	// Twenty wins are no certainty.
	var won score
	for range 10 {
		won.add(2, 2)
	}
	low, _, high := won.interval()
	assert.InDelta(t, elo(0.7), low, 1)
	assert.InDelta(t, elo(1), high, 1)
	assert.Greater(t, won.llr(-10, 20), llrBound, "but enough to end a test")
	var one score
	one.add(2, 2)
	assert.Less(t, one.llr(-10, 20), llrBound/4, "which two are not")

	// A player who is 50 Elo stronger is found to be so, an equal one is found to be equal.
	random := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct{ elo, sign float64 }{{50, 1}, {0, -1}} {
		var s score
		for n := 0; n < 10_000 && s.llr(0, 20) < llrBound && s.llr(0, 20) > -llrBound; n++ {
			result := func() int {
				if random.Float64() < points(c.elo) {
					return 2
				}
				return 0
			}
			s.add(result(), result())
		}
		assert.Positive(t, c.sign*s.llr(0, 20), "%v", &s)
	}
}

func TestSides(t *testing.T) {
	assert.Equal(t, 1, signOf(900, 800, 0))
	assert.Equal(t, -1, signOf(900, 800, 1))
	assert.Equal(t, 0, signOf(700, 800, 0))
	assert.Equal(t, 0, signOf(70000, 0, 0))
	assert.Equal(t, "go btime 0 wtime 0 byoyomi 5", goCommand("nodes 1", "byoyomi 5"))
	assert.Equal(t, "go nodes 1", goCommand("nodes 1", ""))
	_, err := parseOpenings("sfen x")
	assert.Error(t, err)
}

func TestOpeningsAreLevelAndDifferent(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 0))
	made, err := openings(4, 6, random.IntN)
	require.NoError(t, err)
	seen := map[uint64]bool{}
	for _, moves := range made {
		g := board.NewGame()
		for _, m := range moves {
			require.NoError(t, g.Push(m))
		}
		assert.Len(t, moves, 6)
		assert.False(t, seen[g.Pos.Key()])
		seen[g.Pos.Key()] = true
	}
}
