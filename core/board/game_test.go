package board_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/shogi"
)

func push(t *testing.T, g *board.Game, moves ...string) {
	t.Helper()
	for _, text := range moves {
		m, err := shogi.ParseMove(text)
		require.NoError(t, err)
		if m == shogi.MoveNull {
			require.NoError(t, g.PushNull())
		} else {
			require.NoError(t, g.Push(m), text)
		}
	}
}

func randomGame(t *testing.T, r *rand.Rand, start string, plies int) *board.Game {
	g := board.NewGameFrom(position(t, start))
	for range plies {
		legal := g.Pos.AppendLegal(nil)
		if len(legal) == 0 {
			break
		}
		if !g.InCheck() && r.IntN(12) == 0 {
			require.NoError(t, g.PushNull())
			continue
		}
		require.NoError(t, g.Push(pick(r, &g.Pos, legal)))
	}
	return g
}

func TestPopToTheStart(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, start := range handicaps {
		g := board.NewGameFrom(position(t, start))
		states := []board.State{*g.State}
		var moves []shogi.Move
		for range 80 {
			legal := g.Pos.AppendLegal(nil)
			if len(legal) == 0 {
				break
			}
			if len(moves)%13 == 7 && !g.InCheck() {
				require.NoError(t, g.PushNull())
				moves = append(moves, shogi.MoveNull)
			} else {
				m := pick(r, &g.Pos, legal)
				require.NoError(t, g.Push(m))
				moves = append(moves, m)
			}
			require.Equal(t, g.Pos.InCheck(), g.InCheck())
			require.Equal(t, moves[len(moves)-1], g.LastMove())
			states = append(states, *g.State)
		}
		require.Equal(t, moves, g.AppendMoves(nil))
		for i := len(moves) - 1; i >= 0; i-- {
			m, err := g.Pop()
			require.NoError(t, err)
			require.Equal(t, moves[i], m)
			require.Equal(t, states[i], *g.State, "everything is as it was")
		}
		before := *g.State
		m, err := g.Pop()
		assert.ErrorIs(t, err, fault.IllegalMove)
		assert.Equal(t, shogi.MoveNone, m)
		assert.Equal(t, shogi.MoveNone, g.LastMove())
		assert.Equal(t, before, *g.State)
	}
}

// A move that is refused leaves every byte of the state as it was, whatever its value.
func TestRefusedMovesChangeNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	for _, start := range handicaps {
		g := randomGame(t, r, start, 20)
		before, entries := *g.State, append([]board.Entry(nil), g.Entries[:g.Len]...)
		for raw := range 1 << 16 {
			m := shogi.Move(raw)
			if g.Pos.IsLegal(m) {
				continue
			}
			if err := g.Push(m); err == nil {
				t.Fatalf("0x%04x is played", raw)
			}
			if raw%16 == 0 {
				if err := g.PushMove32(shogi.Move32Unchecked(m, shogi.Piece(raw>>4&31))); err == nil {
					t.Fatalf("0x%04x is played", raw)
				}
			}
			if before != *g.State {
				t.Fatalf("0x%04x changes the state", raw)
			}
		}
		assert.ErrorIs(t, g.Push(0xFFFF), fault.IllegalMove)
		assert.Equal(t, entries, g.Entries[:g.Len])
	}
}

func TestPassing(t *testing.T) {
	g := board.NewGame()
	assert.ErrorIs(t, g.Push(shogi.MoveNull), fault.IllegalMove, "a pass is no legal move")
	require.NoError(t, g.PushNull())
	assert.Equal(t, shogi.White, g.Pos.Turn())
	assert.Equal(t, 2, g.Pos.Ply())
	assert.Equal(t, shogi.MoveNull, g.LastMove())
	m, err := g.Pop()
	assert.NoError(t, err)
	assert.Equal(t, shogi.MoveNull, m)
	assert.Equal(t, board.Start(), g.Pos)

	checked := board.NewGameFrom(position(t, "4k4/9/9/9/4r4/9/9/9/4K4 b - 1"))
	before := *checked.State
	assert.ErrorIs(t, checked.PushNull(), fault.IllegalMove, "a side in check may not pass")
	assert.Equal(t, before, *checked.State)

	// A pass breaks the line of returns: four occurrences across it are no repetition.
	g = board.NewGame()
	for range 3 {
		push(t, g, "2h3h", "8b7b", "3h2h", "7b8b")
	}
	assert.Equal(t, shogi.RepetitionDraw, g.RepetitionState())
	g = board.NewGame()
	push(t, g, "null", "null")
	for range 2 {
		push(t, g, "2h3h", "8b7b", "3h2h", "7b8b")
	}
	assert.Equal(t, shogi.RepetitionNone, g.RepetitionState())
	assert.True(t, g.IsRepetition(3))
	assert.False(t, g.IsRepetition(4))
}

