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

// pruneStep deletes old versions, and the files only they name. The caller has
// made the newest one durable.
func (s *Store) pruneStep(ctx context.Context, r *Report, e effort) error {
	j := &s.janitor
	keep := j.keep
	switch {
	case e == effortClean && j.Scheduled:
		keep = j.Retention
	case e == effortClean:
	case j.Scheduled:
		return nil // the operator wants them
	default:
		if many := s.versionsOnDisk() > maxVersions; !many && e == effortFold && time.Since(j.pruned) < pruneEvery {
			return nil
		} else if many {
			keep = min(keep, max(s.ageOfVersion(maxVersions), keepLeast))
		}
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
	j.pruned = time.Now()
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
