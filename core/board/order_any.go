//go:build !amd64

package board

import "sync/atomic"

// storeInOrder writes a value after everything that was written before it, for readers of the same memory in another process.
func storeInOrder(at *int32, value int32) { atomic.StoreInt32(at, value) }
