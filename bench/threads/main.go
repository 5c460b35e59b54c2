// Command threads compares searches to the same depth with one thread and with several: time on the wall, and nodes.
//
//	threads -threads 2 -depth 18 -positions 40 ../shared/data/floodgate.jsonl
//
// Each line of the file is a JSON object with "sfen"; positions are spread over the file, those with a mate in sight are passed over. Every search
// begins with an empty table. A ratio of time means something only on a machine that has as many processors free. The depth is the same for all
// positions: one chosen for each by what a single thread reaches in so many nodes is one that a single thread was quick to reach.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"

	"komadori/core/board"
	"komadori/core/notation"
	"komadori/core/search"
)

func main() {
	threads := flag.Int("threads", 2, "threads to compare with one")
	positions := flag.Int("positions", 40, "positions to search")
	depth := flag.Int("depth", 18, "depth to search to")
	hash := flag.Int("hash", 64, "MiB of each table")
	verbose := flag.Bool("v", false, "tell of every position")
	flag.Parse()
	if err := run(flag.Arg(0), *threads, *positions, *depth, *hash, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "threads:", err)
		os.Exit(1)
	}
}

func read(path string) (positions []board.Position, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var row struct{ SFEN string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return nil, err
		}
		p, err := notation.ParsePosition(row.SFEN)
		if err != nil {
			return nil, err
		}
		positions = append(positions, p)
	}
	return positions, lines.Err()
}

func run(path string, threads, want, depth, hash int, verbose bool) error {
	all, err := read(path)
	if err != nil {
		return err
	}
	one, err := search.New(search.Options{HashMB: hash})
	if err != nil {
		return err
	}
	many, err := search.New(search.Options{HashMB: hash, Threads: threads})
	if err != nil {
		return err
	}
	// look searches, and tells what the last iteration that ended took from the start on.
	look := func(s *search.Searcher, p board.Position, limits search.Limits) (last search.Info, mate bool, err error) {
		if err := s.Clear(); err != nil {
			return last, false, err
		}
		r, err := s.Search(board.NewGameFrom(p), limits, nil, func(i search.Info) { last = i })
		return last, r.Score.IsMate(), err
	}
	// The first search takes the memory.
	if _, _, err := look(many, all[0], search.Limits{Depth: 1}); err != nil {
		return err
	}
	var logTime, logNodes, seconds, seconds1 float64
	n := 0
	limits := search.Limits{Depth: depth}
	for i := 0; i < len(all) && n < want; i += max(len(all)/want*4/5, 1) { // some have no search to compare
		a, mate, err := look(one, all[i], limits)
		if err != nil {
			return err
		}
		if mate || a.Depth < depth {
			continue
		}
		b, _, err := look(many, all[i], limits)
		if err != nil {
			return err
		}
		n++
		seconds1 += a.Elapsed.Seconds()
		seconds += b.Elapsed.Seconds()
		logTime += math.Log(b.Elapsed.Seconds() / a.Elapsed.Seconds())
		logNodes += math.Log(float64(b.Nodes) / float64(a.Nodes))
		if verbose {
			fmt.Printf("depth %2d: %.3f s and %.3f s, %.3f; nodes %d and %d, %.3f\n", a.Depth, a.Elapsed.Seconds(), b.Elapsed.Seconds(),
				b.Elapsed.Seconds()/a.Elapsed.Seconds(), a.Nodes, b.Nodes, float64(b.Nodes)/float64(a.Nodes))
		}
	}
	if n == 0 {
		return fmt.Errorf("no position of %d to search", len(all))
	}
	time, more := math.Exp(logTime/float64(n)), math.Exp(logNodes/float64(n))
	fmt.Printf("%d positions, %d threads: time %.3f of one thread's in all, %.3f in geometric mean; nodes %.3f, nodes a second %.3f\n",
		n, threads, seconds/seconds1, time, more, more/time)
	return nil
}
