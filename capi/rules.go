package main

/*
#include "native.h"
*/
import "C"

import (
	"unsafe"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/shogi"
)

// The numbers of the header are those of packages shogi and board.
var (
	_ = [1]struct{}{}[shogi.RepetitionWin-C.KMD_REPETITION_WIN]
	_ = [1]struct{}{}[shogi.RepetitionLose-C.KMD_REPETITION_LOSE]
	_ = [1]struct{}{}[shogi.RepetitionDraw-C.KMD_REPETITION_DRAW]
	_ = [1]struct{}{}[shogi.RepetitionSuperior-C.KMD_REPETITION_SUPERIOR]
	_ = [1]struct{}{}[shogi.RepetitionInferior-C.KMD_REPETITION_INFERIOR]
	_ = [1]struct{}{}[shogi.NoEnteringKing-C.KMD_RULE_NONE]
	_ = [1]struct{}{}[shogi.Cs24Point-C.KMD_RULE_CSA24]
	_ = [1]struct{}{}[shogi.Cs24PointHandicap-C.KMD_RULE_CSA24_HANDICAP]
	_ = [1]struct{}{}[shogi.Cs27Point-C.KMD_RULE_CSA27]
	_ = [1]struct{}{}[shogi.Cs27PointHandicap-C.KMD_RULE_CSA27_HANDICAP]
	_ = [1]struct{}{}[shogi.TryRule-C.KMD_RULE_TRY]
	_ = [1]struct{}{}[shogi.VerdictNone-C.KMD_VERDICT_NONE]
	_ = [1]struct{}{}[shogi.VerdictWin-C.KMD_VERDICT_WIN]
	_ = [1]struct{}{}[shogi.VerdictDraw-C.KMD_VERDICT_DRAW]
	_ = [1]struct{}{}[board.DeclareNever-C.KMD_DECLARE_NEVER]
	_ = [1]struct{}{}[board.DeclareToWin-C.KMD_DECLARE_TO_WIN]
	_ = [1]struct{}{}[board.DeclareToDraw-C.KMD_DECLARE_TO_DRAW]
	_ = [1]struct{}{}[shogi.ReasonNone-C.KMD_REASON_NONE]
	_ = [1]struct{}{}[shogi.ReasonDeclarationWin-C.KMD_REASON_DECLARATION_WIN]
	_ = [1]struct{}{}[shogi.ReasonRepetition-C.KMD_REASON_REPETITION]
	_ = [1]struct{}{}[shogi.ReasonPerpetualCheck-C.KMD_REASON_PERPETUAL_CHECK]
	_ = [1]struct{}{}[shogi.ReasonImpasse-C.KMD_REASON_IMPASSE]
	_ = [1]struct{}{}[shogi.ReasonMoveLimit-C.KMD_REASON_MOVE_LIMIT]
	_ = [1]struct{}{}[shogi.ReasonTryRule-C.KMD_REASON_TRY_RULE]
	_ = [1]struct{}{}[shogi.ReasonCheckmate-C.KMD_REASON_CHECKMATE]
	_ = [1]struct{}{}[shogi.ReasonNoLegalMoves-C.KMD_REASON_NO_LEGAL_MOVES]
	_ = [1]struct{}{}[shogi.OutcomeNone-C.KMD_TERMINAL_NONE]
	_ = [1]struct{}{}[shogi.OutcomeWin-C.KMD_TERMINAL_WIN]
	_ = [1]struct{}{}[shogi.OutcomeDraw-C.KMD_TERMINAL_DRAW]
	_ = [1]struct{}{}[shogi.OutcomeLoss-C.KMD_TERMINAL_LOSS]
)

//export go_kmd_board_repetition
func go_kmd_board_repetition(h C.kmd_board, state *C.int32_t) C.kmd_status {
	return ask("kmd_board_repetition", "state", h, state, func(g board.Game) (C.int32_t, error) {
		return C.int32_t(g.RepetitionState()), nil
	})
}

//export go_kmd_board_search_repetition
func go_kmd_board_search_repetition(h C.kmd_board, maxPly C.int32_t, state *C.int32_t) C.kmd_status {
	return ask("kmd_board_search_repetition", "state", h, state, func(g board.Game) (C.int32_t, error) {
		return C.int32_t(g.SearchRepetition(int(maxPly))), nil
	})
}

