package board_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/bitboard"
	"komadori/core/board"
	"komadori/core/shogi"
)

// A reference is the rules told a second time, slowly and without bitboards: pieces walk over 81 squares, and a move is
// legal when playing it on a copy leaves no own king under attack.
type reference struct {
	board [81]shogi.Piece
	hands [2][8]int
	turn  shogi.Color
}

func referenceOf(p *board.Position) (r reference) {
	s := p.Setup()
	r.board, r.turn = s.Board, s.Turn
	for c := range r.hands {
		for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
			r.hands[c][kind] = s.Hands[c].Count(kind)
		}
	}
	return r
}

// walks has, per kind, steps and rays as (files towards 9, ranks ahead).
var (
	crossing = [][2]int{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}}
	straight = [][2]int{{0, 1}, {0, -1}, {1, 0}, {-1, 0}}
	golden   = [][2]int{{-1, 1}, {0, 1}, {1, 1}, {-1, 0}, {1, 0}, {0, -1}}

	walkSteps = map[shogi.PieceType][][2]int{
		shogi.Pawn: {{0, 1}}, shogi.Knight: {{-1, 2}, {1, 2}}, shogi.Silver: {{-1, 1}, {0, 1}, {1, 1}, {-1, -1}, {1, -1}},
		shogi.Gold: golden, shogi.ProPawn: golden, shogi.ProLance: golden, shogi.ProKnight: golden, shogi.ProSilver: golden,
		shogi.King: slices.Concat(crossing, straight), shogi.Horse: straight, shogi.Dragon: crossing,
	}
	walkRays = map[shogi.PieceType][][2]int{
		shogi.Lance: {{0, 1}}, shogi.Bishop: crossing, shogi.Rook: straight, shogi.Horse: crossing, shogi.Dragon: straight,
	}
)

// reach calls f for every square the piece on from attacks.
func (r *reference) reach(from int, f func(to int)) {
	p := r.board[from]
	ahead := -1
	if p.Color() == shogi.White {
		ahead = 1
	}
	for _, d := range walkSteps[p.Type()] {
		if file, rank := from/9+d[0], from%9+ahead*d[1]; file >= 0 && file < 9 && rank >= 0 && rank < 9 {
			f(9*file + rank)
		}
	}
	for _, d := range walkRays[p.Type()] {
		for file, rank := from/9+d[0], from%9+ahead*d[1]; file >= 0 && file < 9 && rank >= 0 && rank < 9; file, rank = file+d[0], rank+ahead*d[1] {
			f(9*file + rank)
			if r.board[9*file+rank] != shogi.NoPiece {
				break
			}
		}
	}
}

func (r *reference) attackers(sq int, c shogi.Color) (out bitboard.Bitboard) {
	for from, p := range r.board {
		if p != shogi.NoPiece && p.Color() == c {
			r.reach(from, func(to int) {
				if to == sq {
					out = out.Set(shogi.Square(from))
				}
			})
		}
	}
	return out
}

func (r *reference) king(c shogi.Color) int {
	return slices.Index(r.board[:], shogi.MakePiece(c, shogi.King))
}

func (r *reference) inCheck(c shogi.Color) bool {
	k := r.king(c)
	return k >= 0 && !r.attackers(k, c.Opposite()).IsEmpty()
}

func (r reference) after(m shogi.Move) reference {
	to := int(m.To())
	if m.IsDrop() {
		r.hands[r.turn][m.DroppedType()]--
		r.board[to] = shogi.MakePiece(r.turn, m.DroppedType())
	} else {
		p := r.board[m.From()]
		if taken := r.board[to]; taken != shogi.NoPiece {
			r.hands[r.turn][taken.Type().Demote()]++
		}
		r.board[m.From()] = shogi.NoPiece
		if m.IsPromotion() {
			p = p.Promote()
		}
		r.board[to] = p
	}
	r.turn = r.turn.Opposite()
	return r
}

// far is how many ranks a square is from the mover's last one.
func far(c shogi.Color, sq int) int {
	if c == shogi.Black {
		return sq % 9
	}
	return 8 - sq%9
}

func deadAt(kind shogi.PieceType, c shogi.Color, sq int) bool {
	switch kind {
	case shogi.Pawn, shogi.Lance:
		return far(c, sq) < 1
	case shogi.Knight:
		return far(c, sq) < 2
	}
	return false
}

