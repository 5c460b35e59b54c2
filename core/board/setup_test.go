package board_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/shogi"
)

type setupProblem struct {
	name     string
	setup    board.Setup
	problems []board.Problem
}

func setupProblems() []setupProblem {
	const none = shogi.NoSquare
	with := func(change func(s *board.Setup)) board.Setup {
		s := board.Setup{Ply: 1}
		s.Board[36], s.Board[44] = shogi.WKing, shogi.BKing
		change(&s)
		return s
	}
	return []setupProblem{
		{"nothing wrong", with(func(*board.Setup) {}), nil},
		{"no black king", with(func(s *board.Setup) { s.Board[44] = 0 }), []board.Problem{{Kind: board.NoKing, Color: shogi.Black, Square: none, Type: shogi.King}}},
		{"no king at all", with(func(s *board.Setup) { s.Board[44], s.Board[36] = 0, 0 }), []board.Problem{
			{Kind: board.NoKing, Color: shogi.Black, Square: none, Type: shogi.King}, {Kind: board.NoKing, Color: shogi.White, Square: none, Type: shogi.King}}},
		{"two white kings", with(func(s *board.Setup) { s.Board[0] = shogi.WKing }), []board.Problem{{Kind: board.TwoKings, Color: shogi.White, Square: 36, Type: shogi.King}}},
		{"two black pawns on a file", with(func(s *board.Setup) { s.Board[12], s.Board[15] = shogi.BPawn, shogi.BPawn }), []board.Problem{{Kind: board.DoublePawn, Color: shogi.Black, Square: 15, Type: shogi.Pawn}}},
		{"a promoted pawn makes no double pawn", with(func(s *board.Setup) { s.Board[12], s.Board[15], s.Board[16] = shogi.BPawn, shogi.BProPawn, shogi.WPawn }), nil},
		{"white pawn on the ninth rank", with(func(s *board.Setup) { s.Board[8] = shogi.WPawn }), []board.Problem{{Kind: board.InvalidPlacement, Color: shogi.White, Square: 8, Type: shogi.Pawn}}},
		{"black lance on the first", with(func(s *board.Setup) { s.Board[9] = shogi.BLance }), []board.Problem{{Kind: board.InvalidPlacement, Color: shogi.Black, Square: 9, Type: shogi.Lance}}},
		{"black knight on the second", with(func(s *board.Setup) { s.Board[10] = shogi.BKnight }), []board.Problem{{Kind: board.InvalidPlacement, Color: shogi.Black, Square: 10, Type: shogi.Knight}}},
		{"a code that is no piece", with(func(s *board.Setup) { s.Board[10] = 16 }), []board.Problem{{Kind: board.InvalidPlacement, Square: 10}}},
		{"five lances in hand", with(func(s *board.Setup) { s.Hands[1] = 5 << 8 }), []board.Problem{
			{Kind: board.InvalidHandCount, Color: shogi.White, Square: none, Type: shogi.Lance}, {Kind: board.TooManyPieces, Square: none, Type: shogi.Lance}}},
		{"hand bits that mean nothing", with(func(s *board.Setup) { s.Hands[0] = 1 << 31 }), []board.Problem{{Kind: board.InvalidHandCount, Color: shogi.Black, Square: none}}},
		{"three bishops between board and hands", with(func(s *board.Setup) { s.Board[0], s.Board[80], s.Hands[0] = shogi.WHorse, shogi.WBishop, 1<<20 }), []board.Problem{{Kind: board.TooManyPieces, Square: none, Type: shogi.Bishop}}},
		{"18 pawns each", with(func(s *board.Setup) { s.Hands = [2]shogi.Hand{18, 18} }), []board.Problem{{Kind: board.TooManyPieces, Square: none, Type: shogi.Pawn}}},
		{"opponent in check", with(func(s *board.Setup) { s.Board[37] = shogi.BGold }), []board.Problem{{Kind: board.OpponentInCheck, Color: shogi.White, Square: none, Type: shogi.King}}},
		{"a side to move that is none", with(func(s *board.Setup) { s.Turn = 2 }), []board.Problem{{Kind: board.InvalidTurn, Square: none}}},
		{"ply 0", with(func(s *board.Setup) { s.Ply = 0 }), []board.Problem{{Kind: board.InvalidPly, Square: none}}},
		{"negative ply", with(func(s *board.Setup) { s.Ply = -5 }), []board.Problem{{Kind: board.InvalidPly, Square: none}}},
		{"all at once", with(func(s *board.Setup) {
			s.Board[0], s.Board[12], s.Board[15], s.Board[8], s.Board[44], s.Board[9] = shogi.WKing, shogi.BPawn, shogi.BPawn, shogi.WKnight, 0, 31
			s.Hands[0], s.Ply = 3<<24, 0
		}), []board.Problem{
			{Kind: board.InvalidPlacement, Color: shogi.White, Square: 8, Type: shogi.Knight},
			{Kind: board.InvalidPlacement, Square: 9},
			{Kind: board.DoublePawn, Color: shogi.Black, Square: 15, Type: shogi.Pawn},
			{Kind: board.TwoKings, Color: shogi.White, Square: 36, Type: shogi.King},
			{Kind: board.NoKing, Color: shogi.Black, Square: none, Type: shogi.King},
			{Kind: board.InvalidHandCount, Color: shogi.Black, Square: none, Type: shogi.Rook},
			{Kind: board.TooManyPieces, Square: none, Type: shogi.Rook},
			{Kind: board.InvalidPly, Square: none},
		}},
	}
}

