package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// begin brings a new holder of the lock up to date: with what others recorded,
// with what one of them did not finish before it died, and with the table.
func (s *Store) begin() error {
	ctx, cancel := context.WithTimeout(context.Background(), commitPatience)
	defer cancel()
	if s.journalProblem != nil {
		return s.journalProblem
	}
	if err := s.settleSwap(ctx); err != nil {
		return err
	}
	if s.replayWanted.Load() {
		if err := s.redo(ctx); err != nil {
			return err
		}
	}
	undone, err := s.journal.Catch()
	if err != nil {
		return fmt.Errorf("reading the journal: %w", err)
	}
	if len(undone) > 0 {
		if err := s.restore(ctx, undone); err != nil {
			return err
		}
		last := undone[len(undone)-1].Seq
		s.done(ctx, last)
		s.durable.applied(last, len(undone), 0)
	}
	s.recent.add(s.journal.Last())
	return s.refresh(ctx)
}

// replay compares what was recorded since the last checkpoint with the table, and
// brings back what a power cut took. After a clean Close there is nothing to
// compare, and no row is read. It fails only with ctx: what it cannot do now the
// next write does first, and reads go on.
func (s *Store) replay(ctx context.Context) error {
	if s.readOnly != nil || s.journalProblem != nil {
		return nil
	}
	wanted, err := s.unchecked()
	if err == nil && !wanted && s.back == nil {
		return nil
	}
	if err == nil {
		err = s.lockedWithin(ctx, openingTurn, "replaying the journal", func() error { return s.redo(ctx) })
	}
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		s.replayWanted.Store(true)
		var busy *LockedError
		if errors.As(err, &busy) { // a writer at work, whose changes are no older than its last second
			s.log.Debug("changes on record are compared with the table by the next write", "path", s.path, "error", err)
			return nil
		}
		s.log.Warn("changes on record could not be compared with the table; the next write does it first", "path", s.path, "error", err)
	}
	return nil
}

// unchecked reports whether anything was recorded since the last checkpoint.
func (s *Store) unchecked() (bool, error) {
	mark, err := s.journal.Checkpointed()
	if err != nil {
		return false, err
	}
	for _, err := range s.journal.Since(mark.Seq) {
		return err == nil, err
	}
	return false, nil
}

// redo is replay under the lock.
func (s *Store) redo(ctx context.Context) error {
	if _, err := s.journal.Catch(); err != nil {
		return fmt.Errorf("reading the journal: %w", err)
	}
	mark, err := s.journal.Checkpointed()
	if err != nil {
		return fmt.Errorf("reading the journal: %w", err)
	}
	var entries []journal.Entry
	if s.back != nil {
		mark.Seq = min(mark.Seq, s.back.seq)
	}
	for r, err := range s.journal.Since(mark.Seq) {
		if err != nil {
			// What lies behind damage is still worth having.
			s.log.Error("a part of the journal cannot be read", "path", s.path, "error", err)
			continue
		}
		entries = append(entries, r.Entry)
	}
	if err := s.settleSwap(ctx); err != nil {
		return err
	}
	if err := s.refresh(ctx); err != nil {
		return err
	}
	if len(entries) > 0 {
		if err := s.restore(ctx, entries); err != nil {
			return err
		}
		last := entries[len(entries)-1].Seq
		s.done(ctx, last)
		s.durable.applied(last, len(entries), 0)
	}
	s.cameBack()
	s.replayWanted.Store(false)
	return nil
}

// chain is what was recorded of one row, oldest first.
type chain struct {
	changes []journal.Change
	fresh   []bool // the vectors of each are of what makes the table's
	boot    string // of the newest
}