func (r *reference) legal() (out []shogi.Move) {
	try := func(m shogi.Move) {
		q := r.after(m)
		if q.inCheck(r.turn) {
			return
		}
		if m.IsDrop() && m.DroppedType() == shogi.Pawn && q.attackers(q.king(q.turn), r.turn).Test(m.To()) && len(q.legal()) == 0 {
			return // uchifuzume: the pawn itself gives check, and it is mate
		}
		out = append(out, m)
	}
	r.moves(try)
	return out
}

// moves calls try with everything the pieces may do, own king's safety and uchifuzume aside.
func (r *reference) moves(try func(m shogi.Move)) {
	for from, p := range r.board {
		if p == shogi.NoPiece || p.Color() != r.turn {
			continue
		}
		r.reach(from, func(to int) {
			taken := r.board[to]
			if taken != shogi.NoPiece && (taken.Color() == r.turn || taken.Type() == shogi.King) {
				return
			}
			if p.IsPromotable() && (far(r.turn, from) < 3 || far(r.turn, to) < 3) {
				try(shogi.MoveUnchecked(shogi.Square(from), shogi.Square(to), true))
			}
			if !deadAt(p.Type(), r.turn, to) {
				try(shogi.MoveUnchecked(shogi.Square(from), shogi.Square(to), false))
			}
		})
	}
	for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
		for to := range 81 {
			if r.hands[r.turn][kind] == 0 || r.board[to] != shogi.NoPiece || deadAt(kind, r.turn, to) {
				continue
			}
			if kind == shogi.Pawn && slices.Contains(r.board[to/9*9:to/9*9+9], shogi.MakePiece(r.turn, shogi.Pawn)) {
				continue // nifu
			}
			try(shogi.DropUnchecked(kind, shogi.Square(to)))
		}
	}
}

// pinned is the set of c's pieces whose removal lets a slider that did not attack c's king attack it.
func (r *reference) pinned(c shogi.Color) (out bitboard.Bitboard) {
	k := r.king(c)
	if k < 0 {
		return out
	}
	now := r.attackers(k, c.Opposite())
	for sq, p := range r.board {
		if p == shogi.NoPiece || p.Color() != c || sq == k {
			continue
		}
		q := *r
		q.board[sq] = shogi.NoPiece
		if !q.attackers(k, c.Opposite()).AndNot(now).IsEmpty() {
			out = out.Set(shogi.Square(sq))
		}
	}
	return out
}

func sorted(moves []shogi.Move) []shogi.Move {
	slices.Sort(moves)
	return append([]shogi.Move{}, moves...)
}

func sfen(p *board.Position) string {
	s := p.Setup()
	return describe(&s)
}

// compareWithReference compares everything that generation says of a position and returns the legal moves.
func compareWithReference(t *testing.T, p *board.Position, everyValue bool) []shogi.Move {
	t.Helper()
	before := *p
	ref := referenceOf(p)
	want := sorted(ref.legal())
	got := sorted(p.AppendLegal(nil))
	require.Equal(t, want, got, "legal moves of %s", sfen(p))
	require.Equal(t, len(want), p.CountLegal(), "count of %s", sfen(p))
	var narrow board.MoveList
	var wide board.Move32List
	p.Legal(&narrow)
	p.Legal32(&wide)
	require.Equal(t, narrow.N, wide.N)
	for i, m := range narrow.Slice() {
		require.Equal(t, p.Move32(m), wide.Moves[i], "%v in %s", m, sfen(p))
	}
	require.Equal(t, len(want) > 0, p.HasLegalMove())
	us, them := p.Turn(), p.Turn().Opposite()
	inCheck := ref.inCheck(us)
	require.Equal(t, inCheck, p.InCheck(), sfen(p))
	require.Equal(t, inCheck && len(want) == 0, p.IsCheckmate(), sfen(p))
	if k := ref.king(us); k >= 0 {
		require.Equal(t, ref.attackers(k, them), p.Checkers(), sfen(p))
	} else {
		require.True(t, p.Checkers().IsEmpty())
	}
	for c := shogi.Black; c <= shogi.White; c++ {
		require.Equal(t, ref.pinned(c), p.Pinned(c), "pins of %v in %s", c, sfen(p))
		for sq := range 81 {
			require.Equal(t, ref.attackers(sq, c), p.AttackersTo(shogi.Square(sq), c), "%v by %v in %s", shogi.Square(sq), c, sfen(p))
		}
		require.False(t, p.IsAttacked(shogi.NoSquare, c))
	}
	var mates []shogi.Move
	for _, m := range want {
		require.True(t, p.IsLegal(m), "%v in %s", m, sfen(p))
		q := ref.after(m)
		check := q.inCheck(q.turn)
		require.Equal(t, check, p.GivesCheck(m), "%v checks in %s", m, sfen(p))
		if check {
			if len(q.legal()) == 0 {
				mates = append(mates, m)
			}
		}
	}
	require.Equal(t, sorted(mates), sorted(p.AppendMatesInOne(nil)), "mates of %s", sfen(p))
	if m := p.MateInOne(); m == shogi.MoveNone {
		require.Empty(t, mates, sfen(p))
	} else {
		require.Contains(t, mates, m, sfen(p))
	}
	compareKinds(t, p, &ref, want)
	if everyValue {
		for raw := range 1 << 16 {
			m := shogi.Move(raw)
			if _, found := slices.BinarySearch(want, m); found != p.IsLegal(m) {
				t.Fatalf("0x%04x (%v) in %s: %v", raw, m, sfen(p), p.IsLegal(m))
			}
			p.GivesCheck(m) // no answer is promised, a panic is not allowed
		}
	}
	require.Equal(t, before, *p, "asking changes nothing")
	return want
}

