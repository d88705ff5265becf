package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// B90: a table whose vectors another model wrote, of the same width or not, is
// read and written by keywords, says so everywhere, and is never mixed.
func TestAnotherModel(t *testing.T) {
	tests := []struct {
		name   string
		change func(*config.Embedding)
		says   string
	}{
		{"of the same width", func(c *config.Embedding) { c.Model = "other-model" }, "other-model"},
		{"with another task hint", func(c *config.Embedding) { c.Model, c.TaskPassage = "jina-embeddings-v3", "retrieval.passage" }, "retrieval.passage"},
		{"of another width", func(c *config.Embedding) { c.Dimensions = width / 2 }, "vectors of 64 numbers"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newProvider(t)
			f := start(t, p.embedding())
			f.remember("The zylophrast hangs in the blue room")
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}

			changed := p.embedding()
			tt.change(changed)
			p.set(func(p *fakeProvider) { p.asked = nil })
			f = reopen(t, f.path, changed)
			a := f.recall("zylophrast", 3)
			if got := texts(a); len(got) != 1 {
				t.Errorf("found %q", got)
			}
			if len(a.Degraded) != 1 || a.Degraded[0].Half != "vector" || !strings.Contains(a.Degraded[0].Reason, "memory-pro reembed") {
				t.Errorf("degraded: %+v", a.Degraded)
			}
			if h := f.Health(); h.OK() || !strings.Contains(h.StoreError, tt.says) {
				t.Errorf("health: %+v", h)
			}

			kept := f.remember("The glimmerwick stands behind the door")
			if !strings.Contains(kept.Pending, "memory-pro reembed") {
				t.Errorf("pending because %q", kept.Pending)
			}
			if again, err := f.Store(t.Context(), StoreRequest{Who: main, Text: "the glimmerwick stands behind the door."}); err != nil || again.Action != Duplicate {
				t.Errorf("told again: %s, %v", again.Action, err)
			}
			if got := f.recalled("glimmerwick"); !slices.Equal(got, []string{kept.Memory.Text}) {
				t.Errorf("found %q", got)
			}
			s, err := f.Stats(t.Context(), StatsRequest{Who: Operator()})
			if err != nil || s.Pending != 1 || s.RetrievalMode != "keyword" {
				t.Errorf("stats: %+v, %v", s, err)
			}
			if len(p.asked) > 0 {
				t.Errorf("the provider was asked about %q in vain", p.asked)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}

			// Back with the first model, what waited is filled in.
			f = reopen(t, f.path, p.embedding())
			f.recall("anything", 1)
			db, _ := f.opening.now()
			eventually(t, "the new memory has a vector", func() bool {
				rows, err := db.Pending(t.Context(), scope.Operator().Filter(), 1)
				return err == nil && len(rows) == 0
			})
			m, err := db.Get(t.Context(), scope.Operator().Filter(), kept.Memory.ID)
			if err != nil || len(m.Vector) != width || m.Metadata.Embedding == memory.EmbeddingPending {
				t.Errorf("filled in: %d numbers, %q, %v", len(m.Vector), m.Metadata.Embedding, err)
			}
			if h := f.Health(); !h.OK() {
				t.Errorf("health: %+v", h)
			}
		})
	}
}
