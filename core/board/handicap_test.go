package board_test

import (
	"math/bits"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/internal/vectors"
	"komadori/core/notation"
	"komadori/core/shogi"
)

const handicapTail = "/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"

// Numbers, names and starts are stored by users; White's left is file 1.
func TestHandicapTable(t *testing.T) {
	for n, r := range []struct{ english, japanese, sfen string }{
		{"even", "平手", shogi.StartSFEN},
		{"lance", "香落ち", "lnsgkgsn1/1r5b1" + handicapTail},
		{"right lance", "右香落ち", "1nsgkgsnl/1r5b1" + handicapTail},
		{"bishop", "角落ち", "lnsgkgsnl/1r7" + handicapTail},
		{"rook", "飛車落ち", "lnsgkgsnl/7b1" + handicapTail},
		{"rook and lance", "飛香落ち", "lnsgkgsn1/7b1" + handicapTail},
		{"two-piece", "二枚落ち", "lnsgkgsnl/9" + handicapTail},
		{"three-piece", "三枚落ち", "lnsgkgsn1/9" + handicapTail},
		{"four-piece", "四枚落ち", "1nsgkgsn1/9" + handicapTail},
		{"five-piece", "五枚落ち", "2sgkgsn1/9" + handicapTail},
		{"left five-piece", "左五枚落ち", "1nsgkgs2/9" + handicapTail},
		{"six-piece", "六枚落ち", "2sgkgs2/9" + handicapTail},
		{"left seven-piece", "左七枚落ち", "2sgkg3/9" + handicapTail},
		{"right seven-piece", "右七枚落ち", "3gkgs2/9" + handicapTail},
		{"eight-piece", "八枚落ち", "3gkg3/9" + handicapTail},
		{"ten-piece", "十枚落ち", "4k4/9" + handicapTail},
	} {
		h, err := board.NewHandicap(n)
		require.NoError(t, err)
		assert.Equal(t, r.english, h.String())
		assert.Equal(t, r.japanese, h.Japanese())
		s, err := h.Setup()
		require.NoError(t, err)
		assert.Equal(t, r.sfen, describe(&s), r.english)
		assert.Empty(t, s.Problems())
		s.Ply = 77
		assert.Equal(t, h, board.HandicapOf(&s), "the ply does not matter")
		s.Turn = s.Turn.Opposite()
		assert.Equal(t, board.HandicapOther, board.HandicapOf(&s), "the side to move does")
		s.Turn = s.Turn.Opposite()
		s.Hands[0], _ = s.Hands[0].Add(shogi.Pawn, 1)
		assert.Equal(t, board.HandicapOther, board.HandicapOf(&s), "and so do the hands")
		s.Hands[0] = 0
		flipped, mirrored := s.FlipSide(), s.MirrorFile()
		assert.Equal(t, board.HandicapOther, board.HandicapOf(&flipped))
		assert.Equal(t, board.HandicapOther, board.HandicapOf(&mirrored))
	}
	assert.Equal(t, "other", board.HandicapOther.String())
	assert.Equal(t, "その他", board.HandicapOther.Japanese())
	assert.EqualValues(t, 16, board.HandicapOther)
	for _, h := range []board.Handicap{board.HandicapOther, 17, -1, 127, -128} {
		s, err := h.Setup()
		assert.ErrorIs(t, err, fault.InvalidValue)
		assert.Equal(t, board.Setup{}, s)
	}
	for _, n := range []int{-1, 17, 256, 1 << (bits.UintSize - 2)} {
		_, err := board.NewHandicap(n)
		assert.ErrorIs(t, err, fault.InvalidValue)
	}
	assert.Equal(t, "unknown", board.Handicap(17).String())
	assert.Equal(t, "unknown", board.Handicap(-1).Japanese())
}

