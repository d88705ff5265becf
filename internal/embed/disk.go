package embed

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// diskBytes bounds a file; a file has room for 10,000 vectors of 1536 values.
	diskBytes = 64 << 20
	// diskFiles bounds how many there are: one for each model in use, and those of
	// models that were.
	diskFiles  = 4
	diskEnding = ".vectors"
)

// disk keeps vectors between runs: one file for each fingerprint in a directory
// that several processes share without a lock. It is a help and no promise: what
// is damaged, torn or overwritten at the same time reads as missing, and without
// room or permission nothing is kept. The zero pointer keeps nothing.
type disk struct {
	dir         string
	fingerprint [sha256.Size]byte
	width       int
	ttl         time.Duration
	now         func() time.Time

	mu   sync.Mutex
	file *table // nil until it is there, and after close
	shut bool
}

func newDisk(dir, fingerprint string, width int, ttl time.Duration, now func() time.Time) *disk {
	if dir == "" {
		return nil
	}
	return &disk{dir: dir, fingerprint: sha256.Sum256([]byte(fingerprint)), width: width, ttl: ttl, now: now}
}

func (d *disk) path() string {
	return filepath.Join(d.dir, fmt.Sprintf("%x%s", d.fingerprint[:8], diskEnding))
}

// table gives the file, nil if there is none. Only what is to be kept makes one,
// in a place that is there: looking something up leaves no traces, and the
// directory of a database is for others to make.
func (d *disk) table(create bool) *table {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.file != nil || d.shut {
		return d.file
	}
	if !create {
		if t, err := readTable(d.path()); err == nil && t.fingerprint == d.fingerprint && t.width == d.width {
			d.file = t
		} else if err == nil {
			_ = t.file.Close() // only read
		}
		return d.file
	}
	if err := os.Mkdir(d.dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil
	}
	d.tidy()
	d.file, _ = openTable(d.path(), d.fingerprint, d.width) // without one nothing is kept
	return d.file
}

func (d *disk) get(k key) ([]float32, bool) {
	if d == nil {
		return nil, false
	}
	t := d.table(false)
	if t == nil {
		return nil, false
	}
	v, made, ok := t.get(k)
	if !ok || d.expired(made) || Check(v, d.width) != nil {
		return nil, false
	}
	return v, true
}

func (d *disk) put(k key, vector []float32) {
	if d == nil || len(vector) != d.width {
		return
	}
	if t := d.table(true); t != nil {
		t.put(k, vector, d.now())
	}
}

// expired also holds for what comes from a clock that was wrong.
func (d *disk) expired(made time.Time) bool {
	age := d.now().Sub(made)
	return age > d.ttl || age < -24*time.Hour
}

// tidy removes files nobody has written to for as long as a vector is believed,
// and the oldest of too many.
func (d *disk) tidy() {
	type old struct {
		path string
		at   time.Time
	}
	var files []old
	entries, _ := os.ReadDir(d.dir) // what cannot be read is left
	for _, entry := range entries {
		path := filepath.Join(d.dir, entry.Name())
		info, err := entry.Info()
		if err == nil && entry.Type().IsRegular() && strings.HasSuffix(path, diskEnding) && path != d.path() {
			files = append(files, old{path, info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b old) int { return b.at.Compare(a.at) })
	for i, f := range files {
		if i >= diskFiles-1 || d.now().Sub(f.at) > d.ttl {
			_ = os.Remove(f.path) // another process may have been faster
		}
	}
}

// forget removes the vectors of a text from the files of every fingerprint.
func (d *disk) forget(text string) (n int, err error) {
	if d == nil {
		return 0, nil
	}
	return ForgetIn(d.dir, text)
}

// ForgetIn removes the vectors of a text from what is kept in a directory, for
// whichever model they are, and returns how many there were. It returns when the
// disk has it.
func ForgetIn(dir, text string) (n int, err error) {
	paths, err := filepath.Glob(filepath.Join(strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir), "*"+diskEnding))
	if err != nil {
		return 0, err
	}
	for _, path := range paths {
		t, openErr := readTable(path)
		if openErr != nil {
			var damaged *damagedError
			if errors.As(openErr, &damaged) { // nobody can say what is in it
				openErr = os.Remove(path)
			}
			if openErr != nil && !errors.Is(openErr, fs.ErrNotExist) {
				err = errors.Join(err, openErr)
			}
			continue
		}
		gone := 0
		var failed error
		for _, kind := range []Kind{Query, Passage} {
			removed, removeErr := t.remove(keyOf(t.fingerprint, kind, text))
			gone, failed = gone+removed, errors.Join(failed, removeErr)
		}
		if gone > 0 {
			failed = errors.Join(failed, t.file.Sync())
		}
		if failed = errors.Join(failed, t.file.Close()); failed != nil {
			err = errors.Join(err, fmt.Errorf("removing vectors from %s: %w", path, failed))
		}
		n += gone
	}
	return n, err
}

// close lets go of the file; nothing is found or kept after it.
func (d *disk) close() error {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.file
	d.file, d.shut = nil, true
	if t == nil {
		return nil
	}
	return t.file.Close()
}
