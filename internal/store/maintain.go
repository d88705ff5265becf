package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/manifest"
)

const (
	// foldAfter is how many modified rows wake maintenance. Up to twenty
	// unindexed rows cost a keyword search next to nothing.
	foldAfter = 20
	// tinyRows is from how many rows on a file is left alone while rows are being
	// written. Files of single stores cost a search 0.15 ms each; merged with each
	// other before any index holds them, 20 of them, that takes a commit's time.
	tinyRows = 16
	// fileRows is the same for a table at rest: an import's commit makes files of
	// this size, so that they are never written twice.
	fileRows = maxCommitRows
	// wholeAfter is after how many commits all is tidied although rows are being
	// written, tidyAfter how few are not worth it when nothing is.
	wholeAfter = 512
	tidyAfter  = 16
	// quietAfter is how long nothing must be written before all is tidied.
	quietAfter = 10 * time.Second
	// foldShare bounds what continuous writing makes maintenance cost: after a run
	// of one second it rests four.
	foldShare = 4
	// closeGrace is how long Close waits for a running step; a step that is
	// stopped leaves the table as it was.
	closeGrace = time.Second
)

// UpkeepOptions is the schedule of an operator who wants old versions of the table
// to be kept, and cleaned up at times of their own. The zero value has none: then
// versions are deleted as soon as no query can need them.
type UpkeepOptions struct {
	Scheduled    bool
	First, Every time.Duration // from opening to the first cleaning, and between two
	Retention    time.Duration // how long versions are kept
}

// Report says what maintenance did.
type Report struct {
	// Skipped is set when another process is at it; the rest is zero then.
	Skipped bool
	// Postponed is set when writers were too busy for small files to be merged.
	Postponed bool
	// Folded is how many rows joined the text index.
	Folded int64
	// VectorsIndexed is set when an index of the vectors was made.
	VectorsIndexed bool
	// FilesMerged is how many small data files became larger ones.
	FilesMerged int64
	// VersionsPruned and BytesFreed tell what old versions gave back.
	VersionsPruned, BytesFreed int64
}

// Maintain folds all rows into the indexes, merges small files and deletes old
// versions, now. Indexing and deleting go on beside the writers; merging files
// takes a short turn among them. One process at a time does it.
func (s *Store) Maintain(ctx context.Context) (Report, error) { return s.maintain(ctx, effortClean) }

func (s *Store) maintain(ctx context.Context, e effort) (r Report, err error) {
	if s.readOnly != nil {
		return r, fmt.Errorf("maintaining the table: %w", s.readOnly)
	}
	s.janitor.one.Lock()
	defer s.janitor.one.Unlock()
	fold := newFlock(filepath.Join(s.state, foldFile))
	if ok, err := fold.TryLock(); err != nil {
		return r, fmt.Errorf("taking the maintenance lock in %s: %w; check that the directory is writable", s.state, err)
	} else if !ok {
		return Report{Skipped: true}, nil
	}
	defer fold.Unlock() //nolint:errcheck // the kernel drops it with the file in any case
	if e == effortFold && s.janitor.commits.Load() >= wholeAfter {
		e = effortWhole
	}
	// A step that fails does not keep the next from running: a table whose files
	// cannot be merged must still not fill the disk with versions.
	for _, step := range s.steps(e) {
		err = errors.Join(err, s.postpone(&r, step(ctx, &r)))
	}
	if age, due := s.pruneAge(e); due {
		err = errors.Join(err, s.pruneStep(ctx, &r, age))
	}
	if ctx.Err() != nil {
		return r, err // stopped, not failed
	}
	u, _ := ReadUpkeep(s.state) // one that cannot be read is written anew
	return r, errors.Join(err, writeUpkeep(s.state, u.fared(s.now().UTC(), err)))
}

type step func(context.Context, *Report) error

func (s *Store) steps(e effort) []step {
	vectors := func(whole bool) step {
		return func(ctx context.Context, r *Report) error { return s.vectorStep(ctx, r, whole) }
	}
	switch e {
	case effortPrune:
		return nil
	case effortFold:
		return []step{s.mergeTinyStep, s.foldStep, vectors(false)}
	}
	return []step{s.foldStep, s.unifyTextStep, s.mergeStep, vectors(true)}
}

