//go:build !unix

package main

/*
#include <stdlib.h>
*/
import "C"

import (
	"io"
	"os"
	"syscall"
	"unsafe"
)

// mapFile reads a file into memory of C.
func mapFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return nil, err
	}
	block := C.malloc(C.size_t(info.Size()))
	if block == nil {
		return nil, syscall.ENOMEM
	}
	data := unsafe.Slice((*byte)(block), int(info.Size()))
	if _, err = io.ReadFull(f, data); err != nil {
		C.free(block)
		return nil, err
	}
	return data, nil
}

func unmapFile(data []byte) { C.free(unsafe.Pointer(unsafe.SliceData(data))) }
