package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// Get returns one memory with its vector, or ErrNotFound if there is none or
// who may not read it: the two cannot be told apart on purpose.
func (s *Store) Get(ctx context.Context, who scope.Filter, id string) (memory.Memory, error) {
	if found, ok := s.lookup(ctx, who, []string{id}, true); ok {
		if m, there := found[id]; there {
			return m, nil
		}
		return memory.Memory{}, fmt.Errorf("reading memory %s: %w", id, ErrNotFound)
	}
	list, err := s.scan(ctx, who, memory.Narrow{}, lance.Eq(colID, id), hitColumns, 1)
	if err != nil {
		return memory.Memory{}, fmt.Errorf("reading memory %s: %w", id, err)
	}
	if len(list) == 0 {
		return memory.Memory{}, fmt.Errorf("reading memory %s: %w", id, ErrNotFound)
	}
	return list[0], nil
}

// FindPrefix returns up to limit memories whose id begins with prefix, without
// vectors. The whole table is searched; wildcards mean themselves.
func (s *Store) FindPrefix(ctx context.Context, who scope.Filter, prefix string, limit int) ([]memory.Memory, error) {
	if prefix == "" || limit <= 0 {
		return nil, nil
	}
	if found, ok := s.withPrefix(ctx, who, prefix, limit); ok {
		rows, err := s.GetMany(ctx, who, found...)
		return slices.Collect(maps.Values(rows)), err
	}
	list, err := s.scan(ctx, who, memory.Narrow{}, lance.HasPrefix(colID, prefix), rowColumns, limit)
	if err != nil {
		return nil, fmt.Errorf("looking for ids that begin with %q: %w", prefix, err)
	}
	return list, nil
}

// scan returns rows that who may read and that pass extra, in no order.
func (s *Store) scan(ctx context.Context, who scope.Filter, n memory.Narrow, extra lance.Predicate, cols []string, limit int) ([]memory.Memory, error) {
	p, ok, err := s.where(who, n)
	if err != nil || !ok {
		return nil, err
	}
	rows, err := s.read(ctx, func(t *lance.Table) (*lance.Rows, error) {
		return t.Scan(ctx, lance.ScanQuery{Filter: lance.And(p, extra), Columns: cols, Limit: limit})
	})
	if err != nil {
		return nil, err
	}
	defer rows.Release()
	return decode(rows.Records()), nil
}
