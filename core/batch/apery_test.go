package batch

import (
	"testing"

	"komadori/core/shogi"
)

// Every value of Apery's layout is the move that shogi.AperyMove reads.
func TestAperyMoves(t *testing.T) {
	for raw := range 1 << 16 {
		want, err := shogi.AperyMove(raw).Move()
		if err != nil || !want.IsNormal() {
			want = shogi.MoveNone
		}
		if got := aperyMove(uint16(raw)); got != want {
			t.Fatalf("0x%04x: %v, want %v", raw, got, want)
		}
	}
}
