package engine

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
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
	scopes := map[string]bool{}
	err := db.WriteQuiet(ctx, "counting recalls", func(tx *store.Tx) error {
		clear(scopes)
		return e.addTouches(ctx, tx, some, scopes)
	})
	if dropped := e.touches.written(some, err, e.forgiven()); dropped > 0 {
		noteLost(db.StateDir(), dropped, e.now(), err)
		if e.complaints.fresh("touches", err.Error()) {
			e.log.Warn("recalls could not be counted", "dropped", dropped, "error", err)
		}
	}
	if err == nil {
		e.complaints.settled("touches")
		if err := e.moveTiers(ctx, db, slices.Sorted(maps.Keys(scopes))); err != nil {
			e.log.Debug("tiers are looked at with the next recalls", "error", err)
		}
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
		if t.writing == nil {
			t.writing = map[string]touch{}
		}
		t.writing[id] = one
	}
	return some
}

// written settles a batch and returns how many counts were dropped.
func (t *touches) written(some map[string]touch, err error, forgiven time.Duration) (dropped int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var sum int64
	for id, one := range some {
		sum += one.count()
		delete(t.writing, id)
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

// addTouches runs under the write lock. scopes learns whose memories were recalled
// on purpose.
func (e *Engine) addTouches(ctx context.Context, tx *store.Tx, some map[string]touch, scopes map[string]bool) error {
	return eachTouched(ctx, tx, slices.Collect(maps.Keys(some)), func(m *memory.Memory) bool {
		one := some[m.ID]
		m.Metadata.AccessCount += one.times
		m.Metadata.LastAccessedAt = later(m.Metadata.LastAccessedAt, one.last)
		govern(e.cfg.AutoRecall, &m.Metadata, one)
		if one.times > 0 {
			e.promote(m)
			scopes[m.Scope] = true
		}
		return true
	})
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
