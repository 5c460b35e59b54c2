package notation_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/notation"
	"komadori/core/shogi"
)

var styles = []notation.Style{notation.USI, notation.CSA, notation.KIF, notation.KI2, notation.Western}

// Boards on which words have much to tell apart.
var crowded = []string{
	"4k4/9/9/4G4/3G5/3GG4/9/9/4K4 b SNLPrb3s3n3l17p 1",
	"4k4/9/9/3S1S3/9/3S1S3/9/9/4K4 b GNLPrb3g3n3l17p 1",
	"4k4/9/3gg4/9/3gg4/9/9/9/4K4 w rbsnlpRB3S3N3L17P 1",
	"4k4/9/9/9/9/3GGG3/9/9/4K4 b GSNLPrb3s3n3l17p 1",
	"8k/9/3+P1+P3/3+P+P+P3/3+P1+P3/3+P+P+P3/9/9/K8 b GS2r2b3g3s4n4l8p 1",
	"8k/9/9/3+R5/9/5+R3/9/2+B6/K6+B1 b 4G4S4N4L18P 1",
	"8k/9/9/9/9/9/9/3+R1+R3/K8 b 2B4G4S4N4L18P 1",
	"4k4/9/2NNN4/9/2N6/9/9/9/4K4 b RB 1",
	"4k4/9/9/9/9/1ggg5/1g7/9/4K4 w rbsnlp 1",
	"4k3r/9/9/9/4b4/4g4/4G4/4R4/4K4 b b2g4s4n4l18p 1",
	"lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
	"lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
	"R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
	"l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
}

// turned is a text with its squares and words changed as the board is: f maps files, r ranks, both 1..9. Words of a style have files and ranks
// in different characters, except CSA, the origin of KIF and Western's, where digits come in pairs of file and rank.
func turned(text string, style notation.Style, file, rank func(int) int, words *strings.Replacer) string {
	var out []rune
	second := false // of a pair of digits
	for _, c := range words.Replace(text) {
		kanji := strings.IndexRune("一二三四五六七八九", c)
		switch {
		case c >= '１' && c <= '９':
			c = '０' + rune(file(int(c-'０')))
		case kanji >= 0:
			c = []rune("一二三四五六七八九")[rank(kanji/3+1)-1]
		case c >= 'a' && c <= 'i' && style != notation.CSA:
			c = 'a' + rune(rank(int(c-'a')+1)-1)
		case c >= '1' && c <= '9' && second:
			c = '0' + rune(rank(int(c-'0')))
			second = false
		case c >= '1' && c <= '9':
			c = '0' + rune(file(int(c-'0')))
			second = style == notation.CSA || style == notation.KIF
		}
		out = append(out, c)
	}
	return string(out)
}

var (
	otherSide  = strings.NewReplacer("▲", "△", "△", "▲")
	otherSign  = strings.NewReplacer("+", "-", "-", "+")
	otherHand  = strings.NewReplacer("右", "左", "左", "右")
	sameWords  = strings.NewReplacer()
	opposite   = func(n int) int { return 10 - n }
	unchanged  = func(n int) int { return n }
	flipWords  = map[notation.Style]*strings.Replacer{notation.KI2: otherSide, notation.CSA: otherSign}
	mirrorings = map[notation.Style]*strings.Replacer{notation.KI2: otherHand}
)

func replacer(m map[notation.Style]*strings.Replacer, style notation.Style) *strings.Replacer {
	if r := m[style]; r != nil {
		return r
	}
	return sameWords
}

