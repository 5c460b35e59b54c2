package batch

import (
	"encoding/binary"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/label"
	"komadori/core/packed"
	"komadori/core/shogi"
)

// Labels writes the label of each move. Turns holds the side that makes each move, 0 or 1; empty means Black throughout.
// A row is bad (InvalidValue) when its value is no move of the game or its move has no label in the space asked for.
func Labels(dst, moves []uint16, turns []uint8, space LabelSpace, run Run) (bad int, err error) {
	const op = "batch.Labels"
	n := len(moves)
	if err := wantLength(op, "dst", len(dst), n); err != nil {
		return 0, err
	}
	if len(turns) != 0 {
		if err := wantLength(op, "turns", len(turns), n); err != nil {
			return 0, err
		}
	}
	return run.labels(op, dst, space, n, func(row int) (shogi.Move, uint8, bool) {
		turn := uint8(0)
		if len(turns) != 0 {
			turn = turns[row]
		}
		return shogi.Move(moves[row]), turn, true
	})
}

// RecordLabels writes the full and the compact label of each record's best move; either may be empty. The position is not decoded: only its side to move is read.
// A row is bad (InvalidValue) when its move is special or malformed or has no label in a space asked for.
func RecordLabels(full, compact []uint16, in Packed, run Run) (bad int, err error) {
	const op = "batch.RecordLabels"
	n, err := in.rows(op)
	if err != nil {
		return 0, err
	}
	if !in.Format.IsRecord() {
		return 0, fault.New(fault.Argument, op, "format %d holds no records, want 3 HCPE, 4 PSV, 5 HCPE2 or 6 HCPE3", in.Format)
	}
	for _, dst := range [][]uint16{full, compact} {
		if len(dst) != 0 {
			if err := wantLength(op, "labels", len(dst), n); err != nil {
				return 0, err
			}
		}
	}
	stride, apery := in.stride(), in.Format.isHCP()
	return run.each(op, n, grainNumbers, nil, func(from, to int, t *tally, _ *workspace) {
		for row := from; row < to; row++ {
			r := in.Data[row*stride:][:packed.HCPESize]
			m, turn := shogi.Move(binary.LittleEndian.Uint16(r[moveAt:])), shogi.Color(r[0]&1)
			if apery {
				m = aperyMove(uint16(m))
			}
			l, ok := label.FromMove(m, turn)
			c := uint16(label.None)
			if ok {
				c = label.FullToCompact[l]
			}
			if !ok || c == label.None && len(compact) != 0 {
				put(full, row, 0)
				put(compact, row, 0)
				t.fail(row, fault.New(fault.InvalidValue, op, "best move %v has no label", shogi.Move(binary.LittleEndian.Uint16(r[moveAt:]))))
				continue
			}
			put(full, row, uint16(l))
			put(compact, row, c)
			t.good(row)
		}
	})
}

// aperyMove is the Move of a value of Apery's layout, MoveNone for values that are no moves of the game.
func aperyMove[T uint16 | shogi.AperyMove](raw T) shogi.Move {
	to, from := raw&127, raw>>7&127
	switch {
	case raw>>15 != 0 || to > 80 || from == to:
	case from <= 80:
		return shogi.Move(raw&0x3FFF | raw&0x4000<<1)
	case from <= 87 && raw&0x4000 == 0:
		return shogi.MoveDrop | shogi.Move((from-80)<<7|to)
	}
	return shogi.MoveNone
}

func (run Run) labels(op string, dst []uint16, space LabelSpace, n int, at func(row int) (shogi.Move, uint8, bool)) (bad int, err error) {
	if space > CompactLabels {
		return 0, fault.New(fault.Argument, op, "label space %d, want 0 or 1", space)
	}
	return run.each(op, n, grainNumbers, nil, func(from, to int, t *tally, _ *workspace) {
		for row := from; row < to; row++ {
			m, turn, ok := at(row)
			if ok = ok && turn <= 1; ok {
				var l label.Label
				var c label.Compact
				l, ok = label.FromMove(m, shogi.Color(turn))
				dst[row] = uint16(l)
				if ok && space == CompactLabels {
					c, ok = l.Compact()
					dst[row] = uint16(c)
				}
			}
			if !ok {
				dst[row] = 0
				if turn > 1 {
					t.fail(row, fault.New(fault.InvalidValue, op, "turn %d, want 0 or 1", turn))
				} else {
					t.fail(row, fault.New(fault.InvalidValue, op, "move 0x%04x of side %d has no label", uint16(m), turn))
				}
				continue
			}
			t.good(row)
		}
	})
}

// LabelMoves writes the legal move that has each row's label in its position. A row is bad when the position cannot be read, the
// label is outside its space (InvalidValue) or no legal move has it (IllegalMove).
func LabelMoves(dst []uint16, in Packed, labels []uint16, space LabelSpace, run Run) (bad int, err error) {
	const op = "batch.LabelMoves"
	n, err := in.rows(op)
	if err != nil {
		return 0, err
	}
	if err := wantLength(op, "dst", len(dst), n); err != nil {
		return 0, err
	}
	if err := wantLength(op, "labels", len(labels), n); err != nil {
		return 0, err
	}
	if space > CompactLabels {
		return 0, fault.New(fault.Argument, op, "label space %d, want 0 or 1", space)
	}
	return run.eachPosition(op, in, func(row int, w *workspace) error {
		l := label.Label(labels[row])
		if space == CompactLabels {
			l = label.Compact(labels[row]).Full()
		}
		if l >= label.Count {
			return fault.New(fault.InvalidValue, op, "label %d is outside its space", labels[row])
		}
		m, ok := label.ToMove(&w.pos, l)
		if !ok {
			return fault.New(fault.IllegalMove, op, "no legal move has the label %d", labels[row])
		}
		dst[row] = uint16(m)
		return nil
	}, func(row int) { dst[row] = 0 })
}

