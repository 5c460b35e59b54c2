package board_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/bitboard"
	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/shogi"
	"komadori/core/zobrist"
)

// walk plays random games from the handicap starts and from sprinkled boards and calls visit before every move.
func walk(t *testing.T, games, plies int, visit func(p *board.Position, m shogi.Move)) {
	t.Helper()
	r := rand.New(rand.NewPCG(7, 8))
	for i := range games {
		p := position(t, handicaps[i%len(handicaps)])
		if i%3 == 2 {
			for ok := false; !ok; {
				p, ok = sprinkle(r)
			}
		}
		for range plies {
			legal := p.AppendLegal(nil)
			if len(legal) == 0 {
				break
			}
			m := pick(r, &p, legal)
			visit(&p, m)
			p.Do(m)
		}
	}
}

// Keys are stored by users.
func TestPositionKeysNeverChange(t *testing.T) {
	for text, keys := range map[string][3]uint64{
		shogi.StartSFEN: {0xaf0687bcef290cae, 0xaf0687bcef290cae, 0},
		"l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1": {0x499a45abda3e420d, 0x567f0b284dcc0e6a, 0xc1958cc7463c98b5},
		"4k4/9/9/9/9/9/9/9/4K4 b - 1":                                           {0xb04f9d5faf019a4d, 0xb04f9d5faf019a4d, 0},
	} {
		p := position(t, text)
		assert.Equal(t, keys, [3]uint64{p.Key(), p.BoardKey(), p.HandKey()}, text)
	}
	a, b := position(t, "4k4/9/9/9/9/9/9/9/4K4 b P 1"), position(t, "4k4/9/9/9/9/9/9/9/4K4 b p 1")
	assert.Equal(t, a.BoardKey(), b.BoardKey())
	assert.NotEqual(t, a.Key(), b.Key(), "the same board with other hands is another position")
	c := position(t, "4k4/9/9/9/9/9/9/9/4K4 w P 77")
	assert.NotEqual(t, a.Key(), c.Key(), "and so it is with the other side to move")
	d := position(t, "4k4/9/9/9/9/9/9/9/4K4 b P 77")
	assert.Equal(t, a.Key(), d.Key(), "the ply plays no part")
}

// Users store the wide keys too.
func TestWideAndPartialKeysNeverChange(t *testing.T) {
	for text, keys := range map[string][3]uint64{
		shogi.StartSFEN: {0xd44af54fee560e2c, 0x73382ba48c1859a3, 0x770ff7d774c8224a},
		"l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1": {0xc234c07ff735ef35, 0x760f407e2aaf3897, 0x9b4a8cee96eb3dd8},
		"4k4/9/9/9/9/9/9/9/4K4 b - 1":                                           {0x3b24240e8e40d127, 0, 0xe72fe89761394de0},
	} {
		p := position(t, text)
		high, low := p.Key128()
		assert.Equal(t, p.Key(), low, text)
		assert.Equal(t, keys, [3]uint64{high, p.PawnKey(), p.MaterialKey()}, text)
	}
}

// The parts of a key are what they are made of, after every move; the upper half of the wide key is the same sum over other numbers.
func TestKeysAreSumsOfTheirParts(t *testing.T) {
	second := zobrist.Second()
	walk(t, 40, 40, func(p *board.Position, m shogi.Move) {
		check := func() {
			var b, h, pawnKey, high uint64
			s := p.Setup()
			men := map[shogi.Piece]int{}
			for sq, piece := range s.Board {
				if piece == shogi.NoPiece {
					continue
				}
				b ^= zobrist.Board[piece][sq]
				high ^= second.Board[piece][sq]
				if piece.Type() == shogi.Pawn {
					pawnKey ^= zobrist.Board[piece][sq]
				}
				men[piece]++
			}
			for c := range s.Hands {
				for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
					h ^= zobrist.Hand[c][kind][s.Hands[c].Count(kind)]
					high ^= second.Hand[c][kind][s.Hands[c].Count(kind)]
				}
			}
			material := h
			for piece, n := range men {
				for i := range n {
					material ^= zobrist.Board[piece][i]
				}
			}
			key := b ^ h
			if s.Turn == shogi.White {
				key ^= zobrist.Side
				high ^= second.Side
			}
			gotHigh, gotLow := p.Key128()
			want := [7]uint64{key, b, h, pawnKey, material, high, key}
			if got := [7]uint64{p.Key(), p.BoardKey(), p.HandKey(), p.PawnKey(), p.MaterialKey(), gotHigh, gotLow}; got != want {
				t.Fatalf("%x, want %x in %s", got, want, sfen(p))
			}
		}
		check()
		u := p.Do(m)
		check()
		p.Undo(m, u)
	})
}

