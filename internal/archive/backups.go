package archive

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// backupName is memory-backup-<day>.jsonl, as the TypeScript plugin calls its
// own; a second database that keeps its backups in the same directory adds its name.
var backupName = regexp.MustCompile(`^memory-backup-(\d{4}-\d{2}-\d{2})(\.[^/]+)?\.jsonl$`)

// Found is a backup in a directory, as its name and its last line describe it.
type Found struct {
	Path  string
	Bytes int64
	// Day is that of the name, in UTC.
	Day time.Time
	// Stated is set when the last line is one of ours: Count and At are its words then.
	Stated bool
	Count  int
	At     time.Time

	database string
}

// newer orders by the moment of writing, or else by the day.
func newer(a, b Found) int {
	moment := func(f Found) time.Time {
		if f.Stated {
			return f.At
		}
		return f.Day
	}
	return cmp.Or(moment(b).Compare(moment(a)), strings.Compare(b.Path, a.Path))
}

// List is the backups of a database in dir, newest first, those without a last
// line of ours among them; a missing directory has none. Nothing is verified.
func List(dir, database string) ([]Found, error) {
	all, err := list(dir)
	return slices.DeleteFunc(all, func(f Found) bool { return f.database != "" && f.database != database }), err
}

func list(dir string) ([]Found, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("listing backups in %s: %w", dir, cause(err))
	}
	var all []Found
	for _, entry := range entries {
		name := backupName.FindStringSubmatch(entry.Name())
		info, err := entry.Info()
		if name == nil || err != nil || !info.Mode().IsRegular() {
			continue
		}
		day, err := time.Parse(time.DateOnly, name[1])
		if err != nil {
			continue
		}
		f := Found{Path: filepath.Join(dir, entry.Name()), Bytes: info.Size(), Day: day}
		if t, ok := lastLine(f.Path); ok {
			f.Stated, f.Count, f.At, f.database = true, t.Count, unstamp(t.At), t.Database
		}
		all = append(all, f)
	}
	slices.SortFunc(all, newer)
	return all, nil
}

// longestTrailer is more than a trailer ever has.
const longestTrailer = 4096

// lastLine reads a backup's trailer without the rest.
func lastLine(path string) (t trailerLine, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return t, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return t, false
	}
	tail, err := io.ReadAll(io.NewSectionReader(f, max(info.Size()-longestTrailer, 0), longestTrailer))
	if err != nil {
		return t, false
	}
	tail = bytes.TrimRight(tail, "\r\n")
	tail = tail[bytes.LastIndexByte(tail, '\n')+1:]
	return t, json.Unmarshal(tail, &t) == nil && t.Format == backupMark && t.End
}

// Make writes a backup of a database into dir, under the name of the day of at,
// and reads it back before it gets that name. An earlier one of the same day is
// replaced. rows hands all rows to its argument.
func Make(dir, database string, at time.Time, rows func(func(...memory.Memory) error) error) (Found, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Found{}, fmt.Errorf("making %s for backups: %w", dir, cause(err))
	}
	path := filepath.Join(dir, name(dir, database, at))
	f, err := Create(path)
	if err != nil {
		return Found{}, err
	}
	defer f.Abort()
	w, err := NewWriter(f, Backup, Header{At: at, Database: database})
	if err == nil {
		err = rows(w.Write)
	}
	var sum Summary
	if err == nil {
		sum, err = w.Finish()
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return Found{}, fmt.Errorf("writing %s: %w", path, cause(err))
	}
	switch report, err := Verify(f.Name()); {
	case err != nil:
		return Found{}, fmt.Errorf("a backup cannot be read back: %w", err)
	case report.Rows != sum.Count:
		return Found{}, fmt.Errorf("a backup cannot be read back: %s holds %d rows, %d were written", f.Name(), report.Rows, sum.Count)
	}
	if err := f.Commit(); err != nil {
		return Found{}, err
	}
	return Found{Path: path, Bytes: sum.Bytes, Day: at.UTC().Truncate(24 * time.Hour), Stated: true, Count: sum.Count, At: at, database: database}, nil
}

// name is that of a day's backup; with the database in it where the plain one is
// another database's.
func name(dir, database string, at time.Time) string {
	plain := "memory-backup-" + at.UTC().Format(time.DateOnly)
	if t, ok := lastLine(filepath.Join(dir, plain+".jsonl")); ok && t.Database != "" && t.Database != database {
		return plain + "." + database + ".jsonl"
	}
	return plain + ".jsonl"
}

// staleTemp is when an unfinished file has no writer any more.
const staleTemp = 24 * time.Hour

// Prune removes the backups of a database beyond the newest keep that verify,
// and what a process that died left of one. One that does not verify, or is not
// ours, neither counts nor goes.
func Prune(dir, database string, keep int, now time.Time) (removed []string, err error) {
	all, err := List(dir, database)
	if err != nil {
		return nil, err
	}
	var gone []error
	good := 0
	for _, f := range all {
		if !f.Stated {
			continue
		}
		if _, err := Verify(f.Path); err != nil {
			continue
		}
		if good++; good > keep {
			if err := os.Remove(f.Path); err != nil {
				gone = append(gone, fmt.Errorf("removing the old backup %s: %w", f.Path, cause(err)))
				continue
			}
			removed = append(removed, f.Path)
		}
	}
	unfinished, _ := filepath.Glob(filepath.Join(dir, ".memory-backup-*.tmp")) // fails on a bad pattern only
	for _, path := range unfinished {
		if info, err := os.Lstat(path); err == nil && now.Sub(info.ModTime()) > staleTemp {
			_ = os.Remove(path) // the next time, then
		}
	}
	return removed, errors.Join(gone...)
}

// Newest is the newest backup of a database that verifies; false if none does.
func Newest(dir, database string) (Found, bool, error) {
	all, err := List(dir, database)
	for _, f := range all {
		if !f.Stated {
			continue
		}
		if _, err := Verify(f.Path); err == nil {
			return f, true, nil
		}
	}
	return Found{}, false, err
}

// Rows reads the memories of a file of any format, without vectors. A row that
// cannot be read yields an error in its place, and the next one follows.
func Rows(path string) iter.Seq2[memory.Memory, error] {
	return func(yield func(memory.Memory, error) bool) {
		file, err := os.Open(path)
		if err != nil {
			yield(memory.Memory{}, fmt.Errorf("reading %s: %w", path, cause(err)))
			return
		}
		defer file.Close()
		f, err := NewReader(file)
		for err == nil {
			var it Item
			if it, err = f.Next(); err != nil {
				break
			}
			if it.Err != nil {
				it.Err = fmt.Errorf("%s: line %d: %w", path, it.Line, it.Err)
			}
			if !yield(it.Row.Memory, it.Err) {
				return
			}
		}
		if !errors.Is(err, io.EOF) {
			yield(memory.Memory{}, fmt.Errorf("reading %s: %w", path, err))
		}
	}
}
