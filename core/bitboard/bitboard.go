// Package bitboard has sets of squares and the attacks of pieces.
//
// A set is two words: squares 0..62 (files 1..7) in Lo, squares 63..80 (files 8 and 9) in Hi, so that no file
// crosses the border between the words.
package bitboard

import (
	"math/bits"
	"strings"

	"komadori/core/shogi"
)

// A Bitboard is a set of squares.
type Bitboard struct{ Lo, Hi uint64 }

const (
	loMask = 1<<63 - 1
	hiMask = 1<<18 - 1
)

// All is the set of all 81 squares.
var All = Bitboard{loMask, hiMask}

// New checks raw words: no bit beyond the 81 squares may be set.
func New(lo, hi uint64) (Bitboard, bool) {
	return Bitboard{lo & loMask, hi & hiMask}, lo <= loMask && hi <= hiMask
}

var ofSquare = func() (t shogi.SquareTable[Bitboard]) {
	for sq := range 81 {
		if sq < 63 {
			t[sq].Lo = 1 << sq
		} else {
			t[sq].Hi = 1 << (sq - 63)
		}
	}
	return t
}()

// Of is the set of one square; empty for NoSquare.
func Of(sq shogi.Square) Bitboard { return ofSquare[sq&127] }

// FileOf and RankOf are the sets of a file and of a rank.
func FileOf(f shogi.File) Bitboard { return files[f&15] }

// RankOf is the set of a rank's squares.
func RankOf(r shogi.Rank) Bitboard { return ranks[r&15] }

var files, ranks = func() (files, ranks [16]Bitboard) {
	for sq := shogi.Square(0); sq < 81; sq++ {
		files[sq.File()] = files[sq.File()].Or(Of(sq))
		ranks[sq.Rank()] = ranks[sq.Rank()].Or(Of(sq))
	}
	return files, ranks
}()

// Zone is the promotion zone of a color: its three far ranks.
func Zone(c shogi.Color) Bitboard { return zones[c&1] }

var zones = [2]Bitboard{
	ranks[0].Or(ranks[1]).Or(ranks[2]),
	ranks[6].Or(ranks[7]).Or(ranks[8]),
}

// Test tells whether sq is in the set.
func (b Bitboard) Test(sq shogi.Square) bool { return b.Overlaps(Of(sq)) }

// Set returns the set with sq.
func (b Bitboard) Set(sq shogi.Square) Bitboard { return b.Or(Of(sq)) }

// Clear returns the set without sq.
func (b Bitboard) Clear(sq shogi.Square) Bitboard { return b.AndNot(Of(sq)) }

// Or is the union.
func (b Bitboard) Or(o Bitboard) Bitboard { return Bitboard{b.Lo | o.Lo, b.Hi | o.Hi} }

// And is the intersection.
func (b Bitboard) And(o Bitboard) Bitboard { return Bitboard{b.Lo & o.Lo, b.Hi & o.Hi} }

// AndWord is the intersection with a mask of ranks: whole files from bit 0, the same in both words.
func (b Bitboard) AndWord(ranks uint64) Bitboard { return Bitboard{b.Lo & ranks, b.Hi & ranks} }

// Xor is the symmetric difference.
func (b Bitboard) Xor(o Bitboard) Bitboard { return Bitboard{b.Lo ^ o.Lo, b.Hi ^ o.Hi} }

// AndNot is the difference.
func (b Bitboard) AndNot(o Bitboard) Bitboard { return Bitboard{b.Lo &^ o.Lo, b.Hi &^ o.Hi} }

// Not is the complement within the 81 squares.
func (b Bitboard) Not() Bitboard { return Bitboard{^b.Lo & loMask, ^b.Hi & hiMask} }

// IsEmpty tells whether the set has no square.
func (b Bitboard) IsEmpty() bool { return b.Lo|b.Hi == 0 }

// Overlaps tells whether the sets share a square.
func (b Bitboard) Overlaps(o Bitboard) bool { return b.Lo&o.Lo|b.Hi&o.Hi != 0 }

// Contains tells whether every square of o is in b.
func (b Bitboard) Contains(o Bitboard) bool { return o.Lo&^b.Lo|o.Hi&^b.Hi == 0 }

// Count is the number of squares.
func (b Bitboard) Count() int { return bits.OnesCount64(b.Lo) + bits.OnesCount64(b.Hi) }

// Several tells whether the set has two squares or more.
func (b Bitboard) Several() bool {
	return b.Lo&(b.Lo-1) != 0 || b.Hi&(b.Hi-1) != 0 || (b.Lo != 0 && b.Hi != 0)
}

