package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
)

const (
	// foldAfter is how many modified rows wake maintenance. Up to twenty
	// unindexed rows cost a keyword search next to nothing.
	foldAfter = 20
	// compactAfter is how many commits may leave their small files. Sixty double
	// the time of an exact vector search over 10,000 rows (8 to 19 ms); merging
	// them rewrites the table, so it is not done at every fold.
	compactAfter = 64
	// keepVersions is how long a version outlives its successor, so that a query
	// of any process that began on it can finish. Everything older is deleted.
	keepVersions = 5 * time.Minute
	// foldShare bounds what continuous writing makes maintenance cost: after a run
	// of one second it rests four.
	foldShare = 4
	// closeGrace is how long Close waits for a running step; a step that is
	// stopped leaves the table as it was.
	closeGrace = 5 * time.Second
)

// Report says what maintenance did.
type Report struct {
	// Skipped is set when another process is at it; the rest is zero then.
	Skipped bool
	// Folded is how many rows joined the text index.
	Folded int64
	// FilesMerged is how many small data files became larger ones.
	FilesMerged int64
	// VersionsPruned and BytesFreed tell what old versions gave back.
	VersionsPruned, BytesFreed int64
}

// Maintain folds new rows into the text index, merges small files and deletes
// old versions, now. It does not take the write lock: each step prepares its
// files beside the writers and ends in one commit of its own, which gives way
// to theirs. One process at a time does it.
func (s *Store) Maintain(ctx context.Context) (Report, error) { return s.maintain(ctx, true) }

func (s *Store) maintain(ctx context.Context, compact bool) (Report, error) {
	s.janitor.one.Lock()
	defer s.janitor.one.Unlock()
	fold := newFlock(filepath.Join(s.path, foldFile))
	if ok, err := fold.TryLock(); err != nil {
		return Report{}, fmt.Errorf("taking the maintenance lock in %s: %w; check that the directory is writable", s.path, err)
	} else if !ok {
		return Report{Skipped: true}, nil
	}
	defer fold.Unlock() //nolint:errcheck // the kernel drops it with the file in any case
	var r Report
	// A step that fails does not keep the next from running: a table whose files
	// cannot be merged must still not fill the disk with versions.
	return r, errors.Join(s.compactStep(ctx, compact, &r), s.foldStep(ctx, &r), s.pruneStep(ctx, &r))
}

func (s *Store) compactStep(ctx context.Context, compact bool, r *Report) error {
	if !compact {
		return nil
	}
	seen := s.janitor.commits.Load()
	st, err := s.optimize(ctx, lance.OptimizeOptions{Compact: true})
	if err != nil {
		return fmt.Errorf("merging small files: %w", err)
	}
	s.janitor.commits.Add(-seen)
	r.FilesMerged = st.FragmentsRemoved
	return nil
}

func (s *Store) foldStep(ctx context.Context, r *Report) error {
	before, err := s.TextIndex(ctx)
	if err == nil && !before.Present {
		s.indexWanted.Store(true) // somebody dropped it; the next write builds it
	}
	if err != nil || before.Unindexed == 0 {
		return err
	}
	if _, err := s.optimize(ctx, lance.OptimizeOptions{FoldIndexes: true}); err != nil {
		return fmt.Errorf("folding rows into the text index: %w", err)
	}
	r.Folded = before.Unindexed
	return nil
}

func (s *Store) pruneStep(ctx context.Context, r *Report) error {
	keep := s.janitor.keep
	st, err := s.optimize(ctx, lance.OptimizeOptions{PruneOlderThan: &keep})
	if err != nil {
		return fmt.Errorf("deleting old versions: %w", err)
	}
	r.VersionsPruned, r.BytesFreed = st.VersionsRemoved, st.BytesRemoved
	return nil
}

// optimize runs one step. A step that loses to a writer's commit prepares itself
// anew, a few times.
func (s *Store) optimize(ctx context.Context, o lance.OptimizeOptions) (st lance.OptimizeStats, err error) {
	for range 3 {
		err = s.use(func(t *lance.Table) error {
			st, err = t.Optimize(ctx, o)
			return err
		})
		if !errors.Is(err, lance.ErrConflict) {
			break
		}
	}
	return st, err
}
