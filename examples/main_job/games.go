package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"komadori/core/board"
	"komadori/core/packed"
	"komadori/core/search"
	"komadori/core/shogi"
)

// A game is a line of the table.
type game struct {
	id     string
	result shogi.GameResult
	moves  []string // USI
}

func readGames(path string) ([]game, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	results := map[string]shogi.GameResult{"black": shogi.BlackWin, "white": shogi.WhiteWin, "draw": shogi.Draw}
	var games []game
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if line := lines.Text(); line == "" || line[0] == '#' || strings.HasPrefix(line, "id\t") {
			continue
		}
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) != 6 {
			return nil, fmt.Errorf("%s: a line has %d columns, want 6", path, len(fields))
		}
		result, ok := results[fields[3]]
		if !ok {
			return nil, fmt.Errorf("%s: game %s: unknown result %q", path, fields[0], fields[3])
		}
		games = append(games, game{fields[0], result, strings.Fields(fields[5])})
	}
	return games, lines.Err()
}

// makeFiles replays the games and writes a record of each position before a move, as HCPE and as PSV.
func makeFiles(job Job, report, progress io.Writer) ([]string, error) {
	games, err := readGames(job.Games)
	if err != nil {
		return nil, err
	}
	searcher, err := search.New(search.Options{})
	if err != nil {
		return nil, err
	}
	var hcpe, psv []byte
	begin, positions := time.Now(), 0
	for i, game := range games {
		fmt.Fprintf(progress, "\revaluating game %d of %d ", i+1, len(games))
		g := board.NewGame()
		for n, text := range game.moves {
			move, err := shogi.ParseMove(text)
			if err != nil {
				return nil, fmt.Errorf("game %s, move %d: %w", game.id, n+1, err)
			}
			// The evaluation is this library's, not that of the programs that played: the table has none.
			found, err := searcher.Search(g, search.Limits{Nodes: job.Nodes}, nil, nil)
			if err != nil {
				return nil, fmt.Errorf("game %s, move %d: %w", game.id, n+1, err)
			}
			eval := found.Score.Eval()
			if hcpe, psv, err = appendRecords(hcpe, psv, &g.Pos, move, eval, game.result); err != nil {
				return nil, fmt.Errorf("game %s, move %d: %w", game.id, n+1, err)
			}
			if err := g.Push(move); err != nil { // refuses every move that is not legal
				return nil, fmt.Errorf("game %s, move %d: %w", game.id, n+1, err)
			}
			positions++
		}
	}
	took := time.Since(begin)
	fmt.Fprintf(progress, "\r%30s\r", "")
	fmt.Fprintf(report, "%d games, %d positions replayed and evaluated with %d nodes each: %.0f positions/s\n", len(games), positions, job.Nodes, float64(positions)/took.Seconds())
	paths := []string{filepath.Join(job.Out, "games.hcpe"), filepath.Join(job.Out, "games.psv")}
	for i, data := range [][]byte{hcpe, psv} {
		if err := writeFile(paths[i], data); err != nil {
			return nil, err
		}
		fmt.Fprintf(report, "wrote %s (%d bytes)\n", paths[i], len(data))
	}
	return paths, nil
}

// appendRecords appends a record of both formats. Their result bytes differ: HCPE names the winning color, PSV says whether the side
// to move won.
func appendRecords(hcpe, psv []byte, p *board.Position, m shogi.Move, eval shogi.Eval, result shogi.GameResult) ([]byte, []byte, error) {
	var h [packed.HCPESize]byte
	var s [packed.PSVSize]byte
	byColor, err := packed.Apery.Encode(result, p.Turn())
	if err != nil {
		return hcpe, psv, err
	}
	bySide, err := packed.YaneuraOu.Encode(result, p.Turn())
	if err != nil {
		return hcpe, psv, err
	}
	if err := packed.EncodeHCPE(p, m, eval, byColor, 0, &h); err != nil {
		return hcpe, psv, err
	}
	if err := packed.EncodePSV(p, m, eval, bySide, 0, &s); err != nil {
		return hcpe, psv, err
	}
	return append(hcpe, h[:]...), append(psv, s[:]...), nil
}

// writeFile writes a file under a temporary name first, so that a file with its final name is always a whole one.
func writeFile(path string, data []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".partial-*")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // fails once renamed, as it should
	if _, err := file.Write(data); err != nil {
		file.Close()
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
