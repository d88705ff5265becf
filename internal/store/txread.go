package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// Get is Store.Get under the lock. It sees this transaction's own changes.
func (tx *Tx) Get(ctx context.Context, who scope.Filter, id string) (memory.Memory, error) {
	m, err := tx.current(ctx, id)
	if err != nil {
		return memory.Memory{}, err
	}
	if m.ID == "" || !readable(who, m) {
		return memory.Memory{}, fmt.Errorf("reading memory %s: %w", id, ErrNotFound)
	}
	return detached(m), nil
}

// detached is m without what it shares with the row as it was read: a caller may
// change it in place, and what it was must still be known then.
func detached(m memory.Memory) memory.Memory {
	m.Metadata.Extra = maps.Clone(m.Metadata.Extra)
	m.Metadata.Relations = slices.Clone(m.Metadata.Relations)
	return m
}

// current is the row as it would be if the transaction ended now; zero if there
// is none.
func (tx *Tx) current(ctx context.Context, id string) (memory.Memory, error) {
	i, mine := tx.last[id]
	if mine && !tx.ops[i].keepsVector() {
		return tx.ops[i].mem, nil // zero for a deletion
	}
	m, err := tx.before(ctx, id)
	if mine && err == nil {
		vector := m.Vector
		m = tx.ops[i].mem
		m.Vector = vector
	}
	return m, err
}

// before is the row as this transaction found it; zero if there was none.
func (tx *Tx) before(ctx context.Context, id string) (memory.Memory, error) {
	if c, ok := tx.batch.rows.rows[id]; ok {
		return c.mem, nil // zero for a deletion
	}
	if _, ok := tx.batch.known[id]; !ok {
		if err := tx.batch.read(ctx, []string{id}); err != nil {
			return memory.Memory{}, err
		}
	}
	return tx.batch.known[id].mem, nil
}

// readable is the scope part of where, for rows that are in hand.
func readable(who scope.Filter, m memory.Memory) bool {
	return who.All() || (m.Scope != "" && who.Allows(m.Scope))
}

// Nearest is Store.Nearest under the lock, and sees what is buffered: the check
// for a near-duplicate must find the one that is being stored beside it.
func (tx *Tx) Nearest(ctx context.Context, who scope.Filter, n memory.Narrow, vector []float32, limit int) ([]memory.Hit, error) {
	if limit <= 0 {
		return nil, nil
	}
	changed, err := tx.changed(ctx)
	if err != nil {
		return nil, err
	}
	hits, err := tx.batch.store.Nearest(ctx, who, n, vector, limit+len(changed))
	if err != nil {
		return nil, err
	}
	hits = slices.DeleteFunc(hits, func(h memory.Hit) bool { _, ok := changed[h.Memory.ID]; return ok })
	tx.batch.keep(hits)
	return overlay(hits, changed, who, n, vector, limit), nil
}

// overlay adds to hits of unchanged rows those of changed ones.
func overlay(hits []memory.Hit, changed map[string]memory.Memory, who scope.Filter, n memory.Narrow, vector []float32, limit int) []memory.Hit {
	for _, m := range changed {
		if m.ID != "" && len(m.Vector) == len(vector) && readable(who, m) && n.Keeps(m) {
			hits = append(hits, memory.Hit{Memory: m, Score: cosine(vector, m.Vector)})
		}
	}
	return best(hits, limit)
}

// changed is every buffered row by id; deleted ones are zero.
func (tx *Tx) changed(ctx context.Context) (map[string]memory.Memory, error) {
	rows := make(map[string]memory.Memory, tx.batch.rows.len()+len(tx.last))
	for _, id := range slices.Concat(tx.batch.rows.order, slices.Collect(maps.Keys(tx.last))) {
		m, err := tx.current(ctx, id)
		if err != nil {
			return nil, err
		}
		rows[id] = m
	}
	return rows, nil
}

// cosine of two vectors of one length, neither of them zero.
func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	return min(max(dot/math.Sqrt(aa*bb), -1), 1)
}

