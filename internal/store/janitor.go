package store

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// effort is how much a run of maintenance does.
type effort int

const (
	effortPrune effort = iota // deletes old versions
	effortFold                // also folds new rows into the indexes, and merges small files if there are many
	effortWhole               // one index of each kind, no small files
	effortClean               // the same on the operator's schedule, with its retention
)

// janitor runs maintenance in the background: a little while rows are being
// written, all of it when writing has stopped, and once more when the versions
// that run had to keep have grown old.
type janitor struct {
	keep  time.Duration // how long old versions are kept
	quiet time.Duration // how long nothing must be written before all is tidied
	UpkeepOptions
	one sync.Mutex // one maintenance at a time in this process; guards pruned

	rows    atomic.Int64 // modified since the last run
	commits atomic.Int64 // since small files were last merged
	forced  atomic.Bool  // run although few rows were modified
	pruned  time.Time    // when old versions were last deleted
	nudge   chan struct{}
	closing chan struct{}
	once    sync.Once
	done    sync.WaitGroup
	swept   chan<- effort // for tests: told after each run in the background
}

func (j *janitor) start(run func(context.Context, effort)) {
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

// wake has maintenance run soon.
func (j *janitor) wake() {
	j.forced.Store(true)
	j.touch()
}

// touch says that something was written.
func (j *janitor) touch() {
	select {
	case j.nudge <- struct{}{}:
	default: // it will see it anyway
	}
}

// timers are the loop's, none of which runs at first.
type timers struct{ quiet, old, schedule *time.Timer }

func (j *janitor) timers() timers {
	idle := func() *time.Timer {
		t := time.NewTimer(time.Hour)
		t.Stop()
		return t
	}
	t := timers{idle(), idle(), idle()}
	if j.Scheduled {
		t.schedule.Reset(j.First)
	}
	return t
}

func (t timers) stop() {
	t.quiet.Stop()
	t.old.Stop()
	t.schedule.Stop()
}

func (j *janitor) loop(run func(context.Context, effort)) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	j.done.Go(func() { j.graceful(ctx, cancel) })
	t := j.timers()
	defer t.stop()
	for {
		e := effortFold
		select {
		case <-j.closing:
			return
		case <-j.nudge:
			t.quiet.Reset(j.quiet)
			if !j.forced.Swap(false) && j.rows.Load() < foldAfter {
				continue
			}
		case <-t.quiet.C:
			// What this run leaves behind is old when the next one comes.
			t.old.Reset(j.keep + time.Second)
			if e = effortWhole; j.commits.Load() < tidyAfter {
				continue
			}
		case <-t.old.C:
			e = effortPrune
		case <-t.schedule.C:
			t.schedule.Reset(j.Every)
			e = effortClean
		}
		if e != effortPrune {
			j.rows.Store(0)
		}
		begin := time.Now()
		run(ctx, e)
		if !j.rest(foldShare * time.Since(begin)) {
			return
		}
	}
}

// turnKey is where the context of a run in the background keeps the one for waiting.
type turnKey struct{}

// untilClosing has a run give up at once, when Close comes, what still waits for its
// turn among the writers, or a command would wait as long as another writes.
func (j *janitor) untilClosing(ctx context.Context) (context.Context, context.CancelFunc) {
	turn, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-j.closing:
			cancel()
		case <-turn.Done():
		}
	}()
	return context.WithValue(ctx, turnKey{}, turn), cancel
}

// turnOf is the context to wait for a turn with.
func turnOf(ctx context.Context) context.Context {
	if turn, ok := ctx.Value(turnKey{}).(context.Context); ok {
		return turn
	}
	return ctx
}

// graceful lets a step that runs when Close comes end, within bounds.
func (j *janitor) graceful(ctx context.Context, cancel func()) {
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

// modified counts what a batch wrote and lets the janitor know.
func (s *Store) modified(rows int) {
	if rows == 0 {
		return
	}
	s.janitor.commits.Add(1)
	s.janitor.rows.Add(int64(rows))
	s.janitor.touch()
}

// startJanitor begins maintenance in the background, at once if the table was
// left with much to do: by processes that were too short-lived, or were killed.
func (s *Store) startJanitor(ctx context.Context) {
	if s.janitor.keep == 0 {
		s.janitor.keep = keepVersions
	}
	if s.janitor.quiet == 0 {
		s.janitor.quiet = quietAfter
	}
	s.janitor.start(s.sweep)
	list, err := s.indexes(ctx)
	if err != nil {
		return // reads will tell
	}
	kind, _ := vectorIndexIn(list)
	s.vectors.set(kind, s.now())
	ix := textIndexIn(list)
	if s.leftSmall() || (ix != nil && ix.UnindexedRows >= foldAfter) || s.versionsOnDisk() > maxVersions {
		s.janitor.wake()
	}
}

// leftSmall reports whether many small files were left, and has them merged soon.
func (s *Store) leftSmall() bool {
	if !s.local || s.smallFiles(fileRows) < 2*tidyAfter {
		return false
	}
	s.janitor.commits.Store(wholeAfter)
	return true
}

// sweep is one run in the background.
func (s *Store) sweep(ctx context.Context, e effort) {
	ctx, done := s.janitor.untilClosing(ctx)
	defer done()
	r, err := s.maintain(ctx, e)
	if s.janitor.swept != nil {
		s.janitor.swept <- e
	}
	switch {
	case errors.Is(err, context.Canceled):
	case err != nil:
		s.log.Warn("maintenance of the table did not finish; it is tried again after further stores", "path", s.path, "error", err)
	default:
		s.log.Debug("maintained the table", "path", s.path, "folded", r.Folded, "merged", r.FilesMerged, "pruned", r.VersionsPruned)
	}
}
