package main

/*
#include "native.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"unsafe"
)

// defaultThreads is what threads = 0 means.
var defaultThreads atomic.Int32

func init() { defaultThreads.Store(int32(min(runtime.GOMAXPROCS(0), maxThreads))) }

const maxThreads = 1024

// threadCount is the number of threads that a caller's number means.
func threadCount(n C.int32_t) int {
	if n == 0 {
		return int(defaultThreads.Load())
	}
	return int(n)
}

//export go_kmd_build_info
func go_kmd_build_info(buffer *C.char, capacity C.size_t, needed *C.size_t) (status C.kmd_status) {
	defer recovered(&status)
	level := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "GOAMD64" || s.Key == "GOARM64" {
				level = " " + s.Value
			}
		}
	}
	text := fmt.Sprintf("komadori %d.%d.%d, %s, %s/%s%s", C.KMD_VERSION_MAJOR, C.KMD_VERSION_MINOR, C.KMD_VERSION_PATCH,
		runtime.Version(), runtime.GOOS, runtime.GOARCH, level)
	return writeText("kmd_build_info", []byte(text), buffer, capacity, needed)
}

//export go_kmd_set_threads
func go_kmd_set_threads(n C.int32_t) (status C.kmd_status) {
	defer recovered(&status)
	if n < 1 || n > maxThreads {
		return badArgument("kmd_set_threads", "%d threads, want 1..%d", n, maxThreads)
	}
	defaultThreads.Store(int32(n))
	return C.KMD_OK
}

//export go_kmd_threads
func go_kmd_threads(n *C.int32_t) (status C.kmd_status) {
	defer recovered(&status)
	if isNull("kmd_threads", "n", unsafe.Pointer(n), 4, &status) {
		return status
	}
	*n = C.int32_t(defaultThreads.Load())
	return C.KMD_OK
}

//export go_kmd_collect
func go_kmd_collect() (status C.kmd_status) {
	defer recovered(&status)
	runtime.GC()
	return C.KMD_OK
}

//export go_kmd_get_usage
func go_kmd_get_usage(usage *C.kmd_usage) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_get_usage"
	if isNull(op, "usage", unsafe.Pointer(usage), 8, &status) || !hasSize(op, "usage", usage.size, unsafe.Sizeof(*usage), &status) {
		return status
	}
	found := C.kmd_usage{size: usage.size, goroutines: C.uint32_t(runtime.NumGoroutine())}
	if a := boards.Load(); a != nil {
		open, bytes := a.usage()
		found.boards, found.board_bytes = C.uint32_t(open), C.uint64_t(bytes)
	}
	for i := range jobs {
		if jobs[i].Load() != nil {
			found.jobs++
		}
	}
	found.searchers, found.books, found.files = C.uint32_t(searchers.count()), C.uint32_t(books.count()), C.uint32_t(files.count())
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(heap)
	found.heap_bytes = C.uint64_t(heap[0].Value.Uint64())
	*usage = found
	return C.KMD_OK
}
