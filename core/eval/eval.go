// Package eval judges positions: material, places of men seen from either king, hands, freedom of the long-range pieces and safety of the
// kings, weighed between opening and ending by the progress of the game. The weights are fitted to games of the engine against itself by
// core/search/tune.
package eval

import (
	_ "embed"
	"encoding/binary"
	"math/bits"
	"sync"

	"komadori/core/board"
	"komadori/core/internal/pages"
	"komadori/core/shogi"
)

// Depth is how many moves may be pushed after a Reset.
const Depth = 136

// A Weight is what a feature is worth in centipawns, in the opening and in the ending.
type Weight struct{ Opening, Ending int16 }

// packed has both values in one number, so that one addition adds both: the opening counts 1<<32.
func packed(w Weight) int64 { return int64(w.Opening)<<32 + int64(w.Ending) }

func unpacked(sum int64) (opening, ending int64) {
	ending = int64(int32(sum))
	return (sum - ending) >> 32, ending
}

// Tempo is the right to move.
const Tempo = 12

// An Evaluator is the built-in judge of a search: it follows the moves and keeps what they change. It is for one goroutine.
type Evaluator struct {
	t     *tables
	stack [Depth + 1]sums
	top   int
	views [2][shogi.SquareCount]view // by color and king's square
}

// New makes an Evaluator.
func New() *Evaluator { return &Evaluator{t: loaded()} }

// Maker makes what makes Evaluators with other weights than the built-in ones.
func Maker(w *[FeatureCount]Weight) func() *Evaluator {
	t := newTables(w)
	return func() *Evaluator { return &Evaluator{t: t} }
}

// sums are what moves change; worths are packed.
type sums struct {
	places   [2]int64 // as the side with that king sees them
	hands    int64    // Black's less White's
	stale    [2]bool  // the king has moved, and with it all places
	progress int32    // 0 at the start, ProgressEnd and more in an endgame
}

// A view is what was seen from a king's square last: a king that comes back adds up only what has changed since.
type view struct {
	board [88]uint8 // pieces by square, in whole words
	worth int64
}

// tables are the weights as the evaluator reads them.
type tables struct {
	places [shogi.SquareCount][32][128]Weight // by Black's king, piece and square
	hands  [8][32]int64                       // sums of so many pieces
	sights [2]sights[int64]
}

//go:embed weights.bin
var weights []byte

var loaded = sync.OnceValue(func() *tables {
	w, _ := Decode(weights)
	return newTables(&w)
})

// Decode reads weights as Encode writes them; false for data of another length.
func Decode(data []byte) (w [FeatureCount]Weight, ok bool) {
	if len(data) != 4*FeatureCount {
		return w, false
	}
	for i := range w {
		w[i].Opening = int16(binary.LittleEndian.Uint16(data[4*i:]))
		w[i].Ending = int16(binary.LittleEndian.Uint16(data[4*i+2:]))
	}
	return w, true
}

func newTables(w *[FeatureCount]Weight) *tables {
	t := pages.New[tables]()
	for king := shogi.Square(0); king < shogi.SquareCount; king++ {
		for piece := shogi.Piece(0); piece < shogi.PieceCount; piece++ {
			if !piece.IsOnBoard() {
				continue
			}
			for sq := shogi.Square(0); sq < shogi.SquareCount; sq++ {
				t.places[king][piece][sq] = w[PlaceIndex(king, piece, sq)]
			}
		}
	}
	for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
		for n := 1; n <= handPieces; n++ {
			t.hands[kind][n] = t.hands[kind][n-1] + packed(w[handIndex(kind, n)])
		}
	}
	t.sights = *newSights(func(feature int) int64 { return packed(w[feature]) })
	return t
}

// Reset starts over at a position. Both kings must stand.
func (e *Evaluator) Reset(p *board.Position) {
	e.top = 0
	s := &e.stack[0]
	*s = sums{stale: [2]bool{true, true}, progress: Progress(p)}
	for t := shogi.Pawn; t <= shogi.Gold; t++ {
		row := &e.t.hands[t]
		s.hands += row[p.Hand(shogi.Black).Count(t)] - row[p.Hand(shogi.White).Count(t)]
	}
	e.refresh(p, s)
}

// Push announces that p is about to play a legal move, or to pass.
func (e *Evaluator) Push(p *board.Position, m shogi.Move) {
	here := &e.stack[e.top]
	if here.stale != [2]bool{} {
		e.refresh(p, here)
	}
	e.top++
	s := &e.stack[e.top]
	*s = *here
	if m == shogi.MoveNull {
		return
	}
	c, to := p.Turn()&1, m.To()
	if m&shogi.MoveDrop != 0 {
		t := int(m >> 7 & 7)
		e.hold(s, p, c, t, -1)
		e.place(s, p, t|int(c)<<4, to, 1)
		s.progress += int32(advance[t][fromOwnSide(c, to)]) - handProgress[t]
		return
	}
	from := m.From()
	piece := int(p.Board()[from&127] & 31)
	if captured := int(p.Board()[to&127] & 31); captured != 0 {
		e.hold(s, p, c, captured&7, 1)
		e.place(s, p, captured, to, -1)
		s.progress += handProgress[captured&7] - int32(advance[captured&15][fromOwnSide(c^1, to)])
	}
	if piece&15 == int(shogi.King) {
		s.stale[c] = true
		// The other side sees the king as one of its places.
		e.add(s, p, c^1, piece, from, -1)
		e.add(s, p, c^1, piece, to, 1)
		return
	}
	e.place(s, p, piece, from, -1)
	s.progress -= int32(advance[piece&15][fromOwnSide(c, from)])
	if m&shogi.MovePromote != 0 {
		piece += shogi.PromoteOffset
	}
	e.place(s, p, piece, to, 1)
	s.progress += int32(advance[piece&15][fromOwnSide(c, to)])
}

