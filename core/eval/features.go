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
//	threats   men that the enemy attacks: [whether the enemy is to move][kind][how]
//	holes     squares of the own camp where an enemy's piece in hand may come in: [which piece][count]
//	reach     squares of the enemy's camp that are attacked and not defended: [count]
//	burden    squares of the own camp that are attacked, and defended by one man at most: [count]
const (
	kingSquares = 45
	placeKinds  = 28
	handPieces  = 18
	sliders     = 4
	mostFreedom = 20
	directions  = 5
	mostDanger  = 63

	threatKinds  = 16
	threatStates = 4
	mostSquares  = 15

	firstHand    = kingSquares * placeKinds * shogi.SquareCount
	firstFreedom = firstHand + 7*handPieces
	firstRing    = firstFreedom + sliders*(mostFreedom+1)
	firstDanger  = firstRing + directions*3*2*3
	firstEscape  = firstDanger + mostDanger + 1

	firstThreat = firstEscape + 9
	firstHole   = firstThreat + 2*threatKinds*threatStates
	firstReach  = firstHole + len(intruders)*(mostSquares+1)
	firstBurden = firstReach + mostSquares + 1

	// FeatureCount is the number of features; each has a weight for the opening and one for the ending.
	FeatureCount = firstBurden + mostSquares + 1

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
	list [2][64]uint16 // less firstFreedom
	n    [2]int
}

