package lance

import (
	"context"
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/google/go-cmp/cmp"
)

// row is one row of the test table: a note with an optional vector.
type row struct {
	id, text, meta string
	size           int64
	vector         []float32
}

var testSchema = arrow.NewSchema([]arrow.Field{
	{Name: "id", Type: arrow.BinaryTypes.String},
	{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "metadata", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "size", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
	{Name: "weight", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	{Name: "vector", Type: arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Float32), Nullable: true},
}, nil)

// record makes a record of rows; an empty text is NULL, weight is size as a float.
func record(t testing.TB, rows ...row) arrow.Record {
	t.Helper()
	b := array.NewRecordBuilder(memory.DefaultAllocator, testSchema)
	defer b.Release()
	for _, r := range rows {
		b.Field(0).(*array.StringBuilder).Append(r.id)
		if r.text == "" {
			b.Field(1).AppendNull()
		} else {
			b.Field(1).(*array.StringBuilder).Append(r.text)
		}
		b.Field(2).(*array.StringBuilder).Append(r.meta)
		b.Field(3).(*array.Int64Builder).Append(r.size)
		b.Field(4).(*array.Float64Builder).Append(float64(r.size))
		list := b.Field(5).(*array.FixedSizeListBuilder)
		if r.vector == nil {
			list.AppendNull()
			continue
		}
		list.Append(true)
		list.ValueBuilder().(*array.Float32Builder).AppendValues(r.vector, nil)
	}
	rec := b.NewRecord()
	t.Cleanup(rec.Release)
	return rec
}

// openDB connects to a fresh directory. When the test ends, everything the
// library gave out must have come back.
func openDB(t testing.TB) *DB {
	t.Helper()
	t.Cleanup(func() { checkNoHandles(t) })
	db, err := Connect(t.Context(), t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// openTable makes a table "notes" with rows in a fresh database.
func openTable(t testing.TB, rows ...row) *Table {
	t.Helper()
	return newTable(t, openDB(t), "notes", rows...)
}

func newTable(t testing.TB, db *DB, name string, rows ...row) *Table {
	t.Helper()
	table, err := db.CreateTable(t.Context(), name, testSchema)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	if len(rows) > 0 {
		if err := table.Add(t.Context(), record(t, rows...)); err != nil {
			t.Fatal(err)
		}
	}
	return table
}

func checkNoHandles(t testing.TB) {
	t.Helper()
	for kind, n := range LiveHandles() {
		if n != 0 {
			t.Errorf("%d native handles of kind %s are still out", n, kind)
		}
	}
}

// ids collects a result's ids and releases it.
func ids(t testing.TB, rows *Rows, err error) []string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Release()
	list := make([]string, rows.NumRows())
	for i := range list {
		list[i] = rows.String("id", i)
	}
	return list
}

func wantIDs(t testing.TB, what string, want []string, rows *Rows, err error) {
	t.Helper()
	if diff := cmp.Diff(want, ids(t, rows, err)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestTablesComeAndGo(t *testing.T) {
	ctx := t.Context()
	db := openDB(t)
	names := func() []string {
		t.Helper()
		names, err := db.TableNames(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return names
	}
	if got := names(); len(got) != 0 {
		t.Errorf("a new database has tables %v", got)
	}
	newTable(t, db, "b")
	newTable(t, db, "a", row{id: "1"})
	if diff := cmp.Diff([]string{"a", "b"}, names()); diff != "" {
		t.Errorf("table names (-want +got):\n%s", diff)
	}
	if err := db.DropTable(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"b"}, names()); diff != "" {
		t.Errorf("table names after a drop (-want +got):\n%s", diff)
	}
	again := newTable(t, db, "a")
	if n, err := again.Count(ctx, nil); n != 0 || err != nil {
		t.Errorf("a table made anew counts %d, %v", n, err)
	}
}

func TestSchemaSurvives(t *testing.T) {
	table := openTable(t)
	got, err := table.Schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range testSchema.Fields() {
		f := got.Field(i)
		if f.Name != want.Name || !arrow.TypeEqual(f.Type, want.Type) || f.Nullable != want.Nullable {
			t.Errorf("field %d is %v, want %v", i, f, want)
		}
	}
}

func TestAwkwardLocations(t *testing.T) {
	t.Cleanup(func() { checkNoHandles(t) })
	for _, name := range []string{"with space", "über-données-数据", "db", "100%", "a#b?c", "quote'"} {
		t.Run(name, func(t *testing.T) {
			db, err := Connect(t.Context(), t.TempDir()+"/"+name, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			table := newTable(t, db, "notes", row{id: "1", text: "x"})
			defer table.Close()
			wantIDs(t, "rows", []string{"1"}, first(table.Scan(t.Context(), ScanQuery{})), nil)
		})
	}
	t.Run("relative", func(t *testing.T) {
		t.Chdir(t.TempDir())
		db, err := Connect(t.Context(), "db/memory", Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		defer newTable(t, db, "notes").Close()
	})
}

func first(rows *Rows, err error) *Rows {
	if err != nil {
		panic(err)
	}
	return rows
}

func TestWritesAndReadsOfOneTable(t *testing.T) {
	ctx := t.Context()
	table := openTable(t, row{id: "a", size: 1}, row{id: "b", size: 2}, row{id: "c", size: 3})
	before, err := table.Version(ctx)
	if err != nil {
		t.Fatal(err)
	}
	stats, err := table.MergeInsert(ctx, record(t, row{id: "c", size: 30}, row{id: "d", size: 4}),
		MergeOptions{On: []string{"id"}, UpdateMatched: true, InsertUnmatched: true})
	if err != nil {
		t.Fatal(err)
	}
	want := MergeStats{Inserted: 1, Updated: 1, Version: before + 1}
	if diff := cmp.Diff(want, stats); diff != "" {
		t.Errorf("merge stats (-want +got):\n%s", diff)
	}
	if v, err := table.Version(ctx); v != before+1 || err != nil {
		t.Errorf("version after a merge is %d, %v; want %d", v, err, before+1)
	}
	counts := []struct {
		where Predicate
		want  int64
	}{
		{nil, 4}, {True(), 4}, {False(), 0}, {Eq("id", "c"), 1}, {Ge("size", 3), 2}, {Not(Ge("size", 3)), 2},
	}
	for _, c := range counts {
		if n, err := table.Count(ctx, c.where); n != c.want || err != nil {
			t.Errorf("count of %v is %d, %v; want %d", c.where, n, err, c.want)
		}
	}
	if n, err := table.Delete(ctx, Gt("size", 3)); n != 2 || err != nil {
		t.Errorf("deleted %d, %v; want 2", n, err)
	}
	wantIDs(t, "what is left", []string{"a", "b"}, first(table.Scan(ctx, ScanQuery{
		OrderBy: []Order{{Column: "id"}}})), nil)
	if err := table.CheckoutLatest(ctx); err != nil {
		t.Error(err)
	}
	if _, err := table.Delete(ctx, nil); err == nil {
		t.Error("a delete without a predicate was accepted")
	}
	if n, err := table.Delete(ctx, True()); n != 2 || err != nil {
		t.Errorf("deleting all: %d, %v; want 2", n, err)
	}
}

func TestTwoOpenersSeeEachOther(t *testing.T) {
	ctx := t.Context()
	dir := t.TempDir()
	t.Cleanup(func() { checkNoHandles(t) })
	open := func(name string) (*DB, *Table) {
		db, err := Connect(ctx, dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		table, err := db.OpenTable(ctx, name)
		if err != nil {
			table, err = db.CreateTable(ctx, name, testSchema)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { table.Close() })
		return db, table
	}
	_, one := open("notes")
	_, two := open("notes")
	for i := range 3 {
		if err := one.Add(ctx, record(t, row{id: fmt.Sprint(i)})); err != nil {
			t.Fatal(err)
		}
		if n, err := two.Count(ctx, nil); n != int64(i+1) || err != nil {
			t.Errorf("the other opener counts %d, %v; want %d", n, err, i+1)
		}
	}
}

func TestClosing(t *testing.T) {
	ctx := context.Background()
	table := openTable(t, row{id: "a"})
	for range 2 {
		if err := table.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := table.Scan(ctx, ScanQuery{}); err == nil {
		t.Error("a closed table was scanned")
	}
	if _, err := table.Count(ctx, nil); err == nil {
		t.Error("a closed table was counted")
	}
}
