package main

/*
#include "native.h"
*/
import "C"

import (
	"fmt"
	"runtime"
	"runtime/debug"
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
