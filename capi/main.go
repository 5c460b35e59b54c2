// Package main is the C interface of komadori, built as a shared library. include/komadori.h documents every function.
//
// C enters through guard_gen.c, which refuses to enter Go in a forked child. What is named go_kmd_x here is kmd_x there.
package main

// The shared library needs main, but never runs it.
func main() {}

// Where symbols come from: exports.map keeps everything but the header's functions out of the dynamic symbol table.
//go:generate python3 ../tools/gencapi.py
