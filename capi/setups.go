package main

/*
#include "native.h"
*/
import "C"

import (
	"unsafe"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/notation"
	"komadori/core/shogi"
)

// Numbers that are in the header and in package board.
var (
	_ = [1]struct{}{}[board.HandicapEven-C.KMD_HANDICAP_EVEN]
	_ = [1]struct{}{}[board.HandicapLance-C.KMD_HANDICAP_LANCE]
	_ = [1]struct{}{}[board.HandicapRightLance-C.KMD_HANDICAP_RIGHT_LANCE]
	_ = [1]struct{}{}[board.HandicapBishop-C.KMD_HANDICAP_BISHOP]
	_ = [1]struct{}{}[board.HandicapRook-C.KMD_HANDICAP_ROOK]
	_ = [1]struct{}{}[board.HandicapRookLance-C.KMD_HANDICAP_ROOK_LANCE]
	_ = [1]struct{}{}[board.HandicapTwoPiece-C.KMD_HANDICAP_TWO_PIECE]
	_ = [1]struct{}{}[board.HandicapThreePiece-C.KMD_HANDICAP_THREE_PIECE]
	_ = [1]struct{}{}[board.HandicapFourPiece-C.KMD_HANDICAP_FOUR_PIECE]
	_ = [1]struct{}{}[board.HandicapFivePiece-C.KMD_HANDICAP_FIVE_PIECE]
	_ = [1]struct{}{}[board.HandicapLeftFive-C.KMD_HANDICAP_LEFT_FIVE_PIECE]
	_ = [1]struct{}{}[board.HandicapSixPiece-C.KMD_HANDICAP_SIX_PIECE]
	_ = [1]struct{}{}[board.HandicapLeftSeven-C.KMD_HANDICAP_LEFT_SEVEN_PIECE]
	_ = [1]struct{}{}[board.HandicapRightSeven-C.KMD_HANDICAP_RIGHT_SEVEN_PIECE]
	_ = [1]struct{}{}[board.HandicapEightPiece-C.KMD_HANDICAP_EIGHT_PIECE]
	_ = [1]struct{}{}[board.HandicapTenPiece-C.KMD_HANDICAP_TEN_PIECE]
	_ = [1]struct{}{}[board.HandicapOther-C.KMD_HANDICAP_OTHER]

	_ = [1]struct{}{}[notation.TextSFEN-C.KMD_TEXT_SFEN]
	_ = [1]struct{}{}[notation.TextCSA-C.KMD_TEXT_CSA]
	_ = [1]struct{}{}[notation.TextBOD-C.KMD_TEXT_BOD]
	_ = [1]struct{}{}[notation.TextPlain-C.KMD_TEXT_PLAIN]
	_ = [1]struct{}{}[notation.TextSFENWithoutPly-C.KMD_TEXT_SFEN_WITHOUT_PLY]
)

// isNoSetup reports a struct that cannot be read or written.
func isNoSetup(op string, setup *C.kmd_setup, status *C.kmd_status) bool {
	return isNull(op, "setup", unsafe.Pointer(setup), 4, status) || !hasSize(op, "setup", setup.size, unsafe.Sizeof(*setup), status)
}

// readSetup takes the numbers as they are. A count that a packed hand cannot hold becomes the largest that it can, which is more than the men
// that exist: problems name it, and err says it for functions that would otherwise give a wrong count back.
func readSetup(op string, setup *C.kmd_setup) (s board.Setup, err error) {
	s = board.Setup{Turn: shogi.Color(setup.turn), Ply: int32(setup.ply)}
	for i, p := range setup.board {
		s.Board[i] = shogi.Piece(p)
	}
	for c := range setup.hands {
		for i, n := range setup.hands[c] {
			t := shogi.PieceType(i + 1)
			most := shogi.HandMask[t]
			if uint32(n) > most && err == nil {
				err = fault.New(fault.InvalidValue, op, "%d %v in the hand of %v, want at most %d", n, t, shogi.Color(c), most)
			}
			s.Hands[c] |= shogi.Hand(min(uint32(n), most)) << shogi.HandShift[t]
		}
	}
	return s, err
}

