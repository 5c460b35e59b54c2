package batch_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/batch"
	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/feature"
	"komadori/core/internal/vectors"
	"komadori/core/label"
	"komadori/core/notation"
	"komadori/core/packed"
	"komadori/core/shogi"
)

// packedStart is n times the even game as HCP.
func packedStart(n int) batch.Packed {
	p := board.Start()
	var hcp [packed.Size]byte
	_ = packed.EncodeHCP(&p, &hcp)
	return batch.Packed{Data: bytes.Repeat(hcp[:], n), Format: batch.HCP}
}

// size is a number of rows, less in short runs, which the race detector makes slow.
func size(n int) int {
	if testing.Short() {
		return n / 8
	}
	return n
}

// A stack whose planes do not end with a byte, and room for the candidates that tests have.
var ownPlanes = []feature.Plane{0, 13, 185, 45, 28, 60, 87, 181, 118, 183, 187}

const policyWidth = 24

// everything gives options what the outputs of newOut need.
func everything(o batch.Options) batch.Options {
	o.Stack, o.NNUE, o.PolicyWidth, o.Temperature = ownPlanes, feature.HalfKAhm, policyWidth, 1
	return o
}

// newOut has every output of Decode, with something in every entry.
func newOut(n, flatPlanes int) *batch.Out {
	o := &batch.Out{
		Features1: make([]float32, n*feature.BoardSize), Features2: make([]float32, n*81*flatPlanes),
		Half1: make([]feature.Half, n*feature.BoardSize), Half2: make([]feature.Half, n*81*flatPlanes),
		Bytes1: make([]uint8, n*feature.BoardSize), Bytes2: make([]uint8, n*81*flatPlanes),
		Bits1: make([]byte, n*feature.BoardBytes), Bits2: make([]byte, n*((flatPlanes+7)/8)),
		Label64: make([]int64, n), Label32: make([]int32, n), Label16: make([]uint16, n),
		Value: make([]float32, n), Result: make([]float32, n), Move: make([]uint16, n), Eval: make([]int16, n),
		Turn: make([]uint8, n), Ply: make([]uint16, n), Key: make([]uint64, n), Ending: make([]uint8, n),
		Stack: make([]float32, n*81*len(ownPlanes)), StackHalf: make([]feature.Half, n*81*len(ownPlanes)), StackBytes: make([]uint8, n*81*len(ownPlanes)),
		StackBits: make([]byte, n*((81*len(ownPlanes)+7)/8)), NNUE32: make([]int32, n*80), NNUE64: make([]int64, n*80),
		Mask: make([]uint8, n*label.Count), MaskBits: make([]uint8, n*((label.Count+7)/8)),
		Policy: make([]float32, n*label.Count), PolicyLabels: make([]int32, n*policyWidth), PolicyWeights: make([]float32, n*policyWidth),
	}
	soil(o.Ending, 7)
	soil(o.Stack, 7)
	soil(o.StackHalf, 7)
	soil(o.StackBytes, 7)
	soil(o.StackBits, 7)
	soil(o.NNUE32, 7)
	soil(o.NNUE64, 7)
	soil(o.Mask, 7)
	soil(o.MaskBits, 7)
	soil(o.Policy, 7)
	soil(o.PolicyLabels, 7)
	soil(o.PolicyWeights, 7)
	soil(o.Features1, 7)
	soil(o.Features2, 7)
	soil(o.Half1, 7)
	soil(o.Half2, 7)
	soil(o.Bytes1, 7)
	soil(o.Bytes2, 7)
	soil(o.Bits1, 7)
	soil(o.Bits2, 7)
	soil(o.Label64, 7)
	soil(o.Label32, 7)
	soil(o.Label16, 7)
	soil(o.Value, 7)
	soil(o.Result, 7)
	soil(o.Move, 7)
	soil(o.Eval, 7)
	soil(o.Turn, 7)
	soil(o.Ply, 7)
	soil(o.Key, 7)
	return o
}

func soil[T any](a []T, v T) {
	for i := range a {
		a[i] = v
	}
}

// decoded decodes everything and demands that no row is bad.
func decoded(t testing.TB, in batch.Packed, o batch.Options) *batch.Out {
	t.Helper()
	n, err := in.Rows()
	require.NoError(t, err)
	flat := o.FlatPlanes
	if flat == 0 {
		flat = feature.FlatPlanes
	}
	out := newOut(n, flat)
	if o.Labels == batch.CompactLabels {
		out.Mask, out.MaskBits, out.Policy = out.Mask[:n*label.CompactCount], out.MaskBits[:n*label.CompactCount/8], out.Policy[:n*label.CompactCount]
	}
	bad, err := batch.Decode(in, everything(o), out, batch.Run{Threads: 2})
	require.NoError(t, err)
	require.Zero(t, bad)
	return out
}

