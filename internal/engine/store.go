package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/screen"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// Action says what a verb that changes memories came to.
type Action string

// Actions that changed the table.
const (
	Created    Action = "created"
	Superseded Action = "superseded"
	Updated    Action = "updated"
	Deleted    Action = "deleted"
)

// Actions that left the table as it was.
const (
	Duplicate  Action = "duplicate"
	Noise      Action = "noise_filtered"
	Envelope   Action = "envelope_metadata_rejected"
	Unchanged  Action = "unchanged"
	Candidates Action = "candidates"
)

// StoreRequest is one statement to remember.
type StoreRequest struct {
	Who  Who
	Text string
	// Importance is brought into [0,1].
	Importance float64
	// Category, in either spelling; empty means other.
	Category string
	// Scope must be within reach; empty means the caller's own.
	Scope string
	// Force stores a duplicate all the same.
	Force bool
	// Origin is where the statement was found; the zero value is a call to store it.
	Origin Origin
}

// Origin is where a statement comes from that nobody asked to store.
type Origin struct {
	// Source is one of package memory's; empty means manual.
	Source string
	// Session is where it was said, Sender who said it on a channel of several.
	Session, Sender string
	// Assistant is set when the assistant said it, not the person.
	Assistant bool
}

// metadata describes a new row.
func (o Origin) metadata(text string, kind memory.Category, now time.Time) memory.Metadata {
	source := cmp.Or(o.Source, memory.SourceManual)
	d := memory.NewMetadata(text, kind, source, now)
	if source == memory.SourceManual {
		d.LastConfirmedUseAt = now
	}
	d.SourceSession = o.Session
	extra := func(key, value string) {
		if d.Extra == nil {
			d.Extra = map[string]json.RawMessage{}
		}
		d.Extra[key], _ = json.Marshal(value) // a string always has JSON
	}
	if o.Sender != "" {
		extra("sender_id", o.Sender)
	}
	if o.Assistant {
		extra("source_role", "assistant")
	}
	return d
}

// StoreAnswer is what came of it.
type StoreAnswer struct {
	Action Action
	// Memory is the new row, for Created and Superseded.
	Memory memory.Memory
	// Existing is the row the statement repeats or replaces.
	Existing memory.Memory
	// Similarity to Existing in [0,1], on the scale of the TypeScript plugin.
	Similarity float64
	// DuplicateOverride is set when only Force let the statement in.
	DuplicateOverride bool
	// Reason says what kind of noise was refused.
	Reason string
	// Pending says why the row has no vector yet; empty when it has one.
	Pending string
	// Removed counts control characters taken out of the text.
	Removed int
}

// Store remembers a statement. The steps, in order:
//
//	scope → clean → noise gate → embed → lock → near-duplicates → create,
//	supersede or refuse → commit → answer
//
// The tools, the command line and the capture after a turn all come through here.
func (e *Engine) Store(ctx context.Context, r StoreRequest) (StoreAnswer, error) {
	access, err := e.access(r.Who)
	if err != nil {
		return StoreAnswer{}, err
	}
	where, err := access.Write(r.Scope)
	if err != nil {
		return StoreAnswer{}, err
	}
	there, err := access.Read(where)
	if err != nil {
		return StoreAnswer{}, err
	}
	column, kind, err := category(r.Category)
	if err != nil {
		return StoreAnswer{}, err
	}

	text, removed, err := e.clean(r.Text)
	if err != nil {
		return StoreAnswer{}, err
	}
	if text == "" {
		return StoreAnswer{Action: Envelope}, nil
	}
	if reason, noisy := screen.Noise(text); noisy {
		return StoreAnswer{Action: Noise, Reason: reason}, nil
	}
	kind = refine(r.Category, column, kind, text)

	db, err := e.opened(ctx)
	if err != nil {
		return StoreAnswer{}, err
	}
	vector, pending, err := e.embedPassage(ctx, text)
	if err != nil {
		return StoreAnswer{}, err
	}

	now := e.now().UTC()
	fresh := memory.Memory{
		ID: memory.NewID(), Text: text, Vector: vector, Category: column, Scope: where,
		Importance: memory.ClampImportance(r.Importance), Time: now,
		Metadata: r.Origin.metadata(text, kind, now),
	}
	if vector == nil {
		fresh.Metadata.Embedding = memory.EmbeddingPending
	}

	answer := StoreAnswer{Action: Created, Pending: pending, Removed: removed}
	near := e.lookAhead(ctx, db, there, vector)
	err = db.Write(r.Origin.storing(ctx, r.Who, access), "storing a memory", func(tx *store.Tx) error {
		answer.Memory = fresh
		return e.decide(ctx, tx, there, near, r.Force, &answer)
	})
	if err != nil {
		return StoreAnswer{}, storage("storing a memory", err)
	}
	if answer.Action == Created || answer.Action == Superseded {
		if pending != "" {
			e.pending.Store(true)
			e.log.Warn("a memory was stored without its vector; it is found by keywords until it gets one", "id", fresh.ID, "reason", pending)
			e.fillSoon()
		}
	} else {
		answer.Memory, answer.Pending, answer.Removed = memory.Memory{}, "", 0
	}
	if r.Origin.Source == "" {
		e.noteTold(r.Who, text)
	}
	return answer, nil
}

