package board

import "komadori/core/shogi"

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
	var total uint64
	for _, m := range l.Moves[:n] {
		if len(rest) > 1 && stop != nil && stop() {
			break
		}
		u := do[C, E](p, m)
		if len(rest) == 0 { // the last ply without another call
			analyse[E, C](p, &nd)
			total += uint64(count[E, C](p, &nd))
		} else {
			total += perft[E, C](p, rest, stop)
		}
		undo[C, E](p, m, u)
	}
	return total
}
