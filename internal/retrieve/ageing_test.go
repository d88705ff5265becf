package retrieve_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve/retrievetest"
)

// aged is a fact stated so many days ago.
func aged(id, text string, vector []float32, days float64) memory.Memory {
	at := now.Add(-time.Duration(days * 24 * float64(time.Hour)))
	m := fact(id, text, vector)
	m.Time, m.Metadata = at, memory.NewMetadata(text, memory.Cases, memory.SourceManual, at)
	return m
}

// ageing lists the three ways to look at age.
func ageing() map[string]func(*retrieve.Options) {
	return map[string]func(*retrieve.Options){
		"by tier": func(o *retrieve.Options) { d := rank.DefaultDecay; o.Decay = &d },
		"by age":  func(o *retrieve.Options) { a := rank.DefaultAge; o.Age = &a },
		"not":     func(*retrieve.Options) {},
	}
}

// B13: age may reorder, it drops nothing whose relevance passes.
func TestOldButPerfectMemoriesStay(t *testing.T) {
	s := &retrievetest.Searcher{}
	for i := range 50 {
		v := make([]float32, 52)
		v[0], v[i+1] = 0.3122499, 0.95
		s.Memories = append(s.Memories, aged(fmt.Sprintf("%02d", i), fmt.Sprintf("the code of room %d is tok-%04d-x", i, i), v, 240))
	}
	for name, age := range ageing() {
		for i := range 50 {
			v := make([]float32, 52)
			v[i+1] = 1
			o := defaults(s, &retrievetest.Embedder{Otherwise: v})
			age(&o)
			got := ask(t, o, fmt.Sprintf("tok-%04d-x", i), 1)
			if len(got.Hits) != 1 || got.Hits[0].Memory.ID != fmt.Sprintf("%02d", i) {
				t.Fatalf("aged %s, row %d: %v\n%s", name, i, ids(got), got.Explain)
			}
		}
	}
	// The same for a row without an identifier that just passes.
	for name, age := range ageing() {
		just := aged("just", "the oven runs hot", retrievetest.AtCosine(0.36), 2000)
		just.Importance, just.Metadata.Tier = 0, memory.TierPeripheral
		o := defaults(&retrievetest.Searcher{Memories: []memory.Memory{just}}, &retrievetest.Embedder{Otherwise: constant})
		age(&o)
		got := ask(t, o, "zinc roof", 3)
		if len(got.Hits) != 1 || math.Abs(got.Hits[0].Relevance-0.36) > 1e-6 {
			t.Errorf("aged %s: %v\n%s", name, ids(got), got.Explain)
		}
	}
}

// B25: age does not swamp relevance, and enters a score once.
func TestAgeEntersAScoreOnce(t *testing.T) {
	for _, mode := range []string{retrieve.ModeHybrid, retrieve.ModeVector} {
		s := &retrievetest.Searcher{Memories: []memory.Memory{
			aged("A", "the oven runs hot", retrievetest.AtCosine(0.92), 30), aged("B", "bread needs two hours", retrievetest.AtCosine(0.45), 1.0/24),
		}}
		for i := range s.Memories {
			s.Memories[i].Importance = 0.6
		}
		scores := map[string]float64{}
		for name, age := range ageing() {
			o := defaults(s, &retrievetest.Embedder{Otherwise: constant})
			o.Mode = mode
			age(&o)
			got := ask(t, o, "zinc roof", 2)
			if diff := cmp.Diff([]string{"A", "B"}, ids(got)); diff != "" {
				t.Errorf("%s, aged %s (-want +got):\n%s", mode, name, diff)
			}
			var factors []float64
			for _, n := range got.Hits[0].Why.Children {
				if n.Name == retrieve.StageDecay {
					factors = append(factors, n.Value)
				}
			}
			if want := map[string]int{"not": 0}; name == "not" && len(factors) != want[name] || name != "not" && len(factors) != 1 {
				t.Errorf("%s, aged %s: factors %v\n%s", mode, name, factors, got.Explain)
			}
			scores[name] = got.Hits[0].Score
		}
		a := s.Memories[0]
		if want := scores["not"] * rank.DefaultDecay.Factor(rank.LifeOf(a), now); math.Abs(scores["by tier"]-want) > 1e-9 {
			t.Errorf("%s: by tier %v, want %v: one factor", mode, scores["by tier"], want)
		}
		if want := scores["not"] * rank.Importance(0.6) * rank.DefaultAge.Factor(rank.LifeOf(a), now); math.Abs(scores["by age"]-want) > 1e-9 {
			t.Errorf("%s: by age %v, want %v: importance, and one factor of age", mode, scores["by age"], want)
		}
	}
}

