package eval

import (
	"math/bits"
	"sync"

	"komadori/core/bitboard"
	"komadori/core/board"
	"komadori/core/shogi"
)

// What must be looked at on the board is added up while looking, so each weight is laid where it is found without a branch: tables by what
// is seen, with zeros where nothing counts. One body of code serves Evaluate and Features: a worth is a weight, or the features' numbers as text;
// + adds the one up and lists the other.
type worth interface{ int64 | string }

// sights are the worths of the features from freedom on, for the side to move or for the other.
type sights[T worth] struct {
	freedom [16][32]T         // by kind, squares reached
	ring    [8][32]T          // by direction, and bits: attacked twice, defended, defended twice, own man, foreign man
	danger  [mostDanger + 1]T // 0 where nobody presses
	escapes [16]T
	threats [16][8]T               // by kind, and bits as in threatOf
	holes   [16][mostSquares + 1]T // by which of the intruders are in hand: their sums
	reach   [mostSquares + 1]T
	burden  [mostSquares + 1]T
	zone    [3][mostSquares + 1]T
	checks  [8][mostChecks + 1]T // row 0 for pieces that are not there
	pins    [32]T                // by the man, as Black's if it is the king's own
}

// newSights lays worths where look finds them, those for the side to move first.
func newSights[T worth](of func(feature int) T) *[2]sights[T] {
	all := new([2]sights[T])
	for i := range all {
		t := &all[i]
		of := func(first, n int) T { return of(first + i*sightCount + n) }
		for i, kind := range [sliders]shogi.PieceType{shogi.Bishop, shogi.Rook, shogi.Horse, shogi.Dragon} {
			for n := range mostFreedom + 1 {
				t.freedom[kind][n] = of(firstFreedom, i*(mostFreedom+1)+n)
			}
		}
		for d := range directions {
			for state := range 18 {
				at := state/3%2 | ringDefended[state%3] | state/6<<3
				t.ring[d][at] = of(firstRing, 18*d+state)
			}
		}
		for n := 1; n <= mostDanger; n++ { // whoever presses at all makes at least 1
			t.danger[n] = of(firstDanger, n)
		}
		for n := range 9 {
			t.escapes[n] = of(firstEscape, n)
		}
		for kind := shogi.Pawn; kind <= shogi.Dragon; kind++ {
			for bits, how := range threatOf(kind) {
				t.threats[kind][bits] = of(firstThreat, int(kind)*threatStates+how)
			}
		}
		for hand := range t.holes {
			for n := range mostSquares + 1 {
				for i := range intruders {
					if hand>>i&1 != 0 {
						t.holes[hand][n] += of(firstHole, i*(mostSquares+1)+n)
					}
				}
			}
		}
		for n := range mostSquares + 1 {
			t.reach[n] = of(firstReach, n)
			t.burden[n] = of(firstBurden, n)
			for i := range t.zone {
				t.zone[i][n] = of(firstZone, i*(mostSquares+1)+n)
			}
		}
		for i := range checkers {
			for n := range mostChecks + 1 {
				t.checks[i+1][n] = of(firstCheck, i*(mostChecks+1)+n)
			}
		}
		for man := 1; man < 32; man++ {
			t.pins[man] = of(firstPin, man)
		}
	}
	return all
}

// named are features as text: a rune each, from 1.
var named = sync.OnceValue(func() *[2]sights[string] {
	return newSights(func(feature int) string { return string(rune(feature - firstFreedom + 1)) })
})

// ringDefended are the bits of ring for squares beside the king that none, one, several other men defend.
var ringDefended = [3]int{0, 1 << 1, 1<<1 | 1<<2}

// threatOf is how a man is threatened, by bits: defended; attacked by a pawn; attacked by another light man but no pawn. The last two together
// stand for no attack at all.
func threatOf(kind shogi.PieceType) (t [8]int) {
	const defended, byPawn, byLight, notAttacked = 1, 2, 4, 2 | 4
	t = [8]int{0: 0, byPawn: 0, byLight: 0, notAttacked: 4, defended: 3, defended | byPawn: 3, defended | byLight: 3}
	if kind > shogi.Pawn {
		t[defended|byPawn] = 1
	}
	if kind > shogi.Knight {
		t[defended|byLight] = 2
	}
	return t
}

