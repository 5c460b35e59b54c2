package board

import (
	"komadori/core/bitboard"
	"komadori/core/internal/assert"
	"komadori/core/shogi"
	"komadori/core/zobrist"
)

// black and white are colors as types: arrays of different length, so that the compiler makes one body of a generic function
// for each and the color, len(C{}), is a constant in it. The pair is always (mover, opponent).
type (
	black = [0]struct{}
	white = [1]struct{}
	side  interface{ black | white }
)

// Undo is what Do cannot recompute.
type Undo struct {
	boardKey uint64
	handKey  uint64
	captured uint8
}

// Captured is the piece that the move took, NoPiece if none.
func (u *Undo) Captured() shogi.Piece { return shogi.Piece(u.captured) }

// Do plays a legal move. Anything else leaves a broken position: ask IsLegal first, or use Game.Push. It does not allocate.
func (p *Position) Do(m shogi.Move) Undo {
	if assert.Enabled { // the condition itself costs more than the move
		assert.That(p.IsLegal(m), "Do of a legal move")
	}
	if p.turn == shogi.Black {
		return do[black, white](p, m)
	}
	return do[white, black](p, m)
}

// Undo takes back the move that gave u.
func (p *Position) Undo(m shogi.Move, u Undo) {
	if p.turn == shogi.White {
		undo[black, white](p, m, u)
	} else {
		undo[white, black](p, m, u)
	}
}

func do[C, E side](p *Position, m shogi.Move) Undo {
	var c C
	var e E
	us, them := len(c), len(e)
	u := Undo{p.boardKey, p.handKey, 0}
	own := &p.sets[us]
	p.turn = shogi.Color(them)
	p.ply++
	to := m & 127
	toSet := bitboard.Of(shogi.Square(to))
	if m&shogi.MoveDrop != 0 {
		t := m >> 7 & 7
		piece := uint8(t) | uint8(us)<<4
		p.addToHand(us, int(t), -1)
		p.board[to] = piece
		p.boardKey = u.boardKey ^ zobrist.Board[piece&31][to]
		own[allPieces] = own[allPieces].Xor(toSet)
		own[t] = own[t].Xor(toSet)
		return u
	}
	from := m >> 7 & 127
	before := p.board[from]
	captured := p.board[to]
	fromSet := bitboard.Of(shogi.Square(from))
	both := fromSet.Or(toSet)
	own[allPieces] = own[allPieces].Xor(both)
	p.board[from] = 0
	key := u.boardKey ^ zobrist.Board[before&31][from]
	set := &own[setOf[before&15]&15]
	if m&shogi.MovePromote == 0 {
		p.board[to] = before
		key ^= zobrist.Board[before&31][to]
		*set = set.Xor(both)
		if before&15 == uint8(shogi.King) {
			p.kings[us] = shogi.Square(to)
		}
	} else {
		after := before + shogi.PromoteOffset
		p.board[to] = after
		key ^= zobrist.Board[after&31][to]
		*set = set.Xor(fromSet)
		set = &own[setOf[after&15]&15]
		*set = set.Xor(toSet)
	}
	if captured != 0 {
		u.captured = captured
		key ^= zobrist.Board[captured&31][to]
		enemy := &p.sets[them]
		enemy[allPieces] = enemy[allPieces].Xor(toSet)
		set = &enemy[setOf[captured&15]&15]
		*set = set.Xor(toSet)
		p.addToHand(us, int(captured), 1)
	}
	p.boardKey = key
	return u
}

// addToHand adds one piece to a hand or, with -1, takes one away. Promotion does not count: kinds in hand are 1..7.
func (p *Position) addToHand(us, piece, one int) {
	t := piece & 7
	unit := shogi.HandShift[t] & 31
	n := uint32(p.hands[us]) >> unit & shogi.HandMask[t]
	keys := &zobrist.Hand[us][t]
	p.handKey ^= keys[n&31] ^ keys[(n+uint32(one))&31]
	p.hands[us] += shogi.Hand(one) << unit
}

func undo[C, E side](p *Position, m shogi.Move, u Undo) {
	var c C
	var e E
	us, them := len(c), len(e)
	own := &p.sets[us]
	p.turn = shogi.Color(us)
	p.ply--
	p.boardKey, p.handKey = u.boardKey, u.handKey
	to := m & 127
	toSet := bitboard.Of(shogi.Square(to))
	if m&shogi.MoveDrop != 0 {
		t := m >> 7 & 7
		p.hands[us] += 1 << (shogi.HandShift[t] & 31)
		p.board[to] = 0
		own[allPieces] = own[allPieces].Xor(toSet)
		own[t] = own[t].Xor(toSet)
		return
	}
	from := m >> 7 & 127
	after := p.board[to]
	fromSet := bitboard.Of(shogi.Square(from))
	both := fromSet.Or(toSet)
	own[allPieces] = own[allPieces].Xor(both)
	p.board[to] = u.captured
	set := &own[setOf[after&15]&15]
	if m&shogi.MovePromote == 0 {
		p.board[from] = after
		*set = set.Xor(both)
		if after&15 == uint8(shogi.King) {
			p.kings[us] = shogi.Square(from)
		}
	} else {
		before := after - shogi.PromoteOffset
		p.board[from] = before
		*set = set.Xor(toSet)
		set = &own[setOf[before&15]&15]
		*set = set.Xor(fromSet)
	}
	if captured := u.captured; captured != 0 {
		enemy := &p.sets[them]
		enemy[allPieces] = enemy[allPieces].Xor(toSet)
		set = &enemy[setOf[captured&15]&15]
		*set = set.Xor(toSet)
		p.hands[us] -= 1 << (shogi.HandShift[captured&7] & 31)
	}
}

// DoNull passes: the side to move and the ply change, nothing else. UndoNull takes it back.
func (p *Position) DoNull() {
	p.turn = p.turn.Opposite()
	p.ply++
}

// UndoNull takes a pass back.
func (p *Position) UndoNull() {
	p.turn = p.turn.Opposite()
	p.ply--
}

// Move32 completes a move of this position with the piece as it stands after it. Special moves stay as they are, and so does
// a move whose origin is empty.
func (p *Position) Move32(m shogi.Move) shogi.Move32 {
	return shogi.Move32Unchecked(m, p.pieceAfter(m))
}

func (p *Position) pieceAfter(m shogi.Move) shogi.Piece {
	switch {
	case !m.IsNormal():
		return shogi.NoPiece
	case m.IsDrop():
		return shogi.MakePiece(p.turn, m.DroppedType())
	case m.IsPromotion():
		return p.PieceAt(m.From()).Promote()
	}
	return p.PieceAt(m.From())
}
