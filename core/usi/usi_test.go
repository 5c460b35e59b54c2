package usi_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/internal/vectors"
	"komadori/core/notation"
	"komadori/core/search"
	"komadori/core/shogi"
	"komadori/core/usi"
)

// A session is a running engine and the lines it has said.
type session struct {
	t     *testing.T
	in    *io.PipeWriter
	lines chan string
	done  chan error
}

var small = usi.Config{Name: "test", Author: "nobody", Seed: 1, MaxHashMB: 4, MaxThreads: 4}

func begin(t *testing.T, config usi.Config) *session {
	in, toEngine := io.Pipe()
	fromEngine, out := io.Pipe()
	s := &session{t, toEngine, make(chan string, 100_000), make(chan error, 1)}
	go func() {
		s.done <- usi.Serve(in, out, config)
		out.Close()
	}()
	go func() {
		scanner := bufio.NewScanner(fromEngine)
		scanner.Buffer(nil, 1<<22)
		for scanner.Scan() {
			s.lines <- scanner.Text()
		}
		close(s.lines)
	}()
	t.Cleanup(func() { s.in.Close() })
	return s
}

func (s *session) say(format string, args ...any) {
	s.t.Helper()
	_, err := fmt.Fprintf(s.in, format+"\n", args...)
	require.NoError(s.t, err)
}

// patience is how long a test waits before it takes the engine for dead.
const patience = 60 * time.Second

// until gives the lines up to the first that begins with a word.
func (s *session) until(word string) []string {
	s.t.Helper()
	var seen []string
	deadline := time.After(patience)
	for {
		select {
		case line, ok := <-s.lines:
			require.True(s.t, ok, "the engine ended before %q, after %q", word, seen)
			seen = append(seen, line)
			if strings.HasPrefix(line, word) {
				return seen
			}
		case <-deadline:
			require.Fail(s.t, "no answer", "waiting for %q after %q", word, seen)
		}
	}
}

func (s *session) last(word string) string {
	s.t.Helper()
	lines := s.until(word)
	return lines[len(lines)-1]
}

// quiet checks that nothing more is said before the answer to isready: no second bestmove.
func (s *session) quiet() {
	s.t.Helper()
	s.say("isready")
	for _, line := range s.until("readyok") {
		require.False(s.t, strings.HasPrefix(line, "bestmove"), line)
	}
}

func (s *session) end() {
	s.t.Helper()
	select {
	case err := <-s.done:
		require.NoError(s.t, err)
	case <-time.After(patience):
		require.Fail(s.t, "the engine does not end")
	}
}

