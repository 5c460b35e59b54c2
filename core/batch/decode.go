package batch

import (
	"math"
	"slices"
	"unsafe"

	"komadori/core/fault"
	"komadori/core/feature"
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
	FlatPlanes int             // of features2: feature.FlatPlanes, also meant by 0, or feature.FlatPlanesKing
	Stack      []feature.Plane // planes of Out.Stack and its like
	NNUE       feature.NNUE    // of Out.NNUE32 and NNUE64
	PadNNUE    bool            // missing men have no index, see feature.WriteNNUE

	Labels  LabelSpace // of labels, masks and policies
	Check   Check
	Results packed.ResultConvention // meaning of result bytes; 0 is the format's own, see Format.Convention

	ValueScale float64 // scale of the evaluations, see Value; 0 is dlshogi's
	Blend      float64 // share of the result in Out.Value, 0..1: value becomes (1-Blend)*value + Blend*result

	Temperature float64 // of policies, see Shares: 1 gives the shares of visits
	PolicyWidth int     // entries a row of the sparse policy

	// Mirror has an entry for each row: other than 0, the row is read with files 1 and 9, 2 and 8, and so on exchanged, in
	// every output. It may be nil. MirrorAll is the same for every row.
	//
	// Where neither is given, MirrorShare of all rows is mirrored, chosen by seed and number of the record, see Mirrored: RowNumbers has the number of
	// each row, or, when it is nil, they are counted from FirstRow.
	//
	// There is no such option for flip_side: all outputs but Turn, Key, Move and planes that are named after colors are seen by the side to move and do not change by it.
	Mirror      []uint8
	MirrorAll   bool
	MirrorShare float64
	MirrorSeed  uint64
	FirstRow    uint64
	RowNumbers  []uint64
}

// Out is the caller's memory for the outputs of Decode; what is nil is left out. Each has a row for each record.
type Out struct {
	// dlshogi's planes as float32: feature.BoardSize numbers a row, and feature.FlatSize or feature.FlatSizeKing.
	Features1, Features2 []float32
	// The same as 16-bit floats, as bytes 0 and 1, and as bits: feature.BoardBytes a row, and feature.FlatBytes or feature.FlatBytesKing.
	Half1, Half2   []feature.Half
	Bytes1, Bytes2 []uint8
	Bits1, Bits2   []byte

	// The planes of Options.Stack, 81 elements each; as bits all in one row, filled up to a byte.
	Stack      []float32
	StackHalf  []feature.Half
	StackBytes []uint8
	StackBits  []byte

	// Indices of NNUE inputs: Options.NNUE.Active() as the side to move sees it, then as many as the other side does.
	NNUE32 []int32
	NNUE64 []int64

	// The label of the best move.
	Label64 []int64
	Label32 []int32
	Label16 []uint16

	// Labels of legal moves, in bytes 0 and 1 or in bits: MaskSize a row.
	Mask, MaskBits []byte

	// What a policy head should say: a share for each label, from the visits of a search, or all for the best move where the format has none. Rows of HCPE3 without
	// candidates are no target: all zero. Sparse: labels, filled up with -1, and their shares, Options.PolicyWidth a row; a row with more candidates is bad.
	Policy        []float32
	PolicyLabels  []int32
	PolicyWeights []float32

	Value  []float32 // winning probability by the evaluation, see Value and Options.Blend
	Result []float32 // 1 the side to move won, 0.5 draw, 0 it lost
	Ending []uint8   // how the game ended, see packed.ByRepetition; 0 where the result byte does not tell

	Move []uint16 // the best move, a shogi.Move
	Eval []int16  // the evaluation as it is stored, seen by the side to move
	Turn []uint8  // side to move
	Ply  []uint16 // of PSV and HCPE3; 1 for HCPE and HCPE2, which have none
	Key  []uint64 // key of the position, see board.Position.Key
}

type decoder struct {
	in      Packed
	out     *Out
	options Options
	outputs []output
	stack   *feature.Stack
	flat    int // elements of a row of features2
	classes int // labels of the space
	width   int // of the sparse policy
	king    bool
	planes  bool
	labels  bool
	policy  bool
	masks   bool
	nnue    bool
	stream  bool
}

// An output is an array of Out that is there.
type output struct {
	name             string
	length, row, all int // entries, entries a row, bytes
	zero             func(row int)
}

// add notes an output with so many entries a row.
func add[T any](d *decoder, name string, a []T, row int) bool {
	if len(a) == 0 {
		return false
	}
	var entry T
	d.outputs = append(d.outputs, output{name, len(a), row, len(a) * int(unsafe.Sizeof(entry)), func(i int) { clear(rowOf(a, i, row)) }})
	return true
}

