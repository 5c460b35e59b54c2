package batch_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/batch"
	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/notation"
	"komadori/core/packed"
	"komadori/core/search"
	"komadori/core/shogi"
)

// searchRows are positions of a game, a mate in one, a mate, and bytes that are no position.
func searchRows(t *testing.T) (batch.Packed, []board.Position) {
	var positions []board.Position
	g := board.NewGame()
	for i := range 10 {
		positions = append(positions, g.Pos)
		moves := g.Pos.AppendLegal(nil)
		require.NoError(t, g.Push(moves[(7*i+3)%len(moves)]))
	}
	for _, sfen := range []string{"4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"} {
		p, err := notation.ParsePosition(sfen)
		require.NoError(t, err)
		positions = append(positions, p)
	}
	data := make([]byte, packed.Size*(len(positions)+1))
	for i := range positions {
		require.NoError(t, packed.EncodePackedSfen(&positions[i], (*[packed.Size]byte)(data[packed.Size*i:])))
	}
	for i := range packed.Size {
		data[packed.Size*len(positions)+i] = 0xFF
	}
	return batch.Packed{Format: batch.PackedSfen, Data: data, Stride: packed.Size}, positions
}

// A row has the answer of a new Searcher, on any number of threads; bad rows are told apart.
func TestSearchIsThatOfSearchers(t *testing.T) {
	in, positions := searchRows(t)
	options, limits := search.Options{HashMB: 1, Threads: 3}, search.Limits{Nodes: 700, MultiPV: 2}
	for threads := 1; threads <= 4; threads++ {
		var progress batch.Progress
		found := make([]batch.Found, len(positions)+1)
		require.NoError(t, batch.Search(found, in, options, limits, &progress, batch.Run{Threads: threads}))
		nodes := uint64(0)
		for i := range positions {
			one := options
			one.Threads = 1
			s, err := search.New(one)
			require.NoError(t, err)
			want, err := s.Search(board.NewGameFrom(positions[i]), limits, nil, nil)
			require.NoError(t, err)
			assert.Zero(t, found[i].Problem)
			assert.Equal(t, want.BestMove, found[i].BestMove)
			assert.Equal(t, want.Nodes, found[i].Nodes)
			assert.Equal(t, want.Depth, found[i].Depth)
			if want.BestMove == shogi.MoveResign {
				assert.Equal(t, []search.Line{{Score: search.MatedIn(0)}}, found[i].Lines)
			} else {
				assert.Equal(t, want.Lines, found[i].Lines)
			}
			nodes += want.Nodes
		}
		assert.NotZero(t, found[len(positions)].Problem)
		assert.Nil(t, found[len(positions)].Lines)
		assert.Equal(t, int64(len(found)), progress.Rows.Load())
		assert.Equal(t, nodes, progress.Nodes.Load())
	}
}

// What is stopped says so; what was done before stays.
func TestSearchIsCancelled(t *testing.T) {
	in, positions := searchRows(t)
	var cancel atomic.Int32
	go func() {
		time.Sleep(50 * time.Millisecond)
		cancel.Store(1)
	}()
	found := make([]batch.Found, len(positions)+1)
	err := batch.Search(found, in, search.Options{HashMB: 1}, search.Limits{MoveTime: 20 * time.Millisecond}, nil, batch.Run{Threads: 1, Cancel: &cancel})
	require.ErrorIs(t, err, fault.Cancelled)
	assert.Equal(t, fault.Cancelled, found[len(positions)].Problem)
	for _, f := range found {
		assert.True(t, (f.Problem == 0) == (f.Lines != nil))
	}
}

func TestSearchRefuses(t *testing.T) {
	in, positions := searchRows(t)
	n := len(positions) + 1
	for _, c := range []struct {
		options search.Options
		limits  search.Limits
		n       int
	}{
		{limits: search.Limits{}, n: n}, {limits: search.Limits{Infinite: true}, n: n}, {limits: search.Limits{Ponder: true}, n: n},
		{options: search.Options{HashMB: -1}, limits: search.Limits{Depth: 1}, n: n}, {limits: search.Limits{Depth: 1}, n: n - 1},
	} {
		assert.ErrorIs(t, batch.Search(make([]batch.Found, c.n), in, c.options, c.limits, nil, batch.Run{}), fault.Argument)
	}
}