// talk gives an engine all lines at once and returns what it says.
func talk(t *testing.T, lines ...string) []string {
	t.Helper()
	var out strings.Builder
	require.NoError(t, usi.Serve(strings.NewReader(strings.Join(lines, "\n")), &out, small))
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func contains(t *testing.T, lines []string, part string) {
	t.Helper()
	for _, l := range lines {
		if strings.Contains(l, part) {
			return
		}
	}
	require.Fail(t, "missing", "%q in %q", part, lines)
}

func best(t *testing.T, line string) (move, ponder string) {
	t.Helper()
	words := strings.Fields(line)
	require.Equal(t, "bestmove", words[0])
	if len(words) == 4 {
		require.Equal(t, "ponder", words[2])
		return words[1], words[3]
	}
	require.Len(t, words, 2)
	return words[1], ""
}

// replay plays moves on; all must be legal.
func replay(t *testing.T, position string, moves ...string) *board.Game {
	t.Helper()
	g, _, err := notation.ParseGame(position)
	require.NoError(t, err, position)
	for _, m := range moves {
		parsed, err := shogi.ParseMove(m)
		require.NoError(t, err)
		require.NoError(t, g.Push(parsed), "%s in %v", m, moves)
	}
	return g
}

func TestIntroduction(t *testing.T) {
	lines := talk(t, "usi", "isready", "quit")
	assert.Equal(t, []string{
		"id name test",
		"id author nobody",
		"option name USI_Ponder type check default false",
		"option name USI_Hash type spin default 4 min 1 max 4",
		"option name Threads type spin default 1 min 1 max 4",
		"option name MultiPV type spin default 1 min 1 max 593",
		"option name MinimumThinkingTime type spin default 0 min 0 max 1000000000",
		"option name NetworkDelay type spin default 20 min 0 max 1000000000",
		"option name NetworkDelay2 type spin default 40 min 0 max 1000000000",
		"option name SlowMover type spin default 100 min 1 max 1000",
		"option name ResignValue type spin default 99999 min 0 max 99999",
		"option name MaxMovesToDraw type spin default 500 min 0 max 1000000000",
		"option name EnteringKingRule type combo default CSARule24 var NoEnteringKing var CSARule24 var CSARule24H var CSARule27 var CSARule27H var TryRule",
		"option name GenerateAllLegalMoves type check default false",
		"option name USI_OwnBook type check default true",
		"option name BookDir type string default book",
		"option name BookFile type string default no_book",
		"option name IgnoreBookPly type check default true",
		"option name FlippedBook type check default true",
		"usiok",
		"readyok",
	}, lines)
}

// Every way to limit a search ends in one legal move, and what is told of it holds together.
func TestGo(t *testing.T) {
	s := begin(t, small)
	s.say("isready")
	s.until("readyok")
	for _, position := range []string{
		"position startpos", "position startpos moves 7g7f 3c3d",
		"position sfen l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
		"position sfen 6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1 moves 7b6b",
	} {
		for _, limits := range []string{
			"depth 4", "nodes 3000", "movetime 30", "btime 1000 wtime 1000", "btime 0 wtime 0 byoyomi 60", "btime 100 wtime 100 binc 20 winc 20",
			"btime 0 wtime 0", "depth 3 nodes 100000", "depth 0", "nodes 0", "movetime -5", "btime -100 wtime -100 byoyomi 50", "depth 99999999999999999999 nodes 500",
		} {
			s.say("%s", position)
			s.say("go %s", limits)
			lines := s.until("bestmove")
			move, ponder := best(t, lines[len(lines)-1])
			g := replay(t, position, move)
			if ponder != "" {
				replay(t, position, move, ponder)
			}
			if !g.Pos.HasLegalMove() {
				continue
			}
			depth, nodes, last := 0, 0, ""
			for _, line := range lines[:len(lines)-1] {
				i := parseInfo(t, line)
				if i.pv == nil {
					continue
				}
				require.GreaterOrEqual(t, i.number["depth"], depth)
				require.GreaterOrEqual(t, i.number["nodes"], nodes)
				depth, nodes, last = i.number["depth"], i.number["nodes"], i.pv[0]
				replay(t, position, i.pv...)
			}
			if limits == "depth 4" {
				require.Equal(t, 4, depth)
			}
			if last != "" {
				require.Equal(t, move, last, "the last line of moves begins with the best one: %q", lines)
			}
		}
	}
	s.say("quit")
	s.end()
}

type info struct {
	number map[string]int
	pv     []string
}

// parseInfo takes an info line apart as readers do: pairs of name and value.
func parseInfo(t *testing.T, line string) info {
	t.Helper()
	words := strings.Fields(line)
	require.Equal(t, "info", words[0], line)
	i := info{number: map[string]int{}}
	for words = words[1:]; len(words) > 0; {
		switch words[0] {
		case "score":
			require.Contains(t, []string{"cp", "mate"}, words[1])
			words = words[1:]
			continue
		case "lowerbound", "upperbound":
			words = words[1:]
			continue
		case "pv":
			i.pv = words[1:]
			return i
		}
		n, err := strconv.Atoi(words[1])
		require.NoError(t, err, line)
		i.number[words[0]] = n
		words = words[2:]
	}
	return i
}

func TestMultiPVAndSearchMoves(t *testing.T) {
	lines := talk(t, "setoption name MultiPV value 3", "position startpos", "go depth 3")
	last := lines[len(lines)-4:]
	moves := map[string]bool{}
	for i, line := range last[:3] {
		parsed := parseInfo(t, line)
		assert.Equal(t, i+1, parsed.number["multipv"])
		moves[parsed.pv[0]] = true
	}
	assert.Len(t, moves, 3)

	lines = talk(t, "position startpos", "go searchmoves 9g9f 1a1b 1g1f depth 3")
	move, _ := best(t, lines[len(lines)-1])
	assert.Contains(t, []string{"9g9f", "1g1f"}, move)
	contains(t, lines, "1a1b is not legal")
	lines = talk(t, "position startpos", "go depth 1 searchmoves")
	contains(t, lines, "all are searched")
	contains(t, lines, "bestmove ")
}

// Wherever a search is cut off, the newest line of each number is of another move, and the first is the answer's; all say what the result does.
func TestLinesOfTheAnswer(t *testing.T) {
	s := begin(t, small)
	s.say("setoption name USI_Hash value 1\nsetoption name MultiPV value 4")
	positions := []string{"startpos", "startpos moves 7g7f 3c3d 2g2f 4c4d", "sfen l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1"}
	most, step := 6000, 40
	if testing.Short() {
		most, step = 600, 4
	}
	// The engine's settings, for a search whose result says what the newest lines should.
	searcher, err := search.New(search.Options{HashMB: 1, Rules: board.Rules{EnteringKing: shogi.Cs24Point, MoveLimit: 500}})
	require.NoError(t, err)
	bounds := 0
	for nodes := 1; nodes < most; nodes += 1 + nodes/step {
		position := positions[nodes%len(positions)]
		s.say("position %s\ngo nodes %d", position, nodes)
		newest, said := map[int]string{}, map[int]string{}
		var answer string
		for _, line := range s.until("bestmove") {
			if i := strings.Index(line, " pv "); i >= 0 {
				parsed := parseInfo(t, line)
				replay(t, position, parsed.pv...)
				newest[parsed.number["multipv"]] = parsed.pv[0]
				said[parsed.number["multipv"]] = line[strings.Index(line, " score "):strings.Index(line, " nodes ")] + line[i:]
				bounds += strings.Count(line, "erbound ")
			}
			answer = line
		}
		move, ponder := best(t, answer)
		require.Equal(t, move, newest[1], "%d nodes", nodes)
		if ponder != "" {
			require.Contains(t, said[1]+" ", " pv "+move+" "+ponder+" ", "%d nodes", nodes)
		}
		found, err := searcher.Search(replay(t, position), search.Limits{Nodes: uint64(nodes), MultiPV: 4}, nil, nil)
		require.NoError(t, err)
		require.Len(t, found.Lines, len(said), "%d nodes", nodes)
		for i, line := range found.Lines {
			text := " score " + line.Score.String() + [3]string{"", " lowerbound", " upperbound"}[line.Bound] + " pv"
			for _, m := range line.PV {
				text += " " + m.String()
			}
			require.Equal(t, text, said[i+1], "line %d of %d nodes", i+1, nodes)
		}
		moves := map[string]bool{}
		for _, m := range newest {
			moves[m] = true
		}
		require.Len(t, moves, len(newest), "%d nodes: %v", nodes, newest)
	}
	assert.Positive(t, bounds, "scores that were to be looked at again")
	s.say("quit")
	s.end()
}

// An endless search answers when it is told to stop, and not before.
func TestInfiniteAndStop(t *testing.T) {
	s := begin(t, small)
	for _, position := range []string{"startpos", "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"} { // the second mates in one, the third is mated
		for _, limits := range []string{"infinite", "infinite depth 1 movetime 1", ""} {
			s.say("position %s", position)
			s.say("go %s", limits)
			time.Sleep(5 * time.Millisecond)
			s.quiet()
			s.say("stop")
			move, _ := best(t, s.last("bestmove"))
			if move != "resign" {
				replay(t, position, move)
			} else {
				assert.Contains(t, position, "w - 1")
			}
			s.say("stop")
			s.quiet()
		}
	}
	// A second go, and quit, end the search before them; both are answered.
	s.say("position startpos\ngo infinite\ngo infinite\nposition startpos moves 7g7f\nquit")
	assert.Len(t, s.rest("bestmove"), 2)
}

// rest gives what is said up to the end of the engine, the lines with a word.
func (s *session) rest(word string) (found []string) {
	s.t.Helper()
	s.end()
	for line := range s.lines {
		if strings.HasPrefix(line, word) {
			found = append(found, line)
		}
	}
	return found
}

func TestPonder(t *testing.T) {
	s := begin(t, small)
	s.say("setoption name USI_Ponder value true")
	for _, limits := range []string{"btime 100 wtime 100 byoyomi 50", "depth 1", "movetime 10"} {
		for _, end := range []string{"ponderhit", "stop"} {
			s.say("position startpos moves 7g7f")
			s.say("go ponder %s", limits)
			time.Sleep(10 * time.Millisecond)
			s.quiet()
			s.say("%s", end)
			move, _ := best(t, s.last("bestmove"))
			replay(t, "startpos moves 7g7f", move)
		}
	}
	// A mate is known at once, and still not told before the opponent has moved.
	s.say("position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1\ngo ponder btime 1000 wtime 1000")
	time.Sleep(10 * time.Millisecond)
	s.quiet()
	s.say("ponderhit")
	assert.Equal(t, "bestmove G*5b", s.last("bestmove"))
	s.say("ponderhit")
	s.quiet()
	// Without a search, and in one that does not ponder, ponderhit changes nothing.
	s.say("position startpos\ngo infinite\nponderhit")
	s.quiet()
	s.say("gameover lose")
	s.until("bestmove")
	s.say("quit")
	s.end()
}

// Clients that ponder early say what the clock shows with the hit alone. A position that came meanwhile is for the next go.
func TestPonderHitWithTimes(t *testing.T) {
	s := begin(t, small)
	for _, c := range []struct{ asked, hit string }{
		{"ponder", "btime 200 wtime 200 byoyomi 20"}, {"ponder btime 900000 wtime 900000", "btime 0 wtime 0 byoyomi 20"}, {"ponder", "movetime 10"},
		{"ponder searchmoves 8c8d", "binc 10 winc 10 btime 0 wtime 0"}, {"depth 1 ponder", "byoyomi 30"},
	} {
		s.say("position startpos moves 7g7f\ngo %s", c.asked)
		time.Sleep(3 * time.Millisecond)
		s.say("position startpos moves 7g7f 3c3d 2g2f 8c8d")
		s.quiet()
		s.say("ponderhit %s", c.hit)
		move, _ := best(t, s.last("bestmove"))
		replay(t, "startpos moves 7g7f", move)
		if strings.Contains(c.asked, "searchmoves") {
			require.Equal(t, "8c8d", move)
		}
		s.quiet()
		s.say("go depth 2")
		move, _ = best(t, s.last("bestmove"))
		replay(t, "startpos moves 7g7f 3c3d 2g2f 8c8d", move)
	}
	// Of nothing that ponders it changes nothing, and what cannot be read leaves the search endless.
	s.say("ponderhit btime 1\ngo infinite\nponderhit btime 1 wtime 1")
	s.quiet()
	s.say("stop")
	s.until("bestmove")
	s.say("go ponder\nponderhit zzz")
	s.quiet()
	s.say("quit")
	assert.Len(t, s.rest("bestmove"), 1)
}

// While an iteration takes long, a line a second tells that the engine is at work.
func TestProgress(t *testing.T) {
	s := begin(t, small)
	s.say("position startpos\ngo infinite")
	i := parseInfo(t, s.last("info nodes"))
	for i.number["nodes"] == 0 || i.number["time"] == 0 { // the second was up before the search was on its way
		i = parseInfo(t, s.last("info nodes"))
	}
	assert.Positive(t, i.number["nps"])
	s.say("quit")
	s.end()
}

// So does a mate search; and stopped, it says that it does not know.
func TestProgressOfMates(t *testing.T) {
	s := begin(t, small)
	s.say("position sfen 4k4/9/9/9/9/9/9/9/4K4 b B4S18P 1\ngo mate infinite")
	line := s.last("info depth")
	assert.Regexp(t, `^info depth \d+ nodes \d+ nps \d+ time \d+ hashfull \d+$`, line)
	s.say("stop")
	assert.Equal(t, "checkmate timeout", s.last("checkmate"))
	s.say("quit")
	s.end()
}

// Options that the search knows of reach it.
func TestOptionsReachTheSearch(t *testing.T) {
	signature := func(options ...string) string {
		lines := talk(t, append(options, "bench 4")...)
		return lines[len(lines)-3]
	}
	assert.NotEqual(t, signature(), signature("setoption name GenerateAllLegalMoves value true"))
	assert.Equal(t, signature(), signature("setoption name generatealllegalmoves value FALSE", "setoption name USI_Hash value 1"))
	// A king that may enter: 28 points and ten men in the camp.
	entered := "position sfen 1K7/+P+P+P+P+P+P+P+P+P/1+R+B6/9/9/9/9/9/4k4 b RB4G4S4N4L9P 1"
	win := talk(t, "setoption name EnteringKingRule value CSARule27", "setoption name MultiPV value 3", entered, "go depth 2")
	assert.Equal(t, "bestmove win", win[len(win)-1])
	none := talk(t, "setoption name EnteringKingRule value NoEnteringKing", entered, "go depth 2")
	assert.NotEqual(t, "bestmove win", none[len(none)-1])
}

func TestResignAndWin(t *testing.T) {
	lost := "position sfen 3r2r2/9/9/4k4/9/9/9/9/4K4 b 9p 1"
	lines := talk(t, "setoption name ResignValue value 500", lost, "go depth 4")
	assert.Equal(t, "bestmove resign", lines[len(lines)-1])
	lines = talk(t, "setoption name ResignValue value 99999", lost, "go depth 4")
	assert.NotEqual(t, "bestmove resign", lines[len(lines)-1])
	lines = talk(t, "position sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", "go depth 3")
	assert.Equal(t, "bestmove resign", lines[len(lines)-1])
	lines = talk(t, "position sfen 4k4/9/9/9/9/9/9/9/9 b G 1", "go depth 3")
	assert.Equal(t, "bestmove resign", lines[len(lines)-1])
	contains(t, lines, "has no king")
}

func TestMate(t *testing.T) {
	problem := "position sfen 4k4/9/4P4/9/9/9/9/9/9 b G 1"
	s := begin(t, small)
	for _, limit := range []string{"infinite", "1000", "", "infinite depth 3", "nodes 1000"} {
		s.say("%s\ngo mate %s", problem, limit)
		assert.Equal(t, "checkmate G*5b", s.last("checkmate"), limit)
	}
	lines := talk(t, "position startpos", "go mate 5000")
	assert.Equal(t, "checkmate nomate", lines[len(lines)-1])
	lines = talk(t, "position sfen 9/9/9/4k4/9/9/9/9/4K4 b R4N 1", "go mate 1")
	assert.Contains(t, []string{"checkmate timeout", "checkmate nomate"}, lines[len(lines)-1])
	lines = talk(t, "position sfen 9/9/9/9/9/9/9/9/4K4 b G 1", "go mate 10")
	assert.Equal(t, "checkmate timeout", lines[len(lines)-1])

	s.say("position sfen 9/9/9/9/4k4/9/9/9/4K4 b 2R2B4G4S4N4L18P 1\ngo mate infinite depth 1")
	s.until("checkmate")
	s.say("position sfen 9/9/9/9/9/9/4k4/9/4K4 b 2B2L18P 1\ngo mate infinite\nstop")
	s.until("checkmate")
	s.say("quit")
	s.end()
}

// What cannot be read is reported and passed over.
func TestBadInput(t *testing.T) {
	for line, want := range map[string]string{
		"hello":                                   `unknown command "hello"`,
		"setoption":                               "want name NAME value VALUE",
		"setoption name Nothing value 1":          `no option "Nothing"`,
		"setoption name Threads value many":       "want a number from 1 to 4",
		"setoption name USI_Ponder value yes":     "want true or false",
		"setoption name EnteringKingRule value x": "want one of NoEnteringKing",
		"setoption name Threads 3":                "want value",
		"go depth":                                "go depth without a number",
		"go depth x":                              "go depth without a number",
		"go quickly depth 1":                      `go "quickly" is unknown`,
		"position":                                "parse error",
		"position startpos moves 7g7f 7g7f":       "move 2",
		"position startpos moves 1a9i":            "move 1",
		"perft x":                                 "want a depth",
		"perft 99":                                "want a depth",
		"bench fast":                              `bench "fast" is unknown`,
	} {
		contains(t, talk(t, line, "stop"), want)
	}
	// After a position that cannot be read there is none: a guess might be an illegal move.
	lines := talk(t, "position startpos moves 7g7f 7g7f", "go depth 1", "go mate 5", "perft 1", "d", "position startpos", "go depth 1")
	assert.Equal(t, "bestmove resign", lines[2])
	contains(t, lines, "checkmate timeout")
	assert.Contains(t, lines[1], "illegal move: move 2")
	assert.True(t, strings.HasPrefix(lines[len(lines)-1], "bestmove ") && lines[len(lines)-1] != "bestmove resign")
	// Numbers out of range are taken to its ends, whatever their size.
	lines = talk(t, "setoption name Threads value 0", "setoption name USI_Hash value 99999999999999999999999", "setoption name hash value -7", "position startpos", "go depth 1")
	assert.True(t, strings.HasPrefix(lines[len(lines)-1], "bestmove "), lines)
	assert.Equal(t, []string{""}, talk(t, "", "  ", "\t\r"))
	contains(t, talk(t, "\xEF\xBB\xBFusi\r\n"), "usiok")
}

// Lines longer than any game, a flood of positions, and a flood of everything.
func TestFloods(t *testing.T) {
	long := "position startpos moves" + strings.Repeat(" 7g7f", 1<<18)
	lines := talk(t, long, "usi", "position startpos", "go depth 1")
	contains(t, lines, "usiok")
	assert.True(t, strings.HasPrefix(lines[len(lines)-1], "bestmove "))

	shuffle := "position startpos moves" + strings.Repeat(" 2h3h 8b7b 3h2h 7b8b", 250)
	s := begin(t, small)
	for i := range 300 {
		s.say("%s", shuffle)
		if i%50 == 0 {
			s.say("go nodes 500")
			s.until("bestmove")
		}
	}
	s.say("go infinite")
	for i := range 2000 {
		s.say("position startpos moves 7g7f")
		s.say("isready")
		s.say("setoption name Threads value %d", 1+i%3)
	}
	s.say("go depth 2\nquit")
	assert.Len(t, s.rest("bestmove"), 2)
}

// stuck is an output that nobody reads.
type stuck struct{ release chan struct{} }

func (s stuck) Write(p []byte) (int, error) {
	<-s.release
	return len(p), nil
}

// A reader who does not read stops neither the search nor the end of the engine.
func TestNobodyReads(t *testing.T) {
	in, toEngine := io.Pipe()
	done := make(chan error)
	out := stuck{make(chan struct{})}
	defer close(out.release)
	go func() { done <- usi.Serve(in, out, small) }()
	fmt.Fprint(toEngine, "usi\nsetoption name MultiPV value 500\nposition startpos\n")
	for range 30 {
		fmt.Fprint(toEngine, "go depth 3\nisready\n")
	}
	fmt.Fprint(toEngine, "go infinite\nquit\n")
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("blocked")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("nobody there") }
func (failing) Read([]byte) (int, error)  { return 0, errors.New("no input") }

// An engine whose reader is gone ends, whatever it thinks about; one whose input fails ends with that error.
func TestFailingPipes(t *testing.T) {
	in, toEngine := io.Pipe()
	done := make(chan error)
	go func() { done <- usi.Serve(in, failing{}, small) }()
	fmt.Fprint(toEngine, "go infinite\n")
	select {
	case err := <-done:
		assert.ErrorContains(t, err, "nobody there")
	case <-time.After(patience):
		t.Fatal("goes on")
	}
	assert.ErrorContains(t, usi.Serve(failing{}, io.Discard, small), "no input")
}

// At the end of the input a limited search is finished, an endless one stopped; both are answered.
func TestEndOfInput(t *testing.T) {
	lines := talk(t, "position startpos", "go depth 5")
	assert.Equal(t, 5, parseInfo(t, lines[len(lines)-2]).number["depth"])
	for _, limits := range []string{"infinite", "ponder btime 1000 wtime 1000", "mate infinite"} {
		lines := talk(t, "position sfen 9/9/9/9/4k4/9/9/9/4K4 b 2B2L18P 1", "go "+limits)
		assert.Regexp(t, "^(bestmove|checkmate) ", lines[len(lines)-1])
	}
	// Pondering ended before the input did: what is left is a limited search.
	lines = talk(t, "position startpos", "go ponder depth 5", "ponderhit")
	assert.Equal(t, 5, parseInfo(t, lines[len(lines)-2]).number["depth"])
	lines = talk(t, "go ponder", "ponderhit")
	assert.Regexp(t, "^bestmove ", lines[len(lines)-1])
}

// A table that no memory holds is not made; the default is there instead, or what was there before.
func TestHashWithoutMemory(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("memory is not asked for there")
	}
	config := usi.Config{MaxHashMB: 1 << 30}
	for _, c := range []struct{ before, want string }{{"", "64 instead"}, {"setoption name USI_Hash value 2\nisready\n", "2 instead"}} {
		var out strings.Builder
		require.NoError(t, usi.Serve(strings.NewReader(c.before+"setoption name USI_Hash value 1073741824\nisready\ngo depth 1\n"), &out, config))
		assert.Contains(t, out.String(), c.want)
		assert.Contains(t, out.String(), "bestmove ")
	}
}

