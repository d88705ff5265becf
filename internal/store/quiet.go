package store

import (
	"context"
	"slices"
)

// WriteQuiet is Write for what is worth less than anybody's time. It waits
// behind all other writes of this process, also those that come later, shares its
// commit with none, so that its failure is nobody else's, and leaves no record of
// the change. It is for counters beside a memory, never for what it says.
func (s *Store) WriteQuiet(ctx context.Context, who string, fn func(*Tx) error) error {
	return s.submit(&job{ctx: ctx, who: who, fn: fn, done: make(chan outcome, 1), quiet: true})
}

// Load reads many memories in one query, for Get to find them at once.
func (tx *Tx) Load(ctx context.Context, ids ...string) error {
	return tx.batch.read(ctx, slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		_, buffered := tx.batch.rows.rows[id]
		_, known := tx.batch.known[id]
		return buffered || known
	}))
}
