// Command main_job runs the main job of komadori from Go: a training file in, labels and planes out, a board to look at and ask.
//
//	go run ./examples/main_job [-out DIR] [-nodes N] [-file FILE.hcpe | -file FILE.psv]
//
// Without a file it makes its own: the ten games of examples/data are replayed, every position gets an evaluation by a short
// search, and an HCPE and a PSV file are written. Then, as with any file: read, turn into arrays, flip and mirror every row and
// check that all of it agrees, and at last look at one position closely.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Job says what to do.
type Job struct {
	Games string // the table of games to replay
	File  string // a training file; empty makes two from Games
	Out   string // folder for what is written
	Nodes uint64 // of the search that evaluates a position
}

func main() {
	var job Job
	flag.StringVar(&job.Games, "games", filepath.Join("examples", "data", "alphazero_elmo.tsv"), "table of games to replay")
	flag.StringVar(&job.File, "file", "", "an HCPE or PSV file of yours to read instead")
	flag.StringVar(&job.Out, "out", "out", "folder for what is written")
	flag.Uint64Var(&job.Nodes, "nodes", 500, "nodes of the search that evaluates a position")
	flag.Parse()
	if _, err := job.Run(os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "main_job:", err)
		os.Exit(1)
	}
}

// Run does the job, writes a report for people, shows progress on long steps, and gives the reports on each file.
func (job Job) Run(report, progress io.Writer) ([]Report, error) {
	paths := []string{job.File}
	if job.File == "" {
		if err := os.MkdirAll(job.Out, 0o755); err != nil {
			return nil, err
		}
		made, err := makeFiles(job, report, progress)
		if err != nil {
			return nil, err
		}
		paths = made
	}
	var reports []Report
	for _, path := range paths {
		r, err := checkFile(path)
		if err != nil {
			return reports, err
		}
		fmt.Fprint(report, r)
		reports = append(reports, r)
	}
	last := reports[len(reports)-1]
	if last.Good == 0 {
		return reports, fmt.Errorf("%s holds no good row to look at", last.Path)
	}
	return reports, look(last.Sample, report)
}