// LegalMoves lists the legal moves of every position: those of row i are moves[offsets[i]:offsets[i+1]], in the order of
// board.Position.Legal. Offsets has an entry more than there are rows. Bad rows have no moves.
//
// The total is returned, and offsets is complete, also when moves is too small, which is a Buffer error; call again with
// total entries.
func LegalMoves(offsets []int64, moves []uint16, in Packed, run Run) (total int64, bad int, err error) {
	const op = "batch.LegalMoves"
	return flatten(op, offsets, moves, in, run, func(w *workspace, dst []uint16) []uint16 {
		w.pos.Legal(&w.list)
		for _, m := range w.list.Slice() {
			dst = append(dst, uint16(m))
		}
		return dst
	})
}

// MaskSize is the length of a row of a legal mask: an entry or a bit for each label.
func MaskSize(space LabelSpace, bits bool) int {
	n := label.Count
	if space == CompactLabels {
		n = label.CompactCount
	}
	if bits {
		n = (n + 7) / 8
	}
	return n
}

// LegalMasks marks the labels of the legal moves of every position: in bytes 0 and 1, or in bits, label l in bit l%8 of byte l/8.
// A row has MaskSize bytes. Bad rows are all zero.
func LegalMasks(dst []uint8, in Packed, space LabelSpace, bits bool, run Run) (bad int, err error) {
	const op = "batch.LegalMasks"
	n, err := in.rows(op)
	if err != nil {
		return 0, err
	}
	if space > CompactLabels {
		return 0, fault.New(fault.Argument, op, "label space %d, want 0 or 1", space)
	}
	size := MaskSize(space, bits)
	if err := wantLength(op, "dst", len(dst), n*size); err != nil {
		return 0, err
	}
	return run.eachPosition(op, in, func(row int, w *workspace) error {
		w.pos.Legal(&w.list)
		writeMask(rowOf(dst, row, size), &w.list, w.pos.Turn(), space, bits)
		return nil
	}, func(row int) { clear(rowOf(dst, row, size)) })
}

// writeMask marks the labels of moves.
func writeMask(mask []uint8, list *board.MoveList, turn shogi.Color, space LabelSpace, bits bool) {
	clear(mask)
	for _, m := range list.Slice() {
		l, _ := label.FromMove(m, turn)
		class := uint16(l)
		if space == CompactLabels {
			class = label.FullToCompact[l]
		}
		if bits {
			mask[class>>3] |= 1 << (class & 7)
		} else {
			mask[class] = 1
		}
	}
}

// Legal writes 1 for every row whose move is legal in its position, else 0.
func Legal(dst []uint8, in Packed, moves []uint16, run Run) (bad int, err error) {
	const op = "batch.Legal"
	n, err := in.rows(op)
	if err != nil {
		return 0, err
	}
	if err := wantLength(op, "dst", len(dst), n); err != nil {
		return 0, err
	}
	if err := wantLength(op, "moves", len(moves), n); err != nil {
		return 0, err
	}
	return run.eachPosition(op, in, func(row int, w *workspace) error {
		dst[row] = truth(w.pos.IsLegal(shogi.Move(moves[row])))
		return nil
	}, func(row int) { dst[row] = 0 })
}

// Play writes every position after its move, in the form to: HCP, PackedSfen or Board. A row is bad when the move is not legal (IllegalMove).
// dst may be in.Data itself when the rows have the same places.
func Play(dst []byte, in Packed, moves []uint16, to Format, run Run) (bad int, err error) {
	const op = "batch.Play"
	n, err := in.rows(op)
	if err != nil {
		return 0, err
	}
	if !to.isPosition() {
		return 0, fault.New(fault.Argument, op, "format %d, want 1 HCP, 2 PackedSfen or 7 board", to)
	}
	size := to.Size()
	if err := wantLength(op, "dst", len(dst), n*size); err != nil {
		return 0, err
	}
	if err := wantLength(op, "moves", len(moves), n); err != nil {
		return 0, err
	}
	return run.eachPosition(op, in, func(row int, w *workspace) error {
		m := shogi.Move(moves[row])
		if !w.pos.IsLegal(m) {
			return fault.New(fault.IllegalMove, op, "%v is not legal", m)
		}
		w.pos.Do(m)
		return to.encode(&w.pos, rowOf(dst, row, size))
	}, func(row int) { clear(rowOf(dst, row, size)) })
}

// scalar writes one number a position.
func scalar[T any](op string, dst []T, in Packed, run Run, of func(w *workspace) T) (bad int, err error) {
	n, err := in.rows(op)
	if err != nil {
		return 0, err
	}
	if err := wantLength(op, "dst", len(dst), n); err != nil {
		return 0, err
	}
	return run.eachPosition(op, in, func(row int, w *workspace) error {
		dst[row] = of(w)
		return nil
	}, func(row int) { clear(dst[row : row+1]) })
}

func truth(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}
