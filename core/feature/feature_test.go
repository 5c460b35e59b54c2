package feature_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/feature"
	"komadori/core/internal/vectors"
	"komadori/core/label"
	"komadori/core/notation"
	"komadori/core/shogi"
)

func position(t testing.TB, sfen string) board.Position {
	t.Helper()
	p, err := notation.ParsePosition(sfen)
	require.NoError(t, err, sfen)
	return p
}

// soiled is a row that holds something everywhere.
func soiled[T feature.Element](n int) []T {
	row := make([]T, n)
	for i := range row {
		row[i] = 7
	}
	return row
}

// planes writes both rows and returns the indices of the elements of the first and of the planes of the second that are one.
func planes[T feature.Element](t testing.TB, p *board.Position, one T, flatPlanes int) (f1, f2 []int) {
	t.Helper()
	row1, row2 := soiled[T](feature.BoardSize), soiled[T](81*flatPlanes)
	require.NoError(t, feature.Write(p, row1, row2))
	f1, f2 = []int{}, []int{}
	for i, v := range row1 {
		switch v {
		case one:
			f1 = append(f1, i)
		case 0:
		default:
			t.Fatalf("element %d is %v", i, v)
		}
	}
	for k := range flatPlanes {
		plane := row2[81*k : 81*k+81]
		for i, v := range plane {
			if v != plane[0] || v != 0 && v != one {
				t.Fatalf("plane %d: element %d is %v, the first %v", k, i, v, plane[0])
			}
		}
		if plane[0] != 0 {
			f2 = append(f2, k)
		}
	}
	return f1, f2
}

func TestVectorsFeatures(t *testing.T) {
	type row struct {
		SFEN     string
		F1       []int   `json:"features1"`
		F2       []int   `json:"features2_planes"`
		F119     []int   `json:"nyugyoku_features2_planes"`
		Labels   [][]any // move, label, compact label, label of the mirrored move
		FlipSame bool    `json:"flip_same"`
		Mirrored string  `json:"sfen_mirrored"`
		Reversal bool    `json:"mirror_is_file_reversal"`
	}
	vectors.Each(t, "vectors/features.jsonl", func(r row) bool {
		p := position(t, r.SFEN)
		f1, f2 := planes[float32](t, &p, 1, feature.FlatPlanes)
		ok := assert.Equal(t, r.F1, f1, r.SFEN) && assert.Equal(t, r.F2, f2, r.SFEN)
		_, f119 := planes[float32](t, &p, 1, feature.FlatPlanesKing)
		ok = assert.Equal(t, r.F119, f119, r.SFEN) && ok
		b1, b2 := planes[uint8](t, &p, 1, feature.FlatPlanes)
		ok = assert.Equal(t, f1, b1) && assert.Equal(t, f2, b2) && ok
		h1, h2 := planes[feature.Half](t, &p, 0x3C00, feature.FlatPlanesKing)
		ok = assert.Equal(t, f1, h1) && assert.Equal(t, f119, h2) && ok

		for _, l := range r.Labels {
			m, err := shogi.ParseMove(l[0].(string))
			require.NoError(t, err)
			full, _ := label.FromMove(m, p.Turn())
			compact, _ := full.Compact()
			ok = assert.EqualValues(t, l[1], full) && assert.EqualValues(t, l[2], compact) && assert.EqualValues(t, l[3], full.MirrorFile()) && ok
		}
		flipped := p.FlipSide()
		g1, g2 := planes[float32](t, &flipped, 1, feature.FlatPlanes)
		ok = assert.Equal(t, r.FlipSame, assert.ObjectsAreEqual(f1, g1) && assert.ObjectsAreEqual(f2, g2), r.SFEN) && ok

		mirrored := position(t, r.Mirrored)
		m1, m2 := planes[float32](t, &mirrored, 1, feature.FlatPlanes)
		ok = assert.Equal(t, r.Reversal, assert.ObjectsAreEqual(reversed(f1), asSet(m1)) && assert.ObjectsAreEqual(f2, m2), r.SFEN) && ok
		return ok
	})
}

