// Package engine holds the verbs of the product, one file each: Recall, Store,
// Update, Forget, Delete, Show, List, Stats, Prompt, Capture, Health. The tools,
// the hooks and the command line all come through here, so they cannot differ.
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
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rerank"
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
	// KeywordsOnly does without any.
	KeywordsOnly bool
	// Logger is told about what an operator should know. Nil discards.
	Logger *slog.Logger
	// Now is the clock; nil is the real one.
	Now func() time.Time
	// OneShot is for a process that ends after one verb: nothing is done in the
	// background that a longer-lived process will do anyway.
	OneShot bool
	// LockTimeout bounds the wait for another writer; 0 leaves the store's default.
	LockTimeout time.Duration
	// embedderRest is for tests; 0 is what it should be.
	embedderRest time.Duration
}

// Engine runs the verbs. It is safe for concurrent use.
type Engine struct {
	cfg         config.Config
	log         *slog.Logger
	now         func() time.Time
	lockTimeout time.Duration
	oneShot     bool
	embedder    *watched         // nil without a provider
	ownEmbedder bool             // made here, so closed here
	reranker    *rerank.Reranker // nil without one
	// keywordsBecause says what is wrong when there is no embedder though there
	// should be one.
	keywordsBecause string

	// background is cancelled by Close, which then waits for work.
	background context.Context
	stop       context.CancelFunc
	work       sync.WaitGroup
	wakeFiller chan struct{}
	// pending is set while rows without a vector may exist.
	pending atomic.Bool
	unfit   unfit

	opening    opening
	complaints complaints
	captures   *capturer
	backups    backups
	touches    touches
	chats      *chats
	recalls    recallNotes
}

// Open prepares an engine without touching the database. It fails only when
// the configuration cannot be used.
func Open(o Options) (*Engine, error) {
	e := &Engine{cfg: o.Config, log: o.Logger, now: o.Now, lockTimeout: o.LockTimeout, oneShot: o.OneShot, wakeFiller: make(chan struct{}, 1)}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	if e.now == nil {
		e.now = time.Now
	}
	e.captures = newCapturer(e.now())
	e.chats = newChats()
	provider := o.Embedder
	if e.ownEmbedder = provider == nil && !o.KeywordsOnly; e.ownEmbedder {
		made, why, err := chooseEmbedder(o.Config)
		if err != nil {
			return nil, err
		}
		if provider, e.keywordsBecause = made, why; why != "" {
			e.log.Warn("memories are found by keywords alone", "reason", why)
		}
	}
	if provider != nil {
		e.embedder = watch(provider, o.embedderRest, nil, e.fillSoon)
	}
	e.reranker = e.chooseReranker()
	e.background, e.stop = context.WithCancel(context.Background())
	for _, problem := range o.Config.Problems {
		e.log.Error("configuration: " + problem)
	}
	for _, notice := range o.Config.Notices {
		e.log.Info("configuration: " + notice)
	}
	return e, nil
}

// Close stores what was heard, for a few seconds at most, and what was counted,
// stops background
// work, waits for it, and closes the database.
func (e *Engine) Close() error {
	e.captures.drain(captureDrain)
	e.opening.refuse()
	e.closeTouches()
	e.closeRecalls()
	e.stop()
	if e.embedder != nil {
		e.embedder.stop()
	}
	e.closeReranker()
	e.work.Wait()
	return errors.Join(e.opening.close(), e.closeEmbedder())
}

// Ready reports whether the database is open.
func (e *Engine) Ready() bool {
	s, _ := e.opening.now()
	return s != nil
}

// Warm starts opening the database and the embedded model without waiting for
// them.
func (e *Engine) Warm() {
	e.opening.start(e)
	e.warmEmbedder()
}
