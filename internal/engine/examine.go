package engine

import (
	"context"
	"errors"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/provider"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// Examine looks at the database as it is on disk and changes nothing, whether
// this engine has opened it or not.
func (e *Engine) Examine(ctx context.Context) (store.Examination, error) {
	if e.cfg.PathFault != "" {
		return store.Examination{}, errors.New(e.cfg.PathFault)
	}
	return store.Examine(ctx, e.storeOptions())
}

// ExamineInside is Examine, and reads every row too.
func (e *Engine) ExamineInside(ctx context.Context) (store.Examination, error) {
	if e.cfg.PathFault != "" {
		return store.Examination{}, errors.New(e.cfg.PathFault)
	}
	return store.ExamineInside(ctx, e.storeOptions())
}

// Lock looks at the write lock without waiting for it.
func (e *Engine) Lock() (store.LockState, error) {
	return store.Lock(store.StatePath(e.storeOptions()))
}

// Upkeep is how maintenance fared, by whichever process.
func (e *Engine) Upkeep() (store.Upkeep, error) {
	return store.ReadUpkeep(store.StatePath(e.storeOptions()))
}

// LostTouches are recalls that no process could count.
func (e *Engine) LostTouches() LostTouches {
	return ReadLostTouches(store.StatePath(e.storeOptions()))
}

// EmbeddingProbe says how embedding fares right now.
type EmbeddingProbe struct {
	// Mode is "local", "provider" or "keywords".
	Mode, Model string
	// File is the model's, in mode local.
	File  string
	Width int
	Took  time.Duration
	// Err is why there is no vector. In mode keywords nil means that none are
	// wanted.
	Err error
}

// probeText is all that a provider sees of a probe.
const probeText = "memory-pro doctor: does embedding work?"

// ProbeEmbedding embeds one short text.
func (e *Engine) ProbeEmbedding(ctx context.Context) EmbeddingProbe {
	h := e.Health()
	p := EmbeddingProbe{Mode: h.EmbeddingMode, Model: h.EmbeddingModel}
	if e.embedder == nil {
		if h.EmbeddingError != "" {
			p.Err = errors.New(h.EmbeddingError)
		}
		return p
	}
	if model, ok := e.embedder.Embedder.(interface{ Path() string }); ok {
		p.File = model.Path()
	}
	p.Width = e.embedder.Dimensions()
	begun := time.Now()
	p.Err = e.embedder.probe(ctx)
	p.Took = time.Since(begun)
	return p
}

// EmbeddingModel is the model this engine writes vectors with.
type EmbeddingModel struct {
	// Fingerprint names what decides the meaning of a vector; Width is 0 without a model.
	Fingerprint string
	Width       int
	// Named is set when the operator chose it: vectors of unknown origin are
	// taken for its own then.
	Named bool
}

// EmbeddingModel tells without using it.
func (e *Engine) EmbeddingModel() EmbeddingModel {
	if e.embedder == nil {
		return EmbeddingModel{}
	}
	m := EmbeddingModel{Width: e.embedder.Dimensions(), Named: !e.cfg.Local()}
	if model, ok := e.embedder.Embedder.(interface{ Fingerprint() string }); ok {
		m.Fingerprint = model.Fingerprint()
	}
	return m
}

// Failing says in which way a provider does not give vectors; Err says why.
func (p EmbeddingProbe) Failing() string {
	var said *provider.StatusError
	switch {
	case errors.As(p.Err, &said) && errors.Is(p.Err, embed.ErrRejected):
		return "refuses"
	case errors.As(p.Err, &said):
		return "does not serve now"
	case errors.Is(p.Err, embed.ErrRejected), errors.Is(p.Err, embed.ErrBadVector):
		return "answers what cannot be used"
	}
	return "does not answer"
}
