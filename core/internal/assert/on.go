//go:build komadori_assert

package assert

// Enabled tells whether assertions are compiled in (build tag komadori_assert).
const Enabled = true
