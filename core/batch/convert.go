package batch

import (
	"encoding/binary"
	"sync/atomic"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/packed"
	"komadori/core/shogi"
)

// Conversion says how Convert changes rows.
type Conversion struct {
	To Format // format of the result: a position format for positions, a record format for records

	// FlipSide turns the board by 180 degrees and exchanges the sides; MirrorFile exchanges files 1 and 9, 2 and 8, and so on.
	// The best move and candidates follow; evaluations are the mover's and stay; what names Black or White is exchanged by FlipSide.
	FlipSide   bool
	MirrorFile bool

	// Meaning of the result bytes before and after; 0 is the format's own, see Format.Convention.
	From, Into packed.ResultConvention

	// Candidates of the rows made, for HCPE3: as many bytes as in.Candidates where those rows are HCPE3 too, else packed.CandidateSize a row.
	Candidates []byte

	// Lost is added what the new rows do not say that the old ones did. It may be nil.
	Lost *Losses
}

// Losses counts rows by what a conversion loses of them.
type Losses struct {
	Plies      int64 // the ply
	Endings    int64 // how the game ended
	Candidates int64 // moves and visits of candidates, but for the best move
	Untrained  int64 // that the move is no training target: rows without candidates become ordinary ones
	Opponents  int64 // that one side was another engine
	Extras     int64 // a last byte that is unused and not 0
}

// Convert writes every row in another form to dst, which has rows of the target format one after the other. dst may be
// in.Data itself when the rows have the same places.
//
// Positions become positions (HCP, PackedSfen, Board), records become records or, leaving the rest out, positions. A PSV that comes
// from an HCPE or HCPE2 has ply 0, for those do not store it. A row of HCPE3 that comes from another format has one candidate, its best move with one visit.
// When neither the side nor the convention changes, result bytes are copied too, whatever they are. Best moves may be special ones.
//
// A row is bad when its position cannot be decoded or breaks rules, a move is malformed or its result byte has no meaning.
func Convert(dst []byte, in Packed, c Conversion, run Run) (bad int, err error) {
	const op = "batch.Convert"
	n, err := in.rows(op)
	if err != nil {
		return 0, err
	}
	size := c.To.Size()
	if size == 0 || c.To.IsRecord() && !in.Format.IsRecord() {
		return 0, fault.New(fault.Argument, op, "format %d cannot become format %d", in.Format, c.To)
	}
	if err := wantLength(op, "dst", len(dst), n*size); err != nil {
		return 0, err
	}
	if c.To == HCPE3 {
		want := n * packed.CandidateSize
		if in.Format == HCPE3 {
			want = len(in.Candidates)
		}
		if err := wantLength(op, "candidates", len(c.Candidates), want); err != nil {
			return 0, err
		}
	}
	if c.From == 0 {
		c.From = in.Format.Convention()
	}
	if c.Into == 0 {
		c.Into = c.To.Convention()
	}
	for _, convention := range []packed.ResultConvention{c.From, c.Into} {
		if _, err := packed.NewResultConvention(int(convention)); err != nil {
			return 0, fault.New(fault.Argument, op, "result convention %d, want 0..4", convention)
		}
	}
	return run.each(op, n, grainPositions, newWorkspace, func(from, to int, t *tally, w *workspace) {
		var lost Losses
		for row := from; row < to; row++ {
			var out [BoardRowSize]byte
			err := c.row(&out, in, row, w, &lost)
			if err != nil {
				out = [BoardRowSize]byte{}
				t.fail(row, err)
			} else {
				t.good(row)
			}
			copy(rowOf(dst, row, size), out[:size])
		}
		c.Lost.add(&lost)
	})
}

// add adds up what goroutines have lost.
func (l *Losses) add(more *Losses) {
	if l == nil {
		return
	}
	for _, n := range []struct {
		sum  *int64
		more int64
	}{
		{&l.Plies, more.Plies}, {&l.Endings, more.Endings}, {&l.Candidates, more.Candidates},
		{&l.Untrained, more.Untrained}, {&l.Opponents, more.Opponents}, {&l.Extras, more.Extras},
	} {
		if n.more != 0 {
			atomic.AddInt64(n.sum, n.more)
		}
	}
}