// black and white are colors as types, as in package board: each makes its own body of a generic function, with the color as a constant.
type (
	black = [0]struct{}
	white = [1]struct{}
	side  interface{ black | white }
)

// A cover is what the men of one side attack, and how hard they press the enemy's king.
type cover struct {
	once, twice      bitboard.Bitboard // by at least so many men other than the king
	byPawns, byLight bitboard.Bitboard // by pawns; by lances and knights
	ring             bitboard.Bitboard // by the king
	force            int
}

// attackWeight is how much a man that reaches the king's surroundings adds to the danger, by PieceType; all that moves like a gold weighs the same.
var attackWeight = [16]int{
	shogi.Pawn: 3, shogi.Lance: 4, shogi.Knight: 6, shogi.Silver: 9, shogi.Bishop: 9, shogi.Rook: 11, shogi.Gold: 11,
	shogi.Horse: 15, shogi.Dragon: 17,
}

// look gives the worth of what both sides see. Both kings must stand.
func look[T worth](t *[2]sights[T], p *board.Position) (ofBlack, ofWhite T) {
	var covers [2]cover
	forBlack, forWhite := &t[0], &t[1]
	if p.Turn() == shogi.White {
		forBlack, forWhite = forWhite, forBlack
	}
	ofBlack = covered[T, black, white](forBlack, p, &covers[0])
	ofWhite = covered[T, white, black](forWhite, p, &covers[1])
	return ofBlack + judged[T, black, white](forBlack, p, &covers[0], &covers[1]),
		ofWhite + judged[T, white, black](forWhite, p, &covers[1], &covers[0])
}

// joined adds squares that are attacked to those that are so once and twice.
func joined(once, twice, attacks bitboard.Bitboard) (_, _ bitboard.Bitboard) {
	return once.Or(attacks), twice.Or(once.And(attacks))
}

// steps is what a side's golds, silvers and knights attack once and twice, and the knights alone. All that go in the same direction are
// moved at once, and all that go to the same side together.
func steps[C side](golds, silvers, knights bitboard.Bitboard) (once, twice, byKnights bitboard.Bitboard) {
	var c C
	var ahead, behind, back bitboard.Bitboard // back: golds, which do not go to the sides of it
	if len(c) == 0 {
		ahead, behind, back = golds.Or(silvers).North(), silvers.South(), golds.South()
	} else {
		ahead, behind, back = golds.Or(silvers).South(), silvers.North(), golds.North()
	}
	once, twice = joined(ahead, bitboard.Bitboard{}, behind)
	once, twice = joined(once, twice, golds)
	east, west := once.East(), once.West()
	once, twice = joined(east, twice.East().Or(twice.West()), west)
	once, twice = joined(once, twice, ahead)
	once, twice = joined(once, twice, back)
	jumped := knights.Forward(shogi.Color(len(c))).Forward(shogi.Color(len(c)))
	east, west = jumped.East(), jumped.West()
	once, twice = joined(once, twice, east)
	once, twice = joined(once, twice, west)
	return once, twice, east.Or(west)
}

// lastRank is rank i in a word of a set.
const lastRank = 1<<8 | 1<<17 | 1<<26 | 1<<35 | 1<<44 | 1<<53 | 1<<62

// rays is what runs down the files from squares, none on the last rank, to the first man, or square of the set itself.
func rays(from, occupied bitboard.Bitboard) bitboard.Bitboard {
	// Taking twice a square away from the men above it leaves the border between the two. The last rank stops what finds no man.
	lo, hi := occupied.Lo|lastRank, occupied.Hi|lastRank
	return bitboard.Bitboard{Lo: lo ^ (lo - from.Lo<<1), Hi: (hi ^ (hi - from.Hi<<1)) & (1<<18 - 1)}
}

