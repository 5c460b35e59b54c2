package notation

import (
	"math"
	"strings"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/shogi"
)

// ParseGame reads what follows "position" in USI, with or without that word: "startpos" or "sfen" and an SFEN (the word may be missing),
// then optionally "moves" and moves. Every move must be legal; an unreadable or illegal one is an error that names its number from 1.
// A trailing word resign, win, draw or rep_* is returned as the ending.
func ParseGame(text string) (g *board.Game, ending string, err error) {
	const op = "notation.ParseGame"
	fields := split(nil, text, math.MaxInt)
	if len(fields) > 0 && fields[0].text == "position" {
		fields = fields[1:]
	}
	moves := len(fields)
	for i, f := range fields {
		if f.text == "moves" {
			moves = i
			break
		}
	}
	var men board.Men
	if err = parseStart(fields[:moves], len(text), fullSet, &men); err != nil {
		return nil, "", err
	}
	var p board.Position
	if err = p.LoadMen(&men); err != nil {
		return nil, "", err
	}
	g = board.NewGameFrom(p)
	if moves == len(fields) {
		return g, "", nil
	}
	rest := fields[moves+1:]
	for i, f := range rest {
		if i == len(rest)-1 && isEnding(f.text) {
			return g, f.text, nil
		}
		m, err := shogi.ParseMove(f.text)
		if err != nil {
			return nil, "", fault.New(fault.Parse, op, "move %d: %q, want USI such as 7g7f", i+1, clip(f.text)).At(f.at)
		}
		if m == shogi.MoveNull {
			err = g.PushNull()
		} else {
			err = g.Push(m)
		}
		if err != nil {
			return nil, "", fault.New(fault.IllegalMove, op, "move %d: %q is not legal there", i+1, clip(f.text)).At(f.at)
		}
	}
	return g, "", nil
}

func isEnding(word string) bool {
	return word == "resign" || word == "win" || word == "draw" || strings.HasPrefix(word, "rep_")
}

// FormatGame is the position line of USI: "position startpos" or "position sfen ...", and the moves when there are any.
func FormatGame(g *board.Game) string {
	dst := []byte("position ")
	if s := g.Start.Setup(); s == board.StartSetup() {
		dst = append(dst, "startpos"...)
	} else {
		dst = AppendSFEN(append(dst, "sfen "...), &s)
	}
	for i, m := range g.AppendMoves(nil) {
		if i == 0 {
			dst = append(dst, " moves"...)
		}
		dst = m.AppendUSI(append(dst, ' '))
	}
	return string(dst)
}
