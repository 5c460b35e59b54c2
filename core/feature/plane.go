package feature

import (
	"fmt"
	"strings"

	"komadori/core/fault"
)

// A Plane is one of all planes that there are, by number:
//
//	  0..61   the board planes of dlshogi
//	 62..180  its flat planes, entering king included
//	181..     what follows below
//
// All are seen by the side to move but those named board, which are as Black sees them. Numbers and names are for ever; new ones come at the end.
type Plane uint16

const (
	flatPlane0  Plane = BoardPlanes
	extraPlane0 Plane = BoardPlanes + FlatPlanesKing

	occupiedOwn      Plane = extraPlane0 + 0 // squares of own pieces
	occupiedOpponent Plane = extraPlane0 + 1
	pinnedOwn        Plane = extraPlane0 + 2 // own pieces alone between the own king and a line of the opponent
	pinnedOpponent   Plane = extraPlane0 + 3
	checkersPlane    Plane = extraPlane0 + 4 // the opponent's pieces that give check
	whitePlane       Plane = extraPlane0 + 5 // all 1 when the side to move is White
	onePlane         Plane = extraPlane0 + 6 // all 1
	boardPlane0      Plane = extraPlane0 + 7 // 28 planes of pieces by color, the board as it is: WritePieces without turned

	PlaneCount = int(boardPlane0) + PiecePlanes
)

var kindNames = [14]string{"pawn", "lance", "knight", "silver", "bishop", "rook", "gold", "king", "pro_pawn", "pro_lance", "pro_knight", "pro_silver", "horse", "dragon"}

var planeNames = func() (names [PlaneCount]string) {
	for c, side := range [2]string{"own", "opponent"} {
		first := sidePlanes * c
		for i, kind := range kindNames {
			names[first+i] = "pieces." + side + "." + kind
			names[first+attackPlane+i] = "attacks." + side + "." + kind
		}
		for k := range 3 {
			names[first+countPlane+k] = fmt.Sprintf("attacked.%s.%d", side, k+1)
		}
		for _, g := range handGroups {
			for k := range int(g.most) {
				names[int(flatPlane0)+handPlanes*c+int(g.first)+k] = fmt.Sprintf("hands.%s.%s.%d", side, kindNames[g.kind-1], k+1)
			}
		}
		king := int(flatPlane0) + kingPlane + sidePlanes*c
		names[king] = "camp." + side + ".king"
		for r := range 10 {
			names[king+campGroup+r] = fmt.Sprintf("camp.%s.pieces.%d", side, r)
		}
		for r := range 20 {
			names[king+pointGroup+r] = fmt.Sprintf("camp.%s.points.%d", side, r)
		}
		names[int(occupiedOwn)+c] = "occupied." + side
		names[int(pinnedOwn)+c] = "pinned." + side
	}
	names[flatPlane0+checkPlane] = "check"
	names[checkersPlane], names[whitePlane], names[onePlane] = "checkers", "white", "one"
	for i, kind := range kindNames {
		names[int(boardPlane0)+i], names[int(boardPlane0)+14+i] = "board.black."+kind, "board.white."+kind
	}
	return names
}()

// String is the name: pieces.own.pawn, attacks.opponent.rook, attacked.own.2 (by at least two), hands.own.gold.1 (at least one), check,
// camp.own.king, camp.own.pieces.3 (three men fewer than ten), camp.own.points.5 (five points too few), occupied.own, pinned.opponent, checkers, white, one,
// board.black.pawn.
func (p Plane) String() string {
	if int(p) >= PlaneCount {
		return "none"
	}
	return planeNames[p]
}

// IsFlat tells whether all elements of the plane are always equal.
func (p Plane) IsFlat() bool {
	return p >= flatPlane0 && p < extraPlane0 || p == whitePlane || p == onePlane
}

// ParsePlanes appends the planes that words name, in their order; words stand between commas or spaces. A word is the name of a plane or its beginning up to a dot, for all
// planes that begin so in ascending order: "pieces" is all 28, "hands.own" those of the mover's hand.
func ParsePlanes(dst []Plane, text string) ([]Plane, error) {
	at := 0
	for at < len(text) {
		if c := text[at]; c == ',' || c == ' ' {
			at++
			continue
		}
		end := at
		for end < len(text) && text[end] != ',' && text[end] != ' ' {
			end++
		}
		word, before := text[at:end], len(dst)
		for p, name := range planeNames {
			if name == word || strings.HasPrefix(name, word) && name[len(word)] == '.' {
				dst = append(dst, Plane(p))
			}
		}
		if len(dst) == before {
			return dst, fault.New(fault.Parse, "feature.ParsePlanes", "no plane %.40q, want names such as pieces, attacks.own, hands.opponent.gold.1, check", word).At(at)
		}
		at = end
	}
	return dst, nil
}

// NewPlane checks a raw number.
func NewPlane(raw int) (Plane, error) {
	if raw < 0 || raw >= PlaneCount {
		return 0, fault.New(fault.InvalidValue, "feature.NewPlane", "plane %d, want 0..%d", raw, PlaneCount-1)
	}
	return Plane(raw), nil
}
