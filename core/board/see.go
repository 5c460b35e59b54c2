package board

import (
	"komadori/core/bitboard"
	"komadori/core/shogi"
)

// SEE is the static exchange evaluation of a legal move: the material that the mover wins on the target square when both sides go on
// taking there and stop when it pays, in units of shogi.PieceValues.
//
// A captured piece counts as what the loser had on the board and the taker has in hand, twice a pawn's worth for a pawn; a promotion by
// the move itself counts its gain, later ones do not. Each side takes with its least valuable piece, of several of one kind with the one
// that turns out best. Pieces behind others join in. A king does not take what is defended. Pins are not seen.
func (p *Position) SEE(m shogi.Move) int {
	if !m.IsNormal() {
		return 0
	}
	to, occupied := m.To(), p.Occupied()
	moving := p.pieceAfter(m).Type()
	gain := exchangeValue(p.PieceAt(to).Type())
	if m.IsPromotion() {
		gain += shogi.PieceValues[moving&15] - shogi.PieceValues[moving.Demote()&15]
	}
	if !m.IsDrop() {
		occupied = occupied.Clear(m.From())
	}
	return gain - p.exchange(to, p.turn.Opposite(), moving, occupied.Set(to))
}

// exchange is what a side gains at best by taking a piece of the other side on a square, 0 when it does not pay.
func (p *Position) exchange(to shogi.Square, c shogi.Color, standing shogi.PieceType, occupied bitboard.Bitboard) int {
	least, t := p.leastValuable(p.attackersThrough(to, c, occupied).And(occupied))
	if least.IsEmpty() {
		return 0
	}
	if t == shogi.King && !p.attackersThrough(to, c.Opposite(), occupied.AndNot(least)).And(occupied).Clear(to).IsEmpty() {
		return 0
	}
	if least.Several() {
		least = p.differing(least, to, occupied)
	}
	best := 0
	for !least.IsEmpty() {
		best = max(best, exchangeValue(standing)-p.exchange(to, c.Opposite(), t, occupied.Clear(least.Pop())))
	}
	return best
}

// differing leaves one of several pieces of a kind that attack a square, and those with another slider behind them: only these make a difference.
func (p *Position) differing(pieces bitboard.Bitboard, to shogi.Square, occupied bitboard.Bitboard) bitboard.Bitboard {
	var sliders bitboard.Bitboard
	for c := range p.sets {
		s := &p.sets[c]
		sliders = sliders.Or(s[bishops].Or(s[horses]).And(bishopLines[to&127])).
			Or(s[rooks].Or(s[dragons]).Or(s[lances]).And(rookLines[to&127]))
	}
	var uncovering bitboard.Bitboard
	for s := sliders.And(occupied); !s.IsEmpty(); {
		if between := bitboard.Between(to, s.Pop()).And(occupied); pieces.Overlaps(between) && !between.Several() {
			uncovering = uncovering.Or(between)
		}
	}
	if other := pieces.AndNot(uncovering).First(); other != shogi.NoSquare {
		return uncovering.Set(other)
	}
	return uncovering
}

// exchangeValue is what taking a piece changes: the taker gains it in hand and the other loses it from the board.
func exchangeValue(t shogi.PieceType) int {
	return shogi.PieceValues[t&15] + shogi.PieceValues[t.Demote()&15]
}

// leastValuable is the pieces of a set of the kind that is worth least, and that kind.
func (p *Position) leastValuable(set bitboard.Bitboard) (pieces bitboard.Bitboard, t shogi.PieceType) {
	for value := 1 << 30; !set.IsEmpty(); {
		sq := set.Pop()
		kind := shogi.PieceType(p.board[sq&127] & 15)
		switch v := exchangeValue(kind); {
		case v < value:
			pieces, t, value = bitboard.Of(sq), kind, v
		case v == value:
			pieces = pieces.Set(sq)
		}
	}
	return pieces, t
}

