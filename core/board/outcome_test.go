package board_test

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/shogi"
)

func outcome(t *testing.T, g *board.Game, rules board.Rules, declare board.Declare) board.Outcome {
	t.Helper()
	o, err := g.Outcome(rules, declare)
	require.NoError(t, err)
	return o
}

func played(t *testing.T, start string, moves ...string) *board.Game {
	t.Helper()
	g := board.NewGameFrom(position(t, start))
	push(t, g, moves...)
	return g
}

const (
	entered   = "K+P+P+P+P+P+P+P+P/+P+P7/9/9/9/9/9/9/k8 b 2RB3P 1" // 28 points: a win under 27, a draw under 24
	enteredBy = "K8/9/9/9/9/9/9/7+p+p/k+p+p+p+p+p+p+p+p w 2rb3p 1"
)

func TestOutcome(t *testing.T) {
	four, two := board.Rules{Repetition: 4}, board.Rules{Repetition: 2}
	limit := func(n int) board.Rules { return board.Rules{Repetition: 4, MoveLimit: n} }
	rule := func(r shogi.EnteringKingRule) board.Rules { return board.Rules{EnteringKing: r} }
	shuffle := []string{"2h3h", "8b7b", "3h2h", "7b8b"}
	thrice := append(append(append([]string{}, shuffle...), shuffle...), shuffle...)
	check := []string{"2c1c", "1a2a", "1c2c", "2a1a", "2c1c", "1a2a", "1c2c", "2a1a", "2c1c", "1a2a", "1c2c", "2a1a", "2c1c"}
	const checking = "8k/9/7R1/9/9/9/9/9/K8 b - 1"
	for _, r := range []struct {
		name    string
		game    *board.Game
		rules   board.Rules
		declare board.Declare
		reason  shogi.TerminalReason
		result  shogi.GameResult
		end     shogi.GameEnd
	}{
		{"a game goes on", board.NewGame(), board.JSA.Rules(), board.DeclareToDraw, shogi.ReasonNone, 0, shogi.EndPaused},
		{"checkmate", played(t, "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "G*5b"), board.Rules{}, board.DeclareNever, shogi.ReasonCheckmate, shogi.BlackWin, shogi.EndBlackWin},
		{"White mates", played(t, "4k4/9/9/9/9/9/4p4/9/4K4 w g 1", "G*5h"), four, board.DeclareToWin, shogi.ReasonCheckmate, shogi.WhiteWin, shogi.EndWhiteWin},
		{"no legal move is lost", played(t, "k8/1R7/1G7/9/9/9/9/9/K8 w - 1"), four, board.DeclareToWin, shogi.ReasonNoLegalMoves, shogi.BlackWin, shogi.EndBlackWin},
		{"also without kings", played(t, "9/9/9/9/9/9/9/9/9 b - 1"), board.CSA.Rules(), board.DeclareToDraw, shogi.ReasonNoLegalMoves, shogi.WhiteWin, shogi.EndWhiteWin},
		{"mate without an own king", played(t, "4k4/9/4P4/9/9/9/9/9/9 b G 1", "G*5b"), board.CSA.Rules(), board.DeclareToWin, shogi.ReasonCheckmate, shogi.BlackWin, shogi.EndBlackWin},

		{"repetition", played(t, shogi.StartSFEN, thrice...), four, board.DeclareNever, shogi.ReasonRepetition, shogi.Draw, shogi.EndDrawByRepetition},
		{"not yet", played(t, shogi.StartSFEN, thrice[:11]...), four, board.DeclareNever, shogi.ReasonNone, 0, shogi.EndPaused},
		{"never", played(t, shogi.StartSFEN, thrice...), board.Rules{}, board.DeclareNever, shogi.ReasonNone, 0, shogi.EndPaused},
		{"at the second time", played(t, shogi.StartSFEN, shuffle...), two, board.DeclareNever, shogi.ReasonRepetition, shogi.Draw, shogi.EndDrawByRepetition},
		{"at the second time not yet", played(t, shogi.StartSFEN, shuffle[:3]...), two, board.DeclareNever, shogi.ReasonNone, 0, shogi.EndPaused},
		{"perpetual check", played(t, checking, check...), four, board.DeclareNever, shogi.ReasonPerpetualCheck, shogi.WhiteWin, shogi.EndWhiteWinByIllegalMove},
		{"seen at the other node", played(t, checking, append(append([]string{}, check...), "1a2a")...), four, board.DeclareNever, shogi.ReasonPerpetualCheck, shogi.WhiteWin, shogi.EndWhiteWinByIllegalMove},
		{"one round of checks", played(t, checking, check[:5]...), two, board.DeclareNever, shogi.ReasonPerpetualCheck, shogi.WhiteWin, shogi.EndWhiteWinByIllegalMove},
		{"superior hands end nothing", played(t, "k8/9/9/9/9/4R4/9/9/K8 w p 1", "P*5e", "5f5e", "9a9b", "5e5g", "9b9a", "5g5f"), two, board.DeclareNever, shogi.ReasonNone, 0, shogi.EndPaused},

		{"the last allowed move", played(t, shogi.StartSFEN, "7g7f", "3c3d"), limit(2), board.DeclareNever, shogi.ReasonMoveLimit, shogi.Draw, shogi.EndDrawByMaxPlies},
		{"one move is left", played(t, shogi.StartSFEN, "7g7f"), limit(2), board.DeclareNever, shogi.ReasonNone, 0, shogi.EndPaused},
		{"moves before the start count", played(t, "4k4/9/9/9/9/9/9/9/4K4 b - 320", "5i5h"), board.CSA.Rules(), board.DeclareNever, shogi.ReasonMoveLimit, shogi.Draw, shogi.EndDrawByMaxPlies},
		{"mate with the last move", played(t, "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "G*5b"), limit(1), board.DeclareNever, shogi.ReasonCheckmate, shogi.BlackWin, shogi.EndBlackWin},
		{"perpetual check with the last move", played(t, checking, check...), limit(13), board.DeclareNever, shogi.ReasonPerpetualCheck, shogi.WhiteWin, shogi.EndWhiteWinByIllegalMove},
		{"a declaration while a move is left", played(t, entered), board.Rules{EnteringKing: shogi.Cs27Point, MoveLimit: 1}, board.DeclareToWin, shogi.ReasonDeclarationWin, shogi.BlackWin, shogi.EndBlackWinByDeclaration},
		{"no declaration after the last move", played(t, entered[:len(entered)-1]+"2"), board.Rules{EnteringKing: shogi.Cs27Point, MoveLimit: 1}, board.DeclareToWin, shogi.ReasonMoveLimit, shogi.Draw, shogi.EndDrawByMaxPlies},

		{"declaration", played(t, entered), rule(shogi.Cs27Point), board.DeclareToWin, shogi.ReasonDeclarationWin, shogi.BlackWin, shogi.EndBlackWinByDeclaration},
		{"White declares", played(t, enteredBy), rule(shogi.Cs27Point), board.DeclareToWin, shogi.ReasonDeclarationWin, shogi.WhiteWin, shogi.EndWhiteWinByDeclaration},
		{"one need not declare", played(t, entered), rule(shogi.Cs27Point), board.DeclareNever, shogi.ReasonNone, 0, shogi.EndPaused},
		{"no rule, no declaration", played(t, entered), four, board.DeclareToDraw, shogi.ReasonNone, 0, shogi.EndPaused},
		{"a draw is not declared unasked", played(t, entered), rule(shogi.Cs24Point), board.DeclareToWin, shogi.ReasonNone, 0, shogi.EndPaused},
		{"impasse", played(t, entered), rule(shogi.Cs24Point), board.DeclareToDraw, shogi.ReasonImpasse, shogi.Draw, shogi.EndDrawByImpasse},
		{"the side not to move cannot declare", played(t, entered, "R*5e"), rule(shogi.Cs27Point), board.DeclareToDraw, shogi.ReasonNone, 0, shogi.EndPaused},
		{"without a king nobody declares", played(t, "1+P+P+P+P+P+P+P+P/+P+P7/9/9/9/9/9/9/k8 b 2RB3P 1"), rule(shogi.Cs27Point), board.DeclareToDraw, shogi.ReasonNone, 0, shogi.EndPaused},

		{"a try is open", played(t, "9/4K4/9/9/9/9/9/9/k8 b - 1"), rule(shogi.TryRule), board.DeclareToWin, shogi.ReasonTryRule, shogi.BlackWin, shogi.EndBlackWinByTryRule},
		{"but need not be taken", played(t, "9/4K4/9/9/9/9/9/9/k8 b - 1"), rule(shogi.TryRule), board.DeclareNever, shogi.ReasonNone, 0, shogi.EndPaused},
		{"tried", played(t, "9/4K4/9/9/9/9/9/9/k8 b - 1", "5b5a"), rule(shogi.TryRule), board.DeclareNever, shogi.ReasonTryRule, shogi.BlackWin, shogi.EndBlackWinByTryRule},
		{"White tried", played(t, "K8/9/9/9/9/9/9/4k4/9 w - 1", "5h5i"), rule(shogi.TryRule), board.DeclareToWin, shogi.ReasonTryRule, shogi.WhiteWin, shogi.EndWhiteWinByTryRule},
		{"under other rules that is nothing", played(t, "9/4K4/9/9/9/9/9/9/k8 b - 1", "5b5a"), rule(shogi.Cs27Point), board.DeclareToWin, shogi.ReasonNone, 0, shogi.EndPaused},
		{"a king that could be taken has not tried", played(t, "4K4/9/4r4/9/9/9/9/9/k8 w - 1"), rule(shogi.TryRule), board.DeclareNever, shogi.ReasonNone, 0, shogi.EndPaused},
	} {
		o := outcome(t, r.game, r.rules, r.declare)
		assert.Equal(t, r.reason, o.Reason, r.name)
		assert.Equal(t, r.reason != shogi.ReasonNone, o.IsOver(), r.name)
		assert.Equal(t, r.end, o.End(), r.name)
		if o.IsOver() {
			assert.Equal(t, r.result, o.Result, r.name)
			stored, ok := o.End().Result()
			assert.True(t, ok, r.name)
			assert.Equal(t, r.result, stored, r.name)
		}
		winner, decided := o.Winner()
		assert.Equal(t, o.IsOver() && r.result != shogi.Draw, decided, r.name)
		if decided {
			assert.Equal(t, shogi.Color(r.result), winner, r.name)
		}
		status, err := r.game.TerminalStatus(r.rules, r.declare)
		require.NoError(t, err)
		assert.Equal(t, o.IsOver(), status.IsTerminal(), r.name)
		assert.Equal(t, r.reason, status.Reason, r.name)
		assert.Equal(t, o.Status(r.game.Pos.Turn().Opposite()).Outcome, status.Outcome.FlipSide(), r.name)
		if decided {
			assert.Equal(t, winner == r.game.Pos.Turn(), status.Outcome == shogi.OutcomeWin, r.name)
		}

		// The flipped game ends alike with the sides exchanged; points under the rule of 27 are the one thing that knows its side.
		flipped := board.NewGameFrom(r.game.Start.FlipSide())
		for _, m := range r.game.AppendMoves(nil) {
			require.NoError(t, flipped.Push(m.FlipSide()), r.name)
		}
		f := outcome(t, flipped, r.rules, r.declare)
		assert.Equal(t, o.Reason, f.Reason, r.name)
		if o.IsOver() {
			assert.Equal(t, o.Result.FlipSide(), f.Result, r.name)
		}
		mirrored := board.NewGameFrom(r.game.Start.MirrorFile())
		for _, m := range r.game.AppendMoves(nil) {
			require.NoError(t, mirrored.Push(m.MirrorFile()), r.name)
		}
		assert.Equal(t, o, outcome(t, mirrored, r.rules, r.declare), r.name)
	}
}

// By the JSA's rules the draw after the last allowed move waits until a series of checks that stands then has ended.
func TestTheMoveLimitWaitsForChecks(t *testing.T) {
	wait := board.Rules{MoveLimit: 5, LimitWaits: true}
	g := board.NewGameFrom(position(t, "8k/9/7R1/9/9/9/9/9/K8 b - 3"))
	for _, step := range []struct {
		move string
		over bool
	}{
		{"2c2d", false}, // move 3
		{"1a1b", false},
		{"2d1d", false}, // move 5, a check: the limit waits
		{"1b2b", false},
		{"1d2d", false}, // the next check
		{"2b1b", false},
		{"2d2e", true}, // no check any more
		{"1b1a", true},
		{"2e1e", true}, // a new series comes too late
		{"1a2a", true},
	} {
		push(t, g, step.move)
		assert.Equal(t, step.over, outcome(t, g, wait, board.DeclareNever).Reason == shogi.ReasonMoveLimit, "after %s", step.move)
		assert.Equal(t, g.Pos.Ply() > 5, outcome(t, g, board.Rules{MoveLimit: 5}, board.DeclareNever).IsOver(), "a limit that does not wait")
	}
	// What is not known is no check: a position from beyond the limit has only what it shows.
	assert.False(t, outcome(t, played(t, "8k/9/8R/9/9/9/9/9/K8 w - 6"), wait, board.DeclareNever).IsOver())
	assert.True(t, outcome(t, played(t, "8k/9/8R/9/9/9/9/9/K8 b - 7"), wait, board.DeclareNever).IsOver())
	assert.True(t, outcome(t, played(t, "8k/9/7R1/9/9/9/9/9/K8 w - 6"), wait, board.DeclareNever).IsOver())
	assert.False(t, outcome(t, played(t, "8k/9/8R/9/9/9/9/9/K8 w - 8"), wait, board.DeclareNever).IsOver())
	// Mate by a check after the limit counts.
	g = played(t, "4k4/9/4P4/9/9/9/9/9/4K4 b G 500", "G*5b")
	assert.Equal(t, shogi.ReasonCheckmate, outcome(t, g, board.JSA.Rules(), board.DeclareToWin).Reason)
}

func TestOutcomeRefusesWhatAreNoRules(t *testing.T) {
	g := board.NewGame()
	before := *g.State
	for _, rules := range []board.Rules{
		{Repetition: 1}, {Repetition: -1}, {Repetition: 1 << (bits.UintSize - 2)}, {MoveLimit: -1}, {MoveLimit: 1 << (bits.UintSize - 2)}, {EnteringKing: 6}, {EnteringKing: 255}, {Handicap: -1}, {Handicap: board.HandicapCount},
	} {
		_, err := g.Outcome(rules, board.DeclareToWin)
		assert.ErrorIs(t, err, fault.InvalidValue, "%+v", rules)
		status, err := g.TerminalStatus(rules, board.DeclareToWin)
		assert.ErrorIs(t, err, fault.InvalidValue, "%+v", rules)
		assert.False(t, status.IsTerminal())
	}
	_, err := g.Outcome(board.Rules{}, 3)
	assert.ErrorIs(t, err, fault.InvalidValue)
	assert.Equal(t, before, *g.State)
}

func TestProfiles(t *testing.T) {
	for name, want := range map[string]board.Rules{
		"JSA":       {Repetition: 4, EnteringKing: shogi.Cs24Point, MoveLimit: 500, LimitWaits: true},
		"CSA":       {Repetition: 4, EnteringKing: shogi.Cs27Point, MoveLimit: 320},
		"floodgate": {Repetition: 4, EnteringKing: shogi.Cs27Point, MoveLimit: 256},
		"Dlshogi":   {Repetition: 2, EnteringKing: shogi.Cs27Point, MoveLimit: 320},
	} {
		p, err := board.ParseProfile(name)
		require.NoError(t, err)
		assert.Equal(t, want, p.Rules(), name)
		assert.NoError(t, p.Rules().Check())
		back, err := board.ParseProfile(p.String())
		assert.NoError(t, err)
		assert.Equal(t, p, back)
	}
	for _, name := range []string{"", "FIDE", "JSA "} {
		_, err := board.ParseProfile(name)
		assert.ErrorIs(t, err, fault.Parse)
	}
	assert.Equal(t, "unknown", board.Profile(4).String())
	assert.Equal(t, board.JSA.Rules(), board.Profile(200).Rules())
}

// Outcome in random games: it is over exactly when the parts say so, and never allocates.
func TestOutcomeAgreesWithItsParts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	met := map[shogi.TerminalReason]int{}
	for range 60 {
		for _, start := range []string{shogi.StartSFEN, "8k/9/7R1/9/9/9/9/9/K8 b - 1", "lk7/9/K1R6/9/9/9/9/9/9 b - 1", "4k4/4+P4/9/9/9/9/9/9/4K4 b 2G 1"} {
			g := board.NewGameFrom(position(t, start))
			for range 80 {
				for _, rules := range []board.Rules{board.JSA.Rules(), board.Dlshogi.Rules(), {Repetition: 3, MoveLimit: 40}} {
					o := outcome(t, g, rules, board.DeclareToWin)
					met[o.Reason]++
					mated := g.Pos.CountLegal() == 0
					assert.Equal(t, mated, o.Reason == shogi.ReasonCheckmate || o.Reason == shogi.ReasonNoLegalMoves)
					if !mated {
						assert.Equal(t, g.IsRepetition(rules.Repetition), o.Reason == shogi.ReasonRepetition || o.Reason == shogi.ReasonPerpetualCheck)
					}
				}
				m, ok := shuffleMove(r, g)
				if !ok {
					break
				}
				g.PushUnchecked(m)
			}
			assert.Zero(t, testing.AllocsPerRun(5, func() { _, _ = g.Outcome(board.JSA.Rules(), board.DeclareToDraw) }))
		}
	}
	t.Logf("reasons met: %v", met)
	for _, reason := range []shogi.TerminalReason{shogi.ReasonNone, shogi.ReasonCheckmate, shogi.ReasonRepetition, shogi.ReasonPerpetualCheck, shogi.ReasonMoveLimit} {
		assert.Positive(t, met[reason], reason.String())
	}
}
