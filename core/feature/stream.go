package feature

import "unsafe"

// A Stream stores rows past the caches: right for a result that is larger than they are. The rows of one array go through one Stream one after the other.
//
// Such stores are fast only as long as they fill whole lines of memory, and rows seldom end where a line does. So a Stream keeps the line in which a row ends until the
// next row brings the rest of it. Flush must follow the last row, and Fence the last Flush, before another goroutine or the caller reads. The zero value is ready.
type Stream struct {
	end [2 * lineBytes]byte // what is kept, and room for a group behind it
	at  unsafe.Pointer      // where it belongs
	n   int                 // bytes of it
}

const lineBytes = 64

// Flush stores what is kept.
func (s *Stream) Flush() {
	copy(unsafe.Slice((*byte)(s.at), s.n), s.end[:s.n])
	s.at, s.n = nil, 0
}

// meets tells whether what is kept ends where to begins.
func (s *Stream) meets(to unsafe.Pointer) bool { return s.n != 0 && unsafe.Add(s.at, s.n) == to }
