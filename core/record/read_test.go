package record_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/notation"
	"komadori/core/record"
	"komadori/core/shogi"
)

const table = "手数----指手---------消費時間--\n"

func read(t *testing.T, text string, o record.Options) *record.Kifu {
	t.Helper()
	games, err := record.Read([]byte(text), o)
	require.NoError(t, err, text)
	require.Len(t, games, 1, text)
	return games[0]
}

func startOf(k *record.Kifu) string { return string(notation.AppendSFEN(nil, &k.Start)) }

// Where the readers of the shared collection disagree (games/DISAGREEMENTS.md), this is what this one does; docs/records.md has the same list.
func TestDisagreements(t *testing.T) {
	for _, c := range []struct{ name, text, moves string }{
		{"header 手数：", "手数：7手\n手合割：平手\n" + table + "   1 ７六歩(77)\n", "7g7f"},
		{"& and # between moves", table + "   1 ７六歩(77)\n&mark\n# remark\n   2 ３四歩(33)\n", "7g7f 3c3d"},
		{"同銀 without a blank", table + "   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ２二角成(88)\n   4 同銀(31)\n", "7g7f 3c3d 8h2b+ 3a2b"},
		{"同 銀 with an ASCII blank", table + "   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ２二角成(88)\n   4 同 銀(31)\n", "7g7f 3c3d 8h2b+ 3a2b"},
		{"26歩 in ASCII digits, no origin", table + "1 26歩\n2 84歩\n", "2g2f 8c8d"},
		{"12. before a move", "1. ７六歩(77)\n2. ３四歩(33)\n", "7g7f 3c3d"},
		{"moves of KI2 on one line", "手合割：平手\n▲７六歩△３四歩▲２二角成△同銀▲５五角打\n", "7g7f 3c3d 8h2b+ 3a2b B*5e"},
		{"▽ for White", "▲７六歩 ▽３四歩\n", "7g7f 3c3d"},
		{"no marks of the sides", "手合割：平手\n７六歩 ３四歩\n", "7g7f 3c3d"},
		{"CR LF in CSA", "V2.2\r\nPI\r\n+\r\n+7776FU\r\n-3334FU\r\n", "7g7f 3c3d"},
		{"CSA without position lines", "V2.2\n+\n+7776FU\n", "7g7f"},
		{"CSA that begins with a move", "+7776FU\n-3334FU\n", "7g7f 3c3d"},
		{"CSA men one by one", "P+59OU57FU\nP-51OU\n+\n+5756FU\n", "5g5f"},
		{"several statements to a line", "PI\n+\n+7776FU,T3,'*c\n-3334FU,T4\n", "7g7f 3c3d"},
		{"a drop with from null", `{"header":{},"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}},{"move":{"from":{"x":3,"y":3},"to":{"x":3,"y":4},"piece":"FU"}},` +
			`{"move":{"from":{"x":8,"y":8},"to":{"x":2,"y":2},"piece":"KA","promote":true}},{"move":{"from":{"x":3,"y":1},"to":{"x":2,"y":2},"piece":"GI"}},{"move":{"from":null,"to":{"x":5,"y":5},"piece":"KA"}}]}`,
			"7g7f 3c3d 8h2b+ 3a2b B*5e"},
		{"JKF as KI2 has it, same and relative", `{"moves":[{},{"move":{"to":{"x":5,"y":8},"piece":"KI","relative":"R"}}]}`, "4i5h"},
	} {
		k := read(t, c.text, record.Options{RefuseIllegal: true})
		moves, _ := usiOf(t, k)
		assert.Equal(t, c.moves, moves, c.name)
		assert.Empty(t, k.Warnings, c.name)
	}
	resigned := read(t, "position startpos moves 7g7f resign", record.Options{})
	assert.Equal(t, record.Resign, resigned.Nodes[2].Ending)
}

