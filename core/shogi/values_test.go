package shogi_test

import (
	"fmt"
	"math"
	"math/bits"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"komadori/core/fault"
	. "komadori/core/shogi"
)

// Raw values are stored by users and shared with other engines: every one is pinned.

func TestSizes(t *testing.T) {
	for name, sizes := range map[string][2]uintptr{
		"Color": {unsafe.Sizeof(Color(0)), 1}, "File": {unsafe.Sizeof(File(0)), 1}, "Rank": {unsafe.Sizeof(Rank(0)), 1},
		"Square": {unsafe.Sizeof(Square(0)), 1}, "PieceType": {unsafe.Sizeof(PieceType(0)), 1}, "Piece": {unsafe.Sizeof(Piece(0)), 1},
		"HandPiece": {unsafe.Sizeof(HandPiece(0)), 1}, "Hand": {unsafe.Sizeof(Hand(0)), 4}, "Move": {unsafe.Sizeof(Move(0)), 2},
		"AperyMove": {unsafe.Sizeof(AperyMove(0)), 2}, "Move32": {unsafe.Sizeof(Move32(0)), 4}, "AperyMove32": {unsafe.Sizeof(AperyMove32(0)), 4},
		"GameResult": {unsafe.Sizeof(GameResult(0)), 1}, "GameEnd": {unsafe.Sizeof(GameEnd(0)), 1}, "RepetitionState": {unsafe.Sizeof(RepetitionState(0)), 1},
		"EnteringKingRule": {unsafe.Sizeof(EnteringKingRule(0)), 1}, "Eval": {unsafe.Sizeof(Eval(0)), 2},
	} {
		assert.Equal(t, sizes[1], sizes[0], name)
	}
}

func TestColorValues(t *testing.T) {
	assert.EqualValues(t, 0, Black)
	assert.EqualValues(t, 1, White)
	assert.Equal(t, 2, ColorCount)
	for _, c := range []Color{Black, White} {
		assert.Equal(t, 1-c, c.Opposite())
		assert.Equal(t, 1-c, c.FlipSide())
	}
	assert.Equal(t, "b", Black.String())
	assert.Equal(t, "w", White.String())
}

func TestPieceTypeValues(t *testing.T) {
	rows := []struct {
		kind                              PieceType
		text                              string
		promotable, promoted, unpromoting bool
		promote, demote                   PieceType
		value, points, gbr                int
	}{
		{NoPieceType, "none", false, false, false, 0, 0, 0, 0, 0},
		{Pawn, "P", true, false, false, 9, 1, 100, 1, 1},
		{Lance, "L", true, false, false, 10, 2, 300, 1, 2},
		{Knight, "N", true, false, false, 11, 3, 320, 1, 3},
		{Silver, "S", true, false, false, 12, 4, 450, 1, 4},
		{Bishop, "B", true, false, false, 13, 5, 800, 5, 6},
		{Rook, "R", true, false, false, 14, 6, 1000, 5, 7},
		{Gold, "G", false, false, true, 7, 7, 550, 1, 5},
		{King, "K", false, false, true, 8, 8, 20000, 0, 8},
		{ProPawn, "+P", false, true, true, 9, 1, 550, 1, 9},
		{ProLance, "+L", false, true, true, 10, 2, 550, 1, 10},
		{ProKnight, "+N", false, true, true, 11, 3, 550, 1, 11},
		{ProSilver, "+S", false, true, true, 12, 4, 550, 1, 12},
		{Horse, "+B", false, true, true, 13, 5, 950, 5, 13},
		{Dragon, "+R", false, true, true, 14, 6, 1150, 5, 14},
		// The class of golds is no promoted kind and never stands on a board.
		{GoldLike, "goldlike", false, false, true, 15, 15, 0, 0, 15},
	}
	assert.Equal(t, PieceTypeCount, len(rows))
	for raw, r := range rows {
		name := r.text
		assert.EqualValues(t, raw, r.kind, name)
		assert.Equal(t, r.text, r.kind.String())
		assert.Equal(t, r.promotable, r.kind.IsPromotable(), name)
		assert.Equal(t, r.promoted, r.kind.IsPromoted(), name)
		assert.Equal(t, r.unpromoting, r.kind.IsUnpromotable(), name)
		assert.Equal(t, r.promote, r.kind.Promote(), name)
		assert.Equal(t, r.demote, r.kind.Demote(), name)
		assert.Equal(t, r.value, PieceValues[r.kind], name)
		assert.Equal(t, r.points, r.kind.ImpassePoints(), name)
		assert.Equal(t, r.gbr, r.kind.GBR(), name)
		back, err := PieceTypeFromGBR(r.gbr)
		assert.NoError(t, err)
		assert.Equal(t, r.kind, back)
		same, err := NewPieceType(raw)
		assert.NoError(t, err)
		assert.Equal(t, r.kind, same)
	}
	assert.Equal(t, 8, PromoteOffset)
	assert.Equal(t, Pawn, PieceHandZero)
	assert.Equal(t, 8, PieceHandTableSize)
	assert.Equal(t, 8, PieceUnpromotedKind)
}

