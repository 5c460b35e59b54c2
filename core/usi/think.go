package usi

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"komadori/core/book"
	"komadori/core/mate"
	"komadori/core/search"
	"komadori/core/shogi"
)

// A goCommand is what "go" asks for.
type goCommand struct {
	limits search.Limits
	isMate bool
}

// parseGo reads the words after "go". What it cannot read it reports and passes over; limits below the least are the least. Without any limit the
// search is endless.
func (e *engine) parseGo(text string) goCommand {
	var c goCommand
	l := &c.limits
	clock := search.Clock{}
	words := strings.Fields(text)
	for i := 0; i < len(words); i++ {
		word := words[i]
		value := func(least int) int { // the number that follows
			if i+1 < len(words) {
				if n, err := number(words[i+1]); err == nil {
					i++
					return max(n, least)
				}
			}
			e.note("go %s without a number", word)
			return least
		}
		duration := func(least int) time.Duration { return milliseconds(min(value(least), maxTime)) }
		switch word {
		case "depth":
			l.Depth = value(1)
		case "nodes":
			l.Nodes = uint64(value(1))
		case "movetime":
			l.MoveTime = duration(1)
		case "btime":
			clock.Remaining[shogi.Black], l.Clock = duration(0), &clock
		case "wtime":
			clock.Remaining[shogi.White], l.Clock = duration(0), &clock
		case "binc":
			clock.Increment[shogi.Black], l.Clock = duration(0), &clock
		case "winc":
			clock.Increment[shogi.White], l.Clock = duration(0), &clock
		case "byoyomi":
			clock.Byoyomi, l.Clock = duration(0), &clock
		case "infinite":
			l.Infinite = true
		case "ponder":
			l.Ponder = true
		case "mate":
			c.isMate = true
			if i+1 < len(words) && (words[i+1] == "infinite" || isNumber(words[i+1])) {
				if i++; words[i] != "infinite" {
					n, _ := number(words[i])
					l.MoveTime = milliseconds(max(1, min(n, maxTime)))
				}
			}
		case "searchmoves":
			for ; i+1 < len(words); i++ {
				m, err := shogi.ParseMove(words[i+1])
				if err != nil {
					break
				}
				if e.game.Pos.IsLegal(m) {
					l.SearchMoves = append(l.SearchMoves, m)
				} else {
					e.note("searchmoves: %s is not legal", m)
				}
			}
			if len(l.SearchMoves) == 0 {
				e.note("searchmoves without a legal move: all are searched")
			}
		default:
			e.note("go %.40q is unknown", word)
		}
	}
	if l.Infinite { // whatever else is said: the answer waits for stop
		l.Depth, l.Nodes, l.MoveTime, l.Clock, l.Ponder = 0, 0, 0, nil, false
	}
	if l.Depth == 0 && l.Nodes == 0 && l.MoveTime == 0 && l.Clock == nil && !l.Ponder {
		l.Infinite = true
	}
	return c
}

func isNumber(word string) bool {
	_, err := number(word)
	return err == nil
}

// think begins what a "go" asks for.
func (e *engine) think(text string) {
	if !e.hasGame() {
		if slices.Contains(strings.Fields(text), "mate") {
			e.out.say("checkmate timeout")
		} else {
			e.out.say("bestmove resign")
		}
		return
	}
	c := e.parseGo(text)
	if c.isMate {
		e.mate(c.limits)
		return
	}
	e.ready()
	c.limits.MultiPV = e.settings.multiPV
	if e.searcher == nil {
		e.out.say("bestmove resign")
		return
	}
	if !c.limits.Infinite && len(c.limits.SearchMoves) == 0 {
		d, err := e.game.Pos.Declaration(e.settings.enteringKing)
		if err == nil && d.Verdict == shogi.VerdictWin {
			c.limits.MultiPV = 1 // the search declares, unless it is to show other lines
		} else if m, ok := e.fromBook(); ok {
			answer := "bestmove " + m.Move.String()
			if m.Reply != shogi.MoveNone {
				answer += " ponder " + m.Reply.String()
			}
			e.begin(&task{stop: func() {}, ponderHit: func() {}, done: closedChannel, answer: func() { e.out.say(answer) }}, c.limits, text)
			return
		}
	}
	var told []search.Info // the newest of each line; the searching goroutine's until the run is done
	run, err := e.searcher.Start(e.game, c.limits, nil, func(i search.Info) {
		if n := max(i.MultiPV, 1) - 1; n < len(told) {
			told[n] = i
		} else {
			told = append(told, i)
		}
		e.out.info(infoLine(&i))
	})
	if err != nil {
		e.note("%v", err)
		e.out.say("bestmove resign")
		return
	}
	begin := time.Now()
	e.begin(&task{
		stop: run.Stop, ponderHit: run.PonderHit, done: run.Done(),
		progress: func() {
			nodes, elapsed := run.Nodes(), time.Since(begin)
			e.out.info(fmt.Sprintf("info nodes %d nps %d time %d", nodes, nps(nodes, elapsed), elapsed.Milliseconds()))
		},
		answer: func() {
			r := run.Wait() // before told is read
			e.answer(r, told, c.limits.Infinite)
		},
	}, c.limits, text)
}

var closedChannel = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// begin makes a task the present one. The answer of an infinite or pondering search is held back, however soon the search has one.
func (e *engine) begin(t *task, l search.Limits, asked string) {
	t.pondering, t.asked, t.game = l.Ponder, asked, e.game
	t.held = l.Ponder || l.Infinite
	t.endless = l.Depth == 0 && l.Nodes == 0 && l.MoveTime == 0 && l.Clock == nil
	e.task = t
}

