package board

import (
	"komadori/core/bitboard"
	"komadori/core/shogi"
)

// A node is what move generation knows of a position before it makes the first move, seen by the side to move.
type node struct {
	occupied bitboard.Bitboard
	flights  bitboard.Bitboard // where the king may go
	pinned   bitboard.Bitboard // own pieces that alone stand between our king and an enemy slider
	targets  bitboard.Bitboard // where pieces other than the king may go
	drops    bitboard.Bitboard // where pieces may be dropped
	checkers bitboard.Bitboard
	king     shogi.Square // NoSquare without one
	double   bool         // in check by two pieces: only the king can move
}

// The environs of a king's square are the squares from which pieces attack, on an empty board, the square or one next to it.
type environs struct {
	steppers bitboard.Bitboard    // silvers, gold-like pieces, kings and the steps of horses and dragons: all squares within two files and ranks
	knights  [2]bitboard.Bitboard // by the color of the knight
	lances   [2]bitboard.Bitboard
	bishops  bitboard.Bitboard
	rooks    bitboard.Bitboard

	// Sliders by the lines on which they do.
	diagonals, antiDiagonals, ranks, files bitboard.Bitboard
}

var environsOf = func() (t [128]environs) {
	for king := shogi.Square(0); king < 81; king++ {
		around := bitboard.Step(shogi.BKing, king).Set(king)
		e := &t[king]
		for from := shogi.Square(0); from < 81; from++ {
			add := func(to *bitboard.Bitboard, attacked bitboard.Bitboard) {
				if attacked.Overlaps(around) {
					*to = to.Set(from)
				}
			}
			empty := bitboard.Bitboard{}
			add(&e.steppers, bitboard.Step(shogi.BKing, from))
			add(&e.knights[shogi.Black], bitboard.Step(shogi.BKnight, from))
			add(&e.knights[shogi.White], bitboard.Step(shogi.WKnight, from))
			add(&e.lances[shogi.Black], bitboard.Ahead(shogi.Black, from))
			add(&e.lances[shogi.White], bitboard.Ahead(shogi.White, from))
			add(&e.bishops, bitboard.Bishop(from, empty))
			add(&e.rooks, bitboard.Rook(from, empty))
			add(&e.diagonals, bitboard.OnDiagonal(from, 0))
			add(&e.antiDiagonals, bitboard.OnAntiDiagonal(from, 0))
			add(&e.ranks, bitboard.OnRank(from, 0))
			add(&e.files, bitboard.OnFile(from, empty))
		}
	}
	return t
}()

// Empty-board lines of sliders through a square.
var (
	bishopLines = emptyLines(shogi.BBishop)
	rookLines   = emptyLines(shogi.BRook)
)

func emptyLines(piece shogi.Piece) (t [128]bitboard.Bitboard) {
	for sq := shogi.Square(0); sq < 81; sq++ {
		t[sq] = bitboard.Attacks(piece, sq, bitboard.Bitboard{})
	}
	return t
}

