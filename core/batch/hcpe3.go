package batch

import (
	"encoding/binary"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/packed"
	"komadori/core/shogi"
)

// A Game3 says where a game of HCPE3 lies and how many rows it has.
type Game3 struct {
	Offset  uint64 // of its first byte
	Size    uint32 // in bytes
	Moves   uint16
	Targets uint16 // moves with candidates
}

// IndexHCPE3 appends the games of data, at most limit of them, without looking at positions and moves. Offsets count from base. It returns how many
// bytes those games take: the rest begins within a game or with one beyond the limit.
//
// A game that breaks the format's limits is a Parse error at its offset in the file; so is, when last says that nothing follows data, a game that is cut short.
// The games before it are appended all the same.
func IndexHCPE3(games []Game3, data []byte, base uint64, limit int, last bool) (all []Game3, used int, err error) {
	guarded(&err, func() { all, used, err = indexHCPE3(games, data, base, limit, last) })
	return all, used, err
}

// guarded calls f where memory of a mapped file that is gone is an error.
func guarded(err *error, f func()) {
	if _, gone := Rows(1, 1, Run{Threads: 1}, func(int, int) { f() }); gone != nil {
		*err = gone
	}
}

func indexHCPE3(games []Game3, data []byte, base uint64, limit int, last bool) (all []Game3, used int, err error) {
	const op = "batch.IndexHCPE3"
	for limit > 0 && used < len(data) {
		g, short, err := packed.ReadHCPE3(data[used:])
		if short && !last {
			break
		}
		if err != nil {
			f := faultOf(err)
			return games, used, fault.New(f.Kind, op, "game %d: %s", len(games), f.Detail).At(int(base) + used + f.Offset)
		}
		games = append(games, Game3{base + uint64(used), uint32(g.Size()), uint16(g.Moves()), uint16(g.Targets())})
		used += g.Size()
		limit--
	}
	return games, used, nil
}

// Which moves of a game of HCPE3 are rows. 0 means all.
type Which uint8

const (
	Targets         Which = 1 // those with candidates
	SkipRepetitions Which = 2 // not those that lead to a repetition within 16 plies, superior and inferior included; dlshogi leaves them out
)

const repetitionPlies = 16

// A replay goes through the rows of a game of HCPE3.
type replay struct {
	which  Which
	game   packed.HCPE3Game
	at     int // of the next move, in the game
	played int // moves gone past
	rows   int // rows gone past
	board  *board.Game
	broken *fault.Error // why there is no position for the next move
}

// start begins a game that lies at data. A position that cannot be read breaks it from the first row on.
func (r *replay) start(data []byte, w *workspace) {
	if w.game == nil {
		w.game = board.NewGame()
	}
	*r = replay{which: r.which, board: w.game, at: packed.HCPE3HeadSize}
	var err error
	if r.game, _, err = packed.ReadHCPE3(data); err != nil {
		r.broken = faultOf(err)
		return
	}
	if err = packed.DecodeHCPMen(r.game.Start(), &w.men); err == nil {
		err = w.pos.LoadMen(&w.men)
	}
	if err != nil {
		r.broken = faultOf(err)
		return
	}
	r.board.ResetTo(w.pos)
}

// left tells whether there are more moves.
func (r *replay) left() bool { return r.played < r.game.Moves() }

// next goes past a move and tells whether it is a row. before is called with every move that may be one, the position still on the board, unless the game is broken.
func (r *replay) next(before func(m packed.HCPE3Move)) (row bool) {
	m, at := r.game.Next(r.at)
	row = r.which&Targets == 0 || m.Candidates.Len() != 0
	if row && r.broken == nil && before != nil {
		before(m)
	}
	if r.broken == nil {
		move := aperyMove(m.Move)
		if !r.board.Pos.IsLegal(move) {
			r.broken = fault.New(fault.IllegalMove, "batch.HCPE3", "move %d of the game, 0x%04x, is not legal", r.played+1, uint16(m.Move))
		} else {
			r.board.PushUnchecked(move)
			if row && r.which&SkipRepetitions != 0 {
				switch r.board.SearchRepetition(repetitionPlies) {
				case shogi.RepetitionDraw, shogi.RepetitionSuperior, shogi.RepetitionInferior:
					row = false
				}
			}
		}
	}
	r.at = at
	r.played++
	if row {
		r.rows++
	}
	return row
}

