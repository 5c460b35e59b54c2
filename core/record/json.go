package record

import (
	"encoding/json"
	"strconv"
	"strings"
)

// JSON with the place of every value, which errors need and encoding/json does not tell: all values of a text in one array that is used again.

// A value is a JSON value and where it begins.
type value struct {
	kind   byte // { [ " n (number) b (boolean) 0 (null)
	is     bool
	at     int32
	first  int32 // of the members or items, -1 without any
	next   int32 // of the list that it is in, -1 at the end
	count  int32
	key    string // of a member
	text   string
	number float64
}

const maxDepth = 10_000 // of JSON: as deep as variations of variations go

// readJSON reads the text, which must be one value, into r.json; the first is the whole.
func (r *Reader) readJSON() error {
	r.json = r.json[:0]
	at := r.jsonBlanks(0)
	at, err := r.jsonValue(at, 0)
	if err != nil {
		return err
	}
	if at = r.jsonBlanks(at); at < len(r.text) {
		return r.fail(at, "%q after the record", clip(r.text[at:]))
	}
	return nil
}

func (r *Reader) jsonBlanks(at int) int {
	for at < len(r.text) && (r.text[at] == ' ' || r.text[at] == '\n' || r.text[at] == '\r' || r.text[at] == '\t') {
		at++
	}
	return at
}

// jsonValue appends a value and those in it, and tells where it ends.
func (r *Reader) jsonValue(at, depth int) (end int, err error) {
	if at == len(r.text) {
		return at, r.fail(at, "the text ends within the record")
	}
	if depth > maxDepth {
		return at, r.fail(at, "nested deeper than %d", maxDepth)
	}
	self := len(r.json)
	r.json = append(r.json, value{at: int32(at), first: -1, next: -1})
	switch c := r.text[at]; c {
	case '{', '[':
		return r.jsonList(self, at, depth)
	case '"':
		text, end, err := r.jsonString(at)
		r.json[self].kind, r.json[self].text = '"', text
		return end, err
	case 't', 'f', 'n':
		for _, word := range [...]string{"true", "false", "null"} {
			if strings.HasPrefix(r.text[at:], word) {
				if c != 'n' {
					r.json[self].kind, r.json[self].is = 'b', c == 't'
				}
				return at + len(word), nil
			}
		}
	default:
		end := at
		for end < len(r.text) && strings.IndexByte("+-.0123456789eE", r.text[end]) >= 0 {
			end++
		}
		digits := strings.TrimPrefix(r.text[at:end], "-")
		if digits != "" && digits[0] >= '0' && digits[0] <= '9' && (digits[0] != '0' || len(digits) == 1 || digits[1] == '.' || digits[1]|0x20 == 'e') && digits[len(digits)-1] != '.' && !strings.Contains(digits, ".e") && !strings.Contains(digits, ".E") {
			number := 0.0
			if len(digits) == 1 && end == at+1 { // most of them
				number = float64(digits[0] - '0')
			} else if number, err = strconv.ParseFloat(r.text[at:end], 64); err != nil {
				return at, r.fail(at, "%q is no number", clip(r.text[at:end]))
			}
			r.json[self].kind, r.json[self].number = 'n', number
			return end, nil
		}
	}
	return at, r.fail(at, "%q, want a JSON value", clip(r.text[at:]))
}

// jsonList reads the members of an object or the items of a list.
func (r *Reader) jsonList(self, at, depth int) (end int, err error) {
	open := r.text[at]
	shut := open + 2 // } after {, ] after [
	r.json[self].kind = open
	last := -1
	at = r.jsonBlanks(at + 1)
	if at < len(r.text) && r.text[at] == shut {
		return at + 1, nil
	}
	for {
		key := ""
		if open == '{' {
			if at == len(r.text) || r.text[at] != '"' {
				return at, r.fail(at, "%q, want a key", clip(r.text[at:]))
			}
			if key, at, err = r.jsonString(at); err != nil {
				return at, err
			}
			if at = r.jsonBlanks(at); at == len(r.text) || r.text[at] != ':' {
				return at, r.fail(at, "%q, want : after the key", clip(r.text[at:]))
			}
			at = r.jsonBlanks(at + 1)
		}
		item := len(r.json)
		if at, err = r.jsonValue(at, depth+1); err != nil {
			return at, err
		}
		r.json[item].key = key
		if last < 0 {
			r.json[self].first = int32(item)
		} else {
			r.json[last].next = int32(item)
		}
		r.json[self].count++
		last = item
		at = r.jsonBlanks(at)
		switch {
		case at == len(r.text):
			return at, r.fail(at, "the text ends within the record")
		case r.text[at] == shut:
			return at + 1, nil
		case r.text[at] != ',':
			return at, r.fail(at, "%q, want , or %c", clip(r.text[at:]), shut)
		}
		at = r.jsonBlanks(at + 1)
	}
}

// jsonString reads a string.
func (r *Reader) jsonString(at int) (text string, end int, err error) {
	plain := true
	for end = at + 1; end < len(r.text); end++ {
		switch c := r.text[end]; {
		case c == '"':
			end++
			if plain {
				return r.text[at+1 : end-1], end, nil
			}
			if err := json.Unmarshal([]byte(r.text[at:end]), &text); err != nil {
				return "", at, r.fail(at, "%s is no JSON string", clip(r.text[at:end]))
			}
			return text, end, nil
		case c == '\\':
			plain = false
			end++
		case c < ' ':
			return "", end, r.fail(end, "a control character in a string")
		}
	}
	return "", at, r.fail(len(r.text), "the text ends within a string")
}

// get gives a member of an object, the last of its name; false where it is missing or null.
func (r *Reader) get(of *value, key string) (found *value, ok bool) {
	if of.kind != '{' {
		return nil, false
	}
	for i := of.first; i >= 0; i = r.json[i].next {
		if r.json[i].key == key {
			found = &r.json[i]
		}
	}
	return found, found != nil && found.kind != 0
}