// sprinkle puts men of a full set on random squares; odd boards that no game reaches, kings missing now and then.
func sprinkle(r *rand.Rand) (board.Position, bool) {
	s := board.Setup{Turn: shogi.Color(r.IntN(2)), Ply: int32(1 + r.IntN(200))}
	squares := r.Perm(81)
	density := r.Float64()
	kings := r.IntN(10) // 0: neither, 1 and 2: one only
	for kind := shogi.King; kind >= shogi.Pawn; kind-- {
		men := 2
		if kind != shogi.King {
			men = shogi.HandMax[kind]
		}
		for i := range men {
			c := shogi.Color(r.IntN(2))
			if kind == shogi.King {
				c = shogi.Color(i)
				if kings == 0 || kings == i+1 {
					continue
				}
			} else if x := r.Float64(); x > density {
				if x < (1+density)/2 {
					s.Hands[c] += 1 << shogi.HandShift[kind]
				}
				continue
			}
			sq := shogi.Square(squares[0])
			squares = squares[1:]
			p := shogi.MakePiece(c, kind)
			if p.IsPromotable() && (r.IntN(3) == 0 || kind.MustPromote(c, sq.Rank())) {
				p = p.Promote()
			}
			s.Board[sq] = p
		}
	}
	p, err := s.Position()
	return p, err == nil
}

var handicaps = []string{
	shogi.StartSFEN,
	"lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
	"lnsgkgsnl/1r7/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
	"lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
	"lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
	"2sgkgs2/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
	"4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w 9p2l2n2s2gbr 1",
	"l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
	"R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
}

// pick prefers checks and captures half of the time, so that walks meet pins, double checks and mates.
func pick(r *rand.Rand, p *board.Position, legal []shogi.Move) shogi.Move {
	if r.IntN(2) == 0 {
		if sharp := p.AppendMoves(p.AppendMoves(nil, board.Checks, shogi.NoSquare), board.Tactical, shogi.NoSquare); len(sharp) > 0 {
			return sharp[r.IntN(len(sharp))]
		}
	}
	return legal[r.IntN(len(legal))]
}

func TestLegalMovesAgainstTheReference(t *testing.T) {
	plies, boards := 30, 400
	if testing.Short() {
		plies, boards = 8, 60
	}
	r := rand.New(rand.NewPCG(5, 6))
	n, values := 0, 0
	for _, start := range handicaps {
		p := position(t, start)
		for ply := range plies {
			every := ply%10 == 0
			legal := compareWithReference(t, &p, every)
			n++
			if every {
				values++
			}
			if len(legal) == 0 {
				break
			}
			p.Do(pick(r, &p, legal))
		}
	}
	for i := 0; i < boards; {
		p, ok := sprinkle(r)
		if !ok {
			continue
		}
		compareWithReference(t, &p, i%40 == 0)
		i++
		n++
	}
	t.Logf("%d positions, %d with all 65536 values", n, values)
}

