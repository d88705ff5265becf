package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// tableUsage counts what lies in the table's own directory: the journal beside it
// has a bound of its own.
func tableUsage(t *testing.T, dir string) (files int, size int64) {
	t.Helper()
	return usage(t, tableDir(dir))
}

// TestTableStaysSmall stores, updates and deletes one row at a time, with the runs of
// maintenance that the janitor would make: files and versions are bounded
// meanwhile, and afterwards there is little more than in a fresh import.
func TestTableStaysSmall(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s := open(t, dir)
	s.janitor.stop()
	s.janitor.keep = 0
	commits, most := 0, 0
	write := func(fn func(*Tx) error) {
		t.Helper()
		if err := s.Write(t.Context(), "test", fn); err != nil {
			t.Fatal(err)
		}
		if commits++; commits%foldAfter == 0 {
			if _, err := s.maintain(t.Context(), effortFold); err != nil {
				t.Fatal(err)
			}
			files, _ := tableUsage(t, dir)
			most = max(most, files)
		}
	}
	rows := numbered("row %d of the bounded table", 240)
	for _, m := range rows {
		write(func(tx *Tx) error { return tx.Insert(m) })
	}
	for i := range 160 {
		m := &rows[i%len(rows)]
		m.Importance = float64(i%9) / 10
		write(func(tx *Tx) error { return tx.Update(*m) })
	}
	for i := range 40 {
		write(func(tx *Tx) error { return tx.Delete(rows[i].ID) })
	}
	rows = rows[40:]
	// Each version has a manifest, a transaction and at most one more file of its own.
	if most > 4*(maxVersions+foldAfter) {
		t.Errorf("%d files while rows were being written", most)
	}
	for _, e := range []effort{effortWhole, effortPrune} {
		if _, err := s.maintain(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	files, size := tableUsage(t, dir)

	fresh := t.TempDir()
	f := open(t, fresh)
	f.janitor.stop()
	f.janitor.keep = 0
	insert(t, f, rows...)
	for _, e := range []effort{effortWhole, effortPrune} {
		if _, err := f.maintain(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	freshFiles, freshSize := tableUsage(t, fresh)
	if files > freshFiles+10 || size > 2*freshSize || s.versionsOnDisk() > 1 {
		t.Errorf("%d files, %d bytes, %d versions; a fresh import has %d and %d", files, size, s.versionsOnDisk(), freshFiles, freshSize)
	}
	var ids []string
	for _, m := range rows {
		ids = append(ids, m.ID)
	}
	slices.Sort(ids)
	if diff := cmp.Diff(ids, all(t, s, everyone(), memory.Narrow{}, false, nil)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// TestVersionsAreCapped: a burst leaves more versions than are kept, and none of them
// is old enough to go by its age.
func TestVersionsAreCapped(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s := open(t, dir)
	s.janitor.stop()
	m := mem("a row that is updated again and again")
	insert(t, s, m)
	for i := range maxVersions + 20 {
		m.Importance = float64(i%2) / 2
		if err := s.Write(t.Context(), "test", func(tx *Tx) error { return tx.Update(m) }); err != nil {
			t.Fatal(err)
		}
	}
	before := s.versionsOnDisk()
	if _, err := s.maintain(t.Context(), effortPrune); err != nil {
		t.Fatal(err)
	}
	if n := s.versionsOnDisk(); n < maxVersions || before < maxVersions+20 {
		t.Errorf("%d of %d versions are left although a query may need them", n, before)
	}
	list, err := manifest.List(tableDir(dir))
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range list { // the same burst, a little while ago
		at := time.Now().Add(-keepLeast - time.Duration(i)*time.Second/10)
		if err := os.Chtimes(filepath.Join(tableDir(dir), v.File), at, at); err != nil {
			t.Fatal(err)
		}
	}
	if age := s.ageOfVersion(maxVersions); age < keepLeast || age > keepVersions {
		t.Errorf("version %d is %s old", maxVersions, age)
	}
}

// fiveCommits is a store of five rows in as many files. Nothing tidies it by itself,
// and when it is tidied no old version is kept.
func fiveCommits(t *testing.T) (*Store, string) {
	t.Helper()
	dir := t.TempDir()
	s := open(t, dir)
	s.janitor.stop()
	s.janitor.keep = 0
	for _, m := range numbered("row %d", 5) {
		insert(t, s, m)
	}
	return s, dir
}

// TestMergingFails: files that cannot be merged are named to the operator, and old
// versions are deleted all the same.
func TestMergingFails(t *testing.T) {
	noHandlesLeft(t)
	s, dir := fiveCommits(t)
	if u, err := ReadUpkeep(dir); err != nil || u != (Upkeep{}) {
		t.Errorf("before any maintenance: %+v, %v", u, err)
	}
	data, err := filepath.Glob(filepath.Join(tableDir(dir), "data", "*.lance"))
	if err != nil || len(data) == 0 {
		t.Fatalf("no data files: %v", err)
	}
	whole, err := os.ReadFile(data[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(data[0], 10); err != nil {
		t.Fatal(err)
	}
	if err := s.reopen(false); err != nil { // nothing of it is in the cache then
		t.Fatal(err)
	}
	before := s.versionsOnDisk()
	for i := 1; i <= 2; i++ {
		r, err := s.Maintain(t.Context())
		if err == nil {
			t.Fatalf("a torn file was merged: %+v", r)
		}
		u, rerr := ReadUpkeep(dir)
		if rerr != nil || u.Failures != i || u.LastError != err.Error() || !u.LastErrorAt.Equal(start) || !u.LastSuccess.IsZero() {
			t.Errorf("after %d failures of %v: %+v, %v", i, err, u, rerr)
		}
	}
	if n := s.versionsOnDisk(); n >= before {
		t.Errorf("%d versions before, %d after: nothing was deleted", before, n)
	}
	if err := os.WriteFile(data[0], whole, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.reopen(false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if u, err := ReadUpkeep(dir); err != nil || u.Failures != 0 || !u.LastSuccess.Equal(start) || u.LastError == "" {
		t.Errorf("after a success: %+v, %v", u, err)
	}
}

func TestUpkeepUnreadable(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s := open(t, dir)
	s.janitor.stop()
	if err := os.WriteFile(filepath.Join(dir, upkeepFile), []byte("{torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadUpkeep(dir); err == nil || !strings.Contains(err.Error(), "maintenance") {
		t.Errorf("a torn file reads as %v", err)
	}
	if _, err := s.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if u, err := ReadUpkeep(dir); err != nil || !u.LastRun.Equal(start) {
		t.Errorf("after maintenance: %+v, %v", u, err)
	}
}

// TestMaintenanceWaitsForNobody: another process has the write lock all the time. The
// indexes are folded and old versions deleted; only merging is left for later.
func TestMaintenanceWaitsForNobody(t *testing.T) {
	noHandlesLeft(t)
	s, dir := fiveCommits(t)
	s.lockTimeout = time.Millisecond
	other := open(t, dir, func(o *Options) { o.LockTimeout = time.Minute })
	other.janitor.stop()
	var r Report
	err := other.locked(t.Context(), "holding for a test", func() (err error) {
		r, err = s.maintain(t.Context(), effortFold)
		return err
	})
	if err != nil || !r.Postponed || r.Folded != 5 || r.FilesMerged != 0 || r.VersionsPruned == 0 {
		t.Errorf("%+v, %v; want rows folded, versions pruned and merging postponed", r, err)
	}
	s.lockTimeout = time.Minute
	if r, err := s.maintain(t.Context(), effortClean); err != nil || r.Postponed && r.FilesMerged > 0 {
		t.Errorf("with the lock free again: %+v, %v", r, err)
	}
}

// TestSchedule: with a schedule of the operator's old versions are kept as long as
// it says, and no longer.
func TestSchedule(t *testing.T) {
	noHandlesLeft(t)
	for _, tt := range []struct {
		name      string
		retention time.Duration
		kept      bool
	}{{"a week", 7 * 24 * time.Hour, true}, {"not at all", 0, false}} {
		t.Run(tt.name, func(t *testing.T) {
			swept := make(chan effort, 4)
			dir := t.TempDir()
			insert(t, open(t, dir), mem("so that there is a version to clean up"))
			s := open(t, dir, func(o *Options) {
				o.Upkeep = UpkeepOptions{Scheduled: true, First: time.Millisecond, Every: time.Hour, Retention: tt.retention}
				o.swept = swept
			})
			for e := range swept {
				if e == effortClean {
					break
				}
			}
			if n := s.versionsOnDisk(); n > 1 != tt.kept {
				t.Errorf("%d versions after the cleaning", n)
			}
			s.janitor.stop()
			s.janitor.keep = 0
			insert(t, s, mem("one"), mem("two"))
			before := s.versionsOnDisk()
			if _, err := s.maintain(t.Context(), effortPrune); err != nil {
				t.Fatal(err)
			}
			if n := s.versionsOnDisk(); n < before {
				t.Errorf("%d of %d versions were left by a run that is not on the schedule", n, before)
			}
		})
	}
}

// TestLeftToDo: what short-lived processes leave behind is tidied by the next one.
func TestLeftToDo(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s := open(t, dir)
	s.janitor.stop()
	for _, m := range numbered("row %d of a short-lived process", 2*tidyAfter) {
		insert(t, s, m)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	swept := make(chan effort, 4)
	s = open(t, dir, func(o *Options) { o.swept = swept })
	<-swept
	if n := s.smallFiles(fileRows); n > 1 {
		t.Errorf("%d small files are left", n)
	}
	if st := state(t, s); st.Unindexed != 0 {
		t.Errorf("the index is left as %+v", st)
	}
}

// recaller is a process that recalls until it is told to stop. An answer is complete
// or an error: without any retention a slow reader may find the files of each version
// gone that it tries. When the other process rests it has to work again.
func recaller(ctx context.Context, path string) int {
	s, err := Open(ctx, Options{Path: path, Dimensions: width})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer s.Close()
	recall := func() (complete bool, err error) {
		hits, err := s.Matching(ctx, everyone(), memory.Narrow{ActiveAt: start}, "steady", 100)
		near, nerr := s.Nearest(ctx, everyone(), memory.Narrow{ActiveAt: start}, vec("question"), 100)
		return len(hits) == steadyRows && len(near) == steadyRows, errors.Join(err, nerr)
	}
	fmt.Println("ready")
	told := make(chan struct{})
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		close(told)
	}()
	for complete := 0; ; {
		resting := false
		select {
		case <-told:
			resting = true
		default:
		}
		whole, err := recall()
		switch {
		case err == nil && !whole:
			fmt.Fprintln(os.Stderr, "a recall missed rows")
			return 1
		case err == nil:
			complete++
		case !errors.Is(err, lance.ErrNotFound) && !errors.Is(err, lance.ErrIO), resting:
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		if resting {
			if complete < 2 {
				fmt.Fprintln(os.Stderr, "no recall beside the writer was answered")
				return 1
			}
			return 0
		}
	}
}

const steadyRows = 30

// TestPruningBesideAnotherProcess: one process recalls, another updates and deletes
// old versions at once, without any retention.
func TestPruningBesideAnotherProcess(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s := open(t, dir)
	s.janitor.stop()
	s.janitor.keep = 0
	rows := numbered("steady row %d", steadyRows)
	insert(t, s, rows...)
	cmd, stop := startChild(t, "recall", dir)
	for i := range 60 {
		m := &rows[i%len(rows)]
		m.Importance = float64(i%9) / 10
		if err := s.Write(t.Context(), "test", func(tx *Tx) error { return tx.Update(*m) }); err != nil {
			t.Fatal(err)
		}
		e := effortPrune
		if i%5 == 4 {
			e = effortClean
		}
		if _, err := s.maintain(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the reading process: %v", err)
	}
	if n := total(t, s); n != steadyRows {
		t.Errorf("%d rows", n)
	}
}

// TestIndexWithPositions: maintenance of a table whose text index keeps positions, as
// that of the TypeScript plugin does, and which holds half of the rows.
func TestIndexWithPositions(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	s.janitor.stop()
	insert(t, s, numbered("first word and token%d", 100)...)
	theirs := textIndex
	theirs.WithPosition = true
	if err := s.table.CreateTextIndex(t.Context(), colText, theirs); err != nil {
		t.Fatal(err)
	}
	for _, m := range numbered("second word and later%d", 100) {
		insert(t, s, m)
	}
	for _, e := range []effort{effortFold, effortWhole, effortClean} {
		if _, err := s.maintain(t.Context(), e); err != nil {
			t.Fatalf("run %d: %v", e, err)
		}
		for _, q := range []string{"token99", "later99"} {
			if got := matching(t, s, q, 5); len(got) != 1 {
				t.Errorf("run %d: %s finds %q", e, q, got)
			}
		}
	}
}

// TestReopened: after many commits the table is opened anew beneath those who use it.
func TestReopened(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	s.janitor.stop()
	m := mem("heron by the water")
	insert(t, s, m)
	before := s.table
	s.fresh.opened.Store(-freshFor) // as if so many commits had been seen
	for range freshLook {
		if got := matching(t, s, "heron", 3); len(got) != 1 {
			t.Fatalf("found %q", got)
		}
	}
	if s.table == before {
		t.Error("the table was not opened anew")
	}
	if _, err := s.Get(t.Context(), everyone(), m.ID); err != nil {
		t.Error(err)
	}
	insert(t, s, mem("another heron"))

	// One that cannot be opened again is, as soon as it can be.
	moved := s.path
	s.path = filepath.Join(t.TempDir(), "nothing here")
	if err := s.reopen(false); err == nil {
		t.Fatal("an empty directory was opened")
	}
	if _, err := s.Get(t.Context(), everyone(), m.ID); err == nil {
		t.Error("a row was read without a table")
	}
	s.path = moved
	if got := matching(t, s, "heron", 3); len(got) != 2 {
		t.Errorf("found %q after it came back", got)
	}
	var closed *lance.Table
	if err := s.Close(); err != nil || s.table != closed {
		t.Errorf("closing: %v", err)
	}
	if err := s.reopen(false); err != ErrClosed { //nolint:errorlint // as it is
		t.Errorf("reopening a closed store: %v", err)
	}
}
