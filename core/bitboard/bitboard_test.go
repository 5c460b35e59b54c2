package bitboard_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	. "komadori/core/bitboard"
	"komadori/core/shogi"
)

// member is the same set held the obvious way.
type member [81]bool

func randomSet(r *rand.Rand) (Bitboard, member) {
	var b Bitboard
	var m member
	odds := 1 + r.IntN(8)
	for sq := range m {
		if r.IntN(odds) == 0 {
			m[sq] = true
			b = b.Set(shogi.Square(sq))
		}
	}
	return b, m
}

func list(b Bitboard) (out []shogi.Square) {
	for sq := range b.Squares {
		out = append(out, sq)
	}
	return out
}

func each(m *member, f func(sq shogi.Square) bool) (b Bitboard) {
	for sq := range shogi.Square(81) {
		if f(sq) {
			b = b.Set(sq)
		}
	}
	return b
}

func TestLayoutIs63And18(t *testing.T) {
	assert.Equal(t, Bitboard{1<<63 - 1, 1<<18 - 1}, All)
	assert.Equal(t, Bitboard{1, 0}, Of(0))
	assert.Equal(t, Bitboard{1 << 62, 0}, Of(62))
	assert.Equal(t, Bitboard{0, 1}, Of(63))
	assert.Equal(t, Bitboard{0, 1 << 17}, Of(80))
	for raw := 81; raw < 256; raw++ {
		assert.True(t, Of(shogi.Square(uint8(raw))).IsEmpty() || uint8(raw)&127 < 81)
	}
	assert.True(t, Of(shogi.NoSquare).IsEmpty())
	for _, words := range [][2]uint64{{1 << 63, 0}, {0, 1 << 18}, {0, 1 << 63}, {^uint64(0), ^uint64(0)}} {
		b, ok := New(words[0], words[1])
		assert.False(t, ok)
		assert.True(t, All.Contains(b))
	}
	b, ok := New(1<<63-1, 1<<18-1)
	assert.True(t, ok)
	assert.Equal(t, All, b)
	for i := range 9 {
		assert.Equal(t, 9, FileOf(shogi.File(i)).Count())
		assert.Equal(t, 9, RankOf(shogi.Rank(i)).Count())
		assert.Equal(t, Of(shogi.MakeSquare(shogi.File(i), 3)), FileOf(shogi.File(i)).And(RankOf(3)))
	}
	for sq := shogi.Square(0); sq < 81; sq++ {
		assert.Equal(t, sq.Rank().InPromotionZone(shogi.Black), Zone(shogi.Black).Test(sq))
		assert.Equal(t, sq.Rank().InPromotionZone(shogi.White), Zone(shogi.White).Test(sq))
	}
}