func TestBook(t *testing.T) {
	folder := t.TempDir()
	text := "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n7g7f 3c3d 63 27 90\n2g2f none none none 10\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "my book.db"), []byte(text), 0o600))
	use := []string{"setoption name BookDir value " + folder, "setoption name BookFile value my book.db"}
	seen := map[string]int{}
	for seed := range 60 {
		config := small
		config.Seed = uint64(seed)
		config.Commands = append(use, "position startpos", "go btime 1000 wtime 1000")
		var out [2]strings.Builder
		require.NoError(t, usi.Serve(strings.NewReader(""), &out[0], config))
		require.NoError(t, usi.Serve(strings.NewReader(""), &out[1], config))
		require.Equal(t, out[0].String(), out[1].String(), "a seed always chooses the same")
		lines := strings.Split(strings.TrimSpace(out[0].String()), "\n")
		seen[lines[len(lines)-1]]++
	}
	assert.Len(t, seen, 2)
	assert.Greater(t, seen["bestmove 7g7f ponder 3c3d"], 40)

	lines := talk(t, append(use, "isready", "position startpos moves 2h3h 8b7b", "go depth 1", "setoption name USI_OwnBook value false", "position startpos", "go depth 1")...)
	contains(t, lines, "DB2016, 1 positions")
	for _, l := range lines {
		assert.NotContains(t, l, "book move")
	}
	white := "position sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 4"
	contains(t, talk(t, append(use, white, "go byoyomi 100")...), "book move 3c3d")
	contains(t, talk(t, append(use, "setoption name FlippedBook value false", white, "go byoyomi 100")...), "seldepth")
	contains(t, talk(t, append(use, "position startpos", "go infinite", "stop")...), "seldepth") // analysis asks the engine
	lines = talk(t, append(use, "setoption name BookFile value none.db", "isready", "isready", "position startpos", "go depth 1")...)
	contains(t, lines, "no book")
	assert.True(t, strings.HasPrefix(lines[len(lines)-1], "bestmove "))

	s := begin(t, small)
	s.say("%s", strings.Join(append(use, "position startpos", "go ponder btime 1000 wtime 1000"), "\n"))
	s.quiet()
	s.say("ponderhit")
	s.until("bestmove")
	s.say("quit")
	s.end()
}