func asSet(elements []int) map[int]bool {
	set := map[int]bool{}
	for _, i := range elements {
		set[i] = true
	}
	return set
}

// reversed exchanges the files of elements.
func reversed(elements []int) map[int]bool {
	set := map[int]bool{}
	for _, i := range elements {
		set[i-i%81+int(shogi.Square(i%81).MirrorFile())] = true
	}
	return set
}

func TestVectorsFeatures119(t *testing.T) {
	type row struct {
		SFEN string
		F2   []int `json:"features2_planes"`
	}
	vectors.Each(t, "vectors/features119.jsonl", func(r row) bool {
		p := position(t, r.SFEN)
		_, f2 := planes[float32](t, &p, 1, feature.FlatPlanesKing)
		return assert.Equal(t, r.F2, f2, r.SFEN)
	})
}

// The planes from their definition, square by square, as the other side of the comparison on positions of all kinds.
func slowBoard(p *board.Position) []int {
	on := make([]bool, feature.BoardSize)
	for c := range 2 {
		owner := p.Turn() ^ shogi.Color(c)
		for sq := shogi.Square(0); sq < 81; sq++ {
			seen := sq
			if p.Turn() == shogi.White {
				seen = sq.FlipSide()
			}
			if q := p.PieceAt(sq); q.IsOnBoard() && q.Color() == owner {
				on[81*(31*c+int(q.Type())-1)+int(seen)] = true
			}
			attackers, n := p.AttackersTo(sq, owner), 0
			for from := range attackers.Squares {
				on[81*(31*c+14+int(p.PieceAt(from).Type())-1)+int(seen)] = true
				if n < 3 {
					on[81*(31*c+28+n)+int(seen)] = true
				}
				n++
			}
		}
	}
	out := []int{}
	for i, v := range on {
		if v {
			out = append(out, i)
		}
	}
	return out
}

func TestVectorsPositionsHaveTheDefinedPlanes(t *testing.T) {
	type row struct{ SFEN string }
	n := 0
	vectors.Each(t, "vectors/positions.jsonl.gz", func(r row) bool {
		n++
		if testing.Short() && n%16 != 0 {
			return true
		}
		p, err := notation.ParsePosition(r.SFEN)
		if err != nil {
			return true // refused as a position
		}
		if p.NeedKings("") != nil {
			return assert.ErrorIs(t, feature.Write[float32](&p, nil, nil), fault.InvalidPosition)
		}
		f1, f2 := planes[uint8](t, &p, 1, feature.FlatPlanesKing)
		flipped := p.FlipSide()
		g1, g2 := planes[uint8](t, &flipped, 1, feature.FlatPlanes)
		for i, k := range f2 { // the entering-king planes know Black from White
			if k >= feature.FlatPlanes {
				f2 = f2[:i]
				break
			}
		}
		return assert.Equal(t, slowBoard(&p), f1, r.SFEN) && assert.Equal(t, f1, g1) && assert.Equal(t, f2, g2)
	})
}

func TestBadArguments(t *testing.T) {
	p := board.Start()
	for _, n := range [][2]int{{1, 0}, {feature.BoardSize - 1, 0}, {feature.BoardSize + 1, 0}, {0, 81}, {0, feature.FlatSize + 1}, {feature.FlatSize, feature.BoardSize}} {
		f1, f2 := soiled[float32](n[0]), soiled[float32](n[1])
		assert.ErrorIs(t, feature.Write(&p, f1, f2), fault.Argument)
		assert.Equal(t, soiled[float32](n[0]), f1)
		assert.Equal(t, soiled[float32](n[1]), f2)
	}
	assert.ErrorIs(t, feature.WritePieces(&p, false, soiled[uint8](81)), fault.Argument)

	noKing := position(t, "4k4/9/9/9/9/9/9/9/9 b G 1")
	row := soiled[float32](feature.BoardSize)
	assert.ErrorIs(t, feature.Write(&noKing, row, nil), fault.InvalidPosition)
	assert.Equal(t, soiled[float32](feature.BoardSize), row)
	var s, zero feature.Set
	assert.ErrorIs(t, s.Load(&noKing, true), fault.InvalidPosition)
	assert.Equal(t, zero, s)
}

