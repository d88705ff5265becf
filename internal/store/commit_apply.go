package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// landed says how much of a batch the table has.
type landed int

const (
	landedNothing landed = iota // it is as before
	landedAll
	landedPartly // or nobody knows
)

// deleteTries is how often a deletion is tried whose batch has changed the table
// already.
const deleteTries = 3

// apply changes the table. Plain insertions are an append, which costs a fifth of
// a merge; as soon as there is an update, everything goes into one merge keyed on
// the id, so that no reader ever sees a row missing or twice. Deletions follow.
//
// An error is no proof that nothing was committed: the newest version is looked
// at then. open are the rows that did not land, all of them if nil.
func (s *Store) apply(ctx context.Context, inserts, updates []change, deletes []string) (state landed, open map[string]bool, err error) {
	put := slices.Concat(inserts, updates)
	if err := s.put(ctx, put, len(updates) > 0); err != nil {
		look, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitPatience)
		defer cancel()
		if state := s.landed(look, put); state != landedAll {
			return state, nil, err
		}
		s.log.Warn("a commit reported an error and is in the table nevertheless", "path", s.path, "error", err)
	}
	for try := 1; len(deletes) > 0; try++ {
		err := s.drop(ctx, deletes)
		if err == nil {
			break
		}
		left, lerr := s.count(context.WithoutCancel(ctx), ids(deletes))
		switch {
		case lerr == nil && left == 0:
			return landedAll, nil, nil
		case lerr == nil && len(put) == 0:
			return landedNothing, nil, err
		case lerr != nil || try == deleteTries:
			open = map[string]bool{}
			for _, id := range deletes {
				open[id] = true
			}
			return landedPartly, open, err
		}
	}
	return landedAll, nil, nil
}

// put commits insertions and updates.
func (s *Store) put(ctx context.Context, changes []change, merge bool) error {
	if len(changes) == 0 {
		return nil
	}
	rec, err := s.layout().encode(changes)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	defer rec.Release()
	if err = s.at(stepPut); err == nil {
		err = s.use(func(t *lance.Table) error {
			if !merge {
				return t.Add(ctx, rec)
			}
			_, err := t.MergeInsert(ctx, rec, lance.MergeOptions{On: []string{colID}, UpdateMatched: true, InsertUnmatched: true})
			return err
		})
	}
	if err == nil {
		err = s.at(stepPutDone)
	}
	if err != nil {
		return fmt.Errorf("writing %d memories: %w", len(changes), err)
	}
	return nil
}

// drop commits deletions.
func (s *Store) drop(ctx context.Context, deletes []string) error {
	err := s.at(stepDelete)
	if err == nil {
		err = s.use(func(t *lance.Table) error {
			_, err := t.Delete(ctx, ids(deletes))
			return err
		})
	}
	if err == nil {
		err = s.at(stepDeleteDone)
	}
	if err != nil {
		return fmt.Errorf("deleting %d memories: %w", len(deletes), err)
	}
	return nil
}

// landed compares the newest version with what one commit was to make of it. A
// commit is whole or nothing; other answers than that are not trusted.
func (s *Store) landed(ctx context.Context, put []change) landed {
	b := &batch{store: s, known: map[string]stored{}}
	list := make([]string, len(put))
	for i, c := range put {
		list[i] = c.mem.ID
	}
	err := s.at(stepLook)
	if err == nil {
		err = b.read(ctx, list)
	}
	if err != nil {
		return landedPartly
	}
	hit := 0
	for _, c := range put {
		if now := b.known[c.mem.ID]; now.exists && same(now.mem, c.mem) {
			hit++
		}
	}
	switch hit {
	case 0:
		return landedNothing
	case len(put):
		return landedAll
	}
	return landedPartly
}

// same is alike with counts of use.
func same(a, b memory.Memory) bool {
	return a.Metadata.AccessCount == b.Metadata.AccessCount &&
		a.Metadata.LastAccessedAt.UnixMilli() == b.Metadata.LastAccessedAt.UnixMilli() &&
		alike(rowOf(a), rowOf(b))
}

func (s *Store) version(ctx context.Context) (v int64, err error) {
	err = s.use(func(t *lance.Table) error {
		v, err = t.Version(ctx)
		return err
	})
	return v, err
}