func TestPieceValues(t *testing.T) {
	texts := []string{"none", "P", "L", "N", "S", "B", "R", "G", "K", "+P", "+L", "+N", "+S", "+B", "+R", "goldlike",
		"", "p", "l", "n", "s", "b", "r", "g", "k", "+p", "+l", "+n", "+s", "+b", "+r", "goldlike"}
	constants := []Piece{NoPiece, BPawn, BLance, BKnight, BSilver, BBishop, BRook, BGold, BKing, BProPawn, BProLance, BProKnight, BProSilver, BHorse, BDragon, BGoldLike,
		-1, WPawn, WLance, WKnight, WSilver, WBishop, WRook, WGold, WKing, WProPawn, WProLance, WProKnight, WProSilver, WHorse, WDragon, WGoldLike}
	assert.Equal(t, 32, PieceCount)
	assert.Equal(t, 16, PieceColorBit)
	for raw := range 32 {
		p, err := NewPiece(raw)
		if raw == 16 {
			assert.ErrorIs(t, err, fault.InvalidValue, "there is no white none")
			continue
		}
		assert.NoError(t, err)
		assert.Equal(t, constants[raw], p)
		assert.EqualValues(t, raw, p)
		assert.Equal(t, texts[raw], p.String())
		assert.Equal(t, Color(raw/16), p.Color())
		assert.Equal(t, PieceType(raw%16), p.Type())
		assert.Equal(t, p, MakePiece(p.Color(), p.Type()))
		assert.Equal(t, p, PieceUnchecked(raw))
		assert.Equal(t, raw == 0, p.IsEmpty())
		assert.Equal(t, raw%16 != 0 && raw%16 != 15, p.IsOnBoard(), raw)
		assert.Equal(t, p.Type().IsPromotable(), p.IsPromotable())
		assert.Equal(t, p.Type().IsPromoted(), p.IsPromoted())
		assert.Equal(t, MakePiece(p.Color(), p.Type().Promote()), p.Promote())
		assert.Equal(t, MakePiece(p.Color(), p.Type().Demote()), p.Demote())
		flipped := p.FlipSide()
		assert.Equal(t, MakePiece(p.Color().Opposite(), p.Type()), flipped)
		assert.Equal(t, p, flipped.FlipSide())
		if p.IsOnBoard() {
			back, err := ParsePiece(texts[raw])
			assert.NoError(t, err)
			assert.Equal(t, p, back)
			signed, err := PieceFromSigned(p.Signed())
			assert.NoError(t, err)
			assert.Equal(t, p, signed)
			flagged, err := PieceFromFlagged(p.Flagged())
			assert.NoError(t, err)
			assert.Equal(t, p, flagged)
		}
	}
	assert.Equal(t, NoPiece, MakePiece(White, NoPieceType))
	for _, raw := range []Piece{-1, -16, 16, 31, 15, 32, 127} {
		assert.False(t, raw.IsOnBoard(), raw)
	}
	for _, text := range []string{"", "+", "+K", "+G", "+k", "++P", "PP", "?", "+?", "none", "0", "+P ", "x"} {
		_, err := ParsePiece(text)
		assert.ErrorIs(t, err, fault.Parse, text)
	}
}

