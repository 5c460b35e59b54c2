package board_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/internal/vectors"
	"komadori/core/shogi"
)

// belongs is the definition of a kind, asked of one legal move.
func (r *reference) belongs(kind board.MoveKind, square shogi.Square, m shogi.Move) bool {
	takes := !m.IsDrop() && r.board[m.To()] != shogi.NoPiece
	switch kind {
	case board.AllMoves:
		return true
	case board.SearchMoves:
		if m.IsDrop() || m.IsPromotion() {
			return true
		}
		from, to := far(r.turn, int(m.From())), far(r.turn, int(m.To()))
		switch r.board[m.From()].Type() {
		case shogi.Pawn, shogi.Bishop, shogi.Rook:
			return from >= 3 && to >= 3
		case shogi.Lance:
			return to >= 2
		}
		return true
	case board.Captures:
		return takes
	case board.Quiets:
		return !takes
	case board.Tactical:
		return takes || m.IsPromotion()
	case board.Evasions:
		return r.inCheck(r.turn)
	case board.Checks:
		q := r.after(m)
		return q.inCheck(q.turn)
	case board.Recaptures:
		return takes && m.To() == square
	case board.Drops:
		return m.IsDrop()
	}
	panic("not a kind of legal moves")
}

// compareKinds compares every kind with its definition: a filter of the complete legal list, or for pseudo-legal moves what the pieces can do.
func compareKinds(t *testing.T, p *board.Position, ref *reference, legal []shogi.Move) {
	t.Helper()
	var list board.MoveList
	for kind := range board.MoveKind(board.MoveKinds) {
		squares := []shogi.Square{shogi.NoSquare}
		if kind == board.Recaptures {
			for sq := range shogi.Square(81) { // all that hold something, and a few that do not
				if ref.board[sq] != shogi.NoPiece || sq%20 == 0 {
					squares = append(squares, sq)
				}
			}
		}
		for _, square := range squares {
			var want []shogi.Move
			if kind == board.PseudoLegal {
				ref.moves(func(m shogi.Move) { want = append(want, m) })
			} else {
				for _, m := range legal {
					if ref.belongs(kind, square, m) {
						want = append(want, m)
					}
				}
			}
			want = sorted(want)
			p.Generate(kind, square, &list)
			require.Equal(t, want, sorted(list.Slice()), "%v of %s", kind, sfen(p))
			var staged []shogi.Move
			for stage := range board.MoveStages {
				p.GenerateStage(kind, square, stage, &list)
				for _, m := range list.Slice() {
					at := 1
					if m.IsDrop() {
						at = 2
					} else if ref.board[m.To()] != shogi.NoPiece {
						at = 0
					}
					require.Equal(t, at, stage, "%v of %v in %s", m, kind, sfen(p))
				}
				staged = append(staged, list.Slice()...)
			}
			require.Equal(t, staged, slices.AppendSeq([]shogi.Move(nil), p.Moves(kind, square)), "%v of %s", kind, sfen(p))
			require.Equal(t, want, sorted(staged), "stages of %v of %s", kind, sfen(p))
		}
	}
}

// What PseudoLegal adds to AllMoves is what it says: moves that leave or put the own king in check, and pawn drops that mate.
func TestPseudoLegalMovesAreASuperset(t *testing.T) {
	added, dropped := 0, 0
	walk(t, 60, 60, func(p *board.Position, _ shogi.Move) {
		legal := p.AppendLegal(nil)
		ref := referenceOf(p)
		for _, m := range p.AppendMoves(nil, board.PseudoLegal, shogi.NoSquare) {
			if i := slices.Index(legal, m); i >= 0 {
				legal = slices.Delete(legal, i, i+1)
				continue
			}
			q := ref.after(m)
			own := q.inCheck(ref.turn)
			mates := m.IsDrop() && m.DroppedType() == shogi.Pawn && len(q.legal()) == 0
			if !own && !mates {
				t.Fatalf("%v in %s is not legal, and not for the reasons that may be left out", m, sfen(p))
			}
			added++
			if !own {
				dropped++
			}
		}
		if len(legal) > 0 {
			t.Fatalf("%v in %s are not pseudo-legal", legal, sfen(p))
		}
	})
	t.Logf("%d moves added, %d of them pawn drops that mate", added, dropped)
	p := position(t, "3lkl3/9/4S4/9/9/9/9/9/4K4 b P 1")
	assert.Contains(t, usi(p.AppendMoves(nil, board.PseudoLegal, shogi.NoSquare)), "P*5b")
	assert.NotContains(t, usi(p.AppendLegal(nil)), "P*5b")
}

