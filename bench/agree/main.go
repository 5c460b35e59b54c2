// Command agree searches positions and counts how often it finds the move that was played.
//
//	agree -nodes 100000 ../shared/data/floodgate.jsonl
//
// Each line of the file is a JSON object with "sfen" and "bestmove" (USI). The standard error of the figure is sqrt(p(1-p)/n), 1.1 % for 2000
// positions.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"komadori/core/board"
	"komadori/core/notation"
	"komadori/core/search"
)

func main() {
	nodes := flag.Uint64("nodes", 100_000, "nodes of each search")
	first := flag.Int("positions", 0, "positions to look at; 0: all")
	every := flag.Int("every", 1, "look at every so many-th line")
	hash := flag.Int("hash", 64, "MiB of the table")
	flag.Parse()
	if err := run(flag.Arg(0), *nodes, *first, *every, *hash); err != nil {
		fmt.Fprintln(os.Stderr, "agree:", err)
		os.Exit(1)
	}
}

func run(path string, nodes uint64, limit, every, hash int) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	s, err := search.New(search.Options{HashMB: hash})
	if err != nil {
		return err
	}
	var same, n, depth, used, seconds float64
	lines := bufio.NewScanner(f)
	for i := 0; lines.Scan() && (limit == 0 || int(n) < limit); i++ {
		if i%max(every, 1) != 0 {
			continue
		}
		var row struct{ SFEN, BestMove string }
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return err
		}
		p, err := notation.ParsePosition(row.SFEN)
		if err != nil {
			return err
		}
		if err := s.Clear(); err != nil {
			return err
		}
		r, err := s.Search(board.NewGameFrom(p), search.Limits{Nodes: nodes}, nil, nil)
		if err != nil {
			return err
		}
		n++
		if r.BestMove.String() == row.BestMove {
			same++
		}
		depth += float64(r.Depth)
		used += float64(r.Nodes)
		seconds += r.Elapsed.Seconds()
	}
	fmt.Printf("%.0f of %.0f moves agree, %.2f %%; on average depth %.2f, %.0f nodes; %.0f nodes/s\n", same, n, 100*same/n, depth/n, used/n, used/seconds)
	return lines.Err()
}
