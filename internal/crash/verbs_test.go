package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
)

var agent = engine.Agent("main", "")

// twoEngines opens one database twice; each has its own lock and queue, as two
// processes would.
func twoEngines(t *testing.T) [2]*engine.Engine {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "db")
	var two [2]*engine.Engine
	for i := range two {
		e, err := openEngine(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		})
		two[i] = e
	}
	return two
}

func remember(t *testing.T, e *engine.Engine, text, category string) string {
	t.Helper()
	a, err := e.Store(t.Context(), engine.StoreRequest{Who: agent, Text: text, Category: category, Importance: 0.5})
	if err != nil || a.Action != engine.Created {
		t.Fatalf("storing %q: %v, %v", text, a.Action, err)
	}
	return a.Memory.ID
}

// listed is every memory of the agent.
func listed(t *testing.T, e *engine.Engine) (texts []string, importance []float64) {
	t.Helper()
	l, err := e.List(context.WithoutCancel(t.Context()), engine.ListRequest{Who: agent, Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range l.Memories {
		texts, importance = append(texts, m.Text), append(importance, m.Importance)
	}
	return texts, importance
}

// B30: twenty updates of one memory at once, ten of its text and ten of its
// importance, over two engines. None is lost, and there is one row afterwards,
// or none where a forget came as well.
func TestParallelUpdatesOfOneMemory(t *testing.T) {
	for _, forget := range []bool{false, true} {
		t.Run(fmt.Sprintf("forget %v", forget), func(t *testing.T) {
			two := twoEngines(t)
			id := remember(t, two[0], "The spare key hangs behind version zero", "fact")
			var all sync.WaitGroup
			var refused atomic.Int64
			for i := range 10 {
				change := func(r engine.UpdateRequest) {
					r.Who, r.ID = agent, id
					a, err := two[i%2].Update(t.Context(), r)
					switch {
					case err == nil && (a.Action == engine.Updated || a.Action == engine.Unchanged):
					case forget && engine.FaultOf(err) == engine.FaultNotFound:
						refused.Add(1)
					default:
						t.Errorf("update %d: %s, %v", i, a.Action, err)
					}
				}
				all.Go(func() { change(engine.UpdateRequest{Text: fmt.Sprintf("The spare key hangs behind v%d", i)}) })
				all.Go(func() {
					x := 0.6 + float64(i)/100
					change(engine.UpdateRequest{Importance: &x})
				})
			}
			if forget {
				all.Go(func() {
					if a, err := two[1].Forget(t.Context(), engine.ForgetRequest{Who: agent, ID: id}); err != nil || a.Action != engine.Deleted {
						t.Errorf("forget: %s, %v", a.Action, err)
					}
				})
			}
			all.Wait()
			for _, e := range two {
				texts, importance := listed(t, e)
				if forget {
					if len(texts) != 0 {
						t.Errorf("after the forget there are %q", texts)
					}
					continue
				}
				if len(texts) != 1 || !strings.HasPrefix(texts[0], "The spare key hangs behind v") || strings.HasSuffix(texts[0], "zero") || importance[0] < 0.6 {
					t.Errorf("rows %q of importance %v, want one with one of the ten texts and one of the ten values", texts, importance)
				}
			}
		})
	}
}

// A7: of equal statements told at once, over two engines, one is stored and the
// others are told so.
func TestParallelEqualStores(t *testing.T) {
	two := twoEngines(t)
	const n = 10
	var created, duplicates atomic.Int64
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			a, err := two[i%2].Store(t.Context(), engine.StoreRequest{Who: agent, Text: "The office plants are watered on Thursdays", Importance: 0.7})
			switch {
			case err != nil:
				t.Error(err)
			case a.Action == engine.Created:
				created.Add(1)
			case a.Action == engine.Duplicate:
				duplicates.Add(1)
			default:
				t.Errorf("action %s", a.Action)
			}
		})
	}
	all.Wait()
	if texts, _ := listed(t, two[0]); created.Load() != 1 || duplicates.Load() != n-1 || len(texts) != 1 {
		t.Errorf("%d created, %d duplicates, %d rows; want 1, %d, 1", created.Load(), duplicates.Load(), len(texts), n-1)
	}
}

// A8 and A2: updates of one preference, over two engines at once, make one chain
// of versions with one current, and whoever reads meanwhile always finds it.
func TestParallelUpdatesOfOnePreference(t *testing.T) {
	two := twoEngines(t)
	const each = 6
	id := remember(t, two[0], "Seat on trains: number 0", "preferences")
	stop := make(chan struct{})
	var reading, all sync.WaitGroup
	for _, e := range two {
		reading.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				shown, err := e.Show(t.Context(), engine.ShowRequest{Who: agent, ID: id})
				if err != nil {
					t.Errorf("the memory cannot be seen during an update: %v", err)
					return
				}
				current := 0
				for _, v := range shown.Versions {
					if v.Metadata.InvalidatedAt.IsZero() {
						current++
					}
				}
				if current != 1 {
					t.Errorf("%d versions are current, want one", current)
					return
				}
			}
		})
		for i := range each {
			all.Go(func() {
				text := fmt.Sprintf("Seat on trains: number %d of %p", i+1, e)
				a, err := e.Update(t.Context(), engine.UpdateRequest{Who: agent, ID: id, Text: text})
				if err != nil || a.Action != engine.Superseded {
					t.Errorf("%s, %v", a.Action, err)
				}
			})
		}
	}
	all.Wait()
	close(stop)
	reading.Wait()
	shown, err := two[1].Show(t.Context(), engine.ShowRequest{Who: agent, ID: id})
	if err != nil {
		t.Fatal(err)
	}
	current := 0
	for _, v := range shown.Versions {
		if v.Metadata.InvalidatedAt.IsZero() {
			current++
		}
	}
	if len(shown.Versions) != 2*each+1 || current != 1 {
		t.Errorf("%d versions, %d of them current; want %d and 1", len(shown.Versions), current, 2*each+1)
	}
}