// restore makes the rows what the entries made of them. A row that is as any of
// the entries found or left it gets the newest state. One that is otherwise was
// changed by a program that keeps no journal, and is left alone, unless the
// machine was started anew since: then what was acknowledged comes before what
// may be a leftover. Doing it twice does nothing the second time.
func (s *Store) restore(ctx context.Context, entries []journal.Entry) error {
	chains, order := map[string]*chain{}, []string(nil)
	models := s.recordModels()
	for _, e := range entries {
		fresh := models.fresh(e.Seq)
		for _, c := range e.Changes {
			ch := chains[c.ID]
			if ch == nil {
				ch = &chain{}
				chains[c.ID], order = ch, append(order, c.ID)
			}
			ch.changes, ch.fresh, ch.boot = append(ch.changes, c), append(ch.fresh, fresh), e.Boot
		}
	}
	brought := 0
	for some := range slices.Chunk(order, maxIDs) {
		b := &batch{store: s, known: map[string]stored{}}
		if err := b.read(ctx, some); err != nil {
			return err
		}
		rows := newLayer()
		for _, id := range some {
			now := b.known[id]
			if c, ok := s.next(id, chains[id], now); ok {
				rows.put(id, c)
			}
		}
		n, err := s.bring(ctx, rows)
		brought += n
		if err != nil {
			return fmt.Errorf("completing changes that were accepted before: %w", err)
		}
	}
	if s.back != nil {
		s.back.rows += brought
	}
	if brought > 0 {
		s.log.Info("the journal brought back changes that the table did not hold", "path", s.path, "rows", brought,
			"from", entries[0].Seq, "to", entries[len(entries)-1].Seq)
	}
	return nil
}

// bring puts rows from the record into the table, and returns how many. A row that
// the table does not take, whatever is done, is named and left out: it must not
// keep everybody from writing for good.
func (s *Store) bring(ctx context.Context, rows *layer) (int, error) {
	inserts, updates, deletes := rows.split()
	n := len(inserts) + len(updates) + len(deletes)
	if n == 0 {
		return 0, nil
	}
	if err := s.lock.check(ctx); err != nil {
		return 0, err
	}
	state, _, err := s.apply(ctx, inserts, updates, deletes)
	switch {
	case state == landedAll:
		return n, nil
	case state == landedPartly || !refused(err):
		return 0, err
	case n == 1:
		s.log.Error("a change on record does not fit the table and is left out of it; it is still in the journal",
			"path", s.path, "ids", rows.order, "error", err)
		return 0, nil
	}
	n = 0
	for _, id := range rows.order {
		one := newLayer()
		one.put(id, rows.rows[id])
		m, err := s.bring(ctx, one)
		n += m
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// refused reports whether a commit failed because of the rows, not of the disk.
func refused(err error) bool {
	return errors.Is(err, ErrInvalid) || errors.Is(err, lance.ErrInvalid) || errors.Is(err, lance.ErrSchema)
}

// next is what a row is to become, if it is to become another.
func (s *Store) next(id string, ch *chain, now stored) (change, bool) {
	var current *journal.Row
	if now.exists {
		current = rowOf(now.mem)
	}
	last, fresh := ch.changes[len(ch.changes)-1].After, ch.fresh[len(ch.fresh)-1]
	if alike(current, last) || (!fresh && alikeAcross(current, last)) || (last != nil && last.Text == journal.Erased) {
		return change{}, false
	}
	if !ch.passed(current) && !(s.local && ch.boot != s.boot) {
		s.log.Warn("a memory was changed by another program after a change on record; it is left as it is", "path", s.path, "id", id)
		return change{}, false
	}
	c := change{old: now}
	if last != nil {
		if !fresh {
			last = withoutVector(last)
		}
		c.present, c.mem = true, s.fitting(memoryOf(last), now.mem)
	}
	return c, true
}

// passed reports whether a row is as one of the changes found or left it.
func (ch *chain) passed(row *journal.Row) bool {
	for i, c := range ch.changes {
		switch {
		case alike(row, c.After):
			return true
		case !ch.fresh[i]:
			if alikeAcross(row, c.After) || alikeAcross(row, c.Before) {
				return true
			}
		case c.After == nil:
			if alike(row, c.Before) {
				return true
			}
		case alikeButVector(row, c.Before):
			return true
		}
	}
	return false
}

// fitting adapts a row on record to the table as it is now: counts of use are
// newer there, and vectors may have become of another width.
func (s *Store) fitting(m, now memory.Memory) memory.Memory {
	m.Metadata.AccessCount = max(m.Metadata.AccessCount, now.Metadata.AccessCount)
	if now.Metadata.LastAccessedAt.After(m.Metadata.LastAccessedAt) {
		m.Metadata.LastAccessedAt = now.Metadata.LastAccessedAt
	}
	if m.Vector != nil && len(m.Vector) != s.layout().width {
		m.Vector, m.Metadata.Embedding = nil, memory.EmbeddingPending
	}
	return m
}
