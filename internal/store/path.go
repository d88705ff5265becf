package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
)

// place is where a database lies, and where this machine keeps its locks, its
// journal and what it set aside.
type place struct {
	path     string // a directory, or the URI of a prefix in a bucket
	state    string // the database directory itself, unless that is no directory
	local    bool   // path is a directory
	readOnly error  // why nothing can be written; nil if it can
}

// prepare finds the place of a database and makes its directories.
func prepare(o Options) (place, error) {
	if remote(o.Path) {
		return prepareRemote(o)
	}
	path, readOnly, err := preparePath(o.Path)
	return place{path: path, state: path, local: true, readOnly: readOnly}, err
}

// StateDir is the directory on this machine for what stands beside the table:
// locks, the journal, what was set aside. It is Path itself, if that is a directory.
func (s *Store) StateDir() string { return s.state }

// preparePath makes sure that path is a directory we can read. readOnly says why
// we cannot write to it, if so. Directories it makes are the owner's alone:
// memories are private.
func preparePath(path string) (_ string, readOnly, err error) {
	if path == "" {
		return "", nil, &PathError{Path: `""`, Problem: "is empty", Fix: "set dbPath to a directory"}
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", nil, &PathError{Path: path, Problem: "cannot be resolved", Fix: "set dbPath to an absolute path", Err: err}
	}
	if target, dangling := danglingLink(abs); dangling {
		return "", nil, &PathError{Path: abs, Problem: "is a symbolic link to " + target + ", which does not exist",
			Fix: "make that directory, or remove the link"}
	}
	if err := os.MkdirAll(abs, 0o700); err != nil {
		return "", nil, mkdirError(abs, err)
	}
	if err := unix.Access(abs, unix.R_OK|unix.X_OK); err != nil {
		return "", nil, &PathError{Path: abs, Problem: fmt.Sprintf("is not readable for user %d", os.Geteuid()),
			Fix: "change its owner or mode (chmod u+rwx), or set dbPath to another directory", Err: err}
	}
	if err := unix.Access(abs, unix.W_OK); err != nil {
		readOnly = &PathError{Path: abs, Problem: fmt.Sprintf("is not writable for user %d", os.Geteuid()),
			Fix: "change its owner or mode (chmod u+rwx), or set dbPath to another directory", Err: err}
	}
	return abs, readOnly, nil
}

// danglingLink reports whether path is a link that leads nowhere, and whereto.
func danglingLink(path string) (string, bool) {
	target, err := os.Readlink(path)
	if err != nil {
		return "", false
	}
	_, err = os.Stat(path)
	return target, errors.Is(err, fs.ErrNotExist)
}

func mkdirError(path string, err error) error {
	e := &PathError{Path: path, Problem: "cannot be made: " + err.Error(), Fix: "set dbPath to another directory", Err: err}
	switch {
	case errors.Is(err, unix.ENOTDIR):
		e.Problem, e.Fix = "is a file, or lies below one", "set dbPath to a directory, or move the file away"
	case errors.Is(err, fs.ErrPermission):
		e.Problem, e.Fix = "cannot be made, for lack of permission", "make it with the right owner, or set dbPath to another directory"
	case errors.Is(err, unix.EROFS), errors.Is(err, unix.ENOSPC):
		e.Fix = "make room there, or set dbPath to another disk"
	}
	return e
}

// blocked refuses to make a table where something of its name is in the way that
// LanceDB does not list as one. The caller holds the write lock, or a table that
// another process is making would look like it.
func blocked(path string) error {
	at := filepath.Join(path, tableName+".lance")
	fi, err := os.Lstat(at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && fi.IsDir() { // it came after the list was read
		return unfinishedError(path, lance.ErrExists)
	}
	return &SchemaError{Path: path, Problem: "is blocked by " + at + ", which is no LanceDB table", Fix: "move that file away"}
}
