package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// tardy is a model that does not listen, once.
type tardy struct {
	*ofWidth
	wait time.Duration
}

func (e *tardy) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	time.Sleep(e.wait)
	e.wait = 0
	return e.ofWidth.EmbedQuery(ctx, text)
}

// What comes after the deadline is not injected, and so was not shown: the same
// memories are there for the next turn, and are not counted.
func TestLateMemoriesWereNotShown(t *testing.T) {
	model := &tardy{ofWidth: &ofWidth{name: "m", width: 96}}
	f := start(t, nil, autoRecall, func(o *Options) {
		o.Embedder = model
		o.Config.AutoRecall.TimeoutMs, o.Config.AutoRecall.MinRepeated = 300, 8
	})
	f.pauses()
	m := f.remember("The train to Bergen leaves from gate nine").Memory
	model.wait = 400 * time.Millisecond
	block, err := f.Prompt(t.Context(), inSession("a", "1", bergen))
	if block != "" || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("block %q, %v", block, err)
	}
	// The host tries the event again, and the session goes on.
	for _, r := range []PromptRequest{inSession("a", "1", bergen), inSession("a", "2", "How far is gate nine from the train to Bergen?")} {
		block, err := f.Prompt(t.Context(), r)
		if err != nil || (r.Event == "1") != strings.Contains(block, "gate nine") {
			t.Errorf("event %s: %q, %v", r.Event, block, err)
		}
	}
	f.counted()
	if n := number(f.row(m.ID).Metadata, keyInjected); n != 1 {
		t.Errorf("counted as shown %d times", n)
	}
}

func TestComplaintsDoNotCountSeconds(t *testing.T) {
	var c complaints
	if !c.fresh("x", "not asked again for 12s: no answer") || c.fresh("x", "not asked again for 9s: no answer") || !c.fresh("x", "not asked again for 9s: refused") {
		t.Error("numbers are news")
	}
}
