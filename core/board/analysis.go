package board

import (
	"komadori/core/bitboard"
	"komadori/core/shogi"
)

// An Analysis is what generation works out about a position before it lists the first move: checks, pins, where the king may go.
// A search that lists the moves of one position in parts, and asks whether some are legal, does that work once. It belongs to the position
// that Analyse was asked about, and knows nothing of moves made since.
type Analysis struct{ nd node }

// Analyse fills a for the side to move.
func (p *Position) Analyse(a *Analysis) { p.analyse(&a.nd) }

// InCheck tells whether the side to move stands in check.
func (a *Analysis) InCheck() bool { return !a.nd.checkers.IsEmpty() }

// IsLegalIn is IsLegal for a position that has been analysed.
func (p *Position) IsLegalIn(a *Analysis, m shogi.Move) bool {
	switch {
	case !m.IsNormal():
		return false
	case m.IsDrop():
		return p.isLegalDrop(&a.nd, m.DroppedType(), m.To())
	}
	return p.isLegalBoardMove(&a.nd, m)
}

// ListTactical lists the moves of Tactical; if sparing, without those that SearchMoves leave out.
func (p *Position) ListTactical(a *Analysis, sparing bool, l *MoveList) {
	us := p.turn & 1
	own, enemy := &p.sets[us], &p.sets[us^1]
	// Only pieces that go backwards can promote by leaving the zone, all others by a move into it.
	zone := bitboard.Zone(us)
	leaving := own[silvers].Or(own[bishops]).Or(own[rooks]).And(zone)
	nd := a.nd
	nd.sparing = sparing
	nd.restrict(enemy[allPieces].Or(nd.occupied.Not().And(zone)), bitboard.Bitboard{})
	p.listNode(&nd, l)
	l.keep(0, func(m shogi.Move) bool { return m&shogi.MovePromote != 0 || p.board[m&127] != 0 })
	if leaving.IsEmpty() || a.nd.double {
		return
	}
	nd.targets = a.nd.targets.AndNot(enemy[allPieces].Or(zone))
	n := l.N
	for !leaving.IsEmpty() {
		from := leaving.Pop()
		to := bitboard.Attacks(shogi.Piece(p.board[from&127]), from, nd.occupied).And(nd.targets)
		if nd.pinned.Test(from) {
			if !nd.checkers.IsEmpty() {
				continue
			}
			to = to.And(bitboard.Line(nd.king, from))
		}
		n = emit(l, n, shogi.Move(from)<<7|shogi.MovePromote, 1, to.Lo)
		n = emit(l, n, (shogi.Move(from)<<7|shogi.MovePromote)+63, 1, to.Hi)
	}
	l.N = n
}

// ListRest lists the moves to empty squares, promotions among them: together with those of ListTactical that take, all legal moves; if sparing, all
// SearchMoves.
func (p *Position) ListRest(a *Analysis, sparing bool, l *MoveList) {
	nd := a.nd
	nd.sparing = sparing
	nd.restrict(nd.occupied.Not(), bitboard.All)
	p.listNode(&nd, l)
}

// A CheckFinder tells which moves of a position give check. It belongs to the position that PrepareChecks was asked about.
type CheckFinder struct{ info checkInfo }

// PrepareChecks fills c for the side to move. The other side must not stand in check, as it never does after a legal move.
func (p *Position) PrepareChecks(c *CheckFinder) { p.fillCheckInfo(&c.info) }

// Gives tells whether a legal move gives check. Other moves get an answer without meaning.
func (c *CheckFinder) Gives(p *Position, m shogi.Move) bool {
	ci := &c.info
	to := m.To()
	if m&shogi.MoveDrop != 0 {
		return ci.squares[m>>7&7].Test(to)
	}
	from := m >> 7 & 127
	after := p.board[from] & 15
	if m&shogi.MovePromote != 0 {
		after += shogi.PromoteOffset
	}
	return ci.squares[after&15].Test(to) || ci.discover.Test(shogi.Square(from)) && !bitboard.Line(ci.king, shogi.Square(from)).Test(to)
}
