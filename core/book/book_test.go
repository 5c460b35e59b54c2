package book_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/book"
	"komadori/core/fault"
	"komadori/core/internal/vectors"
	"komadori/core/notation"
	"komadori/core/shogi"
)

const startSFEN = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -"

func parse(t testing.TB, text string) board.Position {
	t.Helper()
	p, err := notation.ParsePosition(text)
	require.NoError(t, err, text)
	return p
}

func move(text string) shogi.Move {
	m, err := shogi.ParseMove(text)
	if err != nil {
		panic(err)
	}
	return m
}

func open(t testing.TB, text string, o book.Options) *book.Book {
	t.Helper()
	b, err := book.New(strings.NewReader(text), int64(len(text)), o)
	require.NoError(t, err)
	return b
}

func lookup(t testing.TB, b *book.Book, sfen string) []book.Move {
	t.Helper()
	p := parse(t, sfen)
	moves, err := b.Lookup(&p)
	require.NoError(t, err)
	return moves
}

// What a line says, and what it may leave out.
func TestLinesOfMoves(t *testing.T) {
	text := "#YANEURAOU-DB2016 1.00\n# a comment\nsfen " + startSFEN + " 1\n" +
		"7g7f 3c3d 63 27 935\n\n#between moves\n2g2f none -20 25 6 #at the end\n5g5f none none none 3\n2h7h None   8\n3g3f\n1g1f 9g9f 1 2 3\n" +
		"7g7f 8c8d 1 1 1\n1a1b none 0 0 0\nresign none\nsfen " + strings.Replace(startSFEN, " b", " w", 1) + " 2"
	want := []book.Move{
		{move("7g7f"), move("3c3d"), 63, 27, 935},
		{move("2g2f"), shogi.MoveNone, -20, 25, 6},
		{move("5g5f"), shogi.MoveNone, book.NoScore, 0, 3},
		{move("2h7h"), shogi.MoveNone, 8, 0, 0},
		{move("3g3f"), shogi.MoveNone, book.NoScore, 0, 0},
		{move("1g1f"), shogi.MoveNone, 1, 2, 3}, // its reply is not legal
	}
	for name, text := range map[string]string{
		"plain": text, "CRLF": strings.ReplaceAll(text, "\n", "\r\n"), "BOM": "\xEF\xBB\xBF" + text, "no head": strings.TrimPrefix(text, "#YANEURAOU-DB2016 1.00\n"),
	} {
		for _, above := range []int64{0, 1} {
			b := open(t, text, book.Options{IndexAbove: above})
			assert.Equal(t, want, lookup(t, b, startSFEN+" 1"), "%s, %d", name, above)
			assert.Empty(t, lookup(t, b, startSFEN+" 3"), "the move number counts")
			assert.Empty(t, lookup(t, b, "4k4/9/9/9/9/9/9/9/4K4 b - 1"))
			assert.Equal(t, map[int64]int{0: 2, 1: -1}[above], b.Len())
		}
	}
}

// The books of the set, which rsshogi reads too: scores, depths and counts as it gives them.
func TestBooksOfTheSet(t *testing.T) {
	opening := []book.Move{
		{move("2g2f"), move("3c3d"), 63, 27, 935},
		{move("7g7f"), shogi.MoveNone, 20, 25, 6},
		{move("5g5f"), shogi.MoveNone, -32, 23, 3},
		{move("2h7h"), shogi.MoveNone, -55, 22, 1},
		{move("3g3f"), shogi.MoveNone, -74, 18, 1},
	}
	for _, name := range []string{"yaneuraou.db", "yaneuraou-bom-crlf.db", "yaneuraou-no-header.db"} {
		for _, above := range []int64{0, 1} {
			b, err := book.Open(vectors.Path(t, "games/books/"+name), book.Options{IgnorePly: true, IndexAbove: above})
			require.NoError(t, err)
			assert.Equal(t, opening, lookup(t, b, startSFEN+" 1"))
			counts := 0
			for _, sfen := range []string{
				"lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P4P1/PP1PPPP1P/1B5R1/LNSGKGSNL w - 40",
				"lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/3P5/PPP1PPPPP/1BS4R1/LN1GKGSNL w - 1",
				"lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2",
				"lnsgkgsnl/1r7/p1ppp1bpp/1p3pp2/7P1/2P6/PP1PPPP1P/1B3S1R1/LNSGKG1NL b - 9",
			} {
				counts += len(lookup(t, b, sfen))
			}
			assert.Equal(t, 3+4+3+3, counts)
			require.NoError(t, b.Close())
			vectors.Count(t, "games/books/"+name, counts+len(opening))
		}
	}
	b, err := book.Open(vectors.Path(t, "games/books/apery.bin"), book.Options{})
	require.NoError(t, err)
	moves := lookup(t, b, startSFEN+" 1")
	require.NotEmpty(t, moves, "the key of the even game is right")
	assert.Equal(t, int32(30), moves[0].Score)
	assert.Equal(t, uint32(100), moves[0].Count)
	vectors.Count(t, "games/books/apery.bin", len(moves))
}

