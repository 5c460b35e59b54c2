// Package assert checks what unchecked constructors and moves promise. The checks are compiled in
// with the build tag komadori_assert and cost nothing without it.
package assert

// That panics with the message when the condition fails and assertions are compiled in.
// A condition that is a call must stand behind `if Enabled`: arguments are evaluated in any case.
func That(condition bool, message string) {
	if Enabled && !condition {
		panic("komadori: assertion failed: " + message)
	}
}
