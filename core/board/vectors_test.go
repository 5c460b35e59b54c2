package board_test

import (
	"crypto/sha1"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/bitboard"
	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/internal/vectors"
	"komadori/core/notation"
	"komadori/core/shogi"
)

func position(t testing.TB, sfen string) board.Position {
	t.Helper()
	p, err := notation.ParsePosition(sfen)
	require.NoError(t, err, sfen)
	return p
}

// deadEnd tells whether the full set has a piece on a square it can never leave: such boards are refused here, where some peers play on.
func deadEnd(t testing.TB, sfen string) bool {
	t.Helper()
	s, err := notation.ParseSFEN(sfen)
	require.NoError(t, err, sfen)
	for _, problem := range s.Problems() {
		if problem.Kind == board.InvalidPlacement {
			_, err := s.Position()
			require.ErrorIs(t, err, fault.InvalidPosition, sfen)
			return true
		}
	}
	return false
}

func usi(moves []shogi.Move) []string {
	out := []string{}
	for _, m := range moves {
		out = append(out, m.String())
	}
	slices.Sort(out)
	return out
}

func TestVectorsPositions(t *testing.T) {
	type row struct {
		SFEN, Legal  string
		Count        int
		LegalSHA1    string `json:"legal_sha1"`
		InCheck      bool   `json:"in_check"`
		IsMated      bool   `json:"is_mated"`
		Checkers     int
		Pinned       []string
		Uchifuzume   []string
		MateInOne    []string `json:"mate_in_one"`
		Valid        []string
		SFENFlipped  string `json:"sfen_flipped"`
		SFENMirrored string `json:"sfen_mirrored"`
	}
	vectors.Each(t, "vectors/positions.jsonl.gz", func(r row) bool {
		if deadEnd(t, r.SFEN) {
			return assert.Contains(t, r.Valid, "INVALID_PLACEMENT")
		}
		p := position(t, r.SFEN)
		legal := usi(p.AppendLegal(nil))
		if king := p.KingSquare(p.Turn().Opposite()); p.IsAttacked(king, p.Turn()) {
			// The set lets a king be taken where its side is not to move; here that is never a move.
			for _, word := range strings.Fields(r.Legal) {
				if word[2:4] == king.String() {
					legal = append(legal, word)
					r.Count--
				}
			}
			slices.Sort(legal)
		}
		sum := sha1.Sum([]byte(strings.Join(legal, " ")))
		ok := assert.Equal(t, r.LegalSHA1, hex.EncodeToString(sum[:]), "legal moves of %s\nwant %s\ngot  %s", r.SFEN, r.Legal, strings.Join(legal, " "))
		ok = assert.Equal(t, r.Count, p.CountLegal(), "count of %s", r.SFEN) && ok
		ok = assert.Equal(t, r.InCheck, p.InCheck(), "check in %s", r.SFEN) && ok
		// rsshogi also calls a side without king and moves mated.
		ok = assert.Equal(t, r.IsMated && r.InCheck, p.IsCheckmate(), "mate in %s", r.SFEN) && ok
		ok = assert.Equal(t, r.Checkers, p.Checkers().Count(), "checkers of %s", r.SFEN) && ok
		want := bitboard.Bitboard{}
		for _, name := range r.Pinned {
			sq, _ := shogi.ParseSquare(name)
			want = want.Set(sq)
		}
		ok = assert.Equal(t, want, p.Pinned(p.Turn()), "pins of %s", r.SFEN) && ok
		for _, name := range r.Uchifuzume {
			m, err := shogi.ParseMove(name)
			require.NoError(t, err, name)
			ok = assert.False(t, p.IsLegal(m), "%s in %s mates by a dropped pawn", name, r.SFEN) && ok
		}
		mates := r.MateInOne
		slices.Sort(mates)
		ok = assert.Equal(t, append([]string{}, mates...), usi(p.AppendMatesInOne(nil)), "mates of %s", r.SFEN) && ok
		flipped, mirrored := p.FlipSide(), p.MirrorFile()
		ok = assert.Equal(t, r.SFENFlipped, notation.FormatSFEN(&flipped)) && ok
		ok = assert.Equal(t, r.SFENMirrored, notation.FormatSFEN(&mirrored)) && ok
		noKing := 0
		for _, problem := range p.Problems() {
			if problem.Kind == board.NoKing {
				noKing++
			}
		}
		wantNoKing := 0
		for _, v := range r.Valid {
			if v == "NO_KING" {
				wantNoKing++
			} else {
				t.Errorf("%s: rsshogi says %s, accepted here", r.SFEN, v)
			}
		}
		return assert.Equal(t, wantNoKing, noKing, r.SFEN) && ok
	})
}

func TestVectorsPerft(t *testing.T) {
	limit := uint64(30_000_000)
	if testing.Short() {
		limit = 1_000_000
	}
	type row struct {
		SFEN  string
		Perft []uint64
	}
	vectors.Each(t, "vectors/perft.jsonl", func(r row) bool {
		p := position(t, r.SFEN)
		ok := true
		for i, want := range r.Perft {
			if want <= limit {
				ok = assert.Equal(t, want, p.Perft(i+1, nil), "%s depth %d", r.SFEN, i+1) && ok
			}
		}
		return ok
	})
}

