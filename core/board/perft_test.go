package board_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/internal/vectors"
	"komadori/core/notation"
)

// What perft counts once for several moves is what the lists after each of them have: with pins and checks, captures, moves of kings and of what stands on
// lines of sliders, and in diagrams without kings or with one that could be taken.
func TestPerftCountsWhatListsHave(t *testing.T) {
	n := 0
	vectors.Each(t, "vectors/positions.jsonl.gz", func(r struct{ SFEN string }) bool {
		if n++; deadEnd(t, r.SFEN) || testing.Short() && n%8 != 0 {
			return false
		}
		p := position(t, r.SFEN)
		perftAgrees(t, &p, r.SFEN)
		return true
	})
}

func TestPerftCountsWhatListsHaveInOtherPositions(t *testing.T) {
	for _, taken := range []string{"4k4/9/4R4/2p6/9/9/9/9/4K4 b - 1", "3gk4/9/4RL3/2p3n2/9/1b7/9/9/4K4 b GP2s 1"} { // the side to move could take the king
		p := position(t, taken)
		perftAgrees(t, &p, taken)
	}
	r := rand.New(rand.NewPCG(7, 5))
	for range 20 {
		p := board.Start()
		for range 150 {
			var l board.MoveList
			if p.Legal(&l); l.N == 0 {
				break
			}
			p.Do(l.Moves[r.IntN(l.N)])
			perftAgrees(t, &p, string(notation.AppendPosition(nil, &p)))
		}
	}
}

func perftAgrees(t *testing.T, p *board.Position, about string) {
	t.Helper()
	var l, answers board.MoveList
	p.Legal(&l)
	var want uint64
	for _, m := range l.Slice() {
		u := p.Do(m)
		p.Legal(&answers)
		want += uint64(answers.N)
		p.Undo(m, u)
	}
	require.Equal(t, want, p.Perft(2, nil), about)
}