// answer gives the best move. The lines that led to it are told again where they or their scores are others than those that were told last, all of
// them: a reader who keeps the newest line of each number is to have the result, and no move twice.
func (e *engine) answer(r search.Result, told []search.Info, analysis bool) {
	same := slices.EqualFunc(r.Lines, told, func(l search.Line, i search.Info) bool {
		return l.Score == i.Score && l.Bound == i.Bound && slices.Equal(l.PV, i.PV)
	})
	for n := range r.Lines {
		l := &r.Lines[n]
		if same || len(l.PV) == 0 {
			break
		}
		i := search.Info{
			Depth: max(r.Depth, 1), SelDepth: r.SelDepth, MultiPV: n + 1, Score: l.Score, Bound: l.Bound, PV: l.PV, Nodes: r.Nodes, Elapsed: r.Elapsed,
		}
		e.out.say(infoLine(&i))
	}
	switch {
	case !r.BestMove.IsNormal():
		e.out.say("bestmove " + r.BestMove.String())
	case !analysis && centipawns(r.Score) <= -e.settings.resignValue:
		e.out.say("bestmove resign")
	case len(r.PV) > 1:
		e.out.say("bestmove " + r.BestMove.String() + " ponder " + r.PV[1].String())
	default:
		e.out.say("bestmove " + r.BestMove.String())
	}
}

// centipawns is a score as ResignValue counts.
func centipawns(s search.Score) int {
	cp, ok := s.Cp()
	switch {
	case ok:
		return cp
	case s.Kind == search.Mated:
		return -mateCp
	}
	return mateCp
}

// infoLine is a state of the search in USI. The score's bound follows the score.
func infoLine(i *search.Info) string {
	b := make([]byte, 0, 256)
	field := func(name string, n uint64) {
		b = append(b, name...)
		b = strconv.AppendUint(b, n, 10)
	}
	field("info depth ", uint64(i.Depth))
	field(" seldepth ", uint64(max(i.SelDepth, i.Depth)))
	field(" multipv ", uint64(max(i.MultiPV, 1)))
	b = append(append(b, " score "...), i.Score.String()...)
	switch i.Bound {
	case search.LowerBound:
		b = append(b, " lowerbound"...)
	case search.UpperBound:
		b = append(b, " upperbound"...)
	}
	field(" nodes ", i.Nodes)
	field(" nps ", i.NPS())
	field(" hashfull ", uint64(i.HashFull))
	field(" time ", uint64(i.Elapsed.Milliseconds()))
	b = append(b, " pv"...)
	for _, m := range i.PV {
		b = m.AppendUSI(append(b, ' '))
	}
	return string(b)
}

// fromBook chooses a move of the book, and says what the book has.
func (e *engine) fromBook() (book.Move, bool) {
	if e.book == nil {
		return book.Move{}, false
	}
	moves, err := e.book.Lookup(&e.game.Pos)
	if err != nil {
		e.note("no book move: %v", err)
	}
	if len(moves) == 0 {
		return book.Move{}, false
	}
	chosen := book.Choose(moves, e.random.Uint64())
	for _, m := range moves {
		mark := ""
		if m.Move == chosen.Move {
			mark = ", chosen"
		}
		e.note("book move %s, played %d times%s", m.Move, m.Count, mark)
	}
	line := "info depth " + strconv.Itoa(int(chosen.Depth))
	if chosen.Score != book.NoScore {
		line += " score cp " + strconv.Itoa(int(chosen.Score))
	}
	line += " pv " + chosen.Move.String()
	if chosen.Reply != shogi.MoveNone {
		line += " " + chosen.Reply.String()
	}
	e.out.info(line)
	return chosen, true
}

// mate begins a mate search (詰将棋). Only the side that is to be mated needs a king.
func (e *engine) mate(l search.Limits) {
	limits := mate.Limits{Nodes: l.Nodes, MoveTime: l.MoveTime, Depth: l.Depth}
	if limits.Nodes == 0 && limits.MoveTime == 0 {
		limits.Nodes = math.MaxUint64
	}
	solver, err := mate.NewSolver(max(1, min(e.settings.hashMB, mate.MaxMemoryMiB)))
	if err != nil {
		e.note("%v", err)
		e.out.say("checkmate timeout")
		return
	}
	next := time.Second
	limits.Tell = func(now mate.Progress) {
		if now.Elapsed >= next {
			next = now.Elapsed + time.Second
			e.out.info(mateInfo(now.Plies, now.Nodes, now.Elapsed) + " hashfull " + strconv.Itoa(now.Fill))
		}
	}
	p := e.game.Pos
	stop, done := new(atomic.Int32), make(chan struct{})
	var found mate.Result
	go func() {
		defer close(done)
		found, err = solver.Solve(&p, limits, stop)
	}()
	e.task = &task{stop: func() { stop.Store(1) }, ponderHit: func() {}, done: done, endless: l.MoveTime == 0 && l.Nodes == 0, answer: func() {
		if err != nil {
			e.note("%v", err)
		}
		e.out.say(mateInfo(found.Length, found.Nodes, found.Elapsed))
		switch found.Status {
		case mate.Mate:
			e.out.say("checkmate" + movesText(found.PV))
		case mate.NoMate:
			e.out.say("checkmate nomate")
		default:
			e.out.say("checkmate timeout")
		}
	}}
}

func mateInfo(depth int, nodes uint64, elapsed time.Duration) string {
	return fmt.Sprintf("info depth %d nodes %d nps %d time %d", depth, nodes, nps(nodes, elapsed), elapsed.Milliseconds())
}

func movesText(moves []shogi.Move) string {
	var b []byte
	for _, m := range moves {
		b = m.AppendUSI(append(b, ' '))
	}
	return string(b)
}

func nps(nodes uint64, d time.Duration) uint64 {
	return uint64(float64(nodes) / math.Max(d.Seconds(), 1e-6))
}
