package store

import (
	"context"
	"slices"
	"sync"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// A search by vector takes longer than everything else a write does. Under the
// lock, writers would do their searches one after the other; so they do them
// before, all at once, and under the lock only make up for what was written since.

// aheadSpare is how many more are asked for than wanted, because some may be gone
// by the time of the transaction.
const aheadSpare = 8

// recentBytes bounds the rows that are kept for it.
const recentBytes = 1 << 20

// Ahead is a search for near memories made before the transaction that needs it.
type Ahead struct {
	who    scope.Filter
	narrow memory.Narrow
	vector []float32
	limit  int

	hits []memory.Hit
	seq  uint64 // the table that was searched held everything recorded up to here
	err  error
}

// NearestAhead searches without the lock, for Tx.NearestAfter. Rows whose cosine is
// below above need not be among those found.
func (s *Store) NearestAhead(ctx context.Context, who scope.Filter, n memory.Narrow, vector []float32, limit int, above float64) *Ahead {
	a := &Ahead{who: who, narrow: n, vector: vector, limit: limit, seq: s.recent.held()}
	if hits, seq, ok := s.nearMirrored(ctx, who, n, vector, above, limit+aheadSpare); ok {
		a.hits, a.seq = hits, seq
		return a
	}
	a.hits, a.err = s.Nearest(ctx, who, s.byNow(n), vector, limit+aheadSpare)
	return a
}

// NearestAfter is Nearest under the lock for a search that was made before it. It
// searches again only if the earlier answer cannot be made up to date. What counts is
// what is valid by now: of two who state the same at once, the second to get the lock
// may have begun first, and what the other stored would lie in its future.
func (tx *Tx) NearestAfter(ctx context.Context, a *Ahead) ([]memory.Hit, error) {
	s := tx.batch.store
	if a.limit <= 0 {
		return nil, nil
	}
	a.narrow = s.byNow(a.narrow)
	since, ok := s.recent.since(a.seq, s.journal.Last())
	// Other machines that share a bucket keep journals of their own.
	if a.err != nil || !ok || !s.local || s.CheckVectors() != nil {
		return tx.Nearest(ctx, a.who, a.narrow, a.vector, a.limit)
	}
	changed, err := tx.changed(ctx)
	if err != nil {
		return nil, err
	}
	for id, row := range since {
		if _, buffered := changed[id]; buffered {
			continue
		}
		changed[id] = memory.Memory{}
		if row != nil {
			changed[id] = memoryOf(row)
		}
	}
	hits := slices.DeleteFunc(slices.Clone(a.hits), func(h memory.Hit) bool {
		_, ok := changed[h.Memory.ID]
		return ok || !a.narrow.Keeps(h.Memory)
	})
	if len(hits) < a.limit && len(a.hits) == a.limit+aheadSpare {
		return tx.Nearest(ctx, a.who, a.narrow, a.vector, a.limit)
	}
	return overlay(hits, changed, a.who, a.narrow, a.vector, a.limit), nil
}

// byNow moves the moment of validity to now, if that is later.
func (s *Store) byNow(n memory.Narrow) memory.Narrow {
	if now := s.now(); !n.ActiveAt.IsZero() && now.After(n.ActiveAt) {
		n.ActiveAt = now
	}
	return n
}

// recent are the newest changes that this process put into the table.
type recent struct {
	mu      sync.Mutex
	entries []*journal.Entry // by number
	bytes   int
	through uint64 // the table holds everything recorded up to here
}

func (r *recent) held() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.through
}

// add notes that the table holds the entries, of this process, and everything
// recorded up to through.
func (r *recent) add(through uint64, entries ...*journal.Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.through = through
	for _, e := range entries {
		r.entries, r.bytes = append(r.entries, e), r.bytes+weight(e)
	}
	for r.bytes > recentBytes {
		r.bytes -= weight(r.entries[0])
		r.entries = slices.Delete(r.entries, 0, 1)
	}
}

// since returns the rows that were changed after one number up to another, nil for
// a deleted one. It does not know if another process had a part in it, or if it was
// too much.
func (r *recent) since(seq, last uint64) (rows map[string]*journal.Row, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rows, n := map[string]*journal.Row{}, uint64(0)
	for _, e := range r.entries {
		if e.Seq <= seq {
			continue
		}
		n++
		for _, c := range e.Changes {
			rows[c.ID] = c.After
		}
	}
	return rows, seq <= last && n == last-seq
}
