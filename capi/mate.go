package main

/*
#include "native.h"
*/
import "C"

import (
	"bytes"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"komadori/core/batch"
	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/mate"
	"komadori/core/shogi"
)

// A mateJob is what a job holds that is a mate search, of one position or of many. Its mutex is the job's.
type mateJob struct {
	isMate, isBatch bool
	found           *mate.Result // once done
	rows            []batch.MateFound
}

// defaultMateMB is the memory where the caller does not say.
const defaultMateMB = 64

// readMateLimits reads and checks a caller's limits; null are the defaults.
func readMateLimits(op string, limits *C.kmd_mate_limits, status *C.kmd_status) (l mate.Limits, memoryMB int, ok bool) {
	if limits == nil {
		return l, defaultMateMB, true
	}
	if !hasSize(op, "limits", limits.size, unsafe.Sizeof(*limits), status) {
		return l, 0, false
	}
	memoryMB = int(limits.memory_mb)
	if memoryMB == 0 {
		memoryMB = defaultMateMB
	}
	switch {
	case limits.depth < 0 || limits.movetime_ms < 0 || limits.movetime_ms > 1<<40:
		*status = badArgument(op, "depth %d, movetime_ms %d: want neither below 0", limits.depth, limits.movetime_ms)
	case memoryMB < 1 || memoryMB > mate.MaxMemoryMiB:
		*status = badArgument(op, "memory_mb %d, want 1..%d", limits.memory_mb, mate.MaxMemoryMiB)
	case limits.flags&^(C.KMD_MATE_SHORTEST|C.KMD_MATE_FIRST_MOVES|C.KMD_MATE_SKIP_FUTILE) != 0:
		*status = badArgument(op, "flags 0x%x has unknown bits", limits.flags)
	case isReserved(op, "limits.reserved", limits.reserved, status):
	default:
		l = mate.Limits{
			Nodes: uint64(limits.nodes), MoveTime: time.Duration(limits.movetime_ms) * time.Millisecond, Depth: int(limits.depth),
			Shortest: limits.flags&C.KMD_MATE_SHORTEST != 0, FirstMoves: limits.flags&C.KMD_MATE_FIRST_MOVES != 0,
			SkipFutile: limits.flags&C.KMD_MATE_SKIP_FUTILE != 0,
		}
		return l, memoryMB, true
	}
	return l, 0, false
}

// checkMateProblem refuses a board on which nobody can be mated.
func checkMateProblem(op string, p *board.Position) error {
	if p.KingSquare(p.Turn()^1) == shogi.NoSquare {
		return fault.New(fault.InvalidPosition, op, "the side not to move has no king to mate")
	}
	return nil
}

// mateKinds are the numbers of a mate.Status in results.
var mateKinds = [...]C.int32_t{mate.Unknown: C.KMD_MATE_UNKNOWN, mate.Mate: C.KMD_MATE_FOUND, mate.NoMate: C.KMD_MATE_NONE}

// mateResult is a result as callers read it. The line may be longer than it holds.
func mateResult(found *mate.Result) C.kmd_result {
	r := C.kmd_result{
		kind: mateKinds[found.Status], depth: C.int32_t(found.Length), nodes: C.uint64_t(found.Nodes),
		elapsed_us: C.uint64_t(found.Elapsed.Microseconds()),
	}
	if found.Proven {
		r.proven = 1
	}
	if len(found.PV) > 0 {
		r.best_move = C.uint16_t(found.PV[0])
	}
	r.pv_length = C.uint16_t(setMoves(r.pv[:], found.PV))
	return r
}

//export go_kmd_mate_start
func go_kmd_mate_start(b C.kmd_board, limits *C.kmd_mate_limits, out *C.kmd_job) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_mate_start"
	l, memory, ok := readMateLimits(op, limits, &status)
	if !ok {
		return status
	}
	g, err := copyGame(b)
	if err == nil {
		err = checkMateProblem(op, &g.Pos)
	}
	if err == nil {
		err = hasMemory(op, "tables", memory)
	}
	if err != nil {
		return report(err)
	}
	j := &job{mate: mateJob{isMate: true}}
	return startJob(op, out, j, func(stop *atomic.Int32, tell func(C.kmd_result)) (C.kmd_result, error) {
		solver, err := mate.NewSolver(memory)
		if err != nil {
			return C.kmd_result{}, fmt.Errorf("%s: %w", op, err)
		}
		l.Tell = func(p mate.Progress) {
			tell(C.kmd_result{
				nodes: C.uint64_t(p.Nodes), depth: C.int32_t(p.Length), selective_depth: C.int32_t(p.Plies),
				elapsed_us: C.uint64_t(p.Elapsed.Microseconds()), hashfull: C.int32_t(p.Fill),
			})
		}
		found, err := solver.Solve(&g.Pos, l, stop)
		if err != nil {
			return C.kmd_result{}, fmt.Errorf("%s: %w", op, err)
		}
		j.mu.Lock()
		j.mate.found = &found
		j.mu.Unlock()
		return mateResult(&found), cancelled(op, found.Stopped && found.Status == mate.Unknown)
	})
}

