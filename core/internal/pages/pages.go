// Package pages makes memory that is read at random places: in large pages where the system has them, as finding a small page costs more than
// reading it.
package pages

import "unsafe"

// large is the size of a large page, which the memory begins with.
const large = 2 << 20

// Slice makes n zero values of a type without pointers, and has them there: who reads them first need not wait.
func Slice[T any](n int) []T {
	size := n * int(unsafe.Sizeof(*new(T)))
	whole := (size + large - 1) / large * large // as pages are whole or small
	all := make([]byte, whole+large)
	memory := all[-uintptr(unsafe.Pointer(&all[0]))%large:][:whole]
	ask(memory)
	for i := 0; i < size; i += 4096 {
		memory[i] = 0
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&memory[0])), n)
}

// New makes one zero value of a type without pointers.
func New[T any]() *T { return &Slice[T](1)[0] }

// Holds tells whether the machine has so many MiB to give at present, as far as it says.
func Holds(mib int) bool {
	const small = 256 // which are not worth the question
	if mib <= small {
		return true
	}
	free, known := available()
	return !known || mib <= free
}