func writeSetup(s *board.Setup, setup *C.kmd_setup) {
	setup.ply, setup.turn = C.int32_t(s.Ply), C.uint8_t(s.Turn)
	for i, p := range s.Board {
		setup.board[i] = C.uint8_t(p)
	}
	for c := range s.Hands {
		for i, n := range s.Hands[c].Counts() {
			setup.hands[c][i] = C.uint8_t(n)
		}
	}
}

//export go_kmd_board_from_setup
func go_kmd_board_from_setup(setup *C.kmd_setup, out *C.kmd_board) (status C.kmd_status) {
	const op = "kmd_board_from_setup"
	if isNoSetup(op, setup, &status) {
		return status
	}
	return create(op, out, func() (board.Position, error) {
		s, _ := readSetup(op, setup)
		return s.Position()
	})
}

//export go_kmd_board_set_setup
func go_kmd_board_set_setup(h C.kmd_board, setup *C.kmd_setup) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_board_set_setup"
	if isNoSetup(op, setup, &status) {
		return status
	}
	s, _ := readSetup(op, setup)
	p, err := s.Position()
	if err != nil {
		return report(err)
	}
	return resetTo(h, &p)
}

//export go_kmd_board_get_setup
func go_kmd_board_get_setup(h C.kmd_board, setup *C.kmd_setup) (status C.kmd_status) {
	if isNoSetup("kmd_board_get_setup", setup, &status) {
		return status
	}
	return use(h, func(g board.Game) error {
		s := g.Pos.Setup()
		writeSetup(&s, setup)
		return nil
	})
}

//export go_kmd_handicap_from_name
func go_kmd_handicap_from_name(text *C.char, length C.size_t, out *C.int32_t) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_handicap_from_name"
	if isNull(op, "handicap", unsafe.Pointer(out), 4, &status) {
		return status
	}
	name, ok := readText(op, text, length, &status)
	if !ok {
		return status
	}
	h, err := board.ParseHandicap(name)
	if err == nil {
		*out = C.int32_t(h)
	}
	return report(err)
}

//export go_kmd_handicap_name
func go_kmd_handicap_name(handicap, japanese C.int32_t, buffer *C.char, capacity C.size_t, needed *C.size_t) (status C.kmd_status) {
	defer recovered(&status)
	h, err := board.NewHandicap(int(handicap))
	if err != nil {
		return report(err)
	}
	name := h.String()
	if japanese != 0 {
		name = h.Japanese()
	}
	return writeText("kmd_handicap_name", []byte(name), buffer, capacity, needed)
}

//export go_kmd_setup_handicap
func go_kmd_setup_handicap(handicap C.int32_t, setup *C.kmd_setup) (status C.kmd_status) {
	defer recovered(&status)
	if isNoSetup("kmd_setup_handicap", setup, &status) {
		return status
	}
	h, err := board.NewHandicap(int(handicap))
	if err != nil {
		return report(err)
	}
	s, err := h.Setup()
	if err != nil {
		return report(err)
	}
	writeSetup(&s, setup)
	return C.KMD_OK
}

//export go_kmd_setup_to_handicap
func go_kmd_setup_to_handicap(setup *C.kmd_setup, out *C.int32_t) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_setup_to_handicap"
	if isNoSetup(op, setup, &status) || isNull(op, "handicap", unsafe.Pointer(out), 4, &status) {
		return status
	}
	s, _ := readSetup(op, setup)
	*out = C.int32_t(board.HandicapOf(&s))
	return C.KMD_OK
}

// writeProblems writes as many problems as there is room for and says how many there are.
func writeProblems(all []board.Problem, problems *C.kmd_problem, capacity C.size_t, count *C.size_t) {
	if count != nil {
		*count = C.size_t(len(all))
	}
	n := min(len(all), int(min(capacity, 1<<20)))
	copy(unsafe.Slice(problems, n), cProblems(all[:n]))
}

