package record

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"komadori/core/fault"
)

// An Encoding is how the characters of a record are stored. Numbers are part of the C interface.
type Encoding int32

const (
	AnyEncoding Encoding = 0 // when reading: what the bytes look like
	UTF8        Encoding = 1 // with or without a byte order mark
	CP932       Encoding = 2 // Shift_JIS as Windows has it
	EUCJP       Encoding = 3
	ISO2022JP   Encoding = 4 // JIS
	UTF16       Encoding = 5 // with a byte order mark
)

var encodingNames = [...]string{"auto", "utf-8", "cp932", "euc-jp", "iso-2022-jp", "utf-16"}

func (e Encoding) String() string {
	if e < 0 || int(e) >= len(encodingNames) {
		return "unknown encoding"
	}
	return encodingNames[e]
}

// coder is nil for UTF-8.
func (e Encoding) coder() encoding.Encoding {
	switch e {
	case CP932:
		return japanese.ShiftJIS
	case EUCJP:
		return japanese.EUCJP
	case ISO2022JP:
		return japanese.ISO2022JP
	case UTF16:
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	}
	return nil
}

const byteOrderMark = "\ufeff"

// decode gives text in UTF-8, without a byte order mark, and the encoding that was found; bad counts the places that are no characters.
func decode(text string, e Encoding) (decoded string, found Encoding, bad int) {
	valid := false
	if e == AnyEncoding || e == UTF8 {
		valid = isUTF8(text)
	}
	if e == AnyEncoding {
		e = guess(text, valid)
	}
	if c := e.coder(); c != nil {
		decoded, err := c.NewDecoder().String(text)
		if err != nil { // the decoders of x/text replace and do not fail
			decoded = strings.ToValidUTF8(text, "\ufffd")
		}
		return strings.TrimPrefix(decoded, byteOrderMark), e, strings.Count(decoded, "\ufffd")
	}
	text = strings.TrimPrefix(text, byteOrderMark)
	if !valid {
		replaced := strings.ToValidUTF8(text, "\ufffd")
		return replaced, e, strings.Count(replaced, "\ufffd")
	}
	return text, e, 0
}

// isUTF8 is utf8.ValidString, quicker for texts that are Japanese for the most part.
func isUTF8(text string) bool {
	for i := 0; i < len(text); {
		if w := text[i:]; len(w) >= 8 && eight(w)&0x8080808080808080 == 0 { // ASCII
			i += 8
			continue
		}
		switch c := text[i]; {
		case c < utf8.RuneSelf:
			i++
		case c > 0xE0 && c < 0xF0 && c != 0xED && len(text)-i >= 3 && text[i+1]&0xC0 == 0x80 && text[i+2]&0xC0 == 0x80: // three bytes, no surrogate
			i += 3
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			if r == utf8.RuneError && size == 1 {
				return false
			}
			i += size
		}
	}
	return true
}

// eight are the first eight bytes as a number.
func eight(text string) uint64 {
	text = text[:8]
	return uint64(text[0]) | uint64(text[1])<<8 | uint64(text[2])<<16 | uint64(text[3])<<24 | uint64(text[4])<<32 | uint64(text[5])<<40 | uint64(text[6])<<48 | uint64(text[7])<<56
}

// guess tells an encoding by the bytes: what is UTF-8 is taken for it, else the one with the fewest places that are no characters, and of
// those the one with the most characters of records.
func guess(text string, valid bool) Encoding {
	switch {
	case strings.HasPrefix(text, "\xff\xfe"), strings.HasPrefix(text, "\xfe\xff"):
		return UTF16
	case valid:
		if isJIS(text) {
			return ISO2022JP
		}
		return UTF8
	}
	sample := text
	if len(sample) > 1<<16 {
		sample = sample[:1<<16]
	}
	best, least, most := UTF8, strings.Count(strings.ToValidUTF8(sample, "\ufffd"), "\ufffd"), 0
	if strings.HasPrefix(text, byteOrderMark) {
		return UTF8
	}
	for _, e := range [...]Encoding{CP932, EUCJP} {
		decoded, err := e.coder().NewDecoder().String(sample)
		if err != nil {
			continue
		}
		bad, usual := strings.Count(decoded, "\ufffd"), 0
		for _, c := range decoded {
			if strings.ContainsRune("手歩香桂銀角飛金玉王同打成　：▲△１２３４５６７８９一二三四五六七八九", c) {
				usual++
			}
		}
		if bad < least || bad == least && usual > most {
			best, least, most = e, bad, usual
		}
	}
	return best
}

