package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// eachRows is how many memories Each hands over at once: with vectors of 1,024
// numbers 2 MB. One condition of so many ids costs about what a count does.
const eachRows = 500

// Each hands every memory that who may read and n keeps to fn, in order of id, at
// most 500 at a time, with vectors if asked. It holds all ids (50 bytes a row) and
// one batch in memory, however large the table is. An error of fn ends it, and is
// returned as it is.
//
// Each takes no lock. A memory that is changed meanwhile comes as it is when its
// batch is read; one that is deleted meanwhile is left out, one that is stored
// meanwhile too, and none comes twice. (A table of another program may hold two
// rows of one id, or rows without any; they all come.)
func (s *Store) Each(ctx context.Context, who scope.Filter, n memory.Narrow, vectors bool, fn func([]memory.Memory) error) error {
	list, nameless, err := s.allIDs(ctx, who, n)
	if err != nil {
		return err
	}
	cols := rowColumns
	if vectors {
		cols = hitColumns
	}
	hand := func(which lance.Predicate) error {
		rows, err := s.scan(ctx, scope.Operator().Filter(), memory.Narrow{}, which, cols, 0)
		if err != nil {
			return fmt.Errorf("reading all memories: %w", err)
		}
		// The list may be older than the rows: scope and validity are looked at again.
		rows = slices.DeleteFunc(rows, func(m memory.Memory) bool { return !readable(who, m) || !n.Keeps(m) })
		if len(rows) == 0 {
			return nil
		}
		slices.SortStableFunc(rows, func(a, b memory.Memory) int { return cmp.Compare(a.ID, b.ID) })
		return fn(rows)
	}
	if nameless {
		if err := hand(lance.IsNull(colID)); err != nil {
			return err
		}
	}
	for batch := range slices.Chunk(list, eachRows) {
		if err := hand(ids(batch)); err != nil {
			return err
		}
	}
	return nil
}

// allIDs is every id once, sorted, and whether there are rows without one.
func (s *Store) allIDs(ctx context.Context, who scope.Filter, n memory.Narrow) (list []string, nameless bool, err error) {
	p, ok, err := s.where(who, n)
	if err != nil || !ok {
		return nil, false, err
	}
	rows, err := s.read(ctx, func(t *lance.Table) (*lance.Rows, error) {
		return t.Scan(ctx, lance.ScanQuery{Filter: p, Columns: []string{colID}})
	})
	if err != nil {
		return nil, false, fmt.Errorf("listing all ids: %w", err)
	}
	defer rows.Release()
	list = make([]string, 0, rows.NumRows())
	for _, rec := range rows.Records() {
		c := columnsOf(rec)
		for i := range int(rec.NumRows()) {
			if c[colID].IsNull(i) {
				nameless = true
				continue
			}
			list = append(list, c.text(colID, i))
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nameless, nil
}
