package board

import (
	"komadori/core/fault"
	"komadori/core/shogi"
)

// An Entry is one ply of history: the move, and what takes it back.
type Entry struct {
	undo      Undo
	sinceNull int32 // of the position before the move
	move      shogi.Move
}

// Move is the move played, MoveNull for a pass.
func (e *Entry) Move() shogi.Move { return e.move }

// A State is a game without its moves: the start, the position now and how many moves lie between. It has no pointers.
//
// A reader that comes upon a State whose writer stopped half-way finds Len written last by Push and first by Pop,
// so Start and the first Len entries always describe a game; Repair makes Pos agree with them.
type State struct {
	Start     Position
	Pos       Position
	sinceNull int32 // plies since the start or the last pass
	Len       int32
}

// A Game is a position with its history. The history is a block that the caller provides: Push appends to Entries when it is
// full, so Go programs need not care, and callers with memory of their own grow it before they push.
type Game struct {
	*State
	Entries []Entry
}

// NewGame is an even game before its first move.
func NewGame() *Game {
	g := &Game{State: new(State)}
	g.ResetTo(Start())
	return g
}

// NewGameFrom is a game that starts from a position.
func NewGameFrom(p Position) *Game {
	g := &Game{State: new(State)}
	g.ResetTo(p)
	return g
}

// Reset starts anew from a setup. On an error the game is unchanged.
func (g *Game) Reset(s *Setup) error {
	var p Position
	if err := p.Load(s); err != nil {
		return err
	}
	g.ResetTo(p)
	return nil
}

// ResetTo starts anew from a position.
func (g *Game) ResetTo(p Position) {
	storeInOrder(&g.Len, 0)
	g.Start = p
	g.Pos = p
	g.sinceNull = 0
}

// Clone is a copy with its own history.
func (g *Game) Clone() *Game {
	state := *g.State
	return &Game{State: &state, Entries: append([]Entry(nil), g.Entries[:g.Len]...)}
}

// InCheck tells whether the side to move stands in check.
func (s *State) InCheck() bool { return s.Pos.InCheck() }

// Push plays a move of the complete legal set. Anything else is fault.IllegalMove and changes nothing.
func (g *Game) Push(m shogi.Move) error {
	if !g.Pos.IsLegal(m) {
		return fault.New(fault.IllegalMove, "board.Game.Push", "%v (0x%04x) is not legal here", m, uint16(m))
	}
	g.PushUnchecked(m)
	return nil
}

// PushMove32 plays a Move32 whose move is legal and whose piece, when set, is the one that will stand on the target.
func (g *Game) PushMove32(m shogi.Move32) error {
	full, err := g.Pos.CheckMove32(m)
	if err != nil {
		return err
	}
	g.PushUnchecked(full.Move())
	return nil
}

// PushTrusted plays a move that the caller knows to be legal, at less cost than Push. What cannot be carried out is refused; another illegal move
// makes a position that no game reaches, with the men there were before, and can be taken back like others.
func (g *Game) PushTrusted(m shogi.Move) error {
	if !g.Pos.CanCarryOut(m) {
		return fault.New(fault.IllegalMove, "board.Game.PushTrusted", "%v (0x%04x) cannot be carried out here", m, uint16(m))
	}
	g.PushUnchecked(m)
	return nil
}

// CanCarryOut reports whether the side to move has the piece of a move and may put it where it is to go, as far as other pieces are concerned: the
// target is empty or holds a piece of the other side that is no king. How pieces move, and what checks demand, is not asked.
func (p *Position) CanCarryOut(m shogi.Move) bool {
	if !m.IsNormal() {
		return false
	}
	target := p.PieceAt(m.To())
	if m.IsDrop() {
		return target == shogi.NoPiece && p.Hand(p.turn).Count(m.DroppedType()) > 0
	}
	piece := p.PieceAt(m.From())
	return piece != shogi.NoPiece && piece.Color() == p.turn && (!m.IsPromotion() || piece.Type().IsPromotable()) &&
		(target == shogi.NoPiece || target.Color() != p.turn && target.Type() != shogi.King)
}

// PushUnchecked plays a move that the caller knows to be legal. Anything else breaks the game.
func (g *Game) PushUnchecked(m shogi.Move) {
	s, e := g.State, g.slot()
	e.sinceNull, e.move = s.sinceNull, m
	if s.Pos.turn == shogi.Black {
		e.undo = do[black, white](&s.Pos, m)
	} else {
		e.undo = do[white, black](&s.Pos, m)
	}
	s.sinceNull++
	storeInOrder(&s.Len, s.Len+1)
}

