package main

import (
	"fmt"
	"io"
	"strings"

	"komadori/core/board"
	"komadori/core/mate"
	"komadori/core/notation"
	"komadori/core/search"
	"komadori/core/shogi"
)

// look asks everything about one position: its legal moves, a search, a mate.
func look(p board.Position, report io.Writer) error {
	var legal board.MoveList
	p.Legal(&legal)
	fmt.Fprintf(report, "\n%s\n", notation.FormatSFEN(&p))
	fmt.Fprintf(report, "  %-22s %d: %s\n", "legal moves", legal.N, usi(legal.Slice(), 12))

	searcher, err := search.New(search.Options{})
	if err != nil {
		return err
	}
	found, err := searcher.Search(board.NewGameFrom(p), search.Limits{Nodes: 100_000}, nil, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(report, "  %-22s %v (%v), depth %d, %d nodes: %s\n", "search", found.BestMove, found.Score, found.Depth, found.Nodes, usi(found.PV, 8))

	solved, err := mate.Solve(&p, mate.Limits{Nodes: 100_000}, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(report, "  %-22s %v, %d nodes %s\n", "mate", solved.Status, solved.Nodes, usi(solved.PV, 8))
	return nil
}

// usi lists at most so many moves.
func usi(moves []shogi.Move, most int) string {
	var words []string
	for _, m := range moves[:min(most, len(moves))] {
		words = append(words, m.String())
	}
	if len(moves) > most {
		words = append(words, "...")
	}
	return strings.Join(words, " ")
}
