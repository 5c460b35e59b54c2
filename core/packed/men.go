package packed

import (
	"encoding/binary"
	"math/bits"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/shogi"
)

// DecodeHCPMen is DecodeHCP into a list of men: the same positions, the same errors, and the fastest way to a Position.
func DecodeHCPMen(in *[Size]byte, m *board.Men) error { return hcp.men(in, m) }

// DecodePackedSfenMen is DecodePackedSfen into a list of men.
func DecodePackedSfenMen(in *[Size]byte, m *board.Men) error { return sfen.men(in, m) }

// fullSet has a byte for each kind with how many exist; menByte adds one man, by piece.
const fullSet uint64 = 18<<8 | 4<<16 | 4<<24 | 4<<32 | 2<<40 | 2<<48 | 4<<56

var menByte = func() (t [32]uint64) {
	for i := range t {
		if kind := shogi.Piece(i).Type().Demote(); kind >= shogi.Pawn && kind <= shogi.Gold {
			t[i] = 1 << (8 * kind)
		}
	}
	return t
}()

// men reads the stream piece by piece: an empty square is a single 0 and every piece begins with 1, so that a run of empty squares is
// as many zeros. What it does not like it leaves to decode, which tells what is wrong.
func (c *codec) men(in *[Size]byte, m *board.Men) error {
	head := binary.LittleEndian.Uint64(in[:])
	black, white := int(head>>1&127), int(head>>8&127)
	if black > 80 || white > 80 || black == white {
		return c.menError(in)
	}
	m.Turn, m.Ply, m.Hands = shogi.Color(head&1), 1, [2]shogi.Hand{}
	m.Squares[0], m.Pieces[0] = shogi.Square(black), shogi.BKing
	m.Squares[1], m.Pieces[1] = shogi.Square(white), shogi.WKing
	first, second := min(black, white), max(black, white)

	const squares = shogi.SquareCount - 2 // those of the stream: without the kings'
	n, index, at := 2, 0, uint(15)
	var total uint64
	w, left := head>>15, uint(64-15) // what is read ahead
	for {
		if left < 16 {
			w, left = ahead(in, at)
		}
		// At least eight bits are left for the code itself.
		run := min(uint(bits.TrailingZeros64(w|1<<63)), left-8)
		if index+int(run) >= squares {
			at += uint(squares - index)
			break
		}
		w >>= run
		at, left, index = at+run, left-run, index+int(run)
		if w&1 == 0 {
			continue // a long run: read on
		}
		e := c.read[w&255]
		if e.length == 0 || n >= len(m.Squares) {
			return c.menError(in)
		}
		w >>= e.length & 63
		at, left = at+uint(e.length), left-uint(e.length)
		// The square, past the kings that stand before it.
		sq := index
		sq += int(uint64(first-1-sq) >> 63)
		sq += int(uint64(second-1-sq) >> 63)
		m.Squares[n], m.Pieces[n] = shogi.Square(sq), shogi.Piece(e.piece)
		total += menByte[e.piece&31]
		n++
		index++
		if index == squares {
			break
		}
	}
	m.Count = n
	for at < 256 {
		w, _ := ahead(in, at)
		e := c.rest[w&127]
		if e.length == 0 {
			return c.menError(in)
		}
		at += uint(e.length)
		t := e.piece & 7
		total += menByte[t]
		if e.piece&inBox == 0 {
			m.Hands[e.piece>>4&1] += 1 << (shogi.HandShift[t] & 31)
		}
	}
	if at != 256 || total != fullSet {
		return c.menError(in)
	}
	return nil
}

// ahead reads the stream from a bit on: at least 57 bits, of which those beyond the end are 0.
func ahead(in *[Size]byte, at uint) (bits uint64, n uint) {
	byteAt := min(at>>3, Size-8)
	return binary.LittleEndian.Uint64(in[byteAt:]) >> (at - 8*byteAt), 64 - at&7
}

// menError is the error of the plain decoder.
func (c *codec) menError(in *[Size]byte) error {
	var s board.Setup
	if err := c.decode(in, &s); err != nil {
		return err
	}
	return fault.New(fault.Internal, c.decodeOp, "the decoders disagree")
}
