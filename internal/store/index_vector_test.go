package store

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

func TestVectorKindFor(t *testing.T) {
	tests := []struct {
		rows  int64
		width int
		have  vectorKind
		want  vectorKind
	}{
		{0, 384, vectorsNone, vectorsNone},
		{vectorIndexFrom - 1, 384, vectorsNone, vectorsNone},
		{vectorIndexFrom, 384, vectorsNone, vectorsFlat},
		{vectorIndexFrom - 1, 384, vectorsFlat, vectorsFlat}, // kept near the bound
		{vectorIndexFrom/2 - 1, 384, vectorsFlat, vectorsNone},
		{27_000, 384, vectorsNone, vectorsFlat},
		{28_000, 384, vectorsNone, vectorsScaled},
		{28_000, 384, vectorsFlat, vectorsFlat},
		{31_000, 384, vectorsFlat, vectorsScaled},
		{100_000, 384, vectorsNone, vectorsScaled},
		{112_000, 384, vectorsNone, vectorsNone},
		{112_000, 384, vectorsScaled, vectorsScaled},
		{200_000, 384, vectorsScaled, vectorsNone},
		{10_000, 1024, vectorsNone, vectorsFlat},
		{11_000, 1024, vectorsNone, vectorsScaled},
		{10_000, 3072, vectorsNone, vectorsScaled},
	}
	for _, tt := range tests {
		if got := vectorKindFor(tt.rows, tt.width, tt.have); got != tt.want {
			t.Errorf("%d rows of %d numbers with %q: %q, want %q", tt.rows, tt.width, tt.have, got, tt.want)
		}
	}
}

// vectorIndex is the index of the vectors as it is in the table.
func vectorIndex(t *testing.T, s *Store) (vectorKind, lance.IndexStats) {
	t.Helper()
	list, err := s.indexes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	kind, ix := vectorIndexIn(list)
	if ix == nil {
		return kind, lance.IndexStats{}
	}
	return kind, ix.IndexStats
}

// nearest is the ids of a search, with and without whatever index there is.
func nearest(t *testing.T, s *Store, vector []float32, limit int) (ids []string) {
	t.Helper()
	hits, err := s.Nearest(t.Context(), everyone(), memory.Narrow{ActiveAt: start}, vector, limit)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hits {
		ids = append(ids, h.Memory.ID)
	}
	return ids
}

// exactly is the same, row by row.
func exactly(t *testing.T, s *Store, vector []float32, limit int) (ids []string) {
	t.Helper()
	s.vectors.broken.Store(true)
	defer s.vectors.broken.Store(false)
	return nearest(t, s, vector, limit)
}

// large is a store with enough rows for an index, some without a vector.
func large(t *testing.T, dir string, change ...func(*Options)) (*Store, []memory.Memory) {
	t.Helper()
	s := open(t, dir, change...)
	s.janitor.stop()
	rows := numbered("row %d of many", vectorIndexFrom+100)
	for i := 0; i < len(rows); i += 50 {
		rows[i].Vector = nil
	}
	insert(t, s, rows...)
	return s, rows
}

