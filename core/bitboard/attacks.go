package bitboard

import "komadori/core/shogi"

// Sliders look a line up by its occupancy. The squares of a rank or diagonal lie on different files, so one
// multiplication gathers one bit per file: for the square t(g) of the line on file g (1..6, counted from 0),
// the multiplier has the bit 57+g-t(g), which moves the square's bit to 57+g. Products of two different squares either
// leave the word at the top or stay below bit 58, and never meet there, so nothing carries into the result.
// The square on file 7 lies in the high word and becomes the seventh bit by an addition that overflows exactly when it is set.
// Files 0 and 8 are the ends of any line: what stands there does not change what is attacked.
//
// The index selects whole files between the blockers, and the line's mask cuts the line out of them. One table serves
// ranks and both diagonals.

// A line is one direction pair through a square.
type line struct {
	mask   Bitboard // the squares of the line, without the square itself
	gather uint64
	high   uint64 // the line's square on file 7, as a bit of the high word
	files  uint64 // 128 * the square's own file, an offset into lineFiles
}

func (l *line) attacks(occupied Bitboard) Bitboard {
	i := l.files | (occupied.Lo&l.mask.Lo)*l.gather>>58 | (occupied.Hi&l.high+0x1FF)&0x200>>3
	f := &lineFiles[i&2047]
	return Bitboard{f.Lo & l.mask.Lo, f.Hi & l.mask.Hi}
}

// A column is the file through a square; its nine occupancy bits are contiguous.
type column struct {
	mask     Bitboard
	lo, hi   uint8 // shifts that bring the file to bit 0 of each word; 63 where the file is not in that word
	rankBase uint16
}

func (c *column) attacks(occupied Bitboard) Bitboard {
	i := uint64(c.rankBase) | (occupied.Lo>>(c.lo&63)|occupied.Hi>>(c.hi&63))>>1&127
	a := uint64(columnRanks[i&2047])
	return Bitboard{a << (c.lo & 63) & c.mask.Lo, a << (c.hi & 63) & c.mask.Hi}
}

var (
	lineFiles   = makeLineFiles()
	columnRanks = makeColumnRanks()

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

func makeColumnRanks() (t [2048]uint16) {
	for r := range 9 {
		for occupancy := range 128 {
			for _, step := range []int{-1, 1} {
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
			switch {
			case g >= 1 && g <= 6:
				l.gather += 1 << (57 + g - int(on))
			case g == 7:
				l.high = Of(on).Hi
			}
		}
	}
	return t
}

func makeColumns() (t [128]column) {
	for sq := shogi.Square(0); sq < 81; sq++ {
		c := &t[sq]
		f := uint8(sq.File())
		c.mask = FileOf(sq.File()).Clear(sq)
		c.rankBase = uint16(128 * int(sq.Rank()))
		c.lo, c.hi = 63, 63
		if f < 7 {
			c.lo = 9 * f
		} else {
			c.hi = 9 * (f - 7)
		}
	}
	return t
}

// Bishop is what a bishop on sq attacks.
func Bishop(sq shogi.Square, occupied Bitboard) Bitboard {
	return diagonalLines[sq&127].attacks(occupied).Or(antiLines[sq&127].attacks(occupied))
}

// Rook is what a rook on sq attacks.
func Rook(sq shogi.Square, occupied Bitboard) Bitboard {
	return rankLines[sq&127].attacks(occupied).Or(columns[sq&127].attacks(occupied))
}

// Lance is what a lance of c on sq attacks.
func Lance(c shogi.Color, sq shogi.Square, occupied Bitboard) Bitboard {
	return columns[sq&127].attacks(occupied).And(ahead[c&1][sq&127])
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
			l = columns[from].mask
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
