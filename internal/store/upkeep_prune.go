package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
)

const (
	// keepVersions is how long a version outlives its successor, so that a query
	// of any process that began on it can finish: recall has 2 s. Everything older
	// is deleted. A query that takes longer is asked again on the newest (read).
	keepVersions = 45 * time.Second
	// maxVersions is how many a burst of writes may leave; beyond it they are
	// deleted sooner, but not before keepLeast.
	maxVersions = 60
	keepLeast   = 5 * time.Second
	// pruneEvery is how often they are looked at while rows are being written.
	pruneEvery = 15 * time.Second
)

// pruneAge is how old a version must be for this run to delete it; due is false for
// a run that is to delete none.
func (s *Store) pruneAge(e effort) (age time.Duration, due bool) {
	j := &s.janitor
	switch {
	case e == effortClean && j.Scheduled:
		return j.Retention, true
	case j.Scheduled:
		return 0, false // the operator wants them
	case e != effortClean && s.versionsOnDisk() > maxVersions:
		return min(j.keep, max(s.ageOfVersion(maxVersions), keepLeast)), true
	}
	return j.keep, e != effortFold || time.Since(j.pruned) >= pruneEvery
}

// pruneStep deletes old versions, and the files only they name. What the journal
// would bring back must not hang on files that are deleted, so the newest version is
// made durable first.
func (s *Store) pruneStep(ctx context.Context, r *Report, keep time.Duration) error {
	if err := s.checkpoint(ctx); err != nil {
		return err
	}
	st, err := s.optimize(ctx, lance.OptimizeOptions{PruneOlderThan: &keep})
	if err != nil {
		if n, _ := s.leaveTorn(ctx); n > 0 {
			st, err = s.optimize(ctx, lance.OptimizeOptions{PruneOlderThan: &keep})
		}
	}
	if err != nil {
		return fmt.Errorf("deleting old versions: %w", err)
	}
	s.janitor.pruned = time.Now()
	r.VersionsPruned, r.BytesFreed = st.VersionsRemoved, st.BytesRemoved
	return nil
}

// versionsOnDisk counts the table's versions. In object storage it is 0: there
// they are bounded by age alone.
func (s *Store) versionsOnDisk() int {
	if !s.local {
		return 0
	}
	list, err := manifest.List(tableDir(s.path))
	if err != nil {
		return 0
	}
	return len(list)
}

// ageOfVersion is how long ago the nth newest version was made; as long as
// versions are kept anyway if that cannot be told.
func (s *Store) ageOfVersion(n int) time.Duration {
	list, err := manifest.List(tableDir(s.path))
	if err != nil || len(list) <= n {
		return s.janitor.keep
	}
	info, err := os.Stat(filepath.Join(tableDir(s.path), list[n].File))
	if err != nil {
		return s.janitor.keep
	}
	return time.Since(info.ModTime())
}
