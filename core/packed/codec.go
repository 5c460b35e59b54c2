// Package packed has the fixed-size binary positions and records of training data: HCP (Apery's Huffman code) and PackedSfen
// (YaneuraOu's) of 32 bytes, HCPE and HCPE2 of 38, PSV of 40; and HCPE3, whose games are of different lengths.
package packed

import (
	"encoding/binary"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/shogi"
)

// Size is the length of a packed position in bytes.
const Size = 32

// Both formats are one bit stream, lowest bit of each byte first: side to move (1 bit), Black's and White's king squares (7 bits each),
// the other squares in order with a prefix code each, then a code for every man in hand (Black, White; each P L N S G B R),
// then one for every man that is neither on the board nor in hand. With both kings that makes exactly 256 bits for any position.

// A code is a bit pattern and its length.
type code struct {
	bits   uint8
	length uint8
}

// A run is several codes, one behind the other.
type run struct {
	bits   uint64
	length uint
}

func (r run) and(next run) run { return run{r.bits | next.bits<<(r.length&63), r.length + next.length} }

func (r run) then(c code) run { return r.and(run{uint64(c.bits), uint(c.length)}) }

// handRuns has the codes of so many men of a kind in hand.
type handRuns [8][32]run

func (h *handRuns) of(hand shogi.Hand, t shogi.PieceType) run { return h[t&7][hand.Count(t)&31] }

// A codec is one of the two formats.
type codec struct {
	encodeOp, decodeOp string
	board              [32]code   // by piece; index 0 the empty square; that of kings has no bits
	pairs              [1024]run  // codes of two squares, by the pieces on them: the first one in the lower five bits
	hand               [2][8]code // by color and kind
	hands              [2]handRuns
	box                [8]code     // by kind
	read               [256]symbol // board codes by the next eight bits
	rest               [128]symbol // hand and box codes by the next seven bits
}

// A symbol is what a code stands for; length 0 means that no code begins with these bits.
type symbol struct {
	piece  uint8 // piece on the board; for men off the board the kind, +16 White's hand, +32 box
	length uint8
}

const inBox = 32

var (
	hcp  = makeCodec("HCP", hcpBoard, hcpHand, hcpBox)
	sfen = makeCodec("PackedSfen", sfenBoard, sfenHand, sfenBox)
)

// The prefix codes of Apery: prefix, then color, then promotion, from the lowest bit on.
var (
	hcpPrefix   = [8]code{shogi.Pawn: {0x01, 2}, shogi.Lance: {0x03, 4}, shogi.Knight: {0x07, 4}, shogi.Silver: {0x0B, 4}, shogi.Bishop: {0x1F, 6}, shogi.Rook: {0x3F, 6}, shogi.Gold: {0x0F, 5}}
	hcpHandCode = [8]code{shogi.Pawn: {0x00, 2}, shogi.Lance: {0x01, 4}, shogi.Knight: {0x03, 4}, shogi.Silver: {0x05, 4}, shogi.Bishop: {0x1F, 6}, shogi.Rook: {0x3F, 6}, shogi.Gold: {0x07, 4}}
	hcpBoxCode  = [8]code{shogi.Pawn: {0x02, 3}, shogi.Lance: {0x09, 5}, shogi.Knight: {0x0B, 5}, shogi.Silver: {0x0D, 5}, shogi.Bishop: {0x0F, 7}, shogi.Rook: {0x2F, 7}, shogi.Gold: {0x1D, 5}}
)

func hcpBoard(p shogi.Piece) code {
	prefix := hcpPrefix[p.Type().Demote()&7]
	c := code{prefix.bits | uint8(p.Color())<<prefix.length, prefix.length + 1}
	if p.Type() == shogi.Gold {
		return c
	}
	if p.IsPromoted() {
		c.bits |= 1 << c.length
	}
	c.length++
	return c
}

func hcpHand(c shogi.Color, t shogi.PieceType) code {
	prefix := hcpHandCode[t]
	return code{prefix.bits | uint8(c)<<prefix.length, prefix.length + 1}
}

func hcpBox(t shogi.PieceType) code { return hcpBoxCode[t] }

// The prefix codes of YaneuraOu: prefix, then promotion (not for gold), then color.
var (
	sfenPrefix  = [8]code{shogi.Pawn: {0x01, 2}, shogi.Lance: {0x03, 4}, shogi.Knight: {0x0B, 4}, shogi.Silver: {0x07, 4}, shogi.Bishop: {0x1F, 6}, shogi.Rook: {0x3F, 6}, shogi.Gold: {0x0F, 5}}
	sfenBoxCode = [8]code{shogi.Pawn: {0x02, 3}, shogi.Lance: {0x09, 5}, shogi.Knight: {0x0D, 5}, shogi.Silver: {0x0B, 5}, shogi.Bishop: {0x2F, 7}, shogi.Rook: {0x3F, 7}, shogi.Gold: {0x1B, 5}}
)

