//go:build !amd64 || purego

package feature

// EachExpander calls f with every way of writing that this processor has.
func EachExpander(f func(name string)) { f("plain") }