// checkWords asks of all legal moves: the words lead back to the move, no two moves share them, and on the turned and on the mirrored board
// they are what turning and mirroring makes of the text.
func checkWords(t *testing.T, p *board.Position, previous shogi.Square) int {
	t.Helper()
	flipped, mirrored := p.FlipSide(), p.MirrorFile()
	moves := p.AppendLegal(nil)
	var room [64]byte
	write := func(p *board.Position, previous shogi.Square, m shogi.Move, style notation.Style) string {
		b, err := notation.AppendMove(room[:0], p, previous, m, style)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, style := range styles {
		seen := make(map[string]shogi.Move, len(moves))
		for _, m := range moves {
			text := write(p, previous, m, style)
			if other, twice := seen[text]; twice {
				t.Fatalf("%v and %v are both %s in %s", m, other, text, notation.FormatSFEN(p))
			}
			seen[text] = m
			if back, err := notation.ParseMoveAt(p, previous, text, style); err != nil || back != m {
				t.Fatalf("%s of %v is read as %v, %v in %s", text, m, back, err, notation.FormatSFEN(p))
			}
			w, err := notation.ParseWords(text, style)
			if literal, ok := w.Literal(p, previous); err != nil || !ok || literal != m {
				t.Fatalf("%s of %v literally is %v, %v in %s", text, m, literal, err, notation.FormatSFEN(p))
			}
			want := turned(text, style, opposite, opposite, replacer(flipWords, style))
			if got := write(&flipped, previous.FlipSide(), m.FlipSide(), style); got != want {
				t.Fatalf("%s in %s turned is %s, want %s", text, notation.FormatSFEN(p), got, want)
			}
			want = turned(text, style, opposite, unchanged, replacer(mirrorings, style))
			if got := write(&mirrored, previous.MirrorFile(), m.MirrorFile(), style); got != want {
				t.Fatalf("%s in %s mirrored is %s, want %s", text, notation.FormatSFEN(p), got, want)
			}
		}
	}
	value := func(p *board.Position, previous shogi.Square, m shogi.Move) notation.Ki2Notation {
		k, err := notation.Ki2Of(p, previous, m)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	for _, m := range moves {
		k := value(p, previous, m)
		if text := write(p, previous, m, notation.KI2); text != k.String() {
			t.Fatalf("%v is written %s and as a value %v", m, text, k)
		}
		if again, err := notation.ParseKi2Notation(k.String()); err != nil || again != k {
			t.Fatalf("%v is read as %v, %v", k, again, err)
		}
		if back, err := k.Resolve(p, previous); err != nil || back != m {
			t.Fatalf("%v is %v, not %v, %v in %s", k, back, m, err, notation.FormatSFEN(p))
		}
		if f := value(&flipped, previous.FlipSide(), m.FlipSide()); f != k.FlipSide() || f.FlipSide() != k {
			t.Fatalf("%v turned is %v, want %v", k, k.FlipSide(), f)
		}
		if r := value(&mirrored, previous.MirrorFile(), m.MirrorFile()); r != k.MirrorFile() || r.MirrorFile() != k {
			t.Fatalf("%v mirrored is %v, want %v", k, k.MirrorFile(), r)
		}
	}
	return len(moves)
}

func TestWordsOfAllMovesOnRandomWalks(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 11))
	walks, plies := 3, 50
	if testing.Short() {
		walks = 1
	}
	n := 0
	for _, sfen := range crowded {
		p, err := notation.ParsePosition(sfen)
		require.NoError(t, err, sfen)
		for range walks {
			g := board.NewGameFrom(p)
			for range plies {
				moves := g.Pos.AppendLegal(nil)
				if len(moves) == 0 {
					break
				}
				n += checkWords(t, &g.Pos, notation.Previous(g))
				// Captures and moves on the board lead to crowds and to 同; drops alone would fill the board.
				m := moves[random.IntN(len(moves))]
				if c := g.Pos.AppendMoves(nil, board.Captures, shogi.NoSquare); len(c) > 0 && random.IntN(3) == 0 {
					m = c[random.IntN(len(c))]
				}
				require.NoError(t, g.Push(m))
			}
		}
	}
	t.Logf("%d moves in five styles", n)
}

func TestWordsThatAreWritten(t *testing.T) {
	const even = shogi.StartSFEN
	exchange := []string{"7g7f", "3c3d", "8h2b+"}
	for _, r := range []struct {
		sfen                      string
		before                    []string
		move, csa, kif, ki2, west string
	}{
		{even, nil, "7g7f", "+7776FU", "７六歩(77)", "▲７六歩", "P-7f"},
		{even, nil, "4i5h", "+4958KI", "５八金(49)", "▲５八金右", "G4i-5h"},
		{even, nil, "6i5h", "+6958KI", "５八金(69)", "▲５八金左", "G6i-5h"},
		{even, []string{"7g7f"}, "3c3d", "-3334FU", "３四歩(33)", "△３四歩", "P-3d"},
		{even, exchange[:2], "8h2b+", "+8822UM", "２二角成(88)", "▲２二角成", "Bx2b+"},
		{even, exchange[:2], "8h2b", "+8822KA", "２二角(88)", "▲２二角不成", "Bx2b="},
		{even, exchange, "3a2b", "-3122GI", "同　銀(31)", "△同　銀", "Sx2b"},
		{even, append(exchange, "3a2b"), "B*5e", "+0055KA", "５五角打", "▲５五角", "B*5e"},
		// The words that the specification of KI2 shows.
		{"4k4/9/9/9/9/9/3G1G3/9/4K4 b - 1", nil, "4g5f", "+4756KI", "５六金(47)", "▲５六金右", "G4g-5f"},
		{"4k4/9/9/9/9/3GGG3/9/9/4K4 b G 1", nil, "5f5e", "+5655KI", "５五金(56)", "▲５五金直", "G5f-5e"},
		{"4k4/9/9/9/9/3GGG3/9/9/4K4 b G 1", nil, "G*5e", "+0055KI", "５五金打", "▲５五金打", "G*5e"},
		{"8k/9/3S5/9/9/9/9/9/4K4 b - 1", nil, "6c5b", "+6352GI", "５二銀(63)", "▲５二銀不成", "S-5b="},
		{"8k/9/9/9/9/9/9/3+R1+R3/K8 b - 1", nil, "4h5g", "+4857RY", "５七龍(48)", "▲５七龍右", "+R4h-5g"},
		{"8k/9/9/9/9/3S5/9/3S1S3/4K4 b - 1", nil, "6f5g", "+6657GI", "５七銀(66)", "▲５七銀引", "S6f-5g"},
		{"8k/9/9/9/9/3S1S3/9/3S5/4K4 b - 1", nil, "6f5g", "+6657GI", "５七銀(66)", "▲５七銀左引", "S6f-5g"},
		{"8k/9/9/9/9/9/9/4+R4/K3+R4 b - 1", nil, "5i6i", "+5969RY", "６九龍(59)", "▲６九龍寄", "+R5i-6i"},
		{"8k/9/9/9/9/9/9/9/K3+R+R3 b - 1", nil, "5i5h", "+5958RY", "５八龍(59)", "▲５八龍左", "+R5i-5h"}, // straight ahead, and yet not 直
		{"4k4/9/9/9/2n1n4/9/9/9/4K4 w - 1", nil, "7e6g+", "-7567NK", "６七桂成(75)", "△６七桂右成", "N7ex6g+"},
	} {
		g := gameAfter(t, r.sfen, r.before...)
		if r.west == "N7ex6g+" { // nothing stands there: no x
			r.west = "N7e-6g+"
		}
		m, err := shogi.ParseMove(r.move)
		require.NoError(t, err)
		for style, want := range map[notation.Style]string{notation.USI: r.move, notation.CSA: r.csa, notation.KIF: r.kif, notation.KI2: r.ki2, notation.Western: r.west} {
			assert.Equal(t, want, words(t, g, m, style), "%s in %s", r.move, r.sfen)
		}
	}
}

