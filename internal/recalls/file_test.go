package recalls

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

var day = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

func entry(n int, query string) Entry {
	return Entry{ID: fmt.Sprintf("%08x", n), At: day.Add(time.Duration(n) * time.Second), Source: "manual", Agent: "main", Query: query, Limit: 3}
}

func read(t *testing.T, f *File) []Entry {
	t.Helper()
	list, err := f.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestEntriesComeBackWhole(t *testing.T) {
	f := In(t.TempDir())
	if got := read(t, f); len(got) != 0 {
		t.Errorf("before the first: %v", got)
	}
	full := entry(2, "Which gate? «ü»\n<b>")
	full.Narrow, full.Without = &memory.Narrow{HideArchived: true, Since: day}, map[string]string{"a": "repeated"}
	full.Stages, full.Hits = []Stage{{"fuse", 3, 2, time.Millisecond}}, []Hit{{"a", 0.5}}
	full.Drops, full.Dropped, full.Degraded = map[string]int{"limit": 1}, []string{"b"}, []string{"vector"}
	want := []Entry{entry(1, "one"), full}
	if err := f.Append(t.Context(), want...); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, read(t, In(f.dir))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for id, want := range map[string]bool{"a": true, "b": false, "c": false} {
		if full.Found(id) != want {
			t.Errorf("found %s: %t", id, !want)
		}
	}
	info, err := os.Stat(f.path(current))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// The record stays within its bounds and keeps the newest.
func TestBounds(t *testing.T) {
	for name, size := range map[string]int{"many": 10, "large": 30_000} {
		t.Run(name, func(t *testing.T) {
			f := In(t.TempDir())
			query := string(make([]byte, size))
			for n := range 3 * maxEntries {
				if err := f.Append(t.Context(), entry(n, query)); err != nil {
					t.Fatal(err)
				}
			}
			var bytes int64
			for _, path := range f.Paths() {
				info, err := os.Stat(path)
				if err != nil {
					t.Fatal(err)
				}
				bytes += info.Size()
			}
			list := read(t, f)
			if len(list) > 2*maxEntries || bytes > 2*maxBytes || len(list) < 5 {
				t.Errorf("%d entries, %d bytes", len(list), bytes)
			}
			if size == 10 && len(list) < maxEntries {
				t.Errorf("only %d entries", len(list))
			}
			if last := list[len(list)-1].ID; last != entry(3*maxEntries-1, "").ID {
				t.Errorf("the last is %s", last)
			}
		})
	}
	f := In(t.TempDir())
	if err := f.Append(t.Context(), entry(1, string(make([]byte, 2*maxBytes))), entry(2, "small")); err != nil {
		t.Fatal(err)
	}
	if list := read(t, f); len(list) != 1 {
		t.Errorf("%d entries beside one that is too large", len(list))
	}
}

// A process that dies while it writes costs its own entry and no other.
func TestUnfinishedLine(t *testing.T) {
	f := In(t.TempDir())
	if err := f.Append(t.Context(), entry(1, "one")); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(f.path(current), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(`{"id":"0000`); err != nil {
		t.Fatal(err)
	}
	_ = file.Close()
	if err := f.Append(t.Context(), entry(2, "two")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Entry{entry(1, "one"), entry(2, "two")}, read(t, f)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Several processes write at once, through a change of generations and a removal.
func TestManyWriters(t *testing.T) {
	dir := t.TempDir()
	const writers, each = 8, 40
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			f := In(dir)
			for n := range each {
				if err := f.Append(context.Background(), entry(1000*w+n, "q")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Go(func() {
		if _, _, err := In(dir).Clean(context.Background(), func(e *Entry) bool { return e.Query != "none" }); err != nil {
			t.Error(err)
		}
	})
	wg.Wait()
	seen := map[string]bool{}
	for _, e := range read(t, In(dir)) {
		seen[e.ID] = true
	}
	if len(seen) != writers*each {
		t.Errorf("%d entries, want %d", len(seen), writers*each)
	}
}

func TestCleanAndClear(t *testing.T) {
	f := In(t.TempDir())
	none := func(*Entry) bool { return false }
	if looked, removed, err := f.Clean(t.Context(), none); looked+removed != 0 || err != nil {
		t.Errorf("of nothing: %d, %d, %v", looked, removed, err)
	}
	for n := range maxEntries + 10 { // two generations
		if err := f.Append(t.Context(), entry(n, fmt.Sprint("query ", n%2))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(f.path(older), append([]byte("no entry, but words\n"), must(os.ReadFile(f.path(older)))...), 0o600); err != nil {
		t.Fatal(err)
	}
	looked, removed, err := f.Clean(t.Context(), func(e *Entry) bool { return e.Query != "query 1" })
	if looked != maxEntries+11 || removed != maxEntries/2+6 || err != nil {
		t.Errorf("looked at %d, removed %d, %v", looked, removed, err)
	}
	for _, e := range read(t, f) {
		if e.Query == "query 1" {
			t.Error("still there")
		}
	}
	if err := f.Append(t.Context(), entry(5000, "after")); err != nil {
		t.Fatal(err)
	}
	if err := f.Clear(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(f.path(".*")); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	if err := f.Append(t.Context(), entry(5001, "after")); err != nil {
		t.Fatal(err)
	}
	if list := read(t, f); len(list) != 1 {
		t.Errorf("%d entries", len(list))
	}
}

// What is taken out of an entry is on the disk no more; the entry stays, and so does
// what others still hold of it in memory.
func TestCleanTakesOutIDs(t *testing.T) {
	f := In(t.TempDir())
	e := entry(1, "one")
	e.Hits, e.Dropped, e.Without = []Hit{{"aa", 0.5}}, []string{"bb", "cc"}, map[string]string{"bb": "shown", "dd": "shown"}
	if err := f.Append(t.Context(), e, entry(2, "two")); err != nil {
		t.Fatal(err)
	}
	looked, removed, err := f.Clean(t.Context(), func(e *Entry) bool { e.Unname("bb"); return true })
	if looked != 2 || removed != 0 || err != nil {
		t.Fatalf("looked at %d, removed %d, %v", looked, removed, err)
	}
	shared := e
	e.Unname("bb")
	if diff := cmp.Diff([]Entry{e, entry(2, "two")}, read(t, f)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if strings.Contains(string(must(os.ReadFile(f.path(current)))), "bb") || len(shared.Dropped) != 2 || shared.Dropped[0] != "bb" || len(shared.Without) != 2 {
		t.Errorf("still named on disk, or taken from others: %+v", shared)
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// A process that ends in the middle of a removal leaves a copy of what was kept. What
// is to be forgotten later is in it.
func TestNothingIsLeftOfAnInterruptedRemoval(t *testing.T) {
	for _, end := range []func(*File) error{
		func(f *File) error {
			_, _, err := f.Clean(context.Background(), func(e *Entry) bool { return e.Query != "private" })
			return err
		},
		(*File).Clear,
	} {
		f := In(t.TempDir())
		if err := f.Append(t.Context(), entry(1, "private"), entry(2, "other")); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{current, older} {
			if err := os.WriteFile(f.path(name+".123456"), must(os.ReadFile(f.path(current))), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := end(f); err != nil {
			t.Fatal(err)
		}
		left, _ := filepath.Glob(f.path(".*"))
		for _, path := range left {
			if strings.Contains(string(must(os.ReadFile(path))), "private") {
				t.Errorf("%s still has it", path)
			}
		}
	}
}

// A lock that is not given back costs an entry, in bounded time.
func TestWaitIsBounded(t *testing.T) {
	f := In(t.TempDir())
	held, err := f.hold(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := In(f.dir).Append(ctx, entry(1, "q")); err == nil {
		t.Error("no error")
	}
}
