package journal

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// memFS is a disk that keeps its word and no more: content lasts once the file was
// synced, a name once its directory was, everything else as a power cut likes.
// fail, when set, decides which calls fail.
type memFS struct {
	names   map[string]*memFile // as every process sees them
	lasting map[string]*memFile // as a power cut leaves them at the least
	pending []func(map[string]*memFile)
	where   []string // directory of each pending change
	fail    func(op, path string) error
	half    bool // a failing write leaves half of itself
	calls   int
}

type memFile struct {
	fs    *memFS
	path  string
	dir   bool
	data  []byte
	synch []byte   // what is surely on the disk
	since []change // what was done since, in order
}

// change is a write, or a truncation when data is nil.
type change struct {
	off  int64
	data []byte
	lost bool // a sync of it failed, and the system forgot it
}

const memDir = "/state/journal"

func newMemFS() *memFS {
	m := &memFS{names: map[string]*memFile{}, lasting: map[string]*memFile{}}
	parent := filepath.Dir(memDir)
	m.names[parent] = &memFile{fs: m, path: parent, dir: true}
	m.lasting[parent] = m.names[parent]
	return m
}

func (m *memFS) call(op, path string) error {
	m.calls++
	if m.fail == nil {
		return nil
	}
	if err := m.fail(op, path); err != nil {
		return &fs.PathError{Op: op, Path: path, Err: err}
	}
	return nil
}

func (m *memFS) rename_(dir string, change func(map[string]*memFile)) {
	change(m.names)
	m.pending, m.where = append(m.pending, change), append(m.where, dir)
}

func (m *memFS) open(path string, flag int) (file, error) {
	if err := m.call("open", path); err != nil {
		return nil, err
	}
	f, ok := m.names[path]
	switch {
	case ok && flag&os.O_EXCL != 0:
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrExist}
	case !ok && flag&os.O_CREATE == 0, !ok && m.names[filepath.Dir(path)] == nil:
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	case !ok:
		f = &memFile{fs: m, path: path}
		m.rename_(filepath.Dir(path), func(names map[string]*memFile) { names[path] = f })
	case flag&os.O_TRUNC != 0:
		f.do(change{})
	}
	return f, nil
}

func (m *memFS) stat(path string) (fs.FileInfo, error) {
	if err := m.call("stat", path); err != nil {
		return nil, err
	}
	if f, ok := m.names[path]; ok {
		return f.info(), nil
	}
	return nil, &fs.PathError{Op: "stat", Path: path, Err: fs.ErrNotExist}
}

func (m *memFS) list(dir string) ([]string, error) {
	if err := m.call("list", dir); err != nil {
		return nil, err
	}
	if m.names[dir] == nil {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: fs.ErrNotExist}
	}
	var names []string
	for path := range m.names {
		if filepath.Dir(path) == dir && path != dir {
			names = append(names, filepath.Base(path))
		}
	}
	return names, nil
}

func (m *memFS) mkdir(dir string) error {
	if err := m.call("mkdir", dir); err != nil {
		return err
	}
	if m.names[dir] != nil {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: fs.ErrExist}
	}
	if m.names[filepath.Dir(dir)] == nil {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: fs.ErrNotExist}
	}
	f := &memFile{fs: m, path: dir, dir: true}
	m.rename_(filepath.Dir(dir), func(names map[string]*memFile) { names[dir] = f })
	return nil
}

func (m *memFS) rename(from, to string) error {
	if err := m.call("rename", to); err != nil {
		return err
	}
	f := m.names[from]
	m.rename_(filepath.Dir(to), func(names map[string]*memFile) {
		names[to] = f
		delete(names, from)
	})
	return nil
}

func (m *memFS) remove(path string) error {
	if err := m.call("remove", path); err != nil {
		return err
	}
	if m.names[path] == nil {
		return &fs.PathError{Op: "remove", Path: path, Err: fs.ErrNotExist}
	}
	m.rename_(filepath.Dir(path), func(names map[string]*memFile) { delete(names, path) })
	return nil
}

func (m *memFS) syncDir(dir string) error {
	if err := m.call("syncdir", dir); err != nil {
		return err
	}
	for i := 0; i < len(m.pending); {
		if m.where[i] != dir {
			i++
			continue
		}
		m.pending[i](m.lasting)
		m.pending, m.where = slices.Delete(m.pending, i, i+1), slices.Delete(m.where, i, i+1)
	}
	return nil
}

func (m *memFS) exclusive(string) (func(), error) { return func() {}, nil }

func (f *memFile) do(c change) {
	f.data = c.on(f.data)
	f.since = append(f.since, c)
}

func (c change) on(data []byte) []byte {
	end := c.off + int64(len(c.data))
	if grow := end - int64(len(data)); grow > 0 {
		data = append(data, make([]byte, grow)...)
	}
	if c.data == nil {
		return data[:c.off]
	}
	copy(data[c.off:], c.data)
	return data
}