// Pawn drops that mate (打ち歩詰め), the neighbours that do not, and the same mate by a pawn on the board.
func TestUchifuzume(t *testing.T) {
	for _, r := range []struct {
		name, sfen, move string
		legal            bool
	}{
		{"the pawn mates", "3lkl3/9/4S4/9/9/9/9/9/4K4 b P 1", "P*5b", false},
		{"a defender takes the pawn", "3gkl3/9/4S4/9/9/9/9/9/4K4 b P 1", "P*5b", true},
		{"the king takes an unguarded pawn", "3lkl3/9/9/9/9/9/9/9/4K4 b P 1", "P*5b", true},
		{"the king has an escape", "3lk4/9/4S4/9/9/9/9/9/4K4 b P 1", "P*5b", true},
		{"a pawn moved on the board may mate", "3lkl3/9/3SPS3/9/9/9/9/9/4K4 b - 1", "5c5b", true},
		{"a lance dropped instead may mate", "3lkl3/9/4S4/9/9/9/9/9/4K4 b L 1", "L*5b", true},
		{"the pawn mates for White", "4k4/9/9/9/9/9/4s4/9/3LKL3 w p 1", "P*5h", false},
	} {
		p := position(t, r.sfen)
		m, err := shogi.ParseMove(r.move)
		require.NoError(t, err)
		assert.Equal(t, r.legal, p.IsLegal(m), r.name)
		compareWithReference(t, &p, false)
	}
}

func TestDiscoveredChecks(t *testing.T) {
	for _, r := range []struct {
		name, sfen, move string
		check            bool
	}{
		{"a piece leaves the line", "4k4/9/9/9/9/9/4S4/9/K3R4 b - 1", "5g4f", true},
		{"a piece stays on the line", "4k4/9/9/9/9/9/4S4/9/K3R4 b - 1", "5g5f", false},
		{"the same on a diagonal", "k8/9/9/9/4G4/9/6B2/9/K8 b - 1", "5e4e", true},
		{"a bishop's own pawn", "k8/9/9/9/4P4/9/9/9/K7B b - 1", "5e5d", true},
		{"the king leaves the line", "4k4/9/9/9/9/4K4/9/9/4L4 b - 1", "5f4f", true},
		{"two pieces stand between", "4k4/9/9/4p4/9/9/4S4/9/K3R4 b - 1", "5g4f", false},
		{"an enemy piece stands between", "4k4/9/9/4p4/9/9/9/9/K3R4 b - 1", "9i8i", false},
		{"a check that stood already goes on", "4k4/9/9/9/9/9/9/9/K3R4 b - 1", "9i8i", true},
		{"and ends when its piece leaves", "4k4/9/9/9/9/9/9/9/K3R4 b - 1", "5i4i", false},
	} {
		p := position(t, r.sfen)
		m, err := shogi.ParseMove(r.move)
		require.NoError(t, err)
		require.True(t, p.IsLegal(m), r.name)
		assert.Equal(t, r.check, p.GivesCheck(m), r.name)
		compareWithReference(t, &p, false)
	}
}

func TestDropRules(t *testing.T) {
	for _, r := range []struct {
		name, sfen, move string
		legal            bool
	}{
		{"nifu: a second unpromoted pawn on the file", "4k4/9/9/9/9/9/P8/9/4K4 b P 1", "P*9e", false},
		{"a promoted pawn on the file does not count", "4k4/9/9/9/9/9/+P8/9/4K4 b P 1", "P*9e", true},
		{"the opponent's pawn on the file does not count", "4k4/9/p8/9/9/9/9/9/4K4 b P 1", "P*9e", true},
		{"nifu is asked per file", "4k4/9/9/9/9/9/P8/9/4K4 b P 1", "P*8e", true},
		{"no pawn on the last rank", "4k4/9/9/9/9/9/9/9/4K4 b P 1", "P*9a", false},
		{"no lance on the last rank", "4k4/9/9/9/9/9/9/9/4K4 b L 1", "L*9a", false},
		{"no knight on the last two ranks", "4k4/9/9/9/9/9/9/9/4K4 b N 1", "N*9b", false},
		{"a knight on the third rank", "4k4/9/9/9/9/9/9/9/4K4 b N 1", "N*9c", true},
		{"White's last rank is the ninth", "4k4/9/9/9/9/9/9/9/4K4 w l 1", "L*9i", false},
		{"White drops on Black's last rank", "4k4/9/9/9/9/9/9/9/4K4 w p 1", "P*9a", true},
		{"not on a piece", "4k4/9/9/9/9/9/9/9/4K4 b G 1", "G*5i", false},
		{"not what is not in hand", "4k4/9/9/9/9/9/9/9/4K4 b G 1", "S*5e", false},
		{"not the opponent's hand", "4k4/9/9/9/9/9/9/9/4K4 b g 1", "G*5e", false},
		{"a drop that does not stop a check", "4k4/9/9/9/4r4/9/9/9/4K4 b G 1", "G*1a", false},
		{"a drop between", "4k4/9/9/9/4r4/9/9/9/4K4 b G 1", "G*5g", true},
	} {
		p := position(t, r.sfen)
		m, err := shogi.ParseMove(r.move)
		require.NoError(t, err)
		assert.Equal(t, r.legal, p.IsLegal(m), r.name)
		assert.Equal(t, r.legal, slices.Contains(p.AppendLegal(nil), m), r.name)
	}
}

