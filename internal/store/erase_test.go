package store

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// planted is a word that nobody else says, in a form that is nowhere cut.
const planted = "quixotaph"

// filesWith lists the files under dir that hold a word, in any case.
func filesWith(t *testing.T, dir, word string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(bytes.ToLower(content), []byte(word)) {
			rel, _ := filepath.Rel(dir, path)
			list = append(list, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// scrubbing is what the engine does to a row of the journal, for one id.
func scrubbing(id string) func(*journal.Row) bool {
	return func(r *journal.Row) bool {
		if r.ID != id || r.Text == journal.Erased {
			return false
		}
		r.Text, r.Metadata, r.Vector = journal.Erased, "{}", nil
		return true
	}
}

func allRows(t *testing.T, s *Store) map[string]memory.Memory {
	t.Helper()
	rows := map[string]memory.Memory{}
	err := s.Each(t.Context(), everyone(), memory.Narrow{}, true, func(ms []memory.Memory) error {
		for _, m := range ms {
			rows[m.ID] = m
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// What was erased is in no file any more: not in data files among other rows, not
// in older versions, not in the words of the index, not in the journal. Everything
// else is as it was, also after the table was opened again.
func TestErase(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s := open(t, dir)
	many := numbered("The locker %d is empty", 300)
	victim := mem("The "+planted+" is kept in the attic", withID("0f8fad5b-d9cb-469f-a165-70867728950e"))
	insert(t, s, slices.Concat(many[:200], []memory.Memory{victim}, many[200:])...)
	// It was changed in place, so an older version says something else of it.
	victim.Text = "The " + planted + " was moved to the cellar"
	victim.Importance = 0.1
	err := s.Write(t.Context(), "test", func(tx *Tx) error { return tx.Update(victim) })
	if err != nil {
		t.Fatal(err)
	}
	insert(t, s, mem("The boiler is serviced in October"))
	if _, err := s.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(filesWith(t, dir, planted)) < 3 {
		t.Fatalf("the word is only in %v", filesWith(t, dir, planted))
	}
	// A write that never committed left a file, long ago.
	stray := filepath.Join(dir, tableName+".lance", "data", "stray.lance")
	if err := os.WriteFile(stray, []byte(planted), 0o600); err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(stray, past, past); err != nil {
		t.Fatal(err)
	}
	want := allRows(t, s)
	delete(want, victim.ID)
	repeats := want[many[0].ID]
	repeats.Metadata.FactKey = "cleaned"
	want[repeats.ID] = repeats

	update := repeats
	update.Vector = nil
	e, err := s.Erase(t.Context(), EraseRequest{
		IDs: []string{victim.ID, "00000000-0000-4000-8000-000000000001"}, Updates: []memory.Memory{update}, Scrub: scrubbing(victim.ID),
	})
	if err != nil {
		t.Fatal(err)
	}
	if e.Rows != 1 || e.Entries != 3 || e.Files != 1 || e.Versions == 0 || len(e.Indexes) == 0 || len(e.Left) != 0 {
		t.Errorf("erased %+v", e)
	}
	for range 2 {
		if left := filesWith(t, dir, planted); len(left) > 0 {
			t.Errorf("the word is still in %v", left)
		}
		if diff := cmp.Diff(want, allRows(t, s)); diff != "" {
			t.Errorf("the other rows (-want +got)\n%s", diff)
		}
		if got := matching(t, s, "boiler October", 5); len(got) != 1 {
			t.Errorf("keyword search finds %v", got)
		}
		if got := matching(t, s, planted, 5); len(got) != 0 {
			t.Errorf("keyword search finds %v", got)
		}
		hits, err := s.Nearest(t.Context(), everyone(), memory.Narrow{}, vec(many[7].Text), 1)
		if err != nil || len(hits) != 1 || hits[0].Memory.ID != many[7].ID {
			t.Errorf("nearest: %v, %v", hits, err)
		}
		versions, err := manifest.List(filepath.Join(dir, tableName+".lance"))
		if err != nil || len(versions) != 1 {
			t.Errorf("%d versions are left, %v", len(versions), err)
		}
		for _, r := range history(t, s, victim.ID) {
			for _, c := range r.Changes {
				for _, row := range []*journal.Row{c.Before, c.After} {
					if row != nil && c.ID == victim.ID && row.Text != journal.Erased {
						t.Errorf("change %d still says %q", r.Seq, row.Text)
					}
				}
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = open(t, dir)
	}
	insert(t, s, mem("Life goes on"))
}

func history(t *testing.T, s *Store, id string) []journal.Recorded {
	t.Helper()
	list, err := s.History(id)
	if err != nil || len(list) == 0 {
		t.Errorf("the history has %d changes, %v", len(list), err)
	}
	return list
}

// A memory that was deleted before is erased the same way, and erasing twice does
// no harm.
func TestEraseOfWhatIsDeleted(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s := open(t, dir)
	victim := mem("The " + planted + " is kept in the attic")
	insert(t, s, victim, mem("The boiler is serviced in October"))
	remove(t, s, victim.ID)
	r := EraseRequest{IDs: []string{victim.ID}, Scrub: scrubbing(victim.ID)}
	for i := range 2 {
		e, err := s.Erase(t.Context(), r)
		if err != nil || e.Rows != 0 || len(e.Left) != 0 || (e.Entries > 0) != (i == 0) {
			t.Errorf("erased %+v, %v", e, err)
		}
		if left := filesWith(t, dir, planted); len(left) > 0 {
			t.Errorf("the word is still in %v", left)
		}
	}
	if n := total(t, s); n != 1 {
		t.Errorf("%d rows are left, want 1", n)
	}
}

// A file that another program may be about to commit is left alone, and named.
func TestEraseLeavesYoungFiles(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s := open(t, dir)
	victim := mem("something")
	insert(t, s, victim)
	young := filepath.Join(dir, tableName+".lance", "data", "young.lance")
	if err := os.WriteFile(young, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := s.Erase(t.Context(), EraseRequest{IDs: []string{victim.ID}, Scrub: scrubbing(victim.ID)})
	if err != nil || len(e.Left) != 1 || !strings.Contains(e.Left[0], young) {
		t.Errorf("left %q, %v", e.Left, err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Error(err)
	}
}

// Readers and writers of the same process go on while something is erased.
func TestEraseBesideOthers(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	victims := numbered("The "+planted+" number %d", 5)
	insert(t, s, slices.Concat(victims, numbered("The locker %d is empty", 100))...)
	stop, done := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		defer func() { done <- n }()
		for {
			select {
			case <-stop:
				return
			default:
			}
			if err := s.Write(t.Context(), "test", func(tx *Tx) error { return tx.Create(mem("written meanwhile")) }); err != nil {
				t.Errorf("writing: %v", err)
				return
			}
			n++
		}
	}()
	for _, v := range victims {
		if _, err := s.Erase(t.Context(), EraseRequest{IDs: []string{v.ID}, Scrub: scrubbing(v.ID)}); err != nil {
			t.Error(err)
		}
		if got := matching(t, s, "locker", 3); len(got) != 3 {
			t.Errorf("keyword search finds %v", got)
		}
	}
	close(stop)
	if n := int64(<-done); total(t, s) != 100+n {
		t.Errorf("%d rows, want 100 and %d written meanwhile", total(t, s), n)
	}
}

// While maintenance runs, in any process, erasing waits, gives up in time, and is
// complete when it is repeated.
func TestEraseBehindMaintenance(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s := open(t, dir, func(o *Options) { o.LockTimeout = 200 * time.Millisecond })
	victim := mem("The " + planted + " is kept in the attic")
	insert(t, s, victim, mem("The boiler is serviced in October"))
	fold := newFlock(filepath.Join(dir, foldFile))
	if ok, err := fold.TryLock(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	r := EraseRequest{IDs: []string{victim.ID}, Scrub: scrubbing(victim.ID)}
	e, err := s.Erase(t.Context(), r)
	if err == nil || !strings.Contains(err.Error(), "repeat") || e.Rows != 1 {
		t.Errorf("erased %+v, %v", e, err)
	}
	if len(filesWith(t, dir, planted)) == 0 {
		t.Error("all of it is gone already: this tests nothing")
	}
	insert(t, s, mem("Life goes on"))
	if err := fold.Unlock(); err != nil {
		t.Fatal(err)
	}
	if e, err := s.Erase(t.Context(), r); err != nil || e.Rows != 0 || len(e.Left) > 0 {
		t.Errorf("repeated: %+v, %v", e, err)
	}
	if left := filesWith(t, dir, planted); len(left) > 0 {
		t.Errorf("the word is still in %v", left)
	}
}

// In object storage the same is gone from the table; what is not ours to remove
// there is named.
func TestEraseInObjectStorage(t *testing.T) {
	f := newFarEnd(t)
	noHandlesLeft(t)
	s := open(t, f.Path, f.options)
	victim := mem("The " + planted + " is kept in the attic")
	insert(t, s, victim, mem("The boiler is serviced in October"))
	insert(t, s, mem("Life goes on"))
	e, err := s.Erase(t.Context(), EraseRequest{IDs: []string{victim.ID}, Scrub: scrubbing(victim.ID)})
	if err != nil || e.Rows != 1 || e.Versions == 0 || len(e.Left) != 1 || !strings.Contains(e.Left[0], "bucket") {
		t.Errorf("erased %+v, %v", e, err)
	}
	if left := filesWith(t, f.StateDir, planted); len(left) > 0 {
		t.Errorf("the word is still in %v", left)
	}
	if rows := allRows(t, s); len(rows) != 2 {
		t.Errorf("left are %v", rows)
	}
	if got := matching(t, s, "boiler October", 5); len(got) != 1 {
		t.Errorf("keyword search finds %v", got)
	}
}
