package board

import (
	"math"

	"komadori/core/bitboard"
	"komadori/core/fault"
	"komadori/core/internal/assert"
	"komadori/core/shogi"
	"komadori/core/zobrist"
)

// A Position is a checked setup, made for playing moves. It has no pointers: copying is assignment.
//
// Each side has at most one king and may have none. The zero value is no position; use Start, Setup.Position or Load.
type Position struct {
	// Per color: index 0 all pieces, then by PieceType; everything that moves like a gold shares Gold.
	sets [2][16]bitboard.Bitboard

	board [128]uint8 // pieces by square
	hands [2]shogi.Hand
	kings [2]shogi.Square // NoSquare without a king
	turn  shogi.Color
	ply   int32

	boardKey uint64 // pieces on the board alone
	handKey  uint64 // both hands
}

// setOf is the index in Position.sets of a PieceType.
var setOf = [16]uint8{0, 1, 2, 3, 4, 5, 6, 7, 8, 7, 7, 7, 7, 13, 14, 7}

const (
	allPieces = 0
	pawns     = int(shogi.Pawn)
	lances    = int(shogi.Lance)
	knights   = int(shogi.Knight)
	silvers   = int(shogi.Silver)
	bishops   = int(shogi.Bishop)
	rooks     = int(shogi.Rook)
	golds     = int(shogi.Gold)
	kingSet   = int(shogi.King)
	horses    = int(shogi.Horse)
	dragons   = int(shogi.Dragon)
)

// Start is the even game (平手).
func Start() Position {
	s := StartSetup()
	p, err := s.Position()
	assert.That(err == nil, "the even game is a position")
	return p
}

// Load makes p the position of s, with the checks of Setup.Position. On an error p is unchanged. It does not allocate on success.
func (p *Position) Load(s *Setup) error {
	q := Position{turn: s.Turn, ply: s.Ply, hands: s.Hands, kings: [2]shogi.Square{shogi.NoSquare, shogi.NoSquare}}
	if !q.place(s) {
		return s.problemsError("board.Setup.Position", isRefused)
	}
	*p = q
	return nil
}

// place fills boards and keys from the setup and tells whether everything is in order.
func (p *Position) place(s *Setup) bool {
	if s.Turn > shogi.White || s.Ply < 1 {
		return false
	}
	var total [16]int8
	for i := range s.Board {
		piece := s.Board[i]
		if piece == shogi.NoPiece {
			continue
		}
		sq := shogi.Square(i)
		if !piece.IsOnBoard() || lastRanks[piece&31].Test(sq) {
			return false
		}
		c, t := piece.Color(), piece.Type()
		p.put(piece, sq)
		total[t.Demote()&15]++
		if t == shogi.King {
			if p.kings[c] != shogi.NoSquare {
				return false
			}
			p.kings[c] = sq
		}
	}
	for c := range p.hands {
		for t := shogi.Pawn; t <= shogi.Gold; t++ {
			n := p.hands[c].Count(t)
			total[t] += int8(n)
			p.handKey ^= zobrist.Hand[c][t][n&31]
		}
		if p.hands[c]&^handBits != 0 {
			return false
		}
		if files := nifuFiles(p.sets[c][pawns]); files.Count() != 9*p.sets[c][pawns].Count() {
			return false
		}
	}
	for t := shogi.Pawn; t <= shogi.Gold; t++ {
		if int(total[t]) > shogi.Men[t] {
			return false
		}
	}
	return true
}

const handBits = shogi.Hand(shogi.HandBits)

// lastRanks has, by piece, the squares it could never leave: the last rank for pawns and lances, the last two for knights.
var lastRanks = func() (t [32]bitboard.Bitboard) {
	for c := shogi.Black; c <= shogi.White; c++ {
		for sq := shogi.Square(0); sq < 81; sq++ {
			for _, pt := range []shogi.PieceType{shogi.Pawn, shogi.Lance, shogi.Knight} {
				if pt.MustPromote(c, sq.Rank()) {
					piece := shogi.MakePiece(c, pt)
					t[piece] = t[piece].Set(sq)
				}
			}
		}
	}
	return t
}()

// put adds or takes away a piece on a square, except for p.board and p.kings when taking away.
func (p *Position) put(piece shogi.Piece, sq shogi.Square) {
	c, set := piece.Color(), setOf[piece&15]
	b := bitboard.Of(sq)
	p.sets[c][allPieces] = p.sets[c][allPieces].Xor(b)
	p.sets[c][set] = p.sets[c][set].Xor(b)
	p.board[sq&127] = uint8(piece)
	p.boardKey ^= zobrist.Board[piece&31][sq&127]
}

