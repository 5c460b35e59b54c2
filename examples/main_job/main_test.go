package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/fault"
)

func runJob(t *testing.T, job Job) ([]Report, string) {
	t.Helper()
	job.Games = filepath.Join("..", "data", "alphazero_elmo.tsv")
	job.Nodes = 50
	var report bytes.Buffer
	reports, err := job.Run(&report, io.Discard)
	require.NoError(t, err)
	return reports, report.String()
}

func TestMainJob(t *testing.T) {
	out := t.TempDir()
	reports, text := runJob(t, Job{Out: out})
	require.Len(t, reports, 2)
	for i, size := range []int64{38, 40} {
		r := reports[i]
		assert.Equal(t, 1884, r.Good, r.Path)
		assert.Zero(t, r.Bad, r.Path)
		info, err := os.Stat(r.Path)
		require.NoError(t, err)
		assert.Equal(t, 1884*size, info.Size())
	}
	// One set of games in two formats: the same targets.
	assert.Equal(t, reports[0].Labels, reports[1].Labels)
	assert.Equal(t, reports[0].Value, reports[1].Value)
	assert.Equal(t, reports[0].Outcome, reports[1].Outcome)
	// Wins by either side, seen by both sides in turn, with the winner to make one ply more or less a game.
	assert.InDelta(t, 0.5, reports[0].Outcome, 0.01)
	assert.Contains(t, text, "legal moves")
	assert.Contains(t, text, "mate")
	left, err := filepath.Glob(filepath.Join(out, ".partial-*"))
	require.NoError(t, err)
	assert.Empty(t, left, "temporary files are left behind")

	t.Run("a user's file", func(t *testing.T) {
		reports, _ := runJob(t, Job{File: filepath.Join(out, "games.psv")})
		require.Len(t, reports, 1)
		assert.Equal(t, 1884, reports[0].Good)
	})
	t.Run("a damaged file", func(t *testing.T) {
		data, err := os.ReadFile(filepath.Join(out, "games.hcpe"))
		require.NoError(t, err)
		copy(data[7*38:], bytes.Repeat([]byte{0xFF}, 32)) // no position
		copy(data[9*38+34:], []byte{0, 0})                // no move
		path := filepath.Join(out, "damaged.hcpe")
		require.NoError(t, os.WriteFile(path, data, 0o600))
		reports, text := runJob(t, Job{File: path})
		assert.Equal(t, 1882, reports[0].Good)
		assert.Equal(t, 2, reports[0].Bad)
		assert.Equal(t, 7, reports[0].FirstBad)
		assert.Equal(t, fault.Parse, reports[0].BadKind)
		assert.Contains(t, text, "first bad row          7: ")
	})
	t.Run("a cut file", func(t *testing.T) {
		path := filepath.Join(out, "cut.hcpe")
		require.NoError(t, os.WriteFile(path, make([]byte, 38+5), 0o600))
		_, err := Job{File: path}.Run(io.Discard, io.Discard)
		assert.ErrorContains(t, err, "5 bytes of a record of 38")
	})
}
