package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
)

const (
	// maxBatchJobs bounds what one holding of the lock does, so that other
	// processes get their turn.
	maxBatchJobs = 64
	// maxCommitRows bounds the memory of one commit: 2,000 rows of 1,024 numbers
	// are 8 MB of vectors.
	maxCommitRows = 2000
	// commitPatience bounds one commit. It is independent of the callers'
	// contexts: a caller who leaves must not take down the others in the batch.
	commitPatience = 60 * time.Second
)

// Write is the one way to change the table. It waits in a fair queue for the
// lock between processes, calls fn with the newest state, and commits what fn
// collected in tx when fn returns nil; the rows are then visible to every
// reader. If fn or its commit fails, nothing of it is written and only this
// caller learns of it. Write is safe for concurrent use.
//
// Writers that arrive while another writes share one holding of the lock and
// usually one commit. Each fn runs alone, in order of arrival, and sees what
// the earlier ones did (see Tx).
//
// Before the commit, what each fn changes goes into the journal, as an entry of its
// own with who as the operation and the actor of ctx (see As), and is synced once
// for the whole batch. So a change that was answered is not lost with the
// machine. If the table could not be changed the entries are taken back; if that
// is not certain the error is a *UnsettledError.
//
// Waiting ends with ctx or after Options.LockTimeout, whichever is first, with
// a *LockedError that names the holder. fn must not call Write.
func (s *Store) Write(ctx context.Context, who string, fn func(*Tx) error) error {
	return s.submit(&job{ctx: ctx, who: who, fn: fn, done: make(chan outcome, 1)})
}

// submit waits for a job's turn and tells what came of it.
func (s *Store) submit(j *job) error {
	ctx, who := j.ctx, j.who
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", who, err)
	}
	if s.readOnly != nil {
		return s.readOnly
	}
	start := time.Now()
	if err := s.queue.push(j, s.work); err != nil {
		return fmt.Errorf("%s: %w", who, err)
	}
	o, gaveUp := s.queue.wait(ctx, j, s.lockTimeout)
	switch {
	case gaveUp != nil:
		return &LockedError{Path: s.path, Who: who, Waited: time.Since(start), Holder: s.lock.holder(), Err: gaveUp}
	case o.panicked != nil:
		panic(o.panicked)
	case o.err != nil:
		return fmt.Errorf("%s: %w", who, o.err)
	}
	return nil
}

// work is the writer's goroutine: lock, do what waits, unlock, until nothing does.
func (s *Store) work() {
	for !s.queue.idle() {
		ok, err := s.lock.acquire(s.queue.wanted)
		if err != nil {
			s.fail(err)
			continue
		}
		if !ok {
			continue // everybody gave up
		}
		s.runBatch(s.queue.take(maxBatchJobs))
		if err := s.lock.release(); err != nil {
			s.log.Error("the write lock could not be released", "path", s.path, "error", err)
		}
	}
}

// fail answers everybody who waits.
func (s *Store) fail(err error) {
	for _, j := range s.queue.take(maxBatchJobs) {
		j.answer(outcome{err: err})
	}
}

// runBatch does the jobs under the lock.
func (s *Store) runBatch(jobs []*job) {
	b := &batch{store: s, rows: newLayer(), known: map[string]stored{}}
	if err := s.begin(); err != nil {
		for _, j := range jobs {
			j.answer(outcome{err: err})
		}
		return
	}
	for _, j := range jobs {
		b.run(j)
	}
	b.commit()
	s.afterCommit(b.written)
}

// batch is what the jobs of one holding of the lock have collected so far.
type batch struct {
	store   *Store
	rows    *layer            // changes of jobs that succeeded, not committed yet
	pending []verdict         // jobs that ran since the last commit
	known   map[string]stored // rows read under this lock
	written int               // rows committed
	// unsettled is set when a commit failed and left entries for later.
	unsettled bool
}

// verdict is what a job will be told if the commit it depends on succeeds.
type verdict struct {
	job     *job
	outcome outcome
	ids     []string       // rows it changes
	entry   *journal.Entry // what the journal is told; nil for nothing
}

// run calls one job's function and keeps its changes if it succeeds.
func (b *batch) run(j *job) {
	err := j.ctx.Err()
	if err == nil && b.unsettled {
		// What an earlier job left open comes first, or it would count as done.
		if err = b.store.begin(); err == nil {
			b.unsettled = false
		}
	}
	if err != nil {
		j.answer(outcome{err: err})
		return
	}
	tx := &Tx{ctx: j.ctx, batch: b, rows: newLayer(), quiet: j.quiet}
	v := verdict{job: j, outcome: tx.call(j.fn)}
	if v.outcome.ok() {
		v.outcome.err = tx.resolve()
	}
	if v.outcome.ok() {
		v.ids, v.entry = tx.rows.order, tx.entry(j.who)
		b.rows.absorb(tx.rows)
	} else if b.rows.len() == 0 {
		j.answer(v.outcome)
		return
	}
	// Also a job that failed waits: it may have failed because of a row that it
	// saw buffered, and "duplicate of" is no answer while that row can still be lost.
	b.pending = append(b.pending, v)
	if b.rows.len() >= maxCommitRows {
		b.commit()
	}
}

// commit writes what is pending and answers its callers.
func (b *batch) commit() {
	if len(b.pending) == 0 {
		return
	}
	var entries []*journal.Entry
	for _, v := range b.pending {
		if v.entry != nil {
			entries = append(entries, v.entry)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), commitPatience)
	defer cancel()
	open, err := b.store.commit(ctx, b.rows, entries)
	if err == nil || open != nil {
		b.written += b.rows.len()
	}
	var unsettled *UnsettledError
	b.unsettled = errors.As(err, &unsettled)
	for _, v := range b.pending {
		if err != nil && (open == nil || slices.ContainsFunc(v.ids, func(id string) bool { return open[id] })) {
			v.outcome = outcome{err: err}
		}
		v.job.answer(v.outcome)
	}
	b.pending, b.rows, b.known = nil, newLayer(), map[string]stored{}
}

// afterCommit runs under the lock once a batch is written.
func (s *Store) afterCommit(rows int) {
	if s.indexWanted.Load() {
		ctx, cancel := context.WithTimeout(context.Background(), commitPatience)
		s.buildTextIndex(ctx)
		cancel()
	}
	s.modified(rows)
}