// settle commits what earlier writers of the batch did, for the reads whose
// answer cannot be patched in memory. Their changes are final already. If they
// are on record and not in the table, this transaction cannot read and fails.
func (tx *Tx) settle() error {
	tx.batch.commit()
	if tx.batch.unsettled {
		tx.err = errors.New("what was written just before is on record and not yet in the table; try again")
	}
	return tx.err
}

// Matching is Store.Matching under the lock; it does not see this transaction's own changes.
func (tx *Tx) Matching(ctx context.Context, who scope.Filter, n memory.Narrow, text string, limit int) ([]memory.Hit, error) {
	if err := tx.settle(); err != nil {
		return nil, err
	}
	return tx.batch.store.Matching(ctx, who, n, text, limit)
}

// FindPrefix is Store.FindPrefix under the lock; it does not see this transaction's own changes.
func (tx *Tx) FindPrefix(ctx context.Context, who scope.Filter, prefix string, limit int) ([]memory.Memory, error) {
	if err := tx.settle(); err != nil {
		return nil, err
	}
	return tx.batch.store.FindPrefix(ctx, who, prefix, limit)
}

// List is Store.List under the lock; it does not see this transaction's own changes.
func (tx *Tx) List(ctx context.Context, q ListQuery) (Page, error) {
	if err := tx.settle(); err != nil {
		return Page{}, err
	}
	return tx.batch.store.List(ctx, q)
}

// Count is Store.Count under the lock; it does not see this transaction's own changes.
func (tx *Tx) Count(ctx context.Context, who scope.Filter, n memory.Narrow) (int64, error) {
	if err := tx.settle(); err != nil {
		return 0, err
	}
	return tx.batch.store.Count(ctx, who, n)
}

// keep remembers rows that a search has read whole, so that changing one of them
// need not read it again.
func (b *batch) keep(hits []memory.Hit) {
	if len(b.store.layout().extra) > 0 {
		return // a search does not read columns of others
	}
	for _, h := range hits {
		if _, known := b.known[h.Memory.ID]; !known {
			b.known[h.Memory.ID] = stored{exists: true, mem: detached(h.Memory)}
		}
	}
}

// maxIDs bounds one condition of ids.
const maxIDs = 500

// read loads whole rows into known; an id without a row becomes a zero stored.
func (b *batch) read(ctx context.Context, list []string) error {
	for some := range slices.Chunk(list, maxIDs) {
		rows, err := b.store.read(ctx, func(t *lance.Table) (*lance.Rows, error) {
			return t.Scan(ctx, lance.ScanQuery{Filter: ids(some)})
		})
		if err != nil {
			return fmt.Errorf("reading the rows to change: %w", err)
		}
		for _, id := range some {
			b.known[id] = stored{}
		}
		err = b.remember(rows)
		rows.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *batch) remember(rows *lance.Rows) error {
	for _, rec := range rows.Records() {
		c := columnsOf(rec)
		for i := range int(rec.NumRows()) {
			extra, err := c.extras(b.store.layout().extra, i)
			if err != nil {
				return fmt.Errorf("reading the rows to change: %w", err)
			}
			m := c.memory(i)
			b.known[m.ID] = stored{exists: true, mem: m, extra: extra}
		}
	}
	return nil
}

// probe asks whether ids are free without reading rows; taken ones are read, so
// that what is known of a row is always all of it.
func (b *batch) probe(ctx context.Context, list []string) error {
	var taken []string
	for some := range slices.Chunk(list, maxIDs) {
		rows, err := b.store.read(ctx, func(t *lance.Table) (*lance.Rows, error) {
			return t.Scan(ctx, lance.ScanQuery{Filter: ids(some), Columns: []string{colID}})
		})
		if err != nil {
			return fmt.Errorf("checking that new ids are free: %w", err)
		}
		for _, id := range some {
			b.known[id] = stored{}
		}
		for i := range rows.NumRows() {
			taken = append(taken, rows.String(colID, i))
		}
		rows.Release()
	}
	return b.read(ctx, taken)
}
