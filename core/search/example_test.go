package search_test

import (
	"fmt"

	"komadori/core/board"
	"komadori/core/notation"
	"komadori/core/search"
	"komadori/core/shogi"
)

// material judges a position by its pieces alone. It keeps nothing, so it need not follow the moves.
type material struct{}

func (material) Reset(*board.Position)            {}
func (material) Push(*board.Position, shogi.Move) {}
func (material) Pop()                             {}

func (material) Evaluate(p *board.Position) (worth int) {
	us := p.Turn()
	for kind := shogi.Pawn; kind <= shogi.Dragon; kind++ {
		if kind == shogi.King {
			continue
		}
		n := p.PiecesOf(us, kind).Count() - p.PiecesOf(us.Opposite(), kind).Count()
		if kind <= shogi.Gold {
			n += p.Hand(us).Count(kind) - p.Hand(us.Opposite()).Count(kind)
		}
		worth += n * shogi.PieceValues[kind]
	}
	return worth
}

// A search asks whatever judge of positions it is given: here one that knows material and nothing else. Every thread gets its own.
func ExampleEvaluator() {
	s, err := search.New(search.Options{NewEvaluator: func() search.Evaluator { return material{} }})
	if err != nil {
		panic(err)
	}
	p, err := notation.ParsePosition("4k4/4g4/9/2r6/9/9/2R6/4G4/4K4 b - 1")
	if err != nil {
		panic(err)
	}
	r, err := s.Search(board.NewGameFrom(p), search.Limits{Depth: 1}, nil, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(r.BestMove, r.Score)
	// Output: 7g7d cp 2000
}
