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
	// them builds the text index anew (0.1 s there), so not every fold does it.
	compactAfter = 32
	// fileRows is from how many rows on a file is left alone: merging rewrites only
	// the small ones, at most so many rows (32 MB of vectors of 1,024 numbers), and
	// so holds the lock for tens of milliseconds however large the table.
	fileRows = 8192
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
	// Postponed is set when writers were too busy for small files to be merged.
	Postponed bool
	// Folded is how many rows joined the text index.
	Folded int64
	// FilesMerged is how many small data files became larger ones.
	FilesMerged int64
	// VersionsPruned and BytesFreed tell what old versions gave back.
	VersionsPruned, BytesFreed int64
}

// Maintain folds all rows into one text index, merges small files and deletes
// old versions, now. Indexing and deleting go on beside the writers; merging
// files takes a short turn among them. One process at a time does it.
func (s *Store) Maintain(ctx context.Context) (Report, error) { return s.maintain(ctx, true) }

func (s *Store) maintain(ctx context.Context, compact bool) (Report, error) {
	if s.readOnly != nil {
		return Report{}, fmt.Errorf("maintaining the table: %w", s.readOnly)
	}
	s.janitor.one.Lock()
	defer s.janitor.one.Unlock()
	fold := newFlock(filepath.Join(s.state, foldFile))
	if ok, err := fold.TryLock(); err != nil {
		return Report{}, fmt.Errorf("taking the maintenance lock in %s: %w; check that the directory is writable", s.state, err)
	} else if !ok {
		return Report{Skipped: true}, nil
	}
	defer fold.Unlock() //nolint:errcheck // the kernel drops it with the file in any case
	var r Report
	// A step that fails does not keep the next from running: a table whose files
	// cannot be merged must still not fill the disk with versions.
	step := s.foldStep
	if compact {
		step = s.mergeStep
	}
	return r, errors.Join(step(ctx, &r), s.pruneStep(ctx, &r))
}

// mergeStep makes one text index of all its parts and then one file of many. In
// this order: files are merged only with those that the same part covers.
func (s *Store) mergeStep(ctx context.Context, r *Report) error {
	seen := s.janitor.commits.Load()
	ix, err := s.findTextIndex(ctx)
	if err != nil {
		return err
	}
	if ix == nil {
		s.indexWanted.Store(true) // somebody dropped it; the next write builds it
	} else if ix.UnindexedRows > 0 || ix.Parts > 1 {
		err := s.attempt(func(t *lance.Table) error { return t.CreateTextIndex(ctx, colText, textIndex) })
		if err != nil {
			return s.postpone(r, fmt.Errorf("folding rows into the text index: %w", err))
		}
		r.Folded = ix.UnindexedRows
	}
	// An update that commits meanwhile would make this step lose, and its files
	// stay about for a week. Bounded as it is, it takes its turn among the writers.
	var st lance.OptimizeStats
	err = s.Write(ctx, "merging small files", func(*Tx) (err error) {
		st, err = s.optimize(ctx, lance.OptimizeOptions{Compact: true, TargetRows: fileRows})
		return err
	})
	if err != nil {
		return s.postpone(r, err)
	}
	s.janitor.commits.Add(-seen)
	r.FilesMerged = st.FragmentsRemoved
	return nil
}

// postpone forgives a step that found the writers too busy: reads only get a
// little slower, and it is tried again.
func (s *Store) postpone(r *Report, err error) error {
	var locked *LockedError
	if errors.Is(err, lance.ErrConflict) || errors.As(err, &locked) {
		r.Postponed = true
		return nil
	}
	return err
}

// foldStep adds a part with the new rows to the text index.
func (s *Store) foldStep(ctx context.Context, r *Report) error {
	ix, err := s.findTextIndex(ctx)
	if err != nil || ix == nil || ix.UnindexedRows == 0 {
		return err
	}
	if _, err = s.optimize(ctx, lance.OptimizeOptions{FoldIndexes: true}); err != nil {
		return s.postpone(r, fmt.Errorf("folding rows into the text index: %w", err))
	}
	r.Folded = ix.UnindexedRows
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

func (s *Store) optimize(ctx context.Context, o lance.OptimizeOptions) (st lance.OptimizeStats, err error) {
	err = s.attempt(func(t *lance.Table) error {
		st, err = t.Optimize(ctx, o)
		return err
	})
	return st, err
}

// attempt runs a step that may lose to a writer's commit; it then prepares
// itself anew, a few times.
func (s *Store) attempt(step func(*lance.Table) error) (err error) {
	for range 3 {
		if err = s.use(step); !errors.Is(err, lance.ErrConflict) {
			break
		}
	}
	return err
}
