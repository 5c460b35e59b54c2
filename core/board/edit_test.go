package board_test

import (
	"cmp"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/shogi"
)

func TestEditing(t *testing.T) {
	s := board.EmptySetup()
	assert.Equal(t, board.Setup{Ply: 1}, s)
	require.NoError(t, s.Put(40, shogi.WDragon))
	require.NoError(t, s.Put(41, shogi.BPawn))
	require.NoError(t, s.Put(41, shogi.BKing)) // in place of the pawn
	assert.Equal(t, "9/9/9/9/4+r4/4K4/9/9/9 b - 1", describe(&s))
	require.NoError(t, s.Move(40, 0))
	require.NoError(t, s.Swap(41, 80))
	assert.Equal(t, "8+r/9/9/9/9/9/9/9/K8 b - 1", describe(&s))
	require.NoError(t, s.Move(0, 0)) // goes nowhere
	require.NoError(t, s.Swap(0, 80))
	require.NoError(t, s.Move(80, 0)) // takes the king
	assert.Equal(t, "8+r/9/9/9/9/9/9/9/9 b - 1", describe(&s))
	p, err := s.Take(0)
	require.NoError(t, err)
	assert.Equal(t, shogi.WDragon, p)
	p, err = s.Take(0)
	require.NoError(t, err)
	assert.Equal(t, shogi.NoPiece, p)
	require.NoError(t, s.SetHand(shogi.White, shogi.Rook, 3))
	require.NoError(t, s.SetHand(shogi.White, shogi.Pawn, 31))
	require.NoError(t, s.SetHand(shogi.White, shogi.Gold, 1))
	require.NoError(t, s.SetHand(shogi.White, shogi.Gold, 0))
	require.NoError(t, s.Put(3, shogi.BPawn))
	require.NoError(t, s.Put(3, shogi.NoPiece))
	assert.Equal(t, "9/9/9/9/9/9/9/9/9 b 3r31p 1", describe(&s))
	s.Clear()
	assert.Equal(t, board.EmptySetup(), s)
}

// Whatever is no square, piece, kind, count or color is refused and changes nothing.
func TestEditingRefuses(t *testing.T) {
	s := board.StartSetup()
	before := s
	refused := func(err error) {
		t.Helper()
		assert.ErrorIs(t, err, fault.InvalidValue)
		assert.Equal(t, before, s)
	}
	for _, sq := range []shogi.Square{81, -1, 127, -128} {
		refused(s.Put(sq, shogi.BPawn))
		_, err := s.Take(sq)
		refused(err)
		refused(s.Move(sq, 40))
		refused(s.Move(0, sq))
		refused(s.Swap(sq, 0))
		refused(s.Swap(0, sq))
	}
	for _, p := range []shogi.Piece{15, 16, 31, 32, -1, 127, -128} {
		refused(s.Put(40, p))
	}
	refused(s.Move(40, 0)) // from an empty square
	for _, kind := range []shogi.PieceType{-1, 0, 8, 9, 14, 15, 16} {
		refused(s.SetHand(0, kind, 0))
		assert.Zero(t, board.HandRoom(kind))
	}
	refused(s.SetHand(2, shogi.Pawn, 1))
	for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
		refused(s.SetHand(0, kind, -1))
		refused(s.SetHand(0, kind, board.HandRoom(kind)+1))
		refused(s.SetHand(0, kind, 1<<(bits.UintSize-2)))
		assert.Greater(t, board.HandRoom(kind), shogi.Men[kind], "one more than exist can be shown")
	}
	refused(s.GiveBox(2))
}