//export go_kmd_board_is_repetition
func go_kmd_board_is_repetition(h C.kmd_board, count C.int32_t, repeated *C.int32_t) C.kmd_status {
	return ask("kmd_board_is_repetition", "repeated", h, repeated, func(g board.Game) (C.int32_t, error) {
		return truth(g.IsRepetition(int(count))), nil
	})
}

//export go_kmd_board_declaration
func go_kmd_board_declaration(h C.kmd_board, rule C.int32_t, out *C.kmd_declaration) (status C.kmd_status) {
	const op = "kmd_board_declaration"
	if isNull(op, "declaration", unsafe.Pointer(out), 4, &status) || !hasSize(op, "declaration", out.size, unsafe.Sizeof(*out), &status) {
		return status
	}
	return use(h, func(g board.Game) error {
		r, err := shogi.NewEnteringKingRule(int(rule))
		if err != nil {
			return err
		}
		d, err := g.Pos.Declaration(r)
		if err != nil {
			return err
		}
		*out = C.kmd_declaration{
			size: out.size, verdict: C.int32_t(d.Verdict), points: C.int32_t(d.Points), required: C.int32_t(d.Required),
			pieces_in_camp: C.int32_t(d.PiecesInCamp), king_in_camp: truth(d.KingInCamp), in_check: truth(d.InCheck), move: C.kmd_move(d.Move),
		}
		return nil
	})
}

//export go_kmd_rules_profile
func go_kmd_rules_profile(name *C.char, length C.size_t, out *C.kmd_rules) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_rules_profile"
	text, ok := readText(op, name, length, &status)
	if !ok || isNull(op, "rules", unsafe.Pointer(out), 4, &status) || !hasSize(op, "rules", out.size, unsafe.Sizeof(*out), &status) {
		return status
	}
	p, err := board.ParseProfile(text)
	if err != nil {
		return report(err)
	}
	r := p.Rules()
	*out = C.kmd_rules{
		size: out.size, repetition: C.int32_t(r.Repetition), entering_king: C.int32_t(r.EnteringKing), move_limit: C.int32_t(r.MoveLimit),
		limit_waits: truth(r.LimitWaits), handicap: C.int32_t(r.Handicap),
	}
	return C.KMD_OK
}

// readRules takes rules from C; those that do not exist are fault.InvalidValue.
func readRules(op string, rules *C.kmd_rules) (board.Rules, error) {
	rule, err := shogi.NewEnteringKingRule(int(rules.entering_king))
	if err != nil {
		return board.Rules{}, err
	}
	handicap, err := board.NewHandicap(int(rules.handicap))
	if err != nil {
		return board.Rules{}, err
	}
	if rules.limit_waits != 0 && rules.limit_waits != 1 {
		return board.Rules{}, fault.New(fault.InvalidValue, op, "limit_waits %d, want 0 or 1", rules.limit_waits)
	}
	r := board.Rules{
		Repetition: int(rules.repetition), EnteringKing: rule, MoveLimit: int(rules.move_limit), LimitWaits: rules.limit_waits == 1, Handicap: handicap,
	}
	return r, r.Check()
}

//export go_kmd_board_outcome
func go_kmd_board_outcome(h C.kmd_board, rules *C.kmd_rules, declare C.int32_t, out *C.kmd_outcome) (status C.kmd_status) {
	const op = "kmd_board_outcome"
	if isNull(op, "rules", unsafe.Pointer(rules), 4, &status) || !hasSize(op, "rules", rules.size, unsafe.Sizeof(*rules), &status) ||
		isNull(op, "outcome", unsafe.Pointer(out), 4, &status) || !hasSize(op, "outcome", out.size, unsafe.Sizeof(*out), &status) {
		return status
	}
	return use(h, func(g board.Game) error {
		r, err := readRules(op, rules)
		if err != nil {
			return err
		}
		if declare < C.KMD_DECLARE_NEVER || declare > C.KMD_DECLARE_TO_DRAW {
			return fault.New(fault.InvalidValue, op, "declare %d, want 0..2", declare)
		}
		o, err := g.Outcome(r, board.Declare(declare))
		if err != nil {
			return err
		}
		result := C.int32_t(-1)
		if o.IsOver() {
			result = C.int32_t(o.Result)
		}
		*out = C.kmd_outcome{
			size: out.size, reason: C.int32_t(o.Reason), result: result, end: C.int32_t(o.End()), terminal: C.int32_t(o.Status(g.Pos.Turn()).Outcome),
		}
		return nil
	})
}
