package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"komadori/core/batch"
	"komadori/core/board"
	"komadori/core/fault"
	"komadori/core/feature"
	"komadori/core/label"
	"komadori/core/packed"
	"komadori/core/shogi"
)

// chunk is how many rows are worked on at a time: the planes of a row are 38 kB.
const chunk = 1024

// A Report is what was found in a file.
type Report struct {
	Path      string
	Format    batch.Format
	Good, Bad int
	FirstBad  int // row, -1 without one
	BadKind   fault.Kind
	OwnMirror int // positions that are their own mirror image; all others have another key when mirrored

	Labels         int // different ones
	Value, Outcome float64
	Rate           float64 // rows a second, decoded to all outputs
	Sample         board.Position
}

// arrays are the outputs of a chunk.
type arrays struct {
	batch.Out
	compact []uint16
}

func newArrays(n int) *arrays {
	return &arrays{batch.Out{
		Features1: make([]float32, n*feature.BoardSize), Features2: make([]float32, n*feature.FlatSize),
		Label16: make([]uint16, n), Value: make([]float32, n), Result: make([]float32, n), Key: make([]uint64, n),
	}, make([]uint16, n)}
}

// decode fills the arrays; status tells the bad rows, which are all zero.
func (a *arrays) decode(in batch.Packed, status []int32) error {
	if _, err := batch.Decode(in, batch.Options{}, &a.Out, batch.Run{Status: status}); err != nil {
		return err
	}
	_, err := batch.Decode(in, batch.Options{Labels: batch.CompactLabels}, &batch.Out{Label16: a.compact}, batch.Run{Status: status})
	return err
}

// checkFile reads a file of records chunk by chunk and checks every row against itself flipped and mirrored.
func checkFile(path string) (Report, error) {
	r := Report{Path: path, Format: batch.HCPE, FirstBad: -1}
	if strings.EqualFold(filepath.Ext(path), ".psv") {
		r.Format = batch.PSV
	}
	size := r.Format.Size()
	file, err := os.Open(path)
	if err != nil {
		return r, err
	}
	defer file.Close()
	data, flipped, mirrored, back := make([]byte, chunk*size), make([]byte, chunk*size), make([]byte, chunk*size), make([]byte, chunk*size)
	var plain, turned, sided *arrays
	seen := make([]bool, label.Count)
	var took time.Duration
	for at := 0; ; {
		read, err := io.ReadFull(file, data)
		if read == 0 && err == io.EOF {
			break
		}
		if err != nil && err != io.ErrUnexpectedEOF {
			return r, err
		}
		if read%size != 0 {
			return r, fmt.Errorf("%s ends with %d bytes of a record of %d", path, read%size, size)
		}
		n := read / size
		in := func(rows []byte) batch.Packed { return batch.Packed{Data: rows[:read], Format: r.Format} }
		status, ignored := make([]int32, n), make([]int32, n)
		if plain == nil || len(plain.Key) != n { // outputs have as many rows as the input
			plain, turned, sided = newArrays(n), newArrays(n), newArrays(n)
		}

		begin := time.Now()
		if err := plain.decode(in(data), status); err != nil {
			return r, err
		}
		took += time.Since(begin)
		for _, c := range []struct {
			from, to     []byte
			flip, mirror bool
		}{{data, flipped, true, false}, {flipped, back, true, false}, {data, mirrored, false, true}} {
			if _, err := batch.Convert(c.to[:read], in(c.from), batch.Conversion{To: r.Format, FlipSide: c.flip, MirrorFile: c.mirror}, batch.Run{Status: ignored}); err != nil {
				return r, err
			}
		}
		if err := turned.decode(in(flipped), ignored); err != nil {
			return r, err
		}
		if err := sided.decode(in(mirrored), ignored); err != nil {
			return r, err
		}
		for i := range n {
			if status[i] != 0 {
				if r.Bad++; r.FirstBad < 0 {
					r.FirstBad, r.BadKind = at+i, fault.Kind(status[i])
				}
				continue
			}
			if what := disagreement(plain, turned, sided, i); what != "" {
				return r, fmt.Errorf("%s, row %d: %s", path, at+i, what)
			}
			if row := data[i*size : (i+1)*size]; !bytes.Equal(row, back[i*size:(i+1)*size]) {
				return r, fmt.Errorf("%s, row %d: flip_side twice gives another record", path, at+i)
			}
			if plain.Key[i] == sided.Key[i] {
				r.OwnMirror++
			}
			r.Good++
			if l := plain.Label16[i]; !seen[l] {
				seen[l], r.Labels = true, r.Labels+1
			}
			r.Value += float64(plain.Value[i])
			r.Outcome += float64(plain.Result[i])
			// Any row serves for a closer look; this one is in the middle game of the first game.
			if r.Good == 1 || at+i <= 60 {
				if r.Sample, err = position(data[i*size:], r.Format); err != nil {
					return r, err
				}
			}
		}
		at += n
	}
	if r.Good > 0 {
		r.Value /= float64(r.Good)
		r.Outcome /= float64(r.Good)
		r.Rate = float64(r.Good+r.Bad) / took.Seconds()
	}
	return r, nil
}

