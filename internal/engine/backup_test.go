package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// clocked opens an engine that does nothing by itself, and a clock to turn.
func clocked(t *testing.T) (*fixture, func(time.Duration)) {
	var mu sync.Mutex
	moment := now
	f := start(t, nil, func(o *Options) {
		o.OneShot = true
		o.Now = func() time.Time { mu.Lock(); defer mu.Unlock(); return moment }
	})
	return f, func(d time.Duration) { mu.Lock(); defer mu.Unlock(); moment = moment.Add(d) }
}

func (f *fixture) database() *store.Store {
	f.t.Helper()
	db, err := f.opened(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	return db
}

func (f *fixture) backupState() BackupState {
	f.t.Helper()
	s, err := f.Backups(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	return s
}

func numbered(n int) []memory.Memory {
	ms := make([]memory.Memory, n)
	for i := range ms {
		text := fmt.Sprintf("Statement number %d", i)
		ms[i] = memory.Memory{ID: memory.DerivedID("numbered", fmt.Sprint(i)), Text: text, Category: memory.StoredFact, Scope: []string{"global", "agent:alice", "agent:bob"}[i%3],
			Importance: 0.5, Time: now.Add(-time.Duration(i) * time.Second), Metadata: memory.NewMetadata(text, memory.Cases, memory.SourceManual, now)}
	}
	return ms
}

// Peer-defect A11: a backup holds every row of every scope, however many, each
// line with the columns the TypeScript plugin's has, and all of it comes back.
func TestBackupIsWhole(t *testing.T) {
	f, _ := clocked(t)
	n := 10_500
	if testing.Short() {
		n = 1500
	}
	rows := numbered(n)
	for from := 0; from < n; from += 500 {
		f.put(rows[from:min(from+500, n)]...)
	}
	made, err := f.BackupNow(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(filepath.Dir(f.path), "backups", "memory-backup-2026-03-02.jsonl"); made.Path != want || made.Count != n {
		t.Errorf("%+v, want %d in %s", made, n, want)
	}
	content, err := os.ReadFile(made.Path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSuffix(content, []byte("\n")), []byte("\n"))
	if len(lines) != n+1 {
		t.Fatalf("%d lines for %d rows and the last one", len(lines), n)
	}
	for i, line := range lines[:n] {
		var row map[string]any
		if err := json.Unmarshal(line, &row); err != nil || len(row) != 7 {
			t.Fatalf("line %d: %v: %s", i+1, err, line)
		}
		for _, column := range []string{"id", "text", "category", "scope", "importance", "timestamp", "metadata"} {
			if row[column] == nil {
				t.Fatalf("line %d has no %s: %s", i+1, column, line)
			}
		}
	}
	before := f.export(ExportRequest{Format: "json"})
	for from := 0; from < n; from += 500 {
		ids := []string{}
		for _, m := range rows[from:min(from+500, n)] {
			ids = append(ids, m.ID)
		}
		if err := f.database().Write(t.Context(), "test", func(tx *store.Tx) error { return tx.Delete(ids...) }); err != nil {
			t.Fatal(err)
		}
	}
	if _, done, err := f.Restore(t.Context(), RestoreRequest{File: latest, DryRun: true}); err != nil || done.Imported != n || f.count() != 0 {
		t.Errorf("dry run: %+v, %v, %d rows", done, err, f.count())
	}
	from, done, err := f.Restore(t.Context(), RestoreRequest{File: latest})
	if err != nil || done.Imported != n || from.Path != made.Path {
		t.Errorf("restored %+v from %+v: %v", done, from, err)
	}
	// Without an embedder the rows wait for a vector, as they did not before.
	pending := strings.ReplaceAll(f.export(ExportRequest{Format: "json"}), `,\"embedding\":\"pending\"`, "")
	if before != pending {
		t.Errorf("what came back is not what was there")
	}
}

// A restore brings back what is missing; what has changed since stays, unless the
// backup is to win.
func TestRestoreKeepsWhatIsThere(t *testing.T) {
	f, turn := clocked(t)
	f.put(numbered(3)...)
	if _, err := f.BackupNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	turn(time.Hour)
	m := numbered(3)[1]
	m.Text = "Statement number one, corrected"
	if err := f.database().Write(t.Context(), "test", func(tx *store.Tx) error { return errors.Join(tx.Update(m), tx.Delete(numbered(3)[2].ID)) }); err != nil {
		t.Fatal(err)
	}
	_, done, err := f.Restore(t.Context(), RestoreRequest{File: latest})
	if err != nil || counts(done) != [4]int{1, 0, 2, 0} || done.Differing != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	if _, ok := f.all()[m.Text]; !ok {
		t.Error("the correction is gone")
	}
	_, done, err = f.Restore(t.Context(), RestoreRequest{File: latest, Overwrite: true})
	if err != nil || counts(done) != [4]int{0, 1, 2, 0} {
		t.Errorf("overwriting: %+v, %v", done, err)
	}
	if _, ok := f.all()["Statement number 1"]; !ok {
		t.Error("the backup did not win")
	}
}

// A backup is made when the newest is a day old; seven stay; one that is damaged
// counts for nothing and is not touched; another database's are let alone.
func TestDailyBackups(t *testing.T) {
	f, turn := clocked(t)
	daily := func() { f.backUpDaily(t.Context(), f.database()) }
	daily()
	if s := f.backupState(); len(s.Backups) != 0 || s.Overdue {
		t.Errorf("an empty database: %+v", s)
	}
	f.put(numbered(2)...)
	daily()
	first := f.backupState().Backups
	if len(first) != 1 || first[0].Count != 2 {
		t.Fatalf("%+v", first)
	}
	// Another database beside it has its own.
	other := reopen(t, filepath.Join(filepath.Dir(f.path), "other"), nil, func(o *Options) { o.OneShot = true })
	other.put(numbered(5)...)
	theirs, err := other.BackupNow(t.Context())
	if err != nil || theirs.Path == first[0].Path || theirs.Count != 5 {
		t.Fatalf("the other database's: %+v, %v", theirs, err)
	}
	for range 3 {
		turn(7 * time.Hour)
		daily()
	}
	if s := f.backupState(); len(s.Backups) != 1 || s.Backups[0] != first[0] {
		t.Errorf("within a day: %+v", s)
	}
	for day := range 12 {
		turn(24 * time.Hour)
		daily()
		if day != 5 {
			continue
		}
		// A byte of the newest goes wrong on the disk.
		path := f.backupState().Backups[0].Path
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, bytes.Replace(b, []byte("number 0"), []byte("number 9"), 1), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := f.backupState()
	good, bad := 0, 0
	for _, b := range s.Backups {
		if b.Problem == nil {
			good++
		} else {
			bad++
		}
	}
	if good != 7 || bad != 1 {
		t.Errorf("%d good, %d damaged: %+v", good, bad, s.Backups)
	}
	if b, err := f.VerifyBackup(t.Context(), theirs.Path); err != nil || b.Problem != nil || b.Count != 5 {
		t.Errorf("the other database's: %+v, %v", b, err)
	}
	if mode, err := os.Stat(s.Backups[0].Path); err != nil || mode.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v, %v", mode.Mode(), err)
	}
	turn(4 * 24 * time.Hour)
	if !f.backupState().Overdue {
		t.Error("not overdue after four days")
	}
	f.cfg.Backup.Enabled = false
	if f.backupState().Overdue {
		t.Error("overdue although it is switched off")
	}
}

// Several processes that want the daily backup make one.
func TestOneOfManyMakesTheBackup(t *testing.T) {
	f, _ := clocked(t)
	f.put(numbered(50)...)
	var wg sync.WaitGroup
	made := make(chan Backup, 8)
	for range 8 {
		wg.Go(func() {
			b, err := f.backUpIfDue(t.Context(), f.database())
			if err != nil {
				t.Error(err)
			}
			if b.Path != "" {
				made <- b
			}
		})
	}
	wg.Wait()
	if len(made) != 1 {
		t.Errorf("%d were made", len(made))
	}
}

// A failure is told once, counted for the operator who looks from another
// process, and over when a backup works.
func TestBackupFails(t *testing.T) {
	log := &logged{}
	moment := now
	f := start(t, nil, log.into, func(o *Options) { o.OneShot, o.Now = true, func() time.Time { return moment } })
	f.put(numbered(2)...)
	dir := filepath.Join(filepath.Dir(f.path), "backups")
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // where the directory should be
		t.Fatal(err)
	}
	for range 3 {
		f.backUpDaily(t.Context(), f.database())
	}
	if n := strings.Count(log.String(), "level=ERROR"); n != 1 || !strings.Contains(log.String(), "daily backup") {
		t.Errorf("told %d times: %s", n, log)
	}
	f.backups.mu.Lock()
	failures := f.backups.failures
	f.backups.mu.Unlock()
	if failures != 3 {
		t.Errorf("%d failures counted", failures)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	// Now the directory is there, and the file cannot be made.
	blocked := filepath.Join(dir, "memory-backup-2026-03-02.jsonl")
	if err := os.MkdirAll(blocked, 0o700); err != nil {
		t.Fatal(err)
	}
	f.backUpDaily(t.Context(), f.database())
	elsewhere := reopen(t, f.path, nil, func(o *Options) { o.OneShot = true })
	if s := elsewhere.backupState(); s.Failures != 4 || !strings.Contains(s.LastError, "is a directory") || !s.Overdue || !s.Since.Equal(now) {
		t.Errorf("seen from elsewhere: %+v", s)
	}
	if err := os.Remove(blocked); err != nil {
		t.Fatal(err)
	}
	moment = now.Add(time.Hour)
	f.backUpDaily(t.Context(), f.database())
	if s := elsewhere.backupState(); s.Failures != 0 || s.LastError != "" || len(s.Backups) != 1 {
		t.Errorf("after it worked: %+v", s)
	}
	if !strings.Contains(log.String(), "works again") {
		t.Errorf("nobody was told: %s", log)
	}
}

// What was there stays when a backup is not finished, and nothing half made is left.
func TestUnfinishedBackup(t *testing.T) {
	f, _ := clocked(t)
	f.put(numbered(2000)...)
	first, err := f.BackupNow(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.backUp(ctx, f.database(), func() (bool, error) { return true, nil }); err == nil {
		t.Error("made although nobody waits any more")
	}
	if b, err := f.VerifyBackup(t.Context(), latest); err != nil || b != first {
		t.Errorf("%+v, %v; want %+v", b, err, first)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(first.Path), ".memory-backup-2*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// A damaged backup is not restored from, and "latest" is the newest that is whole.
func TestRestoreFromDamage(t *testing.T) {
	f, turn := clocked(t)
	if _, _, err := f.Restore(t.Context(), RestoreRequest{File: latest}); FaultOf(err) != FaultNotFound {
		t.Errorf("without any: %v", err)
	}
	f.put(numbered(3)...)
	whole, err := f.BackupNow(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	turn(24 * time.Hour)
	cut, err := f.BackupNow(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(cut.Path, cut.Bytes/2); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Restore(t.Context(), RestoreRequest{File: cut.Path}); FaultOf(err) != FaultBadParams || !strings.Contains(err.Error(), "memory-pro import") {
		t.Errorf("from a damaged one: %v", err)
	}
	from, done, err := f.Restore(t.Context(), RestoreRequest{File: latest})
	if err != nil || from.Path != whole.Path || done.Skipped != 3 {
		t.Errorf("latest: %+v from %+v, %v", done, from, err)
	}
}

// The long-lived engine looks after it by itself, and ends in time.
func TestBackupGoroutineEnds(t *testing.T) {
	f := start(t, nil)
	f.put(numbered(1)...)
	begun := time.Now()
	if err := f.Close(); err != nil || time.Since(begun) > 10*time.Second {
		t.Errorf("closing took %s: %v", time.Since(begun), err)
	}
}

// A backup does not replace one of the same day that holds clearly more: that one
// is kept, told, found as the larger one, and stays beyond the others.
func TestSmallerBackupReplacesNothing(t *testing.T) {
	f, turn := clocked(t)
	rows := numbered(100)
	f.put(rows...)
	backUp := func() Backup {
		t.Helper()
		turn(time.Minute)
		b, err := f.BackupNow(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	shrink := func(to int) {
		t.Helper()
		var ids []string
		for _, m := range rows[to:] {
			ids = append(ids, m.ID)
		}
		rows = rows[:to]
		if err := f.database().Write(t.Context(), "test", func(tx *store.Tx) error { return tx.Delete(ids...) }); err != nil {
			t.Fatal(err)
		}
	}
	backUp()
	shrink(95)
	if b := backUp(); b.Kept != "" || b.Fell != 0 || len(f.backupState().Backups) != 1 {
		t.Errorf("a few less: %+v", b)
	}
	// Damage that waits for a repair: a few less are kept too.
	note := filepath.Join(f.path, setAside, "20260301T000000Z-data", "note.json")
	if err := errors.Join(os.MkdirAll(filepath.Dir(note), 0o700), os.WriteFile(note, []byte(`{"what":"data","rows":5}`), 0o600)); err != nil {
		t.Fatal(err)
	}
	shrink(94)
	damaged := backUp()
	if damaged.Kept == "" || damaged.Fell != 0 || len(f.backupState().Backups) != 2 {
		t.Errorf("with damage: %+v", damaged)
	}
	if err := os.RemoveAll(filepath.Join(f.path, setAside)); err != nil {
		t.Fatal(err)
	}
	shrink(40)
	lost := backUp()
	if !strings.HasSuffix(lost.Kept, ".kept-"+f.now().UTC().Format("150405")+".jsonl") || lost.Before != 94 || lost.Fell != 54 || lost.Count != 40 {
		t.Errorf("half is missing: %+v", lost)
	}
	if b, err := f.VerifyBackup(t.Context(), lost.Kept); err != nil || b.Problem != nil || b.Count != 94 {
		t.Errorf("what was kept: %+v, %v", b, err)
	}
	if b := backUp(); b.Kept != "" || b.Fell != 0 {
		t.Errorf("once more: %+v", b)
	}
	from, done, err := f.Restore(t.Context(), RestoreRequest{File: latest, DryRun: true})
	if err != nil || from.Count != 40 || from.Larger != damaged.Kept || from.More != 95 || done.Imported != 0 {
		t.Errorf("latest: %+v, %+v, %v", from, done, err)
	}
	for range 9 {
		turn(24 * time.Hour)
		backUp()
	}
	var counts []int
	for _, b := range f.backupState().Backups {
		counts = append(counts, b.Count)
	}
	if want := []int{40, 40, 40, 40, 40, 40, 40, 95}; !slices.Equal(counts, want) {
		t.Errorf("after many days %v, want %v", counts, want)
	}
	if _, done, err := f.Restore(t.Context(), RestoreRequest{File: damaged.Kept}); err != nil || done.Imported != 55 {
		t.Errorf("restored %+v, %v", done, err)
	}
	backUp()
	turn(24 * time.Hour)
	if backUp(); len(f.backupState().Backups) != 7 {
		t.Errorf("nothing is missing any more: %+v", f.backupState().Backups)
	}
}

// What a writer that was killed left is gone after the next backup, and beside a
// file that is written once it is an hour old.
func TestLeftoversGo(t *testing.T) {
	f, _ := clocked(t)
	f.put(numbered(1)...)
	dir := filepath.Join(filepath.Dir(f.path), "backups")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(t.TempDir(), "mine.jsonl")
	there := func(path string, age time.Duration) string {
		t.Helper()
		past := time.Now().Add(-age)
		if err := errors.Join(os.WriteFile(path, []byte("x"), 0o600), os.Chtimes(path, past, past)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	beside := func(name string, age time.Duration) string {
		return there(filepath.Join(filepath.Dir(target), name), age)
	}
	gone := []string{there(filepath.Join(dir, ".memory-backup-2026-03-01.jsonl.12.tmp"), 0), beside(".mine.jsonl.12.tmp", 2*time.Hour)}
	stay := []string{beside(".mine.jsonl.13.tmp", 0), beside(".mine.jsonl.own.tmp", 2*time.Hour), beside(".other.jsonl.12.tmp", 2*time.Hour)}
	if _, err := f.BackupNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Export(t.Context(), ExportRequest{Who: Operator(), File: target}); err != nil {
		t.Fatal(err)
	}
	for i, path := range append(gone, stay...) {
		if _, err := os.Stat(path); (err == nil) != (i >= len(gone)) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// What was being done is said once.
func TestErrorsSayOnceWhatWasDone(t *testing.T) {
	for _, c := range [][3]string{
		{"storing a memory", "storing a memory: the disk is full", "storing a memory: the disk is full"},
		{"importing", "importing memories: the disk is full", "importing memories: the disk is full"},
		{"storing a memory", "the disk is full", "storing a memory: the disk is full"},
		{undoing(5), "undoing change 51 stands in the way", "undoing change 5: undoing change 51 stands in the way"},
	} {
		if got := storage(c[0], errors.New(c[1])); got.Error() != c[2] || FaultOf(got) == "" {
			t.Errorf("%q, want %q", got, c[2])
		}
	}
	f := start(t, nil)
	db := f.database()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	err := storage("storing a memory", db.Write(t.Context(), "storing a memory", func(*store.Tx) error { return nil }))
	if err == nil || strings.Count(err.Error(), "storing a memory") != 1 {
		t.Errorf("the store is closed: %v", err)
	}
}
