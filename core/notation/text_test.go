package notation_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/internal/vectors"
	"komadori/core/notation"
	"komadori/core/shogi"
)

var allTexts = []notation.Text{notation.TextSFEN, notation.TextCSA, notation.TextBOD, notation.TextPlain, notation.TextSFENWithoutPly}

func hasPly(text notation.Text) bool {
	return text != notation.TextCSA && text != notation.TextSFENWithoutPly
}

// oddSetup is what a diagram can show and no game has: several kings, too many men, dead ends, hands beyond a full set.
func oddSetup(r *rand.Rand) board.Setup {
	s := board.Setup{Turn: shogi.Color(r.IntN(2)), Ply: 1 + r.Int32N(math.MaxInt32)}
	for range r.IntN(90) {
		if p := shogi.Piece(r.IntN(31)); p.IsOnBoard() {
			s.Board[r.IntN(81)] = p
		}
	}
	for c := range s.Hands {
		for t := shogi.Pawn; t <= shogi.Gold; t++ {
			if r.IntN(3) > 0 {
				_ = s.SetHand(shogi.Color(c), t, r.IntN(board.HandRoom(t)+1))
			}
		}
	}
	return s
}

// Any setup that a diagram can show reads back as itself from every text, and so do its mirror images.
func TestTextsReadBack(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	for i := range 2000 {
		s := oddSetup(r)
		if i%2 == 0 {
			s = randomSetup(r)
		}
		if i%3 == 0 {
			s.Ply = 1 + r.Int32N(3)
		}
		for _, text := range allTexts {
			for _, s := range []board.Setup{s, s.FlipSide(), s.MirrorFile()} {
				if !hasPly(text) {
					s.Ply = 1
				}
				written, err := notation.FormatSetup(&s, text)
				require.NoError(t, err)
				back, err := notation.ParseSetup(written, text)
				require.NoError(t, err, written)
				require.Equal(t, s, back, written)
			}
		}
	}
}

// A board full of any one piece, and hands as full as they can be.
func TestTextsOfFullBoards(t *testing.T) {
	for p := shogi.Piece(1); p < 31; p++ {
		if !p.IsOnBoard() {
			continue
		}
		s := board.EmptySetup()
		for sq := range s.Board {
			s.Board[sq] = p
		}
		for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
			require.NoError(t, s.SetHand(shogi.Black, kind, board.HandRoom(kind)))
			require.NoError(t, s.SetHand(shogi.White, kind, board.HandRoom(kind)))
		}
		for _, text := range allTexts {
			written, err := notation.FormatSetup(&s, text)
			require.NoError(t, err)
			back, err := notation.ParseSetup(written, text)
			require.NoError(t, err, written)
			require.Equal(t, s, back, written)
		}
	}
}

