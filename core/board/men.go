package board

import (
	"komadori/core/bitboard"
	"komadori/core/shogi"
	"komadori/core/zobrist"
)

// Men is a setup as a list of the pieces on the board, the form that is fastest to make a Position of. Every square stands in the list
// at most once, and pieces are pieces on the board; that is the maker's promise.
type Men struct {
	Squares [81]shogi.Square
	Pieces  [81]shogi.Piece
	Count   int
	Hands   [2]shogi.Hand
	Turn    shogi.Color
	Ply     int32
}

// MirrorFile exchanges files 1 and 9, 2 and 8, and so on.
func (m *Men) MirrorFile() {
	for i := range m.Squares[:m.Count] {
		m.Squares[i] = mirrored[m.Squares[i]&127]
	}
}

var mirrored = func() (t shogi.SquareTable[shogi.Square]) {
	for sq := range t {
		t[sq] = shogi.Square(sq).MirrorFile()
	}
	return t
}()

// FlipSide turns the board by 180 degrees and exchanges sides, hands and turn. The ply stays.
func (m *Men) FlipSide() {
	for i := range m.Squares[:m.Count] {
		m.Squares[i] = 80 - m.Squares[i]
		m.Pieces[i] ^= shogi.PieceColorBit
	}
	m.Hands[0], m.Hands[1] = m.Hands[1], m.Hands[0]
	m.Turn = m.Turn.FlipSide()
}

// Setup is the list as a diagram.
func (m *Men) Setup() Setup {
	s := Setup{Hands: m.Hands, Turn: m.Turn, Ply: m.Ply}
	for i, sq := range m.Squares[:m.Count] {
		s.Board[sq] = m.Pieces[i]
	}
	return s
}

// LoadMen makes p the position of a list, with the checks and errors of Load, but builds it in place: on an error p is no position.
// It does not allocate on success.
func (p *Position) LoadMen(m *Men) error {
	if m.Turn > shogi.White || m.Ply < 1 {
		return p.loadSetup(m)
	}
	*p = Position{}
	p.turn, p.ply, p.hands = m.Turn, m.Ply, m.Hands
	p.kings = [2]shogi.Square{shogi.NoSquare, shogi.NoSquare}

	// Two short loops keep what they need in registers; one long loop would not.
	n := min(m.Count, len(m.Squares))
	for i := range n {
		sq, piece := m.Squares[i]&127, m.Pieces[i]&31
		b := bitboard.Of(sq)
		set := &p.sets[uint8(piece)>>4][setOf[piece&15]&15]
		set.Lo |= b.Lo
		set.Hi |= b.Hi
	}
	var key, total uint64 // total has a byte for each kind
	for i := range n {
		sq, piece := m.Squares[i]&127, m.Pieces[i]&31
		p.board[sq] = uint8(piece)
		key ^= zobrist.Board[piece][sq]
		total += manOf[piece&15]
	}
	p.boardKey = key
	var dead bitboard.Bitboard
	for c := range p.sets {
		s := &p.sets[c]
		s[allPieces] = s[pawns].Or(s[lances]).Or(s[knights].Or(s[silvers])).Or(s[golds].Or(s[kingSet])).
			Or(s[bishops].Or(s[rooks])).Or(s[horses].Or(s[dragons]))
		piece := shogi.Piece(16 * c)
		dead = dead.Or(s[pawns].Or(s[lances]).And(lastRanks[piece|shogi.BPawn])).Or(s[knights].And(lastRanks[piece|shogi.BKnight]))
	}
	ok := dead.IsEmpty()
	for c := range p.hands {
		if king := p.sets[c][kingSet]; !king.IsEmpty() {
			ok = ok && !king.Several()
			p.kings[c] = king.First()
		}
		pawns := p.sets[c][pawns]
		ok = ok && nifuFiles(pawns).Count() == 9*pawns.Count()
		h := p.hands[c]
		ok = ok && h&^handBits == 0
		if h == 0 {
			continue
		}
		hand := &zobrist.Hand[c]
		for t := shogi.Pawn; t <= shogi.Gold; t++ {
			n := uint32(h) >> (shogi.HandShift[t] & 31) & shogi.HandMask[t]
			p.handKey ^= hand[t&7][n&31]
			total += uint64(n) << (8 * (t & 7))
		}
	}
	if !ok || ((existingMen|eachByte)-total)&eachByte != eachByte { // a byte loses its upper bit when there are more than exist
		return p.loadSetup(m)
	}
	return nil
}

// existingMen has, by kind, a byte with the number that exist; eachByte the upper bits of those bytes.
const (
	existingMen uint64 = 18<<8 | 4<<16 | 4<<24 | 4<<32 | 2<<40 | 2<<48 | 4<<56
	eachByte    uint64 = 0x8080808080808000
)

// loadSetup is the slow way, which knows what to say.
func (p *Position) loadSetup(m *Men) error {
	s := m.Setup()
	return p.Load(&s)
}

// manOf adds a man to the byte of its unpromoted kind; kings count in byte 0.
var manOf = func() (t [16]uint64) {
	for i := range t {
		if kind := shogi.PieceType(i).Demote(); kind >= shogi.Pawn && kind <= shogi.Gold {
			t[i] = 1 << (8 * kind)
		}
	}
	return t
}()

// Sets gives a side's pieces for reading: index 0 all, then by PieceType; all that moves like a gold is under Gold, as in PiecesOf with GoldLike.
func (p *Position) Sets(c shogi.Color) *[16]bitboard.Bitboard { return &p.sets[c&1] }