func TestHandicapSpellings(t *testing.T) {
	seen := map[board.Handicap]int{}
	for h, names := range map[board.Handicap]string{
		board.HandicapEven:       "平手|平手　　| 平手\n|even|EVEN|Hirate|no handicap",
		board.HandicapLance:      "香落ち|香落|香|左香落ち|香車落ち|lance|Lance handicap|left lance|LANCE|KY",
		board.HandicapRightLance: "右香落ち|右香|right lance|RIGHT_LANCE|right-lance|KY_R",
		board.HandicapBishop:     "角落ち|角|角行落ち|bishop|Bishop drop|KA",
		board.HandicapRook:       "飛車落ち|飛落ち|飛車|rook|ROOK|HI",
		board.HandicapRookLance:  "飛香落ち|飛車香落ち|飛香|rook and lance|rook-lance|Rook + Lance|ROOK_LANCE|HIKY",
		board.HandicapTwoPiece:   "二枚落ち|二枚落|二枚|2枚落ち|２枚落ち|two piece|two-piece|2-piece|2 pieces|2 piece handicap|TWO_PIECE|TwoPiece|2|two",
		board.HandicapThreePiece: "三枚落ち|３枚落ち|three-piece|3|THREE_PIECE",
		board.HandicapFourPiece:  "四枚落ち|４枚落ち|four-piece|4|FOUR_PIECE",
		board.HandicapFivePiece:  "五枚落ち|５枚落ち|右五枚落ち|five-piece|right five-piece|5|FIVE_PIECE",
		board.HandicapLeftFive:   "左五枚落ち|左5枚落ち|left five-piece|left 5 piece|5_L|LEFT_FIVE_PIECE",
		board.HandicapSixPiece:   "六枚落ち|６枚落ち|six-piece|6|SIX_PIECE",
		board.HandicapLeftSeven:  "左七枚落ち|左７枚落ち|left seven-piece|7_L|LEFT_SEVEN_PIECE",
		board.HandicapRightSeven: "右七枚落ち|右７枚落ち|right seven-piece|7_R|RIGHT_SEVEN_PIECE",
		board.HandicapEightPiece: "八枚落ち|８枚落ち|eight-piece|8|EIGHT_PIECE",
		board.HandicapTenPiece:   "十枚落ち|１０枚落ち|10枚落ち|ten-piece|10|TEN_PIECE",
		board.HandicapOther:      "その他|other|OTHER",
	} {
		for _, name := range append(strings.Split(names, "|"), h.String(), h.Japanese()) {
			got, err := board.ParseHandicap(name)
			assert.NoError(t, err, name)
			assert.Equal(t, h, got, name)
			seen[h]++
		}
	}
	assert.Len(t, seen, board.HandicapCount)
	// 七枚落ち does not say which silver, and 九枚落ち which gold.
	for _, name := range []string{"", " ", "落ち", "handicap", "百枚落ち", "七枚落ち", "seven-piece", "九枚落ち", "1", "01", "2 2", "pawn", "\xff", strings.Repeat("二", 5000)} {
		_, err := board.ParseHandicap(name)
		var e *fault.Error
		if assert.ErrorAs(t, err, &e, name) {
			assert.Equal(t, fault.Parse, e.Kind)
			assert.Less(t, len(err.Error()), 250)
		}
	}
}

// The vectors name the handicap of every game that starts from one.
func TestVectorsHandicaps(t *testing.T) {
	type row struct{ Handicap, Start string }
	vectors.Each(t, "vectors/games.jsonl.gz", func(r row) bool {
		h, err := board.ParseHandicap(r.Handicap)
		if !assert.NoError(t, err) || !assert.Equal(t, r.Handicap, h.Japanese()) {
			return false
		}
		start, err := notation.ParseSFEN(r.Start)
		require.NoError(t, err)
		return assert.Equal(t, h, board.HandicapOf(&start), r.Start)
	})
}

// The real records name theirs, too, in Japanese, "other" or null for one that no reader knew.
func TestVectorsHandicapsOfRecords(t *testing.T) {
	type row struct {
		File, Handicap string
		Start          string `json:"initial_sfen"`
	}
	vectors.Each(t, "games/index.jsonl", func(r row) bool {
		if r.Handicap == "" {
			assert.Empty(t, r.Start)
			return false
		}
		h, err := board.ParseHandicap(r.Handicap)
		start, startErr := notation.ParseSFEN(r.Start)
		return assert.NoError(t, err) && assert.NoError(t, startErr) && assert.Equal(t, h, board.HandicapOf(&start), r.File)
	})
}