func TestSetOperationsWorkSquareBySquare(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 120 {
		a, ma := randomSet(r)
		b, mb := randomSet(r)
		assert.Equal(t, each(&ma, func(sq shogi.Square) bool { return ma[sq] || mb[sq] }), a.Or(b))
		assert.Equal(t, each(&ma, func(sq shogi.Square) bool { return ma[sq] && mb[sq] }), a.And(b))
		assert.Equal(t, each(&ma, func(sq shogi.Square) bool { return ma[sq] != mb[sq] }), a.Xor(b))
		assert.Equal(t, each(&ma, func(sq shogi.Square) bool { return ma[sq] && !mb[sq] }), a.AndNot(b))
		assert.Equal(t, each(&ma, func(sq shogi.Square) bool { return !ma[sq] }), a.Not())
		assert.Equal(t, a, a.Not().Not())
		assert.Equal(t, !a.And(b).IsEmpty(), a.Overlaps(b))
		assert.Equal(t, b.AndNot(a).IsEmpty(), a.Contains(b))
		assert.True(t, a.Or(b).Contains(a))

		var squares []shogi.Square
		for sq, in := range ma {
			s := shogi.Square(sq)
			assert.Equal(t, in, a.Test(s))
			assert.Equal(t, in, a.FlipSide().Test(s.FlipSide()))
			assert.Equal(t, in, a.MirrorFile().Test(s.MirrorFile()))
			assert.True(t, a.Set(s).Test(s))
			assert.False(t, a.Clear(s).Test(s))
			if in {
				squares = append(squares, s)
			}
		}
		assert.Equal(t, a, a.FlipSide().FlipSide())
		assert.Equal(t, a, a.MirrorFile().MirrorFile())
		assert.Equal(t, a.FlipSide().MirrorFile(), a.MirrorFile().FlipSide())
		assert.True(t, All.Contains(a.FlipSide()) && All.Contains(a.MirrorFile()))

		assert.Equal(t, squares, list(a), "from the lowest square to the highest")
		assert.Equal(t, len(squares), a.Count())
		assert.Equal(t, len(squares) == 0, a.IsEmpty())
		assert.Equal(t, len(squares) > 1, a.Several())
		rest, popped := a, []shogi.Square(nil)
		for !rest.IsEmpty() {
			first := rest.First()
			assert.Equal(t, squares[len(squares)-1], rest.Last())
			sq := rest.Pop()
			assert.Equal(t, first, sq)
			popped = append(popped, sq)
		}
		assert.Equal(t, squares, popped)
		assert.Equal(t, shogi.NoSquare, rest.First())
		assert.Equal(t, shogi.NoSquare, rest.Last())
		assert.Equal(t, shogi.NoSquare, rest.Pop())

		for c := shogi.Black; c <= shogi.White; c++ {
			movable := a.And(RankOf(0).Or(RankOf(8)).Not())
			want := Bitboard{}
			for sq := range movable.Squares {
				want = want.Set(sq - 1 + 2*shogi.Square(c))
			}
			assert.Equal(t, want, movable.Forward(c))
		}
		moved := func(files shogi.File, ranks shogi.Rank) Bitboard {
			var out Bitboard
			for sq := range a.Squares {
				f, r := sq.File()+files, sq.Rank()+ranks
				if f >= 0 && f < 9 && r >= 0 && r < 9 {
					out = out.Set(shogi.Square(int(f)*9 + int(r)))
				}
			}
			return out
		}
		assert.Equal(t, moved(0, -1), a.North())
		assert.Equal(t, moved(0, 1), a.South())
		assert.Equal(t, moved(-1, 0), a.East())
		assert.Equal(t, moved(1, 0), a.West())
		rows := strings.Split(a.String(), "\n")
		assert.Len(t, rows, 10)
		for sq, in := range ma {
			s := shogi.Square(sq)
			assert.Equal(t, in, rows[s.Rank()][8-s.File()] == '*')
		}
	}
}

func TestIterationStopsWhenAsked(t *testing.T) {
	n := 0
	for range All.Squares {
		if n++; n == 5 {
			break
		}
	}
	assert.Equal(t, 5, n)
}

func TestSetsDoNotAllocate(t *testing.T) {
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		n := 0
		for sq := range All.Squares {
			n += Attacks(shogi.WDragon, sq, All.MirrorFile()).Count()
		}
	}))
}

var (
	diagonal = [][2]int{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}}
	straight = [][2]int{{0, 1}, {0, -1}, {1, 0}, {-1, 0}}
	golden   = [][2]int{{-1, 1}, {0, 1}, {1, 1}, {-1, 0}, {1, 0}, {0, -1}}

	walkSteps = [16][][2]int{
		shogi.Pawn: {{0, 1}}, shogi.Knight: {{-1, 2}, {1, 2}}, shogi.Silver: {{-1, 1}, {0, 1}, {1, 1}, {-1, -1}, {1, -1}},
		shogi.Gold: golden, shogi.ProPawn: golden, shogi.ProLance: golden, shogi.ProKnight: golden, shogi.ProSilver: golden, shogi.GoldLike: golden,
		shogi.King: slices.Concat(diagonal, straight), shogi.Horse: straight, shogi.Dragon: diagonal,
	}
	walkRays = [16][][2]int{
		shogi.Lance: {{0, 1}}, shogi.Bishop: diagonal, shogi.Rook: straight, shogi.Horse: diagonal, shogi.Dragon: straight,
	}
)

// walk is what a piece attacks, step by step from the rules. Directions are (file, rank) as Black sees them.
func walk(p shogi.Piece, from shogi.Square, occupied Bitboard) (out Bitboard) {
	up := -1
	if p.Color() == shogi.White {
		up = 1
	}
	f, r := int(from)/9, int(from)%9
	for _, d := range walkSteps[p.Type()] {
		if f, r := f+d[0], r+up*d[1]; f >= 0 && f < 9 && r >= 0 && r < 9 {
			out = out.Set(shogi.Square(9*f + r))
		}
	}
	for _, d := range walkRays[p.Type()] {
		for f, r := f+d[0], r+up*d[1]; f >= 0 && f < 9 && r >= 0 && r < 9; f, r = f+d[0], r+up*d[1] {
			out = out.Set(shogi.Square(9*f + r))
			if occupied.Test(shogi.Square(9*f + r)) {
				break
			}
		}
	}
	return out
}

