package usi

import (
	"bufio"
	"io"
	"sync"
	"time"
)

// Numbers of waiting lines from which on info lines are dropped, and other lines wait.
const (
	fullOfInfo = 2048
	full       = 1 << 16
)

// An output writes lines, each whole, from a goroutine of its own.
type output struct {
	mutex   sync.Mutex
	changed sync.Cond // waiting or closing
	waiting []string
	closing bool
	err     error
	broken  chan struct{} // closed when writing has failed
	done    chan struct{}
}

func newOutput(w io.Writer) *output {
	o := &output{broken: make(chan struct{}), done: make(chan struct{})}
	o.changed.L = &o.mutex
	go o.write(w)
	return o
}

// say queues a line.
func (o *output) say(line string) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for len(o.waiting) >= full && o.err == nil {
		o.changed.Wait()
	}
	o.waiting = append(o.waiting, line)
	o.changed.Broadcast()
}

// info queues a line that may get lost when nobody reads.
func (o *output) info(line string) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if len(o.waiting) < fullOfInfo {
		o.waiting = append(o.waiting, line)
		o.changed.Broadcast()
	}
}

func (o *output) write(w io.Writer) {
	defer close(o.done)
	buffered := bufio.NewWriter(w)
	for {
		o.mutex.Lock()
		for len(o.waiting) == 0 && !o.closing {
			o.changed.Wait()
		}
		lines := o.waiting
		o.waiting = nil
		o.changed.Broadcast()
		o.mutex.Unlock()
		if len(lines) == 0 {
			return
		}
		for _, line := range lines {
			_, _ = buffered.WriteString(line) // the error stays until Flush
			_ = buffered.WriteByte('\n')
		}
		if err := buffered.Flush(); err != nil {
			o.mutex.Lock()
			o.err = err
			o.changed.Broadcast()
			o.mutex.Unlock()
			close(o.broken)
			return
		}
	}
}

// lastWords is how long the end of the engine waits for a reader that does not read.
const lastWords = 2 * time.Second

// close writes what waits, and returns the error of writing.
func (o *output) close() error {
	o.mutex.Lock()
	o.closing = true
	o.changed.Broadcast()
	o.mutex.Unlock()
	select {
	case <-o.done:
	case <-time.After(lastWords):
	}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.err
}