// randomBook has positions of random games with one move each, in order, and says what every position's move is.
func randomBook(random *rand.Rand, n int) (text string, want map[string]string) {
	want = map[string]string{}
	for len(want) < n {
		g := board.NewGame()
		for range random.IntN(60) {
			moves := g.Pos.AppendLegal(nil)
			if len(moves) == 0 {
				break
			}
			_ = g.Push(moves[random.IntN(len(moves))])
		}
		if moves := g.Pos.AppendLegal(nil); len(moves) > 0 {
			want[notation.FormatSFEN(&g.Pos)] = moves[random.IntN(len(moves))].String()
		}
	}
	var entries []string
	for sfen, m := range want {
		comment := ""
		if random.IntN(4) == 0 {
			comment = "#" + strings.Repeat("x", random.IntN(300)) + "\n"
		}
		entries = append(entries, "sfen "+sfen+"\n"+comment+m+" none 0 0 1\n")
	}
	slices.Sort(entries)
	return strings.Join(entries, ""), want
}

// Every position of a book is found, on disk and by index, in order and out of it, and no other position is.
func TestLookupFindsEveryPosition(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 2, 3, 50, 1500} {
		text, want := randomBook(random, n)
		backwards := strings.Split(text, "sfen ")
		slices.Reverse(backwards)
		unordered := "sfen " + strings.Join(backwards[:len(backwards)-1], "sfen ")
		books := map[string]*book.Book{
			"on disk": open(t, text, book.Options{IndexAbove: 1}), "indexed": open(t, text, book.Options{}),
			"out of order": open(t, unordered, book.Options{IndexAbove: 1}), "head": open(t, "#YANEURAOU-DB2016 1.00\n"+text, book.Options{IndexAbove: 1}),
			"any ply": open(t, text, book.Options{IndexAbove: 1, IgnorePly: true}),
		}
		assert.Equal(t, -1, books["on disk"].Len())
		assert.Equal(t, n, books["indexed"].Len())
		if n > 1 {
			assert.Equal(t, n, books["out of order"].Len())
		}
		for name, b := range books {
			for sfen, m := range want {
				found := lookup(t, b, sfen)
				require.Len(t, found, 1, "%s: %s", name, sfen)
				require.Equal(t, m, found[0].Move.String(), "%s: %s", name, sfen)
			}
			_, others := randomBook(random, 40)
			for sfen := range others {
				if _, ok := want[sfen]; !ok && name != "any ply" {
					require.Empty(t, lookup(t, b, sfen), name)
				}
			}
		}
	}
}

// The move number of the position is preferred, else the lowest: 9 before 10 although its text is greater.
func TestIgnorePly(t *testing.T) {
	text := ""
	for _, e := range []string{"10\n7g7f", "11\n2g2f", "9\n5g5f"} {
		text += "sfen " + startSFEN + " " + e + "\n"
	}
	for _, above := range []int64{0, 1} {
		b := open(t, text, book.Options{IgnorePly: true, IndexAbove: above})
		for ply, want := range map[int]string{1: "5g5f", 9: "5g5f", 10: "7g7f", 11: "2g2f", 12: "5g5f"} {
			found := lookup(t, b, fmt.Sprint(startSFEN, " ", ply))
			require.Len(t, found, 1)
			assert.Equal(t, want, found[0].Move.String(), "ply %d, index above %d", ply, above)
		}
	}
	b := open(t, "sfen "+startSFEN+"\n7g7f\n", book.Options{IndexAbove: 1})
	assert.Len(t, lookup(t, b, startSFEN+" 1"), 1, "a position without move number is the first")
}

