package search

import (
	"time"

	"komadori/core/fault"
	"komadori/core/shogi"
)

// A Clock is the time the players have left. Names are those of USI's go command.
type Clock struct {
	Remaining [2]time.Duration // by color
	Increment [2]time.Duration // added after each move (Fischer)
	Byoyomi   time.Duration    // 秒読み: for each move, once nothing remains
}

// TimeOptions say how a Searcher spends what a Clock shows. The zero value is usable.
type TimeOptions struct {
	Minimum   time.Duration // think at least so long about a move, if the clock allows it
	Delay     time.Duration // what a move loses on its way to the server: thinking ends so much earlier
	HardDelay time.Duration // the same where the flag would fall: the clock is never used further than this before its end
	SlowMover int           // percent of the usual share of the remaining time, 1..1000; 0 is 100
}

const defaultSlowMover = 100

func (o *TimeOptions) check(op string) error {
	switch {
	case o.Minimum < 0 || o.Delay < 0 || o.HardDelay < 0:
		return fault.New(fault.Argument, op, "times %v, %v and %v, want none below 0", o.Minimum, o.Delay, o.HardDelay)
	case o.SlowMover < 0 || o.SlowMover > 1000:
		return fault.New(fault.Argument, op, "slow mover of %d percent, want 1..1000", o.SlowMover)
	}
	return nil
}

func (c *Clock) check(op string) error {
	for _, d := range []time.Duration{c.Remaining[0], c.Remaining[1], c.Increment[0], c.Increment[1], c.Byoyomi} {
		if d < 0 {
			return fault.New(fault.Argument, op, "a clock of %v, want none below 0", d)
		}
	}
	return nil
}

// longest is more than any move is thought about, and little enough for shares of it not to overflow.
const longest = 1000 * time.Hour

// share is how long to think about a move: no new iteration is begun when soft has passed, and the search is cut off at hard.
//
// The usual share of a move is a thirtieth of what remains, or 50 ms, plus increment and byoyomi. Iterations take longer and longer: one that begins after
// six tenths of the share would hardly be through at its end.
func (c *Clock) share(us shogi.Color, o *TimeOptions) (soft, hard time.Duration) {
	slow := o.SlowMover
	if slow == 0 {
		slow = defaultSlowMover
	}
	remaining, increment, byoyomi := min(c.Remaining[us&1], longest), min(c.Increment[us&1], longest), min(c.Byoyomi, longest)
	perMove := increment + byoyomi
	all := remaining + perMove - o.HardDelay
	slice := max(remaining/30, 50*time.Millisecond) * time.Duration(slow) / 100
	share := slice + perMove - o.Delay
	soft = share * 6 / 10
	if remaining <= byoyomi { // what of the byoyomi is not used is lost
		soft = max(soft, byoyomi-o.Delay)
	}
	// A move that turns out difficult may take a few shares, but not much of what later moves will need.
	hard = min(share+2*slice, perMove+remaining/4-o.Delay)
	soft, hard = max(soft, o.Minimum), max(hard, share, o.Minimum)
	hard = max(min(hard, all), time.Millisecond)
	return min(soft, hard), hard
}
