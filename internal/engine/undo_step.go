package engine

import (
	"context"
	"errors"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// inHand are memories that were read already, by id.
type inHand map[string]memory.Memory

func (rows inHand) Get(_ context.Context, _ scope.Filter, id string) (memory.Memory, error) {
	m, ok := rows[id]
	if !ok {
		return memory.Memory{}, store.ErrNotFound
	}
	return m, nil
}

// step puts one memory back.
type step struct {
	id string
	// now is the memory as it is, back as it was before the change; nil: no such
	// memory.
	now, back *memory.Memory
}

// planUndo compares the memories of a change with what it left.
func planUndo(ctx context.Context, from getter, rec journal.Recorded, force bool) ([]step, error) {
	var steps []step
	refused := &ChangedSinceError{Seq: rec.Seq}
	for _, c := range rec.Changes {
		var now *memory.Memory
		m, err := from.Get(ctx, scope.Operator().Filter(), c.ID)
		if err == nil {
			now = &m
		} else if !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		switch {
		case sameRow(now, c.Before):
			continue
		case !force && !sameRow(now, c.After):
			refused.Changed = append(refused.Changed, ChangedSince{ID: c.ID})
			continue
		}
		s := step{id: c.ID, now: now}
		if c.Before != nil {
			back := fromRecord(c.Before)
			s.back = &back
		}
		steps = append(steps, s)
	}
	if len(refused.Changed) > 0 {
		return nil, refused
	}
	return steps, nil
}

func sameRow(m *memory.Memory, row *journal.Row) bool {
	if m == nil || row == nil {
		return m == nil && row == nil
	}
	return sameStatement(*m, fromRecord(row))
}

// apply makes the step. Counts of use are not taken back.
func (s *step) apply(tx *store.Tx, width int, vectors map[string][]float32) error {
	if s.back == nil {
		return tx.Delete(s.id)
	}
	d := &s.back.Metadata
	if len(s.back.Vector) != width {
		s.back.Vector = vectors[s.back.Text]
	}
	d.Embedding = embeddingOf(s.back.Vector)
	if s.now == nil {
		return tx.Insert(*s.back)
	}
	d.AccessCount, d.LastAccessedAt = s.now.Metadata.AccessCount, s.now.Metadata.LastAccessedAt
	if s.now.Text == s.back.Text {
		s.back.Vector, d.Embedding = nil, s.now.Metadata.Embedding // as it is stored
	}
	return tx.Update(*s.back)
}

// tell fills in what was done.
func (a *UndoAnswer) tell(steps []step) {
	a.Action, a.Steps, a.Pending = Undone, nil, nil
	if len(steps) == 0 {
		a.Action = Unchanged
	}
	for _, s := range steps {
		c := Change{ID: s.id, Before: withoutVector(s.now), After: withoutVector(s.back)}
		if c.Before != nil && c.After != nil {
			c.Fields = compareMemories(*c.Before, *c.After)
		}
		if s.back != nil && s.back.Metadata.Embedding == memory.EmbeddingPending {
			a.Pending = append(a.Pending, s.id)
		}
		a.Steps = append(a.Steps, c)
	}
}

func withoutVector(m *memory.Memory) *memory.Memory {
	if m == nil {
		return nil
	}
	bare := *m
	bare.Vector = nil
	return &bare
}