//export go_kmd_setup_problems
func go_kmd_setup_problems(setup *C.kmd_setup, problems *C.kmd_problem, capacity C.size_t, count *C.size_t) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_setup_problems"
	if isNoSetup(op, setup, &status) || isNoList(op, "problems", problems, capacity, count, &status) {
		return status
	}
	s, _ := readSetup(op, setup)
	writeProblems(s.Problems(), problems, capacity, count)
	return C.KMD_OK
}

//export go_kmd_setup_from_text
func go_kmd_setup_from_text(format C.int32_t, text *C.char, length C.size_t, setup *C.kmd_setup) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_setup_from_text"
	if isNoSetup(op, setup, &status) {
		return status
	}
	source, ok := readText(op, text, length, &status)
	if !ok {
		return status
	}
	s, err := notation.ParseSetup(source, notation.Text(format))
	if err == nil {
		writeSetup(&s, setup)
	}
	return report(err)
}

//export go_kmd_setup_to_text
func go_kmd_setup_to_text(setup *C.kmd_setup, format C.int32_t, buffer *C.char, capacity C.size_t, needed *C.size_t) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_setup_to_text"
	if isNoSetup(op, setup, &status) {
		return status
	}
	s, err := readSetup(op, setup)
	if err != nil {
		return report(err)
	}
	text, err := notation.FormatSetup(&s, notation.Text(format))
	if err != nil {
		return report(err)
	}
	return writeText(op, []byte(text), buffer, capacity, needed)
}

//export go_kmd_board_to_text
func go_kmd_board_to_text(h C.kmd_board, format C.int32_t, buffer *C.char, capacity C.size_t, needed *C.size_t) (status C.kmd_status) {
	var text string
	status = use(h, func(g board.Game) (err error) {
		s := g.Pos.Setup()
		text, err = notation.FormatSetup(&s, notation.Text(format))
		return err
	})
	if status != C.KMD_OK {
		return status
	}
	return writeText("kmd_board_to_text", []byte(text), buffer, capacity, needed)
}

//export go_kmd_setup_box
func go_kmd_setup_box(setup *C.kmd_setup, counts *C.uint8_t) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_setup_box"
	if isNoSetup(op, setup, &status) || isNull(op, "counts", unsafe.Pointer(counts), 1, &status) {
		return status
	}
	s, _ := readSetup(op, setup) // of a kind with a count that is cut there are too many anyway
	box := s.Box()
	for i, n := range box[shogi.Pawn:] {
		(*[8]C.uint8_t)(unsafe.Pointer(counts))[i] = C.uint8_t(n)
	}
	return C.KMD_OK
}

//export go_kmd_setup_give_box
func go_kmd_setup_give_box(setup *C.kmd_setup, color C.uint8_t) C.kmd_status {
	return deriveSetup("kmd_setup_give_box", setup, setup, func(s *board.Setup) (board.Setup, error) {
		err := s.GiveBox(shogi.Color(color))
		return *s, err
	})
}

// deriveSetup makes a setup of another one.
func deriveSetup(op string, from, to *C.kmd_setup, f func(*board.Setup) (board.Setup, error)) (status C.kmd_status) {
	defer recovered(&status)
	if isNoSetup(op, from, &status) || isNoSetup(op, to, &status) {
		return status
	}
	s, err := readSetup(op, from)
	if err == nil {
		s, err = f(&s)
	}
	if err == nil {
		writeSetup(&s, to)
	}
	return report(err)
}

//export go_kmd_setup_flip_side
func go_kmd_setup_flip_side(setup, flipped *C.kmd_setup) C.kmd_status {
	return deriveSetup("kmd_setup_flip_side", setup, flipped, func(s *board.Setup) (board.Setup, error) { return s.FlipSide(), nil })
}

//export go_kmd_setup_mirror_file
func go_kmd_setup_mirror_file(setup, mirrored *C.kmd_setup) C.kmd_status {
	return deriveSetup("kmd_setup_mirror_file", setup, mirrored, func(s *board.Setup) (board.Setup, error) { return s.MirrorFile(), nil })
}
