package shogi

import (
	"komadori/core/fault"
	"komadori/core/internal/assert"
)

// A File is 0..8 for files 1..9.
type File int8

// A Rank is 0..8 for ranks a..i (一..九).
type Rank int8

// A Square is one of the 81 squares, 9*file + rank: 1a (1一) = 0, 9i (9九) = 80.
type Square int8

const (
	BoardSize   = 9
	SquareCount = 81

	NoFile   File   = -1
	NoRank   Rank   = -1
	NoSquare Square = 81
)

// Steps between neighbouring squares as Black sees the board. Adding one does not notice the board's edge.
const (
	Down  Square = 1
	Up    Square = -1
	Left  Square = 9
	Right Square = -9

	LeftUp    = Left + Up
	LeftDown  = Left + Down
	RightUp   = Right + Up
	RightDown = Right + Down
)

// A SquareTable is indexed by Square; it has 128 entries so that a masked index needs no bounds check.
type SquareTable[T any] [128]T

// At is the entry of a square.
func (t *SquareTable[T]) At(sq Square) T { return t[sq&127] }

// RawToFile and RawToRank are indexed by a square's raw byte: the file or rank on the board, -1 elsewhere.
var (
	RawToFile [256]File
	RawToRank [256]Rank
)

func init() {
	for i := range RawToFile {
		RawToFile[i], RawToRank[i] = NoFile, NoRank
		if i < SquareCount {
			RawToFile[i], RawToRank[i] = File(i/9), Rank(i%9)
		}
	}
}

// NewFile checks a raw value 0..8.
func NewFile(raw int) (File, error) {
	if raw < 0 || raw > 8 {
		return NoFile, fault.New(fault.InvalidValue, "shogi.NewFile", "file %d, want 0..8", raw)
	}
	return File(raw), nil
}

// NewRank checks a raw value 0..8.
func NewRank(raw int) (Rank, error) {
	if raw < 0 || raw > 8 {
		return NoRank, fault.New(fault.InvalidValue, "shogi.NewRank", "rank %d, want 0..8", raw)
	}
	return Rank(raw), nil
}

// NewSquare checks a raw value 0..81, where 81 is NoSquare.
func NewSquare(raw int) (Square, error) {
	if raw < 0 || raw > 81 {
		return NoSquare, fault.New(fault.InvalidValue, "shogi.NewSquare", "square %d, want 0..81", raw)
	}
	return Square(raw), nil
}

// SquareUnchecked trusts that raw is 0..81.
func SquareUnchecked(raw int) Square {
	assert.That(raw >= 0 && raw <= 81, "square 0..81")
	return Square(raw)
}

// MakeSquare joins a file and a rank; NoSquare when either is off the board.
func MakeSquare(f File, r Rank) Square {
	if uint8(f) > 8 || uint8(r) > 8 {
		return NoSquare
	}
	return Square(f)*9 + Square(r)
}

// IsOnBoard tells whether sq is 0..80.
func (sq Square) IsOnBoard() bool { return uint8(sq) < SquareCount }

// File is the square's file, NoFile off the board.
func (sq Square) File() File { return RawToFile[uint8(sq)] }

// Rank is the square's rank, NoRank off the board.
func (sq Square) Rank() Rank { return RawToRank[uint8(sq)] }

// FlipSide turns the board by 180 degrees; NoSquare stays.
func (sq Square) FlipSide() Square {
	if !sq.IsOnBoard() {
		return sq
	}
	return 80 - sq
}

// MirrorFile exchanges files 1 and 9, 2 and 8, and so on; NoSquare stays.
func (sq Square) MirrorFile() Square {
	if !sq.IsOnBoard() {
		return sq
	}
	return 72 - 9*Square(sq.File()) + Square(sq.Rank())
}

// RowMajor is the index rank*9 + (8 - file) that row-major boards use (7g = 56); 81 for NoSquare.
func (sq Square) RowMajor() int {
	if !sq.IsOnBoard() {
		return 81
	}
	return 9*int(sq.Rank()) + 8 - int(sq.File())
}

// SquareFromRowMajor is the inverse of RowMajor; NoSquare outside 0..80.
func SquareFromRowMajor(i int) Square {
	if i < 0 || i > 80 {
		return NoSquare
	}
	return Square(9*(8-i%9) + i/9)
}

// ParseSquare reads two characters such as 7g.
func ParseSquare(text string) (Square, error) {
	if len(text) != 2 || text[0] < '1' || text[0] > '9' || text[1] < 'a' || text[1] > 'i' {
		return NoSquare, fault.New(fault.Parse, "shogi.ParseSquare", "%q, want a file 1..9 and a rank a..i", clip(text)).At(0)
	}
	return Square(9*(text[0]-'1') + text[1] - 'a'), nil
}

// String is the USI name, such as 7g; "none" off the board.
func (sq Square) String() string {
	if !sq.IsOnBoard() {
		return "none"
	}
	return string([]byte{'1' + byte(sq.File()), 'a' + byte(sq.Rank())})
}

// Distance is how many king's steps lie between two squares; -1 when either is off the board.
func Distance(a, b Square) int {
	if !a.IsOnBoard() || !b.IsOnBoard() {
		return -1
	}
	df, dr := int(a.File())-int(b.File()), int(a.Rank())-int(b.Rank())
	return max(df, -df, dr, -dr)
}

// InPromotionZone tells whether a rank lies in the three far ranks of c.
func (r Rank) InPromotionZone(c Color) bool {
	if c == Black {
		return r >= 0 && r <= 2
	}
	return r >= 6 && r <= 8
}

// IsLast tells whether a rank is the farthest of c.
func (r Rank) IsLast(c Color) bool {
	if c == Black {
		return r == 0
	}
	return r == 8
}

// IsLastTwo tells whether a rank is one of the two farthest of c.
func (r Rank) IsLastTwo(c Color) bool {
	if c == Black {
		return r == 0 || r == 1
	}
	return r == 7 || r == 8
}

// clip shortens text from outside for an error message.
func clip(text string) string {
	if len(text) > 64 {
		return text[:61] + "..."
	}
	return text
}
