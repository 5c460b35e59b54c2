package board

import (
	"komadori/core/bitboard"
	"komadori/core/shogi"
)

// Mates in one are found without playing moves, but for rare kinds. A check mates if the king cannot go away, nothing takes the checking
// piece, and nothing comes between. The first comes before anything else: there are squares that are free for the king whatever we play
// elsewhere, and the piece that moves must attack all of them, so that few moves need a closer look.

// A mateSearch is what the search knows of the enemy king and of what was found.
type mateSearch struct {
	king     shogi.Square      // the enemy's
	ring     bitboard.Bitboard // where it may go if we do not attack there
	occupied bitboard.Bitboard
	steps    bitboard.Bitboard // near the king, attacked by pieces that step
	free     bitboard.Bitboard // of the ring, not attacked even if all our own men were no obstacle to each other
	openers  bitboard.Bitboard // our pieces that open a line to the king when they leave it

	move shogi.Move   // the mate found last
	all  bool         // look for all of them
	list []shogi.Move // and append them here
}

// MateInOne is a move that mates at once, MoveNone without one.
func (p *Position) MateInOne() shogi.Move {
	var s mateSearch
	p.findMates(&s)
	return s.move
}

// AppendMatesInOne appends all moves that mate at once.
func (p *Position) AppendMatesInOne(dst []shogi.Move) []shogi.Move {
	s := mateSearch{all: true, list: dst}
	p.findMates(&s)
	return s.list
}

func (p *Position) findMates(s *mateSearch) {
	if p.turn == shogi.Black {
		findMates[black, white](p, s)
	} else {
		findMates[white, black](p, s)
	}
}

// add takes a mate down and tells whether that is enough.
func (s *mateSearch) add(m shogi.Move) bool {
	s.move = m
	if s.all {
		s.list = append(s.list, m)
	}
	return !s.all
}

func findMates[C, E side](p *Position, s *mateSearch) {
	var c C
	var e E
	us, them := len(c), len(e)
	own, enemy := &p.sets[us], &p.sets[them]
	king := p.kings[them]
	if king == shogi.NoSquare {
		return
	}
	s.king = king
	s.occupied = own[allPieces].Or(enemy[allPieces])
	s.steps = stepDanger[C](p, &environsOf[king&127])
	attacked, check := s.steps, s.steps.Test(king)
	diagonal, straight, forward := nearSliders[C](p, king)
	if sliders := diagonal.Or(straight).Or(forward); !sliders.IsEmpty() {
		through := enemy[allPieces].Clear(king)
		attacked = attacked.Or(sliderDanger[C](king, through, diagonal, straight, forward))
		for snipers := lined[E](king, diagonal, straight, forward); !snipers.IsEmpty(); {
			between := bitboard.Between(king, snipers.Pop()).And(s.occupied)
			switch {
			case between.IsEmpty():
				check = true
			case !between.Several():
				s.openers = s.openers.Or(between.And(own[allPieces]))
			}
		}
	}
	if check { // only in a diagram: what mates may be any check
		p.playChecks(s)
		return
	}
	s.ring = bitboard.Step(shogi.BKing, king).AndNot(enemy[allPieces].Or(own[kingSet]))
	s.free = s.ring.AndNot(attacked)
	var t checkTargets
	t.find(s, them, attacked, presentIn(p.hands[them])&anywhere == 0)
	if !t.pawn.Or(t.knight).Or(t.silver).Or(t.gold).IsEmpty() && (p.hands[us]>>5 != 0 && dropMates[C, E](p, s, &t) || stepMates[C, E](p, s, &t)) {
		return
	}
	if !t.horse.Or(t.dragon).IsEmpty() && (presentIn(p.hands[us])&sliding != 0 && sliderDropMates[C, E](p, s, &t) || sliderMates[C, E](p, s, &t)) {
		return
	}
	if !s.openers.IsEmpty() {
		openingMates[C, E](p, s)
	}
}

// checkTargets are the squares on which a kind may mate, on an empty board: it attacks the king and, but for the square that it takes
// away, the first and the last of the free ones; next to the king something supports it; afar there is nothing to drop between.
type checkTargets struct {
	pawn, knight, silver, gold, bishop, rook, horse, dragon bitboard.Bitboard
}

