package batch_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/batch"
	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/internal/vectors"
	"komadori/core/packed"
	"komadori/core/shogi"
)

// A gameRow is what a test knows of a move of a game that it has made.
type gameRow struct {
	hcp        [packed.Size]byte
	move       shogi.AperyMove
	eval       shogi.Eval
	candidates []byte
	ply        int
}

// randomGames makes a file of games, with candidates at about two moves of three.
func randomGames(t testing.TB, seed uint64, games, most int) (file []byte, rows [][]gameRow) {
	r := rand.New(rand.NewPCG(seed, 5))
	var list board.MoveList
	for range games {
		p := board.Start()
		var own []gameRow
		for range r.IntN(most + 1) {
			p.Legal(&list)
			if list.N == 0 {
				break
			}
			var row gameRow
			require.NoError(t, packed.EncodeHCP(&p, &row.hcp))
			m := list.Moves[r.IntN(list.N)]
			row.move, _ = m.Apery()
			row.eval, row.ply = shogi.Eval(r.IntN(65536)-32768), len(own)+1
			if r.IntN(3) != 0 {
				var c packed.Candidates
				for _, k := range r.Perm(list.N)[:1+r.IntN(min(list.N, 20))] {
					a, _ := list.Moves[k].Apery()
					c = c.Append(a, uint16(r.IntN(2000)))
				}
				a, _ := list.Moves[0].Apery()
				row.candidates = c.Append(a, 1)
			}
			own = append(own, row)
			p.Do(m)
		}
		result := []uint8{0, 1, 2, packed.ByRepetition, 1 | packed.ByDeclaration, packed.ByMoveLimit}[r.IntN(6)]
		start := board.Start()
		var hcp [packed.Size]byte
		require.NoError(t, packed.EncodeHCP(&start, &hcp))
		file = packed.AppendHCPE3Head(file, &hcp, len(own), result, uint8(r.IntN(3)))
		for _, row := range own {
			file = packed.AppendHCPE3Move(file, packed.HCPE3Move{Move: row.move, Eval: row.eval, Candidates: row.candidates})
		}
		rows = append(rows, own)
	}
	return file, rows
}

// readAll reads all rows of a file in order.
func readAll(t testing.TB, file []byte, which batch.Which, threads int) batch.Packed {
	t.Helper()
	games, used, err := batch.IndexHCPE3(nil, file, 0, 1<<30, true)
	require.NoError(t, err)
	require.Equal(t, len(file), used)
	var offsets []uint64
	var places []uint16
	for _, g := range games {
		n := g.Moves
		if which&batch.Targets != 0 {
			n = g.Targets
		}
		if which&batch.SkipRepetitions != 0 {
			counts := make([]uint16, 1)
			_, err := batch.CheckHCPE3(counts, file, []uint64{g.Offset}, which, batch.CheckNone, batch.Run{Status: make([]int32, 1)})
			require.NoError(t, err)
			n = counts[0]
		}
		for place := range n {
			offsets, places = append(offsets, g.Offset), append(places, place)
		}
	}
	return readRows(t, file, offsets, places, which, threads)
}

func readRows(t testing.TB, file []byte, offsets []uint64, places []uint16, which batch.Which, threads int) batch.Packed {
	t.Helper()
	rows, at := make([]byte, len(offsets)*batch.HCPE3RowSize), make([]int64, len(offsets))
	_, err := batch.HCPE3Rows(rows, at, file, offsets, places, which, batch.Run{Threads: threads, Status: make([]int32, len(offsets))})
	require.NoError(t, err)
	total, err := batch.CopyCandidates(nil, rows, file, at, 0)
	if total > 0 {
		require.ErrorIs(t, err, fault.Buffer)
	}
	candidates := make([]byte, total*packed.CandidateSize)
	_, err = batch.CopyCandidates(candidates, rows, file, at, 0)
	require.NoError(t, err)
	return batch.Packed{Data: rows, Format: batch.HCPE3, Candidates: candidates}
}

// candidatesOf is what a row says of its candidates.
func candidatesOf(in batch.Packed, row int) []byte {
	raw := in.Data[row*batch.HCPE3RowSize:][:batch.HCPE3RowSize]
	n, first := int(binary.LittleEndian.Uint16(raw[40:])), int(binary.LittleEndian.Uint32(raw[44:]))
	return in.Candidates[4*first:][:4*n]
}

