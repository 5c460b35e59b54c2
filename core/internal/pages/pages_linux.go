package pages

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
	"syscall"
)

// ask asks for large pages; a system that refuses is none the worse.
func ask(memory []byte) { _ = syscall.Madvise(memory, syscall.MADV_HUGEPAGE) }

// available is how many MiB can be had without others being ended or swapped out; false where the system does not say.
func available() (mib int, known bool) {
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	return readAvailable(data)
}

func readAvailable(meminfo []byte) (mib int, known bool) {
	lines := bufio.NewScanner(bytes.NewReader(meminfo))
	for lines.Scan() {
		if fields := bytes.Fields(lines.Bytes()); len(fields) == 3 && string(fields[0]) == "MemAvailable:" {
			kib, err := strconv.Atoi(string(fields[1]))
			return kib >> 10, err == nil
		}
	}
	return 0, false
}