func (t *checkTargets) find(s *mateSearch, them int, attacked bitboard.Bitboard, distant bool) {
	their := shogi.Piece(them << 4) // from where our piece attacks a square, theirs on the square attacks
	near := bitboard.Step(shogi.BKing, s.king)
	guarded := near.And(attacked)
	useful := guarded
	if distant {
		useful = useful.Or(near.Not())
	}
	t.pawn = bitboard.Step(their|shogi.BPawn, s.king).And(guarded)
	t.knight = bitboard.Step(their|shogi.BKnight, s.king)
	t.silver = bitboard.Step(their|shogi.BSilver, s.king).And(guarded)
	t.gold = bitboard.Step(their|shogi.BGold, s.king).And(guarded)
	t.bishop, t.rook = bishopLines[s.king&127].And(useful), rookLines[s.king&127].And(useful)
	t.horse, t.dragon = t.bishop.Or(guarded), t.rook.Or(guarded)
	if s.free.IsEmpty() {
		return
	}
	t.pawn = t.pawn.And(s.free)
	for _, sq := range [...]shogi.Square{s.free.First(), s.free.Last()} {
		itself := bitboard.Of(sq)
		near := bitboard.Step(shogi.BKing, sq).Or(itself)
		t.knight = t.knight.And(bitboard.Step(their|shogi.BKnight, sq).Or(itself))
		t.silver = t.silver.And(bitboard.Step(their|shogi.BSilver, sq).Or(itself))
		t.gold = t.gold.And(bitboard.Step(their|shogi.BGold, sq).Or(itself))
		t.bishop, t.rook = t.bishop.And(bishopLines[sq&127].Or(itself)), t.rook.And(rookLines[sq&127].Or(itself))
		t.horse, t.dragon = t.horse.And(bishopLines[sq&127].Or(near)), t.dragon.And(rookLines[sq&127].Or(near))
	}
}

// dropMates tries drops of golds, silvers and knights.
func dropMates[C, E side](p *Position, s *mateSearch, t *checkTargets) bool {
	var c C
	us := len(c)
	empty, hand := s.occupied.Not(), p.hands[us]
	return hand.Count(shogi.Gold) != 0 && dropsMate[C, E](p, s, t.gold.And(empty), golds) ||
		hand.Count(shogi.Silver) != 0 && dropsMate[C, E](p, s, t.silver.And(empty), silvers) ||
		hand.Count(shogi.Knight) != 0 && dropsMate[C, E](p, s, t.knight.And(empty), knights)
}

// sliderDropMates tries drops of rooks, bishops and lances.
func sliderDropMates[C, E side](p *Position, s *mateSearch, t *checkTargets) bool {
	var c C
	var e E
	us := len(c)
	empty, hand := s.occupied.Not(), p.hands[us]
	return hand.Count(shogi.Rook) != 0 && dropsMate[C, E](p, s, t.rook.And(empty), rooks) ||
		hand.Count(shogi.Bishop) != 0 && dropsMate[C, E](p, s, t.bishop.And(empty), bishops) ||
		hand.Count(shogi.Lance) != 0 && dropsMate[C, E](p, s, t.rook.And(empty).And(bitboard.Ahead(shogi.Color(len(e)), s.king)), lances)
}

func dropsMate[C, E side](p *Position, s *mateSearch, to bitboard.Bitboard, kind int) bool {
	var c C
	for !to.IsEmpty() {
		if tryMate[C, E](p, s, shogi.NoSquare, to.Pop(), uint8(len(c)<<4|kind)) {
			return true
		}
	}
	return false
}