// The second order puts gold before bishop and rook; its signed codes and flag bytes are what row-major boards hold.
func TestPieceCodesOfRowMajorBoards(t *testing.T) {
	for p, want := range map[Piece]struct {
		signed  int
		flagged uint8
	}{
		NoPiece: {0, 0}, BPawn: {1, 1}, WGold: {-5, 16 | 5}, BBishop: {6, 6}, WRook: {-7, 16 | 7}, BKing: {8, 8},
		BProPawn: {9, 32 | 1}, WProSilver: {-12, 48 | 4}, BHorse: {13, 32 | 6}, WDragon: {-14, 48 | 7},
	} {
		assert.Equal(t, want.signed, p.Signed(), p)
		assert.Equal(t, want.flagged, p.Flagged(), p)
	}
	for _, n := range []int{15, -15, 1 << (bits.UintSize - 2), math.MinInt} {
		_, err := PieceFromSigned(n)
		assert.ErrorIs(t, err, fault.InvalidValue, n)
	}
	good := 0
	for b := range 256 {
		p, err := PieceFromFlagged(uint8(b))
		if err != nil {
			assert.ErrorIs(t, err, fault.InvalidValue)
			continue
		}
		good++
		assert.EqualValues(t, b, p.Flagged())
	}
	assert.Equal(t, 1+2*14, good)
}

// A piece must not arrive where it could never move again.
func TestMustPromote(t *testing.T) {
	for kind := NoPieceType; kind <= GoldLike; kind++ {
		for rank := Rank(0); rank < 9; rank++ {
			dead := 0
			switch kind {
			case Pawn, Lance:
				dead = 1
			case Knight:
				dead = 2
			}
			assert.Equal(t, int(rank) < dead, kind.MustPromote(Black, rank), "%v %d", kind, rank)
			assert.Equal(t, int(8-rank) < dead, kind.MustPromote(White, rank), "%v %d", kind, rank)
		}
	}
	for rank := Rank(-1); rank <= 9; rank++ {
		assert.Equal(t, rank >= 0 && rank <= 2, rank.InPromotionZone(Black))
		assert.Equal(t, rank >= 6 && rank <= 8, rank.InPromotionZone(White))
		assert.Equal(t, rank == 0, rank.IsLast(Black))
		assert.Equal(t, rank == 8, rank.IsLast(White))
		assert.Equal(t, rank == 0 || rank == 1, rank.IsLastTwo(Black))
		assert.Equal(t, rank == 7 || rank == 8, rank.IsLastTwo(White))
	}
}

