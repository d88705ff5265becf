package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
)

// The steps of a commit, in their order; tests have them fail, or end the process.
const (
	stepAppend     = "append"      // about to record the entries
	stepPut        = "put"         // about to commit insertions and updates
	stepPutDone    = "put done"    // they are committed
	stepLook       = "look"        // about to find out whether they are, after an error
	stepDelete     = "delete"      // about to commit deletions
	stepDeleteDone = "delete done" // they are committed
	stepDone       = "done"        // about to note that all is applied
	stepCheckpoint = "checkpoint"  // the table is durable, about to note it
)

// at is the place of a step. It fails only in tests.
func (s *Store) at(step string) error {
	if s.fault == nil {
		return nil
	}
	return s.fault(step)
}

// commit records the entries and then changes the table. The caller holds the
// lock, so ids that were free are.
//
// With an error, either nothing was written, or it is a *UnsettledError: then the
// rows named in open, all of them if that is nil, are on record and not in the
// table, or nobody knows; the next holder of the lock settles it. An
// *AmbiguousError says that all is written.
func (s *Store) commit(ctx context.Context, rows *layer, entries []*journal.Entry) (open map[string]bool, err error) {
	inserts, updates, deletes := rows.split()
	if len(inserts)+len(updates)+len(deletes)+len(entries) == 0 {
		return nil, nil
	}
	if err := s.lock.check(ctx); err != nil {
		return nil, err
	}
	if err := s.record(ctx, entries); err != nil {
		return nil, err
	}
	state, open, err := s.apply(ctx, inserts, updates, deletes)
	switch state {
	case landedNothing:
		return nil, errors.Join(s.explainFull(err), s.takeBack(entries))
	case landedPartly:
		return open, &UnsettledError{Path: s.path, Recorded: len(entries) > 0, Err: err}
	}
	err = s.lock.kept(ctx)
	s.settled(ctx, entries)
	return nil, err
}

// explainFull says what to do about a full disk.
func (s *Store) explainFull(err error) error {
	if err == nil || !strings.Contains(err.Error(), "No space left on device") {
		return err
	}
	return fmt.Errorf("the disk that holds %s is full, and nothing was written; make room there and try again: %w", s.path, err)
}

// record appends the entries to the journal, with one sync for all.
func (s *Store) record(ctx context.Context, entries []*journal.Entry) error {
	if len(entries) == 0 {
		return nil
	}
	err := s.ground(ctx)
	if err == nil {
		err = s.at(stepAppend)
	}
	if err == nil {
		err = s.journal.Append(entries...)
	}
	if err != nil {
		return fmt.Errorf("recording the change: %w", err)
	}
	return nil
}

// takeBack cancels entries of which nothing reached the table.
func (s *Store) takeBack(entries []*journal.Entry) error {
	if len(entries) == 0 {
		return nil
	}
	if err := s.journal.Cancel(entries[0].Seq); err != nil {
		return fmt.Errorf("taking the change off the record: %w", err)
	}
	return nil
}

// settled notes that the entries are in the table. If that cannot be written
// down, the next holder of the lock compares them with the table once more.
func (s *Store) settled(ctx context.Context, entries []*journal.Entry) {
	if len(entries) == 0 {
		s.durable.applied(0, 0, 0)
		return
	}
	last := entries[len(entries)-1].Seq
	s.done(ctx, last)
	s.recent.add(last, entries...)
	size := 0
	for _, e := range entries {
		size += weight(e)
	}
	s.durable.applied(last, len(entries), size)
}

func (s *Store) done(ctx context.Context, through uint64) {
	var version int64
	err := s.at(stepDone)
	if err == nil {
		version, err = s.version(ctx)
	}
	if err == nil {
		err = s.journal.Done(through, version)
	}
	if err != nil {
		s.log.Warn("it could not be noted that changes are in the table; they are compared with it again", "path", s.path, "error", err)
	}
}

// weight is about how many bytes an entry's rows are.
func weight(e *journal.Entry) int {
	n := 0
	for _, c := range e.Changes {
		for _, r := range []*journal.Row{c.Before, c.After} {
			if r != nil {
				n += len(r.Text) + len(r.Metadata) + 4*len(r.Vector)
			}
		}
	}
	return n
}
