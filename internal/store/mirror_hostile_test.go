package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// TestMirrorStoppedHalfway: a reader gives up while rows are being read, and before the
// next one comes they lie in another fragment, and one of them is deleted.
func TestMirrorStoppedHalfway(t *testing.T) {
	noHandlesLeft(t)
	path := t.TempDir()
	s, other := open(t, path), open(t, path)
	s.janitor.stop()
	other.janitor.stop()
	insert(t, s, numbered("old %d", 40)...)
	m := withMirror(t, s)
	more := numbered("more %d", 300) // more than one page
	insert(t, other, more...)
	now, err := s.editionNow(t.Context(), m.at)
	if err != nil {
		t.Fatal(err)
	}
	v, err := manifest.Read(tableDir(s.path), now.version)
	if err != nil {
		t.Fatal(err)
	}
	m.mu.Lock()
	m.at = edition{}
	m.mu.Unlock()
	ctx, cancel := context.WithCancel(t.Context())
	page := lance.ScanQuery{Filter: between(m.compare(v).fresh[0], 0, syncRange)}
	if n, err := s.takeRows(ctx, m, page); err != nil || n != syncRange { // the first page, and no other
		t.Fatal(n, err)
	}
	cancel()
	remove(t, other, more[3].ID)
	if _, err := other.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.mirrorFresh(t.Context()); got != m {
		t.Fatal("the rows were given up")
	}
	sameAsTable(t, s, m)
}

// TestMirrorReadsAhead: while the table is read for the first time another program
// adds rows, and moves them before the next search.
func TestMirrorReadsAhead(t *testing.T) {
	noHandlesLeft(t)
	path := t.TempDir()
	s, other := open(t, path), open(t, path)
	s.janitor.stop()
	other.janitor.stop()
	insert(t, s, numbered("old %d", 400)...)
	m := newMirror(width)
	now, err := s.editionNow(t.Context(), m.at)
	if err != nil {
		t.Fatal(err)
	}
	v, err := manifest.Read(tableDir(s.path), now.version)
	if err != nil {
		t.Fatal(err)
	}
	added := mem("added")
	insert(t, other, added, mem("added, too"))
	if err := s.take(t.Context(), m, m.compare(v)); err != nil {
		t.Fatal(err)
	}
	if m.whole() {
		m.settle(now, 0)
	}
	remove(t, other, added.ID)
	if _, err := other.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.sync(t.Context(), m, 0); err != nil {
		t.Fatal(err)
	}
	put(s, m)
	sameAsTable(t, s, m)
}

// TestMirrorOfANumberTakenAgain: the newest version is set aside and its number given
// to another, with a fragment of the same number and size; then others follow.
func TestMirrorOfANumberTakenAgain(t *testing.T) {
	noHandlesLeft(t)
	path := t.TempDir()
	s := open(t, path)
	s.janitor.stop()
	insert(t, s, numbered("old %d", 40)...)
	withMirror(t, s)
	insert(t, s, mem("taken back"))
	for range 2 {
		if _, err := s.Nearest(t.Context(), everyone(), memory.Narrow{}, vec("taken back"), 1); err != nil {
			t.Fatal(err)
		}
	}
	list, err := manifest.List(tableDir(path))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(tableDir(path), list[0].File), filepath.Join(t.TempDir(), "aside")); err != nil {
		t.Fatal(err)
	}
	fresh := mem("put there!")
	rec, err := s.layout().encode([]change{{present: true, mem: fresh}})
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	aloneAdd(t, path, rec)
	for i := range 3 {
		hits, err := s.Nearest(t.Context(), everyone(), memory.Narrow{}, vec("put there!"), 1)
		if err != nil || len(hits) != 1 || hits[0].Memory.Text != "put there!" {
			t.Errorf("found %v, %v", texts(hits), err)
		}
		if m := s.mirrored.held(); m != nil {
			sameAsTable(t, s, m)
		}
		later, err := s.layout().encode([]change{{present: true, mem: mem(fmt.Sprint("later ", i))}})
		if err != nil {
			t.Fatal(err)
		}
		aloneAdd(t, path, later)
		later.Release()
	}
}

// aloneAdd adds rows as a process would that has not read the table before.
func aloneAdd(t *testing.T, path string, rec arrow.Record) {
	t.Helper()
	db, err := lance.Connect(t.Context(), path, lance.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	table, err := db.OpenTable(t.Context(), tableName)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if err := table.Add(t.Context(), rec); err != nil {
		t.Fatal(err)
	}
}

// TestNobodyWaitsForTheBackground: of two halves of a search the one finds that too much
// was written to be read at once; the other, which waits for its turn, asks LanceDB, too.
func TestNobodyWaitsForTheBackground(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	s.janitor.stop()
	insert(t, s, numbered("row %d", 30)...)
	m := withMirror(t, s)
	r := &s.mirrored
	r.syncing.Lock()
	second := make(chan *mirror)
	go func() { second <- s.mirrorSynced(t.Context(), m, edition{}) }()
	r.mu.Lock()
	m.mu.RLock() // so that the reading in the background cannot end
	s.readInBackground(m)
	r.mu.Unlock()
	r.syncing.Unlock()
	if got := <-second; got != nil {
		t.Error("it was brought up to date beside the reading")
	}
	m.mu.RUnlock()
	r.work.Wait()
	if r.held() != m {
		t.Error("it was not taken up again")
	}
}
