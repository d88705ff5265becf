package archive

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

const (
	lockName = ".memory-backup.lock"
	lockPoll = 20 * time.Millisecond
)

// Lock keeps others, of this process or another, from writing backups in dir. It
// makes the directory, and waits until ctx ends. The kernel drops the lock of a
// process that dies.
func Lock(ctx context.Context, dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making %s for backups: %w", dir, cause(err))
	}
	path := filepath.Join(dir, lockName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("locking %s: %w", dir, cause(err))
	}
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return func() { _ = f.Close() }, nil
		case !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR):
			_ = f.Close()
			return nil, fmt.Errorf("locking %s: %w", path, err)
		}
		select {
		case <-time.After(lockPoll):
		case <-ctx.Done():
			_ = f.Close()
			return nil, fmt.Errorf("waiting for another backup in %s: %w", dir, ctx.Err())
		}
	}
}
