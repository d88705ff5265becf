package store

import (
	"context"
	"slices"
	"sync"
	"time"
)

// job is one call of Write, waiting or running.
type job struct {
	ctx  context.Context // of the caller, who waits as long as the job lives
	who  string
	fn   func(*Tx) error
	done chan outcome // buffered: the writer never waits for a caller
	// quiet jobs wait behind all others and share their batch with nobody.
	quiet bool
}

// outcome is what the writer tells a caller.
type outcome struct {
	err      error
	panicked any // a panic of fn, raised again in the caller's goroutine
}

func (o outcome) ok() bool { return o.err == nil && o.panicked == nil }

func (j *job) answer(o outcome) { j.done <- o }

// queue holds writes in order of arrival. One goroutine works them off; it is
// started by the first job and ends when none is left, so an idle store has none.
type queue struct {
	mu      sync.Mutex
	waiting []*job
	running bool
	closed  bool
	writer  sync.WaitGroup
}

// push appends j and makes sure that work runs.
func (q *queue) push(j *job, work func()) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return ErrClosed
	}
	q.waiting = append(q.waiting, j)
	if !q.running {
		q.running = true
		q.writer.Go(work)
	}
	return nil
}

// withdraw takes j back and reports whether it was still waiting. If not, it
// runs or has run, and its outcome will come.
func (q *queue) withdraw(j *job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, j)
	if i < 0 {
		return false
	}
	q.waiting = slices.Delete(q.waiting, i, i+1)
	return true
}

// wanted reports whether anybody waits, and who came first.
func (q *queue) wanted() (who string, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return "", false
	}
	return q.waiting[0].who, true
}

// take removes up to n jobs in order of arrival; a quiet one only when no other
// waits, and then alone.
func (q *queue) take(n int) []*job {
	q.mu.Lock()
	defer q.mu.Unlock()
	quiet := !slices.ContainsFunc(q.waiting, func(j *job) bool { return !j.quiet })
	if quiet {
		n = min(n, 1)
	}
	var jobs []*job
	q.waiting = slices.DeleteFunc(q.waiting, func(j *job) bool {
		if len(jobs) == n || j.quiet != quiet {
			return false
		}
		jobs = append(jobs, j)
		return true
	})
	return jobs
}

// idle ends the writer if nothing waits. Decided under the lock that push
// takes, so no job can fall between.
func (q *queue) idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) > 0 {
		return false
	}
	q.running = false
	return true
}

// close refuses new jobs and waits until those accepted are answered.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.writer.Wait()
}

// wait returns j's outcome, or gives up when ctx or the patience ends before
// j's turn came. Once j runs its outcome is awaited: a caller must not be told
// "not written" of a row that then appears.
func (q *queue) wait(ctx context.Context, j *job, patience time.Duration) (o outcome, gaveUp error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	var why error
	select {
	case o := <-j.done:
		return o, nil
	case <-ctx.Done():
		why = ctx.Err()
	case <-timer.C:
		why = context.DeadlineExceeded
	}
	if q.withdraw(j) {
		return outcome{}, why
	}
	return <-j.done, nil
}
