//go:build unix

// Command bench-komadori runs one piece of work with this library and prints `count seconds allocations`, in seconds of processor time.
// It is the twin of bench/rsshogi.
//
//	bench-komadori WORK ROUNDS DEPTH SFEN
//
// WORK is perft (leaves counted), perft-list (the last ply writes its list, as other libraries do), list, list32, doundo, game (do and
// undo with the history of a game), parse, write, packed-encode, packed-decode, hcp-encode, hcp-decode, mate1, label, planes or
// search. DEPTH is the depth of perft and the number of threads of planes, which is timed by the clock on the wall when there are several.
// The SFEN of planes is the path of an HCPE file.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"komadori/core/batch"
	"komadori/core/board"
	"komadori/core/feature"
	"komadori/core/label"
	"komadori/core/notation"
	"komadori/core/packed"
	"komadori/core/search"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench-komadori:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 4 {
		return fmt.Errorf("usage: bench-komadori WORK ROUNDS DEPTH SFEN")
	}
	rounds, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	depth, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	if args[0] == "planes" {
		return planes(rounds, depth, args[3])
	}
	pos, err := notation.ParsePosition(args[3])
	if err != nil {
		return err
	}
	work, ok := works[args[0]]
	if !ok {
		return fmt.Errorf("unknown work %q", args[0])
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	count, took, err := work(&pos, rounds, depth, args[3])
	runtime.ReadMemStats(&after)
	if err == nil {
		report(count, took, after.Mallocs-before.Mallocs)
	}
	return err
}

func report(count uint64, took time.Duration, allocations uint64) {
	fmt.Printf("%d %.9f %d\n", count, took.Seconds(), allocations)
}

// cpuTime is the processor time of this process: what else runs on the machine does not count.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// sink keeps results alive, so that no work is found to be useless.
//
//lint:ignore U1000 nobody reads it
var sink uint64

// list is written by every work that lists moves; on the heap, like that of a program that keeps one.
var (
	list   board.MoveList
	list32 board.Move32List
)

type work func(p *board.Position, rounds, depth int, sfen string) (uint64, time.Duration, error)

var works = map[string]work{
	"perft": func(p *board.Position, rounds, depth int, _ string) (uint64, time.Duration, error) {
		begin, count := cpuTime(), uint64(0)
		for range rounds {
			count += p.Perft(depth, nil)
		}
		return count, cpuTime() - begin, nil
	},
	"perft-list": func(p *board.Position, rounds, depth int, _ string) (uint64, time.Duration, error) {
		lists := make([]board.MoveList, depth)
		begin, count := cpuTime(), uint64(0)
		for range rounds {
			count += listed(p, lists)
		}
		return count, cpuTime() - begin, nil
	},
	"list": each(func(p *board.Position) error {
		p.Legal(&list)
		return nil
	}),
	"list32": each(func(p *board.Position) error {
		p.Legal32(&list32)
		return nil
	}),
	"doundo": func(p *board.Position, rounds, _ int, _ string) (uint64, time.Duration, error) {
		p.Legal(&list)
		begin, count := cpuTime(), 0
		for count < rounds {
			for _, m := range list.Slice() {
				p.Undo(m, p.Do(m))
			}
			count += list.N
		}
		return uint64(count), cpuTime() - begin, nil
	},
	"game": func(p *board.Position, rounds, _ int, _ string) (uint64, time.Duration, error) {
		p.Legal(&list)
		game := board.NewGameFrom(*p)
		begin, count := cpuTime(), 0
		for count < rounds {
			for _, m := range list.Slice() {
				game.PushUnchecked(m)
				if _, err := game.Pop(); err != nil {
					return 0, 0, err
				}
			}
			count += list.N
		}
		return uint64(count), cpuTime() - begin, nil
	},
	"parse": func(p *board.Position, rounds, _ int, sfen string) (uint64, time.Duration, error) {
		var men board.Men
		begin := cpuTime()
		for range rounds {
			if err := notation.ParseMen(sfen, &men); err != nil {
				return 0, 0, err
			}
			if err := p.LoadMen(&men); err != nil {
				return 0, 0, err
			}
		}
		return uint64(rounds), cpuTime() - begin, nil
	},
	"write": func(p *board.Position, rounds, _ int, _ string) (uint64, time.Duration, error) {
		buffer := make([]byte, 0, 256)
		begin := cpuTime()
		for range rounds {
			buffer = notation.AppendPosition(buffer[:0], p)
		}
		return uint64(rounds), cpuTime() - begin, nil
	},
	"packed-encode": encoding(packed.EncodePackedSfen),
	"packed-decode": decoding(packed.EncodePackedSfen, packed.DecodePackedSfenMen),
	"hcp-encode":    encoding(packed.EncodeHCP),
	"hcp-decode":    decoding(packed.EncodeHCP, packed.DecodeHCPMen),
	"mate1": each(func(p *board.Position) error {
		sink += uint64(p.MateInOne())
		return nil
	}),
	"label": func(p *board.Position, rounds, _ int, _ string) (uint64, time.Duration, error) {
		const rows = 4096
		p.Legal(&list)
		moves, turns, labels := make([]uint16, rows), make([]uint8, rows), make([]uint16, rows)
		for i := range moves {
			moves[i], turns[i] = uint16(list.Moves[i%list.N]), uint8(i/7%2)
		}
		begin, count := cpuTime(), 0
		for ; count < rounds; count += rows {
			if bad := label.FromMoves(labels, moves, turns, false); bad >= 0 {
				return 0, 0, fmt.Errorf("row %d has no label", bad)
			}
		}
		return uint64(count), cpuTime() - begin, nil
	},
	"search": func(p *board.Position, rounds, _ int, _ string) (uint64, time.Duration, error) {
		searcher, err := search.New(search.Options{HashMB: 64})
		if err != nil {
			return 0, 0, err
		}
		game := board.NewGameFrom(*p)
		// The first search takes the memory of the table.
		if _, err := searcher.Search(game, search.Limits{Nodes: 1}, nil, nil); err != nil {
			return 0, 0, err
		}
		begin := cpuTime()
		result, err := searcher.Search(game, search.Limits{Nodes: uint64(rounds)}, nil, nil)
		return result.Nodes, cpuTime() - begin, err
	},
}

