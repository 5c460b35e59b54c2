package main

/*
#include <stdlib.h>
#include "native.h"
*/
import "C"

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"komadori/core/board"
	"komadori/core/fault"
)

// Boards live in C memory: in an arena of fixed slots that is never unmapped, with histories in blocks of malloc. So what a handle
// names outlives a fork, in which the Go heap is lost: the child's private copy of the library adopts the arena.
//
// A slot's busy word is epoch<<8 | phase, 0 when free. Adopting raises the epoch; a busy word of an older epoch belongs to a thread
// of the parent that does not exist in the child, so the next user takes it over and repairs what that thread may have been changing.
// Writers keep an order in which this is possible: a push writes the history entry, then the board, then the length; a pop and a
// reset write the length first.

const (
	arenaMagic = 0x6B6D642D6172656E // "kmd-aren"
	slotBits   = 24
	chunkSlots = 1024
	maxSlots   = 1 << slotBits
	boardTag   = 0x4B6
	genMask    = 1<<27 - 1

	// The holder may be a user of a stale handle, who is gone after a few instructions; so a caller looks more than once.
	busyTries = 64

	phaseUse    = 1 // reading
	phaseChange = 2 // history and board are being changed by one ply
	phaseReset  = 3 // the start itself is being written
)

type arena struct {
	magic  uint64
	layout uint64        // sizes of what lies here, so that another build does not adopt it
	head   atomic.Uint64 // free list: counter<<32 | slot+1
	top    atomic.Uint32 // slots handed out at least once
	epoch  atomic.Uint32
	words  [2]atomic.Uint64 // of kmd_set_turn_words
	chunks [maxSlots / chunkSlots]atomic.Uintptr
}

type slot struct {
	view     C.kmd_board_view // published; generation is odd while the board is open
	busy     uint64
	next     uint32 // in the free list: slot+1
	broken   uint32
	index    uint32
	capacity int32
	entries  unsafe.Pointer // *board.Entry in a block of malloc
	state    board.State
}

const arenaLayout = uint64(unsafe.Sizeof(slot{}))<<40 | uint64(unsafe.Sizeof(board.Entry{}))<<24 | C.KMD_ABI_VERSION<<16 |
	C.KMD_VERSION_MAJOR<<10 | C.KMD_VERSION_MINOR<<5 | C.KMD_VERSION_PATCH

var (
	boards      atomic.Pointer[arena]
	makingArena sync.Mutex // held while boards is set, which happens once
)

// theArena maps the arena at first use.
func theArena() (*arena, error) {
	if a := boards.Load(); a != nil {
		return a, nil
	}
	makingArena.Lock()
	defer makingArena.Unlock()
	if a := boards.Load(); a != nil {
		return a, nil
	}
	a := (*arena)(C.kmdc_map(C.size_t(unsafe.Sizeof(arena{}))))
	if a == nil {
		return nil, fault.New(fault.Memory, "komadori", "no memory for boards")
	}
	a.magic, a.layout = arenaMagic, arenaLayout
	a.epoch.Store(1)
	boards.Store(a)
	return a, nil
}

func (a *arena) slot(i uint32) *slot {
	chunk := a.chunks[i/chunkSlots].Load()
	if chunk == 0 {
		return nil
	}
	return (*slot)(unsafe.Add(*(*unsafe.Pointer)(unsafe.Pointer(&chunk)), uintptr(i%chunkSlots)*unsafe.Sizeof(slot{})))
}

// open takes a slot, busy for the caller, not yet published.
func (a *arena) open() (*slot, error) {
	for {
		head := a.head.Load()
		if uint32(head) == 0 {
			break
		}
		s := a.slot(uint32(head) - 1)
		next := atomic.LoadUint32(&s.next)
		if a.head.CompareAndSwap(head, (head>>32+1)<<32|uint64(next)) {
			return s, nil
		}
	}
	for {
		i := a.top.Load()
		if i >= maxSlots {
			return nil, fault.New(fault.Memory, "komadori", "%d boards are open, more than fit", maxSlots)
		}
		if a.chunks[i/chunkSlots].Load() == 0 {
			size := C.size_t(chunkSlots * unsafe.Sizeof(slot{}))
			p := C.kmdc_map(size)
			if p == nil {
				return nil, fault.New(fault.Memory, "komadori", "no memory for boards")
			}
			if !a.chunks[i/chunkSlots].CompareAndSwap(0, uintptr(p)) {
				C.kmdc_unmap(p, size)
			}
		}
		if a.top.CompareAndSwap(i, i+1) {
			s := a.slot(i)
			s.index = i
			return s, nil
		}
	}
}

