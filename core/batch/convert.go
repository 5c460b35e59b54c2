package batch

import (
	"encoding/binary"

	"komadori/core/fault"
	"komadori/core/packed"
	"komadori/core/shogi"
)

// Conversion says how Convert changes rows.
type Conversion struct {
	To Format // format of the result: a position format for positions, a record format for records

	// FlipSide turns the board by 180 degrees and exchanges the sides; MirrorFile exchanges files 1 and 9, 2 and 8, and so on.
	// The best move follows; evaluations are the mover's and stay; results that name Black or White are exchanged by FlipSide.
	FlipSide   bool
	MirrorFile bool

	// Meaning of the result bytes before and after; 0 is Apery for HCPE and YaneuraOu for PSV.
	From, Into packed.ResultConvention
}

// Convert writes every row in another form to dst, which has rows of the target format one after the other. dst may be
// in.Data itself when the rows have the same places.
//
// Positions become positions (HCP, PackedSfen), records become records or, leaving the rest out, positions. A PSV that comes
// from an HCPE has ply 0, for HCPE does not store it; an HCPE that comes from a PSV loses the ply. The last, unused byte is copied.
// When neither the side nor the convention changes, result bytes are copied too, whatever they are. Best moves may be special ones.
//
// A row is bad when its position cannot be decoded or breaks rules, its move is malformed or its result byte has no meaning.
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
	if c.From == 0 {
		c.From = in.Format.Convention()
	}
	if c.Into == 0 {
		c.Into = c.To.Convention()
	}
	for _, convention := range []packed.ResultConvention{c.From, c.Into} {
		if _, err := packed.NewResultConvention(int(convention)); err != nil {
			return 0, fault.New(fault.Argument, op, "result convention %d, want 0..3", convention)
		}
	}
	return run.each(op, n, grainPositions, newWorkspace, func(from, to int, t *tally, w *workspace) {
		for row := from; row < to; row++ {
			var out [packed.PSVSize]byte
			err := convertRow(&out, in, row, c, w)
			if err != nil {
				out = [packed.PSVSize]byte{}
				t.fail(row, err)
			} else {
				t.good(row)
			}
			copy(rowOf(dst, row, size), out[:size])
		}
	})
}

func convertRow(out *[packed.PSVSize]byte, in Packed, row int, c Conversion, w *workspace) error {
	var r record
	var err error
	if c.To.IsRecord() {
		r, err = in.record(row, w)
	} else {
		err = in.men(row, &w.men)
	}
	if err != nil {
		return err
	}
	turn := w.men.Turn
	if c.FlipSide {
		w.men.FlipSide()
	}
	if c.MirrorFile {
		w.men.MirrorFile()
	}
	if err := w.pos.LoadMen(&w.men); err != nil {
		return err
	}
	if !c.To.IsRecord() {
		return c.To.encode(&w.pos, (*[packed.Size]byte)(out[:]))
	}
	m := r.move
	if c.FlipSide {
		m = m.FlipSide()
	}
	if c.MirrorFile {
		m = m.MirrorFile()
	}
	result, err := c.result(r.result, turn)
	if err != nil {
		return err
	}
	if c.To == HCPE {
		return packed.EncodeHCPE(&w.pos, m, shogi.Eval(r.eval), result, r.extra, (*[packed.HCPESize]byte)(out[:]))
	}
	if err := packed.EncodePSV(&w.pos, m, shogi.Eval(r.eval), result, r.extra, out); err != nil {
		return err
	}
	ply := uint16(0)
	if in.Format == PSV {
		ply = binary.LittleEndian.Uint16(in.row(row)[psvPlyAt:])
	}
	binary.LittleEndian.PutUint16(out[psvPlyAt:], ply)
	return nil
}

// result translates a result byte of a record in which turn was to move.
func (c *Conversion) result(raw uint8, turn shogi.Color) (uint8, error) {
	if c.From == c.Into && (!c.FlipSide || c.From == packed.YaneuraOu) {
		return raw, nil // the same byte: nothing changes, or the side to move takes its result along
	}
	if c.From == packed.Rsshogi && c.Into == packed.Rsshogi {
		return flipGameEnd(raw)
	}
	result, err := c.From.Decode(raw, turn)
	if err != nil {
		return 0, err
	}
	if c.FlipSide {
		result, turn = result.FlipSide(), turn.FlipSide()
	}
	return c.Into.Encode(result, turn)
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
