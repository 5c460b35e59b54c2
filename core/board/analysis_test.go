package board_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/internal/vectors"
	"komadori/core/shogi"
)

// What an analysis lists in parts, calls legal and calls a check is what the plain functions say; and the key of the position after a
// move is known before it.
func TestAnalysisAgreesWithThePlainFunctions(t *testing.T) {
	var a board.Analysis
	var checks board.CheckFinder
	var tactical, rest board.MoveList
	n := 0
	vectors.Each(t, "vectors/positions.jsonl.gz", func(r struct{ SFEN string }) bool {
		if n++; deadEnd(t, r.SFEN) || testing.Short() && n%8 != 0 {
			return false
		}
		pos := position(t, r.SFEN)
		p, sfen := &pos, r.SFEN
		p.Analyse(&a)
		require.Equal(t, p.InCheck(), a.InCheck(), sfen)
		for _, m := range p.AppendMoves(nil, board.SearchMoves, shogi.NoSquare) {
			require.False(t, p.LeavesOut(m), "%v in %s", m, sfen)
		}
		leftOut := func(moves []shogi.Move) []shogi.Move { return slices.DeleteFunc(moves, p.LeavesOut) }
		p.ListTactical(&a, true, &tactical)
		p.ListRest(&a, true, &rest)
		require.ElementsMatch(t, leftOut(p.AppendMoves(nil, board.Tactical, shogi.NoSquare)), tactical.Slice(), sfen)
		require.ElementsMatch(t, leftOut(p.AppendMoves(nil, board.Quiets, shogi.NoSquare)), rest.Slice(), sfen)
		p.ListTactical(&a, false, &tactical)
		p.ListRest(&a, false, &rest)
		require.ElementsMatch(t, p.AppendMoves(nil, board.Tactical, shogi.NoSquare), tactical.Slice(), sfen)
		require.ElementsMatch(t, p.AppendMoves(nil, board.Quiets, shogi.NoSquare), rest.Slice(), sfen)
		them := p.Turn().Opposite()
		inCheck := p.IsAttacked(p.KingSquare(them), p.Turn())
		p.PrepareChecks(&checks)
		for _, m := range p.AppendMoves(nil, board.PseudoLegal, shogi.NoSquare) {
			require.Equal(t, p.IsLegal(m), p.IsLegalIn(&a, m), "%v in %s", m, sfen)
			if !p.IsLegal(m) {
				continue
			}
			if !inCheck {
				require.Equal(t, p.GivesCheck(m), checks.Gives(p, m), "%v in %s", m, sfen)
			}
			q := *p
			q.Do(m)
			require.Equal(t, q.Key(), p.KeyAfter(m), "%v in %s", m, sfen)
			require.Equal(t, q.BoardKey(), p.BoardKeyAfter(m), "%v in %s", m, sfen)
		}
		return true
	})
}