const busy = "+P2K1+P+P1+N/1G3RG+P+P/+P5+R1+P/9/9/9/2k6/9/9 b G4SN2L3P2bg2n2l8p 234"

// Rows begin at any address that suits their elements, and nothing around them is touched.
func everyAddress[T feature.Element](t *testing.T, one T) {
	p := position(t, busy)
	var s feature.Set
	require.NoError(t, s.Load(&p, true))
	size := int(unsafe.Sizeof(one))
	for _, flat := range []int{feature.FlatSize, feature.FlatSizeKing} {
		for shift := range 64 / size {
			for _, stream := range []bool{false, true} {
				a, b := soiled[T](feature.BoardSize+128), soiled[T](flat+128)
				f1, f2 := a[shift:shift+feature.BoardSize], b[shift:shift+flat]
				if stream {
					writeStreamed(&s, [][]T{f1}, [][]T{f2})
				} else {
					feature.WritePlanes(&s, f1, nil, nil, nil)
					feature.WritePlanes(&s, nil, f2, nil, nil)
				}
				check := func(row []T, n int, test func(i int) bool) {
					for i, v := range row {
						want := T(7)
						if i >= shift && i < shift+n {
							want = 0
							if test(i - shift) {
								want = one
							}
						}
						if v != want {
							t.Fatalf("element %d of a row of %d at %d: %v, want %v", i-shift, n, shift, v, want)
						}
					}
				}
				check(a, feature.BoardSize, s.Test)
				check(b, flat, func(i int) bool { return s.TestFlat(i / 81) })
			}
		}
	}
}

// writeStreamed writes the same rows past the caches.
func writeStreamed[T feature.Element](s *feature.Set, f1, f2 [][]T) {
	var s1, s2 feature.Stream
	for i := range f1 {
		feature.WritePlanes(s, f1[i], f2[i], &s1, &s2)
	}
	s1.Flush()
	s2.Flush()
	feature.Fence()
}

// Rows that lie one behind the other share lines of memory, and a stream keeps what it has of one; a row that is left out in between stays as it is.
func rowsInARow[T feature.Element](t *testing.T, one T) {
	p := position(t, busy)
	var s feature.Set
	require.NoError(t, s.Load(&p, false))
	const rows = 5
	want1, want2 := soiled[T](feature.BoardSize), soiled[T](feature.FlatSize)
	feature.WritePlanes(&s, want1, want2, nil, nil)
	for shift := range 64 / int(unsafe.Sizeof(one)) {
		for missing := range rows + 1 {
			a, b := soiled[T](rows*feature.BoardSize+128), soiled[T](rows*feature.FlatSize+128)
			var f1, f2 [][]T
			for i := range rows {
				if i != missing {
					f1 = append(f1, a[shift+i*feature.BoardSize:][:feature.BoardSize])
					f2 = append(f2, b[shift+i*feature.FlatSize:][:feature.FlatSize])
				}
			}
			writeStreamed(&s, f1, f2)
			check := func(all, row []T) {
				for i, v := range all {
					want := T(7)
					if at := i - shift; at >= 0 && at < rows*len(row) && at/len(row) != missing {
						want = row[at%len(row)]
					}
					if v != want {
						t.Fatalf("element %d of rows of %d at %d without %d: %v, want %v", i-shift, len(row), shift, missing, v, want)
					}
				}
			}
			check(a, want1)
			check(b, want2)
		}
	}
}

