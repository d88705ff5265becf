package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// damaged is a database of thirty memories in five files, closed, and what a test
// wants to know of it.
type damaged struct {
	dir  string
	all  []memory.Memory
	head *manifest.Manifest
}

func (d damaged) table() string { return tableDir(d.dir) }

// thirty makes the database, and does with it what then says. Without a journal it
// looks as one of the TypeScript plugin does.
func thirty(t *testing.T, journal, compacted bool, then ...func(*Store, []memory.Memory)) damaged {
	t.Helper()
	d := damaged{dir: t.TempDir()}
	s, err := Open(t.Context(), Options{Path: d.dir, Dimensions: width, Now: atStart})
	if err != nil {
		t.Fatal(err)
	}
	s.janitor.stop() // the test says which files there are
	for i := range 5 {
		some := numbered(fmt.Sprintf("batch%d row%%d zylophrast", i), 6)
		insert(t, s, some...)
		d.all = append(d.all, some...)
	}
	for _, fn := range then {
		fn(s, d.all)
	}
	if compacted {
		if _, err := s.Maintain(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if !journal {
		if err := os.RemoveAll(filepath.Join(d.dir, journalDir)); err != nil {
			t.Fatal(err)
		}
	}
	d.head = headOf(t, d.dir)
	return d
}

func headOf(t *testing.T, dir string) *manifest.Manifest {
	t.Helper()
	f, err := lookAt(tableDir(dir))
	if err != nil || f.head == nil {
		t.Fatalf("%+v, %v", f, err)
	}
	return f.head
}

// data is the data file of a fragment of the newest version.
func (d damaged) data(i int) string { return d.head.Fragments[i].Files[0].Path }

func (d damaged) cut(t *testing.T, file string, to int64) {
	t.Helper()
	if err := os.Truncate(filepath.Join(d.table(), file), to); err != nil {
		t.Fatal(err)
	}
}

func (d damaged) remove(t *testing.T, file string) {
	t.Helper()
	if err := os.Remove(filepath.Join(d.table(), file)); err != nil {
		t.Fatal(err)
	}
}

func (d damaged) zero(t *testing.T, file string) {
	t.Helper()
	info, err := os.Stat(filepath.Join(d.table(), file))
	if err != nil {
		t.Fatal(err)
	}
	d.cut(t, file, 0)
	d.cut(t, file, info.Size())
}

// scramble leaves of a file its length and its end.
func (d damaged) scramble(t *testing.T, file string) {
	t.Helper()
	at := filepath.Join(d.table(), file)
	data, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data[:len(data)-100] {
		data[i] ^= 0x5a
	}
	if err := os.WriteFile(at, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// exercise uses the database as everybody does and returns how many memories it
// holds: open, list, search both ways, read all, forget, store, open again.
func (d damaged) exercise(t *testing.T) (before int) {
	t.Helper()
	ctx := t.Context()
	s := open(t, d.dir)
	var ids []string
	err := s.Each(ctx, everyone(), memory.Narrow{}, true, func(ms []memory.Memory) error {
		for _, m := range ms {
			ids = append(ids, m.ID)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("reading all: %v", err)
	}
	before = len(ids)
	if n := total(t, s); n != int64(before) {
		t.Errorf("%d counted, %d read", n, before)
	}
	page, err := s.List(ctx, ListQuery{Who: everyone(), Limit: 100})
	if err != nil || len(page.Memories) != before {
		t.Errorf("list: %d of %d, %v", len(page.Memories), before, err)
	}
	if found := matching(t, s, "zylophrast", 100); len(found) != before {
		t.Errorf("by keyword: %d of %d", len(found), before)
	}
	hits, err := s.Nearest(ctx, everyone(), memory.Narrow{}, vec("anything"), 100)
	if err != nil || len(hits) != before {
		t.Errorf("by meaning: %d of %d, %v", len(hits), before, err)
	}
	if before > 0 {
		remove(t, s, ids[0])
		before--
	}
	insert(t, s, mem("a new one after the damage, zylophrast"))
	if found := matching(t, s, "zylophrast", 100); len(found) != before+1 {
		t.Errorf("after forgetting one and storing one: %d, want %d", len(found), before+1)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, d.dir)
	if n := total(t, again); n != int64(before+1) {
		t.Errorf("opened again: %d, want %d", n, before+1)
	}
	if before+1 > 1 && slices.Contains(idsOf(t, again), ids[0]) {
		t.Error("the forgotten memory is back")
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	return len(ids)
}

func idsOf(t *testing.T, s *Store) (ids []string) {
	t.Helper()
	page, err := s.List(context.WithoutCancel(t.Context()), ListQuery{Who: everyone(), Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range page.Memories {
		ids = append(ids, m.ID)
	}
	return ids
}

// aside is the only note there is.
func (d damaged) aside(t *testing.T) SetAside {
	t.Helper()
	list, err := asides(d.dir)
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	return list[0]
}

// TestDamage is faults.md B51: whatever happens to a file, the database opens, what
// can be read is read, it can be written to, and nothing is deleted.
func TestDamage(t *testing.T) {
	versions := func(d damaged, n int) string { return d.versionFile(t, n) }
	for _, c := range []struct {
		name      string
		noJournal bool
		compacted bool
		damage    func(t *testing.T, d damaged)
		want      int // memories that can be read afterwards
		what      string
		rows      int64 // that cannot
	}{
		{name: "a data file cut, journal", damage: func(t *testing.T, d damaged) { d.cut(t, d.data(1), 100) }, want: 30, what: "data"},
		{name: "a data file gone, journal", damage: func(t *testing.T, d damaged) { d.remove(t, d.data(4)) }, want: 30, what: "data"},
		{name: "a data file of zeros, journal", damage: func(t *testing.T, d damaged) { d.zero(t, d.data(0)) }, want: 30, what: "data"},
		{name: "a data file scrambled, journal", damage: func(t *testing.T, d damaged) { d.scramble(t, d.data(2)) }, want: 30, what: "data"},
		{name: "all data files gone, journal", damage: func(t *testing.T, d damaged) {
			for i := range d.head.Fragments {
				d.remove(t, d.data(i))
			}
		}, want: 30, what: "data"},
		{name: "after compaction, journal", compacted: true, damage: func(t *testing.T, d damaged) { d.cut(t, d.data(0), 64) }, want: 30, what: "data"},
		{name: "head manifest zeroed, journal", damage: func(t *testing.T, d damaged) { d.zero(t, versions(d, 0)) }, want: 30, what: "manifest"},
		{name: "three manifests zeroed, journal", damage: func(t *testing.T, d damaged) {
			for i := range 3 {
				d.zero(t, versions(d, i))
			}
		}, want: 30, what: "manifest"},
		{name: "all manifests zeroed, journal", damage: func(t *testing.T, d damaged) {
			for i := range d.versionCount(t) {
				d.zero(t, versions(d, i))
			}
		}, want: 30, what: "table"},
		{name: "manifest zeroed and a data file gone, journal", damage: func(t *testing.T, d damaged) {
			d.zero(t, versions(d, 0))
			d.remove(t, d.data(1))
		}, want: 30, what: "data"},

		{name: "an old data file cut", noJournal: true, damage: func(t *testing.T, d damaged) { d.cut(t, d.data(1), 100) }, want: 24, what: "data", rows: 6},
		{name: "an old data file gone", noJournal: true, damage: func(t *testing.T, d damaged) { d.remove(t, d.data(0)) }, want: 24, what: "data", rows: 6},
		{name: "an old data file scrambled", noJournal: true, damage: func(t *testing.T, d damaged) { d.scramble(t, d.data(2)) }, want: 24, what: "data", rows: 6},
		{name: "two data files", noJournal: true, damage: func(t *testing.T, d damaged) {
			d.cut(t, d.data(0), 0)
			d.remove(t, d.data(3))
		}, want: 18, what: "data", rows: 12},
		{name: "the newest data file gone", noJournal: true, damage: func(t *testing.T, d damaged) { d.remove(t, d.data(4)) }, want: 24, what: "data"},
		{name: "after compaction", noJournal: true, compacted: true, damage: func(t *testing.T, d damaged) { d.cut(t, d.data(0), 64) }, want: 30, what: "data"},
		{name: "head manifest zeroed", noJournal: true, damage: func(t *testing.T, d damaged) { d.zero(t, versions(d, 0)) }, want: previous, what: "manifest"},
		{name: "all data files gone", noJournal: true, damage: func(t *testing.T, d damaged) {
			for i := range d.head.Fragments {
				d.remove(t, d.data(i))
			}
		}, want: 0, what: "data"},

		{name: "an index file gone", compacted: true, damage: func(t *testing.T, d damaged) { d.remove(t, d.indexFile(t)) }, want: 30, what: "index"},
		{name: "an index file of zeros", compacted: true, damage: func(t *testing.T, d damaged) { d.zero(t, d.indexFile(t)) }, want: 30, what: "index"},
		{name: "an index file scrambled", compacted: true, damage: func(t *testing.T, d damaged) { d.scramble(t, d.indexFile(t)) }, want: 30, what: "index"},
		{name: "an index directory gone", compacted: true, noJournal: true, damage: func(t *testing.T, d damaged) {
			if err := os.RemoveAll(filepath.Join(d.table(), d.head.Indexes[0].Dir)); err != nil {
				t.Fatal(err)
			}
		}, want: 30, what: "index"},
	} {
		t.Run(c.name, func(t *testing.T) {
			noHandlesLeft(t)
			d := thirty(t, !c.noJournal, c.compacted)
			before := d.stored(t)
			if c.want == previous {
				c.want = int(d.rowsOf(t, 1))
			}
			c.damage(t, d)
			inodes := d.inodes(t)
			if got := d.exercise(t); got != c.want {
				t.Errorf("%d memories, want %d", got, c.want)
			}
			if a := d.aside(t); a.What != c.what || a.Rows != c.rows || len(a.Faults) == 0 || a.Reason == "" {
				t.Errorf("%+v", a)
			}
			d.nothingDeleted(t, inodes)
			if c.want == 30 {
				s := open(t, d.dir)
				after := map[string]bool{}
				for _, id := range idsOf(t, s) {
					after[id] = true
				}
				missing := 0
				for id := range before {
					if !after[id] {
						missing++
					}
				}
				if missing != 1 { // the one that was forgotten
					t.Errorf("%d memories are missing", missing)
				}
			}
		})
	}
}

// previous stands for as many memories as the version before the newest holds.
const previous = -1

func (d damaged) rowsOf(t *testing.T, newest int) uint64 {
	t.Helper()
	list, err := manifest.List(d.table())
	if err != nil {
		t.Fatal(err)
	}
	m, err := manifest.Read(d.table(), list[newest])
	if err != nil {
		t.Fatal(err)
	}
	return m.Rows()
}

// stored are the ids there were.
func (d damaged) stored(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, m := range d.all {
		all[m.ID] = true
	}
	return all
}

func (d damaged) versionFile(t *testing.T, newest int) string {
	t.Helper()
	list, err := manifest.List(d.table())
	if err != nil || len(list) <= newest {
		t.Fatalf("%v, %v", list, err)
	}
	return list[newest].File
}

func (d damaged) versionCount(t *testing.T) int {
	t.Helper()
	list, err := manifest.List(d.table())
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func (d damaged) indexFile(t *testing.T) string {
	t.Helper()
	for _, ix := range d.head.Indexes {
		for _, f := range ix.Files {
			if strings.Contains(f.Path, "invert") {
				return f.Path
			}
		}
	}
	t.Fatalf("no index with files in %+v", d.head.Indexes)
	return ""
}

// inodes are the files of rows and versions as they are after the damage.
func (d damaged) inodes(t *testing.T) map[string]os.FileInfo {
	t.Helper()
	all := map[string]os.FileInfo{}
	for _, dir := range []string{"data", "_deletions", "_versions"} {
		names, _ := filepath.Glob(filepath.Join(d.table(), dir, "*"))
		for _, name := range names {
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			all[name] = info
		}
	}
	return all
}

// nothingDeleted: every file there was is still there, under its name or set aside.
func (d damaged) nothingDeleted(t *testing.T, before map[string]os.FileInfo) {
	t.Helper()
	var kept []os.FileInfo
	err := filepath.WalkDir(d.dir, func(_ string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			info, ierr := e.Info()
			kept, err = append(kept, info), ierr
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, info := range before {
		if !strings.HasSuffix(name, "hint.json") && !slices.ContainsFunc(kept, func(k os.FileInfo) bool { return os.SameFile(k, info) }) {
			t.Errorf("%s is gone", name)
		}
	}
}

// TestTornManifestAtEveryLength cuts the newest manifest, whose change is in the
// journal, at each kind of place.
func TestTornManifestAtEveryLength(t *testing.T) {
	noHandlesLeft(t)
	d := thirty(t, true, false)
	file := d.versionFile(t, 0)
	whole, err := os.ReadFile(filepath.Join(d.table(), file))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 3, 4, 15, 16, 20, len(whole) / 2, len(whole) - 17, len(whole) - 16, len(whole) - 4, len(whole) - 1} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			c := damaged{dir: t.TempDir(), all: d.all}
			if err := os.CopyFS(c.dir, os.DirFS(d.dir)); err != nil {
				t.Fatal(err)
			}
			c.cut(t, file, int64(n))
			s := open(t, c.dir)
			if n := total(t, s); n != 30 {
				t.Errorf("%d memories", n)
			}
			a := c.aside(t)
			if kept, err := os.ReadFile(filepath.Join(a.Dir, file)); err != nil || len(kept) != n {
				t.Errorf("set aside: %d bytes, %v", len(kept), err)
			}
		})
	}
}

// TestReadOnlyDamage: nothing is changed where nothing may be, and it is said.
func TestReadOnlyDamage(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Log("as root every directory can be written to; the store is told that this one cannot")
	}
	noHandlesLeft(t)
	d := thirty(t, false, false)
	d.cut(t, d.data(0), 10)
	s := &Store{path: d.dir, state: d.dir, local: true, readOnly: errors.New("read-only file system"), log: slog.New(slog.DiscardHandler)}
	if err := s.heal(t.Context()); err != nil {
		t.Errorf("rows that can be read are to be read: %v", err)
	}
	d.zero(t, d.versionFile(t, 0))
	var damage *DamageError
	if err := s.heal(t.Context()); !errors.As(err, &damage) || !strings.Contains(err.Error(), d.versionFile(t, 0)) {
		t.Errorf("a torn manifest: %v", err)
	}
	if list, err := asides(d.dir); err != nil || len(list) > 0 {
		t.Errorf("set aside: %v, %v", list, err)
	}
	if d.versionCount(t) != int(d.head.Number) {
		t.Error("a version was made or taken away")
	}
}

// TestRuntimeDamage: a file that vanishes under an open store is named by the read
// that needs it, and opening it anywhere mends the table.
func TestRuntimeDamage(t *testing.T) {
	for name, damage := range map[string]func(*testing.T, damaged){
		"gone": func(t *testing.T, d damaged) { d.remove(t, d.data(2)) },
		"cut":  func(t *testing.T, d damaged) { d.cut(t, d.data(2), 40) },
	} {
		t.Run(name, func(t *testing.T) {
			noHandlesLeft(t)
			d := thirty(t, false, false)
			s := open(t, d.dir)
			s.mending.close() // that it mends itself is another test
			damage(t, d)
			_, lerr := s.List(t.Context(), ListQuery{Who: everyone(), Limit: 100})
			_, nerr := s.Nearest(t.Context(), everyone(), memory.Narrow{}, vec("x"), 10)
			eerr := s.Each(t.Context(), everyone(), memory.Narrow{}, true, func([]memory.Memory) error { return nil })
			for verb, err := range map[string]error{"list": lerr, "nearest": nerr, "each": eerr} {
				var de *DamageError
				if !errors.As(err, &de) || !strings.Contains(err.Error(), d.data(2)) || !strings.Contains(err.Error(), "doctor --repair") {
					t.Errorf("%s: %v", verb, err)
				}
			}
			// Whoever opens it mends it for everybody.
			if got := d.exercise(t); got != 24 {
				t.Errorf("%d memories after opening again", got)
			}
			if n := len(idsOf(t, s)); n != 24 { // one was forgotten, one stored
				t.Errorf("%d memories in the store that was open all the time", n)
			}
			insert(t, s, mem("and it writes"))
		})
	}
}

// TestRunningStoreMendsItself: the first read that meets the damage fails, those
// after it find a whole table, and nobody had to open anything.
func TestRunningStoreMendsItself(t *testing.T) {
	noHandlesLeft(t)
	d := thirty(t, false, false)
	s := open(t, d.dir)
	d.cut(t, d.data(2), 40)
	var de *DamageError
	if _, err := s.List(t.Context(), ListQuery{Who: everyone(), Limit: 100}); !errors.As(err, &de) {
		t.Fatalf("reading a damaged table: %v", err)
	}
	s.mending.work.Wait()
	if n := len(idsOf(t, s)); n != 24 {
		t.Errorf("%d memories can be read, want 24", n)
	}
	insert(t, s, mem("and it writes"))
}
