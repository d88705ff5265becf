package engine

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
)

// How often a memory was recalled on purpose is counted beside the memory, how
// often it was put before a turn unasked, and whether that was of use
// (governance.go). The counts are worth little and must cost nothing: they are
// noted in memory, and written many at once when nobody else writes. A recall
// never waits for them, a store neither. They change no word of a memory and not
// its importance: counts and times in its metadata, and the tier that follows
// from them.
const (
	// touchEvery is how long counts are collected before they are written.
	touchEvery = 30 * time.Second
	// touchMany memories are written sooner, after touchLull without a recall: what
	// follows a burst of recalls is often a store.
	touchMany = 200
	touchLull = 2 * time.Second
	// touchMost bounds the memories held; recalls of further ones are not counted.
	touchMost = 2000
	// touchPatience bounds the wait for the lock, touchGoodbye that at Close.
	touchPatience = 2 * time.Second
	touchGoodbye  = time.Second
	// touchAttempts is how often the same counts are tried before they are dropped.
	touchAttempts = 3
)

// touch is what is to be written about one memory.
type touch struct {
	// times it was recalled on purpose, the last one at last.
	times int
	last  time.Time
	// shown is how often it was put before a turn, reception how that was taken.
	shown     int
	shownAt   time.Time
	reception reception
	// frees says that the table may hold the memory back, and it no longer is.
	frees bool
}

// then joins what was noted after t to it.
func (t touch) then(o touch, forgiven time.Duration) touch {
	return touch{
		times: t.times + o.times, last: later(t.last, o.last),
		shown: t.shown + o.shown, shownAt: later(t.shownAt, o.shownAt),
		reception: t.reception.then(o.reception, forgiven),
		frees:     t.frees || o.frees,
	}
}

// count is how much is lost with it: recalls, or one verdict.
func (t touch) count() int64 { return int64(max(1, t.times+t.shown)) }

// touches collects counts. A goroutine lives while there are some.
type touches struct {
	mu      sync.Mutex
	held    map[string]touch
	writing map[string]touch // taken from held, on their way into the table
	recalls int              // counted so far, to tell a lull
	running bool
	closed  bool
	failed  int // attempts in a row
	state   TouchState
	// many is told when touchMany are held.
	many chan struct{}
	// after and patience are time.After and touchPatience, except in tests.
	after    func(time.Duration) <-chan time.Time
	patience time.Duration
}

// TouchState says how the counting of recalls fares.
type TouchState struct {
	// Held waits to be written, Written was, Dropped was given up: recalls of a
	// memory, summed over the memories.
	Held, Written, Dropped int64
	// LastError is why counts were dropped last.
	LastError string
}

// Touches reports at once.
func (e *Engine) Touches() TouchState {
	t := &e.touches
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.state
	for _, one := range t.held {
		s.Held += one.count()
	}
	return s
}

// noteTouches counts the memories an agent asked for and got.
func (e *Engine) noteTouches(hits []retrieve.Hit) {
	at := e.noteAt()
	notes := make(map[string]touch, len(hits))
	for _, h := range hits {
		notes[h.Memory.ID] = touch{times: 1, last: at, reception: reception{asked: at}, frees: h.Memory.Metadata.SuppressedUntil().After(at)}
	}
	e.note(notes)
}

func (e *Engine) noteAt() time.Time { return e.now().UTC().Truncate(time.Millisecond) }

// forgiven is after how long an unused recall no longer counts.
func (e *Engine) forgiven() time.Duration {
	return time.Duration(e.cfg.AutoRecall.BadRecallDecayMs) * time.Millisecond
}

// note takes what happened to memories, by id.
func (e *Engine) note(happened map[string]touch) {
	if len(happened) == 0 {
		return
	}
	t := &e.touches
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	if t.held == nil {
		t.held, t.many = map[string]touch{}, make(chan struct{}, 1)
	}
	t.recalls++
	for id, what := range happened {
		one, known := t.held[id]
		if !known && len(t.held) >= touchMost {
			t.state.Dropped += what.count()
			continue
		}
		if !what.reception.asked.IsZero() && t.writing[id].reception.unused > 0 {
			what.frees = true // from what is being written
		}
		t.held[id] = one.then(what, e.forgiven())
	}
	if len(t.held) >= touchMany {
		select {
		case t.many <- struct{}{}:
		default:
		}
	}
	if !t.running {
		t.running = true
		e.work.Go(e.writeTouches)
	}
}

// writeTouches is the goroutine; it ends when nothing is held, or with the engine.
func (e *Engine) writeTouches() {
	t := &e.touches
	for {
		if !t.wait(e.background) {
			return
		}
		if db, _ := e.opening.now(); db != nil {
			t.mu.Lock()
			patience := cmp.Or(t.patience, touchPatience)
			t.mu.Unlock()
			e.writeSomeTouches(e.background, db, patience)
		}
		t.mu.Lock()
		if len(t.held) == 0 {
			t.running = false
			t.mu.Unlock()
			return
		}
		t.mu.Unlock()
	}
}

// wait returns true when it is time to write, false when the engine ends.
func (t *touches) wait(ctx context.Context) bool {
	after := t.after
	if after == nil {
		after = time.After
	}
	due := after(touchEvery)
	select {
	case <-ctx.Done():
		return false
	case <-due:
		return true
	case <-t.many:
	}
	for {
		t.mu.Lock()
		seen := t.recalls
		t.mu.Unlock()
		select {
		case <-ctx.Done():
			return false
		case <-due:
			return true
		case <-after(touchLull):
		}
		t.mu.Lock()
		lull := t.recalls == seen
		t.mu.Unlock()
		if lull {
			return true
		}
	}
}