// isJIS tells whether a text has the escapes of JIS, no byte of more than seven bits and no first line that says it is UTF-8: elsewhere
// an escape is a stray one.
func isJIS(text string) bool {
	if !strings.Contains(text, "\x1b$B") && !strings.Contains(text, "\x1b$@") || strings.IndexFunc(text, func(c rune) bool { return c >= utf8.RuneSelf }) >= 0 {
		return false
	}
	first, _, _ := strings.Cut(text, "\n")
	if strings.Contains(strings.ToUpper(first), "ENCODING=UTF-8") {
		return false
	}
	decoded, err := ISO2022JP.coder().NewDecoder().String(text)
	return err == nil && !strings.Contains(decoded, "\ufffd")
}

// Encode gives text in an encoding. What the encoding cannot hold is fault.InvalidValue that names the character.
func Encode(text string, e Encoding) ([]byte, error) {
	const op = "record.Encode"
	if e < UTF8 || e > UTF16 {
		return nil, fault.New(fault.InvalidValue, op, "encoding %d, want 1..5", int32(e))
	}
	c := e.coder()
	if c == nil {
		return []byte(text), nil
	}
	encoder := c.NewEncoder()
	out, err := encoder.String(text)
	if err != nil {
		for i, r := range text {
			if _, err := c.NewEncoder().String(string(r)); err != nil {
				return nil, fault.New(fault.InvalidValue, op, "%v has no %q", e, r).At(i)
			}
		}
		return nil, fault.New(fault.InvalidValue, op, "%v: %v", e, err)
	}
	return []byte(out), nil
}

// An Error is where and why the reading of a record stopped.
type Error struct {
	Fault  *fault.Error
	Line   int // from 1; 0 where there are no lines
	Column int // in characters, from 1
}

func (e *Error) Error() string { return e.Fault.Error() }

// Unwrap makes errors.Is and errors.As see the fault.
func (e *Error) Unwrap() error { return e.Fault }

// errorAt is an error in the text at a byte offset.
func errorAt(text string, offset int, kind fault.Kind, format string, args ...any) *Error {
	before := text[:min(max(offset, 0), len(text))]
	start := strings.LastIndexByte(before, '\n') + 1
	line := 1 + strings.Count(before, "\n")
	e := fault.New(kind, "record.Read", format, args...).At(offset)
	col := utf8.RuneCountInString(before[start:]) + 1
	e.Detail = "line " + strconv.Itoa(line) + ", column " + strconv.Itoa(col) + ": " + e.Detail
	return &Error{e, line, col}
}

// clip shortens text that is shown in an error.
func clip(text string) string {
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		text = text[:i]
	}
	n := 0
	for i := range text {
		if n == 24 {
			return text[:i] + "..."
		}
		n++
	}
	return text
}

// isBlankAt is the length of a blank at the start of text, 0 when there is none: space, tab, wide and no-break space.
func isBlankAt(text string) int {
	if text == "" {
		return 0
	}
	switch text[0] {
	case ' ', '\t', '\v', '\f':
		return 1
	case 0xC2:
		if strings.HasPrefix(text, "\u00a0") {
			return 2
		}
	case 0xE3:
		if strings.HasPrefix(text, "　") {
			return 3
		}
	}
	return 0
}

// blanks counts the bytes of blanks at the start.
func blanks(text string) int {
	at := 0
	for {
		n := isBlankAt(text[at:])
		if n == 0 {
			return at
		}
		at += n
	}
}

// trimRight cuts blanks at the end.
func trimRight(text string) string {
	return strings.TrimRight(text, " \t\v\f\r　\u00a0")
}

// mostNumber is what number gives for all numbers that are not below it.
const mostNumber = 1_000_000_000

// number reads digits, ASCII or wide, at the start; size 0 when there are none.
func number(text string) (n, size int) {
	for size < len(text) {
		d := -1
		width := 1
		switch c := text[size]; {
		case c >= '0' && c <= '9':
			d = int(c - '0')
		case c == 0xEF && len(text)-size >= 3 && text[size+1] == 0xBC && text[size+2] >= 0x90 && text[size+2] <= 0x99: // ０..９
			d, width = int(text[size+2]-0x90), 3
		}
		if d < 0 {
			break
		}
		n = min(10*n+d, mostNumber)
		size += width
	}
	return n, size
}
