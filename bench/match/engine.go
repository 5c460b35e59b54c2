package main

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// An engine is a USI program that is spoken to over its standard input and output.
type engine struct {
	name    string
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	isGone  bool
}

// A goneError is that of an engine that has ended without being told to.
type goneError struct{ name, asked string }

func (g goneError) Error() string { return fmt.Sprintf("%s: gone while asked %.200q", g.name, g.asked) }

// An answer is what an engine says to a go command.
type answer struct {
	move  string
	cp    int // of the last info, for the side to move; a mate is ±mateCp
	nodes uint64
	depth int
	took  time.Duration
}

const mateCp = 100_000

// launch starts a program with its arguments and sets its options, each NAME=VALUE.
func launch(command string, options []string) (*engine, error) {
	words := strings.Fields(command)
	if len(words) == 0 {
		return nil, fmt.Errorf("no command")
	}
	e := &engine{name: words[0], process: exec.Command(words[0], words[1:]...)}
	var err error
	if e.in, err = e.process.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := e.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	e.out = bufio.NewScanner(out)
	e.out.Buffer(make([]byte, 1<<16), 1<<22)
	if err := e.process.Start(); err != nil {
		return nil, err
	}
	if err := e.ask("usi", "usiok", func(line string) {
		if name, ok := strings.CutPrefix(line, "id name "); ok {
			e.name = name
		}
	}); err != nil {
		return nil, err
	}
	for _, o := range options {
		name, value, _ := strings.Cut(o, "=")
		e.tell("setoption name " + name + " value " + value)
	}
	return e, e.ask("isready", "readyok", nil)
}

// tell sends a line. An engine that is gone shows when it is asked.
func (e *engine) tell(line string) { _, _ = io.WriteString(e.in, line+"\n") }

// ask sends a line and reads until one that begins with the given word.
func (e *engine) ask(line, until string, each func(string)) error {
	e.tell(line)
	for e.out.Scan() {
		text := e.out.Text()
		if each != nil {
			each(text)
		}
		if text == until || strings.HasPrefix(text, until+" ") {
			return nil
		}
	}
	e.isGone = true
	return goneError{e.name, line}
}

// think asks for a move.
func (e *engine) think(position, command string) (answer, error) {
	var a answer
	e.tell(position)
	begin := time.Now()
	err := e.ask(command, "bestmove", a.read)
	a.took = time.Since(begin)
	return a, err
}

// read takes up a line.
func (a *answer) read(line string) {
	words := strings.Fields(line)
	if len(words) >= 2 && words[0] == "bestmove" {
		a.move = words[1]
	}
	if len(words) == 0 || words[0] != "info" {
		return
	}
	for i := 1; i+1 < len(words); i++ {
		switch words[i] {
		case "string", "pv":
			return
		case "nodes":
			a.nodes, _ = strconv.ParseUint(words[i+1], 10, 64)
		case "depth":
			a.depth, _ = strconv.Atoi(words[i+1])
		case "cp":
			a.cp, _ = strconv.Atoi(words[i+1])
		case "mate":
			a.cp = mateCp
			if strings.HasPrefix(words[i+1], "-") {
				a.cp = -mateCp
			}
		}
	}
}

func (e *engine) quit() {
	e.tell("quit")
	_ = e.in.Close()
	timer := time.AfterFunc(2*time.Second, func() { _ = e.process.Process.Kill() })
	_ = e.process.Wait()
	timer.Stop()
}
