package board

import "komadori/core/shogi"

// Perft counts the positions after depth legal moves, by all legal moves and without regard to repetition.
// Depth 0 counts 1. stop, if given, is asked now and then; when it tells true the count so far is returned.
func (p *Position) Perft(depth int, stop func() bool) uint64 {
	q := *p
	if depth <= 0 {
		return 1
	}
	if q.turn == shogi.Black {
		return perft[black, white](&q, depth, stop)
	}
	return perft[white, black](&q, depth, stop)
}

func perft[C, E side](p *Position, depth int, stop func() bool) uint64 {
	var nd node
	analyse[C, E](p, &nd)
	if depth == 1 {
		return uint64(count[C, E](p, &nd))
	}
	var l MoveList
	n := generate[C, E](p, &nd, &l)
	var total uint64
	for _, m := range l.Moves[:n] {
		if depth >= 4 && stop != nil && stop() {
			break
		}
		u := do[C, E](p, m)
		total += perft[E, C](p, depth-1, stop)
		undo[C, E](p, m, u)
	}
	return total
}
