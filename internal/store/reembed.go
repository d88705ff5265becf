package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// A re-embed gives every row a vector of the configured model. Vectors are made
// first, and kept in a file that outlives the process (reembed_vectors.go). When all
// are there, a table with them is built beside the present one (reembed_copy.go) and
// takes its place in one commit, under the lock (reembed_swap.go). Until then the
// table is what it was: found by words, also by vectors for those who still have the
// old model configured, and written to by everybody. Nothing is locked while vectors
// are made, which takes minutes; the commit takes as long as a large import's.

// Names in the state directory.
const (
	vectorsFile = ".memory-pro.vectors"
	reembedLock = ".memory-pro.reembed.lock"
)

// Why a re-embed cannot begin.
var (
	// ErrNoModel means that no model is configured that could make vectors.
	ErrNoModel = errors.New("no embedding model is configured")
	// ErrReembedding means that another process does the same.
	ErrReembedding = errors.New("another process is embedding this database anew; wait until it ends, or end it: what it has done is kept")
)

// RemoteWidthError refuses to change the width of vectors in object storage.
type RemoteWidthError struct{ Width *WidthError }

func (e *RemoteWidthError) Error() string {
	return fmt.Sprintf("the table in %s holds vectors of %d numbers and the configured model gives %d: in object storage a table cannot be "+
		"replaced in one step; nothing was changed. Write a new database with `memory-pro reembed --source-db %s --db <new place>`, and set dbPath to it",
		e.Width.Path, e.Width.Table, e.Width.Given, e.Width.Path)
}

func (e *RemoteWidthError) Unwrap() error { return e.Width }

// Reembedding is a re-embed under way. It is for one goroutine.
type Reembedding struct {
	s       *Store
	vectors *vectorFile
	alone   *flock.Flock
	// Kept is how many texts had their vector when it began: it goes on from there.
	Kept int
}

// Reembed begins a re-embed with the configured model, or goes on with one that was
// interrupted. Close it in any case.
func (s *Store) Reembed() (*Reembedding, error) {
	switch width := s.CheckWidth(); {
	case s.readOnly != nil:
		return nil, s.readOnly
	case s.journalProblem != nil:
		return nil, s.journalProblem
	case s.dimensions == 0:
		return nil, ErrNoModel
	case width != nil && !s.local:
		var w *WidthError
		errors.As(width, &w)
		return nil, &RemoteWidthError{Width: w}
	}
	alone := newFlock(filepath.Join(s.state, reembedLock))
	if ok, err := alone.TryLock(); err != nil || !ok {
		return nil, errors.Join(ErrReembedding, err)
	}
	v, err := openVectorFile(filepath.Join(s.state, vectorsFile), s.fingerprint, s.dimensions)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("beginning to embed anew: %w", err), alone.Unlock())
	}
	return &Reembedding{s: s, vectors: v, alone: alone, Kept: v.len()}, nil
}

// ReembedLeft says without beginning a re-embed how many texts have their vector from
// one that did not come to its end, and how many texts it would still embed.
func (s *Store) ReembedLeft(ctx context.Context) (kept, missing int, err error) {
	v, err := readVectorFile(filepath.Join(s.state, vectorsFile), s.fingerprint, s.dimensions)
	switch {
	case errors.Is(err, os.ErrNotExist):
		v = &vectorFile{}
	case err != nil:
		return 0, 0, err
	default:
		defer v.close() //nolint:errcheck // read only
	}
	look := Reembedding{s: s, vectors: v}
	_, err = look.Missing(ctx, func(ms []memory.Memory) error {
		missing += len(ms)
		return nil
	})
	return v.len(), missing, err
}

// Close ends it; what was kept stays for the next time.
func (r *Reembedding) Close() error {
	return errors.Join(r.vectors.close(), r.alone.Unlock())
}

// Clear drops what was kept: it is in the table now. What has to be closed still has
// to be.
func (r *Reembedding) Clear() error { return os.Remove(r.vectors.f.Name()) }

// forgetReembed drops what a re-embed that was interrupted has left, for an erasure, and
// keeps another from beginning until the function it returns is called. One under way
// copies rows, so that it has to end first.
func (s *Store) forgetReembed(e *Erased) (free func(), err error) {
	alone := newFlock(filepath.Join(s.state, reembedLock))
	if ok, err := alone.TryLock(); err != nil || !ok {
		e.Left = append(e.Left, "the database is being embedded anew just now, from copies that may hold what was erased: repeat this when that has ended")
		return func() {}, err
	}
	if s.local {
		err = os.RemoveAll(filepath.Join(s.path, besideDir))
	}
	err = errors.Join(err, gone(os.Remove(filepath.Join(s.state, vectorsFile))))
	return func() { _ = alone.Unlock() }, err // the kernel drops it with the file in any case
}

// Missing hands the memories to fn whose text has no vector yet, by id and text alone,
// each text once, at most 2,000 at a time, and returns how many rows there are.
func (r *Reembedding) Missing(ctx context.Context, fn func([]memory.Memory) error) (rows int, err error) {
	asked := map[textKey]bool{}
	err = r.s.ranges(ctx, func(which lance.Predicate) error {
		found, err := r.s.read(ctx, func(t *lance.Table) (*lance.Rows, error) {
			return t.Scan(ctx, lance.ScanQuery{Filter: which, Columns: []string{colID, colText}})
		})
		if err != nil {
			return err
		}
		all := decode(found.Records())
		found.Release()
		rows += len(all)
		var list []memory.Memory
		for _, m := range all {
			key := keyOf(m.Text)
			if m.Text == "" || asked[key] || r.vectors.has(key) {
				continue
			}
			asked[key] = true
			list = append(list, m)
		}
		if len(list) == 0 {
			return nil
		}
		slices.SortFunc(list, func(a, b memory.Memory) int { return strings.Compare(a.ID, b.ID) })
		return fn(list)
	})
	return rows, err
}

// ranges hands conditions to fn that together pick every row once, about 2,000 each, in
// order of id. A range costs one comparison a row, a list of ids as many as it has.
func (s *Store) ranges(ctx context.Context, fn func(lance.Predicate) error) error {
	list, nameless, err := s.allIDs(ctx, scope.Operator().Filter(), memory.Narrow{})
	if err != nil {
		return err
	}
	for some := range slices.Chunk(list, copyRows) {
		if err := fn(lance.And(lance.Ge(colID, some[0]), lance.Le(colID, some[len(some)-1]))); err != nil {
			return err
		}
	}
	if nameless {
		return fn(lance.IsNull(colID))
	}
	return nil
}

// Keep keeps vectors of texts. A nil vector is one that could not be made.
func (r *Reembedding) Keep(texts []string, vectors [][]float32) error {
	keys := make([]textKey, len(texts))
	for i, text := range texts {
		keys[i] = keyOf(text)
		if v := vectors[i]; v != nil {
			if len(v) != r.vectors.width {
				return &WidthError{Path: r.s.path, Table: r.vectors.width, Given: len(v)}
			}
			if err := usable(v); err != nil {
				return fmt.Errorf("%w: %w", ErrInvalid, err)
			}
		}
	}
	return r.vectors.add(keys, vectors)
}