func TestVariationsAfterTheEnding(t *testing.T) {
	k := read(t, table+"   1 ７六歩(77)\n   2 投了\nまで1手で先手の勝ち\n\n変化：1手\n   1 ２六歩(27)\n", record.Options{})
	assert.Equal(t, "(7g7f)(2g2f)", treeOf(k))
	assert.Equal(t, "black", resultOf(k))
	k = read(t, "▲７六歩\nまで1手で中断\n\n変化：1手\n▲２六歩 △３四歩\n", record.Options{})
	assert.Equal(t, "(7g7f)(2g2f(3c3d))", treeOf(k))
	// A place that the line before does not have is one of an earlier line; a place that none has is an error.
	k = read(t, table+"   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ２六歩(27)\n変化：1手\n   1 ５六歩(57)\n変化：3手\n   3 ６六歩(67)\n", record.Options{})
	assert.Equal(t, "(7g7f(3c3d(2g2f)(6g6f)))(5g5f)", treeOf(k))
	assert.Equal(t, record.WarnVariation, k.Warnings[0].Kind)
	_, err := record.Read([]byte(table+"   1 ７六歩(77)\n変化：5手\n   5 ２六歩(27)\n"), record.Options{})
	assert.ErrorIs(t, err, fault.Parse)
}

func TestDiagrams(t *testing.T) {
	diagram := func(hands string, after string) string {
		return "手合割：その他\n後手の持駒：" + hands + "\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n| ・ ・ ・ ・v玉 ・ ・ ・ ・|一\n" + strings.Repeat("| ・ ・ ・ ・ ・ ・ ・ ・ ・|二\n", 7) +
			"| ・ ・ ・ ・ 玉 ・ ・ ・ ・|九\n+---------------------------+\n先手の持駒：なし\n" + after
	}
	assert.Equal(t, "4k4/9/9/9/9/9/9/9/4K4 b 2r4g 1", startOf(read(t, strings.Replace(diagram("飛二 金四", table+"   1 ５八玉(59)\n"), "|二", "|", 7), record.Options{})), "a diagram counts, Black's turn is silence, blanks are ASCII")
	assert.Equal(t, "4k4/9/9/9/9/9/9/9/4K4 w 2r 1", startOf(read(t, strings.Replace(diagram("飛二", "後手番\n"), "|二", "|", 7), record.Options{})))
	k := read(t, strings.Replace(diagram("なし", "手数＝4  まで\n後手番\n   5 ５二玉(51)\n   6 ５八玉(59)\n変化：6手\n   6 ４八玉(59)\n"), "|二", "|", 7), record.Options{})
	assert.Equal(t, "4k4/9/9/9/9/9/9/9/4K4 w - 5", startOf(k), "moves are numbered from the ply of the start on")
	assert.Equal(t, "(5a5b(5i5h)(5i4h))", treeOf(k))
	assert.Empty(t, k.Warnings)
	for _, name := range []string{"後手の持駒", "後手の持ち駒", "後手持駒", "上手持ち駒"} {
		k = read(t, strings.NewReplacer("|二", "|", "後手の持駒", name).Replace(diagram("飛二", "")), record.Options{})
		assert.Equal(t, "4k4/9/9/9/9/9/9/9/4K4 b 2r 1", startOf(k), name)
		assert.Empty(t, k.Headers, "%s is of the diagram", name)
	}
	_, err := record.Read([]byte("手合割：その他\n"+table+"   1 ７六歩(77)\n"), record.Options{})
	assert.ErrorContains(t, err, "without a diagram")
	k = read(t, "手合割：左七枚落ち\n\n△８二銀    ▲７六歩\nまで2手で中断\n", record.Options{RefuseIllegal: true})
	assert.Equal(t, "2sgkg3/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1", startOf(k))
	k = read(t, "P-51OU\nP+59OU\nP-00AL\n+\n", record.Options{})
	assert.Equal(t, "4k4/9/9/9/9/9/9/9/4K4 b 2r2b4g4s4n4l18p 1", startOf(k))
}

