package batch

import (
	"komadori/core/fault"
	"komadori/core/feature"
	"komadori/core/label"
	"komadori/core/packed"
	"komadori/core/shogi"
)

// A LabelSpace is one of the two numberings of policy labels.
type LabelSpace uint8

const (
	FullLabels    LabelSpace = 0 // 0..2186
	CompactLabels LabelSpace = 1 // 0..1495
)

// A Check says what is asked of a record's best move.
type Check uint8

const (
	// CheckLegal makes rows bad whose best move is not in the complete list of legal moves.
	CheckLegal Check = 0
	// CheckNone trusts that moves of the game are legal. Special and malformed moves, and rows that cannot be decoded, are bad all the same.
	CheckNone Check = 1
)

// Options of Decode. The zero value gives dlshogi's inputs with full labels from checked rows.
type Options struct {
	FlatPlanes int        // of features2: feature.FlatPlanes, also meant by 0, or feature.FlatPlanesKing
	Labels     LabelSpace // of the label outputs
	Check      Check
	Results    packed.ResultConvention // meaning of result bytes; 0 is Apery for HCPE, YaneuraOu for PSV
	ValueScale float64                 // scale of the evaluations, see Value; 0 is dlshogi's

	// Mirror has an entry for each row: other than 0, the row is read with files 1 and 9, 2 and 8, and so on exchanged, in
	// every output. It may be nil. MirrorAll is the same for every row.
	//
	// There is no such option for flip_side: all outputs but Turn, Key and Move are seen by the side to move and do not change by it.
	Mirror    []uint8
	MirrorAll bool
}

// Out is the caller's memory for the outputs of Decode; what is nil is left out. Each has a row for each record.
type Out struct {
	// dlshogi's planes as float32: feature.BoardSize numbers a row, and feature.FlatSize or feature.FlatSizeKing.
	Features1, Features2 []float32
	// The same as 16-bit floats, as bytes 0 and 1, and as bits: feature.BoardBytes a row, and feature.FlatBytes or feature.FlatBytesKing.
	Half1, Half2   []feature.Half
	Bytes1, Bytes2 []uint8
	Bits1, Bits2   []byte

	// The label of the best move.
	Label64 []int64
	Label32 []int32
	Label16 []uint16

	Value  []float32 // winning probability by the evaluation, see Value
	Result []float32 // 1 the side to move won, 0.5 draw, 0 it lost

	Move []uint16 // the best move, a shogi.Move
	Eval []int16  // the evaluation as it is stored, seen by the side to move
	Turn []uint8  // side to move
	Ply  []uint16 // of PSV; 1 for HCPE, which has none
	Key  []uint64 // key of the position, see board.Position.Key
}

type decoder struct {
	in      Packed
	out     *Out
	options Options
	flat    int // elements of a row of features2
	king    bool
	planes  bool
	labels  bool
	stream  bool
}

// Decode turns HCPE or PSV records into the inputs and targets of training. It returns how many rows are bad; see Run.
//
// A row is bad when its position cannot be decoded (Parse) or breaks rules (InvalidPosition), when its best move is
// special or malformed or its result byte has no meaning (InvalidValue), when the move has no label in the space asked for (InvalidValue), and,
// with CheckLegal, when the move is not legal (IllegalMove).
func Decode(in Packed, options Options, out *Out, run Run) (bad int, err error) {
	const op = "batch.Decode"
	n, err := in.rows(op)
	if err != nil {
		return 0, err
	}
	d := decoder{in: in, out: out, options: options}
	if err := d.prepare(op, n); err != nil {
		return 0, err
	}
	return run.each(op, n, grainPlanes, newWorkspace, func(from, to int, t *tally, w *workspace) {
		for row := from; row < to; row++ {
			if err := d.row(row, w); err != nil {
				d.zero(row)
				t.fail(row, err)
				continue
			}
			t.good(row)
		}
		if d.stream {
			feature.Fence()
		}
	})
}

// streamFrom is the size of a result in bytes from which on its rows are stored past the caches.
const streamFrom = 32 << 20