func TestSquareNumbersFileByFile(t *testing.T) {
	assert.Equal(t, 9, BoardSize)
	assert.Equal(t, 81, SquareCount)
	assert.EqualValues(t, 81, NoSquare)
	for name, want := range map[string][2]int{"1a": {0, 8}, "1i": {8, 80}, "5e": {40, 40}, "7f": {59, 47}, "7g": {60, 56}, "3d": {21, 33}, "9a": {72, 0}, "9i": {80, 72}} {
		sq, err := ParseSquare(name)
		assert.NoError(t, err)
		assert.EqualValues(t, want[0], sq, name)
		assert.Equal(t, want[1], sq.RowMajor(), name)
	}
	seen := map[int]bool{}
	for f := File(0); f < 9; f++ {
		for r := Rank(0); r < 9; r++ {
			sq := MakeSquare(f, r)
			assert.EqualValues(t, 9*int(f)+int(r), sq)
			assert.Equal(t, f, sq.File())
			assert.Equal(t, r, sq.Rank())
			assert.Equal(t, fmt.Sprintf("%d%c", f+1, 'a'+r), sq.String())
			back, err := ParseSquare(sq.String())
			assert.NoError(t, err)
			assert.Equal(t, sq, back)
			assert.Equal(t, MakeSquare(8-f, 8-r), sq.FlipSide())
			assert.Equal(t, MakeSquare(8-f, r), sq.MirrorFile())
			assert.Equal(t, sq, sq.FlipSide().FlipSide())
			assert.Equal(t, sq, sq.MirrorFile().MirrorFile())
			assert.Equal(t, 9*int(r)+8-int(f), sq.RowMajor())
			assert.Equal(t, sq, SquareFromRowMajor(sq.RowMajor()))
			seen[sq.RowMajor()] = true
		}
	}
	assert.Len(t, seen, 81)
	assert.Equal(t, Square(1), Down)
	assert.Equal(t, Square(-1), Up)
	assert.Equal(t, Square(9), Left)
	assert.Equal(t, Square(-9), Right)
}

// On the board the lookups give the value, everywhere else -1.
func TestSquareLookupsOffTheBoard(t *testing.T) {
	for raw := range 256 {
		if raw < 81 {
			assert.EqualValues(t, raw/9, RawToFile[raw])
			assert.EqualValues(t, raw%9, RawToRank[raw])
			continue
		}
		assert.Equal(t, NoFile, RawToFile[raw], raw)
		assert.Equal(t, NoRank, RawToRank[raw], raw)
		sq := Square(uint8(raw))
		assert.False(t, sq.IsOnBoard())
		assert.Equal(t, sq, sq.FlipSide())
		assert.Equal(t, sq, sq.MirrorFile())
		assert.Equal(t, 81, sq.RowMajor())
		assert.Equal(t, "none", sq.String())
	}
	for _, p := range [][2]int{{-1, 0}, {0, -1}, {9, 0}, {0, 9}, {127, 127}, {-128, 3}} {
		assert.Equal(t, NoSquare, MakeSquare(File(p[0]), Rank(p[1])))
	}
	assert.Equal(t, NoSquare, SquareFromRowMajor(-1))
	assert.Equal(t, NoSquare, SquareFromRowMajor(81))
	for _, text := range []string{"", "7", "7j", "0a", "7G", "g7", "7g7", "10", "7g ", "\xff\xff"} {
		sq, err := ParseSquare(text)
		assert.ErrorIs(t, err, fault.Parse, text)
		assert.Equal(t, NoSquare, sq, "nothing is guessed from %q", text)
	}
	var table SquareTable[int]
	table[60] = 7
	assert.Equal(t, 7, table.At(60))
	assert.Equal(t, 0, table.At(NoSquare))
}