// What is kept up move by move equals what is made anew from the diagram: sets, keys, kings, everything. Undo restores all of it.
func TestDoAndUndoKeepEverythingInStep(t *testing.T) {
	n := 0
	walk(t, 60, 80, func(p *board.Position, m shogi.Move) {
		before := *p
		u := p.Do(m)
		s := p.Setup()
		fresh, err := s.Position()
		if err != nil {
			t.Fatalf("%v: %v", m, err)
		}
		if fresh != *p {
			t.Fatalf("%v in %s: incremental state differs from %s", m, sfen(&before), sfen(&fresh))
		}
		want := shogi.NoPiece
		if !m.IsDrop() {
			want = before.PieceAt(m.To())
		}
		if u.Captured() != want {
			t.Fatalf("%v in %s took %v", m, sfen(&before), u.Captured())
		}
		p.Undo(m, u)
		if before != *p {
			t.Fatalf("%v in %s is not taken back", m, sfen(&before))
		}
		p.DoNull()
		if p.Turn() == before.Turn() || p.Ply() != before.Ply()+1 || p.BoardKey() != before.BoardKey() || p.Key() == before.Key() {
			t.Fatalf("pass in %s", sfen(&before))
		}
		p.UndoNull()
		if before != *p {
			t.Fatalf("the pass in %s is not taken back", sfen(&before))
		}
		n++
	})
	t.Logf("%d moves", n)
}

func TestQueriesAgreeWithTheDiagram(t *testing.T) {
	walk(t, 30, 20, func(p *board.Position, _ shogi.Move) {
		s := p.Setup()
		var sets [2][16]bitboard.Bitboard
		kings := [2]shogi.Square{shogi.NoSquare, shogi.NoSquare}
		for i, piece := range s.Board {
			sq := shogi.Square(i)
			if p.PieceAt(sq) != piece || shogi.Piece(p.Board()[i]) != piece {
				t.Fatal(sq)
			}
			if piece == shogi.NoPiece {
				continue
			}
			c, kind := piece.Color(), piece.Type()
			sets[c][0] = sets[c][0].Set(sq)
			sets[c][kind] = sets[c][kind].Set(sq)
			switch kind {
			case shogi.King:
				kings[c] = sq
			case shogi.Gold, shogi.ProPawn, shogi.ProLance, shogi.ProKnight, shogi.ProSilver:
				sets[c][shogi.GoldLike] = sets[c][shogi.GoldLike].Set(sq)
			}
		}
		for c := shogi.Black; c <= shogi.White; c++ {
			for kind := shogi.Pawn; kind <= shogi.GoldLike; kind++ {
				if p.PiecesOf(c, kind) != sets[c][kind] {
					t.Fatalf("%v of %v in %s", kind, c, sfen(p))
				}
			}
			if p.Pieces(c) != sets[c][0] || p.KingSquare(c) != kings[c] || p.Hand(c) != s.Hands[c] || !p.PiecesOf(c, 0).IsEmpty() {
				t.Fatal(sfen(p))
			}
			missing := kings[0] == shogi.NoSquare || kings[1] == shogi.NoSquare
			if err := p.NeedKings("test"); missing != (err != nil) {
				t.Fatal(sfen(p), err)
			}
		}
		if p.Occupied() != sets[0][0].Or(sets[1][0]) || p.PieceAt(shogi.NoSquare) != shogi.NoPiece || p.PieceAt(-1) != shogi.NoPiece {
			t.Fatal(sfen(p))
		}
	})
}

// Turning the board by 180 degrees and exchanging the sides, or mirroring the files, changes nothing about the game.
func TestFlipAndMirrorCommuteWithPlay(t *testing.T) {
	walk(t, 40, 40, func(p *board.Position, m shogi.Move) {
		for _, way := range []struct {
			position func(*board.Position) board.Position
			move     func(shogi.Move) shogi.Move
			set      func(bitboard.Bitboard) bitboard.Bitboard
		}{
			{(*board.Position).FlipSide, shogi.Move.FlipSide, bitboard.Bitboard.FlipSide},
			{(*board.Position).MirrorFile, shogi.Move.MirrorFile, bitboard.Bitboard.MirrorFile},
		} {
			q := way.position(p)
			if way.position(&q) != *p {
				t.Fatalf("twice from %s", sfen(p))
			}
			legal := p.AppendLegal(nil)
			for i := range legal {
				legal[i] = way.move(legal[i])
			}
			require.Equal(t, sorted(legal), sorted(q.AppendLegal(nil)), sfen(p))
			if q.Ply() != p.Ply() || q.Checkers() != way.set(p.Checkers()) || q.GivesCheck(way.move(m)) != p.GivesCheck(m) {
				t.Fatalf("%v in %s", m, sfen(p))
			}
			after := *p
			after.Do(m)
			q.Do(way.move(m))
			if way.position(&after) != q {
				t.Fatalf("%v in %s", m, sfen(p))
			}
		}
	})
}

