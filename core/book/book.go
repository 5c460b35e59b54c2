// Package book reads opening books (定跡): YaneuraOu's text form DB2016, searched on disk where its positions are in order, and
// Apery's binary form.
//
// A book is asked for a position and answers with moves that are legal there.
package book

import (
	"errors"
	"io"
	"math/bits"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/shogi"
)

// A Move is what a book says of one move of a position.
type Move struct {
	Move  shogi.Move
	Reply shogi.Move // the answer that is expected, legal after Move; MoveNone where the book names none
	Score int32      // centipawns for the side to move, NoScore where the book has none
	Depth int32      // how deep the search behind Score was, 0 where the book does not say
	Count uint32     // how often the move was played, or its weight; 0 where the book does not say
}

// NoScore is the Score of a move that has none.
const NoScore int32 = -1 << 31

// Options say how positions are looked up. The zero value wants the position of the very move number.
type Options struct {
	// IgnorePly takes a position at any move number. That of the position itself is preferred, else the lowest is taken.
	IgnorePly bool
	// Flip also looks for the position turned around, with the sides exchanged, when the position itself is not there.
	Flip bool
	// IndexAbove is the size in bytes above which a DB2016 book is searched on disk, if it seems to be in order: a thousand of its positions are.
	// Smaller ones, and those out of order, are read once and indexed, 24 bytes of memory a position. 0 is 64 MiB.
	IndexAbove int64
}

const defaultIndexAbove = 64 << 20

// A Book answers from a file. It may be used by several goroutines.
type Book struct {
	options Options
	source  source
	closer  io.Closer
	mutex   sync.Mutex // of source, which keeps buffers
}

// A source finds the moves of one position as the file has them.
type source interface {
	find(p *board.Position, ignorePly bool) ([]Move, error)
	len() int
	format() string
}

// Open opens a book file: Apery's when its name ends in .bin, else DB2016. A file that cannot be read is fault.IO, one that does not follow its
// grammar fault.Parse, with the offset.
func Open(path string, options Options) (*Book, error) {
	const op = "book.Open"
	file, err := os.Open(path)
	if err != nil {
		return nil, ioError(op, err)
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fault.New(fault.IO, op, "%q is no regular file", path)
	}
	var b *Book
	if err == nil {
		read := New
		if strings.HasSuffix(strings.ToLower(path), ".bin") {
			read = NewApery
		}
		b, err = read(file, info.Size(), options)
	}
	if err != nil {
		file.Close()
		return nil, ioError(op, err)
	}
	b.closer = file
	return b, nil
}

// New is a DB2016 book that lies in r.
func New(r io.ReaderAt, size int64, options Options) (*Book, error) {
	s, err := newText(r, size, options.IndexAbove)
	if err != nil {
		return nil, ioError("book.New", err)
	}
	return &Book{options: options, source: s}, nil
}

// NewApery is an Apery book that lies in r. It knows no move numbers: Options.IgnorePly makes no difference.
func NewApery(r io.ReaderAt, size int64, options Options) (*Book, error) {
	s, err := newApery(r, size)
	if err != nil {
		return nil, ioError("book.NewApery", err)
	}
	return &Book{options: options, source: s}, nil
}

// ioError makes an error of the operating system one of this library.
func ioError(op string, err error) error {
	if _, ok := err.(*fault.Error); ok || err == nil {
		return err
	}
	f := fault.New(fault.IO, op, "%v", err)
	var number syscall.Errno
	if errors.As(err, &number) {
		f.Errno = int(number)
	}
	return f
}

// Close closes the file. Later lookups are fault.Handle; closing again does nothing.
func (b *Book) Close() error {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.source = nil
	if b.closer == nil {
		return nil
	}
	err := b.closer.Close()
	b.closer = nil
	return ioError("book.Book.Close", err)
}

// Len is the number of positions that have been counted; -1 for a book that is searched on disk.
func (b *Book) Len() int {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.source == nil {
		return 0
	}
	return b.source.len()
}

// Format is "DB2016" or "Apery"; of a closed book it is empty.
func (b *Book) Format() string {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.source == nil {
		return ""
	}
	return b.source.format()
}

// Lookup finds the moves of a position, in the order of the book; none when it does not know the position. Moves that are
// not legal, and further ones of the same move, are left out.
//
// Errors: fault.Parse for a line that cannot be read, fault.IO, fault.Handle for a closed book.
func (b *Book) Lookup(p *board.Position) ([]Move, error) {
	const op = "book.Book.Lookup"
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.source == nil {
		return nil, fault.New(fault.Handle, op, "the book is closed")
	}
	found, err := b.source.find(p, b.options.IgnorePly)
	if err != nil {
		return nil, ioError(op, err)
	}
	if len(found) == 0 && b.options.Flip {
		turned := p.FlipSide()
		if found, err = b.source.find(&turned, b.options.IgnorePly); err != nil {
			return nil, ioError(op, err)
		}
		for i := range found {
			found[i].Move, found[i].Reply = found[i].Move.FlipSide(), found[i].Reply.FlipSide()
		}
	}
	return legal(p, found), nil
}

// legal keeps the moves that can be played, once each, and their replies where those can.
func legal(p *board.Position, found []Move) []Move {
	kept := found[:0]
	for _, m := range found {
		if !p.IsLegal(m.Move) || slices.ContainsFunc(kept, func(k Move) bool { return k.Move == m.Move }) {
			continue
		}
		next := *p
		next.Do(m.Move)
		if !next.IsLegal(m.Reply) {
			m.Reply = shogi.MoveNone
		}
		kept = append(kept, m)
	}
	return kept
}

// Choose takes one of a position's moves with the probability of its count, by a random number; where no move has a
// count, all are equal. The same number chooses the same move. There must be a move.
func Choose(moves []Move, random uint64) Move {
	total := uint64(0)
	for _, m := range moves {
		total += uint64(m.Count)
	}
	if total == 0 {
		i, _ := bits.Mul64(random, uint64(len(moves)))
		return moves[i]
	}
	at, _ := bits.Mul64(random, total)
	for _, m := range moves {
		if at < uint64(m.Count) {
			return m
		}
		at -= uint64(m.Count)
	}
	return moves[len(moves)-1]
}
