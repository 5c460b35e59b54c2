// Package fault has the kinds of failure and the one error type of komadori.
//
// A failure has the same number in Go and in C (komadori.h) and its own class in Python.
package fault

import (
	"errors"
	"fmt"
	"strings"
)

// Kind classifies a failure; its value is also the C status code. Numbers are never reused.
type Kind int32

const (
	Parse           Kind = -1  // text or bytes do not follow their grammar
	IllegalMove     Kind = -2  // well-formed move, not legal in this position
	InvalidPosition Kind = -3  // a position that breaks rules, or lacks what the operation needs
	InvalidValue    Kind = -4  // a number outside its range
	Argument        Kind = -5  // a call that cannot be right: null pointer, wrong size, bad option
	Buffer          Kind = -6  // the caller's buffer is too small
	Handle          Kind = -7  // closed, foreign, stale or broken handle
	Busy            Kind = -8  // the handle is in use by another thread
	Forked          Kind = -9  // this copy of the library does not live in this process
	Cancelled       Kind = -10 // the caller asked the work to stop
	Memory          Kind = -11 // no memory, or a table is full
	IO              Kind = -12 // the operating system refused; Errno tells why
	Internal        Kind = -13 // a bug in komadori
	AmbiguousMove   Kind = -14 // the words of a move fit more than one legal move; also matches IllegalMove
)

var kindText = map[Kind]string{
	Parse:           "parse error",
	IllegalMove:     "illegal move",
	InvalidPosition: "invalid position",
	InvalidValue:    "invalid value",
	Argument:        "bad argument",
	Buffer:          "buffer too small",
	Handle:          "bad handle",
	Busy:            "handle busy",
	Forked:          "library copy belongs to the parent process",
	Cancelled:       "cancelled",
	Memory:          "out of memory",
	IO:              "input/output error",
	Internal:        "internal error",
	AmbiguousMove:   "ambiguous move",
}

func (k Kind) String() string {
	if s, ok := kindText[k]; ok {
		return s
	}
	return fmt.Sprintf("kind %d", int32(k))
}

// Error makes a Kind a target for errors.Is: errors.Is(err, fault.IllegalMove).
func (k Kind) Error() string { return k.String() }

// An Error is a failure with its context.
type Error struct {
	Kind   Kind
	Op     string // operation, such as "notation.ParseSFEN"
	Detail string // what was found, what was expected
	Offset int    // byte offset in the input, or -1
	Row    int    // row of the batch, or -1
	Errno  int    // operating system error number of an IO failure, or 0
}

// New is an Error without offset and row.
func New(kind Kind, op, format string, args ...any) *Error {
	return &Error{Kind: kind, Op: op, Detail: fmt.Sprintf(format, args...), Offset: -1, Row: -1}
}

// At sets the byte offset and returns e.
func (e *Error) At(offset int) *Error { e.Offset = offset; return e }

// InRow returns a copy of e that names a row of a batch.
func (e *Error) InRow(row int) *Error {
	c := *e
	c.Row = row
	return &c
}

// Error is one line: operation, kind, detail and place.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	b.WriteString(": ")
	b.WriteString(e.Kind.String())
	if e.Detail != "" {
		b.WriteString(": ")
		b.WriteString(e.Detail)
	}
	switch {
	case e.Offset >= 0 && e.Row >= 0:
		fmt.Fprintf(&b, " (row %d, offset %d)", e.Row, e.Offset)
	case e.Offset >= 0:
		fmt.Fprintf(&b, " (offset %d)", e.Offset)
	case e.Row >= 0:
		fmt.Fprintf(&b, " (row %d)", e.Row)
	}
	return b.String()
}

// Detail is what an error found and wanted, without its operation, kind and place: for the message of an error that has its own.
func Detail(err error) string {
	var f *Error
	if errors.As(err, &f) && f.Detail != "" {
		return f.Detail
	}
	return err.Error()
}

// Is matches the kind. An ambiguous move is an illegal one too: whoever asks for legality alone need not know the difference.
func (e *Error) Is(target error) bool {
	k, ok := target.(Kind)
	return ok && (k == e.Kind || (k == IllegalMove && e.Kind == AmbiguousMove))
}