// sameOut tells whether all outputs are equal; reflection would take seconds.
func sameOut(a, b *batch.Out) bool {
	return slices.Equal(a.Features1, b.Features1) && slices.Equal(a.Features2, b.Features2) && slices.Equal(a.Half1, b.Half1) && slices.Equal(a.Half2, b.Half2) &&
		bytes.Equal(a.Bytes1, b.Bytes1) && bytes.Equal(a.Bytes2, b.Bytes2) && bytes.Equal(a.Bits1, b.Bits1) && bytes.Equal(a.Bits2, b.Bits2) &&
		slices.Equal(a.Label64, b.Label64) && slices.Equal(a.Label32, b.Label32) && slices.Equal(a.Label16, b.Label16) &&
		slices.Equal(a.Value, b.Value) && slices.Equal(a.Result, b.Result) && slices.Equal(a.Move, b.Move) && slices.Equal(a.Eval, b.Eval) &&
		slices.Equal(a.Turn, b.Turn) && slices.Equal(a.Ply, b.Ply) && slices.Equal(a.Key, b.Key) && slices.Equal(a.Ending, b.Ending) &&
		slices.Equal(a.Stack, b.Stack) && slices.Equal(a.StackHalf, b.StackHalf) && bytes.Equal(a.StackBytes, b.StackBytes) && bytes.Equal(a.StackBits, b.StackBits) &&
		slices.Equal(a.NNUE32, b.NNUE32) && slices.Equal(a.NNUE64, b.NNUE64) && bytes.Equal(a.Mask, b.Mask) && bytes.Equal(a.MaskBits, b.MaskBits) &&
		slices.Equal(a.Policy, b.Policy) && slices.Equal(a.PolicyLabels, b.PolicyLabels) && slices.Equal(a.PolicyWeights, b.PolicyWeights)
}

// checkRow compares a decoded row with the position and numbers that it should have.
func checkRow(t *testing.T, out *batch.Out, row int, p *board.Position, m shogi.Move, eval int, flatPlanes int) bool {
	t.Helper()
	f1, f2 := make([]float32, feature.BoardSize), make([]float32, 81*flatPlanes)
	require.NoError(t, feature.Write(p, f1, f2))
	b1, b2 := out.Bytes1[row*feature.BoardSize:], out.Bytes2[row*81*flatPlanes:]
	h1, h2 := out.Half1[row*feature.BoardSize:], out.Half2[row*81*flatPlanes:]
	bits1, bits2 := out.Bits1[row*feature.BoardBytes:], out.Bits2[row*((flatPlanes+7)/8):]
	for i, v := range f1 {
		if out.Features1[row*feature.BoardSize+i] != v || b1[i] != uint8(v) || h1[i] != feature.Half(v)*0x3C00 || bits1[i/8]>>(i%8)&1 != uint8(v) {
			return assert.Fail(t, "features1", "row %d element %d", row, i)
		}
	}
	for i, v := range f2 {
		if out.Features2[row*81*flatPlanes+i] != v || b2[i] != uint8(v) || h2[i] != feature.Half(v)*0x3C00 || bits2[i/81/8]>>(i/81%8)&1 != uint8(v) {
			return assert.Fail(t, "features2", "row %d element %d", row, i)
		}
	}
	l, ok := label.FromMove(m, p.Turn())
	return assert.True(t, ok) && assert.EqualValues(t, l, out.Label64[row]) && assert.EqualValues(t, l, out.Label32[row]) && assert.EqualValues(t, l, out.Label16[row]) &&
		assert.EqualValues(t, m, out.Move[row]) && assert.EqualValues(t, eval, out.Eval[row]) && assert.EqualValues(t, p.Turn(), out.Turn[row]) &&
		assert.Equal(t, p.Key(), out.Key[row]) &&
		assert.InDelta(t, 1/(1+math.Exp(-0.0013226*float64(eval))), out.Value[row], 1e-6)
}

func wanted(winner, turn int) float32 {
	switch winner {
	case 2:
		return 0.5
	case turn:
		return 1
	}
	return 0
}

