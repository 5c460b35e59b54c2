package packed_test

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/notation"
	"komadori/core/packed"
	"komadori/core/shogi"
)

// formats are both packed positions with their ways in and out.
var formats = []struct {
	name   string
	encode encoder
	decode decoder
}{
	{"hcp", packed.EncodeHCP, packed.DecodeHCP},
	{"packed sfen", packed.EncodePackedSfen, packed.DecodePackedSfen},
}

func TestBytesThatUsersStore(t *testing.T) {
	for _, r := range []struct{ sfen, hcp, packedSfen string }{
		{shogi.StartSFEN, "58a449210cd757217e8e4d212caf427814c2ab109e4d212cd75f213e8e49210c", "58a451220ceb67227e9653221caf447824c22b119e53221ceb6f223e9651220c"},
		// Thirty-two men neither on the board nor in hand.
		{"4k4/9/9/9/9/9/9/9/4K4 b RBG2S 1", "58240000000000000000004029e7f393244992244992524a69adb55aebbd3f5e", "5824000000000000000000c018e7f191244992244992524aa9b5d6d6da7bbf7e"},
	} {
		roundTrip(t, r.sfen, r.hcp, packed.EncodeHCP, packed.DecodeHCP)
		roundTrip(t, r.sfen, r.packedSfen, packed.EncodePackedSfen, packed.DecodePackedSfen)
	}
}

// bits reads n bits of a packed position from bit at on.
func bits(b *[packed.Size]byte, at, n int) (v int) {
	for i := range n {
		v |= int(b[(at+i)/8]>>((at+i)%8)&1) << i
	}
	return v
}

// Every code, read from the bytes of positions that hold a single man besides the kings, written down from the formats' definitions.
func TestEveryCode(t *testing.T) {
	type codes struct {
		letter       string
		boardLength  int
		black, white int
		proBlack     int
		proWhite     int
		handLength   int
		handBlack    int
		handWhite    int
	}
	tables := [][]codes{
		{
			{"P", 4, 0x01, 0x05, 0x09, 0x0D, 3, 0x0, 0x4},
			{"L", 6, 0x03, 0x13, 0x23, 0x33, 5, 0x01, 0x11},
			{"N", 6, 0x07, 0x17, 0x27, 0x37, 5, 0x03, 0x13},
			{"S", 6, 0x0B, 0x1B, 0x2B, 0x3B, 5, 0x05, 0x15},
			{"G", 6, 0x0F, 0x2F, -1, -1, 5, 0x07, 0x17},
			{"B", 8, 0x1F, 0x5F, 0x9F, 0xDF, 7, 0x1F, 0x5F},
			{"R", 8, 0x3F, 0x7F, 0xBF, 0xFF, 7, 0x3F, 0x7F},
		},
		{
			{"P", 4, 0x01, 0x09, 0x05, 0x0D, 3, 0x0, 0x4},
			{"L", 6, 0x03, 0x23, 0x13, 0x33, 5, 0x01, 0x11},
			{"N", 6, 0x0B, 0x2B, 0x1B, 0x3B, 5, 0x05, 0x15},
			{"S", 6, 0x07, 0x27, 0x17, 0x37, 5, 0x03, 0x13},
			{"G", 6, 0x0F, 0x2F, -1, -1, 5, 0x07, 0x17},
			{"B", 8, 0x1F, 0x9F, 0x5F, 0xDF, 7, 0x0F, 0x4F},
			{"R", 8, 0x3F, 0xBF, 0x7F, 0xFF, 7, 0x1F, 0x5F},
		},
	}
	// The kings stand on 9i and 9a, so square 40 is the fortieth of the stream.
	const head, middle = 15, 40
	for i, f := range formats {
		for _, c := range tables[i] {
			lower := string(c.letter[0] | 0x20)
			for piece, want := range map[string]int{c.letter: c.black, lower: c.white, "+" + c.letter: c.proBlack, "+" + lower: c.proWhite} {
				if want < 0 {
					continue
				}
				p, err := notation.ParsePosition("k8/9/9/9/4" + piece + "4/9/9/9/K8 w - 1")
				require.NoError(t, err)
				var out [packed.Size]byte
				require.NoError(t, f.encode(&p, &out))
				assert.Equal(t, 1|80<<1|72<<8, bits(&out, 0, head), "side to move and kings")
				assert.Zero(t, bits(&out, head, middle))
				assert.Equal(t, want, bits(&out, head+middle, c.boardLength), "%s: %s on the board", f.name, piece)
				assert.Zero(t, bits(&out, head+middle+c.boardLength, 78-middle), "%s: %s is %d bits long", f.name, piece, c.boardLength)
			}
			for piece, want := range map[string]int{c.letter: c.handBlack, lower: c.handWhite} {
				p, err := notation.ParsePosition("k8/9/9/9/9/9/9/9/K8 b " + piece + " 1")
				require.NoError(t, err)
				var out [packed.Size]byte
				require.NoError(t, f.encode(&p, &out))
				assert.Equal(t, want, bits(&out, head+79, c.handLength), "%s: %s in hand", f.name, piece)
			}
		}
	}
	// The men that are nowhere: P 18, L 4, N 4, S 4, G 4, B 2, R 2.
	for i, box := range [][7][2]int{
		{{0x02, 3}, {0x09, 5}, {0x0B, 5}, {0x0D, 5}, {0x1D, 5}, {0x0F, 7}, {0x2F, 7}},
		{{0x02, 3}, {0x09, 5}, {0x0D, 5}, {0x0B, 5}, {0x1B, 5}, {0x2F, 7}, {0x3F, 7}},
	} {
		p, err := notation.ParsePosition("k8/9/9/9/9/9/9/9/K8 b - 1")
		require.NoError(t, err)
		var out [packed.Size]byte
		require.NoError(t, formats[i].encode(&p, &out))
		at := head + 79
		for kind, n := range [7]int{18, 4, 4, 4, 4, 2, 2} {
			for range n {
				assert.Equal(t, box[kind][0], bits(&out, at, box[kind][1]), "%s: kind %d", formats[i].name, kind)
				at += box[kind][1]
			}
		}
		assert.Equal(t, 256, at)
	}
}

