package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// Scopeless are the memories in no scope, NULL or blank, which no agent finds, in
// order of id, and how many rows there are like that without an id, which nothing can
// be done about.
func (s *Store) Scopeless(ctx context.Context) (list []memory.Memory, nameless int, err error) {
	rows, err := s.read(ctx, func(t *lance.Table) (*lance.Rows, error) {
		return t.Scan(ctx, lance.ScanQuery{Columns: []string{colID, colScope}})
	})
	if err != nil {
		return nil, 0, fmt.Errorf("looking for memories without a scope: %w", err)
	}
	defer rows.Release()
	var found []string
	for _, rec := range rows.Records() {
		c := columnsOf(rec)
		for i := range int(rec.NumRows()) {
			switch id := c.text(colID, i); {
			case strings.TrimSpace(c.text(colScope, i)) != "":
			case id == "":
				nameless++
			default:
				found = append(found, id)
			}
		}
	}
	there, err := s.GetMany(ctx, scope.Operator().Filter(), found...)
	if err != nil {
		return nil, nameless, fmt.Errorf("looking for memories without a scope: %w", err)
	}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(found))) {
		if m, ok := there[id]; ok && strings.TrimSpace(m.Scope) == "" {
			list = append(list, m)
		}
	}
	return list, nameless, nil
}
