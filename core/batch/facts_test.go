package batch_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/batch"
	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/notation"
	"komadori/core/packed"
	"komadori/core/shogi"
)

// Boards hold what packed positions hold, and every function says the same of them.
func TestBoards(t *testing.T) {
	ps := readPositions(t)
	n := len(ps.sfens)
	boards := batch.Packed{Data: make([]byte, n*batch.BoardRowSize), Format: batch.Board}
	status := soiledStatus(n)
	_, err := batch.Convert(boards.Data, ps.hcp, batch.Conversion{To: batch.Board}, batch.Run{Status: status})
	require.NoError(t, err)
	for row, sfen := range ps.sfens {
		if row == ps.bad {
			assert.EqualValues(t, fault.Parse, status[row])
			continue
		}
		p, err := notation.ParsePosition(sfen)
		require.NoError(t, err)
		raw := boards.Data[row*batch.BoardRowSize:][:batch.BoardRowSize]
		for sq := shogi.Square(0); sq < 81; sq++ {
			if raw[sq] != uint8(p.PieceAt(sq)) {
				t.Fatalf("%s: %d on %v", sfen, raw[sq], sq)
			}
		}
		for c := shogi.Black; c <= shogi.White; c++ {
			for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
				require.EqualValues(t, p.Hand(c).Count(kind), raw[81+7*int(c)+int(kind)-1])
			}
		}
		require.EqualValues(t, p.Turn(), raw[95])
	}
	// An empty board is a position: no kings, and no packed form.
	for _, to := range []batch.Format{batch.HCP, batch.PackedSfen} {
		back := make([]byte, n*packed.Size)
		_, err = batch.Convert(back, boards, batch.Conversion{To: to}, batch.Run{Status: status})
		require.NoError(t, err)
		assert.EqualValues(t, fault.InvalidPosition, status[ps.bad])
		want := ps.hcp.Data
		if to == batch.PackedSfen {
			want = ps.sfen.Data
		}
		assert.True(t, bytes.Equal(want, back))
	}
	facts := func(in batch.Packed) *batch.Facts {
		f := &batch.Facts{Keys: make([]uint64, n), Turns: make([]uint8, n), InCheck: make([]uint8, n), Legal: make([]uint16, n), MateInOne: make([]uint16, n),
			Verdicts: make([]uint8, n), Points: make([]uint8, n), Rule: shogi.Cs24Point}
		_, err := batch.Look(f, in, batch.Run{Status: status})
		require.NoError(t, err)
		require.NotZero(t, status[ps.bad])
		return f
	}
	require.Equal(t, facts(ps.hcp), facts(boards))
	got := facts(boards)
	wins := 0
	for row, sfen := range ps.sfens {
		if row == ps.bad {
			assert.Zero(t, got.Keys[row])
			continue
		}
		p, err := notation.ParsePosition(sfen)
		require.NoError(t, err)
		d, err := p.Declaration(shogi.Cs24Point)
		require.NoError(t, err)
		require.EqualValues(t, d.Verdict, got.Verdicts[row])
		require.EqualValues(t, d.Points, got.Points[row])
		require.EqualValues(t, p.Turn(), got.Turns[row])
		if d.Verdict == shogi.VerdictWin {
			wins++
		}
	}
	assert.Positive(t, wins)
	// Turned and mirrored twice, and played on.
	twice := batch.Packed{Data: bytes.Clone(boards.Data), Format: batch.Board}
	for range 2 {
		_, err = batch.Convert(twice.Data, twice, batch.Conversion{To: batch.Board, FlipSide: true, MirrorFile: true}, batch.Run{Status: status})
		require.NoError(t, err)
	}
	assert.True(t, bytes.Equal(boards.Data, twice.Data))
}