// The texts of the even game, which files and people have in front of them.
func TestTextsOfTheEvenGame(t *testing.T) {
	s := board.StartSetup()
	for text, want := range map[notation.Text]string{
		notation.TextSFEN:           shogi.StartSFEN,
		notation.TextSFENWithoutPly: strings.TrimSuffix(shogi.StartSFEN, " 1"),
		notation.TextCSA: `P1-KY-KE-GI-KI-OU-KI-GI-KE-KY
P2 * -HI *  *  *  *  * -KA * 
P3-FU-FU-FU-FU-FU-FU-FU-FU-FU
P4 *  *  *  *  *  *  *  *  * 
P5 *  *  *  *  *  *  *  *  * 
P6 *  *  *  *  *  *  *  *  * 
P7+FU+FU+FU+FU+FU+FU+FU+FU+FU
P8 * +KA *  *  *  *  * +HI * 
P9+KY+KE+GI+KI+OU+KI+GI+KE+KY
P+
P-
+`,
		notation.TextBOD: `後手の持駒：なし
  ９ ８ ７ ６ ５ ４ ３ ２ １
+---------------------------+
|v香v桂v銀v金v玉v金v銀v桂v香|一
| ・v飛 ・ ・ ・ ・ ・v角 ・|二
|v歩v歩v歩v歩v歩v歩v歩v歩v歩|三
| ・ ・ ・ ・ ・ ・ ・ ・ ・|四
| ・ ・ ・ ・ ・ ・ ・ ・ ・|五
| ・ ・ ・ ・ ・ ・ ・ ・ ・|六
| 歩 歩 歩 歩 歩 歩 歩 歩 歩|七
| ・ 角 ・ ・ ・ ・ ・ 飛 ・|八
| 香 桂 銀 金 玉 金 銀 桂 香|九
+---------------------------+
先手の持駒：なし`,
		notation.TextPlain: `☖ なし
  ９ ８ ７ ６ ５ ４ ３ ２ １
|v香v桂v銀v金v玉v金v銀v桂v香|一
| ・v飛 ・ ・ ・ ・ ・v角 ・|二
|v歩v歩v歩v歩v歩v歩v歩v歩v歩|三
| ・ ・ ・ ・ ・ ・ ・ ・ ・|四
| ・ ・ ・ ・ ・ ・ ・ ・ ・|五
| ・ ・ ・ ・ ・ ・ ・ ・ ・|六
| 歩 歩 歩 歩 歩 歩 歩 歩 歩|七
| ・ 角 ・ ・ ・ ・ ・ 飛 ・|八
| 香 桂 銀 金 玉 金 銀 桂 香|九
☗ なし
☗ to move, ply 1`,
	} {
		got, err := notation.FormatSetup(&s, text)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

// Hands, ply and turn of the texts, and all the pieces.
func TestTextsOfEverything(t *testing.T) {
	s, err := notation.ParseSetup("kK+P+L+N+S+B+R1/plnsbrg2/9/9/9/9/9/9/9 w 3R7G31P2r20p10l 45", notation.TextSFEN)
	assert.ErrorIs(t, err, fault.Parse, "a hand has no room for ten lances")
	assert.Equal(t, board.Setup{}, s)
	s, err = notation.ParseSetup("kK+P+L+N+S+B+R1/plnsbrg2/9/9/9/9/9/9/9 w 3R7G31Pr20p7l 45", notation.TextSFEN)
	require.NoError(t, err)
	for text, want := range map[notation.Text]string{
		notation.TextSFEN:           "kK+P+L+N+S+B+R1/plnsbrg2/9/9/9/9/9/9/9 w 3R7G31Pr7l20p 45",
		notation.TextSFENWithoutPly: "kK+P+L+N+S+B+R1/plnsbrg2/9/9/9/9/9/9/9 w 3R7G31Pr7l20p",
		notation.TextCSA: "P1-OU+OU+TO+NY+NK+NG+UM+RY * \nP2-FU-KY-KE-GI-KA-HI-KI *  * \n" +
			"P3 *  *  *  *  *  *  *  *  * \nP4 *  *  *  *  *  *  *  *  * \nP5 *  *  *  *  *  *  *  *  * \nP6 *  *  *  *  *  *  *  *  * \n" +
			"P7 *  *  *  *  *  *  *  *  * \nP8 *  *  *  *  *  *  *  *  * \nP9 *  *  *  *  *  *  *  *  * \n" +
			"P+" + strings.Repeat("00FU", 31) + strings.Repeat("00KI", 7) + "00HI00HI00HI\n" +
			"P-" + strings.Repeat("00FU", 20) + strings.Repeat("00KY", 7) + "00HI\n-",
		notation.TextBOD: "後手の持駒：飛　香七　歩二十\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n" +
			"|v玉 玉 と 杏 圭 全 馬 龍 ・|一\n|v歩v香v桂v銀v角v飛v金 ・ ・|二\n" + strings.Join(emptyRanks(3), "\n") +
			"\n+---------------------------+\n先手の持駒：飛三　金七　歩三十一\n手数＝44  まで\n後手番",
		notation.TextPlain: "☖ 飛 香7 歩20\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n" +
			"|v玉 玉 と 杏 圭 全 馬 龍 ・|一\n|v歩v香v桂v銀v角v飛v金 ・ ・|二\n" + strings.Join(emptyRanks(3), "\n") +
			"\n☗ 飛3 金7 歩31\n☖ to move, ply 45",
	} {
		got, err := notation.FormatSetup(&s, text)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
}

func emptyRanks(from int) []string {
	var out []string
	for r := from; r <= 9; r++ {
		out = append(out, "| ・ ・ ・ ・ ・ ・ ・ ・ ・|"+string([]rune("一二三四五六七八九")[r-1]))
	}
	return out
}

// What no diagram can show is not written, and there are five texts.
func TestTextsRefuse(t *testing.T) {
	s := board.StartSetup()
	for _, text := range []notation.Text{0, 6, -1, math.MaxInt32, math.MinInt32} {
		_, err := notation.FormatSetup(&s, text)
		assert.ErrorIs(t, err, fault.InvalidValue)
		_, err = notation.ParseSetup(shogi.StartSFEN, text)
		assert.ErrorIs(t, err, fault.InvalidValue)
	}
	s.Board[40] = 31
	for _, text := range allTexts {
		_, err := notation.FormatSetup(&s, text)
		assert.ErrorIs(t, err, fault.InvalidPosition)
	}
}

// diagramOf puts a bare diagram, kings on 5a and 5i, between two texts.
func diagramOf(before, after string) string {
	ranks := []string{"| ・ ・ ・ ・v玉 ・ ・ ・ ・|一"}
	for r := 2; r <= 8; r++ {
		ranks = append(ranks, emptyRanks(r)[0])
	}
	return before + "\n" + strings.Join(ranks, "\n") + "\n| ・ ・ ・ ・ 玉 ・ ・ ・ ・|九\n" + after
}

// What is read beyond what is written, and what it means.
func TestLenientDiagrams(t *testing.T) {
	rank := func(first string) string {
		return first + "\n" + strings.Join(emptyRanks(2), "\n") + "\n"
	}
	for text, want := range map[string]string{
		diagramOf("", ""): bare + " b - 1",
		diagramOf("\ufeff後手の持駒：飛二 角", ""):                            bare + " b 2rb 1",
		diagramOf("後手の持駒：飛二角　金四　", "先手の持駒: 歩 歩十"):                    bare + " b 11P2rb4g 1",
		diagramOf("上手の持ち駒：歩12", "下手の持ち駒：歩１８香"):                       bare + " b L18P12p 1",
		diagramOf("後手の持駒：", "先手の持駒：なし　"):                             bare + " b - 1",
		diagramOf("後手の持駒：残り", "先手の持駒：飛"):                             bare + " b Rr2b4g4s4n4l18p 1",
		diagramOf("先手の持駒：残り全部", ""):                                  bare + " b 2R2B4G4S4N4L18P 1",
		diagramOf("", "後手番"):                                         bare + " w - 1",
		diagramOf("", "手番：後手"):                                       bare + " w - 1",
		diagramOf("上手番\r", "\r\n"):                                   bare + " w - 1",
		diagramOf("", "手数＝93  △３三角  まで"):                             bare + " b - 94",
		diagramOf("", "手数＝94 ▲３三角 まで"):                               bare + " w - 95",
		diagramOf("", "手数=7手\n先手番"):                                  bare + " b - 8",
		diagramOf("", "手数＝２０"):                                       bare + " b - 21",
		diagramOf("手合割：平手　　", ""):                                    bare + " b - 1",
		diagramOf("手合割：二枚落ち", ""):                                    bare + " w - 1",
		diagramOf("手合割：その他　　", ""):                                   bare + " b - 1",
		diagramOf("# 柿木\n棋戦：王位戦：予選\n先手：Ａ\n*コメント\n&しおり\n手数：1525", ""): bare + " b - 1",
		diagramOf("", "先手の持駒：飛\n手数----指手---------消費時間--\n後手の持駒：角"):   bare + " b R 1",
		diagramOf("", "先手の持駒：飛手数----指手---------"):                    bare + " b R 1",
		diagramOf("", "   1 ５八玉(59)   ( 0:01/00:00:01)\n???"):        bare + " b - 1",
		diagramOf("", "▲５八玉\n???"):                                   bare + " b - 1",
		diagramOf("", "まで3手で中断\n???"):                                bare + " b - 1",
		"手合割：二枚落ち\n上手：Ａ\n手数----指手---------":                          "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
		"手合割：左七枚落ち\n\n△８二銀    ▲７六歩":                                  "2sgkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
		"手合割：平手\n後手番":                                                strings.Replace(shogi.StartSFEN, " b ", " w ", 1),
		rank("  ｜v杏圭v全王ｖ龍v とｖ玉＾歩・｜１  "):                              "+l+N+sK+r+pkP1/9/9/9/9/9/9/9/9 b - 1",
		rank("|v成香 成桂v成銀　王v竜 vと V玉 ^歩 ."):                            "+l+N+sK+r+pkP1/9/9/9/9/9/9/9/9 b - 1",
		rank(" 9 8 7 6 5 4 3 2 1\n| ・ ・ ・ ・ ・ ・ ・ ・ 玉|一"):            "8K/9/9/9/9/9/9/9/9 b - 1",
	} {
		s, err := notation.ParseSetup(text, notation.TextBOD)
		if assert.NoError(t, err, text) {
			assert.Equal(t, want, string(notation.AppendSFEN(nil, &s)), text)
		}
	}
}

// What is refused, and the line that is to blame.
func TestRefusedDiagrams(t *testing.T) {
	for text, message := range map[string]string{
		"":              "no diagram",
		"\n \r\n":       "no diagram",
		"hello world\n": "line 1: \"hello world\"",
		shogi.StartSFEN: "line 1",
		"先手：Ａ\n":        "no diagram",
		"手合割：百枚落ち":      "line 1",
		"手合割：その他":       "no diagram",
		"手合割：平手\n後手の持駒：飛\n":                                         "no diagram",
		strings.Join(emptyRanks(1)[:8], "\n"):                       "ends after rank 8",
		strings.Join(append(emptyRanks(1), emptyRanks(9)...), "\n"): "line 10: a tenth rank",
		strings.Join(emptyRanks(2), "\n"):                           "line 1: \"二\" after rank 1",
		diagramOf("１ ２ ３ ４ ５ ６ ７ ８ ９", ""):                          "line 1: the files are 123456789",
		"| ・ ・ ・ ・v玉 ・ ・ ・|一\n":                                     "line 1: rank 1 has 8 squares",
		"| ・ ・ ・ ・v玉 ・ ・ ・ ・ ・|一\n":                                 "line 1: rank 1 has more than 9 squares",
		"| ・ ・ ・ ・v犬 ・ ・ ・ ・|一\n":                                   "line 1: \"v犬",
		"| ・ ・ ・ ・v成玉 ・ ・ ・ ・|一\n":                                  "\"v成玉",
		"| ・ ・ ・ ・成金 ・ ・ ・ ・|一\n":                                   "\"成金",
		"| ・ ・ ・ ・v| ・ ・ ・ ・|一\n":                                   "\"v|",
		"| ・ ・ ・ ・ ・ ・ ・ ・ v\n":                                     "\"v\"",
		"| ・ ・ ・ ・ ・ ・ ・ ・ ・|一一\n":                                  "after rank 1",
		"|\xff": "UTF-8",
		diagramOf("", "先手の持駒：犬三"):                       "\"犬\" cannot be in hand",
		diagramOf("", "先手の持駒：玉"):                        "cannot be in hand",
		diagramOf("", "先手の持駒：と"):                        "cannot be in hand",
		diagramOf("", "先手の持駒：成銀"):                       "cannot be in hand",
		diagramOf("", "先手の持駒：歩0"):                       "want 1 to 31",
		diagramOf("", "先手の持駒：歩三十二"):                     "want 1 to 31",
		diagramOf("", "先手の持駒：飛3飛"):                      "want 1 to 3",
		diagramOf("", "先手の持駒：歩99999999999999999999999"): "want 1 to 31",
		diagramOf("", "先手の持駒：歩二三"):                      "cannot be in hand",
		diagramOf("", "先手の持駒：飛\n下手の持駒：飛"):               "the same hand twice",
		diagramOf("後手の持駒：残り", "先手の持駒：残り"):               "both sides",
		diagramOf("", "手数＝"):                            "want a number of moves",
		diagramOf("", "手数＝2147483647"):                  "want a number of moves",
		diagramOf("", "手数＝-1"):                          "want a number of moves",
		diagramOf("", "手番：誰か"):                          "want 先手 or 後手",
	} {
		refusedText(t, text, notation.TextBOD, message)
	}
	for text, message := range map[string]string{
		diagramOf("☖ 犬", ""):                       "cannot be in hand",
		diagramOf("", "☗ to move, ply 0"):          "want a number from 1",
		diagramOf("", "☗ to move, ply 1x"):         "want a number from 1",
		diagramOf("", "☗ to move, ply"):            "cannot be in hand",
		diagramOf("", "☗ なし\n☗ なし"):                "the same hand twice",
		diagramOf("", "☖ to move, ply 9999999999"): "want a number from 1",
	} {
		refusedText(t, text, notation.TextPlain, message)
	}
}

func refusedText(t *testing.T, text string, format notation.Text, message string) {
	t.Helper()
	s, err := notation.ParseSetup(text, format)
	var e *fault.Error
	if assert.ErrorAs(t, err, &e, "%q", text) {
		assert.Equal(t, fault.Parse, e.Kind)
		assert.Contains(t, err.Error(), message, "%q", text)
		assert.True(t, e.Offset >= 0 && e.Offset <= len(text), "%v in %q", err, text)
		assert.Less(t, len(err.Error()), 300)
		assert.Equal(t, board.Setup{}, s)
	}
}

const (
	csaStart = "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY\nP2 * -HI *  *  *  *  * -KA * \nP3-FU-FU-FU-FU-FU-FU-FU-FU-FU\nP4 *  *  *  *  *  *  *  *  * \n" +
		"P5 *  *  *  *  *  *  *  *  * \nP6 *  *  *  *  *  *  *  *  * \nP7+FU+FU+FU+FU+FU+FU+FU+FU+FU\nP8 * +KA *  *  *  *  * +HI * \nP9+KY+KE+GI+KI+OU+KI+GI+KE+KY\n"
	csaTwoPiece = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
)

func TestLenientCSABoards(t *testing.T) {
	for text, want := range map[string]string{
		csaStart + "+": shogi.StartSFEN,
		"V2.2\nN+Ａ\nN-\xff\n$EVENT:x\n'comment\n" + csaStart + "P+\nP-\n+\n+7776FU\nT1\n???": shogi.StartSFEN,
		strings.ReplaceAll(csaStart, "\n", "\r\n") + "+\r\n":                                 shogi.StartSFEN,
		strings.ReplaceAll(csaStart, " * ", "*  ") + "+":                                     shogi.StartSFEN,
		strings.ReplaceAll(csaStart, " * ", " *") + "+":                                      shogi.StartSFEN,
		strings.ReplaceAll(csaStart, " * \n", " *.\n") + "+":                                 shogi.StartSFEN,
		strings.ReplaceAll(csaStart, " * \n", " *\n"):                                        shogi.StartSFEN,
		"\ufeffPI\n+":                            shogi.StartSFEN,
		"PI":                                     shogi.StartSFEN,
		"+":                                      shogi.StartSFEN,
		"V2.2":                                   shogi.StartSFEN,
		"V2.2\n-":                                strings.Replace(shogi.StartSFEN, " b ", " w ", 1),
		"PI\n+7776FU,T12":                        shogi.StartSFEN,
		"PI82HI22KA\n-3334FU":                    csaTwoPiece,
		"PI 82HI 22KA\n-":                        csaTwoPiece,
		"PI\nP-00AL\n%CHUDAN":                    shogi.StartSFEN,
		"PI82HI\nP+00HI\n-":                      "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w R 1",
		"PI82HI\nP-55HI\n-":                      "lnsgkgsnl/7b1/ppppppppp/9/4r4/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
		"P+59OU53TO00KI\nP-51OU\nP-00AL\n+\n/\n": "4k4/9/4+P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1",
		"P-00AL\nP-51OU\nP+00KI":                 "4k4/9/9/9/9/9/9/9/9 b G2r2b3g4s4n4l18p 1",
		"P+\nP-\n-":                              "9/9/9/9/9/9/9/9/9 w - 1",
		"P+11OU12OU13OU00KI00KI00KI00KI00KI":     "8K/8K/8K/9/9/9/9/9/9 b 5G 1",
		"PI\nP+00FU\n+":                          "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b P 1",
	} {
		s, err := notation.ParseSetup(text, notation.TextCSA)
		if assert.NoError(t, err, text) {
			assert.Equal(t, want, string(notation.AppendSFEN(nil, &s)), text)
		}
	}
}

func TestRefusedCSABoards(t *testing.T) {
	for text, message := range map[string]string{
		"":                                 "nothing to read",
		"\n\r\n ":                          "nothing to read",
		"hello":                            "line 1: \"hello\"",
		"V2.2\n\n" + shogi.StartSFEN:       "line 3",
		"P1-KY-KE\n+":                      "line 1: P1 has 2 squares",
		"P1\n+":                            "P1 has 0 squares",
		"P1 *  *  *  *  *  *  *  *  *  * ": "more than 9 squares",
		"P1-KY-KE-GI-KI-OU-KI-GI-KE-XX":    "\"-XX\"",
		"P1-KY-KE-GI-KI-OU-KI-GI-KE-K":     "\"-K\"",
		"P1-ky * ":                         "\"-ky\"",
		"P1 KY * ":                         "\"KY \"",
		"P0-KY-KE-GI-KI-OU-KI-GI-KE-KY":    "want P1 to P9",
		"P":                                "want P1 to P9",
		"PX":                               "want P1 to P9",
		csaStart[:strings.Index(csaStart, "P9")] + "+": "P9 is missing",
		csaStart + "P1 *  *  *  *  *  *  *  *  * ":     "line 10: P1 twice",
		csaStart + "PI":       "PI after other",
		"PI\nPI":              "PI after other",
		"P+00FU\nPI":          "PI after other",
		"PI\n" + csaStart:     "line 2: P1 after PI",
		"P+00FU\n" + csaStart: "line 2: P1 after PI, P+ or P-",
		"PI82XX":              "\"82XX\"",
		"PI55FU":              "FU does not stand on 5e",
		"PI82KA":              "KA does not stand on 8b",
		"PI82HI82HI":          "HI does not stand on 8b",
		"PI00FU":              "\"00FU\"",
		"PI82HI2":             "\"2\", want a square",
		"P+00OU":              "OU cannot be in hand",
		"P+00TO":              "TO cannot be in hand",
		"P+55F":               "\"55F\"",
		"P+05FU":              "\"05\" is no square",
		"P+50FU":              "\"50\" is no square",
		"P+a5FU":              "\"a5\" is no square",
		"P+55fu":              "\"fu\" is no piece",
		"P+55AL":              "\"AL\" is no piece",
		"P+55FU\nP-55FU":      "line 2: 5e is occupied",
		"PI\nP+55FU55FU":      "5e is occupied",
		"PI\nP+77FU":          "7g is occupied",
		"P+00AL\nP-00AL":      "given away already",
		"P+00HI00HI00HI00HI":  "more HI in hand than there is room for",
		"PI\n+77":             "\"77\" after the side to move",
		"PI\n+x776FU":         "after the side to move",
		"P+00\xe3\x81":        "is no piece",
		"PI\n\x00":            "line 2",
	} {
		refusedText(t, text, notation.TextCSA, message)
	}
}

// Texts turn with the board: lines and cells in the other order, signs exchanged.
func TestTextsTurnWithTheBoard(t *testing.T) {
	r := rand.New(rand.NewPCG(53, 54))
	for range 500 {
		s := oddSetup(r)
		flipped, mirrored := s.FlipSide(), s.MirrorFile()
		cells := func(s *board.Setup, text notation.Text) (rows [][]string, rest []string) {
			written, err := notation.FormatSetup(s, text)
			require.NoError(t, err)
			for _, line := range strings.Split(written, "\n") {
				runes := []rune(line)
				switch {
				case text == notation.TextCSA && len(runes) > 1 && runes[1] >= '1' && runes[1] <= '9':
					rows = append(rows, chunks(runes[2:], 3))
				case text == notation.TextBOD && runes[0] == '|':
					rows = append(rows, chunks(runes[1:19], 2))
				default:
					rest = append(rest, line)
				}
			}
			return rows, rest
		}
		for text, marks := range map[notation.Text][2]string{notation.TextCSA: {"+", "-"}, notation.TextBOD: {" ", "v"}} {
			rows, rest := cells(&s, text)
			mirrorRows, mirrorRest := cells(&mirrored, text)
			flipRows, flipRest := cells(&flipped, text)
			assert.Equal(t, rest, mirrorRest)
			assert.Len(t, rows, 9)
			for i := range rows {
				turned := slices.Clone(rows[i])
				slices.Reverse(turned)
				assert.Equal(t, turned, mirrorRows[i])
				for k, cell := range turned {
					if strings.ContainsAny(cell, "*・") {
						continue
					}
					if strings.HasPrefix(cell, marks[0]) {
						turned[k] = marks[1] + cell[len(marks[0]):]
					} else {
						turned[k] = marks[0] + cell[len(marks[1]):]
					}
				}
				assert.Equal(t, turned, flipRows[8-i])
			}
			if text == notation.TextBOD { // White's hand, files, two borders, Black's hand
				assert.Equal(t, strings.TrimPrefix(rest[0], "後手"), strings.TrimPrefix(flipRest[4], "先手"))
				assert.Equal(t, strings.TrimPrefix(rest[4], "先手"), strings.TrimPrefix(flipRest[0], "後手"))
			} else { // P+, P-, side to move
				assert.Equal(t, rest[0][2:], flipRest[1][2:])
				assert.Equal(t, rest[1][2:], flipRest[0][2:])
				assert.NotEqual(t, rest[2], flipRest[2])
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
}

func chunks(runes []rune, n int) (out []string) {
	for ; len(runes) >= n; runes = runes[n:] {
		out = append(out, string(runes[:n]))
	}
	return out
}

// Both texts of every position, cell by cell and back. The set's CSA has empty cells as "*  ", its BOD no ply.
func TestVectorsBoardTexts(t *testing.T) {
	type row struct {
		SFEN, CSA, BOD string
		BODRsshogi     string `json:"bod_rsshogi"`
	}
	vectors.Each(t, "vectors/positions.jsonl.gz", func(r row) bool {
		s, err := notation.ParseSFEN(r.SFEN)
		require.NoError(t, err)
		s.Ply = 1
		csa, err := notation.FormatSetup(&s, notation.TextCSA)
		ok := assert.NoError(t, err) && assert.Equal(t, strings.ReplaceAll(r.CSA, "*  ", " * "), csa)
		bod, err := notation.FormatSetup(&s, notation.TextBOD)
		ok = assert.NoError(t, err) && assert.Equal(t, strings.TrimRight(r.BOD, "\n"), bod) && ok
		for _, read := range []struct {
			text   string
			format notation.Text
		}{{r.CSA, notation.TextCSA}, {csa, notation.TextCSA}, {r.BOD, notation.TextBOD}, {bod, notation.TextBOD}, {r.BODRsshogi, notation.TextBOD}} {
			if read.text == "" {
				continue
			}
			back, err := notation.ParseSetup(read.text, read.format)
			ok = assert.NoError(t, err, read.text) && assert.Equal(t, s, back, read.text) && ok
		}
		return ok
	})
}

// The start of every game of the set, from its CSA and KIF texts as they are, moves and all.
func TestVectorsGameStarts(t *testing.T) {
	type row struct{ Start, CSA, CSA3, KIF, KI2 string }
	vectors.Each(t, "vectors/games.jsonl.gz", func(r row) bool {
		want, err := notation.ParseSFEN(r.Start)
		require.NoError(t, err)
		want.Ply = 1
		ok := true
		for text, format := range map[string]notation.Text{r.CSA: notation.TextCSA, r.CSA3: notation.TextCSA, r.KIF: notation.TextBOD, r.KI2: notation.TextBOD} {
			if text == "" {
				continue
			}
			s, err := notation.ParseSetup(text, format)
			ok = assert.NoError(t, err, text) && assert.Equal(t, want, s, text) && ok
		}
		return ok
	})
}

// The start of the real records whose text Go can read without a table of another encoding; the Python tests read them all.
func TestVectorsRecordStarts(t *testing.T) {
	type row struct {
		File, Format string
		Start        string `json:"initial_sfen"`
	}
	vectors.Each(t, "games/index.jsonl", func(r row) bool {
		text := string(vectors.Bytes(t, "games/"+r.File))
		format := map[string]notation.Text{"csa": notation.TextCSA, "kif": notation.TextBOD, "ki2": notation.TextBOD}[r.Format]
		if format == 0 || (format == notation.TextBOD && !utf8.ValidString(text)) {
			return false
		}
		s, err := notation.ParseSetup(text, format)
		if format == notation.TextBOD && !strings.Contains(text, "手合割") && !strings.Contains(text, "|一") {
			return assert.ErrorIs(t, err, fault.Parse, r.File) // a KIF record without either is an even game; that is for its reader to say
		}
		if !assert.NoError(t, err, r.File) {
			return false
		}
		if r.Start == "" { // no reader of the set knows 左七枚落ち
			return assert.Equal(t, board.HandicapLeftSeven, board.HandicapOf(&s))
		}
		want, err := notation.ParseSFEN(r.Start)
		require.NoError(t, err)
		s.Ply = want.Ply
		return assert.Equal(t, want, s, r.File)
	})
}

// The bad CSA and KIF texts of the set: which of them are bad already before the first move. The nineteenth pawn is read into a setup, as
// anything that a diagram shows, and is a problem no board accepts.
func TestVectorsBadBoardTexts(t *testing.T) {
	verdicts := map[string]string{
		"CSA: empty text": "parse", "CSA: rank line too short": "parse", "CSA: unknown piece in a rank line": "parse", "CSA: rank 0": "parse",
		"CSA: handicap line with an unknown piece": "parse", "CSA: handicap line takes a man from an empty square": "parse",
		"CSA: king in hand": "parse", "CSA: piece line cut short": "parse", "CSA: nineteenth pawn": "problem",
		"KIF: unknown handicap name": "parse", "KIF: empty text": "parse", "KIF: not a game record": "parse",
		"KIF: rank of eight squares in the diagram": "parse", "KIF: diagram cut short": "parse", "KIF: unknown man in hand": "parse",
		"KIF: nineteen pawns in hand": "problem", "KIF: unknown man in the diagram": "parse",
	}
	type row struct{ Kind, Text, Reason string }
	refused := 0
	vectors.Each(t, "vectors/bad_input.jsonl", func(r row) bool {
		format := map[string]notation.Text{"csa": notation.TextCSA, "kif": notation.TextBOD}[r.Kind]
		if format == 0 {
			return false
		}
		s, err := notation.ParseSetup(r.Text, format)
		switch verdicts[r.Reason] {
		case "parse":
			refused++
			return assert.ErrorIs(t, err, fault.Parse, r.Reason)
		case "problem":
			refused++
			_, invalid := s.Position()
			return assert.NoError(t, err, r.Reason) && assert.ErrorIs(t, invalid, fault.InvalidPosition)
		}
		return assert.NoError(t, err, "%s: %q", r.Reason, r.Text) && assert.True(t, s.IsPosition())
	})
	assert.Equal(t, len(verdicts), refused, "every verdict is of a row")
}

func FuzzSetupTexts(f *testing.F) {
	r := rand.New(rand.NewPCG(55, 56))
	for range 3 {
		s := oddSetup(r)
		for _, text := range allTexts {
			written, _ := notation.FormatSetup(&s, text)
			f.Add(written, int32(text))
		}
	}
	f.Add(diagramOf("後手の持駒：残り\n手合割：二枚落ち", "先手の持駒：飛二角　歩12\n手数＝93  △３三角  まで\n手番：後手"), int32(notation.TextBOD))
	f.Add("V2.2\nPI82HI22KA\nP+00FU\nP-00AL\n-3334FU", int32(notation.TextCSA))
	f.Fuzz(func(t *testing.T, text string, raw int32) {
		for _, format := range allTexts {
			s, err := notation.ParseSetup(text, format)
			if err != nil {
				var e *fault.Error
				require.ErrorAs(t, err, &e)
				require.Equal(t, fault.Parse, e.Kind)
				require.True(t, e.Offset >= 0 && e.Offset <= len(text), "%v in %q", err, text)
				continue
			}
			require.NoError(t, s.CheckDiagram())
			for _, other := range allTexts {
				written, err := notation.FormatSetup(&s, other)
				require.NoError(t, err)
				back, err := notation.ParseSetup(written, other)
				require.NoError(t, err, written)
				if !hasPly(other) {
					back.Ply = s.Ply
				}
				require.Equal(t, s, back, written)
			}
		}
		_, _ = notation.ParseSetup(text, notation.Text(raw))
	})
}
