package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// Undone is the action of an Undo that changed the table.
const Undone Action = "undone"

// UndoRequest names a recorded change.
type UndoRequest struct {
	Who Who
	// Seq is the number of the change.
	Seq uint64
	// DryRun only tells what would be done.
	DryRun bool
	// Force puts back what the change found even where it was changed again since.
	Force bool
}

// UndoAnswer is what came of it.
type UndoAnswer struct {
	// Action is Undone, or Unchanged when all is as it was before the change.
	Action Action
	// Record is the change that was to be undone.
	Record Record
	// Steps are what was done, or would be: Before is the memory as it was found,
	// After as it is now.
	Steps []Change
	// Pending are the ids of memories put back without a vector; they are found by
	// keywords until they get one.
	Pending []string
	// Seq is the number under which the undoing itself is recorded; 0 if there was
	// none, or it is not known.
	Seq uint64
}

// ChangedSinceError refuses to undo a change whose memories were changed again.
type ChangedSinceError struct {
	Seq     uint64
	Changed []ChangedSince
}

// ChangedSince is a memory that is not as a change left it. By is the last
// recorded change of it, 0 if none is known.
type ChangedSince struct {
	ID string
	By uint64
}

func (e *ChangedSinceError) Error() string {
	var list []string
	for i, c := range e.Changed {
		if i == 5 {
			list = append(list, fmt.Sprintf("and %d more", len(e.Changed)-i))
			break
		}
		if c.By > e.Seq {
			list = append(list, fmt.Sprintf("memory %s was changed since, by change %d", c.ID, c.By))
		} else {
			list = append(list, fmt.Sprintf("memory %s is not as that change left it", c.ID))
		}
	}
	return fmt.Sprintf("change %d was not undone: %s; undo the later change first, or force it: what came later is lost then, and can be put back by undoing the undo",
		e.Seq, strings.Join(list, "; "))
}

// ErasedError refuses to put back what was erased.
type ErasedError struct{ Seq uint64 }

func (e *ErasedError) Error() string {
	return fmt.Sprintf("change %d cannot be undone: the text of its memory was erased for good, and the record of it too", e.Seq)
}

// embedAtOnce is how many texts an undo embeds itself; more wait for their vector.
const embedAtOnce = 32

// Undo puts back what a recorded change found, as a change of its own, which can
// be undone like any other. The steps, in order:
//
//	who asks → the recorded change → embed texts that come back → lock →
//	is everything as the change left it? → put back → commit → answer
func (e *Engine) Undo(ctx context.Context, r UndoRequest) (UndoAnswer, error) {
	access, err := e.access(r.Who)
	if err != nil {
		return UndoAnswer{}, err
	}
	db, err := e.opened(ctx)
	if err != nil {
		return UndoAnswer{}, err
	}
	book, err := bookOf(db)
	if err != nil {
		return UndoAnswer{}, err
	}
	rec, err := recorded(ctx, book, r.Seq)
	if err != nil {
		return UndoAnswer{}, err
	}
	reader := reader{access: access, filter: access.Filter()}
	answer := UndoAnswer{Action: Undone}
	var ok bool
	if answer.Record, ok = reader.see(rec, nil); !ok {
		return UndoAnswer{}, &NoRecordError{Seq: r.Seq}
	}
	if !db.RecordedVectors(rec.Seq) {
		rec.Changes = withoutVectors(rec.Changes)
	}
	for _, c := range rec.Changes {
		if (c.Before != nil && reader.side(c.Before) == nil) || (c.After != nil && reader.side(c.After) == nil) {
			return UndoAnswer{}, &BadInputError{Problem: fmt.Sprintf("change %d was not undone: part of it is out of your reach", r.Seq)}
		}
		for _, row := range []*journal.Row{c.Before, c.After} {
			if row != nil && row.Text == journal.Erased {
				return UndoAnswer{}, &ErasedError{Seq: r.Seq}
			}
		}
	}
	ids := make([]string, len(rec.Changes))
	for i, c := range rec.Changes {
		ids[i] = c.ID
	}
	if r.DryRun {
		now, err := db.GetMany(ctx, scope.Operator().Filter(), ids...)
		if err != nil {
			return UndoAnswer{}, storage("undoing a change", err)
		}
		steps, err := planUndo(ctx, inHand(now), rec, r.Force)
		if err != nil {
			return UndoAnswer{}, explainUndo(book, r.Seq, err)
		}
		answer.tell(steps)
		return answer, nil
	}
	vectors := e.vectorsToPutBack(ctx, rec)
	operation := undoing(r.Seq)
	err = db.Write(acting(ctx, r.Who, access), operation, func(tx *store.Tx) error {
		if err := tx.Load(ctx, ids...); err != nil {
			return err
		}
		steps, err := planUndo(ctx, tx, rec, r.Force)
		if err != nil {
			return err
		}
		for i := range steps {
			if err := steps[i].apply(tx, db.Dimensions(), vectors); err != nil {
				return err
			}
		}
		answer.tell(steps)
		return nil
	})
	if err != nil {
		return UndoAnswer{}, explainUndo(book, r.Seq, err)
	}
	if answer.Action == Undone {
		answer.Seq = newestSeq(book, operation)
	}
	if len(answer.Pending) > 0 {
		e.pending.Store(true)
		e.fillSoon()
	}
	return answer, nil
}

