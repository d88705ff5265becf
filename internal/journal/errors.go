package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
)

// ErrInDoubt is in the error of an Append or Cancel that could not take its
// entries back: they may still be found, and applied, by the next holder of the lock.
var ErrInDoubt = errors.New("the change may still take effect")

// ErrNotHeld means that the journal changed while this process believed to hold
// the lock. Nothing was written.
var ErrNotHeld = errors.New("somebody else wrote to the journal: the lock does not hold, or Catch was not called")

// ErrNewer means that a later version of the program wrote the journal.
var ErrNewer = errors.New("written by a newer version of this program: update it")

// Damage names entries that were in a segment and cannot be read any more, and the
// bytes that are in their place. What lies before and after is intact.
type Damage struct {
	File        string
	Offset      int64 // of the first unreadable byte
	Bytes       int64
	First, Last uint64 // numbers of the entries
}

func (d *Damage) Error() string {
	return fmt.Sprintf("journal file %s is damaged: %d bytes at offset %d, with the entries %d to %d, cannot be read; all others can",
		d.File, d.Bytes, d.Offset, d.First, d.Last)
}

// failure says what could not be done to which file, and what helps.
func failure(doing, path string, err error) error {
	if err == nil {
		return nil
	}
	// A PathError would say the path a second time.
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		err = pe.Err
	}
	if help := remedy(path, err); help != "" {
		return fmt.Errorf("%s %s: %w: %s", doing, path, err, help)
	}
	return fmt.Errorf("%s %s: %w", doing, path, err)
}

func remedy(path string, err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "free some space on its disk and try again"
	case errors.Is(err, syscall.EDQUOT):
		return "the quota of its owner is used up: free some space or raise it"
	case errors.Is(err, syscall.EFBIG):
		return "the size limit for files is reached: raise it (ulimit -f)"
	case errors.Is(err, syscall.EROFS):
		return "its file system is mounted read-only: mount it writable"
	case errors.Is(err, fs.ErrPermission):
		return "let this user write to " + filepath.Dir(path)
	case errors.Is(err, syscall.EIO):
		return "the disk reports an error: look at the system's log, and copy what matters to another disk"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "too many files are open: raise the limit (ulimit -n)"
	}
	return ""
}

var (
	errNotDirectory = errors.New("it is a file, not a directory: move it away")
	errBusy         = errors.New("another process is busy with it for long: it is tried again after the next change")
	// errGone is an entry that was taken back between finding and reading it.
	errGone = errors.New("the entry is gone")
)
