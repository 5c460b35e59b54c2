package board

import (
	"komadori/core/fault"
	"komadori/core/shogi"
)

// Declare says what the side to move is taken to do with a right to declare (入玉宣言): it may always play on instead.
type Declare uint8

const (
	DeclareNever  Declare = 0 // it plays on: only what has happened ends the game
	DeclareToWin  Declare = 1 // it declares, or tries, when that wins
	DeclareToDraw Declare = 2 // and also when a declaration gives a draw
)

// An Outcome says how a game has ended. The zero value is a game that goes on.
type Outcome struct {
	Reason shogi.TerminalReason // ReasonNone while the game goes on
	Result shogi.GameResult     // meaningful once it is over
}

// IsOver tells whether the game has ended.
func (o Outcome) IsOver() bool { return o.Reason != shogi.ReasonNone }

// Winner is who won; false for a draw and for a game that goes on.
func (o Outcome) Winner() (shogi.Color, bool) {
	if !o.IsOver() || o.Result == shogi.Draw {
		return shogi.Black, false
	}
	return shogi.Color(o.Result), true
}

// Status is the outcome seen by a side.
func (o Outcome) Status(c shogi.Color) shogi.TerminalStatus {
	switch winner, decided := o.Winner(); {
	case !o.IsOver():
		return shogi.TerminalStatus{}
	case !decided:
		return shogi.TerminalStatus{Outcome: shogi.OutcomeDraw, Reason: o.Reason}
	case winner == c:
		return shogi.TerminalStatus{Outcome: shogi.OutcomeWin, Reason: o.Reason}
	}
	return shogi.TerminalStatus{Outcome: shogi.OutcomeLoss, Reason: o.Reason}
}

// End is the code that records store; EndPaused for a game that goes on. A perpetual check is an illegal move of the side that gave it.
func (o Outcome) End() shogi.GameEnd {
	black := shogi.EndBlackWin
	switch o.Reason {
	case shogi.ReasonNone:
		return shogi.EndPaused
	case shogi.ReasonRepetition:
		return shogi.EndDrawByRepetition
	case shogi.ReasonImpasse:
		return shogi.EndDrawByImpasse
	case shogi.ReasonMoveLimit:
		return shogi.EndDrawByMaxPlies
	case shogi.ReasonDeclarationWin:
		black = shogi.EndBlackWinByDeclaration
	case shogi.ReasonTryRule:
		black = shogi.EndBlackWinByTryRule
	case shogi.ReasonPerpetualCheck:
		black = shogi.EndBlackWinByIllegalMove
	}
	return black + shogi.GameEnd(o.Result) // White's code follows Black's
}

// Outcome says whether and how the game has ended under the given rules. What comes first holds:
//
//  1. The side to move has no legal move: it has lost, in check (checkmate) or not. So a mate with the last allowed move wins.
//  2. Under the try rule, the other side's king stands on its TrySquare, unattacked: that side has won.
//  3. The position stands for the Rules.Repetition-th time: a draw, or the loss of the side that gave check all the way.
//  4. Rules.MoveLimit moves have been made: a draw, unless the limit waits. There is no declaration after the last allowed move.
//  5. The side to move may declare: by Declare it has won or drawn (impasse, 持将棋), or plays on. Without both kings nobody declares.
//
// The error is fault.InvalidValue for rules or a Declare that do not exist. It does not allocate.
func (g *Game) Outcome(rules Rules, declare Declare) (Outcome, error) {
	if err := rules.Check(); err != nil {
		return Outcome{}, err
	}
	if declare > DeclareToDraw {
		return Outcome{}, fault.New(fault.InvalidValue, "board.Game.Outcome", "declare %d, want 0..2", declare)
	}
	p := &g.Pos
	won, lost := shogi.GameResult(p.turn), shogi.GameResult(p.turn^1)
	if !p.HasLegalMove() {
		if g.InCheck() {
			return Outcome{shogi.ReasonCheckmate, lost}, nil
		}
		return Outcome{shogi.ReasonNoLegalMoves, lost}, nil
	}
	if them := p.turn ^ 1; rules.EnteringKing == shogi.TryRule && p.kings[them] == TrySquare(them) && !p.IsAttacked(p.kings[them], p.turn) {
		return Outcome{shogi.ReasonTryRule, lost}, nil
	}
	if rules.Repetition > 0 {
		switch g.repetition(rules.Repetition) {
		case shogi.RepetitionDraw:
			return Outcome{shogi.ReasonRepetition, shogi.Draw}, nil
		case shogi.RepetitionWin:
			return Outcome{shogi.ReasonPerpetualCheck, won}, nil
		case shogi.RepetitionLose:
			return Outcome{shogi.ReasonPerpetualCheck, lost}, nil
		}
	}
	if over := p.Ply() - 1 - rules.MoveLimit; rules.MoveLimit > 0 && over >= 0 && !(rules.LimitWaits && g.checksGoOn(over)) {
		return Outcome{shogi.ReasonMoveLimit, shogi.Draw}, nil
	}
	if declare == DeclareNever || rules.EnteringKing == shogi.NoEnteringKing || p.kings[0] == shogi.NoSquare || p.kings[1] == shogi.NoSquare {
		return Outcome{}, nil
	}
	d, err := p.Declaration(rules.EnteringKing)
	switch {
	case err != nil:
		return Outcome{}, err
	case d.Verdict == shogi.VerdictWin && rules.EnteringKing == shogi.TryRule:
		return Outcome{shogi.ReasonTryRule, won}, nil
	case d.Verdict == shogi.VerdictWin:
		return Outcome{shogi.ReasonDeclarationWin, won}, nil
	case d.Verdict == shogi.VerdictDraw && declare == DeclareToDraw:
		return Outcome{shogi.ReasonImpasse, shogi.Draw}, nil
	}
	return Outcome{}, nil
}

// checksGoOn tells whether the side that made the last allowed move, over moves ago, has given check with that move and with every
// one since, as far as the history tells.
func (g *Game) checksGoOn(over int) bool {
	n := int(g.Len)
	if over&1 > n {
		return false
	}
	p := g.Pos
	for back := 0; back <= min(over, n); back++ {
		if back > 0 {
			p.takeBack(&g.Entries[n-back])
		}
		if back&1 == over&1 && !p.InCheck() {
			return false
		}
	}
	return true
}

// TerminalStatus is Outcome for the side to move.
func (g *Game) TerminalStatus(rules Rules, declare Declare) (shogi.TerminalStatus, error) {
	o, err := g.Outcome(rules, declare)
	return o.Status(g.Pos.turn), err
}
