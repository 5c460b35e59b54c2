package eval

import (
	"komadori/core/bitboard"
	"komadori/core/board"
	"komadori/core/shogi"
)

// The evaluation is a sum of weights: each feature of the position has one for the opening and one for the ending. Features are listed for
// each color as that color sees the board, and White's count against Black's, so the evaluation knows no color. The board is mirrored
// so that the king stands on files 1 to 5, so it knows no left or right either.
//
// Feature numbers, in this order:
//
//	places    men and their squares, for each square of a king: [king's square][own men by PieceType - 1, enemy men][square]
//	hands     the n-th piece of a kind in hand: [PieceType - 1][n - 1]
//	freedom   squares that a long-range piece reaches: [slider][count]
//	ring      squares beside the king that the enemy's men attack: [direction][who stands there][attackers - 1][defenders]
//	danger    how hard the king is pressed: [danger]
//	escapes   squares beside the king that it could go to: [count]
//	threats   men that the enemy attacks, or might without anything behind them: [kind][how]
//	holes     squares of the own camp where an enemy's piece in hand may come in: [which piece][count]
//	reach     squares of the enemy's camp that are attacked and not defended: [count]
//	burden    squares of the own camp that are attacked, and defended by one man at most: [count]
//	zone      squares of the 5x5 block around the king: [attacked alone by the enemy, or twice against once, or alone by the own side][count]
//	checks    squares where the enemy may drop a piece with check that is not taken: [which piece][count]
//	pins      men that alone stand between a king and an enemy's long-range piece: [whether they are the enemy's][kind]
//
// Those from freedom on are there twice: for the side to move, then for the other.
const (
	kingSquares = 45
	placeKinds  = 28
	handPieces  = 18
	sliders     = 4
	mostFreedom = 20
	directions  = 5
	mostDanger  = 63

	threatKinds  = 16
	threatStates = 5
	mostSquares  = 15
	mostChecks   = 7

	firstHand    = kingSquares * placeKinds * shogi.SquareCount
	firstFreedom = firstHand + 7*handPieces
	firstRing    = firstFreedom + sliders*(mostFreedom+1)
	firstDanger  = firstRing + directions*3*2*3
	firstEscape  = firstDanger + mostDanger + 1

	firstThreat = firstEscape + 9
	firstHole   = firstThreat + threatKinds*threatStates
	firstReach  = firstHole + len(intruders)*(mostSquares+1)
	firstBurden = firstReach + mostSquares + 1
	firstZone   = firstBurden + mostSquares + 1
	firstCheck  = firstZone + 3*(mostSquares+1)
	firstPin    = firstCheck + len(checkers)*(mostChecks+1)
	sightCount  = firstPin + 2*threatKinds - firstFreedom

	// FeatureCount is the number of features; each has a weight for the opening and one for the ending.
	FeatureCount = firstFreedom + 2*sightCount

	// PlaceCount is the number of features of places, which come first.
	PlaceCount = firstHand
)

// PlaceIndex is the feature of a man on a square, seen from the side whose king stands on the king's square, as Black.
// The man's color is Black for that side's own men. The king's own square is a place, too.
func PlaceIndex(king shogi.Square, man shogi.Piece, sq shogi.Square) int {
	switch f := king.File(); {
	case f > 4:
		king, sq = king.MirrorFile(), sq.MirrorFile()
	case f == 4 && sq.File() > 4: // the board is its own mirror image
		sq = sq.MirrorFile()
	}
	kind := int(man.Type()) - 1
	if man.Color() == shogi.White {
		kind += placeKinds / 2
	}
	return (int(king)*placeKinds+kind)*shogi.SquareCount + int(sq)
}

// handIndex is the feature of the n-th piece of a kind in hand, n from 1.
func handIndex(t shogi.PieceType, n int) int { return firstHand + (int(t)-1)*handPieces + n - 1 }

