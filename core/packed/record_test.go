package packed_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/internal/vectors"
	"komadori/core/notation"
	"komadori/core/packed"
	"komadori/core/shogi"
)

// A real file of HCPE against the same records as text.
func TestVectorsFloodgate(t *testing.T) {
	type row struct {
		SFEN, BestMove, Result string
		Eval                   int
	}
	file := vectors.Bytes(t, "data/floodgate.hcpe")
	n := 0
	vectors.Each(t, "data/floodgate.jsonl", func(r row) bool {
		one := [packed.HCPESize]byte(file[n*packed.HCPESize:])
		n++
		var rec packed.Record
		require.NoError(t, packed.DecodeHCPE(&one, &rec))
		p, err := rec.Setup.Position()
		require.NoError(t, err)
		result, err := packed.Apery.Decode(rec.Result, p.Turn())
		require.NoError(t, err)
		var again [packed.HCPESize]byte
		return assert.Equal(t, r.SFEN, notation.FormatSFEN(&p)) && assert.Equal(t, r.BestMove, rec.Move.String()) && assert.True(t, p.IsLegal(rec.Move)) &&
			assert.EqualValues(t, r.Eval, rec.Eval) && assert.Equal(t, strings.ReplaceAll(r.Result, "_", " "), result.String()) &&
			assert.NoError(t, packed.EncodeHCPE(&p, rec.Move, rec.Eval, rec.Result, rec.Extra, &again)) && assert.Equal(t, one, again)
	})
	assert.Len(t, file, n*packed.HCPESize)
	vectors.Count(t, "data/floodgate.hcpe", n)
}

// Both real files hold the main lines of the same games; every record is compared with the position replayed from the moves.
func TestVectorsRealGames(t *testing.T) {
	type game struct {
		File  string
		First int
		Count int
		Final int `json:"game_result"` // as Apery's convention has it
	}
	var index struct {
		Positions int
		Games     []game `json:"games_in_order"`
	}
	require.NoError(t, json.Unmarshal(vectors.Bytes(t, "games/real_index.json"), &index))
	type record struct {
		File    string
		Initial string `json:"initial_sfen"`
		USI     string
	}
	lines := map[string]record{}
	vectors.Each(t, "games/index.jsonl", func(r record) bool { lines[r.File] = r; return true })
	hcpe, psv := vectors.Bytes(t, "games/real.hcpe"), vectors.Bytes(t, "games/real.psv")
	require.Len(t, hcpe, index.Positions*packed.HCPESize)
	require.Len(t, psv, index.Positions*packed.PSVSize)
	n := 0
	for _, g := range index.Games {
		r := lines[g.File]
		p, err := notation.ParsePosition(r.Initial)
		require.NoError(t, err)
		require.Equal(t, n, g.First)
		for ply, word := range strings.Fields(r.USI)[:g.Count] {
			m, err := shogi.ParseMove(word)
			require.NoError(t, err)
			h, s := [packed.HCPESize]byte(hcpe[n*packed.HCPESize:]), [packed.PSVSize]byte(psv[n*packed.PSVSize:])
			var a, b packed.Record
			require.NoError(t, packed.DecodeHCPE(&h, &a))
			require.NoError(t, packed.DecodePSV(&s, &b))
			want := p.Setup()
			want.Ply = 1
			require.Equal(t, want, a.Setup, "%s ply %d", g.File, ply+1)
			want.Ply = int32(ply) + 1
			require.Equal(t, want, b.Setup, "%s ply %d", g.File, ply+1)
			require.Equal(t, [2]shogi.Move{m, m}, [2]shogi.Move{a.Move, b.Move})
			require.Equal(t, a.Eval, b.Eval)
			require.EqualValues(t, g.Final, a.Result)
			ra, err := packed.Apery.Decode(a.Result, p.Turn())
			require.NoError(t, err)
			rb, err := packed.YaneuraOu.Decode(b.Result, p.Turn())
			require.NoError(t, err)
			require.Equal(t, ra, rb)
			var ha [packed.HCPESize]byte
			require.NoError(t, packed.EncodeHCPE(&p, a.Move, a.Eval, a.Result, a.Extra, &ha))
			require.Equal(t, h, ha)
			q, err := b.Setup.Position()
			require.NoError(t, err)
			var sb [packed.PSVSize]byte
			require.NoError(t, packed.EncodePSV(&q, b.Move, b.Eval, b.Result, b.Extra, &sb))
			require.Equal(t, s, sb)
			require.True(t, p.IsLegal(m))
			p.Do(m)
			n++
		}
	}
	assert.Equal(t, index.Positions, n)
	vectors.Count(t, "games/real.hcpe", n)
	vectors.Count(t, "games/real.psv", n)
}

