// Command tune makes the weights of the evaluation out of games that the engine plays against itself.
//
//	tune fit -out start.bin                                   what everyone knows: the worth of the pieces
//	tune play -weights start.bin -games 10000 -nodes 1000 -seed 1 -out games.psv
//	tune fit -out weights.bin games.psv
//
// `play` writes positions with the score of a short search and the result of the game, as PSV records; `fit` learns weights from such
// files. The same arguments give the same file. core/search/tune/weights.sh goes through generations of both.
package main

import (
	"fmt"
	"os"
)

func main() {
	commands := map[string]func([]string) error{"play": play, "fit": fit}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: tune play [flags], tune fit [flags] GAMES...; -h after either lists the flags")
		os.Exit(2)
	}
	if err := commands[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "tune:", err)
		os.Exit(1)
	}
}
