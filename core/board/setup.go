// Package board has positions and games: setting up, playing and taking back moves, legal moves, repetition, perft.
//
// A Setup is anything a diagram can show. A Position has been checked; only Setup.Position and Position.Load make one.
// A Game is a position with its history.
package board

import (
	"fmt"
	"strings"

	"komadori/core/bitboard"
	"komadori/core/fault"
	"komadori/core/shogi"
)

// A Setup is a board, two hands, a side to move and a ply, legal or not.
type Setup struct {
	Board [81]shogi.Piece // by square
	Hands [2]shogi.Hand   // by color; counts above the men that exist can be held and are reported as problems
	Turn  shogi.Color
	Ply   int32 // from 1
}

// StartSetup is the even game (平手).
func StartSetup() Setup {
	s := Setup{Ply: 1}
	back := [9]shogi.PieceType{shogi.Lance, shogi.Knight, shogi.Silver, shogi.Gold, shogi.King, shogi.Gold, shogi.Silver, shogi.Knight, shogi.Lance}
	for f := shogi.File(0); f < 9; f++ {
		s.Board[shogi.MakeSquare(f, 0)] = shogi.MakePiece(shogi.White, back[f])
		s.Board[shogi.MakeSquare(f, 2)] = shogi.WPawn
		s.Board[shogi.MakeSquare(f, 6)] = shogi.BPawn
		s.Board[shogi.MakeSquare(f, 8)] = shogi.MakePiece(shogi.Black, back[f])
	}
	s.Board[shogi.MakeSquare(7, 1)] = shogi.WRook
	s.Board[shogi.MakeSquare(1, 1)] = shogi.WBishop
	s.Board[shogi.MakeSquare(7, 7)] = shogi.BBishop
	s.Board[shogi.MakeSquare(1, 7)] = shogi.BRook
	return s
}

// FlipSide turns the board by 180 degrees and exchanges sides, hands and turn. The ply stays.
func (s *Setup) FlipSide() Setup {
	out := Setup{Hands: [2]shogi.Hand{s.Hands[1], s.Hands[0]}, Turn: s.Turn.FlipSide(), Ply: s.Ply}
	for sq, p := range s.Board {
		if p.IsOnBoard() {
			p = p.FlipSide()
		}
		out.Board[80-sq] = p // what is no piece stays what it is, and so a problem
	}
	return out
}

// MirrorFile exchanges files 1 and 9, 2 and 8, and so on.
func (s *Setup) MirrorFile() Setup {
	out := Setup{Hands: s.Hands, Turn: s.Turn, Ply: s.Ply}
	for sq, p := range s.Board {
		out.Board[shogi.Square(sq).MirrorFile()] = p
	}
	return out
}

// A ProblemKind says what is wrong or odd about a setup. Numbers are part of the C interface.
type ProblemKind int32

const (
	NoKing           ProblemKind = 1 // accepted by Position
	TwoKings         ProblemKind = 2
	DoublePawn       ProblemKind = 3 // nifu (二歩)
	InvalidHandCount ProblemKind = 4
	InvalidPlacement ProblemKind = 5 // a piece that can never move, or a code that is no piece
	TooManyPieces    ProblemKind = 6
	OpponentInCheck  ProblemKind = 7 // accepted by Position
	InvalidTurn      ProblemKind = 8
	InvalidPly       ProblemKind = 9
)

func (k ProblemKind) String() string {
	names := [...]string{"", "NO_KING", "TWO_KINGS", "DOUBLE_PAWN", "INVALID_HAND_COUNT", "INVALID_PLACEMENT", "TOO_MANY_PIECES", "OPPONENT_IN_CHECK", "INVALID_TURN", "INVALID_PLY"}
	if k < 1 || int(k) >= len(names) {
		return "UNKNOWN"
	}
	return names[k]
}

// IsAccepted tells whether a Position may have this problem: positions without a king and with the side not to move in check
// are of use in problems and studies.
func (k ProblemKind) IsAccepted() bool { return k == NoKing || k == OpponentInCheck }

// A Problem is one thing wrong or odd about a setup.
type Problem struct {
	Kind   ProblemKind
	Color  shogi.Color     // whose, where it is one side's
	Square shogi.Square    // where, or NoSquare
	Type   shogi.PieceType // what, or NoPieceType
}

func (p Problem) String() string {
	side := [...]string{"black", "white"}[p.Color&1]
	switch p.Kind {
	case NoKing:
		return side + " has no king"
	case TwoKings:
		return side + " has more than one king"
	case DoublePawn:
		return fmt.Sprintf("%s has two unpromoted pawns on file %d", side, p.Square.File()+1)
	case InvalidHandCount:
		return fmt.Sprintf("%s holds more %v than exist, or hand bits that mean nothing", side, p.Type)
	case InvalidPlacement:
		return fmt.Sprintf("the piece on %v cannot stand there", p.Square)
	case TooManyPieces:
		return fmt.Sprintf("more %v than exist", p.Type)
	case OpponentInCheck:
		return "the side not to move stands in check"
	case InvalidTurn:
		return "the side to move is neither black nor white"
	case InvalidPly:
		return "the ply is below 1"
	}
	return p.Kind.String()
}

