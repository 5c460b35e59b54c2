package batch

import (
	"encoding/binary"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/feature"
	"komadori/core/packed"
	"komadori/core/shogi"
)

// A Format is a fixed-size row that begins with a packed position. Numbers are part of the C interface.
type Format uint8

const (
	HCP        Format = 1 // 32 bytes, Apery's Huffman code
	PackedSfen Format = 2 // 32 bytes, YaneuraOu's
	HCPE       Format = 3 // 38 bytes: HCP, evaluation, best move, result
	PSV        Format = 4 // 40 bytes: PackedSfen, score, move, ply, result
)

// Size is the length of a row in bytes, 0 for an unknown format.
func (f Format) Size() int {
	switch f {
	case HCP, PackedSfen:
		return packed.Size
	case HCPE:
		return packed.HCPESize
	case PSV:
		return packed.PSVSize
	}
	return 0
}

// IsRecord tells whether rows have a move, an evaluation and a result.
func (f Format) IsRecord() bool { return f == HCPE || f == PSV }

// isHCP tells whether the position is in Apery's code.
func (f Format) isHCP() bool { return f == HCP || f == HCPE }

// Convention is the meaning that result bytes of the format have where nothing else is said.
func (f Format) Convention() packed.ResultConvention {
	if f.isHCP() {
		return packed.Apery
	}
	return packed.YaneuraOu
}

// Packed is an array of rows. Functions that need positions alone accept any format and read the first 32 bytes of each row.
type Packed struct {
	Data   []byte
	Format Format
	Stride int // bytes from row to row; 0 means that rows follow each other
}

// Places in the rows of both record formats, and of PSV and HCPE alone.
const (
	evalAt       = 32
	moveAt       = 34
	hcpeResultAt = 36
	psvPlyAt     = 36
	psvResultAt  = 38
)

// Rows counts the rows. Data that does not end with a whole row is an Argument error.
func (in Packed) Rows() (int, error) { return in.rows("batch.Packed.Rows") }

func (in Packed) rows(op string) (int, error) {
	size, stride := in.Format.Size(), in.stride()
	switch {
	case size == 0:
		return 0, fault.New(fault.Argument, op, "format %d, want 1 HCP, 2 PackedSfen, 3 HCPE or 4 PSV", in.Format)
	case stride < size:
		return 0, fault.New(fault.Argument, op, "stride of %d bytes, want at least %d", in.Stride, size)
	case len(in.Data) == 0:
		return 0, nil
	}
	// The last row may end at its own size instead of at the stride.
	n := (len(in.Data) + stride - size) / stride
	if rest := len(in.Data) - ((n-1)*stride + size); n == 0 || rest != 0 && rest != stride-size {
		return 0, fault.New(fault.Argument, op, "%d bytes are no whole number of rows of %d", len(in.Data), stride)
	}
	return n, nil
}

func (in Packed) stride() int {
	if in.Stride == 0 {
		return in.Format.Size()
	}
	return in.Stride
}

// row is the bytes of a row.
func (in Packed) row(i int) []byte {
	at := i * in.stride()
	return in.Data[at : at+in.Format.Size()]
}

// load reads the position of a row.
func (in Packed) load(i int, w *workspace) error {
	if err := in.men(i, &w.men); err != nil {
		return err
	}
	return w.pos.LoadMen(&w.men)
}

// men reads the position of a row as a list.
func (in Packed) men(i int, m *board.Men) (err error) {
	row := in.row(i)
	if in.Format.isHCP() {
		return packed.DecodeHCPMen((*[packed.Size]byte)(row), m)
	}
	if err = packed.DecodePackedSfenMen((*[packed.Size]byte)(row), m); err == nil && in.Format == PSV {
		m.Ply = max(1, int32(binary.LittleEndian.Uint16(row[psvPlyAt:])))
	}
	return err
}

// A record is what a row of HCPE or PSV holds besides its position.
type record struct {
	move   shogi.Move
	eval   int16
	result uint8 // as it is stored
	extra  uint8
}

// record reads a record, its position into w.men.
func (in Packed) record(i int, w *workspace) (r record, err error) {
	const op = "batch.Packed"
	if err := in.men(i, &w.men); err != nil {
		return r, err
	}
	row := in.row(i)
	raw := binary.LittleEndian.Uint16(row[moveAt:])
	r.eval = int16(binary.LittleEndian.Uint16(row[evalAt:]))
	r.move = shogi.Move(raw)
	at := psvResultAt
	if in.Format == HCPE {
		at = hcpeResultAt
		if r.move = aperyMoves[raw]; r.move == shogi.MoveNone {
			r.move = shogi.Move(raw) // special moves have the same numbers in both layouts
		}
	}
	r.result, r.extra = row[at], row[at+1]
	if !r.move.IsSpecial() && (!r.move.IsNormal() || in.Format == HCPE && aperyMoves[raw] == shogi.MoveNone) {
		return r, fault.New(fault.InvalidValue, op, "best move 0x%04x is no move", raw).At(moveAt)
	}
	return r, nil
}

// encode writes the position in the format's code.
func (f Format) encode(p *board.Position, out *[packed.Size]byte) error {
	if f.isHCP() {
		return packed.EncodeHCP(p, out)
	}
	return packed.EncodePackedSfen(p, out)
}

// A workspace is what a goroutine needs for a row; it is used again and again.
type workspace struct {
	men   board.Men
	pos   board.Position
	set   feature.Set
	list  board.MoveList
	moves []uint16
	text  []byte
}

func newWorkspace() *workspace { return new(workspace) }

// Rows in a chunk, so that a chunk takes about a tenth of a millisecond.
const (
	grainPlanes    = 32
	grainPositions = 128
	grainNumbers   = 8192
)

// eachPosition calls fn for every row with the position read into w.pos, and zero for every bad one.
func (run Run) eachPosition(op string, in Packed, fn func(row int, w *workspace) error, zero func(row int)) (bad int, err error) {
	n, err := in.rows(op)
	if err != nil {
		return 0, err
	}
	return run.each(op, n, grainPositions, newWorkspace, func(from, to int, t *tally, w *workspace) {
		for row := from; row < to; row++ {
			err := in.load(row, w)
			if err == nil {
				err = fn(row, w)
			}
			if err != nil {
				zero(row)
				t.fail(row, err)
				continue
			}
			t.good(row)
		}
	})
}

// wantLength checks that an output has an entry for each row.
func wantLength(op, name string, got, want int) error {
	if got != want {
		return fault.New(fault.Argument, op, "%s has %d entries, want %d", name, got, want)
	}
	return nil
}

// wantMove checks that a best move can be a move of the game.
func wantMove(op string, m shogi.Move) error {
	if !m.IsNormal() {
		return fault.New(fault.InvalidValue, op, "best move 0x%04x (%v) is no move of the game", uint16(m), m)
	}
	return nil
}