// disagreement tells what a row, its flipped form and its mirrored form should agree in and do not.
func disagreement(plain, turned, sided *arrays, i int) string {
	f1 := func(a *arrays) []float32 { return a.Features1[i*feature.BoardSize:][:feature.BoardSize] }
	f2 := func(a *arrays) []float32 { return a.Features2[i*feature.FlatSize:][:feature.FlatSize] }
	l, c := label.Label(plain.Label16[i]), label.Compact(plain.compact[i])
	switch {
	// Everything a network sees is the mover's view, so that turning the board by 180 degrees changes nothing of it...
	case !slices.Equal(f1(plain), f1(turned)) || !slices.Equal(f2(plain), f2(turned)):
		return "flip_side: the planes differ"
	case plain.Label16[i] != turned.Label16[i] || plain.compact[i] != turned.compact[i]:
		return "flip_side: the labels differ"
	case plain.Value[i] != turned.Value[i] || plain.Result[i] != turned.Result[i]:
		return "flip_side: value or result differ"
	// ... but the positions are two, with the other side to move.
	case plain.Key[i] == turned.Key[i]:
		return "flip_side: the keys are equal"

	// Mirroring reverses the files of every plane of squares, and leaves the planes that say one thing about the whole position.
	case !filesReversed(f1(plain), f1(sided)) || !slices.Equal(f2(plain), f2(sided)):
		return "mirror_file: the planes are not those of the mirrored board"
	case sided.Label16[i] != uint16(l.MirrorFile()) || sided.compact[i] != uint16(c.MirrorFile()):
		return "mirror_file: the labels are not mirrored"
	case plain.Value[i] != sided.Value[i] || plain.Result[i] != sided.Result[i]:
		return "mirror_file: value or result differ"
	case c.Full() != l:
		return "the two labels name different moves"
	}
	return ""
}

// filesReversed tells whether b is a with files 1 and 9, 2 and 8, and so on exchanged in every plane. A plane is nine files of nine
// squares.
func filesReversed(a, b []float32) bool {
	for file := 0; file < len(a); file += 9 {
		plane := file / shogi.SquareCount * shogi.SquareCount
		other := plane + 72 - (file - plane)
		if !slices.Equal(a[file:file+9], b[other:other+9]) {
			return false
		}
	}
	return true
}

// position is that of a record.
func position(row []byte, format batch.Format) (board.Position, error) {
	var setup board.Setup
	decode := packed.DecodeHCP
	if format == batch.PSV {
		decode = packed.DecodePackedSfen
	}
	if err := decode((*[packed.Size]byte)(row), &setup); err != nil {
		return board.Position{}, err
	}
	return setup.Position()
}

// String is the report for people.
func (r Report) String() string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-22s %s\n", name, fmt.Sprintf(format, args...))
	}
	fmt.Fprintf(&b, "\n%s\n", r.Path)
	line("good rows, bad rows", "%d, %d", r.Good, r.Bad)
	if r.Bad > 0 {
		line("first bad row", "%d: %v", r.FirstBad, r.BadKind)
	}
	line("planes a row", "%d x 81 and %d x 81, float32", feature.BoardPlanes, feature.FlatPlanes)
	line("labels", "%d of %d occur", r.Labels, label.Count)
	line("value, result (mean)", "%.3f, %.3f, seen by the side to move", r.Value, r.Outcome)
	line("flip_side", "every row agrees")
	line("mirror_file", "every row agrees; %d positions are their own mirror image", r.OwnMirror)
	line("decoded", "%.0f rows/s", r.Rate)
	return b.String()
}
