package main

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/eval"
	"komadori/core/packed"
)

// From pieces' worths over games to weights: the same twice, and what is learnt judges those games better than what it began with.
func TestGenerations(t *testing.T) {
	if testing.Short() {
		t.Skip("tables of all weights, on one goroutine: short runs are those of the race detector")
	}
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	read := func(name string) []byte {
		raw, err := os.ReadFile(at(name))
		require.NoError(t, err)
		return raw
	}
	require.NoError(t, fit([]string{"-out", at("start")}))
	for _, name := range []string{"games", "again"} {
		require.NoError(t, play([]string{"-weights", at("start"), "-games", "6", "-nodes", "30", "-out", at(name)}))
	}
	games := read("games")
	require.NotEmpty(t, games)
	assert.Zero(t, len(games)%packed.PSVSize)
	assert.True(t, bytes.Equal(games, read("again")))

	for _, name := range []string{"weights", "weights again"} {
		require.NoError(t, fit([]string{"-epochs", "2", "-out", at(name), at("games")}))
	}
	assert.True(t, bytes.Equal(read("weights"), read("weights again")))
	assert.False(t, bytes.Equal(read("start"), read("weights")))
	_, err := readWeights(at("weights"))
	require.NoError(t, err)

	d := new(data)
	require.NoError(t, d.load(at("games")))
	order := make([]int32, d.n())
	for i := range order {
		order[i] = int32(i)
	}
	g := &goal{scaleOf(d), 0.7}
	m := newModel()
	before := m.loss(d, g, order)
	m.learn(d, g, order, nil, 2, 1.5, 0.03)
	assert.Less(t, m.loss(d, g, order), before)
	sum := float32(0)
	for _, w := range d.weight {
		require.Positive(t, w)
		sum += w
	}
	assert.InDelta(t, 1, sum/float32(d.n()), 1e-3, "positions count for one on average")
	early := slices.Min(d.progress)
	for i := range d.score { // as if only the first positions could be told
		d.score[i] = m.value(d, i)
		if d.progress[i] > early {
			d.score[i] -= 2 * d.score[i] // the other side is ahead
			d.score[i] += float32(math.Copysign(2000, float64(d.score[i])))
		}
	}
	m.weigh(d, g)
	first := d.weight[slices.Index(d.progress, early)]
	for i, w := range d.weight {
		require.Equal(t, d.progress[i] > early, w < first, "%d", i)
	}

	_, err = readWeights(at("games"))
	require.Error(t, err)
	require.Error(t, play([]string{"-weights", at("games"), "-out", at("none")}))
	w, ok := eval.Decode(read("start"))
	require.True(t, ok)
	assert.True(t, bytes.Equal(read("start"), eval.Encode(&w)))
}
