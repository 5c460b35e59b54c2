package eval

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/bitboard"
	"komadori/core/board"
	"komadori/core/internal/vectors"
	"komadori/core/notation"
	"komadori/core/shogi"
)

func evaluated(p *board.Position) int {
	e := New()
	e.Reset(p)
	return e.Evaluate(p)
}

// The judge knows no color and no left or right.
func TestEvaluationIsSymmetric(t *testing.T) {
	vectors.Each(t, "vectors/positions.jsonl.gz", func(row struct {
		SFEN string `json:"sfen"`
	}) bool {
		p, err := notation.ParsePosition(row.SFEN)
		if err != nil || p.NeedKings("") != nil {
			return false
		}
		v := evaluated(&p)
		flipped, mirrored := p.FlipSide(), p.MirrorFile()
		require.Equal(t, v, evaluated(&flipped), row.SFEN)
		require.Equal(t, v, evaluated(&mirrored), row.SFEN)
		return true
	})
}

// What is attacked, and what by several men, is what walking over the men gives.
func TestCoversCountAttackers(t *testing.T) {
	vectors.Each(t, "vectors/positions.jsonl.gz", func(row struct {
		SFEN string `json:"sfen"`
	}) bool {
		p, err := notation.ParsePosition(row.SFEN)
		if err != nil {
			return false
		}
		for c := shogi.Black; c <= shogi.White; c++ {
			var once, twice, knights bitboard.Bitboard
			for sq := range p.Pieces(c).Squares {
				a := p.AttacksBy(sq)
				switch p.PieceAt(sq).Type() {
				case shogi.Knight:
					knights = knights.Or(a)
				case shogi.Silver, shogi.Gold, shogi.ProPawn, shogi.ProLance, shogi.ProKnight, shogi.ProSilver:
				default:
					continue
				}
				once, twice = once.Or(a), twice.Or(once.And(a))
			}
			stepsOf := [2]func(golds, silvers, knights bitboard.Bitboard) (_, _, _ bitboard.Bitboard){steps[black], steps[white]}
			gotOnce, gotTwice, gotKnights := stepsOf[c](p.PiecesOf(c, shogi.GoldLike), p.PiecesOf(c, shogi.Silver), p.PiecesOf(c, shogi.Knight))
			require.Equal(t, [3]bitboard.Bitboard{once, twice, knights}, [3]bitboard.Bitboard{gotOnce, gotTwice, gotKnights}, row.SFEN)
		}
		return true
	})
}

// What all lances of a side attack at once is what they attack one by one.
func TestLancesTogether(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 5000 {
		var occupied bitboard.Bitboard
		var sets [2]bitboard.Bitboard
		density := random.IntN(9)
		for sq := shogi.Square(0); sq < 81; sq++ {
			if random.IntN(10) <= density {
				occupied = occupied.Set(sq)
				if c := shogi.Color(random.IntN(2)); random.IntN(4) == 0 && !shogi.Lance.MustPromote(c, sq.Rank()) {
					sets[c] = sets[c].Set(sq)
				}
			}
		}
		target := bitboard.Step(shogi.BKing, shogi.Square(random.IntN(81)))
		for c, together := range [2]func(set, occupied, target bitboard.Bitboard) (bitboard.Bitboard, int){lances[black], lances[white]} {
			var attacks bitboard.Bitboard
			hits := 0
			for sq := range sets[c].Squares {
				a := bitboard.Lance(shogi.Color(c), sq, occupied)
				attacks = attacks.Or(a)
				if a.Overlaps(target) {
					hits++
				}
			}
			got, gotHits := together(sets[c], occupied, target)
			require.Equal(t, attacks, got, "%v of %v", sets[c], occupied)
			require.Equal(t, hits, gotHits, "%v of %v at %v", sets[c], occupied, target)
		}
	}
}