func TestFlip(t *testing.T) {
	text := "sfen " + startSFEN + " 1\n7g7f 3c3d 0 0 5\n"
	white := strings.Replace(startSFEN, " b", " w", 1) + " 1"
	assert.Empty(t, lookup(t, open(t, text, book.Options{}), white))
	assert.Equal(t, []book.Move{{move("3c3d"), move("7g7f"), 0, 0, 5}}, lookup(t, open(t, text, book.Options{Flip: true}), white))
	assert.Equal(t, []book.Move{{move("7g7f"), move("3c3d"), 0, 0, 5}}, lookup(t, open(t, text, book.Options{Flip: true}), startSFEN+" 1"))
}

// The share of a move is its count's; the same number chooses the same move.
func TestChoose(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	moves := []book.Move{{Move: move("7g7f"), Count: 700}, {Move: move("2g2f"), Count: 300}, {Move: move("5g5f")}}
	seen := map[string]int{}
	for range 10_000 {
		r := random.Uint64()
		m := book.Choose(moves, r)
		require.Equal(t, m, book.Choose(moves, r))
		seen[m.Move.String()]++
	}
	assert.InDelta(t, 7000, seen["7g7f"], 200)
	assert.Zero(t, seen["5g5f"])
	for i := range moves {
		moves[i].Count = 0
	}
	seen = map[string]int{}
	for range 9000 {
		seen[book.Choose(moves, random.Uint64()).Move.String()]++
	}
	for _, n := range seen {
		assert.InDelta(t, 3000, n, 200)
	}
	assert.Len(t, seen, 3)
}

func TestBadBooks(t *testing.T) {
	head := "sfen " + startSFEN + " 1\n"
	for name, c := range map[string]struct {
		text   string
		offset int
	}{
		"no position":   {"# head\n7g7f none 0 0 0\n", 7},
		"no board":      {"sfen lnsgkgsnl b - 1\n", 0},
		"no move":       {head + "7g7f\nhello\n", len(head) + 5},
		"bad reply":     {head + "7g7f 99 0 0\n", len(head)},
		"bad score":     {head + "7g7f none x\n", len(head)},
		"bad count":     {head + "7g7f none 0 0 -1\n", len(head)},
		"bad depth":     {head + "7g7f none 0 1.5 1\n", len(head)},
		"line too long": {head + strings.Repeat("7", 5000) + "\n", len(head)},
	} {
		_, err := book.New(strings.NewReader(c.text), int64(len(c.text)), book.Options{})
		require.ErrorIs(t, err, fault.Parse, name)
		assert.Equal(t, c.offset, err.(*fault.Error).Offset, name)
	}
	long := head + "#" + strings.Repeat("comment ", 5000) + "\n7g7f\n"
	assert.Len(t, lookup(t, open(t, long, book.Options{}), startSFEN+" 1"), 1, "a comment may be long")
	// On disk a bad line is met when its position is asked for.
	b := open(t, head+"7g7f\nhello\n", book.Options{IndexAbove: 1})
	p := board.Start()
	_, err := b.Lookup(&p)
	assert.ErrorIs(t, err, fault.Parse)

	for _, c := range [][]byte{make([]byte, 15), append(aperyEntry(5, 1), aperyEntry(4, 1)...)} {
		_, err := book.NewApery(bytes.NewReader(c), int64(len(c)), book.Options{})
		assert.ErrorIs(t, err, fault.Parse)
	}
}

func aperyEntry(key uint64, move uint16) []byte {
	b := binary.LittleEndian.AppendUint64(nil, key)
	b = binary.LittleEndian.AppendUint16(b, move)
	b = binary.LittleEndian.AppendUint16(b, 3)
	return binary.LittleEndian.AppendUint32(b, 0xFFFFFF9C)
}

