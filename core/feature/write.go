package feature

import (
	"encoding/binary"
	"math/bits"

	"komadori/core/bitboard"
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
	WritePlanes(&s, f1, f2, nil, nil)
	return nil
}

// WritePlanes spreads the board planes over f1, which has BoardSize elements, and the flat planes over f2, which has FlatSize or FlatSizeKing; either may be empty. It
// panics on other sizes. With Streams, one for each array, it goes past the caches.
func WritePlanes[T Element](s *Set, f1, f2 []T, s1, s2 *Stream) {
	if len(f2) == FlatSizeKing {
		var row [(FlatSizeKing+63)/64*8 + 24]byte
		writePlanes(s, f1, f2, s1, s2, row[:], FlatPlanesKing)
		return
	}
	var row [(FlatSize+63)/64*8 + 24]byte
	writePlanes(s, f1, f2, s1, s2, row[:], FlatPlanes)
}

// writePlanes makes the bits of the flat planes before it writes any plane: read right after they have been written, they would have to wait until all that was written
// before them has left the processor.
func writePlanes[T Element](s *Set, f1, f2 []T, s1, s2 *Stream, row []byte, flat int) {
	if len(f2) != 0 && len(f2) != flat*shogi.SquareCount {
		panic("feature.WritePlanes: a row of another size")
	}
	if len(f2) != 0 {
		s.setFlatPlanes(row, flat)
	}
	if len(f1) != 0 {
		expand(s.board[:], (*[BoardSize]T)(f1)[:], oneOf[T](), s1)
	}
	if len(f2) != 0 {
		expand(row, f2, oneOf[T](), s2)
	}
}

// setFlatPlanes spreads the first n flat planes over a row of bits that has none yet. Few of them are set.
func (s *Set) setFlatPlanes(row []byte, n int) {
	for i, w := range s.flat {
		for ; w != 0; w &= w - 1 {
			k := 64*i + bits.TrailingZeros64(w)
			if k >= n {
				break
			}
			setPlane(row, k, bitboard.All)
		}
	}
}

// rowRoom is the number of bytes for the bits of so many planes, with what may be touched beyond them.
func rowRoom(planes int) int { return (planes*shogi.SquareCount+63)/64*8 + 24 }

// setPlane sets the bits of a plane of a row that has none of its bits yet. Words are read and written where they lie, so that what has just been written is at hand.
func setPlane(row []byte, plane int, b bitboard.Bitboard) {
	bit := uint(plane) * shogi.SquareCount
	at, shift := (*[24]byte)(row[bit>>6<<3:]), bit&63
	low, high := b.Lo|b.Hi<<63, b.Hi>>1
	binary.LittleEndian.PutUint64(at[:], binary.LittleEndian.Uint64(at[:])|low<<shift)
	binary.LittleEndian.PutUint64(at[8:], binary.LittleEndian.Uint64(at[8:])|low>>1>>(63-shift)|high<<shift)
	binary.LittleEndian.PutUint64(at[16:], binary.LittleEndian.Uint64(at[16:])|high>>1>>(63-shift))
}

// BoardBits copies the board planes as BoardBytes bytes: bit i of byte k is element 8*k + i.
func (s *Set) BoardBits(dst []byte) {
	row := (*[BoardBytes]byte)(dst)
	copy(row[:], s.board[:])
}

// FlatBits copies the flat planes as FlatBytes or FlatBytesKing bytes, one bit a plane, filling dst.
func (s *Set) FlatBits(dst []byte) {
	for i := range dst {
		dst[i] = byte(s.flat[i>>3&1] >> (8 * (i & 7)))
	}
}

// Test tells whether an element of the board planes is set, 0..BoardSize-1.
func (s *Set) Test(element int) bool { return s.board[element>>3]>>(element&7)&1 != 0 }

// TestFlat tells whether a flat plane is set, 0..FlatPlanesKing-1.
func (s *Set) TestFlat(plane int) bool { return s.flat[plane>>6&1]>>(plane&63)&1 != 0 }

// expandPlain clears the row and stores the few ones.
func expandPlain[T Element](row []byte, dst []T, one T) {
	clear(dst)
	for i := 0; i < len(dst); i += 64 {
		w := binary.LittleEndian.Uint64(row[i/8:])
		if left := len(dst) - i; left < 64 { // what follows is of no meaning
			w &= 1<<left - 1
		}
		for ; w != 0; w &= w - 1 {
			dst[i+bits.TrailingZeros64(w)] = one
		}
	}
}

func oneOf[T Element]() (one T) {
	switch o := any(&one).(type) {
	case *float32:
		*o = 1
	case *uint8:
		*o = 1
	case *Half:
		*o = halfOne
	}
	return one
}
