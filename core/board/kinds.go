package board

import (
	"iter"

	"komadori/core/bitboard"
	"komadori/core/shogi"
)

// A MoveKind names a set of moves of the side to move. Numbers are part of the C interface.
//
// Captures and Quiets together are AllMoves, and no move is in both.
type MoveKind int32

const (
	// AllMoves are the legal moves, optional non-promotions included: the list of Legal.
	AllMoves MoveKind = 0

	// PseudoLegal are the moves that the pieces can make, whatever becomes of the own king: AllMoves, the moves that leave the king in
	// check or put it there, and the pawn drops that mate (打ち歩詰め). Everything else is asked: compulsory promotions, two pawns on a
	// file, and that no king is ever taken.
	PseudoLegal MoveKind = 1

	// SearchMoves are AllMoves without the non-promotions that are almost never better: of a pawn, bishop or rook that could promote,
	// and of a lance onto its second rank from the far edge (b for Black, h for White). A lance keeps both choices on its third rank,
	// knights and silvers keep both everywhere. In rare positions only a move left out avoids a mate by a dropped pawn.
	SearchMoves MoveKind = 2

	// Captures are the legal moves that take a piece, with promotion and without.
	Captures MoveKind = 3

	// Quiets are the legal moves that take nothing: drops and promotions on empty squares are among them.
	Quiets MoveKind = 4

	// Evasions are AllMoves when the side to move stands in check, and none otherwise.
	Evasions MoveKind = 5

	// Checks are the legal moves after which the other side stands in check.
	Checks MoveKind = 6

	// Recaptures are the Captures of the piece on one square.
	Recaptures MoveKind = 7

	// Drops are the legal drops.
	Drops MoveKind = 8

	// Tactical are the legal moves that take or promote, what a quiescence search looks at: Captures, and the promotions among Quiets.
	Tactical MoveKind = 9
)

// MoveKinds is the number of kinds.
const MoveKinds = 10

func (k MoveKind) String() string {
	names := [MoveKinds]string{"all", "pseudo-legal", "search", "captures", "quiets", "evasions", "checks", "recaptures", "drops", "tactical"}
	if !k.IsValid() {
		return "unknown"
	}
	return names[k]
}

// IsValid tells whether the number is a kind's.
func (k MoveKind) IsValid() bool { return k >= 0 && k < MoveKinds }

// MoveStages is the number of parts in which GenerateStage lists a kind.
const MoveStages = 3

// Stages of a kind: what takes, what else moves on the board, drops.
const (
	takingStage = 0
	movingStage = 1
	dropStage   = 2
)

// stagesOf has a bit for each stage in which a kind may have moves.
var stagesOf = [MoveKinds]uint8{
	Captures: 1 << takingStage, Recaptures: 1 << takingStage, Tactical: 1<<takingStage | 1<<movingStage,
	Quiets: 1<<movingStage | 1<<dropStage, Drops: 1 << dropStage,
	AllMoves: 7, PseudoLegal: 7, SearchMoves: 7, Evasions: 7, Checks: 7,
}

// Generate lists the moves of a kind in a fixed order. The square matters to Recaptures alone; none, like an unknown kind, gives no
// moves. It does not allocate.
func (p *Position) Generate(kind MoveKind, square shogi.Square, l *MoveList) {
	l.N = 0
	var nd node
	if !kind.IsValid() || !p.nodeOf(kind, square, &nd) {
		return
	}
	switch kind {
	case Drops:
		p.appendDrops(&nd, l)
	case Tactical:
		quiet := nd
		nd.restrict(p.sets[p.turn&1^1][allPieces], bitboard.Bitboard{})
		p.list(kind, &nd, l)
		quiet.restrict(quiet.occupied.Not(), bitboard.Bitboard{})
		p.appendPromotions(&quiet, l)
	default:
		p.list(kind, &nd, l)
	}
}

// GenerateStage lists one of the MoveStages parts of a kind, counted from 0: moves that take, other moves on the board, drops. Together
// they are the moves of Generate. Another stage has no moves. It does not allocate.
func (p *Position) GenerateStage(kind MoveKind, square shogi.Square, stage int, l *MoveList) {
	l.N = 0
	var nd node
	if !kind.IsValid() || stage < 0 || stage >= MoveStages || stagesOf[kind]>>stage&1 == 0 || !p.nodeOf(kind, square, &nd) {
		return
	}
	switch stage {
	case takingStage:
		nd.restrict(p.sets[p.turn&1^1][allPieces], bitboard.Bitboard{})
	case movingStage:
		nd.restrict(nd.occupied.Not(), bitboard.Bitboard{})
		if kind == Tactical {
			p.appendPromotions(&nd, l)
			return
		}
	case dropStage:
		if kind != Checks {
			p.appendDrops(&nd, l)
			p.appendMatingDrop(kind, &nd, l)
			return
		}
		nd.restrict(bitboard.Bitboard{}, bitboard.All)
	}
	p.list(kind, &nd, l)
}

// Moves is Generate as a sequence, made stage by stage: what takes first, then the other moves on the board, drops last. A loop that
// ends early saves the stages it does not reach. The loop may play moves on p if it takes them back before it goes on.
func (p *Position) Moves(kind MoveKind, square shogi.Square) iter.Seq[shogi.Move] {
	return func(yield func(shogi.Move) bool) {
		var l MoveList
		for stage := range MoveStages {
			p.GenerateStage(kind, square, stage, &l)
			for _, m := range l.Slice() {
				if !yield(m) {
					return
				}
			}
		}
	}
}

