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
	HCPE2      Format = 5 // 38 bytes: HCPE whose result byte also tells how the game ended
	HCPE3      Format = 6 // 48 bytes: a position of a game of HCPE3, see HCPE3Rows; its candidates lie elsewhere
	Board      Format = 7 // 96 bytes: a piece for each square, hands of Black and White (P L N S B R G each), side to move
)

// BoardRowSize is the length of a row of Board. Unlike the packed forms, it holds positions without kings too.
const BoardRowSize = shogi.SquareCount + 2*7 + 1

// HCPE3RowSize is the length of a row of HCPE3: an HCPE2 with the opponent in its last byte, then ply, number of candidates, what is wrong
// with the row (0 or a fault.Kind) and the index of its first candidate in Packed.Candidates.
const HCPE3RowSize = 48

// Size is the length of a row in bytes, 0 for an unknown format.
func (f Format) Size() int {
	switch f {
	case HCP, PackedSfen:
		return packed.Size
	case HCPE, HCPE2:
		return packed.HCPESize
	case PSV:
		return packed.PSVSize
	case HCPE3:
		return HCPE3RowSize
	case Board:
		return BoardRowSize
	}
	return 0
}

// IsRecord tells whether rows have a move, an evaluation and a result.
func (f Format) IsRecord() bool { return f >= HCPE && f <= HCPE3 }

// isHCP tells whether the position, and the move, is in Apery's code.
func (f Format) isHCP() bool { return f != PackedSfen && f != PSV && f != Board }

// hasPly tells whether rows say how far the game is.
func (f Format) hasPly() bool { return f == PSV || f == HCPE3 }

// Convention is the meaning that result bytes of the format have where nothing else is said.
func (f Format) Convention() packed.ResultConvention {
	switch f {
	case PSV, PackedSfen:
		return packed.YaneuraOu
	case HCPE2, HCPE3:
		return packed.Dlshogi
	}
	return packed.Apery
}

// Packed is an array of rows. Functions that need positions alone accept any format and leave the rest of records alone.
type Packed struct {
	Data   []byte
	Format Format
	Stride int // bytes from row to row; 0 means that rows follow each other

	// Candidates of rows of HCPE3, packed.CandidateSize bytes each, in any order: each row says where its own are.
	Candidates []byte
}

// Places in the rows of all record formats, of PSV, of those with HCP, and of HCPE3.
const (
	evalAt       = 32
	moveAt       = 34
	psvPlyAt     = 36
	psvResultAt  = 38
	hcpeResultAt = 36
	opponentAt   = 37
	hcpe3PlyAt   = 38
	countAt      = 40
	statusAt     = 42
	firstAt      = 44
)

// Rows counts the rows. Data that does not end with a whole row is an Argument error.
func (in Packed) Rows() (int, error) { return in.rows("batch.Packed.Rows") }

