package record

import (
	"strings"
	"unicode/utf8"

	"komadori/core/notation"
)

// Detect tells the format of a text in UTF-8 by its lines; Auto for what looks like none.
func Detect(text string) Format {
	text = strings.TrimPrefix(text, byteOrderMark)
	found := Auto // what lines before have spoken for, without being sure
	for rest := text; rest != ""; {
		line := rest
		if end := strings.IndexByte(rest, '\n'); end >= 0 {
			line, rest = rest[:end], rest[end+1:]
		} else {
			rest = ""
		}
		indent := blanks(line)
		line = trimRight(line[indent:])
		if line == "" {
			continue
		}
		switch c := line[0]; {
		case c == '{' || c == '[':
			return JKF
		case c == '\'' || c == '$' || c == '%':
			return CSA
		case c == 'V' && len(line) >= 2 && line[1] >= '1' && line[1] <= '9':
			return CSA
		case (c == 'N' || c == 'P') && len(line) >= 2 && (line[1] == '+' || line[1] == '-' || c == 'P' && (line[1] == 'I' || line[1] >= '0' && line[1] <= '9')):
			return CSA
		case (c == '+' || c == '-') && (len(line) == 1 || line[1] >= '0' && line[1] <= '9'):
			return CSA
		case strings.HasPrefix(line, "position ") || strings.HasPrefix(line, "startpos") || strings.HasPrefix(line, "sfen "):
			return USI
		case strings.HasPrefix(line, "#KI2"):
			return KI2
		case strings.HasPrefix(line, "#KIF"), strings.HasPrefix(line, "手数-"), strings.HasPrefix(line, "手数="), strings.HasPrefix(line, "手数＝"):
			return KIF
		case c == '#' || c == '*' || c == '&':
			continue
		case c == '|' || strings.HasPrefix(line, "+-"):
			found = BOD
			continue
		}
		if c, _ := utf8.DecodeRuneInString(line); strings.ContainsRune("▲△▼▽☗☖", c) {
			return KI2
		}
		if strings.HasPrefix(line, "まで") {
			return KI2 // of a game without moves: KIF has a table before this line
		}
		if strings.HasPrefix(line, "変化") {
			return KIF
		}
		if n, size := number(line); size > 0 && n > 0 {
			at := size
			if at < len(line) && (line[at] == '.' || line[at] == ':') {
				at++
			}
			at += blanks(line[at:])
			if at < len(line) && (isMove(line[at:]) || kifEndings[line[at:]] != EndingNone) {
				return KIF
			}
		}
		if isMove(line) {
			return KI2
		}
		if strings.Count(line, "/") >= 8 {
			if strings.Contains(line, " moves") {
				return USI
			}
			return SFEN
		}
		if m := strings.Fields(line); len(m) > 0 && len(m[0]) >= 4 && len(m[0]) <= 5 { // none in a line of blanks that records do not have
			if _, err := notation.ParseWords(m[0], notation.USI); err == nil {
				return USI
			}
		}
		if found == Auto && (strings.Contains(line, "：") || strings.Contains(line, ":") && indent == 0 && line[0] >= utf8.RuneSelf) {
			found = KIF
		}
	}
	if found == BOD {
		return KIF // a diagram and no moves: a record that has not begun
	}
	return found
}

// isMove tells whether text begins with a move in Japanese words.
func isMove(text string) bool {
	if !beginsMove(text) {
		return false
	}
	_, _, err := notation.ReadWords(text, notation.KIF)
	return err == nil
}
