package store

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// Stats counts memories.
type Stats struct {
	Total      int64
	ByScope    map[string]int64 // rows without a scope under ""
	ByCategory map[string]int64 // by the storage column
	Pending    int64            // rows without a vector, found by keyword only
}

// Stats counts what who may read. It reads two narrow columns, no texts.
func (s *Store) Stats(ctx context.Context, who scope.Filter) (Stats, error) {
	st := Stats{ByScope: map[string]int64{}, ByCategory: map[string]int64{}}
	p, ok, err := s.where(who, memory.Narrow{})
	if err != nil || !ok {
		return st, err
	}
	rows, err := s.read(ctx, func(t *lance.Table) (*lance.Rows, error) {
		return t.Scan(ctx, lance.ScanQuery{Filter: p, Columns: []string{colScope, colCategory}})
	})
	if err != nil {
		return st, fmt.Errorf("counting by scope and category: %w", err)
	}
	defer rows.Release()
	for _, rec := range rows.Records() {
		c := columnsOf(rec)
		for i := range int(rec.NumRows()) {
			st.Total++
			st.ByScope[c.text(colScope, i)]++
			st.ByCategory[c.text(colCategory, i)]++
		}
	}
	st.Pending, err = s.count(ctx, lance.And(p, lance.IsNull(colVector)))
	if err != nil {
		return st, fmt.Errorf("counting memories without a vector: %w", err)
	}
	return st, nil
}

// Count counts what who may read and n keeps. When n asks for validity at most it is
// a query that reads nothing, and counts in the few odd rows only Narrow.Keeps could
// sort out (see where); else rows are read, because two categories may share a column
// value.
func (s *Store) Count(ctx context.Context, who scope.Filter, n memory.Narrow) (int64, error) {
	p, ok, err := s.where(who, n)
	if err != nil || !ok {
		return 0, err
	}
	plain := n
	plain.ActiveAt = time.Time{}
	if reflect.ValueOf(plain).IsZero() {
		total, err := s.count(ctx, p)
		if err != nil {
			return 0, fmt.Errorf("counting memories: %w", err)
		}
		return total, nil
	}
	list, err := s.scan(ctx, who, n, lance.True(), []string{colText, colCategory, colTime, colMetadata}, 0)
	if err != nil {
		return 0, fmt.Errorf("counting memories: %w", err)
	}
	var total int64
	for _, m := range list {
		if n.Keeps(m) {
			total++
		}
	}
	return total, nil
}