func TestKingsAreNeeded(t *testing.T) {
	for _, sfen := range []string{"4k4/9/9/9/9/9/9/9/9 b - 1", "9/9/9/9/9/9/9/9/4K4 w - 1", "9/9/9/9/9/9/9/9/9 b - 1"} {
		p, err := notation.ParsePosition(sfen)
		require.NoError(t, err)
		for _, f := range formats {
			out := [packed.Size]byte{1, 2, 3}
			assert.ErrorIs(t, f.encode(&p, &out), fault.InvalidPosition)
			assert.Equal(t, [packed.Size]byte{1, 2, 3}, out, "untouched on error")
		}
		var psv [packed.PSVSize]byte
		assert.ErrorIs(t, packed.EncodePSV(&p, 7739, 0, 0, 0, &psv), fault.InvalidPosition)
		var hcpe [packed.HCPESize]byte
		assert.ErrorIs(t, packed.EncodeHCPE(&p, 7739, 0, 0, 0, &hcpe), fault.InvalidPosition)
	}
}

// randomPosition scatters men by the rules that a Position keeps: two kings, one unpromoted pawn a file and side, no piece without moves ahead.
func randomPosition(r *rand.Rand) board.Position {
	for {
		s := board.Setup{Turn: shogi.Color(r.IntN(2)), Ply: 1}
		squares := r.Perm(81)
		s.Board[squares[0]], s.Board[squares[1]] = shogi.BKing, shogi.WKing
		next, full, spread := 2, r.IntN(2) == 0, r.IntN(3)
		var pawns [2][9]bool
		for kind, n := range [...]int{shogi.Pawn: 18, shogi.Lance: 4, shogi.Knight: 4, shogi.Silver: 4, shogi.Bishop: 2, shogi.Rook: 2, shogi.Gold: 4} {
			for range n {
				c, t := shogi.Color(r.IntN(2)), shogi.PieceType(kind)
				if !full && r.IntN(4) == 0 {
					continue
				}
				sq := shogi.Square(squares[next])
				board := r.IntN(3) > spread-1
				if r.IntN(3) == 0 {
					t = t.Promote()
				}
				if t == shogi.Pawn && pawns[c][sq.File()] || t.MustPromote(c, sq.Rank()) || !board {
					s.Hands[c], _ = s.Hands[c].Add(t.Demote(), 1)
					continue
				}
				if t == shogi.Pawn {
					pawns[c][sq.File()] = true
				}
				s.Board[sq] = shogi.MakePiece(c, t)
				next++
			}
		}
		if p, err := s.Position(); err == nil {
			return p
		}
	}
}

func TestRandomPositionsRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 20000 {
		p := randomPosition(r)
		for _, f := range formats {
			var out, again [packed.Size]byte
			var s board.Setup
			require.NoError(t, f.encode(&p, &out))
			require.NoError(t, f.decode(&out, &s))
			require.Equal(t, p.Setup(), s)
			q, err := s.Position()
			require.NoError(t, err)
			require.NoError(t, f.encode(&q, &again))
			require.Equal(t, out, again)
		}
	}
}