func TestAttacksAgainstWalkingTheBoard(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	occupancies := []Bitboard{{}, All}
	for range 150 {
		b, _ := randomSet(r)
		occupancies = append(occupancies, b)
	}
	for p := shogi.Piece(1); p < 32; p++ {
		if p == 16 {
			continue
		}
		for from := shogi.Square(0); from < 81; from++ {
			for i, occupied := range occupancies {
				// Whether the piece itself is in the occupancy makes no difference.
				if i%2 == 0 {
					occupied = occupied.Set(from)
				}
				if want, got := walk(p, from, occupied), Attacks(p, from, occupied); want != got {
					t.Fatalf("%v on %v among\n%swant\n%sgot\n%s", p, from, occupied, want, got)
				}
			}
			empty := Bitboard{}
			switch p.Type() {
			case shogi.Lance, shogi.Bishop, shogi.Rook:
				assert.Equal(t, empty, Step(p, from), "sliders have no steps")
			case shogi.Horse, shogi.Dragon:
				assert.Equal(t, walk(shogi.BKing, from, empty), Step(p, from))
			default:
				assert.Equal(t, walk(p, from, empty), Step(p, from))
			}
		}
	}
}

// All occupancies of every line through every square: the seven squares between the ends decide, the ends change nothing.
func TestSlidersOnEveryOccupancyOfTheirLines(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for from := shogi.Square(0); from < 81; from++ {
		for _, p := range []shogi.Piece{shogi.BLance, shogi.WLance, shogi.BBishop, shogi.BRook} {
			line := list(walk(p, from, Bitboard{}))
			noise, _ := randomSet(r)
			noise = noise.AndNot(walk(p, from, Bitboard{}))
			n := 1 << len(line)
			for i := range min(n, 4096) {
				bits := i
				if n > 4096 {
					bits = r.IntN(n)
				}
				occupied := noise
				for k, sq := range line {
					if bits>>k&1 != 0 {
						occupied = occupied.Set(sq)
					}
				}
				var got Bitboard
				switch p.Type() {
				case shogi.Lance:
					got = Lance(p.Color(), from, occupied)
				case shogi.Bishop:
					got = Bishop(from, occupied)
				default:
					got = Rook(from, occupied)
				}
				if want := walk(p, from, occupied); want != got {
					t.Fatalf("%v on %v among\n%swant\n%sgot\n%s", p, from, occupied, want, got)
				}
			}
		}
	}
}

func TestAttacksCommuteWithFlipAndMirror(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 3000 {
		occupied, _ := randomSet(r)
		p, from := shogi.MakePiece(shogi.Color(r.IntN(2)), shogi.PieceType(1+r.IntN(14))), shogi.Square(r.IntN(81))
		a := Attacks(p, from, occupied)
		assert.Equal(t, a.FlipSide(), Attacks(p.FlipSide(), from.FlipSide(), occupied.FlipSide()))
		assert.Equal(t, a.MirrorFile(), Attacks(p, from.MirrorFile(), occupied.MirrorFile()))
	}
}

func TestBetweenAndLine(t *testing.T) {
	sign := func(n int) int { return min(max(n, -1), 1) }
	for a := shogi.Square(0); a < 81; a++ {
		for b := shogi.Square(0); b < 81; b++ {
			df, dr := int(b.File()-a.File()), int(b.Rank()-a.Rank())
			var between, line Bitboard
			if a != b && (df == 0 || dr == 0 || df == dr || df == -dr) {
				on := func(k int) shogi.Square {
					return shogi.MakeSquare(a.File()+shogi.File(k*sign(df)), a.Rank()+shogi.Rank(k*sign(dr)))
				}
				for k := -8; k <= 8; k++ {
					line = line.Set(on(k))
				}
				for k := 1; on(k) != b; k++ {
					between = between.Set(on(k))
				}
			}
			if between != Between(a, b) || line != Line(a, b) {
				t.Fatalf("%v %v: between\n%sline\n%s", a, b, Between(a, b), Line(a, b))
			}
		}
		assert.True(t, Between(a, shogi.NoSquare).IsEmpty() && Line(shogi.NoSquare, a).IsEmpty())
		for c := shogi.Black; c <= shogi.White; c++ {
			assert.Equal(t, walk(shogi.MakePiece(c, shogi.Lance), a, Bitboard{}), Ahead(c, a))
		}
	}
}