func TestHCPE3RowsAreThoseOfTheGames(t *testing.T) {
	file, games := randomGames(t, 1, 40, 60)
	for _, which := range []batch.Which{0, batch.Targets} {
		in := readAll(t, file, which, 1)
		n := 0
		for _, game := range games {
			for _, want := range game {
				if which == batch.Targets && len(want.candidates) == 0 {
					continue
				}
				raw := in.Data[n*batch.HCPE3RowSize:][:batch.HCPE3RowSize]
				require.Equal(t, want.hcp[:], raw[:32])
				require.Equal(t, want.eval, shogi.Eval(binary.LittleEndian.Uint16(raw[32:])))
				require.EqualValues(t, want.move, binary.LittleEndian.Uint16(raw[34:]))
				require.EqualValues(t, want.ply, binary.LittleEndian.Uint16(raw[38:]))
				require.Equal(t, want.candidates, append([]byte(nil), candidatesOf(in, n)...))
				n++
			}
		}
		require.Equal(t, n*batch.HCPE3RowSize, len(in.Data))
		for _, threads := range threadCounts {
			again := readAll(t, file, which, threads)
			require.True(t, bytes.Equal(in.Data, again.Data) && bytes.Equal(in.Candidates, again.Candidates), "%d threads", threads)
		}
		// In any order, one game here and another there, the rows are the same.
		index, _, err := batch.IndexHCPE3(nil, file, 0, 1<<30, true)
		require.NoError(t, err)
		var offsets []uint64
		var places []uint16
		for _, g := range index {
			for place := range map[batch.Which]uint16{0: g.Moves, batch.Targets: g.Targets}[which] {
				offsets, places = append(offsets, g.Offset), append(places, place)
			}
		}
		order := rand.New(rand.NewPCG(2, 2)).Perm(len(offsets))
		so, sp := make([]uint64, len(order)), make([]uint16, len(order))
		for i, k := range order {
			so[i], sp[i] = offsets[k], places[k]
		}
		shuffled := readRows(t, file, so, sp, which, 2)
		for i, k := range order {
			a, b := shuffled.Data[i*batch.HCPE3RowSize:][:44], in.Data[k*batch.HCPE3RowSize:][:44]
			require.Equal(t, b, a)
			require.Equal(t, candidatesOf(in, k), candidatesOf(shuffled, i))
		}
	}
}

// Rows packed again make the file that they were read from, in one go or piece by piece.
func TestPackHCPE3(t *testing.T) {
	file, games := randomGames(t, 3, 60, 40)
	in := readAll(t, file, 0, 2)
	whole := make([]byte, len(file)+100)
	size, used, lost, bad, err := batch.PackHCPE3(whole, in, true, batch.Run{})
	require.NoError(t, err)
	empty := 0 // games without moves have no rows and are not written again
	for _, g := range games {
		if len(g) == 0 {
			empty++
		}
	}
	assert.Equal(t, [4]int64{int64(len(file) - empty*packed.HCPE3HeadSize), int64(len(in.Data) / batch.HCPE3RowSize), 0, 0}, [4]int64{size, int64(used), lost, int64(bad)})
	again := readAll(t, whole[:size], 0, 2)
	assert.Equal(t, in, again)

	_, _, _, _, err = batch.PackHCPE3(whole[:size-1], in, true, batch.Run{})
	assert.ErrorIs(t, err, fault.Buffer)

	var pieces []byte
	whole, rest, room := whole[:size], in, make([]byte, len(file))
	for take := 7; len(rest.Data) > 0; take += 13 {
		part := rest
		last := take*batch.HCPE3RowSize >= len(rest.Data)
		if !last {
			part.Data = rest.Data[:take*batch.HCPE3RowSize]
		}
		size, used, _, _, err := batch.PackHCPE3(room, part, last, batch.Run{Threads: 1})
		require.NoError(t, err)
		pieces = append(pieces, room[:size]...)
		rest.Data = rest.Data[used*batch.HCPE3RowSize:]
	}
	assert.True(t, bytes.Equal(whole, pieces))

	// Rows in another order are games of one move each, mostly, and their plies are lost.
	backwards := in
	backwards.Data = nil
	for row := len(in.Data)/batch.HCPE3RowSize - 1; row >= 0; row-- {
		backwards.Data = append(backwards.Data, in.Data[row*batch.HCPE3RowSize:][:batch.HCPE3RowSize]...)
	}
	whole = make([]byte, 2*len(backwards.Data)+len(in.Candidates))
	size, _, lost, _, err = batch.PackHCPE3(whole, backwards, true, batch.Run{})
	require.NoError(t, err)
	assert.Positive(t, lost)
	singles := readAll(t, whole[:size], 0, 1)
	for row := range len(in.Data) / batch.HCPE3RowSize {
		require.Equal(t, backwards.Data[row*batch.HCPE3RowSize:][:38], singles.Data[row*batch.HCPE3RowSize:][:38])
		require.Equal(t, candidatesOf(backwards, row), candidatesOf(singles, row))
	}
}

