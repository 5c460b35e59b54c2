package bitboard

import "komadori/core/shogi"

// Sliders look a line up by its occupancy. The squares of a rank or diagonal lie on different files, so one multiplication gathers one bit
// per file. Only the seven middle files count (what stands at the end of a line does not change what is attacked), and those fit into one
// word, Middle: for the line's square m(g) on file g (1..7, counted from 0; m is the square's bit in that word), the multiplier has the bit
// 56+g-m(g), which moves the square's bit to 56+g. Products of two different squares either leave the word at the top or stay below bit 57,
// and never meet there, so nothing carries into the result.
//
// The index selects whole files between the blockers, and the line's mask cuts the line out of them. One table serves
// ranks and both diagonals.

// Middle is the seven files 2 to 8 of a set as one word, file by file from bit 0.
func (b Bitboard) Middle() uint64 { return b.Lo>>9 | b.Hi<<54 }

// A line is one direction pair through a square.
type line struct {
	mask   Bitboard // the squares of the line, without the square itself
	middle uint64   // mask.Middle()
	gather uint64
	files  uint64 // 128 * the square's own file, an offset into lineFiles
}

func (l *line) attacks(middle uint64) Bitboard {
	f := &lineFiles[(l.files|(middle&l.middle)*l.gather>>57)&2047]
	return Bitboard{f.Lo & l.mask.Lo, f.Hi & l.mask.Hi}
}

// A column is the file through a square; its nine occupancy bits are contiguous.
type column struct {
	lo, hi uint8  // shifts that bring the file to bit 0 of each word; 63 where the file is not in that word
	rank   uint16 // 128 * the square's rank, an offset into columnRanks
}

// attacks looks ranks up by the occupancy of the file between its ends.
func (c *column) attacks(ranks *[2048]uint16, occupied Bitboard) Bitboard {
	i := uint64(c.rank) | (occupied.Lo>>(c.lo&63)|occupied.Hi>>(c.hi&63))>>1&127
	a := uint64(ranks[i&2047])
	return Bitboard{a << (c.lo & 63) & loMask, a << (c.hi & 63) & loMask} // a shift by 63 leaves bit 63 at most
}

var (
	lineFiles   = makeLineFiles()
	columnRanks = makeColumnRanks(-1, 1)
	lanceRanks  = [2][2048]uint16{makeColumnRanks(-1), makeColumnRanks(1)} // by color

	rankLines     = makeLines(9)
	diagonalLines = makeLines(10) // towards higher files the rank grows
	antiLines     = makeLines(8)
	columns       = makeColumns()
)

// makeLineFiles builds, for a file and seven occupancy bits of files 1..7, the set of whole files from blocker to blocker.
func makeLineFiles() (t [2048]Bitboard) {
	for f := range 9 {
		for occupancy := range 128 {
			b := &t[128*f+occupancy]
			for _, step := range []int{-1, 1} {
				for g := f + step; g >= 0 && g < 9; g += step {
					*b = b.Or(FileOf(shogi.File(g)))
					if g >= 1 && g <= 7 && occupancy>>(g-1)&1 != 0 {
						break
					}
				}
			}
		}
	}
	return t
}

// makeColumnRanks builds, for a rank and the occupancy of ranks 1..7 of a file, what is attacked in the directions given.
func makeColumnRanks(steps ...int) (t [2048]uint16) {
	for r := range 9 {
		for occupancy := range 128 {
			for _, step := range steps {
				for q := r + step; q >= 0 && q < 9; q += step {
					t[128*r+occupancy] |= 1 << q
					if q >= 1 && q <= 7 && occupancy>>(q-1)&1 != 0 {
						break
					}
				}
			}
		}
	}
	return t
}

