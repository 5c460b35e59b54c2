package shogi

import (
	"strings"

	"komadori/core/fault"
)

// A GameResult says who won.
type GameResult uint8

const (
	BlackWin GameResult = 0
	WhiteWin GameResult = 1
	Draw     GameResult = 2
)

// NewGameResult checks a raw value 0..2.
func NewGameResult(raw int) (GameResult, error) {
	if raw < 0 || raw > 2 {
		return 0, fault.New(fault.InvalidValue, "shogi.NewGameResult", "result %d, want 0..2", raw)
	}
	return GameResult(raw), nil
}

// FlipSide is the result after the sides are exchanged.
func (r GameResult) FlipSide() GameResult {
	if r == Draw {
		return r
	}
	return r ^ 1
}

func (r GameResult) String() string {
	return [...]string{"black win", "white win", "draw"}[min(r, 2)]
}

// A GameEnd says how a game ended, in the wide codes that rsshogi stores.
type GameEnd uint8

const (
	EndBlackWin              GameEnd = 0
	EndWhiteWin              GameEnd = 1
	EndDrawByRepetition      GameEnd = 2
	EndError                 GameEnd = 3
	EndBlackWinByDeclaration GameEnd = 4
	EndWhiteWinByDeclaration GameEnd = 5
	EndDrawByMaxPlies        GameEnd = 6
	EndInvalid               GameEnd = 7
	EndBlackWinByForfeit     GameEnd = 8
	EndWhiteWinByForfeit     GameEnd = 9
	EndDrawByImpasse         GameEnd = 10
	EndPaused                GameEnd = 11
	EndBlackWinByIllegalMove GameEnd = 12
	EndWhiteWinByIllegalMove GameEnd = 13
	EndDrawByAdjudication    GameEnd = 14
	EndBlackWinByTimeout     GameEnd = 16
	EndWhiteWinByTimeout     GameEnd = 17
	EndBlackWinByTryRule     GameEnd = 20
	EndWhiteWinByTryRule     GameEnd = 21
)

// NewGameEnd checks a raw value against the 19 codes.
func NewGameEnd(raw int) (GameEnd, error) {
	if raw < 0 || raw > 21 || raw == 15 || raw == 18 || raw == 19 {
		return EndInvalid, fault.New(fault.InvalidValue, "shogi.NewGameEnd", "code %d, want 0..14, 16, 17, 20 or 21", raw)
	}
	return GameEnd(raw), nil
}

// Result is who won; false when the game has no result (error, invalid, paused).
func (e GameEnd) Result() (GameResult, bool) {
	switch e {
	case EndDrawByRepetition, EndDrawByMaxPlies, EndDrawByImpasse, EndDrawByAdjudication:
		return Draw, true
	case EndError, EndInvalid, EndPaused:
		return 0, false
	}
	if _, err := NewGameEnd(int(e)); err != nil {
		return 0, false
	}
	return GameResult(e & 1), true
}

// A RepetitionState is a verdict on a returning position, seen by the side to move.
type RepetitionState uint8

const (
	RepetitionNone     RepetitionState = 0
	RepetitionWin      RepetitionState = 1 // the opponent checked all the way
	RepetitionLose     RepetitionState = 2 // the side to move checked all the way
	RepetitionDraw     RepetitionState = 3
	RepetitionSuperior RepetitionState = 4 // same board, more in hand
	RepetitionInferior RepetitionState = 5 // same board, less in hand
)

// String is the USI-style name: rep_none, rep_win, rep_lose, rep_draw, rep_sup, rep_inf.
func (r RepetitionState) String() string {
	return [...]string{"rep_none", "rep_win", "rep_lose", "rep_draw", "rep_sup", "rep_inf"}[min(r, 5)]
}

// NewRepetitionState checks a raw value 0..5.
func NewRepetitionState(raw int) (RepetitionState, error) {
	if raw < 0 || raw > 5 {
		return 0, fault.New(fault.InvalidValue, "shogi.NewRepetitionState", "state %d, want 0..5", raw)
	}
	return RepetitionState(raw), nil
}

// FlipSide is the verdict seen from the other side.
func (r RepetitionState) FlipSide() RepetitionState {
	return [...]RepetitionState{RepetitionNone, RepetitionLose, RepetitionWin, RepetitionDraw, RepetitionInferior, RepetitionSuperior}[min(r, 5)]
}