func (c *Conversion) row(out *[BoardRowSize]byte, in Packed, row int, w *workspace, lost *Losses) error {
	if !c.To.IsRecord() {
		if err := in.men(row, &w.men); err != nil {
			return err
		}
		c.turn(&w.men)
		if err := w.pos.LoadMen(&w.men); err != nil {
			return err
		}
		return c.To.encode(&w.pos, out[:])
	}
	r, err := in.record(row, w)
	if err != nil {
		return err
	}
	turn := w.men.Turn
	c.turn(&w.men)
	if err := w.pos.LoadMen(&w.men); err != nil {
		return err
	}
	var loss Losses
	raw := in.row(row)
	m := c.move(r.move)
	result, ended, err := c.result(r.result, turn)
	if err != nil {
		return err
	}
	if ended {
		loss.Endings = 1
	}
	candidates, err := in.ownCandidates(raw)
	if err != nil {
		return err
	}
	if in.Format == HCPE3 && c.FlipSide && (r.extra == 1 || r.extra == 2) {
		r.extra ^= 3
	}
	if (in.Format == HCPE3) != (c.To == HCPE3) && r.extra != 0 {
		if in.Format == HCPE3 {
			loss.Opponents = 1
		} else {
			loss.Extras = 1
		}
		r.extra = 0
	}
	ply := in.ply(raw)
	if ply != 0 && !c.To.hasPly() {
		loss.Plies = 1
	}
	if in.Format == HCPE3 && c.To != HCPE3 {
		if candidates.Len() == 0 {
			loss.Untrained = 1
		} else if first, _ := candidates.At(0); candidates.Len() > 1 || uint16(first) != binary.LittleEndian.Uint16(raw[moveAt:]) {
			loss.Candidates = 1
		}
	}
	if c.To == PSV {
		psv := (*[packed.PSVSize]byte)(out[:])
		if err := packed.EncodePSV(&w.pos, m, shogi.Eval(r.eval), result, r.extra, psv); err != nil {
			return err
		}
		binary.LittleEndian.PutUint16(out[psvPlyAt:], ply)
	} else if err := packed.EncodeHCPE(&w.pos, m, shogi.Eval(r.eval), result, r.extra, (*[packed.HCPESize]byte)(out[:])); err != nil {
		return err
	}
	if c.To == HCPE3 {
		binary.LittleEndian.PutUint16(out[hcpe3PlyAt:], ply)
		if err := c.putCandidates(out, in, row, raw, candidates); err != nil {
			return err
		}
	}
	lost.Plies += loss.Plies
	lost.Endings += loss.Endings
	lost.Candidates += loss.Candidates
	lost.Untrained += loss.Untrained
	lost.Opponents += loss.Opponents
	lost.Extras += loss.Extras
	return nil
}

// ownCandidates are those of a row of HCPE3; rows of other formats have none.
func (in Packed) ownCandidates(row []byte) (packed.Candidates, error) {
	if in.Format != HCPE3 {
		return nil, nil
	}
	return in.candidates(row)
}

// putCandidates writes the candidates of a row of HCPE3: the old ones turned, or the best move as the only one.
func (c *Conversion) putCandidates(out *[BoardRowSize]byte, in Packed, row int, raw []byte, old packed.Candidates) error {
	if in.Format != HCPE3 {
		apery := binary.LittleEndian.Uint16(out[moveAt:])
		e := c.Candidates[row*packed.CandidateSize:][:packed.CandidateSize]
		clear(e)
		if aperyMove(apery) == shogi.MoveNone {
			return nil // a special move is nothing to train on
		}
		binary.LittleEndian.PutUint16(e, apery)
		binary.LittleEndian.PutUint16(e[2:], 1)
		binary.LittleEndian.PutUint16(out[countAt:], 1)
		binary.LittleEndian.PutUint32(out[firstAt:], uint32(row))
		return nil
	}
	copy(out[countAt:], raw[countAt:HCPE3RowSize])
	at := int64(binary.LittleEndian.Uint32(raw[firstAt:])) * packed.CandidateSize
	for i := range old.Len() {
		apery, visits := old.At(i)
		m := aperyMove(apery)
		if m == shogi.MoveNone {
			return fault.New(fault.InvalidValue, "batch.Convert", "candidate 0x%04x is no move", uint16(apery))
		}
		turned, err := c.move(m).Apery()
		if err != nil {
			return err
		}
		e := c.Candidates[at+int64(i)*packed.CandidateSize:][:packed.CandidateSize]
		binary.LittleEndian.PutUint16(e, uint16(turned))
		binary.LittleEndian.PutUint16(e[2:], visits)
	}
	return nil
}

// turn applies FlipSide and MirrorFile to a position.
func (c *Conversion) turn(men *board.Men) {
	if c.FlipSide {
		men.FlipSide()
	}
	if c.MirrorFile {
		men.MirrorFile()
	}
}

// move applies them to a move.
func (c *Conversion) move(m shogi.Move) shogi.Move {
	if c.FlipSide {
		m = m.FlipSide()
	}
	if c.MirrorFile {
		m = m.MirrorFile()
	}
	return m
}

// result translates a result byte of a record in which turn was to move; lost is true when the new one does not tell how the game ended.
func (c *Conversion) result(raw uint8, turn shogi.Color) (made uint8, lost bool, err error) {
	if c.From == c.Into && (!c.FlipSide || c.From == packed.YaneuraOu) {
		return raw, false, nil // the same byte: nothing changes, or the side to move takes its result along
	}
	if c.From == packed.Rsshogi && c.Into == packed.Rsshogi {
		made, err = flipGameEnd(raw)
		return made, false, err
	}
	result, err := c.From.Decode(raw, turn)
	if err != nil {
		return 0, false, err
	}
	ending, rest := c.From.Ending(raw)
	if c.FlipSide {
		result, turn = result.FlipSide(), turn.FlipSide()
	}
	made, lost, err = c.Into.EncodeEnding(result, turn, ending)
	return made, lost || rest, err
}

// flipGameEnd exchanges the winners of a wide result code and keeps how it came about.
func flipGameEnd(raw uint8) (uint8, error) {
	end, err := shogi.NewGameEnd(int(raw))
	if err != nil {
		return 0, err
	}
	if r, ok := end.Result(); ok && r != shogi.Draw {
		return raw ^ 1, nil
	}
	return raw, nil
}
