package board

import (
	"math"
	"strings"

	"komadori/core/fault"
	"komadori/core/shogi"
)

// Rules is what players agree on besides how pieces move. The zero value ends a game by mate alone.
type Rules struct {
	// Repetition is how many occurrences of a position end the game (千日手): 4 by the rules of shogi, 2 in some self-play; 0: none does.
	Repetition int
	// EnteringKing says when the side to move may declare (入玉宣言).
	EnteringKing shogi.EnteringKingRule
	// MoveLimit is the number of moves after which an undecided game is a draw; 0: none is. Moves are counted from ply 1, so a game that
	// starts from a position at ply 41 has had 40.
	MoveLimit int
	// LimitWaits puts the move limit off while the side that made the last allowed move goes on giving check with every move.
	LimitWaits bool
	// Handicap is how games begin (手合割); how they end does not depend on it. A handicap game is declared under one of the handicap forms of
	// EnteringKing, which has to be asked for.
	Handicap Handicap
}

// Check reports values that no rules have, as fault.InvalidValue.
func (r Rules) Check() error {
	const op = "board.Rules.Check"
	if r.Repetition < 0 || r.Repetition == 1 || r.Repetition > math.MaxInt32 {
		return fault.New(fault.InvalidValue, op, "repetition %d, want 0 or at least 2", r.Repetition)
	}
	if r.MoveLimit < 0 || r.MoveLimit > math.MaxInt32 {
		return fault.New(fault.InvalidValue, op, "move limit %d, want at least 0", r.MoveLimit)
	}
	if _, err := shogi.NewEnteringKingRule(int(r.EnteringKing)); err != nil {
		return err
	}
	_, err := NewHandicap(int(r.Handicap))
	return err
}

// A Profile names rules that are in use. docs/conventions.md has their sources.
type Profile uint8

const (
	// JSA is the rule book of professional games (日本将棋連盟 対局規則): 24 points, and a draw after 500 moves, put off while checks go on.
	JSA Profile = 0
	// CSA is the World Computer Shogi Championship (コンピュータ将棋協会): 27 points, a draw after 320 moves.
	CSA Profile = 1
	// Floodgate is the game server of that name: 27 points, a draw after 256 moves.
	Floodgate Profile = 2
	// Dlshogi is the self-play that makes dlshogi's training data: 27 points, a draw after 320 moves, and a position that returns ends the game at once.
	Dlshogi Profile = 3
)

var profiles = [...]struct {
	name  string
	rules Rules
}{
	JSA:       {"JSA", Rules{Repetition: 4, EnteringKing: shogi.Cs24Point, MoveLimit: 500, LimitWaits: true}},
	CSA:       {"CSA", Rules{Repetition: 4, EnteringKing: shogi.Cs27Point, MoveLimit: 320}},
	Floodgate: {"FLOODGATE", Rules{Repetition: 4, EnteringKing: shogi.Cs27Point, MoveLimit: 256}},
	Dlshogi:   {"DLSHOGI", Rules{Repetition: 2, EnteringKing: shogi.Cs27Point, MoveLimit: 320}},
}

// Rules are those of the profile; of a number that is none, those of JSA.
func (p Profile) Rules() Rules {
	if int(p) >= len(profiles) {
		return profiles[JSA].rules
	}
	return profiles[p].rules
}

func (p Profile) String() string {
	if int(p) >= len(profiles) {
		return "unknown"
	}
	return profiles[p].name
}

// ParseProfile reads a profile's name, without regard to case. The error is fault.Parse.
func ParseProfile(name string) (Profile, error) {
	for i := range profiles {
		if strings.EqualFold(profiles[i].name, name) {
			return Profile(i), nil
		}
	}
	return 0, fault.New(fault.Parse, "board.ParseProfile", "%.40q, want JSA, CSA, FLOODGATE or DLSHOGI", name).At(0)
}
