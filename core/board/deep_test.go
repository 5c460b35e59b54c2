package board_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestDeepPerft counts far enough that a rule which shows up once in a million positions is met. It runs with KOMADORI_DEEP set
// (make test-deep); the counts are known from several programs.
func TestDeepPerft(t *testing.T) {
	if os.Getenv("KOMADORI_DEEP") == "" {
		t.Skip("a long run: make test-deep")
	}
	for _, c := range []struct {
		name, sfen string
		depth      int
		want       uint64
	}{
		{"startpos", "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", 6, 547_581_517},
		{"max_moves", "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1", 3, 53_393_368},
		{"opening", "lnsgkgsnl/1r7/p1ppp1bpp/1p3pp2/7P1/2P6/PP1PPPP1P/1B3S1R1/LNSGKG1NL b - 9", 5, 42_185_862},
		{"midgame1", "l4S2l/4g1gs1/5p1p1/pr2N1pkp/4Gn3/PP3PPPP/2GPP4/1K7/L3r+s2L w BS2N5Pb 1", 4, 153_238_280},
		{"midgame2", "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1", 4, 1_166_887_043},
		{"movegen_fest", "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1", 4, 516_925_165},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := position(t, c.sfen)
			assert.Equal(t, c.want, p.Perft(c.depth, nil))
		})
	}
}
