package main

/*
#include "native.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/mate"
	"komadori/core/search"
	"komadori/core/shogi"
)

// A job is the Go side of a kmd_job: what it found so far and, once done, its result.
type job struct {
	mu     sync.Mutex
	latest C.kmd_result
	err    error
}

var jobs [C.KMDC_JOBS]atomic.Pointer[job]

// start runs work as a goroutine. work gets the flag that tells it to stop, and a function to tell what it found so far.
func start(op string, out *C.kmd_job, work func(stop *atomic.Int32, tell func(C.kmd_result)) (C.kmd_result, error)) (status C.kmd_status) {
	if isNull(op, "job", unsafe.Pointer(out), 8, &status) {
		return status
	}
	var index C.uint32_t
	h := C.kmdc_job_open(&index)
	if h == 0 {
		return report(fault.New(fault.Memory, op, "%d jobs are open, more than fit", int(C.KMDC_JOBS)))
	}
	j := new(job)
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

//export go_kmd_job_poll
func go_kmd_job_poll(h C.kmd_job, result *C.kmd_result) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_job_poll"
	if isNull(op, "result", unsafe.Pointer(result), 8, &status) || !hasSize(op, "result", result.size, unsafe.Sizeof(*result), &status) {
		return status
	}
	index := C.kmdc_job_index(h)
	if index < 0 {
		return report(fault.New(fault.Handle, op, "no such job: closed already, or never opened"))
	}
	j := jobs[index].Load()
	if j == nil {
		return report(fault.New(fault.Handle, op, "no such job"))
	}
	j.mu.Lock()
	*result = j.latest
	j.mu.Unlock()
	return C.KMD_OK
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

// A searcher owns a transposition table in the Go heap. Its handle is like a board's; a forked child does not know it.
type searcher struct {
	engine *search.Searcher
	busy   atomic.Bool
}

const searcherTag = 0x5E6

var searchers struct {
	sync.Mutex
	open map[uint64]*searcher
	next uint64
}

//export go_kmd_searcher_new
func go_kmd_searcher_new(options *C.kmd_search_options, out *C.kmd_searcher) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_searcher_new"
	if isNull(op, "searcher", unsafe.Pointer(out), 8, &status) {
		return status
	}
	var o search.Options
	if options != nil {
		if !hasSize(op, "options", options.size, unsafe.Sizeof(*options), &status) {
			return status
		}
		if options.hash_mb < 1 || options.hash_mb > search.MaxHashMB {
			return badArgument(op, "hash_mb %d, want 1..%d", options.hash_mb, search.MaxHashMB)
		}
		if options.switches&^7 != 0 {
			return badArgument(op, "switches 0x%x has unknown bits", options.switches)
		}
		o.HashMB = int(options.hash_mb)
		o.NoQuiescence = options.switches&C.KMD_SEARCH_NO_QUIESCENCE != 0
		o.NoTable = options.switches&C.KMD_SEARCH_NO_TABLE != 0
		o.NoRepetition = options.switches&C.KMD_SEARCH_NO_REPETITION != 0
	}
	engine, err := newEngine(op, o)
	if err != nil {
		return report(err)
	}
	searchers.Lock()
	defer searchers.Unlock()
	if searchers.open == nil {
		searchers.open = map[uint64]*searcher{}
	}
	searchers.next++
	h := uint64(searcherTag)<<51 | searchers.next&(1<<51-1)
	searchers.open[h] = &searcher{engine: engine}
	*out = C.kmd_searcher(h)
	return C.KMD_OK
}

// newEngine refuses a table that the machine's memory cannot hold before Go would abort over it.
func newEngine(op string, o search.Options) (*search.Searcher, error) {
	size := uintptr(max(o.HashMB, 1))<<20 + 256<<20 // Go needs room of its own beside the table
	probe := C.kmdc_map(C.size_t(size))
	if probe == nil {
		return nil, fault.New(fault.Memory, op, "no memory for a table of %d MiB", o.HashMB)
	}
	C.kmdc_unmap(probe, C.size_t(size))
	return search.New(o)
}

func findSearcher(op string, h C.kmd_searcher) (*searcher, error) {
	searchers.Lock()
	defer searchers.Unlock()
	s := searchers.open[uint64(h)]
	if s == nil {
		return nil, fault.New(fault.Handle, op, "no such searcher: closed already, never opened, or made before a fork")
	}
	return s, nil
}

// claim makes a searcher the caller's until it clears busy.
func claim(op string, h C.kmd_searcher) (*searcher, error) {
	s, err := findSearcher(op, h)
	if err == nil && !s.busy.CompareAndSwap(false, true) {
		return nil, fault.New(fault.Busy, op, "the searcher is searching")
	}
	return s, err
}

//export go_kmd_searcher_close
func go_kmd_searcher_close(h C.kmd_searcher) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_searcher_close"
	if h == 0 {
		return C.KMD_OK
	}
	if _, err := findSearcher(op, h); err != nil {
		return report(err)
	}
	searchers.Lock()
	delete(searchers.open, uint64(h))
	searchers.Unlock()
	// A search that still runs keeps its engine until it ends.
	runtime.GC() // tables are large, and the next collection by itself may be far
	return C.KMD_OK
}

//export go_kmd_searcher_clear
func go_kmd_searcher_clear(h C.kmd_searcher) (status C.kmd_status) {
	defer recovered(&status)
	s, err := claim("kmd_searcher_clear", h)
	if err != nil {
		return report(err)
	}
	defer s.busy.Store(false)
	return report(s.engine.Clear())
}

func setPV(r *C.kmd_result, pv []shogi.Move) {
	n := min(len(pv), int(C.KMD_MAX_PV))
	r.pv_length = C.uint16_t(n)
	for i := range n {
		r.pv[i] = C.kmd_move(pv[i])
	}
}

func setScore(r *C.kmd_result, s search.Score) {
	if cp, ok := s.Cp(); ok {
		r.kind, r.score = C.KMD_SCORE_CP, C.int32_t(cp)
	} else {
		plies, _ := s.MatePlies()
		r.kind, r.score = C.KMD_SCORE_MATE, C.int32_t(plies)
	}
}

//export go_kmd_search_start
func go_kmd_search_start(h C.kmd_searcher, b C.kmd_board, limits *C.kmd_search_limits, out *C.kmd_job) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_search_start"
	if isNull(op, "limits", unsafe.Pointer(limits), 8, &status) || !hasSize(op, "limits", limits.size, unsafe.Sizeof(*limits), &status) {
		return status
	}
	if limits.depth < 0 || limits.movetime_ms < 0 || limits.movetime_ms > 1<<40 {
		return badArgument(op, "depth %d, movetime_ms %d: want neither below 0", limits.depth, limits.movetime_ms)
	}
	l := search.Limits{Depth: int(limits.depth), Nodes: uint64(limits.nodes), MoveTime: time.Duration(limits.movetime_ms) * time.Millisecond, Infinite: limits.infinite != 0}
	if l.Depth == 0 && l.Nodes == 0 && l.MoveTime == 0 && !l.Infinite {
		return badArgument(op, "no limit: give depth, nodes, movetime_ms or infinite")
	}
	g, err := copyGame(b)
	if err != nil {
		return report(err)
	}
	if err = g.Pos.NeedKings(op); err != nil {
		return report(err)
	}
	s, err := claim(op, h)
	if err != nil {
		return report(err)
	}
	status = start(op, out, func(stop *atomic.Int32, tell func(C.kmd_result)) (C.kmd_result, error) {
		defer s.busy.Store(false)
		found, err := s.engine.Search(g, l, stop, func(i search.Info) {
			r := C.kmd_result{depth: C.int32_t(i.Depth), selective_depth: C.int32_t(i.SelDepth), nodes: C.uint64_t(i.Nodes), elapsed_us: C.uint64_t(i.Elapsed.Microseconds())}
			if len(i.PV) > 0 {
				r.best_move = C.uint16_t(i.PV[0])
			}
			setScore(&r, i.Score)
			setPV(&r, i.PV)
			tell(r)
		})
		r := C.kmd_result{best_move: C.uint16_t(found.BestMove), depth: C.int32_t(found.Depth), selective_depth: C.int32_t(found.SelDepth),
			nodes: C.uint64_t(found.Nodes), elapsed_us: C.uint64_t(found.Elapsed.Microseconds())}
		setScore(&r, found.Score)
		setPV(&r, found.PV)
		if err == nil {
			err = cancelled(op, found.Stopped)
		}
		return r, err
	})
	if status != C.KMD_OK {
		s.busy.Store(false)
	}
	return status
}

//export go_kmd_mate_start
func go_kmd_mate_start(b C.kmd_board, depth C.int32_t, nodes C.uint64_t, out *C.kmd_job) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_mate_start"
	if depth < 0 || nodes == 0 {
		return badArgument(op, "depth %d, nodes %d: want depth from 0 and nodes from 1", depth, nodes)
	}
	g, err := copyGame(b)
	if err != nil {
		return report(err)
	}
	if king := g.Pos.KingSquare(g.Pos.Turn().Opposite()); king == shogi.NoSquare {
		return report(fault.New(fault.InvalidPosition, op, "the side not to move has no king to mate"))
	}
	return start(op, out, func(stop *atomic.Int32, _ func(C.kmd_result)) (C.kmd_result, error) {
		found, err := mate.Solve(&g.Pos, mate.Limits{Nodes: uint64(nodes), Depth: int(depth)}, stop)
		if err != nil {
			return C.kmd_result{}, fmt.Errorf("%s: %w", op, err)
		}
		r := C.kmd_result{depth: C.int32_t(found.Length), nodes: C.uint64_t(found.Nodes), elapsed_us: C.uint64_t(found.Elapsed.Microseconds())}
		switch found.Status {
		case mate.Mate:
			r.kind, r.best_move = C.KMD_MATE_FOUND, C.uint16_t(found.PV[0])
		case mate.NoMate:
			r.kind = C.KMD_MATE_NONE
		default:
			r.kind = C.KMD_MATE_UNKNOWN
			err = cancelled(op, found.Stopped)
		}
		setPV(&r, found.PV)
		return r, err
	})
}