// Every pair of formats: there and back, what both can say comes back, and what is lost is counted.
func TestConversionsOfAllFormats(t *testing.T) {
	file, _ := randomGames(t, 4, 30, 50)
	base := readAll(t, file, 0, 1)
	n := len(base.Data) / batch.HCPE3RowSize
	into := func(in batch.Packed, to batch.Format, lost *batch.Losses) batch.Packed {
		out := batch.Packed{Data: make([]byte, n*to.Size()), Format: to}
		if to == batch.HCPE3 {
			out.Candidates = make([]byte, n*packed.CandidateSize)
			if in.Format == batch.HCPE3 {
				out.Candidates = make([]byte, len(in.Candidates))
			}
		}
		_, err := batch.Convert(out.Data, in, batch.Conversion{To: to, Candidates: out.Candidates, Lost: lost}, batch.Run{})
		require.NoError(t, err)
		return out
	}
	var plies, endings, candidates, untrained, opponents int64
	for row := range n {
		raw := base.Data[row*batch.HCPE3RowSize:][:batch.HCPE3RowSize]
		plies++
		if raw[36] > 2 {
			endings++
		}
		if raw[37] != 0 {
			opponents++
		}
		switch c := candidatesOf(base, row); {
		case len(c) == 0:
			untrained++
		case len(c) > 4 || !bytes.Equal(c[:2], raw[34:36]):
			candidates++
		}
	}
	formats := []batch.Format{batch.HCPE, batch.HCPE2, batch.PSV, batch.HCPE3}
	for _, from := range formats {
		a := into(base, from, nil)
		for _, to := range formats {
			var lost batch.Losses
			b := into(a, to, &lost)
			c := into(b, from, nil)
			x, y := decoded(t, a, batch.Options{}), decoded(t, c, batch.Options{})
			if to == batch.HCPE || to == batch.HCPE2 {
				y.Ply = x.Ply
			}
			if from != to { // what only one of them can say
				y.Ending, y.Policy, y.PolicyLabels, y.PolicyWeights = x.Ending, x.Policy, x.PolicyLabels, x.PolicyWeights
			}
			require.True(t, sameOut(x, y), "%d to %d and back", from, to)
			want := batch.Losses{}
			if from == batch.HCPE3 && to != batch.HCPE3 {
				want.Candidates, want.Untrained, want.Opponents = candidates, untrained, opponents
			}
			if (from == batch.HCPE3 || from == batch.PSV) && (to == batch.HCPE || to == batch.HCPE2) {
				want.Plies = plies
			}
			if (from == batch.HCPE3 || from == batch.HCPE2) && (to == batch.HCPE || to == batch.PSV) {
				want.Endings = endings
			}
			assert.Equal(t, want, lost, "%d to %d", from, to)
			if from == to {
				assert.Equal(t, a, b)
			}
		}
	}
	// Turned and mirrored, candidates too, twice: the same rows.
	for _, c := range []batch.Conversion{{FlipSide: true}, {MirrorFile: true}, {FlipSide: true, MirrorFile: true}} {
		c.To = batch.HCPE3
		once := batch.Packed{Data: make([]byte, len(base.Data)), Format: batch.HCPE3, Candidates: make([]byte, len(base.Candidates))}
		c.Candidates = once.Candidates
		_, err := batch.Convert(once.Data, base, c, batch.Run{})
		require.NoError(t, err)
		twice := batch.Packed{Data: make([]byte, len(base.Data)), Format: batch.HCPE3, Candidates: make([]byte, len(base.Candidates))}
		c.Candidates = twice.Candidates
		_, err = batch.Convert(twice.Data, once, c, batch.Run{})
		require.NoError(t, err)
		assert.Equal(t, base, twice)
		assert.NotEqual(t, base.Data, once.Data)
		// Candidates are legal where they were: checking the games that the rows make says so.
		packedGames := make([]byte, 2*len(file)+100*n)
		size, _, _, _, err := batch.PackHCPE3(packedGames, once, true, batch.Run{})
		require.NoError(t, err)
		games, _, err := batch.IndexHCPE3(nil, packedGames[:size], 0, 1<<30, true)
		require.NoError(t, err)
		var offsets []uint64
		for _, g := range games {
			offsets = append(offsets, g.Offset)
		}
		_, err = batch.CheckHCPE3(nil, packedGames[:size], offsets, 0, batch.CheckLegal, batch.Run{})
		assert.NoError(t, err)
	}
}

