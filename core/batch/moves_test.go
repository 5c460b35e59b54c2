package batch_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/batch"
	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/internal/vectors"
	"komadori/core/label"
	"komadori/core/notation"
	"komadori/core/packed"
	"komadori/core/shogi"
)

// The positions of the vectors that can be packed, with one bad row among them.
type positions struct {
	sfens  []string
	flips  []string
	legal  [][]string // empty where the list is left out
	counts []int
	check  []bool
	mates  [][]string
	hcp    batch.Packed
	sfen   batch.Packed
	bad    int
}

func readPositions(t *testing.T) *positions {
	type row struct {
		SFEN    string
		Legal   string
		Count   int
		InCheck bool     `json:"in_check"`
		Mates   []string `json:"mate_in_one"`
		HCP     *string
		Sfen    *string `json:"packed_sfen"`
		Flipped string  `json:"packed_sfen_flipped"`
	}
	ps := &positions{hcp: batch.Packed{Format: batch.HCP}, sfen: batch.Packed{Format: batch.PackedSfen}, bad: -1}
	unhex := func(s string) []byte {
		b, err := hex.DecodeString(s)
		require.NoError(t, err)
		return b
	}
	n := 0
	vectors.Each(t, "vectors/positions.jsonl.gz", func(r row) bool {
		n++
		if r.HCP == nil || n > 1200 && testing.Short() {
			return false
		}
		if _, err := notation.ParsePosition(r.SFEN); err != nil {
			return false
		}
		if len(ps.sfens) == 500 {
			ps.bad = 500
			ps.sfens, ps.flips, ps.legal = append(ps.sfens, ""), append(ps.flips, ""), append(ps.legal, nil)
			ps.counts, ps.check, ps.mates = append(ps.counts, 0), append(ps.check, false), append(ps.mates, nil)
			ps.hcp.Data, ps.sfen.Data = append(ps.hcp.Data, make([]byte, 32)...), append(ps.sfen.Data, make([]byte, 32)...)
		}
		ps.sfens, ps.flips, ps.legal = append(ps.sfens, r.SFEN), append(ps.flips, r.Flipped), append(ps.legal, strings.Fields(r.Legal))
		ps.counts, ps.check, ps.mates = append(ps.counts, r.Count), append(ps.check, r.InCheck), append(ps.mates, r.Mates)
		ps.hcp.Data, ps.sfen.Data = append(ps.hcp.Data, unhex(*r.HCP)...), append(ps.sfen.Data, unhex(*r.Sfen)...)
		return true
	})
	return ps
}

// onAll runs a batch function on several numbers of threads and on both formats, demands the same answer and one bad row.
func onAll[T any](t *testing.T, ps *positions, make func() T, run func(out T, in batch.Packed, run batch.Run) (bad int, err error)) (out T) {
	t.Helper()
	first := true
	for _, in := range []batch.Packed{ps.hcp, ps.sfen} {
		for _, threads := range threadCounts {
			status := soiledStatus(len(ps.sfens))
			again := make()
			bad, err := run(again, in, batch.Run{Threads: threads, Status: status})
			require.NoError(t, err)
			require.Equal(t, 1, bad)
			for row, kind := range status {
				if row == ps.bad {
					require.EqualValues(t, fault.Parse, kind)
				} else {
					require.Zero(t, kind)
				}
			}
			if first {
				out, first = again, false
			}
			if r, ok := any(out).(interface{ same(any) bool }); ok {
				require.True(t, r.same(again))
			} else {
				require.True(t, assert.ObjectsAreEqual(out, again))
			}
		}
	}
	return out
}

// A ragged result; same compares it without reflection.
type ragged[T comparable] struct {
	offsets []int64
	flat    []T
}

func (r ragged[T]) same(other any) bool {
	o := other.(ragged[T])
	return slices.Equal(r.offsets, o.offsets) && slices.Equal(r.flat, o.flat)
}

func soiledStatus(n int) []int32 {
	s := make([]int32, n)
	soil(s, 7)
	return s
}

