package shogi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/fault"
	. "komadori/core/shogi"
)

func TestRowMajorMoves(t *testing.T) {
	r, err := mustMove(t, "7g7f").RowMajor(Pawn)
	require.NoError(t, err)
	assert.Equal(t, RowMajorMove{From: 56, To: 47, Piece: 1}, r)
	r, err = mustMove(t, "P*3d").RowMajor(NoPieceType)
	require.NoError(t, err)
	assert.Equal(t, RowMajorMove{From: -1, To: 33, Piece: 1, Drop: true}, r)
	r, err = mustMove(t, "8h2b+").RowMajor(Bishop)
	require.NoError(t, err)
	assert.Equal(t, RowMajorMove{From: 64, To: 16, Piece: 6, Promote: true}, r, "bishop is 6 in that order")
	assert.False(t, NoRowMajorMove.IsValid())
	assert.True(t, r.IsValid())

	for raw := range 1 << 16 {
		m := Move(raw)
		for before := NoPieceType; before <= GoldLike; before++ {
			if !m.IsNormal() && before != Pawn {
				continue
			}
			r, err := m.RowMajor(before)
			want := m.IsNormal() && before != GoldLike
			if m.IsDrop() {
				want = want && (before == 0 || before == m.DroppedType())
			} else {
				want = want && before != 0 && (!m.IsPromotion() || before.IsPromotable())
			}
			if (err == nil) != want {
				t.Fatalf("0x%04x of %v: %v", raw, before, err)
			}
			if err != nil {
				if r != NoRowMajorMove {
					t.Fatalf("0x%04x: %+v", raw, r)
				}
				continue
			}
			if back, err := r.Move(); err != nil || back != m || !r.IsValid() {
				t.Fatalf("%v of %v: %+v, back %v, %v", m, before, r, back, err)
			}
		}
	}
	for _, bad := range []RowMajorMove{
		NoRowMajorMove, {}, {From: 3, To: 3, Piece: 1}, {From: 81, To: 3, Piece: 1}, {From: -1, To: 3, Piece: 1}, {From: 1, To: 81, Piece: 1},
		{From: 1, To: 2, Piece: 15}, {From: 1, To: 2, Piece: 16}, {From: 1, To: 2, Piece: -1}, {From: 1, To: 2, Piece: 5, Promote: true},
		{From: -1, To: 2, Piece: 8, Drop: true}, {From: -1, To: 2, Piece: 9, Drop: true}, {From: 0, To: 2, Piece: 1, Drop: true},
		{From: -1, To: 2, Piece: 1, Drop: true, Promote: true},
	} {
		_, err := bad.Move()
		assert.ErrorIs(t, err, fault.InvalidValue, "%+v", bad)
	}
}

func TestTerminalStatus(t *testing.T) {
	for i, o := range []TerminalOutcome{OutcomeNone, OutcomeWin, OutcomeDraw, OutcomeLoss} {
		assert.EqualValues(t, i, o)
		assert.Equal(t, i != 0, TerminalStatus{Outcome: o}.IsTerminal())
		assert.Equal(t, []TerminalOutcome{OutcomeNone, OutcomeLoss, OutcomeDraw, OutcomeWin}[i], o.FlipSide())
	}
	for i, r := range []TerminalReason{ReasonNone, ReasonDeclarationWin, ReasonRepetition, ReasonPerpetualCheck, ReasonImpasse, ReasonMoveLimit, ReasonTryRule, ReasonCheckmate, ReasonNoLegalMoves} {
		assert.EqualValues(t, i, r)
		assert.NotEqual(t, TerminalReason(9).String(), r.String())
	}
	assert.Equal(t, []string{"none", "win", "draw", "loss", "loss"}, []string{OutcomeNone.String(), OutcomeWin.String(), OutcomeDraw.String(), OutcomeLoss.String(), TerminalOutcome(4).String()})
	for i, v := range []Verdict{VerdictNone, VerdictWin, VerdictDraw} {
		assert.EqualValues(t, i, v)
		assert.Equal(t, []string{"none", "win", "draw"}[i], v.String())
	}
	for raw := range 6 {
		r := RepetitionState(raw)
		s := r.Terminal()
		assert.Equal(t, r == RepetitionDraw || r == RepetitionWin || r == RepetitionLose, s.IsTerminal(), r)
		assert.Equal(t, r.FlipSide().Terminal(), TerminalStatus{s.Outcome.FlipSide(), s.Reason})
	}
	assert.Equal(t, TerminalStatus{OutcomeLoss, ReasonPerpetualCheck}, RepetitionLose.Terminal())
}

// The kind a captured piece becomes, as an index of hands; a king has none.
func TestHandPieceOfAKind(t *testing.T) {
	for kind := PieceType(-128); ; kind++ {
		h, err := kind.HandPiece()
		if d := kind.Demote(); d >= Pawn && d <= Gold {
			assert.NoError(t, err)
			assert.Equal(t, d, h.Type())
		} else {
			assert.ErrorIs(t, err, fault.InvalidValue, int(kind))
		}
		if kind == 127 {
			break
		}
	}
}

func TestDistanceAndSteps(t *testing.T) {
	for a := range Square(81) {
		for b := range Square(81) {
			df, dr := a.File()-b.File(), a.Rank()-b.Rank()
			want := max(int(df), int(-df), int(dr), int(-dr))
			if Distance(a, b) != want {
				t.Fatalf("%v to %v: %d", a, b, Distance(a, b))
			}
		}
		assert.Equal(t, -1, Distance(a, NoSquare))
		assert.Equal(t, -1, Distance(NoSquare, a))
	}
	assert.Equal(t, [4]Square{8, 10, -10, -8}, [4]Square{LeftUp, LeftDown, RightUp, RightDown})
}
