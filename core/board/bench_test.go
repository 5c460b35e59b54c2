package board_test

import (
	"testing"

	"komadori/core/board"
	"komadori/core/shogi"
)

// benchPositions show generation from the bare minimum of choices to the most there can be.
var benchPositions = []struct{ name, sfen string }{
	{"start", shogi.StartSFEN},
	{"opening", "lnsgkgsnl/1r7/p1ppp1bpp/1p3pp2/7P1/2P6/PP1PPPP1P/1B3S1R1/LNSGKG1NL b - 9"},
	{"midgame", "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1"},
	{"check", "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2S2/1PPb2P1P/P5GS1/R8/LN4bKL b RGgsn6p 1"},
	{"most", "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1"},
}

func benchEach(b *testing.B, f func(b *testing.B, p *board.Position)) {
	for _, at := range benchPositions {
		b.Run(at.name, func(b *testing.B) {
			p := position(b, at.sfen)
			b.ReportAllocs()
			f(b, &p)
		})
	}
}

// Leaves are counted, not listed.
func BenchmarkPerft(b *testing.B) {
	depths := []int{5, 4, 3, 3, 2}
	for i, at := range benchPositions {
		b.Run(at.name, func(b *testing.B) {
			p := position(b, at.sfen)
			var leaves uint64
			for b.Loop() {
				leaves += p.Perft(depths[i], nil)
			}
			b.ReportMetric(float64(leaves)/b.Elapsed().Seconds()/1e6, "Mleaves/s")
		})
	}
}

// listedPerft writes the list at the last ply, as programs without a counting generator do.
func listedPerft(p *board.Position, depth int) (n uint64) {
	var l board.MoveList
	p.Legal(&l)
	if depth == 1 {
		return uint64(l.N)
	}
	for _, m := range l.Slice() {
		u := p.Do(m)
		n += listedPerft(p, depth-1)
		p.Undo(m, u)
	}
	return n
}

func BenchmarkPerftListed(b *testing.B) {
	depths := []int{4, 3, 3, 3, 2}
	for i, at := range benchPositions {
		b.Run(at.name, func(b *testing.B) {
			p := position(b, at.sfen)
			var leaves uint64
			for b.Loop() {
				leaves += listedPerft(&p, depths[i])
			}
			b.ReportMetric(float64(leaves)/b.Elapsed().Seconds()/1e6, "Mleaves/s")
		})
	}
}

func BenchmarkLegal(b *testing.B) {
	benchEach(b, func(b *testing.B, p *board.Position) {
		var l board.MoveList
		for b.Loop() {
			p.Legal(&l)
		}
	})
}

func BenchmarkCountLegal(b *testing.B) {
	benchEach(b, func(b *testing.B, p *board.Position) {
		for b.Loop() {
			p.CountLegal()
		}
	})
}

// Every legal move is played and taken back; the time is for one.
func BenchmarkDoUndo(b *testing.B) {
	benchEach(b, func(b *testing.B, p *board.Position) {
		moves := p.AppendLegal(nil)
		i := 0
		for b.Loop() {
			m := moves[i]
			u := p.Do(m)
			p.Undo(m, u)
			if i++; i == len(moves) {
				i = 0
			}
		}
	})
}

func BenchmarkPushPop(b *testing.B) {
	benchEach(b, func(b *testing.B, p *board.Position) {
		g := board.NewGameFrom(*p)
		moves := p.AppendLegal(nil)
		i := 0
		for b.Loop() {
			_ = g.Push(moves[i])
			_, _ = g.Pop()
			if i++; i == len(moves) {
				i = 0
			}
		}
	})
}

func BenchmarkIsLegal(b *testing.B) {
	benchEach(b, func(b *testing.B, p *board.Position) {
		moves := p.AppendLegal(nil)
		i := 0
		for b.Loop() {
			p.IsLegal(moves[i])
			if i++; i == len(moves) {
				i = 0
			}
		}
	})
}

func BenchmarkChecks(b *testing.B) {
	benchEach(b, func(b *testing.B, p *board.Position) {
		var l board.MoveList
		for b.Loop() {
			p.Generate(board.Checks, shogi.NoSquare, &l)
		}
	})
}

func BenchmarkMateInOne(b *testing.B) {
	benchEach(b, func(b *testing.B, p *board.Position) {
		for b.Loop() {
			p.MateInOne()
		}
	})
}

func BenchmarkInCheck(b *testing.B) {
	benchEach(b, func(b *testing.B, p *board.Position) {
		for b.Loop() {
			p.InCheck()
		}
	})
}

func BenchmarkLoad(b *testing.B) {
	benchEach(b, func(b *testing.B, p *board.Position) {
		s := p.Setup()
		for b.Loop() {
			_ = p.Load(&s)
		}
	})
}

// Of every legal move.
func BenchmarkSEE(b *testing.B) {
	benchEach(b, func(b *testing.B, p *board.Position) {
		moves := p.AppendLegal(nil)
		sum := 0
		for b.Loop() {
			for _, m := range moves {
				sum += p.SEE(m)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(moves)), "ns/move")
	})
}

func BenchmarkGenerate(b *testing.B) {
	for kind := range board.MoveKind(board.MoveKinds) {
		b.Run(kind.String(), func(b *testing.B) {
			benchEach(b, func(b *testing.B, p *board.Position) {
				var l board.MoveList
				for b.Loop() {
					p.Generate(kind, 20, &l)
				}
			})
		})
	}
}

func BenchmarkCountAttacks(b *testing.B) {
	benchEach(b, func(b *testing.B, p *board.Position) {
		var counts [2][81]uint8
		for b.Loop() {
			p.CountAttacksBySide(false, &counts)
		}
	})
}
