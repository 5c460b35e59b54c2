package main

/*
#include "native.h"
*/
import "C"

import (
	"bytes"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"komadori/core/batch"
	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/search"
	"komadori/core/shogi"
)

var (
	_ = [1]struct{}{}[search.MaxHashMB-C.KMD_MAX_HASH_MB]
	_ = [1]struct{}{}[search.MaxThreads-C.KMD_MAX_SEARCH_THREADS]
	_ = [1]struct{}{}[search.MaxMultiPV-C.KMD_MAX_MULTIPV]
	_ = [1]struct{}{}[search.Exact-C.KMD_BOUND_EXACT]
	_ = [1]struct{}{}[search.LowerBound-C.KMD_BOUND_LOWER]
	_ = [1]struct{}{}[search.UpperBound-C.KMD_BOUND_UPPER]
)

// A searcher owns a transposition table in the Go heap.
type searcher struct {
	engine *search.Searcher
	busy   atomic.Bool
}

var searchers = registry[searcher]{tag: 0x5E6, what: "searcher"}

//export go_kmd_searcher_new
func go_kmd_searcher_new(options *C.kmd_search_options, out *C.kmd_searcher) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_searcher_new"
	if isNull(op, "searcher", unsafe.Pointer(out), 8, &status) {
		return status
	}
	o, ok := readOptions(op, options, &status)
	if !ok {
		return status
	}
	if err := hasMemory(op, "tables", o.HashMB); err != nil {
		return report(err)
	}
	engine, err := search.New(o)
	if err != nil {
		return report(err)
	}
	*out = C.kmd_searcher(searchers.add(&searcher{engine: engine}))
	return C.KMD_OK
}

// defaultHashMB is the table's size where the caller does not say.
const defaultHashMB = 64

// readOptions reads and checks a caller's options; null are the defaults.
func readOptions(op string, options *C.kmd_search_options, status *C.kmd_status) (o search.Options, ok bool) {
	o.HashMB, o.Threads = defaultHashMB, 1
	if options == nil {
		return o, true
	}
	if !hasSize(op, "options", options.size, unsafe.Sizeof(*options), status) || !aligned(op, "rules", unsafe.Pointer(options.rules), 4, status) {
		return o, false
	}
	const known = C.KMD_SEARCH_NO_QUIESCENCE | C.KMD_SEARCH_NO_TABLE | C.KMD_SEARCH_NO_REPETITION | C.KMD_SEARCH_ALL_MOVES
	if options.switches&^known != 0 {
		*status = badArgument(op, "switches 0x%x has unknown bits", options.switches)
		return o, false
	}
	if options.hash_mb != 0 {
		o.HashMB = int(options.hash_mb)
	}
	if options.threads != 0 {
		o.Threads = int(options.threads)
	}
	o.NoQuiescence = options.switches&C.KMD_SEARCH_NO_QUIESCENCE != 0
	o.NoTable = options.switches&C.KMD_SEARCH_NO_TABLE != 0
	o.NoRepetition = options.switches&C.KMD_SEARCH_NO_REPETITION != 0
	o.AllMoves = options.switches&C.KMD_SEARCH_ALL_MOVES != 0
	o.Time = search.TimeOptions{
		Minimum: milliseconds(C.int64_t(options.minimum_ms)), Delay: milliseconds(C.int64_t(options.delay_ms)),
		HardDelay: milliseconds(C.int64_t(options.hard_delay_ms)), SlowMover: int(options.slow_mover),
	}
	if options.rules != nil {
		if !hasSize(op, "rules", options.rules.size, unsafe.Sizeof(*options.rules), status) {
			return o, false
		}
		rules, err := readRules(op, options.rules)
		if err != nil {
			*status = report(err)
			return o, false
		}
		o.Rules = rules
	}
	if _, err := search.New(o); err != nil { // takes no memory before it searches
		*status = report(err)
		return o, false
	}
	return o, true
}

func milliseconds(n C.int64_t) time.Duration { return time.Duration(n) * time.Millisecond }

// hasMemory refuses what the machine's memory, or what a limit leaves of it, cannot hold before Go would abort over it.
func hasMemory(op, what string, mb int) error {
	if !search.HasMemory(mb) {
		return noMemory(op, what, mb)
	}
	return isFree(op, what, mb, mb+256) // Go needs room of its own beside it
}

// isFree refuses what needs more MiB than there are.
func isFree(op, what string, mb, needed int) error {
	size := C.size_t(needed) << 20
	probe := C.kmdc_map(size)
	if probe == nil {
		return noMemory(op, what, mb)
	}
	C.kmdc_unmap(probe, size)
	return nil
}

