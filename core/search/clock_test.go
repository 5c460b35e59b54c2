package search

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"komadori/core/shogi"
)

func TestShareOfTheClock(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name       string
		clock      Clock
		options    TimeOptions
		soft, hard time.Duration
	}{
		{"a thirtieth, and up to a quarter for a hard move", Clock{Remaining: [2]time.Duration{60_000 * ms, 1}}, TimeOptions{}, 1200 * ms, 6000 * ms},
		{"the increment on top", Clock{Remaining: [2]time.Duration{60_000 * ms}, Increment: [2]time.Duration{1000 * ms, 7000 * ms}}, TimeOptions{}, 1800 * ms, 7000 * ms},
		{"byoyomi alone is used up", Clock{Byoyomi: 1000 * ms}, TimeOptions{}, 1000 * ms, 1000 * ms},
		{"and while time remains, it is saved", Clock{Remaining: [2]time.Duration{30_000 * ms}, Byoyomi: 1000 * ms}, TimeOptions{}, 1200 * ms, 4000 * ms},
		{"less the delay", Clock{Byoyomi: 1000 * ms}, TimeOptions{Delay: 120 * ms, HardDelay: 200 * ms}, 800 * ms, 800 * ms},
		{"half as slow", Clock{Remaining: [2]time.Duration{60_000 * ms}}, TimeOptions{SlowMover: 50}, 600 * ms, 3000 * ms},
		{"the minimum", Clock{Remaining: [2]time.Duration{30_000 * ms}}, TimeOptions{Minimum: 5000 * ms}, 5000 * ms, 5000 * ms},
		{"the flag is worse than the minimum", Clock{Remaining: [2]time.Duration{300 * ms}}, TimeOptions{Minimum: 5000 * ms, HardDelay: 100 * ms}, 200 * ms, 200 * ms},
		{"without end", Clock{Remaining: [2]time.Duration{math.MaxInt64, 1}}, TimeOptions{SlowMover: 1000}, 200 * time.Hour, 1000 * time.Hour / 3},
		{"all without end", Clock{[2]time.Duration{math.MaxInt64}, [2]time.Duration{math.MaxInt64}, math.MaxInt64}, TimeOptions{}, 1220 * time.Hour, 2100 * time.Hour},
		{"nothing left", Clock{}, TimeOptions{HardDelay: 100 * ms}, ms, ms},
	} {
		soft, hard := c.clock.share(shogi.Black, &c.options)
		assert.Equal(t, c.soft, soft, c.name)
		assert.Equal(t, c.hard, hard, c.name)
	}
}
