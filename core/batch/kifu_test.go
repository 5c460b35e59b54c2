package batch_test

import (
	"testing"

	"komadori/core/batch"
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

func BenchmarkReadKifus(b *testing.B) {
	for name, pick := range map[string]func(*kifuGame) *string{
		"kif": func(r *kifuGame) *string { return r.KIF }, "ki2": func(r *kifuGame) *string { return r.KI2 }, "csa": func(r *kifuGame) *string { return r.CSA },
		"jkf": func(r *kifuGame) *string { return r.JKF }, "usi": func(r *kifuGame) *string { return &r.Position },
	} {
		b.Run(name, func(b *testing.B) {
			text, offsets := benchTexts(b, pick)
			games := 0
			for b.Loop() {
				if _, err := batch.ReadKifus(text, offsets, record.Options{}, batch.Run{Threads: 1}); err != nil {
					b.Fatal(err)
				}
				games += len(offsets) - 1
			}
			b.ReportMetric(float64(games)/b.Elapsed().Seconds(), "games/s")
		})
	}
}
