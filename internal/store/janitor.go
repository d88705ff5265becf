package store

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// janitor runs maintenance in the background: when enough was modified, and once
// more when the versions that run had to keep have grown old.
type janitor struct {
	keep time.Duration // how long old versions are kept
	one  sync.Mutex    // one maintenance at a time in this process

	rows    atomic.Int64 // modified since the last run
	commits atomic.Int64 // since small files were last merged
	nudge   chan struct{}
	closing chan struct{}
	once    sync.Once
	done    sync.WaitGroup
	swept   chan<- struct{} // for tests: told after each run in the background
}

func (j *janitor) start(run func(ctx context.Context, compact bool)) {
	j.nudge, j.closing = make(chan struct{}, 1), make(chan struct{})
	j.done.Go(func() { j.loop(run) })
}

// stop returns when the loop has ended.
func (j *janitor) stop() {
	j.once.Do(func() {
		if j.closing != nil {
			close(j.closing)
		}
	})
	j.done.Wait()
}

func (j *janitor) wake() {
	select {
	case j.nudge <- struct{}{}:
	default: // awake already
	}
}

func (j *janitor) loop(run func(ctx context.Context, compact bool)) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	j.done.Go(func() {
		// A step that runs when Close comes may end, within bounds.
		select {
		case <-ctx.Done():
			return
		case <-j.closing:
		}
		grace := time.NewTimer(closeGrace)
		defer grace.Stop()
		select {
		case <-ctx.Done():
		case <-grace.C:
			cancel()
		}
	})
	later := time.NewTimer(j.keep)
	later.Stop()
	defer later.Stop()
	for {
		compact := false
		select {
		case <-j.closing:
			return
		case <-j.nudge:
			compact = j.commits.Load() >= compactAfter
			later.Reset(j.keep + time.Second)
		case <-later.C:
			compact = true
		}
		j.rows.Store(0)
		begin := time.Now()
		run(ctx, compact)
		if !j.rest(foldShare * time.Since(begin)) {
			return
		}
	}
}

// rest pauses, and reports whether the store is still open.
func (j *janitor) rest(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-j.closing:
		return false
	case <-timer.C:
		return true
	}
}

// modified counts what a batch wrote and wakes the janitor when it is enough.
func (s *Store) modified(rows int) {
	if rows == 0 {
		return
	}
	s.janitor.commits.Add(1)
	if s.janitor.rows.Add(int64(rows)) >= foldAfter {
		s.janitor.wake()
	}
}

// sweep is one run in the background.
func (s *Store) sweep(ctx context.Context, compact bool) {
	r, err := s.maintain(ctx, compact)
	if s.janitor.swept != nil {
		s.janitor.swept <- struct{}{}
	}
	switch {
	case errors.Is(err, context.Canceled):
	case err != nil:
		s.log.Warn("maintenance of the table did not finish; it is tried again after further stores", "path", s.path, "error", err)
	default:
		s.log.Debug("maintained the table", "path", s.path, "folded", r.Folded, "merged", r.FilesMerged, "pruned", r.VersionsPruned)
	}
}
