package main

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"

	"komadori/core/board"
	"komadori/core/eval"
	"komadori/core/packed"
	"komadori/core/search"
	"komadori/core/shogi"
)

// A generator plays games against itself.
type generator struct {
	searcher *search.Searcher
	random   *rand.Rand
	nodes    uint64
}

// A sample is a position with what the search thought of it.
type sample struct {
	position board.Position
	move     shogi.Move
	eval     shogi.Eval
}

func play(args []string) error {
	flags := flag.NewFlagSet("play", flag.ExitOnError)
	games := flags.Int("games", 1000, "games to play")
	nodes := flags.Uint64("nodes", 1000, "nodes of a move")
	seed := flags.Uint64("seed", 1, "of the openings")
	out := flags.String("out", "games.psv", "file to write")
	weights := flags.String("weights", "", "weights of the evaluation, if others than the built-in ones")
	if err := flags.Parse(args); err != nil {
		return err
	}
	options := search.Options{HashMB: 4, Rules: board.CSA.Rules()}
	if *weights != "" {
		w, err := readWeights(*weights)
		if err != nil {
			return err
		}
		maker := eval.Maker(w)
		options.NewEvaluator = func() search.Evaluator { return maker() }
	}
	s, err := search.New(options)
	if err != nil {
		return err
	}
	f, err := os.Create(*out)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	positions := 0
	for i := range *games {
		// Every game has its own numbers, so that it does not depend on those before.
		g := generator{s, rand.New(rand.NewPCG(*seed, uint64(i))), *nodes}
		samples, result, err := g.game()
		if err != nil {
			return err
		}
		if err := write(w, samples, result); err != nil {
			return err
		}
		positions += len(samples)
		if (i+1)%100 == 0 {
			fmt.Printf("%d games, %d positions\n", i+1, positions)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

func write(w *bufio.Writer, samples []sample, result shogi.GameResult) error {
	var record [packed.PSVSize]byte
	for i := range samples {
		s := &samples[i]
		raw, err := packed.YaneuraOu.Encode(result, s.position.Turn())
		if err == nil {
			err = packed.EncodePSV(&s.position, s.move, s.eval, raw, 0, &record)
		}
		if err == nil {
			_, err = w.Write(record[:])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

const (
	lost      = 2500 // centipawns at which a game is over
	lostPlies = 6    // when both sides see it for so long
)

// game plays one game. Its opening is made of moves that are nearly best, chosen by chance, and now and then of any move at all; these
// give positions, but no samples. Later a move by chance is rare.
func (g *generator) game() ([]sample, shogi.GameResult, error) {
	if err := g.searcher.Clear(); err != nil {
		return nil, 0, err
	}
	game := board.NewGame()
	rules := board.CSA.Rules()
	opening := 4 + g.random.IntN(25)
	var samples []sample
	over := 0
	for {
		o, err := game.Outcome(rules, board.DeclareToWin)
		if err != nil {
			return nil, 0, err
		}
		if o.IsOver() {
			return samples, o.Result, nil
		}
		ply := int(game.Len)
		limits := search.Limits{Nodes: g.nodes}
		if ply < opening {
			limits.MultiPV = 4
		}
		r, err := g.searcher.Search(game, limits, nil, nil)
		if err != nil {
			return nil, 0, err
		}
		move := r.BestMove
		switch {
		case ply < opening:
			best, ok := r.Score.Cp()
			n := 0
			for n < len(r.Lines) && ok {
				cp, isCp := r.Lines[n].Score.Cp()
				if !isCp || cp < best-100 {
					break
				}
				n++
			}
			move = r.Lines[g.random.IntN(max(n, 1))].PV[0]
			if g.random.IntN(12) == 0 {
				moves := game.Pos.AppendLegal(nil)
				move = moves[g.random.IntN(len(moves))]
			}
		case g.random.IntN(60) == 0:
			moves := game.Pos.AppendLegal(nil)
			move = moves[g.random.IntN(len(moves))]
		default:
			samples = append(samples, sample{game.Pos, r.BestMove, r.Score.Eval()})
		}
		cp, ok := r.Score.Cp()
		if game.Pos.Turn() == shogi.White {
			cp = -cp
		}
		plies, _ := r.Score.MatePlies()
		switch {
		case !ok && plies > 0:
			return samples, shogi.GameResult(game.Pos.Turn()), nil
		case !ok:
			return samples, shogi.GameResult(game.Pos.Turn().Opposite()), nil
		case cp >= lost && over >= 0:
			over++
		case cp <= -lost && over <= 0:
			over--
		default:
			over = 0
		}
		switch {
		case over >= lostPlies:
			return samples, shogi.BlackWin, nil
		case over <= -lostPlies:
			return samples, shogi.WhiteWin, nil
		}
		if err := game.Push(move); err != nil {
			return nil, 0, err
		}
	}
}
