package search

import (
	"komadori/core/bitboard"
	"komadori/core/shogi"
)

// The numbers of the hand-made evaluation, in centipawns, seen by Black.

const (
	tempo       = 12
	progressEnd = 64
	fightBase   = 24
)

// pieceWorth is the material worth on the board by PieceType. Kings count nothing: they are always there.
var pieceWorth = func() (t [16]int32) {
	for i, v := range shogi.PieceValues {
		t[i] = int32(v)
	}
	t[shogi.King] = 0
	return t
}()

// handWorth is the worth of a piece in hand: a little more than on the board, as it may come down anywhere.
var handWorth = [8]int32{
	shogi.Pawn: 118, shogi.Lance: 324, shogi.Knight: 344, shogi.Silver: 478, shogi.Bishop: 836, shogi.Rook: 1042, shogi.Gold: 574,
}

// handProgress is what a piece in any hand adds to the progress of the game.
var handProgress = [8]int32{
	shogi.Pawn: 1, shogi.Lance: 2, shogi.Knight: 3, shogi.Silver: 4, shogi.Bishop: 3, shogi.Rook: 6, shogi.Gold: 5,
}

var (
	attackWeight = [16]int32{
		shogi.Pawn: 3, shogi.Lance: 4, shogi.Knight: 6, shogi.Silver: 9, shogi.Bishop: 9, shogi.Rook: 11, shogi.Gold: 11,
		shogi.ProPawn: 11, shogi.ProLance: 11, shogi.ProKnight: 11, shogi.ProSilver: 11, shogi.Horse: 15, shogi.Dragon: 17,
	}
	reserveWeight = [8]int32{
		shogi.Lance: 1, shogi.Knight: 1, shogi.Silver: 2, shogi.Bishop: 2, shogi.Rook: 3, shogi.Gold: 3,
	}
)

// freedom is by PieceType and number of reachable squares.
var freedom = func() (t [16][32]int32) {
	for n := range int32(32) {
		t[shogi.Bishop][n] = 4*min(n, 12) - 20
		t[shogi.Rook][n] = 4*min(n, 12) - 20
		t[shogi.Horse][n] = 3*min(n, 16) - 24
		t[shogi.Dragon][n] = 2*min(n, 18) - 20
	}
	return t
}()

// neighbourhood is the 5x5 block around a square and the two more ranks on either side from which knights and lances reach in.
var neighbourhood = func() (t [128]bitboard.Bitboard) {
	for a := shogi.Square(0); a < 81; a++ {
		for b := shogi.Square(0); b < 81; b++ {
			if df, dr := distance(a, b); df <= 2 && dr <= 3 {
				t[a] = t[a].Set(b)
			}
		}
	}
	return t
}()

func distance(a, b shogi.Square) (files, ranks int) {
	files, ranks = int(a.File()-b.File()), int(a.Rank()-b.Rank())
	return max(files, -files), max(ranks, -ranks)
}

// offsets numbers the place of a square as seen from a king: files apart (mirrored files alike) and ranks ahead.
// Index: king, square.
var offsets = func() (t [128][128]uint8) {
	for k := shogi.Square(0); k < 81; k++ {
		for sq := shogi.Square(0); sq < 81; sq++ {
			df, _ := distance(k, sq)
			t[k][sq] = uint8(17*df + int(k.Rank()-sq.Rank()) + 8)
		}
	}
	return t
}()

