package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

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
	// Reembedded is how many texts have a new vector from a re-embed that did not come to
	// its end.
	Reembedded int64
	// Unscoped rows are in no scope, so no agent finds them.
	Unscoped int64
	// Pending rows have no vector.
	Pending int64
	// Refused names some of them whose text the provider would not embed, with why.
	Refused []Refused
	Text    IndexState
	// Fingerprint is what is noted to have made the vectors; empty if nothing is.
	Fingerprint string

	// Files and Bytes are everything under the directory, Bytes as what it takes of
	// the disk: some files begin with nothing but holes. 0 for a database that is
	// in no directory.
	Files int
	Bytes int64

	// Damage names files of the newest version that are damaged, each with what is
	// wrong; the next use of the database mends the table. Unreadable is how many
	// rows lie in them. With damage, the other figures are what the table's own
	// record says, or zero.
	Damage     []string
	Unreadable int64
	// Inside is set when Damage was found by reading all rows: using the database
	// does not mend that, a repair does. Unread is why not all rows were read.
	Inside bool
	Unread string
	// SetAside is what was taken out of the table before, oldest first.
	SetAside []SetAside
	// Journal is the record of changes.
	Journal JournalState
}

// Examine looks at the database that options name, and changes nothing: it makes
// no directory, builds no index and takes no lock. What was found before an error
// comes with it.
func Examine(ctx context.Context, o Options) (Examination, error) {
	return examination(ctx, o, false)
}

// ExamineInside is Examine, and reads every row too, for damage that does not show
// from outside: up to 200,000 rows, in at most half of the time that ctx has.
func ExamineInside(ctx context.Context, o Options) (Examination, error) {
	return examination(ctx, o, true)
}

func examination(ctx context.Context, o Options, inside bool) (x Examination, err error) {
	if remote(o.Path) {
		return examineRemote(ctx, o)
	}
	path := o.Path
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
	if err := x.besides(ctx, path); err != nil {
		return x, err
	}
	if missing, err := x.shortfall(path); missing || err != nil {
		return x, err
	}
	if _, err := os.Stat(tableDir(path)); errors.Is(err, fs.ErrNotExist) {
		return x, nil
	}
	if damaged, err := x.damage(path); damaged || err != nil {
		x.unrecorded(path)
		return x, err
	}
	s := &Store{path: path, local: true, now: time.Now, log: slog.New(slog.DiscardHandler)}
	s.notes = newNotebook(tableDir(path))
	err = s.look(ctx, o, &x, inside)
	x.unrecorded(path)
	return x, err
}

// examineRemote is Examine for object storage, whose files nobody can look at but
// the library.
func examineRemote(ctx context.Context, o Options) (x Examination, err error) {
	s := &Store{path: strings.TrimRight(o.Path, "/"), now: time.Now, log: slog.New(slog.DiscardHandler)}
	if o.StateDir != "" {
		if err := x.besides(ctx, StateDir(o.StateDir, o.Path)); err != nil {
			return x, err
		}
	}
	return x, s.look(ctx, o, &x, false)
}

// look opens the table for examining it alone.
func (s *Store) look(ctx context.Context, o Options, x *Examination, inside bool) (err error) {
	if s.db, err = lance.Connect(ctx, s.path, lance.Options{StorageOptions: o.StorageOptions}); err != nil {
		return s.unreachable(err)
	}
	if !s.local {
		s.notes = &notebook{remote: newRemoteNotes(s.db)}
	}
	defer func() {
		if s.table != nil {
			err = errors.Join(err, s.table.Close())
		}
		err = errors.Join(err, s.db.Close())
	}()
	if x.Made, err = s.find(ctx); err != nil {
		return err
	}
	if !x.Made {
		if s.local {
			return blocked(s.path)
		}
		return nil
	}
	return s.examine(ctx, x, inside)
}

func (s *Store) examine(ctx context.Context, x *Examination, inside bool) (err error) {
	if err := s.inspect(ctx); err != nil {
		return err
	}
	x.Width, x.Extra = s.layout().width, s.layout().extra
	for _, name := range rowColumns {
		if len(s.layout().schema.FieldIndices(name)) == 0 {
			x.Early = append(x.Early, name)
		}
	}
	if at := s.layout().schema.FieldIndices(colTime); len(at) > 0 {
		x.IntegerTimes = s.layout().schema.Field(at[0]).Type.String() == "int64"
	}
	if x.Version, err = s.table.Version(ctx); err != nil {
		return err
	}
	if x.Rows, err = s.count(ctx, nil); err != nil {
		return err
	}
	if inside {
		if damaged, err := s.examineInside(ctx, x); damaged || err != nil {
			return err
		}
	}
	if x.Pending, err = s.count(ctx, lance.IsNull(colVector)); err != nil {
		return err
	}
	if x.Refused, err = s.refused(ctx); err != nil && len(x.Early) == 0 {
		return err
	}
	if len(s.layout().schema.FieldIndices(colScope)) > 0 {
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
			bytes += taken(info)
		}
		return nil
	})
	return files, bytes
}

// taken is what a file takes of the disk, never more than its length.
func taken(info fs.FileInfo) int64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return min(info.Size(), stat.Blocks*512)
	}
	return info.Size()
}
