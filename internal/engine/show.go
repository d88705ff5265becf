package engine

import (
	"context"
	"slices"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// ShowRequest names one memory.
type ShowRequest struct {
	Who Who
	// ID is the full id or its first eight or more characters.
	ID string
}

// ShowAnswer is everything about one memory.
type ShowAnswer struct {
	Memory memory.Memory
	// Active reports whether it holds now; Standing says why or why not.
	Active   bool
	Standing string
	// Versions of the statement, oldest first, the memory itself among them.
	Versions []memory.Memory
}

// Show reads one memory with its history.
func (e *Engine) Show(ctx context.Context, r ShowRequest) (ShowAnswer, error) {
	access, err := e.access(r.Who)
	if err != nil {
		return ShowAnswer{}, err
	}
	if _, err := memory.ParseRef(r.ID); err != nil {
		return ShowAnswer{}, &BadInputError{Problem: err.Error()}
	}
	db, err := e.opened(ctx)
	if err != nil {
		return ShowAnswer{}, err
	}
	m, err := lookUp(ctx, db, access.Filter(), r.ID)
	if err != nil {
		return ShowAnswer{}, err
	}
	older, err := follow(ctx, db, access.Filter(), m, func(m memory.Memory) string { return m.Metadata.Supersedes })
	if err != nil {
		return ShowAnswer{}, storage("reading the older versions of a memory", err)
	}
	newer, err := follow(ctx, db, access.Filter(), m, func(m memory.Memory) string { return m.Metadata.SupersededBy })
	if err != nil {
		return ShowAnswer{}, storage("reading the newer versions of a memory", err)
	}
	slices.Reverse(older)
	return ShowAnswer{
		Memory: m, Active: m.Active(e.now()), Standing: Standing(m, e.now()),
		Versions: slices.Concat(older, []memory.Memory{m}, newer),
	}, nil
}