func TestVectorsTraining(t *testing.T) {
	type row struct {
		N, Score, Turn, Winner int
		SFEN, USI              string
		GamePly                uint16 `json:"game_ply"`
		MoveU16                uint16 `json:"move_u16"`
		PSVResult              uint8  `json:"psv_result_byte"`
	}
	psv := batch.Packed{Data: vectors.Bytes(t, "vectors/training.psv"), Format: batch.PSV}
	hcpe := batch.Packed{Data: vectors.Bytes(t, "vectors/training.hcpe"), Format: batch.HCPE}
	n, err := psv.Rows()
	require.NoError(t, err)

	fromHCPE := decoded(t, hcpe, batch.Options{})
	// The result bytes are rsshogi's. Paused and broken games have no result there: those rows are bad.
	rsshogi, rsshogiStatus := newOut(n, feature.FlatPlanesKing), make([]int32, n)
	_, err = batch.Decode(psv, everything(batch.Options{FlatPlanes: feature.FlatPlanesKing, Results: packed.Rsshogi}), rsshogi, batch.Run{Status: rsshogiStatus})
	require.NoError(t, err)
	// Read by YaneuraOu's meaning, most of them mean nothing or something else.
	yaneuraou, yaneuraouStatus := newOut(n, feature.FlatPlanes), make([]int32, n)
	_, err = batch.Decode(psv, everything(batch.Options{}), yaneuraou, batch.Run{Status: yaneuraouStatus})
	require.NoError(t, err)
	// The same file with the result bytes that YaneuraOu would have written.
	type yo struct {
		Byte uint8 `json:"psv_result_byte_yaneuraou"`
	}
	rewritten := batch.Packed{Data: bytes.Clone(psv.Data), Format: batch.PSV}
	i := 0
	vectors.Each(t, "vectors/training.jsonl", func(r yo) bool {
		rewritten.Data[40*i+38] = r.Byte
		i++
		return true
	})
	again := decoded(t, rewritten, batch.Options{FlatPlanes: feature.FlatPlanesKing})

	counted := 0
	vectors.Each(t, "vectors/training.jsonl", func(r row) bool {
		counted++
		if r.N > size(n) {
			return true
		}
		s, err := notation.ParseSFEN(r.SFEN)
		require.NoError(t, err)
		p, err := s.Position()
		require.NoError(t, err)
		m, err := shogi.ParseMove(r.USI)
		require.NoError(t, err)
		ok := assert.EqualValues(t, r.MoveU16, m)

		ok = checkRow(t, fromHCPE, r.N, &p, m, r.Score, feature.FlatPlanes) && assert.Equal(t, wanted(r.Winner, r.Turn), fromHCPE.Result[r.N]) && ok
		ok = checkRow(t, again, r.N, &p, m, r.Score, feature.FlatPlanesKing) && assert.Equal(t, wanted(r.Winner, r.Turn), again.Result[r.N]) &&
			assert.Equal(t, r.GamePly, again.Ply[r.N]) && ok
		if _, has := shogi.GameEnd(r.PSVResult).Result(); has {
			ok = assert.Zero(t, rsshogiStatus[r.N]) && checkRow(t, rsshogi, r.N, &p, m, r.Score, feature.FlatPlanesKing) &&
				assert.Equal(t, wanted(r.Winner, r.Turn), rsshogi.Result[r.N]) && assert.Equal(t, r.GamePly, rsshogi.Ply[r.N]) && ok
		} else {
			ok = assert.EqualValues(t, fault.InvalidValue, rsshogiStatus[r.N]) && assertZero(t, rsshogi, r.N, feature.FlatPlanesKing) && ok
		}
		switch r.PSVResult {
		case 0:
			ok = assert.Zero(t, yaneuraouStatus[r.N]) && assert.Equal(t, float32(0.5), yaneuraou.Result[r.N]) && ok
		case 1:
			ok = assert.Zero(t, yaneuraouStatus[r.N]) && assert.Equal(t, float32(1), yaneuraou.Result[r.N]) && ok
		default:
			ok = assert.EqualValues(t, fault.InvalidValue, yaneuraouStatus[r.N]) && assertZero(t, yaneuraou, r.N, feature.FlatPlanes) && ok
		}
		return ok
	})
	assert.Equal(t, n, counted)
	vectors.Count(t, "vectors/training.psv", counted)
	vectors.Count(t, "vectors/training.hcpe", counted)
}

// assertZero demands that a row is zero in every output.
func assertZero(t *testing.T, o *batch.Out, row, flatPlanes int) bool {
	t.Helper()
	flat, flatBytes := 81*flatPlanes, (flatPlanes+7)/8
	return zeros(o.Features1, row, feature.BoardSize) && zeros(o.Features2, row, flat) && zeros(o.Half1, row, feature.BoardSize) && zeros(o.Half2, row, flat) &&
		zeros(o.Bytes1, row, feature.BoardSize) && zeros(o.Bytes2, row, flat) && zeros(o.Bits1, row, feature.BoardBytes) && zeros(o.Bits2, row, flatBytes) &&
		zeros(o.Label64, row, 1) && zeros(o.Label32, row, 1) && zeros(o.Label16, row, 1) && zeros(o.Value, row, 1) && zeros(o.Result, row, 1) &&
		zeros(o.Move, row, 1) && zeros(o.Eval, row, 1) && zeros(o.Turn, row, 1) && zeros(o.Ply, row, 1) && zeros(o.Key, row, 1) && zeros(o.Ending, row, 1) &&
		zeros(o.Stack, row, 81*len(ownPlanes)) && zeros(o.StackHalf, row, 81*len(ownPlanes)) && zeros(o.StackBytes, row, 81*len(ownPlanes)) && zeros(o.StackBits, row, (81*len(ownPlanes)+7)/8) &&
		zeros(o.NNUE32, row, 80) && zeros(o.NNUE64, row, 80) && zeros(o.Mask, row, label.Count) && zeros(o.MaskBits, row, (label.Count+7)/8) &&
		zeros(o.Policy, row, label.Count) && zeros(o.PolicyLabels, row, policyWidth) && zeros(o.PolicyWeights, row, policyWidth) ||
		assert.Fail(t, "a bad row is not zero", "row %d", row)
}

func zeros[T comparable](a []T, row, size int) bool {
	var zero T
	for _, v := range a[row*size : (row+1)*size] {
		if v != zero {
			return false
		}
	}
	return true
}

func TestFloodgateRecords(t *testing.T) {
	type row struct {
		SFEN     string
		BestMove string
		Eval     int
		Result   string
	}
	in := batch.Packed{Data: vectors.Bytes(t, "data/floodgate.hcpe"), Format: batch.HCPE}
	out := decoded(t, in, batch.Options{})
	n := 0
	vectors.Each(t, "data/floodgate.jsonl", func(r row) bool {
		i := n
		n++
		if i > size(2000) {
			return true
		}
		p, err := notation.ParsePosition(r.SFEN)
		require.NoError(t, err)
		m, err := shogi.ParseMove(r.BestMove)
		require.NoError(t, err)
		winner := map[string]int{"black_win": 0, "white_win": 1, "draw": 2}[r.Result]
		return checkRow(t, out, i, &p, m, r.Eval, feature.FlatPlanes) && assert.Equal(t, wanted(winner, int(p.Turn())), out.Result[i])
	})
	rows, _ := in.Rows()
	assert.Equal(t, rows, n)
	vectors.Count(t, "data/floodgate.hcpe", n)
}

