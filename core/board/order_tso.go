//go:build amd64

package board

// storeInOrder writes a value after everything that was written before it, for readers of the same memory in another process. amd64
// shows stores in the order of the program, and the compiler keeps that order; an atomic store would also wait until all of them are
// seen, which costs as much as the move.
func storeInOrder(at *int32, value int32) { *at = value }
