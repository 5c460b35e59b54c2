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
	sparing  bool         // what SearchMoves leave out is not wanted
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
	danger := stepDanger[E](p, &environsOf[king&127])
	diagonal, straight, forward := nearSliders[E](p, king)
	if !diagonal.Or(straight).Or(forward).IsEmpty() {
		danger = danger.Or(sliderDanger[E](king, occupied.Clear(king), diagonal, straight, forward))
		if snipers := lined[C](king, diagonal, straight, forward); !snipers.IsEmpty() {
			findPins(n, snipers, own[allPieces])
		}
	}
	n.flights = bitboard.Step(shogi.BKing, king).And(targets).AndNot(danger)
	if danger.Test(king) {
		analyseCheck[C, E](p, n)
	}
}

// stepDanger is what E's pawns attack, and what its other pieces that step attack if they are near a square.
func stepDanger[E side](p *Position, around *environs) bitboard.Bitboard {
	var e E
	them := len(e)
	enemy := &p.sets[them]
	danger := enemy[pawns].Forward(shogi.Color(them))
	near := enemy[silvers].Or(enemy[golds]).Or(enemy[horses]).Or(enemy[dragons]).Or(enemy[kingSet]).And(around.steppers).
		Or(enemy[knights].And(around.knights[them]))
	for lo := near.Lo; lo != 0; lo &= lo - 1 {
		sq := trailing(lo)
		danger = danger.Or(bitboard.Step(shogi.Piece(p.board[sq&127]), sq))
	}
	for hi := near.Hi; hi != 0; hi &= hi - 1 {
		sq := 63 + trailing(hi)
		danger = danger.Or(bitboard.Step(shogi.Piece(p.board[sq&127]), sq))
	}
	return danger
}

// nearSliders are E's sliders whose lines on an empty board touch a king's square or one next to it: bishops and horses, rooks and
// dragons, lances.
func nearSliders[E side](p *Position, king shogi.Square) (diagonal, straight, forward bitboard.Bitboard) {
	var e E
	them := len(e)
	enemy, around := &p.sets[them], &environsOf[king&127]
	return enemy[bishops].Or(enemy[horses]).And(around.bishops), enemy[rooks].Or(enemy[dragons]).And(around.rooks), enemy[lances].And(around.lances[them])
}

// lined are those of the near sliders that attack the square of C's king on an empty board.
func lined[C side](king shogi.Square, diagonal, straight, forward bitboard.Bitboard) bitboard.Bitboard {
	var c C
	return diagonal.And(bishopLines[king&127]).Or(straight.And(rookLines[king&127])).Or(forward.And(bitboard.Ahead(shogi.Color(len(c)), king)))
}

// sliderDanger is what E's near sliders attack of the king's square and the squares around it, each on the lines that pass there.
func sliderDanger[E side](king shogi.Square, occupied, diagonal, straight, forward bitboard.Bitboard) (danger bitboard.Bitboard) {
	var e E
	for s := forward; !s.IsEmpty(); {
		danger = danger.Or(bitboard.Lance(shogi.Color(len(e)), s.Pop(), occupied))
	}
	if diagonal.Or(straight).IsEmpty() {
		return danger
	}
	around, middle := &environsOf[king&127], occupied.Middle()
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
		danger = danger.Or(bitboard.OnFile(s.Pop(), occupied))
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
	switch {
	case !sq.IsOnBoard():
		return bitboard.Bitboard{}
	case c == shogi.Black:
		return attackers[black](p, sq, occupied)
	}
	return attackers[white](p, sq, occupied)
}

// attackers is the set of C's pieces that attack a square on the board.
func attackers[C side](p *Position, sq shogi.Square, occupied bitboard.Bitboard) bitboard.Bitboard {
	var c C
	us := len(c)
	own := &p.sets[us]
	other := shogi.Piece(us<<4 ^ 16) // a piece of the other color on sq attacks exactly where ours would attack sq from
	a := own[pawns].And(bitboard.Step(other|shogi.BPawn, sq)).
		Or(own[knights].And(bitboard.Step(other|shogi.BKnight, sq))).
		Or(own[silvers].And(bitboard.Step(other|shogi.BSilver, sq))).
		Or(own[golds].And(bitboard.Step(other|shogi.BGold, sq))).
		Or(own[kingSet].Or(own[horses]).Or(own[dragons]).And(bitboard.Step(shogi.BKing, sq)))
	lined := own[bishops].Or(own[horses]).And(bishopLines[sq&127]).
		Or(own[rooks].Or(own[dragons]).And(rookLines[sq&127])).
		Or(own[lances].And(bitboard.Ahead(shogi.Color(us^1), sq)))
	for !lined.IsEmpty() {
		if from := lined.Pop(); !bitboard.Between(sq, from).Overlaps(occupied) {
			a = a.Set(from)
		}
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
