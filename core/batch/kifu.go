package batch

import (
	"sync"

	"komadori/core/fault"
	games "komadori/core/record"
)

// A KifuRow is what became of one text of a batch: its games one after another in flat form, and the error at which reading stopped.
type KifuRow struct {
	Flat  []byte
	Error error
}

// A KifuReader reads records into flat form and uses its memory again.
type KifuReader struct {
	reader    games.Reader
	flattener games.Flattener
	out       []byte
}

// KifuReaders lends readers.
var KifuReaders = sync.Pool{New: func() any { return new(KifuReader) }}

// Append reads all games of a text and appends their flat forms, see record.Reader.AppendFlat.
func (r *KifuReader) Append(dst []byte, text string, o games.Options) ([]byte, error) {
	return r.reader.AppendFlat(dst, &r.flattener, text, o)
}

// Read is Append into memory of the reader, which is good until its next use.
func (r *KifuReader) Read(text string, o games.Options) ([]byte, error) {
	out, err := r.Append(r.out[:0], text, o)
	if cap(out) <= 1<<20 {
		r.out = out
	}
	return out, err
}

// ReadKifus reads the records of n texts, that of row i from text[offsets[i]] to text[offsets[i+1]]. A text that cannot be read to its end gives
// what was read before, and its error in the last head. Errors of rows go where the run says; other errors are fault.Argument.
func ReadKifus(text string, offsets []int64, o games.Options, run Run) (rows []KifuRow, err error) {
	const op = "batch.ReadKifus"
	n := max(len(offsets)-1, 0)
	for i := range n {
		if offsets[i] < 0 || offsets[i] > offsets[i+1] || offsets[i+1] > int64(len(text)) {
			return nil, fault.New(fault.Argument, op, "offsets %d and %d of a text of %d bytes", offsets[i], offsets[i+1], len(text)).InRow(i)
		}
	}
	rows = make([]KifuRow, n)
	_, err = run.each(op, n, 16, nil, func(from, to int, t *tally, _ *workspace) {
		r := KifuReaders.Get().(*KifuReader)
		defer KifuReaders.Put(r)
		size := int64(0)
		for i := from; i < to; i++ {
			size += offsets[i+1] - offsets[i]
		}
		out := make([]byte, 0, 2*size+512*int64(to-from))
		for i := from; i < to; i++ {
			begin := len(out)
			var failed error
			out, failed = r.Append(out, text[offsets[i]:offsets[i+1]], o)
			rows[i] = KifuRow{out[begin:len(out):len(out)], failed}

			if failed == nil {
				t.good(i)
			} else {
				t.fail(i, failed)
			}
		}
	})
	return rows, err
}

// CopyKifus copies the flat forms of rows to dst, which has room for them at their places.
func CopyKifus(dst []byte, rows []KifuRow, places []int64, threads int) {
	_, _ = Rows(len(rows), 64, Run{Threads: threads}, func(from, to int) {
		for i := from; i < to; i++ {
			copy(dst[places[i]:], rows[i].Flat)
		}
	})
}
