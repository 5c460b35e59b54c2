package board

import (
	"komadori/core/bitboard"
	"komadori/core/shogi"
)

// Entering king (入玉): a king that has reached the three far ranks can hardly be mated, so the side to move may declare (宣言) when
// it is strong enough there. The rule of 27 points is that of computer games (CSA), the one of 24 points that of professional games
// (日本将棋連盟); by the try rule (トライルール) the king's arrival on the far king's first square wins.

// Conditions of a declaration besides king and check.
const (
	CampPieces = 10 // pieces in the camp, the king not counted
	FullPoints = 54 // points of all men of an even game
)

// DeclarationPoints is what a side needs in order to win by declaration under the rule of 27 points: 28 for Black, 27 for White.
func DeclarationPoints(c shogi.Color) int { return 28 - int(c&1) }

const (
	winPoints24  = 31
	drawPoints24 = 24
)

// A Camp is what a side has gathered in its camp, the three far ranks.
type Camp struct {
	King   bool // the king stands there
	Pieces int  // pieces there, without the king
	Points int  // of those pieces and of the hand: bishops and rooks count 5, promoted or not, others 1
}

// Camp counts what a side has in its camp.
func (p *Position) Camp(c shogi.Color) Camp {
	zone, sets := bitboard.Zone(c), &p.sets[c&1]
	there := sets[allPieces].AndNot(sets[kingSet]).And(zone)
	majors := sets[bishops].Or(sets[rooks]).Or(sets[horses]).Or(sets[dragons])
	return Camp{
		King:   !sets[kingSet].And(zone).IsEmpty(),
		Pieces: there.Count(),
		Points: there.Count() + 4*majors.And(zone).Count() + handPoints(p.hands[c&1]),
	}
}

func handPoints(h shogi.Hand) int { return h.Total() + 4*(h.Count(shogi.Bishop)+h.Count(shogi.Rook)) }

// missingPoints is the worth of the men that an even game has and this position lacks, as in handicap games.
func (p *Position) missingPoints() int {
	n := FullPoints
	for c := range p.sets {
		sets := &p.sets[c]
		majors := sets[bishops].Or(sets[rooks]).Or(sets[horses]).Or(sets[dragons])
		n -= sets[allPieces].AndNot(sets[kingSet]).Count() + 4*majors.Count() + handPoints(p.hands[c])
	}
	return n
}

// A Declaration says whether the side to move may declare, and what it counts.
type Declaration struct {
	Rule         shogi.EnteringKingRule
	Verdict      shogi.Verdict
	Points       int        // in camp and hand
	Required     int        // points for a win; 0 where points do not matter
	PiecesInCamp int        // without the king
	KingInCamp   bool       // the king stands on one of the three far ranks
	InCheck      bool       // the side to move stands in check, and so may not declare
	Move         shogi.Move // of a win: MoveWin, or the king's move by the try rule; else MoveNone
}

// Declaration is the report of a rule for the side to move. Without both kings it is fault.InvalidPosition, and fault.InvalidValue
// for a number that is no rule.
//
// A side wins when its king stands in its camp and not in check, with at least ten more pieces in the camp and the required points: 28
// for Black and 27 for White under the rule of 27 points, 31 under that of 24, where 24 to 30 are a draw. In the handicap forms
// the points of men missing from the board are taken off what White, who gives the handicap, needs, for the draw too. Whether a player has time left is
// the caller's matter. By the try rule a legal move of the king to 5a (Black) or 5i (White) wins; the points are counted all the same.
func (p *Position) Declaration(rule shogi.EnteringKingRule) (Declaration, error) {
	if _, err := shogi.NewEnteringKingRule(int(rule)); err != nil {
		return Declaration{}, err
	}
	if err := p.NeedKings("board.Position.Declaration"); err != nil {
		return Declaration{}, err
	}
	us := p.turn
	camp := p.Camp(us)
	d := Declaration{Rule: rule, Points: camp.Points, PiecesInCamp: camp.Pieces, KingInCamp: camp.King, InCheck: p.InCheck()}
	draw := 0
	switch rule {
	case shogi.NoEnteringKing:
		return d, nil
	case shogi.TryRule:
		if m, err := shogi.NewMove(p.kings[us], TrySquare(us), false); err == nil && p.IsLegal(m) {
			d.Verdict, d.Move = shogi.VerdictWin, m
		}
		return d, nil
	case shogi.Cs24Point, shogi.Cs24PointHandicap:
		d.Required, draw = winPoints24, drawPoints24
	case shogi.Cs27Point, shogi.Cs27PointHandicap:
		d.Required = DeclarationPoints(us)
		draw = d.Required
	}
	if us == shogi.White && (rule == shogi.Cs24PointHandicap || rule == shogi.Cs27PointHandicap) {
		missing := p.missingPoints()
		d.Required -= missing
		draw -= missing
	}
	switch {
	case !d.KingInCamp || d.InCheck || d.PiecesInCamp < CampPieces:
	case d.Points >= d.Required:
		d.Verdict, d.Move = shogi.VerdictWin, shogi.MoveWin
	case d.Points >= draw:
		d.Verdict = shogi.VerdictDraw
	}
	return d, nil
}

// TrySquare is where a side's king wins by the try rule: 5a (5一) for Black, 5i (5九) for White.
func TrySquare(c shogi.Color) shogi.Square {
	if c == shogi.Black {
		return 36
	}
	return 44
}
