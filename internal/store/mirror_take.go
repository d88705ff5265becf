package store

import (
	"context"
	"slices"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
)

const (
	// syncAddresses is how many rows are asked for by their addresses in one
	// condition, syncRange how many by a range of addresses or in a page. Larger ones
	// are hardly faster and leave more memory behind: 40 MB after pages of 2,000.
	syncAddresses, syncRange = 32, 250
)

// address of a row: 32 bits each for its fragment and its place there.
func address(fragment, place uint64) uint64 { return fragment<<32 | place }

// between keeps the rows of a fragment from one place up to before another.
func between(fragment, from, to uint64) lance.Predicate {
	return lance.And(lance.Ge(lance.RowIDColumn, int64(address(fragment, from))), lance.Lt(lance.RowIDColumn, int64(address(fragment, to))))
}

// take reads what is new and which rows are left of what was trimmed, and changes m.
// Rows come from the newest version, which may lack some that v has: they were
// deleted since, and the comparison with that version drops them.
func (s *Store) take(ctx context.Context, m *mirror, d difference) error {
	m.mu.Lock()
	m.at = edition{} // between two versions
	for _, f := range d.gone {
		m.forget(f)
	}
	m.sweep()
	m.vectors.Grow(d.rows)
	m.mu.Unlock()
	for _, f := range d.trimmed {
		if err := s.trim(m, f, d.parts[f.ID]); err != nil {
			return err
		}
	}
	if len(d.fresh) == len(d.parts) && d.rows > syncRange {
		return s.takeAll(ctx, m, d)
	}
	var single []lance.Predicate
	few := func() error {
		if len(single) == 0 {
			return nil
		}
		_, err := s.takeRows(ctx, m, lance.ScanQuery{Filter: lance.Or(single...)})
		single = nil
		return err
	}
	for _, f := range d.fresh {
		p := d.parts[f]
		if p.physical <= syncAddresses {
			if len(single)+int(p.physical) > syncAddresses {
				if err := few(); err != nil {
					return err
				}
			}
			for i := range p.physical {
				single = append(single, lance.Eq(lance.RowIDColumn, int64(address(f, i))))
			}
			continue
		}
		for from := uint64(0); from < p.physical; from += syncRange {
			if _, err := s.takeRows(ctx, m, lance.ScanQuery{Filter: between(f, from, from+syncRange)}); err != nil {
				return err
			}
		}
	}
	if err := few(); err != nil {
		return err
	}
	m.took(d)
	return nil
}

// took notes that the rows of what was fresh were read.
func (m *mirror) took(d difference) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range d.fresh {
		m.parts[f] = d.parts[f]
	}
}

// takeAll reads the table page by page, which finds its place faster than a condition
// does. Where others shift the pages meanwhile, rows are missing, and read afterwards.
func (s *Store) takeAll(ctx context.Context, m *mirror, d difference) error {
	for from := 0; ; from += syncRange {
		n, err := s.takeRows(ctx, m, lance.ScanQuery{Offset: from, Limit: syncRange})
		if err != nil {
			return err
		}
		if n < syncRange {
			m.took(d)
			return nil
		}
	}
}

// takeRows reads rows and returns how many they were.
func (s *Store) takeRows(ctx context.Context, m *mirror, q lance.ScanQuery) (int, error) {
	rows, err := s.scanAddressed(ctx, q, hitColumns...)
	if err != nil {
		return 0, err
	}
	defer rows.Release()
	m.mu.Lock()
	defer m.mu.Unlock()
	at := 0
	for _, rec := range rows.Records() {
		c := columnsOf(rec)
		for i := range int(rec.NumRows()) {
			m.add(uint64(rows.Int64(lance.RowIDColumn, at)), c, i)
			at++
		}
	}
	if m.held() > mirrorBytes {
		return at, errTooMany
	}
	return at, ctx.Err()
}

// scanAddressed reads the addresses of rows, and columns.
func (s *Store) scanAddressed(ctx context.Context, q lance.ScanQuery, cols ...string) (*lance.Rows, error) {
	q.Columns = append(slices.Clone(cols), lance.RowIDColumn)
	return s.read(ctx, func(t *lance.Table) (*lance.Rows, error) { return t.Scan(ctx, q) })
}