func TestStreamedRowsShareLines(t *testing.T) {
	feature.EachExpander(func(name string) {
		t.Run("float32, "+name, func(t *testing.T) { rowsInARow[float32](t, 1) })
		t.Run("float16, "+name, func(t *testing.T) { rowsInARow[feature.Half](t, 0x3C00) })
		t.Run("uint8, "+name, func(t *testing.T) { rowsInARow[uint8](t, 1) })
	})
}

func TestRowsAtEveryAddress(t *testing.T) {
	feature.EachExpander(func(name string) {
		t.Run("float32, "+name, func(t *testing.T) { everyAddress[float32](t, 1) })
		t.Run("half, "+name, func(t *testing.T) { everyAddress[feature.Half](t, 0x3C00) })
		t.Run("uint8, "+name, func(t *testing.T) { everyAddress[uint8](t, 1) })
	})
}

func TestBits(t *testing.T) {
	p := position(t, busy)
	var s feature.Set
	require.NoError(t, s.Load(&p, true))
	boardBits, flatBits := make([]byte, feature.BoardBytes), make([]byte, feature.FlatBytesKing)
	s.BoardBits(boardBits)
	s.FlatBits(flatBits)
	for i := range feature.BoardSize {
		require.Equal(t, s.Test(i), boardBits[i/8]>>(i%8)&1 != 0)
	}
	for i := range feature.FlatPlanesKing {
		require.Equal(t, s.TestFlat(i), flatBits[i/8]>>(i%8)&1 != 0)
	}
	assert.Zero(t, boardBits[feature.BoardBytes-1]>>(feature.BoardSize%8))
}

func TestPiecePlanes(t *testing.T) {
	for _, sfen := range []string{busy, "4k4/9/9/9/9/9/9/9/9 w G 1", "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"} {
		p := position(t, sfen)
		for _, turned := range []bool{false, true} {
			row := soiled[float32](feature.PieceSize)
			require.NoError(t, feature.WritePieces(&p, turned, row))
			view := p
			if turned && p.Turn() == shogi.White {
				view = p.FlipSide()
			}
			for i, v := range row {
				q := view.PieceAt(shogi.Square(i % 81))
				want := float32(0)
				if q.IsOnBoard() && 14*int(q.Color())+int(q.Type())-1 == i/81 {
					want = 1
				}
				require.Equal(t, want, v, "%s turned %v element %d", sfen, turned, i)
			}
		}
	}
}

func TestWritingDoesNotAllocate(t *testing.T) {
	p := position(t, busy)
	f1, f2 := make([]float32, feature.BoardSize), make([]float32, feature.FlatSizeKing)
	b1, b2 := make([]uint8, feature.BoardSize), make([]uint8, feature.FlatSize)
	pieces := make([]feature.Half, feature.PieceSize)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		_ = feature.Write(&p, f1, f2)
		_ = feature.Write(&p, b1, b2)
		_ = feature.WritePieces(&p, true, pieces)
	}))
}

func BenchmarkSet(b *testing.B) {
	p := position(b, "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1")
	var s feature.Set
	f, u, h := make([]float32, feature.BoardSize), make([]uint8, feature.BoardSize), make([]feature.Half, feature.BoardSize)
	flat := make([]float32, feature.FlatSize)
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			_ = s.Load(&p, false)
		}
	})
	b.Run("board float32", func(b *testing.B) {
		for b.Loop() {
			feature.WritePlanes(&s, f, nil, nil, nil)
		}
	})
	b.Run("flat float32", func(b *testing.B) {
		for b.Loop() {
			feature.WritePlanes(&s, nil, flat, nil, nil)
		}
	})
	b.Run("board half", func(b *testing.B) {
		for b.Loop() {
			feature.WritePlanes(&s, h, nil, nil, nil)
		}
	})
	b.Run("board uint8", func(b *testing.B) {
		for b.Loop() {
			feature.WritePlanes(&s, u, nil, nil, nil)
		}
	})
}
