package mate

import (
	"komadori/core/bitboard"
	"komadori/core/board"
	"komadori/core/shogi"
)

// Futile interpositions (無駄合い): a man dropped between that the checking piece takes, after which the attacker mates without that man in no
// more plies than were left before. Problems are counted without them. Neither the drop nor its capture counts, so that a mate may be shorter by
// this count; whether there is one is the same.
//
// The count is found on top of the search: proofs by the plain count hold for this one too, and only where there is none are moves tried out.

// mostFutile is how many futile interpositions may come one after the other on a line, in plies.
const mostFutile = 16

// skipFutile counts a shortest mate anew. Its line becomes that of the longest resistance by the new count, with futile interpositions only at the end,
// where there is nothing else to play.
func (s *Solver) skipFutile(r *Result) {
	for n := 1; n < r.Length && !s.stopped; n += 2 {
		if s.matesCounted(n) {
			if line := s.countedLine(n); line != nil {
				r.PV, r.Length = line, n
				return
			}
			break
		}
	}
	r.Proven = r.Proven && !s.stopped
}

// matesCounted tells whether the attacker, to move, mates in n plies.
func (s *Solver) matesCounted(n int) bool {
	if o, _ := s.prove(n); o.proof == 0 {
		return true
	}
	if o, _ := s.prove(min(n+mostFutile, MaxLength)); o.proof != 0 {
		return false
	}
	return s.checkCounted(n) != shogi.MoveNone
}

// checkCounted is a check that mates in n plies, itself counted.
func (s *Solver) checkCounted(n int) shogi.Move {
	for _, m := range s.pos.AppendMoves(nil, board.Checks, shogi.NoSquare) {
		u := s.pos.Do(m)
		mated := s.matedCounted(n - 1)
		s.pos.Undo(m, u)
		if s.stopped {
			break
		}
		if mated {
			return m
		}
	}
	return shogi.MoveNone
}

// A count is what matedCounted found once.
type count struct {
	key   uint64
	held  shogi.Hand
	age   uint16
	plies int16
	mated bool
}

const countsSize = 1024

// matedCounted tells whether the defender, in check and to move, is mated in n plies.
func (s *Solver) matedCounted(n int) bool {
	if s.visit() {
		return false
	}
	key, held := s.key(false), s.pos.Hand(s.attacker)
	known := &s.counts[(key^uint64(held)*0x9E3779B97F4A7C15+uint64(n))%countsSize]
	if known.key == key && known.held == held && known.age == s.table.age && int(known.plies) == n {
		return known.mated
	}
	mated := s.allFallCounted(n)
	if !s.stopped {
		*known = count{key, held, s.table.age, int16(n), mated}
	}
	return mated
}

func (s *Solver) allFallCounted(n int) bool {
	var futile bitboard.Bitboard // which men are dropped there does not matter
	for _, m := range s.pos.AppendLegal(nil) {
		if m.IsDrop() && futile.Test(m.To()) {
			continue
		}
		switch {
		case s.stopped:
			return false
		case s.isFutile(m, n):
			futile = futile.Set(m.To())
		case !s.fallsCounted(m, n):
			return false
		}
	}
	return true
}

// fallsCounted tells whether after a reply the attacker mates within n plies, the reply counted.
func (s *Solver) fallsCounted(m shogi.Move, n int) bool {
	if n < 2 {
		return false
	}
	u := s.pos.Do(m)
	defer s.pos.Undo(m, u)
	return s.matesCounted(n - 1)
}

// isFutile tells whether a reply to a check is a futile interposition with n plies left.
func (s *Solver) isFutile(m shogi.Move, n int) bool {
	checkers := s.pos.Checkers()
	from := checkers.First()
	if !m.IsDrop() || checkers.Several() || !bitboard.Between(s.pos.KingSquare(s.attacker^1), from).Test(m.To()) {
		return false
	}
	saved := s.pos
	defer func() { s.pos = saved }()
	for _, promote := range [...]bool{true, false} {
		s.pos = saved
		s.pos.Do(m)
		take := shogi.MoveUnchecked(from, m.To(), promote)
		if !s.pos.IsLegal(take) {
			continue
		}
		s.pos.Do(take)
		setup := s.pos.Setup() // the man goes back to where it came from
		one := oneOf(m.DroppedType())
		setup.Hands[s.attacker] -= one
		setup.Hands[s.attacker^1] += one
		without, err := setup.Position()
		if err != nil || !without.InCheck() {
			continue
		}
		s.pos = without
		if s.matedCounted(n) {
			return true
		}
	}
	return false
}

// countedLine is a line of a mate in n plies, by the count, to checkmate.
func (s *Solver) countedLine(n int) (line []shogi.Move) {
	saved := s.pos
	defer func() { s.pos = saved }()
	for len(line) < MaxLength {
		check := s.checkCounted(n)
		if check == shogi.MoveNone {
			return nil
		}
		line = append(line, check)
		s.pos.Do(check)
		n--
		for {
			replies := s.pos.AppendLegal(nil)
			if len(line) > MaxLength {
				return nil
			}
			if len(replies) == 0 {
				return line
			}
			best, length := shogi.MoveNone, 0
			for _, m := range replies {
				if s.isFutile(m, n) {
					continue
				}
				for k := 2; k <= n; k += 2 {
					if s.fallsCounted(m, k) {
						if k > length {
							best, length = m, k
						}
						break
					}
				}
			}
			if s.stopped {
				return nil
			}
			if best != shogi.MoveNone {
				line = append(line, best)
				s.pos.Do(best)
				n = length - 1
				break
			}
			// Nothing else is left: the man is dropped and taken, and the attacker has it now.
			from := s.pos.Checkers().First()
			drop := replies[0]
			take := s.futileTake(drop, from, n)
			if take == shogi.MoveNone {
				return nil
			}
			line = append(line, drop, take)
		}
	}
	return nil
}

// futileTake plays a futile interposition and its capture that keeps the mate in n plies.
func (s *Solver) futileTake(drop shogi.Move, from shogi.Square, n int) shogi.Move {
	saved := s.pos
	for _, promote := range [...]bool{true, false} {
		s.pos = saved
		s.pos.Do(drop)
		if take := shogi.MoveUnchecked(from, drop.To(), promote); s.pos.IsLegal(take) {
			s.pos.Do(take)
			if s.pos.InCheck() && s.matedCounted(n) {
				return take
			}
		}
	}
	s.pos = saved
	return shogi.MoveNone
}
