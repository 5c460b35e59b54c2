// Command match plays two USI engines against each other: every opening twice, with colors swapped, until the games are played or a
// sequential test decides.
//
//	match -first "build/engine-a" -second "build/engine-b" -go "nodes 10000" -games 400 -sprt 0,10
//	match -first ... -second ... -go "byoyomi 100" -games 200 -second-option USI_Hash=64
//	match -first ... -second ... -time 10+0.1 -openings bench/match/openings.txt
//
// With -time players have clocks, and lose by them. An engine that ends in the middle of a game loses it and is started again.
// Openings are made on the spot from a seed, or read from -openings, a file with one `startpos moves ...` a line; the file is written when
// it is not there. After every pair the score is printed: points, the difference in Elo with its interval of 95 %, and, with -sprt, the
// logarithm of the likelihood ratio, which ends the match at ±2.94.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"komadori/core/board"
	"komadori/core/shogi"
)

type list []string

func (l *list) String() string     { return strings.Join(*l, " ") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

type settings struct {
	commands    [2]string
	options     [2]list
	terms       terms
	games       int
	concurrency int
	sprt        string
	openings    string
	plies       int
	seed        uint64
	record      string
}

func main() {
	var s settings
	flag.StringVar(&s.commands[0], "first", "", "command of the first engine")
	flag.StringVar(&s.commands[1], "second", "", "command of the second engine")
	flag.Var(&s.options[0], "first-option", "NAME=VALUE, may be given again")
	flag.Var(&s.options[1], "second-option", "NAME=VALUE, may be given again")
	both := flag.String("go", "nodes 10000", "limits of a move, as in USI's go command; byoyomi N becomes a clock without anything else")
	first := flag.String("first-go", "", "limits of the first engine, if others")
	second := flag.String("second-go", "", "limits of the second engine, if others")
	control := flag.String("time", "", "a clock instead of limits: SECONDS+INCREMENT, or SECONDS/BYOYOMI")
	margin := flag.Duration("margin", 50*time.Millisecond, "a flag falls so much later")
	profile := flag.String("rules", "CSA", "JSA, CSA or FLOODGATE")
	flag.IntVar(&s.terms.resign, "resign", 3000, "a game is over when both engines are this sure of it for eight plies; 0: played to the end")
	flag.IntVar(&s.games, "games", 200, "games at most")
	flag.IntVar(&s.concurrency, "concurrency", 1, "games at a time")
	flag.StringVar(&s.sprt, "sprt", "", "ELO0,ELO1: stop when one of them is clearly the likelier")
	flag.StringVar(&s.openings, "openings", "", "file of openings")
	flag.IntVar(&s.plies, "plies", 16, "length of openings that are made")
	flag.Uint64Var(&s.seed, "seed", 1, "of openings that are made")
	flag.StringVar(&s.record, "record", "", "file that games are appended to, one a line: result, reason, moves")
	flag.Parse()
	rules, err := board.ParseProfile(*profile)
	if err == nil {
		s.terms.rules = rules.Rules()
		s.terms.goes = [2]string{goCommand(*both, *first), goCommand(*both, *second)}
		if *control != "" {
			s.terms.clock, err = parseTime(*control)
			s.terms.clock.margin = *margin
		}
	}
	if err == nil {
		err = s.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "match:", err)
		os.Exit(1)
	}
}

func goCommand(both, own string) string {
	if own == "" {
		own = both
	}
	if strings.HasPrefix(own, "byoyomi ") {
		own = "btime 0 wtime 0 " + own
	}
	return "go " + own
}