func TestWordsThatAreRead(t *testing.T) {
	const even = shogi.StartSFEN
	taken := []string{"7g7f", "3c3d", "8h2b+"}
	dropped := append(taken[:3:3], "3a2b")
	const generals = "4k4/9/9/9/9/3GGG3/9/9/4K4 b G 1"
	const silvers = "8k/9/9/9/9/3S1S3/9/3S5/4K4 b - 1"
	const dragons = "8k/9/9/9/9/9/9/9/K3+R+R3 b - 1"
	const pinned = "4r3k/9/9/9/9/9/4G4/3GK4/9 b - 1" // the gold on 5g may not go to 6g
	const minors = "k8/9/1+L1+N1+S3/9/9/9/9/9/4K4 b - 1"
	for _, r := range []struct {
		sfen   string
		before []string
		move   string
		style  notation.Style
		texts  []string
	}{
		{even, nil, "7g7f", notation.USI, []string{"7g7f", " 7g7f\r\n"}},
		{even, nil, "7g7f", notation.CSA, []string{"+7776FU", "7776FU", " +7776FU\n"}},
		{even, taken[:2], "8h2b+", notation.CSA, []string{"+8822UM", "8822UM"}},
		{even, taken, "3a2b", notation.CSA, []string{"-3122GI"}},
		{even, nil, "7g7f", notation.KIF, []string{
			"７六歩(77)", "▲７六歩(77)", "☗７六歩(77)", "76歩(77)", "7六歩(77)", "７6歩(77)", "７６歩（７７）", "七六歩(77)", "７六步(77)", "７六　歩(77)", "　７六歩(77)　", "７六歩",
		}},
		{even, taken, "3a2b", notation.KIF, []string{
			"同　銀(31)", "同銀(31)", "同 銀(31)", "同　　銀(31)", "同\t銀(31)", "同\u00a0銀(31)", "２二銀(31)", "２二同銀(31)", "△同　銀(31)", "▽同銀(31)", "☖同銀(31)", "仝　銀(31)",
		}},
		{even, taken[:2], "8h2b+", notation.KIF, []string{"２二角成(88)", "２二角(88)成", "22角成(88)"}},
		{even, taken[:2], "8h2b", notation.KIF, []string{"２二角(88)", "２二角不成(88)", "２二角生(88)", "２二角(88)不成"}},
		{even, dropped, "B*5e", notation.KIF, []string{"５五角打", "55角打", "５五角"}},
		{even, nil, "5i5h", notation.KIF, []string{"５八玉(59)", "５八王(59)"}},
		{minors, nil, "8c8b", notation.KIF, []string{"８二成香(83)", "８二杏(83)"}},
		{minors, nil, "6c6b", notation.KIF, []string{"６二成桂(63)", "６二圭(63)"}},
		{minors, nil, "4c4b", notation.KIF, []string{"４二成銀(43)", "４二全(43)"}},
		{dragons, nil, "4i4h", notation.KIF, []string{"４八龍(49)", "４八竜(49)"}},
		{even, nil, "7g7f", notation.KI2, []string{"▲７六歩", "▼７六歩", "☗７六歩", "７六歩", "76歩", "▲ 7六歩", "▲７六歩上", "▲７六歩直", "▲７六歩不成", "７六歩(77)"}},
		{even, dropped, "B*5e", notation.KI2, []string{"▲５五角", "▲５五角打"}},
		{even, taken, "3a2b", notation.KI2, []string{"△同　銀", "△同銀", "△同 銀", "▽同銀", "△２二銀", "△２二同銀", "△同銀上", "△同銀右", "△同銀右上"}},
		{even, nil, "4i5h", notation.KI2, []string{"▲５八金右", "▲５八金右上", "▲５八金上右"}},
		{even, nil, "6i7h", notation.KI2, []string{"▲７八金", "▲７八金上", "▲７八金右", "▲７八金行", "▲７八金入", "▲７八金右行", "▲７八金右入"}},
		{generals, nil, "5f5e", notation.KI2, []string{"▲５五金直", "▲５五金直上", "▲５五金直行", "▲５五金上直"}},
		{generals, nil, "6f5e", notation.KI2, []string{"▲５五金左", "▲５五金左上", "▲５五金左行"}},
		{generals, nil, "G*5e", notation.KI2, []string{"▲５五金打"}},
		{silvers, nil, "6f5g", notation.KI2, []string{"▲５七銀左引", "▲５七銀引左", "▲５七銀左下", "▲５七銀左退"}},
		{silvers, nil, "6h5g", notation.KI2, []string{"▲５七銀上", "▲５七銀左上"}},
		{dragons, nil, "5i5h", notation.KI2, []string{"▲５八龍左", "▲５八竜左", "▲５八龍左上", "▲５八龍直"}},
		{dragons, nil, "4i5h", notation.KI2, []string{"▲５八龍右", "▲５八龍右上"}},
		{pinned, nil, "6h6g", notation.KI2, []string{"▲６七金上", "▲６七金直", "▲６七金"}},          // 上 is written, since the pinned gold attacks 6g too
		{"4r3k/9/9/9/9/9/4G4/3GK4/9 b G 1", nil, "6h6g", notation.KI2, []string{"▲６七金"}}, // not the drop
		{even, nil, "7g7f", notation.Western, []string{"P-7f", "P-76", "P7f", "P76", "P7g-7f", "P77-76", "P7776", "▲P-7f"}},
		{even, taken[:2], "8h2b+", notation.Western, []string{"Bx2b+", "Bx22+", "B8hx2b+", "B-2b+", "B2b+"}},
		{even, taken[:2], "8h2b", notation.Western, []string{"Bx2b=", "Bx2b", "B-22="}},
		{even, taken, "3a2b", notation.Western, []string{"Sx2b", "△Sx22"}},
		{even, dropped, "B*5e", notation.Western, []string{"B*5e", "B*55"}},
		{dragons, nil, "5i5h", notation.Western, []string{"+R5i-5h", "D59-58", "+R5i5h"}},
		{pinned, nil, "6h6g", notation.Western, []string{"G6h-6g", "G-6g"}},
	} {
		g := gameAfter(t, r.sfen, r.before...)
		for _, text := range r.texts {
			m, err := notation.ParseMove(g, text, r.style)
			if assert.NoError(t, err, "%v %q in %s", r.style, text, r.sfen) {
				assert.Equal(t, r.move, m.String(), "%v %q in %s", r.style, text, r.sfen)
			}
		}
	}
}

