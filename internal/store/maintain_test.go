package store

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

func state(t *testing.T, s *Store) IndexState {
	t.Helper()
	st, err := s.TextIndex(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// TestIndexFollowsSingleStores stores rows one at a time: each is found at once,
// maintenance folds them in, and deleting all that were indexed leaves the rest
// findable and sorted.
func TestIndexFollowsSingleStores(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	rows := numbered("common word and token%d", 250)
	for _, m := range rows {
		insert(t, s, m)
	}
	for _, q := range []string{"token0", "token249"} {
		if got := matching(t, s, q, 3); len(got) != 1 {
			t.Errorf("%s finds %q, want one row", q, got)
		}
	}
	if _, err := s.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if st := state(t, s); !st.Present || st.Unindexed > foldAfter || st.Tokenizer != "icu" {
		t.Errorf("after maintenance the index is %+v", st)
	}
	late := numbered("common word and late%d", 5)
	insert(t, s, late...)
	var gone []string
	for _, m := range rows {
		gone = append(gone, m.ID)
	}
	remove(t, s, gone...)
	for _, when := range []string{"at once", "after maintenance"} {
		if got := matching(t, s, "common word", 300); len(got) != len(late) {
			t.Errorf("%s: %d rows found, want %d", when, len(got), len(late))
		}
		if got := matching(t, s, "late3 common", 300); len(got) != len(late) || got[0] != late[3].Text {
			t.Errorf("%s: found %q, want %q first", when, got, late[3].Text)
		}
		if _, err := s.Maintain(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestMaintainChangesNoAnswer maintains again and again, without and with new rows.
func TestMaintainChangesNoAnswer(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	insert(t, s, numbered("subject%d is discussed in meeting", 100)...)
	ask := func() (got [][]string) {
		for i := range 10 {
			got = append(got, matching(t, s, fmt.Sprintf("subject%d", i*9), 5))
		}
		return got
	}
	want := ask()
	for i := range 25 {
		if i >= 5 {
			insert(t, s, mem(fmt.Sprintf("extra row %d", i)))
		}
		if _, err := s.Maintain(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, ask()); diff != "" {
			t.Fatalf("after run %d (-want +got):\n%s", i, diff)
		}
	}
}

// TestBackgroundFold wakes the janitor by writing and waits for it by closing.
func TestBackgroundFold(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s := open(t, dir)
	swept := make(chan effort, 1)
	s.janitor.swept = swept
	insert(t, s, numbered("row %d", foldAfter)...)
	<-swept
	if st := state(t, s); st.Unindexed != 0 {
		t.Errorf("after %d modifications the index is %+v", foldAfter, st)
	}
}

// TestDiskStaysBounded writes and updates one row at a time. With old versions
// expired, maintenance leaves about what a fresh import takes.
func TestDiskStaysBounded(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s := open(t, dir)
	rows := numbered("row %d of the bounded table", 60)
	for _, m := range rows {
		insert(t, s, m)
	}
	for _, m := range rows[:30] {
		m.Importance = 0.1
		if err := s.Write(t.Context(), "test", func(tx *Tx) error { return tx.Update(m) }); err != nil {
			t.Fatal(err)
		}
	}
	before, _ := usage(t, dir)
	s.janitor.stop()
	s.janitor.keep = 0
	r, err := s.Maintain(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	after, size := usage(t, dir)
	if r.VersionsPruned == 0 || after >= before/3 {
		t.Errorf("%+v; %d files before, %d after", r, before, after)
	}
	fresh := t.TempDir()
	f := open(t, fresh)
	insert(t, f, rows...)
	if _, err := f.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, freshSize := usage(t, fresh); size > 3*freshSize {
		t.Errorf("%d bytes, a fresh import takes %d", size, freshSize)
	}
	if n := total(t, s); n != 60 {
		t.Errorf("%d rows, want 60", n)
	}
}

// TestLargeFilesStay shows that merging is bounded: a file of many rows is not
// written again for the sake of a few new ones.
func TestLargeFilesStay(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	s.janitor.stop()
	insert(t, s, numbered("imported row %d", fileRows)...)
	if r, err := s.Maintain(t.Context()); err != nil || r.FilesMerged != 0 {
		t.Errorf("after an import: %+v, %v", r, err)
	}
	for _, m := range numbered("late row %d", 3) {
		insert(t, s, m)
	}
	if r, err := s.Maintain(t.Context()); err != nil || r.FilesMerged != 3 {
		t.Errorf("after three stores: %+v, %v; want the three small files merged", r, err)
	}
	if n := total(t, s); n != fileRows+3 {
		t.Errorf("%d rows, want %d", n, fileRows+3)
	}
}

// usage counts files and bytes below dir.
func usage(t *testing.T, dir string) (files int, size int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		fi, err := d.Info()
		if err == nil {
			files++
			size += fi.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, size
}

// TestMaintainBesideWriters keeps writing and reading while one process
// maintains with no retention at all and another reads.
func TestMaintainBesideWriters(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s, reader := open(t, dir), open(t, dir)
	s.janitor.stop()
	s.janitor.keep = time.Second
	rows := numbered("steady row %d", 30)
	insert(t, s, rows...)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	loop := func(fn func() error) {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := fn(); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	loop(func() error { _, err := s.Maintain(t.Context()); return err })
	loop(func() error {
		hits, err := reader.Matching(t.Context(), everyone(), memory.Narrow{}, "steady", 100)
		if err == nil && len(hits) != len(rows) {
			err = fmt.Errorf("%d rows found, want %d at every moment", len(hits), len(rows))
		}
		return err
	})
	for i := range 40 {
		m := rows[i%len(rows)]
		m.Metadata.AccessCount = i
		err := s.Write(t.Context(), "test", func(tx *Tx) error { return tx.Update(m) })
		if err != nil {
			t.Error(err)
		}
		if got, err := reader.Get(t.Context(), everyone(), m.ID); err != nil || got.Metadata.AccessCount != i {
			t.Errorf("update %d reads back as %d, %v", i, got.Metadata.AccessCount, err)
		}
	}
	close(stop)
	wg.Wait()
	if n := total(t, reader); n != int64(len(rows)) {
		t.Errorf("%d rows, want %d", n, len(rows))
	}
}

// TestIndexOfAnother replaces an index as the Node package makes it.
func TestIndexOfAnother(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s := open(t, dir)
	insert(t, s, mem("部署方案：周三晚上用蓝绿发布更新支付网关"), mem("The Who play on Friday"))
	err := s.table.CreateTextIndex(t.Context(), colText, lance.TextIndexOptions{
		Tokenizer: "simple", Stem: true, LowerCase: true, ASCIIFolding: true, RemoveStopWords: true, WithPosition: true, Replace: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := matching(t, s, "the who", 3); len(got) != 0 {
		t.Fatalf("the other index finds %q; the test proves nothing", got)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	for _, q := range []string{"the who", "蓝绿发布"} {
		if got := matching(t, s, q, 3); len(got) != 1 {
			t.Errorf("%s finds %q after opening", q, got)
		}
	}
	version, err := s.table.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again := open(t, dir)
	if v, _ := again.table.Version(t.Context()); v != version {
		t.Errorf("opening again made version %d of %d: the index is replaced each time", v, version)
	}
}

// TestDroppedIndex: without an index rows are read one by one, and found all the
// same; maintenance notices, and the next write puts the index back.
func TestDroppedIndex(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	insert(t, s, mem("zylophrast"))
	ix, err := s.findTextIndex(t.Context())
	if err != nil || ix == nil {
		t.Fatalf("no index: %v", err)
	}
	if err := s.table.DropIndex(t.Context(), ix.Name); err != nil {
		t.Fatal(err)
	}
	if state(t, s).Present {
		t.Error("the dropped index is reported as present")
	}
	if got := matching(t, s, "zylophrast", 3); len(got) != 1 {
		t.Errorf("without an index: %q", got)
	}
	if _, err := s.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	insert(t, s, mem("something else"), mem("more"))
	insert(t, s, mem("the batch before is over when this one runs"))
	if got := matching(t, s, "zylophrast", 3); !slices.Equal(got, []string{"zylophrast"}) {
		t.Errorf("after the next write: %q", got)
	}
	if !state(t, s).Present {
		t.Error("the next write did not put the index back")
	}
}