func TestSearchMoves(t *testing.T) {
	for _, r := range []struct{ name, sfen, kept, left string }{
		{"a pawn that enters the zone promotes", "4k4/9/9/P8/9/9/9/9/4K4 b - 1", "9d9c+", "9d9c"},
		{"a pawn within the zone promotes", "4k4/9/P8/9/9/9/9/9/4K4 b - 1", "9c9b+", "9c9b"},
		{"a lance may stay one on the third rank", "4k4/9/9/9/L8/9/9/9/4K4 b - 1", "9e9c 9e9c+ 9e9b+ 9e9a+ 9e9d", "9e9b"},
		{"White's third rank is g", "4k4/9/9/9/l8/9/9/9/4K4 w - 1", "9e9g 9e9g+ 9e9h+ 9e9i+ 9e9f", "9e9h"},
		{"a knight may stay one", "4k4/9/9/9/N8/9/9/9/4K4 b - 1", "9e8c 9e8c+", ""},
		{"a silver may stay one", "4k4/9/S8/9/9/9/9/9/4K4 b - 1", "9c8d 9c8d+ 9c9b 9c9b+", ""},
		{"a bishop that leaves the zone promotes", "4k4/9/B8/9/9/9/9/9/4K4 b - 1", "9c8d+", "9c8d"},
		{"a rook in its own camp has nothing to promote", "4k4/9/9/9/9/9/9/R8/4K4 b - 1", "9h9d 9h9c+", "9h9c"},
		{"White's rook", "4k4/r8/9/9/9/9/9/9/4K4 w - 1", "9b9f 9b9g+", "9b9g"},
	} {
		p := position(t, r.sfen)
		search, all := usi(p.AppendMoves(nil, board.SearchMoves, shogi.NoSquare)), usi(p.AppendLegal(nil))
		for _, word := range strings.Fields(r.kept) {
			assert.Contains(t, search, word, r.name)
		}
		for _, word := range strings.Fields(r.left) {
			assert.NotContains(t, search, word, r.name)
			assert.Contains(t, all, word, r.name)
		}
	}
}

// A loop that ends early does not go on, and one that plays and takes back moves is not confused by it.
func TestMovesAsASequence(t *testing.T) {
	walk(t, 20, 20, func(p *board.Position, _ shogi.Move) {
		before := *p
		var got []shogi.Move
		for m := range p.Moves(board.AllMoves, shogi.NoSquare) {
			u := p.Do(m)
			p.Undo(m, u)
			got = append(got, m)
		}
		require.Equal(t, before, *p)
		require.Equal(t, sorted(p.AppendLegal(nil)), sorted(got))
		for n := range len(got) {
			seen := 0
			for range p.Moves(board.AllMoves, shogi.NoSquare) {
				if seen++; seen > n {
					break
				}
			}
			require.Equal(t, n+1, seen)
		}
	})
	p := board.Start()
	var list board.MoveList
	for _, kind := range []board.MoveKind{-1, board.MoveKinds, 1 << 30} {
		list.N = 3
		p.Generate(kind, 0, &list)
		assert.Zero(t, list.N)
		p.GenerateStage(kind, 0, 0, &list)
		assert.Zero(t, list.N)
		assert.Equal(t, "unknown", kind.String())
	}
	for _, stage := range []int{-1, board.MoveStages, 64} {
		list.N = 3
		p.GenerateStage(board.AllMoves, shogi.NoSquare, stage, &list)
		assert.Zero(t, list.N, "stage %d", stage)
	}
	for _, square := range []shogi.Square{-1, -128, 81, 127} {
		p.Generate(board.Recaptures, square, &list)
		assert.Zero(t, list.N, "square %d", square)
	}
}

