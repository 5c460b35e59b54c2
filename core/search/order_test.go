package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/internal/vectors"
	"komadori/core/notation"
	"komadori/core/shogi"
)

func workerAt(t testing.TB, sfen string) *worker {
	p, err := notation.ParsePosition(sfen)
	require.NoError(t, err)
	s, err := New(Options{HashMB: 1})
	require.NoError(t, err)
	r, err := s.prepare("", board.NewGameFrom(p), Limits{Depth: 1}, nil, nil)
	require.NoError(t, err)
	return r.searcher.workers[0]
}

func picked(w *worker, table shogi.Move, all bool) (moves []shogi.Move) {
	var p picker
	p.begin(w, 1, 8, table, all)
	for m := p.next(); m != shogi.MoveNone; m = p.next() {
		moves = append(moves, m)
	}
	return moves
}

// With all asked for, every legal move comes exactly once, the table's first; without, only what SearchMoves leave out is missing.
func TestPickerGivesEveryMove(t *testing.T) {
	n := 0
	w := workerAt(t, shogi.StartSFEN)
	vectors.Each(t, "vectors/positions.jsonl.gz", func(row struct {
		SFEN string `json:"sfen"`
	}) bool {
		p, err := notation.ParsePosition(row.SFEN)
		if err != nil || p.NeedKings("") != nil {
			return false
		}
		n++
		if testing.Short() && n%50 != 0 {
			return false
		}
		w.begin(w.run, 0, board.NewGameFrom(p))
		w.frame(1).arrive(p.InCheck())
		legal := p.AppendLegal(nil)
		table := shogi.MoveNone
		if len(legal) > 0 {
			table = legal[n%len(legal)]
		}
		all := picked(w, table, true)
		require.ElementsMatch(t, legal, all, row.SFEN)
		if len(all) > 0 {
			require.Equal(t, table, all[0])
		}
		w.frame(1).arrive(p.InCheck())
		some := picked(w, 0xFFFF, false) // what is no legal move here is not tried
		require.ElementsMatch(t, p.AppendMoves(nil, board.SearchMoves, shogi.NoSquare), some, row.SFEN)
		return true
	})
}

// Captures come before drops, the biggest victim first; killers before other quiet moves; captures that lose material last.
func TestOrder(t *testing.T) {
	w := workerAt(t, "4k4/4p4/1r2b4/9/1R2L4/9/2p1S4/2P6/4K4 b G 1")
	killer, err := shogi.ParseMove("5i6i")
	require.NoError(t, err)
	w.frame(1).killers[0] = killer
	w.frame(1).arrive(false)
	moves := picked(w, shogi.MoveNone, false)
	var text []string
	for _, m := range moves {
		text = append(text, m.String())
	}
	assert.Equal(t, []string{"8e8c+", "5e5c+"}, text[:2], "rook before bishop")
	at := func(usi string) int {
		for i, s := range text {
			if s == usi {
				return i
			}
		}
		t.Fatalf("%s is missing in %v", usi, text)
		return 0
	}
	assert.Less(t, at("7h7g"), at("5i6i"), "the pawn is taken before any quiet move")
	assert.Less(t, at("5i6i"), at("G*5h"), "killers first among quiet moves")
	assert.Less(t, at("7h7g"), at("G*5h"), "drops after captures")
}

// The highest is found wherever it stands and however many there are, with other orders before it and what was there before behind the fence.
func TestHighest(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var f frame
	for n := 1; n <= 70; n++ {
		for range 50 {
			for i := range f.order {
				f.order[i] = math.MaxInt32
			}
			first := random.IntN(20)
			for i := first; i < first+n; i++ {
				f.order[i] = int32(random.Uint32()) | 1
			}
			f.fence(first + n)
			o := f.order[first : first+n]
			assert.Equal(t, slices.Max(o), highest(o))
			assert.Equal(t, slices.Max(o), highestOf(o))
		}
	}
}

// What orders moves stays within the bits that put has for it.
func TestScoresFit(t *testing.T) {
	const limit = 1 << (31 - scoreShift)
	assert.Less(t, 3*historyMax+historyMax/2+dropLead, limit)
	assert.Less(t, 16*slices.Max(captureGain[:])+8*slices.Max(promotionGain[:])+historyMax/2, value(limit))
	assert.Less(t, 800*MaxDepth, limit)
	var f frame
	for _, score := range []int32{-limit, -1, 0, 1, limit - 1} {
		f.put(1023, 0xFFFF, score)
		assert.Equal(t, score, f.order[1023]>>scoreShift)
	}
}
