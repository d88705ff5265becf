package archive

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// Make writes a backup of a database into dir, under the name of the day of at,
// and reads it back before it gets that name. rows hands all rows to its argument.
// An earlier one of the same day is replaced if the new one holds as many rows; or
// nine tenths of them, unless the caller knows of damage. Otherwise it is kept
// under the name that Kept gives. The caller has the lock.
func Make(dir, database string, at time.Time, damaged bool, rows func(func(...memory.Memory) error) error) (Found, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Found{}, fmt.Errorf("making %s for backups: %w", dir, cause(err))
	}
	Unfinished(dir)
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
	kept := ""
	// One that is damaged counts for the rows that can be read.
	if earlier, _ := Verify(path); !enough(sum.Count, earlier.Rows, damaged) {
		if kept, err = keep(path, at); err != nil {
			return Found{}, fmt.Errorf("keeping %s, which holds more than the new backup: %w", path, cause(err))
		}
	}
	if err := f.Commit(); err != nil {
		return Found{}, err
	}
	return Found{Path: path, Bytes: sum.Bytes, Day: at.UTC().Truncate(24 * time.Hour), Stated: true, Count: sum.Count, At: at, Kept: kept, database: database}, nil
}

// enough reports whether a backup of some rows may replace one of earlier rows.
func enough(rows, earlier int, damaged bool) bool {
	return rows >= earlier || (!damaged && !Fewer(rows, earlier))
}

// Fewer reports whether rows are less than nine tenths of what was there before:
// more than people usually forget in a day.
func Fewer(rows, before int) bool { return rows*10 < before*9 }

// keep gives a file a second name, which tells the time of day; the first is free
// to be replaced then. At no moment is the file without a name.
func keep(path string, at time.Time) (string, error) {
	from, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	stem := strings.TrimSuffix(path, ".jsonl") + keptMark + at.UTC().Format("150405")
	for n := 1; ; n++ {
		to := stem + ".jsonl"
		if n > 1 {
			to = fmt.Sprintf("%s-%d.jsonl", stem, n)
		}
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		if os.Link(from, to) == nil {
			return to, nil
		}
		return to, duplicate(from, to)
	}
}

// duplicate copies a file where there are no links.
func duplicate(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := Create(to)
	if err != nil {
		return err
	}
	defer out.Abort()
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Commit()
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

// Unfinished removes what writers of backups in dir that died left there. The
// caller has the lock: nobody writes one.
func Unfinished(dir string) {
	left, _ := filepath.Glob(filepath.Join(globbed(dir), ".memory-backup-*.tmp")) // fails on a bad pattern only
	for _, path := range left {
		_ = os.Remove(path) // the next time, then
	}
}

// globbed is a path as a pattern that means itself.
func globbed(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