// Pop takes the last announced move back.
func (e *Evaluator) Pop() { e.top-- }

func fromOwnSide(c shogi.Color, sq shogi.Square) shogi.Square {
	if c == shogi.White {
		sq = 80 - sq
	}
	return sq & 127
}

// place adds (sign 1) or takes off a piece on a square, as both sides see it.
func (e *Evaluator) place(s *sums, p *board.Position, piece int, sq shogi.Square, sign int64) {
	e.add(s, p, shogi.Black, piece, sq, sign)
	e.add(s, p, shogi.White, piece, sq, sign)
}

// add is place for the side c.
func (e *Evaluator) add(s *sums, p *board.Position, c shogi.Color, piece int, sq shogi.Square, sign int64) {
	king := p.KingSquare(c)
	if c == shogi.White {
		king, piece, sq = 80-king, piece^16, 80-sq
	}
	s.places[c] += sign * packed(e.t.places[king][piece&31][sq&127])
}

// hold adds a piece to a hand, or takes one off.
func (e *Evaluator) hold(s *sums, p *board.Position, c shogi.Color, kind, sign int) {
	n := p.Hand(c).Count(shogi.PieceType(kind))
	row := &e.t.hands[kind&7]
	change := row[(n+sign)&31] - row[n&31]
	if c == shogi.White {
		change = -change
	}
	s.hands += change
}

// refresh brings stale places up to date.
func (e *Evaluator) refresh(p *board.Position, s *sums) {
	for c := range s.stale {
		if s.stale[c] {
			s.stale[c] = false
			s.places[c] = e.survey(p, shogi.Color(c))
		}
	}
}

// survey is the worth of all places as the side c sees them.
func (e *Evaluator) survey(p *board.Position, c shogi.Color) int64 {
	king, now := p.KingSquare(c), p.Board()
	v := &e.views[c&1][king]
	if c == shogi.White {
		king = 80 - king
	}
	rows := &e.t.places[king]
	for i := 0; i < len(v.board); i += 8 {
		men, before := binary.LittleEndian.Uint64(now[i:]), binary.LittleEndian.Uint64(v.board[i:])
		binary.LittleEndian.PutUint64(v.board[i:], men)
		for changed := men ^ before; changed != 0; {
			at := bits.TrailingZeros64(changed) &^ 7
			changed &^= 0xFF << at
			sq, man, old := i+at/8, men>>at&31, before>>at&31
			if c == shogi.White {
				sq, man, old = 80-sq, man^16, old^16
			}
			v.worth += packed(rows[man][sq&127]) - packed(rows[old][sq&127]) // 0 where there is no man
		}
	}
	return v.worth
}

// Evaluate is the worth of the position in centipawns for the side to move.
func (e *Evaluator) Evaluate(p *board.Position) int {
	s := &e.stack[e.top]
	if s.stale != [2]bool{} {
		e.refresh(p, s)
	}
	black, white := look(&e.t.sights, p)
	opening, ending := unpacked(s.places[0] - s.places[1] + s.hands + black - white)
	progress := int64(min(s.progress, ProgressEnd))
	v := (opening*(ProgressEnd-progress) + ending*progress) / ProgressEnd
	if p.Turn() == shogi.White {
		v = -v
	}
	return int(v) + Tempo
}

// ProgressEnd is the progress from which on only the weights of the ending count.
const ProgressEnd = 32

// Progress is how far a game has got: men in hand, men in the enemy's camp and promoted men add to it.
func Progress(p *board.Position) (progress int32) {
	for occupied := p.Occupied(); !occupied.IsEmpty(); {
		sq := occupied.Pop()
		piece := p.PieceAt(sq)
		progress += int32(advance[piece&15][fromOwnSide(piece.Color(), sq)])
	}
	for c := shogi.Black; c <= shogi.White; c++ {
		for t := shogi.Pawn; t <= shogi.Gold; t++ {
			progress += int32(p.Hand(c).Count(t)) * handProgress[t]
		}
	}
	return progress
}

// handProgress is what a piece in any hand adds to the progress of the game.
var handProgress = [8]int32{
	shogi.Pawn: 1, shogi.Lance: 2, shogi.Knight: 3, shogi.Silver: 4, shogi.Bishop: 3, shogi.Rook: 6, shogi.Gold: 5,
}

// advance is what a man on a square, seen from its own side, adds to the progress of the game.
var advance = func() (t [16][128]int8) {
	for pt := shogi.Pawn; pt <= shogi.Dragon; pt++ {
		for sq := shogi.Square(0); sq < 81; sq++ {
			if pt == shogi.King {
				continue
			}
			if sq.Rank() <= 2 {
				t[pt][sq] = 2
			}
			if pt.IsPromoted() {
				t[pt][sq] += 3
			}
		}
	}
	return t
}()

// Encode writes weights, four bytes each: opening and ending, least byte first.
func Encode(w *[FeatureCount]Weight) []byte {
	out := make([]byte, 0, 4*FeatureCount)
	for i := range w {
		out = binary.LittleEndian.AppendUint16(out, uint16(w[i].Opening))
		out = binary.LittleEndian.AppendUint16(out, uint16(w[i].Ending))
	}
	return out
}