func sfenBoard(p shogi.Piece) code {
	c := sfenPrefix[p.Type().Demote()&7]
	if p.Type() != shogi.Gold {
		if p.IsPromoted() {
			c.bits |= 1 << c.length
		}
		c.length++
	}
	c.bits |= uint8(p.Color()) << c.length
	c.length++
	return c
}

// sfenHand is the board code of the unpromoted piece without its lowest bit, which only tells pieces from empty squares.
func sfenHand(c shogi.Color, t shogi.PieceType) code {
	b := sfenBoard(shogi.MakePiece(c, t))
	return code{b.bits >> 1, b.length - 1}
}

func sfenBox(t shogi.PieceType) code { return sfenBoxCode[t] }

func makeCodec(name string, onBoard func(shogi.Piece) code, inHand func(shogi.Color, shogi.PieceType) code, box func(shogi.PieceType) code) *codec {
	c := &codec{encodeOp: "packed.Encode" + name, decodeOp: "packed.Decode" + name}
	c.board[0] = code{0, 1}
	enter(c.read[:], c.board[0], 0)
	for i := range c.board {
		if p := shogi.Piece(i); p.IsOnBoard() && p.Type() != shogi.King {
			c.board[i] = onBoard(p)
			enter(c.read[:], c.board[i], uint8(p))
		}
	}
	for t := shogi.Pawn; t <= shogi.Gold; t++ {
		for color := shogi.Black; color <= shogi.White; color++ {
			c.hand[color][t] = inHand(color, t)
			enter(c.rest[:], c.hand[color][t], uint8(t)|uint8(color)<<4)
			for n := range shogi.HandMax[t] {
				c.hands[color][t][n+1] = c.hands[color][t][n].then(c.hand[color][t])
			}
		}
		c.box[t] = box(t)
		enter(c.rest[:], c.box[t], uint8(t)|inBox)
	}
	for i := range c.pairs {
		c.pairs[i] = run{}.then(c.board[i&31]).then(c.board[i>>5])
	}
	return c
}

// enter writes a symbol at every index that begins with a code.
func enter(table []symbol, c code, meaning uint8) {
	for i := int(c.bits); i < len(table); i += 1 << c.length {
		table[i] = symbol{meaning, c.length}
	}
}

// put writes a run at a bit of the stream and gives the bit behind it.
func put(words *[8]uint64, at uint, r run) uint {
	i, shift := at>>6, at&63
	words[i&7] |= r.bits << shift
	words[(i+1)&7] |= r.bits >> 1 >> (63 - shift)
	return at + r.length
}

// pair is the run of two squares, whose pieces are the lower two bytes of a word.
func (c *codec) pair(pieces uint64) run { return c.pairs[pieces&31|pieces>>3&(31<<5)] }

// encode writes a position. It needs both kings.
func (c *codec) encode(p *board.Position, out *[Size]byte) error {
	if err := p.NeedKings(c.encodeOp); err != nil {
		return err
	}
	words := [8]uint64{uint64(p.Turn()) | uint64(p.KingSquare(shogi.Black))<<1 | uint64(p.KingSquare(shogi.White))<<8}
	at, pieces := uint(15), p.Board()
	for sq := 0; sq < shogi.SquareCount-1; sq += 8 {
		eight := binary.LittleEndian.Uint64(pieces[sq : sq+8])
		r := c.pair(eight).and(c.pair(eight >> 16)).and(c.pair(eight >> 32).and(c.pair(eight >> 48))) // at most 64 bits
		at = put(&words, at, r)
	}
	at = put(&words, at, run{}.then(c.board[pieces[shogi.SquareCount-1]&31]))
	for color := shogi.Black; color <= shogi.White; color++ {
		hand := p.Hand(color)
		if hand == 0 {
			continue
		}
		// Three runs of at most 64 bits each.
		h := &c.hands[color]
		at = put(&words, at, h.of(hand, shogi.Pawn))
		at = put(&words, at, h.of(hand, shogi.Lance).and(h.of(hand, shogi.Knight)).and(h.of(hand, shogi.Silver)))
		at = put(&words, at, h.of(hand, shogi.Gold).and(h.of(hand, shogi.Bishop)).and(h.of(hand, shogi.Rook)))
	}
	if at < 8*Size { // some men are nowhere
		c.putBox(&words, at, p)
	}
	for i := range 4 {
		binary.LittleEndian.PutUint64(out[8*i:], words[i])
	}
	return nil
}

