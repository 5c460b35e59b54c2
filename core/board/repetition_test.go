package board

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/shogi"
)

// Two boards may share a key. The verdict compares the boards themselves, here with a key forged to be equal.
func TestRepetitionComparesBoardsNotKeys(t *testing.T) {
	g := NewGame()
	for _, text := range []string{"7g7f", "3c3d", "2g2f", "8c8d"} {
		m, err := shogi.ParseMove(text)
		require.NoError(t, err)
		require.NoError(t, g.Push(m))
	}
	g.Entries[0].undo.boardKey = g.Pos.boardKey
	assert.Equal(t, shogi.RepetitionNone, g.SearchRepetition(100))
	assert.Equal(t, shogi.RepetitionNone, g.RepetitionState())
	assert.False(t, g.IsRepetition(2))
	assert.Equal(t, 4, g.equalKey(2, 100), "the keys do collide")
}

// A forged key does not hide the true return behind it either.
func TestRepetitionLooksPastAnEqualKey(t *testing.T) {
	g := NewGame()
	for range 2 {
		for _, text := range []string{"2h3h", "8b7b", "3h2h", "7b8b"} {
			m, err := shogi.ParseMove(text)
			require.NoError(t, err)
			require.NoError(t, g.Push(m))
		}
	}
	g.Entries[2].undo.boardKey = g.Pos.boardKey
	assert.True(t, g.IsRepetition(3))
	assert.False(t, g.IsRepetition(4))
}

// Superior and inferior hands, too, count only on the same board.
func TestSuperiorComparesBoardsNotKeys(t *testing.T) {
	g := NewGame()
	for _, text := range []string{"7g7f", "3c3d", "8h2b+", "3a2b"} {
		m, err := shogi.ParseMove(text)
		require.NoError(t, err)
		require.NoError(t, g.Push(m))
	}
	g.Entries[0].undo.boardKey = g.Pos.boardKey
	assert.Equal(t, shogi.RepetitionNone, g.SearchRepetition(100))
	assert.Equal(t, shogi.RepetitionNone, g.RepetitionState())
}
