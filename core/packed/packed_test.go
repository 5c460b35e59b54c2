package packed_test

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/internal/vectors"
	"komadori/core/notation"
	"komadori/core/packed"
	"komadori/core/shogi"
)

type (
	encoder func(*board.Position, *[packed.Size]byte) error
	decoder func(*[packed.Size]byte, *board.Setup) error
)

func roundTrip(t *testing.T, sfen, want string, encode encoder, decode decoder) bool {
	t.Helper()
	p, err := notation.ParsePosition(sfen)
	require.NoError(t, err)
	var out [packed.Size]byte
	if !assert.NoError(t, encode(&p, &out), sfen) || !assert.Equal(t, want, hex.EncodeToString(out[:]), sfen) {
		return false
	}
	var s board.Setup
	if !assert.NoError(t, decode(&out, &s), sfen) {
		return false
	}
	expected := p.Setup()
	expected.Ply = 1
	return assert.Equal(t, expected, s, sfen)
}

func TestVectorsPackedPositions(t *testing.T) {
	type row struct {
		SFEN    string
		Sfen    *string `json:"packed_sfen"`
		Flipped *string `json:"packed_sfen_flipped"`
		HCP     *string
	}
	vectors.Each(t, "vectors/positions.jsonl.gz", func(r row) bool {
		s, err := notation.ParseSFEN(r.SFEN)
		require.NoError(t, err)
		p, err := s.Position()
		if err != nil {
			return true // a piece on a square it can never leave: refused here
		}
		if r.HCP == nil {
			var out [packed.Size]byte
			return assert.Error(t, packed.EncodeHCP(&p, &out), r.SFEN) && assert.Error(t, packed.EncodePackedSfen(&p, &out))
		}
		flipped := p.FlipSide()
		return roundTrip(t, r.SFEN, *r.HCP, packed.EncodeHCP, packed.DecodeHCP) &&
			roundTrip(t, r.SFEN, *r.Sfen, packed.EncodePackedSfen, packed.DecodePackedSfen) &&
			roundTrip(t, notation.FormatSFEN(&flipped), *r.Flipped, packed.EncodePackedSfen, packed.DecodePackedSfen)
	})
}

func TestVectorsRecords(t *testing.T) {
	type row struct {
		N, Score   int
		SFEN, USI  string
		GamePly    int `json:"game_ply"`
		Turn       int
		Winner     int
		PSV, HCPE  string
		PSVResult  uint8  `json:"psv_result_byte"`
		YaneuraOu  uint8  `json:"psv_result_byte_yaneuraou"`
		HCPEResult uint8  `json:"hcpe_result_byte"`
		AperyU16   uint16 `json:"apery_u16"`
		MoveU16    uint16 `json:"move_u16"`
	}
	psv, hcpe := vectors.Bytes(t, "vectors/training.psv"), vectors.Bytes(t, "vectors/training.hcpe")
	vectors.Each(t, "vectors/training.jsonl", func(r row) bool {
		var rec packed.Record
		one := [packed.PSVSize]byte(psv[packed.PSVSize*r.N:])
		ok := assert.Equal(t, r.PSV, hex.EncodeToString(one[:])) && assert.NoError(t, packed.DecodePSV(&one, &rec))
		p, err := rec.Setup.Position()
		require.NoError(t, err)
		ok = assert.Equal(t, r.SFEN, notation.FormatSFEN(&p)) && assert.Equal(t, r.USI, rec.Move.String()) &&
			assert.EqualValues(t, r.MoveU16, rec.Move) && assert.EqualValues(t, r.Score, rec.Eval) && ok
		turn := shogi.Color(r.Turn)
		result, err := packed.Rsshogi.Decode(rec.Result, turn)
		if _, has := shogi.GameEnd(rec.Result).Result(); !has {
			// A paused or broken game has no result, and none is made up.
			ok = assert.Error(t, err) && assert.Equal(t, 2, r.Winner) && ok
			result = shogi.Draw
		} else {
			ok = assert.NoError(t, err) && assert.EqualValues(t, r.Winner, result) && ok
		}
		yo, err := packed.YaneuraOu.Encode(result, turn)
		ok = assert.NoError(t, err) && assert.Equal(t, r.YaneuraOu, yo) && ok
		back, err := packed.YaneuraOu.Decode(yo, turn)
		ok = assert.NoError(t, err) && assert.Equal(t, result, back) && ok
		var again [packed.PSVSize]byte
		ok = assert.NoError(t, packed.EncodePSV(&p, rec.Move, rec.Eval, rec.Result, rec.Extra, &again)) && assert.Equal(t, one, again) && ok

		h := [packed.HCPESize]byte(hcpe[packed.HCPESize*r.N:])
		ok = assert.Equal(t, r.HCPE, hex.EncodeToString(h[:])) && assert.NoError(t, packed.DecodeHCPE(&h, &rec)) && ok
		ok = assert.Equal(t, r.USI, rec.Move.String()) && assert.EqualValues(t, r.Score, rec.Eval) && ok
		result, err = packed.Apery.Decode(rec.Result, turn)
		ok = assert.NoError(t, err) && assert.EqualValues(t, r.Winner, result) && ok
		var hagain [packed.HCPESize]byte
		ok = assert.NoError(t, packed.EncodeHCPE(&p, rec.Move, rec.Eval, rec.Result, rec.Extra, &hagain)) && assert.Equal(t, h, hagain) && ok
		return ok
	})
}