func TestFiles(t *testing.T) {
	folder := t.TempDir()
	_, err := book.Open(filepath.Join(folder, "none.db"), book.Options{})
	require.ErrorIs(t, err, fault.IO)
	assert.Equal(t, int(syscall.ENOENT), err.(*fault.Error).Errno)
	_, err = book.Open(folder, book.Options{})
	assert.ErrorIs(t, err, fault.IO)

	path := filepath.Join(folder, "a.BIN")
	start := board.Start()
	m, err := move("7g7f").Apery()
	require.NoError(t, err)
	entries := append(aperyEntry(1, 1), aperyEntry(book.AperyKey(&start), uint16(m))...)
	require.NoError(t, os.WriteFile(path, append(entries, aperyEntry(1<<64-1, 1)...), 0o600))
	b, err := book.Open(path, book.Options{})
	require.NoError(t, err)
	assert.Equal(t, []book.Move{{move("7g7f"), shogi.MoveNone, -100, 0, 3}}, lookup(t, b, startSFEN+" 1"))
	assert.Empty(t, lookup(t, b, strings.Replace(startSFEN, " b", " w", 1)+" 1"))
	assert.Equal(t, "Apery", b.Format())
	require.NoError(t, b.Close())
	require.NoError(t, b.Close())
	assert.Empty(t, b.Format())
	_, err = b.Lookup(&start)
	assert.ErrorIs(t, err, fault.Handle)
	empty := open(t, "", book.Options{IndexAbove: 1})
	assert.Empty(t, lookup(t, empty, startSFEN+" 1"))
	assert.Equal(t, "DB2016", empty.Format())
}

// Keys by cshogi 1.1.0, Board.book_key(), of positions of the set's games.
func TestAperyKeys(t *testing.T) {
	for _, c := range []struct {
		sfen string
		want uint64
	}{
		{startSFEN + " 1", 0xEEBE8EE7E1AD7E15},
		{"9/9/9/9/9/2+P1S4/2+p2K2L/2k+l5/9 w RB2G2S2NL8Prb2gs2nl8p 142", 0x8CFFD2C3D8B6CAE9},
		{"6+L2/7+N1/6+L2/5n2K/6rPn/4R4/3p3+p1/3k5/9 b P2b4g4sn2l14p 299", 0xD19F701DE8623C30},
		{"+Rng6/2s2k3/2pp5/LP6p/9/3+BP4/2NP2g2/1B7/2S1K2+p1 b RG2SN3L8Pgn3p 87", 0xBF521FB2A867DCDD},
		{"9/9/9/9/9/k6N1/+n2K5/+l4L2+p/6+r2 w 2B3G3S17Prgs2n2l 210", 0x4A53B432953486E3},
		{"4s4/7+P+N/1p3+P1K1/1kg1pP+P2/4+r2PG/1P+bp5/+l6SP/3r2G2/9 b 2N5Pbg2sn3l3p 263", 0xCFBFEFE8BCDFACEF},
		{"ln2gg3/1r1s1ks2/2pppp1p1/p4bpP1/9/PPPP3n1/1G2PPP1L/1B1R3S1/L1S5K w NL2Pgnp 54", 0x77E039FFC8B933F5},
	} {
		p := parse(t, c.sfen)
		assert.Equal(t, c.want, book.AperyKey(&p), c.sfen)
	}
}

// Whatever lies in a file, opening and asking it ends without a panic, and what is found is legal.
func FuzzBooks(f *testing.F) {
	f.Add([]byte("#YANEURAOU-DB2016 1.00\nsfen " + startSFEN + " 1\n7g7f 3c3d 63 27 935\n"))
	f.Add([]byte("\xEF\xBB\xBFsfen " + startSFEN + "\r\n7g7f none   8\r\n"))
	f.Add(aperyEntry(0xEEBE8EE7E1AD7E15, 7))
	start := board.Start()
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, read := range []func() (*book.Book, error){
			func() (*book.Book, error) { return book.New(bytes.NewReader(data), int64(len(data)), book.Options{}) },
			func() (*book.Book, error) {
				return book.New(bytes.NewReader(data), int64(len(data)), book.Options{IndexAbove: 1, IgnorePly: true, Flip: true})
			},
			func() (*book.Book, error) {
				return book.NewApery(bytes.NewReader(data), int64(len(data)), book.Options{})
			},
		} {
			b, err := read()
			if err != nil {
				continue
			}
			moves, err := b.Lookup(&start)
			if err == nil && len(moves) > 0 {
				require.True(t, start.IsLegal(book.Choose(moves, 7).Move))
			}
		}
	})
}