// newBoard opens a board whose game starts from a position and hands its slot to fill, if given, before it is published.
//
// It does not make the slot busy: until the generation is odd no handle names it. A user of a stale handle may hold the busy word for the
// instant in which it finds that out, so only a word left by a thread of the parent is cleared here.
func newBoard(p *board.Position, fill func(*slot) error, out *C.kmd_board) error {
	a, err := theArena()
	if err != nil {
		return err
	}
	s, err := a.open()
	if err != nil {
		return err
	}
	if was := atomic.LoadUint64(&s.busy); was != 0 && was>>8 != uint64(a.epoch.Load()) {
		atomic.CompareAndSwapUint64(&s.busy, was, 0)
	}
	s.broken = 0
	s.view.sequence &^= 1
	g := s.game()
	g.ResetTo(*p)
	if fill != nil {
		if err = fill(s); err != nil {
			a.giveBack(s)
			return err
		}
	}
	s.view.size = C.uint32_t(unsafe.Sizeof(s.view))
	s.publish()
	generation := atomic.AddUint32((*uint32)(&s.view.generation), 1)
	*out = C.kmd_board(uint64(boardTag)<<51 | uint64(generation&genMask)<<slotBits | uint64(s.index))
	return nil
}

// giveBack puts a slot that no handle names any more on the free list.
func (a *arena) giveBack(s *slot) {
	block := s.entries
	atomic.StorePointer(&s.entries, nil)
	s.capacity = 0
	if block != nil {
		C.free(block)
	}
	for {
		head := a.head.Load()
		atomic.StoreUint32(&s.next, uint32(head))
		if a.head.CompareAndSwap(head, (head>>32+1)<<32|uint64(s.index+1)) {
			return
		}
	}
}

// usage counts the open boards and the bytes of the arena and all histories.
func (a *arena) usage() (open int, bytes uintptr) {
	bytes = unsafe.Sizeof(*a)
	for i := uint32(0); i < a.top.Load(); i++ {
		s := a.slot(i)
		if i%chunkSlots == 0 {
			bytes += chunkSlots * unsafe.Sizeof(*s)
		}
		if atomic.LoadUint32((*uint32)(&s.view.generation))&1 == 1 {
			open++
			bytes += uintptr(atomic.LoadInt32(&s.capacity)) * unsafe.Sizeof(board.Entry{})
		}
	}
	return open, bytes
}

var (
	errClosed = fault.New(fault.Handle, "komadori", "no such board: closed already, or never opened")
	errBusy   = fault.New(fault.Busy, "komadori", "another thread is using this board")
	errBroken = fault.New(fault.Handle, "komadori", "the board was being set up when the process forked, and is lost in this child")
)

// acquire finds the slot of a handle and makes it the caller's until release.
func acquire(h C.kmd_board, phase uint64) (*slot, error) {
	a := boards.Load()
	i := uint32(h) & (maxSlots - 1)
	if a == nil || uint64(h)>>51 != boardTag || i >= a.top.Load() {
		return nil, errClosed
	}
	s := a.slot(i)
	generation := uint32(uint64(h)>>slotBits) & genMask
	if g := atomic.LoadUint32((*uint32)(&s.view.generation)); g&1 == 0 || g&genMask != generation {
		return nil, errClosed
	}
	epoch := uint64(a.epoch.Load())
	was := atomic.LoadUint64(&s.busy)
	for try := 0; was>>8 == epoch || !atomic.CompareAndSwapUint64(&s.busy, was, epoch<<8|phase); try++ {
		if try == busyTries {
			return nil, errBusy
		}
		was = atomic.LoadUint64(&s.busy)
	}
	// Only now is the slot ours: it may have been closed and opened anew in between.
	if g := atomic.LoadUint32((*uint32)(&s.view.generation)); g&1 == 0 || g&genMask != generation {
		s.release()
		return nil, errClosed
	}
	if was != 0 {
		s.repair(was & 0xFF)
		if s.view.sequence&1 != 0 {
			s.step()
		}
	}
	if s.broken != 0 {
		s.release()
		return nil, errBroken
	}
	if phase != phaseUse {
		s.step()
	}
	return s, nil
}

// repair mends a slot whose holder died in a fork or panicked. Whatever goes wrong, it breaks this slot alone.
func (s *slot) repair(phase uint64) {
	defer func() {
		if recover() != nil {
			s.broken = 1
		}
	}()
	switch phase {
	case phaseChange:
		g := s.game()
		if g.Repair() != nil {
			s.broken = 1
		}
	case phaseReset:
		s.broken = 1
	}
	if s.broken == 0 {
		s.publish()
	}
}

// use lends a board for reading.
func use(h C.kmd_board, f func(board.Game) error) (status C.kmd_status) {
	s, err := acquire(h, phaseUse)
	if err != nil {
		return report(err)
	}
	defer s.leave(&status)
	return report(f(s.game()))
}

// leave is deferred by those that read a slot: it reports a panic and releases the slot.
func (s *slot) leave(status *C.kmd_status) {
	if r := recover(); r != nil {
		*status = reportPanic(r)
	}
	s.release()
}

// extend lends a board for one more ply. On a panic the board is made whole again from its history.
func extend(h C.kmd_board, f func(board.Game) error) (status C.kmd_status) {
	s, err := acquire(h, phaseChange)
	if err != nil {
		return report(err)
	}
	defer s.finish(phaseChange, &status)
	if err = s.room(1); err != nil {
		return report(err)
	}
	return report(f(s.game()))
}

