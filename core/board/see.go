package board

import (
	"komadori/core/bitboard"
	"komadori/core/shogi"
)

// SEE is the static exchange evaluation of a move: the material the mover wins on the target square, in units of
// shogi.PieceValues, when both sides go on taking there with the least valuable piece and stop when it pays.
// A captured piece counts twice over, as it changes hands; a promotion by the first move counts its gain. Pins are not seen.
func (p *Position) SEE(m shogi.Move) int {
	if !m.IsNormal() {
		return 0
	}
	to, us := m.To(), p.turn
	occupied := p.Occupied()
	var gain [40]int
	captured := p.PieceAt(to)
	gain[0] = exchangeValue(captured.Type())
	moving := p.pieceAfter(m)
	if m.IsPromotion() {
		gain[0] += shogi.PieceValues[moving.Type()] - shogi.PieceValues[moving.Type().Demote()]
	}
	if !m.IsDrop() {
		occupied = occupied.Clear(m.From())
	}
	occupied = occupied.Set(to)
	side := us.Opposite()
	standing := moving.Type()
	depth := 0
	for depth < len(gain)-1 {
		attackers := p.attackersThrough(to, side, occupied).And(occupied).Clear(to)
		from := p.leastValuable(attackers)
		if from == shogi.NoSquare {
			break
		}
		t := shogi.Piece(p.board[from&127]).Type()
		if t == shogi.King {
			// A king may not take what is defended.
			if !p.attackersThrough(to, side.Opposite(), occupied.Clear(from)).And(occupied).Clear(to).IsEmpty() {
				break
			}
		}
		depth++
		gain[depth] = exchangeValue(standing) - gain[depth-1]
		occupied = occupied.Clear(from)
		standing = t
		side = side.Opposite()
	}
	for ; depth > 0; depth-- {
		gain[depth-1] = -max(-gain[depth-1], gain[depth])
	}
	return gain[0]
}

// exchangeValue is what taking a piece changes: the taker gains it in hand and the other loses it from the board.
func exchangeValue(t shogi.PieceType) int {
	return shogi.PieceValues[t&15] + shogi.PieceValues[t.Demote()&15]
}

func (p *Position) leastValuable(set bitboard.Bitboard) shogi.Square {
	best, value := shogi.NoSquare, 1<<30
	for !set.IsEmpty() {
		sq := set.Pop()
		if v := exchangeValue(shogi.PieceType(p.board[sq&127] & 15)); v < value {
			best, value = sq, v
		}
	}
	return best
}