func TestMove32CarriesThePieceAfter(t *testing.T) {
	walk(t, 30, 30, func(p *board.Position, m shogi.Move) {
		m32 := p.Move32(m)
		q := *p
		q.Do(m)
		if m32.PieceAfter() != q.PieceAt(m.To()) || m32.Move() != m {
			t.Fatalf("%v in %s", m, sfen(p))
		}
		for _, v := range []shogi.Move32{m32, shogi.Move32(m)} { // verified when set, completed when not
			if full, err := p.CheckMove32(v); err != nil || full != m32 {
				t.Fatalf("%08x in %s: %v", uint32(v), sfen(p), err)
			}
		}
		for piece := shogi.Piece(1); piece < 32; piece++ {
			if piece == m32.PieceAfter() {
				continue
			}
			if _, err := p.CheckMove32(shogi.Move32Unchecked(m, piece)); err == nil {
				t.Fatalf("%v with %v in %s", m, piece, sfen(p))
			}
		}
		a, err := p.AperyMove32(m)
		back, err2 := a.Move32(p.Turn())
		if err != nil || err2 != nil || back != m32 || a.Captured() != p.PieceAt(m.To()).Type() {
			t.Fatalf("%v in %s", m, sfen(p))
		}
	})
	p := board.Start()
	assert.Equal(t, shogi.Move32(shogi.MoveResign), p.Move32(shogi.MoveResign))
	a, err := p.AperyMove32(shogi.MoveWin)
	assert.NoError(t, err)
	assert.EqualValues(t, shogi.MoveWin, a)
	for _, m := range []shogi.Move{shogi.MoveNone, shogi.MoveResign, 0xFFFF} {
		_, err := p.CheckMove32(shogi.Move32(m))
		assert.ErrorIs(t, err, fault.IllegalMove)
	}
}

// No position has a ply above 2^31 - 1: a game that goes on from there stays at it.
func TestPlyEndsAtItsLargestValue(t *testing.T) {
	s := board.StartSetup()
	s.Ply = math.MaxInt32
	p, err := s.Position()
	require.NoError(t, err)
	before := p
	m := p.AppendLegal(nil)[0]
	u := p.Do(m)
	assert.Equal(t, math.MaxInt32, p.Ply())
	after := p.Setup()
	assert.EqualValues(t, math.MaxInt32, after.Ply)
	_, err = after.Position()
	assert.NoError(t, err)
	flipped := p.FlipSide()
	assert.Equal(t, p.Key(), func() uint64 { q := flipped.FlipSide(); return q.Key() }())
	p.Undo(m, u)
	assert.Equal(t, before, p)
}

// A list of men gives the same position, and the same error, as the diagram.
func TestLoadMenIsLoad(t *testing.T) {
	check := func(s *board.Setup) {
		men := board.Men{Hands: s.Hands, Turn: s.Turn, Ply: s.Ply}
		for i, piece := range s.Board {
			if piece != shogi.NoPiece {
				if men.Count == len(men.Squares) {
					return
				}
				men.Squares[men.Count], men.Pieces[men.Count] = shogi.Square(i), piece
				men.Count++
			}
		}
		if men.Setup() != *s {
			t.Fatal(describe(s))
		}
		var p, q board.Position
		want, got := p.Load(s), q.LoadMen(&men)
		if want == nil {
			if got != nil || p != q {
				t.Fatalf("%s: %v", describe(s), got)
			}
			return
		}
		require.EqualError(t, got, want.Error())
	}
	walk(t, 30, 20, func(p *board.Position, _ shogi.Move) {
		s := p.Setup()
		check(&s)
	})
	for _, row := range setupProblems() {
		if row.name != "a code that is no piece" {
			s := row.setup
			check(&s)
		}
	}
}