// Damage is reported where it is, and what can be read is read.
func TestBrokenHCPE3(t *testing.T) {
	file, games := randomGames(t, 7, 3, 30)
	index, _, err := batch.IndexHCPE3(nil, file, 1000, 1<<30, true)
	require.NoError(t, err)
	require.Len(t, index, 3)
	second := int(index[1].Offset) - 1000
	require.GreaterOrEqual(t, len(games[1]), 5)

	// Cut short: the whole games before are there, and the offset is where the data ends.
	for _, cut := range []int{1, len(file) - second - 40} {
		some, used, err := batch.IndexHCPE3(nil, file[:len(file)-cut], 1000, 1<<30, true)
		var f *fault.Error
		require.ErrorAs(t, err, &f)
		assert.Equal(t, fault.Parse, f.Kind)
		assert.Equal(t, 1000+len(file)-cut, f.Offset)
		assert.Equal(t, index[:len(some)], some)
		some, again, err := batch.IndexHCPE3(nil, file[:len(file)-cut], 1000, 1<<30, false)
		assert.NoError(t, err, "more may follow")
		assert.Equal(t, used, again)
		assert.Equal(t, index[:len(some)], some)
	}
	some, used, err := batch.IndexHCPE3(nil, file, 1000, 2, true)
	assert.NoError(t, err)
	assert.Len(t, some, 2)
	assert.Equal(t, int(index[2].Offset)-1000, used)

	offsets := []uint64{index[0].Offset - 1000, uint64(second), index[2].Offset - 1000}
	moveAt := func(game, move int) int { // of a move of a game
		at := int(offsets[game]) + packed.HCPE3HeadSize
		for range move {
			at += 6 + 4*int(binary.LittleEndian.Uint16(file[at+4:]))
		}
		return at
	}
	withCandidates := slices.IndexFunc(games[1], func(r gameRow) bool { return len(r.candidates) > 0 })
	for _, c := range []struct {
		name    string
		at      int
		with    []byte
		kind    fault.Kind
		good    int // rows of the second game that can be read
		legalOK bool
	}{
		{"an illegal move", moveAt(1, 3), []byte{79, 0}, fault.IllegalMove, 4, false},
		{"a malformed move", moveAt(1, 3), []byte{0xFF, 0xFF}, fault.IllegalMove, 4, false},
		{"a special move", moveAt(1, 3), []byte{0x02, 0x01}, fault.IllegalMove, 4, false},
		{"no position", second, bytes.Repeat([]byte{0xFF}, 32), fault.Parse, 0, false},
		{"a result", second + 34, []byte{3}, fault.InvalidValue, len(games[1]), false},
		{"a result's upper bits", second + 34, []byte{1 | 32}, fault.InvalidValue, len(games[1]), false},
		{"an opponent", second + 35, []byte{3}, fault.InvalidValue, len(games[1]), false},
		{"a malformed candidate", moveAt(1, withCandidates) + 6, []byte{0xFF, 0x7F}, fault.InvalidValue, len(games[1]), false},
		{"an illegal candidate", moveAt(1, withCandidates) + 6, []byte{79, 0}, fault.IllegalMove, len(games[1]), true},
	} {
		bad := bytes.Clone(file)
		copy(bad[c.at:], c.with)
		counts, status := make([]uint16, 3), make([]int32, 3)
		n, err := batch.CheckHCPE3(counts, bad, offsets, 0, batch.CheckLegal, batch.Run{Status: status})
		require.NoError(t, err)
		assert.Equal(t, 1, n, c.name)
		assert.Equal(t, []int32{0, int32(c.kind), 0}, status, c.name)
		assert.Equal(t, []uint16{uint16(len(games[0])), uint16(len(games[1])), uint16(len(games[2]))}, counts, "all rows are counted")
		_, err = batch.CheckHCPE3(nil, bad, offsets, 0, batch.CheckLegal, batch.Run{Threads: 2})
		var f *fault.Error
		require.True(t, errors.As(err, &f))
		assert.Equal(t, 1, f.Row)
		_, err = batch.CheckHCPE3(nil, bad, offsets, 0, batch.CheckNone, batch.Run{})
		assert.Equal(t, c.legalOK, err == nil, c.name)

		in := readAll(t, bad, 0, 2)
		at := len(games[0])
		for row := range len(games[1]) {
			raw := in.Data[(at+row)*batch.HCPE3RowSize:][:batch.HCPE3RowSize]
			kind := fault.Kind(int16(binary.LittleEndian.Uint16(raw[42:])))
			if row < c.good {
				assert.Zero(t, kind, "%s: row %d", c.name, row)
				continue
			}
			assert.Equal(t, c.kind, kind, "%s: row %d", c.name, row)
			assert.Equal(t, make([]byte, 42), raw[:42])
		}
		// Rows keep what is wrong with them: other functions report it.
		keys, statuses := make([]uint64, len(in.Data)/batch.HCPE3RowSize), make([]int32, len(in.Data)/batch.HCPE3RowSize)
		_, err = batch.Keys(keys, in, batch.Run{Status: statuses})
		require.NoError(t, err)
		for row, kind := range statuses {
			inGame := row - at
			assert.Equal(t, inGame >= c.good && inGame < len(games[1]), kind == int32(c.kind), "%s: row %d", c.name, row)
		}
	}
}

