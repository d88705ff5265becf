package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
)

// A process that stays compares the question with every row in memory (mirror.go):
// that is exact and faster than any index. The index is for those that do not, for
// tables too large to be held, and for object storage.
//
// Through LanceDB, too, the question is compared with every row. From some thousand
// rows on most of that time goes into reading the vectors, and an index helps because
// its values stay in LanceDB's cache of 64 MiB. Two kinds are made, whichever fits;
// both look at all rows, none at a selection of them. Measured with 384 numbers,
// 40 hits with all columns, best of 40 on two cores (ms):
//
//	rows     no index   flat, 1 partition   scaled, 4 partitions, twice as many asked
//	 1,000      3.8          2.9
//	 4,000      9.4          5.1
//	10,000      9.1          5.0                 6.7
//	50,000     35          125                  10.1
//
// Flat holds the numbers as they are, so it is exact. At 50,000 rows (77 MB) it does
// not fit the cache and is worse than none. Scaled holds a byte a number; of the
// true best 20 it finds 97 to 98 %, and 100 % when twice as many are asked for and
// ordered by their true cosine, which Nearest does. Graphs (HNSW) are as fast but
// take 19 s to build at 10,000 rows, and partitions that are not all searched miss
// rows. Where neither kind fits, every row is compared.
//
// No answer needs the index: rows it does not hold are compared one by one, one
// that fails is passed by and made anew, and vectors nobody may compare get none.
const (
	// vectorIndexFrom is the number of rows from which an index is made.
	vectorIndexFrom = 4000
	// flatBytes and scaledBytes are what an index of the kind may take, so that
	// there is room in the cache for the text index too.
	flatBytes   = 40 << 20
	scaledBytes = 40 << 20
	// scaledOver is how many times as many rows are asked of a scaled index.
	scaledOver       = 2
	scaledPartitions = 4
	// vectorParts is how many parts an index may have, 0.5 ms each, before it is
	// made anew as one: 0.1 s at 10,000 rows, 0.7 s at 50,000.
	vectorParts = 8
	// vectorsSeen is for how long it is believed which index there is: another
	// process may make one.
	vectorsSeen = 10 * time.Second
)

// vectorKind is what searches by vector go through.
type vectorKind string

const (
	vectorsNone    vectorKind = ""
	vectorsFlat    vectorKind = "memory_pro_flat" // an index's name tells its kind
	vectorsScaled  vectorKind = "memory_pro_scaled"
	vectorsForeign vectorKind = "foreign" // somebody else's, of unknown exactness: passed by
)

// vectorKindFor is the kind that suits so many rows of such a width; have is the
// one there is, which is kept near the bounds.
func vectorKindFor(rows int64, width int, have vectorKind) vectorKind {
	slack := func(kind vectorKind, bound int64) int64 {
		if have == kind {
			return bound + bound/8
		}
		return bound
	}
	numbers := rows * int64(width)
	switch {
	case rows < vectorIndexFrom && (have == vectorsNone || rows < vectorIndexFrom/2):
		return vectorsNone
	case 4*numbers <= slack(vectorsFlat, flatBytes):
		return vectorsFlat
	case numbers <= slack(vectorsScaled, scaledBytes):
		return vectorsScaled
	}
	return vectorsNone
}

// vectorPath is what is known of the way to the vectors.
type vectorPath struct {
	kind   atomic.Pointer[vectorKind]
	seen   atomic.Int64 // when it was looked up, in nanoseconds of the store's clock
	broken atomic.Bool  // a search through it failed; the janitor makes it anew
}

func (v *vectorPath) set(kind vectorKind, now time.Time) {
	v.kind.Store(&kind)
	v.seen.Store(now.UnixNano())
}

// vectorPathNow says how to search, looking at the table when it did not for a while.
func (s *Store) vectorPathNow(ctx context.Context) vectorKind {
	now := s.now()
	kind := s.vectors.kind.Load()
	if kind != nil && now.UnixNano()-s.vectors.seen.Load() < int64(vectorsSeen) {
		return *kind
	}
	list, err := s.indexes(ctx)
	if err != nil {
		return vectorsForeign // passed by, which is always right
	}
	found, _ := vectorIndexIn(list)
	s.vectors.set(found, now)
	return found
}