// raysUp is what lances attack that go up the files.
func raysUp(from, occupied bitboard.Bitboard) bitboard.Bitboard {
	return bitboard.Bitboard{Lo: wordUp(from.Lo, occupied.Lo), Hi: wordUp(from.Hi, occupied.Hi)}
}

// wordUp fills in steps of one, two and four squares.
func wordUp(from, occupied uint64) uint64 {
	free := ^occupied &^ lastRank // nothing gets there from below
	from |= from >> 1 & free
	free &= free >> 1
	from |= from >> 2 & free
	free &= free >> 2
	from |= from >> 4 & free
	return from >> 1 &^ lastRank
}

// lances is what a side's lances attack, and how many of them attack one of the squares beside a king.
func lances[C side](set, occupied, target bitboard.Bitboard) (attacks bitboard.Bitboard, hits int) {
	var c C
	stops := occupied.Or(target)
	if len(c) == 0 {
		// A lance that hits is the first man down from one of the squares.
		above := target.AndWord(^uint64(lastRank))
		return raysUp(set, occupied), few(rays(above, stops).And(set))
	}
	return rays(set, occupied), few(rays(set, stops).And(target))
}

// covered works out what the side C attacks, and gives the worth of the freedom of its long-range pieces.
func covered[T worth, C, E side](t *sights[T], p *board.Position, s *cover) T {
	var c C
	var e E
	sets := p.Sets(shogi.Color(len(c)))
	knights, silvers, golds := sets[shogi.Knight], sets[shogi.Silver], sets[shogi.Gold]
	enemyKing := p.KingSquare(shogi.Color(len(e)))
	near, reach := &surroundings[enemyKing&127], &reaching[len(c)][enemyKing&127]

	once, twice, byKnights := steps[C](golds, silvers, knights)
	byPawns := sets[shogi.Pawn].Forward(shogi.Color(len(c)))
	once, twice = joined(once, twice, byPawns)
	byLances, hits := lances[C](sets[shogi.Lance], p.Occupied(), bitboard.Step(shogi.BKing, enemyKing))
	s.once, s.twice = joined(once, twice, byLances)
	s.byPawns, s.byLight = byPawns, byKnights.Or(byLances)
	s.ring = bitboard.Step(shogi.BKing, p.KingSquare(shogi.Color(len(c))))
	s.force = attackWeight[shogi.Pawn]*one(near.word(byPawns)&near.ring) + attackWeight[shogi.Lance]*hits +
		attackWeight[shogi.Knight]*bits.OnesCount64(near.word(knights)&reach.knights) +
		attackWeight[shogi.Silver]*bits.OnesCount64(near.word(silvers)&reach.silvers) +
		attackWeight[shogi.Gold]*bits.OnesCount64(near.word(golds)&reach.golds)
	return ranged[T, C](t, p, s, near)
}

// ranged adds what the long-range pieces of the side C attack; near is the enemy's king.
func ranged[T worth, C side](t *sights[T], p *board.Position, s *cover, near *surrounding) (sum T) {
	var c C
	occupied, sets := p.Occupied(), p.Sets(shogi.Color(len(c)))
	own, middle := sets[shogi.NoPieceType], occupied.Middle()
	for set := sets[shogi.Bishop].Or(sets[shogi.Horse]); !set.IsEmpty(); {
		sq := set.Pop()
		man := p.PieceAt(sq)
		a := bitboard.OnDiagonal(sq, middle).Or(bitboard.OnAntiDiagonal(sq, middle)).Or(bitboard.Step(man, sq))
		sum += t.freedom[man&15][s.ranges(man, a, own, near)&31]
	}
	for set := sets[shogi.Rook].Or(sets[shogi.Dragon]); !set.IsEmpty(); {
		sq := set.Pop()
		man := p.PieceAt(sq)
		a := bitboard.OnRank(sq, middle).Or(bitboard.OnFile(sq, occupied)).Or(bitboard.Step(man, sq))
		sum += t.freedom[man&15][s.ranges(man, a, own, near)&31]
	}
	return sum
}