// Every ending in every spelling: what it is, and who has won when Black, or White, is to move.
func TestEndings(t *testing.T) {
	const black, white, draw, none = shogi.BlackWin, shogi.WhiteWin, shogi.Draw, shogi.GameResult(9)
	ends := func(k *record.Kifu, words string, ending record.Ending, result shogi.GameResult) *record.Node {
		e, ok := k.Ending()
		require.True(t, ok, words)
		assert.Equal(t, ending, e.Ending, words)
		got, decided := e.Result()
		assert.Equal(t, result != none, decided, words)
		if decided {
			assert.Equal(t, result, got, words)
		}
		return e
	}
	for _, c := range []struct {
		line   string // KIF, after one move: White is to move
		ending record.Ending
		result shogi.GameResult
	}{
		{"投了", record.Resign, black}, {"中断", record.Paused, none}, {"千日手", record.Repetition, draw}, {"持将棋", record.Impasse, draw},
		{"詰み", record.Mate, black}, {"不詰", record.NoMate, none}, {"切れ負け", record.TimeUp, black}, {"時間切れ", record.TimeUp, black},
		{"反則負け", record.IllegalMove, black}, {"反則勝ち", record.IllegalMoveBefore, white}, {"入玉勝ち", record.Declaration, white},
		{"不戦敗", record.ForfeitLoss, black}, {"不戦勝", record.ForfeitWin, white}, {"最大手数", record.MaxMoves, draw}, {"引き分け", record.DrawDeclared, draw},
		{"待った", record.TakeBack, none}, {"Time-up", record.Other, none},
	} {
		k := read(t, table+"   1 ７六歩(77)\n   2 "+c.line+"  ( 0:07/00:00:07)\n", record.Options{})
		e := ends(k, c.line, c.ending, c.result)
		assert.Equal(t, int64(7000), e.TimeMS, c.line)
		if words, _ := k.Text(2, record.Words); c.ending == record.Other {
			assert.Equal(t, c.line, words)
		}
	}
	for _, c := range []struct {
		line   string // the line まで after one move
		ending record.Ending
		result shogi.GameResult
	}{
		{"まで1手で先手の勝ち", record.Resign, black}, {"まで1手で後手の勝ち", record.Resign, white}, {"まで1手詰", record.Mate, black}, {"まで1手で詰み", record.Mate, black},
		{"まで1手で時間切れにより先手の勝ち", record.TimeUp, black}, {"まで1手で後手の反則負け", record.IllegalMove, black}, {"まで1手で先手の反則負け", record.IllegalMoveBefore, white},
		{"まで1手で先手の反則勝ち", record.IllegalMove, black}, {"まで1手で後手の入玉勝ち", record.Declaration, white}, {"まで1手で先手の不戦勝", record.ForfeitLoss, black},
		{"まで1手で千日手", record.Repetition, draw}, {"まで1手で中断", record.Paused, none}, {"まで1手でなぞ", record.Other, none},
	} {
		ends(read(t, "▲７六歩\n"+c.line+"\n", record.Options{}), c.line, c.ending, c.result)
	}
	for _, c := range []struct {
		word   string // CSA, with Black to move
		ending record.Ending
		result shogi.GameResult
	}{
		{"%TORYO", record.Resign, white}, {"%CHUDAN", record.Paused, none}, {"%SENNICHITE", record.Repetition, draw}, {"%TIME_UP", record.TimeUp, white},
		{"%ILLEGAL_MOVE", record.IllegalMove, white}, {"%+ILLEGAL_ACTION", record.IllegalMove, white}, {"%-ILLEGAL_ACTION", record.IllegalMoveBefore, black},
		{"%JISHOGI", record.Impasse, draw}, {"%KACHI", record.Declaration, black}, {"%HIKIWAKE", record.DrawDeclared, draw}, {"%MAX_MOVES", record.MaxMoves, draw},
		{"%TSUMI", record.Mate, white}, {"%FUZUMI", record.NoMate, none}, {"%MATTA", record.TakeBack, none}, {"%ERROR", record.Failure, none}, {"%NANIKA", record.Other, none},
	} {
		k := read(t, "PI\n+\n"+c.word+"\n", record.Options{})
		ends(k, c.word, c.ending, c.result)
		again, _, losses := reread(t, k, record.WriteOptions{Format: record.CSA})
		assert.Equal(t, content(k), content(again), c.word)
		assert.Empty(t, losses, c.word)
	}
}

