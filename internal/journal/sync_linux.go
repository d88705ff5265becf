package journal

import (
	"errors"
	"os"
	"syscall"
	"time"
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
// A file system that cannot lock is taken as it is: then two checkpoints at once may
// leave the older one, which costs a longer replay.
func (disk) exclusive(dir string) (func(), error) {
	const patience, pause = 2 * time.Second, 2 * time.Millisecond
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for tries := patience / pause; ; tries-- {
		err := syscall.Flock(int(d.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		busy := errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR)
		if !busy {
			return func() { _ = d.Close() }, nil
		}
		if tries == 0 {
			return nil, errors.Join(errBusy, d.Close())
		}
		time.Sleep(pause)
	}
}
