package notation_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/notation"
	"komadori/core/shogi"
)

const bare = "4k4/9/9/9/9/9/9/9/4K4"

func sfenOf(t *testing.T, text string) string {
	t.Helper()
	s, err := notation.ParseSFEN(text)
	require.NoError(t, err, text)
	return string(notation.AppendSFEN(nil, &s))
}

func TestStartPosition(t *testing.T) {
	s, err := notation.ParseSFEN(shogi.StartSFEN)
	require.NoError(t, err)
	assert.Equal(t, board.StartSetup(), s)
	p := board.Start()
	assert.Equal(t, shogi.StartSFEN, notation.FormatSFEN(&p))
}

// Files run from 9 to 1, ranks from a to i, hands come Black first in the order R B G S N L P.
func TestCanonicalText(t *testing.T) {
	for _, text := range []string{
		bare + " b - 1",
		bare + " w - 2",
		bare + " b 2R2B4G4S4N4L18P 1",
		bare + " b RBGSNLPrbgsnlp 100",
		bare + " w 2r2b4g4s4n4l18p 2147483647",
		"9/9/9/9/9/9/9/9/9 b - 1",
		"+P+L+N+S+B+R2k/+p+l+n+s+b+r3/9/9/9/9/9/9/K8 w - 3",
		"k8/9/9/9/4P4/9/9/9/8K b - 1",
		"R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
	} {
		assert.Equal(t, text, sfenOf(t, text))
	}
	s, _ := notation.ParseSFEN("k8/9/9/9/4P4/9/9/9/8K b 3Pg 7")
	assert.Equal(t, shogi.WKing, s.Board[shogi.MakeSquare(8, 0)])
	assert.Equal(t, shogi.BPawn, s.Board[shogi.MakeSquare(4, 4)])
	assert.Equal(t, shogi.BKing, s.Board[shogi.MakeSquare(0, 8)])
	assert.Equal(t, 3, s.Hands[shogi.Black].Count(shogi.Pawn))
	assert.Equal(t, 1, s.Hands[shogi.White].Count(shogi.Gold))
	assert.EqualValues(t, 7, s.Ply)
}

// A setup may hold bits in its hands that are no count. They are reported as a problem and not written; the field is never empty.
func TestHandBitsWithoutMeaningAreNotWritten(t *testing.T) {
	s := board.StartSetup()
	s.Hands[1] = 1 << 5
	assert.Equal(t, shogi.StartSFEN, string(notation.AppendSFEN(nil, &s)))
}

// What is read beyond the canonical form, and what it means.
func TestLenientForms(t *testing.T) {
	for text, want := range map[string]string{
		"startpos":                            shogi.StartSFEN,
		" startpos \r\n":                      shogi.StartSFEN,
		bare + " b -":                         bare + " b - 1",
		bare + " b - 0":                       bare + " b - 1",
		bare + " b - 007":                     bare + " b - 7",
		bare + " b PLR 3":                     bare + " b RLP 3",
		bare + " b pP 3":                      bare + " b Pp 3",
		bare + " b PP 3":                      bare + " b 2P 3",
		bare + " b 2P3P 3":                    bare + " b 5P 3",
		bare + " b 1P 3":                      bare + " b P 3",
		bare + "  w \t2p\t\t 4":               bare + " w 2p 4",
		"\t " + bare + " b - 4 \n":            bare + " b - 4",
		"sfen " + bare + " b - 4":             bare + " b - 4",
		"  sfen   " + bare + " b -":           bare + " b - 1",
		bare + " b - 1\r\n":                   bare + " b - 1",
		bare + " b - 2147483647":              bare + " b - 2147483647",
		bare + " b - 0000000000000000000":     bare + " b - 1",
		bare + " b - 00000000000000000000042": bare + " b - 42",
	} {
		assert.Equal(t, want, sfenOf(t, text), "%q", text)
	}
}

