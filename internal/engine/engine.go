// Package engine holds the verbs of the product, one file each: Recall, Store,
// Delete, List, Stats, Prompt, Health. The tools, the hook and the command line
// all come through here, so they cannot differ.
//
// Promises. A recall never takes the write lock and never fails because one
// half of the search failed. A store answers when its row is visible to every
// reader. Nobody reads or writes outside the scopes of the agent on whose
// behalf a verb runs, and a caller without an agent gets nothing.
//
// Caveats: Open answers before the database is open; the first verb waits for
// it, within its own deadline. After Close every verb fails.
package engine

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// Embedder turns text into vectors. Nil means that memories are found by
// keywords alone.
type Embedder interface {
	EmbedQuery(ctx context.Context, text string) ([]float32, error)
	EmbedPassage(ctx context.Context, text string) ([]float32, error)
	EmbedPassages(ctx context.Context, texts []string) ([][]float32, error)
	Dimensions() int
	Model() string
}

// Options configure an Engine.
type Options struct {
	Config config.Config
	// Embedder replaces the one Config describes.
	Embedder Embedder
	// Logger is told about what an operator should know. Nil discards.
	Logger *slog.Logger
	// Now is the clock; nil is the real one.
	Now func() time.Time
	// LockTimeout bounds the wait for another writer; 0 leaves the store's default.
	LockTimeout time.Duration
}

// Engine runs the verbs. It is safe for concurrent use.
type Engine struct {
	cfg         config.Config
	log         *slog.Logger
	now         func() time.Time
	lockTimeout time.Duration
	embedder    *watched // nil without a provider

	// background is cancelled by Close, which then waits for work.
	background context.Context
	stop       context.CancelFunc
	work       sync.WaitGroup
	wakeFiller chan struct{}
	// pending is set while rows without a vector may exist.
	pending atomic.Bool

	opening    opening
	complaints complaints
}

// Open prepares an engine without touching the database. It fails only when
// the configuration cannot be used.
func Open(o Options) (*Engine, error) {
	e := &Engine{cfg: o.Config, log: o.Logger, now: o.Now, lockTimeout: o.LockTimeout, wakeFiller: make(chan struct{}, 1)}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	if e.now == nil {
		e.now = time.Now
	}
	provider := o.Embedder
	if provider == nil && o.Config.Embedding != nil {
		made, err := newEmbedder(*o.Config.Embedding)
		if err != nil {
			return nil, &config.Error{Problems: []error{err}}
		}
		provider = made
	}
	if provider != nil {
		e.embedder = &watched{Embedder: provider, recovered: e.fillSoon}
	}
	e.background, e.stop = context.WithCancel(context.Background())
	for _, notice := range o.Config.Notices {
		e.log.Info("configuration: " + notice)
	}
	return e, nil
}

// unlimited stands for no time limit of the client's own.
const unlimited = 24 * time.Hour

func newEmbedder(c config.Embedding) (*embed.OpenAI, error) {
	timeout := time.Duration(c.ClientTimeoutMs) * time.Millisecond
	if timeout == 0 {
		timeout = unlimited
	}
	provider, err := embed.NewOpenAI(embed.Options{
		APIKey: c.APIKeys[0], BaseURL: c.BaseURL, Model: c.Model,
		Dimensions: c.Dimensions, RequestDimensions: c.RequestDimensions, OmitDimensions: c.OmitDimensions,
		Timeout: timeout, MaxInputChars: c.MaxInputChars,
		TaskQuery: c.TaskQuery, TaskPassage: c.TaskPassage,
	})
	if err != nil {
		return nil, fmt.Errorf("embedding: %w", err)
	}
	return provider, nil
}

// Close stops background work, waits for it, and closes the database.
func (e *Engine) Close() error {
	e.opening.refuse()
	e.stop()
	e.work.Wait()
	return e.opening.close()
}

// Ready reports whether the database is open.
func (e *Engine) Ready() bool {
	s, _ := e.opening.now()
	return s != nil
}

// Warm starts opening the database without waiting for it.
func (e *Engine) Warm() { e.opening.start(e) }

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
		opened, err := store.Open(ctx, e.storeOptions())
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
		if e.embedder != nil {
			e.work.Go(func() { e.fillPending(opened) })
		}
	})
	return done
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
	opened := o.store
	o.store, o.err = nil, store.ErrClosed
	if opened == nil {
		return nil
	}
	return opened.Close()
}

func (e *Engine) storeOptions() store.Options {
	o := store.Options{Path: e.cfg.DBPath, LockTimeout: e.lockTimeout, Now: e.now, Logger: e.log}
	if e.embedder != nil {
		o.Dimensions = e.embedder.Dimensions()
	}
	return o
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
