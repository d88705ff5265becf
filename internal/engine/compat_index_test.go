package engine

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// TestHandOverLarge hands a table with an index of the vectors to the Node package,
// which searches it, writes and compacts, and takes it back.
func TestHandOverLarge(t *testing.T) {
	packages := nodePackages(t)
	for _, version := range slices.Sorted(maps.Keys(packages)) {
		t.Run(version, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "db")
			s := openLarge(t, path)
			const many = 4200 // an index is made from 4,000 on
			rows := make([]memory.Memory, many)
			for i := range rows {
				text := fmt.Sprintf("statement %d about topic %d", i, i*i)
				rows[i] = memory.Memory{ID: memory.NewID(), Text: text, Vector: scattered(i), Category: memory.StoredFact, Scope: scope.Global,
					Importance: 0.7, Time: now, Metadata: memory.NewMetadata(text, memory.Cases, memory.SourceManual, now)}
			}
			if err := s.Write(t.Context(), "test", func(tx *store.Tx) error { return tx.Insert(rows...) }); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Maintain(t.Context()); err != nil {
				t.Fatal(err)
			}
			if made, _ := filepath.Glob(filepath.Join(path, "memories.lance", "_indices", "*", "auxiliary.idx")); len(made) == 0 {
				t.Fatal("the vectors got no index; the test proves nothing")
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			global := "global"
			row := tsRow{ID: theirs, Text: "The old package adds a marimba", Vector: scattered(-5), Category: "fact", Scope: &global, Timestamp: now.UnixMilli()}
			var c checked
			packages[version].run(t, "check", path, map[string]any{
				"vector": rows[7].Vector, "text": "statement", "filter": "scope = 'global'", "row": row, "touch": rows[8].ID,
			}, &c)
			if c.Rows != many || c.Filtered != many || c.After != many+1 || !slices.Contains(c.Nearest, rows[7].ID) {
				t.Errorf("the Node package counts %d, %d, %d and finds %v", c.Rows, c.Filtered, c.After, c.Nearest)
			}
			s = openLarge(t, path)
			for _, want := range []memory.Memory{rows[8], {ID: theirs, Vector: row.Vector}, rows[many-1]} {
				hits, err := s.Nearest(t.Context(), scope.Operator().Filter(), memory.Narrow{ActiveAt: now}, want.Vector, 3)
				if err != nil || !slices.ContainsFunc(hits, func(h memory.Hit) bool { return h.Memory.ID == want.ID && h.Score > 0.999 }) {
					t.Errorf("%s is not among the nearest to itself: %d hits, %v", want.ID, len(hits), err)
				}
			}
			if _, err := s.Maintain(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// scattered are unit vectors of which no two are near each other.
func scattered(i int) []float32 {
	v := make([]float32, width)
	for j := range v {
		v[j] = float32(math.Sin(float64((i + 7) * (j*j + 3))))
	}
	return unit(v)
}

func openLarge(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Path: path, Dimensions: width})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}
