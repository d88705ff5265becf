package engine

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/provider"
)

// flaky is an embedder that can be down, and counts what it is asked.
type flaky struct {
	mu            sync.Mutex
	err           error
	calls, probes int
	probed        chan struct{} // not nil: a probe waits for it
}

func (f *flaky) set(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func (f *flaky) count() (calls, probes int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls, f.probes
}

func (f *flaky) EmbedQuery(context.Context, string) ([]float32, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	return []float32{1}, f.err
}

func (f *flaky) EmbedPassage(ctx context.Context, text string) ([]float32, error) {
	return f.EmbedQuery(ctx, text)
}

func (f *flaky) EmbedPassages(ctx context.Context, texts []string) ([][]float32, error) {
	v, err := f.EmbedQuery(ctx, "")
	return [][]float32{v}, err
}

func (f *flaky) Probe(ctx context.Context) error {
	if f.probed != nil {
		select {
		case <-f.probed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.probes++
	return f.err
}

func (f *flaky) Dimensions() int { return 1 }
func (f *flaky) Model() string   { return "flaky" }

// A provider that failed is not asked again until a probe in the background, on
// nobody's time, finds that it answers.
func TestProviderThatIsDownIsLeftAlone(t *testing.T) {
	var mu sync.Mutex
	clock := time.Unix(1_800_000_000, 0)
	tick := func(d time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		clock = clock.Add(d)
	}
	f := &flaky{err: embed.ErrUnavailable, probed: make(chan struct{})}
	back := make(chan struct{}, 1)
	w := watch(f, 0, func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return clock
	}, func() { back <- struct{}{} })
	defer w.stop()
	ask := func() error { _, err := w.EmbedQuery(t.Context(), "x"); return err }

	if err := ask(); !errors.Is(err, embed.ErrUnavailable) || errors.Is(err, provider.ErrOpen) {
		t.Fatalf("the first: %v", err)
	}
	for range 5 {
		if err := ask(); !errors.Is(err, provider.ErrOpen) || !errors.Is(err, embed.ErrUnavailable) {
			t.Fatalf("while it is left alone: %v", err)
		}
	}
	if calls, probes := f.count(); calls != 1 || probes != 0 {
		t.Errorf("%d calls and %d probes, want 1 and 0", calls, probes)
	}
	tick(embedderRest)
	f.set(nil)
	for range 5 { // the probe is under way, nobody waits for it
		if err := ask(); !errors.Is(err, provider.ErrOpen) {
			t.Fatalf("while it is tried: %v", err)
		}
	}
	close(f.probed)
	<-back
	if err := ask(); err != nil {
		t.Errorf("when it is back: %v", err)
	}
	if calls, probes := f.count(); calls != 2 || probes != 1 || w.lastError() != nil {
		t.Errorf("%d calls and %d probes, want 2 and 1; last error %v", calls, probes, w.lastError())
	}
	// What it refuses, or a caller who leaves, says nothing about whether it is up.
	f.set(embed.ErrRejected)
	for range 3 {
		if err := ask(); !errors.Is(err, embed.ErrRejected) {
			t.Errorf("refused: %v", err)
		}
	}
	f.set(context.Canceled)
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := w.EmbedQuery(gone, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who left: %v", err)
	}
	f.set(nil)
	if err := ask(); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// askedAgain waits until a provider that failed is let through again.
func (f *fixture) askedAgain() {
	f.t.Helper()
	eventually(f.t, "the provider is asked again", func() bool {
		_, err := f.embedder.EmbedQuery(f.t.Context(), "anything")
		return !errors.Is(err, provider.ErrOpen)
	})
}

// A provider that hangs costs one recall its share of the time, and the next ones
// nothing.
func TestHangingProviderCostsOneRecall(t *testing.T) {
	p := newProvider(t)
	f := start(t, p.embedding(), func(o *Options) { o.embedderRest = time.Hour })
	f.remember("The ferry leaves at half past six")
	const known = "a ferry at half past six"
	f.recall(known, 3)
	words := reopen(t, f.path, nil) // the same without a provider
	p.set(func(p *fakeProvider) { p.hang = make(chan struct{}) })
	defer close(p.hang)
	ask := func(f *fixture) time.Duration {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 600*time.Millisecond)
		defer cancel()
		begun := time.Now()
		a, err := f.Recall(ctx, RecallRequest{Who: main, Query: "when does the ferry leave"})
		if err != nil || len(a.Hits) != 1 {
			t.Errorf("hits %q, %v", texts(a), err)
		}
		return time.Since(begun)
	}
	ask(words)
	if first := ask(f); first < 200*time.Millisecond {
		t.Errorf("the provider was not waited for: %s", first)
	}
	p.set(func(p *fakeProvider) { p.asked = nil })
	with, without := time.Hour, time.Hour // the fastest, for the machine does other things, too
	for range 20 {
		with, without = min(with, ask(f)), min(without, ask(words))
	}
	t.Logf("after the first failure a recall takes %s, %s by words alone", with, without)
	if with-without > 20*time.Millisecond {
		t.Errorf("a recall takes %s, %s by words alone", with, without)
	}
	p.set(func(p *fakeProvider) {
		if len(p.asked) != 0 {
			t.Errorf("the provider was asked for %q", p.asked)
		}
	})
	// What was asked in better days is still searched by meaning.
	if got := f.recall(known, 3); got.Mode != "hybrid" || len(got.Degraded) != 0 {
		t.Errorf("mode %s, %v", got.Mode, got.Degraded)
	}
}

// B90: while the provider is down nothing takes its place. New memories wait for
// their vector, recalls go by words, and all is well again without a restart.
func TestNoOtherModelTakesItsPlace(t *testing.T) {
	p := newProvider(t)
	f := start(t, p.embedding())
	f.remember("The lighthouse keeper retires in May")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	p.set(func(p *fakeProvider) { p.status = http.StatusBadGateway })
	f = reopen(t, f.path, p.embedding())
	a, err := f.Store(t.Context(), StoreRequest{Who: main, Text: "The harbour master begins in June"})
	if err != nil || a.Pending == "" || a.Memory.Vector != nil {
		t.Fatalf("stored while it is down: %+v, %v", a, err)
	}
	if got := f.recall("the lighthouse keeper", 3); got.Mode != "keyword" || len(got.Hits) != 1 {
		t.Errorf("mode %s, %q", got.Mode, texts(got))
	}
	if h := f.Health(); h.OK() || h.EmbeddingModel != "test-model" {
		t.Errorf("health %+v", h)
	}
	p.set(func(p *fakeProvider) { p.status = 0 })
	eventually(t, "it answers again and the vector is there", func() bool {
		f.recall("anything", 1)
		s, err := f.Stats(t.Context(), StatsRequest{Who: Operator()})
		return err == nil && s.Pending == 0 && f.Health().EmbeddingError == ""
	})
	got := f.recall("the harbour master", 3)
	if len(got.Hits) == 0 || got.Hits[0].Memory.ID != a.Memory.ID || got.Hits[0].Vector == nil {
		t.Errorf("recalled %+v", got.Hits)
	}
}
