package store

import (
	"context"
	"fmt"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// Pending returns up to limit memories that have no vector yet, in no order.
func (s *Store) Pending(ctx context.Context, who scope.Filter, limit int) ([]memory.Memory, error) {
	list, err := s.scan(ctx, who, memory.Narrow{}, lance.IsNull(colVector), rowColumns, limit)
	if err != nil {
		return nil, fmt.Errorf("looking for memories without a vector: %w", err)
	}
	return list, nil
}

// Refused is a memory whose text gets no vector.
type Refused struct{ ID, Why string }

// lookedAtPending is how many rows without a vector are looked through for those that
// were refused, and mostRefused how many are named.
const (
	lookedAtPending = 1000
	mostRefused     = 5
)

// refused names some rows that wait for a vector in vain.
func (s *Store) refused(ctx context.Context) (list []Refused, err error) {
	rows, err := s.Pending(ctx, scope.Operator().Filter(), lookedAtPending)
	for _, m := range rows {
		if why := m.Metadata.EmbeddingProblem; why != "" && len(list) < mostRefused {
			list = append(list, Refused{m.ID, why})
		}
	}
	return list, err
}
