package lance

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/native"
)

func TestErrorsAreTyped(t *testing.T) {
	ctx := t.Context()
	db := openDB(t)
	table := newTable(t, db, "notes", row{id: "a", vector: []float32{1, 0, 0}})
	expired, cancel := context.WithDeadline(ctx, time.Unix(0, 0))
	defer cancel()
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	other := array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "other", Type: arrow.BinaryTypes.String}}, nil),
		[]arrow.Array{texts(t, "x")}, 1)
	defer other.Release()

	cases := []struct {
		name string
		do   func() error
		want error
	}{
		{"opening what is not there", func() error { _, err := db.OpenTable(ctx, "missing"); return err }, ErrNotFound},
		{"dropping what is not there", func() error { return db.DropTable(ctx, "missing") }, ErrNotFound},
		{"creating what is there", func() error { _, err := db.CreateTable(ctx, "notes", testSchema); return err }, ErrExists},
		{"an empty table name", func() error { _, err := db.OpenTable(ctx, ""); return err }, ErrInvalid},
		{"a name that is a path", func() error { _, err := db.CreateTable(ctx, "../x", testSchema); return err }, ErrInvalid},
		{"an empty location", func() error { _, err := Connect(ctx, "", Options{}); return err }, ErrInvalid},
		{"an unknown storage option", func() error {
			_, err := Connect(ctx, "s3://b/p", Options{StorageOptions: map[string]string{"color": "red"}})
			return err
		}, ErrInvalid},
		{"a filter on no such column", func() error { _, err := table.Count(ctx, Eq("nope", 1)); return err }, ErrInvalid},
		{"an unwritable filter", func() error { _, err := table.Count(ctx, Eq("id", "\x00")); return err }, ErrInvalid},
		{"no limit", func() error {
			_, err := table.NearestTo(ctx, VectorQuery{Column: "vector", Vector: []float32{1, 0, 0}})
			return err
		}, ErrInvalid},
		{"an unknown metric", func() error {
			_, err := table.NearestTo(ctx, VectorQuery{Column: "vector", Vector: []float32{1, 0, 0}, Limit: 1, Metric: "x"})
			return err
		}, ErrInvalid},
		{"statistics of no index", func() error { _, err := table.IndexStats(ctx, "nope"); return err }, ErrNotFound},
		{"dropping no index", func() error { return table.DropIndex(ctx, "nope") }, ErrNotFound},
		{"a tokenizer nobody knows", func() error {
			return table.CreateTextIndex(ctx, "text", TextIndexOptions{Tokenizer: "nope"})
		}, ErrInvalid},
		{"merging rows of another shape", func() error {
			_, err := table.MergeInsert(ctx, other, MergeOptions{On: []string{"other"}, InsertUnmatched: true})
			return err
		}, ErrInvalid},
		{"merging without keys", func() error {
			_, err := table.MergeInsert(ctx, other, MergeOptions{InsertUnmatched: true})
			return err
		}, ErrInvalid},
		{"a read past its deadline", func() error { _, err := table.Scan(expired, ScanQuery{}); return err }, ErrTimeout},
		{"the same, for the standard library", func() error { _, err := table.Scan(expired, ScanQuery{}); return err }, context.DeadlineExceeded},
		{"a write past its deadline", func() error { return table.Add(expired, other) }, ErrTimeout},
		{"a cancelled read", func() error { _, err := table.Count(cancelled, nil); return err }, context.Canceled},
		{"a cancelled search", func() error { _, err := table.Scan(cancelled, ScanQuery{}); return err }, context.Canceled},
		{"a contained panic", func() error { return fail("probing", "library", native.PanicProbe()) }, ErrPanic},
	}
	for _, c := range cases {
		err := c.do()
		var typed *Error
		if !errors.Is(err, c.want) || !errors.As(err, &typed) {
			t.Errorf("%s: %v (%T), want %v", c.name, err, err, c.want)
			continue
		}
		if typed.Op == "" || typed.Message == "" {
			t.Errorf("%s: %#v says too little", c.name, typed)
		}
	}
}

func texts(t *testing.T, values ...string) arrow.Array {
	t.Helper()
	b := array.NewStringBuilder(memory.DefaultAllocator)
	defer b.Release()
	b.AppendValues(values, nil)
	a := b.NewArray()
	t.Cleanup(a.Release)
	return a
}

func TestDamagedTableIsSaidToBeDamaged(t *testing.T) {
	ctx := t.Context()
	t.Cleanup(func() { checkNoHandles(t) })
	dir := t.TempDir()
	db, err := Connect(ctx, dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	newTable(t, db, "notes", row{id: "a"}).Close()
	manifests, err := filepath.Glob(filepath.Join(dir, "notes.lance", "_versions", "*.manifest"))
	if err != nil || len(manifests) == 0 {
		t.Fatalf("no manifests found: %v", err)
	}
	for _, m := range manifests {
		if err := os.WriteFile(m, []byte("torn"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.OpenTable(ctx, "notes"); !errors.Is(err, ErrCorrupt) {
		t.Errorf("opening a damaged table: %v, want ErrCorrupt", err)
	}
}

func TestUnwritablePlaceIsAnIOError(t *testing.T) {
	t.Cleanup(func() { checkNoHandles(t) })
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	db, err := Connect(t.Context(), filepath.Join(file, "db"), Options{})
	if err == nil {
		db.Close()
	}
	if !errors.Is(err, ErrIO) {
		t.Errorf("connecting below a file: %v, want ErrIO", err)
	}
}

// A call that its context interrupts leaves nothing behind.
func TestCancellationWhileWorking(t *testing.T) {
	rows := make([]row, 500)
	for i := range rows {
		rows[i] = row{id: string(rune('a'+i%26)) + string(rune('0'+i%10)), text: "some words to search", vector: []float32{1, float32(i), 0}}
	}
	table := openTable(t, rows...)
	for i := range 200 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*20*time.Microsecond)
		got, err := table.NearestTo(ctx, VectorQuery{Column: "vector", Vector: []float32{1, 0, 0}, Limit: 3})
		if err == nil {
			got.Release()
		} else if !errors.Is(err, ErrTimeout) {
			t.Errorf("after %d µs: %v", i*20, err)
		}
		cancel()
	}
}