// slot is the entry for the next move.
func (g *Game) slot() *Entry {
	if int(g.Len) == len(g.Entries) {
		g.grow()
	}
	return &g.Entries[g.Len]
}

// grow makes room for another move. It stands apart to keep slot small.
//
//go:noinline
func (g *Game) grow() {
	g.Entries = append(g.Entries, Entry{})
	g.Entries = g.Entries[:cap(g.Entries)]
}

// PushNull passes. A side in check may not pass: that is fault.IllegalMove.
func (g *Game) PushNull() error {
	if g.InCheck() {
		return fault.New(fault.IllegalMove, "board.Game.PushNull", "the side to move stands in check")
	}
	g.PassUnchecked()
	return nil
}

// PassUnchecked is PushNull for a caller who knows that the side to move does not stand in check.
func (g *Game) PassUnchecked() {
	e := g.slot()
	*e = Entry{Undo{g.Pos.boardKey, g.Pos.handKey, 0}, g.sinceNull, shogi.MoveNull}
	g.Pos.DoNull()
	g.sinceNull = 0
	storeInOrder(&g.Len, g.Len+1)
}

// Pop takes the last move back and returns it. Without one it is fault.IllegalMove.
func (g *Game) Pop() (shogi.Move, error) {
	if g.Len == 0 {
		return noMove()
	}
	return g.PopUnchecked(), nil
}

// noMove stands apart to keep Pop small.
//
//go:noinline
func noMove() (shogi.Move, error) {
	return shogi.MoveNone, fault.New(fault.IllegalMove, "board.Game.Pop", "no move to take back")
}

// PopUnchecked is Pop for a caller who knows that there is a move. It is takeBack written out, a call less.
func (g *Game) PopUnchecked() shogi.Move {
	s := g.State
	e := &g.Entries[s.Len-1]
	storeInOrder(&s.Len, s.Len-1)
	s.sinceNull = e.sinceNull
	m := e.move
	switch {
	case m == shogi.MoveNull:
		s.Pos.UndoNull()
	case s.Pos.turn == shogi.White:
		undo[black, white](&s.Pos, m, e.undo)
	default:
		undo[white, black](&s.Pos, m, e.undo)
	}
	return m
}

// takeBack undoes the move or the pass of an entry.
func (p *Position) takeBack(e *Entry) {
	switch {
	case e.move == shogi.MoveNull:
		p.UndoNull()
	case p.turn == shogi.White:
		undo[black, white](p, e.move, e.undo)
	default:
		undo[white, black](p, e.move, e.undo)
	}
}

// LastMove is the last move, MoveNone at the start.
func (g *Game) LastMove() shogi.Move {
	if g.Len == 0 {
		return shogi.MoveNone
	}
	return g.Entries[g.Len-1].move
}

// AppendMoves appends the moves from the start on.
func (g *Game) AppendMoves(dst []shogi.Move) []shogi.Move {
	for i := range g.Entries[:g.Len] {
		dst = append(dst, g.Entries[i].move)
	}
	return dst
}

// Repair makes Pos agree with Start and the first Len entries, whatever a writer that stopped half-way left there. A writer that
// stopped inside Reset may have left a Start that is no position, and no game to go back to: that is fault.Handle.
func (g *Game) Repair() error {
	n := int(g.Len)
	if n < 0 || n > len(g.Entries) {
		return fault.New(fault.Handle, "board.Game.Repair", "%d moves with room for %d", n, len(g.Entries))
	}
	start := g.Start.Setup()
	var p Position
	if p.Load(&start) == nil {
		p.ply = g.Start.ply
	}
	if p != g.Start || g.Start.turn > shogi.White {
		return fault.New(fault.Handle, "board.Game.Repair", "the start of the game is broken")
	}
	h := Game{&State{Start: g.Start, Pos: g.Start}, make([]Entry, n)}
	for i := range g.Entries[:n] {
		m := g.Entries[i].move
		var err error
		if m == shogi.MoveNull {
			err = h.PushNull()
		} else {
			err = h.Push(m)
		}
		if err != nil {
			return fault.New(fault.Handle, "board.Game.Repair", "ply %d of the history cannot be played again", i+1)
		}
	}
	copy(g.Entries, h.Entries)
	*g.State = *h.State
	return nil
}
