package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// GetMany reads the memories of many ids, without vectors. Ids that do not
// exist, or that who may not read, are left out.
func (s *Store) GetMany(ctx context.Context, who scope.Filter, list ...string) (map[string]memory.Memory, error) {
	return s.getMany(ctx, who, rowColumns, list)
}

// GetWhole is GetMany with vectors.
func (s *Store) GetWhole(ctx context.Context, who scope.Filter, list ...string) (map[string]memory.Memory, error) {
	return s.getMany(ctx, who, hitColumns, list)
}

func (s *Store) getMany(ctx context.Context, who scope.Filter, columns, list []string) (map[string]memory.Memory, error) {
	if found, ok := s.lookup(ctx, who, list, slices.Contains(columns, colVector)); ok {
		return found, nil
	}
	found := make(map[string]memory.Memory, len(list))
	for some := range slices.Chunk(list, maxIDs) {
		rows, err := s.scan(ctx, who, memory.Narrow{}, ids(some), columns, 0)
		if err != nil {
			return nil, fmt.Errorf("reading %d memories: %w", len(list), err)
		}
		for _, m := range rows {
			found[m.ID] = m
		}
	}
	return found, nil
}
