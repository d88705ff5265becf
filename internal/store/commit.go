package store

import (
	"context"
	"fmt"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
)

// commit writes a layer. The caller holds the lock, so ids that were free are.
// Plain insertions are an append, which costs a fifth of a merge; as soon as
// there is an update, everything goes into one merge keyed on the id, so that no
// reader ever sees a row missing or twice.
func (s *Store) commit(ctx context.Context, rows *layer) error {
	inserts, updates, deletes := rows.split()
	if changes := append(inserts, updates...); len(changes) > 0 {
		rec, err := s.layout.encode(changes)
		if err != nil {
			return err
		}
		defer rec.Release()
		err = s.use(func(t *lance.Table) error {
			if len(updates) == 0 {
				return t.Add(ctx, rec)
			}
			_, err := t.MergeInsert(ctx, rec, lance.MergeOptions{On: []string{colID}, UpdateMatched: true, InsertUnmatched: true})
			return err
		})
		if err != nil {
			return fmt.Errorf("writing %d memories: %w", len(changes), err)
		}
	}
	if len(deletes) == 0 {
		return nil
	}
	err := s.use(func(t *lance.Table) error {
		_, err := t.Delete(ctx, ids(deletes))
		return err
	})
	if err != nil {
		return fmt.Errorf("deleting %d memories: %w", len(deletes), err)
	}
	return nil
}

// afterCommit runs under the lock once a batch is written.
func (s *Store) afterCommit(rows int) {
	if s.indexWanted.Load() {
		ctx, cancel := context.WithTimeout(context.Background(), commitPatience)
		s.buildTextIndex(ctx)
		cancel()
	}
	s.modified(rows)
}