// makeLines builds the lines whose neighbouring squares differ by step: 9 the rank, 10 and 8 the diagonals.
func makeLines(step int) (t [128]line) {
	for sq := range 81 {
		l := &t[sq]
		file, rank := sq/9, sq%9
		l.files = uint64(128 * file)
		for g := range 9 {
			r := rank + (g-file)*(step-9)
			if g == file || r < 0 || r > 8 {
				continue
			}
			on := shogi.Square(9*g + r)
			l.mask = l.mask.Set(on)
			if g >= 1 && g <= 7 {
				l.gather += 1 << (56 + g - (int(on) - 9))
			}
		}
		l.middle = l.mask.Middle()
	}
	return t
}

func makeColumns() (t [128]column) {
	for sq := shogi.Square(0); sq < 81; sq++ {
		c := &t[sq]
		f := uint8(sq.File())
		c.rank = uint16(128 * int(sq.Rank()))
		c.lo, c.hi = 63, 63
		if f < 7 {
			c.lo = 9 * f
		} else {
			c.hi = 9 * (f - 7)
		}
	}
	return t
}

// The parts of sliders' attacks are small enough to be inlined where speed matters. Those across files are asked with the Middle of the
// occupied squares.

// OnDiagonal is what a bishop on sq attacks along the diagonal on which files and ranks grow together.
func OnDiagonal(sq shogi.Square, middle uint64) Bitboard {
	return diagonalLines[sq&127].attacks(middle)
}

// OnAntiDiagonal is what a bishop on sq attacks along the other diagonal.
func OnAntiDiagonal(sq shogi.Square, middle uint64) Bitboard {
	return antiLines[sq&127].attacks(middle)
}

// OnRank is what a rook on sq attacks along its rank.
func OnRank(sq shogi.Square, middle uint64) Bitboard { return rankLines[sq&127].attacks(middle) }

// OnFile is what a rook on sq attacks along its file.
func OnFile(sq shogi.Square, occupied Bitboard) Bitboard {
	return columns[sq&127].attacks(&columnRanks, occupied)
}

// Bishop is what a bishop on sq attacks.
func Bishop(sq shogi.Square, occupied Bitboard) Bitboard {
	middle := occupied.Middle()
	return OnDiagonal(sq, middle).Or(OnAntiDiagonal(sq, middle))
}

// Rook is what a rook on sq attacks.
func Rook(sq shogi.Square, occupied Bitboard) Bitboard {
	return OnRank(sq, occupied.Middle()).Or(OnFile(sq, occupied))
}

// Lance is what a lance of c on sq attacks.
func Lance(c shogi.Color, sq shogi.Square, occupied Bitboard) Bitboard {
	return columns[sq&127].attacks(&lanceRanks[c&1], occupied)
}

// Horse is what a horse on sq attacks.
func Horse(sq shogi.Square, occupied Bitboard) Bitboard {
	return Bishop(sq, occupied).Or(steps[shogi.King][sq&127])
}

// Dragon is what a dragon on sq attacks.
func Dragon(sq shogi.Square, occupied Bitboard) Bitboard {
	return Rook(sq, occupied).Or(steps[shogi.King][sq&127])
}

// Step is what a piece attacks at a fixed distance: all of the attack of pawns, knights, silvers, golds, promoted minors and kings,
// the king's steps of horses and dragons, nothing for lances, bishops and rooks.
func Step(p shogi.Piece, sq shogi.Square) Bitboard { return steps[p&31][sq&127] }

// Ahead is the part of sq's file in front of it, in c's direction.
func Ahead(c shogi.Color, sq shogi.Square) Bitboard { return ahead[c&1][sq&127] }

// Attacks is what a piece on sq attacks.
func Attacks(p shogi.Piece, sq shogi.Square, occupied Bitboard) Bitboard {
	b := Step(p, sq)
	switch p.Type() {
	case shogi.Lance:
		return Lance(p.Color(), sq, occupied)
	case shogi.Bishop, shogi.Horse:
		return b.Or(Bishop(sq, occupied))
	case shogi.Rook, shogi.Dragon:
		return b.Or(Rook(sq, occupied))
	}
	return b
}

