package journal

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// files is what the journal needs of a file system. Tests put one in between that
// fails; everybody else gets the disk.
type files interface {
	open(name string, flag int) (file, error)
	stat(name string) (fs.FileInfo, error)
	same(a, b fs.FileInfo) bool
	list(dir string) ([]string, error)
	mkdir(dir string) error
	rename(from, to string) error
	remove(name string) error
	syncDir(dir string) error
	// exclusive waits a while until no other process has dir exclusively, as far as
	// the file system can tell, and returns what gives it back.
	exclusive(dir string) (release func(), err error)
}

type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error
	// Sync returns when the content, and as much of the size as reading it back
	// needs, is on the disk.
	Sync() error
}

// Only the owner may read what people told their assistant.
const (
	filePerm = 0o600
	dirPerm  = 0o700
)

type disk struct{}

func (disk) open(name string, flag int) (file, error) {
	f, err := os.OpenFile(name, flag, filePerm)
	if err != nil {
		return nil, err
	}
	return diskFile{f}, nil
}

func (disk) stat(name string) (fs.FileInfo, error) { return os.Stat(name) }
func (disk) same(a, b fs.FileInfo) bool            { return os.SameFile(a, b) }
func (disk) rename(from, to string) error          { return os.Rename(from, to) }
func (disk) remove(name string) error              { return os.Remove(name) }
func (disk) mkdir(dir string) error                { return os.Mkdir(dir, dirPerm) }

func (disk) list(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}

func (disk) syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	return errors.Join(err, d.Close())
}

type diskFile struct{ *os.File }

func (f diskFile) Sync() error { return datasync(f.File) }

// makeDir makes the journal's directory if need be, and its name durable: a file
// is only as durable as the names that lead to it, and the process that made the
// directory may not have lived to do it. The directory it is in is the caller's.
func (j *Journal) makeDir() error {
	j.making.Lock()
	defer j.making.Unlock()
	_, err := j.fs.stat(j.dir)
	if errors.Is(err, fs.ErrNotExist) {
		j.made = false
		err = j.fs.mkdir(j.dir)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return failure("creating the journal directory", j.dir, err)
	}
	if j.made {
		return nil
	}
	parent := filepath.Dir(j.dir)
	if err := j.fs.syncDir(parent); err != nil {
		return failure("making the directory durable", parent, err)
	}
	j.made = true
	return nil
}
