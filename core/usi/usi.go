// Package usi is a shogi engine that speaks USI (Universal Shogi Interface) over a reader and a writer.
//
// docs/usi.md has the commands and options. Whatever comes in, the engine goes on: what it cannot read it reports as an "info string"
// and passes over, and every "go" gets exactly one answer. Commands are taken while the engine thinks.
package usi

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"komadori/core/board"
	"komadori/core/book"
	"komadori/core/notation"
	"komadori/core/search"
)

// Author is who wrote the engine, for Config.
const Author = "the Komadori authors"

// Config is what a program gives its engine. The zero value is usable.
type Config struct {
	Name, Author string   // as told to "usi"
	Seed         uint64   // of the choice among book moves
	Commands     []string // carried out before anything is read
	MaxHashMB    int      // the largest table that is offered; 0 is search.MaxHashMB
	MaxThreads   int      // the most threads that are offered; 0 is search.MaxThreads
}

// An engine is the state between commands. It belongs to one goroutine; what thinks has copies.
type engine struct {
	config    Config
	settings  settings
	out       *output
	random    *rand.Rand
	searcher  *search.Searcher
	applied   search.Options // those of searcher
	game      *board.Game    // nil after a position that cannot be read
	bad       error          // why game is nil
	book      *book.Book
	bookAsked string // the file and the options that book was opened with, whether that worked or not
	task      *task  // what is being thought about, or nil
}

// A task is something that takes time: a search, a mate search, bench or perft.
type task struct {
	stop      func()
	ponderHit func()
	done      <-chan struct{}
	answer    func() // called by the engine's goroutine when the task is done, and may be answered
	progress  func() // tells how far it is, once a second; may be nil
	held      bool   // not to be answered before stop or ponderhit
	pondering bool   // held until ponderhit, too
	asked     string // what was said after "go", and the game it was said of: where it ponders
	game      *board.Game
	endless   bool // without a limit, so that it ends by stop alone: not waited for at the end of the input
}

// Serve runs an engine until "quit" or the end of the input; a limited search is then finished first, an endless one stopped. It returns nil,
// or why input or output failed.
//
// Output is written by a goroutine of its own, so that a reader who stops reading does not stop the search; info lines are dropped when thousands
// wait. A goroutine that is blocked in reading stays behind until the reader returns.
func Serve(in io.Reader, out io.Writer, config Config) error {
	if config.MaxHashMB <= 0 {
		config.MaxHashMB = search.MaxHashMB
	}
	if config.MaxThreads <= 0 {
		config.MaxThreads = search.MaxThreads
	}
	e := &engine{config: config, settings: config.defaults(), out: newOutput(out), game: board.NewGame(), random: rand.New(rand.NewPCG(config.Seed, 0))}
	closed := make(chan struct{})
	lines, failure := readLines(in, config.Commands, closed)
	e.loop(lines)
	close(closed)
	e.halt()
	e.closeBook()
	if err := e.out.close(); err != nil {
		return err
	}
	select {
	case err := <-failure:
		return err
	default:
		return nil
	}
}

// loop takes commands and answers until it is time to end.
func (e *engine) loop(lines <-chan string) {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for lines != nil || e.task != nil && !e.task.endless {
		var done <-chan struct{}
		if e.task != nil && !e.task.held {
			done = e.task.done
		}
		select {
		case line, ok := <-lines:
			if !ok {
				lines = nil
				if e.task != nil && e.task.held {
					return
				}
			} else if e.command(line) {
				return
			}
		case <-done:
			e.finish()
		case <-second.C:
			if e.task != nil && e.task.progress != nil {
				e.task.progress()
			}
		case <-e.out.broken:
			return
		}
	}
}

// command carries out one line; true for quit.
func (e *engine) command(line string) bool {
	word, rest := cut(line)
	switch word {
	case "":
	case "usi":
		e.introduce()
	case "isready":
		e.ready()
		e.out.say("readyok")
	case "usinewgame":
		e.halt()
		if e.searcher != nil {
			_ = e.searcher.Clear() // it is not searching
		}
	case "position":
		e.position(rest)
	case "setoption":
		if err := e.setOption(rest); err != nil {
			e.note("%v", err)
		}
	case "go":
		e.halt()
		e.think(rest)
	case "stop", "gameover":
		e.halt()
	case "ponderhit":
		e.ponderHit(rest)
	case "quit":
		return true
	case "bench":
		e.halt()
		e.bench(rest)
	case "perft":
		e.halt()
		e.perft(rest)
	case "d", "show":
		e.show()
	case "help":
		e.note("commands: usi isready setoption usinewgame position go stop ponderhit gameover quit; for people: d, show, perft N [divide] [fast], bench [depth N] [nodes N]")
	default:
		e.note("unknown command %.60q; help lists them", strings.TrimSpace(line))
	}
	return false
}