// HCPE3Rows writes rows of games of HCPE3: row i is row places[i], of those that which chooses, of the game that lies at data[games[i]:]. Its candidates lie in
// data from at[i] on; CopyCandidates brings them together and fills in where. Rows of the same game that follow each other in ascending order are read in one go.
//
// A row is bad when its game cannot be read or does not have it, or when a move before it is not legal; it is then zero but for what is wrong, which it keeps, so that
// other functions report it too. A row whose own move is not legal is a row like others.
func HCPE3Rows(dst []byte, at []int64, data []byte, games []uint64, places []uint16, which Which, run Run) (bad int, err error) {
	const op = "batch.HCPE3Rows"
	n := len(games)
	if err := wantLength(op, "dst", len(dst), n*HCPE3RowSize); err != nil {
		return 0, err
	}
	if err := wantLength(op, "places", len(places), n); err != nil {
		return 0, err
	}
	if err := wantLength(op, "at", len(at), n); err != nil {
		return 0, err
	}
	if which > Targets|SkipRepetitions {
		return 0, fault.New(fault.Argument, op, "choice of rows %d, want 0..3", which)
	}
	return run.each(op, n, grainGames, newWorkspace, func(from, to int, t *tally, w *workspace) {
		r := replay{which: which}
		offset := uint64(1<<64 - 1)
		for row := from; row < to; row++ {
			out := (*[HCPE3RowSize]byte)(rowOf(dst, row, HCPE3RowSize))
			place := int(places[row])
			if games[row] != offset || r.rows > place {
				offset = games[row]
				if offset >= uint64(len(data)) {
					r = replay{which: which, broken: fault.New(fault.Parse, op, "no game at offset %d of %d bytes", offset, len(data))}
				} else {
					r.start(data[offset:], w)
				}
			}
			err := r.fill(out, &at[row], place, int64(offset))
			if err != nil {
				*out, at[row] = [HCPE3RowSize]byte{}, 0
				binary.LittleEndian.PutUint16(out[statusAt:], uint16(err.Kind))
				t.fail(row, err)
				continue
			}
			t.good(row)
		}
	})
}

// fill goes on to a row and writes it.
func (r *replay) fill(out *[HCPE3RowSize]byte, at *int64, place int, offset int64) *fault.Error {
	var failed error
	found := false
	for !found && r.left() && r.broken == nil {
		found = r.next(func(m packed.HCPE3Move) {
			if r.rows != place {
				return
			}
			*out = [HCPE3RowSize]byte{}
			failed = packed.EncodeHCP(&r.board.Pos, (*[packed.Size]byte)(out[:]))
			binary.LittleEndian.PutUint16(out[evalAt:], uint16(m.Eval))
			binary.LittleEndian.PutUint16(out[moveAt:], uint16(m.Move))
			out[hcpeResultAt], out[opponentAt] = r.game.Result(), r.game.Opponent()
			binary.LittleEndian.PutUint16(out[hcpe3PlyAt:], uint16(r.played+1))
			binary.LittleEndian.PutUint16(out[countAt:], uint16(m.Candidates.Len()))
			*at = offset + int64(r.at) + packed.HCPE3MoveSize
		}) && r.rows == place+1
	}
	switch {
	case failed != nil:
		return faultOf(failed)
	case found:
		return nil
	case r.broken != nil:
		return r.broken
	}
	return fault.New(fault.Parse, "batch.HCPE3Rows", "the game has %d rows, row %d was asked for", r.rows, place)
}

// CopyCandidates brings the candidates of rows of HCPE3 together: those of row i, which lie in data from at[i] on, follow those of the rows before. The rows' fields that
// say where they are become right for Packed.Candidates; the first row's are candidate number first there. The total is returned, and the rows are right, also when
// dst is too small, which is a Buffer error.
func CopyCandidates(dst, rows []byte, data []byte, at []int64, first int64) (total int64, err error) {
	guarded(&err, func() { total, err = copyCandidates(dst, rows, data, at, first) })
	return total, err
}

