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
	if p.turn == shogi.Black {
		return isLegal[black, white](p, m)
	}
	return isLegal[white, black](p, m)
}

// isLegal looks at the one move: can the piece go there, and does nothing attack the king afterwards? That is less work than to find out
// what limits all moves, as analyse does.
func isLegal[C, E side](p *Position, m shogi.Move) bool {
	var c C
	var e E
	us, them := len(c), len(e)
	own, enemy := &p.sets[us], &p.sets[them]
	occupied := own[allPieces].Or(enemy[allPieces])
	to, king := m.To(), p.kings[us]
	if m.IsDrop() {
		t := m.DroppedType()
		if p.board[to&127] != 0 || p.hands[us].Count(t) == 0 || lastRanks[us<<4|int(t)&15].Test(to) || isCaught[E](p, king, to, occupied.Set(to)) {
			return false
		}
		return t != shogi.Pawn || !nifuFiles(own[pawns]).Test(to) && (p.kings[them] == shogi.NoSquare ||
			!bitboard.Step(shogi.Piece(us<<4|pawns), to).Test(p.kings[them]) || !isUchifuzume[C, E](p, to))
	}
	from := m.From()
	piece := shogi.Piece(p.board[from&127])
	if piece.IsEmpty() || int(piece.Color()) != us || own[allPieces].Or(enemy[kingSet]).Test(to) || !canReach(piece, from, to, occupied) {
		return false
	}
	if m.IsPromotion() {
		if zone := bitboard.Zone(shogi.Color(us)); !piece.IsPromotable() || !zone.Test(from) && !zone.Test(to) {
			return false
		}
	} else if lastRanks[piece&31].Test(to) {
		return false
	}
	occupied = occupied.Clear(from)
	if from == king {
		return !isCaught[E](p, to, to, occupied)
	}
	return !isCaught[E](p, king, to, occupied.Set(to))
}

// isCaught tells whether a piece of E attacks a king when what stands on the square that is moved to is gone. Nothing catches NoSquare.
func isCaught[E side](p *Position, king, to shogi.Square, occupied bitboard.Bitboard) bool {
	return king != shogi.NoSquare && !attackers[E](p, king, occupied).Clear(to).IsEmpty()
}

// canReach tells whether a piece attacks a square from another one.
func canReach(piece shogi.Piece, from, to shogi.Square, occupied bitboard.Bitboard) bool {
	if bitboard.Step(piece, from).Test(to) {
		return true
	}
	var line bitboard.Bitboard
	switch piece.Type() {
	case shogi.Lance:
		line = bitboard.Ahead(piece.Color(), from)
	case shogi.Bishop, shogi.Horse:
		line = bishopLines[from&127]
	case shogi.Rook, shogi.Dragon:
		line = rookLines[from&127]
	}
	return line.Test(to) && !bitboard.Between(from, to).Overlaps(occupied)
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
