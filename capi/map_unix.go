//go:build unix

package main

import (
	"os"
	"syscall"
)

// mapFile gives the bytes of a file, which the system reads when they are looked at.
func mapFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &os.PathError{Op: "map", Path: name, Err: syscall.EINVAL}
	case info.Size() == 0:
		return nil, nil
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, &os.PathError{Op: "map", Path: name, Err: err}
	}
	return data, nil
}

func unmapFile(data []byte) {
	if len(data) > 0 {
		_ = syscall.Munmap(data)
	}
}