// No record becomes shorter in silence: what is not read is an error with its place, or a warning.
func TestNothingIsLostInSilence(t *testing.T) {
	for _, c := range []struct {
		text         string
		line, column int
		moves        string // that were read before
	}{
		{table + "   1 ７六歩(77) ２ ３四歩(33)\n", 2, 14, ""},
		{table + "   1 ７六歩(77)\n   2 投了\n   3 ２六歩(27)\n", 4, 6, "7g7f"},
		{table + "   1 ７六歩(77)\nなぞの行\n   2 ３四歩(33)\n", 3, 1, "7g7f"},
		{table + "   1 ７六歩(77)\n   2\n", 3, 4, "7g7f"},
		{"▲７六歩 △３四\n", 1, 9, "7g7f"},
		{"▲５八金\n", 1, 1, ""},
		{"PI\n+\n+7776FU\n-3334FUx\n", 4, 8, "7g7f"},
		{"PI\n+\n+7776FU\nx\n", 4, 1, "7g7f"},
		{"PI\n+\n+7776FU\n%TORYO\n-3334FU\n", 5, 1, "7g7f"},
		{"position startpos moves 7g7f 3c3x", 1, 32, "7g7f"},
		{`{"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}},{"mvoe":{}}]}`, 1, 78, "7g7f"},
	} {
		games, err := record.Read([]byte(c.text), record.Options{})
		var e *record.Error
		if assert.ErrorAs(t, err, &e, c.text) {
			assert.Equal(t, c.line, e.Line, "%s%v", c.text, err)
			assert.Equal(t, c.column, e.Column, "%s%v", c.text, err)
			require.Len(t, games, 1)
			moves, _ := usiOf(t, games[0])
			assert.Equal(t, c.moves, moves, c.text)
		}
	}
	for text, kind := range map[string]record.WarningKind{
		table + "   1 ７六歩(77)\n   2 投了\nまで3手で先手の勝ち\n":                                                                          record.WarnPlies,
		table + "   9 ７六歩(77)\n":                                                                                               record.WarnNumber,
		table + "   1 ７六歩(77)\n   2 投了\nまで1手で後手の勝ち\n":                                                                          record.WarnResult,
		table + "   1 ７六歩(77) (0:99999999999/)\n":                                                                              record.WarnTime,
		table + "   1 ７六歩(77) (99999999999:00/)\n":                                                                             record.WarnTime,
		table + "   1 ７六歩(77) (99999999999:00:00/)\n":                                                                          record.WarnTime,
		table + "   1 ７六歩(77)\n   2 投了 (9999999999:00/)\n":                                                                     record.WarnTime,
		"PI\n+\n+7776FU\nT99999999999999999999\n":                                                                              record.WarnTime,
		`{"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"},"time":{"now":{"h":1e20,"m":0,"s":0}}}]}`: record.WarnTime,
		table + "   1 ７六歩(77)\n   2 なぞ\n":                                                                                      record.WarnEnding,
		table + "*\xff\n   1 ７六歩(77)\n":                                                                                        record.WarnEncoding,
		table + "   1 ７五歩(77)\n":                                                                                               record.WarnIllegal,
		table + "   1 ７六歩打\n":                                                                                                  record.WarnUnplayed,
	} {
		k := read(t, text, record.Options{})
		if assert.Len(t, k.Warnings, 1, text) {
			assert.Equal(t, kind, k.Warnings[0].Kind, text)
			assert.Positive(t, k.Warnings[0].Line)
		}
	}
}

