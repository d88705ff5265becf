package recalls

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Names in the directory. The record has two generations: a full one takes the
// place of the older one, so that nothing is rewritten to make room.
const (
	current = ".memory-pro.recalls.jsonl"
	older   = ".memory-pro.recalls.older.jsonl"
)

// Bounds of one generation; the record has at most twice as much.
const (
	maxEntries = 250
	maxBytes   = 1 << 20
)

// File is the record in a directory. Several processes may use it at once.
type File struct {
	dir string

	mu sync.Mutex
	// size and lines are what the current generation was after our last Append.
	size, lines int64
}

// In is the record in dir, which must exist before the first Append.
func In(dir string) *File { return &File{dir: dir} }

// Paths are the files of the record, whether they exist or not; the older first.
func (f *File) Paths() []string { return []string{f.path(older), f.path(current)} }

func (f *File) path(name string) string { return filepath.Join(f.dir, name) }

// Append adds entries at the end. Each is one line, written at once; a line a dead
// process left unfinished is closed first.
func (f *File) Append(ctx context.Context, entries ...Entry) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	held, err := f.hold(ctx, true)
	if err != nil {
		return fmt.Errorf("recording a recall: %w", err)
	}
	defer func() { _ = held.Close() }()
	if err := f.count(held); err != nil {
		return fmt.Errorf("recording a recall: %w", err)
	}
	for _, e := range entries {
		line, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("recording a recall: %w", err)
		}
		line = append(line, '\n')
		if len(line) > maxBytes {
			continue // no recall is so large; it would push out all others
		}
		if f.size > 0 && (f.lines >= maxEntries || f.size+int64(len(line)) > maxBytes) {
			if held, err = f.turn(ctx, held); err != nil {
				return fmt.Errorf("beginning a new record of recalls: %w", err)
			}
		}
		n, err := held.Write(line)
		f.size += int64(n)
		if err != nil {
			return fmt.Errorf("recording a recall: %w", err)
		}
		f.lines++
	}
	return nil
}

// count brings size and lines up to date with what others wrote.
func (f *File) count(held *os.File) error {
	info, err := held.Stat()
	if err != nil {
		return err
	}
	if info.Size() == f.size && f.size > 0 {
		return nil
	}
	text, err := os.ReadFile(held.Name())
	if err != nil {
		return err
	}
	f.size, f.lines = int64(len(text)), int64(bytes.Count(text, []byte{'\n'}))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n, err := held.Write([]byte{'\n'})
		f.size, f.lines = f.size+int64(n), f.lines+1
		return err
	}
	return nil
}

// turn makes the current generation the older one. Whoever waits for the lock of
// the file that was current finds that it no longer is (see hold).
func (f *File) turn(ctx context.Context, held *os.File) (*os.File, error) {
	if err := os.Rename(f.path(current), f.path(older)); err != nil {
		return held, err
	}
	f.size, f.lines = 0, 0
	fresh, err := f.hold(ctx, true)
	if err != nil {
		return held, err
	}
	_ = held.Close()
	return fresh, nil
}

// Read gives all entries, oldest first. What is no whole entry is passed over.
func (f *File) Read(ctx context.Context) ([]Entry, error) {
	held, err := f.hold(ctx, false)
	switch {
	case err == nil:
		defer func() { _ = held.Close() }()
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("reading the record of recalls: %w", err)
	}
	var all []Entry
	for _, path := range f.Paths() {
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading the record of recalls: %w", err)
		}
		for line := range bytes.Lines(text) {
			if e, ok := parse(line); ok {
				all = append(all, e)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Entry) int { return a.At.Compare(b.At) })
	return all, nil
}

func parse(line []byte) (e Entry, ok bool) {
	ok = json.Unmarshal(line, &e) == nil && e.ID != "" && !e.At.IsZero()
	return e, ok
}

// Clean passes every entry to keep, which may take something out of it, and removes
// those it does not keep, and lines that are none. It returns how many entries there
// were and how many went.
func (f *File) Clean(ctx context.Context, keep func(*Entry) bool) (looked, removed int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	held, err := f.hold(ctx, false)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return 0, 0, fmt.Errorf("cleaning the record of recalls: %w", err)
	default:
		defer func() { _ = held.Close() }()
	}
	f.size, f.lines = 0, 0 // to be counted anew
	if err := f.sweep(); err != nil {
		return 0, 0, fmt.Errorf("cleaning the record of recalls: %w", err)
	}
	for _, path := range f.Paths() {
		n, went, err := filter(path, keep)
		looked, removed = looked+n, removed+went
		if err != nil {
			return looked, removed, fmt.Errorf("cleaning the record of recalls: %w", err)
		}
	}
	return looked, removed, nil
}

// filter rewrites one file with what is kept of its entries.
func filter(path string, keep func(*Entry) bool) (looked, removed int, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	var kept []byte
	for line := range bytes.Lines(text) {
		looked++
		e, ok := parse(line)
		if !ok || !keep(&e) {
			removed++
			continue
		}
		left, err := json.Marshal(e)
		if err != nil {
			return looked, 0, err
		}
		kept = append(append(kept, left...), '\n')
	}
	if bytes.Equal(kept, text) {
		return looked, 0, nil
	}
	fresh, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // mode 600
	if err != nil {
		return looked, 0, err
	}
	defer func() { _ = os.Remove(fresh.Name()) }()
	_, err = fresh.Write(kept)
	if err = errors.Join(err, fresh.Sync(), fresh.Close()); err != nil {
		return looked, 0, err
	}
	if err := os.Rename(fresh.Name(), path); err != nil {
		return looked, 0, err
	}
	return looked, removed, settle(filepath.Dir(path))
}

// settle makes what was renamed in a directory last: after a power cut nothing that
// was removed is back.
func settle(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// sweep deletes what processes left that ended in the middle of a removal. Whoever
// is at work on one holds the lock.
func (f *File) sweep() error {
	entries, err := os.ReadDir(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		name := entry.Name()
		if !strings.HasPrefix(name, current+".") && !strings.HasPrefix(name, older+".") {
			continue
		}
		if gone := os.Remove(f.path(name)); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}

// Clear deletes the record.
func (f *File) Clear() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.size, f.lines = 0, 0
	failed := f.sweep()
	for _, path := range f.Paths() {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, fmt.Errorf("deleting the record of recalls: %w", err))
		}
	}
	return failed
}
