package record_test

import (
	"strings"
	"testing"

	"komadori/core/record"
)

// fuzzReader reads anything as one format. Whatever is read can be laid flat and read back, and written and read again: the same moves come out, and
// what is written then stays as it is.
func fuzzReader(f *testing.F, format record.Format, seeds ...string) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<14 {
			return
		}
		games, err := record.Read(data, record.Options{Format: format})
		if err == nil && len(games) == 0 {
			t.Fatal("neither a game nor an error")
		}
		for _, k := range games {
			flat := new(record.Flattener).Append(nil, k, err)
			back, err := record.Unflatten(flat)
			if err != nil {
				t.Fatalf("flat form: %v", err)
			}
			if content(back) != content(k) {
				t.Fatalf("flat form:\n%s\n%s", content(k), content(back))
			}
			for to := record.KIF; to <= record.BOD; to++ {
				text, _, err := record.Write(k, record.WriteOptions{Format: to, CSA3: true})
				if err != nil {
					continue // a move that the format cannot say
				}
				again, err := record.Read([]byte(text), record.Options{Format: to})
				if err != nil || len(again) != 1 {
					t.Fatalf("%v: %d games, %v\n%s", to, len(again), err, text)
				}
				if to <= record.USI && mainLine(again[0]) != mainLine(k) {
					t.Fatalf("%v: %s\n%s\n%s", to, mainLine(k), mainLine(again[0]), text)
				}
				second, _, err := record.Write(again[0], record.WriteOptions{Format: to, CSA3: true})
				if err != nil || second != text {
					t.Fatalf("%v: %v\n%q\n%q", to, err, text, second)
				}
			}
		}
	})
}

func mainLine(k *record.Kifu) string {
	var words []string
	for _, n := range k.Nodes[1 : k.Plies()+1] {
		words = append(words, n.Move.String())
	}
	return strings.Join(words, " ")
}

const (
	kifSeed = "#KIF version=2.0 encoding=UTF-8\n先手：A\n手合割：平手\n手数----指手---------消費時間--\n*start\n&mark\n   1 ７六歩(77)   ( 0:02/00:00:02)+\n*c\n   2 ３四歩(33)\n   3 ２二角成(88)\n   4 同　銀(31)\n   5 投了 ( 0:01/00:00:03)\nまで4手で後手の勝ち\n\n変化：4手\n   4 ５五角打\n\n変化：1手\n   1 ２六歩(27)\n   2 Time-up\n"
	ki2Seed = "手合割：角落ち\n下手：A\n\n△３四歩 ▲７六歩    △４四歩\n*c\n▲６六歩\nまで4手で中断\n\n変化：2手\n▲２六歩\n"
	csaSeed = "V3.0\nN+A\n$EVENT:e\n$X:y\nP1-KY-KE-GI-KI-OU-KI-GI-KE-KY\nP2 * -HI *  *  *  *  * -KA * \nP3-FU-FU-FU-FU-FU-FU-FU-FU-FU\nP4 *  *  *  *  *  *  *  *  * \nP5 *  *  *  *  *  *  *  *  * \nP6 *  *  *  *  *  *  *  *  * \nP7+FU+FU+FU+FU+FU+FU+FU+FU+FU\nP8 * +KA *  *  *  *  * +HI * \nP9+KY+KE+GI+KI+OU+KI+GI+KE+KY\n+\n+7776FU,T1.5\n'** 12 +2726FU\n'r\n-3334FU\nT2\n+7775FU\n%+ILLEGAL_ACTION\n/\nPI82HI\nP-00AL\n-\n%CHUDAN\n"
	jkfSeed = `{"header":{"先手":"A"},"initial":{"preset":"KA"},"moves":[{"comments":["c"]},{"move":{"color":1,"from":{"x":3,"y":3},"to":{"x":3,"y":4},"piece":"FU"},"time":{"now":{"m":0,"s":1}},"forks":[[{"move":{"color":1,"from":{"x":8,"y":3},"to":{"x":8,"y":4},"piece":"FU"},"forks":[]},{"special":"TORYO"}]]},{"special":"CHUDAN"}]}`
	usiSeed = "position startpos moves 7g7f 3c3d null 2g2f resign\nsfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 5 moves G*5b\nlnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n"
	bodSeed = "後手の持駒：飛二　歩十二\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n| ・ ・ ・ ・v玉 ・ ・ ・ ・|一\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|二\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|三\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|四\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|五\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|六\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|七\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|八\n| ・ ・ ・ ・ 玉 ・ ・ ・ ・|九\n+---------------------------+\n先手の持駒：なし\n手数＝4  まで\n後手番\n   5 ５二玉(51)\n   6 同　玉(59)\n"
)