// Repetitions within 16 plies are left out when asked for: moves to and fro repeat the start.
func TestHCPE3WithoutRepetitions(t *testing.T) {
	p := board.Start()
	var hcp [packed.Size]byte
	require.NoError(t, packed.EncodeHCP(&p, &hcp))
	words := []string{"4i4h", "4a4b", "4h4i", "4b4a", "7g7f", "3c3d"}
	file := packed.AppendHCPE3Head(nil, &hcp, len(words), 0, 0)
	for i, word := range words {
		m, err := shogi.ParseMove(word)
		require.NoError(t, err)
		a, _ := m.Apery()
		file = packed.AppendHCPE3Move(file, packed.HCPE3Move{Move: a, Eval: shogi.Eval(i), Candidates: packed.Candidates(nil).Append(a, 5)})
	}
	all, fewer := readAll(t, file, batch.Targets, 1), readAll(t, file, batch.Targets|batch.SkipRepetitions, 1)
	evals := func(in batch.Packed) (e []int) {
		for at := 32; at < len(in.Data); at += batch.HCPE3RowSize {
			e = append(e, int(in.Data[at]))
		}
		return e
	}
	assert.Equal(t, []int{0, 1, 2, 3, 4, 5}, evals(all))
	assert.Equal(t, []int{0, 1, 2, 4, 5}, evals(fewer), "4b4a brings the start back")
}

// The records of real games chain into games again, and come back as they were.
func TestRealRecordsAsGames(t *testing.T) {
	psv := batch.Packed{Data: vectors.Bytes(t, "games/real.psv"), Format: batch.PSV}
	n, err := psv.Rows()
	require.NoError(t, err)
	rows := batch.Packed{Data: make([]byte, n*batch.HCPE3RowSize), Format: batch.HCPE3, Candidates: make([]byte, n*packed.CandidateSize)}
	_, err = batch.Convert(rows.Data, psv, batch.Conversion{To: batch.HCPE3, Candidates: rows.Candidates}, batch.Run{})
	require.NoError(t, err)
	file := make([]byte, 48*n)
	size, used, lost, bad, err := batch.PackHCPE3(file, rows, true, batch.Run{})
	require.NoError(t, err)
	assert.Equal(t, [3]int64{int64(n), 0, 0}, [3]int64{int64(used), lost, int64(bad)})
	assert.Less(t, size, int64(12*n), "mostly ten bytes a move")
	back := readAll(t, file[:size], batch.Targets, 2)
	assert.Equal(t, rows, back)
	again := make([]byte, len(psv.Data))
	_, err = batch.Convert(again, back, batch.Conversion{To: batch.PSV}, batch.Run{})
	require.NoError(t, err)
	assert.True(t, bytes.Equal(psv.Data, again))
	vectors.Count(t, "games/real.psv", n)
}

