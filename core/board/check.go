package board

import (
	"komadori/core/bitboard"
	"komadori/core/shogi"
)

// A checkInfo is what decides whether a move gives check, for the side to move.
type checkInfo struct {
	king      shogi.Square // the enemy's, NoSquare without one
	discover  bitboard.Bitboard
	alreadyIn bool                  // the enemy king stands in check although it is not its turn
	squares   [16]bitboard.Bitboard // where a piece of a kind, as it stands after the move, attacks the king
}

func (p *Position) checkInfo() (ci checkInfo) {
	us := p.turn
	ci.king = p.kings[us^1]
	if ci.king == shogi.NoSquare {
		return ci
	}
	ci.discover = p.blockers(us ^ 1).And(p.sets[us][allPieces])
	ci.alreadyIn = p.IsAttacked(ci.king, us)
	occupied := p.Occupied()
	them := shogi.Piece(us^1) << 4 // an enemy piece on the king's square attacks exactly the squares from which ours attacks the king
	bishop, rook := bitboard.Bishop(ci.king, occupied), bitboard.Rook(ci.king, occupied)
	around, gold := bitboard.Step(shogi.BKing, ci.king), bitboard.Step(them|shogi.BGold, ci.king)
	ci.squares = [16]bitboard.Bitboard{
		shogi.Pawn: bitboard.Step(them|shogi.BPawn, ci.king), shogi.Lance: rook.And(bitboard.Ahead(us^1, ci.king)),
		shogi.Knight: bitboard.Step(them|shogi.BKnight, ci.king), shogi.Silver: bitboard.Step(them|shogi.BSilver, ci.king),
		shogi.Bishop: bishop, shogi.Rook: rook, shogi.Gold: gold, shogi.ProPawn: gold, shogi.ProLance: gold,
		shogi.ProKnight: gold, shogi.ProSilver: gold, shogi.Horse: bishop.Or(around), shogi.Dragon: rook.Or(around),
	}
	return ci
}

// givesCheck tells whether a legal move gives check.
func (p *Position) givesCheck(ci *checkInfo, m shogi.Move) bool {
	if ci.king == shogi.NoSquare {
		return false
	}
	if ci.alreadyIn {
		q := *p
		q.Do(m)
		return q.InCheck()
	}
	to := m.To()
	after := p.pieceAfter(m)
	if ci.squares[after&15].Test(to) {
		return true
	}
	return !m.IsDrop() && ci.discover.Test(m.From()) && !bitboard.Line(ci.king, m.From()).Test(to)
}

// GivesCheck tells whether a legal move gives check. Other moves give an answer without meaning.
func (p *Position) GivesCheck(m shogi.Move) bool {
	ci := p.checkInfo()
	return m.IsNormal() && p.givesCheck(&ci, m)
}

// MateInOne is a move that mates at once, MoveNone without one.
func (p *Position) MateInOne() shogi.Move {
	found := shogi.MoveNone
	p.matesInOne(func(m shogi.Move) bool {
		found = m
		return false
	})
	return found
}

// AppendMatesInOne appends all moves that mate at once.
func (p *Position) AppendMatesInOne(dst []shogi.Move) []shogi.Move {
	p.matesInOne(func(m shogi.Move) bool {
		dst = append(dst, m)
		return true
	})
	return dst
}

func (p *Position) matesInOne(yield func(shogi.Move) bool) {
	ci := p.checkInfo()
	if ci.king == shogi.NoSquare {
		return
	}
	var l MoveList
	p.Legal(&l)
	q := *p
	for _, m := range l.Slice() {
		if !p.givesCheck(&ci, m) {
			continue
		}
		u := q.Do(m)
		mated := q.CountLegal() == 0
		q.Undo(m, u)
		if mated && !yield(m) {
			return
		}
	}
}
