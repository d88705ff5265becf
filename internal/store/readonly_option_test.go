package store

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tree is every file below a directory, with its size and time.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		files[path] = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A database that is opened for reading is not touched, whatever it would need: it may
// be a copy that somebody keeps, or in use by another program.
func TestOpenReadOnlyTouchesNothing(t *testing.T) {
	noHandlesLeft(t)
	readOnly := func(o *Options) { o.ReadOnly, o.Dimensions = true, 0 }
	dir := t.TempDir()
	first := open(t, dir, oldModel.options)
	insert(t, first, oldModel.memories("Lighthouse number %d", 5)...)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	s := open(t, dir, readOnly)
	if n := total(t, s); n != 5 {
		t.Errorf("%d rows", n)
	}
	if got := matching(t, s, "lighthouse 3", 1); len(got) != 1 {
		t.Errorf("found %q", got)
	}
	if len(everyRow(t, s)) != 5 {
		t.Error("not all are read")
	}
	if err := s.Write(t.Context(), "test", func(*Tx) error { return nil }); err == nil || !strings.Contains(err.Error(), "for reading only") {
		t.Errorf("writing: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
		t.Errorf("the database was changed (-before +after)\n%s", diff)
	}
	// Nor a table that lacks columns, which cannot be read then.
	early := t.TempDir()
	table(t, early, earlyFields(), earlyRows)
	before = tree(t, early)
	if _, err := Open(t.Context(), Options{Path: early, ReadOnly: true}); err == nil || !strings.Contains(err.Error(), "memory-pro stats --db "+early) {
		t.Errorf("an early table: %v", err)
	}
	if diff := cmp.Diff(before, tree(t, early)); diff != "" {
		t.Errorf("the early table was changed (-before +after)\n%s", diff)
	}
	// Nothing there is nothing made.
	empty := t.TempDir()
	if _, err := Open(t.Context(), Options{Path: empty, ReadOnly: true}); err == nil {
		t.Error("a database was found where there is none")
	}
	if left, err := os.ReadDir(empty); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