// A single flipped bit is refused or gives a position whose own bytes are the damaged ones, but for the order of the men off the board:
// writers differ in it, so it is read in any order and written in one.
func TestDamagedBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	refused, same, reordered := 0, 0, 0
	for range 300 {
		p := randomPosition(r)
		for _, f := range formats {
			var good [packed.Size]byte
			require.NoError(t, f.encode(&p, &good))
			for bit := range 256 {
				in := good
				in[bit/8] ^= 1 << (bit % 8)
				var s board.Setup
				if err := f.decode(&in, &s); err != nil {
					var e *fault.Error
					require.ErrorAs(t, err, &e)
					require.Equal(t, fault.Parse, e.Kind)
					require.True(t, e.Offset >= 0 && e.Offset <= packed.Size)
					refused++
					continue
				}
				require.NotEqual(t, p.Setup(), s, "a bit without meaning")
				q, err := s.Position()
				if err != nil {
					require.ErrorIs(t, err, fault.InvalidPosition)
					continue
				}
				var out [packed.Size]byte
				require.NoError(t, f.encode(&q, &out))
				if out == in {
					same++
				} else {
					reordered++
				}
			}
		}
	}
	t.Logf("%d refused, %d read and written as they were, %d with men off the board in another order", refused, same, reordered)
	assert.NotZero(t, same)
}

// The men off the board in the order of piece numbers (B R G last) instead of G B R: a reader must not mind.
func TestMenOffTheBoardInAnotherOrder(t *testing.T) {
	p, err := notation.ParsePosition("k8/9/9/9/9/9/9/9/K8 b RBG 1")
	require.NoError(t, err)
	var canonical [packed.Size]byte
	require.NoError(t, packed.EncodeHCP(&p, &canonical))
	swapped := canonical
	write := func(at, v, n int) {
		for i := range n {
			mask := byte(1) << ((at + i) % 8)
			swapped[(at+i)/8] &^= mask
			if v>>i&1 != 0 {
				swapped[(at+i)/8] |= mask
			}
		}
	}
	require.Equal(t, 0x07|0x1F<<5|0x3F<<12, bits(&canonical, 94, 19), "G B R in hand")
	write(94, 0x1F|0x3F<<7|0x07<<14, 19)
	var s board.Setup
	require.NoError(t, packed.DecodeHCP(&swapped, &s))
	assert.Equal(t, p.Setup(), s)
}

func TestDecodersNameWhatIsWrong(t *testing.T) {
	for text, says := range map[string]string{
		"0000000000000000000000000000000000000000000000000000000000000000": "both kings",
		"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff": "king squares 127 and 127",
		"a2480000000000000000000000000000000000000000000000000000000000ff": "king squares",
		"5824000000000000000000000000000000000000000000000000000000000000": "more P than exist",
	} {
		raw, err := hex.DecodeString(text)
		require.NoError(t, err)
		for _, f := range formats {
			var s board.Setup
			err := f.decode((*[packed.Size]byte)(raw), &s)
			assert.ErrorIs(t, err, fault.Parse)
			assert.ErrorContains(t, err, says, f.name)
		}
	}
	for _, n := range []int{0, 31, 33} {
		assert.ErrorIs(t, packed.CheckLength(make([]byte, n), packed.Size), fault.Parse)
	}
	assert.NoError(t, packed.CheckLength(make([]byte, 32), packed.Size))
}

func TestPackingDoesNotAllocate(t *testing.T) {
	p := board.Start()
	var out [packed.Size]byte
	var hcpe [packed.HCPESize]byte
	var psv [packed.PSVSize]byte
	var rec packed.Record
	for _, f := range formats {
		assert.Zero(t, testing.AllocsPerRun(100, func() {
			_ = f.encode(&p, &out)
			_ = f.decode(&out, &rec.Setup)
			_ = p.Load(&rec.Setup)
		}), f.name)
	}
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		_ = packed.EncodeHCPE(&p, 7739, 12, 1, 0, &hcpe)
		_ = packed.DecodeHCPE(&hcpe, &rec)
		_ = packed.EncodePSV(&p, 7739, 12, 1, 0, &psv)
		_ = packed.DecodePSV(&psv, &rec)
	}))
}

func BenchmarkPacked(b *testing.B) {
	r := rand.New(rand.NewPCG(11, 12))
	var positions [64]board.Position
	for i := range positions {
		positions[i] = randomPosition(r)
	}
	for _, f := range formats {
		var out [64][packed.Size]byte
		for i := range positions {
			_ = f.encode(&positions[i], &out[i])
		}
		var s board.Setup
		b.Run(fmt.Sprintf("%s encode", f.name), func(b *testing.B) {
			for i := range b.N {
				_ = f.encode(&positions[i&63], &out[i&63])
			}
		})
		b.Run(fmt.Sprintf("%s decode", f.name), func(b *testing.B) {
			for i := range b.N {
				_ = f.decode(&out[i&63], &s)
			}
		})
	}
}
