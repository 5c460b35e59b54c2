// Package label has the classes that policy networks predict: 2187 labels, 81*class + to, and the 1496 of them that can occur.
//
// Labels are seen by the side to move: White's squares are turned by 180 degrees first. The 27 classes are ten directions (forward,
// forward-left, forward-right, left, right, back, back-left, back-right, knight-left, knight-right), the same ten with promotion, and drops of
// P L N S B R G. The definition is dlshogi's.
package label

import (
	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/shogi"
)

// A Label is 81*class + target square, 0..2186.
type Label uint16

// A Compact is a label among those that can occur, 0..1495, in ascending order of labels.
type Compact uint16

const (
	Count        = 27 * shogi.SquareCount
	CompactCount = 1496

	// None marks a label without compact form, and a move without label, in tables and arrays.
	None = 0xFFFF

	promotion = 10 // class of a move with promotion less that without
	drops     = 20 // class of a pawn drop
)

// Classes of board moves without promotion.
const (
	up = iota
	upLeft
	upRight
	left
	right
	down
	downLeft
	downRight
	knightLeft
	knightRight
)

// mirrorClass exchanges left and right.
var mirrorClass = [27]Label{
	up, upRight, upLeft, right, left, down, downRight, downLeft, knightRight, knightLeft,
	10, 12, 11, 14, 13, 15, 17, 16, 19, 18,
	20, 21, 22, 23, 24, 25, 26,
}

var (
	// FullToCompact is indexed by Label; None where the label cannot occur.
	FullToCompact [Count]uint16
	// CompactToFull is indexed by Compact.
	CompactToFull [CompactCount]uint16

	byMove [2][1 << 16]uint16 // label of a move by side to move, None for what is no move
)

func init() {
	possible := possibleLabels()
	n := 0
	for l := range FullToCompact {
		FullToCompact[l] = None
		if possible[l] {
			FullToCompact[l], CompactToFull[n] = uint16(n), uint16(l)
			n++
		}
	}
	for raw := range 1 << 16 {
		m := shogi.Move(raw)
		byMove[0][raw], byMove[1][raw] = None, None
		if m.IsNormal() {
			byMove[0][raw] = uint16(ofBlack(m))
			byMove[1][raw] = uint16(ofBlack(m.FlipSide()))
		}
	}
}

// ofBlack is the label of a normal move of Black.
func ofBlack(m shogi.Move) Label {
	to := m.To()
	if m.IsDrop() {
		return shogi.SquareCount*Label(drops+m.DroppedType()-1) + Label(to)
	}
	from := m.From()
	class := Label(direction(int(from.File()-to.File()), int(to.Rank()-from.Rank())))
	if m.IsPromotion() {
		class += promotion
	}
	return shogi.SquareCount*class + Label(to)
}

// direction is the class of a step: dx = from.file - to.file, dy = to.rank - from.rank, so that dy < 0 is forward and dx < 0 goes to the left.
func direction(dx, dy int) int {
	switch {
	case dy < 0 && dx == 0:
		return up
	case dy == -2 && dx == -1:
		return knightLeft
	case dy == -2 && dx == 1:
		return knightRight
	case dy < 0 && dx < 0:
		return upLeft
	case dy < 0:
		return upRight
	case dy == 0 && dx < 0:
		return left
	case dy == 0:
		return right
	case dx == 0:
		return down
	case dx < 0:
		return downLeft
	}
	return downRight
}

// possibleLabels marks what a Black piece can do: rays of any length in eight directions, knight jumps, drops. Promotion needs a square
// of the zone; a knight, a lance and a pawn must be able to move on.
func possibleLabels() (possible [Count]bool) {
	mark := func(class int, to shogi.Square) { possible[shogi.SquareCount*class+int(to)] = true }
	for from := shogi.Square(0); from < shogi.SquareCount; from++ {
		for _, s := range [][2]int{{0, -1}, {1, -1}, {-1, -1}, {1, 0}, {-1, 0}, {0, 1}, {1, 1}, {-1, 1}} {
			for d := 1; d < 9; d++ {
				to := shogi.MakeSquare(from.File()+shogi.File(d*s[0]), from.Rank()+shogi.Rank(d*s[1]))
				if to == shogi.NoSquare {
					break
				}
				class := direction(-s[0], s[1])
				mark(class, to)
				if from.Rank().InPromotionZone(shogi.Black) || to.Rank().InPromotionZone(shogi.Black) {
					mark(class+promotion, to)
				}
			}
		}
		for _, side := range []struct{ file, class int }{{1, knightLeft}, {-1, knightRight}} {
			to := shogi.MakeSquare(from.File()+shogi.File(side.file), from.Rank()-2)
			if to == shogi.NoSquare {
				continue
			}
			if to.Rank() >= 2 {
				mark(side.class, to)
			}
			if to.Rank() <= 2 {
				mark(side.class+promotion, to)
			}
		}
		for t := shogi.Pawn; t <= shogi.Gold; t++ {
			if !t.MustPromote(shogi.Black, from.Rank()) {
				mark(drops+int(t)-1, from)
			}
		}
	}
	return possible
}

