package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// syncTogether is how many files are synced at a time, so that the file system can
// do them in one go: 480 files took 50 to 90 ms so, and 230 one after the other.
const syncTogether = 8

// fileState tells a file from another of the same name.
type fileState struct {
	inode uint64
	size  int64
	at    time.Time
}

// flush syncs the files of the table that are not known to be on disk, then the
// directories. dir is the database's directory, table that of the table in it.
func (d *durable) flush(dir, table string) error {
	if d.broken != nil {
		return d.broken
	}
	now := make(map[string]fileState, len(d.synced))
	var fresh, dirs []string
	err := filepath.WalkDir(table, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return gone(err)
		}
		if entry.IsDir() {
			dirs = append(dirs, path)
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return gone(err)
		}
		now[path] = stateOf(info)
		if d.synced[path] != now[path] {
			fresh = append(fresh, path)
		}
		return nil
	})
	if err != nil || len(fresh) == 0 {
		return err
	}
	if d.synced == nil {
		dirs = append(dirs, dir)
	}
	// A name must not be durable before what it names.
	for _, list := range [][]string{fresh, dirs} {
		if err := d.syncAll(list); err != nil {
			return err
		}
	}
	d.synced = now
	return nil
}

// syncAll syncs files or directories, several at a time.
func (d *durable) syncAll(list []string) error {
	var workers sync.WaitGroup
	var next atomic.Int64
	errs := make([]error, min(syncTogether, len(list)))
	for w := range errs {
		workers.Go(func() {
			for errs[w] == nil {
				i := int(next.Add(1)) - 1
				if i >= len(list) {
					return
				}
				errs[w] = d.sync(list[i])
			}
		})
	}
	workers.Wait()
	err := errors.Join(errs...)
	if errors.Is(err, syscall.EIO) {
		// A second try would succeed without having written anything.
		d.broken = fmt.Errorf("%w; restart the program when the disk is in order: what is on record is then compared with the table", err)
		return d.broken
	}
	return err
}

// sync syncs one file or directory. One that is gone was temporary, or of a
// version that is pruned, and matters to nobody.
func (d *durable) sync(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return gone(err)
	}
	if d.fsync != nil {
		err = d.fsync(f)
	} else {
		err = f.Sync()
	}
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil // a file system that knows no such thing, for directories mostly
	}
	return errors.Join(err, f.Close())
}

// gone forgives that a file is not there any more.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func stateOf(info fs.FileInfo) fileState {
	state := fileState{size: info.Size(), at: info.ModTime()}
	if sys, ok := info.Sys().(*syscall.Stat_t); ok {
		state.inode = sys.Ino
	}
	return state
}
