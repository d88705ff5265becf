package store

import (
	"math"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// earlyFields are the columns of the first versions, in an order of their own.
func earlyFields() []arrow.Field {
	return []arrow.Field{
		column("id", utf8Type), column("vector", vectorType), column("importance", arrow.PrimitiveTypes.Float64),
		column("text", utf8Type), column("category", utf8Type),
	}
}

const earlyRows = `[
	{"id":"early-1","text":"the zylophrast hangs on the wall","vector":[1,0,0,0,0,0,0,0],"category":"fact","importance":0.5},
	{"id":"early-2","text":"tea at four","vector":[0,1,0,0,0,0,0,0],"category":"preference","importance":0.9}]`

func TestEarlyTableGetsItsColumns(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	table(t, dir, earlyFields(), earlyRows)

	// Several processes may meet the table at once.
	stores := make([]*Store, 3)
	var wg sync.WaitGroup
	for i := range stores {
		wg.Go(func() {
			var err error
			if stores[i], err = Open(t.Context(), Options{Path: dir, Dimensions: width}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, s := range stores {
		if s == nil {
			t.FailNow()
		}
		t.Cleanup(func() { s.Close() })
	}
	s := stores[0]
	m, err := s.Get(t.Context(), agent(t, "main"), "early-1")
	if err != nil {
		t.Fatal(err)
	}
	if m.Scope != "global" || m.Importance != 0.5 || m.Category != memory.StoredFact || !m.Time.IsZero() || m.Vector == nil {
		t.Errorf("an early row reads as %+v", m)
	}
	insert(t, s, mem("new beside the old"))
	m.Importance = 0.8
	if err := s.Write(t.Context(), "test", func(tx *Tx) error { return tx.Update(m) }); err != nil {
		t.Fatal(err)
	}
	if got := matching(t, stores[1], "zylophrast", 3); !slices.Equal(got, []string{m.Text}) {
		t.Errorf("found %q", got)
	}
	remove(t, s, "early-2")
	if got := pages(t, s, ListQuery{Who: agent(t, "main")}, nil); !slices.Equal(got, []string{"new beside the old", m.Text}) {
		t.Errorf("listed %q", got)
	}
}

// B23, in both types the column comes in: seconds become milliseconds once, what
// is no time stays as it is, and the list is in the order of the moments.
func TestSecondsAreCorrectedOnce(t *testing.T) {
	for _, typ := range []arrow.DataType{arrow.PrimitiveTypes.Float64, arrow.PrimitiveTypes.Int64} {
		t.Run(typ.String(), func(t *testing.T) {
			noHandlesLeft(t)
			dir := t.TempDir()
			fields := []arrow.Field{
				column("id", utf8Type), column("text", utf8Type), column("vector", vectorType), column("category", utf8Type),
				column("scope", utf8Type), column("importance", arrow.PrimitiveTypes.Float64), column("timestamp", typ), column("metadata", utf8Type),
			}
			table(t, dir, fields, `[
				{"id":"a","text":"milliseconds, first","scope":"global","timestamp":1700000000000,"metadata":"{}"},
				{"id":"b","text":"seconds, second","scope":"global","timestamp":1710000000,"metadata":"not JSON"},
				{"id":"c","text":"milliseconds, third","scope":"global","timestamp":1720000000000,"metadata":null},
				{"id":"d","text":"zero","scope":"global","timestamp":0,"metadata":"{}"},
				{"id":"e","text":"negative","scope":"global","timestamp":-5,"metadata":"{}"},
				{"id":"f","text":"none","scope":"global","timestamp":null,"metadata":"{}"}]`)
			s := open(t, dir)
			want := []string{"milliseconds, third", "seconds, second", "milliseconds, first", "zero", "negative", "none"}
			if got := pages(t, s, ListQuery{Who: everyone(), Limit: 2}, nil); !slices.Equal(got, want) {
				t.Errorf("listed %q, want %q", got, want)
			}
			b, err := s.Get(t.Context(), everyone(), "b")
			if err != nil || !b.Time.Equal(time.Unix(1710000000, 0)) {
				t.Errorf("the row in seconds is of %v, %v", b.Time, err)
			}
			version, err := s.table.Version(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = open(t, dir)
			if again, _ := s.table.Version(t.Context()); again != version {
				t.Errorf("the second opening made version %d of %d", again, version)
			}
			if n, _ := s.notes.read(); !n.Milliseconds.Equal(start) {
				t.Errorf("noted %+v", n)
			}
		})
	}
}

// B23: NaN and infinity neither hide a row nor end a list early.
func TestTimesThatAreNoNumber(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s := open(t, dir)
	ms := []memory.Memory{mem("a"), mem("b"), mem("c"), mem("d")}
	insert(t, s, ms...)
	odd := []float64{math.NaN(), math.Inf(1), math.NaN(), math.Inf(-1)}
	spoil := func() {
		t.Helper()
		var changes []change
		for _, m := range ms {
			changes = append(changes, change{present: true, mem: m})
		}
		rec, err := s.layout().encode(changes)
		if err != nil {
			t.Fatal(err)
		}
		defer rec.Release()
		copy(rec.Column(rec.Schema().FieldIndices(colTime)[0]).(*array.Float64).Float64Values(), odd)
		if _, err := s.table.MergeInsert(t.Context(), rec, lance.MergeOptions{On: []string{colID}, UpdateMatched: true}); err != nil {
			t.Fatal(err)
		}
	}
	spoil()
	if got := pages(t, s, ListQuery{Who: everyone(), Limit: 10}, nil); len(got) != 4 {
		t.Errorf("listed %q", got)
	}
	if m, err := s.Get(t.Context(), everyone(), ms[0].ID); err != nil || !m.Time.IsZero() {
		t.Errorf("NaN is %v, %v", m.Time, err)
	}
	// A table that comes with such rows is corrected when it is opened.
	if err := os.Remove(s.notes.path); err != nil {
		t.Fatal(err)
	}
	s = reopened(t, s)
	got := pages(t, s, ListQuery{Who: everyone(), Limit: 1}, nil)
	slices.Sort(got)
	if !slices.Equal(got, []string{"a", "b", "c", "d"}) {
		t.Errorf("one by one: %q", got)
	}
}
