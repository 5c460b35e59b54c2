// Package shogi has the small values of the game: colors, squares, pieces, hands, moves, results.
//
// Every value is a fixed-width integer that also is its own binary form. Constructors that end in
// Unchecked trust their caller (assertions under the build tag komadori_assert); all others check.
package shogi

import "komadori/core/fault"

// A Color is a side: Black (先手) 0 moves first in an even game, White (後手) 1.
type Color uint8

const (
	Black Color = 0
	White Color = 1

	ColorCount = 2
)

// NewColor checks a raw value.
func NewColor(raw int) (Color, error) {
	if raw < 0 || raw > 1 {
		return 0, fault.New(fault.InvalidValue, "shogi.NewColor", "color %d, want 0 or 1", raw)
	}
	return Color(raw), nil
}

// Opposite is the other side.
func (c Color) Opposite() Color { return c ^ 1 }

// FlipSide is the other side; it is the color's part in flipping a position.
func (c Color) FlipSide() Color { return c ^ 1 }

// String is the SFEN letter, b or w.
func (c Color) String() string {
	if c == Black {
		return "b"
	}
	return "w"
}