// Counts that programs have agreed upon for long: of the even game and of a position rich in moves.
func TestPerft(t *testing.T) {
	for _, c := range []struct{ position, command, want string }{
		{"startpos", "perft 1", "captures 0 promotions 0 drops 0 checks 0 mates 0\nnodes 30"},
		{"startpos", "perft 3", "captures 59 promotions 30 drops 0 checks 48 mates 0\nnodes 25470"},
		{"startpos", "perft 4", "captures 1803 promotions 842 drops 0 checks 1121 mates 0\nnodes 719731"},
		{"startpos", "perft 0", "captures 0 promotions 0 drops 0 checks 0 mates 0\nnodes 1"},
		{"startpos", "perft 3 fast", "nodes 25470"},
		{"sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1", "perft 1", "nodes 207"},
		{"sfen R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", "perft 2 fast", "nodes 105677"},
	} {
		lines := strings.Join(talk(t, "position "+c.position, c.command), "\n")
		i := strings.LastIndex(lines, " time")
		assert.True(t, strings.HasSuffix(lines[:i], c.want), "%s: %s", c.command, lines)
	}
	for _, command := range []string{"perft 2 divide", "perft 2 divide fast"} {
		lines := talk(t, "position startpos", command)
		assert.Contains(t, lines, "7g7f 30")
	}
	s := begin(t, small)
	s.say("perft 20\nstop")
	s.until("info string perft was stopped")
	s.say("bench 60\nstop")
	s.until("info string bench was stopped")
	s.say("quit")
	s.end()
}