// ranges adds what a long-range piece attacks, and gives the number of squares that it reaches.
func (s *cover) ranges(man shogi.Piece, attacks, own bitboard.Bitboard, near *surrounding) int {
	s.once, s.twice = joined(s.once, s.twice, attacks)
	s.force += attackWeight[man&15] * one(near.word(attacks)&near.ring)
	return attacks.AndNot(own).Count()
}

// judged is the worth for the side C of what both sides attack.
func judged[T worth, C, E side](t *sights[T], p *board.Position, side, enemy *cover) T {
	var e E
	hand := p.Hand(shogi.Color(len(e)))
	held := reserves[0][hand>>8&127] + reserves[1][hand>>16&127] + reserves[2][hand>>24&127]
	sum := surrounded[T, C, E](t, p, side, enemy, held) + threatened[T, C, E](t, p, side, enemy) + pinned[T, C, E](t, p)
	if kinds := held >> 8; kinds != 0 {
		sum += exposed[T, C, E](t, p, side, enemy, kinds)
	}
	return sum
}

// surrounded is about the king's surroundings and how hard it is pressed.
func surrounded[T worth, C, E side](t *sights[T], p *board.Position, side, enemy *cover, held uint16) (sum T) {
	var c C
	var e E
	near := &surroundings[p.KingSquare(shogi.Color(len(c)))&127]
	pressed, twicePressed := near.word(enemy.once), near.word(enemy.twice)
	defended, well := near.word(side.once), near.word(side.twice)

	// All men, the kings too, in the block around the king.
	attacked, behind := near.block&(pressed|near.word(enemy.ring)), defended|near.ring
	sum += t.zone[0][min(bits.OnesCount64(attacked&^behind), mostSquares)&mostSquares]
	sum += t.zone[1][min(bits.OnesCount64(near.block&twicePressed&^(well|defended&near.ring)), mostSquares)&mostSquares]
	sum += t.zone[2][min(bits.OnesCount64(near.block&behind&^attacked), mostSquares)&mostSquares]

	// Beside the king, without what the kings attack.
	pressed &= near.ring
	twicePressed &= near.ring
	men, enemyMen := near.word(p.Pieces(shogi.Color(len(c)))), near.word(p.Pieces(shogi.Color(len(e))))
	sum += t.escapes[bits.OnesCount64(near.ring&^men&^pressed)&15]
	danger := uint(enemy.force+3*bits.OnesCount64(pressed)+5*bits.OnesCount64(twicePressed)) * uint(12+held&255) / 32
	sum += t.danger[min(danger, mostDanger)&mostDanger]
	for set := pressed; set != 0; set &= set - 1 {
		at := set & -set
		state := one(twicePressed&at) | one(defended&at)<<1 | one(well&at)<<2 | one(men&at)<<3 | one(enemyMen&at)<<4
		sum += t.ring[directionOf[len(c)][uint8(bits.TrailingZeros64(set)-near.king)]&7][state&31]
	}
	return sum
}

// threatened is about men that are attacked, or have nothing behind them, and about the camps.
func threatened[T worth, C, E side](t *sights[T], p *board.Position, side, enemy *cover) (sum T) {
	var c C
	var e E
	once, twice := joined(side.once, side.twice, side.ring)
	attacked := enemy.once.Or(enemy.ring)
	sum += t.reach[inCamp(bitboard.Zone(shogi.Color(len(c))).And(once).AndNot(attacked))]
	sum += t.burden[inCamp(bitboard.Zone(shogi.Color(len(e))).And(attacked).AndNot(twice))]

	own, sets := p.Pieces(shogi.Color(len(c))), p.Sets(shogi.Color(len(c)))
	men := own.And(attacked).Or(own.AndNot(once).AndNot(sets[shogi.Pawn])).AndNot(sets[shogi.King])
	byPawn, byLight := enemy.byPawns.Or(attacked.Not()), enemy.byLight.AndNot(enemy.byPawns).Or(attacked.Not())
	for set := men.Lo; set != 0; set &= set - 1 {
		at := set & -set
		how := one(once.Lo&at) | one(byPawn.Lo&at)<<1 | one(byLight.Lo&at)<<2
		sum += t.threats[p.PieceAt(shogi.Square(bits.TrailingZeros64(set)))&15][how&7]
	}
	for set := men.Hi; set != 0; set &= set - 1 {
		at := set & -set
		how := one(once.Hi&at) | one(byPawn.Hi&at)<<1 | one(byLight.Hi&at)<<2
		sum += t.threats[p.PieceAt(shogi.Square(63+bits.TrailingZeros64(set)))&15][how&7]
	}
	return sum
}

