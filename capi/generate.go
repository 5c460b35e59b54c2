package main

/*
#include "native.h"
*/
import "C"

import (
	"unsafe"

	"komadori/core/batch"
	"komadori/core/bitboard"
	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/shogi"
)

// The numbers of the header are those of package board.
var (
	_ = [1]struct{}{}[board.AllMoves-C.KMD_MOVES_ALL]
	_ = [1]struct{}{}[board.PseudoLegal-C.KMD_MOVES_PSEUDO_LEGAL]
	_ = [1]struct{}{}[board.SearchMoves-C.KMD_MOVES_SEARCH]
	_ = [1]struct{}{}[board.Captures-C.KMD_MOVES_CAPTURES]
	_ = [1]struct{}{}[board.Quiets-C.KMD_MOVES_QUIETS]
	_ = [1]struct{}{}[board.Evasions-C.KMD_MOVES_EVASIONS]
	_ = [1]struct{}{}[board.Checks-C.KMD_MOVES_CHECKS]
	_ = [1]struct{}{}[board.Recaptures-C.KMD_MOVES_RECAPTURES]
	_ = [1]struct{}{}[board.Drops-C.KMD_MOVES_DROPS]
	_ = [1]struct{}{}[board.Tactical-C.KMD_MOVES_TACTICAL]
	_ = [1]struct{}{}[board.MoveKinds-C.KMD_MOVE_KINDS]
	_ = [1]struct{}{}[board.MoveStages-C.KMD_MOVE_STAGES]
)

// kindOf checks a kind of moves with its square.
func kindOf(op string, kind C.int32_t, square C.uint8_t) (board.MoveKind, shogi.Square, error) {
	k := board.MoveKind(kind)
	if !k.IsValid() {
		return k, shogi.NoSquare, fault.New(fault.Argument, op, "kind %d, want 0..%d", kind, board.MoveKinds-1)
	}
	if k != board.Recaptures {
		return k, shogi.NoSquare, nil
	}
	sq, err := onBoard(op, square)
	return k, sq, err
}

// isStage checks a stage.
func isStage(op string, stage C.int32_t) error {
	if stage < 0 || stage >= board.MoveStages {
		return fault.New(fault.Argument, op, "stage %d, want 0..%d", stage, board.MoveStages-1)
	}
	return nil
}

// onBoard checks a square.
func onBoard(op string, square C.uint8_t) (shogi.Square, error) {
	if square > 80 {
		return shogi.NoSquare, fault.New(fault.InvalidValue, op, "square %d, want 0..80", square)
	}
	return shogi.Square(square), nil
}

//export go_kmd_board_generate
func go_kmd_board_generate(h C.kmd_board, kind C.int32_t, square C.uint8_t, moves *C.kmd_move, capacity C.size_t, count *C.size_t) (status C.kmd_status) {
	const op = "kmd_board_generate"
	if isNoList(op, "moves", moves, capacity, count, &status) {
		return status
	}
	return use(h, func(g board.Game) error {
		k, sq, err := kindOf(op, kind, square)
		if err != nil {
			return err
		}
		var l board.MoveList
		g.Pos.Generate(k, sq, &l)
		return list(op, l.Slice(), unsafe.Pointer(moves), capacity, count)
	})
}

//export go_kmd_board_generate_stage
func go_kmd_board_generate_stage(h C.kmd_board, kind C.int32_t, square C.uint8_t, stage C.int32_t, moves *C.kmd_move, capacity C.size_t, count *C.size_t) (status C.kmd_status) {
	const op = "kmd_board_generate_stage"
	if isNoList(op, "moves", moves, capacity, count, &status) {
		return status
	}
	return use(h, func(g board.Game) error {
		k, sq, err := kindOf(op, kind, square)
		if err == nil {
			err = isStage(op, stage)
		}
		if err != nil {
			return err
		}
		var l board.MoveList
		g.Pos.GenerateStage(k, sq, int(stage), &l)
		return list(op, l.Slice(), unsafe.Pointer(moves), capacity, count)
	})
}

//export go_kmd_quick_generate
func go_kmd_quick_generate(h C.kmd_board, kind C.int32_t, square C.uint8_t, stage C.int32_t, moves *C.kmd_move) (n C.int32_t) {
	const op = "kmd_quick_generate"
	if isNull(op, "moves", unsafe.Pointer(moves), 2, &n) {
		return n
	}
	return quick(h, func(s *slot) (C.int32_t, error) {
		k, sq, err := kindOf(op, kind, square)
		if err == nil && stage != C.KMD_ALL_STAGES {
			err = isStage(op, stage)
		}
		if err != nil {
			return 0, err
		}
		return listed(moves, func(l *board.MoveList) {
			if stage == C.KMD_ALL_STAGES {
				s.state.Pos.Generate(k, sq, l)
			} else {
				s.state.Pos.GenerateStage(k, sq, int(stage), l)
			}
		}), nil
	})
}