func TestHCPE3Arguments(t *testing.T) {
	file, _ := randomGames(t, 8, 1, 10)
	one, at := make([]byte, batch.HCPE3RowSize), make([]int64, 1)
	for _, c := range []struct {
		dst    []byte
		games  []uint64
		places []uint16
		at     []int64
		which  batch.Which
	}{
		{one[1:], []uint64{0}, []uint16{0}, at, 0}, {one, []uint64{0}, nil, at, 0}, {one, []uint64{0}, []uint16{0}, nil, 0}, {one, []uint64{0}, []uint16{0}, at, 4},
	} {
		_, err := batch.HCPE3Rows(c.dst, c.at, file, c.games, c.places, c.which, batch.Run{})
		assert.ErrorIs(t, err, fault.Argument)
	}
	for _, c := range []struct {
		game  uint64
		place uint16
	}{{uint64(len(file)), 0}, {1 << 63, 0}, {0, 999}} {
		_, err := batch.HCPE3Rows(one, at, file, []uint64{c.game}, []uint16{c.place}, 0, batch.Run{})
		assert.ErrorIs(t, err, fault.Parse)
	}
	_, err := batch.CopyCandidates(nil, append([]byte(nil), make([]byte, 48)...), file, []int64{1 << 62}, 0)
	assert.ErrorIs(t, err, fault.Argument)
	bad := make([]byte, 48)
	binary.LittleEndian.PutUint16(bad[40:], 5)
	_, err = batch.CopyCandidates(nil, bad, file, []int64{int64(len(file)) - 19}, 0)
	assert.ErrorIs(t, err, fault.Argument)
	_, err = batch.CopyCandidates(nil, bad, file, []int64{0}, 1<<32)
	assert.ErrorIs(t, err, fault.Argument)
	_, _, _, _, err = batch.PackHCPE3(nil, packedStart(1), true, batch.Run{})
	assert.ErrorIs(t, err, fault.Argument)
	// Candidates that a row has not.
	in := readAll(t, file, 0, 1)
	in.Candidates = in.Candidates[:4]
	_, _, _, n, err := batch.PackHCPE3(make([]byte, len(file)), in, true, batch.Run{Status: make([]int32, len(in.Data)/batch.HCPE3RowSize)})
	assert.NoError(t, err)
	assert.Positive(t, n)
}

func TestGather(t *testing.T) {
	in := sample(t, 100, batch.PSV)
	numbers := []int64{99, 0, 50, 50, 1}
	out := make([]byte, 5*packed.PSVSize)
	require.NoError(t, batch.Gather(out, in, numbers, batch.Run{}))
	for i, n := range numbers {
		assert.Equal(t, in.Data[40*n:40*n+40], out[40*i:40*i+40])
	}
	for _, wrong := range []int64{-1, 100, 1 << 62} {
		err := batch.Gather(out, in, []int64{1, 2, wrong, 3, 4}, batch.Run{})
		var f *fault.Error
		require.ErrorAs(t, err, &f)
		assert.Equal(t, fault.Argument, f.Kind)
		assert.Equal(t, 2, f.Row)
	}
}

// FuzzHCPE3Rows reads any bytes as a file: nothing may panic, and rows that are read again are the same.
func FuzzHCPE3Rows(f *testing.F) {
	file, _ := randomGames(f, 9, 2, 6)
	f.Add(file, uint8(0))
	f.Add(file[:len(file)-1], uint8(3))
	f.Fuzz(func(t *testing.T, raw []byte, choice uint8) {
		which := batch.Which(choice & 3)
		games, used, err := batch.IndexHCPE3(nil, raw, 0, 20, choice&4 == 0)
		require.LessOrEqual(t, used, len(raw))
		_ = err
		var offsets []uint64
		var places []uint16
		for _, g := range games {
			offsets, places = append(offsets, g.Offset), append(places, 0)
			if g.Moves > 2 {
				offsets, places = append(offsets, g.Offset, g.Offset), append(places, g.Moves-1, 1)
			}
		}
		in := readRows(t, raw, offsets, places, which, 1)
		out := make([]byte, 2*len(in.Data)+len(in.Candidates))
		status := make([]int32, len(offsets))
		size, n, _, _, err := batch.PackHCPE3(out, in, true, batch.Run{Status: status})
		require.NoError(t, err)
		require.Equal(t, len(offsets), n)
		_, _, err = batch.IndexHCPE3(nil, out[:size], 0, 1<<20, true)
		require.NoError(t, err)
		_, err = batch.CheckHCPE3(nil, raw, offsets, which, batch.CheckLegal, batch.Run{Status: status})
		require.NoError(t, err)
	})
}
