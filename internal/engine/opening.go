package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/distlock"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// openPatience bounds one attempt to open the database; the verbs that wait
// for it have their own, usually shorter deadlines.
const openPatience = 60 * time.Second

// opening is the database: closed, being opened by one goroutine, open, or
// failed. A failure is told to everybody who waited; the next verb tries again.
type opening struct {
	mu     sync.Mutex
	store  *store.Store
	err    error         // of the last attempt
	busy   chan struct{} // closed when the attempt under way ends; nil when there is none
	closed bool
	lock   *distlock.Lock // between machines; nil if there is none
}

func (o *opening) now() (*store.Store, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.store, o.err
}

// start begins an attempt unless one is under way or the store is open. The
// channel is closed when there is something to look at.
func (o *opening) start(e *Engine) <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.busy != nil {
		return o.busy
	}
	done := make(chan struct{})
	if o.store != nil || o.closed {
		close(done)
		return done
	}
	o.busy = done
	e.work.Go(func() {
		ctx, cancel := context.WithTimeout(e.background, openPatience)
		defer cancel()
		opened, err := e.openStore(ctx)
		o.mu.Lock()
		o.store, o.err, o.busy = opened, err, nil
		o.mu.Unlock()
		close(done)
		if err != nil {
			if e.complaints.fresh("open", err.Error()) {
				e.log.Error("the memory database cannot be opened; every use tries again", "path", e.cfg.DBPath, "error", err)
			}
			return
		}
		e.complaints.settled("open")
		if e.embedder != nil && !e.oneShot {
			e.work.Go(func() { e.fillPending(opened) })
		}
		if !e.oneShot {
			e.work.Go(func() { e.keepBackups(opened) })
		}
	})
	return done
}

func (e *Engine) openStore(ctx context.Context) (*store.Store, error) {
	if e.cfg.PathFault != "" {
		return nil, errors.New(e.cfg.PathFault)
	}
	guard, err := e.guard()
	if err != nil {
		return nil, err
	}
	o := e.storeOptions()
	o.Guard = guard
	return store.Open(ctx, o)
}

// refuse lets no further attempt begin.
func (o *opening) refuse() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
}

func (o *opening) close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var err error
	if o.store != nil {
		err = o.store.Close()
	}
	if o.lock != nil {
		err = errors.Join(err, o.lock.Close())
	}
	o.store, o.lock, o.err = nil, nil, store.ErrClosed
	return err
}

func (e *Engine) storeOptions() store.Options {
	o := store.Options{Path: e.cfg.DBPath, StateDir: e.cfg.StateDir, StorageOptions: e.cfg.StorageOptions,
		LockTimeout: e.lockPatience(), Upkeep: upkeep(e.cfg.Cleanup), Now: e.now, Logger: e.log,
		Resident: !e.oneShot, OwnCosine: e.cfg.Retrieval.DisableNativeCosine}
	if e.embedder != nil {
		o.Dimensions, o.Fingerprint = e.embedder.Dimensions(), e.embedder.Fingerprint()
		o.AdoptVectors = !e.local() // the local model is there without anybody naming it
	}
	return o
}

// upkeep is the operator's schedule for old versions of the table.
func upkeep(c config.Cleanup) store.UpkeepOptions {
	return store.UpkeepOptions{
		Scheduled: c.Enabled,
		First:     time.Duration(c.InitialDelayMs) * time.Millisecond,
		Every:     time.Duration(c.IntervalHours) * time.Hour,
		Retention: time.Duration(c.RetentionDays) * 24 * time.Hour,
	}
}

// opened gives the database to a verb, waiting for it within ctx.
func (e *Engine) opened(ctx context.Context) (*store.Store, error) {
	if s, _ := e.opening.now(); s != nil {
		return s, nil
	}
	select {
	case <-e.opening.start(e):
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for the memory database %s to open: %w", e.cfg.DBPath, ctx.Err())
	}
	s, err := e.opening.now()
	if s == nil && err == nil {
		err = store.ErrClosed
	}
	if err != nil {
		return nil, &UnavailableError{Err: err}
	}
	return s, nil
}

// UnavailableError says that the database cannot be opened.
type UnavailableError struct{ Err error }

func (e *UnavailableError) Error() string { return "opening the memory database: " + e.Err.Error() }

func (e *UnavailableError) Unwrap() error { return e.Err }
