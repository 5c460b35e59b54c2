package board

import (
	"math/bits"

	"komadori/core/bitboard"
	"komadori/core/shogi"
)

// A piece that steps reaches one file to either side. So the board is two overlapping wings of one word each, and a step needs only the one
// that its piece belongs to: files 1 to 6 to the right wing (files 1..7, the low word of a set), files 7 to 9 to the left wing (files 6..9).
// All words hold whole files from bit 0, so that masks of ranks are the same in each.

const (
	rightOwn  uint64 = 1<<54 - 1        // files 1..6 of the right wing
	leftOwn   uint64 = (1<<27 - 1) << 9 // files 7..9 of the left wing
	leftFirst        = shogi.Square(45) // the square of the left wing's bit 0
	allRanks  uint64 = 1<<63 - 1        // of as many files as a word has
)

// leftWing is files 6..9 of a set.
func leftWing(b bitboard.Bitboard) uint64 { return b.Lo>>45 | b.Hi<<18 }

// A stepper is what a knight, silver, gold-like piece or king on a square can do, as words of its wing.
type stepper struct {
	stay    uint64 // where it may step to and stay as it is
	promote uint64 // where it may promote
}

// steppers is by piece and square.
var steppers = func() (t [32][128]stepper) {
	for i := range t {
		piece := shogi.Piece(i)
		for sq := shogi.Square(0); sq < 81; sq++ {
			stay := bitboard.Step(piece, sq)
			promote := bitboard.Bitboard{}
			if piece.IsPromotable() {
				m := promotionsFrom(int(piece.Color()), sq)
				promote = bitboard.Bitboard{Lo: stay.Lo & m, Hi: stay.Hi & m}
			}
			stay = stay.AndNot(lastRanks[i])
			if sq < 54 {
				t[i][sq] = stepper{stay.Lo, promote.Lo}
			} else {
				t[i][sq] = stepper{leftWing(stay), leftWing(promote)}
			}
		}
	}
	return t
}()

// promotionsFrom is where a piece from a square may promote: anywhere when it starts in the zone. The mask fits any word.
func promotionsFrom(us int, from shogi.Square) uint64 { return promotions[us&1][from&127] }

var promotions = func() (t [2][128]uint64) {
	for c := range t {
		for sq := shogi.Square(0); sq < 81; sq++ {
			t[c][sq] = zoneOf(c).Lo
			if zoneOf(c).Test(sq) {
				t[c][sq] = allRanks
			}
		}
	}
	return t
}()

// aheadOf is the part of a square's file in front of it, as part of the word that the file lies in.
var aheadOf = func() (t [2][128]uint64) {
	for c := range t {
		for sq := shogi.Square(0); sq < 81; sq++ {
			b := bitboard.Ahead(shogi.Color(c), sq)
			t[c][sq] = b.Lo | b.Hi
		}
	}
	return t
}()

// lanceWord is what a lance attacks, as part of the word that its file lies in.
func lanceWord(us int, from shogi.Square, occupied uint64) uint64 {
	ahead := aheadOf[us&1][from&127]
	blockers := ahead & occupied
	if us == int(shogi.White) {
		return ahead & (blockers ^ (blockers - 1)) // up to the lowest blocker, all without one
	}
	const top int64 = -1 << 63
	return ahead & uint64(top>>(bits.LeadingZeros64(blockers|1)&63)) // down to the highest
}