// stepMates tries moves of pawns, knights, silvers and gold-like pieces, and lances that promote.
func stepMates[C, E side](p *Position, s *mateSearch, t *checkTargets) bool {
	var c C
	us := len(c)
	own, around := &p.sets[us], &environsOf[s.king&127]
	ahead := own[pawns].Forward(shogi.Color(us)).AndNot(own[allPieces])
	for to := ahead.And(t.gold).And(zoneOf(us)); !to.IsEmpty(); {
		if sq := to.Pop(); tryMate[C, E](p, s, sq+shogi.Square(1-2*us), sq, uint8(us<<4|pawns)+shogi.PromoteOffset) {
			return true
		}
	}
	for to := ahead.And(t.pawn); !to.IsEmpty(); {
		if sq := to.Pop(); tryMate[C, E](p, s, sq+shogi.Square(1-2*us), sq, uint8(us<<4|pawns)) {
			return true
		}
	}
	for from := own[golds].And(around.steppers); !from.IsEmpty(); {
		sq := from.Pop()
		if moveMates[C, E](p, s, sq, bitboard.Step(shogi.Piece(us<<4|golds), sq).And(t.gold), bitboard.Bitboard{}) {
			return true
		}
	}
	for from := own[silvers].And(around.steppers); !from.IsEmpty(); {
		sq := from.Pop()
		to := bitboard.Step(shogi.Piece(us<<4|silvers), sq)
		if moveMates[C, E](p, s, sq, to.And(t.silver), to.And(t.gold)) {
			return true
		}
	}
	for from := own[knights]; !from.IsEmpty(); {
		sq := from.Pop()
		to := bitboard.Step(shogi.Piece(us<<4|knights), sq)
		if moveMates[C, E](p, s, sq, to.And(t.knight), to.And(t.gold)) {
			return true
		}
	}
	for from := own[lances].And(around.lances[us]); !from.IsEmpty(); {
		sq := from.Pop()
		to := bitboard.Lance(shogi.Color(us), sq, s.occupied)
		if moveMates[C, E](p, s, sq, bitboard.Bitboard{}, to.And(t.gold)) {
			return true
		}
	}
	return false
}

// sliderMates tries moves of bishops, rooks, horses and dragons, and lances that stay what they are.
func sliderMates[C, E side](p *Position, s *mateSearch, t *checkTargets) bool {
	var c C
	var e E
	us := len(c)
	own, middle := &p.sets[us], s.occupied.Middle()
	for from := own[lances].And(bitboard.Ahead(shogi.Color(len(e)), s.king)); !from.IsEmpty(); {
		sq := from.Pop()
		if moveMates[C, E](p, s, sq, bitboard.Lance(shogi.Color(us), sq, s.occupied).And(t.rook), bitboard.Bitboard{}) {
			return true
		}
	}
	for from := own[bishops].Or(own[horses]); !from.IsEmpty(); {
		sq := from.Pop()
		to, stay := bitboard.OnDiagonal(sq, middle).Or(bitboard.OnAntiDiagonal(sq, middle)), t.bishop
		if p.board[sq&127]&15 == uint8(horses) {
			to, stay = to.Or(bitboard.Step(shogi.BKing, sq)), t.horse
		}
		if moveMates[C, E](p, s, sq, to.And(stay), to.And(t.horse)) {
			return true
		}
	}
	for from := own[rooks].Or(own[dragons]); !from.IsEmpty(); {
		sq := from.Pop()
		to, stay := bitboard.OnRank(sq, middle).Or(bitboard.OnFile(sq, s.occupied)), t.rook
		if p.board[sq&127]&15 == uint8(dragons) {
			to, stay = to.Or(bitboard.Step(shogi.BKing, sq)), t.dragon
		}
		if moveMates[C, E](p, s, sq, to.And(stay), to.And(t.dragon)) {
			return true
		}
	}
	return false
}

// moveMates tries the moves of one piece to the squares where it gives check staying as it is, and promoted.
func moveMates[C, E side](p *Position, s *mateSearch, from shogi.Square, stay, promoted bitboard.Bitboard) bool {
	var c C
	us := len(c)
	if stay.Or(promoted).IsEmpty() {
		return false
	}
	taken := p.sets[us][allPieces]
	piece := p.board[from&127]
	if shogi.Piece(piece).IsPromotable() {
		for to := promoted.AndWord(promotionsFrom(us, from)).AndNot(taken); !to.IsEmpty(); {
			if tryMate[C, E](p, s, from, to.Pop(), piece+shogi.PromoteOffset) {
				return true
			}
		}
	}
	for to := stay.AndNot(taken); !to.IsEmpty(); {
		if tryMate[C, E](p, s, from, to.Pop(), piece) {
			return true
		}
	}
	return false
}

