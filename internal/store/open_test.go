package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	arrowmem "github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

func TestUnusablePaths(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "nowhere"), link); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, path string
		says       []string
	}{
		{"empty", "", []string{"empty", "set dbPath"}},
		{"a file", file, []string{file, "is a file", "move the file away"}},
		{"below a file", filepath.Join(file, "db"), []string{file, "file", "set dbPath"}},
		{"dangling link", link, []string{link, "nowhere", "does not exist", "remove the link"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Open(t.Context(), Options{Path: tt.path})
			var pe *PathError
			if !errors.As(err, &pe) {
				t.Fatalf("got %v, want a PathError", err)
			}
			for _, want := range tt.says {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
		})
	}
}

func TestMissingDirectoryIsMade(t *testing.T) {
	noHandlesLeft(t)
	dir := filepath.Join(t.TempDir(), "a", "b c", "ünï")
	s := open(t, dir)
	insert(t, s, mem("x"))
	if fi, err := os.Stat(dir); err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("the directory: %v, %v; want it private", fi.Mode(), err)
	}
}

// table makes a table "memories" with the given columns and rows.
func table(t *testing.T, dir string, fields []arrow.Field, rows string) {
	t.Helper()
	ctx := context.Background()
	db, err := lance.Connect(ctx, dir, lance.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	schema := arrow.NewSchema(fields, nil)
	tb, err := db.CreateTable(ctx, tableName, schema)
	if err != nil {
		t.Fatal(err)
	}
	defer tb.Close()
	if rows == "" {
		return
	}
	rec, _, err := array.RecordFromJSON(arrowmem.DefaultAllocator, schema, strings.NewReader(rows))
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Release()
	if err := tb.Add(ctx, rec); err != nil {
		t.Fatal(err)
	}
}

func column(name string, typ arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: typ, Nullable: true}
}

var (
	utf8Type   = arrow.BinaryTypes.String
	vectorType = arrow.FixedSizeListOf(width, arrow.PrimitiveTypes.Float32)
)

// foreignFields are the columns of another program's table: int64 times, another
// order, two columns we do not know.
func foreignFields() []arrow.Field {
	return []arrow.Field{
		column("vector", vectorType), column("id", utf8Type), column("text", utf8Type), column("mood", utf8Type),
		column("scope", utf8Type), column("category", utf8Type), column("importance", arrow.PrimitiveTypes.Float64),
		column("timestamp", arrow.PrimitiveTypes.Int64), column("tags", arrow.ListOf(utf8Type)), column("metadata", utf8Type),
	}
}

func TestForeignTable(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	table(t, dir, foreignFields(), `[
		{"id":"old-1","text":"written in seconds","vector":[1,0,0,0,0,0,0,0],"mood":"calm","scope":"global","category":"fact","importance":0.5,"timestamp":1700000000,"tags":["a","b"],"metadata":"{\"access_count\":3,\"custom\":[1,2]}"},
		{"id":"old-2","text":"without a scope","vector":[0,1,0,0,0,0,0,0],"mood":null,"scope":null,"category":"odd","importance":null,"timestamp":1700000000001,"tags":null,"metadata":"not JSON"},
		{"id":"old-3","text":"without anything","vector":null,"mood":"x","scope":"global","category":null,"importance":null,"timestamp":null,"tags":[],"metadata":null}
	]`)
	s := open(t, dir)
	ctx := t.Context()
	old, err := s.Get(ctx, everyone(), "old-1")
	if err != nil {
		t.Fatal(err)
	}
	if want := time.Unix(1700000000, 0).UTC(); !old.Time.Equal(want) || old.Metadata.AccessCount != 3 {
		t.Errorf("old-1 reads as %+v", old)
	}
	if _, err := s.Get(ctx, agent(t, "main"), "old-2"); !errors.Is(err, ErrNotFound) {
		t.Errorf("an agent reads the row without a scope: %v", err)
	}
	if got := pages(t, s, ListQuery{Who: everyone(), Limit: 1}, nil); len(got) != 3 || got[0] != "without a scope" || got[2] != "without anything" {
		t.Errorf("listed %q", got)
	}
	// An update through us keeps what we do not know.
	old.Text = "written in seconds, edited"
	rows := []memory.Memory{old}
	for _, id := range []string{"old-2", "old-3"} {
		m, err := s.Get(ctx, everyone(), id)
		if err != nil {
			t.Fatal(err)
		}
		m.Importance = 0.25
		rows = append(rows, m)
	}
	err = s.Write(ctx, "test", func(tx *Tx) error { return errors.Join(tx.Update(rows...), tx.Insert(mem("brand new"))) })
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.table.Scan(ctx, lance.ScanQuery{OrderBy: []lance.Order{{Column: "id"}}, Filter: lance.HasPrefix("id", "old-")})
	if err != nil {
		t.Fatal(err)
	}
	defer got.Release()
	want := []map[string]string{
		{"text": "written in seconds, edited", "mood": "calm", "tags": `["a","b"]`, "timestamp": "1700000000000", "scope": "global"},
		{"text": "without a scope", "mood": "(null)", "tags": "(null)", "timestamp": "1700000000001", "scope": "(null)"},
		{"text": "without anything", "mood": "x", "tags": "[]", "timestamp": "(null)", "scope": "global"},
	}
	i := 0
	for _, rec := range got.Records() {
		c := columnsOf(rec)
		for r := range int(rec.NumRows()) {
			for name, value := range want[i] {
				if have := c[name].ValueStr(r); have != value {
					t.Errorf("row %d, column %s: %q, want %q", i, name, have, value)
				}
			}
			i++
		}
	}
	if i != 3 {
		t.Errorf("%d old rows, want 3", i)
	}
	if m, _ := s.Get(ctx, everyone(), "old-1"); string(m.Metadata.Extra["custom"]) != "[1,2]" {
		t.Errorf("metadata lost a key: %s", m.Metadata)
	}
	if got := matching(t, s, "edited", 3); len(got) != 1 {
		t.Errorf("the updated text is found as %q", got)
	}
}