func noMemory(op, what string, mb int) error {
	return fault.New(fault.Memory, op, "no memory for %s of %d MiB", what, mb)
}

// claim makes a searcher the caller's until it clears busy.
func claim(op string, h C.kmd_searcher) (*searcher, error) {
	s, err := searchers.find(op, uint64(h))
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
	if _, err := searchers.remove(op, uint64(h)); err != nil {
		return report(err)
	}
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

// moveCount is how many of a line's moves fit.
func setMoves(out []C.kmd_move, line []shogi.Move) int {
	n := min(len(line), len(out))
	for i := range n {
		out[i] = C.kmd_move(line[i])
	}
	return n
}

func setPV(r *C.kmd_result, pv []shogi.Move) { r.pv_length = C.uint16_t(setMoves(r.pv[:], pv)) }

// scoreNumbers are kind and number of a score.
func scoreNumbers(s search.Score) (kind, n C.int32_t) {
	if cp, ok := s.Cp(); ok {
		return C.KMD_SCORE_CP, C.int32_t(cp)
	}
	plies, _ := s.MatePlies()
	return C.KMD_SCORE_MATE, C.int32_t(plies)
}

// readLimits reads a caller's limits. The search checks them.
func readLimits(op string, limits *C.kmd_search_limits, status *C.kmd_status) (l search.Limits, ok bool) {
	if isNull(op, "limits", unsafe.Pointer(limits), 8, status) || !hasSize(op, "limits", limits.size, unsafe.Sizeof(*limits), status) ||
		!aligned(op, "search_moves", unsafe.Pointer(limits.search_moves), 2, status) {
		return l, false
	}
	const longest = 1 << 40
	times := []C.int64_t{limits.movetime_ms, limits.remaining_ms[0], limits.remaining_ms[1], limits.increment_ms[0], limits.increment_ms[1], limits.byoyomi_ms}
	for _, t := range times {
		if t < 0 || t > longest {
			*status = badArgument(op, "a time of %d ms, want 0..%d", t, longest)
			return l, false
		}
	}
	for _, flag := range []C.int32_t{limits.infinite, limits.ponder, limits.clock} {
		if flag != 0 && flag != 1 {
			*status = badArgument(op, "infinite, ponder or clock is %d, want 0 or 1", flag)
			return l, false
		}
	}
	if limits.search_move_count > shogi.FromToCount || limits.search_moves == nil && limits.search_move_count > 0 {
		*status = badArgument(op, "%d search moves, want at most %d", limits.search_move_count, shogi.FromToCount)
		return l, false
	}
	l = search.Limits{
		Depth: int(limits.depth), Nodes: uint64(limits.nodes), MoveTime: milliseconds(limits.movetime_ms), MultiPV: int(limits.multipv),
		Infinite: limits.infinite == 1, Ponder: limits.ponder == 1,
	}
	for _, m := range unsafe.Slice(limits.search_moves, limits.search_move_count) {
		l.SearchMoves = append(l.SearchMoves, shogi.Move(m))
	}
	if limits.clock == 1 {
		l.Clock = &search.Clock{Byoyomi: milliseconds(limits.byoyomi_ms)}
		for c := range l.Clock.Remaining {
			l.Clock.Remaining[c], l.Clock.Increment[c] = milliseconds(limits.remaining_ms[c]), milliseconds(limits.increment_ms[c])
		}
	}
	if err := l.Check(op); err != nil {
		*status = report(err)
		return l, false
	}
	return l, true
}

// A searchJob is what a job that searches has besides. It is guarded by the job's mutex.
type searchJob struct {
	isSearch  bool
	run       *search.Run // once it has started
	ponderHit bool        // before it has started
	waiting   []search.Info
	lines     []search.Info // of the result, once done

	isBatch bool
	perRow  int
	found   []batch.Found // once done
}

// maxWaiting is how many infos wait for somebody who asks.
const maxWaiting = 10_000

// note keeps an info for who asks.
func (s *searchJob) note(i search.Info) {
	if len(s.waiting) >= maxWaiting {
		s.waiting = append(s.waiting[:0], s.waiting[maxWaiting/2:]...)
	}
	s.waiting = append(s.waiting, i)
}

//export go_kmd_search_start
func go_kmd_search_start(h C.kmd_searcher, b C.kmd_board, limits *C.kmd_search_limits, out *C.kmd_job) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_search_start"
	l, ok := readLimits(op, limits, &status)
	if !ok {
		return status
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
	j := &job{search: searchJob{isSearch: true}}
	status = startJob(op, out, j, func(stop *atomic.Int32, _ func(C.kmd_result)) (C.kmd_result, error) {
		defer s.busy.Store(false)
		return j.runSearch(op, s.engine, g, l, stop)
	})
	if status != C.KMD_OK {
		s.busy.Store(false)
	}
	return status
}

// runSearch is the work of a job that searches.
func (j *job) runSearch(op string, engine *search.Searcher, g *board.Game, l search.Limits, stop *atomic.Int32) (C.kmd_result, error) {
	run, err := engine.Start(g, l, stop, func(i search.Info) {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.search.note(i)
		r := &j.latest
		if i.MultiPV > 1 {
			r.line_count = max(r.line_count, C.int32_t(i.MultiPV))
			return
		}
		r.line_count = max(r.line_count, 1)
		r.depth, r.selective_depth, r.nodes = C.int32_t(i.Depth), C.int32_t(i.SelDepth), C.uint64_t(i.Nodes)
		r.elapsed_us, r.hashfull = C.uint64_t(i.Elapsed.Microseconds()), C.int32_t(i.HashFull)
		r.kind, r.score = scoreNumbers(i.Score)
		r.bound = C.int32_t(i.Bound)
		setPV(r, i.PV)
		if len(i.PV) > 0 {
			r.best_move = C.uint16_t(i.PV[0])
		}
	})
	if err != nil {
		return C.kmd_result{}, err
	}
	j.mu.Lock()
	j.search.run = run
	if j.search.ponderHit {
		run.PonderHit()
	}
	j.mu.Unlock()

	found := run.Wait()
	r := C.kmd_result{
		best_move: C.uint16_t(found.BestMove), depth: C.int32_t(found.Depth), selective_depth: C.int32_t(found.SelDepth), nodes: C.uint64_t(found.Nodes),
		elapsed_us: C.uint64_t(found.Elapsed.Microseconds()), line_count: C.int32_t(len(found.Lines)),
	}
	r.kind, r.score = scoreNumbers(found.Score)
	if len(found.Lines) > 0 {
		r.bound = C.int32_t(found.Lines[0].Bound)
	}
	setPV(&r, found.PV)
	j.mu.Lock()
	defer j.mu.Unlock()
	r.hashfull = j.latest.hashfull
	j.search.lines = make([]search.Info, 0, len(found.Lines))
	for i, line := range found.Lines {
		j.search.lines = append(j.search.lines, search.Info{
			Depth: found.Depth, SelDepth: found.SelDepth, MultiPV: i + 1, Score: line.Score, Bound: line.Bound, PV: line.PV, Nodes: found.Nodes, Elapsed: found.Elapsed,
			HashFull: int(r.hashfull),
		})
	}
	return r, cancelled(op, found.Stopped)
}

//export go_kmd_search_ponderhit
func go_kmd_search_ponderhit(h C.kmd_job) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_search_ponderhit"
	j, err := searchOf(op, h)
	if err != nil {
		return report(err)
	}
	defer j.mu.Unlock()
	j.search.ponderHit = true
	if j.search.run != nil {
		j.search.run.PonderHit()
	}
	return C.KMD_OK
}

