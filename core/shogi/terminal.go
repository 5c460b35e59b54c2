package shogi

// A TerminalOutcome is how a finished game stands for the side to move.
type TerminalOutcome uint8

const (
	OutcomeNone TerminalOutcome = 0 // the game goes on
	OutcomeWin  TerminalOutcome = 1
	OutcomeDraw TerminalOutcome = 2
	OutcomeLoss TerminalOutcome = 3
)

func (o TerminalOutcome) String() string {
	return [...]string{"none", "win", "draw", "loss"}[min(o, 3)]
}

// A TerminalReason is why a game is finished.
type TerminalReason uint8

const (
	ReasonNone           TerminalReason = 0
	ReasonDeclarationWin TerminalReason = 1 // 入玉宣言勝ち
	ReasonRepetition     TerminalReason = 2 // 千日手
	ReasonPerpetualCheck TerminalReason = 3 // 連続王手の千日手: the checking side loses
	ReasonImpasse        TerminalReason = 4 // 持将棋
	ReasonMoveLimit      TerminalReason = 5
	ReasonTryRule        TerminalReason = 6
	ReasonCheckmate      TerminalReason = 7 // 詰み
	ReasonNoLegalMoves   TerminalReason = 8 // not in check and without a move: in shogi that is lost, too
)

var reasonNames = [...]string{
	"none", "declaration win", "repetition", "perpetual check", "impasse", "move limit", "try rule", "checkmate", "no legal moves",
}

func (r TerminalReason) String() string {
	if int(r) >= len(reasonNames) {
		return "unknown"
	}
	return reasonNames[r]
}

// A TerminalStatus is an outcome with its reason; the zero value is a game that goes on.
type TerminalStatus struct {
	Outcome TerminalOutcome
	Reason  TerminalReason
}

// IsTerminal tells whether the game is finished.
func (s TerminalStatus) IsTerminal() bool { return s.Outcome != OutcomeNone }

// FlipSide is the outcome for the other side.
func (o TerminalOutcome) FlipSide() TerminalOutcome {
	switch o {
	case OutcomeWin:
		return OutcomeLoss
	case OutcomeLoss:
		return OutcomeWin
	}
	return o
}

// Terminal is what a verdict on repetition makes of the game. Superior and inferior positions do not end it.
func (r RepetitionState) Terminal() TerminalStatus {
	switch r {
	case RepetitionWin:
		return TerminalStatus{OutcomeWin, ReasonPerpetualCheck}
	case RepetitionLose:
		return TerminalStatus{OutcomeLoss, ReasonPerpetualCheck}
	case RepetitionDraw:
		return TerminalStatus{OutcomeDraw, ReasonRepetition}
	}
	return TerminalStatus{}
}
