package shogi_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/fault"
	. "komadori/core/shogi"
)

func mustMove(t *testing.T, text string) Move {
	t.Helper()
	m, err := ParseMove(text)
	require.NoError(t, err, text)
	return m
}

func TestMoveLayout(t *testing.T) {
	for text, raw := range map[string]uint16{
		"7g7f": 0x1E3B, "P*1a": 16512, "8h2b+": 0x8000 | 70<<7 | 10, "G*5e": 0x4000 | 7<<7 | 40, "1a9i": 80, "9i1a+": 0x8000 | 80<<7,
		"none": 0, "null": 129, "0000": 129, "resign": 258, "win": 387, "end": 516,
	} {
		assert.EqualValues(t, raw, mustMove(t, text), text)
	}
	assert.Equal(t, [5]Move{0, 129, 258, 387, 516}, [5]Move{MoveNone, MoveNull, MoveResign, MoveWin, MoveEnd})
	assert.EqualValues(t, 1<<14, MoveDrop)
	assert.EqualValues(t, 1<<15, MovePromote)
	m := mustMove(t, "8h2b+")
	assert.Equal(t, [2]Square{70, 10}, [2]Square{m.From(), m.To()})
	assert.Equal(t, [2]bool{false, true}, [2]bool{m.IsDrop(), m.IsPromotion()})
	assert.Equal(t, NoPieceType, m.DroppedType())
	d := mustMove(t, "G*5e")
	assert.Equal(t, [2]Square{NoSquare, 40}, [2]Square{d.From(), d.To()})
	assert.Equal(t, [2]bool{true, false}, [2]bool{d.IsDrop(), d.IsPromotion()})
	assert.Equal(t, Gold, d.DroppedType())
}

// Worked values of the 32-bit layout: the piece goes to the other side in a flip and keeps its colour in a mirror.
func TestMove32Layout(t *testing.T) {
	m, err := NewMove32(mustMove(t, "7g7f"), BPawn)
	require.NoError(t, err)
	assert.EqualValues(t, 0x00011E3B, m)
	assert.EqualValues(t, 0x00110A15, m.FlipSide())
	assert.EqualValues(t, 0x00010C17, m.MirrorFile())
	assert.Equal(t, mustMove(t, "7g7f"), m.Move())
	assert.Equal(t, BPawn, m.PieceAfter())
	assert.True(t, m.HasPieceInfo())
	assert.False(t, Move32(m.Move()).HasPieceInfo())
	assert.Equal(t, 81*1+59, m.HistoryIndex())
	assert.Equal(t, 32*81, HistoryIndexCount)
	assert.Equal(t, "7g7f", m.String())
	for _, bad := range []Piece{NoPiece, 15, 16, 31, 32, -1} {
		_, err := NewMove32(mustMove(t, "7g7f"), bad)
		assert.ErrorIs(t, err, fault.InvalidValue, bad)
	}
	_, err = NewMove32(MoveResign, BPawn)
	assert.ErrorIs(t, err, fault.InvalidValue)
	for _, raw := range []Move32{0x001F1E3B, 0x000F1E3B, 0x00101E3B, 0x00211E3B, 0x80011E3B, Move32(MoveWin)} {
		assert.False(t, raw.IsNormal(), "%08x", uint32(raw))
		assert.Equal(t, raw, raw.FlipSide())
		assert.Equal(t, raw, raw.MirrorFile())
	}
}

