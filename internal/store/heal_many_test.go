package store

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// TestHealedOnce: of several that open a damaged database at once, in this process
// and in others, one mends it.
func TestHealedOnce(t *testing.T) {
	noHandlesLeft(t)
	d := thirty(t, false, false)
	d.cut(t, d.data(1), 0)
	d.remove(t, d.data(2))
	one, goOne := startChild(t, "first", d.dir)
	two, goTwo := startChild(t, "first", d.dir)
	goOne()
	goTwo()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s, err := Open(t.Context(), Options{Path: d.dir, Dimensions: width, LockTimeout: time.Minute})
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Each(t.Context(), everyone(), memory.Narrow{}, false, func([]memory.Memory) error { return nil }); err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, cmd := range []interface{ Wait() error }{one, two} {
		if err := cmd.Wait(); err != nil {
			t.Errorf("another process: %v", err)
		}
	}
	if a := d.aside(t); a.Rows != 12 {
		t.Errorf("%+v", a)
	}
	if n := total(t, open(t, d.dir)); n != 18+2 {
		t.Errorf("%d memories, want 20", n)
	}
}

// TestHealsTheOldNaming: tables of early versions of the library name their
// manifests otherwise, and go on doing so.
func TestHealsTheOldNaming(t *testing.T) {
	noHandlesLeft(t)
	d := thirty(t, false, false)
	versions, err := manifest.List(d.table())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range versions {
		to := filepath.Join(d.table(), "_versions", fmt.Sprintf("%d.manifest", v.Number))
		if err := os.Rename(filepath.Join(d.table(), v.File), to); err != nil {
			t.Fatal(err)
		}
	}
	want := int(d.rowsOf(t, 1)) - 6
	d.zero(t, d.versionFile(t, 0))
	d.cut(t, d.data(0), 5)
	if got := d.exercise(t); got != want {
		t.Errorf("%d memories, want %d", got, want)
	}
	if head := headOf(t, d.dir); head.Scheme != manifest.Plain {
		t.Error("the naming has changed")
	}
}

// TestCreationCut: a table whose making was cut short holds nothing, and is made
// anew; it is not lost either.
func TestCreationCut(t *testing.T) {
	for name, make := range map[string]func(t *testing.T, table string){
		"an empty directory": func(t *testing.T, table string) {},
		"a torn manifest": func(t *testing.T, table string) {
			write(t, filepath.Join(table, "_versions", "1.manifest"), "torn")
		},
		"no manifest": func(t *testing.T, table string) {
			write(t, filepath.Join(table, "_transactions", "0-x.txn"), "torn")
		},
	} {
		t.Run(name, func(t *testing.T) {
			noHandlesLeft(t)
			d := damaged{dir: t.TempDir()}
			for _, dir := range []string{"_versions", "_transactions", "data"} {
				if err := os.MkdirAll(filepath.Join(d.table(), dir), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			make(t, d.table())
			s := open(t, d.dir, func(o *Options) { o.LockTimeout = 50 * time.Millisecond })
			insert(t, s, mem("the first memory"))
			if n := total(t, s); n != 1 {
				t.Errorf("%d memories", n)
			}
			if a := d.aside(t); a.What != "table" || a.Instead != 0 {
				t.Errorf("%+v", a)
			}
		})
	}
}

// TestTornOldVersions: clean-up reads the manifests of all versions, and would stop
// for ever at one that cannot be read.
func TestTornOldVersions(t *testing.T) {
	noHandlesLeft(t)
	d := thirty(t, false, false)
	for _, n := range []int{1, 3} {
		d.zero(t, d.versionFile(t, n))
	}
	before := d.versionCount(t)
	s := open(t, d.dir)
	s.janitor.stop()
	s.janitor.keep = 0
	if _, err := s.Maintain(t.Context()); err != nil {
		t.Errorf("Maintain: %v", err)
	}
	if n := d.versionCount(t); n >= before {
		t.Errorf("%d versions of %d are left", n, before)
	}
	if n := total(t, s); n != 30 {
		t.Errorf("%d memories", n)
	}
	if a := d.aside(t); len(a.Faults) != 2 || a.Missing() {
		t.Errorf("%+v", a)
	}
}

// TestDeletionFiles: without the list of what was deleted in a file, its rows are
// left out rather than that forgotten memories come back.
func TestDeletionFiles(t *testing.T) {
	for name, journal := range map[string]bool{"journal": true, "none": false} {
		t.Run(name, func(t *testing.T) {
			noHandlesLeft(t)
			var forgotten string
			d := thirty(t, journal, false, func(s *Store, all []memory.Memory) {
				forgotten = all[8].ID
				remove(t, s, forgotten)
				insert(t, s, mem("later zylophrast"))
			})
			for _, fragment := range d.head.Fragments {
				for _, f := range fragment.Files {
					if f.Kind != manifest.Data {
						d.remove(t, f.Path)
					}
				}
			}
			ids := idsOf(t, open(t, d.dir))
			if slices.Contains(ids, forgotten) {
				t.Error("a forgotten memory is back")
			}
			if journal && len(ids) != 30 {
				t.Errorf("%d memories, want all", len(ids))
			}
			if !journal && (len(ids) != 25 || d.aside(t).Rows+int64(len(ids)) != 30) {
				t.Errorf("%d memories, %+v", len(ids), d.aside(t))
			}
		})
	}
}
