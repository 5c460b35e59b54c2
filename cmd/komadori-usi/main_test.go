package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCommands(t *testing.T) {
	for _, c := range []struct{ arguments, want []string }{
		{nil, nil},
		{[]string{"bench"}, []string{"bench"}},
		{[]string{"perft", "4", "divide"}, []string{"perft 4 divide"}},
		{[]string{"position startpos", "go depth 8"}, []string{"position startpos", "go depth 8"}},
		{[]string{"usi", "go depth 1"}, []string{"usi", "go depth 1"}},
	} {
		assert.Equal(t, c.want, commands(c.arguments))
	}
}