func TestResultConventions(t *testing.T) {
	const minus = 0xFF
	for _, r := range []struct {
		convention         packed.ResultConvention
		turn               shogi.Color
		black, white, draw uint8
	}{
		{packed.Apery, shogi.Black, 1, 2, 0}, {packed.Apery, shogi.White, 1, 2, 0},
		{packed.YaneuraOu, shogi.Black, 1, minus, 0}, {packed.YaneuraOu, shogi.White, minus, 1, 0},
		{packed.Rsshogi, shogi.Black, 0, 1, 2}, {packed.Rsshogi, shogi.White, 0, 1, 2},
		{packed.Dlshogi, shogi.Black, 1, 2, 0}, {packed.Dlshogi, shogi.White, 1, 2, 0},
	} {
		for result, want := range map[shogi.GameResult]uint8{shogi.BlackWin: r.black, shogi.WhiteWin: r.white, shogi.Draw: r.draw} {
			raw, err := r.convention.Encode(result, r.turn)
			assert.NoError(t, err)
			assert.Equal(t, want, raw)
			back, err := r.convention.Decode(raw, r.turn)
			assert.NoError(t, err)
			assert.Equal(t, result, back)
		}
		_, err := r.convention.Encode(3, r.turn)
		assert.ErrorIs(t, err, fault.InvalidValue)
	}
	accepted := map[packed.ResultConvention]int{}
	for raw := range 256 {
		for _, c := range []packed.ResultConvention{packed.Apery, packed.YaneuraOu, packed.Rsshogi, packed.Dlshogi} {
			if _, err := c.Decode(uint8(raw), shogi.Black); err == nil {
				accepted[c]++
			} else {
				assert.ErrorIs(t, err, fault.InvalidValue)
			}
		}
	}
	// Of rsshogi's nineteen codes three are no result: error, invalid, paused.
	assert.Equal(t, map[packed.ResultConvention]int{packed.Apery: 3, packed.YaneuraOu: 3, packed.Rsshogi: 16, packed.Dlshogi: 3 * 8}, accepted)
	for raw, want := range map[int]packed.ResultConvention{1: packed.Apery, 2: packed.YaneuraOu, 3: packed.Rsshogi, 4: packed.Dlshogi} {
		c, err := packed.NewResultConvention(raw)
		assert.NoError(t, err)
		assert.Equal(t, want, c)
	}
	for _, raw := range []int{-1, 0, 5, 257} {
		c, err := packed.NewResultConvention(raw)
		assert.ErrorIs(t, err, fault.InvalidValue)
		_, err = c.Decode(0, shogi.Black)
		assert.ErrorIs(t, err, fault.InvalidValue, "no convention is assumed")
		_, err = c.Encode(shogi.Draw, shogi.Black)
		assert.ErrorIs(t, err, fault.InvalidValue)
	}
}