// The numbering cshogi and dlshogi use: none, draw, win, lose, superior, inferior.
var repetitionCshogi = [6]RepetitionState{RepetitionNone, RepetitionDraw, RepetitionWin, RepetitionLose, RepetitionSuperior, RepetitionInferior}

// RepetitionFromCshogi reads cshogi's numbering.
func RepetitionFromCshogi(n int) (RepetitionState, error) {
	if n < 0 || n > 5 {
		return 0, fault.New(fault.InvalidValue, "shogi.RepetitionFromCshogi", "state %d, want 0..5", n)
	}
	return repetitionCshogi[n], nil
}

// Cshogi is the number of r in cshogi's order.
func (r RepetitionState) Cshogi() int {
	return [...]int{0, 2, 3, 1, 4, 5}[min(r, 5)]
}

// An EnteringKingRule says when a player may declare a win (入玉宣言).
type EnteringKingRule uint8

const (
	NoEnteringKing     EnteringKingRule = 0
	Cs24Point          EnteringKingRule = 1
	Cs24PointHandicap  EnteringKingRule = 2
	Cs27Point          EnteringKingRule = 3
	Cs27PointHandicap  EnteringKingRule = 4
	TryRule            EnteringKingRule = 5
	EnteringKingMaxRaw                  = 5
)

// NewEnteringKingRule checks a raw value 0..5.
func NewEnteringKingRule(raw int) (EnteringKingRule, error) {
	if raw < 0 || raw > EnteringKingMaxRaw {
		return 0, fault.New(fault.InvalidValue, "shogi.NewEnteringKingRule", "rule %d, want 0..5", raw)
	}
	return EnteringKingRule(raw), nil
}

// ruleNames holds, per rule, the spellings in use: this library's, YaneuraOu's option value, rsshogi's.
var ruleNames = [6][]string{
	{"NONE", "NoEnteringKing", "None"},
	{"CSA24", "Cs24Point", "CSARule24", "Point24"},
	{"CSA24_HANDICAP", "Cs24PointHandicap", "CSARule24H", "Point24Handicap"},
	{"CSA27", "Cs27Point", "CSARule27", "Point27"},
	{"CSA27_HANDICAP", "Cs27PointHandicap", "CSARule27H", "Point27Handicap"},
	{"TRY", "TryRule"},
}

// ParseEnteringKingRule reads any of the spellings in use, without regard to case.
func ParseEnteringKingRule(text string) (EnteringKingRule, error) {
	for i, names := range ruleNames {
		for _, n := range names {
			if strings.EqualFold(n, text) {
				return EnteringKingRule(i), nil
			}
		}
	}
	return 0, fault.New(fault.Parse, "shogi.ParseEnteringKingRule", "%q, want NONE, CSA24, CSA24_HANDICAP, CSA27, CSA27_HANDICAP or TRY", clip(text)).At(0)
}

func (r EnteringKingRule) String() string { return ruleNames[min(r, 5)][0] }

// A Verdict is what declaring (入玉宣言) would bring to the side to move.
type Verdict uint8

const (
	VerdictNone Verdict = 0 // nothing to declare; who declares all the same loses the game
	VerdictWin  Verdict = 1
	VerdictDraw Verdict = 2 // 持将棋, under the rules of 24 points
)

func (v Verdict) String() string { return [...]string{"none", "win", "draw"}[min(v, 2)] }

// An Eval is a stored evaluation, 16 bits, side to move's view: centipawns within ±32000, special beyond.
type Eval int16

// EvalMaxCp is the largest centipawn value; larger magnitudes are special (mate scores of engines).
const EvalMaxCp = 32000

// EvalFromInt saturates to 16 bits.
func EvalFromInt(v int) Eval { return Eval(max(-32768, min(32767, v))) }

// NewEvalCp checks that v lies within ±32000.
func NewEvalCp(v int) (Eval, error) {
	if v < -EvalMaxCp || v > EvalMaxCp {
		return 0, fault.New(fault.InvalidValue, "shogi.NewEvalCp", "%d centipawns, want -32000..32000", v)
	}
	return Eval(v), nil
}

// IsCp tells whether the value is in centipawns.
func (e Eval) IsCp() bool { return e >= -EvalMaxCp && e <= EvalMaxCp }

// IsSpecial tells whether the value lies beyond ±32000.
func (e Eval) IsSpecial() bool { return !e.IsCp() }

// FlipSide is the evaluation seen from the other side; it saturates at the ends.
func (e Eval) FlipSide() Eval { return EvalFromInt(-int(e)) }