func TestVectorsIllegalMoves(t *testing.T) {
	type row struct{ SFEN, USI, Reason string }
	vectors.Each(t, "vectors/illegal_moves.jsonl", func(r row) bool {
		m, err := shogi.ParseMove(r.USI)
		if err != nil {
			return true // refused before it reaches a board
		}
		if deadEnd(t, r.SFEN) {
			return true
		}
		g := board.NewGameFrom(position(t, r.SFEN))
		before := *g.State
		ok := assert.ErrorIs(t, g.Push(m), fault.IllegalMove, "%s in %s: %s", r.USI, r.SFEN, r.Reason)
		// The same as a Move32 that carries the piece it would have: legality is asked there too.
		for _, m32 := range []shogi.Move32{shogi.Move32(m), g.Pos.Move32(m)} {
			ok = assert.ErrorIs(t, g.PushMove32(m32), fault.IllegalMove, "%s in %s: %s", r.USI, r.SFEN, r.Reason) && ok
		}
		return assert.Equal(t, before, *g.State) && ok
	})
}

func TestVectorsMove32(t *testing.T) {
	type row struct {
		SFEN, USI  string
		Prev       *string
		Move32     uint32
		Apery32    uint32
		PieceAfter int    `json:"piece_after"`
		FlipSide   uint32 `json:"flip_side"`
		MirrorFile uint32 `json:"mirror_file"`
	}
	vectors.Each(t, "vectors/move32.jsonl", func(r row) bool {
		if deadEnd(t, r.SFEN) {
			return true
		}
		g := board.NewGameFrom(position(t, r.SFEN))
		if r.Prev != nil {
			m, err := shogi.ParseMove(*r.Prev)
			require.NoError(t, err)
			require.NoError(t, g.Push(m))
		}
		m, err := shogi.ParseMove(r.USI)
		require.NoError(t, err)
		m32 := g.Pos.Move32(m)
		ok := assert.Equal(t, r.Move32, uint32(m32), "%s in %s", r.USI, r.SFEN)
		a32, err := g.Pos.AperyMove32(m)
		ok = assert.NoError(t, err) && assert.Equal(t, r.Apery32, uint32(a32), "%s in %s", r.USI, r.SFEN) && ok
		back, err := a32.Move32(g.Pos.Turn())
		ok = assert.NoError(t, err) && assert.Equal(t, m32, back) && ok
		ok = assert.Equal(t, r.PieceAfter, int(m32.PieceAfter())) && ok
		ok = assert.Equal(t, r.FlipSide, uint32(m32.FlipSide())) && ok
		ok = assert.Equal(t, r.MirrorFile, uint32(m32.MirrorFile())) && ok
		return assert.NoError(t, g.PushMove32(m32)) && ok
	})
}

func TestVectorsMove32Reject(t *testing.T) {
	type row struct {
		SFEN   string
		Value  uint32
		Why    string
		Reject *bool
	}
	vectors.Each(t, "vectors/move32_reject.jsonl", func(r row) bool {
		if deadEnd(t, r.SFEN) {
			return true
		}
		g := board.NewGameFrom(position(t, r.SFEN))
		before := *g.State
		err := g.PushMove32(shogi.Move32(r.Value))
		if r.Reject != nil && !*r.Reject {
			return assert.NoError(t, err, "0x%x in %s: %s", r.Value, r.SFEN, r.Why)
		}
		// Rows without a verdict set bits that the layout leaves unused: refused here, as a value that no move has.
		return assert.ErrorIs(t, err, fault.IllegalMove, "0x%x in %s: %s", r.Value, r.SFEN, r.Why) &&
			assert.Equal(t, before, *g.State)
	})
}

func TestVectorsRepetitions(t *testing.T) {
	type row struct {
		Kind, Start, USI string
		RSShogi          []string `json:"rsshogi"`
		First            []string `json:"cshogi_first_return"`
		Occurrence       []int
		InCheck          []bool `json:"in_check"`
	}
	vectors.Each(t, "vectors/repetitions.jsonl", func(r row) bool {
		g := board.NewGameFrom(position(t, r.Start))
		ok := true
		for i, word := range strings.Fields(r.USI) {
			m, err := shogi.ParseMove(word)
			require.NoError(t, err)
			require.NoError(t, g.Push(m), "%s ply %d", r.Start, i+1)
			ok = assert.Equal(t, r.RSShogi[i], g.RepetitionState().String(), "%s ply %d of %s", r.Start, i+1, r.USI) && ok
			if len(r.Occurrence) > i {
				n := r.Occurrence[i]
				ok = assert.True(t, g.IsRepetition(n), "occurrence %d at ply %d", n, i+1) && assert.False(t, g.IsRepetition(n+1)) && ok
			}
			if len(r.First) > i {
				ok = assert.Equal(t, r.First[i], g.SearchRepetition(1<<20).String(), "first return, %s ply %d of %s", r.Start, i+1, r.USI) && ok
			}
			if len(r.InCheck) > i {
				ok = assert.Equal(t, r.InCheck[i], g.InCheck()) && ok
			}
		}
		clone := g.Clone()
		assert.Equal(t, g.RepetitionState(), clone.RepetitionState())
		for g.Len > 0 {
			_, err := g.Pop()
			require.NoError(t, err)
		}
		return assert.Equal(t, g.Start, g.Pos) && ok
	})
}

func TestVectorsListedMoves(t *testing.T) {
	type row struct {
		SFEN  string
		Moves any
	}
	words := func(v any) []string {
		var out []string
		switch v := v.(type) {
		case string:
			out = strings.Fields(v)
		case []any:
			for _, w := range v {
				out = append(out, w.(string))
			}
		}
		slices.Sort(out)
		return append([]string{}, out...)
	}
	vectors.Each(t, "games/positions/legal-moves.jsonl", func(r row) bool {
		p := position(t, r.SFEN)
		return assert.Equal(t, words(r.Moves), usi(p.AppendLegal(nil)), r.SFEN)
	})
	vectors.Each(t, "games/positions/legal-checks.jsonl", func(r row) bool {
		p := position(t, r.SFEN)
		return assert.Equal(t, words(r.Moves), usi(p.AppendMoves(nil, board.Checks, shogi.NoSquare)), r.SFEN)
	})
}