// With both given, tiers decide alone.
func TestDecayTakesThePlaceOfAge(t *testing.T) {
	s := &retrievetest.Searcher{Memories: []memory.Memory{aged("A", "the oven runs hot", retrievetest.AtCosine(0.9), 100)}}
	o := defaults(s, &retrievetest.Embedder{Otherwise: constant})
	d, a := rank.DefaultDecay, rank.DefaultAge
	o.Decay = &d
	want := ask(t, o, "zinc roof", 1)
	o.Age = &a
	if diff := cmp.Diff(want.Hits, ask(t, o, "zinc roof", 1).Hits); diff != "" {
		t.Error(diff)
	}
}

// Length counts against a row, but not against the identifier it holds.
func TestLength(t *testing.T) {
	long := strings.Repeat(" and so on in many words", 180) // 4320 characters
	s := &retrievetest.Searcher{Memories: []memory.Memory{
		fact("short", "the oven runs hot", retrievetest.AtCosine(0.6)), fact("long", "the oven runs hot"+long, retrievetest.AtCosine(0.95)),
		fact("corpus:1", "the cellar is dry"+long, retrievetest.AtCosine(0.5)),
	}}
	for anchor, want := range map[int][]string{0: {"long", "short", "corpus:1"}, 500: {"short", "corpus:1", "long"}, 5000: {"long", "short", "corpus:1"}} {
		o := retrieve.Options{Searcher: s, Embedder: &retrievetest.Embedder{Otherwise: constant}, LengthNormAnchor: anchor}
		if diff := cmp.Diff(want, ids(ask(t, o, "zinc roof", 3))); diff != "" {
			t.Errorf("anchor %d (-want +got):\n%s", anchor, diff)
		}
	}
	// A long row that fits is not dropped.
	o := defaults(s, &retrievetest.Embedder{Otherwise: constant})
	o.LengthNormAnchor = 1
	if got := ask(t, o, "zinc roof", 3); len(got.Hits) != 3 {
		t.Errorf("%v\n%s", ids(got), got.Explain)
	}
	s = &retrievetest.Searcher{Memories: []memory.Memory{
		fact("holder", "E1043 means the tray is empty."+long, retrievetest.AtCosine(0.3)), fact("near", "E1044 means the tray is full", retrievetest.AtCosine(0.8)),
	}}
	o = defaults(s, &retrievetest.Embedder{Otherwise: constant})
	o.LengthNormAnchor = 500
	if got := ask(t, o, "E1043", 2); len(got.Hits) == 0 || got.Hits[0].Memory.ID != "holder" {
		t.Errorf("%v\n%s", ids(got), got.Explain)
	}
}

// Neither does age.
func TestAgeLeavesTheIdentifierFirst(t *testing.T) {
	s := &retrievetest.Searcher{Memories: []memory.Memory{
		aged("holder", "Mara owns svc-billing-eu2", retrievetest.AtCosine(0.3), 900), aged("near", "svc-billing-eu1 is owned by Jonas", retrievetest.AtCosine(0.85), 0),
	}}
	for name, age := range ageing() {
		o := defaults(s, &retrievetest.Embedder{Otherwise: constant})
		age(&o)
		if got := ask(t, o, "who owns svc-billing-eu2?", 2); len(got.Hits) == 0 || got.Hits[0].Memory.ID != "holder" {
			t.Errorf("aged %s: %v\n%s", name, ids(got), got.Explain)
		}
	}
}

// A preferred category decides between rows that fit alike, and lifts nothing over a cut.
func TestIntent(t *testing.T) {
	preference := fact("preference", "the oven runs hot", retrievetest.AtCosine(0.6))
	preference.Category, preference.Metadata.Category = memory.StoredPreference, memory.Preferences
	unfit := preference
	unfit.ID, unfit.Text, unfit.Vector = "unfit", "the cellar is dry", retrievetest.AtCosine(0.33)
	s := &retrievetest.Searcher{Memories: []memory.Memory{preference, unfit, fact("fact", "bread needs two hours", retrievetest.AtCosine(0.65)), fact("best", "the kiln runs hot", retrievetest.AtCosine(0.99))}}
	r := retrieve.New(defaults(s, &retrievetest.Embedder{Otherwise: constant}))
	got, err := r.Recall(t.Context(), retrieve.Request{Query: "zinc roof", Limit: 5, Who: everyone(), Now: now, Prefer: []memory.StoredCategory{memory.StoredPreference}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"best", "preference", "fact"}, ids(got)); diff != "" {
		t.Errorf("(-want +got):\n%s\n%s", diff, got.Explain)
	}
	if h := got.Hits[1]; math.Abs(h.Score-0.69) > 1e-6 || math.Abs(h.Relevance-0.6) > 1e-6 {
		t.Errorf("score %v, relevance %v", h.Score, h.Relevance)
	}
}