// Constructors refuse every value outside their range.
func TestConstructorsCheckTheirRange(t *testing.T) {
	for _, c := range []struct {
		name     string
		low, top int
		except   map[int]bool
		make     func(int) (int, error)
	}{
		{"color", 0, 1, nil, func(n int) (int, error) { v, err := NewColor(n); return int(v), err }},
		{"file", 0, 8, nil, func(n int) (int, error) { v, err := NewFile(n); return int(v), err }},
		{"rank", 0, 8, nil, func(n int) (int, error) { v, err := NewRank(n); return int(v), err }},
		{"square", 0, 81, nil, func(n int) (int, error) { v, err := NewSquare(n); return int(v), err }},
		{"piece type", 0, 15, nil, func(n int) (int, error) { v, err := NewPieceType(n); return int(v), err }},
		{"piece", 0, 31, map[int]bool{16: true}, func(n int) (int, error) { v, err := NewPiece(n); return int(v), err }},
		{"hand piece", 0, 6, nil, func(n int) (int, error) { v, err := NewHandPiece(n); return int(v), err }},
		{"result", 0, 2, nil, func(n int) (int, error) { v, err := NewGameResult(n); return int(v), err }},
		{"end", 0, 21, map[int]bool{15: true, 18: true, 19: true}, func(n int) (int, error) { v, err := NewGameEnd(n); return int(v), err }},
		{"repetition", 0, 5, nil, func(n int) (int, error) { v, err := NewRepetitionState(n); return int(v), err }},
		{"rule", 0, 5, nil, func(n int) (int, error) { v, err := NewEnteringKingRule(n); return int(v), err }},
		{"centipawns", -32000, 32000, nil, func(n int) (int, error) { v, err := NewEvalCp(n); return int(v), err }},
	} {
		for _, n := range []int{-1 << (bits.UintSize - 2), -1 << (bits.UintSize / 2), -65536, -32769, -32001} {
			_, err := c.make(n)
			assert.ErrorIs(t, err, fault.InvalidValue, "%s %d", c.name, n)
		}
		for n := -40000; n <= 70000; n++ {
			if n > 600 && n < 31000 {
				continue
			}
			v, err := c.make(n)
			if n >= c.low && n <= c.top && !c.except[n] {
				if err != nil || v != n {
					t.Fatalf("%s %d: %d, %v", c.name, n, v, err)
				}
			} else if err == nil {
				t.Fatalf("%s %d is accepted", c.name, n)
			}
		}
		_, err := c.make(1 << (bits.UintSize / 2))
		assert.ErrorIs(t, err, fault.InvalidValue, "%s: nothing wraps around", c.name)
	}
}

func TestEngineConstants(t *testing.T) {
	assert.Equal(t, 64, MaxDepth)
	assert.Equal(t, 30000, MateScore)
	assert.Equal(t, 32000, Infinity)
	assert.Equal(t, "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", StartSFEN)
}

func TestPieceTypeLetters(t *testing.T) {
	for i, letter := range []byte("PLNSBRGK") {
		for _, c := range []byte{letter, letter | 0x20} {
			kind, err := PieceTypeFromLetter(c)
			assert.NoError(t, err)
			assert.EqualValues(t, i+1, kind)
		}
		assert.Equal(t, letter, PieceType(i+1).Letter())
	}
	assert.Equal(t, byte('P'), ProPawn.Letter())
	good := 0
	for c := range 256 {
		if _, err := PieceTypeFromLetter(byte(c)); err == nil {
			good++
		}
	}
	assert.Equal(t, 16, good)
}

func TestGameEndCodes(t *testing.T) {
	for _, r := range []struct {
		code   int
		end    GameEnd
		result string
	}{
		{0, EndBlackWin, "black win"}, {1, EndWhiteWin, "white win"}, {2, EndDrawByRepetition, "draw"}, {3, EndError, ""},
		{4, EndBlackWinByDeclaration, "black win"}, {5, EndWhiteWinByDeclaration, "white win"}, {6, EndDrawByMaxPlies, "draw"}, {7, EndInvalid, ""},
		{8, EndBlackWinByForfeit, "black win"}, {9, EndWhiteWinByForfeit, "white win"}, {10, EndDrawByImpasse, "draw"}, {11, EndPaused, ""},
		{12, EndBlackWinByIllegalMove, "black win"}, {13, EndWhiteWinByIllegalMove, "white win"}, {14, EndDrawByAdjudication, "draw"},
		{16, EndBlackWinByTimeout, "black win"}, {17, EndWhiteWinByTimeout, "white win"}, {20, EndBlackWinByTryRule, "black win"}, {21, EndWhiteWinByTryRule, "white win"},
	} {
		assert.EqualValues(t, r.code, r.end)
		result, ok := r.end.Result()
		assert.Equal(t, r.result != "", ok, r.code)
		if ok {
			assert.Equal(t, r.result, result.String(), r.code)
		}
	}
	for code := range 256 {
		if _, err := NewGameEnd(code); err != nil {
			_, ok := GameEnd(code).Result()
			assert.False(t, ok, "code %d has no result", code)
		}
	}
	assert.EqualValues(t, 0, BlackWin)
	assert.EqualValues(t, 1, WhiteWin)
	assert.EqualValues(t, 2, Draw)
	assert.Equal(t, []GameResult{WhiteWin, BlackWin, Draw}, []GameResult{BlackWin.FlipSide(), WhiteWin.FlipSide(), Draw.FlipSide()})
}