// searchOf is a job that is a search, with its mutex locked.
func searchOf(op string, h C.kmd_job) (*job, error) {
	j, err := jobOf(op, h)
	if err != nil {
		return nil, err
	}
	j.mu.Lock()
	if !j.search.isSearch {
		j.mu.Unlock()
		return nil, fault.New(fault.Argument, op, "the job is no search")
	}
	return j, nil
}

//export go_kmd_search_infos
func go_kmd_search_infos(h C.kmd_job, infos *C.kmd_info, capacity C.size_t, count *C.size_t) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_search_infos"
	if isNull(op, "count", unsafe.Pointer(count), 8, &status) || capacity > 0 && isNull(op, "infos", unsafe.Pointer(infos), 8, &status) ||
		isNoCapacity(op, capacity, &status) || !apart(op, &status, writes("infos", infos, int(capacity)), writes("count", count, 1)) {
		return status
	}
	j, err := searchOf(op, h)
	if err != nil {
		return report(err)
	}
	defer j.mu.Unlock()
	n := int(min(capacity, C.size_t(len(j.search.waiting))))
	putInfos(infos, j.search.waiting[:n])
	j.search.waiting = j.search.waiting[n:]
	*count = C.size_t(n)
	return C.KMD_OK
}

//export go_kmd_search_lines
func go_kmd_search_lines(h C.kmd_job, lines *C.kmd_info, capacity C.size_t, count *C.size_t) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_search_lines"
	if isNull(op, "count", unsafe.Pointer(count), 8, &status) || capacity > 0 && isNull(op, "lines", unsafe.Pointer(lines), 8, &status) ||
		isNoCapacity(op, capacity, &status) || !apart(op, &status, writes("lines", lines, int(capacity)), writes("count", count, 1)) {
		return status
	}
	j, err := searchOf(op, h)
	if err != nil {
		return report(err)
	}
	defer j.mu.Unlock()
	found := j.search.lines
	if found == nil && j.search.run != nil {
		found = j.search.run.Latest()
	}
	*count = C.size_t(len(found))
	if len(found) > int(capacity) {
		return report(fault.New(fault.Buffer, op, "%d lines, room for %d", len(found), capacity))
	}
	putInfos(lines, found)
	return C.KMD_OK
}