func TestVectorsPositionBatches(t *testing.T) {
	ps := readPositions(t)
	n := len(ps.sfens)
	keys := onAll(t, ps, func() []uint64 { return make([]uint64, n) }, batch.Keys)
	checks := onAll(t, ps, func() []uint8 { return make([]uint8, n) }, batch.InCheck)
	mates := onAll(t, ps, func() []uint16 { return make([]uint16, n) }, batch.MateInOne)
	counts := onAll(t, ps, func() []uint16 { return make([]uint16, n) }, batch.CountLegal)

	attacks := onAll(t, ps, func() [][2][81]uint8 { return make([][2][81]uint8, n) }, func(dst [][2][81]uint8, in batch.Packed, run batch.Run) (int, error) {
		return batch.AttackCounts(dst, in, true, run)
	})
	byKind := onAll(t, ps, func() []board.AttackCounts { return make([]board.AttackCounts, n) }, func(dst []board.AttackCounts, in batch.Packed, run batch.Run) (int, error) {
		return batch.AttackCountsByKind(dst, in, false, run)
	})

	legal := onAll(t, ps, func() ragged[uint16] { return ragged[uint16]{make([]int64, n+1), make([]uint16, 200*n)} }, func(l ragged[uint16], in batch.Packed, run batch.Run) (int, error) {
		total, bad, err := batch.LegalMoves(l.offsets, l.flat, in, run)
		require.Equal(t, l.offsets[n], total)
		return bad, err
	})
	sfens := onAll(t, ps, func() ragged[byte] { return ragged[byte]{make([]int64, n+1), make([]byte, 150*n)} }, func(x ragged[byte], in batch.Packed, run batch.Run) (int, error) {
		_, bad, err := batch.SFENs(x.offsets, x.flat, in, run)
		return bad, err
	})
	masks := map[batch.LabelSpace][2][]uint8{}
	for _, space := range []batch.LabelSpace{batch.FullLabels, batch.CompactLabels} {
		var m [2][]uint8
		for i, bits := range []bool{false, true} {
			m[i] = onAll(t, ps, func() []uint8 { return make([]uint8, n*batch.MaskSize(space, bits)) }, func(dst []uint8, in batch.Packed, run batch.Run) (int, error) {
				return batch.LegalMasks(dst, in, space, bits, run)
			})
		}
		masks[space] = m
	}

	for row, sfen := range ps.sfens {
		mine := legal.flat[legal.offsets[row]:legal.offsets[row+1]]
		line := string(sfens.flat[sfens.offsets[row]:sfens.offsets[row+1]])
		if row == ps.bad {
			require.Zero(t, keys[row])
			require.Zero(t, checks[row])
			require.Zero(t, mates[row])
			require.Zero(t, counts[row])
			require.Zero(t, attacks[row])
			require.Zero(t, byKind[row])
			require.Empty(t, mine)
			require.Empty(t, line)
			continue
		}
		s, err := notation.ParseSFEN(sfen)
		require.NoError(t, err)
		s.Ply = 1
		p, err := s.Position()
		require.NoError(t, err)
		require.Equal(t, notation.FormatSFEN(&p), line)
		require.Equal(t, p.Key(), keys[row])
		var attacked [2][81]uint8
		var attackedBy board.AttackCounts
		p.CountAttacksBySide(true, &attacked)
		p.CountAttacks(false, &attackedBy)
		require.True(t, attacked == attacks[row] && attackedBy == byKind[row], sfen)
		takesKing := p.IsAttacked(p.KingSquare(p.Turn().Opposite()), p.Turn())
		if !takesKing { // the set has moves that take a king; here that is never a move
			require.EqualValues(t, ps.counts[row], counts[row])
		}
		require.Len(t, mine, int(counts[row]))
		scalar := p.AppendLegal(nil)
		for i, m := range mine {
			require.EqualValues(t, scalar[i], m)
		}
		require.Equal(t, ps.check[row], checks[row] == 1)
		if m := shogi.Move(mates[row]); m == shogi.MoveNone {
			require.Empty(t, ps.mates[row], sfen)
		} else {
			require.Contains(t, ps.mates[row], m.String(), sfen)
		}
		words := map[string]bool{}
		full, compact := masks[batch.FullLabels], masks[batch.CompactLabels]
		for _, m := range mine {
			words[shogi.Move(m).String()] = true
			l, ok := label.FromMove(shogi.Move(m), p.Turn())
			require.True(t, ok)
			c, ok := l.Compact()
			require.True(t, ok)
			require.EqualValues(t, 1, full[0][row*2187+int(l)])
			require.NotZero(t, full[1][row*274+int(l)/8]>>(l%8)&1)
			require.EqualValues(t, 1, compact[0][row*1496+int(c)])
			require.NotZero(t, compact[1][row*187+int(c)/8]>>(c%8)&1)
		}
		for i, m := range []struct {
			mask []uint8
			size int
		}{{full[0], 2187}, {full[1], 274}, {compact[0], 1496}, {compact[1], 187}} {
			ones := 0
			for _, b := range m.mask[row*m.size : (row+1)*m.size] {
				for ; b != 0; b &= b - 1 {
					ones++
				}
			}
			require.Equal(t, len(mine), ones, "mask %d", i)
		}
		for _, w := range ps.legal[row] {
			require.True(t, takesKing || words[w], "%s %s", sfen, w)
		}
	}
}