func TestAperyMove32Layout(t *testing.T) {
	a, err := NewAperyMove32(mustMove(t, "8h2b+"), Bishop, Bishop)
	require.NoError(t, err)
	assert.EqualValues(t, 10|70<<7|1<<14|5<<16|5<<20, a)
	assert.Equal(t, [3]PieceType{Bishop, Horse, Bishop}, [3]PieceType{a.PieceTypeBefore(), a.PieceTypeAfter(), a.Captured()})
	m, err := a.Move32(White)
	require.NoError(t, err)
	assert.Equal(t, WHorse, m.PieceAfter())
	d, err := NewAperyMove32(mustMove(t, "G*5e"), NoPieceType, NoPieceType)
	require.NoError(t, err)
	assert.EqualValues(t, 40|87<<7, d)
	assert.Equal(t, Gold, d.PieceTypeAfter())
	for _, bad := range []struct {
		usi              string
		before, captured PieceType
	}{
		{"G*5e", Gold, 0}, {"G*5e", 0, Pawn}, {"7g7f", 0, 0}, {"7g7f", 15, 0}, {"7g7f", Pawn, King}, {"7g7f", Pawn, 15}, {"7g7f+", Gold, 0},
		{"7g7f+", ProPawn, 0}, {"7g7f", -1, 0}, {"7g7f", Pawn, -1}, {"resign", Pawn, 0},
	} {
		_, err := NewAperyMove32(mustMove(t, bad.usi), bad.before, bad.captured)
		assert.ErrorIs(t, err, fault.InvalidValue, "%+v", bad)
	}
	_, err = (a | 1<<24).Move32(Black)
	assert.ErrorIs(t, err, fault.InvalidValue, "bits 24 to 31 are zero")
}

// What every 16-bit value is follows from the layout, asked here bit by bit.
func TestEveryMoveValue(t *testing.T) {
	normal, texts := 0, map[string]Move{}
	for raw := range 1 << 16 {
		m := Move(raw)
		to, from, drop, promote := raw&127, raw>>7&127, raw>>14&1 != 0, raw>>15 != 0
		want := to <= 80 && from <= 80 && from != to
		if drop {
			want = to <= 80 && from >= 1 && from <= 7 && !promote
		}
		special := raw == 0 || raw == 129 || raw == 258 || raw == 387 || raw == 516
		if m.IsNormal() != want || m.IsSpecial() != special {
			t.Fatalf("0x%04x: normal %v, special %v", raw, m.IsNormal(), m.IsSpecial())
		}
		// Flip and mirror are involutions that commute; what is no move stays.
		f, r := m.FlipSide(), m.MirrorFile()
		if f.FlipSide() != m || r.MirrorFile() != m || f.MirrorFile() != r.FlipSide() {
			t.Fatalf("0x%04x: flip %04x, mirror %04x", raw, uint16(f), uint16(r))
		}
		a, err := m.Apery()
		if (err == nil) != (want || special) {
			t.Fatalf("0x%04x: Apery %v", raw, err)
		}
		if !want {
			if f != m || r != m {
				t.Fatalf("0x%04x is no move and does not stay", raw)
			}
			if !special {
				assert.Equal(t, "invalid", m.String())
				continue
			}
		}
		if err == nil {
			// The two layouts hold the same.
			back, err := a.Move()
			if err != nil || back != m || a.String() != m.String() || a.IsNormal() != want {
				t.Fatalf("0x%04x: Apery 0x%04x, back 0x%04x, %v", raw, uint16(a), uint16(back), err)
			}
			fa, _ := f.Apery()
			ra, _ := r.Apery()
			if a.FlipSide() != fa || a.MirrorFile() != ra {
				t.Fatalf("0x%04x: Apery flips to 0x%04x", raw, uint16(a.FlipSide()))
			}
		}
		// Everything that prints can be read, and no two values print the same.
		text := m.String()
		if other, ok := texts[text]; ok {
			t.Fatalf("%q is 0x%04x and 0x%04x", text, uint16(other), raw)
		}
		texts[text] = m
		if back, err := ParseMove(text); err != nil || back != m || string(m.AppendUSI(nil)) != text {
			t.Fatalf("0x%04x prints %q, which reads as 0x%04x, %v", raw, text, uint16(back), err)
		}
		if !want {
			continue
		}
		normal++
		index := to + 81*from
		if drop {
			index = to + 81*(80+from)
			if d, err := NewDrop(PieceType(from), Square(to)); err != nil || d != m {
				t.Fatalf("0x%04x: drop %v, %v", raw, d, err)
			}
			if f.DroppedType() != m.DroppedType() || f.To() != 80-m.To() {
				t.Fatalf("0x%04x flips to %v", raw, f)
			}
		} else if n, err := NewMove(Square(from), Square(to), promote); err != nil || n != m {
			t.Fatalf("0x%04x: move %v, %v", raw, n, err)
		}
		if m.FromToIndex() != index || index >= FromToCount {
			t.Fatalf("0x%04x: index %d", raw, m.FromToIndex())
		}
	}
	assert.Equal(t, 2*81*80+7*81, normal)
	assert.Equal(t, 88*81, FromToCount)
}