func TestWordsThatAreRefused(t *testing.T) {
	const even = shogi.StartSFEN
	taken := []string{"7g7f", "3c3d", "8h2b+"}
	const generals = "4k4/9/9/9/9/3GGG3/9/9/4K4 b G 1"
	for _, r := range []struct {
		sfen   string
		before []string
		style  notation.Style
		text   string
		kind   fault.Kind
		offset int
	}{
		{even, nil, notation.USI, "", fault.Parse, 0},
		{even, nil, notation.USI, "7g7e", fault.IllegalMove, -1},
		{even, nil, notation.USI, "resign", fault.IllegalMove, -1},
		{even, nil, notation.USI, "null", fault.IllegalMove, -1},
		{even, nil, notation.USI, "7g7f7e", fault.Parse, 0},
		{even, nil, notation.USI, " 7g7f x", fault.Parse, 6},
		{even, nil, notation.USI, "７六歩", fault.Parse, 0},
		{even, nil, notation.CSA, "", fault.Parse, 0},
		{even, nil, notation.CSA, "+", fault.Parse, 1},
		{even, nil, notation.CSA, "-7776FU", fault.IllegalMove, -1},
		{even, nil, notation.CSA, "+7776fu", fault.Parse, 5},
		{even, nil, notation.CSA, "+7776XX", fault.Parse, 5},
		{even, nil, notation.CSA, "+7776F", fault.Parse, 5},
		{even, nil, notation.CSA, "+7700FU", fault.Parse, 3},
		{even, nil, notation.CSA, "+7077FU", fault.Parse, 1},
		{even, nil, notation.CSA, "+0776FU", fault.Parse, 2},
		{even, nil, notation.CSA, "+7777FU", fault.Parse, 3},
		{even, nil, notation.CSA, "+7g7fFU", fault.Parse, 1},
		{even, nil, notation.CSA, "+0055TO", fault.Parse, 5},
		{even, nil, notation.CSA, "+0055OU", fault.Parse, 5},
		{even, nil, notation.CSA, "+0055FU", fault.IllegalMove, -1},
		{even, nil, notation.CSA, "+7776KI", fault.IllegalMove, -1},
		{even, nil, notation.CSA, "+7776TO", fault.IllegalMove, -1},
		{even, nil, notation.CSA, "+5554FU", fault.IllegalMove, -1},
		{even, nil, notation.CSA, "+3334FU", fault.IllegalMove, -1},
		{even, nil, notation.CSA, "+7776FUx", fault.Parse, 7},
		{even, nil, notation.KIF, "", fault.Parse, 0},
		{even, nil, notation.KIF, "投了", fault.Parse, 0},
		{even, nil, notation.KIF, "７", fault.Parse, 3},
		{even, nil, notation.KIF, "０六歩(77)", fault.Parse, 0},
		{even, nil, notation.KIF, "７０歩(77)", fault.Parse, 3},
		{even, nil, notation.KIF, "７六犬(77)", fault.Parse, 6},
		{even, nil, notation.KIF, "７六(77)", fault.Parse, 6},
		{even, nil, notation.KIF, "７六成(77)", fault.Parse, 6},
		{even, nil, notation.KIF, "７六成角(77)", fault.Parse, 6},
		{even, nil, notation.KIF, "７六歩(00)", fault.Parse, 10},
		{even, nil, notation.KIF, "７六歩(70)", fault.Parse, 11},
		{even, nil, notation.KIF, "７六歩(77", fault.Parse, 12},
		{even, nil, notation.KIF, "７六歩(76)", fault.Parse, 10},
		{even, nil, notation.KIF, "７六歩(77)打", fault.Parse, 13},
		{even, nil, notation.KIF, "７六歩打(77)", fault.Parse, 12},
		{even, nil, notation.KIF, "７六歩不(77)", fault.Parse, 12},
		{even, nil, notation.KIF, "５五と打", fault.Parse, 9},
		{even, nil, notation.KIF, "５五歩打成", fault.Parse, 12},
		{even, nil, notation.KIF, "５五歩成打", fault.Parse, 12},
		{even, nil, notation.KIF, "７六歩(77)   ( 0:01/00:00:01)", fault.Parse, 16},
		{even, nil, notation.KIF, "７六金(77)", fault.IllegalMove, -1},
		{even, nil, notation.KIF, "７六歩成(77)", fault.IllegalMove, -1},
		{even, nil, notation.KIF, "７五歩(77)", fault.IllegalMove, -1},
		{even, nil, notation.KIF, "３四歩(33)", fault.IllegalMove, -1},
		{even, nil, notation.KIF, "５五歩打", fault.IllegalMove, -1},
		{even, nil, notation.KIF, "同　歩(77)", fault.IllegalMove, -1},
		{even, taken, notation.KIF, "３三同銀(31)", fault.IllegalMove, -1},
		{even, taken, notation.KIF, "同　銀(22)", fault.IllegalMove, -1},
		{even, nil, notation.KI2, "△３四歩", fault.IllegalMove, -1},
		{even, nil, notation.KI2, "▲５八金", fault.AmbiguousMove, -1},
		{even, nil, notation.KI2, "▲５八金上", fault.AmbiguousMove, -1},
		{even, nil, notation.KI2, "▲５八金直", fault.IllegalMove, -1},
		{even, nil, notation.KI2, "▲５八金左左", fault.Parse, 15},
		{even, nil, notation.KI2, "▲５八金左右", fault.Parse, 15},
		{even, nil, notation.KI2, "▲５八金上引", fault.Parse, 15},
		{even, nil, notation.KI2, "▲５八金直左", fault.Parse, 15},
		{even, nil, notation.KI2, "▲５八金左打", fault.Parse, 15},
		{even, nil, notation.KI2, "▲５八金打左", fault.Parse, 15},
		{even, nil, notation.KI2, "▲５八玉打", fault.Parse, 12},
		{even, nil, notation.KI2, "▲５五歩", fault.IllegalMove, -1},
		{even, nil, notation.KI2, "▲７六歩打", fault.IllegalMove, -1},
		{even, nil, notation.KI2, "▲７六歩成", fault.IllegalMove, -1},
		{even, nil, notation.KI2, "▲７六歩寄", fault.IllegalMove, -1},
		{even, nil, notation.KI2, "▲同　歩", fault.IllegalMove, -1},
		{even, nil, notation.KI2, "▲７", fault.Parse, 6},
		{even, nil, notation.KI2, "▲10六歩", fault.Parse, 4},
		{even, nil, notation.KI2, "▲７六歩 △３四歩", fault.Parse, 13},
		{generals, nil, notation.KI2, "▲５五金上", fault.AmbiguousMove, -1},
		{even, append(taken[:3:3], "3a2b"), notation.KI2, "▲５五角上", fault.IllegalMove, -1}, // a drop goes nowhere
		{even, append(taken[:3:3], "3a2b"), notation.KI2, "▲５五角成", fault.IllegalMove, -1},
		{even, nil, notation.Western, "", fault.Parse, 0},
		{even, nil, notation.Western, "P", fault.Parse, 1},
		{even, nil, notation.Western, "P-", fault.Parse, 2},
		{even, nil, notation.Western, "P-7", fault.Parse, 2},
		{even, nil, notation.Western, "p-7f", fault.Parse, 0},
		{even, nil, notation.Western, "+G-7f", fault.Parse, 1},
		{even, nil, notation.Western, "+D-7f", fault.Parse, 1},
		{even, nil, notation.Western, "P7g*7f", fault.Parse, 3},
		{even, nil, notation.Western, "K*5e", fault.Parse, 1},
		{even, nil, notation.Western, "P7f-7f", fault.Parse, 4},
		{even, nil, notation.Western, "G-5h+", fault.Parse, 4},
		{even, nil, notation.Western, "G-5h", fault.AmbiguousMove, -1},
		{even, nil, notation.Western, "Px7f", fault.IllegalMove, -1},
		{even, nil, notation.Western, "P-7f+", fault.IllegalMove, -1},
		{even, nil, notation.Western, "P-7e", fault.IllegalMove, -1},
		{even, nil, notation.Western, "△P-7f", fault.IllegalMove, -1},
		{even, nil, notation.Style(0), "7g7f", fault.InvalidValue, -1},
		{even, nil, notation.Style(6), "7g7f", fault.InvalidValue, -1},
	} {
		g := gameAfter(t, r.sfen, r.before...)
		m, err := notation.ParseMove(g, r.text, r.style)
		assert.Equal(t, shogi.MoveNone, m, r.text)
		var e *fault.Error
		if assert.ErrorAs(t, err, &e, "%v %q", r.style, r.text) {
			assert.Equal(t, r.kind, e.Kind, "%v %q: %v", r.style, r.text, err)
			assert.Equal(t, r.offset, e.Offset, "%v %q: %v", r.style, r.text, err)
		}
	}
}