func TestVectorsConvertPositions(t *testing.T) {
	ps := readPositions(t)
	n := len(ps.sfens)
	convert := func(c batch.Conversion) []byte {
		return onAll(t, ps, func() []byte { b := make([]byte, 32*n); soil(b, 7); return b }, func(dst []byte, in batch.Packed, run batch.Run) (int, error) {
			return batch.Convert(dst, in, c, run)
		})
	}
	assert.True(t, bytes.Equal(ps.hcp.Data, convert(batch.Conversion{To: batch.HCP})))
	assert.True(t, bytes.Equal(ps.sfen.Data, convert(batch.Conversion{To: batch.PackedSfen})))
	flipped := convert(batch.Conversion{To: batch.PackedSfen, FlipSide: true})
	mirrored := convert(batch.Conversion{To: batch.PackedSfen, MirrorFile: true})
	both := convert(batch.Conversion{To: batch.PackedSfen, MirrorFile: true, FlipSide: true})
	for row := range n {
		if row == ps.bad {
			continue
		}
		require.Equal(t, ps.flips[row], hex.EncodeToString(flipped[32*row:32*row+32]))
		p, err := notation.ParsePosition(ps.sfens[row])
		require.NoError(t, err)
		q := p.MirrorFile()
		var out [32]byte
		require.NoError(t, packed.EncodePackedSfen(&q, &out))
		require.Equal(t, out[:], mirrored[32*row:32*row+32])
		q = q.FlipSide()
		require.NoError(t, packed.EncodePackedSfen(&q, &out))
		require.Equal(t, out[:], both[32*row:32*row+32])
	}

	// SFEN to packed and back.
	var text []byte
	offsets := []int64{0}
	for _, s := range ps.sfens {
		text = append(text, s...)
		offsets = append(offsets, int64(len(text)))
	}
	for _, format := range []batch.Format{batch.HCP, batch.PackedSfen} {
		want := ps.hcp.Data
		if format == batch.PackedSfen {
			want = ps.sfen.Data
		}
		for _, threads := range threadCounts {
			dst := make([]byte, 32*n)
			soil(dst, 7)
			bad, err := batch.Encode(dst, format, offsets, text, batch.Run{Threads: threads, Status: soiledStatus(n)})
			require.NoError(t, err)
			require.Equal(t, 1, bad)
			require.True(t, bytes.Equal(want, dst))
		}
	}
}