func TestBox(t *testing.T) {
	full := board.Box{0, 18, 4, 4, 4, 2, 2, 4, 2}
	s := board.EmptySetup()
	assert.Equal(t, full, s.Box())
	s = board.StartSetup()
	assert.Equal(t, board.Box{}, s.Box())
	assert.NoError(t, s.GiveBox(shogi.Black))
	assert.Equal(t, board.StartSetup(), s, "nothing is left to give")

	// A mate problem: the defender's king, the attackers, and the rest in the defender's hand. One king stays in the box.
	s = board.EmptySetup()
	s.Board[36], s.Board[38] = shogi.WKing, shogi.BProPawn
	require.NoError(t, s.SetHand(shogi.Black, shogi.Gold, 1))
	assert.Equal(t, board.Box{0, 17, 4, 4, 4, 2, 2, 3, 1}, s.Box())
	require.NoError(t, s.GiveBox(shogi.White))
	assert.Equal(t, "4k4/9/4+P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1", describe(&s))
	assert.Equal(t, board.Box{shogi.King: 1}, s.Box())
	assert.True(t, s.IsPosition())

	// Too many of one kind do not take from the others.
	s = board.EmptySetup()
	for sq := range 3 {
		s.Board[sq] = shogi.BRook
	}
	want := full
	want[shogi.Rook] = 0
	assert.Equal(t, want, s.Box())
	require.NoError(t, s.GiveBox(shogi.White))
	assert.Equal(t, board.Box{shogi.King: 2}, s.Box())
	assert.False(t, s.IsPosition())
}

// oddSetup scatters men by no rule at all: several kings, too many men, dead ends, men beyond a full set in hand.
func oddSetup(r *rand.Rand) board.Setup {
	s := board.Setup{Turn: shogi.Color(r.IntN(2)), Ply: 1 + r.Int32N(400)}
	for range r.IntN(60) {
		if p := shogi.Piece(r.IntN(31)); p.IsOnBoard() {
			s.Board[r.IntN(81)] = p
		}
	}
	for c := range s.Hands {
		for t := shogi.Pawn; t <= shogi.Gold; t++ {
			if r.IntN(3) == 0 {
				_ = s.SetHand(shogi.Color(c), t, r.IntN(board.HandRoom(t)+1))
			}
		}
	}
	return s
}

// placeless leaves out of a problem what depends on the order in which squares are looked at: which of two kings or pawns is the second.
func placeless(p board.Problem) board.Problem {
	switch p.Kind {
	case board.TwoKings:
		p.Square = shogi.NoSquare
	case board.DoublePawn:
		p.Square = shogi.MakeSquare(p.Square.File(), 0)
	}
	return p
}

func turned(problems []board.Problem, turn func(board.Problem) board.Problem) []board.Problem {
	out := []board.Problem{}
	for _, p := range problems {
		out = append(out, placeless(turn(p)))
	}
	slices.SortFunc(out, func(a, b board.Problem) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Color, b.Color), cmp.Compare(a.Square, b.Square), cmp.Compare(a.Type, b.Type))
	})
	return out
}