// putBox writes the men that are neither on the board nor in hand.
func (c *codec) putBox(words *[8]uint64, at uint, p *board.Position) {
	box := fullSet
	for _, piece := range p.Board()[:shogi.SquareCount] {
		box -= menByte[piece&31]
	}
	for _, t := range shogi.HandOrderGBR {
		box -= uint64(p.Hand(shogi.Black).Count(t)+p.Hand(shogi.White).Count(t)) << (8 * t)
		for range box >> (8 * t) & 255 {
			at = put(words, at, run{}.then(c.box[t&7]))
		}
	}
}

// decode reads a position into s: every code must be known, the kings on different squares, and the men exactly a full set.
// Whether the setup is a legal position is asked by board.Position.Load. On an error s has no meaning. The ply becomes 1.
//
// The codes of the men off the board are read in any order: writers that number bishop and rook before gold write them so.
func (c *codec) decode(in *[Size]byte, s *board.Setup) error {
	var b [Size + 8]byte
	copy(b[:], in[:])
	head := binary.LittleEndian.Uint64(b[:])
	black, white := shogi.Square(head>>1&127), shogi.Square(head>>8&127)
	if !black.IsOnBoard() || !white.IsOnBoard() {
		return c.bad(0, "king squares %d and %d, want 0..80", black, white)
	}
	if black == white {
		return c.bad(0, "both kings on square %d", black)
	}
	*s = board.Setup{Turn: shogi.Color(head & 1), Ply: 1}
	s.Board[black], s.Board[white] = shogi.BKing, shogi.WKing
	var left [16]int8
	for t := shogi.Pawn; t <= shogi.Gold; t++ {
		left[t] = int8(shogi.Men[t])
	}
	at := uint(15)
	for sq := range s.Board {
		if shogi.Square(sq) == black || shogi.Square(sq) == white {
			continue
		}
		if at > 256 {
			return c.bad(Size, "the board needs more than 256 bits")
		}
		e := c.read[binary.LittleEndian.Uint64(b[at>>3:])>>(at&7)&255]
		if e.length == 0 {
			return c.bad(at>>3, "no code for the piece on %v", shogi.Square(sq))
		}
		at += uint(e.length)
		s.Board[sq] = shogi.Piece(e.piece)
		left[shogi.PieceType(e.piece&15).Demote()&15]--
	}
	for at < 256 {
		e := c.rest[binary.LittleEndian.Uint64(b[at>>3:])>>(at&7)&127]
		if e.length == 0 {
			return c.bad(at>>3, "no code for a man off the board")
		}
		at += uint(e.length)
		t := e.piece & 7
		left[t]--
		if e.piece&inBox == 0 {
			if left[t] < 0 {
				return c.bad(at>>3, "more %v than exist", shogi.PieceType(t))
			}
			s.Hands[e.piece>>4&1] += 1 << shogi.HandShift[t]
		}
	}
	if at != 256 {
		return c.bad(Size, "the last code ends beyond 256 bits")
	}
	for t := shogi.Pawn; t <= shogi.Gold; t++ {
		if left[t] != 0 {
			return c.bad(Size, "%d %v, want %d", shogi.Men[t]-int(left[t]), t, shogi.Men[t])
		}
	}
	return nil
}

func (c *codec) bad(offset uint, format string, args ...any) error {
	return fault.New(fault.Parse, c.decodeOp, format, args...).At(int(offset))
}

// EncodeHCP writes a position with both kings as Apery's Huffman code. The ply is not kept.
func EncodeHCP(p *board.Position, out *[Size]byte) error { return hcp.encode(p, out) }

// DecodeHCP reads Apery's Huffman code; the setup has ply 1 and is not yet known to be a legal position.
func DecodeHCP(in *[Size]byte, s *board.Setup) error { return hcp.decode(in, s) }

// EncodePackedSfen writes a position with both kings in YaneuraOu's packed form. The ply is not kept.
func EncodePackedSfen(p *board.Position, out *[Size]byte) error { return sfen.encode(p, out) }

// DecodePackedSfen reads YaneuraOu's packed form; the setup has ply 1 and is not yet known to be a legal position.
func DecodePackedSfen(in *[Size]byte, s *board.Setup) error { return sfen.decode(in, s) }

// CheckLength asks whether bytes from outside are as many as one position or record has: Size, HCPESize or PSVSize.
func CheckLength(raw []byte, want int) error {
	if len(raw) != want {
		return fault.New(fault.Parse, "packed.CheckLength", "%d bytes, want %d", len(raw), want).At(min(len(raw), want))
	}
	return nil
}
