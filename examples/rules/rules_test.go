package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/notation"
	"komadori/core/shogi"
)

func position(t *testing.T, sfen string) board.Position {
	t.Helper()
	p, err := notation.ParsePosition(sfen)
	require.NoError(t, err)
	return p
}

func legal(p *board.Position) []shogi.Move { return p.AppendLegal(nil) }

// Each question has its answer both from the test of one move and from the list.
func TestRules(t *testing.T) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			for _, c := range r.cases {
				p := position(t, c.sfen)
				for _, q := range c.moves {
					m, err := shogi.ParseMove(q.usi)
					require.NoError(t, err)
					assert.Equal(t, q.legal, p.IsLegal(m), "%s in %s: %s", q.usi, c.sfen, q.why)
					assert.Equal(t, q.legal, strings.Contains(list(&p), " "+q.usi+" "), "%s in the list of %s: %s", q.usi, c.sfen, q.why)

					// The rules are the same for the other side.
					flipped := p.FlipSide()
					assert.Equal(t, q.legal, flipped.IsLegal(m.FlipSide()), "%s in %s, flipped: %s", q.usi, c.sfen, q.why)
				}
			}
		})
	}
}

func list(p *board.Position) string {
	text := " "
	for _, m := range legal(p) {
		text += m.String() + " "
	}
	return text
}

func TestShowWritesEveryRule(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, show(&b))
	for _, r := range rules {
		assert.Contains(t, b.String(), r.name)
	}
	// The king of 5i has five squares and the pawn of 5g one; a silver can be dropped on each of the 78 empty squares.
	assert.Contains(t, b.String(), "Black has 6 moves on the board and 78 drops.")
}

// Pitfalls that the rules of hands bring to the making and taking back of moves.

func TestPitfallCapturedPieceLosesItsPromotion(t *testing.T) {
	for kind := shogi.ProPawn; kind <= shogi.Dragon; kind++ {
		hand, err := taken(kind)
		require.NoError(t, err)
		assert.Equal(t, 1, hand.Count(kind.Demote()), kind)
		assert.Equal(t, 1, hand.Total(), kind)
	}
}

func TestPitfallNifuIsPerFile(t *testing.T) {
	p := position(t, "4k4/9/9/9/9/9/P1P1P1P1P/9/4K4 b P 1")
	files := map[shogi.File]int{}
	for _, m := range legal(&p) {
		if m.IsDrop() {
			files[m.To().File()]++
		}
	}
	// Files 2, 4, 6 and 8 (numbered from 0 here) have no pawn, and each takes one on ranks b to i.
	assert.Equal(t, map[shogi.File]int{1: 8, 3: 8, 5: 8, 7: 8}, files)
}

// Taking a move back gives the turn back before the hands: otherwise the wrong side's hand changes, which single moves do not show
// but trees do.
func TestPitfallUndoRestoresTurnAndHands(t *testing.T) {
	for _, sfen := range []string{
		"l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
		"4k4/9/9/9/4+p4/4G4/9/9/4K4 b Pp 1",
	} {
		p := position(t, sfen)
		var walk func(depth int)
		walk = func(depth int) {
			for i, m := range legal(&p) {
				if depth > 1 && i%7 != 0 { // every seventh move above the leaves keeps this short
					continue
				}
				before := p
				undo := p.Do(m)
				require.Equal(t, before.Turn().Opposite(), p.Turn())
				if depth > 1 {
					walk(depth - 1)
				}
				p.Undo(m, undo)
				require.True(t, before == p, "%v in %s", m, notation.FormatSFEN(&before))
			}
		}
		walk(3)
	}
}

// Mistakes that move generators have been published with.

func TestMistakeLancesNeverMove(t *testing.T) {
	p := position(t, "4k4/9/9/9/9/9/9/9/L3K4 b - 1")
	n := 0
	for _, m := range legal(&p) {
		if m.From().String() == "9i" {
			n++
		}
	}
	// 9h to 9d, then 9c and 9b with and without promotion, 9a with it alone.
	assert.Equal(t, 5+2*2+1, n)

	blocked := position(t, "4k4/9/9/p8/9/9/P8/9/L3K4 b - 1")
	assert.Contains(t, list(&blocked), " 9i9h ")
	assert.NotContains(t, list(&blocked), " 9i9g ", "own pieces stop a lance before them")
	taking := position(t, "4k4/9/9/p8/9/9/9/9/L3K4 b - 1")
	assert.Contains(t, list(&taking), " 9i9d ", "it takes the first piece of the other side")
	assert.NotContains(t, list(&taking), " 9i9c ", "and stops there")
}

