package board

import (
	"komadori/core/bitboard"
	"komadori/core/fault"
	"komadori/core/shogi"
)

// IsLegal tells whether any 16-bit value is a legal move here: whether it is in the complete list of Legal.
func (p *Position) IsLegal(m shogi.Move) bool {
	if !m.IsNormal() {
		return false
	}
	var nd node
	p.analyse(&nd)
	if m.IsDrop() {
		return p.isLegalDrop(&nd, m.DroppedType(), m.To())
	}
	return p.isLegalBoardMove(&nd, m)
}

func (p *Position) isLegalDrop(nd *node, t shogi.PieceType, to shogi.Square) bool {
	us := p.turn
	if nd.double || p.hands[us].Count(t) == 0 || !nd.drops.Test(to) {
		return false
	}
	if t == shogi.Pawn {
		if us == shogi.Black {
			return pawnDrops[black, white](p, nd).Test(to)
		}
		return pawnDrops[white, black](p, nd).Test(to)
	}
	return !lastRanks[shogi.MakePiece(us, t)&31].Test(to)
}

func (p *Position) isLegalBoardMove(nd *node, m shogi.Move) bool {
	us, from, to := p.turn, m.From(), m.To()
	piece := shogi.Piece(p.board[from&127])
	if piece.IsEmpty() || piece.Color() != us || !bitboard.Attacks(piece, from, nd.occupied).Test(to) {
		return false
	}
	if m.IsPromotion() {
		if zone := bitboard.Zone(us); !piece.IsPromotable() || !zone.Test(from) && !zone.Test(to) {
			return false
		}
	} else if lastRanks[piece&31].Test(to) {
		return false
	}
	if piece.Type() == shogi.King {
		return nd.flights.Test(to)
	}
	if nd.double || !nd.targets.Test(to) {
		return false
	}
	return !nd.pinned.Test(from) || nd.checkers.IsEmpty() && bitboard.Line(nd.king, from).Test(to)
}

// CheckMove32 verifies a Move32 for play: its 16-bit move must be legal, and a piece that is set must be the one that will stand on
// the target. A piece that is not set is completed. The error is fault.IllegalMove.
func (p *Position) CheckMove32(m shogi.Move32) (shogi.Move32, error) {
	const op = "board.Position.CheckMove32"
	full := p.Move32(m.Move())
	switch {
	case m>>21 != 0:
		return m, fault.New(fault.IllegalMove, op, "0x%08x has bits above the piece", uint32(m))
	case !p.IsLegal(m.Move()):
		return m, fault.New(fault.IllegalMove, op, "%v is not legal here", m.Move())
	case m.HasPieceInfo() && m != full:
		return m, fault.New(fault.IllegalMove, op, "%v carries piece %v, on this board it would be %v", m.Move(), m.PieceAfter(), full.PieceAfter())
	}
	return full, nil
}

// AperyMove32 is a legal move in Apery's 32-bit layout: the kind that moves and the captured kind from the board.
func (p *Position) AperyMove32(m shogi.Move) (shogi.AperyMove32, error) {
	if m.IsSpecial() {
		return shogi.AperyMove32(m), nil
	}
	before := shogi.NoPieceType
	if !m.IsDrop() {
		before = p.PieceAt(m.From()).Type()
	}
	return shogi.NewAperyMove32(m, before, p.PieceAt(m.To()).Type())
}