func copyCandidates(dst, rows []byte, data []byte, at []int64, first int64) (total int64, err error) {
	const op = "batch.CopyCandidates"
	if err := wantLength(op, "rows", len(rows), len(at)*HCPE3RowSize); err != nil {
		return 0, err
	}
	for i := range at {
		row := rowOf(rows, i, HCPE3RowSize)
		n := int64(binary.LittleEndian.Uint16(row[countAt:])) * packed.CandidateSize
		if at[i] < 0 || n > int64(len(data)) || at[i] > int64(len(data))-n {
			return 0, fault.New(fault.Argument, op, "candidates from %d to %d of %d bytes", at[i], at[i]+n, len(data)).InRow(i)
		}
		if n != 0 {
			place := first + total/packed.CandidateSize
			if place > 1<<32-1 {
				return 0, fault.New(fault.Argument, op, "more than %d candidates in one array", int64(1)<<32).InRow(i)
			}
			binary.LittleEndian.PutUint32(row[firstAt:], uint32(place))
			if total+n <= int64(len(dst)) {
				copy(dst[total:total+n], data[at[i]:])
			}
		}
		total += n
	}
	if total > int64(len(dst)) {
		return total / packed.CandidateSize, fault.New(fault.Buffer, op, "%d bytes do not fit in %d", total, len(dst))
	}
	return total / packed.CandidateSize, nil
}

// CheckHCPE3 looks at whole games, which lie at data[games[i]:], and counts their rows. A game is bad when it cannot be read, its result byte or opponent has no meaning
// (InvalidValue), a move played is not legal (IllegalMove), or a candidate is no move, is not legal, or all have no visits; that candidates are legal is asked only with
// CheckLegal. Counts are right for bad games too, as HCPE3Rows counts. counts may be empty.
func CheckHCPE3(counts []uint16, data []byte, games []uint64, which Which, check Check, run Run) (bad int, err error) {
	const op = "batch.CheckHCPE3"
	if len(counts) != 0 {
		if err := wantLength(op, "counts", len(counts), len(games)); err != nil {
			return 0, err
		}
	}
	if which > Targets|SkipRepetitions || check > CheckNone {
		return 0, fault.New(fault.Argument, op, "choice of rows %d and check %d, want 0..3 and 0 or 1", which, check)
	}
	return run.each(op, len(games), 1, newWorkspace, func(from, to int, t *tally, w *workspace) {
		for i := from; i < to; i++ {
			r := replay{which: which}
			var first error
			if games[i] >= uint64(len(data)) {
				first = fault.New(fault.Parse, op, "no game at offset %d of %d bytes", games[i], len(data))
			} else {
				r.start(data[games[i]:], w)
				first = r.check(check)
			}
			put(counts, i, uint16(r.rows))
			if first != nil {
				t.fail(i, first)
				continue
			}
			t.good(i)
		}
	})
}

// check goes through a whole game and returns the first thing that is wrong.
func (r *replay) check(check Check) (first error) {
	const op = "batch.CheckHCPE3"
	wrong := func(err error) {
		if first == nil && err != nil {
			first = err
		}
	}
	if r.broken != nil {
		wrong(r.broken)
	} else {
		_, err := packed.Dlshogi.Decode(r.game.Result(), shogi.Black)
		wrong(err)
		if r.game.Opponent() > 2 {
			wrong(fault.New(fault.InvalidValue, op, "opponent %d, want 0..2", r.game.Opponent()))
		}
	}
	for r.left() {
		r.next(func(m packed.HCPE3Move) { wrong(r.candidates(m.Candidates, check)) })
		if r.broken != nil {
			wrong(r.broken)
		}
	}
	return first
}

func (r *replay) candidates(c packed.Candidates, check Check) error {
	const op = "batch.CheckHCPE3"
	visits := 0
	for i := range c.Len() {
		apery, n := c.At(i)
		m := aperyMove(apery)
		if m == shogi.MoveNone {
			return fault.New(fault.InvalidValue, op, "candidate 0x%04x of move %d is no move", uint16(apery), r.played+1)
		}
		if check == CheckLegal && !r.board.Pos.IsLegal(m) {
			return fault.New(fault.IllegalMove, op, "candidate %v of move %d is not legal", m, r.played+1)
		}
		visits += int(n)
	}
	if c.Len() != 0 && visits == 0 {
		return fault.New(fault.InvalidValue, op, "the candidates of move %d have no visits", r.played+1)
	}
	return nil
}

