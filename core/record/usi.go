package record

import (
	"strings"

	"komadori/core/fault"
	"komadori/core/notation"
	"komadori/core/shogi"
)

// Position lines of USI, a game to a line: position startpos moves 7g7f ..., or SFEN, with or without the word position or moves, or moves alone.

func (r *Reader) usi() error {
	lines := 0
	for {
		line, ok := r.line()
		if !ok {
			break
		}
		if blanks(line) == len(line) {
			continue
		}
		if lines++; lines > 1 {
			r.begin()
		}
		if err := r.usiLine(line); err != nil {
			return err
		}
		if !r.give(nil) {
			return errStopped
		}
	}
	if lines == 0 {
		return r.fail(len(r.text), "nothing to read")
	}
	return nil
}

// usiLine reads one game.
func (r *Reader) usiLine(line string) error {
	at := 0
	field := func() (string, int) {
		at += blanks(line[at:])
		start := at
		for at < len(line) && isBlankAt(line[at:]) == 0 {
			at++
		}
		return line[start:at], r.at + start
	}
	word, place := field()
	if word == "position" {
		word, place = field()
	}
	switch {
	case word == "startpos":
		word, place = field()
	case word == "sfen" || strings.Count(word, "/") >= 8:
		if word == "sfen" {
			_, place = field()
		}
		end := strings.Index(line[place-r.at:], " moves")
		text := line[place-r.at:]
		if end >= 0 {
			text = text[:end]
		}
		s, err := notation.ParseSetup(text, notation.TextSFEN)
		if err != nil {
			return r.because(place, err)
		}
		if err := r.setStart(&s, place); err != nil {
			return err
		}
		at = place - r.at + len(text)
		word, place = field()
	}
	if word == "moves" {
		word, place = field()
	}
	for ; word != ""; word, place = field() {
		e, isEnding := usiEndings[word]
		if !isEnding && strings.HasPrefix(word, "rep_") {
			e, isEnding = Other, true
		}
		if isEnding {
			if err := r.end(e, word, place, -1); err != nil {
				return err
			}
			continue
		}
		if err := r.open(place); err != nil {
			return err
		}
		m, err := shogi.ParseMove(word)
		if err != nil {
			return r.because(place, err)
		}
		switch {
		case m == shogi.MoveNull:
			if r.pos.InCheck() {
				return errorAt(r.text, place, fault.IllegalMove, "the side to move stands in check and may not pass")
			}
			r.append(Node{TimeMS: -1, Parent: r.cur, Move: m})
			r.pos.DoNull()
		case r.pos.IsLegal(m):
			r.add(m, -1)
		case !m.IsNormal():
			return r.fail(place, "%q is no move of the board", clip(word))
		default:
			if err := r.addIllegal(m, place, -1, m.String()+" is not legal here"); err != nil {
				return err
			}
		}
	}
	return nil
}

// usiEndings are the words that may stand in the place of a last move.
var usiEndings = map[string]Ending{"resign": Resign, "win": Declaration, "draw": DrawDeclared, "rep_draw": Repetition,
	"rep_win": IllegalMoveBefore, "rep_lose": IllegalMove} // perpetual checks, seen by the side to move
