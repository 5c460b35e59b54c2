//go:build !amd64 || purego

package feature

func expand[T Element](row []byte, dst []T, one T, _ *Stream) { expandPlain(row, dst, one) }

// Fence orders streamed rows before everything that the goroutine does next. Call it after the last Flush of a Stream.
func Fence() {}
