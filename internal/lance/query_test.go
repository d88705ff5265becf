package lance

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestNearest(t *testing.T) {
	ctx := t.Context()
	table := openTable(t,
		row{id: "x", size: 1, vector: []float32{2, 0, 0}},
		row{id: "xy", size: 2, vector: []float32{1, 1, 0}},
		row{id: "-x", size: 3, vector: []float32{-1, 0, 0}},
		row{id: "none", size: 4},
	)
	query := VectorQuery{Column: "vector", Vector: []float32{1, 0, 0}, Limit: 10}
	rows, err := table.NearestTo(ctx, query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Release()
	want := []struct {
		id       string
		distance float64
	}{{"x", 0}, {"xy", 1 - math.Sqrt2/2}, {"-x", 2}}
	if rows.NumRows() != len(want) {
		t.Fatalf("%d rows, want %d: one without a vector must not appear", rows.NumRows(), len(want))
	}
	for i, w := range want {
		id, d := rows.String("id", i), rows.Float64(DistanceColumn, i)
		if id != w.id || math.Abs(d-w.distance) > 1e-6 {
			t.Errorf("row %d is %s at %g, want %s at %g", i, id, d, w.id, w.distance)
		}
	}
	if diff := cmp.Diff([]float32{2, 0, 0}, rows.Vector("vector", 0)); diff != "" {
		t.Errorf("vector (-want +got):\n%s", diff)
	}

	query.Filter, query.Limit, query.Columns = Gt("size", 1), 1, []string{"id"}
	wantIDs(t, "filtered before the limit", []string{"xy"}, first(table.NearestTo(ctx, query)), nil)
	query.Filter = False()
	wantIDs(t, "nothing passes", []string{}, first(table.NearestTo(ctx, query)), nil)
	query.Filter = IsNull("vector")
	wantIDs(t, "only rows without a vector pass", []string{}, first(table.NearestTo(ctx, query)), nil)
	query.Filter, query.Metric, query.Limit = nil, L2, 2
	wantIDs(t, "by l2", []string{"x", "xy"}, first(table.NearestTo(ctx, query)), nil)

	query.Vector = []float32{1, 0}
	if rows, err := table.NearestTo(ctx, query); err == nil {
		rows.Release()
		t.Error("a query vector of the wrong width was accepted")
	}
}

func TestNearestWithoutAnyVector(t *testing.T) {
	db := openDB(t)
	table := newTable(t, db, "notes", row{id: "a"}, row{id: "b"})
	wantIDs(t, "no row has a vector", []string{}, first(table.NearestTo(t.Context(),
		VectorQuery{Column: "vector", Vector: []float32{1, 0, 0}, Limit: 3})), nil)
	empty := newTable(t, db, "empty")
	wantIDs(t, "no row at all", []string{}, first(empty.NearestTo(t.Context(),
		VectorQuery{Column: "vector", Vector: []float32{1, 0, 0}, Limit: 3})), nil)
}

func TestVectorIndexKeepsFindingNewRows(t *testing.T) {
	ctx := t.Context()
	rows := make([]row, 400)
	for i := range rows {
		a := float64(i) / 400 * math.Pi
		rows[i] = row{id: fmt.Sprint(i), vector: []float32{float32(math.Cos(a)), float32(math.Sin(a)), 0}}
		if i%10 == 9 {
			rows[i].vector = nil
		}
	}
	table := openTable(t, rows...)
	if err := table.CreateVectorIndex(ctx, "vector", VectorIndexOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := table.Add(ctx, record(t, row{id: "late", vector: []float32{0, 0, 1}}, row{id: "late-none"})); err != nil {
		t.Fatal(err)
	}
	query := VectorQuery{Column: "vector", Vector: []float32{0, 0, 1}, Limit: 1}
	wantIDs(t, "through index and tail", []string{"late"}, first(table.NearestTo(ctx, query)), nil)
	query.Vector = []float32{1, 0, 0}
	query.BypassIndex = true
	wantIDs(t, "exactly", []string{"0"}, first(table.NearestTo(ctx, query)), nil)
	list, err := table.Indexes(ctx)
	if err != nil || len(list) != 1 || list[0].Type != "IVF_HNSW_SQ" {
		t.Fatalf("indexes %+v, %v", list, err)
	}
	if err := table.DropIndex(ctx, list[0].Name); err != nil {
		t.Fatal(err)
	}
}

func TestScan(t *testing.T) {
	ctx := t.Context()
	table := openTable(t,
		row{id: "a", size: 2, text: "two"}, row{id: "b", size: 1}, row{id: "c", size: 2}, row{id: "d", size: 3})
	bySize := []Order{{Column: "size", Desc: true}, {Column: "id"}}
	cases := []struct {
		name  string
		query ScanQuery
		want  []string
	}{
		{"ordered by two keys", ScanQuery{OrderBy: bySize}, []string{"d", "a", "c", "b"}},
		{"a page", ScanQuery{OrderBy: bySize, Limit: 2, Offset: 1}, []string{"a", "c"}},
		{"past the end", ScanQuery{OrderBy: bySize, Limit: 2, Offset: 9}, []string{}},
		{"sorted by a column left out", ScanQuery{OrderBy: bySize, Columns: []string{"id"}}, []string{"d", "a", "c", "b"}},
		{"filtered", ScanQuery{OrderBy: bySize, Filter: Eq("size", 2)}, []string{"a", "c"}},
		{"limited only", ScanQuery{Limit: 1}, []string{"a"}},
	}
	for _, c := range cases {
		rows, err := table.Scan(ctx, c.query)
		wantIDs(t, c.name, c.want, rows, err)
	}
	rows, err := table.Scan(ctx, ScanQuery{Filter: Eq("id", "b"), RowID: true})
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Release()
	if !rows.Has(RowIDColumn) || !rows.IsNull("text", 0) || rows.String("text", 0) != "" ||
		rows.Int64("size", 0) != 1 || rows.Float64("weight", 0) != 1 || rows.Vector("vector", 0) != nil {
		t.Errorf("row b came back as %v", rows.Records())
	}
	if !rows.IsNull("no such column", 0) || rows.Bool("id", 0) {
		t.Error("a missing column has a value")
	}
}

func TestMatch(t *testing.T) {
	ctx := t.Context()
	table := openTable(t,
		row{id: "zh", text: "我们采用蓝绿发布来部署支付网关", size: 1},
		row{id: "ja", text: "待ち合わせは東京駅の八重洲口", size: 2},
		row{id: "ko", text: "회의실 예약은 금요일까지", size: 3},
		row{id: "ru", text: "Встреча в Москве", size: 4},
		row{id: "fr", text: "le café près du marché", size: 5},
		row{id: "en", text: "svc-billing-eu2 retries with MAX_RETRY_COUNT after E1043", size: 6},
		row{id: "null", size: 7},
	)
	opts := TextIndexOptions{Stem: true, LowerCase: true, ASCIIFolding: true}
	if err := table.CreateTextIndex(ctx, "text", opts); err != nil {
		t.Fatal(err)
	}
	late := row{id: "late", text: "deploying the payment gateway; 灰度发布 too", size: 8}
	if err := table.Add(ctx, record(t, late)); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		text string
		want []string
	}{
		{"支付网关", []string{"zh"}},
		{"東京駅", []string{"ja"}},
		{"회의실", []string{"ko"}},
		{"москве", []string{"ru"}},
		{"CAFE", []string{"fr"}},
		{"svc-billing-eu2", []string{"en"}},
		{"MAX_RETRY_COUNT", []string{"en"}},
		{"e1043", []string{"en"}},
		{"deploy", []string{"late"}},
		{"灰度", []string{"late"}},
		{"unheard", []string{}},
		{"", []string{}},
		{"?!", []string{}},
	}
	for _, c := range cases {
		rows, err := table.Match(ctx, TextQuery{Column: "text", Text: c.text, Limit: 5})
		wantIDs(t, c.text, c.want, rows, err)
	}
	rows, err := table.Match(ctx, TextQuery{Column: "text", Text: "cafe billing retries svc", Limit: 5})
	if err != nil {
		t.Fatal(err)
	}
	if rows.NumRows() != 2 || rows.String("id", 0) != "en" {
		t.Errorf("any term should match, the most terms first; got %v", rows.Records())
	}
	for i := range rows.NumRows() {
		if s := rows.Float64(ScoreColumn, i); s <= 0 {
			t.Errorf("row %d has the score %g", i, s)
		}
	}
	rows.Release()
	filtered := TextQuery{Column: "text", Text: "cafe billing", Filter: Lt("size", 6), Limit: 5, Columns: []string{"id"}}
	wantIDs(t, "filtered", []string{"fr"}, first(table.Match(ctx, filtered)), nil)
}

func TestMatchWithoutIndex(t *testing.T) {
	table := openTable(t, row{id: "a", text: "red apple"}, row{id: "b", text: "green pear"})
	rows, err := table.Match(t.Context(), TextQuery{Column: "text", Text: "apple", Limit: 5})
	wantIDs(t, "no index", []string{"a"}, rows, err)
}

func TestOptimize(t *testing.T) {
	ctx := t.Context()
	table := openTable(t, row{id: "0", text: "note"})
	opts := TextIndexOptions{LowerCase: true}
	if err := table.CreateTextIndex(ctx, "text", opts); err != nil {
		t.Fatal(err)
	}
	if err := table.CreateScalarIndex(ctx, "id", ScalarIndexOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := table.CreateScalarIndex(ctx, "size", ScalarIndexOptions{Bitmap: true}); err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= 5; i++ {
		if err := table.Add(ctx, record(t, row{id: fmt.Sprint(i), text: "note"})); err != nil {
			t.Fatal(err)
		}
	}
	list, err := table.Indexes(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, index := range list {
		if index.IndexedRows != 1 || index.UnindexedRows != 5 {
			t.Errorf("index %+v: want 1 row in it and 5 outside", index)
		}
		if index.Type == "FTS" && index.Params["base_tokenizer"] != "icu" {
			t.Errorf("the text index reports %v", index.Params)
		}
	}
	var none time.Duration
	stats, err := table.Optimize(ctx, OptimizeOptions{Compact: true, FoldIndexes: true, PruneOlderThan: &none})
	if err != nil {
		t.Fatal(err)
	}
	// The five files outside the indexes become one; the sixth, which they cover, stays.
	if stats.FragmentsRemoved != 5 || stats.FragmentsAdded != 1 || stats.VersionsRemoved == 0 || stats.BytesRemoved == 0 {
		t.Errorf("optimize reports %+v", stats)
	}
	for _, index := range list {
		s, err := table.IndexStats(ctx, index.Name)
		if err != nil || s.IndexedRows != 6 || s.UnindexedRows != 0 {
			t.Errorf("index %s covers %+v, %v; want all 6 rows", index.Name, s, err)
		}
	}
	for _, id := range []string{"0", "5"} {
		wantIDs(t, "by id after optimize", []string{id}, first(table.Scan(ctx, ScanQuery{Filter: Eq("id", id)})), nil)
	}
	if n := len(ids(t, first(table.Match(ctx, TextQuery{Column: "text", Text: "note", Limit: 9})), nil)); n != 6 {
		t.Errorf("%d rows match after optimize, want 6", n)
	}
	if err := table.DropIndex(ctx, "no_such_index"); err == nil {
		t.Error("dropping an index that is not there succeeded")
	}
}