func TestEncodeReportsRows(t *testing.T) {
	text := []byte("startpos" + "nonsense" + "4k4/9/9/9/9/9/9/9/9 b G 1")
	offsets := []int64{0, 8, 16, int64(len(text))}
	status := make([]int32, 3)
	dst := make([]byte, 96)
	_, err := batch.Encode(dst, batch.HCP, offsets, text, batch.Run{Status: status})
	require.NoError(t, err)
	assert.Equal(t, []int32{0, int32(fault.Parse), int32(fault.InvalidPosition)}, status)
	assert.Equal(t, packedStart(1).Data, dst[:32])
	_, err = batch.Encode(dst, batch.HCP, offsets, text, batch.Run{})
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	assert.Equal(t, 1, f.Row)
	for _, bad := range [][]int64{{}, {-1, 0, 0, 0}, {0, 8, 4, 9}, {0, 1, 2, 1000}} {
		_, err = batch.Encode(dst, batch.HCP, bad, text, batch.Run{})
		assert.ErrorIs(t, err, fault.Argument)
	}
	_, err = batch.Encode(dst, batch.PSV, offsets, text, batch.Run{})
	assert.ErrorIs(t, err, fault.Argument)
}

func TestLegalMovesSaysHowMuchRoomItNeeds(t *testing.T) {
	in := packedStart(500)
	offsets, moves := make([]int64, 501), make([]uint16, 500*30)
	for _, room := range []int{0, 1, 15000 - 1} {
		total, bad, err := batch.LegalMoves(offsets, moves[:room], in, batch.Run{Threads: 3})
		assert.ErrorIs(t, err, fault.Buffer)
		assert.EqualValues(t, 15000, total)
		assert.Zero(t, bad)
		assert.EqualValues(t, 15000, offsets[500])
	}
	total, _, err := batch.LegalMoves(offsets, moves, in, batch.Run{Threads: 3})
	assert.NoError(t, err)
	assert.EqualValues(t, 15000, total)
	total, _, err = batch.LegalMoves(make([]int64, 1), nil, batch.Packed{Format: batch.HCP}, batch.Run{})
	assert.NoError(t, err)
	assert.Zero(t, total)
}

func TestLabelsOfMovesAndBack(t *testing.T) {
	for _, format := range []batch.Format{batch.HCPE, batch.PSV} {
		const n = 3000
		in := sample(t, n, format)
		out := &batch.Out{Label16: make([]uint16, n), Move: make([]uint16, n), Turn: make([]uint8, n)}
		for _, space := range []batch.LabelSpace{batch.FullLabels, batch.CompactLabels} {
			_, err := batch.Decode(in, batch.Options{Labels: space}, out, batch.Run{})
			require.NoError(t, err)
			labels := make([]uint16, n)
			for _, threads := range threadCounts {
				soil(labels, 7)
				_, err = batch.Labels(labels, out.Move, out.Turn, space, batch.Run{Threads: threads})
				require.NoError(t, err)
				require.Equal(t, out.Label16, labels)
			}
			for _, both := range []bool{false, true} {
				full, compact := make([]uint16, n), make([]uint16, n)
				soil(full, 7)
				soil(compact, 7)
				switch {
				case both:
				case space == batch.FullLabels:
					compact = nil
				default:
					full = nil
				}
				_, err = batch.RecordLabels(full, compact, in, batch.Run{})
				require.NoError(t, err)
				require.Equal(t, out.Label16, [][]uint16{full, compact}[space])
			}
			moves := make([]uint16, n)
			_, err = batch.LabelMoves(moves, in, labels, space, batch.Run{})
			require.NoError(t, err)
			require.Equal(t, out.Move, moves)
			legal := make([]uint8, n)
			_, err = batch.Legal(legal, in, moves, batch.Run{})
			require.NoError(t, err)
			require.Equal(t, bytes.Repeat([]byte{1}, n), legal)
		}
	}
}