func TestMessagesAreOneLine(t *testing.T) {
	for _, style := range styles {
		for _, text := range []string{"\n7g7f", "▲７\n六歩", "７六\n歩(77)", "P-\n7f", "+77\r76FU", "P\x00", "▲７六\x1b[31m", "７六歩(\n"} {
			_, err := notation.ParseWords("x"+text, style)
			require.ErrorIs(t, err, fault.Parse)
			_, _, err2 := notation.ReadWords(text, style)
			require.ErrorIs(t, err2, fault.Parse, "%v %q", style, text)
			for _, message := range []string{err.Error(), err2.Error()} {
				assert.NotRegexp(t, `[[:cntrl:]]`, message)
			}
		}
	}
}

func TestWordsOfWhatIsNoLegalMove(t *testing.T) {
	g := board.NewGame()
	for _, style := range styles {
		for _, m := range []shogi.Move{shogi.MoveNone, shogi.MoveResign, shogi.MoveNull, 0xFFFF, 7739 + 1, 1<<15 | 7739} {
			text, err := notation.FormatMove(g, m, style)
			assert.Empty(t, text)
			assert.ErrorIs(t, err, fault.IllegalMove)
		}
	}
	_, err := notation.FormatMove(g, 7739, notation.Style(0))
	assert.ErrorIs(t, err, fault.InvalidValue)
	_, err = notation.Ki2Of(&g.Pos, shogi.NoSquare, shogi.MoveResign)
	assert.ErrorIs(t, err, fault.IllegalMove)
}

