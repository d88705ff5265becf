package retrieve_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve/retrievetest"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// For any id the answer says what stopped it, at the first thing that did.
func TestWhyNot(t *testing.T) {
	s := &retrievetest.Searcher{}
	add := func(id, text string, vector []float32, change func(*memory.Memory)) {
		m := fact(id, text, vector)
		if change != nil {
			change(&m)
		}
		s.Memories = append(s.Memories, m)
	}
	for i := range 30 {
		add(fmt.Sprintf("%02d", i), fmt.Sprintf("harbour note %d", i), retrievetest.AtCosine(0.9-float64(i)/1000), nil)
	}
	past, future := now.Add(-time.Hour), now.Add(time.Hour)
	add("superseded", "zinc", constant, func(m *memory.Memory) { m.Metadata.InvalidatedAt, m.Metadata.SupersededBy = past, "00" })
	add("expired", "zinc", constant, func(m *memory.Memory) { m.Metadata.ValidUntil = past })
	add("future", "zinc", constant, func(m *memory.Memory) { m.Metadata.ValidFrom = future })
	add("archived", "zinc", constant, func(m *memory.Memory) { m.Metadata.State = memory.StateArchived })
	add("unconfirmed", "zinc", constant, func(m *memory.Memory) { m.Metadata.State = memory.StatePending })
	add("layer", "zinc", constant, func(m *memory.Memory) { m.Metadata.Layer = memory.LayerReflection })
	add("reflection", "zinc", constant, func(m *memory.Memory) { m.Category = memory.StoredReflection })
	add("old", "zinc", constant, func(m *memory.Memory) { m.Time = now.Add(-1000 * time.Hour) })
	add("suppressed", "zinc", constant, func(m *memory.Memory) {
		m.Metadata.Extra = map[string]json.RawMessage{"suppressed_until_ms": json.RawMessage(fmt.Sprint(future.UnixMilli()))}
	})
	add("unrelated", "bread needs two hours", retrievetest.AtCosine(0.1), nil)
	add("fitting", "the oven runs hot", retrievetest.AtCosine(0.8), nil)
	add("secret", "zinc", constant, func(m *memory.Memory) { m.Scope = scope.ForAgent("bob") })
	alice, err := scope.ForCaller(scope.Caller{AgentID: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	req := retrieve.Request{
		Query: "zinc harbour", Limit: 3, Who: alice.Filter(),
		Narrow:  memory.Narrow{HideArchived: true, ConfirmedOnly: true, HideLayers: []string{memory.LayerReflection}, HideReflections: true, Since: now.Add(-999 * time.Hour), UnsuppressedAt: now},
		Without: map[string]string{"01": "shown before"},
		Watch: []string{"superseded", "expired", "future", "archived", "unconfirmed", "layer", "reflection", "old", "suppressed", "unrelated", "fitting",
			"secret", "none", "01", "02", "25", "25", "00"},
	}
	o := defaults(s, &retrievetest.Embedder{Otherwise: constant})
	with := recall(t, o, req)
	for id, want := range map[string]retrieve.Drop{
		"superseded":  {Stage: retrieve.StageFilter, Reason: retrieve.ReasonSuperseded, Detail: "superseded by 00"},
		"expired":     {Stage: retrieve.StageFilter, Reason: retrieve.ReasonExpired},
		"future":      {Stage: retrieve.StageFilter, Reason: retrieve.ReasonNotYetValid},
		"archived":    {Stage: retrieve.StageFilter, Reason: retrieve.ReasonArchived},
		"unconfirmed": {Stage: retrieve.StageFilter, Reason: retrieve.ReasonState},
		"layer":       {Stage: retrieve.StageFilter, Reason: retrieve.ReasonLayer},
		"reflection":  {Stage: retrieve.StageFilter, Reason: retrieve.ReasonCategory},
		"old":         {Stage: retrieve.StageFilter, Reason: retrieve.ReasonTooOld},
		"suppressed":  {Stage: retrieve.StageFilter, Reason: retrieve.ReasonSuppressed},
		"unrelated":   {Stage: retrieve.StageMinScore, Reason: retrieve.ReasonMinScore},
		"fitting":     {Stage: retrieve.StagePool, Reason: retrieve.ReasonPool},
		"01":          {Stage: retrieve.StageWithout, Reason: "shown before"},
		"04":          {Stage: retrieve.StageLimit, Reason: retrieve.ReasonLimit},
		"25":          {Stage: retrieve.StagePool, Reason: retrieve.ReasonPool},
		"secret":      {}, "none": {}, "00": {}, "02": {},
	} {
		got := fate(with, id)
		if got.Stage != want.Stage || got.Reason != want.Reason || want.Detail != "" && got.Detail != want.Detail {
			t.Errorf("%s: %s at %s (%s), want %s at %s\n%s", id, got.Reason, got.Stage, got.Detail, want.Reason, want.Stage, with.Explain)
		}
		if got.ID != "" && got.Why == nil {
			t.Errorf("%s is not explained", id)
		}
	}
	if h := fate(with, "fitting"); h.Score < 0.5 {
		t.Errorf("scored %v, want what its cosine of 0.8 gives", h.Score)
	}
	seen := map[string]bool{}
	for _, d := range with.Dropped {
		if seen[d.ID] {
			t.Errorf("%s ends twice", d.ID)
		}
		seen[d.ID] = true
	}

	// Watching changes nothing about the hits.
	req.Watch = nil
	without := recall(t, o, req)
	if diff := cmp.Diff(without.Hits, with.Hits); diff != "" {
		t.Errorf("hits (-unwatched +watched):\n%s", diff)
	}
	if slices.ContainsFunc(without.Dropped, func(d retrieve.Drop) bool { return d.ID == "fitting" }) {
		t.Error("told though not asked")
	}
}

// blind is a store that cannot read by id.
type blind struct{ retrieve.Searcher }

func TestWatchNeedsAGetter(t *testing.T) {
	s := &retrievetest.Searcher{Memories: []memory.Memory{fact("far", "bread", retrievetest.AtCosine(-0.5))}}
	got := recall(t, defaults(blind{s}, &retrievetest.Embedder{Otherwise: constant}), retrieve.Request{Query: "zinc", Watch: []string{"far", "none"}})
	if len(got.Dropped) != 1 { // listed by the vector half, which lists what is far when nothing is near
		t.Errorf("%+v", got.Dropped)
	}
}