func TestUnusableTables(t *testing.T) {
	full := foreignFields()
	without := func(names ...string) (kept []arrow.Field) {
		for _, f := range full {
			if !strings.Contains(" "+strings.Join(names, " ")+" ", " "+f.Name+" ") {
				kept = append(kept, f)
			}
		}
		return kept
	}
	tests := []struct {
		name string
		make func(t *testing.T, dir string)
		says []string
	}{
		{"no text", func(t *testing.T, dir string) { table(t, dir, without("text"), "") }, []string{`no column "text"`, `"mood"`, "point dbPath"}},
		{"no id", func(t *testing.T, dir string) { table(t, dir, without("id"), "") }, []string{`no column "id"`, "point dbPath"}},
		{"text is a number", func(t *testing.T, dir string) {
			table(t, dir, append(without("text"), column("text", arrow.PrimitiveTypes.Int64)), "")
		}, []string{`"text" as int64`}},
		{"a file", func(t *testing.T, dir string) { write(t, filepath.Join(dir, "memories.lance"), "x") }, []string{"memories.lance", "move"}},
		{"zeroed manifests", func(t *testing.T, dir string) {
			table(t, dir, full, "")
			manifests, _ := filepath.Glob(filepath.Join(dir, "memories.lance", "_versions", "*"))
			if len(manifests) == 0 {
				t.Fatal("no manifests found")
			}
			for _, m := range manifests {
				write(t, m, "")
			}
			if err := os.MkdirAll(filepath.Join(dir, "memories.lance", "data"), 0o700); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, "memories.lance", "data", "some.lance"), "rows")
		}, []string{"restore"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			noHandlesLeft(t)
			dir := t.TempDir()
			tt.make(t, dir)
			_, err := Open(t.Context(), Options{Path: dir, Dimensions: width, LockTimeout: 50 * time.Millisecond})
			var se *SchemaError
			if !errors.As(err, &se) {
				t.Fatalf("got %v, want a SchemaError", err)
			}
			for _, want := range append(tt.says, dir) {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestOtherWidth opens a filled table with another model: nothing is lost,
// keywords and lists go on, vectors are refused with both widths named.
func TestOtherWidth(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s := open(t, dir)
	insert(t, s, mem("zylophrast"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	other := open(t, dir, func(o *Options) { o.Dimensions = 12 })
	var wide *WidthError
	if err := other.CheckWidth(); !errors.As(err, &wide) || wide.Table != width || wide.Given != 12 {
		t.Errorf("CheckWidth: %v", err)
	} else if says := err.Error(); !strings.Contains(says, "vectors of 8 numbers") || !strings.Contains(says, "gives 12") || !strings.Contains(says, "embedding.model") {
		t.Errorf("the error says %q", says)
	}
	_, err := other.Nearest(t.Context(), everyone(), memory.Narrow{}, make([]float32, 12), 3)
	if !errors.As(err, &wide) {
		t.Errorf("Nearest: %v, want a WidthError", err)
	}
	if got := matching(t, other, "zylophrast", 3); len(got) != 1 {
		t.Errorf("keywords find %q", got)
	}
	if n := total(t, other); n != 1 {
		t.Errorf("%d rows, want 1", n)
	}
}

// TestEmptyTableFitsTheModel starts without a model and then with one.
func TestEmptyTableFitsTheModel(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s := open(t, dir, func(o *Options) { o.Dimensions = 0 })
	if s.Dimensions() != DefaultWidth || s.CheckWidth() != nil {
		t.Errorf("width %d, %v", s.Dimensions(), s.CheckWidth())
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	if s.Dimensions() != width {
		t.Errorf("the empty table kept the width %d", s.Dimensions())
	}
	insert(t, s, mem("x"))
}

func TestKeywordsAlone(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir(), func(o *Options) { o.Dimensions = 0 })
	insert(t, s, mem("zylophrast", withVector(nil)), mem("other", withVector(nil)))
	if got := matching(t, s, "zylophrast", 3); len(got) != 1 {
		t.Errorf("found %q", got)
	}
	hits, err := s.Nearest(t.Context(), everyone(), memory.Narrow{}, append(vec("x"), make([]float32, DefaultWidth-width)...), 3)
	if err != nil || len(hits) != 0 {
		t.Errorf("Nearest over rows without vectors: %v, %v", texts(hits), err)
	}
}

func TestOpenAtOnce(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	stores := make([]*Store, 4)
	errs := make([]error, len(stores))
	var wg sync.WaitGroup
	for i := range stores {
		wg.Go(func() { stores[i], errs[i] = Open(t.Context(), Options{Path: dir, Dimensions: width}) })
	}
	wg.Wait()
	for i, s := range stores {
		if errs[i] != nil {
			t.Errorf("store %d: %v", i, errs[i])
			continue
		}
		t.Cleanup(func() { s.Close() })
		insert(t, s, mem("x"))
	}
	if n := total(t, stores[0]); n != 4 {
		t.Errorf("%d rows, want 4", n)
	}
}