// The same games as HCPE and as PSV give the same rows, but for the ply, which only PSV has.
func TestRealRecordsAgree(t *testing.T) {
	hcpe := batch.Packed{Data: vectors.Bytes(t, "games/real.hcpe"), Format: batch.HCPE}
	psv := batch.Packed{Data: vectors.Bytes(t, "games/real.psv"), Format: batch.PSV}
	n, err := hcpe.Rows()
	require.NoError(t, err)
	m, err := psv.Rows()
	require.NoError(t, err)
	require.Equal(t, n, m)
	for from := 0; from < size(n); from += 512 { // all outputs of all rows at once would take a gigabyte
		to := min(from+512, n)
		h := batch.Packed{Data: hcpe.Data[38*from : 38*to], Format: batch.HCPE}
		p := batch.Packed{Data: psv.Data[40*from : 40*to], Format: batch.PSV}
		a, b := decoded(t, h, batch.Options{}), decoded(t, p, batch.Options{})
		b.Ply = a.Ply
		require.True(t, sameOut(a, b))
		require.True(t, sameOut(a, decoded(t, h, batch.Options{Check: batch.CheckNone})))
		compact := decoded(t, h, batch.Options{Labels: batch.CompactLabels})
		for i, l := range compact.Label64 {
			require.Equal(t, a.Label64[i], int64(label.CompactToFull[l]))
		}
	}
	vectors.Count(t, "games/real.hcpe", n)
	vectors.Count(t, "games/real.psv", m)
}

// sample has n records of games played at random, each with a legal best move, as HCPE or PSV.
func sample(t testing.TB, n int, format batch.Format) batch.Packed {
	r := rand.New(rand.NewPCG(1, 2))
	var data []byte
	p := board.Start()
	var list board.MoveList
	for len(data) < n*format.Size() {
		p.Legal(&list)
		if list.N == 0 || p.Ply() > 200 {
			p = board.Start()
			continue
		}
		m := list.Moves[r.IntN(list.N)]
		eval, extra := shogi.Eval(r.IntN(65536)-32768), uint8(r.IntN(256))
		if format == batch.HCPE {
			var row [packed.HCPESize]byte
			require.NoError(t, packed.EncodeHCPE(&p, m, eval, uint8(r.IntN(3)), extra, &row))
			data = append(data, row[:]...)
		} else {
			var row [packed.PSVSize]byte
			require.NoError(t, packed.EncodePSV(&p, m, eval, uint8(r.IntN(3)-1), extra, &row))
			data = append(data, row[:]...)
		}
		p.Do(m)
	}
	return batch.Packed{Data: data, Format: format}
}

// spoil makes a row bad in one of the ways there are and returns the kind of failure.
func spoil(row []byte, format batch.Format, way int) fault.Kind {
	resultAt := 36
	if format == batch.PSV {
		resultAt = 38
	}
	switch way % 6 {
	case 0: // both kings on one square
		head := binary.LittleEndian.Uint16(row)
		binary.LittleEndian.PutUint16(row, head&^(127<<8)|head<<7&(127<<8))
		return fault.Parse
	case 1: // a special move
		binary.LittleEndian.PutUint16(row[34:], uint16(shogi.MoveResign))
	case 2: // a malformed move
		binary.LittleEndian.PutUint16(row[34:], 0xFFFF)
	case 3: // a result without meaning
		row[resultAt] = 99
	case 4: // from 1a to 9h: no piece goes so
		binary.LittleEndian.PutUint16(row[34:], 0<<7|79)
		return fault.IllegalMove
	case 5: // unknown codes
		for i := 2; i < 32; i++ {
			row[i] = 0xFF
		}
		return fault.Parse
	}
	return fault.InvalidValue
}

func TestAnyNumberOfThreadsGivesTheSame(t *testing.T) {
	for _, format := range []batch.Format{batch.HCPE, batch.PSV} {
		for _, n := range []int{0, 1, size(4095)} {
			good := sample(t, n, format)
			for _, where := range []string{"none", "first", "last", "all", "some"} {
				in := batch.Packed{Data: bytes.Clone(good.Data), Format: format}
				want := make([]int32, n)
				for row := range n {
					bad := where == "all" || where == "first" && row == 0 || where == "last" && row == n-1 || where == "some" && row%7 == 3
					if bad {
						want[row] = int32(spoil(in.Data[row*format.Size():(row+1)*format.Size()], format, row/3))
					}
				}
				var first *batch.Out
				for _, threads := range threadCounts {
					out := &batch.Out{Bits1: make([]byte, n*feature.BoardBytes), Bits2: make([]byte, n*feature.FlatBytes), Label16: make([]uint16, n),
						Value: make([]float32, n), Result: make([]float32, n), Key: make([]uint64, n)}
					if where == "some" || where == "first" {
						out.Bytes1, out.Bytes2 = make([]uint8, n*feature.BoardSize), make([]uint8, n*feature.FlatSize)
					}
					soil(out.Bits1, 7)
					soil(out.Bits2, 7)
					soil(out.Bytes1, 7)
					soil(out.Bytes2, 7)
					soil(out.Label16, 7)
					soil(out.Value, 7)
					soil(out.Result, 7)
					soil(out.Key, 7)
					status := make([]int32, n)
					soil(status, 7)
					bad, err := batch.Decode(in, batch.Options{}, out, batch.Run{Threads: threads, Status: status})
					require.NoError(t, err)
					require.Equal(t, want, status, "%d rows, bad: %s, %d threads", n, where, threads)
					number, lowest := 0, -1
					for row, kind := range want {
						if kind != 0 {
							if number == 0 {
								lowest = row
							}
							number++
							require.True(t, zeros(out.Bits1, row, feature.BoardBytes) && zeros(out.Bits2, row, feature.FlatBytes) && out.Label16[row] == 0 &&
								(len(out.Bytes1) == 0 || zeros(out.Bytes1, row, feature.BoardSize) && zeros(out.Bytes2, row, feature.FlatSize)) &&
								out.Value[row] == 0 && out.Result[row] == 0 && out.Key[row] == 0)
						} else {
							require.NotZero(t, out.Key[row])
						}
					}
					require.Equal(t, number, bad)
					if first == nil {
						first = out
					}
					require.True(t, sameOut(first, out), "%d rows, bad: %s, %d threads", n, where, threads)

					// Without status the lowest bad row is the error, and the good rows are there all the same.
					again := &batch.Out{Key: make([]uint64, n)}
					bad, err = batch.Decode(in, batch.Options{}, again, batch.Run{Threads: threads})
					require.Equal(t, number, bad)
					require.Equal(t, out.Key, again.Key)
					if number == 0 {
						require.NoError(t, err)
					} else {
						var f *fault.Error
						require.ErrorAs(t, err, &f)
						require.Equal(t, lowest, f.Row)
						require.EqualValues(t, want[lowest], f.Kind)
					}
				}
			}
		}
	}
}

