package notation_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/notation"
	"komadori/core/shogi"
)

func TestGameLines(t *testing.T) {
	for text, want := range map[string]struct{ line, ending string }{
		"position startpos":                                      {"position startpos", ""},
		"startpos":                                               {"position startpos", ""},
		"position startpos moves":                                {"position startpos", ""},
		"position sfen " + shogi.StartSFEN:                       {"position startpos", ""},
		"  position   startpos\tmoves 7g7f  3c3d\n":              {"position startpos moves 7g7f 3c3d", ""},
		"startpos moves 7g7f resign":                             {"position startpos moves 7g7f", "resign"},
		"position startpos moves resign":                         {"position startpos", "resign"},
		"position startpos moves 7g7f win":                       {"position startpos moves 7g7f", "win"},
		"position startpos moves 7g7f rep_draw":                  {"position startpos moves 7g7f", "rep_draw"},
		"position startpos moves 7g7f null 2g2f":                 {"position startpos moves 7g7f null 2g2f", ""},
		"position startpos moves 7g7f 0000":                      {"position startpos moves 7g7f null", ""},
		"sfen " + bare + " b P 5 moves P*5e 5a4a":                {"position sfen " + bare + " b P 5 moves P*5e 5a4a", ""},
		bare + " b P 5 moves P*5e":                               {"position sfen " + bare + " b P 5 moves P*5e", ""},
		"position " + bare + " w - moves 5a5b":                   {"position sfen " + bare + " w - 1 moves 5a5b", ""},
		"position startpos moves 7g7f 3c3d 8h2b+ 3a2b B*5e 5c5d": {"position startpos moves 7g7f 3c3d 8h2b+ 3a2b B*5e 5c5d", ""},
	} {
		g, ending, err := notation.ParseGame(text)
		require.NoError(t, err, text)
		assert.Equal(t, want.ending, ending, text)
		assert.Equal(t, want.line, notation.FormatGame(g), text)
		again, _, err := notation.ParseGame(notation.FormatGame(g))
		require.NoError(t, err)
		assert.Equal(t, *g.State, *again.State)
	}
}

func TestGameLinesRefused(t *testing.T) {
	for _, r := range []struct {
		text, says string
		kind       fault.Kind
		offset     int
	}{
		{"", "fields", fault.Parse, 0},
		{"position", "fields", fault.Parse, 8},
		{"position sfen", "fields", fault.Parse, 13},
		{"position endpos", "fields", fault.Parse, 15},
		{"POSITION STARTPOS", "fields", fault.Parse, 17},
		{"position startpos 7g7f", "fields", fault.Parse, 22},
		{"position sfen 9/9 b - 1", "board ends", fault.Parse, 17},
		{"position startpos moves 7g7f xx", `move 2: "xx"`, fault.Parse, 29},
		{"position startpos moves 7g7e", `move 1: "7g7e"`, fault.IllegalMove, 24},
		{"startpos moves 7g7f 7g7f", `move 2: "7g7f"`, fault.IllegalMove, 20},
		{"position startpos moves P*5e", `move 1: "P*5e"`, fault.IllegalMove, 24},
		{"position startpos moves resign 7g7f", `move 1: "resign"`, fault.IllegalMove, 24},
		{"position startpos moves moves", `move 1: "moves"`, fault.Parse, 24},
		{"position sfen 4k4/9/9/9/4R4/9/9/9/4K4 w - 1 moves null", `move 1: "null"`, fault.IllegalMove, 50},
		{"position sfen 4k4/9/9/6P2/9/6P2/9/9/4K4 b - 1 moves 3f3e", "two unpromoted pawns", fault.InvalidPosition, -1},
	} {
		g, ending, err := notation.ParseGame(r.text)
		assert.Nil(t, g)
		assert.Empty(t, ending)
		var e *fault.Error
		if assert.ErrorAs(t, err, &e, r.text) {
			assert.Equal(t, r.kind, e.Kind, r.text)
			assert.Equal(t, r.offset, e.Offset, "%q: %v", r.text, err)
			assert.ErrorContains(t, err, r.says)
		}
	}
}

func FuzzGame(f *testing.F) {
	for _, text := range []string{
		"position startpos moves 7g7f 3c3d 8h2b+ 3a2b B*5e 5c5d", "startpos moves 7g7f resign", bare + " b P 5 moves P*5e null rep_sup", "position sfen", "moves",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		g, _, err := notation.ParseGame(text)
		if err != nil {
			var e *fault.Error
			require.True(t, errors.As(err, &e), "%v", err)
			return
		}
		line := notation.FormatGame(g)
		again, ending, err := notation.ParseGame(line)
		require.NoError(t, err, line)
		require.Empty(t, ending)
		require.Equal(t, *g.State, *again.State)
		require.Equal(t, line, notation.FormatGame(again))
		p := g.Pos
		q, err := notation.ParsePosition(notation.FormatSFEN(&p))
		require.NoError(t, err)
		require.Equal(t, p, q)
		require.Equal(t, p, board.NewGameFrom(q).Pos)
	})
}
