package board

import (
	"slices"

	"komadori/core/fault"
	"komadori/core/shogi"
)

// Editing: none of these asks for rules, so that any diagram can be put up, and Problems names what is wrong with it. Men that are neither on
// the board nor in a hand are in the box (駒箱); what is overwritten goes there.

// EmptySetup is an empty board with empty hands, Black to move, ply 1.
func EmptySetup() Setup { return Setup{Ply: 1} }

// Clear makes s the EmptySetup: all men go to the box.
func (s *Setup) Clear() { *s = EmptySetup() }

// Put puts a piece on a square in place of what stands there; NoPiece empties it. fault.InvalidValue for what is no square or no piece.
func (s *Setup) Put(sq shogi.Square, p shogi.Piece) error {
	if err := onBoard("board.Setup.Put", sq); err != nil {
		return err
	}
	if !p.IsEmpty() && !p.IsOnBoard() {
		return fault.New(fault.InvalidValue, "board.Setup.Put", "piece %d, want 1..14 or 17..30, or 0 for an empty square", int8(p))
	}
	s.Board[sq] = p
	return nil
}

// Take empties a square and returns what stood there, NoPiece when nothing did. fault.InvalidValue for what is no square.
func (s *Setup) Take(sq shogi.Square) (shogi.Piece, error) {
	if err := onBoard("board.Setup.Take", sq); err != nil {
		return shogi.NoPiece, err
	}
	p := s.Board[sq]
	s.Board[sq] = shogi.NoPiece
	return p, nil
}

// Move puts what stands on one square on another in place of what stands there, as on a board at home: no rule, turn and ply stay.
// fault.InvalidValue when nothing stands there.
func (s *Setup) Move(from, to shogi.Square) error {
	const op = "board.Setup.Move"
	for _, sq := range [...]shogi.Square{from, to} {
		if err := onBoard(op, sq); err != nil {
			return err
		}
	}
	p := s.Board[from]
	if p.IsEmpty() {
		return fault.New(fault.InvalidValue, op, "nothing stands on %v", from)
	}
	s.Board[from] = shogi.NoPiece
	s.Board[to] = p
	return nil
}

// Swap exchanges what stands on two squares; either may be empty. fault.InvalidValue for what is no square.
func (s *Setup) Swap(a, b shogi.Square) error {
	for _, sq := range [...]shogi.Square{a, b} {
		if err := onBoard("board.Setup.Swap", sq); err != nil {
			return err
		}
	}
	s.Board[a], s.Board[b] = s.Board[b], s.Board[a]
	return nil
}

// SetHand says how many of a kind a side holds. More than exist can be held, up to HandRoom, and are a problem. fault.InvalidValue beyond that, and for
// kinds that cannot be in hand.
func (s *Setup) SetHand(c shogi.Color, t shogi.PieceType, n int) error {
	switch {
	case c > shogi.White:
		return fault.New(fault.InvalidValue, "board.Setup.SetHand", "color %d, want 0 or 1", c)
	case t < shogi.Pawn || t > shogi.Gold:
		return fault.New(fault.InvalidValue, "board.Setup.SetHand", "piece type %v cannot be in hand", t)
	case n < 0 || n > HandRoom(t):
		return fault.New(fault.InvalidValue, "board.Setup.SetHand", "%d %v in hand, want 0..%d", n, t, HandRoom(t))
	}
	s.Hands[c] &^= shogi.Hand(shogi.HandMask[t]) << shogi.HandShift[t]
	s.Hands[c] |= shogi.Hand(n) << shogi.HandShift[t]
	return nil
}

// HandRoom is how many of a kind a hand of a setup can hold: 31 pawns, 7 lances, knights, silvers and golds, 3 bishops and rooks; 0 for other kinds.
func HandRoom(t shogi.PieceType) int {
	if t < shogi.Pawn || t > shogi.Gold {
		return 0
	}
	return int(shogi.HandMask[t])
}

// A Box counts men by kind, indexed by PieceType from Pawn to King.
type Box [shogi.King + 1]int

// Box counts the men of a full set (18 4 4 4 2 2 4 and two kings) that are neither on the board nor in a hand. A kind of which there are too many has 0.
func (s *Setup) Box() Box {
	var box Box
	for t := shogi.Pawn; t <= shogi.King; t++ {
		box[t] = shogi.Men[t] - s.Hands[0].Count(t) - s.Hands[1].Count(t)
	}
	for _, p := range s.Board {
		if p.IsOnBoard() {
			box[p.Type().Demote()]--
		}
	}
	for t := range box {
		box[t] = max(box[t], 0)
	}
	return box
}

// GiveBox puts the men in the box into a side's hand, as mate problems (詰将棋) have it: the defender holds all that the diagram does not show. Kings
// stay in the box. fault.InvalidValue for what is no color.
func (s *Setup) GiveBox(c shogi.Color) error {
	if c > shogi.White {
		return fault.New(fault.InvalidValue, "board.Setup.GiveBox", "color %d, want 0 or 1", c)
	}
	box := s.Box()
	for t := shogi.Pawn; t <= shogi.Gold; t++ {
		s.Hands[c] += shogi.Hand(box[t]) << shogi.HandShift[t]
	}
	return nil
}

// IsPosition tells whether Position accepts the setup.
func (s *Setup) IsPosition() bool { return !slices.ContainsFunc(s.Problems(), isRefused) }

// CheckDiagram reports what no diagram can show: codes that are no piece, bits in a hand that are no count, a side to move that is neither, a ply
// below 1. The error is a ProblemsError. Whatever else is wrong with a setup can be written down and read back.
func (s *Setup) CheckDiagram() error {
	return s.problemsError("board.Setup.CheckDiagram", func(p Problem) bool {
		switch p.Kind {
		case InvalidPlacement, InvalidHandCount:
			return p.Type == shogi.NoPieceType
		}
		return p.Kind == InvalidTurn || p.Kind == InvalidPly
	})
}

func onBoard(op string, sq shogi.Square) error {
	if !sq.IsOnBoard() {
		return fault.New(fault.InvalidValue, op, "square %d, want 0..80", uint8(sq))
	}
	return nil
}