func TestRepetitionIsOneGame(t *testing.T) {
	assert.Equal(t, shogi.RepetitionNone, board.NewGame().RepetitionState())
	g := board.NewGame()
	for i := 1; i <= 3; i++ {
		push(t, g, "2h3h", "8b7b", "3h2h")
		assert.Equal(t, shogi.RepetitionNone, g.RepetitionState())
		push(t, g, "7b8b")
		assert.True(t, g.IsRepetition(i+1))
		assert.False(t, g.IsRepetition(i+2))
		want := shogi.RepetitionNone
		if i == 3 {
			want = shogi.RepetitionDraw
		}
		assert.Equal(t, want, g.RepetitionState())
		assert.Equal(t, shogi.RepetitionDraw, g.SearchRepetition(4))
		assert.Equal(t, shogi.RepetitionNone, g.SearchRepetition(3), "beyond the limit")
	}
	// Taking back and playing again gives the same answers.
	_, err := g.Pop()
	require.NoError(t, err)
	assert.Equal(t, shogi.RepetitionNone, g.RepetitionState())
	push(t, g, "7b8b")
	assert.Equal(t, shogi.RepetitionDraw, g.RepetitionState())
}

// Checks all the way lose, seen from both sides.
func TestPerpetualCheckLoses(t *testing.T) {
	g := board.NewGameFrom(position(t, "8k/9/7R1/9/9/9/9/9/K8 b - 1"))
	push(t, g, "2c1c")
	for range 3 {
		push(t, g, "1a2a", "1c2c", "2a1a", "2c1c")
	}
	assert.Equal(t, shogi.RepetitionWin, g.RepetitionState(), "the side to move was checked all the way")
	push(t, g, "1a2a")
	assert.Equal(t, shogi.RepetitionLose, g.RepetitionState(), "the side to move gave check all the way")
}

// The board returns after White dropped a pawn and lost it.
func TestSuperiorAndInferiorHands(t *testing.T) {
	g := board.NewGameFrom(position(t, "k8/9/9/9/9/4R4/9/9/K8 b p 1"))
	push(t, g, "9i9h", "P*5e", "5f5e", "9a9b", "5e5f", "9b8b", "9h9i")
	assert.Equal(t, shogi.RepetitionNone, g.RepetitionState())
	push(t, g, "8b9a")
	assert.Equal(t, shogi.RepetitionSuperior, g.RepetitionState(), "Black is to move and holds a pawn more")
	assert.Equal(t, shogi.RepetitionSuperior, g.SearchRepetition(8))
	assert.Equal(t, shogi.RepetitionNone, g.SearchRepetition(7))
	assert.False(t, g.IsRepetition(2))

	g = board.NewGameFrom(position(t, "k8/9/9/9/9/4R4/9/9/K8 w p 1"))
	push(t, g, "P*5e", "5f5e", "9a9b", "5e5g", "9b9a", "5g5f")
	assert.Equal(t, shogi.RepetitionInferior, g.RepetitionState(), "White is to move and has lost a pawn")
	assert.Equal(t, shogi.RepetitionInferior, g.SearchRepetition(6))
	push(t, g, "9a9b", "5f5g", "9b9a", "5g5f")
	assert.Equal(t, shogi.RepetitionDraw, g.SearchRepetition(100), "the nearest return is an equal one")
	assert.Equal(t, shogi.RepetitionNone, g.RepetitionState(), "which ends the game only at its fourth time")
}

func TestCloneIsIndependent(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	g := randomGame(t, r, shogi.StartSFEN, 40)
	for g.Pos.CountLegal() == 0 {
		_, _ = g.Pop()
	}
	state, moves := *g.State, g.AppendMoves(nil)
	c := g.Clone()
	require.Equal(t, state, *c.State)
	require.Equal(t, moves, c.AppendMoves(nil))
	require.NoError(t, c.Push(c.Pos.AppendLegal(nil)[0]))
	for c.Len > 0 {
		_, err := c.Pop()
		require.NoError(t, err)
	}
	for range 30 {
		if legal := c.Pos.AppendLegal(nil); len(legal) > 0 {
			require.NoError(t, c.Push(legal[len(legal)-1]))
		}
	}
	assert.Equal(t, state, *g.State)
	assert.Equal(t, moves, g.AppendMoves(nil))
	for g.Len > 0 {
		_, err := g.Pop()
		require.NoError(t, err)
	}
	assert.Equal(t, board.Start(), g.Pos)
}

