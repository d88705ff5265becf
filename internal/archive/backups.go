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
	// Kept is, right after Make, the file in which an earlier one of that day is
	// kept; empty if there was none, or it was replaced.
	Kept string

	database string
}

// keptMark is in the name of a backup that was not replaced by a smaller one.
const keptMark = ".kept-"

func (f Found) keptBeside() bool { return strings.Contains(filepath.Base(f.Path), keptMark) }

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

// Larger is the backup of a database that verifies and holds the most rows, if
// these are more than a number.
func Larger(dir, database string, than int) (Found, bool, error) {
	all, err := List(dir, database)
	slices.SortStableFunc(all, func(a, b Found) int { return cmp.Compare(b.Count, a.Count) })
	for _, f := range all {
		if f.Count <= than {
			break
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