func (s *settings) run() error {
	var elos []float64
	if s.sprt != "" {
		for _, w := range strings.Split(s.sprt, ",") {
			x, err := strconv.ParseFloat(w, 64)
			if err != nil {
				return err
			}
			elos = append(elos, x)
		}
		if len(elos) != 2 || elos[0] >= elos[1] {
			return fmt.Errorf("-sprt %s, want ELO0,ELO1", s.sprt)
		}
	}
	starts, err := s.starts()
	if err != nil {
		return err
	}
	var (
		mutex  sync.Mutex
		total  score
		sums   played
		failed error
		next   int
		group  sync.WaitGroup
	)
	for range max(s.concurrency, 1) {
		group.Go(func() {
			engines, err := s.engines()
			defer func() {
				for _, e := range engines {
					if e != nil {
						e.quit()
					}
				}
			}()
			for err == nil {
				mutex.Lock()
				i := next
				next++
				over := failed != nil || 2*i >= s.games || i >= len(starts)
				mutex.Unlock()
				if over {
					return
				}
				var results [2]int
				var pair [2]played
				for black := range 2 {
					if pair[black], err = s.game(&engines, black, starts[i]); err != nil {
						break
					}
					results[black] = []int{1, 2, 0}[pair[black].winner+1]
				}
				if err != nil {
					break
				}
				mutex.Lock()
				total.add(results[0], results[1])
				for black := range pair {
					for e := range 2 {
						sums.nodes[e] += pair[black].nodes[e]
						sums.plies[e] += pair[black].plies[e]
						sums.depth[e] += pair[black].depth[e]
					}
					if err == nil && s.record != "" {
						err = s.write(&pair[black], black)
					}
					if r := pair[black].reason; strings.HasPrefix(r, "illegal") || strings.HasPrefix(r, "wrong") || strings.HasPrefix(r, "gone") || r == "time" {
						fmt.Printf("engine %d lost by %s: %s\n", 2-pair[black].winner, r, strings.Join(pair[black].moves, " "))
					}
				}
				line := total.String()
				if elos != nil {
					llr := total.llr(elos[0], elos[1])
					line += fmt.Sprintf(", LLR %.2f", llr)
					if llr >= llrBound || llr <= -llrBound {
						next = len(starts)
					}
				}
				fmt.Println(line)
				mutex.Unlock()
			}
			mutex.Lock()
			failed = err
			mutex.Unlock()
		})
	}
	group.Wait()
	for e := range 2 {
		n := max(sums.plies[e], 1)
		fmt.Printf("engine %d, %s: %d moves, %.0f nodes and depth %.1f a move\n", e+1, s.commands[e], sums.plies[e], float64(sums.nodes[e])/float64(n), float64(sums.depth[e])/float64(n))
	}
	return failed
}

// game is play for engines that may go: such a one loses, and is started again.
func (s *settings) game(engines *[2]*engine, black int, opening []shogi.Move) (played, error) {
	p, err := play(*engines, black, opening, &s.terms)
	var gone goneError
	if !errors.As(err, &gone) {
		return p, err
	}
	for i, e := range engines {
		if e.isGone {
			p.winner, p.reason = i^1, "gone: "+gone.Error()
			e.quit()
			if engines[i], err = launch(s.commands[i], s.options[i]); err != nil {
				return p, err
			}
		}
	}
	return p, nil
}

func (s *settings) engines() (engines [2]*engine, err error) {
	for i := range engines {
		if engines[i], err = launch(s.commands[i], s.options[i]); err != nil {
			return engines, err
		}
	}
	return engines, nil
}

// write appends a game to the record.
func (s *settings) write(p *played, black int) error {
	f, err := os.OpenFile(s.record, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	result := [3]string{"draw", "first", "second"}[p.winner+1]
	_, err = fmt.Fprintf(f, "%s\t%s\tengine %d is Black\t%s\n", result, p.reason, black+1, strings.Join(p.moves, " "))
	return err
}

// starts are the openings.
func (s *settings) starts() ([][]shogi.Move, error) {
	if s.openings != "" {
		if text, err := os.ReadFile(s.openings); err == nil {
			return parseOpenings(string(text))
		} else if !os.IsNotExist(err) {
			return nil, err
		}
	}
	random := rand.New(rand.NewPCG(s.seed, 0))
	out, err := openings((s.games+1)/2, s.plies, random.IntN)
	if err != nil || s.openings == "" {
		return out, err
	}
	var text strings.Builder
	for _, moves := range out {
		text.WriteString("startpos moves")
		for _, m := range moves {
			text.WriteString(" " + m.String())
		}
		text.WriteString("\n")
	}
	return out, os.WriteFile(s.openings, []byte(text.String()), 0o644)
}

func parseOpenings(text string) (out [][]shogi.Move, err error) {
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		words := strings.Fields(line)
		if len(words) < 1 || words[0] != "startpos" || len(words) > 1 && words[1] != "moves" {
			return nil, fmt.Errorf("opening %d is not `startpos moves ...`", i+1)
		}
		var moves []shogi.Move
		for _, w := range words[min(2, len(words)):] {
			m, err := shogi.ParseMove(w)
			if err != nil {
				return nil, fmt.Errorf("opening %d: %w", i+1, err)
			}
			moves = append(moves, m)
		}
		out = append(out, moves)
	}
	return out, nil
}
