package recalls

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lockPoll is how often a waiting process looks again.
const lockPoll = 2 * time.Millisecond

// hold opens the current generation and locks it against other processes, waiting
// until ctx ends. Closing it, or dying, gives the lock back. With make it makes the
// file; without, there must be one.
func (f *File) hold(ctx context.Context, make bool) (*os.File, error) {
	flags := os.O_RDWR | os.O_APPEND
	if make {
		flags |= os.O_CREATE
	}
	for {
		held, err := os.OpenFile(f.path(current), flags, 0o600)
		if err != nil {
			return nil, err
		}
		if err := lock(ctx, held); err != nil {
			_ = held.Close()
			return nil, err
		}
		// Another process may have put a new file in its place while we waited.
		ours, err1 := held.Stat()
		there, err2 := os.Stat(held.Name())
		if err1 == nil && err2 == nil && os.SameFile(ours, there) {
			if ours.Mode().Perm() != 0o600 {
				_ = held.Chmod(0o600) // a copy may have other rights; it is still ours
			}
			return held, nil
		}
		_ = held.Close()
		if !make && err2 != nil {
			return nil, err2
		}
	}
}

func lock(ctx context.Context, file *os.File) error {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil || (!errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR)) {
			return err
		}
		select {
		case <-time.After(lockPoll):
		case <-ctx.Done():
			return fmt.Errorf("waiting for another process that uses %s: %w", file.Name(), ctx.Err())
		}
	}
}
