package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A timeControl is what both players have; the zero value is no clock.
type timeControl struct {
	base, increment, byoyomi time.Duration
	margin                   time.Duration // a flag falls so much later, for what the match itself takes
}

// parseTime reads SECONDS, SECONDS+INCREMENT and SECONDS/BYOYOMI.
func parseTime(text string) (c timeControl, err error) {
	seconds := func(word string) time.Duration {
		n, e := strconv.ParseFloat(word, 64)
		if e != nil || n < 0 || n > 1e6 {
			err = fmt.Errorf("-time %s, want SECONDS, SECONDS+INCREMENT or SECONDS/BYOYOMI", text)
		}
		return time.Duration(n * float64(time.Second))
	}
	base, more, found := strings.Cut(text, "+")
	if found {
		c.increment = seconds(more)
	} else if base, more, found = strings.Cut(text, "/"); found {
		c.byoyomi = seconds(more)
	}
	c.base = seconds(base)
	if err == nil && c == (timeControl{}) {
		err = fmt.Errorf("-time %s leaves no time", text)
	}
	return c, err
}

// A gameClock is the time that is left in a game, by color.
type gameClock struct {
	control   timeControl
	remaining [2]time.Duration
}

func (c timeControl) start() *gameClock {
	return &gameClock{c, [2]time.Duration{c.base, c.base}}
}

// command is the go command of a move.
func (c *gameClock) command() string {
	text := fmt.Sprintf("go btime %d wtime %d", c.remaining[0].Milliseconds(), c.remaining[1].Milliseconds())
	if c.control.byoyomi > 0 {
		return text + fmt.Sprintf(" byoyomi %d", c.control.byoyomi.Milliseconds())
	}
	return text + fmt.Sprintf(" binc %d winc %d", c.control.increment.Milliseconds(), c.control.increment.Milliseconds())
}

// spend takes a move's time off; false when the flag has fallen.
func (c *gameClock) spend(color int, took time.Duration) bool {
	left := c.remaining[color] - took
	if left+c.control.byoyomi+c.control.margin < 0 {
		return false
	}
	c.remaining[color] = max(left, 0) + c.control.increment
	return true
}
