package server

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// privateFrom is above the descriptors a parent may have handed over.
const privateFrom = 10

// TakeStdout moves the output stream to a descriptor nobody else knows and
// points descriptor 1 at the error stream, so that a stray print, in Go or in
// native code, cannot corrupt the protocol. Call it first, and once.
func TakeStdout() (*os.File, error) {
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, privateFrom)
	if err != nil {
		return nil, fmt.Errorf("moving the output stream: %w; start memory-pro serve with a pipe as its output", err)
	}
	if err := unix.Dup3(2, 1, 0); err != nil {
		return nil, fmt.Errorf("pointing descriptor 1 at the error stream: %w", err)
	}
	return os.NewFile(uintptr(fd), "protocol"), nil
}