// First is the lowest square, NoSquare when empty.
func (b Bitboard) First() shogi.Square {
	if b.Lo != 0 {
		return shogi.Square(bits.TrailingZeros64(b.Lo))
	}
	if b.Hi != 0 {
		return shogi.Square(63 + bits.TrailingZeros64(b.Hi))
	}
	return shogi.NoSquare
}

// Last is the highest square, NoSquare when empty.
func (b Bitboard) Last() shogi.Square {
	if b.Hi != 0 {
		return shogi.Square(62 + bits.Len64(b.Hi))
	}
	if b.Lo != 0 {
		return shogi.Square(bits.Len64(b.Lo) - 1)
	}
	return shogi.NoSquare
}

// Pop takes the lowest square out and returns it, NoSquare when empty.
func (b *Bitboard) Pop() shogi.Square {
	if b.Lo != 0 {
		sq := shogi.Square(bits.TrailingZeros64(b.Lo))
		b.Lo &= b.Lo - 1
		return sq
	}
	if b.Hi != 0 {
		sq := shogi.Square(63 + bits.TrailingZeros64(b.Hi))
		b.Hi &= b.Hi - 1
		return sq
	}
	return shogi.NoSquare
}

// Squares iterates from the lowest square to the highest: for sq := range b.Squares.
func (b Bitboard) Squares(yield func(shogi.Square) bool) {
	for !b.IsEmpty() {
		if !yield(b.Pop()) {
			return
		}
	}
}

// FlipSide turns the set by 180 degrees.
func (b Bitboard) FlipSide() Bitboard {
	// Square 80-sq: reverse all 81 bits. rev(Lo) holds squares 62..0 from bit 1 up, rev(Hi) squares 80..63 from bit 46 up.
	lo, hi := bits.Reverse64(b.Lo)>>1, bits.Reverse64(b.Hi)>>46
	// lo is indexed by 62-sq, wanted 80-sq: shift by 18; hi is indexed by 80-sq already.
	return Bitboard{(lo<<18 | hi) & loMask, lo >> 45}
}

// MirrorFile exchanges files 1 and 9, 2 and 8, and so on.
func (b Bitboard) MirrorFile() Bitboard {
	var out Bitboard
	for f := shogi.File(0); f < 9; f++ {
		out = out.withFile(8-f, b.file(f))
	}
	return out
}

// file is the nine bits of a file, rank a first.
func (b Bitboard) file(f shogi.File) uint64 {
	if f < 7 {
		return b.Lo >> (9 * uint(f)) & 0x1FF
	}
	return b.Hi >> (9 * uint(f-7)) & 0x1FF
}

func (b Bitboard) withFile(f shogi.File, nine uint64) Bitboard {
	if f < 7 {
		b.Lo |= nine << (9 * uint(f))
	} else {
		b.Hi |= nine << (9 * uint(f-7))
	}
	return b
}

// Forward moves every square one rank ahead in c's direction. Squares on c's last rank must not be in the set.
func (b Bitboard) Forward(c shogi.Color) Bitboard {
	if c == shogi.Black {
		return Bitboard{b.Lo >> 1, b.Hi >> 1}
	}
	return Bitboard{b.Lo << 1, b.Hi << 1}
}

// North moves every square one rank up, towards rank a; those on it drop out.
func (b Bitboard) North() Bitboard {
	return Bitboard{b.Lo &^ rankALo >> 1, b.Hi &^ rankAHi >> 1}
}

// South moves every square one rank down, towards rank i; those on it drop out.
func (b Bitboard) South() Bitboard {
	return Bitboard{b.Lo << 1 &^ rankALo & loMask, b.Hi << 1 &^ rankAHi & hiMask}
}

// East moves every square one file to the right, as Black sees the board; those on file 1 drop out.
func (b Bitboard) East() Bitboard {
	return Bitboard{(b.Lo>>9 | b.Hi<<54) & loMask, b.Hi >> 9}
}

// West moves every square one file to the left, as Black sees the board; those on file 9 drop out.
func (b Bitboard) West() Bitboard {
	return Bitboard{b.Lo << 9 & loMask, (b.Hi<<9 | b.Lo>>54) & hiMask}
}

// Rank a in both words.
const (
	rankALo = 1 | 1<<9 | 1<<18 | 1<<27 | 1<<36 | 1<<45 | 1<<54
	rankAHi = 1 | 1<<9
)

// String is nine lines, rank a first, file 9 on the left; * in the set, . outside.
func (b Bitboard) String() string {
	var s strings.Builder
	for r := shogi.Rank(0); r < 9; r++ {
		for f := shogi.File(8); f >= 0; f-- {
			if b.Test(shogi.MakeSquare(f, r)) {
				s.WriteByte('*')
			} else {
				s.WriteByte('.')
			}
		}
		s.WriteByte('\n')
	}
	return s.String()
}