func (s *sight) add(c shogi.Color, feature int) {
	s.list[c&1][s.n[c&1]&63] = uint16(feature - firstFreedom)
	s.n[c&1]++
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

// A cover is what the men of one side attack, but for the king, and how hard they press the enemy's king.
type cover struct {
	once, twice bitboard.Bitboard // by at least so many men
	pawns       bitboard.Bitboard // by pawns
	light       bitboard.Bitboard // by lances and knights
	force       int
}

func (c *cover) add(attacks bitboard.Bitboard) {
	c.twice = c.twice.Or(c.once.And(attacks))
	c.once = c.once.Or(attacks)
}

// steps is what a side's pawns, knights, silvers and golds attack. All that go in the same direction are moved at once.
func steps(p *board.Position, c shogi.Color) (all cover) {
	sets := p.Sets(c)
	golds, silvers := sets[shogi.Gold], sets[shogi.Silver]
	all.pawns = sets[shogi.Pawn].Forward(c)
	knights := sets[shogi.Knight].Forward(c).Forward(c)
	all.light = knights.East().Or(knights.West())
	var up, down bitboard.Bitboard // one rank ahead or behind, before the step to either side
	if c == shogi.Black {
		up, down = golds.Or(silvers).North(), silvers.South()
		all.once = up
		all.add(golds.South())
	} else {
		up, down = silvers.North(), golds.Or(silvers).South()
		all.once = down
		all.add(golds.North())
	}
	all.add(all.pawns)
	all.add(all.light) // no two knights attack a square from the same side, but from different sides they may
	all.twice = all.twice.Or(knights.East().And(knights.West()))
	all.add(golds.East())
	all.add(golds.West())
	all.add(up.East())
	all.add(up.West())
	all.add(down.East())
	all.add(down.West())
	return all
}

// look fills in the features. Both kings must stand.
func (s *sight) look(p *board.Position) {
	s.n = [2]int{}
	occupied := p.Occupied()
	kings := [2]shogi.Square{p.KingSquare(shogi.Black), p.KingSquare(shogi.White)}
	rings := [2]bitboard.Bitboard{bitboard.Step(shogi.BKing, kings[0]), bitboard.Step(shogi.BKing, kings[1])}
	var covers [2]cover
	for c := shogi.Black; c <= shogi.White; c++ {
		sets, ring := p.Sets(c), rings[c^1]
		own := sets[shogi.NoPieceType]
		all := steps(p, c)
		force := 0
		if all.pawns.Overlaps(ring) {
			force += attackWeight[shogi.Pawn]
		}
		for i, t := range [sliders]shogi.PieceType{shogi.Bishop, shogi.Rook, shogi.Horse, shogi.Dragon} {
			for set := sets[t]; !set.IsEmpty(); {
				sq := set.Pop()
				var a bitboard.Bitboard
				if i&1 == 0 {
					a = bitboard.Bishop(sq, occupied)
				} else {
					a = bitboard.Rook(sq, occupied)
				}
				if i >= 2 {
					a = a.Or(bitboard.Step(shogi.BKing, sq))
				}
				s.add(c, firstFreedom+i*(mostFreedom+1)+min(a.AndNot(own).Count(), mostFreedom))
				all.add(a)
				if a.Overlaps(ring) {
					force += attackWeight[t]
				}
			}
		}
		for set := sets[shogi.Lance]; !set.IsEmpty(); {
			a := bitboard.Lance(c, set.Pop(), occupied)
			all.light = all.light.Or(a)
			all.add(a)
			if a.Overlaps(ring) {
				force += attackWeight[shogi.Lance]
			}
		}
		steppers := sets[shogi.Knight].Or(sets[shogi.Silver]).Or(sets[shogi.Gold])
		for set := steppers.And(neighbourhood[kings[c^1]&127]); !set.IsEmpty(); {
			sq := set.Pop()
			piece := p.PieceAt(sq)
			if bitboard.Step(piece, sq).Overlaps(ring) {
				force += attackWeight[piece&15]
			}
		}
		all.force = force
		covers[c] = all
	}
	for c := shogi.Black; c <= shogi.White; c++ {
		them := c ^ 1
		attack, defence := &covers[them], &covers[c]
		s.threats(p, c, defence, attack, rings[c], rings[them])
		once, twice := attack.once.And(rings[c]), attack.twice.And(rings[c])
		own, enemy := p.Pieces(c), p.Pieces(them)
		for set := once; !set.IsEmpty(); {
			sq := set.Pop()
			state := 0
			if twice.Test(sq) {
				state = 3
			}
			if defence.once.Test(sq) {
				state++
				if defence.twice.Test(sq) {
					state++
				}
			}
			if own.Test(sq) {
				state += 6
			} else if enemy.Test(sq) {
				state += 12
			}
			s.add(c, firstRing+18*direction(c, kings[c], sq)+state)
		}
		s.add(c, firstEscape+rings[c].AndNot(own).AndNot(once).Count())
		if attack.force > 0 {
			hand, reserve := p.Hand(them), 12
			for t := shogi.Lance; t <= shogi.Gold; t++ {
				reserve += min(hand.Count(t), 2) * reserveWeight[t]
			}
			danger := (attack.force + 3*once.Count() + 5*twice.Count()) * reserve / 32
			s.add(c, firstDanger+min(danger, mostDanger))
		}
	}
}

// threats fills in what the enemy's attacks and the holes in the own camp add for the side c. The rings are the kings' attacks.
func (s *sight) threats(p *board.Position, c shogi.Color, own, enemy *cover, ring, enemyRing bitboard.Bitboard) {
	once, twice := own.once.Or(ring), own.twice.Or(own.once.And(ring))
	attacked := enemy.once.Or(enemyRing)
	base := firstThreat
	if p.Turn() != c {
		base += threatKinds * threatStates
	}
	for set := p.Pieces(c).And(attacked).Clear(p.KingSquare(c)); !set.IsEmpty(); {
		sq := set.Pop()
		kind := int(p.PieceAt(sq) & 15)
		at := bitboard.Of(sq)
		how := 3
		switch {
		case !once.Overlaps(at):
			how = 0
		case kind > int(shogi.Pawn) && enemy.pawns.Overlaps(at):
			how = 1
		case kind > int(shogi.Knight) && enemy.light.Overlaps(at):
			how = 2
		}
		s.add(c, base+kind*threatStates+how)
	}
	camp := bitboard.Zone(c ^ 1)
	hand, holes := p.Hand(c^1), min(camp.AndNot(p.Occupied()).AndNot(once).Count(), mostSquares)
	for i, t := range intruders {
		if hand.Count(t) > 0 {
			s.add(c, firstHole+i*(mostSquares+1)+holes)
		}
	}
	s.add(c, firstReach+min(bitboard.Zone(c).And(once).AndNot(attacked).Count(), mostSquares))
	s.add(c, firstBurden+min(camp.And(attacked).AndNot(twice).Count(), mostSquares))
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
