package search_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/notation"
	"komadori/core/search"
)

// benchPositions are of all phases of a game.
var benchPositions = []struct{ name, sfen string }{
	{"startpos", "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"},
	{"opening", "lnsgkgsnl/1r7/p1ppp1bpp/1p3pp2/7P1/2P6/PP1PPPP1P/1B3S1R1/LNSGKG1NL b - 9"},
	{"midgame1", "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1"},
	{"midgame2", "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1"},
	{"movegen_fest", "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1"},
	{"max_moves", "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1"},
	{"fight", "l3bg2l/1rg1k4/p1nps1n+Pp/2p6/4p1s2/2PB5/P2P1PNRP/1SG2G3/LN1K2S1L w 3P4p 1"},
}

func gameOf(t testing.TB, sfen string) *board.Game {
	p, err := notation.ParsePosition(sfen)
	require.NoError(t, err)
	return board.NewGameFrom(p)
}

// BenchmarkNodes reports nodes per second at 200,000 nodes a search.
func BenchmarkNodes(b *testing.B) {
	for _, c := range benchPositions {
		b.Run(c.name, func(b *testing.B) {
			g := gameOf(b, c.sfen)
			s, err := search.New(search.Options{HashMB: 64})
			require.NoError(b, err)
			nodes, seconds := uint64(0), 0.0
			for b.Loop() {
				_ = s.Clear()
				r, err := s.Search(g, search.Limits{Nodes: 200_000}, nil, nil)
				require.NoError(b, err)
				nodes += r.Nodes
				seconds += r.Elapsed.Seconds()
			}
			b.ReportMetric(float64(nodes)/seconds, "nodes/s")
		})
	}
}