func TestSetupProblems(t *testing.T) {
	for _, r := range setupProblems() {
		assert.Equal(t, r.problems, r.setup.Problems(), r.name)
		accepted := true
		for _, problem := range r.problems {
			accepted = accepted && problem.Kind.IsAccepted()
			assert.NotEmpty(t, problem.String())
		}
		p := board.Start()
		err := p.Load(&r.setup)
		if accepted {
			assert.NoError(t, err, r.name)
			assert.Equal(t, r.setup, p.Setup(), r.name)
			assert.Equal(t, r.problems, p.Problems())
			continue
		}
		assert.ErrorIs(t, err, fault.InvalidPosition, r.name)
		assert.Equal(t, board.Start(), p, "unchanged on an error")
		var all *board.ProblemsError
		require.True(t, errors.As(err, &all))
		assert.Equal(t, r.problems, all.Problems, r.name)
		_, err = r.setup.Position()
		assert.ErrorIs(t, err, fault.InvalidPosition)
		g := board.NewGame()
		assert.ErrorIs(t, g.Reset(&r.setup), fault.InvalidPosition)
		assert.Equal(t, board.Start(), g.Pos)
	}
}

func TestProblemKindNumbersAndNames(t *testing.T) {
	for n, name := range map[board.ProblemKind]string{
		1: "NO_KING", 2: "TWO_KINGS", 3: "DOUBLE_PAWN", 4: "INVALID_HAND_COUNT", 5: "INVALID_PLACEMENT", 6: "TOO_MANY_PIECES", 7: "OPPONENT_IN_CHECK",
		8: "INVALID_TURN", 9: "INVALID_PLY", 0: "UNKNOWN", 10: "UNKNOWN", -1: "UNKNOWN",
	} {
		assert.Equal(t, name, n.String())
		assert.Equal(t, n == board.NoKing || n == board.OpponentInCheck, n.IsAccepted(), name)
	}
	assert.Equal(t, [9]board.ProblemKind{1, 2, 3, 4, 5, 6, 7, 8, 9}, [9]board.ProblemKind{board.NoKing, board.TwoKings, board.DoublePawn, board.InvalidHandCount,
		board.InvalidPlacement, board.TooManyPieces, board.OpponentInCheck, board.InvalidTurn, board.InvalidPly})
}

func TestStartSetupIsTheEvenGame(t *testing.T) {
	s := board.StartSetup()
	assert.Equal(t, shogi.StartSFEN, describe(&s))
	assert.Empty(t, s.Problems())
	flipped, mirrored := s.FlipSide(), s.MirrorFile()
	assert.Equal(t, s, flipped.FlipSide())
	assert.Equal(t, s, mirrored.MirrorFile())
	assert.Equal(t, "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1", describe(&flipped))
	assert.Equal(t, "lnsgkgsnl/1b5r1/ppppppppp/9/9/9/PPPPPPPPP/1R5B1/LNSGKGSNL b - 1", describe(&mirrored))
}
