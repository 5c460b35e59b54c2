package main

import (
	"sync"

	"komadori/core/fault"
)

// A registry hands out handles of things in the Go heap. They are like a board's, but a forked child does not know them.
type registry[T any] struct {
	tag  uint64
	what string

	mutex sync.Mutex
	open  map[uint64]*T
	next  uint64
}

func (r *registry[T]) add(of *T) uint64 {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.open == nil {
		r.open = map[uint64]*T{}
	}
	r.next++
	h := r.tag<<51 | r.next&(1<<51-1)
	r.open[h] = of
	return h
}

func (r *registry[T]) find(op string, h uint64) (*T, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.get(op, h)
}

func (r *registry[T]) get(op string, h uint64) (*T, error) {
	if of := r.open[h]; of != nil {
		return of, nil
	}
	return nil, fault.New(fault.Handle, op, "no such %s: closed already, never opened, or made before a fork", r.what)
}

// remove is find, after which the handle is stale.
func (r *registry[T]) remove(op string, h uint64) (*T, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	of, err := r.get(op, h)
	delete(r.open, h)
	return of, err
}

// count is how many are open.
func (r *registry[T]) count() int {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return len(r.open)
}
