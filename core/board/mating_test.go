package board_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/internal/vectors"
	"komadori/core/shogi"
)

// compareMating holds what is asked about checks and answers against lists and moves played.
func compareMating(t *testing.T, p *board.Position) (mates int) {
	t.Helper()
	at := sfen(p)
	if p.KingSquare(p.Turn()^1) != shogi.NoSquare {
		var checks, mating []shogi.Move
		for _, m := range p.AppendLegal(nil) {
			q := *p
			if q.Do(m); q.InCheck() {
				checks = append(checks, m)
				if !q.HasLegalMove() {
					mating = append(mating, m)
				}
			}
		}
		before := *p
		require.Equal(t, sorted(mating), sorted(p.AppendMatesInOne(nil)), at)
		var l board.MoveList
		p.Generate(board.Checks, shogi.NoSquare, &l)
		require.Equal(t, sorted(checks), sorted(l.Slice()), at)
		found := p.MateInOne()
		require.Equal(t, len(mating) > 0, found != shogi.MoveNone, at)
		if found != shogi.MoveNone {
			require.Contains(t, mating, found, at)
		}
		require.Equal(t, before, *p, at)
		mates = len(mating)
	}

	var l board.MoveList
	between := p.GenerateEvasions(&l)
	require.Equal(t, sorted(p.AppendLegal(nil)), sorted(l.Slice()), at)
	for _, m := range l.Slice() {
		if m.IsDrop() && p.InCheck() {
			require.True(t, between.Test(m.To()), at)
		}
	}
	if !p.InCheck() {
		require.True(t, between.IsEmpty(), at)
	}
	return mates
}

// Mates in one are found by asking which checks cannot mate: on boards of all kinds none may be missed.
func TestMatingAgainstPlayedMoves(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	boards, mates := 0, 0
	rounds := 6000
	if testing.Short() {
		rounds = 600
	}
	for boards < rounds {
		p, ok := sprinkle(r)
		if !ok {
			continue
		}
		boards++
		mates += compareMating(t, &p)
		// A few moves on, checks first, so that both sides come to stand in check.
		for range 6 {
			legal := p.AppendMoves(nil, board.Checks, shogi.NoSquare)
			if len(legal) == 0 || r.IntN(3) == 0 {
				legal = p.AppendLegal(nil)
			}
			if len(legal) == 0 {
				break
			}
			p.Do(legal[r.IntN(len(legal))])
			mates += compareMating(t, &p)
		}
	}
	t.Logf("%d boards, %d mating moves", boards, mates)
	require.Greater(t, mates, rounds/20)
}

func TestVectorsMating(t *testing.T) {
	vectors.Each(t, "vectors/positions.jsonl.gz", func(row struct {
		SFEN string `json:"sfen"`
	}) bool {
		if deadEnd(t, row.SFEN) {
			return false
		}
		p := position(t, row.SFEN)
		compareMating(t, &p)
		return true
	})
}
