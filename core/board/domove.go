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
	to := m & 127
	toSet := bitboard.Of(shogi.Square(to))
	if m&shogi.MoveDrop != 0 {
		t := m >> 7 & 7
		piece := uint8(t) | uint8(us)<<4
		n := uint32(p.hands[us]) >> (shogi.HandShift[t] & 31) & shogi.HandMask[t]
		p.handKey ^= zobrist.Hand[us][t][n&31] ^ zobrist.Hand[us][t][(n-1)&31]
		p.hands[us] -= 1 << (shogi.HandShift[t] & 31)
		p.board[to] = piece
		p.boardKey ^= zobrist.Board[piece&31][to]
		p.sets[us][allPieces] = p.sets[us][allPieces].Xor(toSet)
		p.sets[us][t] = p.sets[us][t].Xor(toSet)
	} else {
		from := m >> 7 & 127
		before := p.board[from]
		after := before + uint8(m>>15)*shogi.PromoteOffset
		captured := p.board[to]
		key := p.boardKey ^ zobrist.Board[before&31][from] ^ zobrist.Board[after&31][to]
		fromSet := bitboard.Of(shogi.Square(from))
		p.sets[us][allPieces] = p.sets[us][allPieces].Xor(fromSet.Or(toSet))
		bs, as := setOf[before&15], setOf[after&15]
		p.sets[us][bs&15] = p.sets[us][bs&15].Xor(fromSet)
		p.sets[us][as&15] = p.sets[us][as&15].Xor(toSet)
		if captured != 0 {
			u.captured = captured
			key ^= zobrist.Board[captured&31][to]
			cs := setOf[captured&15]
			p.sets[them][allPieces] = p.sets[them][allPieces].Xor(toSet)
			p.sets[them][cs&15] = p.sets[them][cs&15].Xor(toSet)
			t := captured & 7 // takes the promotion off: kinds in hand are 1..7
			n := uint32(p.hands[us]) >> (shogi.HandShift[t] & 31) & shogi.HandMask[t]
			p.handKey ^= zobrist.Hand[us][t][n&31] ^ zobrist.Hand[us][t][(n+1)&31]
			p.hands[us] += 1 << (shogi.HandShift[t] & 31)
		}
		p.boardKey = key
		p.board[from] = 0
		p.board[to] = after
		if after&15 == uint8(shogi.King) {
			p.kings[us] = shogi.Square(to)
		}
	}
	p.turn = shogi.Color(them)
	p.ply++
	return u
}

func undo[C, E side](p *Position, m shogi.Move, u Undo) {
	var c C
	var e E
	us, them := len(c), len(e)
	p.turn = shogi.Color(us)
	p.ply--
	p.boardKey, p.handKey = u.boardKey, u.handKey
	to := m & 127
	toSet := bitboard.Of(shogi.Square(to))
	if m&shogi.MoveDrop != 0 {
		t := m >> 7 & 7
		p.hands[us] += 1 << (shogi.HandShift[t] & 31)
		p.board[to] = 0
		p.sets[us][allPieces] = p.sets[us][allPieces].Xor(toSet)
		p.sets[us][t] = p.sets[us][t].Xor(toSet)
		return
	}
	from := m >> 7 & 127
	after := p.board[to]
	before := after - uint8(m>>15)*shogi.PromoteOffset
	fromSet := bitboard.Of(shogi.Square(from))
	p.sets[us][allPieces] = p.sets[us][allPieces].Xor(fromSet.Or(toSet))
	bs, as := setOf[before&15], setOf[after&15]
	p.sets[us][bs&15] = p.sets[us][bs&15].Xor(fromSet)
	p.sets[us][as&15] = p.sets[us][as&15].Xor(toSet)
	captured := u.captured
	if captured != 0 {
		cs := setOf[captured&15]
		p.sets[them][allPieces] = p.sets[them][allPieces].Xor(toSet)
		p.sets[them][cs&15] = p.sets[them][cs&15].Xor(toSet)
		p.hands[us] -= 1 << (shogi.HandShift[captured&7] & 31)
	}
	p.board[from] = before
	p.board[to] = captured
	if after&15 == uint8(shogi.King) {
		p.kings[us] = shogi.Square(from)
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