func analyse[C, E side](p *Position, n *node) {
	var c C
	var e E
	us, them := len(c), len(e)
	own, enemy := &p.sets[us], &p.sets[them]
	occupied := own[allPieces].Or(enemy[allPieces])
	targets := own[allPieces].Or(enemy[kingSet]).Not() // kings are never captured
	king := p.kings[us]
	n.occupied, n.targets, n.drops = occupied, targets, occupied.Not() // field by field: a node as a whole is built elsewhere and copied
	n.flights, n.pinned, n.checkers = bitboard.Bitboard{}, bitboard.Bitboard{}, bitboard.Bitboard{}
	n.king, n.double = king, false
	if king == shogi.NoSquare {
		return
	}

	// Danger is what the opponent attacks with our king taken off, complete on the king's square and around it: pawns all at once, other
	// pieces one by one where they are near, sliders where their lines on an empty board are.
	around := &environsOf[king&127]
	danger := enemy[pawns].Forward(shogi.Color(them))
	steppers := enemy[silvers].Or(enemy[golds]).Or(enemy[horses]).Or(enemy[dragons]).Or(enemy[kingSet]).And(around.steppers).
		Or(enemy[knights].And(around.knights[them]))
	for lo := steppers.Lo; lo != 0; lo &= lo - 1 {
		sq := trailing(lo)
		danger = danger.Or(bitboard.Step(shogi.Piece(p.board[sq&127]), sq))
	}
	for hi := steppers.Hi; hi != 0; hi &= hi - 1 {
		sq := 63 + trailing(hi)
		danger = danger.Or(bitboard.Step(shogi.Piece(p.board[sq&127]), sq))
	}
	diagonal := enemy[bishops].Or(enemy[horses]).And(around.bishops)
	straight := enemy[rooks].Or(enemy[dragons]).And(around.rooks)
	forward := enemy[lances].And(around.lances[them])
	sliders := diagonal.Or(straight)
	if !sliders.IsEmpty() {
		danger = danger.Or(sliderDanger(n, diagonal, straight))
	}
	for s := forward; !s.IsEmpty(); {
		danger = danger.Or(bitboard.Lance(shogi.Color(them), s.Pop(), occupied.Clear(king)))
	}
	if !sliders.Or(forward).IsEmpty() {
		snipers := diagonal.And(bishopLines[king&127]).Or(straight.And(rookLines[king&127])).Or(forward.And(bitboard.Ahead(shogi.Color(us), king)))
		if !snipers.IsEmpty() {
			findPins(n, snipers, own[allPieces])
		}
	}
	n.flights = bitboard.Step(shogi.BKing, king).And(targets).AndNot(danger)
	if danger.Test(king) {
		analyseCheck[C, E](p, n)
	}
}

// sliderDanger is what bishops and horses, rooks and dragons attack of the king's square and the squares around it, each on the lines
// that pass there.
func sliderDanger(n *node, diagonal, straight bitboard.Bitboard) (danger bitboard.Bitboard) {
	around := &environsOf[n.king&127]
	behind := n.occupied.Clear(n.king)
	middle := behind.Middle()
	for s := diagonal.And(around.diagonals); !s.IsEmpty(); {
		danger = danger.Or(bitboard.OnDiagonal(s.Pop(), middle))
	}
	for s := diagonal.And(around.antiDiagonals); !s.IsEmpty(); {
		danger = danger.Or(bitboard.OnAntiDiagonal(s.Pop(), middle))
	}
	for s := straight.And(around.ranks); !s.IsEmpty(); {
		danger = danger.Or(bitboard.OnRank(s.Pop(), middle))
	}
	for s := straight.And(around.files); !s.IsEmpty(); {
		danger = danger.Or(bitboard.OnFile(s.Pop(), behind))
	}
	return danger
}

// findPins looks at sliders on lines with the king: each gives check, or pins the one piece between, if it is ours.
func findPins(n *node, snipers, own bitboard.Bitboard) {
	var pinned bitboard.Bitboard
	for !snipers.IsEmpty() {
		sq := snipers.Pop()
		between := bitboard.Between(n.king, sq).And(n.occupied)
		switch {
		case between.IsEmpty():
			n.checkers = n.checkers.Set(sq)
		case !between.Several():
			pinned = pinned.Or(between)
		}
	}
	n.pinned = pinned.And(own)
}

// analyseCheck completes the checkers, sliders being among them already, and restricts where pieces may go.
func analyseCheck[C, E side](p *Position, n *node) {
	var c C
	var e E
	us, them := len(c), len(e)
	enemy := &p.sets[them]
	o := us << 4 // our color bit: where we would attack from the king's square, the same enemy piece attacks it
	n.checkers = n.checkers.
		Or(enemy[pawns].And(bitboard.Step(shogi.Piece(o|pawns), n.king))).
		Or(enemy[knights].And(bitboard.Step(shogi.Piece(o|knights), n.king))).
		Or(enemy[silvers].And(bitboard.Step(shogi.Piece(o|silvers), n.king))).
		Or(enemy[golds].And(bitboard.Step(shogi.Piece(o|golds), n.king))).
		Or(enemy[horses].Or(enemy[dragons]).Or(enemy[kingSet]).And(bitboard.Step(shogi.BKing, n.king))) // kings may stand side by side in a diagram
	n.double = n.checkers.Several()
	between := bitboard.Between(n.king, n.checkers.First())
	n.drops = between
	n.targets = n.targets.And(n.checkers.Or(between))
}