// A result larger than the caches is written past them; the bytes are the same.
func TestLargeResults(t *testing.T) {
	const n = 1200
	in := sample(t, n, batch.HCPE)
	large := &batch.Out{Features1: make([]float32, n*feature.BoardSize), Features2: make([]float32, n*feature.FlatSize)}
	_, err := batch.Decode(in, batch.Options{}, large, batch.Run{Threads: 3})
	require.NoError(t, err)
	require.Greater(t, 4*(len(large.Features1)+len(large.Features2)), 32<<20)
	small := &batch.Out{Features1: make([]float32, 64*feature.BoardSize), Features2: make([]float32, 64*feature.FlatSize)}
	for from := 0; from+64 <= n; from += 64 {
		_, err := batch.Decode(batch.Packed{Data: in.Data[38*from : 38*(from+64)], Format: batch.HCPE}, batch.Options{}, small, batch.Run{Threads: 1})
		require.NoError(t, err)
		require.True(t, slices.Equal(small.Features1, large.Features1[from*feature.BoardSize:(from+64)*feature.BoardSize]))
		require.True(t, slices.Equal(small.Features2, large.Features2[from*feature.FlatSize:(from+64)*feature.FlatSize]))
	}
}

// Decoding mirrored records, and decoding records mirrored, are the same; and both mirror every output.
func TestMirror(t *testing.T) {
	for _, format := range []batch.Format{batch.HCPE, batch.PSV} {
		n := size(500)
		in := sample(t, n, format)
		mirrored := batch.Packed{Data: make([]byte, len(in.Data)), Format: format}
		_, err := batch.Convert(mirrored.Data, in, batch.Conversion{To: format, MirrorFile: true}, batch.Run{})
		require.NoError(t, err)

		plain := decoded(t, in, batch.Options{})
		all := decoded(t, in, batch.Options{MirrorAll: true})
		records := decoded(t, mirrored, batch.Options{})
		assert.True(t, sameOut(all, records))

		which := make([]uint8, n)
		for i := range which {
			which[i] = uint8(i % 3)
		}
		some := decoded(t, in, batch.Options{Mirror: which})
		for row := range n {
			from := all
			if which[row] == 0 {
				from = plain
			}
			for i := range feature.BoardSize {
				other := i - i%81 + int(shogi.Square(i%81).MirrorFile())
				if from.Features1[row*feature.BoardSize+i] != some.Features1[row*feature.BoardSize+i] ||
					plain.Bytes1[row*feature.BoardSize+i] != all.Bytes1[row*feature.BoardSize+other] {
					t.Fatalf("row %d element %d", row, i)
				}
			}
			require.Equal(t, from.Key[row], some.Key[row])
			require.Equal(t, from.Label16[row], some.Label16[row])
			require.EqualValues(t, label.Label(plain.Label16[row]).MirrorFile(), all.Label16[row])
			require.EqualValues(t, shogi.Move(plain.Move[row]).MirrorFile(), all.Move[row])
		}
		assert.Equal(t, plain.Features2, all.Features2)
		assert.Equal(t, plain.Value, all.Value)
		assert.Equal(t, plain.Result, all.Result)
	}
}

// With the sides exchanged, all that is seen by the side to move stays.
func TestFlipSide(t *testing.T) {
	for _, format := range []batch.Format{batch.HCPE, batch.PSV} {
		in := sample(t, 500, format)
		flipped := batch.Packed{Data: make([]byte, len(in.Data)), Format: format}
		_, err := batch.Convert(flipped.Data, in, batch.Conversion{To: format, FlipSide: true}, batch.Run{})
		require.NoError(t, err)
		a, b := decoded(t, in, batch.Options{}), decoded(t, flipped, batch.Options{})
		for i := range a.Turn {
			require.Equal(t, 1-a.Turn[i], b.Turn[i])
			require.EqualValues(t, shogi.Move(a.Move[i]).FlipSide(), b.Move[i])
			require.NotEqual(t, a.Key[i], b.Key[i])
		}
		b.Turn, b.Move, b.Key = a.Turn, a.Move, a.Key
		assert.True(t, sameOut(a, b))
	}
}