// Flipping and mirroring commute with editing, problems and the box, whatever the setup holds.
func TestFlipAndMirrorCommuteWithEditing(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	flip := func(p board.Problem) board.Problem {
		switch {
		case p.Kind == board.TooManyPieces, p.Kind == board.InvalidTurn, p.Kind == board.InvalidPly: // no one side's
		case p.Kind == board.InvalidPlacement && p.Type == shogi.NoPieceType: // nor is what is no piece
		default:
			p.Color = p.Color.FlipSide()
		}
		p.Square = p.Square.FlipSide()
		return p
	}
	mirror := func(p board.Problem) board.Problem { p.Square = p.Square.MirrorFile(); return p }
	same := func(p board.Problem) board.Problem { return p }
	for range 3000 {
		s := oddSetup(r)
		flipped, mirrored := s.FlipSide(), s.MirrorFile()
		assert.Equal(t, s, flipped.FlipSide())
		assert.Equal(t, s, mirrored.MirrorFile())
		assert.Equal(t, flipped.MirrorFile(), mirrored.FlipSide())
		assert.Equal(t, turned(s.Problems(), flip), turned(flipped.Problems(), same))
		assert.Equal(t, turned(s.Problems(), mirror), turned(mirrored.Problems(), same))
		assert.Equal(t, s.Box(), flipped.Box())
		assert.Equal(t, s.Box(), mirrored.Box())
		assert.Equal(t, s.IsPosition(), flipped.IsPosition())
		assert.Equal(t, s.IsPosition(), mirrored.IsPosition())
		p, err := s.Position()
		assert.Equal(t, err == nil, s.IsPosition())
		if err == nil {
			assert.Equal(t, s, p.Setup())
		}

		// The same editing, done before and after.
		a, b := shogi.Square(r.IntN(81)), shogi.Square(r.IntN(81))
		c := shogi.Color(r.IntN(2))
		for _, edit := range []func(s *board.Setup, square func(shogi.Square) shogi.Square, color func(shogi.Color) shogi.Color){
			func(s *board.Setup, square func(shogi.Square) shogi.Square, color func(shogi.Color) shogi.Color) {
				_ = s.Put(square(a), shogi.MakePiece(color(c), shogi.Silver))
			},
			func(s *board.Setup, square func(shogi.Square) shogi.Square, _ func(shogi.Color) shogi.Color) {
				_, _ = s.Take(square(a))
			},
			func(s *board.Setup, square func(shogi.Square) shogi.Square, _ func(shogi.Color) shogi.Color) {
				_ = s.Move(square(a), square(b))
			},
			func(s *board.Setup, square func(shogi.Square) shogi.Square, _ func(shogi.Color) shogi.Color) {
				_ = s.Swap(square(a), square(b))
			},
			func(s *board.Setup, _ func(shogi.Square) shogi.Square, color func(shogi.Color) shogi.Color) {
				_ = s.SetHand(color(c), shogi.Lance, 6)
			},
			func(s *board.Setup, _ func(shogi.Square) shogi.Square, color func(shogi.Color) shogi.Color) {
				_ = s.GiveBox(color(c))
			},
		} {
			edited := s
			edit(&edited, func(sq shogi.Square) shogi.Square { return sq }, func(c shogi.Color) shogi.Color { return c })
			again := s.FlipSide()
			edit(&again, shogi.Square.FlipSide, shogi.Color.FlipSide)
			assert.Equal(t, edited.FlipSide(), again)
			again = s.MirrorFile()
			edit(&again, shogi.Square.MirrorFile, func(c shogi.Color) shogi.Color { return c })
			assert.Equal(t, edited.MirrorFile(), again)
		}
		if t.Failed() {
			t.Fatal(describe(&s))
		}
	}
	// What is no piece and what is no side stays a problem.
	s := board.Setup{Turn: 7, Ply: -3}
	for i := range s.Board {
		s.Board[i] = shogi.Piece(int8(i * 3))
	}
	s.Board[1] = 16
	flipped, mirrored := s.FlipSide(), s.MirrorFile()
	assert.Equal(t, s, flipped.FlipSide())
	assert.Equal(t, s, mirrored.MirrorFile())
	assert.Equal(t, turned(s.Problems(), flip), turned(flipped.Problems(), same))
	assert.Equal(t, turned(s.Problems(), mirror), turned(mirrored.Problems(), same))
}

// What a diagram cannot show is told apart from what breaks the rules.
func TestCheckDiagram(t *testing.T) {
	r := rand.New(rand.NewPCG(43, 44))
	for range 300 {
		s := oddSetup(r)
		assert.NoError(t, s.CheckDiagram())
	}
	for name, spoil := range map[string]func(*board.Setup){
		"piece -1":  func(s *board.Setup) { s.Board[9] = -1 },
		"piece 15":  func(s *board.Setup) { s.Board[9] = 15 },
		"piece 16":  func(s *board.Setup) { s.Board[9] = 16 },
		"piece 31":  func(s *board.Setup) { s.Board[9] = 31 },
		"hand bit":  func(s *board.Setup) { s.Hands[1] |= 1 << 5 },
		"turn":      func(s *board.Setup) { s.Turn = 2 },
		"ply 0":     func(s *board.Setup) { s.Ply = 0 },
		"ply below": func(s *board.Setup) { s.Ply = -1 },
	} {
		s := oddSetup(r)
		spoil(&s)
		err := s.CheckDiagram()
		assert.ErrorIs(t, err, fault.InvalidPosition, name)
		var problems *board.ProblemsError
		if assert.ErrorAs(t, err, &problems, name) {
			assert.Equal(t, s.Problems(), problems.Problems)
		}
	}
}