// TestVectorIndexThroughItsLife follows the index from its first rows to its last.
func TestVectorIndexThroughItsLife(t *testing.T) {
	noHandlesLeft(t)
	s, rows := large(t, t.TempDir())
	maintain := func(e effort) {
		t.Helper()
		if _, err := s.maintain(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	same := func(when string) {
		t.Helper()
		for i := range 12 {
			q := vec(fmt.Sprint("question ", i))
			if diff := cmp.Diff(exactly(t, s, q, 20), nearest(t, s, q, 20)); diff != "" {
				t.Errorf("%s, question %d (-row by row +through the index):\n%s", when, i, diff)
			}
		}
	}
	if kind, _ := vectorIndex(t, s); kind != vectorsNone {
		t.Fatalf("an index %q before any maintenance", kind)
	}
	maintain(effortWhole)
	if kind, st := vectorIndex(t, s); kind != vectorsFlat || st.Parts != 1 || st.UnindexedRows != 0 {
		t.Fatalf("after maintenance: %q %+v", kind, st)
	}
	same("whole")

	late := mem("a late row", withVector(vec("question 1")))
	insert(t, s, late)
	if got := nearest(t, s, vec("question 1"), 1); !slices.Equal(got, []string{late.ID}) {
		t.Errorf("a row that no index holds: %v", got)
	}
	moved := rows[1]
	moved.Vector = vec("question 2")
	if err := s.Write(t.Context(), "test", func(tx *Tx) error { return tx.Update(moved) }); err != nil {
		t.Fatal(err)
	}
	if got := nearest(t, s, vec("question 2"), 1); !slices.Equal(got, []string{moved.ID}) {
		t.Errorf("a row whose vector changed: %v", got)
	}
	first := nearest(t, s, vec("question 3"), 1)
	remove(t, s, first...)
	if got := nearest(t, s, vec("question 3"), 5); slices.Contains(got, first[0]) {
		t.Error("a deleted row is found")
	}
	same("changed")

	for range vectorParts + 1 {
		for _, m := range numbered("another late row %d", foldAfter) {
			m.ID = memory.NewID()
			insert(t, s, m)
		}
		maintain(effortFold)
	}
	if kind, st := vectorIndex(t, s); kind != vectorsFlat || st.Parts > vectorParts || st.UnindexedRows != 0 {
		t.Errorf("after %d folds: %q %+v", vectorParts+1, kind, st)
	}
	same("folded")
	maintain(effortWhole)
	if kind, st := vectorIndex(t, s); kind != vectorsFlat || st.Parts != 1 || st.UnindexedRows != 0 {
		t.Errorf("after tidying: %q %+v", kind, st)
	}
	same("tidied")

	var most []string
	for _, m := range rows[10 : len(rows)-1000] {
		if m.ID != first[0] {
			most = append(most, m.ID)
		}
	}
	remove(t, s, most...)
	same("most are deleted")
	maintain(effortWhole)
	if kind, _ := vectorIndex(t, s); kind != vectorsNone {
		t.Errorf("the index %q of a table that became small is kept", kind)
	}
	same("small again")
}

// TestBrokenVectorIndex loses the index's files under a running store.
func TestBrokenVectorIndex(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s, _ := large(t, dir)
	if _, err := s.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	q := vec("a question")
	want := exactly(t, s, q, 20)
	if err := s.reopen(false); err != nil { // nothing of it is in the cache then
		t.Fatal(err)
	}
	versions, err := manifest.List(tableDir(dir))
	if err != nil {
		t.Fatal(err)
	}
	m, err := manifest.Read(tableDir(dir), versions[0])
	if err != nil {
		t.Fatal(err)
	}
	broke := 0
	for _, ix := range m.Indexes {
		if ix.Name == string(vectorsFlat) {
			broke++
			if err := os.RemoveAll(filepath.Join(tableDir(dir), ix.Dir)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if broke == 0 {
		t.Fatal("there is no index to break")
	}
	for range 2 {
		if diff := cmp.Diff(want, nearest(t, s, q, 20)); diff != "" {
			t.Errorf("with a broken index (-want +got):\n%s", diff)
		}
	}
	if !s.vectors.broken.Load() {
		t.Error("it is not noticed that the index is broken")
	}
	if _, err := s.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if kind, st := vectorIndex(t, s); kind != vectorsFlat || st.IndexedRows == 0 || s.vectors.broken.Load() {
		t.Errorf("maintenance leaves %q %+v", kind, st)
	}
	if diff := cmp.Diff(want, nearest(t, s, q, 20)); diff != "" {
		t.Errorf("with a new index (-want +got):\n%s", diff)
	}
}

// TestForeignVectorIndex: another program's index is neither used nor touched, and
// vectors of another model get none.
func TestForeignVectorIndex(t *testing.T) {
	noHandlesLeft(t)
	t.Run("another program's", func(t *testing.T) {
		s, _ := large(t, t.TempDir())
		err := s.table.CreateVectorIndex(t.Context(), colVector, lance.VectorIndexOptions{Type: "ivf_flat", Partitions: 60})
		if err != nil {
			t.Fatal(err)
		}
		s.vectors.seen.Store(0) // the clock stands still
		for i := range 10 {
			q := vec(fmt.Sprint("question ", i))
			if diff := cmp.Diff(exactly(t, s, q, 20), nearest(t, s, q, 20)); diff != "" {
				t.Errorf("question %d (-row by row +with its index):\n%s", i, diff)
			}
		}
		if _, err := s.Maintain(t.Context()); err != nil {
			t.Fatal(err)
		}
		if kind, _ := vectorIndex(t, s); kind != vectorsForeign {
			t.Errorf("maintenance made %q of it", kind)
		}
	})
	t.Run("another model's", func(t *testing.T) {
		dir := t.TempDir()
		s, _ := large(t, dir, func(o *Options) { o.Fingerprint = "one" })
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = open(t, dir, func(o *Options) { o.Fingerprint = "another" })
		if _, err := s.Maintain(t.Context()); err != nil {
			t.Fatal(err)
		}
		if kind, _ := vectorIndex(t, s); kind != vectorsNone {
			t.Errorf("vectors that nobody compares got %q", kind)
		}
	})
	t.Run("no vectors", func(t *testing.T) {
		s := open(t, t.TempDir())
		s.janitor.stop()
		rows := numbered("row %d without a vector", vectorIndexFrom)
		for i := range rows {
			rows[i].Vector = nil
		}
		insert(t, s, rows...)
		if _, err := s.Maintain(t.Context()); err != nil {
			t.Fatal(err)
		}
		if kind, _ := vectorIndex(t, s); kind != vectorsNone {
			t.Errorf("got %q", kind)
		}
	})
}

// TestScaledVectorIndex: of the true best 20, at least 99 in a hundred are found.
func TestScaledVectorIndex(t *testing.T) {
	noHandlesLeft(t)
	s, _ := large(t, t.TempDir())
	if err := s.buildVectorIndex(t.Context(), &Report{}, vectorsScaled); err != nil {
		t.Fatal(err)
	}
	if kind := s.vectorPathNow(t.Context()); kind != vectorsScaled {
		t.Fatalf("searches go through %q", kind)
	}
	const questions, limit = 50, 20
	found := 0
	for i := range questions {
		q := vec(fmt.Sprint("question ", i))
		want, got := exactly(t, s, q, limit), nearest(t, s, q, limit)
		for _, id := range got {
			if slices.Contains(want, id) {
				found++
			}
		}
	}
	if recall := float64(found) / (questions * limit); recall < 0.99 {
		t.Errorf("recall %.3f", recall)
	}
}