func TestValue(t *testing.T) {
	assert.Equal(t, float32(0.5), batch.Value(0, 0))
	assert.InDelta(t, 0.7310586, batch.Value(756, 0), 1e-4)
	assert.Equal(t, batch.Value(126, 0), batch.Value(100, 600)) // 100 * 756.086 / 600 = 126.01, cut to 126
	assert.Equal(t, batch.Value(-126, 0), batch.Value(-100, 600))
	assert.Equal(t, batch.Value(1234, 0), batch.Value(1234, 756.0864962951762))
	last := float32(-1)
	for eval := -32768; eval <= 32767; eval++ {
		v := batch.Value(int16(eval), 0)
		require.True(t, v >= last && v >= 0 && v <= 1)
		require.InDelta(t, 1/(1+math.Exp(-0.0013226*float64(eval))), v, 2e-7)
		last = v
	}
}

func TestDecodeLooksAtTheMove(t *testing.T) {
	in := sample(t, 1, batch.PSV)
	binary.LittleEndian.PutUint16(in.Data[34:], 0<<7|1) // 1a1b: a white lance's, and from the wrong side
	out := &batch.Out{Label16: make([]uint16, 1)}
	_, err := batch.Decode(in, batch.Options{}, out, batch.Run{})
	assert.ErrorIs(t, err, fault.IllegalMove)
	_, err = batch.Decode(in, batch.Options{Check: batch.CheckNone}, out, batch.Run{})
	assert.NoError(t, err)
	assert.NotZero(t, out.Label16[0])
	for _, special := range []shogi.Move{shogi.MoveNone, shogi.MoveNull, shogi.MoveResign, shogi.MoveWin, shogi.MoveEnd} {
		binary.LittleEndian.PutUint16(in.Data[34:], uint16(special))
		_, err = batch.Decode(in, batch.Options{Check: batch.CheckNone}, out, batch.Run{})
		assert.ErrorIs(t, err, fault.InvalidValue)
	}
	m, err := shogi.NewMove(0, 47, false) // 1a6c: no piece goes so, and there is no compact label
	require.NoError(t, err)
	full, _ := label.FromMove(m, shogi.Black)
	if _, ok := full.Compact(); !ok {
		binary.LittleEndian.PutUint16(in.Data[34:], uint16(m))
		_, err = batch.Decode(in, batch.Options{Check: batch.CheckNone, Labels: batch.CompactLabels}, out, batch.Run{})
		assert.ErrorIs(t, err, fault.InvalidValue)
	}
}

func TestDecodeArguments(t *testing.T) {
	in := sample(t, 3, batch.HCPE)
	refused := func(in batch.Packed, o batch.Options, out *batch.Out) {
		t.Helper()
		_, err := batch.Decode(in, o, out, batch.Run{})
		assert.ErrorIs(t, err, fault.Argument)
	}
	refused(packedStart(3), batch.Options{}, &batch.Out{})
	refused(batch.Packed{Data: in.Data, Format: 9}, batch.Options{}, &batch.Out{})
	refused(batch.Packed{Data: in.Data[:100], Format: batch.HCPE}, batch.Options{}, &batch.Out{})
	refused(batch.Packed{Data: in.Data, Format: batch.HCPE, Stride: 37}, batch.Options{}, &batch.Out{})
	refused(batch.Packed{Data: in.Data, Format: batch.HCPE, Stride: -38}, batch.Options{}, &batch.Out{})
	refused(in, batch.Options{FlatPlanes: 62}, &batch.Out{})
	refused(in, batch.Options{Labels: 2}, &batch.Out{})
	refused(in, batch.Options{Check: 2}, &batch.Out{})
	refused(in, batch.Options{Results: 5}, &batch.Out{})
	refused(in, batch.Options{ValueScale: -1}, &batch.Out{})
	refused(in, batch.Options{ValueScale: math.NaN()}, &batch.Out{})
	refused(in, batch.Options{ValueScale: math.Inf(1)}, &batch.Out{})
	refused(in, batch.Options{Mirror: make([]uint8, 2)}, &batch.Out{})
	refused(in, batch.Options{RowNumbers: make([]uint64, 2)}, &batch.Out{})
	for _, wrong := range []float64{-0.1, 1.1, math.NaN()} {
		refused(in, batch.Options{MirrorShare: wrong}, &batch.Out{})
		refused(in, batch.Options{Blend: wrong}, &batch.Out{})
	}
	for _, wrong := range []float64{-0.1, math.Inf(1), math.NaN()} {
		refused(in, batch.Options{Temperature: wrong}, &batch.Out{})
	}
	refused(in, batch.Options{PolicyWidth: -1}, &batch.Out{})
	refused(in, batch.Options{PolicyWidth: packed.HCPE3MaxCandidates + 1}, &batch.Out{})
	refused(in, batch.Options{}, &batch.Out{Stack: make([]float32, 3*81)})
	refused(in, batch.Options{Stack: []feature.Plane{999}}, &batch.Out{Stack: make([]float32, 3*81)})
	refused(in, batch.Options{Stack: []feature.Plane{0}}, &batch.Out{Stack: make([]float32, 3*81-1)})
	refused(in, batch.Options{}, &batch.Out{NNUE32: make([]int32, 3*76)})
	refused(in, batch.Options{NNUE: 4}, &batch.Out{NNUE32: make([]int32, 3*76)})
	refused(in, batch.Options{NNUE: feature.HalfKA}, &batch.Out{NNUE64: make([]int64, 3*76)})
	refused(in, batch.Options{}, &batch.Out{Mask: make([]uint8, 3*label.CompactCount)})
	refused(in, batch.Options{Labels: batch.CompactLabels}, &batch.Out{Policy: make([]float32, 3*label.Count)})
	refused(in, batch.Options{PolicyWidth: 2}, &batch.Out{PolicyLabels: make([]int32, 3)})
	refused(in, batch.Options{}, &batch.Out{Features1: make([]float32, 3*feature.BoardSize-1)})
	refused(in, batch.Options{}, &batch.Out{Features2: make([]float32, 3*feature.FlatSizeKing)})
	refused(in, batch.Options{}, &batch.Out{Label64: make([]int64, 4)})
	_, err := batch.Decode(in, batch.Options{}, &batch.Out{}, batch.Run{})
	assert.NoError(t, err)

	// Rows may lie apart, with or without room after the last one.
	wide := make([]byte, 3*50)
	for i := range 3 {
		copy(wide[50*i:], in.Data[38*i:38*i+38])
	}
	want := decoded(t, in, batch.Options{})
	assert.True(t, sameOut(want, decoded(t, batch.Packed{Data: wide, Format: batch.HCPE, Stride: 50}, batch.Options{})))
	assert.True(t, sameOut(want, decoded(t, batch.Packed{Data: wide[:138], Format: batch.HCPE, Stride: 50}, batch.Options{})))
	refused(batch.Packed{Data: wide[:137], Format: batch.HCPE, Stride: 50}, batch.Options{}, &batch.Out{})
}

