package eval

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/shogi"
)

// benchGames are games of the engine against itself from start to end.
var benchGames = []string{
	`7i7h 3c3d 3i4h 2b3c 8g8f 6c6d 6i6h 7c7d 5i6i 9c9d 9g9f 8b9b 6i7i 8a7c 4i5h 3a3b 2g2f 7a6b 3g3f 5a4b 2i3g 4a5b 2f2e 6b6c 4g4f 1c1d
4h4g 4c4d 7g7f 5b4c 5g5f 1a1b 7h8g 5c5d 7i7h 6a5b 1g1f 8c8d 4f4e 4d4e 8h3c+ 4c3c 3g4e 3c4d 4g4f B*1c 5h4g 4d4c P*4d 4c4d B*6f 1c2b
3f3e 6d6e 6f7g 4b3a 3e3d 5b4c 3d3c+ 2a3c 7g4d 4c4d 4e5c+ 6c6d G*8c P*4e 4f3g P*3f 4g3f P*3e 8c9b 3e3f R*6a G*4a 3g3f 6d5c 6a9a+
B*3g 2h1h 3g4f+ L*3i 4f5f 3f3e 4d3e 3i3e S*5g P*3d 5g6h+ 1h6h G*5g S*7g N*8e 8f8e 7c8e N*4c 3a4b 3d3c+ 3b3c 3e3c+ 2b3c G*7i 3c7g+
8i7g 8e7g+ 7h7g N*8e 7g8h S*7g 8h8i 5g6h S*3a 4b3c B*1a 3c3d 7i8h R*7i 8i9h L*9g 8h9g 8e9g+ 9h9g 7i9i+ N*9h 9i8h`,
	`7i7h 8c8d 7g7f 3a3b 9g9f 7a7b 2g2f 7b8c 3i4h 8c7d 6i6h 1c1d 5i6i 7d6e 7f7e 2a1c 2f2e 8d8e 2e2d 2c2d 2h2d P*2c 2d2f 2b3a 6g6f 6e5d
P*2d 8e8f 8g8f 2c2d 2f2d 8b8f P*8g 8f7f P*2c P*2a 3g3f 7f7e 2i3g 7e8e 8h9g 9c9d 8i7g 8e8d 9g7e 8d8b 7g6e 4a5b 2d5d 5c5d 7e3a+ R*2i
6i5h 3b2c 3g4e 2i1i 4e3c+ 2c2d B*4f 1i2i 6e7c+ 8b9b S*8c L*6d 8c9b+ 8a7c 4i3i 2i2g+ R*4a 5a6b P*7d 6a5a P*2h 5a4a 7d7c+ 6b7c 3a4a
2g3f 9b9a 5b6b 4a1d 3f3c 1d2d 3c3a L*7f P*7e 7f7e P*7d 2d3e N*4d N*6e 7c8d S*5c 6b5c 6e5c+ N*3d 3e3d 7d7e 3d6g S*7d N*8f P*8e 8f7d
8d7d S*6e 7d8c G*7d 8c8b 5c6c 8b9a 4f6d L*8b 6d8b+ 9a8b G*8c 8b9a L*9b 9a8a 6c7b`,
}

// A walk is a game with an evaluator that has followed it: setting its top goes back to any position.
type walk struct {
	e         *Evaluator
	positions []board.Position
	kingMoves [][]shogi.Move
}

func benchWalks(b *testing.B) (walks []walk) {
	for _, game := range benchGames {
		p, w := board.Start(), walk{e: New()}
		w.e.Reset(&p)
		for _, text := range strings.Fields(game) {
			m, err := shogi.ParseMove(text)
			require.NoError(b, err)
			require.True(b, p.IsLegal(m), text)
			w.e.Push(&p, m)
			p.Do(m)
			_ = w.e.Evaluate(&p)
			var kingMoves []shogi.Move
			for _, k := range p.AppendLegal(nil) {
				if k&shogi.MoveDrop == 0 && p.PieceAt(k.From()).Type() == shogi.King {
					kingMoves = append(kingMoves, k)
				}
			}
			w.positions, w.kingMoves = append(w.positions, p), append(w.kingMoves, kingMoves)
		}
		walks = append(walks, w)
	}
	return walks
}

// BenchmarkEvaluate judges the positions of games whose sums are known already: what is looked at on the board.
func BenchmarkEvaluate(b *testing.B) {
	walks := benchWalks(b)
	n := 0
	for b.Loop() {
		for _, w := range walks {
			for i := range w.positions {
				w.e.top = i + 1
				_ = w.e.Evaluate(&w.positions[i])
			}
			n += len(w.positions)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/position")
}

// BenchmarkMoves follows every tenth move, or the king's moves, from the positions of games and judges what they lead to.
func BenchmarkMoves(b *testing.B) {
	walks := benchWalks(b)
	all := make([][][]shogi.Move, len(walks))
	for i, w := range walks {
		for j := range w.positions {
			moves := w.positions[j].AppendLegal(nil)
			some := moves[:0]
			for k := 0; k < len(moves); k += 10 {
				some = append(some, moves[k])
			}
			all[i] = append(all[i], some)
		}
	}
	follow := func(b *testing.B, moves func(walk, position int) []shogi.Move) {
		n := 0
		for b.Loop() {
			for i, w := range walks {
				for j := range w.positions {
					p := &w.positions[j]
					w.e.top = j + 1
					for _, m := range moves(i, j) {
						w.e.Push(p, m)
						u := p.Do(m)
						_ = w.e.Evaluate(p)
						p.Undo(m, u)
						w.e.Pop()
						n++
					}
				}
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/position")
	}
	b.Run("any", func(b *testing.B) { follow(b, func(i, j int) []shogi.Move { return all[i][j] }) })
	b.Run("king", func(b *testing.B) { follow(b, func(i, j int) []shogi.Move { return walks[i].kingMoves[j] }) })
}
