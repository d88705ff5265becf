package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

func TestExamineChangesNothing(t *testing.T) {
	noHandlesLeft(t)
	dir := filepath.Join(t.TempDir(), "none")
	x, err := Examine(t.Context(), Options{Path: dir})
	if err != nil || x.Made || x.Writable != nil {
		t.Errorf("no directory: %+v, %v", x, err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the directory was made")
	}

	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if x, err := Examine(t.Context(), Options{Path: dir}); err != nil || x.Made {
		t.Errorf("empty directory: %+v, %v", x, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("it holds %v, %v", entries, err)
	}
}

func TestExamineCounts(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s := open(t, dir)
	err := s.Write(t.Context(), "test", func(tx *Tx) error {
		return tx.Insert(mem("one"), mem("two"), mem("three", func(m *memory.Memory) { m.Vector = nil }))
	})
	if err != nil {
		t.Fatal(err)
	}
	before, err := s.table.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	x, err := Examine(t.Context(), Options{Path: dir})
	if err != nil {
		t.Fatal(err)
	}
	if x.Files < 3 || x.Bytes < 1000 {
		t.Errorf("%d files, %d bytes", x.Files, x.Bytes)
	}
	if j := x.Journal; !j.Present || j.Entries != 1 || j.Unsettled != 0 || j.Bytes == 0 || !j.Newest.Equal(start) || j.Version == 0 || len(j.Damage) > 0 {
		t.Errorf("the journal: %+v", j)
	}
	x.Files, x.Bytes, x.Journal = 0, 0, JournalState{}
	x.Text.Indexed, x.Text.Unindexed = x.Text.Indexed+x.Text.Unindexed, 0
	want := Examination{
		Made: true, Rows: 3, Version: before, Width: width, Pending: 1,
		Text: IndexState{Present: true, Indexed: 3, Tokenizer: "icu"},
	}
	if diff := cmp.Diff(want, x); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if after, err := s.table.Version(t.Context()); err != nil || after != before {
		t.Errorf("version %d became %d, %v", before, after, err)
	}
}

func TestExamineSaysWhatIsInTheWay(t *testing.T) {
	noHandlesLeft(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var path *PathError
	if _, err := Examine(t.Context(), Options{Path: file}); !errors.As(err, &path) {
		t.Errorf("a file: %v", err)
	}
	if _, err := Examine(t.Context(), Options{Path: filepath.Join(file, "below")}); !errors.As(err, &path) {
		t.Errorf("below a file: %v", err)
	}
	torn := t.TempDir()
	if err := os.MkdirAll(filepath.Join(torn, "memories.lance", "_versions"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(torn, "memories.lance", "_versions", "1.manifest"), []byte("torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	if x, err := Examine(t.Context(), Options{Path: torn}); err != nil || x.Made || len(x.Damage) != 1 {
		t.Errorf("a torn table: %+v, %v", x, err)
	}
}

func TestLockState(t *testing.T) {
	dir := t.TempDir()
	if state, err := Lock(dir); err != nil || state.Held {
		t.Errorf("never used: %+v, %v", state, err)
	}
	held := newFileLock(dir, open(t, dir).now)
	if ok, err := held.acquire(func() (string, bool) { return "test", true }); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".memory-write.lock.lock"), 0o700); err != nil {
		t.Fatal(err)
	}
	state, err := Lock(dir)
	if err != nil || !state.Held || state.Holder.PID != os.Getpid() || state.Holder.Who != "test" || len(state.Foreign) != 1 {
		t.Errorf("held: %+v, %v", state, err)
	}
	if err := held.release(); err != nil {
		t.Fatal(err)
	}
	if state, err := Lock(dir); err != nil || state.Held {
		t.Errorf("released: %+v, %v", state, err)
	}
}
