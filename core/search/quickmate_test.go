package search

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"komadori/core/internal/vectors"
	"komadori/core/notation"
	"komadori/core/shogi"
)

// What quickMate finds must be among all mates in one; how many it misses is logged.
func TestQuickMateIsSound(t *testing.T) {
	found, missed := 0, 0
	vectors.Each(t, "vectors/positions.jsonl.gz", func(row struct {
		SFEN  string   `json:"sfen"`
		Mates []string `json:"mate_in_one"`
	}) bool {
		p, err := notation.ParsePosition(row.SFEN)
		if err != nil || p.NeedKings("") != nil {
			return false
		}
		m := quickMate(&p)
		switch {
		case m != shogi.MoveNone:
			found++
			assert.Contains(t, row.Mates, m.String(), row.SFEN)
		case len(row.Mates) > 0:
			missed++
		}
		return true
	})
	t.Logf("mates in one found %d, missed %d", found, missed)
	assert.Greater(t, found, missed)
}