// Between is the set of squares strictly between two squares of a rank, file or diagonal; empty otherwise.
func Between(a, b shogi.Square) Bitboard { return between[a&127][b&127] }

// Line is the whole rank, file or diagonal through two squares; empty when they share none.
func Line(a, b shogi.Square) Bitboard { return through[a&127][b&127] }

var (
	ahead   = makeAhead()
	steps   = makeSteps()
	between = makeBetween()
	through = makeThrough()
)

func makeAhead() (t [2][128]Bitboard) {
	for sq := shogi.Square(0); sq < 81; sq++ {
		for r := shogi.Rank(0); r < 9; r++ {
			switch {
			case r < sq.Rank():
				t[shogi.Black][sq] = t[shogi.Black][sq].Set(shogi.MakeSquare(sq.File(), r))
			case r > sq.Rank():
				t[shogi.White][sq] = t[shogi.White][sq].Set(shogi.MakeSquare(sq.File(), r))
			}
		}
	}
	return t
}

// A move of a piece by files (towards file 9) and ranks ahead.
type step struct{ file, ahead int }

var (
	goldSteps   = []step{{-1, 1}, {0, 1}, {1, 1}, {-1, 0}, {1, 0}, {0, -1}}
	silverSteps = []step{{-1, 1}, {0, 1}, {1, 1}, {-1, -1}, {1, -1}}
	kingSteps   = []step{{-1, 1}, {0, 1}, {1, 1}, {-1, 0}, {1, 0}, {-1, -1}, {0, -1}, {1, -1}}

	stepsOf = [16][]step{
		shogi.Pawn: {{0, 1}}, shogi.Knight: {{-1, 2}, {1, 2}}, shogi.Silver: silverSteps, shogi.Gold: goldSteps,
		shogi.King: kingSteps, shogi.ProPawn: goldSteps, shogi.ProLance: goldSteps, shogi.ProKnight: goldSteps,
		shogi.ProSilver: goldSteps, shogi.Horse: kingSteps, shogi.Dragon: kingSteps, shogi.GoldLike: goldSteps,
	}
)

func makeSteps() (t [32][128]Bitboard) {
	for p := range t {
		c, pt := shogi.Piece(p).Color(), shogi.Piece(p).Type()
		for sq := shogi.Square(0); sq < 81; sq++ {
			for _, s := range stepsOf[pt] {
				rank := int(sq.Rank()) - s.ahead
				if c == shogi.White {
					rank = int(sq.Rank()) + s.ahead
				}
				to := shogi.MakeSquare(sq.File()+shogi.File(s.file), shogi.Rank(rank))
				t[p][sq] = t[p][sq].Or(Of(to))
			}
		}
	}
	return t
}

// eachRay walks from every square in the eight directions, giving the squares passed so far.
func eachRay(visit func(from, to shogi.Square, passed Bitboard, df, dr int)) {
	for from := shogi.Square(0); from < 81; from++ {
		for _, d := range kingSteps {
			passed := Bitboard{}
			f, r := from.File(), from.Rank()
			for {
				f, r = f+shogi.File(d.file), r+shogi.Rank(d.ahead)
				to := shogi.MakeSquare(f, r)
				if to == shogi.NoSquare {
					break
				}
				visit(from, to, passed, d.file, d.ahead)
				passed = passed.Set(to)
			}
		}
	}
}

func makeBetween() *[128][128]Bitboard {
	t := new([128][128]Bitboard)
	eachRay(func(from, to shogi.Square, passed Bitboard, _, _ int) { t[from][to] = passed })
	return t
}

func makeThrough() *[128][128]Bitboard {
	t := new([128][128]Bitboard)
	eachRay(func(from, to shogi.Square, passed Bitboard, df, dr int) {
		var l Bitboard
		switch {
		case df == 0:
			l = FileOf(from.File())
		case dr == 0:
			l = rankLines[from].mask
		case df == dr:
			l = diagonalLines[from].mask
		default:
			l = antiLines[from].mask
		}
		t[from][to] = l.Set(from)
	})
	return t
}
