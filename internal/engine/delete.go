package engine

import (
	"context"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
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

// Delete removes one memory for good and returns what it was. Other versions of
// the same statement stay as they are: an older one does not become current
// again.
func (e *Engine) Delete(ctx context.Context, r DeleteRequest) (memory.Memory, error) {
	access, err := e.access(r.Who)
	if err != nil {
		return memory.Memory{}, err
	}
	filter, err := access.Read(r.Scope)
	if err != nil {
		return memory.Memory{}, err
	}
	if _, err := memory.ParseRef(r.ID); err != nil {
		return memory.Memory{}, &BadInputError{Problem: err.Error()}
	}
	db, err := e.opened(ctx)
	if err != nil {
		return memory.Memory{}, err
	}
	m, err := lookUp(ctx, db, filter, r.ID)
	if err != nil {
		return memory.Memory{}, err
	}
	err = db.Write(acting(ctx, r.Who, access), "deleting a memory", func(tx *store.Tx) error { return tx.Delete(m.ID) })
	if err != nil {
		return memory.Memory{}, storage("deleting a memory", err)
	}
	return m, nil
}