// A sight is what must be looked at on the board: the features of the long-range pieces and of the kings' surroundings, by color.
type sight struct {
	list  [2][128]uint16 // less firstFreedom
	n     [2]int
	sides [2]cover
}

// attackWeight is how much a man that reaches the king's surroundings adds to the danger, by PieceType.
var attackWeight = [16]int{
	shogi.Pawn: 3, shogi.Lance: 4, shogi.Knight: 6, shogi.Silver: 9, shogi.Bishop: 9, shogi.Rook: 11, shogi.Gold: 11,
	shogi.ProPawn: 11, shogi.ProLance: 11, shogi.ProKnight: 11, shogi.ProSilver: 11, shogi.Horse: 15, shogi.Dragon: 17,
}

// reserveWeight is how much a piece in hand strengthens an attack that is there already.
var reserveWeight = [8]int{shogi.Lance: 1, shogi.Knight: 1, shogi.Silver: 2, shogi.Bishop: 2, shogi.Rook: 3, shogi.Gold: 3}

// intruders are the pieces in hand that holes are open to.
var intruders = [...]shogi.PieceType{shogi.Rook, shogi.Bishop, shogi.Gold, shogi.Silver}

// checkers are the pieces in hand that may be dropped with check.
var checkers = [...]shogi.PieceType{shogi.Rook, shogi.Bishop, shogi.Gold, shogi.Silver, shogi.Knight, shogi.Lance}

// A cover is what the men of one side attack, and how hard they press the enemy's king.
type cover struct {
	once, twice        bitboard.Bitboard // by at least so many men other than the king
	byPawns, byLight   bitboard.Bitboard // by pawns; by lances and knights
	ring               bitboard.Bitboard // by the king
	pawns              bitboard.Bitboard // the men themselves
	lances             bitboard.Bitboard
	diagonal, straight bitboard.Bitboard // bishops and horses, rooks and dragons
	force              int
}

// joined adds squares that are attacked to those that are so once and twice.
func joined(once, twice, attacks bitboard.Bitboard) (_, _ bitboard.Bitboard) {
	return once.Or(attacks), twice.Or(once.And(attacks))
}

// steps is what a side's golds, silvers and knights attack once and twice, and the knights alone. All that go in the same direction are
// moved at once.
func steps(c shogi.Color, golds, silvers, knights bitboard.Bitboard) (once, twice, byKnights bitboard.Bitboard) {
	var up, down bitboard.Bitboard // one rank ahead or behind, before the step to either side
	if c == shogi.Black {
		up, down = golds.Or(silvers).North(), silvers.South()
		once, twice = joined(up, twice, golds.South())
	} else {
		up, down = silvers.North(), golds.Or(silvers).South()
		once, twice = joined(down, twice, golds.North())
	}
	once, twice = joined(once, twice, golds.East())
	once, twice = joined(once, twice, golds.West())
	once, twice = joined(once, twice, up.East())
	once, twice = joined(once, twice, up.West())
	once, twice = joined(once, twice, down.East())
	once, twice = joined(once, twice, down.West())
	if !knights.IsEmpty() {
		jumped := knights.Forward(c).Forward(c)
		east, west := jumped.East(), jumped.West()
		once, twice = joined(once, twice, east)
		once, twice = joined(once, twice, west)
		byKnights = east.Or(west)
	}
	return once, twice, byKnights
}

// look fills in the features. Both kings must stand.
func (s *sight) look(p *board.Position) {
	black, white := p.KingSquare(shogi.Black), p.KingSquare(shogi.White)
	s.n = [2]int{}
	s.cover(p, shogi.Black, black, white)
	s.cover(p, shogi.White, white, black)
	s.judge(p, shogi.Black, black)
	s.judge(p, shogi.White, white)
}

// shift leads from a feature of the side to move to that of the side c.
func shift(p *board.Position, c shogi.Color) int {
	if p.Turn() == c {
		return -firstFreedom
	}
	return sightCount - firstFreedom
}