func TestWordsOfMovesAgainstTheRules(t *testing.T) {
	for _, r := range []struct {
		sfen, move, csa, kif, ki2, west string
	}{
		{"4k4/9/9/9/9/9/9/9/4K3r b - 1", "5i4i", "+5949OU", "４九玉(59)", "▲４九玉", "K-4i"},     // into check
		{"4k4/9/9/4P4/9/9/9/9/4K4 b P 1", "P*5e", "+0055FU", "５五歩打", "▲５五歩", "P*5e"},       // a second pawn
		{"4k4/4P4/9/9/9/9/9/9/4K4 b - 1", "5b5a", "+5251FU", "５一歩(52)", "▲５一歩不成", "Px5a="}, // takes a king, and could not move again
		{"4k4/9/9/9/9/9/9/7R1/4K4 b - 1", "2h3g", "+2837HI", "３七飛(28)", "▲３七飛", "R-3g"},    // no rook moves so
	} {
		p, err := notation.ParsePosition(r.sfen)
		require.NoError(t, err)
		m, err := shogi.ParseMove(r.move)
		require.NoError(t, err)
		for style, want := range map[notation.Style]string{notation.CSA: r.csa, notation.KIF: r.kif, notation.KI2: r.ki2, notation.Western: r.west} {
			_, err := notation.AppendMove(nil, &p, shogi.NoSquare, m, style)
			assert.ErrorIs(t, err, fault.IllegalMove)
			text, err := notation.AppendRecordMove(nil, &p, shogi.NoSquare, m, style)
			require.NoError(t, err)
			assert.Equal(t, want, string(text), "%s in %s", r.move, r.sfen)
			_, err = notation.ParseMoveAt(&p, shogi.NoSquare, want, style)
			assert.ErrorIs(t, err, fault.IllegalMove, want)
			w, err := notation.ParseWords(want, style)
			require.NoError(t, err, want)
			if literal, ok := w.Literal(&p, shogi.NoSquare); style == notation.CSA || style == notation.KIF {
				assert.True(t, ok, want)
				assert.Equal(t, m, literal, want)
			}
		}
	}
	p, err := notation.ParsePosition("4k4/9/9/9/9/9/9/4K1RR1/9 b - 1")
	require.NoError(t, err)
	text, err := notation.AppendRecordMove(nil, &p, shogi.NoSquare, shogi.MoveUnchecked(16, 34, false), notation.KI2)
	require.NoError(t, err)
	assert.Equal(t, "▲４八飛右", string(text), "the rook on 2h jumps over the other one")
	p = board.Start()
	for _, m := range []shogi.Move{shogi.MoveResign, 0xFFFF, shogi.MoveUnchecked(40, 39, false), shogi.MoveUnchecked(20, 21, false)} {
		_, err := notation.AppendRecordMove(nil, &p, shogi.NoSquare, m, notation.KIF)
		assert.ErrorIs(t, err, fault.InvalidValue)
	}
	for text, style := range map[string]notation.Style{
		"△３四歩": notation.KI2, "▲５八金": notation.KI2, "▲同　歩": notation.KI2, "７六金(77)": notation.KIF, "３四歩(33)": notation.KIF, "+5554FU": notation.CSA, "resign": notation.USI, "G-5h": notation.Western, "R-5e": notation.Western,
	} {
		w, err := notation.ParseWords(text, style)
		require.NoError(t, err, text)
		_, ok := w.Literal(&p, shogi.NoSquare)
		assert.False(t, ok, text)
	}
	w, err := notation.ParseWords("▲５五歩", notation.KI2)
	require.NoError(t, err)
	m, ok := w.Literal(&p, shogi.NoSquare)
	assert.True(t, ok)
	assert.Equal(t, "P*5e", m.String(), "nothing on the board can be meant")
}