func (f *memFile) WriteAt(b []byte, off int64) (int, error) {
	if err := f.fs.call("write", f.path); err != nil {
		n := 0
		if f.fs.half {
			n = len(b) / 2
			f.do(change{off: off, data: bytes.Clone(b[:n])})
		}
		return n, err
	}
	f.do(change{off: off, data: bytes.Clone(b)})
	return len(b), nil
}

func (f *memFile) ReadAt(b []byte, off int64) (int, error) {
	if err := f.fs.call("read", f.path); err != nil {
		return 0, err
	}
	if off >= int64(len(f.data)) {
		return 0, io.EOF
	}
	n := copy(b, f.data[off:])
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memFile) Truncate(size int64) error {
	if err := f.fs.call("truncate", f.path); err != nil {
		return err
	}
	if size < int64(len(f.data)) {
		f.do(change{off: size})
	}
	return nil
}

// Sync fails as Linux does: what was to be written is forgotten, the next Sync
// succeeds, and readers go on seeing what is not on the disk.
func (f *memFile) Sync() error {
	if err := f.fs.call("sync", f.path); err != nil {
		if errors.Is(err, errDead) {
			return err
		}
		for i := range f.since {
			f.since[i].lost = f.since[i].data != nil
		}
		return err
	}
	for _, c := range f.since {
		f.synch = c.kept(f.synch, !c.lost)
	}
	f.since = nil
	return nil
}

// kept is what becomes of data by a change that reached the disk, or of which only
// the size did.
func (c change) kept(data []byte, whole bool) []byte {
	if !whole {
		c.data = make([]byte, len(c.data))
		if int64(len(data)) > c.off {
			copy(c.data, data[c.off:])
		}
	}
	return c.on(data)
}

func (f *memFile) Close() error               { return nil }
func (f *memFile) Stat() (fs.FileInfo, error) { return f.info(), f.fs.call("stat", f.path) }

func (f *memFile) info() memInfo { return memInfo{f, int64(len(f.data))} }

type memInfo struct {
	f    *memFile
	size int64
}

func (i memInfo) Name() string       { return filepath.Base(i.f.path) }
func (i memInfo) Size() int64        { return i.size }
func (i memInfo) Mode() fs.FileMode  { return 0o600 }
func (i memInfo) ModTime() time.Time { return time.Time{} }
func (i memInfo) IsDir() bool        { return i.f.dir }
func (i memInfo) Sys() any           { return i.f }

func (m *memFS) same(a, b fs.FileInfo) bool { return a.Sys() == b.Sys() }

// cut is the disk after a power cut: of what was not synced, each change is there,
// not there, or torn. How is decided by r; orderly disks lose a tail of them.
func (m *memFS) cut(r *rand.Rand, orderly bool) *memFS {
	after := newMemFS()
	names := map[string]*memFile{}
	for path, f := range m.lasting {
		names[path] = f
	}
	keep := r.IntN(len(m.pending) + 1)
	for i, change := range m.pending {
		if (orderly && i < keep) || (!orderly && r.IntN(2) == 0) {
			change(names)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(names)) {
		f := names[path]
		g := &memFile{fs: after, path: path, dir: f.dir, data: f.remains(r, orderly)}
		g.synch = bytes.Clone(g.data)
		after.names[path], after.lasting[path] = g, g
	}
	return after
}

func (f *memFile) remains(r *rand.Rand, orderly bool) []byte {
	data := bytes.Clone(f.synch)
	keep := r.IntN(len(f.since) + 1)
	for i, c := range f.since {
		switch {
		case c.lost:
			data = c.kept(data, false)
		case orderly && i < keep, !orderly && r.IntN(3) == 0:
			data = c.on(data)
		case orderly && i > keep:
		case c.data != nil && r.IntN(3) > 0:
			// The beginning arrived, or the size and some of it.
			n := r.IntN(len(c.data) + 1)
			if r.IntN(2) == 0 {
				data = c.kept(data, false)
			}
			data = change{off: c.off, data: append([]byte{}, c.data[:n]...)}.on(data)
		}
	}
	return data
}

// errDead is what a process gets from every call once it is dead.
var errDead = errors.New("dead")

// errnos are the faults that are tried, with what the message must advise.
var errnos = map[syscall.Errno]string{
	syscall.ENOSPC: "free some space",
	syscall.EDQUOT: "quota",
	syscall.EFBIG:  "ulimit",
	syscall.EROFS:  "read-only",
	syscall.EACCES: "let this user write",
	syscall.EIO:    "disk reports an error",
	syscall.EMFILE: "too many files",
}

func advises(err error, errno syscall.Errno) bool {
	return err != nil && strings.Contains(err.Error(), errnos[errno])
}