// placement is the opening's worth of a piece on a square.
var placement = func() (t [16][128]int16) {
	ranks := [16][9]int16{ // from the far rank to one's own
		shogi.Pawn:      {0, 12, 12, 14, 10, 6, 0, 0, 0},
		shogi.Lance:     {-20, -10, -10, -6, -4, -4, -2, 0, 4},
		shogi.Knight:    {0, 0, 0, -10, -14, 0, 12, -6, 0},
		shogi.Silver:    {-20, 0, 6, 12, 18, 20, 14, 8, -10},
		shogi.Gold:      {-40, -20, -10, -6, -4, 2, 10, 18, 8},
		shogi.Bishop:    {0, 0, 4, 4, 8, 10, 8, 6, -10},
		shogi.Rook:      {30, 30, 26, 12, 6, 4, -4, 10, 4},
		shogi.King:      {-160, -160, -160, -150, -130, -110, -60, 8, 0},
		shogi.ProPawn:   {0, 10, 12, 6, 0, -6, -10, -16, -20},
		shogi.ProLance:  {0, 10, 12, 6, 0, -6, -10, -16, -20},
		shogi.ProKnight: {0, 10, 12, 6, 0, -6, -10, -16, -20},
		shogi.ProSilver: {0, 10, 12, 6, 0, -6, -10, -16, -20},
		shogi.Horse:     {0, 0, 0, 4, 10, 14, 16, 16, 8},
		shogi.Dragon:    {20, 24, 24, 10, 0, 0, 0, 0, 0},
	}
	files := [16][9]int16{ // by files from the edge: 1/9, 2/8, 3/7, 4/6, 5, then mirrored
		shogi.Pawn:   {2, 2, 3, 2, 1},
		shogi.Knight: {-6, 0, 2, 0, 0},
		shogi.Silver: {-14, -4, 2, 4, 2},
		shogi.Gold:   {-16, -4, 2, 4, 2},
		shogi.King:   {10, 22, 8, -8, -18},
		shogi.Horse:  {-6, 0, 2, 4, 4},
		shogi.Bishop: {-10, 0, 0, 2, 4},
	}
	for pt := range t {
		for sq := shogi.Square(0); sq < 81; sq++ {
			edge := min(sq.File(), 8-sq.File())
			t[pt][sq] = ranks[pt][sq.Rank()] + files[pt][edge]
		}
	}
	return t
}()

// nearEnemy and nearOwn are the ending's worth of a piece at an offset from the enemy's and from one's own king.
var nearEnemy, nearOwn = func() (enemy, own [16][256]int16) {
	// closeness by the larger of the two distances, in sixteenths
	closeness := [9]int16{0, 16, 13, 8, 4, 2, 0, -1, -2}
	attack := [16]int16{
		shogi.Pawn: 10, shogi.Lance: 8, shogi.Knight: 16, shogi.Silver: 34, shogi.Gold: 40, shogi.Bishop: 14, shogi.Rook: 16,
		shogi.ProPawn: 56, shogi.ProLance: 52, shogi.ProKnight: 52, shogi.ProSilver: 50, shogi.Horse: 44, shogi.Dragon: 50,
	}
	defence := [16]int16{
		shogi.Pawn: 10, shogi.Lance: 6, shogi.Knight: 6, shogi.Silver: 28, shogi.Gold: 36, shogi.Bishop: 0, shogi.Rook: -14,
		shogi.ProPawn: 20, shogi.ProLance: 20, shogi.ProKnight: 20, shogi.ProSilver: 24, shogi.Horse: 40, shogi.Dragon: 16,
	}
	for df := range 9 {
		for ahead := -8; ahead <= 8; ahead++ {
			i := 17*df + ahead + 8
			d := max(df, ahead, -ahead)
			for pt := range enemy {
				e, o := attack[pt]*closeness[d]/16, defence[pt]*closeness[d]/16
				// An attacker in front of the enemy's king stands on the side it attacks towards; from behind, only what
				// moves backwards counts. "ahead" is seen by the piece's owner: negative is between the king and us.
				if ahead > 0 && pt != int(shogi.Horse) && pt != int(shogi.Dragon) && pt != int(shogi.Rook) && pt != int(shogi.Bishop) {
					e /= 2
				}
				if pt == int(shogi.Pawn) && (ahead > 0 || df > 1) {
					e /= 4
				}
				// Defenders behind one's own king defend less.
				if ahead < 0 {
					o /= 2
				}
				if pt == int(shogi.Pawn) && ahead <= 0 {
					o = 0
				}
				enemy[pt][i], own[pt][i] = e, o
			}
		}
	}
	return enemy, own
}()

// advance is what a piece on a square adds to the progress of the game.
var advance = func() (t [16][128]int8) {
	for pt := shogi.Pawn; pt <= shogi.Dragon; pt++ {
		for sq := shogi.Square(0); sq < 81; sq++ {
			if pt == shogi.King {
				continue
			}
			if sq.Rank() <= 2 {
				t[pt][sq] = 2
			}
			if pt.IsPromoted() {
				t[pt][sq] += 3
			}
		}
	}
	return t
}()