// The bench's nodes are a signature: the same every time at one thread.
func TestBench(t *testing.T) {
	signature := func(command string) string {
		for _, line := range talk(t, command) {
			if strings.HasPrefix(line, "nodes ") {
				return line
			}
		}
		return ""
	}
	for _, command := range []string{"bench 3", "bench nodes 500", "bench depth 2"} {
		assert.NotEmpty(t, signature(command))
		assert.Equal(t, signature(command), signature(command))
	}
}

func TestShow(t *testing.T) {
	lines := talk(t, "position startpos moves 7g7f", "d")
	contains(t, lines, "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2")
	assert.Equal(t, lines, talk(t, "position startpos moves 7g7f", "show"))
}

// All games of the set, thought about at every twentieth move.
func TestGamesOfTheSet(t *testing.T) {
	games := strings.Split(strings.TrimSpace(string(vectors.Bytes(t, "games/usi_positions.txt"))), "\n")
	s := begin(t, small)
	asked, step := 0, 20
	if testing.Short() {
		step = 300
	}
	for _, line := range games {
		words := strings.Fields(line)
		for n := 3; n <= len(words); n += step {
			position := strings.Join(words[:n], " ")
			s.say("%s", position)
			s.say("go nodes 300")
			if move, _ := best(t, s.last("bestmove")); move != "resign" && move != "win" {
				replay(t, position, move)
			}
			asked++
		}
	}
	s.say("quit")
	s.end()
	vectors.Count(t, "games/usi_positions.txt", asked)
}

