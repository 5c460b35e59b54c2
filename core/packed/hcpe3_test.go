package packed_test

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/packed"
	"komadori/core/shogi"
)

// twoMoves is a game of 7g7f, with two candidates, and 3c3d, with none.
func twoMoves() []byte {
	p := board.Start()
	var hcp [packed.Size]byte
	_ = packed.EncodeHCP(&p, &hcp)
	var candidates packed.Candidates
	candidates = candidates.Append(59<<0|60<<7, 30).Append(25<<0|26<<7, 12)
	game := packed.AppendHCPE3Head(nil, &hcp, 2, 1|packed.ByDeclaration, 2)
	game = packed.AppendHCPE3Move(game, packed.HCPE3Move{Move: 59 | 60<<7, Eval: -50, Candidates: candidates})
	return packed.AppendHCPE3Move(game, packed.HCPE3Move{Move: 21 | 20<<7, Eval: 40})
}

// The places of everything in a game, as the format has them.
func TestHCPE3Layout(t *testing.T) {
	raw := twoMoves()
	require.Len(t, raw, 36+6+8+6)
	assert.Equal(t, []byte{2, 0, 1 | 8, 2}, raw[32:36])
	assert.Equal(t, []byte{0x3B, 0x1E, 0xCE, 0xFF, 2, 0, 0x3B, 0x1E, 30, 0, 0x19, 0x0D, 12, 0}, raw[36:50])
	assert.Equal(t, []byte{0x15, 0x0A, 40, 0, 0, 0}, raw[50:])

	more := append(append([]byte(nil), raw...), 1, 2, 3)
	g, short, err := packed.ReadHCPE3(more)
	require.NoError(t, err)
	assert.False(t, short)
	assert.Equal(t, len(raw), g.Size(), "what follows is left alone")
	assert.Equal(t, [2]int{2, 1}, [2]int{g.Moves(), g.Targets()})
	assert.Equal(t, [2]uint8{1 | packed.ByDeclaration, 2}, [2]uint8{g.Result(), g.Opponent()})
	var s board.Setup
	require.NoError(t, packed.DecodeHCP(g.Start(), &s))
	assert.Equal(t, board.StartSetup(), s)

	first, next := g.Next(packed.HCPE3HeadSize)
	assert.Equal(t, shogi.Eval(-50), first.Eval)
	m, err := first.Move.Move()
	require.NoError(t, err)
	assert.Equal(t, "7g7f", m.String())
	require.Equal(t, 2, first.Candidates.Len())
	a, visits := first.Candidates.At(1)
	m, err = a.Move()
	require.NoError(t, err)
	assert.Equal(t, "3i3h", m.String())
	assert.EqualValues(t, 12, visits)
	second, next := g.Next(next)
	assert.Equal(t, shogi.Eval(40), second.Eval)
	assert.Zero(t, second.Candidates.Len())
	assert.Equal(t, g.Size(), next)
}

// A game that is cut anywhere is short; counts beyond the limits are refused where they stand.
func TestHCPE3Frames(t *testing.T) {
	raw := twoMoves()
	for n := range raw {
		_, short, err := packed.ReadHCPE3(raw[:n])
		assert.True(t, short, "%d bytes", n)
		var f *fault.Error
		if assert.True(t, errors.As(err, &f)) {
			assert.Equal(t, fault.Parse, f.Kind)
			assert.Equal(t, n, f.Offset)
		}
	}
	for _, c := range []struct {
		at    int
		value uint16
		fails bool
	}{
		{32, packed.HCPE3MaxMoves, false}, {32, packed.HCPE3MaxMoves + 1, true}, {32, 0xFFFF, true},
		{40, packed.HCPE3MaxCandidates, false}, {40, packed.HCPE3MaxCandidates + 1, true}, {54, 0xFFFF, true},
	} {
		bad := append([]byte(nil), raw...)
		binary.LittleEndian.PutUint16(bad[c.at:], c.value)
		_, short, err := packed.ReadHCPE3(bad)
		assert.ErrorIs(t, err, fault.Parse)
		assert.Equal(t, c.fails, !short, "%d at %d", c.value, c.at)
		var f *fault.Error
		if errors.As(err, &f) && c.fails {
			assert.Equal(t, c.at, f.Offset)
		}
	}
	none := packed.AppendHCPE3Head(nil, (*[packed.Size]byte)(raw), 0, 0, 0)
	g, _, err := packed.ReadHCPE3(none)
	require.NoError(t, err, "a game without moves")
	assert.Equal(t, [3]int{36, 0, 0}, [3]int{g.Size(), g.Moves(), g.Targets()})
	assert.Less(t, packed.HCPE3MaxSize, 1<<21)
}

func FuzzHCPE3(f *testing.F) {
	f.Add(twoMoves())
	f.Add(twoMoves()[:40])
	f.Fuzz(func(t *testing.T, raw []byte) {
		g, short, err := packed.ReadHCPE3(raw)
		if err != nil {
			require.Zero(t, g.Size())
			return
		}
		require.False(t, short)
		// What was read makes the same bytes again.
		again := packed.AppendHCPE3Head(nil, g.Start(), g.Moves(), g.Result(), g.Opponent())
		at, targets := packed.HCPE3HeadSize, 0
		for range g.Moves() {
			var m packed.HCPE3Move
			m, at = g.Next(at)
			again = packed.AppendHCPE3Move(again, m)
			if m.Candidates.Len() != 0 {
				targets++
			}
		}
		require.Equal(t, g.Targets(), targets)
		require.Equal(t, raw[:g.Size()], again)
	})
}