//export go_kmd_board_mates_in_one
func go_kmd_board_mates_in_one(h C.kmd_board, moves *C.kmd_move, capacity C.size_t, count *C.size_t) (status C.kmd_status) {
	const op = "kmd_board_mates_in_one"
	if isNoList(op, "moves", moves, capacity, count, &status) {
		return status
	}
	return use(h, func(g board.Game) error {
		return list(op, g.Pos.AppendMatesInOne(nil), unsafe.Pointer(moves), capacity, count)
	})
}

// quickSolvers are for kmd_quick_mate: each is small, and the collector takes those that nobody has used for a while.
var quickSolvers = sync.Pool{New: func() any {
	s, err := mate.NewSolver(1)
	if err != nil {
		return err
	}
	return s
}}

func solveQuickly(op string, p *board.Position, limits mate.Limits) (mate.Result, error) {
	if err := checkMateProblem(op, p); err != nil {
		return mate.Result{}, err
	}
	solver, ok := quickSolvers.Get().(*mate.Solver)
	if !ok {
		return mate.Result{}, fault.New(fault.Internal, op, "no solver")
	}
	defer quickSolvers.Put(solver)
	found, err := solver.Solve(p, limits, nil)
	if err != nil {
		return mate.Result{}, fmt.Errorf("%s: %w", op, err)
	}
	return found, nil
}

//export go_kmd_quick_mate
func go_kmd_quick_mate(b C.kmd_board, nodes, shortest C.int32_t, result *C.kmd_result) (kind C.int32_t) {
	defer recovered(&kind)
	const op = "kmd_quick_mate"
	if isNull(op, "result", unsafe.Pointer(result), 8, &kind) || !hasSize(op, "result", result.size, unsafe.Sizeof(*result), &kind) {
		return kind
	}
	if nodes < 1 || nodes > C.KMD_MATE_QUICK_NODES || shortest>>1 != 0 {
		return badArgument(op, "%d nodes and shortest %d, want 1..%d and 0 or 1", nodes, shortest, int(C.KMD_MATE_QUICK_NODES))
	}
	slot, err := acquire(b, phaseUse)
	if err != nil {
		return report(err)
	}
	var p board.Position
	found := mate.Result{Status: mate.Mate, Length: 1, Proven: true}
	m := slot.state.Pos.MateInOne()
	if m == shogi.MoveNone {
		p = slot.state.Pos
	}
	slot.release()
	pv := [...]shogi.Move{m}
	if found.PV = pv[:]; m == shogi.MoveNone {
		if found, err = solveQuickly(op, &p, mate.Limits{Nodes: uint64(nodes), Shortest: shortest != 0, NoMateInOne: true}); err != nil {
			return report(err)
		}
	}
	// Not the whole struct: most of it is the place of long lines.
	result.kind, result.depth, result.proven = mateKinds[found.Status], C.int32_t(found.Length), 0
	result.nodes, result.elapsed_us = C.uint64_t(found.Nodes), C.uint64_t(found.Elapsed.Microseconds())
	result.score, result.selective_depth, result.rows, result.hashfull, result.line_count, result.bound = 0, 0, 0, 0, 0, 0
	if found.Proven {
		result.proven = 1
	}
	result.best_move = 0
	if len(found.PV) > 0 {
		result.best_move = C.uint16_t(found.PV[0])
	}
	result.pv_length = C.uint16_t(setMoves(result.pv[:], found.PV))
	return result.kind
}

