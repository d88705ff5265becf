package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/distlock"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// guard is the lock between machines, nil without one. It does not speak to Redis
// before the first write, so that reading never depends on it.
func (e *Engine) guard() (store.Guard, error) {
	if why := e.cfg.LockingFault; why != "" {
		return refusing{errors.New(why)}, nil
	}
	l := e.cfg.Locking
	if l == nil {
		return nil, nil
	}
	e.opening.mu.Lock()
	defer e.opening.mu.Unlock()
	if e.opening.lock == nil {
		wait := time.Duration(l.AcquireTimeoutMs) * time.Millisecond
		if wait == 0 {
			wait = -1 // one attempt
		}
		lock, err := distlock.New(distlock.Options{
			URL: l.URL, KeyPrefix: l.KeyPrefix, TTL: time.Duration(l.TTLMs) * time.Millisecond, AcquireTimeout: wait,
			RetryDelay: time.Duration(l.RetryDelayMs) * time.Millisecond, ConnectTimeout: time.Duration(l.ConnectTimeoutMs) * time.Millisecond,
			Logger: e.log,
		})
		if err != nil {
			return nil, fmt.Errorf("locking.redis: %w", err)
		}
		e.opening.lock = lock
	}
	return between{e.opening.lock}, nil
}

// MachineLock is the lock between machines as it is right now.
type MachineLock struct {
	Server string // host:port/database
	// Holder is empty while the lock is free.
	Holder string
}

// MachineLock looks at the lock between machines without waiting for it. It is nil
// without one; an error says why nothing can be stored.
func (e *Engine) MachineLock(ctx context.Context) (*MachineLock, error) {
	guard, err := e.guard()
	if err != nil || guard == nil {
		return nil, err
	}
	lock, ok := guard.(between)
	if !ok {
		_, err := guard.Acquire(ctx, "")
		return nil, err
	}
	state, err := lock.Look(ctx)
	if err != nil {
		return nil, err
	}
	m := &MachineLock{Server: state.Server}
	if state.Held {
		m.Holder = state.Holder.String()
	}
	return m, nil
}

// lockPatience is how long a write waits for its turn: longer than for the lock
// between machines, whose error says more. 0 is the store's default.
func (e *Engine) lockPatience() time.Duration {
	if e.lockTimeout != 0 || e.cfg.Locking == nil {
		return e.lockTimeout
	}
	return max(store.DefaultLockTimeout, time.Duration(e.cfg.Locking.AcquireTimeoutMs)*time.Millisecond+lockMargin)
}

const lockMargin = 5 * time.Second

// between gives the lock the type the store asks for.
type between struct{ *distlock.Lock }

func (b between) Acquire(ctx context.Context, who string) (store.Lease, error) {
	lease, err := b.Lock.Acquire(ctx, who)
	if err != nil {
		return nil, err
	}
	return lease, nil
}

// refusing lets nothing be written while the lock is configured so that it cannot
// be used: other machines may rely on it.
type refusing struct{ why error }

func (r refusing) Acquire(context.Context, string) (store.Lease, error) {
	return nil, fmt.Errorf("the lock between machines cannot be used: %w", r.why)
}