// pinned is about men that stand alone between the king and a long-range piece.
func pinned[T worth, C, E side](t *sights[T], p *board.Position) (sum T) {
	var c C
	var e E
	king, enemies := p.KingSquare(shogi.Color(len(c))), p.Sets(shogi.Color(len(e)))
	snipers := enemies[shogi.Bishop].Or(enemies[shogi.Horse]).And(diagonals[king&127])
	snipers = snipers.Or(enemies[shogi.Rook].Or(enemies[shogi.Dragon]).And(straights[king&127]))
	snipers = snipers.Or(enemies[shogi.Lance].And(bitboard.Ahead(shogi.Color(len(c)), king)))
	for !snipers.IsEmpty() {
		between := bitboard.Between(snipers.Pop(), king).And(p.Occupied())
		if !between.IsEmpty() && !between.Several() {
			sum += t.pins[p.PieceAt(between.First())&31^shogi.Piece(len(c)<<4)]
		}
	}
	return sum
}

// exposed is about squares for the enemy's pieces in hand; kinds are those of the checkers that there are.
func exposed[T worth, C, E side](t *sights[T], p *board.Position, side, enemy *cover, kinds uint16) (sum T) {
	var c C
	var e E
	king, occupied := p.KingSquare(shogi.Color(len(c))), p.Occupied()
	free := occupied.Or(side.once).Or(side.ring).Not()
	sum += t.holes[kinds&15][inCamp(bitboard.Zone(shogi.Color(len(e))).And(free))]
	// Beside the king, so they need a man behind them.
	backed := enemy.once.AndNot(occupied).AndNot(side.once)
	sum += t.checks[3*(kinds>>2&1)][few(bitboard.Step(shogi.MakePiece(shogi.Color(len(c)), shogi.Gold), king).And(backed))&mostChecks]
	sum += t.checks[4*(kinds>>3&1)][few(bitboard.Step(shogi.MakePiece(shogi.Color(len(c)), shogi.Silver), king).And(backed))&mostChecks]
	sum += t.checks[5*(kinds>>4&1)][few(bitboard.Step(shogi.MakePiece(shogi.Color(len(c)), shogi.Knight), king).And(free))&mostChecks]
	if kinds&1 != 0 {
		sum += t.checks[1][min(bitboard.Rook(king, occupied).And(free).Count(), mostChecks)]
	}
	if kinds>>1&1 != 0 {
		sum += t.checks[2][min(bitboard.Bishop(king, occupied).And(free).Count(), mostChecks)]
	}
	if kinds>>5 != 0 {
		sum += t.checks[6][min(few(bitboard.Lance(shogi.Color(len(c)), king, occupied).And(free)), mostChecks)]
	}
	return sum
}

// bits.OnesCount64 is dear where the compiler must think of processors without the instruction: it calls a function then, around which
// everything is kept in memory. So sets whose words can lie over each other are counted as one.

// few is the number of squares of a set within seven files beside each other.
func few(set bitboard.Bitboard) int { return bits.OnesCount64(set.Lo | set.Hi) }

// inCamp is the number of squares of a set within a camp, mostSquares for more: there is room between the ranks.
func inCamp(set bitboard.Bitboard) int {
	return min(bits.OnesCount64(set.Lo|set.Hi<<3), mostSquares) & mostSquares
}

// one is 1 if any bit is set.
func one(word uint64) (n int) {
	if word != 0 {
		n = 1
	}
	return n
}

// intruders are the pieces in hand that holes are open to.
var intruders = [...]shogi.PieceType{shogi.Rook, shogi.Bishop, shogi.Gold, shogi.Silver}

