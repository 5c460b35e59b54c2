package record

import "komadori/core/shogi"

// An Ending is how a line of a record ends. Numbers are part of the C interface and of stored records.
type Ending uint8

const (
	EndingNone        Ending = 0
	Resign            Ending = 1  // 投了: the side to move has lost
	Paused            Ending = 2  // 中断
	Repetition        Ending = 3  // 千日手
	Impasse           Ending = 4  // 持将棋
	Mate              Ending = 5  // 詰み: the side to move has lost
	NoMate            Ending = 6  // 不詰: of problems
	TimeUp            Ending = 7  // 切れ負け: the side to move has lost
	IllegalMove       Ending = 8  // 反則負け: the side to move has lost
	IllegalMoveBefore Ending = 9  // 反則勝ち: the side to move has won, the move before was against the rules
	Declaration       Ending = 10 // 入玉勝ち: the side to move has declared and won
	ForfeitLoss       Ending = 11 // 不戦敗: the side to move has lost
	ForfeitWin        Ending = 12 // 不戦勝: the side to move has won
	MaxMoves          Ending = 13 // 最大手数: a draw
	DrawDeclared      Ending = 14 // 引き分け: a draw, by declaration (CSA's %HIKIWAKE) or agreement
	TakeBack          Ending = 15 // 待った
	Failure           Ending = 16 // an error of the program that kept the record
	Other             Ending = 17 // any other: its words are kept

	EndingCount = 18
)

type outcome uint8

const (
	open    outcome = 0 // nobody has won
	losing  outcome = 1 // the side to move has lost
	winning outcome = 2
	drawn   outcome = 3
)

// endings has the word of KIF, that of CSA and JKF, and what the ending means.
var endings = [EndingCount]struct {
	kif, csa string
	outcome  outcome
}{
	Resign:            {"投了", "TORYO", losing},
	Paused:            {"中断", "CHUDAN", open},
	Repetition:        {"千日手", "SENNICHITE", drawn},
	Impasse:           {"持将棋", "JISHOGI", drawn},
	Mate:              {"詰み", "TSUMI", losing},
	NoMate:            {"不詰", "FUZUMI", open},
	TimeUp:            {"切れ負け", "TIME_UP", losing},
	IllegalMove:       {"反則負け", "ILLEGAL_MOVE", losing},
	IllegalMoveBefore: {"反則勝ち", "", winning}, // CSA names the side: %+ILLEGAL_ACTION
	Declaration:       {"入玉勝ち", "KACHI", winning},
	ForfeitLoss:       {"不戦敗", "", losing},
	ForfeitWin:        {"不戦勝", "", winning},
	MaxMoves:          {"最大手数", "MAX_MOVES", drawn},
	DrawDeclared:      {"引き分け", "HIKIWAKE", drawn},
	TakeBack:          {"待った", "MATTA", open},
	Failure:           {"エラー", "ERROR", open},
}

// Japanese is the word of KIF; empty for EndingNone and Other.
func (e Ending) Japanese() string {
	if e >= EndingCount {
		return ""
	}
	return endings[e].kif
}

// CSA is the word of CSA without its %; empty where CSA has none.
func (e Ending) CSA() string {
	if e >= EndingCount {
		return ""
	}
	return endings[e].csa
}

// kifEndings has further words of KIF and KI2.
var kifEndings = func() map[string]Ending {
	words := map[string]Ending{
		"詰": Mate, "詰み。": Mate, "投了。": Resign, "時間切れ": TimeUp, "時間切れ負け": TimeUp, "切れ負": TimeUp, "反則": IllegalMove, "反則負": IllegalMove, "反則勝": IllegalMoveBefore,
		"入玉勝": Declaration, "入玉宣言": Declaration, "入玉宣言勝ち": Declaration, "宣言勝ち": Declaration, "勝ち宣言": Declaration, "引分": DrawDeclared, "引分け": DrawDeclared,
		"引き分": DrawDeclared, "不詰み": NoMate, "最大手数到達": MaxMoves, "手数制限": MaxMoves, "封じ手": Paused, "不戦負": ForfeitLoss,
	}
	for e := Resign; e < Other; e++ {
		words[endings[e].kif] = e
	}
	return words
}()

var csaEndings = func() map[string]Ending {
	words := map[string]Ending{"HIKIWAKE": DrawDeclared, "TIMEUP": TimeUp, "ILLEGAL": IllegalMove, "DRAW": DrawDeclared}
	for e := Resign; e < Other; e++ {
		if endings[e].csa != "" {
			words[endings[e].csa] = e
		}
	}
	return words
}()

// result is who has won by an ending with a side to move; false for nobody.
func (e Ending) result(turn shogi.Color) (shogi.GameResult, bool) {
	switch endings[min(e, Other)].outcome {
	case losing:
		return shogi.GameResult(turn ^ 1), true
	case winning:
		return shogi.GameResult(turn), true
	case drawn:
		return shogi.Draw, true
	}
	return 0, false
}

// endCode is the code that training files store.
func endCode(e Ending, r shogi.GameResult, decided bool) shogi.GameEnd {
	win := shogi.GameEnd(r) // White's code follows Black's
	switch e {
	case EndingNone:
		return shogi.EndInvalid
	case Failure:
		return shogi.EndError
	case Repetition:
		return shogi.EndDrawByRepetition
	case Impasse, DrawDeclared:
		return shogi.EndDrawByImpasse
	case MaxMoves:
		return shogi.EndDrawByMaxPlies
	}
	if !decided {
		return shogi.EndPaused
	}
	if r == shogi.Draw {
		return shogi.EndDrawByAdjudication
	}
	switch e {
	case TimeUp:
		return shogi.EndBlackWinByTimeout + win
	case IllegalMove, IllegalMoveBefore:
		return shogi.EndBlackWinByIllegalMove + win
	case Declaration:
		return shogi.EndBlackWinByDeclaration + win
	case ForfeitLoss, ForfeitWin:
		return shogi.EndBlackWinByForfeit + win
	}
	return shogi.EndBlackWin + win
}
