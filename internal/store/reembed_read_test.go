package store

import (
	"fmt"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// While a table is embedded anew, the rows done so far are found by their new vectors,
// by every process with the new model, within the scopes of who asks and as the rows
// are now; the others are found by words.
func TestSearchWhileReembedding(t *testing.T) {
	for _, to := range []model{newModel, wideModel} {
		t.Run(to.name, func(t *testing.T) {
			noHandlesLeft(t)
			path := t.TempDir()
			was := oldModel.memories("Lighthouse number %d", 20)
			was[2].Scope = "agent:main"
			old := open(t, path, oldModel.options)
			insert(t, old, was...)
			s, other := open(t, path, to.options), open(t, path, to.options)
			if s.PartlyEmbedded() {
				t.Error("nothing is done yet")
			}
			r, err := s.Reembed()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close() //nolint:errcheck // what it keeps is synced
			if other.PartlyEmbedded() {
				t.Error("nothing is done yet")
			}
			keep := func(from, until int) {
				t.Helper()
				var texts []string
				var vectors [][]float32
				for _, m := range was[from:until] {
					texts, vectors = append(texts, m.Text), append(vectors, to.vector(m.Text))
				}
				if err := r.Keep(texts, vectors); err != nil {
					t.Fatal(err)
				}
			}
			keep(0, 10)
			for _, st := range []*Store{s, other} {
				if !st.PartlyEmbedded() {
					t.Fatal("what is done is not searched")
				}
				for i, m := range was {
					if got := found(t, st, to, m.Text); got != (i < 10) {
						t.Errorf("%q is found: %v", m.Text, got)
					}
				}
			}
			keep(10, 12)
			if !found(t, other, to, was[11].Text) {
				t.Error("what was done since is not found")
			}
			if old.PartlyEmbedded() || !found(t, old, oldModel, was[15].Text) {
				t.Error("the process with the old model does not search its vectors")
			}
			// Scopes, a text that is another by now, a row that is gone, one that is stored again.
			hits, err := other.Nearest(t.Context(), agent(t, "bob"), memory.Narrow{}, to.vector(was[2].Text), 5)
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range hits {
				if h.Memory.ID == was[2].ID {
					t.Error("a scope out of reach is found")
				}
			}
			changed := was[3]
			changed.Text, changed.Vector, changed.Metadata.Embedding = "Something else", nil, memory.EmbeddingPending
			again := mem(was[4].Text)
			for _, fn := range []func(tx *Tx) error{
				func(tx *Tx) error { return tx.Update(changed) }, func(tx *Tx) error { return tx.Delete(was[4].ID) }, func(tx *Tx) error { return tx.Insert(again) },
			} {
				if err := old.Write(t.Context(), "test", fn); err != nil {
					t.Fatal(err)
				}
			}
			if found(t, other, to, was[3].Text) {
				t.Error("a text that is another by now is found")
			}
			hits, err = other.Nearest(t.Context(), everyone(), memory.Narrow{}, to.vector(was[4].Text), 1)
			if err != nil || len(hits) != 1 || hits[0].Memory.ID != again.ID {
				t.Errorf("%v, %v", texts(hits), err)
			}
			if hits, err := other.Nearest(t.Context(), everyone(), memory.Narrow{}, to.vector("x"), 100); err != nil || len(hits) != 11 {
				t.Errorf("%d are done, %v", len(hits), err)
			}
		})
	}
}

// The order is that of the cosines, however many rows say the same.
func TestSearchWhileReembeddingIsExact(t *testing.T) {
	noHandlesLeft(t)
	path := t.TempDir()
	was := oldModel.memories("Lighthouse number %d", 700)
	for i := range 30 {
		was[i].Text = fmt.Sprintf("Lighthouse number %d", 600+i)
	}
	insert(t, open(t, path, oldModel.options), was...)
	s := open(t, path, wideModel.options)
	r, err := s.Reembed()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() //nolint:errcheck // what it keeps is synced
	keepAll(t, r, wideModel, nil)
	before, err := s.Nearest(t.Context(), everyone(), memory.Narrow{}, wideModel.vector("a question"), 600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	after, err := s.Nearest(t.Context(), everyone(), memory.Narrow{}, wideModel.vector("a question"), 600)
	if err != nil || len(before) != 600 || len(after) != 600 {
		t.Fatalf("%d before, %d after, %v", len(before), len(after), err)
	}
	for i := range after {
		if d := before[i].Score - after[i].Score; d > 1e-6 || d < -1e-6 {
			t.Fatalf("hit %d: %v before, %v after", i, before[i].Score, after[i].Score)
		}
	}
}
