package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// A memory stored while the provider was down has no vector, nor have those of a
// time without any. The filler gives them one: at start, when the provider
// answers again, and from time to time.
const (
	fillBatch    = 64
	fillPatience = 2 * time.Minute // for one batch
	fillFirst    = 5 * time.Second
	fillAtMost   = 5 * time.Minute
	fillLook     = 30 * time.Second // whether vectors can be written again
	fillReport   = 10 * time.Second // between two lines about progress
)

// fillSoon wakes the filler; it never blocks.
func (e *Engine) fillSoon() {
	select {
	case e.wakeFiller <- struct{}{}:
	default:
	}
}

// fillPending is the filler's goroutine; it ends with the engine. Between
// failures it waits longer and longer, unless something wakes it.
func (e *Engine) fillPending(db *store.Store) {
	wait := fillFirst
	progress := fillProgress{log: e.log, now: e.now}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-e.background.Done():
			return
		case <-e.wakeFiller:
		case <-timer.C:
		}
		filled, err := e.fillOnce(e.background, db)
		switch {
		case err == nil && filled == 0 && db.CheckVectors() != nil:
			timer.Reset(fillLook) // another process may embed the table anew meanwhile
		case err == nil && filled == 0:
			timer.Stop() // nothing to do until somebody wakes us
			wait = fillFirst
		case err == nil:
			timer.Reset(0)
			wait = fillFirst
		default:
			timer.Reset(wait)
			wait = min(2*wait, fillAtMost)
		}
		progress.add(filled, err == nil && filled == 0, func() int64 { return e.waiting(db) })
		if err != nil && e.background.Err() == nil {
			e.log.Debug("memories still wait for their vectors", "error", err)
		}
	}
}

// waiting counts the memories without a vector; 0 when that cannot be told.
func (e *Engine) waiting(db *store.Store) int64 {
	counts, err := db.Stats(e.background, scope.Operator().Filter())
	if err != nil {
		return 0
	}
	return counts.Pending
}

// fillProgress tells the operator how long work goes on: a line when more than a
// batch waits, one from time to time, one at the end.
type fillProgress struct {
	log  *slog.Logger
	now  func() time.Time
	done int
	last time.Time
}

// add notes a batch; left is asked only when a line is due.
func (p *fillProgress) add(filled int, finished bool, left func() int64) {
	first := p.done == 0
	p.done += filled
	switch {
	case p.done == 0:
	case finished:
		p.log.Info("memories that were stored without a vector have one now", "count", p.done)
		p.done = 0
	case filled == fillBatch && (first || p.now().Sub(p.last) >= fillReport):
		p.last = p.now()
		p.log.Info("memories without a vector are being embedded; until then they are found by keywords", "done", p.done, "left", left())
	}
}

// fillOnce handles one batch; 0 without an error means that none waits.
func (e *Engine) fillOnce(ctx context.Context, db *store.Store) (filled int, err error) {
	ctx, cancel := context.WithTimeout(ctx, fillPatience)
	defer cancel()
	if db.CheckVectors() != nil {
		e.pending.Store(true)
		return 0, nil // they wait for the table to be embedded anew
	}
	all := scope.Operator().Filter()
	rows, err := db.Pending(ctx, all, fillBatch)
	e.pending.Store(err != nil || len(rows) > 0)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	vectors, err := e.embedRows(ctx, rows)
	if err != nil {
		return 0, err
	}
	err = db.Write(maintaining(ctx), "filling in vectors", func(tx *store.Tx) error {
		filled = 0
		for i, row := range rows {
			// The text may have changed, and the row may be gone.
			current, err := tx.Get(ctx, all, row.ID)
			if errors.Is(err, store.ErrNotFound) || (err == nil && current.Text != row.Text) || vectors[i] == nil {
				continue
			}
			if err != nil {
				return err
			}
			current.Vector, current.Metadata.Embedding = vectors[i], ""
			if err := tx.Update(current); err != nil {
				return err
			}
			filled++
		}
		return nil
	})
	if err == nil && filled == 0 {
		err = fmt.Errorf("none of %d memories could be given a vector", len(rows))
	}
	if err != nil {
		return 0, err
	}
	return filled, nil
}

// embedRows asks for all at once. Rows that cannot be embedded have no vector in
// the answer, and do not hold up the others.
func (e *Engine) embedRows(ctx context.Context, rows []memory.Memory) ([][]float32, error) {
	texts := make([]string, len(rows))
	for i, row := range rows {
		texts[i] = row.Text
	}
	vectors, err := e.embedder.EmbedPassages(ctx, texts)
	if err == nil {
		return vectors, nil
	}
	var some *embed.ItemsError
	if errors.As(err, &some) {
		for _, item := range some.Items {
			e.log.Warn("a memory has no usable vector; it is found by keywords", "id", rows[item.Place].ID, "error", item.Err)
		}
		return vectors, nil
	}
	if !errors.Is(err, embed.ErrBadVector) && !errors.Is(err, embed.ErrInput) {
		return nil, err
	}
	// An embedder that fails as a whole is asked one by one.
	vectors = make([][]float32, len(rows))
	for i, text := range texts {
		v, err := e.embedder.EmbedPassage(ctx, text)
		switch {
		case err == nil:
			vectors[i] = v
		case errors.Is(err, embed.ErrBadVector), errors.Is(err, embed.ErrInput):
			e.log.Warn("a memory has no usable vector; it is found by keywords", "id", rows[i].ID, "error", err)
		default:
			return nil, err
		}
	}
	return vectors, nil
}