// PackHCPE3 writes rows of HCPE3 as games of the file format to dst: rows of which each continues the one before become one game. They do when playing the move of the
// one gives the position of the other, result and opponent are the same, and the ply is the next one, or neither has one.
//
// Without last, the rows of the last game are left for the next call, since more may follow: used says how many rows were written. The size in bytes is returned also when
// dst is too small, which is a Buffer error. lostPlies counts rows whose ply a reader will take for another, because their game does not begin with ply 1.
//
// A row is bad when its position cannot be read or its candidates are not there; bad rows are left out.
func PackHCPE3(dst []byte, in Packed, last bool, run Run) (size int64, used int, lostPlies int64, bad int, err error) {
	const op = "batch.PackHCPE3"
	n, err := in.rows(op)
	if err != nil {
		return 0, 0, 0, 0, err
	}
	if in.Format != HCPE3 {
		return 0, 0, 0, 0, fault.New(fault.Argument, op, "rows of format %d, want 6 HCPE3", in.Format)
	}
	linked := make([]uint8, n)
	bad, err = run.each(op, n, grainPositions, newWorkspace, func(from, to int, t *tally, w *workspace) {
		for row := from; row < to; row++ {
			if err := in.load(row, w); err != nil {
				linked[row] = isBad
				t.fail(row, err)
				continue
			}
			if _, err := in.candidates(in.row(row)); err != nil {
				linked[row] = isBad
				t.fail(row, err)
				continue
			}
			if row+1 < n && in.continues(row, w) {
				linked[row] = goesOn
			}
			t.good(row)
		}
	})
	if err != nil {
		return 0, 0, 0, bad, err
	}
	guarded(&err, func() { size, used, lostPlies, err = in.pack(dst, linked, last) })
	return size, used, lostPlies, bad, err
}

// What PackHCPE3 notes of a row.
const (
	goesOn = 1 // in the next one
	isBad  = 2
)

func (in Packed) pack(dst []byte, linked []uint8, last bool) (size int64, used int, lostPlies int64, err error) {
	n := len(linked)
	fits := true
	var buffer []byte
	for from := 0; from < n; {
		if linked[from] == isBad {
			from++
			used = from
			continue
		}
		to := from + 1
		for to < n && linked[to-1] == goesOn && linked[to] != isBad && to-from < packed.HCPE3MaxMoves {
			to++
		}
		if to == n && !last {
			break
		}
		head := in.row(from)
		buffer = packed.AppendHCPE3Head(buffer[:0], (*[packed.Size]byte)(head), to-from, head[hcpeResultAt], head[opponentAt])
		for row := from; row < to; row++ {
			raw := in.row(row)
			candidates, _ := in.candidates(raw)
			buffer = packed.AppendHCPE3Move(buffer, packed.HCPE3Move{Move: shogi.AperyMove(binary.LittleEndian.Uint16(raw[moveAt:])),
				Eval: shogi.Eval(binary.LittleEndian.Uint16(raw[evalAt:])), Candidates: candidates})
			if ply := in.ply(raw); ply != 0 && int(ply) != row-from+1 {
				lostPlies++
			}
		}
		if fits = fits && size+int64(len(buffer)) <= int64(len(dst)); fits {
			copy(dst[size:], buffer)
		}
		size += int64(len(buffer))
		from, used = to, to
	}
	if !fits {
		return size, used, lostPlies, fault.New(fault.Buffer, "batch.PackHCPE3", "%d bytes do not fit in %d", size, len(dst))
	}
	return size, used, lostPlies, nil
}

// continues tells whether the next row is the position after the move of this one, which has been loaded, in the same game.
func (in Packed) continues(row int, w *workspace) bool {
	this, next := in.row(row), in.row(row+1)
	if this[hcpeResultAt] != next[hcpeResultAt] || this[opponentAt] != next[opponentAt] {
		return false
	}
	if ply, after := in.ply(this), in.ply(next); after != ply+1 && (ply != 0 || after != 0) {
		return false
	}
	m := aperyMove(binary.LittleEndian.Uint16(this[moveAt:]))
	if !w.pos.IsLegal(m) {
		return false
	}
	w.pos.Do(m)
	var hcp [packed.Size]byte
	return packed.EncodeHCP(&w.pos, &hcp) == nil && hcp == [packed.Size]byte(next[:packed.Size])
}

// Gather copies rows by number: row i of dst is row numbers[i]. A number outside the rows is an Argument error with the row of dst.
func Gather(dst []byte, in Packed, numbers []int64, run Run) error {
	const op = "batch.Gather"
	n, err := in.rows(op)
	if err != nil {
		return err
	}
	size := in.Format.Size()
	if err := wantLength(op, "dst", len(dst), len(numbers)*size); err != nil {
		return err
	}
	run.Status = nil
	_, err = run.each(op, len(numbers), grainNumbers, nil, func(from, to int, t *tally, _ *workspace) {
		for i := from; i < to; i++ {
			row := numbers[i]
			if row < 0 || row >= int64(n) {
				t.fail(i, fault.New(fault.Argument, op, "row %d, want 0..%d", row, n-1))
				continue
			}
			copy(rowOf(dst, i, size), in.row(int(row)))
		}
	})
	return err
}
