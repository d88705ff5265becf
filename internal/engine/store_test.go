package engine

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

func TestStoredRow(t *testing.T) {
	p := newProvider(t)
	f := start(t, p.embedding())
	a, err := f.Store(t.Context(), StoreRequest{Who: main, Text: "  My name is Mara\x07\r\n", Importance: 7, Category: "fact"})
	if err != nil {
		t.Fatal(err)
	}
	m := a.Memory
	if m.Text != "My name is Mara" || m.Scope != "agent:main" || m.Importance != 1 || m.Category != memory.StoredFact || m.Kind() != memory.Profile {
		t.Errorf("stored %+v", m)
	}
	if m.Metadata.Source != memory.SourceManual || m.Metadata.State != memory.StateConfirmed || m.Metadata.Layer != memory.LayerDurable ||
		!m.Metadata.LastConfirmedUseAt.Equal(now) || !m.Metadata.ValidFrom.Equal(now) || m.Metadata.Embedding != "" {
		t.Errorf("metadata %+v", m.Metadata)
	}
	page, err := f.List(t.Context(), ListRequest{Who: main})
	if err != nil || len(page.Memories) != 1 || page.Memories[0].ID != m.ID {
		t.Errorf("listed %+v, %v", page.Memories, err)
	}
}

func TestRefusals(t *testing.T) {
	f := start(t, nil)
	for _, c := range []struct {
		name   string
		r      StoreRequest
		action Action
		fault  Fault
	}{
		{"small talk", StoreRequest{Who: main, Text: "good morning"}, Noise, ""},
		{"a name is no greeting", StoreRequest{Who: main, Text: "Hilton is the preferred hotel in Oslo"}, Created, ""},
		{"too large", StoreRequest{Who: main, Text: strings.Repeat("x", memory.MaxTextBytes+1)}, "", FaultTooLarge},
		{"not UTF-8", StoreRequest{Who: main, Text: "caf\xe9 au lait"}, "", FaultBadParams},
		{"unknown category", StoreRequest{Who: main, Text: "Tea is at four", Category: "beverages"}, "", FaultBadParams},
		{"no agent", StoreRequest{Text: "Nobody says this"}, "", FaultNoAgent},
		{"digits are a chat, not an agent", StoreRequest{Who: Agent("4711", ""), Text: "A chat says this"}, "", FaultNoAgent},
		{"another agent's scope", StoreRequest{Who: main, Text: "For somebody else", Scope: "agent:other"}, "", FaultDenied},
		{"no scope name", StoreRequest{Who: main, Text: "For nobody", Scope: "a b"}, "", FaultDenied},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := f.Store(t.Context(), c.r)
			if c.fault != "" {
				if err == nil || FaultOf(err) != c.fault {
					t.Errorf("error %v (%s), want %s", err, FaultOf(err), c.fault)
				}
				return
			}
			if err != nil || a.Action != c.action {
				t.Errorf("action %s, %v; want %s", a.Action, err, c.action)
			}
		})
	}
}

// Several equal statements told at once become one row, with a provider and
// without.
func TestEqualStatementsAtOnce(t *testing.T) {
	const text = "The alarm code of the office is 2214"
	for name, embedding := range map[string]*config.Embedding{"vectors": newProvider(t).embedding(), "keywords": nil} {
		t.Run(name, func(t *testing.T) {
			f := start(t, embedding)
			var wg sync.WaitGroup
			actions := make(chan Action, 5)
			for range 5 {
				wg.Go(func() {
					a, err := f.Store(t.Context(), StoreRequest{Who: main, Text: text})
					if err != nil {
						t.Error(err)
					}
					actions <- a.Action
				})
			}
			wg.Wait()
			close(actions)
			counts := map[Action]int{}
			for a := range actions {
				counts[a]++
			}
			if diff := cmp.Diff(map[Action]int{Created: 1, Duplicate: 4}, counts); diff != "" {
				t.Errorf("actions (-want +got)\n%s", diff)
			}
			if n := f.count(); n != 1 {
				t.Errorf("%d rows, want 1", n)
			}
		})
	}
}

