package feature

import (
	"encoding/binary"
	"math/bits"

	"komadori/core/board"
	"komadori/core/shogi"
)

// An Element is a number type that planes are written in: float32 0 and 1, uint8 0 and 1, or Half.
type Element interface {
	float32 | uint8 | Half
}

// A Half is the bit pattern of a 16-bit floating point number; 1.0 is 0x3C00.
type Half uint16

const halfOne Half = 0x3C00

// A plane of ones of each element.
var (
	onesFloat32 = filled[float32](1)
	onesUint8   = filled[uint8](1)
	onesHalf    = filled(halfOne)
)

func filled[T Element](one T) (t [shogi.SquareCount]T) {
	for i := range t {
		t[i] = one
	}
	return t
}

// Write computes the dlshogi planes of a position into the caller's memory, which is always overwritten whole.
// f1 has BoardSize elements, f2 FlatSize or FlatSizeKing, which decides whether the entering-king planes are written;
// either may be empty. Other sizes are refused as Argument, a position without both kings as InvalidPosition, and
// then nothing is written. It does not allocate on success.
func Write[T Element](p *board.Position, f1, f2 []T) error {
	if err := checkSizes(len(f1), len(f2)); err != nil {
		return err
	}
	var s Set
	if err := s.Load(p, len(f2) == FlatSizeKing); err != nil {
		return err
	}
	if len(f1) != 0 {
		WriteBoard(&s, f1)
	}
	if len(f2) != 0 {
		WriteFlat(&s, f2)
	}
	return nil
}

// WriteBoard spreads the board planes over dst, which must have at least BoardSize elements; later ones are left alone.
func WriteBoard[T Element](s *Set, dst []T) {
	switch d := any(dst[:BoardSize]).(type) {
	case []float32:
		scatter(&s.board, d, 1)
	case []uint8:
		spreadBytes(&s.board, d)
	case []Half:
		scatter(&s.board, d, halfOne)
	}
}

// WriteFlat writes as many flat planes as dst has room for, FlatPlanes or FlatPlanesKing.
func WriteFlat[T Element](s *Set, dst []T) {
	switch d := any(dst).(type) {
	case []float32:
		flat(&s.flat, d, &onesFloat32)
	case []uint8:
		flat(&s.flat, d, &onesUint8)
	case []Half:
		flat(&s.flat, d, &onesHalf)
	}
}

// BoardBits copies the board planes as BoardBytes bytes: bit i of byte k is element 8*k + i.
func (s *Set) BoardBits(dst []byte) {
	_ = dst[BoardBytes-1]
	for i := range BoardBytes / 8 {
		binary.LittleEndian.PutUint64(dst[8*i:], s.board[i])
	}
	binary.LittleEndian.PutUint32(dst[8*(BoardBytes/8):], uint32(s.board[BoardBytes/8]))
}

// FlatBits copies the flat planes as FlatBytes or FlatBytesKing bytes, one bit a plane, filling dst.
func (s *Set) FlatBits(dst []byte) {
	for i := range dst {
		dst[i] = byte(s.flat[i>>3&1] >> (8 * (i & 7)))
	}
}

// Test tells whether an element of the board planes is set, 0..BoardSize-1.
func (s *Set) Test(element int) bool { return s.board[element>>6]>>(element&63)&1 != 0 }

// TestFlat tells whether a flat plane is set, 0..FlatPlanesKing-1.
func (s *Set) TestFlat(plane int) bool { return s.flat[plane>>6]>>(plane&63)&1 != 0 }

// scatter clears the row and stores the few ones. The runtime's clear does not read what it overwrites, which for
// rows that are not in the cache is worth more than any way of expanding the bits.
func scatter[T Element](words *[boardWords]uint64, dst []T, one T) {
	row := (*[BoardSize]T)(dst)
	clear(row[:])
	for i, w := range words {
		for base := 64 * i; w != 0; w &= w - 1 {
			row[base+bits.TrailingZeros64(w)] = one
		}
	}
}

// byteSpread has eight bytes 0 or 1 for eight bits.
var byteSpread = func() (t [256]uint64) {
	for i := range t {
		for bit := range 8 {
			t[i] |= uint64(i>>bit&1) << (8 * bit)
		}
	}
	return t
}()

func spreadBytes(words *[boardWords]uint64, dst []uint8) {
	row := (*[BoardSize]uint8)(dst)
	for i := range BoardSize / 64 {
		w := words[i]
		eight := row[64*i : 64*i+64]
		for k := 0; k < 64; k += 8 {
			binary.LittleEndian.PutUint64(eight[k:k+8], byteSpread[uint8(w>>k)])
		}
	}
	for i := BoardSize / 64 * 64; i < BoardSize; i++ {
		row[i] = uint8(words[i>>6] >> (i & 63) & 1)
	}
}

func flat[T Element](planes *[2]uint64, dst []T, ones *[shogi.SquareCount]T) {
	clear(dst)
	n := len(dst) / shogi.SquareCount
	for i, w := range planes {
		for ; w != 0; w &= w - 1 {
			k := 64*i + bits.TrailingZeros64(w)
			if k >= n {
				return
			}
			copy(dst[shogi.SquareCount*k:], ones[:])
		}
	}
}
