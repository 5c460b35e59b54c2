package main

import (
	"fmt"
	"math"
)

// A score counts games for the first engine, and pairs of games: the same opening with colors swapped, whose results hang together.
type score struct {
	wins, draws, losses int
	pairs               [5]int // by half points of the pair
}

func (s *score) games() int { return s.wins + s.draws + s.losses }

// add takes in a pair of results in half points, 0..2 each.
func (s *score) add(first, second int) {
	for _, r := range []int{first, second} {
		switch r {
		case 0:
			s.losses++
		case 1:
			s.draws++
		default:
			s.wins++
		}
	}
	s.pairs[first+second]++
}

// moments are mean and variance of the points of a game, the latter as pairs show it. So much of a pair of each kind counts as seen before.
func (s *score) moments(prior float64) (mean, variance float64) {
	n := 0.0
	for i, count := range s.pairs {
		n += float64(count) + prior
		mean += (float64(count) + prior) * float64(i) / 4
	}
	if n == 0 {
		return 0.5, 0
	}
	mean /= n
	for i, count := range s.pairs {
		d := float64(i)/4 - mean
		variance += (float64(count) + prior) * d * d
	}
	return mean, 2 * variance / n // of one game, if games were independent
}

// elo is the difference in strength that gives such points.
func elo(points float64) float64 {
	points = math.Min(math.Max(points, 1e-4), 1-1e-4)
	return -400 * math.Log10(1/points-1)
}

func points(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

// interval is the Elo difference and the ends of its interval of 95 %.
func (s *score) interval() (low, middle, high float64) {
	mean, variance := s.moments(0)
	margin := 1.96 * math.Sqrt(variance/math.Max(float64(s.games()), 1))
	if variance == 0 { // all pairs alike: what else is not seen in n pairs has, with 95 %, a share of at most 3/n
		margin = math.Min(6/math.Max(float64(s.games()), 1), 0.5)
	}
	return elo(mean - margin), elo(mean), elo(mean + margin)
}

// llr is the logarithm of how much likelier the results are with a difference of elo1 than with elo0 (generalised sequential probability
// ratio test with the variance of the sample). A fifth of a pair of each kind is added, as few pairs may all be alike, which leaves no variance.
func (s *score) llr(elo0, elo1 float64) float64 {
	mean, variance := s.moments(0.2)
	p0, p1 := points(elo0), points(elo1)
	return float64(s.games()) * (p1 - p0) * (2*mean - p0 - p1) / (2 * variance)
}

// llrBound is where the test ends, for errors of 5 % on either side.
var llrBound = math.Log(0.95 / 0.05)

func (s *score) String() string {
	low, middle, high := s.interval()
	mean, _ := s.moments(0)
	return fmt.Sprintf("%d games: +%d =%d -%d, %.1f %%, Elo %+.0f [%+.0f, %+.0f], pairs %v",
		s.games(), s.wins, s.draws, s.losses, 100*mean, middle, low, high, s.pairs)
}