// nifuFiles is the union of the whole files on which the given pawns stand.
func nifuFiles(pawns bitboard.Bitboard) bitboard.Bitboard {
	// Adding 0xFF to a file's nine bits carries into the ninth exactly when a pawn stands on the lower eight of them;
	// a pawn on the ninth is or-ed in. The ninth bit b then becomes the file's mask: (b<<1) - (b>>8).
	const ff, top uint64 = 0xFF * files7, 0x100 * files7
	lo, hi := ((pawns.Lo&^top)+ff|pawns.Lo)&top, ((pawns.Hi&^top)+ff&hiMask|pawns.Hi)&(top&hiMask)
	return bitboard.Bitboard{Lo: lo<<1 - lo>>8, Hi: hi<<1 - hi>>8}
}

const (
	files7 uint64 = 1 | 1<<9 | 1<<18 | 1<<27 | 1<<36 | 1<<45 | 1<<54 // the lowest bit of seven files
	hiMask uint64 = 1<<18 - 1
)

// Setup is the position as a plain diagram.
func (p *Position) Setup() Setup {
	s := Setup{Hands: p.hands, Turn: p.turn, Ply: int32(p.Ply())}
	for i := range s.Board {
		s.Board[i] = shogi.Piece(p.board[i])
	}
	return s
}

// Problems lists what is odd about the position: missing kings, the side not to move in check.
func (p *Position) Problems() []Problem {
	s := p.Setup()
	return s.Problems()
}

// Turn is the side to move.
func (p *Position) Turn() shogi.Color { return p.turn }

// Ply counts from 1. A game that reaches 2^31 - 1 stays there.
func (p *Position) Ply() int {
	if p.ply < 0 { // Do counts on, so that Undo can count back
		return math.MaxInt32
	}
	return int(p.ply)
}

// PieceAt is the piece on a square, NoPiece when empty or off the board.
func (p *Position) PieceAt(sq shogi.Square) shogi.Piece { return shogi.Piece(p.board[sq&127]) }

// Board gives the pieces by square for reading; entries from 81 on are 0.
func (p *Position) Board() *[128]uint8 { return &p.board }

// Hand is what a side holds.
func (p *Position) Hand(c shogi.Color) shogi.Hand { return p.hands[c&1] }

// KingSquare is where a side's king stands, NoSquare without one.
func (p *Position) KingSquare(c shogi.Color) shogi.Square { return p.kings[c&1] }

// Key is the 64-bit key of board, hands and side to move. Its values never change between versions.
func (p *Position) Key() uint64 {
	k := p.boardKey ^ p.handKey
	if p.turn == shogi.White {
		k ^= zobrist.Side
	}
	return k
}

// KeyAfter is the key of the position that a legal move leads to.
func (p *Position) KeyAfter(m shogi.Move) uint64 {
	us, to := p.turn&1, m&127
	k := p.boardKey ^ p.handKey
	if us == shogi.Black {
		k ^= zobrist.Side
	}
	if m&shogi.MoveDrop != 0 {
		t := m >> 7 & 7
		n := uint32(p.hands[us]) >> (shogi.HandShift[t] & 31) & shogi.HandMask[t]
		keys := &zobrist.Hand[us][t]
		return k ^ zobrist.Board[uint8(t)|uint8(us)<<4][to] ^ keys[n&31] ^ keys[(n-1)&31]
	}
	from := m >> 7 & 127
	before := p.board[from]
	after := before
	if m&shogi.MovePromote != 0 {
		after += shogi.PromoteOffset
	}
	k ^= zobrist.Board[before&31][from] ^ zobrist.Board[after&31][to]
	if captured := p.board[to]; captured != 0 {
		t := captured & 7
		n := uint32(p.hands[us]) >> (shogi.HandShift[t] & 31) & shogi.HandMask[t]
		keys := &zobrist.Hand[us][t]
		k ^= zobrist.Board[captured&31][to] ^ keys[n&31] ^ keys[(n+1)&31]
	}
	return k
}

// BoardKey is the key of the pieces on the board alone.
func (p *Position) BoardKey() uint64 { return p.boardKey }

// BoardKeyAfter is the board key of the position that a legal move leads to.
func (p *Position) BoardKeyAfter(m shogi.Move) uint64 {
	to := m & 127
	if m&shogi.MoveDrop != 0 {
		return p.boardKey ^ zobrist.Board[uint8(m>>7&7)|uint8(p.turn&1)<<4][to]
	}
	from := m >> 7 & 127
	before := p.board[from]
	after := before
	if m&shogi.MovePromote != 0 {
		after += shogi.PromoteOffset
	}
	return p.boardKey ^ zobrist.Board[before&31][from] ^ zobrist.Board[after&31][to] ^ zobrist.Board[p.board[to]&31][to]
}

