package record

import (
	"strings"
	"unicode/utf8"

	"komadori/core/notation"
)

// KI2: the headers of KIF, then moves in the words of the federation, several to a line.

func (r *Reader) ki2() error {
	for {
		more, err := r.ki2Game()
		if err != nil {
			return err
		}
		if !r.give(nil) {
			return errStopped
		}
		if !more {
			return nil
		}
		r.begin()
	}
}

// ki2Game reads one game and tells whether another one follows.
func (r *Reader) ki2Game() (more bool, err error) {
	h := headers{begin: r.next}
	inMoves := false
	begin := func() error {
		if inMoves {
			return nil
		}
		inMoves = true
		return r.startOf(&h, r.at)
	}
	for {
		line, ok := r.line()
		if !ok {
			break
		}
		i := blanks(line)
		if i == len(line) {
			continue
		}
		word := line[i:]
		switch {
		case word[0] == '*':
			r.note(Comment, word[1:])
			continue
		case word[0] == '#':
			if inMoves && strings.HasPrefix(word, "#KI2") {
				r.next = r.at
				return true, nil
			}
			if !isEncodingLine(word) {
				r.note(Remark, word[1:])
			}
			continue
		case word[0] == '&':
			r.note(Bookmark, word[1:])
			continue
		case strings.HasPrefix(word, "まで"):
			if err := begin(); err != nil {
				return false, err
			}
			if err := r.result(word, r.at+i); err != nil {
				return false, err
			}
			continue
		case strings.HasPrefix(word, "変化"):
			if !inMoves {
				return false, r.fail(r.at+i, "a variation before the first move")
			}
			if _, err := r.variationLine(word, r.at+i); err != nil {
				return false, err
			}
			continue
		}
		if beginsMove(word) && !(!inMoves && h.isFiles(word)) {
			if err := begin(); err != nil {
				return false, err
			}
			if err := r.ki2Moves(line, i); err != nil {
				return false, err
			}
			continue
		}
		if inMoves {
			if r.hasEnded() && (strings.Contains(word, "：") || word[0] == '|') {
				r.next = r.at
				return true, nil
			}
			if e, known := kifEndings[word]; known {
				if err := r.end(e, word, r.at+i, -1); err != nil {
					return false, err
				}
				continue
			}
			return false, r.fail(r.at+i, "%q is no line of a KI2 record", clip(word))
		}
		if err := r.headerLine(&h, word, r.at+i); err != nil {
			return false, err
		}
	}
	if !inMoves {
		r.at = len(r.text)
		if err := begin(); err != nil {
			return false, err
		}
		if !h.diagram && !h.named && len(r.k.Headers) == 0 && len(r.k.Notes) == 0 {
			return false, r.fail(len(r.text), "nothing to read")
		}
	}
	return false, nil
}

// ki2Moves reads the moves of a line from a byte on.
func (r *Reader) ki2Moves(line string, i int) error {
	for ; i < len(line); i += blanks(line[i:]) {
		text := line[i:]
		if text[0] == '*' {
			r.note(Comment, text[1:])
			return nil
		}
		c, size := utf8.DecodeRuneInString(text)
		if strings.ContainsRune("▲△▼▽☗☖", c) { // ▲投了
			rest := text[size:]
			rest = rest[blanks(rest):]
			if e, ok := kifEndings[rest]; ok {
				return r.end(e, rest, r.at+i, -1)
			}
		}
		if e, ok := kifEndings[text]; ok {
			return r.end(e, text, r.at+i, -1)
		}
		if err := r.open(r.at + i); err != nil {
			return err
		}
		w, n, err := notation.ReadWords(text, notation.KI2)
		if err != nil {
			return r.because(r.at+i, err)
		}
		if err := r.move(&w, r.at+i, -1); err != nil {
			return err
		}
		i += n
	}
	return nil
}