func TestPromotionRules(t *testing.T) {
	for _, r := range []struct {
		name, sfen string
		legal      map[string]bool
	}{
		{"into the zone it is a choice", "4k4/9/9/P8/9/9/9/9/4K4 b - 1", map[string]bool{"9d9c": true, "9d9c+": true}},
		{"within the zone", "k8/4S4/9/9/9/9/9/9/4K4 b - 1", map[string]bool{"5b4a": true, "5b4a+": true}},
		{"out of the zone", "k8/9/4S4/9/9/9/9/9/4K4 b - 1", map[string]bool{"5c4d": true, "5c4d+": true}},
		{"outside the zone", "4k4/9/9/9/9/4S4/9/9/4K4 b - 1", map[string]bool{"5f4e": true, "5f4e+": false}},
		{"a pawn on the last rank must", "4k4/P8/9/9/9/9/9/9/4K4 b - 1", map[string]bool{"9b9a": false, "9b9a+": true}},
		{"a lance on the last rank must, before it need not", "4k4/9/9/9/9/9/9/9/L3K4 b - 1", map[string]bool{"9i9a": false, "9i9a+": true, "9i9b": true, "9i9b+": true}},
		{"a knight on the last two must", "4k4/9/9/4N4/9/9/9/9/4K4 b - 1", map[string]bool{"5d4b": false, "5d4b+": true}},
		{"a knight on the third need not", "4k4/9/9/9/4N4/9/9/9/4K4 b - 1", map[string]bool{"5e4c": true, "5e4c+": true}},
		{"a gold never", "k8/4G4/9/9/9/9/9/9/4K4 b - 1", map[string]bool{"5b4a": true, "5b4a+": false}},
		{"a king never", "k8/9/4K4/9/9/9/9/9/9 b - 1", map[string]bool{"5c5b": true, "5c5b+": false}},
		{"a promoted piece never again", "k8/4+P4/9/9/9/9/9/9/4K4 b - 1", map[string]bool{"5b5a": true, "5b5a+": false}},
		{"White's zone is the other", "4k4/9/9/9/9/p8/9/9/4K4 w - 1", map[string]bool{"9f9g": true, "9f9g+": true}},
	} {
		p := position(t, r.sfen)
		for text, want := range r.legal {
			m, err := shogi.ParseMove(text)
			require.NoError(t, err)
			assert.Equal(t, want, p.IsLegal(m), "%s: %s", r.name, text)
		}
		compareWithReference(t, &p, false)
	}
}

// A diagram may show kings side by side: each gives check to the other, neither is ever taken, and with a second piece it is a double check.
func TestKingsSideBySide(t *testing.T) {
	for _, r := range []struct {
		sfen, move string
		legal      bool
	}{
		{"9/9/9/9/4K4/5k3/5P3/4b4/9 w - 1", "5h4g", false},
		{"9/9/9/9/4K4/5k3/5P3/4g4/9 w - 1", "5h4g", false},
		{"9/9/9/9/4K4/5k3/5P3/9/9 w - 1", "4f4g", true},
		{"9/9/9/9/4K4/5k3/9/9/4g4 w r 1", "R*1a", false},
		{"9/9/9/9/4K4/4gk3/9/9/9 w - 1", "5f5e", false},
		{"9/9/9/9/4K4/5k3/9/9/9 b - 1", "5e6d", true},
	} {
		p := position(t, r.sfen)
		m, err := shogi.ParseMove(r.move)
		require.NoError(t, err)
		assert.Equal(t, r.legal, p.IsLegal(m), "%s in %s", r.move, r.sfen)
		compareWithReference(t, &p, false)
	}
}

// The largest number of legal moves that any position has fits the list.
func TestMostLegalMoves(t *testing.T) {
	p := position(t, "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1")
	assert.Equal(t, board.MaxLegalMoves, p.CountLegal())
	assert.Len(t, p.AppendLegal(nil), 593)
}