// each makes a work of something done over and over to a position.
func each(do func(p *board.Position) error) work {
	return func(p *board.Position, rounds, _ int, _ string) (uint64, time.Duration, error) {
		begin := cpuTime()
		for range rounds {
			if err := do(p); err != nil {
				return 0, 0, err
			}
		}
		return uint64(rounds), cpuTime() - begin, nil
	}
}

func encoding(encode func(*board.Position, *[packed.Size]byte) error) work {
	var bytes [packed.Size]byte
	return each(func(p *board.Position) error { return encode(p, &bytes) })
}

// decoding reads bytes into a position that can be played on.
func decoding(encode func(*board.Position, *[packed.Size]byte) error, decode func(*[packed.Size]byte, *board.Men) error) work {
	return func(p *board.Position, rounds, _ int, _ string) (uint64, time.Duration, error) {
		var bytes [packed.Size]byte
		if err := encode(p, &bytes); err != nil {
			return 0, 0, err
		}
		var men board.Men
		var target board.Position
		begin := cpuTime()
		for range rounds {
			if err := decode(&bytes, &men); err != nil {
				return 0, 0, err
			}
			if err := target.LoadMen(&men); err != nil {
				return 0, 0, err
			}
		}
		return uint64(rounds), cpuTime() - begin, nil
	}
}

// listed is perft by lists: each ply has its own, and the last one's length counts.
func listed(p *board.Position, lists []board.MoveList) (count uint64) {
	l := &lists[0]
	p.Legal(l)
	if len(lists) == 1 {
		return uint64(l.N)
	}
	for _, m := range l.Slice() {
		undo := p.Do(m)
		count += listed(p, lists[1:])
		p.Undo(m, undo)
	}
	return count
}

// planes turns records into dlshogi's planes, labels, values and results, again and again into the same memory.
func planes(rounds, threads int, path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	n := min(len(data)/packed.HCPESize, 256)
	if n == 0 {
		return fmt.Errorf("%s holds no record", path)
	}
	in := batch.Packed{Data: data[:n*packed.HCPESize], Format: batch.HCPE}
	out := batch.Out{
		Features1: make([]float32, n*feature.BoardSize), Features2: make([]float32, n*feature.FlatSize),
		Label64: make([]int64, n), Value: make([]float32, n), Result: make([]float32, n),
	}
	decode := func() error {
		_, err := batch.Decode(in, batch.Options{}, &out, batch.Run{Threads: threads})
		return err
	}
	if err := decode(); err != nil {
		return err
	}
	clock := cpuTime
	if threads != 1 {
		begin := time.Now()
		clock = func() time.Duration { return time.Since(begin) }
	}
	begin, count := clock(), 0
	for ; count < rounds; count += n {
		if err := decode(); err != nil {
			return err
		}
	}
	report(uint64(count), clock()-begin, 0)
	return nil
}
