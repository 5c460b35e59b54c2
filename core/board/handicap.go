package board

import (
	"strings"

	"komadori/core/fault"
	"komadori/core/shogi"
)

// A Handicap (手合割) says which of White's men are taken off before an even game begins. White (上手) moves first in every game but
// the even one. Sides of the board are White's own: its left lance stands on 1a, its right one on 9a. The names and men are those of
// the header 手合割 of KIF files. Numbers are part of the C interface and of stored rules.
type Handicap int8

const (
	HandicapEven       Handicap = 0  // 平手
	HandicapLance      Handicap = 1  // 香落ち: the left lance
	HandicapRightLance Handicap = 2  // 右香落ち
	HandicapBishop     Handicap = 3  // 角落ち
	HandicapRook       Handicap = 4  // 飛車落ち
	HandicapRookLance  Handicap = 5  // 飛香落ち: rook and left lance
	HandicapTwoPiece   Handicap = 6  // 二枚落ち: rook and bishop
	HandicapThreePiece Handicap = 7  // 三枚落ち: and the left lance
	HandicapFourPiece  Handicap = 8  // 四枚落ち: and both lances
	HandicapFivePiece  Handicap = 9  // 五枚落ち: and the right knight
	HandicapLeftFive   Handicap = 10 // 左五枚落ち: the left knight instead
	HandicapSixPiece   Handicap = 11 // 六枚落ち: both lances and knights
	HandicapLeftSeven  Handicap = 12 // 左七枚落ち: and the left silver
	HandicapRightSeven Handicap = 13 // 右七枚落ち: and the right silver
	HandicapEightPiece Handicap = 14 // 八枚落ち: both silvers
	HandicapTenPiece   Handicap = 15 // 十枚落ち: and both golds
	HandicapOther      Handicap = 16 // その他: any other start

	HandicapCount = 17
)

// handicaps has the names of every handicap, and the files of the first rank that lose their man, and whether rook and bishop go.
var handicaps = [HandicapCount]struct {
	english, japanese string
	files             string // White's men on rank a that are taken off
	rook, bishop      bool
	also              []string // further spellings, as normalName leaves them
}{
	HandicapEven:       {"even", "平手", "", false, false, []string{"hirate", "no", "none"}},
	HandicapLance:      {"lance", "香落ち", "1", false, false, []string{"leftlance", "香車", "左香", "左香車", "ky"}},
	HandicapRightLance: {"right lance", "右香落ち", "9", false, false, []string{"右香車", "kyr"}},
	HandicapBishop:     {"bishop", "角落ち", "", false, true, []string{"角行", "ka"}},
	HandicapRook:       {"rook", "飛車落ち", "", true, false, []string{"飛", "hi"}},
	HandicapRookLance:  {"rook and lance", "飛香落ち", "1", true, false, []string{"rooklance", "飛車香", "飛車香車", "飛車左香", "hiky"}},
	HandicapTwoPiece:   {"two-piece", "二枚落ち", "", true, true, []string{"2", "2枚"}},
	HandicapThreePiece: {"three-piece", "三枚落ち", "1", true, true, []string{"3", "3枚"}},
	HandicapFourPiece:  {"four-piece", "四枚落ち", "19", true, true, []string{"4", "4枚"}},
	HandicapFivePiece:  {"five-piece", "五枚落ち", "189", true, true, []string{"5", "5枚", "right5", "rightfive", "右五枚", "右5枚"}},
	HandicapLeftFive:   {"left five-piece", "左五枚落ち", "129", true, true, []string{"left5", "左5枚", "5l"}},
	HandicapSixPiece:   {"six-piece", "六枚落ち", "1289", true, true, []string{"6", "6枚"}},
	HandicapLeftSeven:  {"left seven-piece", "左七枚落ち", "12389", true, true, []string{"left7", "左7枚", "7l"}},
	HandicapRightSeven: {"right seven-piece", "右七枚落ち", "12789", true, true, []string{"right7", "右7枚", "7r"}},
	HandicapEightPiece: {"eight-piece", "八枚落ち", "123789", true, true, []string{"8", "8枚"}},
	HandicapTenPiece:   {"ten-piece", "十枚落ち", "12346789", true, true, []string{"10", "10枚"}},
	HandicapOther:      {"other", "その他", "", false, false, nil},
}