// decide runs under the write lock, so that of several equal statements told at
// once only one is stored.
func (e *Engine) decide(ctx context.Context, tx *store.Tx, there scope.Filter, near *store.Ahead, force bool, answer *StoreAnswer) error {
	fresh := &answer.Memory
	found, err := e.nearDuplicates(ctx, tx, there, near, *fresh)
	if err != nil {
		return err
	}
	if dup, ok := found.duplicate(); ok {
		if !force {
			answer.Action, answer.Existing, answer.Similarity = Duplicate, dup.memory, dup.similarity
			return nil
		}
		answer.DuplicateOverride = true
	}
	if old, ok := found.outdated(); ok {
		answer.Action, answer.Existing, answer.Similarity = Superseded, old.memory, old.similarity
		if err := tx.Update(supersede(fresh, old.memory)); err != nil {
			return err
		}
	}
	return tx.Create(*fresh)
}

// clean takes away what is not the statement: the host's wrapping, memories
// that were injected before, control characters, which it counts.
func (e *Engine) clean(text string) (clean string, removed int, err error) {
	if len(text) > memory.MaxTextBytes {
		return "", 0, &TooLargeError{Bytes: len(text)}
	}
	text, removed, err = screen.Clean(text)
	if err != nil {
		return "", 0, &BadInputError{Problem: fmt.Sprintf("storing a memory: %v", err)}
	}
	if removed > 0 {
		e.log.Info("control characters were removed from a memory", "count", removed)
	}
	return strings.TrimSpace(screen.StripInjected(screen.StripEnvelope(text))), removed, nil
}

// refine tells the two kinds of a stored fact apart by its text, unless the
// caller named one of them.
func refine(name string, column memory.StoredCategory, kind memory.Category, text string) memory.Category {
	if kind == memory.Cases && column == memory.StoredFact && !strings.EqualFold(name, string(memory.Cases)) {
		return memory.CategoryOf(column, text)
	}
	return kind
}

func category(name string) (memory.StoredCategory, memory.Category, error) {
	if strings.TrimSpace(name) == "" {
		name = string(memory.StoredOther)
	}
	column, kind, err := memory.ParseCategory(name)
	if err != nil {
		return "", "", &BadInputError{Problem: err.Error()}
	}
	return column, kind, nil
}

// embedPassage gives the vector of a text. Whatever the provider does – it is down,
// refuses the key or the text, answers nonsense – the statement is not lost: the
// vector is nil then and pending says why. Only a caller who left, or whose time is
// up, is an error.
func (e *Engine) embedPassage(ctx context.Context, text string) (vector []float32, pending string, err error) {
	if e.embedder == nil {
		return nil, "", nil
	}
	if db, _ := e.opening.now(); db != nil {
		if foreign := e.foreignVectors(db); foreign != nil {
			return nil, foreign.Error(), nil
		}
	}
	budget, cancel := withShare(ctx, embedShare)
	defer cancel()
	vector, err = e.embedder.EmbedPassage(budget, text)
	switch {
	case err == nil:
		return vector, "", nil
	case ctx.Err() != nil:
		return nil, "", fmt.Errorf("storing a memory: %w", ctx.Err())
	}
	return nil, err.Error(), nil
}