// vectorsToPutBack embeds the texts that come back in place of others: the record
// holds the vectors of deleted memories only. What cannot be embedded now waits.
func (e *Engine) vectorsToPutBack(ctx context.Context, rec journal.Recorded) map[string][]float32 {
	vectors := map[string][]float32{}
	for _, c := range rec.Changes {
		if c.Before == nil || c.Before.Vector != nil || (c.After != nil && c.After.Text == c.Before.Text) || len(vectors) == embedAtOnce {
			continue
		}
		vector, pending, err := e.embedPassage(ctx, c.Before.Text)
		if err != nil || pending != "" {
			e.log.Info("a memory is put back without its vector for now", "id", c.ID, "reason", pending, "error", err)
			return vectors // the next one would fare no better
		}
		vectors[c.Before.Text] = vector
	}
	return vectors
}

// withoutVectors are changes from before the database was embedded anew: the vectors
// on record are of another model, and what comes back waits for its own.
func withoutVectors(changes []journal.Change) []journal.Change {
	bare := func(r *journal.Row) *journal.Row {
		if r == nil || r.Vector == nil {
			return r
		}
		c := *r
		c.Vector = nil
		return &c
	}
	list := make([]journal.Change, len(changes))
	for i, c := range changes {
		list[i] = journal.Change{ID: c.ID, Before: bare(c.Before), After: bare(c.After)}
	}
	return list
}

func undoing(seq uint64) string { return fmt.Sprintf("undoing change %d", seq) }

// explainUndo finds out which change stands in the way.
func explainUndo(book *journal.Journal, seq uint64, err error) error {
	var refused *ChangedSinceError
	if !errors.As(err, &refused) {
		return storage(undoing(seq), err)
	}
	at := map[string]*ChangedSince{}
	for i := range refused.Changed {
		at[refused.Changed[i].ID] = &refused.Changed[i]
	}
	for rec, err := range book.Newest() {
		if err != nil {
			continue
		}
		if rec.Seq <= refused.Seq {
			break
		}
		for _, c := range rec.Changes {
			if known := at[c.ID]; known != nil && known.By == 0 {
				known.By = rec.Seq
			}
		}
	}
	return refused
}

// lookBack is how many changes of others may lie between a write and looking for it.
const lookBack = 100

// newestSeq is the number of the newest change with that operation.
func newestSeq(book *journal.Journal, operation string) uint64 {
	n := 0
	for rec, err := range book.Newest() {
		if n++; err != nil || n > lookBack {
			break
		}
		if rec.Operation == operation {
			return rec.Seq
		}
	}
	return 0
}
