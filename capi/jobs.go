package main

/*
#include "native.h"
*/
import "C"

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"komadori/core/batch"
	"komadori/core/board"
	"komadori/core/fault"
)

// A job is the Go side of a kmd_job: what it found so far and, once done, its result.
type job struct {
	mu     sync.Mutex
	latest C.kmd_result
	err    error

	search searchJob // of searches
	mate   mateJob   // of mate searches
}

// tellNow tells how far a job is some times a second, until the function it returns has been called.
func tellNow(tell func(C.kmd_result), now func() C.kmd_result) (end func()) {
	done := make(chan struct{})
	var teller sync.WaitGroup
	teller.Go(func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				tell(now())
			case <-done:
				return
			}
		}
	})
	return func() {
		close(done)
		teller.Wait()
	}
}

var jobs [C.KMDC_JOBS]atomic.Pointer[job]

// start runs work as a goroutine. work gets the flag that tells it to stop, and a function to tell what it found so far.
func start(op string, out *C.kmd_job, work func(stop *atomic.Int32, tell func(C.kmd_result)) (C.kmd_result, error)) (status C.kmd_status) {
	return startJob(op, out, new(job), work)
}

// startJob is start with the job already made.
func startJob(op string, out *C.kmd_job, j *job, work func(stop *atomic.Int32, tell func(C.kmd_result)) (C.kmd_result, error)) (status C.kmd_status) {
	if isNull(op, "job", unsafe.Pointer(out), 8, &status) {
		return status
	}
	var index C.uint32_t
	h := C.kmdc_job_open(&index)
	if h == 0 {
		return report(fault.New(fault.Memory, op, "%d jobs are open, more than fit", int(C.KMDC_JOBS)))
	}
	j.latest.size = C.uint32_t(unsafe.Sizeof(j.latest))
	jobs[index].Store(j)
	stop := (*atomic.Int32)(unsafe.Pointer(&C.kmdc_job_at(index).cancel))
	go func() {
		defer C.kmdc_job_done(index)
		defer func() {
			if r := recover(); r != nil {
				j.mu.Lock()
				j.err = fault.New(fault.Internal, op, "%v; please report this", r)
				j.mu.Unlock()
			}
		}()
		set := func(r C.kmd_result) {
			r.size = C.uint32_t(unsafe.Sizeof(r))
			j.mu.Lock()
			j.latest = r
			j.mu.Unlock()
		}
		r, err := work(stop, set)
		set(r)
		j.mu.Lock()
		j.err = err
		j.mu.Unlock()
	}()
	*out = h
	return C.KMD_OK
}

// startRows starts a job that works on many rows, and tells how far it is.
func startRows(op string, out *C.kmd_job, j *job, work func(stop *atomic.Int32, progress *batch.Progress) error) C.kmd_status {
	return startJob(op, out, j, func(stop *atomic.Int32, tell func(C.kmd_result)) (C.kmd_result, error) {
		var progress batch.Progress
		begin := time.Now()
		now := func() C.kmd_result {
			return C.kmd_result{rows: C.uint64_t(progress.Rows.Load()), nodes: C.uint64_t(progress.Nodes.Load()), elapsed_us: C.uint64_t(time.Since(begin).Microseconds())}
		}
		end := tellNow(tell, now)
		err := work(stop, &progress)
		end()
		return now(), err
	})
}

//export go_kmd_job_poll
func go_kmd_job_poll(h C.kmd_job, result *C.kmd_result) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_job_poll"
	if isNull(op, "result", unsafe.Pointer(result), 8, &status) || !hasSize(op, "result", result.size, unsafe.Sizeof(*result), &status) {
		return status
	}
	j, err := jobOf(op, h)
	if err != nil {
		return report(err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	*result = j.latest
	if j.search.run != nil {
		result.nodes = C.uint64_t(j.search.run.Nodes())
	}
	return C.KMD_OK
}

// jobOf is the job that a handle names, until it is finished.
func jobOf(op string, h C.kmd_job) (*job, error) {
	if index := C.kmdc_job_index(h); index >= 0 {
		if j := jobs[index].Load(); j != nil {
			return j, nil
		}
	}
	return nil, fault.New(fault.Handle, op, "no such job: closed already, or never opened")
}

// go_kmd_job_finish is called by kmd_job_finish in job.c when the job is done and the caller is the one that closes it.
//
//export go_kmd_job_finish
func go_kmd_job_finish(index C.uint32_t, result *C.kmd_result) (status C.kmd_status) {
	defer recovered(&status)
	j := jobs[index].Swap(nil)
	C.kmdc_job_close(index)
	j.mu.Lock()
	defer j.mu.Unlock()
	if result != nil && (j.err == nil || errors.Is(j.err, fault.Cancelled)) {
		*result = j.latest
	}
	return report(j.err)
}

// copyGame takes a board's game away, so that the board can be used on.
func copyGame(h C.kmd_board) (*board.Game, error) {
	s, err := acquire(h, phaseUse)
	if err != nil {
		return nil, err
	}
	defer s.release()
	g := s.game()
	return g.Clone(), nil
}

func cancelled(op string, stopped bool) error {
	if stopped {
		return fault.New(fault.Cancelled, op, "stopped before it was done")
	}
	return nil
}

//export go_kmd_perft_start
func go_kmd_perft_start(h C.kmd_board, depth C.int32_t, out *C.kmd_job) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_perft_start"
	if depth < 0 || depth > 64 {
		return badArgument(op, "depth %d, want 0..64", depth)
	}
	g, err := copyGame(h)
	if err != nil {
		return report(err)
	}
	return start(op, out, func(stop *atomic.Int32, _ func(C.kmd_result)) (C.kmd_result, error) {
		begin := time.Now()
		stopped := false
		n := g.Pos.Perft(int(depth), func() bool {
			stopped = stopped || stop.Load() != 0
			return stopped
		})
		return C.kmd_result{nodes: C.uint64_t(n), depth: C.int32_t(depth), elapsed_us: C.uint64_t(time.Since(begin).Microseconds())}, cancelled(op, stopped)
	})
}