// ponderHit says that the move pondered upon was played. Times that come with it (as clients that ponder early have them: "go ponder" without times, and
// "ponderhit btime ..." with them) take the place of those of the go: the search begins anew, with what it has learnt in its table.
func (e *engine) ponderHit(times string) {
	t := e.task
	if t == nil || !t.pondering {
		return
	}
	if times == "" {
		t.held, t.pondering = false, false
		t.ponderHit()
		return
	}
	t.stop()
	<-t.done
	next, bad := e.game, e.bad // a position that came meanwhile is for the next go
	e.task, e.game = nil, t.game
	e.think(strings.Join(slices.DeleteFunc(strings.Fields(t.asked), func(word string) bool { return word == "ponder" }), " ") + " " + times)
	e.game, e.bad = next, bad
}

// halt stops what is being thought about, and answers it.
func (e *engine) halt() {
	if e.task != nil {
		e.task.stop()
		e.finish()
	}
}

// finish waits for the task and answers.
func (e *engine) finish() {
	t := e.task
	<-t.done
	e.task = nil
	t.answer()
}

// note says something in an info string.
func (e *engine) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	e.out.say("info string " + strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F {
			return ' '
		}
		return r
	}, text))
}

func (e *engine) position(text string) {
	g, _, err := notation.ParseGame(text)
	e.game, e.bad = g, err
	if err != nil {
		e.game = nil
		e.note("%v", err)
	}
}

// hasGame tells whether there is a position, and says why when there is none.
func (e *engine) hasGame() bool {
	if e.game == nil {
		e.note("there is no position, since the last one could not be read: %v", e.bad)
	}
	return e.game != nil
}

// show draws the position for people.
func (e *engine) show() {
	if !e.hasGame() {
		return
	}
	s := e.game.Pos.Setup()
	if text, err := notation.FormatSetup(&s, notation.TextPlain); err == nil {
		e.out.say(text)
	}
	e.out.say("sfen " + notation.FormatSFEN(&e.game.Pos))
	e.out.say(fmt.Sprintf("key 0x%016X, %d legal moves, repetition: %v", e.game.Pos.Key(), len(e.game.Pos.AppendLegal(nil)), e.game.RepetitionState()))
}

// cut splits the first word off.
func cut(text string) (word, rest string) {
	text = strings.TrimSpace(text)
	i := strings.IndexAny(text, " \t")
	if i < 0 {
		return text, ""
	}
	return text[:i], strings.TrimSpace(text[i:])
}

// maxLine is how long a line may be: a game of more than a hundred thousand moves.
const maxLine = 1 << 20

// readLines hands out the commands and then the lines of a reader, until closed. A line that is too long comes as its beginning, which is
// then no known command or no position. An error of the reader other than its end stands in failure before the lines end.
func readLines(in io.Reader, commands []string, closed <-chan struct{}) (<-chan string, <-chan error) {
	lines, failure := make(chan string), make(chan error, 1)
	send := func(line string) bool {
		select {
		case lines <- line:
			return true
		case <-closed:
			return false
		}
	}
	go func() {
		defer close(lines)
		for _, c := range commands {
			if !send(c) {
				return
			}
		}
		r := bufio.NewReaderSize(in, 1<<16)
		var line []byte
		for {
			part, err := r.ReadSlice('\n')
			line = append(line, part[:min(len(part), maxLine-len(line))]...)
			if err == bufio.ErrBufferFull {
				continue
			}
			if len(line) == maxLine {
				line = append(line[:maxLine-20], " (line is too long)"...)
			}
			if len(line) > 0 && !send(strings.TrimPrefix(string(line), "\xEF\xBB\xBF")) {
				return
			}
			line = line[:0]
			if err != nil {
				if err != io.EOF {
					failure <- err
				}
				return
			}
		}
	}()
	return lines, failure
}