// checkers are the pieces in hand that may be dropped with check.
var checkers = [...]shogi.PieceType{shogi.Rook, shogi.Bishop, shogi.Gold, shogi.Silver, shogi.Knight, shogi.Lance}

// reserves are what pieces in hand are there: how much they strengthen an attack, the second of a kind as much as the first, and from bit 8 on
// which of the checkers there are. By the second, third and fourth byte of a hand; to be added up.
var reserves = func() (t [3][128]uint16) {
	weight := [8]int{shogi.Lance: 1, shogi.Knight: 1, shogi.Silver: 2, shogi.Bishop: 2, shogi.Rook: 3, shogi.Gold: 3}
	for i := range t {
		for b := range t[i] {
			hand := shogi.Hand(b << (8*i + 8))
			for j, kind := range checkers {
				n := min(hand.Count(kind), 2)
				t[i][b] += uint16(n*weight[kind] + min(n, 1)<<(8+j))
			}
		}
	}
	return t
}()

// A surrounding is the five files around a king as one word: so sets are looked at there with half the work. Files 8 and 9, which are the
// upper word of a set, lie over files 1 and 2, which are not among the five then.
type surrounding struct {
	files       bitboard.Bitboard
	ring, block uint64 // the squares beside the king; the 5x5 squares around it
	king        int
}

func (s *surrounding) word(set bitboard.Bitboard) uint64 {
	return set.Lo&s.files.Lo | set.Hi&s.files.Hi
}

var surroundings = func() (t [128]surrounding) {
	for king := shogi.Square(0); king < 81; king++ {
		s := &t[king]
		for f := max(king.File()-2, 0); f <= min(king.File()+2, 8); f++ {
			s.files = s.files.Or(bitboard.FileOf(f))
		}
		s.king = bits.TrailingZeros64(s.word(bitboard.Of(king)))
		for sq := shogi.Square(0); sq < 81; sq++ {
			df, dr := int(king.File()-sq.File()), int(king.Rank()-sq.Rank())
			switch distance := max(df, -df, dr, -dr); {
			case distance == 1:
				s.ring |= s.word(bitboard.Of(sq))
				fallthrough
			case distance <= 2:
				s.block |= s.word(bitboard.Of(sq))
			}
		}
	}
	return t
}()

// directionOf is where a square beside a king lies: 0 before it, 1 diagonally before it, 2 at its side, 3 diagonally behind it, 4 behind it;
// by the king's color and the difference of places in a surrounding.
var directionOf = func() (t [2][256]uint8) {
	for king := shogi.Square(0); king < 81; king++ {
		s := &surroundings[king]
		for sq := range bitboard.Step(shogi.BKing, king).Squares {
			away, at := int(sq.Rank()-king.Rank()), uint8(bits.TrailingZeros64(s.word(bitboard.Of(sq)))-s.king)
			sideways := 0
			if sq.File() != king.File() {
				sideways = 1
			}
			t[shogi.Black][at] = [3][2]uint8{{0, 1}, {2, 2}, {4, 3}}[away+1][sideways]
			t[shogi.White][at] = [3][2]uint8{{0, 1}, {2, 2}, {4, 3}}[1-away][sideways]
		}
	}
	return t
}()

// A reach is from where in its surrounding men attack the squares beside a king.
type reach struct{ knights, silvers, golds uint64 }

// reaching is by the color of the men.
var reaching = func() (t [2][128]reach) {
	for c := shogi.Black; c <= shogi.White; c++ {
		for king := shogi.Square(0); king < 81; king++ {
			target := bitboard.Step(shogi.BKing, king)
			from := func(kind shogi.PieceType) (set bitboard.Bitboard) {
				for sq := shogi.Square(0); sq < 81; sq++ {
					if bitboard.Step(shogi.MakePiece(c, kind), sq).Overlaps(target) {
						set = set.Set(sq)
					}
				}
				return set
			}
			s := &surroundings[king]
			t[c][king] = reach{s.word(from(shogi.Knight)), s.word(from(shogi.Silver)), s.word(from(shogi.Gold))}
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
