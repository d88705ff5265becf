package journal

import (
	"errors"
	"os"
	"syscall"
)

// datasync leaves out what reading the content back does not need, such as the
// time of the last change, and saves the disk a write for it.
func datasync(f *os.File) error {
	for {
		err := syscall.Fdatasync(int(f.Fd()))
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		return os.NewSyscallError("fdatasync", err)
	}
}