// isRefused tells the problems that no Position has.
func isRefused(p Problem) bool { return !p.Kind.IsAccepted() }

// A ProblemsError says why a setup is no position. It matches fault.InvalidPosition.
type ProblemsError struct {
	Fault    *fault.Error
	Problems []Problem
}

// Error names the problems that a Position cannot have.
func (e *ProblemsError) Error() string { return e.Fault.Error() }

// Unwrap gives the plain error.
func (e *ProblemsError) Unwrap() error { return e.Fault }

// Problems lists everything wrong or odd at once: first by color and square, then by kind.
func (s *Setup) Problems() []Problem {
	var out []Problem
	var kings [2]int
	var pawns [2][9]bool
	var total [16]int
	for i, p := range s.Board {
		sq := shogi.Square(i)
		if p.IsEmpty() {
			continue
		}
		if !p.IsOnBoard() {
			out = append(out, Problem{InvalidPlacement, shogi.Black, sq, shogi.NoPieceType})
			continue
		}
		c, t := p.Color(), p.Type()
		total[t.Demote()]++
		if t.MustPromote(c, sq.Rank()) {
			out = append(out, Problem{InvalidPlacement, c, sq, t})
		}
		switch t {
		case shogi.King:
			kings[c]++
			if kings[c] == 2 {
				out = append(out, Problem{TwoKings, c, sq, t})
			}
		case shogi.Pawn:
			if pawns[c][sq.File()] {
				out = append(out, Problem{DoublePawn, c, sq, t})
			}
			pawns[c][sq.File()] = true
		}
	}
	for c := shogi.Black; c <= shogi.White; c++ {
		if kings[c] == 0 {
			out = append(out, Problem{NoKing, c, shogi.NoSquare, shogi.King})
		}
		stray := s.Hands[c]
		for t := shogi.Pawn; t <= shogi.Gold; t++ {
			n := s.Hands[c].Count(t)
			total[t] += n
			stray &^= shogi.Hand(shogi.HandMask[t]) << shogi.HandShift[t]
			if n > shogi.HandMax[t] {
				out = append(out, Problem{InvalidHandCount, c, shogi.NoSquare, t})
			}
		}
		if stray != 0 {
			out = append(out, Problem{InvalidHandCount, c, shogi.NoSquare, shogi.NoPieceType})
		}
	}
	for t := shogi.Pawn; t <= shogi.Gold; t++ {
		if total[t] > shogi.Men[t] {
			out = append(out, Problem{TooManyPieces, shogi.Black, shogi.NoSquare, t})
		}
	}
	if s.Turn > shogi.White {
		return append(out, Problem{InvalidTurn, shogi.Black, shogi.NoSquare, shogi.NoPieceType})
	}
	if s.Ply < 1 {
		out = append(out, Problem{InvalidPly, shogi.Black, shogi.NoSquare, shogi.NoPieceType})
	}
	if s.opponentInCheck() {
		out = append(out, Problem{OpponentInCheck, s.Turn.Opposite(), shogi.NoSquare, shogi.King})
	}
	return out
}

// opponentInCheck asks the board alone, so that it can be asked of setups that are no positions.
func (s *Setup) opponentInCheck() bool {
	var occupied bitboard.Bitboard
	for sq, p := range s.Board {
		if !p.IsEmpty() {
			occupied = occupied.Set(shogi.Square(sq))
		}
	}
	king := shogi.MakePiece(s.Turn.Opposite(), shogi.King)
	for k, target := range s.Board {
		if target != king {
			continue
		}
		for sq, p := range s.Board {
			if p.IsOnBoard() && p.Color() == s.Turn && bitboard.Attacks(p, shogi.Square(sq), occupied).Test(shogi.Square(k)) {
				return true
			}
		}
	}
	return false
}

// Position checks the setup.
func (s *Setup) Position() (Position, error) {
	var p Position
	err := p.Load(s)
	return p, err
}

// problemsError is the error of a setup with problems of which some matter, nil when none does. It carries all of them and tells those that matter.
func (s *Setup) problemsError(op string, matters func(Problem) bool) error {
	all := s.Problems()
	var words []string
	for _, p := range all {
		if matters(p) {
			words = append(words, p.String())
		}
	}
	if words == nil {
		return nil
	}
	return &ProblemsError{fault.New(fault.InvalidPosition, op, "%s", strings.Join(words, "; ")), all}
}