// FromMove is the label of a move for the side that makes it; false when the value is no move. It does not ask whether any
// piece could move so: such a label has no compact form.
func FromMove(m shogi.Move, turn shogi.Color) (Label, bool) {
	l := byMove[turn&1][m]
	return Label(l), l != None
}

// Of is FromMove without a large table: for work that fills the caches with other things.
func Of(m shogi.Move, turn shogi.Color) (Label, bool) {
	if !m.IsNormal() {
		return None, false
	}
	to, from := int(m&127), int(m>>7&127)
	flip := -int(turn & 1)
	seen := to ^ flip + 81&flip // 80 - to for White
	if m.IsDrop() {
		return Label(shogi.SquareCount*(drops+from-1) + seen), true
	}
	file, other := from*57>>9, to*57>>9 // divided by 9
	dx, dy := file-other, (to-9*other)-(from-9*file)
	class := int(classOf[((dx^flip-flip+8)&31)<<5|(dy^flip-flip+8)&31])
	return Label(shogi.SquareCount*(class+promotion*int(m>>15)) + seen), true
}

// classOf is direction by dx + 8 and dy + 8.
var classOf = func() (t [32 * 32]uint8) {
	for dx := -8; dx <= 8; dx++ {
		for dy := -8; dy <= 8; dy++ {
			t[(dx+8)<<5|(dy+8)] = uint8(direction(dx, dy))
		}
	}
	return t
}()

// CompactFromMove is the compact label of a move; false when it has none.
func CompactFromMove(m shogi.Move, turn shogi.Color) (Compact, bool) {
	l := byMove[turn&1][m]
	if l == None {
		return None, false
	}
	return Label(l).Compact()
}

// New checks a raw value 0..2186.
func New(raw int) (Label, error) {
	if raw < 0 || raw >= Count {
		return None, fault.New(fault.InvalidValue, "label.New", "label %d, want 0..%d", raw, Count-1)
	}
	return Label(raw), nil
}

// NewCompact checks a raw value 0..1495.
func NewCompact(raw int) (Compact, error) {
	if raw < 0 || raw >= CompactCount {
		return None, fault.New(fault.InvalidValue, "label.NewCompact", "compact label %d, want 0..%d", raw, CompactCount-1)
	}
	return Compact(raw), nil
}

// Class is the direction or drop, 0..26.
func (l Label) Class() int { return int(l) / shogi.SquareCount }

// To is the target square as the mover sees it.
func (l Label) To() shogi.Square { return shogi.Square(l % shogi.SquareCount) }

// Compact is the label among those that can occur; false when it cannot.
func (l Label) Compact() (Compact, bool) {
	if l >= Count {
		return None, false
	}
	c := FullToCompact[l]
	return Compact(c), c != None
}

// Full is the label among all 2187.
func (c Compact) Full() Label {
	if c >= CompactCount {
		return None
	}
	return Label(CompactToFull[c])
}

// MirrorFile is the label of the mirrored move.
func (l Label) MirrorFile() Label {
	if l >= Count {
		return l
	}
	return shogi.SquareCount*mirrorClass[l.Class()] + Label(l.To().MirrorFile())
}

// MirrorFile is the compact label of the mirrored move.
func (c Compact) MirrorFile() Compact {
	if c >= CompactCount {
		return c
	}
	m, _ := c.Full().MirrorFile().Compact()
	return m
}

// ToMove is the legal move of the position that has a label; false when there is none. Two legal moves never share a label.
func ToMove(p *board.Position, l Label) (shogi.Move, bool) {
	if l >= Count {
		return shogi.MoveNone, false
	}
	var list board.MoveList
	p.Legal(&list)
	table := &byMove[p.Turn()]
	for _, m := range list.Slice() {
		if table[m] == uint16(l) {
			return m, true
		}
	}
	return shogi.MoveNone, false
}

// FromMoves writes the label of each move, None for values that are no moves, and returns the lowest such row, -1 when there is none.
// With compact, labels that cannot occur count as none too. moves has at least as many rows as dst; so has turns, which holds 0 or 1, or it is
// empty for Black throughout.
func FromMoves(dst []uint16, moves []uint16, turns []uint8, compact bool) (bad int) {
	bad = -1
	for i, m := range moves[:len(dst)] {
		turn := uint8(0)
		if len(turns) != 0 {
			turn = turns[i]
		}
		l := uint16(None)
		if turn <= 1 {
			l = byMove[turn&1][m]
		}
		if compact && l != None {
			l = FullToCompact[l]
		}
		dst[i] = l
		if l == None && bad < 0 {
			bad = i
		}
	}
	return bad
}