// cover works out what the side c attacks, and lists the freedom of its long-range pieces.
func (s *sight) cover(p *board.Position, c shogi.Color, king, enemyKing shogi.Square) {
	occupied, sets := p.Occupied(), p.Sets(c)
	target := bitboard.Step(shogi.BKing, enemyKing)
	own := sets[shogi.NoPieceType]
	pawns, lances, knights, silvers, golds := sets[shogi.Pawn], sets[shogi.Lance], sets[shogi.Knight], sets[shogi.Silver], sets[shogi.Gold]
	once, twice, byLight := steps(c, golds, silvers, knights)
	byPawns := pawns.Forward(c)
	once, twice = joined(once, twice, byPawns)
	force := 0
	if byPawns.Overlaps(target) {
		force = attackWeight[shogi.Pawn]
	}
	for set := lances; !set.IsEmpty(); {
		a := bitboard.Lance(c, set.Pop(), occupied)
		byLight = byLight.Or(a)
		once, twice = joined(once, twice, a)
		if a.Overlaps(target) {
			force += attackWeight[shogi.Lance]
		}
	}
	n, base := 0, shift(p, c)+firstFreedom
	horses, dragons := sets[shogi.Horse], sets[shogi.Dragon]
	diagonal, straight := sets[shogi.Bishop].Or(horses), sets[shogi.Rook].Or(dragons)
	for set := diagonal; !set.IsEmpty(); {
		sq := set.Pop()
		a, i, weight := bitboard.Bishop(sq, occupied), base, attackWeight[shogi.Bishop]
		if horses.Test(sq) {
			a, i, weight = a.Or(bitboard.Step(shogi.BKing, sq)), base+2*(mostFreedom+1), attackWeight[shogi.Horse]
		}
		s.list[c&1][n&127] = uint16(i + min(a.AndNot(own).Count(), mostFreedom))
		n++
		once, twice = joined(once, twice, a)
		if a.Overlaps(target) {
			force += weight
		}
	}
	for set := straight; !set.IsEmpty(); {
		sq := set.Pop()
		a, i, weight := bitboard.Rook(sq, occupied), base+mostFreedom+1, attackWeight[shogi.Rook]
		if dragons.Test(sq) {
			a, i, weight = a.Or(bitboard.Step(shogi.BKing, sq)), base+3*(mostFreedom+1), attackWeight[shogi.Dragon]
		}
		s.list[c&1][n&127] = uint16(i + min(a.AndNot(own).Count(), mostFreedom))
		n++
		once, twice = joined(once, twice, a)
		if a.Overlaps(target) {
			force += weight
		}
	}
	for set := knights.Or(silvers).Or(golds).And(neighbourhood[enemyKing&127]); !set.IsEmpty(); {
		sq := set.Pop()
		piece := p.PieceAt(sq)
		if bitboard.Step(piece, sq).Overlaps(target) {
			force += attackWeight[piece&15]
		}
	}
	s.n[c&1] = n
	side := &s.sides[c&1]
	side.once, side.twice, side.byPawns, side.byLight = once, twice, byPawns, byLight
	side.ring, side.pawns, side.lances = bitboard.Step(shogi.BKing, king), pawns, lances
	side.diagonal, side.straight, side.force = diagonal, straight, force
}

