package store

import (
	"context"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// nearestOwn is Nearest for Options.OwnCosine while no rows are held in memory: all
// that may be found are read, 500 at a time, and compared here.
func (s *Store) nearestOwn(ctx context.Context, who scope.Filter, n memory.Narrow, vector []float32, limit int) ([]memory.Hit, error) {
	var hits []memory.Hit
	err := s.Each(ctx, who, n, true, func(rows []memory.Memory) error {
		for _, m := range rows {
			if len(m.Vector) != len(vector) {
				continue // it waits for its vector
			}
			if score := cosine(vector, m.Vector); finite(score) {
				hits = append(hits, memory.Hit{Memory: m, Score: score})
			}
		}
		hits = best(hits, limit)
		return ctx.Err()
	})
	return hits, err
}
