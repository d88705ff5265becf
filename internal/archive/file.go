package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// File is a file that appears under its name complete or not at all. Its bytes
// are on the disk before the name is.
type File struct {
	*os.File
	path   string
	direct bool // a device or a pipe: there is nothing to replace
}

// Create begins a file. An existing one stays what it is until Commit, and its
// permissions are kept; a new one is readable by its owner alone, because
// memories are private. A symbolic link is followed.
func Create(path string) (*File, error) {
	mode := fs.FileMode(0o600)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("writing %s: it is a directory; name a file in it", path)
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, fmt.Errorf("writing %s: %w", path, cause(err))
		}
		return &File{File: f, path: path, direct: true}, nil
	case err == nil:
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("writing %s: %w", path, cause(err))
	}
	sweep(path)
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w; check that its directory exists and is writable", path, cause(err))
	}
	if err := f.Chmod(mode); err != nil {
		_ = f.Close()
		_ = os.Remove(f.Name())
		return nil, fmt.Errorf("writing %s: %w", path, cause(err))
	}
	return &File{File: f, path: path}, nil
}

// staleTemp is when an unfinished file that was not touched has no writer any more.
const staleTemp = time.Hour

// sweep removes what writers of a file that died left beside it. What cannot be
// removed is left for the next time.
func sweep(path string) {
	dir, before := filepath.Dir(path), "."+filepath.Base(path)+"."
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		random, ours := strings.CutPrefix(entry.Name(), before)
		random, unfinished := strings.CutSuffix(random, ".tmp")
		if !ours || !unfinished || random == "" || strings.Trim(random, "0123456789") != "" {
			continue
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > staleTemp {
			_ = os.Remove(filepath.Join(dir, entry.Name()))
		}
	}
}

// Commit makes the file durable and gives it its name.
func (f *File) Commit() error {
	if f.direct {
		return f.Close()
	}
	err := f.Sync()
	if closing := f.File.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(f.Name(), f.path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return fmt.Errorf("writing %s: %w; the file is as it was", f.path, cause(err))
	}
	return syncDir(filepath.Dir(f.path))
}

// Abort leaves no trace. After Commit it does nothing.
func (f *File) Abort() {
	if f.File.Close() == nil && !f.direct {
		_ = os.Remove(f.Name())
	}
}

// syncDir makes the names in a directory durable. Some file systems cannot, and
// say so; then there is nothing more to do.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("syncing %s: %w", dir, cause(err))
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	if closing := d.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("syncing %s: %w", dir, cause(err))
	}
	return nil
}

// cause drops the operation and path that the message around it has.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