// matesOf is what a finished mate search found, of one position or of many.
func matesOf(op string, h C.kmd_job, isBatch bool) (found mateJob, err error) {
	j, err := jobOf(op, h)
	if err != nil {
		return found, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	switch found = j.mate; {
	case isBatch && !found.isBatch:
		err = fault.New(fault.Argument, op, "the job is no mate search of many positions")
	case !isBatch && !found.isMate:
		err = fault.New(fault.Argument, op, "the job is no mate search of one position")
	case found.found == nil && found.rows == nil:
		err = fault.New(fault.Busy, op, "the job is not done")
	}
	return found, err
}

//export go_kmd_mate_moves
func go_kmd_mate_moves(h C.kmd_job, moves *C.kmd_move, capacity C.size_t, count *C.size_t) (status C.kmd_status) {
	defer recovered(&status)
	return mateMoves("kmd_mate_moves", h, moves, capacity, count, func(r *mate.Result) []shogi.Move { return r.PV })
}

//export go_kmd_mate_first_moves
func go_kmd_mate_first_moves(h C.kmd_job, moves *C.kmd_move, capacity C.size_t, count *C.size_t) (status C.kmd_status) {
	defer recovered(&status)
	return mateMoves("kmd_mate_first_moves", h, moves, capacity, count, func(r *mate.Result) []shogi.Move { return r.FirstMoves })
}

func mateMoves(op string, h C.kmd_job, moves *C.kmd_move, capacity C.size_t, count *C.size_t, of func(*mate.Result) []shogi.Move) (status C.kmd_status) {
	if isNull(op, "count", unsafe.Pointer(count), 8, &status) || !room(op, unsafe.Pointer(moves), capacity, &status) || !aligned(op, "moves", unsafe.Pointer(moves), 2, &status) ||
		!apart(op, &status, writes("moves", moves, int(capacity)), writes("count", count, 1)) {
		return status
	}
	job, err := matesOf(op, h, false)
	if err != nil {
		return report(err)
	}
	found := of(job.found)
	*count = C.size_t(len(found))
	if len(found) > int(capacity) {
		return report(fault.New(fault.Buffer, op, "%d moves, room for %d", len(found), capacity))
	}
	copy(unsafe.Slice((*shogi.Move)(unsafe.Pointer(moves)), len(found)), found)
	return C.KMD_OK
}

//export go_kmd_mate_batch_start
func go_kmd_mate_batch_start(in *C.kmd_rows, limits *C.kmd_mate_limits, out *C.kmd_job) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_mate_batch_start"
	rows, n, run, ok := rowsOf(op, in, nil, &status)
	if !ok {
		return status
	}
	l, memory, ok := readMateLimits(op, limits, &status)
	if !ok {
		return status
	}
	if l.FirstMoves || l.SkipFutile {
		return badArgument(op, "first moves and futile interpositions are nothing for many rows")
	}
	if err := hasMemory(op, "tables", memory*min(run.Threads, max(n, 1))); err != nil {
		return report(err)
	}
	rows.Data, rows.Candidates = bytes.Clone(rows.Data), nil
	j := &job{mate: mateJob{isBatch: true}}
	return startRows(op, out, j, func(stop *atomic.Int32, progress *batch.Progress) error {
		found := make([]batch.MateFound, n)
		run.Cancel = stop
		err := batch.Mates(found, rows, memory, l, progress, run)
		j.mu.Lock()
		j.mate.rows = found
		j.mu.Unlock()
		return err
	})
}

//export go_kmd_mate_batch_found
func go_kmd_mate_batch_found(h C.kmd_job, first, count C.size_t, out *C.kmd_mate_found) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_mate_batch_found"
	if count > 0 && isNull(op, "found", unsafe.Pointer(out), 8, &status) {
		return status
	}
	job, err := matesOf(op, h, true)
	if err != nil {
		return report(err)
	}
	rows := job.rows
	if all := C.size_t(len(rows)); first > all || count > all-first {
		return badArgument(op, "rows %d to %d of %d", first, first+count, all)
	}
	found := unsafe.Slice(out, count)
	for i := range found {
		row, o := &rows[int(first)+i], &found[i]
		*o = C.kmd_mate_found{status: C.kmd_status(row.Problem), length: C.int32_t(row.Length), nodes: C.uint64_t(row.Nodes)}
		if row.Problem == 0 {
			o.kind = mateKinds[row.Status]
		}
		if row.Proven {
			o.proven = 1
		}
		if len(row.PV) > 0 {
			o.best_move = C.kmd_move(row.PV[0])
		}
	}
	return C.KMD_OK
}

//export go_kmd_mate_batch_moves
func go_kmd_mate_batch_moves(h C.kmd_job, offsets *C.int64_t, moves *C.kmd_move, capacity C.size_t) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_mate_batch_moves"
	if isNull(op, "offsets", unsafe.Pointer(offsets), 8, &status) || !room(op, unsafe.Pointer(moves), capacity, &status) || !aligned(op, "moves", unsafe.Pointer(moves), 2, &status) {
		return status
	}
	job, err := matesOf(op, h, true)
	if err != nil {
		return report(err)
	}
	rows := job.rows
	if !apart(op, &status, writes("offsets", offsets, len(rows)+1), writes("moves", moves, int(capacity))) {
		return status
	}
	at := unsafe.Slice((*int64)(unsafe.Pointer(offsets)), len(rows)+1)
	at[0] = 0
	for i := range rows {
		at[i+1] = at[i] + int64(len(rows[i].PV))
	}
	if total := at[len(rows)]; total > int64(capacity) {
		return report(fault.New(fault.Buffer, op, "%d moves, room for %d", total, capacity))
	}
	dst := unsafe.Slice((*shogi.Move)(unsafe.Pointer(moves)), at[len(rows)])
	for i := range rows {
		copy(dst[at[i]:], rows[i].PV)
	}
	return C.KMD_OK
}