// Sums kept along a game equal those added up from nothing, on the way there and on the way back.
func TestEvaluationFollowsMoves(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		p := board.Start()
		e := New()
		e.Reset(&p)
		var moves []shogi.Move
		var undos []board.Undo
		var before []int
		for range Depth {
			legal := p.AppendLegal(nil)
			if len(legal) == 0 {
				break
			}
			m := legal[random.IntN(len(legal))]
			if random.IntN(4) != 0 { // mostly without asking on the way, as sums may be stale then
				before = append(before, 0)
			} else {
				before = append(before, e.Evaluate(&p))
			}
			e.Push(&p, m)
			moves, undos = append(moves, m), append(undos, p.Do(m))
			if random.IntN(4) == 0 {
				require.Equal(t, evaluated(&p), e.Evaluate(&p), "%v", moves)
			}
		}
		for i := len(moves) - 1; i >= 0; i-- {
			p.Undo(moves[i], undos[i])
			e.Pop()
			if before[i] != 0 {
				require.Equal(t, before[i], e.Evaluate(&p))
			}
		}
		assert.Equal(t, evaluated(&p), e.Evaluate(&p))
	}
}

// The list that weights are learnt by gives the value that the search uses.
func TestFeaturesAddUpToTheValue(t *testing.T) {
	w, ok := Decode(weights)
	require.True(t, ok)
	vectors.Each(t, "vectors/positions.jsonl.gz", func(row struct {
		SFEN string `json:"sfen"`
	}) bool {
		p, err := notation.ParsePosition(row.SFEN)
		if err != nil || p.NeedKings("") != nil {
			return false
		}
		opening, ending := 0, 0
		Features(&p, func(feature, n int) {
			opening += n * int(w[feature].Opening)
			ending += n * int(w[feature].Ending)
		})
		progress := int(min(Progress(&p), ProgressEnd))
		v := (opening*(ProgressEnd-progress) + ending*progress) / ProgressEnd
		if p.Turn() == shogi.White {
			v = -v
		}
		require.Equal(t, v+Tempo, evaluated(&p), row.SFEN)
		return true
	})
	assert.Equal(t, weights, Encode(&w))
}

// The features are those that weights.bin was learnt with: whoever changes them learns new weights, and puts the number here. It comes from
// an evaluator that listed its features one by one.
func TestFeaturesAreThoseOfTheWeights(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	w := new([FeatureCount]Weight)
	for i := range w {
		w[i] = Weight{int16(random.IntN(2001) - 1000), int16(random.IntN(2001) - 1000)}
	}
	e, values := Maker(w)(), fnv.New64a()
	for _, game := range benchGames {
		p := board.Start()
		for _, text := range strings.Fields(game) {
			m, err := shogi.ParseMove(text)
			require.NoError(t, err)
			p.Do(m)
			e.Reset(&p)
			fmt.Fprintln(values, e.Evaluate(&p))
		}
	}
	assert.Equal(t, uint64(0x8ce2e05ab3385abc), values.Sum64())
}

// Weights of another shape are not taken for weights, and other weights judge otherwise.
func TestOtherWeights(t *testing.T) {
	_, ok := Decode(weights[:len(weights)-4])
	assert.False(t, ok)
	w, ok := Decode(weights)
	require.True(t, ok)
	p, err := notation.ParsePosition("4k4/9/9/9/9/9/9/9/4K4 b R 1")
	require.NoError(t, err)
	same := Maker(&w)()
	same.Reset(&p)
	assert.Equal(t, evaluated(&p), same.Evaluate(&p))
	other := Maker(new([FeatureCount]Weight))()
	other.Reset(&p)
	assert.Equal(t, Tempo, other.Evaluate(&p))
}

func TestEvaluateDoesNotAllocate(t *testing.T) {
	p := board.Start()
	e := New()
	m, err := shogi.ParseMove("7g7f")
	require.NoError(t, err)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		e.Push(&p, m)
		u := p.Do(m)
		_ = e.Evaluate(&p)
		p.Undo(m, u)
		e.Pop()
	}))
}
