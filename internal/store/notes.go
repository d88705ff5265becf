package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// notesFile lies inside the table's directory, so that it is copied and deleted
// with the table. LanceDB, of whatever version, reads and cleans up only the
// subdirectories it knows. (In object storage there is none; see notes_remote.go.)
const notesFile = ".memory-pro.json"

// notesCopy lies beside the table, in the state directory.
const notesCopy = ".memory-pro.notes.json"

// notes is what is known about a table beyond its rows.
type notes struct {
	// Fingerprint names what made the vectors; see Options.Fingerprint.
	Fingerprint string `json:"fingerprint,omitempty"`
	// Adopted is set when the vectors were there before, and the fingerprint is
	// what the configuration of the day said.
	Adopted bool      `json:"adopted,omitempty"`
	Since   time.Time `json:"since,omitzero"`
	// Milliseconds is when the timestamps that stated seconds were corrected.
	Milliseconds time.Time `json:"milliseconds,omitzero"`
	// Mark names the re-embed that made the vectors; empty if there was none. From is
	// the version of the table it made: older ones hold vectors of something else.
	Mark string `json:"mark,omitempty"`
	From uint64 `json:"from,omitempty"`
	// Swap is a re-embed that is about to publish its version. As long as it is
	// there nobody knows which vectors the table holds; see settleSwap.
	Swap *swap `json:"swap,omitempty"`
}

// swap is what has to be known to end the publishing of a re-embed's version, or to
// find out that it did not happen.
type swap struct {
	Mark        string `json:"mark"`
	Version     uint64 `json:"version"`
	Fingerprint string `json:"fingerprint,omitempty"`
	Width       int    `json:"width"`
	// After is the last entry of the journal before it.
	After uint64 `json:"after"`
}

// notebook reads the notes again whenever another process has written them.
type notebook struct {
	path   string
	copy   string       // where a second one is kept, for a table that has to be made again; may be empty
	remote *remoteNotes // where they are kept instead, if the database is no directory

	mu   sync.Mutex
	seen stamp
	last notes
	err  error
}

// stamp tells two states of the file apart; a new file has a new inode.
type stamp struct {
	file os.FileInfo // nil: there is none
}

func (s stamp) same(o stamp) bool {
	if s.file == nil || o.file == nil {
		return s.file == nil && o.file == nil
	}
	return os.SameFile(s.file, o.file) && s.file.ModTime().Equal(o.file.ModTime()) && s.file.Size() == o.file.Size()
}

// newNotebook opens the notes in the table's directory.
func newNotebook(table string) *notebook {
	return &notebook{path: filepath.Join(table, notesFile)}
}

// read costs one look at the directory unless something changed. Without a file
// the notes are empty; one that cannot be read is an error.
func (b *notebook) read() (notes, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.remote != nil {
		return b.remote.read()
	}
	fi, err := os.Stat(b.path)
	if errors.Is(err, fs.ErrNotExist) {
		b.seen, b.last, b.err = stamp{}, notes{}, nil
		return b.last, nil
	}
	if err == nil && b.seen.file != nil && b.seen.same(stamp{fi}) {
		return b.last, b.err
	}
	b.seen, b.last, b.err = stamp{fi}, notes{}, err
	if err == nil {
		b.last, b.err = parseNotes(b.path)
	}
	return b.last, b.err
}

func parseNotes(path string) (n notes, err error) {
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &n)
	}
	if err != nil {
		return notes{}, fmt.Errorf("reading %s: %w", path, err)
	}
	return n, nil
}

// write replaces the notes in one step. The caller holds the write lock.
func (b *notebook) write(n notes) error {
	text, err := json.MarshalIndent(n, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", b.path, err)
	}
	if b.remote != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.remote.write(n, string(text))
	}
	// A name of its own, so that a torn one never takes the place of the notes.
	f, err := os.CreateTemp(filepath.Dir(b.path), notesFile+".*")
	if err != nil {
		return fmt.Errorf("writing %s: %w", b.path, err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), b.path)
	}
	if err == nil && b.copy != "" {
		err = replaceFile(b.copy, append(text, '\n'))
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", b.path, err)
	}
	return nil
}

// keep makes the copy of notes that were written before there were copies.
func (b *notebook) keep() error {
	if b.copy == "" || b.remote != nil {
		return nil
	}
	if _, err := os.Stat(b.copy); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := os.ReadFile(b.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = replaceFile(b.copy, text)
	}
	return err
}