func TestReadingStopsBehindTheMove(t *testing.T) {
	for text, r := range map[string]struct {
		style notation.Style
		n     int
	}{
		"７六歩(77)   ( 0:01/00:00:01)": {notation.KIF, 13},
		"７六歩(77)( 0:01/00:00:01)":    {notation.KIF, 13},
		"２八歩打(00:00/00:00:00)":       {notation.KIF, 12},
		"２八歩打     (00:00/00:00:00)+": {notation.KIF, 12},
		"▲７六歩△３四歩▲２六歩":               {notation.KI2, 12},
		"▲７六歩　△３四歩":                  {notation.KI2, 12},
		"▲同　銀\n":                     {notation.KI2, 12},
		"+7776FU,T12":                {notation.CSA, 7},
		"7g7f 3c3d":                  {notation.USI, 4},
		"P-7f P-3d":                  {notation.Western, 4},
	} {
		_, n, err := notation.ReadWords(text, r.style)
		assert.NoError(t, err, text)
		assert.Equal(t, r.n, n, text)
	}
}

func TestKi2NotationValues(t *testing.T) {
	step := uint32(1)
	if testing.Short() {
		step = 7 // a prime, so that all fields vary
	}
	for raw := uint32(0); raw < 1<<19; raw += step {
		k, err := notation.NewKi2Notation(raw)
		if err != nil {
			require.ErrorIs(t, err, fault.InvalidValue)
			bad := notation.Ki2Notation(raw)
			require.Equal(t, "invalid", bad.String())
			require.Equal(t, bad, bad.FlipSide())
			require.Equal(t, bad, bad.MirrorFile())
			continue
		}
		require.Equal(t, raw, uint32(k))
		// Equal values are displayed alike, and nothing else is: the text leads back to the value.
		back, err := notation.ParseKi2Notation(k.String())
		require.NoError(t, err, k.String())
		require.Equal(t, k, back, k.String())
		for _, turn := range []func(notation.Ki2Notation) notation.Ki2Notation{notation.Ki2Notation.FlipSide, notation.Ki2Notation.MirrorFile} {
			_, err := notation.NewKi2Notation(uint32(turn(k)))
			require.NoError(t, err)
			require.Equal(t, k, turn(turn(k)))
		}
	}
	p := board.Start()
	for _, raw := range []uint32{0, 1 << 19, 1<<32 - 1, 82<<2 | 1<<9, 2 | 5<<2 | 1<<9, 1 << 9, 15<<9 | 4, 1<<9 | 4 | 12<<13, 1<<9 | 4 | 3<<17, 7<<9 | 4 | 1<<17, 9<<9 | 4 | 11<<13, 8<<9 | 4 | 11<<13, 1<<9 | 4 | 11<<13 | 1<<17, 2 | 1<<9 | 11<<13} {
		_, err := notation.NewKi2Notation(raw)
		assert.ErrorIs(t, err, fault.InvalidValue, "0x%x", raw)
		_, err = notation.Ki2Notation(raw).Resolve(&p, shogi.NoSquare)
		assert.ErrorIs(t, err, fault.InvalidValue, "0x%x", raw)
	}
}

func TestKi2NotationParts(t *testing.T) {
	k, err := notation.ParseKi2Notation("△５二銀左引不成")
	require.NoError(t, err)
	assert.Equal(t, shogi.White, k.Color())
	assert.Equal(t, "5b", k.To().String())
	assert.Equal(t, shogi.Silver, k.Kind())
	assert.Equal(t, notation.Left|notation.Back, k.Marks())
	assert.Equal(t, notation.Declines, k.Promotion())
	assert.False(t, k.IsSame())
	assert.False(t, k.IsDrop())
	assert.Equal(t, "▲５八銀左引不成", k.FlipSide().String())
	assert.Equal(t, "△５二銀右引不成", k.MirrorFile().String())
	k, err = notation.ParseKi2Notation("▲同　歩")
	require.NoError(t, err)
	assert.True(t, k.IsSame())
	assert.Equal(t, shogi.NoSquare, k.To())
	assert.Equal(t, "▲同　歩", k.MirrorFile().String())
	for text, want := range map[string]string{"▲５五金直上": "▲５五金直", "▲５五金右寄": "▲５五金右", "▽５五金入左": "△５五金左上"} {
		k, err := notation.ParseKi2Notation(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, k.String())
	}
	for _, text := range []string{"７六歩", "▲７六歩(77)", "▲７六同歩", "▲５八金成", "▲同　角打", ""} {
		_, err := notation.ParseKi2Notation(text)
		assert.ErrorIs(t, err, fault.Parse, text)
	}
}