// A move without compact label is bad only where one is asked for; special and malformed moves always are.
func TestRecordLabelsReportRows(t *testing.T) {
	in := sample(t, 4, batch.PSV)
	for i, move := range []uint16{16512 /* P*1a */, uint16(shogi.MoveResign), 0xFFFF} {
		binary.LittleEndian.PutUint16(in.Data[40*i+34:], move)
	}
	invalid := int32(fault.InvalidValue)
	status, full, compact := soiledStatus(4), make([]uint16, 4), make([]uint16, 4)
	_, err := batch.RecordLabels(full, nil, in, batch.Run{Status: status})
	require.NoError(t, err)
	assert.Equal(t, []int32{0, invalid, invalid, 0}, status)
	soil(full, 7)
	_, err = batch.RecordLabels(full, compact, in, batch.Run{Status: status})
	require.NoError(t, err)
	assert.Equal(t, []int32{invalid, invalid, invalid, 0}, status)
	assert.Equal(t, []uint16{0, 0, 0}, full[:3])
	_, err = batch.RecordLabels(full, compact, in, batch.Run{})
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	assert.Equal(t, 0, f.Row)
}

func TestLabelsReportRows(t *testing.T) {
	moves := []uint16{7<<7 | 6, 0, 0xFFFF, 7<<7 | 6, uint16(shogi.MoveResign)}
	status, dst := soiledStatus(5), make([]uint16, 5)
	soil(dst, 7)
	bad, err := batch.Labels(dst, moves, []uint8{0, 0, 0, 2, 1}, batch.FullLabels, batch.Run{Status: status})
	require.NoError(t, err)
	assert.Equal(t, 4, bad)
	invalid := int32(fault.InvalidValue)
	assert.Equal(t, []int32{0, invalid, invalid, invalid, invalid}, status)
	assert.Equal(t, []uint16{6, 0, 0, 0, 0}, dst)
	_, err = batch.Labels(dst, moves, nil, batch.FullLabels, batch.Run{})
	var f *fault.Error
	require.ErrorAs(t, err, &f)
	assert.Equal(t, 1, f.Row)

	for _, call := range []func() error{
		func() error { _, err := batch.Labels(dst[:4], moves, nil, 0, batch.Run{}); return err },
		func() error { _, err := batch.Labels(dst, moves, make([]uint8, 4), 0, batch.Run{}); return err },
		func() error { _, err := batch.Labels(dst, moves, nil, 2, batch.Run{}); return err },
		func() error { _, err := batch.RecordLabels(dst, nil, packedStart(5), batch.Run{}); return err },
		func() error {
			_, err := batch.RecordLabels(nil, dst[:4], sample(t, 5, batch.PSV), batch.Run{})
			return err
		},
		func() error { _, err := batch.LabelMoves(dst, packedStart(5), moves[:4], 0, batch.Run{}); return err },
		func() error {
			_, err := batch.LegalMasks(make([]uint8, 5), packedStart(5), 0, false, batch.Run{})
			return err
		},
		func() error { _, err := batch.Keys(make([]uint64, 4), packedStart(5), batch.Run{}); return err },
		func() error {
			_, _, err := batch.LegalMoves(make([]int64, 5), nil, packedStart(5), batch.Run{})
			return err
		},
	} {
		assert.ErrorIs(t, call(), fault.Argument)
	}
	_, err = batch.LabelMoves(dst, packedStart(5), []uint16{2186, 2187, 59, 59, 59}, batch.FullLabels, batch.Run{Status: status})
	require.NoError(t, err)
	assert.Equal(t, []int32{int32(fault.IllegalMove), invalid, 0, 0, 0}, status)
	assert.Equal(t, "7g7f", shogi.Move(dst[2]).String())
}

func TestPlay(t *testing.T) {
	const n = 1000
	in := sample(t, n, batch.HCPE)
	out := &batch.Out{Move: make([]uint16, n)}
	_, err := batch.Decode(in, batch.Options{}, out, batch.Run{})
	require.NoError(t, err)
	out.Move[7] = 0
	after, status := make([]byte, 32*n), make([]int32, n)
	_, err = batch.Play(after, in, out.Move, batch.PackedSfen, batch.Run{Status: status})
	require.NoError(t, err)
	for row := range n {
		if row == 7 {
			require.EqualValues(t, fault.IllegalMove, status[row])
			require.True(t, zeros(after, row, 32))
			continue
		}
		var s board.Setup
		require.NoError(t, packed.DecodeHCP((*[32]byte)(in.Data[38*row:]), &s))
		p, err := s.Position()
		require.NoError(t, err)
		p.Do(shogi.Move(out.Move[row]))
		var want [32]byte
		require.NoError(t, packed.EncodePackedSfen(&p, &want))
		require.Equal(t, want[:], after[32*row:32*row+32])
	}
}

