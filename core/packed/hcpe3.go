package packed

import (
	"encoding/binary"

	"komadori/core/fault"
	"komadori/core/shogi"
)

// HCPE3 is dlshogi's format of whole games with what a search thought of each move. A game is
//
//	hcp[32]     the position it starts from
//	u16         number of moves, at most HCPE3MaxMoves
//	u8          result, by the Dlshogi convention
//	u8          opponent: 0 self-play, 1 Black was another engine, 2 White was
//
// and for each move
//
//	u16         the move played, an AperyMove
//	i16         evaluation, of the side to move
//	u16         number of candidates, at most HCPE3MaxCandidates; 0 for a move that is no training target
//
// followed by so many candidates of a move (u16, AperyMove) and its visits (u16). Where a game ends, the next begins.
const (
	HCPE3HeadSize      = 36
	HCPE3MoveSize      = 6
	CandidateSize      = 4
	HCPE3MaxMoves      = 513
	HCPE3MaxCandidates = 593

	// HCPE3MaxSize is more than any game has.
	HCPE3MaxSize = HCPE3HeadSize + HCPE3MaxMoves*(HCPE3MoveSize+HCPE3MaxCandidates*CandidateSize)
)

// An HCPE3Game is a game whose frame has been read: the bytes of exactly one game.
type HCPE3Game struct {
	data    []byte
	moves   int
	targets int
}

// ReadHCPE3 reads the frame of the game that data begins with: counts and lengths, not positions or moves. What follows the game is left alone.
//
// Counts beyond the limits are a Parse error with the offset of the count. Data that ends within the game is a Parse error at its
// length, and short is then true: with more data it may become a game.
func ReadHCPE3(data []byte) (g HCPE3Game, short bool, err error) {
	const op = "packed.ReadHCPE3"
	cut := func(what string) (HCPE3Game, bool, error) {
		return HCPE3Game{}, true, fault.New(fault.Parse, op, "the data ends within %s of a game", what).At(len(data))
	}
	if len(data) < HCPE3HeadSize {
		return cut("the head")
	}
	n := int(binary.LittleEndian.Uint16(data[32:]))
	if n > HCPE3MaxMoves {
		return g, false, fault.New(fault.Parse, op, "%d moves, want at most %d", n, HCPE3MaxMoves).At(32)
	}
	at := HCPE3HeadSize
	for range n {
		if len(data)-at < HCPE3MoveSize {
			return cut("a move")
		}
		candidates := int(binary.LittleEndian.Uint16(data[at+4:]))
		if candidates > HCPE3MaxCandidates {
			return g, false, fault.New(fault.Parse, op, "%d candidates, want at most %d", candidates, HCPE3MaxCandidates).At(at + 4)
		}
		at += HCPE3MoveSize + candidates*CandidateSize
		if candidates != 0 {
			g.targets++
		}
	}
	if at > len(data) {
		return cut("the candidates")
	}
	g.data, g.moves = data[:at:at], n
	return g, false, nil
}

// Size is the number of bytes.
func (g *HCPE3Game) Size() int { return len(g.data) }

// Moves is the number of moves, Targets that of moves with candidates.
func (g *HCPE3Game) Moves() int   { return g.moves }
func (g *HCPE3Game) Targets() int { return g.targets }

// Start is the position that the game starts from, as HCP.
func (g *HCPE3Game) Start() *[Size]byte { return (*[Size]byte)(g.data) }

// Result is the byte as stored, see Dlshogi; Opponent which side another engine played.
func (g *HCPE3Game) Result() uint8   { return g.data[34] }
func (g *HCPE3Game) Opponent() uint8 { return g.data[35] }

// An HCPE3Move is a move of a game.
type HCPE3Move struct {
	Move       shogi.AperyMove
	Eval       shogi.Eval
	Candidates Candidates
}

// Candidates are moves with their visits, CandidateSize bytes each.
type Candidates []byte

// Len is the number of candidates.
func (c Candidates) Len() int { return len(c) / CandidateSize }

// At is the i-th candidate.
func (c Candidates) At(i int) (m shogi.AperyMove, visits uint16) {
	e := c[i*CandidateSize:][:CandidateSize]
	return shogi.AperyMove(binary.LittleEndian.Uint16(e)), binary.LittleEndian.Uint16(e[2:])
}

// Append adds a candidate.
func (c Candidates) Append(m shogi.AperyMove, visits uint16) Candidates {
	return binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(c, uint16(m)), visits)
}

// Next reads the move at a place of the game and gives the place of the next one; the first is at HCPE3HeadSize, and there are Moves of them.
func (g *HCPE3Game) Next(at int) (m HCPE3Move, next int) {
	e := g.data[at:]
	n := int(binary.LittleEndian.Uint16(e[4:]))
	m.Move, m.Eval = shogi.AperyMove(binary.LittleEndian.Uint16(e)), shogi.Eval(binary.LittleEndian.Uint16(e[2:]))
	m.Candidates = Candidates(e[HCPE3MoveSize:][:n*CandidateSize])
	return m, at + HCPE3MoveSize + n*CandidateSize
}

// AppendHCPE3Head begins a game with so many moves, which AppendHCPE3Move then adds.
func AppendHCPE3Head(dst []byte, start *[Size]byte, moves int, result, opponent uint8) []byte {
	dst = append(dst, start[:]...)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(moves))
	return append(dst, result, opponent)
}

// AppendHCPE3Move adds a move to a game.
func AppendHCPE3Move(dst []byte, m HCPE3Move) []byte {
	dst = binary.LittleEndian.AppendUint16(dst, uint16(m.Move))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(m.Eval))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(m.Candidates.Len()))
	return append(dst, m.Candidates...)
}
