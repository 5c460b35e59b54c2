package search

import (
	"cmp"
	"strconv"

	"komadori/core/shogi"
)

// A ScoreKind says what a Score's number counts.
type ScoreKind uint8

const (
	Centipawns ScoreKind = 0 // an estimate in hundredths of a pawn
	Mates      ScoreKind = 1 // the side to move mates; the number is the plies until checkmate, from 1
	Mated      ScoreKind = 2 // the side to move is mated; the number is the plies until checkmate, 0 when it is mate already
)

// A Score is the worth of a position for the side to move: centipawns or plies to mate, never both.
// A mate is not a large number of centipawns: the two kinds are told apart by Kind alone.
type Score struct {
	Kind ScoreKind
	N    int32
}

// Cp is a score in centipawns.
func Cp(n int) Score { return Score{Centipawns, int32(n)} }

// MateIn is the score of a side that mates in so many plies.
func MateIn(plies int) Score { return Score{Mates, int32(plies)} }

// MatedIn is the score of a side that is mated in so many plies.
func MatedIn(plies int) Score { return Score{Mated, int32(plies)} }

// IsMate tells whether the score is a forced mate, for either side.
func (s Score) IsMate() bool { return s.Kind != Centipawns }

// Cp is the number of centipawns; false for a mate.
func (s Score) Cp() (int, bool) { return int(s.N), s.Kind == Centipawns }

// MatePlies is the number of plies to mate, negative when the side to move is mated; false for centipawns.
// A side that is mated already has 0.
func (s Score) MatePlies() (int, bool) {
	switch s.Kind {
	case Mates:
		return int(s.N), true
	case Mated:
		return -int(s.N), true
	}
	return 0, false
}

// FlipSide is the score seen by the other side.
func (s Score) FlipSide() Score {
	switch s.Kind {
	case Mates:
		return MatedIn(int(s.N))
	case Mated:
		return MateIn(int(s.N))
	}
	return Cp(-int(s.N))
}

// Compare is negative when s is worse for the side to move than o, 0 when equal, positive when better.
// Any mate is better than any number of centipawns, and a nearer one better than a farther one.
func (s Score) Compare(o Score) int { return cmp.Compare(s.internal(), o.internal()) }

// Eval is the score as a stored 16-bit evaluation. Centipawns saturate at ±32000; a mate becomes a special value beyond
// them, ±(32767 - plies), at least ±32001.
func (s Score) Eval() shogi.Eval {
	const limit = shogi.EvalMaxCp
	mate := shogi.Eval(max(limit+1, 32767-int(s.N)))
	switch s.Kind {
	case Mates:
		return mate
	case Mated:
		return -mate
	}
	return shogi.Eval(max(-limit, min(limit, int(s.N))))
}

// String is the USI text: "cp 35", "mate 5", "mate -4"; "mate 0" for a side that is mated already.
func (s Score) String() string {
	if plies, ok := s.MatePlies(); ok {
		return "mate " + strconv.Itoa(plies)
	}
	return "cp " + strconv.Itoa(int(s.N))
}

// A value is a score inside the search, seen by the side to move, counted from the root: being mated at ply p is -mateValue + p.
//
//	0 .. maxCp          estimates
//	repetitionWin - p   a win by repetition (the opponent checked all the way, or the same board with more in hand):
//	                    winning, but no mate
//	declarationWin - p  a win by declaration, likewise
//	mateValue - p       checkmate at ply p
//
// All of it fits the 16 bits of a table entry.
type value = int32

const (
	maxPly = 128 // deepest node, counted from the root

	maxCp          value = 28000
	repetitionWin  value = 29000
	declarationWin value = 30000
	mateValue      value = 32000
	mateInMax      value = mateValue - 2*maxPly // values from here up are mates
	infinity       value = 32001
	noValue        value = 32002
)

// isEstimate tells values of positions that nothing has decided from all others.
func isEstimate(v value) bool { return v >= -maxCp && v <= maxCp }

// scoreOf turns the value of the root into a score.
func scoreOf(v value) Score {
	switch {
	case v >= mateInMax:
		return MateIn(int(mateValue - v))
	case v <= -mateInMax:
		return MatedIn(int(mateValue + v))
	}
	return Cp(int(v))
}

// internal is a number that orders scores.
func (s Score) internal() int64 {
	const mate = 1 << 40
	switch s.Kind {
	case Mates:
		return mate - int64(s.N)
	case Mated:
		return -mate + int64(s.N)
	}
	return int64(s.N)
}

// toTable and fromTable keep mate and repetition distances from the node in the table, from the root in the search.
func toTable(v value, ply int) value {
	switch {
	case v > maxCp:
		return v + value(ply)
	case v < -maxCp:
		return v - value(ply)
	}
	return v
}

func fromTable(v value, ply int) value {
	switch {
	case v > maxCp:
		return v - value(ply)
	case v < -maxCp:
		return v + value(ply)
	}
	return v
}