// SEEReaches tells whether the exchange that a legal move begins wins at least a threshold. It is the quick form of SEE for searches, which
// ask this all the time: it ends as soon as the answer is known, and takes any piece of a kind, all that moves like a gold being one
// kind, where SEE tries which one turns out best.
func (p *Position) SEEReaches(m shogi.Move, threshold int) bool {
	if !m.IsNormal() {
		return threshold <= 0
	}
	to := m.To()
	occupied := p.Occupied().Set(to)
	swap := exchangeValues[p.board[to&127]&15] - threshold
	standing := p.board[m>>7&127] & 15
	if m&shogi.MoveDrop != 0 {
		standing = uint8(m>>7) & 7
	} else {
		occupied = occupied.Clear(shogi.Square(m >> 7 & 127))
		if m&shogi.MovePromote != 0 {
			swap += shogi.PieceValues[(standing+shogi.PromoteOffset)&15] - shogi.PieceValues[standing&15]
			standing += shogi.PromoteOffset
		}
	}
	if swap < 0 {
		return false
	}
	if swap = exchangeValues[standing&15] - swap; swap <= 0 {
		return true
	}
	side := p.turn&1 ^ 1
	attackers := p.attackersThrough(to, side, occupied).And(occupied)
	if attackers.IsEmpty() {
		return true // nobody takes
	}
	taker := p.cheapest(attackers, side)
	if taker.IsEmpty() { // the king, who takes only what is not defended
		return p.attackersThrough(to, side^1, occupied).Overlaps(occupied)
	}
	sq := taker.First()
	if swap = exchangeValues[p.board[sq&127]&15] - swap; swap < 0 {
		return false
	}
	attackers = attackers.Or(p.attackersThrough(to, side^1, occupied))
	black, white := &p.sets[0], &p.sets[1]
	diagonal := black[bishops].Or(white[bishops]).Or(black[horses]).Or(white[horses]).And(bishopLines[to&127])
	straight := black[rooks].Or(white[rooks]).Or(black[dragons]).Or(white[dragons]).And(rookLines[to&127])
	lance := [2]bitboard.Bitboard{black[lances].And(bitboard.Ahead(shogi.White, to)), white[lances].And(bitboard.Ahead(shogi.Black, to))}
	result := false // the side that moved has not what it wants, were this all
	for {
		occupied = occupied.Clear(sq)
		if s := diagonal.And(occupied); !s.IsEmpty() {
			attackers = attackers.Or(s.And(bitboard.Bishop(to, occupied)))
		}
		if s := straight.And(occupied); !s.IsEmpty() {
			attackers = attackers.Or(s.And(bitboard.Rook(to, occupied)))
		}
		for c := range lance {
			if s := lance[c].And(occupied); !s.IsEmpty() {
				attackers = attackers.Or(s.And(bitboard.Lance(shogi.Color(c)^1, to, occupied)))
			}
		}
		side ^= 1
		attackers = attackers.And(occupied)
		own := attackers.And(p.sets[side][allPieces])
		if own.IsEmpty() {
			return result
		}
		if taker = p.cheapest(own, side); taker.IsEmpty() {
			if attackers.Overlaps(p.sets[side^1][allPieces]) {
				return result
			}
			return !result
		}
		result = !result
		sq = taker.First()
		swap = exchangeValues[p.board[sq&127]&15] - swap
		if swap < 0 || swap == 0 && result {
			return result
		}
	}
}

// cheapest is those of a side's men, not the king, that it has take first.
func (p *Position) cheapest(men bitboard.Bitboard, side shogi.Color) bitboard.Bitboard {
	sets := &p.sets[side&1]
	for _, set := range exchangeOrder {
		if taker := men.And(sets[set]); !taker.IsEmpty() {
			return taker
		}
	}
	return bitboard.Bitboard{}
}

// exchangeOrder is the order in which SEEReaches has pieces take.
var exchangeOrder = [...]uint8{uint8(pawns), uint8(lances), uint8(knights), uint8(silvers), uint8(golds), uint8(bishops), uint8(rooks), uint8(horses), uint8(dragons)}

// exchangeValues is exchangeValue by kind.
var exchangeValues = func() (t [16]int) {
	for pt := shogi.Pawn; pt <= shogi.Dragon; pt++ {
		t[pt] = exchangeValue(pt)
	}
	return t
}()