// handicapNames has every spelling, as normalName leaves it.
var handicapNames = func() map[string]Handicap {
	names := map[string]Handicap{}
	for h, row := range handicaps {
		for _, name := range append([]string{row.english, row.japanese}, row.also...) {
			names[normalName(name)] = Handicap(h)
		}
	}
	return names
}()

// normalName leaves of a handicap's name what tells it from the others: letters in lower case, digits in ASCII, no blanks, hyphens
// and underscores around or between words, no "piece", "handicap", "drop", 落ち or 落.
func normalName(name string) string {
	folded := strings.Map(func(r rune) rune {
		switch {
		case r >= '！' && r <= '～': // full-width ASCII
			r -= '！' - '!'
		case r == '　':
			return -1
		}
		switch {
		case r >= 'A' && r <= 'Z':
			return r | 0x20
		case r == ' ' || r == '\t' || r == '\r' || r == '\n' || r == '-' || r == '_' || r == '+':
			return -1
		}
		return r
	}, name)
	for _, end := range []string{"handicap", "drop", "pieces", "piece"} {
		folded = strings.TrimSuffix(folded, end)
	}
	return strings.TrimSuffix(strings.TrimSuffix(folded, "ち"), "落")
}

// NewHandicap checks a raw value 0..16.
func NewHandicap(raw int) (Handicap, error) {
	if raw < 0 || raw >= HandicapCount {
		return HandicapEven, fault.New(fault.InvalidValue, "board.NewHandicap", "handicap %d, want 0..%d", raw, HandicapCount-1)
	}
	return Handicap(raw), nil
}

// ParseHandicap reads a name: Japanese with or without 落ち (二枚落ち, ２枚落, 飛落ち), English ("two-piece", "2 pieces", "RIGHT_LANCE",
// "rook lance handicap"), or the preset of a JKF file (KY_R, HIKY, 2, 5_L, OTHER). Case, blanks and hyphens do not matter.
func ParseHandicap(name string) (Handicap, error) {
	if len(name) <= 64 {
		if h, ok := handicapNames[normalName(name)]; ok {
			return h, nil
		}
	}
	if len(name) > 64 {
		name = name[:61] + "..."
	}
	return HandicapEven, fault.New(fault.Parse, "board.ParseHandicap", "%q is no handicap, want a name such as 二枚落ち or two-piece", name).At(0)
}

// String is the English name, such as two-piece.
func (h Handicap) String() string {
	if h < 0 || h >= HandicapCount {
		return "unknown"
	}
	return handicaps[h].english
}

// Japanese is the name in the header 手合割 of a KIF file, such as 二枚落ち.
func (h Handicap) Japanese() string {
	if h < 0 || h >= HandicapCount {
		return "unknown"
	}
	return handicaps[h].japanese
}

// Setup is the start of a game with this handicap; ply 1. HandicapOther has none and is fault.InvalidValue.
func (h Handicap) Setup() (Setup, error) {
	if h < 0 || h >= HandicapOther {
		return Setup{}, fault.New(fault.InvalidValue, "board.Handicap.Setup", "%v has no start of its own", h)
	}
	s, row := StartSetup(), &handicaps[h]
	for _, file := range row.files {
		s.Board[shogi.MakeSquare(shogi.File(file-'1'), 0)] = shogi.NoPiece
	}
	if row.rook {
		s.Board[shogi.MakeSquare(7, 1)] = shogi.NoPiece
	}
	if row.bishop {
		s.Board[shogi.MakeSquare(1, 1)] = shogi.NoPiece
	}
	if h != HandicapEven {
		s.Turn = shogi.White
	}
	return s, nil
}

// HandicapOf tells whose start a setup is by board, hands and side to move; the ply does not matter. HandicapOther for all others.
func HandicapOf(s *Setup) Handicap {
	for h := HandicapEven; h < HandicapOther; h++ {
		start, _ := h.Setup()
		start.Ply = s.Ply
		if start == *s {
			return h
		}
	}
	return HandicapOther
}
