// Package vectors reads the right answers that tests compare with. They lie outside the repository, in the folder that the
// environment variable KOMADORI_VECTORS names, by default ../shared beside the repository.
package vectors

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Root is the folder of the repository, found by its go.mod.
func Root(t testing.TB) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test's folder")
		}
		dir = parent
	}
}

// Path is where a file of the set lies, such as "vectors/moves.jsonl" or "data/floodgate.hcpe". The test is skipped when the set is absent.
func Path(t testing.TB, name string) string {
	base := os.Getenv("KOMADORI_VECTORS")
	if base == "" {
		base = filepath.Join("..", "shared")
	}
	if !filepath.IsAbs(base) {
		base = filepath.Join(Root(t), base)
	}
	path := filepath.Join(base, filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("vectors: %s is not there; KOMADORI_VECTORS names the folder of the full set", name)
	}
	return path
}

// Bytes is the content of a file of the set.
func Bytes(t testing.TB, name string) []byte {
	b, err := os.ReadFile(Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Each calls f for every row of a .jsonl or .jsonl.gz file and logs how many rows were compared.
// A row for which f returns false does not count.
func Each[T any](t *testing.T, name string, f func(row T) bool) {
	n := 0
	for _, row := range Rows[T](t, name) {
		if f(row) {
			n++
		}
	}
	Count(t, name, n)
}

// Rows are all rows of a .jsonl or .jsonl.gz file.
func Rows[T any](t testing.TB, name string) (rows []T) {
	file, err := os.Open(Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var r io.Reader = file
	if strings.HasSuffix(name, ".gz") {
		z, err := gzip.NewReader(file)
		if err != nil {
			t.Fatal(err)
		}
		r = z
	}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 1 {
			var row T
			if err := json.Unmarshal(line, &row); err != nil {
				t.Fatalf("%s: %v in %.200s", name, err, line)
			}
			rows = append(rows, row)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return rows
}

// Count logs how many rows of a file were compared; none is a failure.
func Count(t *testing.T, name string, n int) {
	t.Logf("vectors: %s %d rows", name, n)
	if n == 0 {
		t.Errorf("%s: no row was compared", name)
	}
}