func TestDuplicateIsToldAndCanBeForced(t *testing.T) {
	f := start(t, nil)
	first := f.remember("The office closes at seven")
	a, err := f.Store(t.Context(), StoreRequest{Who: main, Text: "the office  closes at seven."})
	if err != nil || a.Action != Duplicate || a.Existing.ID != first.Memory.ID || a.Similarity != 1 {
		t.Errorf("again: %+v, %v", a, err)
	}
	a, err = f.Store(t.Context(), StoreRequest{Who: main, Text: "The office closes at seven", Force: true})
	if err != nil || a.Action != Created || !a.DuplicateOverride {
		t.Errorf("forced: %+v, %v", a, err)
	}
	// The same words of another agent are no duplicate.
	a, err = f.Store(t.Context(), StoreRequest{Who: Agent("other", ""), Text: "The office closes at seven"})
	if err != nil || a.Action != Created {
		t.Errorf("another agent: %+v, %v", a, err)
	}
}

func TestNewerVersionSupersedes(t *testing.T) {
	const old, fresh = "Mara prefers window seats on trains", "Mara prefers aisle seats on trains"
	p := newProvider(t)
	p.vectors[old], p.vectors[fresh] = leaning(1, 1), leaning(0.96, 1)
	f := start(t, p.embedding())
	store := func(text, category string) StoreAnswer {
		t.Helper()
		a, err := f.Store(t.Context(), StoreRequest{Who: main, Text: text, Category: category})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	first := store(old, "preferences")
	second := store(fresh, "preferences")
	if second.Action != Superseded || second.Existing.ID != first.Memory.ID || second.Memory.Metadata.Supersedes != first.Memory.ID {
		t.Fatalf("second: %+v", second)
	}
	if second.Similarity <= 0.95 || second.Similarity > 0.98 {
		t.Errorf("similarity %g", second.Similarity)
	}
	if diff := cmp.Diff([]string{fresh}, f.recalled("which seats does Mara prefer on trains")); diff != "" {
		t.Errorf("recalled (-want +got)\n%s", diff)
	}
	page, err := f.List(t.Context(), ListRequest{Who: main})
	if err != nil || len(page.Memories) != 2 {
		t.Fatalf("listed %d rows, %v", len(page.Memories), err)
	}
	for _, m := range page.Memories {
		if m.ID == first.Memory.ID && (m.Metadata.SupersededBy != second.Memory.ID || !m.Metadata.InvalidatedAt.Equal(now)) {
			t.Errorf("old version: %+v", m.Metadata)
		}
	}
	// Events do not replace each other.
	p.vectors["The roof was repaired in spring"], p.vectors["The roof was repaired in autumn"] = leaning(-1, 1), leaning(-0.96, 1)
	store("The roof was repaired in spring", "events")
	if a := store("The roof was repaired in autumn", "events"); a.Action != Created {
		t.Errorf("an event superseded another: %+v", a)
	}
}

// B21: vectors that cannot be used are not stored; the statement is.
func TestBrokenVectors(t *testing.T) {
	zeros := "[" + strings.TrimSuffix(strings.Repeat("0,", width), ",") + "]"
	for name, answer := range map[string]string{
		"zeros":    zeros,
		"null":     strings.Replace(zeros, "0", "null", 1),
		"NaN":      strings.Replace(zeros, "0", "NaN", 1),
		"Infinity": strings.Replace(zeros, "0", "1e999", 1),
		"empty":    "[]",
		"width":    "[1,2,3]",
	} {
		t.Run(name, func(t *testing.T) {
			p := newProvider(t)
			f := start(t, p.embedding())
			f.remember("A row from better days")
			p.set(func(p *fakeProvider) { p.answer = func(string) string { return answer } })
			kept, err := f.Store(t.Context(), StoreRequest{Who: main, Text: "The pump in the cellar is dry"})
			if err != nil || kept.Action != Created || !strings.Contains(kept.Pending, embed.ErrBadVector.Error()) {
				t.Errorf("store: %+v, %v", kept, err)
			}
			if m := f.all()["The pump in the cellar is dry"]; m.Vector != nil || m.Metadata.Embedding != memory.EmbeddingPending {
				t.Errorf("it has the vector %v", m.Vector)
			}
			if got := f.recalled("pump"); len(got) != 1 {
				t.Errorf("by words: %q", got)
			}
			a := f.recall("better days", 3)
			if len(a.Hits) != 1 || len(a.Degraded) != 1 {
				t.Errorf("recall: %q, degraded %+v", texts(a), a.Degraded)
			}
		})
	}
	t.Run("the same for all", func(t *testing.T) {
		p := newProvider(t)
		constant := strings.Replace(zeros, "0", "1", 1)
		p.set(func(p *fakeProvider) { p.answer = func(string) string { return constant } })
		f := start(t, p.embedding())
		for i := range 10 {
			for _, text := range []string{"Locker %d belongs to Mara", "Locker %d belongs to Jonas", "The key of locker %d is lost"} {
				a, err := f.Store(t.Context(), StoreRequest{Who: main, Text: fmt.Sprintf(text, i), Category: "preferences"})
				if err != nil || a.Action != Created {
					t.Errorf(text+": %s, %v", i, a.Action, err)
				}
			}
		}
		if n := f.count(); n != 30 {
			t.Errorf("%d rows, want 30", n)
		}
		if got := f.recalled("locker 7 Jonas"); len(got) == 0 || got[0] != "Locker 7 belongs to Jonas" {
			t.Errorf("recalled %q", got)
		}
		// Equal words are still a duplicate.
		if a, err := f.Store(t.Context(), StoreRequest{Who: main, Text: "Locker 3 belongs to Mara"}); err != nil || a.Action != Duplicate {
			t.Errorf("told again: %s, %v", a.Action, err)
		}
	})
}

// A key that is revoked costs the vector and not the memory; it gets one when the
// provider takes the key again.
func TestProviderRefuses(t *testing.T) {
	p := newProvider(t)
	p.status = http.StatusUnauthorized
	f := start(t, p.embedding())
	a, err := f.Store(t.Context(), StoreRequest{Who: main, Text: "The pump in the cellar is dry"})
	if err != nil || a.Action != Created || !strings.Contains(a.Pending, "refused the key") {
		t.Errorf("store: %+v, %v", a, err)
	}
	if got := f.recalled("pump"); len(got) != 1 {
		t.Errorf("by words: %q", got)
	}
	p.set(func(p *fakeProvider) { p.status = 0 })
	f.recall("anything that makes the provider answer", 1)
	eventually(t, "the vector is filled in", func() bool {
		s, err := f.Stats(t.Context(), StatsRequest{Who: Operator()})
		return err == nil && s.Total == 1 && s.Pending == 0
	})
}

// A provider that is down does not lose the memory: it is found by its words at
// once, and by meaning when the provider is back.
func TestPendingVectors(t *testing.T) {
	const text = "The lighthouse keeper retires in May"
	p := newProvider(t)
	f := start(t, p.embedding())
	f.remember("A row from better days")
	p.set(func(p *fakeProvider) { p.status = http.StatusServiceUnavailable })
	a, err := f.Store(t.Context(), StoreRequest{Who: main, Text: text})
	if err != nil || a.Action != Created || a.Pending == "" || a.Memory.Metadata.Embedding != memory.EmbeddingPending {
		t.Fatalf("store: %+v, %v", a, err)
	}
	if got := f.recalled("lighthouse"); len(got) != 1 || got[0] != text {
		t.Errorf("by words: %q", got)
	}
	if again, err := f.Store(t.Context(), StoreRequest{Who: main, Text: text}); err != nil || again.Action != Duplicate {
		t.Errorf("told again while down: %s, %v", again.Action, err)
	}
	p.set(func(p *fakeProvider) { p.status = 0 })
	f.recall("anything that makes the provider answer", 1)
	eventually(t, "the vector is filled in", func() bool {
		s, err := f.Stats(t.Context(), StatsRequest{Who: Operator()})
		return err == nil && s.Pending == 0
	})
	hits := f.recall("the keeper of the lighthouse", 3).Hits
	if len(hits) == 0 || hits[0].Memory.Text != text || hits[0].Vector == nil || hits[0].Memory.Metadata.Embedding != "" {
		t.Errorf("by meaning: %+v", hits)
	}
}

// The same after a restart: nobody has to ask for it.
func TestPendingVectorsAreFilledAtStart(t *testing.T) {
	p := newProvider(t)
	p.status = http.StatusServiceUnavailable
	f := start(t, p.embedding(), func(o *Options) { o.OneShot = true })
	f.remember("The lighthouse keeper retires in May")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	p.set(func(p *fakeProvider) { p.status = 0 })
	again := reopen(t, f.path, p.embedding())
	again.Warm()
	eventually(t, "the vector is filled in", func() bool {
		s, err := again.Stats(t.Context(), StatsRequest{Who: Operator()})
		return err == nil && s.Total == 1 && s.Pending == 0
	})
}