// After a move against the rules the record goes on, as long as the board can show it.
func TestIllegalMovesInTheMiddle(t *testing.T) {
	k := read(t, table+"   1 ７六歩(77)\n   2 ４四角(22)\n   3 ４四角(88)\n   4 ４四歩(43)\n   5 ５五角打\n   6 投了\n", record.Options{})
	moves, _ := usiOf(t, k)
	assert.Equal(t, "7g7f 2b4d 8h4d 4c4d B*5e", moves)
	assert.Equal(t, record.Illegal, k.Nodes[2].Flags&record.Illegal)
	assert.Equal(t, "black", resultOf(k), "White is to move and resigns")
	g, err := k.Game(5)
	require.NoError(t, err)
	assert.EqualValues(t, 3, g.Len, "the history begins behind the move against the rules")
	king := read(t, "sfen 4k4/9/9/9/9/9/9/4R4/4K4 b - 1 moves 5h5a+ resign", record.Options{})
	assert.Equal(t, record.Illegal, king.Nodes[1].Flags, "a king that is taken is gone")
	p, err := king.Position(1)
	require.NoError(t, err)
	assert.Equal(t, "4+R4/9/9/9/9/9/9/9/4K4 w - 2", notation.FormatSFEN(&p))
	_, err = record.Read([]byte("position startpos moves P*5e 3c3d"), record.Options{})
	assert.ErrorIs(t, err, fault.IllegalMove, "nothing follows what the board cannot show")
}

// randomGame is a game of n moves or until nothing can be played, with times.
func randomGame(seed uint64, n int) *record.Kifu {
	source, p := rand.New(rand.NewPCG(seed, 1)), board.Start()
	k := record.New(board.StartSetup())
	for range n {
		moves := p.AppendLegal(nil)
		if len(moves) == 0 {
			break
		}
		m := moves[source.IntN(len(moves))]
		k.Nodes = append(k.Nodes, record.Node{TimeMS: 1000 * source.Int64N(100_000), Parent: int32(len(k.Nodes) - 1), Move: m})
		p.Do(m)
	}
	return k
}

// Moves and times as most files have them are read by a way of their own: it gives what the long way gives, which is taken for those with a blank before their end.
func TestUsualLinesOfCSAAreReadAsTheOthers(t *testing.T) {
	for seed := range uint64(50) {
		k := randomGame(seed, 200)
		text, _, err := record.Write(k, record.WriteOptions{Format: record.CSA})
		require.NoError(t, err)
		want := read(t, text, record.Options{})
		require.Equal(t, k.Nodes, want.Nodes)
		for name, other := range map[string]string{
			"blanks":     strings.ReplaceAll(text, "\n", " \n"),
			"CR LF":      strings.ReplaceAll(text, "\n", "\r\n"),
			"commas":     strings.ReplaceAll(text, "\nT", ",T"),
			"fractions":  regexp.MustCompile(`(?m)^T\d+`).ReplaceAllString(text, "$0.000"),
			"zeros":      regexp.MustCompile(`(?m)^T`).ReplaceAllString(text, "T0000000"),
			"no newline": strings.TrimSuffix(text, "\n"),
		} {
			require.Equal(t, want.Nodes, read(t, other, record.Options{}).Nodes, name)
		}
	}
	for _, wrong := range []string{"+7776TO", "+7775FU", "+0055FU", "+9988FU", "+7777FU", "-3334FU", "+7776XX", "+2822HI", "+0a55FU", "+7776fu", "+5951OU", "+8833UM\n-3334FU"} {
		_, err := record.Read([]byte("PI\n+\n"+wrong+"\n"), record.Options{RefuseIllegal: true})
		require.Error(t, err, wrong)
	}
}