func TestRepetitionStates(t *testing.T) {
	for raw, r := range []struct {
		state  RepetitionState
		text   string
		flip   RepetitionState
		cshogi int
	}{
		{RepetitionNone, "rep_none", RepetitionNone, 0},
		{RepetitionWin, "rep_win", RepetitionLose, 2},
		{RepetitionLose, "rep_lose", RepetitionWin, 3},
		{RepetitionDraw, "rep_draw", RepetitionDraw, 1},
		{RepetitionSuperior, "rep_sup", RepetitionInferior, 4},
		{RepetitionInferior, "rep_inf", RepetitionSuperior, 5},
	} {
		assert.EqualValues(t, raw, r.state)
		assert.Equal(t, r.text, r.state.String())
		assert.Equal(t, r.flip, r.state.FlipSide())
		assert.Equal(t, r.cshogi, r.state.Cshogi())
		back, err := RepetitionFromCshogi(r.cshogi)
		assert.NoError(t, err)
		assert.Equal(t, r.state, back)
	}
	for _, n := range []int{-1, 6} {
		_, err := RepetitionFromCshogi(n)
		assert.ErrorIs(t, err, fault.InvalidValue)
	}
}

func TestEnteringKingRulesInThreeSpellings(t *testing.T) {
	for raw, r := range []struct {
		rule  EnteringKingRule
		words []string
	}{
		{NoEnteringKing, []string{"NONE", "NoEnteringKing", "None"}},
		{Cs24Point, []string{"CSA24", "CSARule24", "Point24", "Cs24Point", "csa24"}},
		{Cs24PointHandicap, []string{"CSA24_HANDICAP", "CSARule24H", "Point24Handicap", "Cs24PointHandicap"}},
		{Cs27Point, []string{"CSA27", "CSARule27", "Point27", "Cs27Point"}},
		{Cs27PointHandicap, []string{"CSA27_HANDICAP", "CSARule27H", "Point27Handicap", "Cs27PointHandicap"}},
		{TryRule, []string{"TRY", "TryRule"}},
	} {
		assert.EqualValues(t, raw, r.rule)
		assert.Equal(t, r.words[0], r.rule.String())
		for _, word := range r.words {
			rule, err := ParseEnteringKingRule(word)
			assert.NoError(t, err, word)
			assert.Equal(t, r.rule, rule, word)
		}
	}
	for _, word := range []string{"", "Unset", "CSARule28", "24"} {
		_, err := ParseEnteringKingRule(word)
		assert.ErrorIs(t, err, fault.Parse, word)
	}
}

func TestEvalBounds(t *testing.T) {
	for v, want := range map[int]struct {
		eval Eval
		cp   bool
	}{0: {0, true}, 32000: {32000, true}, -32000: {-32000, true}, 32001: {32001, false}, -32001: {-32001, false},
		32767: {32767, false}, 32768: {32767, false}, -32768: {-32768, false}, -32769: {-32768, false}, 1 << (bits.UintSize - 2): {32767, false}} {
		e := EvalFromInt(v)
		assert.Equal(t, want.eval, e, v)
		assert.Equal(t, want.cp, e.IsCp(), v)
		assert.Equal(t, !want.cp, e.IsSpecial(), v)
	}
	assert.Equal(t, Eval(-123), Eval(123).FlipSide())
	assert.Equal(t, Eval(32767), Eval(-32768).FlipSide(), "the ends saturate")
}