func TestKi2NotationResolves(t *testing.T) {
	g := gameAfter(t, shogi.StartSFEN, "7g7f", "3c3d", "8h2b+")
	for text, want := range map[string]struct {
		move string
		err  error
	}{
		"△同　銀":  {"3a2b", nil},
		"△２二銀":  {"", fault.IllegalMove}, // this move is written 同
		"△同銀上":  {"", fault.IllegalMove}, // and without 上
		"▲同　銀":  {"", fault.IllegalMove},
		"△同　飛":  {"8b2b", nil},
		"△７二玉":  {"", fault.IllegalMove},
		"△６二玉":  {"5a6b", nil},
		"△３三角打": {"", fault.IllegalMove},
	} {
		k, err := notation.ParseKi2Notation(text)
		require.NoError(t, err)
		m, err := k.Resolve(&g.Pos, notation.Previous(g))
		if want.err != nil {
			assert.ErrorIs(t, err, want.err, text)
			assert.NotErrorIs(t, err, fault.AmbiguousMove, text)
			continue
		}
		require.NoError(t, err, text)
		assert.Equal(t, want.move, m.String())
	}
	k, err := notation.ParseKi2Notation("△同　銀")
	require.NoError(t, err)
	_, err = k.Resolve(&g.Pos, shogi.NoSquare)
	assert.ErrorIs(t, err, fault.IllegalMove, "同 means nothing without a move before")
}

func TestWordsDoNotAllocate(t *testing.T) {
	g := gameAfter(t, crowded[0])
	var room [64]byte
	moves := g.Pos.AppendLegal(nil)
	for _, style := range styles {
		assert.Zero(t, testing.AllocsPerRun(10, func() {
			for _, m := range moves {
				if _, err := notation.AppendMove(room[:0], &g.Pos, shogi.NoSquare, m, style); err != nil {
					panic(err)
				}
			}
		}), style)
		text, err := notation.FormatMove(g, moves[0], style)
		require.NoError(t, err)
		assert.Zero(t, testing.AllocsPerRun(10, func() {
			if _, err := notation.ParseMove(g, text, style); err != nil {
				panic(err)
			}
		}), style)
	}
}

func BenchmarkWords(b *testing.B) {
	p, err := notation.ParsePosition(crowded[11])
	require.NoError(b, err)
	moves := p.AppendLegal(nil)
	for _, style := range styles {
		var texts []string
		for _, m := range moves {
			text, err := notation.AppendMove(nil, &p, shogi.NoSquare, m, style)
			require.NoError(b, err)
			texts = append(texts, string(text))
		}
		b.Run("format/"+style.String(), func(b *testing.B) {
			var room [64]byte
			for i := range b.N {
				if _, err := notation.AppendMove(room[:0], &p, shogi.NoSquare, moves[i%len(moves)], style); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("parse/"+style.String(), func(b *testing.B) {
			for i := range b.N {
				if _, err := notation.ParseMoveAt(&p, shogi.NoSquare, texts[i%len(texts)], style); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// FuzzWords reads any text in every style on a few boards: no panic, and what is read is a legal move whose words lead back to it.
func FuzzWords(f *testing.F) {
	for _, text := range []string{
		"7g7f", "B*5e", "+7776FU", "-0055KA", "７六歩(77)", "同　銀(31)", "５五角打", "２二角成(88)", "▲５八金右", "△同成銀左引不成", "P-7f", "Bx2b+", "G6i-5h", "S72x83=", "▲５五金直上",
	} {
		for style := range styles {
			f.Add(text, uint8(style), uint8(style), uint8(81))
		}
	}
	var positions []board.Position
	for _, sfen := range crowded {
		p, err := notation.ParsePosition(sfen)
		require.NoError(f, err)
		positions = append(positions, p)
	}
	f.Fuzz(func(t *testing.T, text string, s, which, before uint8) {
		style := styles[int(s)%len(styles)]
		p := &positions[int(which)%len(positions)]
		previous := shogi.Square(before % 82)
		w, n, err := notation.ReadWords(text, style)
		require.LessOrEqual(t, n, len(text))
		if err != nil {
			var e *fault.Error
			require.True(t, errors.As(err, &e) && e.Kind == fault.Parse && e.Offset >= 0 && e.Offset <= len(text), "%v", err)
			return
		}
		if m, ok := w.Literal(p, previous); ok {
			_, err := notation.AppendRecordMove(nil, p, previous, m, style)
			if w.Style != notation.USI { // USI names squares alone: there may be no piece
				require.NoError(t, err)
			}
		}
		m, err := w.Resolve(p, previous)
		if err != nil {
			require.ErrorIs(t, err, fault.IllegalMove)
			return
		}
		require.True(t, p.IsLegal(m))
		written, err := notation.AppendMove(nil, p, previous, m, style)
		require.NoError(t, err)
		back, err := notation.ParseMoveAt(p, previous, string(written), style)
		require.NoError(t, err, "%s", written)
		require.Equal(t, m, back)
	})
}

func FuzzKi2Notation(f *testing.F) {
	f.Add("▲５八金右", uint32(5705))
	f.Add("△同　銀", uint32(515))
	f.Fuzz(func(t *testing.T, text string, raw uint32) {
		if k, err := notation.ParseKi2Notation(text); err == nil {
			again, err := notation.NewKi2Notation(uint32(k))
			require.NoError(t, err)
			back, err := notation.ParseKi2Notation(again.String())
			require.NoError(t, err)
			require.Equal(t, k, back)
		}
		p := board.Start()
		k := notation.Ki2Notation(raw)
		_ = k.String()
		if m, err := k.Resolve(&p, shogi.Square(raw%82)); err == nil {
			require.True(t, p.IsLegal(m))
		}
	})
}