// openingMates tries moves that open a line to the king. Two pieces may give check then, so they are played.
func openingMates[C, E side](p *Position, s *mateSearch) bool {
	var c C
	us := len(c)
	for openers := s.openers; !openers.IsEmpty(); {
		from := openers.Pop()
		piece := p.board[from&127]
		to := bitboard.Attacks(shogi.Piece(piece), from, s.occupied).AndNot(p.sets[us][allPieces].Or(bitboard.Line(s.king, from)))
		for to := to; !to.IsEmpty(); {
			sq := to.Pop()
			for _, promote := range [...]bool{true, false} {
				m := shogi.MoveUnchecked(from, sq, promote)
				if p.IsLegal(m) && p.mates(m) && s.add(m) {
					return true
				}
			}
		}
	}
	return false
}

// slides has a bit for each kind that does.
const slides = 1<<lances | 1<<bishops | 1<<rooks | 1<<horses | 1<<dragons

// tryMate looks at one move that may give check: a drop when from is NoSquare, by the piece as it stands after it.
func tryMate[C, E side](p *Position, s *mateSearch, from, to shogi.Square, after uint8) bool {
	attack := bitboard.Step(shogi.Piece(after), to)
	if slides>>(after&15)&1 != 0 {
		attack = bitboard.Attacks(shogi.Piece(after), to, s.occupied.Clear(s.king).Clear(from))
	}
	if !attack.Contains(s.free.Clear(to).Set(s.king)) {
		return false
	}
	if s.openers.Test(from) && !bitboard.Line(s.king, from).Test(to) {
		return false // openingMates has it
	}
	return confirmMate[C, E](p, s, from, to, after, attack)
}

func confirmMate[C, E side](p *Position, s *mateSearch, from, to shogi.Square, after uint8, attack bitboard.Bitboard) bool {
	occupied := s.occupied.Clear(from).Set(to)

	// Flights: what the piece does not attack itself must be attacked by others, the square it stands on too.
	left := s.ring.Or(bitboard.Of(to).And(bitboard.Step(shogi.BKing, s.king))).AndNot(attack) // a man taken there is no obstacle any more
	if from == shogi.NoSquare {
		left = left.AndNot(s.steps) // which a drop does not change
	}
	for behind := occupied.Clear(s.king); !left.IsEmpty(); {
		if attackers[C](p, left.Pop(), behind).Clear(from).IsEmpty() {
			return false
		}
	}

	// A piece that takes must not leave its king to another of ours.
	for takers := attackers[E](p, to, occupied).Clear(s.king); !takers.IsEmpty(); {
		if attackers[C](p, s.king, occupied.Clear(takers.Pop())).Clear(from).IsEmpty() {
			return false
		}
	}

	m := shogi.DropUnchecked(shogi.PieceType(after&7), to)
	if from != shogi.NoSquare {
		m = shogi.MoveUnchecked(from, to, p.board[from&127] != after)
	}
	if !mayPlay[C, E](p, m) {
		return false
	}
	if slides>>(after&15)&1 != 0 && !bitboard.Between(s.king, to).IsEmpty() && !p.mates(m) {
		return false // something comes between
	}
	return s.add(m)
}

// mayPlay tells whether a move is legal of which all is known but what becomes of the own king.
func mayPlay[C, E side](p *Position, m shogi.Move) bool {
	var c C
	if king := p.kings[len(c)]; m.IsDrop() && king != shogi.NoSquare && attackers[E](p, king, p.Occupied()).IsEmpty() {
		return true
	}
	return p.IsLegal(m)
}

// playChecks finds mates by playing every check.
func (p *Position) playChecks(s *mateSearch) {
	var l MoveList
	p.Generate(Checks, shogi.NoSquare, &l)
	for _, m := range l.Slice() {
		if p.mates(m) && s.add(m) {
			return
		}
	}
}

// mates tells whether a legal move mates, which may be asked of any.
func (p *Position) mates(m shogi.Move) bool {
	q := *p
	q.Do(m)
	return q.IsCheckmate()
}
