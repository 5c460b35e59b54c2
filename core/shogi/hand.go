package shogi

import (
	"komadori/core/fault"
)

// A HandPiece numbers the kinds that can be in hand, 0..6: P L N S B R G (PieceType - 1).
type HandPiece int8

const (
	HandPawn   HandPiece = 0
	HandLance  HandPiece = 1
	HandKnight HandPiece = 2
	HandSilver HandPiece = 3
	HandBishop HandPiece = 4
	HandRook   HandPiece = 5
	HandGold   HandPiece = 6

	HandPieceCount = 7
)

// HandOrderGBR lists the kinds in the second order in use, P L N S G B R.
var HandOrderGBR = [HandPieceCount]PieceType{Pawn, Lance, Knight, Silver, Gold, Bishop, Rook}

// NewHandPiece checks a raw value 0..6.
func NewHandPiece(raw int) (HandPiece, error) {
	if raw < 0 || raw > 6 {
		return 0, fault.New(fault.InvalidValue, "shogi.NewHandPiece", "hand piece %d, want 0..6", raw)
	}
	return HandPiece(raw), nil
}

// HandPiece numbers the kind that a captured piece becomes in hand: promoted kinds lose their promotion. Kings, none and GoldLike are refused.
func (t PieceType) HandPiece() (HandPiece, error) {
	d := t.Demote()
	if d < Pawn || d > Gold {
		return 0, fault.New(fault.InvalidValue, "shogi.PieceType.HandPiece", "piece type %d cannot be in hand", t)
	}
	return HandPiece(d - 1), nil
}

// Type is the kind.
func (h HandPiece) Type() PieceType { return PieceType(h + 1) }

// A Hand holds the counts of one side's pieces in hand, packed in 32 bits with a free (borrow) bit above each count:
// P bits 0-4, L 8-10, N 12-14, S 16-18, B 20-21, R 24-25, G 28-30.
type Hand uint32

// HandBorrow has the borrow bits set.
const HandBorrow Hand = 1<<5 | 1<<11 | 1<<15 | 1<<19 | 1<<22 | 1<<26 | 1<<31

// HandShift, HandMask and HandMax are indexed by PieceType: place and width of a count, and how many men exist.
var (
	HandShift = [8]uint8{0, 0, 8, 12, 16, 20, 24, 28}
	HandMask  = [8]uint32{0, 31, 7, 7, 7, 3, 3, 7}
	HandMax   = [8]int{0, 18, 4, 4, 4, 2, 2, 4}
)

// NewHand checks a raw value: no bit outside the counts, no count above the men that exist.
func NewHand(raw uint32) (Hand, error) {
	h := Hand(raw)
	if err := h.Validate(); err != nil {
		return 0, err
	}
	return h, nil
}

// HandBits has the bits of the counts set, all that a hand may set.
const HandBits uint32 = 31 | 7<<8 | 7<<12 | 7<<16 | 3<<20 | 3<<24 | 7<<28

// HandFromCounts takes counts in the order P L N S B R G.
func HandFromCounts(counts [HandPieceCount]int) (Hand, error) {
	var h Hand
	for i, n := range counts {
		t := PieceType(i + 1)
		if n < 0 || n > HandMax[t] {
			return 0, fault.New(fault.InvalidValue, "shogi.HandFromCounts", "%d of %v, want 0..%d", n, t, HandMax[t])
		}
		h |= Hand(n) << HandShift[t]
	}
	return h, nil
}

// Validate reports a count above the men that exist, or stray bits.
func (h Hand) Validate() error {
	if uint32(h)&^HandBits != 0 {
		return fault.New(fault.InvalidValue, "shogi.Hand", "0x%08x sets bits outside the counts", uint32(h))
	}
	for t := Pawn; t <= Gold; t++ {
		if h.Count(t) > HandMax[t] {
			return fault.New(fault.InvalidValue, "shogi.Hand", "%d of %v, want 0..%d", h.Count(t), t, HandMax[t])
		}
	}
	return nil
}

// Count is the number of pieces of a kind; 0 for kinds that cannot be in hand.
func (h Hand) Count(t PieceType) int {
	if t < Pawn || t > Gold {
		return 0
	}
	return int(uint32(h) >> HandShift[t&7] & HandMask[t&7])
}

// Counts lists the counts in the order P L N S B R G.
func (h Hand) Counts() (counts [HandPieceCount]int) {
	for i := range counts {
		counts[i] = h.Count(PieceType(i + 1))
	}
	return counts
}

// CountsGBR lists the counts in the order P L N S G B R.
func (h Hand) CountsGBR() (counts [HandPieceCount]int) {
	for i, t := range HandOrderGBR {
		counts[i] = h.Count(t)
	}
	return counts
}

// Total is the number of pieces in hand.
func (h Hand) Total() (n int) {
	for t := Pawn; t <= Gold; t++ {
		n += h.Count(t)
	}
	return n
}

// IsEmpty tells whether there is nothing in hand.
func (h Hand) IsEmpty() bool { return h == 0 }

// Add returns the hand with n more of an unpromoted kind. Promoted kinds, kings and none are refused: demote first.
func (h Hand) Add(t PieceType, n int) (Hand, error) {
	if t < Pawn || t > Gold {
		return h, fault.New(fault.InvalidValue, "shogi.Hand.Add", "piece type %v cannot be in hand", t)
	}
	if have := h.Count(t); n < 0 || n > HandMax[t]-have {
		return h, fault.New(fault.InvalidValue, "shogi.Hand.Add", "%d + %d of %v, want at most %d", have, n, t, HandMax[t])
	}
	return h + Hand(n)<<HandShift[t], nil
}

// Sub returns the hand with n fewer of a kind.
func (h Hand) Sub(t PieceType, n int) (Hand, error) {
	if t < Pawn || t > Gold {
		return h, fault.New(fault.InvalidValue, "shogi.Hand.Sub", "piece type %v cannot be in hand", t)
	}
	if have := h.Count(t); n < 0 || n > have {
		return h, fault.New(fault.InvalidValue, "shogi.Hand.Sub", "%d - %d of %v, want at least 0", have, n, t)
	}
	return h - Hand(n)<<HandShift[t], nil
}

// IsSuperiorOrEqual tells whether h has at least as many of every kind as other, in one subtraction:
// a kind that is short borrows through its free bit.
func (h Hand) IsSuperiorOrEqual(other Hand) bool { return (h-other)&HandBorrow == 0 }
