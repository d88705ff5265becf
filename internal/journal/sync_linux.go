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

// exclusive locks the directory itself, so that there is no file to be left over.
func (disk) exclusive(dir string) func() {
	d, err := os.Open(dir)
	if err != nil {
		return func() {}
	}
	for {
		// Some network file systems cannot lock; then two checkpoints at once may leave
		// the older one, which costs a longer replay.
		if err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX); !errors.Is(err, syscall.EINTR) {
			return func() { _ = d.Close() }
		}
	}
}