// mergeTinyStep merges the files of single stores. No index holds them yet, so that
// nothing else is written.
func (s *Store) mergeTinyStep(ctx context.Context, r *Report) error {
	if s.smallFiles(tinyRows) < 2 {
		return nil
	}
	return s.merge(ctx, r, tinyRows)
}

// mergeStep merges all small files. That writes the indexes that hold them anew,
// because rows move; the one of the vectors is about as large as the table, and is
// dropped and made again afterwards, when the lock is free.
func (s *Store) mergeStep(ctx context.Context, r *Report) error {
	seen := s.janitor.commits.Load()
	if s.smallFiles(fileRows) < 2 {
		s.janitor.commits.Add(-seen)
		return nil
	}
	list, err := s.indexes(ctx)
	if err != nil {
		return err
	}
	if kind, _ := vectorIndexIn(list); kind == vectorsFlat || kind == vectorsScaled {
		if err := s.dropVectorIndex(ctx, kind); err != nil {
			return err
		}
	}
	if err := s.merge(ctx, r, fileRows); err != nil {
		return err
	}
	s.janitor.commits.Add(-seen)
	return nil
}

// merge makes one file of several that have fewer than so many rows. An update that
// commits meanwhile would make it lose, and its files stay about for a week.
// Bounded as it is, it takes its turn among the writers.
func (s *Store) merge(ctx context.Context, r *Report, rows int) error {
	var st lance.OptimizeStats
	err := s.Write(turnOf(ctx), "merging small files", func(*Tx) (err error) {
		if err := s.lock.check(ctx); err != nil {
			return err
		}
		st, err = s.optimize(ctx, lance.OptimizeOptions{Compact: true, TargetRows: rows})
		return err
	})
	r.FilesMerged += st.FragmentsRemoved
	return err
}

// smallFiles counts the files that merging would take: neighbours of fewer than so
// many rows, and those of which more than a tenth is deleted, twice. In object
// storage, where looking is dear, it is the number of this process's commits.
func (s *Store) smallFiles(rows uint64) (n int) {
	if !s.local {
		return int(s.janitor.commits.Load())
	}
	list, err := manifest.List(tableDir(s.path))
	if err != nil || len(list) == 0 {
		return 0
	}
	m, err := manifest.Read(tableDir(s.path), list[0])
	if err != nil {
		return 0 // LanceDB will say so, if it matters
	}
	small := func(i int) bool { return i >= 0 && i < len(m.Fragments) && m.Fragments[i].Rows < rows }
	for i, f := range m.Fragments {
		switch {
		case 10*f.Deleted > f.Rows+f.Deleted:
			n += 2
		case small(i) && (small(i-1) || small(i+1)):
			n++
		}
	}
	return n
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

// foldStep adds the new rows to the indexes: to the text index as a part that is
// merged with others of its size, to that of the vectors as one more part.
func (s *Store) foldStep(ctx context.Context, r *Report) error {
	ix, err := s.findTextIndex(ctx)
	if err != nil {
		return err
	}
	if ix == nil {
		s.indexWanted.Store(true) // somebody dropped it; the next write builds it
		return nil
	}
	if ix.UnindexedRows == 0 {
		return nil
	}
	if _, err = s.optimize(ctx, lance.OptimizeOptions{FoldIndexes: true}); err != nil {
		return fmt.Errorf("folding rows into the indexes: %w", err)
	}
	r.Folded = ix.UnindexedRows
	return nil
}

// unifyTextStep makes one part of several. Only files that the same parts cover are
// merged.
func (s *Store) unifyTextStep(ctx context.Context, _ *Report) error {
	ix, err := s.findTextIndex(ctx)
	if err != nil || ix == nil || (ix.Parts <= 1 && ix.UnindexedRows == 0) {
		return err
	}
	err = s.attempt(func(t *lance.Table) error { return t.CreateTextIndex(ctx, colText, textIndex) })
	if err != nil {
		return fmt.Errorf("making one text index of its parts: %w", err)
	}
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
