package mate

import (
	"math"

	"komadori/core/board"
	"komadori/core/shogi"
)

func (s *Solver) solve(limits Limits) (r Result) {
	plies := MaxLength
	if limits.Depth > 0 {
		plies = min(plies, limits.Depth-1|1)
	}
	if r.PV = s.short(plies, !limits.NoMateInOne); r.PV != nil {
		r.Status, r.Proven = Mate, true
	} else if s.list.N == 0 {
		r.Status = NoMate
	} else if !s.stopped {
		s.answer(&r, plies, limits.Shortest || limits.FirstMoves || limits.SkipFutile)
	}
	r.Length = len(r.PV)
	if limits.SkipFutile && r.Proven {
		s.skipFutile(&r)
	}
	if limits.FirstMoves && r.Proven {
		mates := s.mates
		if limits.SkipFutile {
			mates = s.matedCounted
		}
		r.FirstMoves = s.firstMoves(r.Length, mates)
	}
	r.Nodes = s.nodes
	r.Stopped = s.stop != nil && s.stop.Load() != 0
	return r
}

// answer answers what short does not.
func (s *Solver) answer(r *Result, plies int, shortest bool) {
	switch o, _ := s.proveFromHere(plies); {
	case o.proof == 0:
		if line := s.line(int(o.length), nil); line != nil {
			r.Status, r.PV = Mate, line
			if shortest {
				s.shorten(r)
			}
		}
	case o.refute == 0 && o.length == endless:
		r.Status = NoMate
	}
}

// firstMoves are the first moves after which the defender is mated in so many plies, their own one counted.
func (s *Solver) firstMoves(length int, mates func(plies int) bool) (out []shogi.Move) {
	for _, m := range s.pos.AppendMoves(nil, board.Checks, shogi.NoSquare) {
		u := s.pos.Do(m)
		mated := mates(length - 1)
		s.pos.Undo(m, u)
		if s.stopped {
			return nil
		}
		if mated {
			out = append(out, m)
		}
	}
	return out
}

// mates tells whether the present check mates within so many plies.
func (s *Solver) mates(plies int) bool {
	for _, m := range s.pos.AppendLegal(nil) {
		if plies == 0 {
			return false
		}
		u := s.pos.Do(m)
		o, _ := s.prove(plies - 1)
		s.pos.Undo(m, u)
		if o.proof != 0 {
			return false
		}
	}
	return true
}

// short looks for mates in one and three by trying everything, without the table, and leaves the list of all checks. The line it returns is a
// shortest one, and nil says that there is none, unless the search has been stopped.
func (s *Solver) short(plies int, inOne bool) []shogi.Move {
	if inOne {
		if m := s.pos.MateInOne(); m != shogi.MoveNone {
			return []shogi.Move{m}
		}
	}
	s.pos.Generate(board.Checks, shogi.NoSquare, &s.list)
	if plies < 3 {
		return nil
	}
	// The checks with the fewest answers first.
	var order [board.MaxLegalMoves]uint32
	n := s.list.N
	s.pos.Answers(&s.answers)
	for i, m := range s.list.Slice() {
		e := s.pos.Estimate(&s.answers, m)
		x := uint32(e.Moves+e.Squares)<<16 | uint32(m)
		j := i
		for ; j > 0 && order[j-1] > x; j-- {
			order[j] = order[j-1]
		}
		order[j] = x
	}
	for _, x := range order[:n] {
		if x>>16 > 3 {
			return nil
		}
		check := shogi.Move(x)
		u := s.pos.Do(check)
		reply, mate := s.allMated()
		s.pos.Undo(check, u)
		if mate != shogi.MoveNone {
			return []shogi.Move{check, reply, mate}
		}
		if s.stopped {
			return nil
		}
	}
	return nil
}

// allMated gives a reply to the present check and the mate in one after it, if there is one after every reply.
func (s *Solver) allMated() (reply, mate shogi.Move) {
	s.pos.GenerateEvasions(&s.replies)
	for _, reply = range s.replies.Slice() {
		if s.visit() {
			return reply, shogi.MoveNone
		}
		u := s.pos.Do(reply)
		mate = s.pos.MateInOne()
		s.pos.Undo(reply, u)
		if mate == shogi.MoveNone {
			break
		}
	}
	return reply, mate
}

// shorten looks for shorter and shorter mates, and then for the line of longest resistance.
func (s *Solver) shorten(r *Result) {
	length := len(r.PV)
	for length > 1 {
		s.found = length
		o, _ := s.prove(length - 2)
		if s.stopped {
			return
		}
		if o.proof != 0 {
			break
		}
		length = int(o.length)
	}
	lasts := func(plies int) bool {
		o, _ := s.prove(plies)
		return o.proof != 0 && !s.stopped
	}
	if line := s.line(length, lasts); line != nil {
		r.PV, r.Proven = line, true
	}
}

// line walks along a proven mate of so many plies, searching again what has left the table: the attacker's proven move, the defender's
// with the longest known mate behind it. lasts tells, when given, whether the attacker at the present position needs more than some
// plies; then the first such reply that keeps the length is taken. It is nil when it takes too long.
func (s *Solver) line(plies int, lasts func(plies int) bool) []shogi.Move {
	saved, limit := s.pos, s.limit
	defer func() { s.pos, s.limit = saved, limit }()
	if !s.stopped && s.limit < math.MaxUint64/2 {
		s.limit = s.nodes + max(s.limit, DefaultNodes)/2 // proven already: finding the line again is worth some more
	}
	var line []shogi.Move
	for {
		o, check := s.prove(plies)
		if o.proof != 0 || s.stopped {
			return nil
		}
		line = append(line, check)
		s.pos.Do(check)
		if o.length == 1 {
			break
		}
		reply, length := s.reply(int(o.length)-2, lasts)
		if length < 0 {
			return nil
		}
		if reply == shogi.MoveNone {
			break // the proof is one for less in hand, with which the defender had something to put between
		}
		line = append(line, reply)
		s.pos.Do(reply)
		plies = length
	}
	return line
}

// reply is a reply to the present check with the length of the longest known mate behind it, at most plies; MoveNone with 0 in checkmate, and with
// -1 when it takes too long.
func (s *Solver) reply(plies int, lasts func(int) bool) (shogi.Move, int) {
	best, length := shogi.MoveNone, 0
	for _, m := range s.pos.AppendLegal(nil) {
		u := s.pos.Do(m)
		lasting := lasts != nil && plies > 1 && lasts(plies-2)
		o, _ := s.prove(plies)
		s.pos.Undo(m, u)
		switch {
		case s.stopped || o.proof != 0:
			return shogi.MoveNone, -1
		case lasting:
			return m, plies
		case int(o.length) > length:
			best, length = m, int(o.length)
		}
	}
	return best, length
}
