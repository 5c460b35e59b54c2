package board

import (
	"komadori/core/bitboard"
	"komadori/core/shogi"
)

// Answers is what estimates of the answers to checks have in common. Position.Answers fills it.
type Answers struct {
	king     shogi.Square // the one that is checked
	occupied bitboard.Bitboard
	ring     bitboard.Bitboard // around the king
	free     bitboard.Bitboard // of the ring, neither attacked nor taken by its own side
	drops    bool              // that side has something in hand

	// How many pieces of both sides attack a square, its king left out: of squares that have been asked for.
	asked  bitboard.Bitboard
	counts [128][2]uint8
}

// An Estimate says about how many answers a check has.
type Estimate struct {
	Moves   uint8 // on the board
	Squares uint8 // onto which something can be dropped between
	Weak    bool  // the piece that moved stands next to the king or is a knight, and has more enemies than friends there
}

// Answers prepares estimates for checks by the side to move. The enemy king must stand.
func (p *Position) Answers(a *Answers) {
	if p.turn == shogi.Black {
		prepareAnswers[black, white](p, a)
	} else {
		prepareAnswers[white, black](p, a)
	}
}

func prepareAnswers[C, E side](p *Position, a *Answers) {
	var e E
	them := len(e)
	king := p.kings[them]
	a.king, a.occupied, a.drops, a.asked = king, p.Occupied(), p.hands[them] != 0, bitboard.Bitboard{}
	attacked := stepDanger[C](p, &environsOf[king&127])
	if diagonal, straight, forward := nearSliders[C](p, king); !diagonal.Or(straight).Or(forward).IsEmpty() {
		attacked = attacked.Or(sliderDanger[C](king, a.occupied.Clear(king), diagonal, straight, forward))
	}
	a.ring = bitboard.Step(shogi.BKing, king)
	a.free = a.ring.AndNot(p.sets[them][allPieces]).AndNot(attacked)
}

// Estimate estimates the answers to a check: the legal moves and drops that there are when it has been played. It does not play it, and so does not
// see pins, attacks that end with the move, or lines that it opens.
func (p *Position) Estimate(a *Answers, check shogi.Move) Estimate {
	if p.turn == shogi.Black {
		return estimate[black, white](p, a, check)
	}
	return estimate[white, black](p, a, check)
}

func estimate[C, E side](p *Position, a *Answers, check shogi.Move) (s Estimate) {
	var c C
	from, to := shogi.NoSquare, check.To()
	after := shogi.Piece(len(c)<<4) | shogi.Piece(check>>7&7)
	if !check.IsDrop() {
		from = check.From()
		after = shogi.Piece(p.board[from&127])
		if check.IsPromotion() {
			after += shogi.PromoteOffset
		}
	}
	attack := bitboard.Step(after, to)
	if slides>>(after&15)&1 != 0 {
		attack = bitboard.Attacks(after, to, a.occupied.Clear(a.king).Clear(from))
	}
	friends, enemies := attackCounts[C, E](p, a, to)
	if from != shogi.NoSquare {
		friends-- // itself
	}
	moves := a.free.AndNot(attack).Clear(to).Count() + enemies
	near := a.ring.Test(to)
	switch {
	case near:
		if friends == 0 {
			moves++ // the king takes
		}
		s.Weak = friends <= enemies
	case after.Type() == shogi.Knight:
		s.Weak = friends < enemies
	default:
		for between := bitboard.Between(a.king, to); !between.IsEmpty(); {
			_, n := attackCounts[C, E](p, a, between.Pop())
			moves += n
			if a.drops {
				s.Squares++
			}
		}
	}
	s.Moves = uint8(moves)
	return s
}

func attackCounts[C, E side](p *Position, a *Answers, sq shogi.Square) (ours, theirs int) {
	n := &a.counts[sq&127]
	if !a.asked.Test(sq) {
		a.asked = a.asked.Set(sq)
		n[0] = uint8(attackers[C](p, sq, a.occupied).Count())
		n[1] = uint8(attackers[E](p, sq, a.occupied).Clear(a.king).Count())
	}
	return int(n[0]), int(n[1])
}