// AppendMoves appends the moves of Generate.
func (p *Position) AppendMoves(dst []shogi.Move, kind MoveKind, square shogi.Square) []shogi.Move {
	var l MoveList
	p.Generate(kind, square, &l)
	return append(dst, l.Slice()...)
}

// nodeOf is the analysis of the position, cut down to a kind where that is a matter of squares. It is false where the kind has no moves.
func (p *Position) nodeOf(kind MoveKind, square shogi.Square, nd *node) bool {
	us := p.turn & 1
	enemy := p.sets[us^1][allPieces]
	if kind == PseudoLegal { // nothing is known of checks and pins, and nothing follows from them
		occupied := p.Occupied()
		targets := p.sets[us][allPieces].Or(p.sets[us^1][kingSet]).Not()
		*nd = node{occupied: occupied, king: p.kings[us], drops: occupied.Not(), targets: targets}
		nd.flights = bitboard.Step(shogi.BKing, nd.king).And(targets)
		return true
	}
	p.analyse(nd)
	switch kind {
	case Captures:
		nd.restrict(enemy, bitboard.Bitboard{})
	case Quiets:
		nd.restrict(nd.occupied.Not(), bitboard.All)
	case Evasions:
		return !nd.checkers.IsEmpty()
	case Checks:
		return p.kings[us^1] != shogi.NoSquare
	case Recaptures:
		nd.restrict(bitboard.Of(square), bitboard.Bitboard{})
		return square.IsOnBoard() && enemy.Test(square)
	}
	return true
}

// restrict cuts the node down to moves onto some squares and drops on some.
func (nd *node) restrict(to, drops bitboard.Bitboard) {
	nd.flights = nd.flights.And(to)
	nd.targets = nd.targets.And(to)
	nd.drops = nd.drops.And(drops)
}

// list makes the list of a kind from its node.
func (p *Position) list(kind MoveKind, nd *node, l *MoveList) {
	switch kind {
	case Checks:
		p.listChecks(nd, l)
		return
	case SearchMoves:
		nd.sparing = true
	}
	p.listNode(nd, l)
	p.appendMatingDrop(kind, nd, l)
}

// listNode lists the moves of a node.
func (p *Position) listNode(nd *node, l *MoveList) {
	if p.turn == shogi.Black {
		l.N = generate[black, white](p, nd, l)
	} else {
		l.N = generate[white, black](p, nd, l)
	}
}

// leftOut has, by piece, where SearchMoves do not go without promotion, and from where.
var leftOut = func() (t [32]struct{ to, from bitboard.Bitboard }) {
	for c := shogi.Black; c <= shogi.White; c++ {
		zone := bitboard.Zone(c)
		t[shogi.MakePiece(c, shogi.Pawn)].to = zone
		t[shogi.MakePiece(c, shogi.Lance)].to = lastRanks[shogi.MakePiece(c, shogi.Knight)]
		for _, kind := range []shogi.PieceType{shogi.Bishop, shogi.Rook} {
			t[shogi.MakePiece(c, kind)] = struct{ to, from bitboard.Bitboard }{zone, zone}
		}
	}
	return t
}()

// LeavesOut tells whether SearchMoves are without a legal move, or one of PseudoLegal.
func (p *Position) LeavesOut(m shogi.Move) bool {
	left := &leftOut[p.board[m>>7&127]&31]
	return m&(shogi.MovePromote|shogi.MoveDrop) == 0 && (left.to.Test(m.To()) || left.from.Test(shogi.Square(m>>7&127)))
}

// appendDrops adds the drops of a node.
func (p *Position) appendDrops(nd *node, l *MoveList) {
	us := p.turn & 1
	switch {
	case p.hands[us] == 0 || nd.double || nd.drops.IsEmpty():
	case us == shogi.Black:
		l.N = dropMoves[black, white](p, nd, l, l.N)
	default:
		l.N = dropMoves[white, black](p, nd, l, l.N)
	}
}

// appendMatingDrop adds the pawn drop that mates to PseudoLegal moves: the square that generation leaves out although it is free.
func (p *Position) appendMatingDrop(kind MoveKind, nd *node, l *MoveList) {
	us := p.turn & 1
	if kind != PseudoLegal || p.hands[us].Count(shogi.Pawn) == 0 {
		return
	}
	free := nd.drops.AndNot(lastRanks[shogi.MakePiece(us, shogi.Pawn)].Or(nifuFiles(p.sets[us][pawns])))
	if us == shogi.Black {
		free = free.AndNot(pawnDrops[black, white](p, nd))
	} else {
		free = free.AndNot(pawnDrops[white, black](p, nd))
	}
	if !free.IsEmpty() {
		l.Moves[l.N] = shogi.DropUnchecked(shogi.Pawn, free.First())
		l.N++
	}
}

// appendPromotions adds the promotions onto the targets of a node.
func (p *Position) appendPromotions(nd *node, l *MoveList) {
	if nd.double {
		return
	}
	n := l.N
	if p.turn == shogi.Black {
		l.N = boardMoves[black](p, nd, l, n)
	} else {
		l.N = boardMoves[white](p, nd, l, n)
	}
	l.keep(n, shogi.Move.IsPromotion)
}

// keep drops the moves from index start on that do not satisfy the condition.
func (l *List[M]) keep(start int, condition func(M) bool) {
	n := start
	for _, m := range l.Moves[start:l.N] {
		if condition(m) {
			l.Moves[n] = m
			n++
		}
	}
	l.N = n
}