// squares gives a set of squares that a board knows.
func squares(op string, h C.kmd_board, words *C.uint64_t, f func(*board.Position) (bitboard.Bitboard, error)) C.kmd_status {
	return ask(op, "words", h, (*[2]C.uint64_t)(unsafe.Pointer(words)), func(g board.Game) ([2]C.uint64_t, error) {
		b, err := f(&g.Pos)
		return [2]C.uint64_t{C.uint64_t(b.Lo), C.uint64_t(b.Hi)}, err
	})
}

// squaresOfColor gives a set of squares that depends on a color.
func squaresOfColor(op string, h C.kmd_board, color C.uint8_t, words *C.uint64_t, f func(*board.Position, shogi.Color) bitboard.Bitboard) C.kmd_status {
	return squares(op, h, words, func(p *board.Position) (bitboard.Bitboard, error) {
		c, err := shogi.NewColor(int(color))
		if err != nil {
			return bitboard.Bitboard{}, err
		}
		return f(p, c), nil
	})
}

//export go_kmd_board_attackers_to
func go_kmd_board_attackers_to(h C.kmd_board, square C.uint8_t, color C.uint8_t, words *C.uint64_t) C.kmd_status {
	const op = "kmd_board_attackers_to"
	return squares(op, h, words, func(p *board.Position) (bitboard.Bitboard, error) {
		sq, c, err := squareAndColor(op, square, color)
		if err != nil {
			return bitboard.Bitboard{}, err
		}
		return p.AttackersTo(sq, c), nil
	})
}

func squareAndColor(op string, square, color C.uint8_t) (sq shogi.Square, c shogi.Color, err error) {
	if sq, err = onBoard(op, square); err == nil {
		c, err = shogi.NewColor(int(color))
	}
	return sq, c, err
}

//export go_kmd_board_attacks_by
func go_kmd_board_attacks_by(h C.kmd_board, square C.uint8_t, words *C.uint64_t) C.kmd_status {
	const op = "kmd_board_attacks_by"
	return squares(op, h, words, func(p *board.Position) (bitboard.Bitboard, error) {
		sq, err := onBoard(op, square)
		if err != nil {
			return bitboard.Bitboard{}, err
		}
		return p.AttacksBy(sq), nil
	})
}

//export go_kmd_board_attacked_by
func go_kmd_board_attacked_by(h C.kmd_board, color C.uint8_t, words *C.uint64_t) C.kmd_status {
	return squaresOfColor("kmd_board_attacked_by", h, color, words, (*board.Position).AttackedBy)
}

//export go_kmd_board_checkers
func go_kmd_board_checkers(h C.kmd_board, words *C.uint64_t) C.kmd_status {
	return squares("kmd_board_checkers", h, words, func(p *board.Position) (bitboard.Bitboard, error) { return p.Checkers(), nil })
}

//export go_kmd_board_blockers
func go_kmd_board_blockers(h C.kmd_board, color C.uint8_t, words *C.uint64_t) C.kmd_status {
	return squaresOfColor("kmd_board_blockers", h, color, words, (*board.Position).Blockers)
}

//export go_kmd_board_pinned
func go_kmd_board_pinned(h C.kmd_board, color C.uint8_t, words *C.uint64_t) C.kmd_status {
	return squaresOfColor("kmd_board_pinned", h, color, words, (*board.Position).Pinned)
}

//export go_kmd_board_discoverers
func go_kmd_board_discoverers(h C.kmd_board, words *C.uint64_t) C.kmd_status {
	return squares("kmd_board_discoverers", h, words, func(p *board.Position) (bitboard.Bitboard, error) { return p.Discoverers(), nil })
}

//export go_kmd_board_check_squares
func go_kmd_board_check_squares(h C.kmd_board, pieceType C.uint8_t, words *C.uint64_t) C.kmd_status {
	const op = "kmd_board_check_squares"
	return squares(op, h, words, func(p *board.Position) (bitboard.Bitboard, error) {
		if pieceType < C.KMD_PAWN || pieceType > C.KMD_DRAGON {
			return bitboard.Bitboard{}, fault.New(fault.InvalidValue, op, "piece type %d, want 1..14", pieceType)
		}
		return p.CheckSquares(shogi.PieceType(pieceType)), nil
	})
}