// Turning or mirroring the board turns or mirrors the moves of every kind.
func TestKindsCommuteWithFlipAndMirror(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	walk(t, 40, 30, func(p *board.Position, m shogi.Move) {
		for kind := range board.MoveKind(board.MoveKinds) {
			square := m.To()
			if r.IntN(2) == 0 {
				square = shogi.Square(r.IntN(82))
			}
			flipped, mirrored := p.FlipSide(), p.MirrorFile()
			var turned, reversed []shogi.Move
			for m := range p.Moves(kind, square) {
				turned, reversed = append(turned, m.FlipSide()), append(reversed, m.MirrorFile())
			}
			require.Equal(t, sorted(turned), sorted(flipped.AppendMoves(nil, kind, square.FlipSide())), "%v of %s", kind, sfen(p))
			require.Equal(t, sorted(reversed), sorted(mirrored.AppendMoves(nil, kind, square.MirrorFile())), "%v of %s", kind, sfen(p))
		}
	})
}

func TestVectorsKinds(t *testing.T) {
	type row struct {
		SFEN       string
		Uchifuzume []string
	}
	n := 0
	vectors.Each(t, "vectors/positions.jsonl.gz", func(r row) bool {
		if deadEnd(t, r.SFEN) {
			return true
		}
		if n++; testing.Short() && n%8 != 0 {
			return false
		}
		p := position(t, r.SFEN)
		ref := referenceOf(&p)
		legal := sorted(ref.legal())
		require.Equal(t, legal, sorted(p.AppendLegal(nil)), r.SFEN)
		compareKinds(t, &p, &ref, legal)
		pseudo := usi(p.AppendMoves(nil, board.PseudoLegal, shogi.NoSquare))
		for _, name := range r.Uchifuzume {
			assert.Contains(t, pseudo, name, r.SFEN)
		}
		return true
	})
}

// How many moves nshogi lists, which leaves out the same non-promotions. It lets a king be taken that stands in check at the opponent's turn.
func TestVectorsCountOfSearchMoves(t *testing.T) {
	type row struct {
		SFEN    string
		Without *int `json:"count_without_optional_plbr"`
	}
	vectors.Each(t, "vectors/positions.jsonl.gz", func(r row) bool {
		if r.Without == nil || deadEnd(t, r.SFEN) {
			return false
		}
		p := position(t, r.SFEN)
		got := len(p.AppendMoves(nil, board.SearchMoves, shogi.NoSquare))
		if king := p.KingSquare(p.Turn().Opposite()); p.IsAttacked(king, p.Turn()) {
			return assert.GreaterOrEqual(t, *r.Without, got, r.SFEN)
		}
		return assert.Equal(t, *r.Without, got, r.SFEN)
	})
}

// The source of these lists leaves out the non-promotions that SearchMoves leaves out.
func TestVectorsSearchMoves(t *testing.T) {
	type row struct {
		SFEN, Moves string
		Left        string `json:"left_out_by_nshogi"`
	}
	for _, name := range []string{"games/positions/legal-moves.jsonl", "games/positions/legal-checks.jsonl"} {
		vectors.Each(t, name, func(r row) bool {
			p := position(t, r.SFEN)
			left := strings.Fields(r.Left)
			want := slices.DeleteFunc(strings.Fields(r.Moves), func(word string) bool { return slices.Contains(left, word) })
			got := p.AppendMoves(nil, board.SearchMoves, shogi.NoSquare)
			if strings.Contains(name, "checks") {
				got = slices.DeleteFunc(got, func(m shogi.Move) bool { return !p.GivesCheck(m) })
			}
			slices.Sort(want)
			return assert.Equal(t, append([]string{}, want...), usi(got), r.SFEN)
		})
	}
}
