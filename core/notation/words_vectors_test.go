package notation_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/internal/vectors"
	"komadori/core/notation"
	"komadori/core/shogi"
)

// gameAfter is the game of a row: a position, and a move that was played on it first, so that 同 can be said.
func gameAfter(t *testing.T, sfen string, moves ...string) *board.Game {
	p, err := notation.ParsePosition(sfen)
	require.NoError(t, err, sfen)
	g := board.NewGameFrom(p)
	for _, text := range moves {
		m, err := shogi.ParseMove(text)
		require.NoError(t, err, text)
		require.NoError(t, g.Push(m), "%s in %s", text, sfen)
	}
	return g
}

// words writes a move and reads it back.
func words(t *testing.T, g *board.Game, m shogi.Move, style notation.Style) string {
	text, err := notation.FormatMove(g, m, style)
	require.NoError(t, err, "%v in %v", m, style)
	back, err := notation.ParseMove(g, text, style)
	if assert.NoError(t, err, "%s of %v in %s", text, m, notation.FormatSFEN(&g.Pos)) {
		assert.Equal(t, m, back, "%s in %s", text, notation.FormatSFEN(&g.Pos))
	}
	return text
}

// A piece that can never move again is refused here, where some peers play on: such rows are compared as far as they need no board.
func isDeadEnd(t *testing.T, sfen string) bool {
	s, err := notation.ParseSFEN(sfen)
	require.NoError(t, err)
	for sq := shogi.Square(0); sq < 81; sq++ {
		if p := s.Board[sq]; !p.IsEmpty() && p.Type().MustPromote(p.Color(), sq.Rank()) {
			return true
		}
	}
	return false
}

func TestVectorsWordsOfMoves(t *testing.T) {
	type row struct {
		SFEN       string
		Prev       *string
		USI        string
		CSA        string
		KI2        string `json:"ki2"`
		KI2Value   uint32 `json:"ki2_u32"`
		KI2TSShogi string `json:"ki2_tsshogi"`
	}
	longer, refused := 0, 0
	vectors.Each(t, "vectors/move32.jsonl", func(r row) bool {
		k, err := notation.ParseKi2Notation(r.KI2)
		if !assert.NoError(t, err) || !assert.Equal(t, r.KI2Value, uint32(k), r.KI2) || !assert.Equal(t, r.KI2, k.String()) {
			return false
		}
		again, err := notation.NewKi2Notation(r.KI2Value)
		if !assert.NoError(t, err) || !assert.Equal(t, k, again) {
			return false
		}
		if isDeadEnd(t, r.SFEN) {
			_, err := notation.ParsePosition(r.SFEN)
			refused++
			return assert.ErrorIs(t, err, fault.InvalidPosition)
		}
		var before []string
		if r.Prev != nil {
			before = append(before, *r.Prev)
		}
		g := gameAfter(t, r.SFEN, before...)
		m, err := shogi.ParseMove(r.USI)
		require.NoError(t, err)
		previous := notation.Previous(g)
		again, err = notation.Ki2Of(&g.Pos, previous, m)
		require.NoError(t, err)
		ok := assert.Equal(t, r.USI, words(t, g, m, notation.USI)) &&
			assert.Equal(t, r.CSA, words(t, g, m, notation.CSA)) &&
			assert.Equal(t, r.KI2, words(t, g, m, notation.KI2), "%s in %s", r.USI, r.SFEN) &&
			assert.Equal(t, k, again)
		words(t, g, m, notation.KIF)
		words(t, g, m, notation.Western)

		back, err := k.Resolve(&g.Pos, previous)
		ok = assert.NoError(t, err, "%v in %s", k, r.SFEN) && assert.Equal(t, m, back) && ok

		if r.KI2TSShogi != "" { // another writer's longer words are read too
			longer++
			again, err = notation.ParseKi2Notation(r.KI2TSShogi)
			ok = assert.NoError(t, err) && assert.Equal(t, k, again, "%s is said as %s", r.KI2TSShogi, r.KI2) && ok
			back, err = notation.ParseMove(g, r.KI2TSShogi, notation.KI2)
			ok = assert.NoError(t, err, r.KI2TSShogi) && assert.Equal(t, m, back) && ok
		}
		return ok && !t.Failed()
	})
	t.Logf("%d rows with another writer's longer words; %d on boards that are refused, compared without a board", longer, refused)
}

// All legal moves of all positions of the set: their words lead back to them in every style, and turn and mirror with the board.
func TestVectorsWordsInAllPositions(t *testing.T) {
	moves, row := 0, 0
	vectors.Each(t, "vectors/positions.jsonl.gz", func(r struct{ SFEN string }) bool {
		row++
		if isDeadEnd(t, r.SFEN) || (testing.Short() && row%10 != 0) {
			return false
		}
		p, err := notation.ParsePosition(r.SFEN)
		require.NoError(t, err, r.SFEN)
		moves += checkWords(t, &p, shogi.NoSquare)
		return true
	})
	t.Logf("%d moves in five styles", moves)
}
