package main

/*
#include "native.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"

	"komadori/core/batch"
	"komadori/core/fault"
)

// A trainingFile is a file whose bytes lie in memory until it is closed.
type trainingFile struct {
	format batch.Format
	data   []byte // not of the Go heap
}

var files = registry[trainingFile]{tag: 0xF11, what: "file"}

// endings are what files of records are called.
var endings = map[string]batch.Format{".hcpe": batch.HCPE, ".hcpe2": batch.HCPE2, ".hcpe3": batch.HCPE3, ".psv": batch.PSV}

// ioFault is an error of the operating system with its number.
func ioFault(op string, err error) error {
	failed := fault.New(fault.IO, op, "%v", err)
	var number syscall.Errno
	if errors.As(err, &number) {
		failed.Errno = int(number)
	}
	return failed
}

//export go_kmd_file_open
func go_kmd_file_open(path *C.char, length C.size_t, format C.int32_t, out *C.kmd_file) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_file_open"
	name, ok := readText(op, path, length, &status)
	if !ok || isNull(op, "file", unsafe.Pointer(out), 8, &status) {
		return status
	}
	if format < 0 || format > C.KMD_FORMAT_BOARD {
		return badArgument(op, "format %d", format)
	}
	f := batch.Format(format)
	if format == 0 {
		if f, ok = endings[strings.ToLower(filepath.Ext(name))]; !ok {
			return badArgument(op, "the format of %q is not known by its ending; .hcpe, .hcpe2, .hcpe3 and .psv are", name)
		}
	}
	data, err := mapFile(name)
	if err != nil {
		return report(ioFault(op, err))
	}
	if f != batch.HCPE3 && len(data)%f.Size() != 0 {
		unmapFile(data)
		return report(fault.New(fault.Parse, op, "%d bytes are no whole rows of %d", len(data), f.Size()).At(len(data) / f.Size() * f.Size()))
	}
	*out = C.kmd_file(files.add(&trainingFile{f, data}))
	return C.KMD_OK
}

//export go_kmd_file_close
func go_kmd_file_close(h C.kmd_file) (status C.kmd_status) {
	defer recovered(&status)
	if h == 0 {
		return C.KMD_OK
	}
	f, err := files.remove("kmd_file_close", uint64(h))
	if err == nil {
		unmapFile(f.data)
	}
	return report(err)
}

//export go_kmd_file_size
func go_kmd_file_size(h C.kmd_file, format *C.int32_t, bytes, rows *C.uint64_t) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_file_size"
	if !aligned(op, "format", unsafe.Pointer(format), 4, &status) || !aligned(op, "bytes", unsafe.Pointer(bytes), 8, &status) || !aligned(op, "rows", unsafe.Pointer(rows), 8, &status) {
		return status
	}
	f, err := files.find(op, uint64(h))
	if err != nil {
		return report(err)
	}
	if format != nil {
		*format = C.int32_t(f.format)
	}
	if bytes != nil {
		*bytes = C.uint64_t(len(f.data))
	}
	if rows != nil {
		*rows = 0
		if f.format != batch.HCPE3 {
			*rows = C.uint64_t(len(f.data) / f.format.Size())
		}
	}
	return C.KMD_OK
}

//export go_kmd_file_rows
func go_kmd_file_rows(h C.kmd_file, first, count C.uint64_t, rows *C.kmd_rows) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_file_rows"
	if isNull(op, "rows", unsafe.Pointer(rows), 8, &status) || !hasSize(op, "rows", rows.size, unsafe.Sizeof(*rows), &status) {
		return status
	}
	f, err := files.find(op, uint64(h))
	if err != nil {
		return report(err)
	}
	size := f.format.Size()
	all := C.uint64_t(len(f.data) / size)
	switch {
	case f.format == batch.HCPE3:
		return badArgument(op, "rows of HCPE3 are made by kmd_hcpe3_rows_batch")
	case first > all || count > all-first:
		return badArgument(op, "rows %d to %d of %d", first, uint64(first)+uint64(count), all)
	}
	rows.format, rows.stride, rows.n = C.int32_t(f.format), 0, C.size_t(count)
	rows.data = (*C.uint8_t)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(f.data)), int(first)*size))
	return C.KMD_OK
}

//export go_kmd_file_hcpe3
func go_kmd_file_hcpe3(h C.kmd_file, whole *C.kmd_hcpe3_file) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_file_hcpe3"
	if isNull(op, "whole", unsafe.Pointer(whole), 8, &status) || !hasSize(op, "whole", whole.size, unsafe.Sizeof(*whole), &status) {
		return status
	}
	f, err := files.find(op, uint64(h))
	if err != nil {
		return report(err)
	}
	if f.format != batch.HCPE3 {
		return badArgument(op, "the file is not of HCPE3")
	}
	whole.data, whole.length = (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(f.data))), C.size_t(len(f.data))
	return C.KMD_OK
}

//export go_kmd_file_write
func go_kmd_file_write(path *C.char, length C.size_t, data *C.uint8_t, size C.size_t) (status C.kmd_status) {
	defer recovered(&status)
	const op = "kmd_file_write"
	name, ok := readText(op, path, length, &status)
	if !ok || size > 0 && isNull(op, "data", unsafe.Pointer(data), 1, &status) || isNoCapacity(op, size, &status) {
		return status
	}
	if err := replaceFile(name, slice[byte](unsafe.Pointer(data), int(size))); err != nil {
		return report(ioFault(op, err))
	}
	return C.KMD_OK
}

// replaceFile writes a file that takes its name when it is whole; until then the old one stays, if there is one. Through symbolic links: the link
// stays and its target is replaced.
func replaceFile(name string, data []byte) (err error) {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	if was, err := os.Stat(name); err == nil && !was.Mode().IsRegular() {
		return &os.PathError{Op: "replace", Path: name, Err: syscall.EINVAL}
	}
	part := filepath.Join(filepath.Dir(name), fmt.Sprintf(".%s.%08x.part", filepath.Base(name), rand.Uint32()))
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(part, name)
	}
	if err != nil {
		_ = os.Remove(part)
	}
	return err
}
