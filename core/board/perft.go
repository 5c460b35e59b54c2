package board

import (
	"komadori/core/bitboard"
	"komadori/core/shogi"
)

// Perft counts the positions after depth legal moves, by all legal moves and without regard to repetition.
// Depth 0 counts 1. stop, if given, is asked now and then; when it tells true the count so far is returned.
func (p *Position) Perft(depth int, stop func() bool) uint64 {
	if depth <= 0 {
		return 1
	}
	q := *p
	var few [6]MoveList // one for each ply but the last; deeper counts take so long that memory from the heap does not matter
	lists := few[:]
	if depth-1 > len(lists) {
		lists = make([]MoveList, depth-1)
	}
	if q.turn == shogi.Black {
		return perft[black, white](&q, lists[:depth-1], stop)
	}
	return perft[white, black](&q, lists[:depth-1], stop)
}

// perft counts one ply more than there are lists.
func perft[C, E side](p *Position, lists []MoveList, stop func() bool) uint64 {
	var nd node
	analyse[C, E](p, &nd)
	if len(lists) == 0 {
		return uint64(count[C, E](p, &nd))
	}
	l, rest := &lists[0], lists[1:]
	n := generate[C, E](p, &nd, l)
	if len(rest) == 0 {
		return leaves[C, E](p, &nd, l.Moves[:n])
	}
	var total uint64
	for _, m := range l.Moves[:n] {
		if len(rest) > 1 && stop != nil && stop() {
			break
		}
		u := do[C, E](p, m)
		total += perft[E, C](p, rest, stop)
		undo[C, E](p, m, u)
	}
	return total
}

// leaves counts the answers to each of the moves. Most moves leave alone what the opponent's pieces can do, which is then counted once for all of them.
func leaves[C, E side](p *Position, nd *node, moves []shogi.Move) (total uint64) {
	same, pinned, reach := answers[C, E](p)
	for _, m := range moves {
		from, to := shogi.Square(m>>7&127), shogi.Square(m&127)
		if m&shogi.MoveDrop != 0 {
			from = to
		}
		alone := !bitboard.Of(from).Or(bitboard.Of(to)).Overlaps(reach)
		u := do[C, E](p, m)
		analyse[E, C](p, nd)
		if alone && nd.checkers.IsEmpty() && nd.pinned == pinned {
			total += uint64(nd.flights.Count() + same + countDrops[E, C](p, nd))
			if !pinned.IsEmpty() {
				total += uint64(countPinned[E](p, nd))
			}
		} else {
			total += uint64(count[E, C](p, nd))
		}
		undo[C, E](p, m, u)
	}
	return total
}

// answers looks at the position as if C passed: how many moves E's pieces have that are neither the king nor pinned, which are pinned, and on which squares a move of C
// may change that number: those of E's men and of C's king, which are no targets, and those that E's sliders attack.
func answers[C, E side](p *Position) (n int, pinned, reach bitboard.Bitboard) {
	var nd node
	analyse[E, C](p, &nd)
	n = countFree[E](p, &nd)
	reach = nd.targets.Not() // where E stands in check, in a diagram, nearly everything
	var e E
	enemy := &p.sets[len(e)]
	for s := enemy[lances].Or(enemy[bishops]).Or(enemy[rooks]).Or(enemy[horses]).Or(enemy[dragons]); !s.IsEmpty(); {
		from := s.Pop()
		reach = reach.Or(bitboard.Attacks(shogi.Piece(p.board[from&127]), from, nd.occupied))
	}
	return n, nd.pinned, reach
}
