package search

import (
	"komadori/core/board"
	"komadori/core/eval"
	"komadori/core/shogi"
)

// An Evaluator judges positions for one thread of a search. It may keep sums that follow the moves: the search tells it
// of every move before the move is played, and when it is taken back, in strict stack order, at most EvaluatorDepth deep.
type Evaluator interface {
	// Reset starts over at a position.
	Reset(p *board.Position)
	// Push announces that p is about to play a legal move, or to pass (MoveNull).
	Push(p *board.Position, m shogi.Move)
	// Pop takes the last announced move back.
	Pop()
	// Evaluate is the worth of p in centipawns for the side to move. Values beyond ±28000 are cut off.
	Evaluate(p *board.Position) int
}

// EvaluatorDepth is how many moves are pushed at most after a Reset.
const EvaluatorDepth = eval.Depth

// NewHandMade makes the built-in evaluation, see package eval; it is what a search uses when Options.NewEvaluator is nil.
func NewHandMade() Evaluator { return eval.New() }
