package usi

import (
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"komadori/core/board"
	"komadori/core/notation"
	"komadori/core/search"
	"komadori/core/shogi"
)

// benchPositions are of all phases of a game; those of the bench command.
var benchPositions = []string{
	"lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
	"lnsgkgsnl/1r7/p1ppp1bpp/1p3pp2/7P1/2P6/PP1PPPP1P/1B3S1R1/LNSGKG1NL b - 9",
	"l3bg2l/1rg1k4/p1nps1n+Pp/2p6/4p1s2/2PB5/P2P1PNRP/1SG2G3/LN1K2S1L w 3P4p 1",
	"l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1",
	"6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
	"l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
}

// background runs work as the present task; its answer is the lines that it returns.
func (e *engine) background(work func(stop *atomic.Int32) []string) {
	stop, done := new(atomic.Int32), make(chan struct{})
	var lines []string
	go func() {
		defer close(done)
		lines = work(stop)
	}()
	e.task = &task{stop: func() { stop.Store(1) }, ponderHit: func() {}, done: done, answer: func() {
		for _, l := range lines {
			e.out.say(l)
		}
	}}
}

const (
	benchDepth  = 8
	benchHashMB = 16
)

// bench searches some positions with a table of its own, always of the same size: "bench", "bench 10", "bench depth 10" or "bench nodes 100000". At one thread the number of
// nodes is the same everywhere: a signature of the search.
func (e *engine) bench(text string) {
	limits := search.Limits{Depth: benchDepth}
	words := strings.Fields(text)
	for i, word := range words {
		switch n, err := number(word); {
		case err == nil && i > 0 && words[i-1] == "nodes":
			limits = search.Limits{Nodes: uint64(max(n, 1))}
		case err == nil:
			limits = search.Limits{Depth: max(n, 1)}
		case word != "nodes" && word != "depth":
			e.note("bench %.40q is unknown", word)
		}
	}
	options := e.searchOptions()
	options.HashMB = benchHashMB
	s, err := search.New(options)
	if err != nil {
		e.note("%v", err)
		return
	}
	e.background(func(stop *atomic.Int32) (lines []string) {
		total, elapsed := uint64(0), time.Duration(0)
		for _, sfen := range benchPositions {
			p, err := notation.ParsePosition(sfen)
			if err != nil {
				return []string{"info string bench: " + err.Error()}
			}
			_ = s.Clear() // it is not searching
			r, err := s.Search(board.NewGameFrom(p), limits, stop, nil)
			if err != nil {
				return []string{"info string bench: " + err.Error()}
			}
			if r.Stopped {
				return append(lines, "info string bench was stopped")
			}
			total += r.Nodes
			elapsed += r.Elapsed
			lines = append(lines, fmt.Sprintf("%-5s depth %2d %10s %10d nodes %9d nps  %s", r.BestMove, r.Depth, r.Score, r.Nodes, nps(r.Nodes, r.Elapsed), sfen))
		}
		return append(lines, "nodes "+strconv.FormatUint(total, 10), "time "+strconv.FormatInt(elapsed.Milliseconds(), 10), "nps "+strconv.FormatUint(nps(total, elapsed), 10))
	})
}

// A census is what perft counts at its leaves: the last moves by kind.
type census struct {
	nodes, captures, promotions, drops, checks, mates uint64
}

func (c *census) add(o census) {
	c.nodes += o.nodes
	c.captures += o.captures
	c.promotions += o.promotions
	c.drops += o.drops
	c.checks += o.checks
	c.mates += o.mates
}

// maxPerft is deeper than any count that ends.
const maxPerft = 32

// perft counts the leaves of all games of N moves: "perft N", with "divide" for each first move, with "fast" their number alone.
func (e *engine) perft(text string) {
	if !e.hasGame() {
		return
	}
	depth, divide, fast := 0, false, false
	for i, word := range strings.Fields(text) {
		n, err := number(word)
		switch {
		case i == 0 && err == nil && n >= 0 && n <= maxPerft:
			depth = n
		case i > 0 && word == "divide":
			divide = true
		case i > 0 && word == "fast":
			fast = true
		default:
			e.note("perft %.40q: want a depth of 0..%d, divide, fast", word, maxPerft)
			return
		}
	}
	p := e.game.Pos
	e.background(func(flag *atomic.Int32) (lines []string) {
		start := time.Now()
		stop := func() bool { return flag.Load() != 0 }
		lists := make([]board.MoveList, max(depth, 1))
		all := census{nodes: 1}
		if depth > 0 {
			all.nodes = 0
			p.Legal(&lists[0])
			for _, m := range lists[0].Slice() {
				var below census
				if depth == 1 || !fast {
					below = count(&p, m, lists[1:depth], stop)
				} else {
					undo := p.Do(m)
					below.nodes = p.Perft(depth-1, stop)
					p.Undo(m, undo)
				}
				if divide {
					lines = append(lines, m.String()+" "+strconv.FormatUint(below.nodes, 10))
				}
				all.add(below)
			}
		}
		if stop() {
			return append(lines, "info string perft was stopped")
		}
		if !fast {
			lines = append(lines, fmt.Sprintf("captures %d promotions %d drops %d checks %d mates %d", all.captures, all.promotions, all.drops, all.checks, all.mates))
		}
		elapsed := time.Since(start)
		return append(lines, fmt.Sprintf("nodes %d time %d nps %d", all.nodes, elapsed.Milliseconds(), nps(all.nodes, elapsed)))
	})
}

// count is the census below one move; lists has one list for each further move.
func count(p *board.Position, m shogi.Move, lists []board.MoveList, stop func() bool) (c census) {
	if len(lists) == 0 {
		c.nodes = 1
		if p.PieceAt(m.To()) != shogi.NoPiece {
			c.captures = 1
		}
		if m.IsPromotion() {
			c.promotions = 1
		}
		if m.IsDrop() {
			c.drops = 1
		}
		if p.GivesCheck(m) {
			c.checks = 1
			undo := p.Do(m)
			if !p.HasLegalMove() {
				c.mates = 1
			}
			p.Undo(m, undo)
		}
		return c
	}
	if stop() {
		return c
	}
	undo := p.Do(m)
	p.Legal(&lists[0])
	for _, next := range lists[0].Slice() {
		c.add(count(p, next, lists[1:], stop))
	}
	p.Undo(m, undo)
	return c
}
