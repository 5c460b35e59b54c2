package batch

import (
	"komadori/core/fault"
	"komadori/core/shogi"
)

// Facts is the caller's memory for what Look finds of every position; what is nil is left out. Each has a row for each position.
type Facts struct {
	Keys      []uint64 // board, hands and side to move, see board.Position.Key
	Turns     []uint8  // side to move
	InCheck   []uint8  // 1 when the side to move is in check
	Legal     []uint16 // number of legal moves
	MateInOne []uint16 // a move that mates at once, shogi.MoveNone (0) where there is none

	// What declaring would bring to the side to move under Rule (shogi.Verdict), and the points it has, see board.Position.Declaration.
	Rule     shogi.EnteringKingRule
	Verdicts []uint8
	Points   []uint8
}

// Look reads every position once and writes all that is asked for. A row is bad when its position cannot be read; with Verdicts or Points, also when a king is missing.
func Look(f *Facts, in Packed, run Run) (bad int, err error) {
	const op = "batch.Look"
	n, err := in.rows(op)
	if err != nil {
		return 0, err
	}
	if _, err := shogi.NewEnteringKingRule(int(f.Rule)); err != nil {
		return 0, fault.New(fault.Argument, op, "rule %d, want 0..%d", f.Rule, shogi.EnteringKingMaxRaw)
	}
	for _, array := range []struct {
		name string
		got  int
	}{
		{"keys", len(f.Keys)}, {"turns", len(f.Turns)}, {"in check", len(f.InCheck)}, {"legal", len(f.Legal)}, {"mate in one", len(f.MateInOne)},
		{"verdicts", len(f.Verdicts)}, {"points", len(f.Points)},
	} {
		if array.got != 0 {
			if err := wantLength(op, array.name, array.got, n); err != nil {
				return 0, err
			}
		}
	}
	declare := len(f.Verdicts)+len(f.Points) != 0
	return run.eachPosition(op, in, func(row int, w *workspace) error {
		if declare {
			d, err := w.pos.Declaration(f.Rule)
			if err != nil {
				return err
			}
			put(f.Verdicts, row, uint8(d.Verdict))
			put(f.Points, row, uint8(d.Points))
		}
		put(f.Keys, row, w.pos.Key())
		put(f.Turns, row, uint8(w.pos.Turn()))
		if len(f.InCheck) != 0 {
			f.InCheck[row] = truth(w.pos.InCheck())
		}
		if len(f.Legal) != 0 {
			f.Legal[row] = uint16(w.pos.CountLegal())
		}
		if len(f.MateInOne) != 0 {
			f.MateInOne[row] = uint16(w.pos.MateInOne())
		}
		return nil
	}, func(row int) {
		put(f.Keys, row, 0)
		put(f.Turns, row, 0)
		put(f.InCheck, row, 0)
		put(f.Legal, row, 0)
		put(f.MateInOne, row, 0)
		put(f.Verdicts, row, 0)
		put(f.Points, row, 0)
	})
}

// Keys writes the 64-bit key of every position: board, hands and side to move.
func Keys(dst []uint64, in Packed, run Run) (bad int, err error) {
	return Look(&Facts{Keys: dst}, in, run)
}

// InCheck writes 1 for every position whose side to move is in check, else 0.
func InCheck(dst []uint8, in Packed, run Run) (bad int, err error) {
	return Look(&Facts{InCheck: dst}, in, run)
}

// MateInOne writes a move that mates at once for every position, shogi.MoveNone (0) where there is none.
func MateInOne(dst []uint16, in Packed, run Run) (bad int, err error) {
	return Look(&Facts{MateInOne: dst}, in, run)
}

// CountLegal writes how many legal moves every position has.
func CountLegal(dst []uint16, in Packed, run Run) (bad int, err error) {
	return Look(&Facts{Legal: dst}, in, run)
}
