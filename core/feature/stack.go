package feature

import (
	"encoding/binary"

	"komadori/core/bitboard"
	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/shogi"
)

// MaxStack is the largest number of planes of a Stack.
const MaxStack = 512

// A Stack is a choice of planes in an order, for input planes of one's own. It is made once and then used for any number of positions, by one goroutine at a time.
type Stack struct {
	planes []Plane
	king   bool // some plane is of the entering king
	dls    bool // some plane is one of dlshogi's
	row    []byte
}

// NewStack checks a choice of planes; planes may come twice. None, more than MaxStack and unknown ones are Argument errors.
func NewStack(planes []Plane) (*Stack, error) {
	const op = "feature.NewStack"
	if len(planes) == 0 || len(planes) > MaxStack {
		return nil, fault.New(fault.Argument, op, "%d planes, want 1..%d", len(planes), MaxStack)
	}
	s := &Stack{planes: append([]Plane(nil), planes...), row: make([]byte, rowRoom(len(planes)))}
	for _, p := range planes {
		if int(p) >= PlaneCount {
			return nil, fault.New(fault.Argument, op, "plane %d, want 0..%d", p, PlaneCount-1)
		}
		s.dls = s.dls || p < extraPlane0
		s.king = s.king || p >= flatPlane0+kingPlane && p < extraPlane0
	}
	return s, nil
}

// Clone is a stack of the same planes for another goroutine.
func (s *Stack) Clone() *Stack {
	c := *s
	c.row = make([]byte, len(s.row))
	return &c
}

// Size is the number of elements of a row: 81 for each plane, plane by plane. Bytes is that of the same as bits.
func (s *Stack) Size() int  { return len(s.planes) * shogi.SquareCount }
func (s *Stack) Bytes() int { return (s.Size() + 7) / 8 }

// Load computes the planes of a position. Without both kings, the planes of dlshogi are an InvalidPosition. It does not allocate on success.
func (s *Stack) Load(p *board.Position) error {
	var set Set
	if s.dls {
		if err := set.Load(p, s.king); err != nil {
			return err
		}
	}
	clear(s.row)
	v := viewOf(p.Turn())
	us := p.Turn()
	for i, plane := range s.planes {
		var b bitboard.Bitboard
		switch {
		case plane < flatPlane0:
			b = set.plane(int(plane))
		case plane < extraPlane0:
			if set.TestFlat(int(plane - flatPlane0)) {
				b = bitboard.All
			}
		case plane >= boardPlane0:
			k := int(plane - boardPlane0)
			b = p.PiecesOf(shogi.Color(k/14), shogi.PieceType(k%14+1))
		case plane == whitePlane:
			if us == shogi.White {
				b = bitboard.All
			}
		case plane == onePlane:
			b = bitboard.All
		case plane == checkersPlane:
			b = v.set(p.Checkers())
		case plane == pinnedOwn || plane == pinnedOpponent:
			b = v.set(p.Pinned(us ^ shogi.Color(plane-pinnedOwn)))
		default:
			b = v.set(p.Pieces(us ^ shogi.Color(plane-occupiedOwn)))
		}
		setPlane(s.row, i, b)
	}
	return nil
}

// plane is one of the 62 board planes as a set.
func (s *Set) plane(k int) bitboard.Bitboard {
	bit := uint(k) * shogi.SquareCount
	at, shift := (*[16]byte)(s.board[bit>>3:]), bit&7
	first, second := binary.LittleEndian.Uint64(at[:]), binary.LittleEndian.Uint64(at[8:])
	low, high := first>>shift|second<<1<<(63-shift), second>>shift
	// Squares 0..62 lie in the lower word of a set, 63..80 in the upper one.
	return bitboard.Bitboard{Lo: low & (1<<63 - 1), Hi: (low>>63 | high<<1) & (1<<18 - 1)}
}

// WriteStack spreads the planes over dst, which has Size elements; it panics on another size. With a Stream it goes past the caches.
func WriteStack[T Element](s *Stack, dst []T, stream *Stream) {
	if len(dst) != s.Size() {
		panic("feature.WriteStack: a row of another size")
	}
	expand(s.row, dst, oneOf[T](), stream)
}

// Bits copies the planes as Bytes bytes, filling dst: bit i of byte k is element 8*k + i.
func (s *Stack) Bits(dst []byte) { copy(dst, s.row) }
