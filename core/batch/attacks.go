package batch

import (
	"komadori/core/board"
	"komadori/core/shogi"
)

// AttackCounts counts for every position by color and square the pieces that attack the square, as Position.CountAttacksBySide does.
func AttackCounts(dst [][shogi.ColorCount][shogi.SquareCount]uint8, in Packed, xray bool, run Run) (bad int, err error) {
	return scalar("batch.AttackCounts", dst, in, run, func(w *workspace) (out [shogi.ColorCount][shogi.SquareCount]uint8) {
		w.pos.CountAttacksBySide(xray, &out)
		return out
	})
}

// AttackCountsByKind counts for every position by color, kind and square, as Position.CountAttacks does.
func AttackCountsByKind(dst []board.AttackCounts, in Packed, xray bool, run Run) (bad int, err error) {
	return scalar("batch.AttackCountsByKind", dst, in, run, func(w *workspace) (out board.AttackCounts) {
		w.pos.CountAttacks(xray, &out)
		return out
	})
}