// finish is deferred by those that change a slot: it publishes the new state, or after a panic repairs the slot, and releases it.
func (s *slot) finish(phase uint64, status *C.kmd_status) {
	if r := recover(); r != nil {
		s.repair(phase)
		*status = reportPanic(r)
	}
	s.changed()
}

// release ends the use of a slot.
func (s *slot) release() { store64(&s.busy, 0) }

// step counts the sequence on: odd while a change is going on. Only the holder of the slot does that.
func (s *slot) step() { store32((*uint32)(&s.view.sequence), uint32(s.view.sequence)+1) }

// changed publishes the new state and ends a change.
func (s *slot) changed() {
	s.publish()
	s.step()
	s.release()
}

// publish copies what a board is into its view.
func (s *slot) publish() {
	p := &s.state.Pos
	v := &s.view
	v.ply = C.int32_t(p.Ply())
	v.moves = C.int32_t(s.state.Len)
	v.hands[0], v.hands[1] = C.uint32_t(p.Hand(0)), C.uint32_t(p.Hand(1))
	v.turn = C.uint8_t(p.Turn())
	v.kings[0], v.kings[1] = C.uint8_t(p.KingSquare(0)), C.uint8_t(p.KingSquare(1))
	v.key = C.uint64_t(p.Key())
	*(*[88]uint8)(unsafe.Pointer(&v.pieces)) = [88]uint8(p.Board()[:88])
	v.in_check = C.uint8_t(truth(s.state.InCheck()))
	v.turn_word = C.uint64_t(boards.Load().words[p.Turn()&1].Load())
	g := s.game()
	v.last_move = C.kmd_move(g.LastMove())
}

// game is the slot's board with its history block.
func (s *slot) game() board.Game {
	return board.Game{State: &s.state, Entries: unsafe.Slice((*board.Entry)(s.entries), s.capacity)}
}

// room makes place for more plies. The old block stays valid until the new one is complete and in place.
func (s *slot) room(plies int) error {
	if need := int(s.state.Len) + plies; need > int(s.capacity) {
		capacity := max(need, 2*int(s.capacity), 32)
		if capacity > 1<<24 {
			return fault.New(fault.Memory, "komadori", "a history of %d plies", need)
		}
		block := C.malloc(C.size_t(capacity) * C.size_t(unsafe.Sizeof(board.Entry{})))
		if block == nil {
			return fault.New(fault.Memory, "komadori", "no memory for a history of %d plies", capacity)
		}
		grown := unsafe.Slice((*board.Entry)(block), capacity)
		clear(grown)
		copy(grown, unsafe.Slice((*board.Entry)(s.entries), s.capacity))
		old := s.entries
		atomic.StorePointer(&s.entries, block)
		atomic.StoreInt32(&s.capacity, int32(capacity))
		if old != nil {
			C.free(old)
		}
	}
	return nil
}

//export go_kmd_board_close
func go_kmd_board_close(h C.kmd_board) (status C.kmd_status) {
	defer recovered(&status)
	if h == 0 {
		return C.KMD_OK
	}
	s, err := acquire(h, phaseUse)
	if err == errBroken {
		return C.KMD_OK // lost already
	}
	if err != nil {
		return report(err)
	}
	atomic.AddUint32((*uint32)(&s.view.generation), 1)
	s.release()
	boards.Load().giveBack(s)
	return C.KMD_OK
}

//export go_kmd_arena
func go_kmd_arena(address *C.uint64_t) (status C.kmd_status) {
	defer recovered(&status)
	if isNull("kmd_arena", "address", unsafe.Pointer(address), 8, &status) {
		return status
	}
	a, err := theArena()
	if err != nil {
		return report(err)
	}
	*address = C.uint64_t(uintptr(unsafe.Pointer(a)))
	return C.KMD_OK
}

//export go_kmd_set_turn_words
func go_kmd_set_turn_words(black, white C.uint64_t) (status C.kmd_status) {
	defer recovered(&status)
	a, err := theArena()
	if err != nil {
		return report(err)
	}
	a.words[0].Store(uint64(black))
	a.words[1].Store(uint64(white))
	return C.KMD_OK
}

//export go_kmd_adopt
func go_kmd_adopt(address C.uint64_t) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_adopt"
	if address == 0 || address%4096 != 0 {
		return badArgument(op, "0x%x is no address of an arena", uint64(address))
	}
	if C.kmdc_is_mapped(address, C.size_t(unsafe.Sizeof(arena{}))) == 0 {
		return badArgument(op, "nothing is mapped at 0x%x", uint64(address))
	}
	raw := uintptr(address)
	a := *(**arena)(unsafe.Pointer(&raw))
	if a.magic != arenaMagic || a.layout != arenaLayout {
		return badArgument(op, "the memory at 0x%x is no arena of this version", uint64(address))
	}
	makingArena.Lock()
	defer makingArena.Unlock()
	if boards.Load() != nil {
		return badArgument(op, "this copy of the library has made boards already")
	}
	a.epoch.Add(1) // first, so that no word of this process ever bears the old number
	boards.Store(a)
	return C.KMD_OK
}