func putInfos(out *C.kmd_info, infos []search.Info) {
	dst := unsafe.Slice(out, len(infos))
	for k := range infos {
		i, o := &infos[k], &dst[k]
		*o = C.kmd_info{
			depth: C.int32_t(i.Depth), selective_depth: C.int32_t(i.SelDepth), multipv: C.int32_t(i.MultiPV), bound: C.int32_t(i.Bound),
			hashfull: C.int32_t(i.HashFull), nodes: C.uint64_t(i.Nodes), elapsed_us: C.uint64_t(i.Elapsed.Microseconds()),
		}
		o.kind, o.score = scoreNumbers(i.Score)
		o.pv_length = C.int32_t(setMoves(o.pv[:], i.PV))
	}
}

//export go_kmd_search_batch_start
func go_kmd_search_batch_start(in *C.kmd_rows, options *C.kmd_search_options, limits *C.kmd_search_limits, out *C.kmd_job) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_search_batch_start"
	rows, n, run, ok := rowsOf(op, in, nil, &status)
	if !ok {
		return status
	}
	o, ok := readOptions(op, options, &status)
	if !ok {
		return status
	}
	l, ok := readLimits(op, limits, &status)
	if !ok {
		return status
	}
	if l.Clock != nil || l.Infinite || l.Ponder {
		return badArgument(op, "clock, infinite and ponder are nothing for many rows")
	}
	if err := hasMemory(op, "tables", o.HashMB*min(run.Threads, max(n, 1))); err != nil {
		return report(err)
	}
	rows.Data, rows.Candidates = bytes.Clone(rows.Data), nil
	j := &job{search: searchJob{isBatch: true, perRow: max(l.MultiPV, 1)}}
	return startRows(op, out, j, func(stop *atomic.Int32, progress *batch.Progress) error {
		found := make([]batch.Found, n)
		run.Cancel = stop
		err := batch.Search(found, rows, o, l, progress, run)
		j.mu.Lock()
		j.search.found = found
		j.mu.Unlock()
		return err
	})
}

//export go_kmd_search_batch_found
func go_kmd_search_batch_found(h C.kmd_job, first, count C.size_t, out *C.kmd_found) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_search_batch_found"
	if count > 0 && isNull(op, "found", unsafe.Pointer(out), 8, &status) {
		return status
	}
	j, err := jobOf(op, h)
	if err != nil {
		return report(err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	s := &j.search
	switch {
	case !s.isBatch:
		return badArgument(op, "the job is no search of many positions")
	case s.found == nil:
		return report(fault.New(fault.Busy, op, "the job is not done"))
	}
	all := C.size_t(len(s.found) * s.perRow)
	if first > all || count > all-first {
		return badArgument(op, "entries %d to %d of %d", first, first+count, all)
	}
	for i, o := int(first), unsafe.Slice(out, count); len(o) > 0; i, o = i+1, o[1:] {
		row, line := &s.found[i/s.perRow], i%s.perRow
		o[0] = C.kmd_found{status: C.kmd_status(row.Problem), depth: C.int32_t(row.Depth)}
		if line == 0 {
			o[0].nodes, o[0].best_move = C.uint64_t(row.Nodes), C.kmd_move(row.BestMove)
		}
		if line < len(row.Lines) {
			l := &row.Lines[line]
			o[0].kind, o[0].score = scoreNumbers(l.Score)
			o[0].bound = C.int32_t(l.Bound)
			o[0].pv_length = C.uint16_t(setMoves(o[0].pv[:], l.PV))
			if line > 0 && len(l.PV) > 0 {
				o[0].best_move = C.kmd_move(l.PV[0])
			}
		}
	}
	return C.KMD_OK
}