// judge lists the features of the side c that come from what both sides attack.
func (s *sight) judge(p *board.Position, c shogi.Color, king shogi.Square) {
	side, enemy := &s.sides[c&1], &s.sides[c&1^1]
	list, n, base := &s.list[c&1], s.n[c&1], shift(p, c)
	occupied, own, hand := p.Occupied(), p.Pieces(c), p.Hand(c^1)
	ring := side.ring

	// The king's surroundings, without what the kings attack.
	pressed, twicePressed := enemy.once.And(ring), enemy.twice.And(ring)
	foreign := occupied.AndNot(own)
	for set := pressed; !set.IsEmpty(); {
		sq := set.Pop()
		at := bitboard.Of(sq)
		state := 3*one(twicePressed, at) + one(side.once, at) + one(side.twice, at) + 6*one(own, at) + 12*one(foreign, at)
		list[n&127] = uint16(base + firstRing + 18*direction(c, king, sq) + state)
		n++
	}
	list[n&127] = uint16(base + firstEscape + ring.AndNot(own).AndNot(pressed).Count())
	n++
	if enemy.force > 0 {
		reserve := 12
		for t := shogi.Lance; t <= shogi.Gold; t++ {
			reserve += min(hand.Count(t), 2) * reserveWeight[t]
		}
		danger := (enemy.force + 3*pressed.Count() + 5*twicePressed.Count()) * reserve / 32
		list[n&127] = uint16(base + firstDanger + min(danger, mostDanger))
		n++
	}

	// Men that are attacked, or have nothing behind them.
	once, twice := joined(side.once, side.twice, ring)
	attacked := enemy.once.Or(enemy.ring)
	for set := own.And(attacked).Or(own.AndNot(once).AndNot(side.pawns)).Clear(king); !set.IsEmpty(); {
		sq := set.Pop()
		kind := int(p.PieceAt(sq) & 15)
		at := bitboard.Of(sq)
		how := 3
		switch {
		case !attacked.Overlaps(at):
			how = 4
		case !once.Overlaps(at):
			how = 0
		case kind > int(shogi.Pawn) && enemy.byPawns.Overlaps(at):
			how = 1
		case kind > int(shogi.Knight) && enemy.byLight.Overlaps(at):
			how = 2
		}
		list[n&127] = uint16(base + firstThreat + kind*threatStates + how)
		n++
	}

	// The camps and the block around the king.
	camp, zone := bitboard.Zone(c^1), blocks[king&127]
	list[n&127] = uint16(base + firstReach + min(bitboard.Zone(c).And(once).AndNot(attacked).Count(), mostSquares))
	list[(n+1)&127] = uint16(base + firstBurden + min(camp.And(attacked).AndNot(twice).Count(), mostSquares))
	list[(n+2)&127] = uint16(base + firstZone + min(zone.And(attacked).AndNot(once).Count(), mostSquares))
	list[(n+3)&127] = uint16(base + firstZone + mostSquares + 1 + min(zone.And(enemy.twice).AndNot(twice).Count(), mostSquares))
	list[(n+4)&127] = uint16(base + firstZone + 2*(mostSquares+1) + min(zone.And(once).AndNot(attacked).Count(), mostSquares))
	n += 5

	// Men that stand alone between the king and a long-range piece.
	snipers := enemy.diagonal.And(diagonals[king&127]).Or(enemy.straight.And(straights[king&127])).Or(enemy.lances.And(bitboard.Ahead(c, king)))
	for ; !snipers.IsEmpty(); n++ {
		between := bitboard.Between(snipers.Pop(), king).And(occupied)
		if between.IsEmpty() || between.Several() {
			n--
			continue
		}
		man := p.PieceAt(between.First())
		list[n&127] = uint16(base + firstPin + threatKinds*one(foreign, between) + int(man&15))
	}

	// What the enemy's pieces in hand may do.
	if !hand.IsEmpty() {
		holes := min(camp.AndNot(occupied).AndNot(once).Count(), mostSquares)
		for i, t := range intruders {
			if hand.Count(t) > 0 {
				list[n&127] = uint16(base + firstHole + i*(mostSquares+1) + holes)
				n++
			}
		}
		for i, t := range checkers {
			if hand.Count(t) == 0 {
				continue
			}
			from := bitboard.Attacks(shogi.MakePiece(c, t), king, occupied).AndNot(occupied)
			if t == shogi.Gold || t == shogi.Silver { // beside the king, so they need a man behind them
				from = from.And(enemy.once).AndNot(side.once)
			} else {
				from = from.AndNot(once)
			}
			list[n&127] = uint16(base + firstCheck + i*(mostChecks+1) + min(from.Count(), mostChecks))
			n++
		}
	}
	s.n[c&1] = n
}

