package lance

import (
	"errors"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
)

func TestAddColumns(t *testing.T) {
	table := openTable(t, row{id: "a", size: 1}, row{id: "b", size: 2})
	ctx := t.Context()
	before, err := table.Version(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := table.AddColumns(ctx, NewColumn{"place", "o'clock"}, NewColumn{"age", 0.0}); err != nil {
		t.Fatal(err)
	}
	if after, _ := table.Version(ctx); after != before+1 {
		t.Errorf("%d commits, want one", after-before)
	}
	schema, err := table.Schema(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]arrow.DataType{"place": arrow.BinaryTypes.String, "age": arrow.PrimitiveTypes.Float64} {
		found := schema.FieldIndices(name)
		if len(found) != 1 {
			t.Fatalf("the columns are %v", schema)
		}
		if f := schema.Field(found[0]); !arrow.TypeEqual(f.Type, want) || !f.Nullable {
			t.Errorf("column %s is %s, nullable %v", name, f.Type, f.Nullable)
		}
	}
	rows, err := table.Scan(ctx, ScanQuery{Filter: And(Eq("place", "o'clock"), Eq("age", 0.0))})
	wantIDs(t, "rows with the new values", []string{"a", "b"}, rows, err)

	for name, bad := range map[string]NewColumn{
		"a column that exists": {"text", "x"}, "a name that is no name": {"a b", "x"}, "a value of no column": {"n", []int{1}},
	} {
		if err := table.AddColumns(ctx, bad); err == nil {
			t.Errorf("%s was added", name)
		}
	}
	if err := table.AddColumns(ctx); err != nil {
		t.Errorf("adding nothing: %v", err)
	}
}

func TestScale(t *testing.T) {
	table := openTable(t, row{id: "a", size: 1}, row{id: "b", size: 5}, row{id: "c", size: 9000})
	ctx := t.Context()
	for _, column := range []string{"size", "weight"} { // int64 and float64
		n, err := table.Scale(ctx, column, 1000, And(Gt(column, 1), Lt(column, 100)))
		if err != nil || n != 1 {
			t.Fatalf("%s: %d rows, %v", column, n, err)
		}
	}
	rows, err := table.Scan(ctx, ScanQuery{Filter: And(Eq("size", 5000), Eq("weight", 5000.0))})
	wantIDs(t, "the scaled row", []string{"b"}, rows, err)
	if n, _ := table.Count(ctx, Or(Eq("size", 1), Eq("size", 9000))); n != 2 {
		t.Errorf("%d rows are as they were, want 2", n)
	}
	for _, column := range []string{"size", "weight"} {
		if n, err := table.Zero(ctx, column, Gt(column, 8000)); err != nil || n != 1 {
			t.Fatalf("%s: %d rows, %v", column, n, err)
		}
	}
	rows, err = table.Scan(ctx, ScanQuery{Filter: And(Eq("size", 0), Eq("weight", 0.0))})
	wantIDs(t, "the row set to zero", []string{"c"}, rows, err)
	if _, err := table.Scale(ctx, "size", 2, nil); !errors.Is(err, ErrInvalid) {
		t.Errorf("without a predicate: %v", err)
	}
	if _, err := table.Scale(ctx, "no such", 2, True()); !errors.Is(err, ErrInvalid) {
		t.Errorf("an impossible column: %v", err)
	}
}