func FuzzKIF(f *testing.F) { fuzzReader(f, record.KIF, kifSeed, bodSeed) }
func FuzzKI2(f *testing.F) { fuzzReader(f, record.KI2, ki2Seed) }
func FuzzCSA(f *testing.F) { fuzzReader(f, record.CSA, csaSeed) }
func FuzzJKF(f *testing.F) { fuzzReader(f, record.JKF, jkfSeed) }
func FuzzUSI(f *testing.F) { fuzzReader(f, record.USI, usiSeed) }

// FuzzAny finds out format and encoding, too.
func FuzzAny(f *testing.F) {
	fuzzReader(f, record.Auto, kifSeed, ki2Seed, csaSeed, jkfSeed, usiSeed, bodSeed, "\xff\xfeP\x00I\x00\n\x00+\x00", "\x1b$B@h<j\x1b(B", "\x8e\xe8\x8d\x87\x8a\x84\x81F\x95\xbd\x8e\xe8")
}

// FuzzFlat hands anything in as a flat form: what is taken for one is one.
func FuzzFlat(f *testing.F) {
	for _, seed := range []string{kifSeed, csaSeed, jkfSeed} {
		games, _ := record.Read([]byte(seed), record.Options{})
		f.Add(new(record.Flattener).Append(nil, games[0], nil))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		k, err := record.Unflatten(data)
		if err != nil {
			return
		}
		flat := new(record.Flattener).Append(nil, k, nil)
		again, err := record.Unflatten(flat)
		if err != nil || content(again) != content(k) {
			t.Fatalf("%v\n%s", err, content(k))
		}
		for to := record.KIF; to <= record.BOD; to++ {
			_, _, _ = record.Write(k, record.WriteOptions{Format: to})
		}
	})
}

// FuzzAnalyses reads a comment as what an engine said: its line can be played, from the node that is named.
func FuzzAnalyses(f *testing.F) {
	for _, seed := range []string{
		"* 130 7g7f 8c8d 7i6h 3c3d", "* -50 -8384FU +7968GI", "*評価値=210\n*読み筋=△８四歩▲２六歩\n*深さ=10\n*ノード数=12345678", "#詰み=先手勝ち:15手", "#詰み=後手勝ち",
		"*対局 時間 00:00.8 深さ 22/28 ノード数 744743 評価値 88 読み筋 △３四歩(33) ▲２六歩(27)", "*検討 候補2 評価値 +詰 9 読み筋 △８四歩(83)", "*解析 評価値 -12↑",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, comment string) {
		text := "手数----指手--\n   1 ７六歩(77)\n*" + strings.ReplaceAll(comment, "\n", "\n*") + "\n"
		games, err := record.Read([]byte(text), record.Options{Format: record.KIF})
		if err != nil {
			return
		}
		for _, a := range games[0].Analyses() {
			g, err := games[0].Game(int(a.From))
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range a.PV {
				if err := g.Push(m); err != nil {
					t.Fatalf("%v of %v from node %d: %v", m, a.PV, a.From, err)
				}
			}
			if a.Rank < 1 || a.Depth < 0 || a.Nodes < 0 {
				t.Fatalf("%+v", a)
			}
		}
	})
}