//export go_kmd_board_is_attacked
func go_kmd_board_is_attacked(h C.kmd_board, square C.uint8_t, color C.uint8_t, attacked *C.int32_t) C.kmd_status {
	const op = "kmd_board_is_attacked"
	return ask(op, "attacked", h, attacked, func(g board.Game) (C.int32_t, error) {
		sq, c, err := squareAndColor(op, square, color)
		if err != nil {
			return 0, err
		}
		return truth(g.Pos.IsAttacked(sq, c)), nil
	})
}

// counts gives numbers by square.
func counts[T any](op string, h C.kmd_board, out *C.uint8_t, f func(*board.Position, *T)) (status C.kmd_status) {
	if isNull(op, "counts", unsafe.Pointer(out), 1, &status) {
		return status
	}
	return use(h, func(g board.Game) error {
		f(&g.Pos, (*T)(unsafe.Pointer(out)))
		return nil
	})
}

//export go_kmd_board_attack_counts
func go_kmd_board_attack_counts(h C.kmd_board, xray C.int32_t, out *C.uint8_t) C.kmd_status {
	return counts("kmd_board_attack_counts", h, out, func(p *board.Position, out *[2][81]uint8) { p.CountAttacksBySide(xray != 0, out) })
}

//export go_kmd_board_attack_counts_by_kind
func go_kmd_board_attack_counts_by_kind(h C.kmd_board, xray C.int32_t, out *C.uint8_t) C.kmd_status {
	return counts("kmd_board_attack_counts_by_kind", h, out, func(p *board.Position, out *board.AttackCounts) { p.CountAttacks(xray != 0, out) })
}

//export go_kmd_attack_counts_batch
func go_kmd_attack_counts_batch(in *C.kmd_rows, xray, byKind C.int32_t, out *C.uint8_t, rowStatus *C.kmd_status) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_attack_counts_batch"
	rows, n, run, ok := rowsOf(op, in, rowStatus, &status)
	if !ok || n > 0 && isNull(op, "counts", unsafe.Pointer(out), 1, &status) {
		return status
	}
	size := int(unsafe.Sizeof([2][81]uint8{}))
	if byKind != 0 {
		size = int(unsafe.Sizeof(board.AttackCounts{}))
	}
	if !separate(op, in, rows, rowStatus, n, &status, writes("counts", out, n*size)) {
		return status
	}
	var err error
	if byKind != 0 {
		_, err = batch.AttackCountsByKind(slice[board.AttackCounts](unsafe.Pointer(out), n), rows, xray != 0, run)
	} else {
		_, err = batch.AttackCounts(slice[[2][81]uint8](unsafe.Pointer(out), n), rows, xray != 0, run)
	}
	return report(err)
}

//export go_kmd_board_mobility
func go_kmd_board_mobility(h C.kmd_board, out *C.uint8_t) C.kmd_status {
	return counts("kmd_board_mobility", h, out, (*board.Position).Mobility)
}

//export go_kmd_board_see
func go_kmd_board_see(h C.kmd_board, move C.kmd_move, value *C.int32_t) C.kmd_status {
	const op = "kmd_board_see"
	return ask(op, "value", h, value, func(g board.Game) (C.int32_t, error) {
		m, err := wantLegal(op, g, move)
		if err != nil {
			return 0, err
		}
		return C.int32_t(g.Pos.SEE(m)), nil
	})
}

//export go_kmd_board_pawn_key
func go_kmd_board_pawn_key(h C.kmd_board, key *C.uint64_t) C.kmd_status {
	return ask("kmd_board_pawn_key", "key", h, key, func(g board.Game) (C.uint64_t, error) { return C.uint64_t(g.Pos.PawnKey()), nil })
}

//export go_kmd_board_material_key
func go_kmd_board_material_key(h C.kmd_board, key *C.uint64_t) C.kmd_status {
	return ask("kmd_board_material_key", "key", h, key, func(g board.Game) (C.uint64_t, error) { return C.uint64_t(g.Pos.MaterialKey()), nil })
}

//export go_kmd_board_key128
func go_kmd_board_key128(h C.kmd_board, words *C.uint64_t) C.kmd_status {
	return ask("kmd_board_key128", "words", h, (*[2]C.uint64_t)(unsafe.Pointer(words)), func(g board.Game) ([2]C.uint64_t, error) {
		high, low := g.Pos.Key128()
		return [2]C.uint64_t{C.uint64_t(low), C.uint64_t(high)}, nil
	})
}