func TestVectorsBadBytes(t *testing.T) {
	type row struct {
		Kind, Hex, Reason string
		MustReject        *bool `json:"must_reject"`
	}
	accepted := 0
	vectors.Each(t, "vectors/bad_input.jsonl", func(r row) bool {
		raw, err := hex.DecodeString(r.Hex)
		require.NoError(t, err)
		var rec packed.Record
		load := func() error { p := board.Position{}; return p.Load(&rec.Setup) }
		switch r.Kind {
		case "hcp", "packed_sfen":
			if len(raw) != packed.Size {
				return true // the length is asked where bytes of any length come in
			}
			decode := packed.DecodeHCP
			if r.Kind == "packed_sfen" {
				decode = packed.DecodePackedSfen
			}
			if err = decode((*[packed.Size]byte)(raw), &rec.Setup); err == nil {
				err = load()
			}
		case "hcpe":
			if len(raw) != packed.HCPESize {
				return true
			}
			if err = packed.DecodeHCPE((*[packed.HCPESize]byte)(raw), &rec); err == nil {
				err = load()
			}
			if err == nil {
				_, err = packed.Apery.Decode(rec.Result, rec.Setup.Turn)
			}
			if p, bad := rec.Setup.Position(); err == nil && bad == nil && !p.IsLegal(rec.Move) {
				return true // its move is not legal: a row's check, not a decoder's
			}
		case "psv":
			if len(raw) != packed.PSVSize {
				return true
			}
			if err = packed.DecodePSV((*[packed.PSVSize]byte)(raw), &rec); err == nil {
				err = load()
			}
			if err == nil {
				_, err = packed.YaneuraOu.Decode(rec.Result, rec.Setup.Turn)
			}
			if p, bad := rec.Setup.Position(); err == nil && bad == nil && !p.IsLegal(rec.Move) {
				return true
			}
		default:
			return false
		}
		if r.MustReject != nil {
			return assert.Equal(t, *r.MustReject, err != nil, "%s: %s (%v)", r.Kind, r.Reason, err)
		}
		if err == nil {
			accepted++
			t.Logf("accepted %s: %s", r.Kind, r.Reason)
		}
		return true
	})
}

func fuzz(f *testing.F, encode encoder, decode decoder) {
	p := board.Start()
	var seed [packed.Size]byte
	_ = encode(&p, &seed)
	f.Add(seed[:])
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) != packed.Size {
			return
		}
		var s, again board.Setup
		if decode((*[packed.Size]byte)(raw), &s) != nil {
			return
		}
		q, err := s.Position()
		if err != nil {
			return
		}
		var out [packed.Size]byte
		require.NoError(t, encode(&q, &out))
		require.NoError(t, decode(&out, &again))
		require.Equal(t, s, again)
	})
}

func FuzzHCP(f *testing.F)        { fuzz(f, packed.EncodeHCP, packed.DecodeHCP) }
func FuzzPackedSfen(f *testing.F) { fuzz(f, packed.EncodePackedSfen, packed.DecodePackedSfen) }

func TestPackingDoesNotAllocate(t *testing.T) {
	p := board.Start()
	var out [packed.Size]byte
	var s board.Setup
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		_ = packed.EncodeHCP(&p, &out)
		_ = packed.DecodeHCP(&out, &s)
		_ = p.Load(&s)
	}))
}

func BenchmarkHCP(b *testing.B) {
	p := board.Start()
	var out [packed.Size]byte
	var s board.Setup
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			_ = packed.EncodeHCP(&p, &out)
		}
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			_ = packed.DecodeHCP(&out, &s)
			_ = p.Load(&s)
		}
	})
}
