package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// now is the clock of the tests.
var now = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// fixture is an engine and what a test wants to reach behind it.
type fixture struct {
	*Engine
	t    *testing.T
	path string
}

// start opens an engine on a new database with the defaults of the
// configuration, and checks at the end that nothing native is left.
func start(t *testing.T, embedding *config.Embedding, change ...func(*Options)) *fixture {
	t.Helper()
	handlesComeBack(t)
	return reopen(t, filepath.Join(t.TempDir(), "db"), embedding, change...)
}

// handlesComeBack checks at the end that nothing native is left. Cleanups run
// last first, so it comes before anything is opened.
func handlesComeBack(t *testing.T) {
	t.Cleanup(func() {
		for kind, n := range lance.LiveHandles() {
			if n != 0 {
				t.Errorf("%d native handles of kind %q are left", n, kind)
			}
		}
	})
}

func reopen(t *testing.T, path string, embedding *config.Embedding, change ...func(*Options)) *fixture {
	t.Helper()
	c, err := config.Parse(nil, config.Env{Home: "/nowhere"})
	if err != nil {
		t.Fatal(err)
	}
	c.DBPath, c.Embedding, c.VectorCache = path, embedding, ""
	o := Options{Config: c, KeywordsOnly: embedding == nil, Now: func() time.Time { return now }, embedderRest: time.Millisecond}
	for _, f := range change {
		f(&o)
	}
	e, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return &fixture{Engine: e, t: t, path: path}
}

var main = Agent("main", "")

// remember stores for agent main and expects a new row.
func (f *fixture) remember(text string) StoreAnswer {
	f.t.Helper()
	a, err := f.Store(f.t.Context(), StoreRequest{Who: main, Text: text, Importance: 0.7})
	if err != nil {
		f.t.Fatalf("storing %q: %v", text, err)
	}
	if a.Action != Created {
		f.t.Fatalf("storing %q: %s", text, a.Action)
	}
	return a
}

// recalled gives the texts that agent main recalls, best first.
func (f *fixture) recalled(query string) []string {
	f.t.Helper()
	return texts(f.recall(query, 20))
}

func (f *fixture) recall(query string, limit int) RecallAnswer {
	f.t.Helper()
	a, err := f.Recall(f.t.Context(), RecallRequest{Who: main, Query: query, Limit: limit})
	if err != nil {
		f.t.Fatalf("recalling %q: %v", query, err)
	}
	return a
}

func texts(a RecallAnswer) []string {
	out := []string{}
	for _, h := range a.Hits {
		out = append(out, h.Memory.Text)
	}
	return out
}

func (f *fixture) count() int64 {
	f.t.Helper()
	s, err := f.Stats(f.t.Context(), StatsRequest{Who: Operator()})
	if err != nil {
		f.t.Fatal(err)
	}
	return s.Total
}

// eventually waits for background work.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// B79: opening answers at once and verbs say what is wrong; once it is put
// right, the next verb works.
func TestOpenIsLazyAndRetried(t *testing.T) {
	path := filepath.Join(t.TempDir(), "db")
	if err := os.WriteFile(path, []byte("not a directory"), 0o600); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	f := reopen(t, path, nil)
	f.Warm()
	if took := time.Since(began); took > 200*time.Millisecond {
		t.Errorf("opening took %s", took)
	}
	_, err := f.Recall(t.Context(), RecallRequest{Who: main, Query: "tea"})
	if FaultOf(err) != FaultStoreUnavailable || !strings.Contains(err.Error(), path) {
		t.Errorf("recall: %v (%s)", err, FaultOf(err))
	}
	if h := f.Health(); h.OK() || h.StoreOpen || h.StoreError == "" {
		t.Errorf("health = %+v", h)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	f.remember("The spare key is under the blue pot")
	if h := f.Health(); !h.OK() || !h.StoreOpen {
		t.Errorf("health after recovery = %+v", h)
	}
}

func TestDeadlineWhileOpening(t *testing.T) {
	f := start(t, nil)
	f.opening.busy = make(chan struct{}) // an attempt that does not end
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := f.Recall(ctx, RecallRequest{Who: main, Query: "tea"})
	if FaultOf(err) != FaultDeadline {
		t.Errorf("recall: %v (%s)", err, FaultOf(err))
	}
	f.opening.busy = nil
}

func TestAfterClose(t *testing.T) {
	f := start(t, nil)
	f.remember("Something to keep")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Recall(t.Context(), RecallRequest{Who: main, Query: "keep"}); !errors.Is(err, store.ErrClosed) {
		t.Errorf("recall after Close: %v", err)
	}
}

func TestConfigurationThatCannotBeUsed(t *testing.T) {
	_, err := Open(Options{Config: config.Config{Embedding: &config.Embedding{APIKeys: []string{"k"}, Model: "no-such-model"}}})
	if FaultOf(err) != FaultConfig {
		t.Errorf("unknown model without dimensions: %v (%s)", err, FaultOf(err))
	}
}