// Allocations do not grow with the rows.
func TestDecodeDoesNotAllocatePerRow(t *testing.T) {
	count := func(n int) float64 {
		in := sample(t, n, batch.HCPE)
		out := newOut(n, feature.FlatPlanesKing)
		offsets, moves := make([]int64, n+1), make([]uint16, 600*n)
		hcp, psv := batch.Packed{Data: in.Data, Format: batch.HCPE}, make([]byte, n*packed.PSVSize)
		return testing.AllocsPerRun(3, func() {
			_, _ = batch.Decode(in, everything(batch.Options{FlatPlanes: feature.FlatPlanesKing, MirrorAll: true}), out, batch.Run{Threads: 1})
			_, _, _ = batch.LegalMoves(offsets, moves, hcp, batch.Run{Threads: 1})
			_, _ = batch.Convert(psv, in, batch.Conversion{To: batch.PSV, FlipSide: true}, batch.Run{Threads: 1})
			_, _ = batch.RecordLabels(out.Label16, nil, in, batch.Run{Threads: 1})
			_, _ = batch.MateInOne(out.Move, hcp, batch.Run{Threads: 1})
		})
	}
	few, many := count(200), count(600)
	t.Logf("allocations of five calls: %v with 200 rows, %v with 600", few, many)
	assert.LessOrEqual(t, many, few+10) // lists of moves grow a few times
}

func fuzzRecords(f *testing.F, format batch.Format) {
	for way := range 7 {
		in := sample(f, 3, format)
		if way < 6 {
			spoil(in.Data[:format.Size()], format, way)
		}
		f.Add(in.Data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in := batch.Packed{Data: data, Format: format}
		n, err := in.Rows()
		if err != nil || n > 64 {
			return
		}
		out, status := newOut(n, feature.FlatPlanes), make([]int32, n)
		_, err = batch.Decode(in, everything(batch.Options{Check: batch.CheckNone}), out, batch.Run{Status: status})
		require.NoError(t, err)
		// Accepted rows are written again and read again: the same numbers, and from then on the same bytes.
		once, twice := make([]byte, len(data)), make([]byte, len(data))
		again, againStatus := newOut(n, feature.FlatPlanes), make([]int32, n)
		_, err = batch.Convert(once, in, batch.Conversion{To: format}, batch.Run{Status: againStatus})
		require.NoError(t, err)
		for row, kind := range status {
			if kind == 0 {
				require.Zero(t, againStatus[row])
			}
		}
		_, err = batch.Decode(batch.Packed{Data: once, Format: format}, everything(batch.Options{Check: batch.CheckNone}), again, batch.Run{Status: againStatus})
		require.NoError(t, err)
		for row, kind := range status {
			if kind != 0 {
				assertZero(t, out, row, feature.FlatPlanes)
				continue
			}
			require.Zero(t, againStatus[row])
			require.Equal(t, out.Bits1[row*feature.BoardBytes:(row+1)*feature.BoardBytes], again.Bits1[row*feature.BoardBytes:(row+1)*feature.BoardBytes])
			require.Equal(t, out.Key[row], again.Key[row])
			require.Equal(t, out.Move[row], again.Move[row])
			require.Equal(t, out.Eval[row], again.Eval[row])
			require.Equal(t, out.Result[row], again.Result[row])
			require.Equal(t, out.Ply[row], again.Ply[row])
		}
		_, err = batch.Convert(twice, batch.Packed{Data: once, Format: format}, batch.Conversion{To: format}, batch.Run{Status: againStatus})
		require.NoError(t, err)
		for row, kind := range status {
			if kind == 0 {
				require.Equal(t, once[row*format.Size():(row+1)*format.Size()], twice[row*format.Size():(row+1)*format.Size()])
			}
		}
	})
}

