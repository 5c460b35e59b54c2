package batch_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/batch"
	"komadori/core/fault"
	"komadori/core/internal/vectors"
	"komadori/core/record"
)

type kifuGame struct {
	Plies              int
	KIF, KI2, CSA, JKF *string
	Position           string `json:"usi_position"`
}

// benchTexts are the games of 120 moves of the vectors in a format.
func benchTexts(b *testing.B, pick func(*kifuGame) *string) (text string, offsets []int64) {
	offsets = []int64{0}
	for _, row := range vectors.Rows[kifuGame](b, "vectors/games.jsonl.gz") {
		if row.Plies == 120 {
			if t := pick(&row); t != nil {
				text += *t
				offsets = append(offsets, int64(len(text)))
			}
		}
	}
	return text, offsets
}

// Any number of threads gives the same blocks at the same places; where the room is too small the places are right all the same.
func TestReadKifusIsTheSameOnAnyNumberOfThreads(t *testing.T) {
	text, offsets := "", []int64{0}
	for i := range 1000 {
		switch {
		case i%7 == 3:
			text += "no record"
		case i%5 == 0:
			text += "V2.2\nPI\n+\n+7776FU\nT3\n%TORYO\n/\nV2.2\nPI\n+\n+2726FU\n"
		case i%3 > 0:
			text += "startpos moves " + []string{"7g7f", "7g7f 3c3d", "2g2f 8c8d 2f2e 8d8e"}[i%3]
		}
		offsets = append(offsets, int64(len(text)))
	}
	read := func(threads, room int) ([]byte, []int64, []int32, error) {
		dst, places, status := make([]byte, room), make([]int64, len(offsets)), make([]int32, len(offsets)-1)
		err := batch.ReadKifus(text, offsets, record.Options{}, batch.Run{Threads: threads, Status: status}, dst, places)
		return dst, places, status, err
	}
	want, places, status, err := read(1, 1<<21)
	require.NoError(t, err)
	for i, s := range status {
		assert.Equal(t, i%7 == 3 || i%5 > 0 && i%3 == 0, s != 0, "row %d", i)
		for at := places[i]; at < places[i+1]; {
			size := record.FlatSize(want[at:])
			require.Positive(t, size)
			at += int64(size)
		}
	}
	for _, threads := range []int{2, 3, 8} {
		got, p, s, err := read(threads, 1<<21)
		require.NoError(t, err)
		require.Equal(t, places, p)
		require.Equal(t, status, s)
		require.True(t, bytes.Equal(want, got))
		_, p, _, err = read(threads, int(places[500]))
		require.ErrorIs(t, err, fault.Buffer)
		require.Equal(t, places, p)
	}
}

func BenchmarkReadKifus(b *testing.B) {
	for name, pick := range map[string]func(*kifuGame) *string{
		"kif": func(r *kifuGame) *string { return r.KIF }, "ki2": func(r *kifuGame) *string { return r.KI2 }, "csa": func(r *kifuGame) *string { return r.CSA },
		"jkf": func(r *kifuGame) *string { return r.JKF }, "usi": func(r *kifuGame) *string { return &r.Position },
	} {
		b.Run(name, func(b *testing.B) {
			text, offsets := benchTexts(b, pick)
			games := 0
			dst, places := make([]byte, 4*len(text)+4096*len(offsets)), make([]int64, len(offsets))
			for b.Loop() {
				if err := batch.ReadKifus(text, offsets, record.Options{}, batch.Run{Threads: 1}, dst, places); err != nil {
					b.Fatal(err)
				}
				games += len(offsets) - 1
			}
			b.ReportMetric(float64(games)/b.Elapsed().Seconds(), "games/s")
		})
	}
}