// What is refused, and the byte that is to blame.
func TestRefusedForms(t *testing.T) {
	for _, r := range []struct {
		text   string
		offset int
	}{
		{"", 0}, {" \t\n", 3}, {"garbage", 7}, {"sfen", 4}, {"sfen startpos", 13}, {"startpos w", 10}, {bare, 21}, {bare + " b", 23},
		{bare + "\nb - 1", 21},
		{"4k4/9/9/9/54/9/9/9/4K4 b - 1", 11},
		{"4k4/9/9/9/0/9/9/9/4K4 b - 1", 10},
		{"4k4/9/9/9/45/9/9/9/4K4 b - 1", 11},
		{"4k4/9/9/9/8/9/9/9/4K4 b - 1", 11},
		{"4k4/9/9/9/P9/9/9/9/4K4 b - 1", 11},
		{"4k4/9/9/9/9P/9/9/9/4K4 b - 1", 11},
		{"4k4/9/9/9/9/9/9/9 b - 1", 17},
		{bare + "/9 b - 1", 21},
		{bare + "/ b - 1", 21},
		{"/" + bare + " b - 1", 0},
		{"4k4//9/9/9/9/9/9/9/4K4 b - 1", 4},
		{"4k4/9/9/9/4+G4/9/9/9/4K4 b - 1", 12},
		{"4k4/9/9/9/4+k4/9/9/9/4K4 b - 1", 12},
		{"4k4/9/9/9/4+4/9/9/9/4K4 b - 1", 12},
		{"4k4/9/9/9/4++P4/9/9/9/4K4 b - 1", 12},
		{"4k4/9/9/9/9+/9/9/9/4K4 b - 1", 12},
		{bare + "+ b - 1", 22},
		{"4k4/9/9/9/4Q4/9/9/9/4K4 b - 1", 11},
		{"4k4/9/9/9/4?4/9/9/9/4K4 b - 1", 11},
		{"4k4/9/9/9/4\xff4/9/9/9/4K4 b - 1", 11},
		{"4k4/9/9/9/4\x004/9/9/9/4K4 b - 1", 11},
		{"4k4/9/9/9/RRR6/9/9/9/4K4 b - 1", 12},
		{"4k4/9/9/9/+R+rr6/9/9/9/4K4 b - 1", 14},
		{"kkk6/9/9/9/9/9/9/9/9 b - 1", 2},
		{bare + " x - 1", 22}, {bare + " B - 1", 22}, {bare + " bw - 1", 22},
		{bare + " b x 1", 24}, {bare + " b K 1", 24}, {bare + " b 2k 1", 25}, {bare + " b 0P 1", 24}, {bare + " b 01P 1", 24}, {bare + " b P0 1", 25},
		{bare + " b 2 1", 25}, {bare + " b P2 1", 26}, {bare + " b +P 1", 24}, {bare + " b P- 1", 25}, {bare + " b -P 1", 24}, {bare + " b -- 1", 24},
		{bare + " b 19P 1", 24}, {bare + " b 18Pp 1", 27}, {bare + " b 3R 1", 24}, {bare + " b RrR 1", 26}, {bare + " b 999P 1", 24}, {bare + " b 1000P 1", 24},
		{bare + " b 99999999999999999999P 1", 24},
		{bare + " b - -1", 26}, {bare + " b - +1", 26}, {bare + " b - 1.5", 27}, {bare + " b - x", 26}, {bare + " b - 0x10", 27}, {bare + " b - １", 26},
		{bare + " b - 2147483648", 26}, {bare + " b - 99999999999999999999", 26},
		{bare + " b - 1 extra", 28}, {bare + " b - 1 2 3 4 5", 28},
		{"position sfen " + bare + " b - 1", 38},
	} {
		_, err := notation.ParseSFEN(r.text)
		var e *fault.Error
		if assert.ErrorAs(t, err, &e, "%q", r.text) {
			assert.Equal(t, fault.Parse, e.Kind)
			assert.Equal(t, "notation.ParseSFEN", e.Op)
			assert.Equal(t, r.offset, e.Offset, "%q: %v", r.text, err)
			assert.Less(t, len(err.Error()), 300)
		}
	}
}

// More men than exist are refused whether they stand on the board or in hand; where both hold some, loading the position refuses.
func TestMenOnBoardAndInHandAddUp(t *testing.T) {
	_, err := notation.ParsePosition("4k4/9/9/9/GGGG5/9/9/9/4K4 b G 1")
	assert.ErrorIs(t, err, fault.InvalidPosition)
	var problems *board.ProblemsError
	if assert.ErrorAs(t, err, &problems) {
		assert.Equal(t, board.TooManyPieces, problems.Problems[0].Kind)
	}
	_, err = notation.ParsePosition("4k4/9/9/9/GGGG5/9/9/9/4K4 b")
	assert.ErrorIs(t, err, fault.Parse)
}

