package engine

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

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
		progress.add(filled, err == nil && filled == 0, func() int64 { return e.withoutVector(db) })
		if err != nil && e.background.Err() == nil {
			e.log.Debug("memories still wait for their vectors", "error", err)
		}
	}
}

// withoutVector counts the memories without a vector; 0 when that cannot be told.
func (e *Engine) withoutVector(db *store.Store) int64 {
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

// fillOnce handles one batch; 0 without an error means that none waits that could be
// given a vector now. An error is the provider's or the database's.
func (e *Engine) fillOnce(ctx context.Context, db *store.Store) (filled int, err error) {
	ctx, cancel := context.WithTimeout(ctx, fillPatience)
	defer cancel()
	if db.CheckVectors() != nil {
		e.pending.Store(true)
		return 0, nil // they wait for the table to be embedded anew
	}
	all := scope.Operator().Filter()
	rows, err := db.Pending(ctx, all, fillBatch+e.unfit.len())
	e.pending.Store(err != nil || len(rows) > 0)
	if err != nil {
		return 0, err
	}
	rows = slices.DeleteFunc(rows, func(m memory.Memory) bool {
		if strings.TrimSpace(m.Text) == "" {
			e.unfit.add(m, noText, e.now())
		}
		return e.unfit.why(m, e.now()) != ""
	})
	if len(rows) == 0 {
		return 0, nil
	}
	rows = rows[:min(fillBatch, len(rows))]
	texts := make([]string, len(rows))
	for i, row := range rows {
		texts[i] = row.Text
	}
	vectors, refused, failed := e.embedTexts(ctx, texts, true)
	for i, why := range refused {
		e.unfit.add(rows[i], why.Error(), e.now())
		e.log.Warn("a memory has no usable vector; it is found by keywords", "id", rows[i].ID, "error", why)
	}
	made := slices.ContainsFunc(vectors, func(v []float32) bool { return v != nil })
	if !made && len(refused) == 0 {
		return 0, failed
	}
	err = db.Write(maintaining(ctx), "filling in vectors", func(tx *store.Tx) error {
		filled = 0
		for i, row := range rows {
			// The text may have changed, and the row may be gone.
			current, err := tx.Get(ctx, all, row.ID)
			if errors.Is(err, store.ErrNotFound) || (err == nil && current.Text != row.Text) {
				continue
			}
			if err != nil {
				return err
			}
			switch d := &current.Metadata; {
			case vectors[i] != nil:
				current.Vector, d.Embedding, d.EmbeddingProblem = vectors[i], "", ""
				filled++
			case refused[i] != nil && current.Vector == nil && d.EmbeddingProblem != problem(refused[i]):
				d.Embedding, d.EmbeddingProblem = memory.EmbeddingPending, problem(refused[i])
			default:
				continue
			}
			if err := tx.Update(current); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	if !made && failed == nil {
		return e.fillOnce(ctx, db) // the next ones; these are left out now
	}
	return filled, failed
}

// problem is what is noted of a text that was refused.
func problem(why error) string { return Shorten(why.Error(), 300) }

// fillAll gives vectors to all that wait for theirs, in the foreground, also to those
// that could not be given one before.
func (e *Engine) fillAll(ctx context.Context, db *store.Store) error {
	e.unfit.forget()
	for {
		filled, err := e.fillOnce(ctx, db)
		if err != nil || filled == 0 {
			return err
		}
	}
}

// unfitAgain is how long a text that the provider would not embed is left alone.
const unfitAgain = time.Hour

// unfit are memories whose text the provider would not embed, though it works. They
// stay without a vector, and do not hold up the others. It is safe for concurrent use.
type unfit struct {
	mu   sync.Mutex
	list map[string]unfitText // by id
}

type unfitText struct {
	text  [sha256.Size]byte
	why   string
	until time.Time
}

// noText is why a row without words has no vector; nobody is to blame for it.
const noText = "it has no text"

func (u *unfit) add(m memory.Memory, why string, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.list == nil {
		u.list = map[string]unfitText{}
	}
	u.list[m.ID] = unfitText{sha256.Sum256([]byte(m.Text)), why, now.Add(unfitAgain)}
}

// why is why a memory is left alone; empty if it is not.
func (u *unfit) why(m memory.Memory, now time.Time) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	t, ok := u.list[m.ID]
	if !ok || t.text != sha256.Sum256([]byte(m.Text)) || !now.Before(t.until) {
		return ""
	}
	return t.why
}

func (u *unfit) len() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.list)
}

func (u *unfit) forget() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.list = nil
}