func TestVectorsConvertRecords(t *testing.T) {
	hcpe := batch.Packed{Data: vectors.Bytes(t, "games/real.hcpe"), Format: batch.HCPE}
	psv := batch.Packed{Data: vectors.Bytes(t, "games/real.psv"), Format: batch.PSV}
	n, err := hcpe.Rows()
	require.NoError(t, err)
	toHCPE, toPSV := make([]byte, 38*n), make([]byte, 40*n)
	for _, threads := range threadCounts {
		_, err = batch.Convert(toHCPE, psv, batch.Conversion{To: batch.HCPE}, batch.Run{Threads: threads})
		require.NoError(t, err)
		require.True(t, bytes.Equal(hcpe.Data, toHCPE))
		_, err = batch.Convert(toPSV, hcpe, batch.Conversion{To: batch.PSV}, batch.Run{Threads: threads})
		require.NoError(t, err)
		want := bytes.Clone(psv.Data)
		for row := range n { // HCPE does not store the ply
			want[40*row+36], want[40*row+37] = 0, 0
		}
		require.True(t, bytes.Equal(want, toPSV))
	}
	vectors.Count(t, "games/real.hcpe", n)
	vectors.Count(t, "games/real.psv", n)

	// Flipping and mirroring twice gives the same bytes, in place too.
	for _, in := range []batch.Packed{hcpe, psv} {
		for _, c := range []batch.Conversion{{FlipSide: true}, {MirrorFile: true}, {FlipSide: true, MirrorFile: true}} {
			c.To = in.Format
			there := bytes.Clone(in.Data)
			_, err = batch.Convert(there, batch.Packed{Data: there, Format: in.Format}, c, batch.Run{Threads: 2})
			require.NoError(t, err)
			require.False(t, bytes.Equal(in.Data, there))
			_, err = batch.Convert(there, batch.Packed{Data: there, Format: in.Format}, c, batch.Run{Threads: 2})
			require.NoError(t, err)
			require.True(t, bytes.Equal(in.Data, there))
		}
	}
}

func TestVectorsConvertResults(t *testing.T) {
	type row struct {
		N         int
		PSVResult uint8 `json:"psv_result_byte"`
		YaneuraOu uint8 `json:"psv_result_byte_yaneuraou"`
	}
	psv := batch.Packed{Data: vectors.Bytes(t, "vectors/training.psv"), Format: batch.PSV}
	hcpe := batch.Packed{Data: vectors.Bytes(t, "vectors/training.hcpe"), Format: batch.HCPE}
	n, err := psv.Rows()
	require.NoError(t, err)
	asHCPE, asYaneuraOu, flipped := make([]byte, 38*n), make([]byte, 40*n), make([]byte, 40*n)
	status := make([]int32, n)
	_, err = batch.Convert(asHCPE, psv, batch.Conversion{To: batch.HCPE, From: packed.Rsshogi}, batch.Run{Status: status})
	require.NoError(t, err)
	_, err = batch.Convert(asYaneuraOu, psv, batch.Conversion{To: batch.PSV, From: packed.Rsshogi}, batch.Run{Status: status})
	require.NoError(t, err)
	_, err = batch.Convert(flipped, psv, batch.Conversion{To: batch.PSV, From: packed.Rsshogi, Into: packed.Rsshogi, FlipSide: true}, batch.Run{})
	require.NoError(t, err)
	vectors.Each(t, "vectors/training.jsonl", func(r row) bool {
		end := shogi.GameEnd(r.PSVResult)
		result, has := end.Result()
		flippedEnd := shogi.GameEnd(flipped[40*r.N+38])
		other, _ := flippedEnd.Result()
		ok := !has || assert.Equal(t, result.FlipSide(), other)
		if !has || result == shogi.Draw {
			ok = assert.Equal(t, end, flippedEnd) && ok
		}
		if !has {
			return assert.EqualValues(t, fault.InvalidValue, status[r.N]) && assert.True(t, zeros(asHCPE, r.N, 38) && zeros(asYaneuraOu, r.N, 40)) && ok
		}
		want := bytes.Clone(psv.Data[40*r.N : 40*r.N+40])
		want[38] = r.YaneuraOu
		return assert.Equal(t, hcpe.Data[38*r.N:38*r.N+38], asHCPE[38*r.N:38*r.N+38]) && assert.Equal(t, want, asYaneuraOu[40*r.N:40*r.N+40]) && ok
	})
}

