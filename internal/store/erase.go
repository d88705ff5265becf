package store

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// EraseRequest says what is to be removed for good.
type EraseRequest struct {
	// IDs are the rows. One that is not in the table is no error: what was said
	// under it may still lie in older versions and in the journal.
	IDs []string
	// Updates replace other rows along with it, as Tx.Update does.
	Updates []memory.Memory
	// Scrub takes what is erased out of a row of the journal, and reports whether
	// there was any.
	Scrub func(*journal.Row) (changed bool)
}

// Erased says what was removed.
type Erased struct {
	// Rows were in the table, Versions are older ones of it that are gone, Files
	// are those that no version named.
	Rows     int
	Versions int64
	Files    int
	// Indexes were built anew, or dropped to be built anew.
	Indexes []string
	// Entries of the journal were scrubbed.
	Entries int
	// Left says, a sentence each, what could not be removed, and why.
	Left []string
}

// erasing is the operation of the entry that remains of it.
const erasing = "erasing"

// Erase deletes rows and everything they leave behind: LanceDB keeps deleted rows
// in its files and replaced ones in older versions, the text index keeps their
// words, the journal what they said. Afterwards there is one version of the table,
// in files that never held them.
//
// All rows are written anew for that, under the lock: it takes as long as reading
// and writing the whole table. Readers go on meanwhile. After an error some of it
// is done; repeating does the rest.
func (s *Store) Erase(ctx context.Context, r EraseRequest) (e Erased, err error) {
	err = s.Write(ctx, erasing, func(tx *Tx) error {
		e.Rows = 0
		if err := tx.Load(ctx, r.IDs...); err != nil {
			return err
		}
		for _, id := range r.IDs {
			if m, err := tx.current(ctx, id); err != nil {
				return err
			} else if m.ID == "" {
				continue
			}
			e.Rows++
			if err := tx.Delete(id); err != nil {
				return err
			}
		}
		return tx.Update(r.Updates...)
	})
	if err != nil {
		return Erased{}, err
	}
	free, err := s.forgetReembed(&e)
	if err != nil {
		return e, err
	}
	defer free()
	undo, err := s.noUpkeep(ctx)
	if err != nil {
		return e, err
	}
	defer undo()
	err = s.Write(ctx, erasing+" what is left behind", func(tx *Tx) error {
		if err := tx.settle(); err != nil { // what others did comes first
			return err
		}
		return s.purge(ctx, r, &e)
	})
	return e, err
}

// noUpkeep keeps maintenance away, in every process, until the function it
// returns is called.
func (s *Store) noUpkeep(ctx context.Context) (func(), error) {
	s.janitor.one.Lock()
	fold := newFlock(filepath.Join(s.state, foldFile))
	ctx, cancel := context.WithTimeout(ctx, s.lockTimeout)
	defer cancel()
	if ok, err := fold.TryLockContext(ctx, nextPoll); err != nil || !ok {
		s.janitor.one.Unlock()
		return nil, fmt.Errorf("%s: waiting for maintenance to end: %w; repeat it to do the rest", erasing, err)
	}
	return func() {
		_ = fold.Unlock() // the kernel drops it with the file in any case
		s.janitor.one.Unlock()
		s.janitor.wake()
	}, nil
}

// purge runs under the lock. What is durable before it prunes and scrubs is the
// table without the rows, so that a power cut at any moment leaves one or the
// other, and nothing that would bring the rows back.
func (s *Store) purge(ctx context.Context, r EraseRequest, e *Erased) error {
	if err := s.checkpoint(ctx); err != nil {
		return err
	}
	steps := []func(context.Context, *Erased) error{s.rewriteRows, s.rebuildIndexes, s.checkpointed, s.pruneAll, s.removeStrays}
	for _, step := range steps {
		if err := s.lock.check(ctx); err != nil {
			return err
		}
		if err := step(ctx, e); err != nil {
			return err
		}
	}
	n, err := s.journal.Rewrite(func(entry *journal.Entry) (changed bool) {
		for _, c := range entry.Changes {
			for _, row := range []*journal.Row{c.Before, c.After} {
				if row != nil && r.Scrub(row) {
					changed = true
				}
			}
		}
		return changed
	})
	e.Entries = n
	if err != nil {
		return fmt.Errorf("scrubbing the journal: %w", err)
	}
	return s.lock.kept(ctx)
}

func (s *Store) checkpointed(ctx context.Context, _ *Erased) error {
	s.durable.applied(0, 0, 0)
	return s.checkpoint(ctx)
}

// rewriteRows moves every row into new files.
func (s *Store) rewriteRows(ctx context.Context, _ *Erased) error {
	err := s.attempt(func(t *lance.Table) error {
		_, err := t.Rewrite(ctx, lance.True())
		return err
	})
	if err != nil {
		return fmt.Errorf("writing the rows anew: %w", err)
	}
	return nil
}

// rebuildIndexes builds the text index anew. An index over vectors is dropped: a
// vector says something of its text, and maintenance builds it again.
func (s *Store) rebuildIndexes(ctx context.Context, e *Erased) error {
	e.Indexes = nil
	var list []lance.Index
	err := s.use(func(t *lance.Table) (err error) {
		list, err = t.Indexes(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("looking for indexes: %w", err)
	}
	for _, ix := range list {
		// Ours on the texts is replaced below, so that searches have one all the time.
		if ix.Name == colText+"_idx" || slices.Contains(ix.Columns, colID) || slices.Contains(ix.Columns, colScope) {
			continue
		}
		if err := s.attempt(func(t *lance.Table) error { return t.DropIndex(ctx, ix.Name) }); err != nil {
			return err
		}
		again := " (built again by maintenance)"
		if !strings.HasPrefix(ix.Name, "memory_pro_") {
			again = " (of another program, which has to build it again)"
		}
		e.Indexes = append(e.Indexes, ix.Name+again)
	}
	if err := s.attempt(func(t *lance.Table) error { return t.CreateTextIndex(ctx, colText, textIndex) }); err != nil {
		return fmt.Errorf("building the text index anew: %w", err)
	}
	e.Indexes = append(e.Indexes, "words of the texts")
	return nil
}

// pruneAll leaves one version.
func (s *Store) pruneAll(ctx context.Context, e *Erased) error {
	now := time.Duration(0)
	st, err := s.optimize(ctx, lance.OptimizeOptions{PruneOlderThan: &now})
	if err != nil {
		if n, _ := s.leaveTorn(ctx); n > 0 {
			st, err = s.optimize(ctx, lance.OptimizeOptions{PruneOlderThan: &now})
		}
	}
	if err != nil {
		return fmt.Errorf("deleting old versions: %w", err)
	}
	e.Versions = st.VersionsRemoved
	return nil
}
