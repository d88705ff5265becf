package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
)

// Examination describes a database for its operator.
type Examination struct {
	// Made is false while there is no table; the first memory makes it.
	Made bool
	// Writable is nil, or says why nothing could be stored.
	Writable error

	Rows, Version int64
	// Width is numbers per vector.
	Width int
	// Early columns are missing and get added when the table is opened; Extra
	// ones are of others, and kept.
	Early, Extra []string
	// IntegerTimes: the timestamp column holds whole numbers.
	IntegerTimes bool
	// Unscoped rows are in no scope, so no agent finds them.
	Unscoped int64
	// Pending rows have no vector.
	Pending int64
	Text    IndexState
	// Fingerprint is what is noted to have made the vectors; empty if nothing is.
	Fingerprint string

	// Files and Bytes are everything under the directory.
	Files int
	Bytes int64
}

// Examine looks at a database and changes nothing: it makes no directory, builds
// no index and takes no lock. What was found before an error comes with it.
func Examine(ctx context.Context, path string) (x Examination, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if target, dangling := danglingLink(path); dangling {
			return x, &PathError{Path: path, Problem: "is a symbolic link to " + target + ", which does not exist",
				Fix: "make that directory, or remove the link"}
		}
		x.Writable = parentWritable(path)
		return x, nil
	}
	if err != nil {
		return x, mkdirError(path, err)
	}
	if !info.IsDir() {
		return x, mkdirError(path, unix.ENOTDIR)
	}
	if err := unix.Access(path, unix.R_OK|unix.W_OK|unix.X_OK); err != nil {
		x.Writable = &PathError{Path: path, Problem: fmt.Sprintf("is not writable for user %d", os.Geteuid()),
			Fix: "change its owner or mode (chmod u+rwx), or set dbPath to another directory", Err: err}
	}
	x.Files, x.Bytes = size(ctx, path)
	at := filepath.Join(path, tableName+".lance")
	if _, err := os.Stat(at); errors.Is(err, fs.ErrNotExist) {
		return x, nil
	}
	s := &Store{path: path, now: time.Now, log: slog.New(slog.DiscardHandler)}
	if s.db, err = lance.Connect(ctx, path, lance.Options{}); err != nil {
		return x, fmt.Errorf("opening the database %s: %w", path, err)
	}
	defer func() {
		if s.table != nil {
			err = errors.Join(err, s.table.Close())
		}
		err = errors.Join(err, s.db.Close())
	}()
	if x.Made, err = s.find(ctx); err != nil {
		return x, err
	}
	if !x.Made {
		return x, blocked(path)
	}
	return x, s.examine(ctx, &x)
}

func (s *Store) examine(ctx context.Context, x *Examination) (err error) {
	if err := s.inspect(ctx); err != nil {
		return err
	}
	x.Width, x.Extra = s.layout.width, s.layout.extra
	for _, name := range rowColumns {
		if len(s.layout.schema.FieldIndices(name)) == 0 {
			x.Early = append(x.Early, name)
		}
	}
	if at := s.layout.schema.FieldIndices(colTime); len(at) > 0 {
		x.IntegerTimes = s.layout.schema.Field(at[0]).Type.String() == "int64"
	}
	if x.Version, err = s.table.Version(ctx); err != nil {
		return err
	}
	if x.Rows, err = s.count(ctx, nil); err != nil {
		return err
	}
	if x.Pending, err = s.count(ctx, lance.IsNull(colVector)); err != nil {
		return err
	}
	if len(s.layout.schema.FieldIndices(colScope)) > 0 {
		if x.Unscoped, err = s.count(ctx, lance.Or(lance.IsNull(colScope), lance.Eq(colScope, ""))); err != nil {
			return err
		}
	}
	if x.Text, err = s.TextIndex(ctx); err != nil {
		return err
	}
	n, err := newNotebook(filepath.Join(s.path, tableName+".lance")).read()
	x.Fingerprint = n.Fingerprint
	return err
}

// parentWritable says whether a directory that is not there yet can be made.
func parentWritable(path string) error {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		_, err := os.Stat(dir)
		if errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir) {
			continue
		}
		if err == nil {
			err = unix.Access(dir, unix.W_OK|unix.X_OK)
		}
		if err != nil {
			return mkdirError(path, err)
		}
		return nil
	}
}

func size(ctx context.Context, path string) (files int, bytes int64) {
	_ = filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return ctx.Err() // what cannot be read is not counted
		}
		if info, err := entry.Info(); err == nil {
			files++
			bytes += info.Size()
		}
		return nil
	})
	return files, bytes
}

// LockState is the write lock of a database as it is right now.
type LockState struct {
	Held   bool
	Holder Holder // zero if unknown
	// Foreign are lock files of the TypeScript plugin, with the time of their
	// last sign of life. Our writers wait for a living one, its writers for none of ours.
	Foreign map[string]time.Time
}

// foreignLocks are names of the TypeScript plugin.
var foreignLocks = []string{".memory-write.lock", ".memory-write.lock.lock"}

// Lock looks at the write lock without waiting for it.
func Lock(path string) (LockState, error) {
	state := LockState{Foreign: map[string]time.Time{}}
	for _, name := range foreignLocks {
		if info, err := os.Stat(filepath.Join(path, name)); err == nil {
			state.Foreign[name] = info.ModTime()
		}
	}
	at := filepath.Join(path, lockFile)
	if _, err := os.Stat(at); err != nil {
		return state, nil // nobody has ever written
	}
	// Shared and for a moment: a writer that comes now tries again at once.
	f := flock.New(at, flock.SetFlag(os.O_RDONLY))
	free, err := f.TryRLock()
	if err != nil {
		return state, fmt.Errorf("looking at the write lock in %s: %w", path, err)
	}
	if !free {
		state.Held, state.Holder = true, newFileLock(path, time.Now).holder()
	}
	return state, f.Close()
}