func TestBadBoards(t *testing.T) {
	start := board.Start()
	var hcp [packed.Size]byte
	require.NoError(t, packed.EncodeHCP(&start, &hcp))
	row := make([]byte, batch.BoardRowSize)
	_, err := batch.Convert(row, batch.Packed{Data: hcp[:], Format: batch.HCP}, batch.Conversion{To: batch.Board}, batch.Run{})
	require.NoError(t, err)
	for name, c := range map[string]struct {
		at    int
		value byte
		kind  fault.Kind
	}{
		"a piece that is none": {40, 15, fault.InvalidValue}, "another": {40, 16, fault.InvalidValue}, "and another": {40, 200, fault.InvalidValue},
		"a third king": {40, 8, fault.InvalidPosition}, "a pawn on the last rank": {9, 1, fault.InvalidPosition}, "too many pawns": {81, 1, fault.InvalidPosition},
		"more than exist": {82, 5, fault.InvalidValue}, "a side": {95, 2, fault.InvalidValue},
	} {
		bad := bytes.Clone(row)
		bad[c.at] = c.value
		status, keys := make([]int32, 1), make([]uint64, 1)
		_, err := batch.Keys(keys, batch.Packed{Data: bad, Format: batch.Board}, batch.Run{Status: status})
		require.NoError(t, err)
		assert.EqualValues(t, c.kind, status[0], name)
	}
	full := bytes.Repeat([]byte{1}, 81)
	full = append(full, make([]byte, 15)...)
	_, err = batch.Keys(make([]uint64, 1), batch.Packed{Data: full, Format: batch.Board}, batch.Run{})
	assert.ErrorIs(t, err, fault.InvalidPosition)
	_, err = batch.Look(&batch.Facts{Rule: 6}, packedStart(1), batch.Run{})
	assert.ErrorIs(t, err, fault.Argument)
	_, err = batch.Look(&batch.Facts{Points: make([]uint8, 2)}, packedStart(1), batch.Run{})
	assert.ErrorIs(t, err, fault.Argument)
	// Text to boards, without kings too.
	text := "4k4/9/4P4/9/9/9/9/9/9 b G 1"
	made := make([]byte, batch.BoardRowSize)
	_, err = batch.Encode(made, batch.Board, []int64{0, int64(len(text))}, []byte(text), batch.Run{})
	require.NoError(t, err)
	assert.Equal(t, []byte{24, 1, 1}, []byte{made[36], made[38], made[81+6]})
	verdicts := make([]uint8, 1)
	_, err = batch.Look(&batch.Facts{Rule: shogi.Cs27Point, Verdicts: verdicts}, batch.Packed{Data: made, Format: batch.Board}, batch.Run{})
	assert.ErrorIs(t, err, fault.InvalidPosition, "a declaration needs both kings")
	drop, err := shogi.ParseMove("G*5b")
	require.NoError(t, err)
	_, err = batch.Play(made, batch.Packed{Data: made, Format: batch.Board}, []uint16{uint16(drop)}, batch.Board, batch.Run{})
	require.NoError(t, err)
	assert.Equal(t, []byte{7, 0, 1}, []byte{made[37], made[81+6], made[95]})
}

func FuzzBoards(f *testing.F) {
	start := board.Start()
	row := make([]byte, batch.BoardRowSize)
	copy(row, start.Board()[:81])
	f.Add(row)
	f.Fuzz(func(t *testing.T, raw []byte) {
		in := batch.Packed{Data: raw, Format: batch.Board}
		n, err := in.Rows()
		if err != nil || n > 16 {
			return
		}
		status := make([]int32, n)
		again := make([]byte, len(raw))
		_, err = batch.Convert(again, in, batch.Conversion{To: batch.Board}, batch.Run{Status: status})
		require.NoError(t, err)
		for row, kind := range status {
			if kind == 0 {
				require.Equal(t, raw[row*batch.BoardRowSize:][:batch.BoardRowSize], again[row*batch.BoardRowSize:][:batch.BoardRowSize])
			}
		}
		f := batch.Facts{Keys: make([]uint64, n), Legal: make([]uint16, n), MateInOne: make([]uint16, n), Verdicts: make([]uint8, n), Rule: shogi.TryRule}
		_, err = batch.Look(&f, in, batch.Run{Status: status})
		require.NoError(t, err)
	})
}