func (in Packed) rows(op string) (int, error) {
	size, stride := in.Format.Size(), in.stride()
	switch {
	case size == 0:
		return 0, fault.New(fault.Argument, op, "format %d, want 1 HCP, 2 PackedSfen, 3 HCPE, 4 PSV, 5 HCPE2, 6 HCPE3 or 7 board", in.Format)
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
	switch in.Format {
	case Board:
		return boardMen((*[BoardRowSize]byte)(row), m)
	case PackedSfen, PSV:
		err = packed.DecodePackedSfenMen((*[packed.Size]byte)(row), m)
	case HCPE3:
		if kind := fault.Kind(int16(binary.LittleEndian.Uint16(row[statusAt:]))); kind != 0 {
			return fault.New(kind, "batch.Packed", "the row could not be read from its game")
		}
		fallthrough
	default:
		err = packed.DecodeHCPMen((*[packed.Size]byte)(row), m)
	}
	if err == nil && in.Format.hasPly() {
		m.Ply = max(1, int32(in.ply(row)))
	}
	return err
}

// boardMen reads a row of Board. What is no position in a way that a list cannot hold is refused here, the rest by LoadMen.
func boardMen(row *[BoardRowSize]byte, m *board.Men) error {
	m.Count, m.Turn, m.Ply, m.Hands = 0, shogi.Color(row[BoardRowSize-1]), 1, [2]shogi.Hand{}
	for sq, raw := range row[:shogi.SquareCount] {
		piece := shogi.Piece(raw)
		if piece.IsEmpty() {
			continue
		}
		if raw > 31 || !piece.IsOnBoard() {
			return fault.New(fault.InvalidValue, "batch.Packed", "piece %d on square %d, want 0, 1..14 or 17..30", raw, sq).At(sq)
		}
		if m.Count == len(m.Squares) {
			return fault.New(fault.InvalidPosition, "batch.Packed", "more than %d pieces on the board", len(m.Squares))
		}
		m.Squares[m.Count], m.Pieces[m.Count] = shogi.Square(sq), piece
		m.Count++
	}
	for c := range m.Hands {
		for i, count := range row[shogi.SquareCount+7*c:][:7] {
			kind := shogi.PieceType(i + 1)
			if int(count) > shogi.Men[kind] {
				return fault.New(fault.InvalidValue, "batch.Packed", "%d %v in hand, want at most %d", count, kind, shogi.Men[kind]).At(shogi.SquareCount + 7*c + i)
			}
			m.Hands[c] += shogi.Hand(count) << shogi.HandShift[kind]
		}
	}
	if m.Turn > shogi.White {
		return fault.New(fault.InvalidValue, "batch.Packed", "side to move %d, want 0 or 1", m.Turn).At(BoardRowSize - 1)
	}
	return nil
}

// encodeBoard writes a row of Board.
func encodeBoard(p *board.Position, row *[BoardRowSize]byte) {
	copy(row[:], p.Board()[:shogi.SquareCount])
	for c := range 2 {
		hand := p.Hand(shogi.Color(c))
		for i := range 7 {
			row[shogi.SquareCount+7*c+i] = byte(hand.Count(shogi.PieceType(i + 1)))
		}
	}
	row[BoardRowSize-1] = byte(p.Turn())
}

// ply is the ply that a row stores, 0 where it stores none.
func (in Packed) ply(row []byte) uint16 {
	switch in.Format {
	case PSV:
		return binary.LittleEndian.Uint16(row[psvPlyAt:])
	case HCPE3:
		return binary.LittleEndian.Uint16(row[hcpe3PlyAt:])
	}
	return 0
}

// candidates of a row of HCPE3.
func (in Packed) candidates(row []byte) (packed.Candidates, error) {
	n, first := int(binary.LittleEndian.Uint16(row[countAt:])), int64(binary.LittleEndian.Uint32(row[firstAt:]))
	if n > packed.HCPE3MaxCandidates || first+int64(n) > int64(len(in.Candidates)/packed.CandidateSize) {
		return nil, fault.New(fault.InvalidValue, "batch.Packed", "candidates %d to %d, want at most %d among %d", first, first+int64(n), packed.HCPE3MaxCandidates, len(in.Candidates)/packed.CandidateSize)
	}
	if n == 0 {
		return nil, nil
	}
	return packed.Candidates(in.Candidates[first*packed.CandidateSize:][:n*packed.CandidateSize]), nil
}

// A record is what a record's row holds besides its position.
type record struct {
	move   shogi.Move
	eval   int16
	result uint8 // as it is stored
	extra  uint8 // the unused last byte; of HCPE3 the opponent
}

// record reads a record, its position into w.men. Special moves may stand in it.
func (in Packed) record(i int, w *workspace) (r record, err error) {
	const op = "batch.Packed"
	if err := in.men(i, &w.men); err != nil {
		return r, err
	}
	row := in.row(i)
	raw := binary.LittleEndian.Uint16(row[moveAt:])
	r.eval = int16(binary.LittleEndian.Uint16(row[evalAt:]))
	r.move = shogi.Move(raw)
	at, apery := psvResultAt, in.Format.isHCP()
	if apery {
		at = hcpeResultAt
		if r.move = aperyMove(raw); r.move == shogi.MoveNone {
			r.move = shogi.Move(raw) // special moves have the same numbers in both layouts
		}
	}
	r.result, r.extra = row[at], row[at+1]
	if !r.move.IsSpecial() && (!r.move.IsNormal() || apery && aperyMove(raw) == shogi.MoveNone) {
		return r, fault.New(fault.InvalidValue, op, "best move 0x%04x is no move", raw).At(moveAt)
	}
	return r, nil
}

// encode writes the position in the format's code to the beginning of out.
func (f Format) encode(p *board.Position, out []byte) error {
	switch {
	case f == Board:
		encodeBoard(p, (*[BoardRowSize]byte)(out))
		return nil
	case f.isHCP():
		return packed.EncodeHCP(p, (*[packed.Size]byte)(out))
	}
	return packed.EncodePackedSfen(p, (*[packed.Size]byte)(out))
}

// isPosition tells whether rows are positions alone.
func (f Format) isPosition() bool { return f == HCP || f == PackedSfen || f == Board }

// A workspace is what a goroutine needs for a row; it is used again and again.
type workspace struct {
	men   board.Men
	pos   board.Position
	set   feature.Set
	list  board.MoveList
	moves []uint16
	text  []byte
	game  *board.Game // for replaying games, made when first needed

	scratch feature.Scratch
	stack   *feature.Stack
	streams [streamCount]feature.Stream
	policy  policy
}

func newWorkspace() *workspace { return new(workspace) }

// Rows in a chunk, so that a chunk takes about a tenth of a millisecond.
const (
	grainPlanes    = 32
	grainPositions = 128
	grainNumbers   = 8192
	grainGames     = 128
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