func (d *decoder) prepare(op string, n int) error {
	o, out := &d.options, d.out
	if !d.in.Format.IsRecord() {
		return fault.New(fault.Argument, op, "format %d holds no records, want 3 HCPE, 4 PSV, 5 HCPE2 or 6 HCPE3", d.in.Format)
	}
	if o.Results == 0 {
		o.Results = d.in.Format.Convention()
	}
	if _, err := packed.NewResultConvention(int(o.Results)); err != nil {
		return fault.New(fault.Argument, op, "result convention %d, want 0..4", o.Results)
	}
	flatBytes := feature.FlatBytes
	switch o.FlatPlanes {
	case 0, feature.FlatPlanes:
		d.flat = feature.FlatSize
	case feature.FlatPlanesKing:
		d.flat, d.king, flatBytes = feature.FlatSizeKing, true, feature.FlatBytesKing
	default:
		return fault.New(fault.Argument, op, "%d planes of features2, want 57 or 119", o.FlatPlanes)
	}
	if o.Labels > CompactLabels || o.Check > CheckNone {
		return fault.New(fault.Argument, op, "label space %d and check %d, want 0 or 1", o.Labels, o.Check)
	}
	if !(o.ValueScale >= 0) || o.ValueScale > 1e9 {
		return fault.New(fault.Argument, op, "value scale %v, want a positive number or 0 for dlshogi's", o.ValueScale)
	}
	bytes := 0
	for _, array := range []struct {
		name           string
		got, row, size int
		planes         bool
	}{
		{"features1", len(out.Features1), feature.BoardSize, 4, true},
		{"features2", len(out.Features2), d.flat, 4, true},
		{"half features1", len(out.Half1), feature.BoardSize, 2, true},
		{"half features2", len(out.Half2), d.flat, 2, true},
		{"uint8 features1", len(out.Bytes1), feature.BoardSize, 1, true},
		{"uint8 features2", len(out.Bytes2), d.flat, 1, true},
		{"features1 bits", len(out.Bits1), feature.BoardBytes, 1, true},
		{"features2 bits", len(out.Bits2), flatBytes, 1, true},
		{"label", len(out.Label64), 1, 8, false},
		{"label", len(out.Label32), 1, 4, false},
		{"label", len(out.Label16), 1, 2, false},
		{"value", len(out.Value), 1, 4, false},
		{"result", len(out.Result), 1, 4, false},
		{"move", len(out.Move), 1, 2, false},
		{"eval", len(out.Eval), 1, 2, false},
		{"turn", len(out.Turn), 1, 1, false},
		{"ply", len(out.Ply), 1, 2, false},
		{"key", len(out.Key), 1, 8, false},
		{"mirror", len(o.Mirror), 1, 1, false},
	} {
		if array.got == 0 {
			continue
		}
		if err := wantLength(op, array.name, array.got, n*array.row); err != nil {
			return err
		}
		bytes += array.got * array.size
		d.planes = d.planes || array.planes
	}
	d.labels = len(out.Label64)+len(out.Label32)+len(out.Label16) != 0
	d.stream = bytes >= streamFrom
	return nil
}

// row decodes one record. On an error it has written nothing.
func (d *decoder) row(row int, w *workspace) error {
	const op = "batch.Decode"
	r, err := d.in.record(row, w)
	if err != nil {
		return err
	}
	m := r.move
	if err := wantMove(op, m); err != nil {
		return err
	}
	turn := w.men.Turn
	result, err := d.options.Results.Decode(r.result, turn)
	if err != nil {
		return err
	}
	if d.options.MirrorAll || len(d.options.Mirror) != 0 && d.options.Mirror[row] != 0 {
		w.men.MirrorFile()
		m = m.MirrorFile()
	}
	if err := w.pos.LoadMen(&w.men); err != nil {
		return err
	}
	if d.options.Check == CheckLegal && !w.pos.IsLegal(m) {
		return fault.New(fault.IllegalMove, op, "best move %v is not legal", m)
	}
	if d.planes {
		if err := w.set.Load(&w.pos, d.king); err != nil {
			return err
		}
	}
	if d.labels {
		l, ok := label.FromMove(m, turn)
		class := uint16(l)
		if ok && d.options.Labels == CompactLabels {
			var c label.Compact
			c, ok = l.Compact()
			class = uint16(c)
		}
		if !ok {
			return fault.New(fault.InvalidValue, op, "best move %v has no compact label: no piece moves so", m)
		}
		d.label(row, class)
	}
	if d.planes {
		d.write(row, &w.set)
	}
	d.numbers(row, w, &r, m, result)
	return nil
}

