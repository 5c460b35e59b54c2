package board_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/internal/vectors"
	"komadori/core/notation"
	"komadori/core/shogi"
)

// Estimates are no more than that, but seldom wrong; and Black and White are estimated alike.
func TestEstimates(t *testing.T) {
	all, right := 0, 0
	vectors.Each(t, "vectors/positions.jsonl.gz", func(row struct {
		SFEN string `json:"sfen"`
	}) bool {
		setup, err := notation.ParseSFEN(row.SFEN)
		require.NoError(t, err)
		p, err := setup.Position()
		if err != nil || p.KingSquare(p.Turn()^1) == shogi.NoSquare {
			return false
		}
		turned := setup.FlipSide()
		flipped, err := turned.Position()
		require.NoError(t, err)
		var a, f board.Answers
		p.Answers(&a)
		flipped.Answers(&f)
		var l board.MoveList
		for _, m := range p.AppendMoves(nil, board.Checks, shogi.NoSquare) {
			e := p.Estimate(&a, m)
			require.Equal(t, e, flipped.Estimate(&f, m.FlipSide()), "%v in %s", m, row.SFEN)
			u := p.Do(m)
			between := p.GenerateEvasions(&l)
			moves := 0
			for _, r := range l.Slice() {
				if !r.IsDrop() {
					moves++
				}
			}
			p.Undo(m, u)
			all++
			if moves == int(e.Moves) && between.Count() == int(e.Squares) {
				right++
			}
		}
		return true
	})
	t.Logf("%d of %d are right", right, all)
	if all > 0 {
		assert.Greater(t, right, all*6/10)
	}
}
