package lance

import (
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/lancedb/lancedb-go/pkg/contracts"
	"github.com/lancedb/lancedb-go/pkg/lancedb"
)

// lancedb-go's own API has to work unchanged over our library, and what it
// writes has to be visible here and the other way round.
func TestLancedbGoOverOurLibrary(t *testing.T) {
	ctx := t.Context()
	t.Cleanup(func() { checkNoHandles(t) })
	dir := t.TempDir()
	region := "eu-central-1"
	options := &contracts.ConnectionOptions{StorageOptions: &contracts.StorageOptions{
		S3Config: &contracts.S3Config{Region: &region}, LocalConfig: &contracts.LocalConfig{}}}
	conn, err := lancedb.Connect(ctx, dir, options)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	schema, err := lancedb.NewSchema(testSchema)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := conn.CreateTable(ctx, "notes", schema)
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	a := row{id: "a", text: "red apple", size: 1, vector: []float32{1, 0, 0}}
	b := row{id: "b", text: "green pear", size: 2, vector: []float32{0, 1, 0}}
	if err := theirs.Add(ctx, record(t, a), nil); err != nil {
		t.Fatal(err)
	}
	if err := theirs.AddRecords(ctx, []arrow.Record{record(t, b), record(t, row{id: "c", size: 3})}, nil); err != nil {
		t.Fatal(err)
	}
	count := func(want int64) {
		t.Helper()
		if n, err := theirs.Count(ctx); n != want || err != nil {
			t.Errorf("count is %d, %v; want %d", n, err, want)
		}
	}
	count(3)

	selects := []struct {
		name  string
		query contracts.QueryConfig
		want  []any
	}{
		{"all", contracts.QueryConfig{}, []any{"a", "b", "c"}},
		{"where", contracts.QueryConfig{Where: "size >= 2"}, []any{"b", "c"}},
		{"vector", contracts.QueryConfig{VectorSearch: &contracts.VectorSearch{Column: "vector", Vector: []float32{0, 1, 0}, K: 1}}, []any{"b"}},
		{"text", contracts.QueryConfig{FTSSearch: &contracts.FTSSearch{Column: "text", Query: "apple"}}, []any{"a"}},
	}
	for _, s := range selects {
		rows, err := theirs.Select(ctx, s.query)
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		var got []any
		for _, r := range rows {
			got = append(got, r["id"])
		}
		if diff := cmp.Diff(s.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s.name, diff)
		}
	}
	rows, err := theirs.SelectWithColumns(ctx, []string{"id", "vector"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"id": "a", "vector": []any{1.0, 0.0, 0.0}}
	if diff := cmp.Diff(want, rows[0]); diff != "" {
		t.Errorf("projection (-want +got):\n%s", diff)
	}
	if rows, err := theirs.SelectWithLimit(ctx, 2, 2); err != nil || len(rows) != 1 {
		t.Errorf("limit and offset gave %v, %v", rows, err)
	}

	if err := theirs.Update(ctx, "id = 'a'", map[string]any{"text": "it's blue", "size": 10}); err != nil {
		t.Fatal(err)
	}
	if err := theirs.CreateIndexWithName(ctx, []string{"text"}, contracts.IndexTypeFts, "words"); err != nil {
		t.Fatal(err)
	}
	if err := theirs.CreateIndex(ctx, []string{"id"}, contracts.IndexTypeBTree); err != nil {
		t.Fatal(err)
	}
	indexes, err := theirs.GetAllIndexes(ctx)
	if err != nil {
		t.Fatal(err)
	}
	wantIndexes := []contracts.IndexInfo{
		{Name: "words", Columns: []string{"text"}, IndexType: "FTS"},
		{Name: "id_idx", Columns: []string{"id"}, IndexType: "BTREE"},
	}
	byName := cmpopts.SortSlices(func(x, y contracts.IndexInfo) bool { return x.Name < y.Name })
	if diff := cmp.Diff(wantIndexes, indexes, byName); diff != "" {
		t.Errorf("indexes (-want +got):\n%s", diff)
	}

	db, err := Connect(ctx, dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ours, err := db.OpenTable(ctx, "notes")
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	wantIDs(t, "their update read by us", []string{"a"}, first(ours.Scan(ctx, ScanQuery{Filter: Eq("text", "it's blue")})), nil)
	if _, err := ours.MergeInsert(ctx, record(t, row{id: "d"}), MergeOptions{On: []string{"id"}, InsertUnmatched: true}); err != nil {
		t.Fatal(err)
	}
	count(4)
	if err := theirs.Delete(ctx, "size >= 3"); err != nil {
		t.Fatal(err)
	}
	if n, err := ours.Count(ctx, nil); n != 2 || err != nil {
		t.Errorf("after their delete we count %d, %v; want 2", n, err)
	}
	their, err := theirs.Version(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if our, err := ours.Version(ctx); our != int64(their) || err != nil {
		t.Errorf("our version is %d, %v; theirs is %d", our, err, their)
	}
	if err := theirs.Delete(ctx, "nonsense $$"); err == nil {
		t.Error("a malformed predicate was accepted")
	}
	if err := conn.DropTable(ctx, "notes"); err != nil {
		t.Fatal(err)
	}
	if names, err := conn.TableNames(ctx); err != nil || len(names) != 0 {
		t.Errorf("tables after the drop: %v, %v", names, err)
	}
}
