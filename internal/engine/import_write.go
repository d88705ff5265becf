package engine

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// fate is what became of a row.
type fate int

const (
	kept fate = iota // the memory that is there stays; it says the same
	differs
	inserted
	replaced
)

// outcome is the fate of a row that was written, and whether it waits for its vector.
type outcome struct {
	fate  fate
	waits bool
}

// write stores some chunks in one commit and counts them. It goes on when ctx
// has ended: rows that are ready are not thrown away.
func (im *importer) write(ctx context.Context, batch []*chunk) error {
	var rows []incoming
	for _, c := range batch {
		for _, in := range c.rows {
			if im.r.DryRun || !im.wanted(in, c.found) {
				im.count(in, outcome{fate: im.foresee(in, c.found)}, "")
			} else {
				rows = append(rows, in)
			}
		}
	}
	if len(rows) > 0 {
		if err := im.commit(ctx, rows, pendingOf(batch)); err != nil {
			return err
		}
	}
	for _, c := range batch {
		for _, r := range c.rejects {
			im.refuse(r.Reject, r.raw)
		}
		im.answer.Bytes = c.bytes
	}
	if len(batch) > 0 && im.r.Progress != nil {
		im.r.Progress(im.answer)
	}
	return nil
}

// foresee is the fate of a row without the lock: what it will be, or is already.
func (im *importer) foresee(in incoming, found map[string]memory.Memory) fate {
	old, there := found[in.ID]
	switch {
	case in.repeated || there && same(in.against(old), old):
		return kept
	case !there:
		return inserted
	case im.r.Replace:
		return replaced
	}
	return differs
}

func pendingOf(batch []*chunk) string {
	for _, c := range batch {
		if c.pending != "" {
			return c.pending
		}
	}
	return ""
}

// commit stores rows. When one of them turns out to be unusable, the others are
// stored without it.
func (im *importer) commit(ctx context.Context, rows []incoming, pending string) error {
	outcomes, err := im.transact(ctx, rows)
	switch {
	case errors.Is(err, store.ErrInvalid) && len(rows) == 1:
		im.refuse(Reject{rows[0].line, err.Error()}, rows[0].raw)
		return nil
	case errors.Is(err, store.ErrInvalid):
		half := len(rows) / 2
		if err := im.commit(ctx, rows[:half], pending); err != nil {
			return err
		}
		return im.commit(ctx, rows[half:], pending)
	case err != nil:
		return storage("importing", err)
	}
	for i, in := range rows {
		im.count(in, outcomes[i], pending)
	}
	return nil
}

// transact is one write: what is there is looked at again under the lock. A lock
// that others hold for long is waited for, unless ctx has ended.
func (im *importer) transact(ctx context.Context, rows []incoming) (done []outcome, err error) {
	ids := make([]string, len(rows))
	for i, in := range rows {
		ids[i] = in.ID
	}
	whole := context.WithoutCancel(ctx)
	for begun := time.Now(); ; {
		err = im.db.Write(whole, "importing memories", func(tx *store.Tx) error {
			done = make([]outcome, len(rows))
			if err := tx.Load(whole, ids...); err != nil {
				return err
			}
			for i, in := range rows {
				if done[i], err = im.put(whole, tx, in); err != nil {
					return err
				}
			}
			return nil
		})
		if !as[*store.LockedError](err) || ctx.Err() != nil || time.Since(begun) > importPatience {
			return done, err
		}
	}
}

// put stores one row in the transaction.
func (im *importer) put(ctx context.Context, tx *store.Tx, in incoming) (outcome, error) {
	old, err := tx.Get(ctx, everything(), in.ID)
	if errors.Is(err, store.ErrNotFound) {
		return outcome{inserted, in.Vector == nil}, tx.Insert(stamped(in.Memory))
	}
	if err != nil {
		return outcome{}, err
	}
	m := in.against(old)
	switch {
	case same(m, old):
		return outcome{fate: kept}, nil
	case !im.r.Replace:
		return outcome{fate: differs}, nil
	case m.Vector == nil && m.Text == old.Text && old.Vector != nil:
		m.Metadata.Embedding = "" // the vector that is there stays; it is of this text
		return outcome{fate: replaced}, tx.Update(m)
	}
	return outcome{replaced, m.Vector == nil}, tx.Update(stamped(m))
}

// stamped says in the metadata whether the vector is still to come.
func stamped(m memory.Memory) memory.Memory {
	m.Metadata.Embedding, m.Metadata.EmbeddingProblem = "", ""
	if m.Vector == nil {
		m.Metadata.Embedding = memory.EmbeddingPending
	}
	return m
}

func (im *importer) count(in incoming, o outcome, pending string) {
	a := &im.answer
	a.Read++
	switch o.fate {
	case kept:
		a.Skipped++
	case differs:
		a.Skipped++
		a.Differing++
	case inserted:
		a.Imported++
		if in.undated {
			a.Undated++
		}
		if in.renamed {
			a.Renamed++
		}
	case replaced:
		a.Replaced++
	}
	if in.taken && !im.r.DryRun && (o.fate == inserted || o.fate == replaced) {
		a.Taken++
	}
	if o.waits {
		a.Pending++
		a.PendingBecause = cmp.Or(pending, a.PendingBecause)
	}
}

func (im *importer) refuse(r Reject, raw []byte) {
	im.answer.Read++
	im.answer.Rejected++
	if len(im.answer.Rejects) < shownRejects {
		im.answer.Rejects = append(im.answer.Rejects, r)
	}
	im.rejects.add(r, raw)
}
