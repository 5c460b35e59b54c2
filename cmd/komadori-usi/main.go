// Command komadori-usi is a shogi engine for programs that speak USI: it reads commands from standard input and answers on standard output. docs/usi.md
// has them.
//
// Arguments are commands, carried out first; without "-", standard input is then not read:
//
//	komadori-usi bench 10
//	komadori-usi "position startpos moves 7g7f" "go depth 8"
//	komadori-usi "setoption name Threads value 4" -
package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"komadori/core/usi"
)

// version is set by the linker to that of include/komadori.h.
var version = "(development)"

func main() {
	config := usi.Config{Name: "Komadori " + version, Author: usi.Author, Seed: uint64(time.Now().UnixNano())}
	var in io.Reader = os.Stdin
	if arguments := os.Args[1:]; len(arguments) > 0 {
		if arguments[len(arguments)-1] == "-" {
			arguments = arguments[:len(arguments)-1]
		} else {
			in = strings.NewReader("")
		}
		config.Commands = commands(arguments)
	}
	if err := usi.Serve(in, os.Stdout, config); err != nil {
		fmt.Fprintln(os.Stderr, "komadori-usi:", err)
		os.Exit(1)
	}
}

// commands takes arguments for commands: one each where any has a blank, else all of them for the words of one.
func commands(arguments []string) []string {
	for _, a := range arguments {
		if strings.Contains(a, " ") {
			return arguments
		}
	}
	if len(arguments) == 0 {
		return nil
	}
	return []string{strings.Join(arguments, " ")}
}
