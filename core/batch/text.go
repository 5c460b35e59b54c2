package batch

import (
	"komadori/core/fault"
	"komadori/core/notation"
)

// SFENs writes every position as canonical SFEN: that of row i is text[offsets[i]:offsets[i+1]]. Bad rows have no text. Offsets has
// an entry more than there are rows. The ply is 1, or that of a PSV record. A text that is too small is a Buffer error as in LegalMoves.
func SFENs(offsets []int64, text []byte, in Packed, run Run) (total int64, bad int, err error) {
	return flatten("batch.SFENs", offsets, text, in, run, func(w *workspace, dst []byte) []byte {
		s := w.men.Setup()
		return notation.AppendSFEN(dst, &s)
	})
}

// Encode reads SFEN, row i from text[offsets[i]:offsets[i+1]], and writes positions in the form to. A row is bad when its text
// does not parse (Parse), is no position or, but for Board, lacks a king (InvalidPosition).
func Encode(dst []byte, to Format, offsets []int64, text []byte, run Run) (bad int, err error) {
	const op = "batch.Encode"
	if !to.isPosition() {
		return 0, fault.New(fault.Argument, op, "format %d, want 1 HCP, 2 PackedSfen or 7 board", to)
	}
	size := to.Size()
	n := len(offsets) - 1
	if n < 0 || offsets[0] < 0 || offsets[n] > int64(len(text)) {
		return 0, fault.New(fault.Argument, op, "%d offsets into %d bytes, want one more than rows, from 0 on, within the text", len(offsets), len(text))
	}
	for i := range n {
		if offsets[i] > offsets[i+1] {
			return 0, fault.New(fault.Argument, op, "offset %d is above the next one", offsets[i]).InRow(i)
		}
	}
	if err := wantLength(op, "dst", len(dst), n*size); err != nil {
		return 0, err
	}
	return run.each(op, n, grainPositions, newWorkspace, func(first, end int, t *tally, w *workspace) {
		for row := first; row < end; row++ {
			out := rowOf(dst, row, size)
			err := notation.ParseMen(string(text[offsets[row]:offsets[row+1]]), &w.men)
			if err == nil {
				err = w.pos.LoadMen(&w.men)
			}
			if err == nil {
				err = to.encode(&w.pos, out)
			}
			if err != nil {
				clear(out)
				t.fail(row, err)
				continue
			}
			t.good(row)
		}
	})
}