// Commands in any order, some of them broken, at random times: every go is answered once, and the engine ends when told to.
func TestRandomSessions(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 9))
	commands := []string{
		"usi", "isready", "usinewgame", "position startpos", "position startpos moves 7g7f 3c3d", "position sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "position x",
		"go infinite", "go depth 3", "go nodes 200", "go movetime 3", "go ponder btime 50 wtime 50", "go mate 3", "go mate infinite", "go", "stop", "ponderhit", "ponderhit btime 10 wtime 10",
		"gameover win", "setoption name MultiPV value 4", "setoption name MultiPV value 1", "setoption name Threads value 2", "setoption name USI_Hash value 2", "d", "perft 2", "bench nodes 20", "zzz",
	}
	times := 40
	if testing.Short() {
		times = 10
	}
	for range times {
		s := begin(t, small)
		asked := 0
		for range 60 {
			c := commands[random.IntN(len(commands))]
			if strings.HasPrefix(c, "go") {
				asked++
			}
			if c == "gameover win" {
				c = "stop"
			}
			s.say("%s", c)
			if random.IntN(6) == 0 {
				time.Sleep(time.Duration(random.IntN(2000)) * time.Microsecond)
			}
		}
		s.say("quit")
		answers := 0
		s.end()
		for line := range s.lines {
			if strings.HasPrefix(line, "bestmove") || strings.HasPrefix(line, "checkmate") {
				answers++
			}
		}
		require.Equal(t, asked, answers)
	}
}

// Any bytes: no panic, every line that comes out is whole, and the engine ends.
func FuzzServe(f *testing.F) {
	f.Add([]byte("usi\nisready\nposition startpos moves 7g7f\ngo depth 2\nstop\n"))
	f.Add([]byte("setoption name MultiPV value 3\ngo mate infinite\ngo searchmoves 7g7f ponder\nponderhit\nposition sfen 4k4/9/4P4/9/9/9/9/9/9 b G 1\nd\nperft 2 divide\n"))
	f.Add([]byte("setoption name BookFile value ../../../etc/passwd\nisready\ngo btime 1 wtime 1 byoyomi 1 binc 0\nbench nodes 3\ngameover draw\n\x00\xff"))
	config := small
	config.MaxHashMB, config.MaxThreads = 2, 2
	f.Fuzz(func(t *testing.T, data []byte) {
		var out strings.Builder
		require.NoError(t, usi.Serve(strings.NewReader(string(data)+"\nquit\n"), &out, config))
		if text := out.String(); text != "" {
			require.True(t, strings.HasSuffix(text, "\n"))
		}
	})
}
