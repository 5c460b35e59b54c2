package search

import (
	"komadori/core/bitboard"
	"komadori/core/board"
	"komadori/core/shogi"
)

// quickMate finds most mates in one: checks from next to the enemy king and by knights, the ones that the king cannot
// take and that leave it no square. What these tests let pass is tried on the board, so a move that is returned does mate;
// MoveNone promises nothing. It asks a fraction of what board.Position.MateInOne does, and is asked at nearly every node.
func quickMate(p *board.Position) shogi.Move {
	us := p.Turn()
	them := us ^ 1
	king := p.KingSquare(them)
	occupied := p.Occupied()
	own, enemy := p.Pieces(us), p.Pieces(them)
	ring := bitboard.Step(shogi.BKing, king)

	// Squares the king could go to: not its own men's, not attacked by us.
	attacked, twice := ringAttacks(p, us, king)
	free := ring.AndNot(enemy).AndNot(attacked)
	if free.Count() > 5 {
		return shogi.MoveNone
	}
	their := shogi.Piece(them) << 4
	mine := shogi.Piece(us) << 4
	hand := p.Hand(us)

	try := func(m shogi.Move) bool {
		if !p.IsLegal(m) {
			return false
		}
		q := *p
		q.Do(m)
		return q.InCheck() && !q.HasLegalMove()
	}

	// Drops: on an empty square of the ring that we support, or a knight's jump away.
	if hand != 0 {
		for t := shogi.Gold; t >= shogi.Lance; t-- {
			if hand.Count(t) == 0 {
				continue
			}
			piece := mine | shogi.Piece(t)
			var from bitboard.Bitboard // where it would check from
			switch t {
			case shogi.Bishop:
				from = ring.AndNot(bitboard.Step(shogi.BRook, king)).And(bitboard.Bishop(king, bitboard.All))
			case shogi.Rook:
				from = ring.And(bitboard.Rook(king, bitboard.All))
			case shogi.Lance:
				from = bitboard.Step(their|shogi.BPawn, king)
			default:
				from = bitboard.Step(their|shogi.Piece(t), king)
			}
			from = from.AndNot(occupied)
			if t != shogi.Knight {
				from = from.And(attacked)
			}
			for !from.IsEmpty() {
				sq := from.Pop()
				if !covers(piece, sq, king, occupied, free) || takes(p, them, sq, occupied) {
					continue
				}
				if m := shogi.DropUnchecked(t, sq); try(m) {
					return m
				}
			}
		}
	}

	// Moves to the ring: the square must have a second attacker of ours, as the king takes otherwise.
	for to := twice.AndNot(own); !to.IsEmpty(); {
		sq := to.Pop()
		if takes(p, them, sq, occupied) {
			continue
		}
		for from := p.AttackersTo(sq, us).Clear(p.KingSquare(us)); !from.IsEmpty(); {
			origin := from.Pop()
			piece := p.PieceAt(origin)
			if piece.IsPromotable() && (bitboard.Zone(us).Test(origin) || bitboard.Zone(us).Test(sq)) {
				if promoted := piece.Promote(); checks(promoted, sq, king) && covers(promoted, sq, king, occupied.Clear(origin), free) {
					if m := shogi.MoveUnchecked(origin, sq, true); try(m) {
						return m
					}
				}
			}
			if checks(piece, sq, king) && covers(piece, sq, king, occupied.Clear(origin), free) {
				if m := shogi.MoveUnchecked(origin, sq, false); try(m) {
					return m
				}
			}
		}
	}
	return shogi.MoveNone
}

// checks tells whether a piece next to the king attacks it.
func checks(piece shogi.Piece, sq, king shogi.Square) bool {
	return bitboard.Attacks(piece, sq, bitboard.Bitboard{}).Test(king)
}

// covers tells whether a piece on sq leaves the king no free square but sq itself, which must be guarded otherwise.
func covers(piece shogi.Piece, sq, king shogi.Square, occupied, free bitboard.Bitboard) bool {
	rest := free.Clear(sq)
	if rest.IsEmpty() {
		return true
	}
	return bitboard.Attacks(piece, sq, occupied.Clear(king)).Contains(rest)
}

// takes tells whether a man other than the king could take on sq.
func takes(p *board.Position, them shogi.Color, sq shogi.Square, occupied bitboard.Bitboard) bool {
	return !p.AttackersTo(sq, them).Clear(p.KingSquare(them)).IsEmpty()
}

// ringAttacks is what a side attacks of the squares around the enemy king, through the king, and what it attacks twice.
func ringAttacks(p *board.Position, us shogi.Color, king shogi.Square) (once, twice bitboard.Bitboard) {
	ring := bitboard.Step(shogi.BKing, king)
	behind := p.Occupied().Clear(king)
	add := func(a bitboard.Bitboard) {
		a = a.And(ring)
		twice = twice.Or(once.And(a))
		once = once.Or(a)
	}
	for s := p.PiecesOf(us, shogi.Bishop); !s.IsEmpty(); {
		add(bitboard.Bishop(s.Pop(), behind))
	}
	for s := p.PiecesOf(us, shogi.Horse); !s.IsEmpty(); {
		add(bitboard.Horse(s.Pop(), behind))
	}
	for s := p.PiecesOf(us, shogi.Rook); !s.IsEmpty(); {
		add(bitboard.Rook(s.Pop(), behind))
	}
	for s := p.PiecesOf(us, shogi.Dragon); !s.IsEmpty(); {
		add(bitboard.Dragon(s.Pop(), behind))
	}
	for s := p.PiecesOf(us, shogi.Lance).And(lanceFiles[king&127]); !s.IsEmpty(); {
		add(bitboard.Lance(us, s.Pop(), behind))
	}
	steppers := p.PiecesOf(us, shogi.Pawn).Or(p.PiecesOf(us, shogi.Knight)).Or(p.PiecesOf(us, shogi.Silver)).
		Or(p.PiecesOf(us, shogi.GoldLike)).Or(p.PiecesOf(us, shogi.King)).And(neighbourhood[king&127])
	for !steppers.IsEmpty() {
		sq := steppers.Pop()
		add(bitboard.Step(p.PieceAt(sq), sq))
	}
	return once, twice
}

// lanceFiles is the file of a square and the files next to it.
var lanceFiles = func() (t [128]bitboard.Bitboard) {
	for sq := shogi.Square(0); sq < 81; sq++ {
		for f := sq.File() - 1; f <= sq.File()+1; f++ {
			if f >= 0 && f <= 8 {
				t[sq] = t[sq].Or(bitboard.FileOf(f))
			}
		}
	}
	return t
}()
