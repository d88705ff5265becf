package engine

import (
	"context"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/screen"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// UpdateRequest changes one memory. Fields left empty stay as they are.
type UpdateRequest struct {
	Who Who
	// ID is the full id or its first eight or more characters. The id of an
	// older version stands for the newest one. Anything else is a description.
	ID string
	// Query describes the memory when no id is at hand; it only ever answers with
	// candidates.
	Query string

	Text string
	// Importance is brought into [0,1].
	Importance *float64
	// Category in either spelling.
	Category string
	// Scope moves the memory; it must be within reach.
	Scope string
}

// UpdateAnswer is what came of it.
type UpdateAnswer struct {
	// Action is Updated, Unchanged, Superseded, Candidates, Noise or Envelope.
	Action Action
	// Memory is the row as it is now, Previous as it was before.
	Memory, Previous memory.Memory
	// Fields names what changed: text, importance, category, scope.
	Fields []string
	// Candidates are what a description may mean; possibly none.
	Candidates []Candidate
	// Reason says what kind of noise was refused.
	Reason string
	// Pending says why the row has no vector yet; empty when it has one.
	Pending string
	// Removed counts control characters taken out of the text.
	Removed int
}

// amendment is a checked UpdateRequest.
type amendment struct {
	text       string // "" keeps the row's
	vector     []float32
	importance *float64
	category   string // as requested, "" keeps
	column     memory.StoredCategory
	kind       memory.Category
	scope      string // "" keeps
}

// Update changes one memory. The steps, in order:
//
//	scope → clean → noise gate → find the row → embed a new text → lock →
//	change in place, or add a version → commit → answer
//
// A new text for a preference or an entity is a new version, and the old one is
// kept as history; both rows are one commit. Everything else changes in place,
// under the same id and time. What the row is, and which version is the newest,
// is read under the lock, so that of two updates at once the second one
// continues from the first.
func (e *Engine) Update(ctx context.Context, r UpdateRequest) (UpdateAnswer, error) {
	access, err := e.access(r.Who)
	if err != nil {
		return UpdateAnswer{}, err
	}
	r.Category = strings.TrimSpace(r.Category)
	if strings.TrimSpace(r.Text) == "" && r.Importance == nil && r.Category == "" && r.Scope == "" {
		return UpdateAnswer{}, &NothingToUpdateError{}
	}
	if r.Scope != "" {
		if _, err := access.Write(r.Scope); err != nil {
			return UpdateAnswer{}, err
		}
	}
	c := amendment{importance: r.Importance, category: r.Category, scope: r.Scope}
	if c.column, c.kind, err = category(r.Category); err != nil {
		return UpdateAnswer{}, err
	}
	var answer UpdateAnswer
	if strings.TrimSpace(r.Text) != "" {
		if c.text, answer.Removed, err = e.clean(r.Text); err != nil {
			return UpdateAnswer{}, err
		}
		if c.text == "" {
			return UpdateAnswer{Action: Envelope}, nil
		}
		if reason, noisy := screen.Noise(c.text); noisy {
			return UpdateAnswer{Action: Noise, Reason: reason}, nil
		}
	}

	db, err := e.opened(ctx)
	if err != nil {
		return UpdateAnswer{}, err
	}
	row, hits, err := e.lookUpOrSearch(ctx, db, access.Filter(), r.ID, r.Query)
	if err != nil {
		return UpdateAnswer{}, err
	}
	if row.ID == "" {
		return UpdateAnswer{Action: Candidates, Candidates: candidatesOf(hits)}, nil
	}
	if c.text != "" {
		if c.vector, answer.Pending, err = e.embedPassage(ctx, c.text); err != nil {
			return UpdateAnswer{}, err
		}
	}
	err = db.Write(acting(ctx, r.Who, access), "updating a memory", func(tx *store.Tx) error {
		return e.amend(ctx, tx, access.Filter(), row.ID, c, &answer)
	})
	if err != nil {
		return UpdateAnswer{}, storage("updating a memory", err)
	}
	if !answer.reworded() {
		answer.Pending, answer.Removed = "", 0
	}
	e.noteTold(r.Who, c.text)
	if answer.Pending != "" {
		e.pending.Store(true)
		e.log.Warn("a memory was changed without a new vector; it is found by keywords until it gets one", "id", answer.Memory.ID, "reason", answer.Pending)
		e.fillSoon()
	}
	return answer, nil
}

func (a UpdateAnswer) reworded() bool { return a.Memory.Text != a.Previous.Text }

// amend runs under the write lock.
func (e *Engine) amend(ctx context.Context, tx *store.Tx, who scope.Filter, id string, c amendment, a *UpdateAnswer) error {
	row, err := tx.Get(ctx, who, id)
	if err != nil {
		return err
	}
	if row, err = newest(ctx, tx, who, row); err != nil {
		return err
	}
	next := row
	a.Previous, a.Action, a.Fields = row, Updated, nil
	text, column, kind := row.Text, row.Category, row.Kind()
	if c.text != "" && c.text != row.Text {
		text = c.text
		a.Fields = append(a.Fields, "text")
	}
	if c.importance != nil && memory.ClampImportance(*c.importance) != row.Importance {
		next.Importance = memory.ClampImportance(*c.importance)
		next.Metadata.Confidence = next.Importance
		a.Fields = append(a.Fields, "importance")
	}
	if c.category != "" && !memory.MatchesCategory(row, c.category) {
		column, kind = c.column, refine(c.category, c.column, c.kind, text)
		a.Fields = append(a.Fields, "category")
	}
	if c.scope != "" && c.scope != row.Scope {
		next.Scope = c.scope
		a.Fields = append(a.Fields, "scope")
	}
	a.Memory = next
	if len(a.Fields) == 0 {
		a.Action = Unchanged
		return nil
	}
	if text != row.Text && memory.Versioned(row.Kind()) {
		return e.addVersion(tx, row, next, text, column, kind, c.vector, a)
	}
	next.Vector = nil // as it is stored
	if text != row.Text || column != row.Category || kind != row.Kind() {
		next.Restate(text, column, kind)
	}
	if text != row.Text {
		next.Vector, next.Metadata.Embedding, next.Metadata.EmbeddingProblem = c.vector, embeddingOf(c.vector), ""
		next.Metadata.LastConfirmedUseAt = e.now().UTC()
	}
	a.Memory = next
	return tx.Update(next)
}

// addVersion stores the changed statement beside row, which it ends.
func (e *Engine) addVersion(tx *store.Tx, row, next memory.Memory, text string, column memory.StoredCategory, kind memory.Category, vector []float32, a *UpdateAnswer) error {
	if next.Scope == "" {
		return &BadInputError{Problem: "memory " + row.ID + " has no scope, so no agent reads it; give it one together with the new text"}
	}
	now := e.now().UTC()
	fresh := memory.Memory{
		ID: memory.NewID(), Text: text, Vector: vector, Category: column, Scope: next.Scope,
		Importance: next.Importance, Time: now,
		Metadata: memory.NewMetadata(text, kind, memory.SourceManual, now),
	}
	// What people made of the statement stays; where it came from is in the history.
	d := &fresh.Metadata
	d.Tier, d.Confidence = row.Metadata.Tier, next.Metadata.Confidence
	d.LastConfirmedUseAt, d.Embedding = now, embeddingOf(vector)
	d.Relations = otherRelations(row.Metadata.Relations)
	old := supersede(&fresh, row)
	old.Vector = nil // as it is stored
	if err := tx.Update(old); err != nil {
		return err
	}
	a.Action, a.Memory = Superseded, fresh
	return tx.Create(fresh)
}

func embeddingOf(vector []float32) string {
	if vector == nil {
		return memory.EmbeddingPending
	}
	return ""
}