// Decode turns records into the inputs and targets of training. It returns how many rows are bad; see Run.
//
// A row is bad when its position cannot be decoded (Parse) or breaks rules (InvalidPosition), when its best move is
// special or malformed or its result byte has no meaning (InvalidValue), when the move has no label in the space asked for (InvalidValue), and,
// with CheckLegal, when the move is not legal (IllegalMove). With a policy the same is asked of candidates, some of which must have visits.
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
	newSpace := newWorkspace
	if d.stack != nil {
		newSpace = func() *workspace { return &workspace{stack: d.stack.Clone()} }
	}
	return run.each(op, n, grainPlanes, newSpace, func(from, to int, t *tally, w *workspace) {
		for row := from; row < to; row++ {
			if err := d.row(row, w); err != nil {
				d.zero(row)
				t.fail(row, err)
				continue
			}
			t.good(row)
		}
		if d.stream {
			for i := range w.streams {
				w.streams[i].Flush()
			}
			feature.Fence()
		}
	})
}

// The streams of a workspace: two for each kind of numbers in planes, and one for each in stacks.
const (
	floatStream = 0
	halfStream  = 2
	byteStream  = 4
	stackStream = 6
	streamCount = 9
)

// streamOf is one of the streams of a workspace, or nil where rows go through the caches.
func (d *decoder) streamOf(w *workspace, i int) *feature.Stream {
	if !d.stream {
		return nil
	}
	return &w.streams[i]
}

// streamFrom is the size of a result in bytes from which on its rows are stored past the caches: what a core can count on of a cache that others use, too.
const streamFrom = 12 << 20

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
	switch {
	case o.Labels > CompactLabels || o.Check > CheckNone:
		return fault.New(fault.Argument, op, "label space %d and check %d, want 0 or 1", o.Labels, o.Check)
	case !(o.ValueScale >= 0) || o.ValueScale > 1e9:
		return fault.New(fault.Argument, op, "value scale %v, want a positive number or 0 for dlshogi's", o.ValueScale)
	case !(o.Blend >= 0 && o.Blend <= 1):
		return fault.New(fault.Argument, op, "blend %v, want 0..1", o.Blend)
	case !(o.Temperature >= 0) || math.IsInf(o.Temperature, 1):
		return fault.New(fault.Argument, op, "temperature %v, want 0 or more", o.Temperature)
	case o.PolicyWidth < 0 || o.PolicyWidth > packed.HCPE3MaxCandidates:
		return fault.New(fault.Argument, op, "%d entries of a sparse policy, want at most %d", o.PolicyWidth, packed.HCPE3MaxCandidates)
	}
	if err := o.checkMirror(op, n); err != nil {
		return err
	}
	d.classes, d.width = MaskSize(o.Labels, false), o.PolicyWidth
	add(d, "features1", out.Features1, feature.BoardSize)
	add(d, "features2", out.Features2, d.flat)
	add(d, "half features1", out.Half1, feature.BoardSize)
	add(d, "half features2", out.Half2, d.flat)
	add(d, "uint8 features1", out.Bytes1, feature.BoardSize)
	add(d, "uint8 features2", out.Bytes2, d.flat)
	add(d, "features1 bits", out.Bits1, feature.BoardBytes)
	add(d, "features2 bits", out.Bits2, flatBytes)
	d.planes = len(d.outputs) != 0
	if len(out.Stack)+len(out.StackHalf)+len(out.StackBytes)+len(out.StackBits) != 0 {
		var err error
		if d.stack, err = feature.NewStack(o.Stack); err != nil {
			return err
		}
		add(d, "planes", out.Stack, d.stack.Size())
		add(d, "half planes", out.StackHalf, d.stack.Size())
		add(d, "uint8 planes", out.StackBytes, d.stack.Size())
		add(d, "planes bits", out.StackBits, d.stack.Bytes())
	}
	if len(out.NNUE32)+len(out.NNUE64) != 0 {
		if _, err := feature.NewNNUE(int(o.NNUE)); err != nil {
			return fault.New(fault.Argument, op, "NNUE numbering %d, want 1..3", o.NNUE)
		}
		d.nnue = true
		add(d, "int32 NNUE indices", out.NNUE32, 2*o.NNUE.Active())
		add(d, "int64 NNUE indices", out.NNUE64, 2*o.NNUE.Active())
	}
	for _, there := range []bool{add(d, "label", out.Label64, 1), add(d, "label", out.Label32, 1), add(d, "label", out.Label16, 1)} {
		d.labels = d.labels || there
	}
	for _, there := range []bool{add(d, "mask", out.Mask, d.classes), add(d, "mask bits", out.MaskBits, MaskSize(o.Labels, true))} {
		d.masks = d.masks || there
	}
	for _, there := range []bool{add(d, "policy", out.Policy, d.classes), add(d, "policy labels", out.PolicyLabels, d.width), add(d, "policy weights", out.PolicyWeights, d.width)} {
		d.policy = d.policy || there
	}
	add(d, "value", out.Value, 1)
	add(d, "result", out.Result, 1)
	add(d, "ending", out.Ending, 1)
	add(d, "move", out.Move, 1)
	add(d, "eval", out.Eval, 1)
	add(d, "turn", out.Turn, 1)
	add(d, "ply", out.Ply, 1)
	add(d, "key", out.Key, 1)
	bytes := 0
	for _, array := range d.outputs {
		if err := wantLength(op, array.name, array.length, n*array.row); err != nil {
			return err
		}
		bytes += array.all
	}
	d.stream = bytes >= streamFrom
	return nil
}