// How a game ended goes from one convention into the other where both have a word for it.
func TestEndings(t *testing.T) {
	for _, r := range []struct {
		dlshogi, rsshogi uint8
		back             uint8 // dlshogi's byte after the way there and back
		lost             bool  // on the way there
	}{
		{0, 2, packed.ByRepetition, false}, // rsshogi has no plain draw
		{1, 0, 1, false},
		{2, 1, 2, false},
		{packed.ByRepetition, 2, packed.ByRepetition, false},
		{1 | packed.ByDeclaration, 4, 1 | packed.ByDeclaration, false},
		{2 | packed.ByDeclaration, 5, 2 | packed.ByDeclaration, false},
		{packed.ByMoveLimit, 6, packed.ByMoveLimit, false},
		{1 | packed.ByRepetition, 0, 1, true}, // by perpetual check
		{1 | packed.ByMoveLimit, 0, 1, true},
		{packed.ByDeclaration, 2, packed.ByRepetition, true},
		{packed.ByRepetition | packed.ByMoveLimit, 2, packed.ByRepetition, true},
	} {
		result, err := packed.Dlshogi.Decode(r.dlshogi, shogi.White)
		require.NoError(t, err)
		ending, rest := packed.Dlshogi.Ending(r.dlshogi)
		assert.False(t, rest)
		raw, lost, err := packed.Rsshogi.EncodeEnding(result, shogi.White, ending)
		require.NoError(t, err)
		assert.Equal(t, r.rsshogi, raw, "%#x", r.dlshogi)
		assert.Equal(t, r.lost, lost, "%#x", r.dlshogi)
		ending, rest = packed.Rsshogi.Ending(raw)
		assert.False(t, rest)
		raw, lost, err = packed.Dlshogi.EncodeEnding(result, shogi.White, ending)
		require.NoError(t, err)
		assert.False(t, lost)
		assert.Equal(t, r.back, raw, "%#x", r.dlshogi)
	}
	for _, end := range []shogi.GameEnd{shogi.EndBlackWinByForfeit, shogi.EndDrawByImpasse, shogi.EndDrawByAdjudication, shogi.EndWhiteWinByTryRule, shogi.EndBlackWinByTimeout} {
		ending, rest := packed.Rsshogi.Ending(uint8(end))
		assert.Zero(t, ending)
		assert.True(t, rest, "%d says more than dlshogi's byte can", end)
	}
	for _, c := range []packed.ResultConvention{packed.Apery, packed.YaneuraOu} {
		_, lost, err := c.EncodeEnding(shogi.Draw, shogi.Black, packed.ByRepetition)
		assert.NoError(t, err)
		assert.True(t, lost)
		_, lost, err = c.EncodeEnding(shogi.Draw, shogi.Black, 0)
		assert.NoError(t, err)
		assert.False(t, lost)
	}
}

func TestRecordFields(t *testing.T) {
	p := board.Start()
	drop, err := shogi.ParseMove("P*5e")
	require.NoError(t, err)
	var psv [packed.PSVSize]byte
	require.NoError(t, packed.EncodePSV(&p, drop, -2, 0xFF, 9, &psv))
	assert.Equal(t, []byte{0xFE, 0xFF, 40 | 1<<7, 0x40, 1, 0, 0xFF, 9}, psv[32:])
	var hcpe [packed.HCPESize]byte
	require.NoError(t, packed.EncodeHCPE(&p, drop, 300, 2, 7, &hcpe))
	assert.Equal(t, []byte{0x2C, 0x01, 40 | 1<<7, 81 >> 1, 2, 7}, hcpe[32:])
	for _, bad := range []shogi.Move{0xFFFF, 645, 81} {
		assert.ErrorIs(t, packed.EncodePSV(&p, bad, 0, 0, 0, &psv), fault.InvalidValue)
		assert.ErrorIs(t, packed.EncodeHCPE(&p, bad, 0, 0, 0, &hcpe), fault.InvalidValue)
	}
	assert.EqualValues(t, 9, psv[39], "untouched on error")
	var rec packed.Record
	psv[34], psv[35] = 0xFF, 0xFF
	err = packed.DecodePSV(&psv, &rec)
	assert.ErrorIs(t, err, fault.InvalidValue)
	var e *fault.Error
	if assert.ErrorAs(t, err, &e) {
		assert.Equal(t, 34, e.Offset)
	}
	// The ply: 0 is read as 1, and what does not fit is stored as the largest.
	psv[34], psv[35], psv[36], psv[37] = 0, 0, 0, 0
	require.NoError(t, packed.DecodePSV(&psv, &rec))
	assert.EqualValues(t, 1, rec.Setup.Ply)
	assert.Equal(t, shogi.MoveNone, rec.Move)
	s := board.StartSetup()
	s.Ply = 70000
	late, err := s.Position()
	require.NoError(t, err)
	require.NoError(t, packed.EncodePSV(&late, drop, 0, 0, 0, &psv))
	require.NoError(t, packed.DecodePSV(&psv, &rec))
	assert.EqualValues(t, 65535, rec.Setup.Ply)
}

