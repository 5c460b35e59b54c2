// Package batch has the operations of the library over many rows at once, in parallel, into memory of the caller.
//
// Every function gives the same bytes on any number of threads. A bad row never spoils the others: its outputs are
// filled with zeros, and it is reported either in Run.Status or, without that, as the error of the lowest bad row.
// Nothing is allocated per good row.
package batch

import (
	"errors"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"

	"komadori/core/fault"
)

// A Run says how rows are worked through. The zero value uses all threads and reports the lowest bad row as the error.
type Run struct {
	// Threads is how many goroutines work, the caller's included; 0 means as many as Go may use at once.
	// Small batches run on the caller's goroutine alone: handing them over costs more than they do.
	Threads int

	// Cancel ends the work before the next chunk of rows once it is not 0. It may be nil.
	Cancel *atomic.Int32

	// Status has an entry for each row, or is nil. An entry becomes 0 for a good row and the fault.Kind of a bad one;
	// rows that were not reached because of Cancel get fault.Cancelled.
	Status []int32
}

// Rows calls fn for ranges [from, to) that together cover 0..n-1, each row once. Ranges hold at most grain rows and are
// handed out in ascending order; fn is called from several goroutines at once and must not care which.
//
// It returns how many rows were done, counted from the first: all n, or fewer with the error fault.Cancelled. A panic
// in fn is returned as fault.Internal, after the other goroutines have finished their ranges.
func Rows(n, grain int, run Run, fn func(from, to int)) (done int, err error) {
	return rows(n, grain, run, nil, func(from, to int, _ *workspace) { fn(from, to) })
}

// rows is Rows with a workspace for each goroutine, made by newSpace if that is not nil.
func rows(n, grain int, run Run, newSpace func() *workspace, fn func(from, to int, w *workspace)) (done int, err error) {
	const op = "batch.Rows"
	if n < 0 || run.Threads < 0 {
		return 0, fault.New(fault.Argument, op, "%d rows on %d threads, want no negative number", n, run.Threads)
	}
	if n == 0 {
		return 0, nil
	}
	d := driver{n: n, grain: max(grain, 1), cancel: run.Cancel, newSpace: newSpace, fn: fn}
	d.chunks = int64((n-1)/d.grain + 1)
	threads := run.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	threads = int(min(int64(threads), d.chunks, maxThreads))
	if threads == 1 {
		d.work()
	} else {
		d.others.Add(threads - 1)
		for range threads - 1 {
			go func() {
				defer d.others.Done()
				d.work()
			}()
		}
		d.work()
		d.others.Wait()
	}
	if d.failure != nil {
		d.failure.Op = op
		return 0, d.failure
	}
	if done = int(min(d.next.Load(), d.chunks)) * d.grain; done < n {
		return done, fault.New(fault.Cancelled, op, "after %d of %d rows", done, n)
	}
	return n, nil
}

// maxThreads keeps a thoughtless number of threads from costing memory.
const maxThreads = 256

type driver struct {
	n, grain int
	chunks   int64
	next     atomic.Int64 // chunks handed out
	cancel   *atomic.Int32
	newSpace func() *workspace
	fn       func(from, to int, w *workspace)
	others   sync.WaitGroup

	stopped atomic.Bool
	once    sync.Once
	failure *fault.Error
}

// work takes chunks until none is left. A chunk that is taken is finished, so that the rows done have no holes.
func (d *driver) work() {
	// Rows may lie in a file that is mapped and shrinks meanwhile: reading what is gone must not end the process.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			d.stopped.Store(true)
			d.once.Do(func() {
				if _, gone := r.(interface{ Addr() uintptr }); gone {
					d.failure = fault.New(fault.IO, "batch.Rows", "the memory of the rows is gone: was the mapped file cut?")
					d.failure.Errno = int(syscall.EIO)
					return
				}
				d.failure = fault.New(fault.Internal, "batch.Rows", "panic: %v", r)
			})
		}
	}()
	var w *workspace
	if d.newSpace != nil {
		w = d.newSpace()
	}
	for !d.stopped.Load() && (d.cancel == nil || d.cancel.Load() == 0) {
		chunk := d.next.Add(1) - 1
		if chunk >= d.chunks {
			return
		}
		from := int(chunk) * d.grain
		d.fn(from, min(from+d.grain, d.n), w)
	}
}

// A tally notes the bad rows of a run.
type tally struct {
	status []int32
	bad    atomic.Int64
	lowest atomic.Int64 // row of first
	mu     sync.Mutex
	first  *fault.Error
}

// good notes rows that hold no bad one.
func (t *tally) good(row int) {
	if t.status != nil {
		t.status[row] = 0
	}
}

// fail notes a bad row.
func (t *tally) fail(row int, err error) {
	f := faultOf(err)
	t.bad.Add(1)
	if t.status != nil {
		t.status[row] = int32(f.Kind)
	}
	if int64(row) >= t.lowest.Load() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if int64(row) < t.lowest.Load() {
		t.lowest.Store(int64(row))
		t.first = f.InRow(row)
	}
}

// each works through n rows in chunks of at most grain and sums up. The work function notes every row as good or bad.
func (run Run) each(op string, n, grain int, newSpace func() *workspace, work func(from, to int, t *tally, w *workspace)) (bad int, err error) {
	if run.Status != nil && len(run.Status) != n {
		return 0, fault.New(fault.Argument, op, "%d status entries for %d rows", len(run.Status), n)
	}
	t := tally{status: run.Status}
	t.lowest.Store(int64(n))
	done, err := rows(n, grain, run, newSpace, func(from, to int, w *workspace) { work(from, to, &t, w) })
	if err != nil {
		for row := done; row < len(run.Status); row++ {
			run.Status[row] = int32(faultOf(err).Kind)
		}
		f := *faultOf(err)
		f.Op = op
		return int(t.bad.Load()), &f
	}
	if run.Status == nil && t.first != nil {
		return int(t.bad.Load()), t.first
	}
	return int(t.bad.Load()), nil
}

// faultOf finds the failure in an error; every error of the library has one.
func faultOf(err error) *fault.Error {
	var f *fault.Error
	if errors.As(err, &f) {
		return f
	}
	return fault.New(fault.Internal, "batch", "%v", err)
}
