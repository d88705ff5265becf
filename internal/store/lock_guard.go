package store

import (
	"context"
	"fmt"
	"time"
)

// Guard is a lock between machines that write to one database. Package distlock
// has one.
type Guard interface {
	// Acquire waits for the lock, as long as the guard sees fit and ctx lasts. who
	// is the operation, for the error of those who wait in vain.
	Acquire(ctx context.Context, who string) (Lease, error)
}

// Lease is a guard's lock while it is held.
type Lease interface {
	// Check is nil if the lock is still ours and nobody has had it since.
	Check(ctx context.Context) error
	// Token is greater than that of every earlier holder.
	Token() int64
	// Release gives the lock back, if it is still ours.
	Release() error
}

// leaseCheckPatience bounds one look at a lease.
const leaseCheckPatience = 5 * time.Second

// takeLease asks the guard, until it has an answer or nobody wants it any more.
func (l *fileLock) takeLease(who string, wanted func() (string, bool)) (bool, error) {
	if l.guard == nil {
		return true, nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		tick := time.NewTicker(5 * turnPoll)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if _, ok := wanted(); !ok {
					cancel()
				}
			}
		}
	}()
	lease, err := l.guard.Acquire(ctx, who)
	if err != nil {
		if ctx.Err() != nil {
			return false, nil // everybody gave up, and is told so
		}
		return false, fmt.Errorf("nothing was written: %w", err)
	}
	l.lease = lease
	return true, nil
}

func (l *fileLock) dropLease() error {
	if l.lease == nil {
		return nil
	}
	lease := l.lease
	l.lease = nil
	return lease.Release()
}

// check is called right before a commit: what a guard has meanwhile given to
// another machine must not be written to.
func (l *fileLock) check(ctx context.Context) error {
	if l.lease == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, leaseCheckPatience)
	defer cancel()
	if err := l.lease.Check(ctx); err != nil {
		return fmt.Errorf("nothing was written: %w", err)
	}
	return nil
}

// kept is called right after a commit. A lease lost meanwhile leaves open whether
// another machine has written over what was committed.
func (l *fileLock) kept(ctx context.Context) error {
	if l.lease == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, leaseCheckPatience)
	defer cancel()
	if err := l.lease.Check(ctx); err != nil {
		return &AmbiguousError{Err: err}
	}
	return nil
}

// AmbiguousError says that a write was committed and that the lock between
// machines was lost before that was certain.
type AmbiguousError struct{ Err error }

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("the write is ambiguous: it was committed, but the lock between machines was lost meanwhile (%v); look whether it is there before you repeat it", e.Err)
}

func (e *AmbiguousError) Unwrap() error { return e.Err }