// Kind bits alone do not tell a promoted pawn from a pawn: it would be offered promotion again, and be forced to it on the last rank.
func TestMistakePromotedPiecesPromoteAgain(t *testing.T) {
	for kind := shogi.ProPawn; kind <= shogi.Dragon; kind++ {
		for _, from := range []string{"5b", "5c", "5d"} {
			square, err := shogi.ParseSquare(from)
			require.NoError(t, err)
			setup := board.Setup{Turn: shogi.Black, Ply: 1}
			setup.Board[square] = shogi.MakePiece(shogi.Black, kind)
			p, err := setup.Position()
			require.NoError(t, err)
			forward := shogi.MoveUnchecked(square, square-1, false)
			assert.True(t, p.IsLegal(forward), "%v forward from %s", kind, from)
			for _, m := range legal(&p) {
				assert.False(t, m.IsPromotion(), "%v: %v", kind, m)
			}
		}
	}
}

func TestMistakeNoSelfCheckFilter(t *testing.T) {
	for _, sfen := range []string{
		"4k4/4r4/9/9/9/9/9/4G4/4K4 b - 1",
		"4k4/9/9/9/4r4/9/9/9/P3K4 b G 1",
		"l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
	} {
		p := position(t, sfen)
		mover := p.Turn()
		for _, m := range legal(&p) {
			next := p
			next.Do(m)
			assert.False(t, next.IsAttacked(next.KingSquare(mover), mover.Opposite()), "%v in %s", m, sfen)
		}
	}
}

func TestMistakeInCheckIsMissing(t *testing.T) {
	for sfen, want := range map[string][2]bool{ // in check, mated
		"4k4/9/9/9/4R4/9/9/9/4K4 w - 1":   {true, false},
		"4k4/4p4/9/9/4R4/9/9/9/4K4 w - 1": {false, false},
		"4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1": {true, true},
		"4k4/4G4/9/9/9/9/9/9/4K4 w - 1":   {true, false}, // the gold has no protection
		"7lk/8P/7G1/9/9/9/9/9/4K4 w - 1":  {true, true},
	} {
		p := position(t, sfen)
		assert.Equal(t, want, [2]bool{p.InCheck(), p.IsCheckmate()}, sfen)
	}
}

func TestMistakeUchifuzumeIsMissing(t *testing.T) {
	p := position(t, "7lk/9/7G1/9/9/9/9/9/4K4 b P 1")
	drop := shogi.DropUnchecked(shogi.Pawn, 1)
	assert.False(t, p.IsLegal(drop))
	// Only this square is taken out of 8 ranks on 9 files, besides 2c and 5i, which are occupied.
	n := 0
	for _, m := range legal(&p) {
		if m.IsDrop() {
			n++
			assert.NotEqual(t, drop, m)
		}
	}
	assert.Equal(t, 8*9-2-1, n)
}

func TestMistakeKeyWithoutSideToMoveOrHands(t *testing.T) {
	const men = "4k4/9/9/9/9/9/9/9/4K4"
	keys := map[uint64]string{}
	for _, rest := range []string{"b - 1", "w - 1", "b S 1", "b s 1", "w S 1", "b 2S 1", "b G 1", "b 2P 1", "b 18P 1"} {
		p := position(t, men+" "+rest)
		other, seen := keys[p.Key()]
		assert.False(t, seen, "%q and %q have one key", rest, other)
		keys[p.Key()] = rest
	}
	a, b := position(t, men+" b S 1"), position(t, men+" b S 77")
	assert.Equal(t, a.Key(), b.Key(), "the ply is no part of the key")
}

// Adding the rank to the code of 一 gives 丁 and 丂, not 二 and 三.
func TestMistakeRankNumerals(t *testing.T) {
	p := board.Start()
	lines := strings.Split(strings.TrimSpace(diagram(&p)), "\n")
	require.Len(t, lines, 12)
	for i, numeral := range []string{"一", "二", "三", "四", "五", "六", "七", "八", "九"} {
		assert.True(t, strings.HasSuffix(lines[2+i], " "+numeral), lines[2+i])
	}
	assert.Equal(t, "v香v桂v銀v金v玉v金v銀v桂v香 一", lines[2])
	assert.Equal(t, " 香 桂 銀 金 玉 金 銀 桂 香 九", strings.TrimRight(lines[10], "\n"))
}

func TestReach(t *testing.T) {
	want := [...]int{
		shogi.Pawn: 1, shogi.Lance: 4, shogi.Knight: 2, shogi.Silver: 5, shogi.Bishop: 16, shogi.Rook: 16, shogi.Gold: 6, shogi.King: 8,
		shogi.ProPawn: 6, shogi.ProLance: 6, shogi.ProKnight: 6, shogi.ProSilver: 6, shogi.Horse: 20, shogi.Dragon: 20,
	}
	for kind := shogi.Pawn; kind <= shogi.Dragon; kind++ {
		assert.Len(t, reach(kind), want[kind], kind)
	}
	for _, kind := range []shogi.PieceType{shogi.ProPawn, shogi.ProLance, shogi.ProKnight, shogi.ProSilver} {
		assert.Equal(t, reach(shogi.Gold), reach(kind), kind)
	}
}