func TestResetStartsAnew(t *testing.T) {
	g := board.NewGame()
	push(t, g, "7g7f", "3c3d")
	bad := board.StartSetup()
	bad.Hands[0] = 19
	before := *g.State
	assert.ErrorIs(t, g.Reset(&bad), fault.InvalidPosition)
	assert.Equal(t, before, *g.State)
	s := board.StartSetup()
	s.Ply = 7
	require.NoError(t, g.Reset(&s))
	assert.Zero(t, g.Len)
	assert.Equal(t, 7, g.Pos.Ply())
	assert.Equal(t, shogi.RepetitionNone, g.RepetitionState())
	push(t, g, "7g7f")
	assert.Equal(t, 8, g.Pos.Ply())
}

// A writer that stops anywhere inside Push or Pop leaves Start and the first Len entries whole; Repair needs no more.
func TestRepairAfterATornState(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 12))
	for i, start := range handicaps {
		g := randomGame(t, r, start, 30)
		if g.Len == 0 {
			continue
		}
		whole, moves := *g.State, g.AppendMoves(nil)

		require.NoError(t, g.Repair())
		require.Equal(t, whole, *g.State, "a whole game stays as it is")

		g.Pos = board.Position{} // torn to the utmost
		require.NoError(t, g.Repair())
		require.Equal(t, whole, *g.State)

		g.Pos.DoNull()
		require.NoError(t, g.Repair())
		require.Equal(t, whole, *g.State)

		if legal := g.Pos.AppendLegal(nil); len(legal) > 0 {
			m := legal[i%len(legal)]
			g.PushUnchecked(m)
			after := *g.State
			g.Len-- // a Push that wrote its entry and its position but not its length
			require.NoError(t, g.Repair())
			require.Equal(t, whole, *g.State)
			require.NoError(t, g.Push(m))
			require.Equal(t, after, *g.State, "and the game goes on")
			_, err := g.Pop()
			require.NoError(t, err)
		}
		_, err := g.Pop()
		require.NoError(t, err)
		earlier := *g.State
		g.Pos = whole.Pos // a Pop that wrote its length and not yet its position
		require.NoError(t, g.Repair())
		require.Equal(t, earlier, *g.State)
		require.Equal(t, moves[:len(moves)-1], g.AppendMoves(nil)[:g.Len])
	}
}

func TestRepairRefusesWhatIsNoGame(t *testing.T) {
	for name, tear := range map[string]func(g *board.Game){
		"negative length":         func(g *board.Game) { g.Len = -1 },
		"length beyond the block": func(g *board.Game) { g.Len = 1 << 30 },
		"a start that is none":    func(g *board.Game) { g.Start = board.Position{} },
		"half a start":            func(g *board.Game) { g.Start.DoNull(); g.Start.Board()[40] = uint8(shogi.BGold) },
		"another start":           func(g *board.Game) { g.Start = position(t, "4k4/9/9/9/9/9/9/9/4K4 w - 1") },
		"entries never written":   func(g *board.Game) { g.Entries[1] = board.Entry{} },
	} {
		g := board.NewGame()
		push(t, g, "7g7f", "3c3d", "2g2f")
		tear(g)
		assert.ErrorIs(t, g.Repair(), fault.Handle, name)
	}
}

// Of all values, those that can be carried out are played and taken back with every man and every field as before, legal or not; all legal moves are among them.
func TestTrustedMovesKeepTheMen(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	men := func(s *board.Setup) (n [2]int) {
		for _, p := range s.Board {
			if p != shogi.NoPiece {
				n[0]++
			}
		}
		for c := range s.Hands {
			for _, k := range s.Hands[c].Counts() {
				n[1] += k
			}
		}
		return n
	}
	played, illegal := 0, 0
	for range 2 {
		g := randomGame(t, r, handicaps[0], 80)
		before, setup := g.Pos, g.Pos.Setup()
		for i := range 1 << 16 {
			m := shogi.Move(i)
			legal := g.Pos.IsLegal(m)
			if !g.Pos.CanCarryOut(m) {
				require.False(t, legal, "%v", m)
				require.ErrorIs(t, g.PushTrusted(m), fault.IllegalMove)
				continue
			}
			require.NoError(t, g.PushTrusted(m))
			after := g.Pos.Setup()
			require.Equal(t, men(&setup)[0]+men(&setup)[1], men(&after)[0]+men(&after)[1], "%v", m)
			var l board.MoveList
			g.Pos.Legal(&l) // whatever it finds
			back, err := g.Pop()
			require.NoError(t, err)
			require.Equal(t, m, back)
			require.Equal(t, before, g.Pos, "%v", m)
			played++
			if !legal {
				illegal++
			}
		}
	}
	require.Greater(t, played, 1000)
	require.Greater(t, illegal, 1000)
}