func (d *decoder) write(row int, s *feature.Set) {
	writePlanes(s, row, d.out.Features1, d.out.Features2, d.flat, d.stream)
	writePlanes(s, row, d.out.Half1, d.out.Half2, d.flat, d.stream)
	writePlanes(s, row, d.out.Bytes1, d.out.Bytes2, d.flat, d.stream)
	if len(d.out.Bits1) != 0 {
		s.BoardBits(rowOf(d.out.Bits1, row, feature.BoardBytes))
	}
	if len(d.out.Bits2) != 0 {
		s.FlatBits(rowOf(d.out.Bits2, row, d.flatBytes()))
	}
}

func (d *decoder) flatBytes() int {
	if d.king {
		return feature.FlatBytesKing
	}
	return feature.FlatBytes
}

func writePlanes[T feature.Element](s *feature.Set, row int, f1, f2 []T, flat int, stream bool) {
	if len(f1) != 0 {
		feature.WriteBoard(s, rowOf(f1, row, feature.BoardSize), stream)
	}
	if len(f2) != 0 {
		feature.WriteFlat(s, rowOf(f2, row, flat), stream)
	}
}

// rowOf is a row of an output that has size elements a row.
func rowOf[T any](a []T, row, size int) []T { return a[row*size : (row+1)*size] }

func (d *decoder) label(row int, class uint16) {
	put(d.out.Label64, row, int64(class))
	put(d.out.Label32, row, int32(class))
	put(d.out.Label16, row, class)
}

func (d *decoder) numbers(row int, w *workspace, r *record, m shogi.Move, result shogi.GameResult) {
	out, turn := d.out, w.men.Turn
	if len(out.Value) != 0 {
		out.Value[row] = Value(r.eval, d.options.ValueScale)
	}
	if len(out.Result) != 0 {
		out.Result[row] = resultFor(result, turn)
	}
	put(out.Move, row, uint16(m))
	put(out.Eval, row, r.eval)
	put(out.Turn, row, uint8(turn))
	put(out.Ply, row, uint16(min(w.men.Ply, 65535)))
	put(out.Key, row, w.pos.Key())
}

func put[T any](a []T, row int, v T) {
	if len(a) != 0 {
		a[row] = v
	}
}

// resultFor is a result as a number, seen by a side.
func resultFor(r shogi.GameResult, c shogi.Color) float32 {
	switch {
	case r == shogi.Draw:
		return 0.5
	case uint8(r) == uint8(c):
		return 1
	}
	return 0
}

// zero fills a bad row.
func (d *decoder) zero(row int) {
	out := d.out
	zeroRow(out.Features1, row, feature.BoardSize)
	zeroRow(out.Features2, row, d.flat)
	zeroRow(out.Half1, row, feature.BoardSize)
	zeroRow(out.Half2, row, d.flat)
	zeroRow(out.Bytes1, row, feature.BoardSize)
	zeroRow(out.Bytes2, row, d.flat)
	zeroRow(out.Bits1, row, feature.BoardBytes)
	zeroRow(out.Bits2, row, d.flatBytes())
	d.label(row, 0)
	put(out.Value, row, 0)
	put(out.Result, row, 0)
	put(out.Move, row, 0)
	put(out.Eval, row, 0)
	put(out.Turn, row, 0)
	put(out.Ply, row, 0)
	put(out.Key, row, 0)
}

func zeroRow[T any](a []T, row, size int) {
	if len(a) != 0 {
		clear(rowOf(a, row, size))
	}
}
