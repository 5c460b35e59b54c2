package main

/*
#include "native.h"
*/
import "C"

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"komadori/core/fault"
	"komadori/core/usi"
)

// A descriptor is a file descriptor of the host program, read and written until the job is told to stop or is over: a goroutine that
// waits for input then must not take any from whoever reads next.
type descriptor struct {
	fd         C.int
	stop, over *atomic.Int32
}

func word(flag *atomic.Int32) *C.uint32_t { return (*C.uint32_t)(unsafe.Pointer(flag)) }

func (d descriptor) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	var n C.size_t
	if e := C.kmdc_read(d.fd, unsafe.Pointer(&p[0]), C.size_t(len(p)), word(d.stop), word(d.over), &n); e != 0 {
		return 0, syscall.Errno(e)
	}
	if n == 0 {
		return 0, io.EOF
	}
	return int(n), nil
}

func (d descriptor) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if e := C.kmdc_write(d.fd, unsafe.Pointer(&p[0]), C.size_t(len(p)), word(d.stop), word(d.over)); e != 0 {
		return 0, syscall.Errno(e)
	}
	return len(p), nil
}

//export go_kmd_usi_start
func go_kmd_usi_start(input, output C.int32_t, commands *C.char, length C.size_t, out *C.kmd_job) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_usi_start"
	text, ok := readText(op, commands, length, &status)
	if !ok {
		return status
	}
	if input < -1 || output < 0 {
		return badArgument(op, "descriptors %d and %d", input, output)
	}
	config := usi.Config{
		Name:   fmt.Sprintf("Komadori %d.%d.%d", C.KMD_VERSION_MAJOR, C.KMD_VERSION_MINOR, C.KMD_VERSION_PATCH),
		Author: usi.Author, Seed: uint64(time.Now().UnixNano()),
	}
	if text != "" {
		config.Commands = strings.Split(text, "\n")
	}
	return start(op, out, func(stop *atomic.Int32, _ func(C.kmd_result)) (C.kmd_result, error) {
		over := new(atomic.Int32)
		defer over.Store(1)
		var in io.Reader = descriptor{C.int(input), stop, over}
		if input < 0 {
			in = strings.NewReader("")
		}
		err := usi.Serve(in, descriptor{C.int(output), stop, over}, config)
		if stop.Load() != 0 {
			return C.kmd_result{}, cancelled(op, true)
		}
		if err != nil {
			failed := fault.New(fault.IO, op, "%v", err)
			if number, ok := err.(syscall.Errno); ok {
				failed.Errno = int(number)
			}
			return C.kmd_result{}, failed
		}
		return C.kmd_result{}, nil
	})
}
