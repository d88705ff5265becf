package engine

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
)

func TestRecallFindsByMeaningAndByWords(t *testing.T) {
	p := newProvider(t)
	f := start(t, p.embedding())
	f.remember("Mara prefers window seats on long flights")
	f.remember("Invoices are processed by svc-billing-eu2")
	f.remember("The garden gate squeaks when it rains")
	a := f.recall("where does Mara like to sit on flights, window or aisle seats", 3)
	if len(a.Hits) == 0 || a.Hits[0].Memory.Text != "Mara prefers window seats on long flights" {
		t.Fatalf("recalled %q", texts(a))
	}
	top := a.Hits[0]
	if a.Mode != "hybrid" || top.Vector == nil || top.BM25 == nil || top.Score <= 0 || top.Score > 1 || top.Reason == "" || top.Why == nil {
		t.Errorf("mode %s, top hit %+v", a.Mode, top)
	}
	if diff := cmp.Diff([]string{"global", "agent:main"}, a.Scopes); diff != "" {
		t.Errorf("scopes (-want +got)\n%s", diff)
	}
	if got := f.recalled("svc-billing-eu2"); len(got) == 0 || got[0] != "Invoices are processed by svc-billing-eu2" {
		t.Errorf("recalled %q", got)
	}
}

// B07: the very first thing a fresh process does is a search, and the keyword
// half takes part in it.
func TestFirstSearchUsesKeywords(t *testing.T) {
	p := newProvider(t)
	p.vectors["zylophrast"] = leaning(0, 1) // adversarial: nowhere near the row
	p.vectors["The zylophrast is kept in the cellar"] = leaning(1, 1)
	f := start(t, p.embedding())
	f.remember("The zylophrast is kept in the cellar")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	fresh := reopen(t, f.path, p.embedding())
	a := fresh.recall("zylophrast", 3)
	if len(a.Hits) != 1 || a.Left("keyword") < 1 {
		t.Errorf("hits %q, stages %+v", texts(a), a.Stages)
	}
}

// B10: what was deleted never comes back, not through the text index either,
// and not after a restart.
func TestDeletedMemoriesStayAway(t *testing.T) {
	const text = "The parking code is 4417"
	p := newProvider(t)
	f := start(t, p.embedding(), autoRecall)
	f.remember("The bicycle stands behind the house")
	id := f.remember(text).Memory.ID
	if _, err := f.Delete(t.Context(), DeleteRequest{Who: main, ID: id}); err != nil {
		t.Fatal(err)
	}
	gone := func(f *fixture) {
		t.Helper()
		if got := f.recalled(text); slices.Contains(got, text) {
			t.Errorf("recalled after deletion: %q", got)
		}
		block, err := f.Prompt(t.Context(), PromptRequest{AgentID: "main", Prompt: "What is the parking code?", Trigger: "user"})
		if err != nil || strings.Contains(block, "4417") {
			t.Errorf("injected after deletion: %q, %v", block, err)
		}
	}
	gone(f)
	if _, err := f.opening.store.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	gone(f)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	gone(reopen(t, f.path, p.embedding(), autoRecall))
}

// B11: each half answers alone when the other fails, and says so.
func TestOneFailingHalf(t *testing.T) {
	p := newProvider(t)
	f := start(t, p.embedding())
	f.remember("Error E1043 means that the pump is dry")
	f.remember("The cellar light switch is behind the door")

	p.set(func(p *fakeProvider) { p.status = http.StatusInternalServerError })
	a := f.recall("E1043", 3)
	if got := texts(a); len(got) != 1 || got[0] != "Error E1043 means that the pump is dry" {
		t.Errorf("with a failing provider: %q", got)
	}
	if a.Mode != "keyword" || len(a.Degraded) != 1 || a.Degraded[0].Half != "vector" {
		t.Errorf("mode %s, degraded %+v", a.Mode, a.Degraded)
	}
	if h := f.Health(); h.OK() || h.EmbeddingError == "" {
		t.Errorf("health = %+v", h)
	}

	p.set(func(p *fakeProvider) { p.status = 0 })
	dropTextIndex(t, f.path)
	a = f.recall("where is the cellar light switch", 3)
	if len(a.Hits) == 0 || a.Hits[0].Memory.Text != "The cellar light switch is behind the door" {
		t.Errorf("without a text index: %q", texts(a))
	}
}

// dropTextIndex does from outside what a broken index looks like.
func dropTextIndex(t *testing.T, path string) {
	t.Helper()
	ctx := context.Background()
	db, err := lance.Connect(ctx, path, lance.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	table, err := db.OpenTable(ctx, "memories")
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	indexes, err := table.Indexes(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, ix := range indexes {
		if err := table.DropIndex(ctx, ix.Name); err != nil {
			t.Fatal(err)
		}
	}
}

// B15: as many as asked for, and never more than the documented maximum.
func TestLimits(t *testing.T) {
	f := start(t, nil)
	for i := range 30 {
		f.remember(fmt.Sprintf("Marmot observation number %d on the ridge", i))
	}
	for limit, want := range map[int]int{10: 10, 1: 1, 0: 3, -3: 1, 1_000_000_000: 20} {
		if got := len(f.recall("marmot", limit).Hits); got != want {
			t.Errorf("limit %d: %d hits, want %d", limit, got, want)
		}
	}
}

// A provider that hangs leaves the keywords time to answer.
func TestHangingProvider(t *testing.T) {
	p := newProvider(t)
	f := start(t, p.embedding())
	f.remember("The ferry leaves at half past six")
	p.set(func(p *fakeProvider) { p.hang = make(chan struct{}) })
	defer close(p.hang)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	a, err := f.Recall(ctx, RecallRequest{Who: main, Query: "when does the ferry leave"})
	if err != nil || len(a.Hits) != 1 || len(a.Degraded) != 1 {
		t.Errorf("hits %q, degraded %v, %v", texts(a), a.Degraded, err)
	}
}

func TestUnknownCategory(t *testing.T) {
	f := start(t, nil)
	_, err := f.Recall(t.Context(), RecallRequest{Who: main, Query: "tea", Category: "beverages"})
	if FaultOf(err) != FaultBadParams {
		t.Errorf("recall: %v (%s)", err, FaultOf(err))
	}
}

func TestWrappingIsNotSearchedFor(t *testing.T) {
	p := newProvider(t)
	f := start(t, p.embedding())
	f.remember("The train leaves from gate nine")
	p.set(func(p *fakeProvider) { p.asked = nil })
	wrapped := "Conversation info (untrusted metadata):\n```json\n{\"message_id\": \"7\", \"sender_id\": \"u1\"}\n```\n\n[Thu 2026-02-12 07:05 CET] which gate does my train leave from"
	a := f.recall(wrapped, 3)
	if a.Query != "which gate does my train leave from" {
		t.Errorf("searched for %q", a.Query)
	}
	if diff := cmp.Diff([]string{a.Query}, p.asked); diff != "" {
		t.Errorf("the provider was asked (-want +got)\n%s", diff)
	}
}