// HandKey is the key of both hands alone.
func (p *Position) HandKey() uint64 { return p.handKey }

// Key128 is a key of 128 bits over the same things as Key, which is its lower half: the upper half comes from other numbers. It is
// computed when asked. Its values never change between versions.
func (p *Position) Key128() (high, low uint64) {
	t := zobrist.Second()
	if p.turn == shogi.White {
		high = t.Side
	}
	for s := p.Occupied(); !s.IsEmpty(); {
		sq := s.Pop() & 127
		high ^= t.Board[p.board[sq]&31][sq]
	}
	for c, h := range p.hands {
		for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
			high ^= t.Hand[c][kind][h.Count(kind)&31]
		}
	}
	return high, p.Key()
}

// PawnKey is the key of both sides' unpromoted pawns on the board alone. It is computed when asked.
func (p *Position) PawnKey() uint64 {
	var k uint64
	for c := range p.sets {
		for s := p.sets[c][pawns]; !s.IsEmpty(); {
			k ^= zobrist.Board[16*c+pawns][s.Pop()&127]
		}
	}
	return k
}

// MaterialKey is the key of how many men of each kind stand on the board, on whatever squares, and of both hands. It is computed when asked.
func (p *Position) MaterialKey() uint64 {
	k := p.handKey
	var counts [32]uint8
	for s := p.Occupied(); !s.IsEmpty(); {
		piece := p.board[s.Pop()&127] & 31
		k ^= zobrist.Board[piece][counts[piece]&127] // of n men of a kind the numbers of its first n squares
		counts[piece]++
	}
	return k
}

// Occupied is the set of squares with a piece.
func (p *Position) Occupied() bitboard.Bitboard {
	return p.sets[0][allPieces].Or(p.sets[1][allPieces])
}

// Pieces is the set of a side's pieces.
func (p *Position) Pieces(c shogi.Color) bitboard.Bitboard { return p.sets[c&1][allPieces] }

// PiecesOf is the set of a side's pieces of one kind; GoldLike gives all that moves like a gold.
func (p *Position) PiecesOf(c shogi.Color, t shogi.PieceType) bitboard.Bitboard {
	if noSet>>(t&15)&1 != 0 {
		return p.pickOut(c, t)
	}
	return p.sets[c&1][setOf[t&15]&15]
}

// noSet has a bit for each kind without a set of its own: none at all, and those that move like a gold.
const noSet = 1<<shogi.NoPieceType | 1<<shogi.Gold | 1<<shogi.ProPawn | 1<<shogi.ProLance | 1<<shogi.ProKnight | 1<<shogi.ProSilver

// pickOut is PiecesOf for the kinds of noSet.
func (p *Position) pickOut(c shogi.Color, t shogi.PieceType) (out bitboard.Bitboard) {
	if t == shogi.NoPieceType {
		return out
	}
	want := shogi.MakePiece(c, t)
	for set := p.sets[c&1][shogi.Gold]; !set.IsEmpty(); {
		if sq := set.Pop(); shogi.Piece(p.board[sq&127]) == want {
			out = out.Set(sq)
		}
	}
	return out
}

// FlipSide is the position turned by 180 degrees with the sides exchanged. The ply stays.
func (p *Position) FlipSide() Position {
	m := p.men()
	m.FlipSide()
	return m.known()
}

// MirrorFile is the position with files 1 and 9, 2 and 8, and so on exchanged.
func (p *Position) MirrorFile() Position {
	m := p.men()
	m.MirrorFile()
	return m.known()
}

// men is the position as a list.
func (p *Position) men() Men {
	m := Men{Hands: p.hands, Turn: p.turn, Ply: int32(p.Ply())}
	for occupied := p.Occupied(); !occupied.IsEmpty(); m.Count++ {
		sq := occupied.Pop()
		m.Squares[m.Count], m.Pieces[m.Count] = sq, shogi.Piece(p.board[sq&127])
	}
	return m
}

// known is the position of a list that is known to be one.
func (m *Men) known() (p Position) {
	err := p.LoadMen(m)
	assert.That(err == nil, "flipping and mirroring keep a position valid")
	return p
}

// NeedKings reports a missing king of either side as an InvalidPosition of the operation op.
func (p *Position) NeedKings(op string) error {
	for c := shogi.Black; c <= shogi.White; c++ {
		if p.kings[c] == shogi.NoSquare {
			return fault.New(fault.InvalidPosition, op, "%s", Problem{NoKing, c, shogi.NoSquare, shogi.King})
		}
	}
	return nil
}
