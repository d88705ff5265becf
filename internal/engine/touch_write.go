package engine

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// writeSomeTouches writes up to touchMany of what is held. What fails is held on
// to for the next time, and dropped after a few.
func (e *Engine) writeSomeTouches(ctx context.Context, db *store.Store, patience time.Duration) {
	some := e.touches.take(touchMany)
	if len(some) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(maintaining(ctx), patience)
	defer cancel()
	err := db.WriteQuiet(ctx, "counting recalls", func(tx *store.Tx) error { return e.addTouches(ctx, tx, some) })
	if dropped := e.touches.written(some, err, e.forgiven()); dropped > 0 {
		noteLost(db.StateDir(), dropped, e.now(), err)
		if e.complaints.fresh("touches", err.Error()) {
			e.log.Warn("recalls could not be counted", "dropped", dropped, "error", err)
		}
	}
	if err == nil {
		e.complaints.settled("touches")
	}
}

// take removes up to n memories from what is held.
func (t *touches) take(n int) map[string]touch {
	t.mu.Lock()
	defer t.mu.Unlock()
	some := map[string]touch{}
	for id, one := range t.held {
		if len(some) == n {
			break
		}
		some[id] = one
		delete(t.held, id)
	}
	return some
}

// written settles a batch and returns how many counts were dropped.
func (t *touches) written(some map[string]touch, err error, forgiven time.Duration) (dropped int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var sum int64
	for _, one := range some {
		sum += one.count()
	}
	if err == nil {
		t.failed = 0
		t.state.Written += sum
		return 0
	}
	if t.failed++; t.failed >= touchAttempts || t.closed {
		t.failed = 0
		t.state.Dropped += sum
		t.state.LastError = err.Error()
		return sum
	}
	for id, one := range some {
		t.held[id] = one.then(t.held[id], forgiven)
	}
	return 0
}

// addTouches runs under the write lock. Memories that are gone are passed over,
// and those of old tables that could not be stored again as they are.
func (e *Engine) addTouches(ctx context.Context, tx *store.Tx, some map[string]touch) error {
	all := scope.Operator().Filter()
	ids := slices.Sorted(maps.Keys(some))
	if err := tx.Load(ctx, ids...); err != nil {
		return err
	}
	for _, id := range ids {
		m, err := tx.Get(ctx, all, id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if strings.TrimSpace(m.Text) == "" || len(m.Text) > memory.MaxTextBytes {
			continue
		}
		one := some[id]
		m.Metadata.AccessCount += one.times
		m.Metadata.LastAccessedAt = later(m.Metadata.LastAccessedAt, one.last)
		govern(e.cfg.AutoRecall, &m.Metadata, one)
		if one.times > 0 {
			e.promote(&m)
		}
		m.Vector = nil // as it is stored
		if err := tx.Update(m); err != nil {
			return err
		}
	}
	return nil
}

// closeTouches writes what is held, in bounded time; the rest is lost.
func (e *Engine) closeTouches() {
	t := &e.touches
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	db, _ := e.opening.now()
	if db == nil {
		return
	}
	for end := time.Now().Add(touchGoodbye); ; {
		t.mu.Lock()
		left := len(t.held)
		t.mu.Unlock()
		patience := time.Until(end)
		if left == 0 || patience <= 0 {
			return
		}
		e.writeSomeTouches(context.Background(), db, patience)
	}
}