// one is 1 if the sets have squares in common.
func one(set, at bitboard.Bitboard) (n int) {
	if set.Overlaps(at) {
		n = 1
	}
	return n
}

// direction is where a square beside a king lies: 0 before it, 1 diagonally before it, 2 at its side, 3 diagonally behind it, 4 behind it.
func direction(c shogi.Color, king, sq shogi.Square) int {
	from := int(sq - king)
	if c == shogi.White {
		from = -from
	}
	return int(directionOf[(from+10)&31])
}

// directionOf is by the difference of squares, counted from -10, as Black sees it.
var directionOf = [32]uint8{0: 1, 10 - 9: 2, 10 - 8: 3, 10 - 1: 0, 10 + 1: 4, 10 + 8: 1, 10 + 9: 2, 10 + 10: 3}

// blocks are the 5x5 squares around a square.
var blocks = func() (t [128]bitboard.Bitboard) {
	for a := shogi.Square(0); a < 81; a++ {
		for b := shogi.Square(0); b < 81; b++ {
			if df, dr := int(a.File()-b.File()), int(a.Rank()-b.Rank()); max(df, -df) <= 2 && max(dr, -dr) <= 2 {
				t[a] = t[a].Set(b)
			}
		}
	}
	return t
}()

// diagonals and straights are what bishops and rooks attack on an empty board.
var diagonals, straights = func() (diagonals, straights [128]bitboard.Bitboard) {
	for sq := shogi.Square(0); sq < 81; sq++ {
		diagonals[sq], straights[sq] = bitboard.Bishop(sq, bitboard.Bitboard{}), bitboard.Rook(sq, bitboard.Bitboard{})
	}
	return diagonals, straights
}()

// neighbourhood is the 5x5 block around a square and the two more ranks on either side from which knights reach in.
var neighbourhood = func() (t [128]bitboard.Bitboard) {
	for a := shogi.Square(0); a < 81; a++ {
		for b := shogi.Square(0); b < 81; b++ {
			if df, dr := int(a.File()-b.File()), int(a.Rank()-b.Rank()); max(df, -df) <= 2 && max(dr, -dr) <= 3 {
				t[a] = t[a].Set(b)
			}
		}
	}
	return t
}()

// Features lists the features of a position with both kings: which, and how often for Black less how often for White.
func Features(p *board.Position, emit func(feature, n int)) {
	for occupied := p.Occupied(); !occupied.IsEmpty(); {
		sq := occupied.Pop()
		piece := p.PieceAt(sq)
		black, white := p.KingSquare(shogi.Black), p.KingSquare(shogi.White)
		emit(PlaceIndex(black, piece, sq), 1)
		emit(PlaceIndex(80-white, piece.FlipSide(), 80-sq), -1)
	}
	for c, sign := shogi.Black, 1; c <= shogi.White; c, sign = c+1, -1 {
		hand := p.Hand(c)
		for t := shogi.Pawn; t <= shogi.Gold; t++ {
			for n := 1; n <= hand.Count(t); n++ {
				emit(handIndex(t, n), sign)
			}
		}
	}
	var s sight
	s.look(p)
	for c, sign := 0, 1; c < 2; c, sign = c+1, -1 {
		for _, f := range s.list[c][:s.n[c]] {
			emit(firstFreedom+int(f), sign)
		}
	}
}

// Hands lists the features of pieces in hand with their kinds.
func Hands(visit func(feature int, t shogi.PieceType)) {
	for t := shogi.Pawn; t <= shogi.Gold; t++ {
		for n := 1; n <= handPieces; n++ {
			visit(handIndex(t, n), t)
		}
	}
}