func TestConvertArguments(t *testing.T) {
	in := sample(t, 2, batch.HCPE)
	for _, c := range []struct {
		in   batch.Packed
		size int
		c    batch.Conversion
	}{
		{in, 76, batch.Conversion{}},
		{in, 76, batch.Conversion{To: 9}},
		{in, 75, batch.Conversion{To: batch.HCPE}},
		{packedStart(2), 76, batch.Conversion{To: batch.HCPE}},
		{in, 80, batch.Conversion{To: batch.PSV, From: 5}},
		{in, 80, batch.Conversion{To: batch.PSV, Into: 5}},
		{in, 96, batch.Conversion{To: batch.HCPE3}},
	} {
		_, err := batch.Convert(make([]byte, c.size), c.in, c.c, batch.Run{})
		assert.ErrorIs(t, err, fault.Argument)
	}
	position := make([]byte, 64)
	_, err := batch.Convert(position, in, batch.Conversion{To: batch.HCP}, batch.Run{})
	assert.NoError(t, err)
	assert.Equal(t, in.Data[:32], position[:32])
}

func BenchmarkLabels(b *testing.B) {
	const n = 65536
	in := sample(b, n, batch.HCPE)
	out := &batch.Out{Label16: make([]uint16, n), Move: make([]uint16, n), Turn: make([]uint8, n)}
	if _, err := batch.Decode(in, batch.Options{}, out, batch.Run{}); err != nil {
		b.Fatal(err)
	}
	rate := func(b *testing.B) { b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "rows/s") }
	b.Run("moves", func(b *testing.B) {
		for b.Loop() {
			_, _ = batch.Labels(out.Label16, out.Move, out.Turn, batch.CompactLabels, batch.Run{Threads: 1})
		}
		rate(b)
	})
	compact := make([]uint16, n)
	b.Run("records", func(b *testing.B) {
		for b.Loop() {
			_, _ = batch.RecordLabels(out.Label16, compact, in, batch.Run{Threads: 1})
		}
		rate(b)
	})
	in = batch.Packed{Data: in.Data[:38*4096], Format: batch.HCPE}
	offsets, moves, masks := make([]int64, 4097), make([]uint16, 4096*200), make([]uint8, 4096*187)
	few := func(b *testing.B) { b.ReportMetric(4096*float64(b.N)/b.Elapsed().Seconds(), "rows/s") }
	b.Run("legal moves", func(b *testing.B) {
		for b.Loop() {
			_, _, _ = batch.LegalMoves(offsets, moves, in, batch.Run{Threads: 1})
		}
		few(b)
	})
	b.Run("mask bits", func(b *testing.B) {
		for b.Loop() {
			_, _ = batch.LegalMasks(masks, in, batch.CompactLabels, true, batch.Run{Threads: 1})
		}
		few(b)
	})
	psv := make([]byte, 40*4096)
	b.Run("convert to PSV", func(b *testing.B) {
		for b.Loop() {
			_, _ = batch.Convert(psv, in, batch.Conversion{To: batch.PSV}, batch.Run{Threads: 1})
		}
		few(b)
	})
}
