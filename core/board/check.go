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
	p.fillCheckInfo(&ci)
	ci.alreadyIn = ci.king != shogi.NoSquare && p.IsAttacked(ci.king, p.turn)
	return ci
}

// fillCheckInfo fills in everything but alreadyIn.
func (p *Position) fillCheckInfo(ci *checkInfo) {
	us := p.turn
	ci.king = p.kings[us^1]
	if ci.king == shogi.NoSquare {
		*ci = checkInfo{king: shogi.NoSquare}
		return
	}
	ci.discover = p.Blockers(us ^ 1).And(p.sets[us][allPieces])
	ci.alreadyIn = false
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

// reaches has, by color, kind and the square of the enemy king, from where a piece that steps can check by one move, promoting or not. A lance
// is among them: on an empty board.
var reaches = func() (t [2][8][128]bitboard.Bitboard) {
	for c := shogi.Black; c <= shogi.White; c++ {
		for _, kind := range []shogi.PieceType{shogi.Lance, shogi.Knight, shogi.Silver, shogi.Gold} {
			piece := shogi.MakePiece(c, kind)
			for from := shogi.Square(0); from < 81; from++ {
				for s := bitboard.Attacks(piece, from, bitboard.Bitboard{}); !s.IsEmpty(); {
					to := s.Pop()
					checks := bitboard.Attacks(piece, to, bitboard.Bitboard{})
					if kind != shogi.Gold && bitboard.Zone(c).Overlaps(bitboard.Of(from).Set(to)) {
						checks = checks.Or(bitboard.Step(shogi.MakePiece(c, shogi.Gold), to))
					}
					for !checks.IsEmpty() {
						king := checks.Pop()
						t[c][kind][king] = t[c][kind][king].Set(from)
					}
				}
			}
		}
	}
	return t
}()

// checkers are the pieces, without king and pawns, among which those are that can check the king on a square without opening a line to it:
// pieces that step where they are near, and all that slide.
func checkers[C side](own *[16]bitboard.Bitboard, king shogi.Square) bitboard.Bitboard {
	var c C
	near := &reaches[len(c)]
	return own[lances].And(near[lances][king&127]).
		Or(own[knights].And(near[knights][king&127])).
		Or(own[silvers].And(near[silvers][king&127])).
		Or(own[golds].And(near[golds][king&127])).
		Or(own[bishops]).Or(own[rooks]).Or(own[horses]).Or(own[dragons])
}

// checkingMoves lists the legal moves that give check, without listing the others. The enemy king must stand, and not in check already.
func checkingMoves[C, E side](p *Position, nd *node, ci *checkInfo, l *MoveList) int {
	var c C
	us := len(c)
	own, zone := &p.sets[us], zoneOf(us)
	n := 0
	if nd.king != shogi.NoSquare {
		if ci.discover.Test(nd.king) {
			to := nd.flights.AndNot(bitboard.Line(ci.king, nd.king))
			n = emit(l, n, shogi.Move(nd.king)<<7, 1, to.Lo)
			n = emit(l, n, shogi.Move(nd.king)<<7+63, 1, to.Hi)
		}
		if nd.double {
			return n
		}
	}

	// Pawns that hide nothing check on the one square before the king, or promoted.
	bound := ci.discover.Or(nd.pinned)
	plain := own[pawns].AndNot(bound)
	ahead := plain.Forward(shogi.Color(us)).And(nd.targets)
	base := shogi.Move(1 << 7) // from = to + 1 for Black
	if us == 1 {
		base = ^base + 1
	}
	to := ahead.And(ci.squares[pawns]).AndNot(lastRank(us))
	n = emit(l, n, base, 129, to.Lo)
	n = emit(l, n, base+63*129, 129, to.Hi)
	to = ahead.And(zone).And(ci.squares[golds])
	n = emit(l, n, base+shogi.MovePromote, 129, to.Lo)
	n = emit(l, n, base+shogi.MovePromote+63*129, 129, to.Hi)

	for s := checkers[C](own, ci.king).Or(own[allPieces].And(bound)).AndNot(own[kingSet]); !s.IsEmpty(); {
		from := s.Pop()
		piece := shogi.Piece(p.board[from&127])
		to := bitboard.Attacks(piece, from, nd.occupied).And(nd.targets)
		var opening bitboard.Bitboard // moves that open a line to the king
		if bound.Test(from) {
			if nd.pinned.Test(from) {
				if !nd.checkers.IsEmpty() {
					continue
				}
				to = to.And(bitboard.Line(nd.king, from))
			}
			if ci.discover.Test(from) {
				opening = to.AndNot(bitboard.Line(ci.king, from))
			}
		}
		move := shogi.Move(from) << 7
		stay := to.And(ci.squares[piece&15]).Or(opening).AndNot(lastRanks[piece&31])
		n = emit(l, n, move, 1, stay.Lo)
		n = emit(l, n, move+63, 1, stay.Hi)
		if piece.IsPromotable() {
			promoted := to.And(ci.squares[piece.Promote()&15]).Or(opening).AndWord(promotionsFrom(us, from))
			n = emit(l, n, move|shogi.MovePromote, 1, promoted.Lo)
			n = emit(l, n, move|shogi.MovePromote+63, 1, promoted.Hi)
		}
	}

	if p.hands[us] == 0 || nd.drops.IsEmpty() {
		return n
	}
	for t := pawns; t <= golds; t++ {
		if p.hands[us].Count(shogi.PieceType(t)) == 0 {
			continue
		}
		to := nd.drops.And(ci.squares[t])
		if t == pawns {
			to = pawnDrops[C, E](p, nd).And(to)
		}
		to = to.AndNot(lastRanks[us<<4|t])
		n = emit(l, n, dropOf[shogi.Move](us, t), 1, to.Lo)
		n = emit(l, n, dropOf[shogi.Move](us, t)+63, 1, to.Hi)
	}
	return n
}

// listChecks lists the checks among the moves of a node. The enemy king must stand.
func (p *Position) listChecks(nd *node, l *MoveList) {
	ci := p.checkInfo()
	if ci.alreadyIn {
		p.listNode(nd, l)
		l.keep(0, func(m shogi.Move) bool { return p.givesCheck(&ci, m) })
		return
	}
	if p.turn == shogi.Black {
		l.N = checkingMoves[black, white](p, nd, &ci, l)
	} else {
		l.N = checkingMoves[white, black](p, nd, &ci, l)
	}
}