func TestHotPathsDoNotAllocate(t *testing.T) {
	for _, text := range handicaps {
		p := position(t, text)
		s := p.Setup()
		var list board.MoveList
		var list32 board.Move32List
		var counts board.AttackCounts
		p.Legal(&list)
		buffer := make([]shogi.Move, 0, board.MaxLegalMoves)
		m := list.Moves[0]
		g := board.NewGameFrom(p)
		require.NoError(t, g.Push(m))
		_, err := g.Pop()
		require.NoError(t, err)
		for name, f := range map[string]func(){
			"Legal":       func() { p.Legal(&list) },
			"Legal32":     func() { p.Legal32(&list32) },
			"AppendLegal": func() { buffer = p.AppendLegal(buffer[:0]) },
			"CountLegal":  func() { p.CountLegal() },
			"Generate": func() {
				for kind := range board.MoveKind(board.MoveKinds) {
					p.Generate(kind, m.To(), &list)
				}
			},
			"GenerateStage": func() {
				for kind := range board.MoveKind(board.MoveKinds) {
					p.GenerateStage(kind, m.To(), 1, &list)
				}
			},
			"MateInOne":        func() { p.MateInOne() },
			"IsLegal":          func() { p.IsLegal(m); p.IsLegal(0xFFFF) },
			"GivesCheck":       func() { p.GivesCheck(m) },
			"SEE":              func() { p.SEE(m) },
			"CountAttacks":     func() { p.CountAttacks(true, &counts) },
			"Keys":             func() { p.Key128(); p.PawnKey(); p.MaterialKey() },
			"Attacks":          func() { p.AttacksBy(40); p.AttackedBy(0); p.Blockers(1); p.Discoverers(); p.CheckSquares(shogi.Gold) },
			"Do and Undo":      func() { p.Undo(m, p.Do(m)) },
			"Load":             func() { _ = p.Load(&s) },
			"Setup":            func() { s = p.Setup() },
			"Flip":             func() { _ = p.FlipSide() },
			"Perft":            func() { p.Perft(2, nil) },
			"Push and Pop":     func() { _ = g.Push(m); _, _ = g.Pop() },
			"Push32":           func() { _ = g.PushMove32(shogi.Move32(m)); _, _ = g.Pop() },
			"RepetitionState":  func() { g.RepetitionState() },
			"SearchRepetition": func() { g.SearchRepetition(16) },
		} {
			assert.Zero(t, testing.AllocsPerRun(5, f), "%s in %s", name, text)
		}
	}
}

// The value of exchanges, in the units of shogi.PieceValues, a taken piece counted twice over as it changes hands.
func TestSEE(t *testing.T) {
	for _, r := range []struct {
		name, sfen, move string
		want             int
	}{
		{"nothing to take", "4k4/9/9/9/9/9/9/9/4K4 b G 1", "G*5e", 0},
		{"a free pawn", "4k4/9/9/9/4p4/9/9/9/4KR3 b - 1", "4i4e", 0},
		{"takes a free pawn", "4k4/9/9/9/4p4/4R4/9/9/4K4 b - 1", "5f5e", 200},
		{"rook takes a guarded pawn", "4k4/9/9/4g4/4p4/4R4/9/9/4K4 b - 1", "5f5e", 200 - 2000},
		{"pawn takes a guarded pawn", "4k4/9/9/4g4/4p4/4P4/9/9/4K4 b - 1", "5f5e", 0},
		{"a promotion counts its gain", "4k4/9/9/P8/9/9/9/9/4K4 b - 1", "9d9c+", 450},
		{"a drop onto a guarded square", "4k4/9/9/4g4/9/9/9/9/4K4 b R 1", "R*5e", -2000},
		{"a king may not take what is guarded", "9/9/4k4/9/9/5N3/9/9/4K4 b G 1", "G*5d", 0},
		{"but what is not", "9/9/4k4/9/9/9/9/9/4K4 b G 1", "G*5d", -1100},
		{"a promoted pawn goes before a gold, as less is lost with it", "4k4/9/9/4+pg3/9/9/9/4L4/4K4 b S 1", "S*5e", -900 + 650 - 600},
	} {
		p := position(t, r.sfen)
		m, err := shogi.ParseMove(r.move)
		require.NoError(t, err)
		assert.Equal(t, r.want, p.SEE(m), r.name)
	}
	p := board.Start()
	assert.Zero(t, p.SEE(shogi.MoveResign))
}

func TestPerftStopsWhenAsked(t *testing.T) {
	p := board.Start()
	assert.EqualValues(t, 1, p.Perft(0, nil))
	assert.EqualValues(t, 1, p.Perft(-1, nil))
	asked := 0
	n := p.Perft(4, func() bool { asked++; return true })
	assert.Less(t, n, uint64(719731))
	assert.Positive(t, asked)
}
