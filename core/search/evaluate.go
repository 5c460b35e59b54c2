package search

import (
	"komadori/core/bitboard"
	"komadori/core/board"
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
const EvaluatorDepth = maxPly + 8

// handMade is the built-in evaluation: material, hands, placement tapered by the progress of the game, neighbourhood of
// the kings, freedom of the long-range pieces, pressure on the kings, and the right to move. It treats the colors alike,
// and mirrored files too.
type handMade struct {
	stack [EvaluatorDepth + 1]sums
	top   int
}

// NewHandMade makes the built-in evaluation; it is what a search uses when Options.NewEvaluator is nil.
func NewHandMade() Evaluator { return new(handMade) }

// sums are Black's minus White's, but for progress, which both share.
type sums struct {
	material int32 // pieces on board and in hand
	opening  int32 // placement while the camps stand
	ending   int32 // placement once the fight has begun
	progress int32 // 0 at the start, progressEnd and more in an endgame
	stale    bool  // a king has moved, and with it the worth of every other place
}

// Reset implements Evaluator.
func (e *handMade) Reset(p *board.Position) {
	e.top = 0
	e.stack[0] = sumsOf(p)
}

// Push implements Evaluator.
func (e *handMade) Push(p *board.Position, m shogi.Move) {
	here := &e.stack[e.top]
	if here.stale {
		*here = sumsOf(p)
	}
	e.top++
	s := &e.stack[e.top]
	*s = *here
	if m == shogi.MoveNull {
		return
	}
	c, to := p.Turn(), m.To()
	if m.IsDrop() {
		t := m.DroppedType()
		s.hold(c, t, -1)
		s.place(p, shogi.MakePiece(c, t), to, 1)
		return
	}
	piece := p.PieceAt(m.From())
	if piece.Type() == shogi.King {
		s.stale = true
		return
	}
	if captured := p.PieceAt(to); captured != shogi.NoPiece {
		s.hold(c, captured.Type().Demote(), 1)
		s.place(p, captured, to, -1)
	}
	s.place(p, piece, m.From(), -1)
	if m.IsPromotion() {
		piece = piece.Promote()
	}
	s.place(p, piece, to, 1)
}

// Pop implements Evaluator.
func (e *handMade) Pop() { e.top-- }

// sumsOf adds everything up from nothing.
func sumsOf(p *board.Position) (s sums) {
	occupied := p.Occupied()
	for !occupied.IsEmpty() {
		sq := occupied.Pop()
		s.place(p, p.PieceAt(sq), sq, 1)
	}
	for c := shogi.Black; c <= shogi.White; c++ {
		h := p.Hand(c)
		for t := shogi.Pawn; t <= shogi.Gold; t++ {
			s.hold(c, t, int32(h.Count(t)))
		}
	}
	return s
}

// place adds (n = 1) or takes off (n = -1) a piece on a square. The kings are where p has them.
func (s *sums) place(p *board.Position, piece shogi.Piece, sq shogi.Square, n int32) {
	c, t := piece.Color(), piece.Type()&15
	sign := n
	own, enemy := p.KingSquare(c), p.KingSquare(c^1)
	if c == shogi.White {
		sign = -n
		sq, own, enemy = 80-sq, 80-own, 80-enemy
	}
	s.material += sign * pieceWorth[t]
	s.opening += sign * int32(placement[t][sq&127])
	s.ending += sign * int32(nearOwn[t][offsets[own&127][sq&127]]+nearEnemy[t][offsets[enemy&127][sq&127]])
	s.progress += n * int32(advance[t][sq&127])
}

// hold adds n pieces of a kind to a hand.
func (s *sums) hold(c shogi.Color, t shogi.PieceType, n int32) {
	s.progress += n * handProgress[t&7]
	if c == shogi.White {
		n = -n
	}
	s.material += n * handWorth[t&7]
}

// Evaluate implements Evaluator.
func (e *handMade) Evaluate(p *board.Position) int {
	s := &e.stack[e.top]
	if s.stale {
		*s = sumsOf(p)
	}
	progress := min(s.progress, progressEnd)
	fight := int32(fightBase) + progress // the ending's terms count from the first move on, but less
	v := s.material +
		s.opening*(progressEnd-progress)/progressEnd +
		s.ending*fight/(progressEnd+fightBase)
	v += e.dynamic(p, shogi.Black, fight) - e.dynamic(p, shogi.White, fight)
	if p.Turn() == shogi.White {
		v = -v
	}
	return int(v) + tempo
}

// dynamic is what must be looked at on the board: how far the long-range pieces of a side reach, and how hard it presses
// on the enemy's king.
func (e *handMade) dynamic(p *board.Position, us shogi.Color, fight int32) (v int32) {
	occupied := p.Occupied()
	king := p.KingSquare(us ^ 1)
	ring := bitboard.Step(shogi.BKing, king)
	var reached, twice bitboard.Bitboard // squares of the ring attacked once and more, and twice and more
	var force int32
	add := func(a bitboard.Bitboard, weight int32) {
		a = a.And(ring)
		if a.IsEmpty() {
			return
		}
		twice = twice.Or(reached.And(a))
		reached = reached.Or(a)
		force += weight
	}
	for t := shogi.Bishop; t <= shogi.Dragon; t++ {
		var set bitboard.Bitboard
		switch t {
		case shogi.Bishop, shogi.Rook, shogi.Horse, shogi.Dragon:
			set = p.PiecesOf(us, t)
		default:
			continue
		}
		for !set.IsEmpty() {
			sq := set.Pop()
			var a bitboard.Bitboard
			switch t {
			case shogi.Bishop:
				a = bitboard.Bishop(sq, occupied)
			case shogi.Horse:
				a = bitboard.Horse(sq, occupied)
			case shogi.Rook:
				a = bitboard.Rook(sq, occupied)
			case shogi.Dragon:
				a = bitboard.Dragon(sq, occupied)
			}
			v += freedom[t&15][min(a.AndNot(p.Pieces(us)).Count(), 31)]
			add(a, attackWeight[t&15])
		}
	}
	near := p.Pieces(us).And(neighbourhood[king&127])
	for set := near; !set.IsEmpty(); {
		sq := set.Pop()
		piece := p.PieceAt(sq)
		switch t := piece.Type(); t {
		case shogi.Bishop, shogi.Rook, shogi.Horse, shogi.Dragon, shogi.King:
		case shogi.Lance:
			add(bitboard.Lance(us, sq, occupied), attackWeight[t])
		default:
			add(bitboard.Step(piece, sq), attackWeight[t&15])
		}
	}
	// Men in hand strengthen an attack that is there already.
	h := p.Hand(us)
	reserve := int32(0)
	for t := shogi.Lance; t <= shogi.Gold; t++ {
		reserve += int32(min(h.Count(t), 2)) * reserveWeight[t]
	}
	pressure := force + 3*int32(reached.Count()) + 5*int32(twice.Count())
	danger := pressure * (12 + reserve) / 16
	return v + min(danger*danger/40, 700)*fight/(progressEnd+fightBase)
}
