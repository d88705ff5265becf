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