func TestEveryAperyValue(t *testing.T) {
	normal := 0
	for raw := range 1 << 16 {
		a := AperyMove(raw)
		m, err := a.Move()
		if err != nil {
			assert.ErrorIs(t, err, fault.InvalidValue)
			if a.IsNormal() || a.FlipSide() != a || a.MirrorFile() != a || a.String() != "invalid" {
				t.Fatalf("0x%04x is no move and does not stay", raw)
			}
			continue
		}
		back, err := m.Apery()
		if err != nil || back != a || a.FlipSide().FlipSide() != a || a.MirrorFile().MirrorFile() != a {
			t.Fatalf("0x%04x: %v, %v", raw, m, err)
		}
		if a.IsNormal() {
			normal++
		}
	}
	assert.Equal(t, 2*81*80+7*81, normal)
	for text, raw := range map[string]AperyMove{"P*1a": 81 << 7, "L*1a": 82 << 7, "N*1a": 83 << 7, "S*1a": 84 << 7, "B*1a": 85 << 7, "R*1a": 86 << 7, "G*1a": 87 << 7} {
		a, err := mustMove(t, text).Apery()
		assert.NoError(t, err)
		assert.Equal(t, raw, a, text)
	}
}

func TestMoveTextRefused(t *testing.T) {
	for _, r := range []struct {
		text   string
		offset int
	}{
		{"", 0}, {"7", 0}, {"7g7", 0}, {"7g7f++", 0}, {" 7g7f", 0}, {"7g7f ", 4}, {"7g7f=", 4}, {"7g7f-", 4}, {"7g7g", 2}, {"7g7g+", 2},
		{"1a1j", 2}, {"0a1b", 0}, {"1a0b", 2}, {"P*1a+", 4}, {"K*5e", 0}, {"p*5e", 0}, {"+P*5e", 0}, {"X*5e", 0}, {"7G7F", 0}, {"7g7F", 2}, {"P*5j", 2},
		{"Resign", 0}, {"pass", 0}, {"00000", 0}, {"７七", 0}, {"7g7f\n", 4}, {"\x00\x00\x00\x00", 0},
	} {
		m, err := ParseMove(r.text)
		var e *fault.Error
		if assert.ErrorAs(t, err, &e, r.text) {
			assert.Equal(t, fault.Parse, e.Kind, r.text)
			assert.Equal(t, r.offset, e.Offset, "%q: %v", r.text, err)
		}
		assert.Equal(t, MoveNone, m)
	}
}

func TestMoveConstructorsCheck(t *testing.T) {
	for _, s := range [][2]Square{{81, 0}, {0, 81}, {5, 5}, {-1, 3}, {3, -1}, {127, 0}} {
		_, err := NewMove(s[0], s[1], false)
		assert.ErrorIs(t, err, fault.InvalidValue, s)
	}
	for _, kind := range []PieceType{NoPieceType, King, ProPawn, Dragon, GoldLike, -1, 16} {
		_, err := NewDrop(kind, 40)
		assert.ErrorIs(t, err, fault.InvalidValue, kind)
	}
	_, err := NewDrop(Pawn, NoSquare)
	assert.ErrorIs(t, err, fault.InvalidValue)
}

func FuzzParseMove(f *testing.F) {
	for _, text := range []string{"7g7f", "8h2b+", "P*5e", "resign", "0000", "7g7g", "K*5e", "\xff\xfe"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseMove(text)
		if err != nil {
			assert.ErrorIs(t, err, fault.Parse)
			return
		}
		if text != "0000" {
			assert.Equal(t, text, m.String())
		}
	})
}
