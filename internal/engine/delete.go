package engine

import (
	"context"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// DeleteRequest names one memory.
type DeleteRequest struct {
	Who Who
	// ID is the full id or its first eight or more characters.
	ID string
	// Scope narrows where to look; it must be within reach.
	Scope string
}

// Delete removes one memory for good and returns what it was.
func (e *Engine) Delete(ctx context.Context, r DeleteRequest) (memory.Memory, error) {
	access, err := r.Who.access()
	if err != nil {
		return memory.Memory{}, err
	}
	filter, err := access.Read(r.Scope)
	if err != nil {
		return memory.Memory{}, err
	}
	ref, err := memory.ParseRef(r.ID)
	if err != nil {
		return memory.Memory{}, &BadInputError{Problem: err.Error()}
	}
	db, err := e.opened(ctx)
	if err != nil {
		return memory.Memory{}, err
	}
	m, err := lookUp(ctx, db, filter, ref)
	if err != nil {
		return memory.Memory{}, err
	}
	err = db.Write(ctx, "deleting a memory", func(tx *store.Tx) error { return tx.Delete(m.ID) })
	if err != nil {
		return memory.Memory{}, storage("deleting a memory", err)
	}
	return m, nil
}

// prefixMatches is how many memories an ambiguous prefix lists.
const prefixMatches = 5

func lookUp(ctx context.Context, db *store.Store, who scope.Filter, ref memory.Ref) (memory.Memory, error) {
	if !ref.Prefix {
		m, err := db.Get(ctx, who, ref.Text)
		return m, storage("looking up a memory", err)
	}
	found, err := db.FindPrefix(ctx, who, ref.Text, prefixMatches)
	switch {
	case err != nil:
		return memory.Memory{}, storage("looking up a memory", err)
	case len(found) == 0:
		return memory.Memory{}, storage("looking up id prefix "+ref.Text, store.ErrNotFound)
	case len(found) > 1:
		return memory.Memory{}, &AmbiguousError{Prefix: ref.Text, Matches: found}
	}
	return found[0], nil
}