func FuzzDecodeHCPE(f *testing.F) { fuzzRecords(f, batch.HCPE) }
func FuzzDecodePSV(f *testing.F)  { fuzzRecords(f, batch.PSV) }

func FuzzDecodeHCPE2(f *testing.F) { fuzzRecords(f, batch.HCPE2) }

// Records to planes, label, value and result on one thread into memory that is used again, beside clearing that memory.
func BenchmarkDecode(b *testing.B) {
	for _, n := range []int{256, 4096} {
		in := sample(b, n, batch.HCPE)
		numbers := batch.Out{Label64: make([]int64, n), Value: make([]float32, n), Result: make([]float32, n)}
		floats := make([]float32, n*(feature.BoardSize+feature.FlatSize))
		bytes := make([]uint8, len(floats))
		bits := make([]byte, n*(feature.BoardBytes+feature.FlatBytes))
		rate := func(b *testing.B) {
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		}
		for _, kind := range []struct {
			name string
			out  func(o *batch.Out)
		}{
			{"float32", func(o *batch.Out) {
				o.Features1, o.Features2 = floats[:n*feature.BoardSize], floats[n*feature.BoardSize:]
			}},
			{"uint8", func(o *batch.Out) { o.Bytes1, o.Bytes2 = bytes[:n*feature.BoardSize], bytes[n*feature.BoardSize:] }},
			{"bits", func(o *batch.Out) { o.Bits1, o.Bits2 = bits[:n*feature.BoardBytes], bits[n*feature.BoardBytes:] }},
			{"numbers", func(*batch.Out) {}},
		} {
			out := numbers
			kind.out(&out)
			for _, check := range []batch.Check{batch.CheckLegal, batch.CheckNone} {
				name := kind.name + "/" + map[batch.Check]string{batch.CheckLegal: "legal", batch.CheckNone: "none"}[check] + "/" + strconv.Itoa(n)
				b.Run(name, func(b *testing.B) {
					for b.Loop() {
						if _, err := batch.Decode(in, batch.Options{Check: check}, &out, batch.Run{Threads: 1}); err != nil {
							b.Fatal(err)
						}
					}
					rate(b)
				})
			}
		}
		b.Run("clear float32/"+strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				clear(floats)
			}
			rate(b)
		})
		b.Run("clear uint8/"+strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				clear(bytes)
			}
			rate(b)
		})
	}
}

// FuzzDecodeHCPE3 decodes rows of HCPE3 with any bytes, candidates of any bytes beside them.
func FuzzDecodeHCPE3(f *testing.F) {
	in := gamesWithCandidates(f, 14)
	f.Add(in.Data[:5*batch.HCPE3RowSize], in.Candidates, false)
	f.Add(in.Data[:batch.HCPE3RowSize], in.Candidates[:3], true)
	f.Fuzz(func(t *testing.T, data, candidates []byte, trust bool) {
		in := batch.Packed{Data: data, Format: batch.HCPE3, Candidates: candidates}
		n, err := in.Rows()
		if err != nil || n > 64 {
			return
		}
		options := batch.Options{}
		if trust {
			options.Check = batch.CheckNone
		}
		out, status := newOut(n, feature.FlatPlanes), make([]int32, n)
		_, err = batch.Decode(in, everything(options), out, batch.Run{Status: status})
		require.NoError(t, err)
		for row, kind := range status {
			if kind != 0 {
				assertZero(t, out, row, feature.FlatPlanes)
				continue
			}
			sum := float32(0)
			for _, w := range out.Policy[row*label.Count:][:label.Count] {
				sum += w
			}
			require.True(t, sum == 0 || math.Abs(float64(sum)-1) < 1e-3, "%v", sum)
		}
	})
}

// A result larger than the caches is stored past them, and is what the same rows are one by one, bad ones in between.
func TestLargeResultsAreThoseOfSingleRows(t *testing.T) {
	const n = 900 // 35 MB of float32
	in := sample(t, n, batch.HCPE)
	in.Data = bytes.Clone(in.Data)
	for _, row := range []int{0, 3, 31, 32, 500, n - 1} {
		in.Data[row*in.Format.Size()+1] = 255
	}
	planes := func(n int) *batch.Out {
		return &batch.Out{Features1: make([]float32, n*feature.BoardSize), Features2: make([]float32, n*feature.FlatSize)}
	}
	once := planes(1)
	for _, threads := range []int{1, 3} {
		all, status := planes(n), make([]int32, n)
		for i := range all.Features1 {
			all.Features1[i] = 7
		}
		bad, err := batch.Decode(in, batch.Options{}, all, batch.Run{Threads: threads, Status: status})
		require.NoError(t, err)
		require.Equal(t, 6, bad)
		for row := range n {
			single := batch.Packed{Data: in.Data[row*in.Format.Size():][:in.Format.Size()], Format: in.Format}
			_, err := batch.Decode(single, batch.Options{}, once, batch.Run{Status: status[:1]})
			require.NoError(t, err)
			require.True(t, slices.Equal(once.Features1, all.Features1[row*feature.BoardSize:][:feature.BoardSize]), "row %d on %d threads", row, threads)
			require.True(t, slices.Equal(once.Features2, all.Features2[row*feature.FlatSize:][:feature.FlatSize]), "row %d on %d threads", row, threads)
		}
	}
}
