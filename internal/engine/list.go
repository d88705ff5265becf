package engine

import (
	"context"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// ListRequest asks for memories, newest first, also those that are no longer current.
type ListRequest struct {
	Who      Who
	Scope    string
	Category string
	// Limit is the size of a page; 0 means 20.
	Limit int
	// Offset skips rows; Cursor continues after a page. At most one is set.
	Offset int
	Cursor string
}

// ListAnswer is one page.
type ListAnswer struct {
	Memories []memory.Memory
	// Next is the cursor of the page after; empty on the last one.
	Next string
	// IgnoredScope was asked for but is out of reach.
	IgnoredScope string
}

// skipPage is how many rows are read at once while skipping.
const skipPage = 1000

// List reads one page.
func (e *Engine) List(ctx context.Context, r ListRequest) (ListAnswer, error) {
	access, err := e.access(r.Who)
	if err != nil {
		return ListAnswer{}, err
	}
	if r.Offset > 0 && r.Cursor != "" {
		return ListAnswer{}, &BadInputError{Problem: "listing: give an offset or a cursor, not both"}
	}
	filter, ignored := readable(access, r.Scope)
	if r.Category = strings.TrimSpace(r.Category); r.Category != "" {
		if _, _, err := category(r.Category); err != nil {
			return ListAnswer{}, err
		}
	}
	db, err := e.opened(ctx)
	if err != nil {
		return ListAnswer{}, err
	}
	q := store.ListQuery{Who: filter, Narrow: memory.Narrow{Category: r.Category}, Cursor: r.Cursor}
	for skip := r.Offset; skip > 0; {
		q.Limit = min(skip, skipPage)
		page, err := db.List(ctx, q)
		if err != nil {
			return ListAnswer{}, storage("listing memories", err)
		}
		if page.Next == "" {
			return ListAnswer{IgnoredScope: ignored}, nil
		}
		skip -= len(page.Memories)
		q.Cursor = page.Next
	}
	q.Limit = r.Limit
	page, err := db.List(ctx, q)
	if err != nil {
		return ListAnswer{}, storage("listing memories", err)
	}
	return ListAnswer{Memories: page.Memories, Next: page.Next, IgnoredScope: ignored}, nil
}