// analyse fills the node for the side to move.
func (p *Position) analyse(n *node) {
	if p.turn == shogi.Black {
		analyse[black, white](p, n)
	} else {
		analyse[white, black](p, n)
	}
}

// AttackersTo is the set of c's pieces that attack a square, through the occupancy as it stands.
func (p *Position) AttackersTo(sq shogi.Square, c shogi.Color) bitboard.Bitboard {
	return p.attackersThrough(sq, c, p.Occupied())
}

func (p *Position) attackersThrough(sq shogi.Square, c shogi.Color, occupied bitboard.Bitboard) bitboard.Bitboard {
	if !sq.IsOnBoard() {
		return bitboard.Bitboard{}
	}
	s := &p.sets[c&1]
	other := shogi.Piece(c.Opposite()) << 4 // a piece of the other color on sq attacks exactly where c's would attack sq from
	a := s[pawns].And(bitboard.Step(other|shogi.BPawn, sq)).
		Or(s[knights].And(bitboard.Step(other|shogi.BKnight, sq))).
		Or(s[silvers].And(bitboard.Step(other|shogi.BSilver, sq))).
		Or(s[golds].And(bitboard.Step(other|shogi.BGold, sq))).
		Or(s[kingSet].Or(s[horses]).Or(s[dragons]).And(bitboard.Step(shogi.BKing, sq)))
	if d := s[bishops].Or(s[horses]); d.Overlaps(bishopLines[sq&127]) {
		a = a.Or(d.And(bitboard.Bishop(sq, occupied)))
	}
	if r := s[rooks].Or(s[dragons]); r.Overlaps(rookLines[sq&127]) {
		a = a.Or(r.And(bitboard.Rook(sq, occupied)))
	}
	if ahead := bitboard.Ahead(c.Opposite(), sq); s[lances].Overlaps(ahead) {
		a = a.Or(s[lances].And(bitboard.Lance(c.Opposite(), sq, occupied)))
	}
	return a
}

// IsAttacked tells whether any of c's pieces attacks a square.
func (p *Position) IsAttacked(sq shogi.Square, c shogi.Color) bool {
	return !p.AttackersTo(sq, c).IsEmpty()
}

// Checkers is the set of pieces that give check to the side to move.
func (p *Position) Checkers() bitboard.Bitboard {
	return p.AttackersTo(p.kings[p.turn], p.turn.Opposite())
}

// InCheck tells whether the side to move stands in check.
func (p *Position) InCheck() bool { return !p.Checkers().IsEmpty() }

// Pinned is the set of c's pieces that alone stand between c's king and an enemy slider.
func (p *Position) Pinned(c shogi.Color) bitboard.Bitboard {
	return p.Blockers(c).And(p.sets[c&1][allPieces])
}

// Blockers is the set of pieces of either side that alone stand between c's king and a slider of the other side.
func (p *Position) Blockers(c shogi.Color) bitboard.Bitboard {
	king := p.kings[c&1]
	if king == shogi.NoSquare {
		return bitboard.Bitboard{}
	}
	enemy, occupied := &p.sets[c.Opposite()&1], p.Occupied()
	snipers := enemy[bishops].Or(enemy[horses]).And(bishopLines[king&127]).
		Or(enemy[rooks].Or(enemy[dragons]).And(rookLines[king&127])).
		Or(enemy[lances].And(bitboard.Ahead(c, king)))
	var out bitboard.Bitboard
	for !snipers.IsEmpty() {
		if between := bitboard.Between(king, snipers.Pop()).And(occupied); !between.IsEmpty() && !between.Several() {
			out = out.Or(between)
		}
	}
	return out
}
