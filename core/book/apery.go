package book

import (
	"encoding/binary"
	"io"
	"sync"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/shogi"
)

// An apery is a book of entries of 16 bytes, in the order of their keys: key (8 bytes), move as Apery writes it (2), count (2), score (4), little endian.
type apery struct {
	reader io.ReaderAt
	n      int64
}

const (
	aperyEntry = 16
	opApery    = "book.NewApery"
)

func newApery(r io.ReaderAt, size int64) (*apery, error) {
	if size%aperyEntry != 0 {
		return nil, fault.New(fault.Parse, opApery, "%d bytes, want a multiple of %d", size, aperyEntry).At(int(size / aperyEntry * aperyEntry))
	}
	a := &apery{r, size / aperyEntry}
	// Small books are checked whole, of large ones a thousand places are.
	step := max(1, min(a.n/sampleSize, a.n-1))
	if size <= 1<<20 {
		step = 1
	}
	last := uint64(0)
	for i := int64(0); i < a.n; i += step {
		key, _, err := a.entry(i)
		if err != nil {
			return nil, err
		}
		if key < last {
			return nil, fault.New(fault.Parse, opApery, "entry %d has a lower key than one before it; entries must be in order", i).At(int(i * aperyEntry))
		}
		last = key
	}
	return a, nil
}

func (a *apery) format() string { return "Apery" }

func (a *apery) len() int { return -1 }

func (a *apery) entry(i int64) (key uint64, m Move, err error) {
	var b [aperyEntry]byte
	if n, err := a.reader.ReadAt(b[:], i*aperyEntry); n < len(b) {
		return 0, m, err
	}
	move, err := shogi.AperyMove(binary.LittleEndian.Uint16(b[8:])).Move()
	if err != nil {
		return 0, m, fault.New(fault.Parse, opApery, "entry %d: %s", i, fault.Detail(err)).At(int(i*aperyEntry + 8))
	}
	m = Move{Move: move, Count: uint32(binary.LittleEndian.Uint16(b[10:])), Score: int32(binary.LittleEndian.Uint32(b[12:]))}
	return binary.LittleEndian.Uint64(b[:]), m, nil
}

func (a *apery) find(p *board.Position, _ bool) ([]Move, error) {
	wanted := AperyKey(p)
	low, high := int64(0), a.n
	for low < high {
		middle := low + (high-low)/2
		key, _, err := a.entry(middle)
		if err != nil {
			return nil, err
		}
		if key < wanted {
			low = middle + 1
		} else {
			high = middle
		}
	}
	var moves []Move
	for ; low < a.n; low++ {
		key, m, err := a.entry(low)
		if err != nil {
			return nil, err
		}
		if key != wanted {
			break
		}
		moves = append(moves, m)
	}
	return moves, nil
}

// aperyKeys are the numbers that Apery's book keys are made of: the first ones of the 64-bit Mersenne Twister with its default seed, for each
// piece (empty included, PieceNone not) and square, then for each kind in hand and count 0..18, then for the turn.
type aperyKeys struct {
	pieces [31][81]uint64
	hands  [7][19]uint64
	white  uint64
}

var theAperyKeys = sync.OnceValue(func() *aperyKeys {
	k, random := new(aperyKeys), newTwister()
	for i := range k.pieces {
		for j := range k.pieces[i] {
			k.pieces[i][j] = random.next()
		}
	}
	for i := range k.hands {
		for j := range k.hands[i] {
			k.hands[i][j] = random.next()
		}
	}
	k.white = random.next()
	return k
})

// aperyHand has Apery's order of the kinds in hand.
var aperyHand = [7]shogi.PieceType{shogi.Pawn, shogi.Lance, shogi.Knight, shogi.Silver, shogi.Gold, shogi.Bishop, shogi.Rook}

// AperyKey is the key of a position in Apery's books. Of the hands only that of the side to move counts.
func AperyKey(p *board.Position) (key uint64) {
	k := theAperyKeys()
	for occupied := p.Occupied(); !occupied.IsEmpty(); {
		sq := occupied.Pop()
		key ^= k.pieces[p.PieceAt(sq)][sq]
	}
	hand := p.Hand(p.Turn())
	for i, t := range aperyHand {
		key ^= k.hands[i][hand.Count(t)]
	}
	if p.Turn() == shogi.White {
		key ^= k.white
	}
	return key
}

// A twister is the 64-bit Mersenne Twister of Matsumoto and Nishimura (MT19937-64, 2004).
type twister struct {
	state [312]uint64
	at    int
}

// newTwister has the default seed, 5489.
func newTwister() *twister {
	t := &twister{at: 312}
	t.state[0] = 5489
	for i := 1; i < len(t.state); i++ {
		t.state[i] = 6364136223846793005*(t.state[i-1]^t.state[i-1]>>62) + uint64(i)
	}
	return t
}

func (t *twister) next() uint64 {
	n := len(t.state)
	if t.at == n {
		for i := range t.state {
			x := t.state[i]&^(1<<31-1) | t.state[(i+1)%n]&(1<<31-1)
			t.state[i] = t.state[(i+n/2)%n] ^ x>>1 ^ x&1*0xB5026F5AA96619E9
		}
		t.at = 0
	}
	x := t.state[t.at]
	t.at++
	x ^= x >> 29 & 0x5555555555555555
	x ^= x << 17 & 0x71D67FFFEDA60000
	x ^= x << 37 & 0xFFF7EEE000000000
	return x ^ x>>43
}