// Any setup that the text can hold reads back as itself.
func TestRandomSetupsRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 5000 {
		s := randomSetup(r)
		text := string(notation.AppendSFEN(nil, &s))
		back, err := notation.ParseSFEN(text)
		require.NoError(t, err, text)
		require.Equal(t, s, back, text)
		for _, turn := range []func(*board.Setup) board.Setup{(*board.Setup).FlipSide, (*board.Setup).MirrorFile} {
			turned := turn(&s)
			back, err := notation.ParseSFEN(string(notation.AppendSFEN(nil, &turned)))
			require.NoError(t, err)
			require.Equal(t, turned, back)
		}
	}
}

// randomSetup scatters at most a full set over board and hands, by no rule but the number of men.
func randomSetup(r *rand.Rand) board.Setup {
	s := board.Setup{Turn: shogi.Color(r.IntN(2)), Ply: 1 + r.Int32N(math.MaxInt32)}
	for kind, n := range map[shogi.PieceType]int{shogi.Pawn: 18, shogi.Lance: 4, shogi.Knight: 4, shogi.Silver: 4, shogi.Bishop: 2, shogi.Rook: 2, shogi.Gold: 4, shogi.King: 2} {
		for range n {
			c, t := shogi.Color(r.IntN(2)), kind
			switch where := r.IntN(4); {
			case where == 0:
			case where == 1 && t != shogi.King:
				s.Hands[c], _ = s.Hands[c].Add(t, 1)
			default:
				if r.IntN(3) == 0 {
					t = t.Promote()
				}
				s.Board[r.IntN(81)] = shogi.MakePiece(c, t)
			}
		}
	}
	return s
}

func TestSFENDoesNotAllocate(t *testing.T) {
	s := board.StartSetup()
	buf := make([]byte, 0, 256)
	assert.Zero(t, testing.AllocsPerRun(100, func() { buf = notation.AppendSFEN(buf[:0], &s) }))
	text := "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1"
	assert.Zero(t, testing.AllocsPerRun(100, func() { s, _ = notation.ParseSFEN(text) }))
	p, err := notation.ParsePosition(text)
	require.NoError(t, err)
	var m board.Men
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		buf = notation.AppendPosition(buf[:0], &p)
		_ = notation.ParseMen(text, &m)
	}))
	assert.NotZero(t, m.Count)
}

func TestLongTextIsRefusedAtItsFifthField(t *testing.T) {
	const fields = 1_000_000
	text := "sfen" + strings.Repeat(" x", fields)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := notation.ParseSFEN(text)
	require.ErrorIs(t, err, fault.Parse)
	_, err = notation.ParseSetup(text, notation.TextSFEN)
	require.ErrorContains(t, err, "offset 13")
	runtime.ReadMemStats(&after)
	// What stands behind it is not even cut into fields: those would be a string header each.
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(fields))
}

func FuzzSFEN(f *testing.F) {
	for _, text := range []string{
		shogi.StartSFEN, "startpos", "sfen " + bare + " w RBGSNLPrbgsnlp 3", bare + " b 2P3P", "+P8/9/9/9/9/9/9/9/9 b - 0",
		"l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := notation.ParseSFEN(text)
		if err != nil {
			var e *fault.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, fault.Parse, e.Kind)
			require.True(t, e.Offset >= 0 && e.Offset <= len(text), "%v in %q", err, text)
			return
		}
		canonical := string(notation.AppendSFEN(nil, &s))
		again, err := notation.ParseSFEN(canonical)
		require.NoError(t, err, canonical)
		require.Equal(t, s, again)
		if p, err := s.Position(); err == nil {
			require.Equal(t, canonical, notation.FormatSFEN(&p))
		}
	})
}

func BenchmarkParseSFEN(b *testing.B) {
	text := "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1"
	for b.Loop() {
		_, _ = notation.ParseSFEN(text)
	}
}

func BenchmarkAppendSFEN(b *testing.B) {
	s, _ := notation.ParseSFEN("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1")
	var buf []byte
	for b.Loop() {
		buf = notation.AppendSFEN(buf[:0], &s)
	}
	if !strings.HasPrefix(string(buf), "l6nl") {
		b.Fatal(string(buf))
	}
}
