//go:build !amd64 || purego

package feature

func expand[T Element](words []uint64, dst []T, one T, _ bool) { expandPlain(words, dst, one) }

// Fence orders streamed rows before everything that the goroutine does next. Call it after the last streamed row.
func Fence() {}