// row decodes one record.
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
	mirrored := d.options.mirrors(row)
	if mirrored {
		w.men.MirrorFile()
		m = m.MirrorFile()
	}
	if err := w.pos.LoadMen(&w.men); err != nil {
		return err
	}
	legal := d.options.Check != CheckLegal
	if d.masks {
		w.pos.Legal(&w.list)
		legal = legal || slices.Contains(w.list.Slice(), m)
	}
	if !legal && (d.masks || !w.pos.IsLegal(m)) {
		return fault.New(fault.IllegalMove, op, "best move %v is not legal", m)
	}
	if d.planes {
		if err := w.set.LoadWith(&w.pos, d.king, &w.scratch); err != nil {
			return err
		}
	}
	if d.stack != nil {
		if err := w.stack.Load(&w.pos); err != nil {
			return err
		}
	}
	if d.labels || d.policy {
		class, ok := d.class(m, turn)
		if !ok {
			return fault.New(fault.InvalidValue, op, "best move %v has no compact label: no piece moves so", m)
		}
		if d.policy {
			if err := d.policyOf(row, w, class, mirrored); err != nil {
				return err
			}
		}
		d.label(row, class)
	}
	// From here on nothing can fail.
	if d.policy {
		d.writePolicy(row, &w.policy)
	}
	if d.planes {
		d.write(row, w)
	}
	if d.stack != nil {
		d.writeStack(row, w)
	}
	if d.nnue {
		writeNNUE(d, row, w, d.out.NNUE32)
		writeNNUE(d, row, w, d.out.NNUE64)
	}
	if d.masks {
		if len(d.out.Mask) != 0 {
			writeMask(rowOf(d.out.Mask, row, d.classes), &w.list, turn, d.options.Labels, false)
		}
		if len(d.out.MaskBits) != 0 {
			writeMask(rowOf(d.out.MaskBits, row, (d.classes+7)/8), &w.list, turn, d.options.Labels, true)
		}
	}
	d.numbers(row, w, &r, m, result)
	return nil
}

// writeNNUE writes the indices of both perspectives; both kings are there, or the position would not have been read.
func writeNNUE[T feature.Index](d *decoder, row int, w *workspace, dst []T) {
	if len(dst) == 0 {
		return
	}
	n, turn := d.options.NNUE.Active(), w.men.Turn
	both := rowOf(dst, row, 2*n)
	_ = feature.WriteNNUE(d.options.NNUE, &w.pos, turn, d.options.PadNNUE, both[:n])
	_ = feature.WriteNNUE(d.options.NNUE, &w.pos, turn.Opposite(), d.options.PadNNUE, both[n:])
}

func (d *decoder) writeStack(row int, w *workspace) {
	writeStack(w.stack, row, d.out.Stack, d.streamOf(w, stackStream))
	writeStack(w.stack, row, d.out.StackHalf, d.streamOf(w, stackStream+1))
	writeStack(w.stack, row, d.out.StackBytes, d.streamOf(w, stackStream+2))
	if len(d.out.StackBits) != 0 {
		w.stack.Bits(rowOf(d.out.StackBits, row, w.stack.Bytes()))
	}
}

func writeStack[T feature.Element](s *feature.Stack, row int, dst []T, stream *feature.Stream) {
	if len(dst) != 0 {
		feature.WriteStack(s, rowOf(dst, row, s.Size()), stream)
	}
}

func (d *decoder) write(row int, w *workspace) {
	s := &w.set
	writePlanes(d, w, row, d.out.Features1, d.out.Features2, floatStream)
	writePlanes(d, w, row, d.out.Half1, d.out.Half2, halfStream)
	writePlanes(d, w, row, d.out.Bytes1, d.out.Bytes2, byteStream)
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

func writePlanes[T feature.Element](d *decoder, w *workspace, row int, f1, f2 []T, stream int) {
	if len(f1) != 0 {
		f1 = rowOf(f1, row, feature.BoardSize)
	}
	if len(f2) != 0 {
		f2 = rowOf(f2, row, d.flat)
	}
	if len(f1)+len(f2) != 0 {
		feature.WritePlanes(&w.set, f1, f2, d.streamOf(w, stream), d.streamOf(w, stream+1))
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
		value := Value(r.eval, d.options.ValueScale)
		if blend := float32(d.options.Blend); blend != 0 {
			value = (1-blend)*value + blend*resultFor(result, turn)
		}
		out.Value[row] = value
	}
	if len(out.Result) != 0 {
		out.Result[row] = resultFor(result, turn)
	}
	if len(out.Ending) != 0 {
		out.Ending[row], _ = d.options.Results.Ending(r.result)
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
	for i := range d.outputs {
		d.outputs[i].zero(row)
	}
}
