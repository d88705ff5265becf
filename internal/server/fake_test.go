package server

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// fake is an engine whose answers can be told from the question. It searches
// by substring and knows nothing of scopes but two names.
type fake struct {
	log    *slog.Logger
	slow   chan struct{} // "hang" waits for it, or for the context
	hung   atomic.Int64
	closed atomic.Bool

	mu     sync.Mutex
	rows   []memory.Memory
	health *engine.Health
	// heard is what Capture was given.
	heard []string
}

var fakeTime = time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)

func (f *fake) setHealth(h engine.Health) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.health = &h
}

func (f *fake) Warm()        { f.log.Debug("opening the database") }
func (f *fake) Ready() bool  { return false }
func (f *fake) Close() error { f.closed.Store(true); return nil }
func (f *fake) Health() engine.Health {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.health != nil {
		return *f.health
	}
	return engine.Health{StorePath: "/state/db", EmbeddingMode: "keywords", Notices: []string{"this version does not use these keys and ignores them: autoCapture"}}
}

func (f *fake) Recall(ctx context.Context, r engine.RecallRequest) (engine.RecallAnswer, error) {
	if r.Who == engine.Agent("", "") {
		return engine.RecallAnswer{}, &scope.NoAgentError{}
	}
	switch r.Query {
	case "hang":
		f.hung.Add(1)
		select {
		case <-f.slow:
		case <-ctx.Done():
			return engine.RecallAnswer{}, fmt.Errorf("recalling memories: %w", ctx.Err())
		}
	case "deaf":
		f.hung.Add(1)
		<-f.slow
	case "panic":
		panic("a broken invariant")
	case "print":
		fmt.Println("a stray line on standard output")
		fmt.Fprintln(os.Stdout, "Content-Length: 2\r\n\r\n{}")
	case "closed":
		return engine.RecallAnswer{}, &engine.UnavailableError{Err: fmt.Errorf("database path /state/db is not a directory; move it away")}
	}
	a := engine.RecallAnswer{Query: r.Query, Scopes: []string{"global", "agent:main"}, Accessible: []string{"global", "agent:main"}}
	a.Mode = retrieve.ModeHybrid
	if r.Query == "half" {
		a.Mode, a.Degraded = retrieve.ModeKeyword, []retrieve.Degraded{{Half: "vector", Reason: "embedding provider unavailable"}}
	}
	if r.Scope == "agent:other" {
		a.IgnoredScope = r.Scope
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.rows {
		if strings.Contains(m.Text, r.Query) && len(a.Hits) < r.Limit {
			a.Hits = append(a.Hits, retrieve.Hit{
				Memory: m, Score: 0.75, Fused: 0.7, Reason: "close in meaning, and shares the word",
				Vector: &retrieve.Source{Score: 0.8, Rank: 1}, BM25: &retrieve.Source{Score: 0.5, Rank: len(a.Hits) + 1},
			})
		}
	}
	return a, nil
}

func (f *fake) Store(_ context.Context, r engine.StoreRequest) (engine.StoreAnswer, error) {
	switch {
	case r.Who == engine.Agent("", ""):
		return engine.StoreAnswer{}, &scope.NoAgentError{}
	case r.Scope == "agent:other":
		return engine.StoreAnswer{}, &scope.DeniedError{Scope: r.Scope, Accessible: []string{"global", "agent:main"}}
	case len(r.Text) > memory.MaxTextBytes:
		return engine.StoreAnswer{}, &engine.TooLargeError{Bytes: len(r.Text)}
	case r.Text == "hello there":
		return engine.StoreAnswer{Action: engine.Noise, Reason: "greeting"}, nil
	case r.Text == "zeros":
		return engine.StoreAnswer{}, fmt.Errorf("storing a memory: %w: all zeros; nothing was stored", embed.ErrBadVector)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.rows {
		if m.Text == r.Text && !r.Force {
			return engine.StoreAnswer{Action: engine.Duplicate, Existing: m, Similarity: 1}, nil
		}
	}
	column, kind, err := memory.ParseCategory(r.Category)
	if err != nil {
		return engine.StoreAnswer{}, &engine.BadInputError{Problem: err.Error()}
	}
	m := memory.Memory{
		ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", len(f.rows)+1), Text: r.Text, Category: column,
		Scope: "agent:main", Importance: r.Importance, Time: fakeTime,
		Metadata: memory.NewMetadata(r.Text, kind, memory.SourceManual, fakeTime),
	}
	answer := engine.StoreAnswer{Action: engine.Created, Memory: m}
	if strings.Contains(r.Text, "offline") {
		answer.Memory.Metadata.Embedding, answer.Pending = memory.EmbeddingPending, "embedding provider unavailable"
	}
	if old, changed := strings.CutSuffix(r.Text, " now"); changed && len(f.rows) > 0 {
		answer.Action, answer.Existing, answer.Similarity = engine.Superseded, f.rows[0], 0.96
		answer.Existing.Text = old
	}
	f.rows = append(f.rows, m)
	return answer, nil
}

// Update and Forget know rows by id, and answer a description with all rows that
// hold it.
func (f *fake) Update(_ context.Context, r engine.UpdateRequest) (engine.UpdateAnswer, error) {
	switch {
	case r.Who == engine.Agent("", ""):
		return engine.UpdateAnswer{}, &scope.NoAgentError{}
	case r.Text == "" && r.Importance == nil && r.Category == "":
		return engine.UpdateAnswer{}, &engine.NothingToUpdateError{}
	case r.Text == "hello there":
		return engine.UpdateAnswer{Action: engine.Noise, Reason: "greeting"}, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	i, found, err := f.find(r.ID, r.Query)
	if err != nil || i < 0 {
		return engine.UpdateAnswer{Action: engine.Candidates, Candidates: found}, err
	}
	a := engine.UpdateAnswer{Action: engine.Updated, Previous: f.rows[i]}
	next := f.rows[i]
	if r.Text != "" && r.Text != next.Text {
		text := strings.TrimSuffix(r.Text, "\a")
		a.Fields, a.Removed = append(a.Fields, "text"), len(r.Text)-len(text)
		next.Restate(text, next.Category, next.Kind())
		if next.Kind() == memory.Preferences {
			a.Action = engine.Superseded
			next.ID = fmt.Sprintf("00000000-0000-4000-8000-%012d", len(f.rows)+1)
			f.rows = append(f.rows, next)
			i = len(f.rows) - 1
		}
	}
	if r.Importance != nil && *r.Importance != next.Importance {
		next.Importance = *r.Importance
		a.Fields = append(a.Fields, "importance")
	}
	if len(a.Fields) == 0 {
		a.Action = engine.Unchanged
	}
	f.rows[i], a.Memory = next, next
	return a, nil
}

func (f *fake) Forget(_ context.Context, r engine.ForgetRequest) (engine.ForgetAnswer, error) {
	switch {
	case r.Who == engine.Agent("", ""):
		return engine.ForgetAnswer{}, &scope.NoAgentError{}
	case r.ID == "" && r.Query == "":
		return engine.ForgetAnswer{}, &engine.NothingToForgetError{}
	case r.Scope == "agent:other":
		return engine.ForgetAnswer{}, &scope.DeniedError{Scope: r.Scope, Accessible: []string{"global", "agent:main"}}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	i, found, err := f.find(r.ID, r.Query)
	if len(found) == 1 && found[0].Memory.Text == r.Query {
		i = slices.IndexFunc(f.rows, func(m memory.Memory) bool { return m.ID == found[0].Memory.ID })
	}
	if err != nil || i < 0 {
		return engine.ForgetAnswer{Action: engine.Candidates, Candidates: found}, err
	}
	gone := f.rows[i]
	f.rows = slices.Delete(f.rows, i, i+1)
	return engine.ForgetAnswer{Action: engine.Deleted, Memory: gone}, nil
}

func (f *fake) find(id, query string) (int, []engine.Candidate, error) {
	if id != "" {
		i := slices.IndexFunc(f.rows, func(m memory.Memory) bool { return m.ID == id })
		if i >= 0 {
			return i, nil, nil
		}
		ambiguous := &engine.AmbiguousError{Reference: id}
		for _, m := range f.rows {
			if strings.HasPrefix(m.ID, id) {
				ambiguous.Matches = append(ambiguous.Matches, engine.Candidate{Memory: m})
			}
		}
		if len(ambiguous.Matches) > 1 {
			return -1, nil, ambiguous
		}
		return -1, nil, fmt.Errorf("looking up a memory: %w", store.ErrNotFound)
	}
	var found []engine.Candidate
	for _, m := range f.rows {
		if strings.Contains(m.Text, query) {
			found = append(found, engine.Candidate{Memory: m, Score: 0.75, Reason: "close in meaning, and shares the word"})
		}
	}
	return -1, found, nil
}

func (f *fake) Prompt(_ context.Context, r engine.PromptRequest) (string, error) {
	switch {
	case r.Trigger != "user" || r.Provenance == "inter_session":
		return "", nil
	case r.Prompt == "broken":
		return "", &engine.UnavailableError{Err: fmt.Errorf("the disk is gone")}
	case r.Prompt == "panic":
		panic("a broken invariant")
	}
	return "<relevant-memories>\n- " + r.Prompt + " for " + engine.Agent(r.AgentID, r.SessionKey).String() +
		fmt.Sprintf(" (message %q of run %q)\n</relevant-memories>", r.Event, r.Run), nil
}

func (f *fake) NoteAnswer(engine.AnswerRequest) {}

// Capture accepts what a person said, and remembers it for EndSession.
func (f *fake) Capture(r engine.CaptureRequest) (accepted int) {
	if r.Trigger != "user" || !r.Success {
		return 0
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range r.Messages {
		if m.Role == "user" && m.Text != "" {
			accepted++
			f.heard = append(f.heard, fmt.Sprintf("%s: %s (%s)", r.Sender, m.Text, m.At.UTC().Format(time.RFC3339)))
		}
	}
	return accepted
}

func (f *fake) NoteReceived(string, string) {}

func (f *fake) EndSession(ctx context.Context, r engine.SessionEnd) error {
	if r.SessionID == "slow" {
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}