// vectorIndexIn finds the index of the vectors, ours before another's.
func vectorIndexIn(list []lance.Index) (kind vectorKind, at *lance.Index) {
	for i, ix := range list {
		if !slices.Contains(ix.Columns, colVector) {
			continue
		}
		if k := vectorKind(ix.Name); k == vectorsFlat || k == vectorsScaled {
			return k, &list[i]
		}
		kind, at = vectorsForeign, &list[i]
	}
	return kind, at
}

// nearestRows returns the rows nearest to vector that pass p, and how many were
// asked for. An index that fails is passed by from then on.
func (s *Store) nearestRows(ctx context.Context, vector []float32, p lance.Predicate, n int) (*lance.Rows, int, error) {
	kind := s.vectorPathNow(ctx)
	bypass := kind == vectorsForeign || s.vectors.broken.Load()
	if kind == vectorsScaled && !bypass {
		n *= scaledOver
	}
	run := func(bypass bool) (*lance.Rows, error) {
		return s.read(ctx, func(t *lance.Table) (*lance.Rows, error) {
			return t.NearestTo(ctx, lance.VectorQuery{
				Column: colVector, Vector: vector, Metric: lance.Cosine, Filter: p, Columns: hitColumns, Limit: n, BypassIndex: bypass,
			})
		})
	}
	rows, err := run(bypass)
	if err == nil || bypass || ctx.Err() != nil || kind == vectorsNone || errors.Is(err, ErrClosed) {
		return rows, n, err
	}
	exact, exactErr := run(true)
	if exactErr != nil {
		return nil, n, err
	}
	if !s.vectors.broken.Swap(true) {
		s.log.Warn("the index of the vectors failed; it is passed by until it is made anew", "path", s.path, "error", err)
		s.janitor.wake()
	}
	return exact, n, nil
}

// vectorStep makes, unifies or drops the index of the vectors, as suits the table.
// whole asks for one part that holds all rows.
func (s *Store) vectorStep(ctx context.Context, r *Report, whole bool) error {
	list, err := s.indexes(ctx)
	if err != nil {
		return err
	}
	kind, ix := vectorIndexIn(list)
	if kind == vectorsForeign || s.CheckVectors() != nil || s.options.OwnCosine {
		return nil // not ours to touch, or not to be compared
	}
	rows, err := s.count(ctx, nil)
	if err != nil {
		return err
	}
	want := vectorKindFor(rows, s.layout().width, kind)
	if kind != vectorsNone && (kind != want || s.vectors.broken.Load()) {
		if err := s.dropVectorIndex(ctx, kind); err != nil {
			return err
		}
		kind = vectorsNone
	}
	if want == vectorsNone || (kind == want && ix.Parts <= vectorParts && (!whole || ix.Parts == 1)) {
		return nil
	}
	// Without vectors there is nothing to train an index on.
	pending, err := s.count(ctx, lance.IsNull(colVector))
	if err != nil || rows-pending < vectorIndexFrom/2 {
		return err
	}
	return s.buildVectorIndex(ctx, r, want)
}

func (s *Store) dropVectorIndex(ctx context.Context, kind vectorKind) error {
	if err := s.attempt(func(t *lance.Table) error { return t.DropIndex(ctx, string(kind)) }); err != nil {
		return fmt.Errorf("dropping the index of the vectors: %w", err)
	}
	s.vectors.set(vectorsNone, s.now())
	s.vectors.broken.Store(false)
	return nil
}

func (s *Store) buildVectorIndex(ctx context.Context, r *Report, kind vectorKind) error {
	o := lance.VectorIndexOptions{Type: "ivf_flat", Name: string(kind), Metric: lance.Cosine, Partitions: 1, Replace: true}
	if kind == vectorsScaled {
		o.Type, o.Partitions = "ivf_sq", scaledPartitions
	}
	if err := s.attempt(func(t *lance.Table) error { return t.CreateVectorIndex(ctx, colVector, o) }); err != nil {
		return fmt.Errorf("making the index of the vectors: %w", err)
	}
	s.vectors.set(kind, s.now())
	s.vectors.broken.Store(false)
	r.VectorsIndexed = true
	return nil
}