// Records of random content come back field by field.
func TestRandomRecordsRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 5000 {
		s := func() board.Setup { p := randomPosition(r); return p.Setup() }()
		s.Ply = 1 + r.Int32N(65535)
		p, err := s.Position()
		require.NoError(t, err)
		m := shogi.Move(r.Uint32())
		eval, result, extra := shogi.Eval(r.Uint32()), uint8(r.Uint32()), uint8(r.Uint32())
		if !m.IsNormal() {
			m = shogi.Move(r.IntN(5) * 129)
		}
		var psv [packed.PSVSize]byte
		var hcpe [packed.HCPESize]byte
		var a, b packed.Record
		require.NoError(t, packed.EncodePSV(&p, m, eval, result, extra, &psv))
		require.NoError(t, packed.DecodePSV(&psv, &a))
		require.Equal(t, packed.Record{Setup: s, Move: m, Eval: eval, Result: result, Extra: extra}, a)
		require.NoError(t, packed.EncodeHCPE(&p, m, eval, result, extra, &hcpe))
		require.NoError(t, packed.DecodeHCPE(&hcpe, &b))
		s.Ply = 1
		require.Equal(t, packed.Record{Setup: s, Move: m, Eval: eval, Result: result, Extra: extra}, b)
	}
}

func FuzzPSV(f *testing.F) {
	p := board.Start()
	var seed [packed.PSVSize]byte
	_ = packed.EncodePSV(&p, 7739, 10, 1, 0, &seed)
	f.Add(seed[:])
	f.Fuzz(func(t *testing.T, raw []byte) {
		var rec, back packed.Record
		if packed.CheckLength(raw, packed.PSVSize) != nil || packed.DecodePSV((*[packed.PSVSize]byte)(raw), &rec) != nil {
			return
		}
		p, err := rec.Setup.Position()
		if err != nil {
			return
		}
		var out [packed.PSVSize]byte
		require.NoError(t, packed.EncodePSV(&p, rec.Move, rec.Eval, rec.Result, rec.Extra, &out))
		require.NoError(t, packed.DecodePSV(&out, &back))
		require.Equal(t, rec, back)
		if rec.Setup.Ply > 1 {
			require.Equal(t, raw[packed.Size:], out[packed.Size:])
		}
	})
}

func FuzzHCPE(f *testing.F) {
	p := board.Start()
	var seed [packed.HCPESize]byte
	_ = packed.EncodeHCPE(&p, 7739, 10, 1, 0, &seed)
	f.Add(seed[:])
	f.Fuzz(func(t *testing.T, raw []byte) {
		var rec, back packed.Record
		if packed.CheckLength(raw, packed.HCPESize) != nil || packed.DecodeHCPE((*[packed.HCPESize]byte)(raw), &rec) != nil {
			return
		}
		p, err := rec.Setup.Position()
		if err != nil {
			return
		}
		var out [packed.HCPESize]byte
		require.NoError(t, packed.EncodeHCPE(&p, rec.Move, rec.Eval, rec.Result, rec.Extra, &out))
		require.NoError(t, packed.DecodeHCPE(&out, &back))
		require.Equal(t, rec, back)
		require.Equal(t, raw[packed.Size:], out[packed.Size:])
	})
}
