package batch_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/batch"
	"komadori/core/fault"
	"komadori/core/mate"
	"komadori/core/notation"
)

// mateRows are problems as rows of Board, which may lack kings.
func mateRows(t *testing.T, sfens ...string) batch.Packed {
	t.Helper()
	var text []byte
	offsets := []int64{0}
	for _, sfen := range sfens {
		text = append(text, sfen...)
		offsets = append(offsets, int64(len(text)))
	}
	data := make([]byte, len(sfens)*batch.BoardRowSize)
	_, err := batch.Encode(data, batch.Board, offsets, text, batch.Run{})
	require.NoError(t, err)
	return batch.Packed{Format: batch.Board, Data: data}
}

const (
	mateOne  = "4k4/9/4P4/9/9/9/9/9/9 b G 1"
	mateNone = "4k4/9/9/9/9/9/9/9/9 b P 1"
	mateHard = "4k4/9/9/9/9/9/9/9/4K4 b B4S18P 1"
)

// A batch gives what one search after the other gives, on any number of threads, and goes on after bad rows.
func TestMates(t *testing.T) {
	sfens := []string{mateOne, mateNone, mateHard, "9/9/9/9/4k4/9/9/9/9 b 4N4L18P2R2B4S4G 1", "9/9/9/9/9/9/9/9/4K4 b G 1"}
	for range 3 {
		sfens = append(sfens, sfens...)
	}
	limits := mate.Limits{Nodes: 500, Shortest: true}
	solver, err := mate.NewSolver(1)
	require.NoError(t, err)
	in := mateRows(t, sfens...)
	for _, threads := range []int{1, 2, 5} {
		var progress batch.Progress
		found := make([]batch.MateFound, len(sfens))
		require.NoError(t, batch.Mates(found, in, 1, limits, &progress, batch.Run{Threads: threads}))
		assert.EqualValues(t, len(sfens), progress.Rows.Load())
		for i, sfen := range sfens {
			p, err := notation.ParsePosition(sfen)
			require.NoError(t, err)
			want, err := solver.Solve(&p, limits, nil)
			if err != nil {
				assert.Equal(t, batch.MateFound{Problem: fault.InvalidPosition}, found[i], sfen)
				continue
			}
			assert.Equal(t, batch.MateFound{Status: want.Status, Proven: want.Proven, Length: want.Length, Nodes: want.Nodes, PV: want.PV}, found[i], sfen)
		}
	}
}

func TestMatesErrors(t *testing.T) {
	in := mateRows(t, mateOne)
	found := make([]batch.MateFound, 1)
	assert.ErrorIs(t, batch.Mates(found, in, 0, mate.Limits{}, nil, batch.Run{}), fault.Argument)
	assert.ErrorIs(t, batch.Mates(found, in, 1, mate.Limits{Depth: -1}, nil, batch.Run{}), fault.Argument)
	assert.ErrorIs(t, batch.Mates(nil, in, 1, mate.Limits{}, nil, batch.Run{}), fault.Argument)
	require.NoError(t, batch.Mates(nil, batch.Packed{Format: batch.Board}, 1, mate.Limits{}, nil, batch.Run{}))
}

// A batch that is stopped has whole answers before the point where it was, and says so of the others.
func TestMatesAreStopped(t *testing.T) {
	in := mateRows(t, mateOne, mateNone, mateHard, mateOne, mateHard, mateHard, mateOne, mateOne, mateOne)
	var stop atomic.Int32
	var progress batch.Progress
	go func() {
		for progress.Rows.Load() < 2 { // the third takes longer than any test waits
			time.Sleep(time.Millisecond)
		}
		stop.Store(1)
	}()
	found := make([]batch.MateFound, 9)
	err := batch.Mates(found, in, 1, mate.Limits{MoveTime: time.Hour}, &progress, batch.Run{Threads: 1, Cancel: &stop})
	assert.ErrorIs(t, err, fault.Cancelled)
	assert.Equal(t, mate.Mate, found[0].Status)
	assert.Equal(t, mate.NoMate, found[1].Status)
	for _, f := range found[2:] {
		assert.Equal(t, batch.MateFound{Problem: fault.Cancelled}, f)
	}
}
