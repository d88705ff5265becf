package engine

import (
	"context"
	"sync"
	"time"
)

// watched remembers how the provider fares, for Health, and tells when it works
// again after a failure.
type watched struct {
	Embedder
	recovered func()

	mu   sync.Mutex
	last error
}

func (w *watched) note(err error) {
	w.mu.Lock()
	was := w.last
	w.last = err
	w.mu.Unlock()
	if was != nil && err == nil {
		w.recovered()
	}
}

func (w *watched) lastError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last
}

func (w *watched) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	v, err := w.Embedder.EmbedQuery(ctx, text)
	w.noteUnlessGivenUp(ctx, err)
	return v, err
}

func (w *watched) EmbedPassage(ctx context.Context, text string) ([]float32, error) {
	v, err := w.Embedder.EmbedPassage(ctx, text)
	w.noteUnlessGivenUp(ctx, err)
	return v, err
}

func (w *watched) EmbedPassages(ctx context.Context, texts []string) ([][]float32, error) {
	v, err := w.Embedder.EmbedPassages(ctx, texts)
	w.noteUnlessGivenUp(ctx, err)
	return v, err
}

// noteUnlessGivenUp keeps a caller who left from looking like a provider that failed.
func (w *watched) noteUnlessGivenUp(ctx context.Context, err error) {
	if err == nil || ctx.Err() != context.Canceled {
		w.note(err)
	}
}

// embedShare is the part of the time left that embedding may use, so that a
// provider that hangs leaves time to store the memory without its vector.
const embedShare = 0.6

// withShare bounds ctx to the share of the time it has left.
func withShare(ctx context.Context, share float64) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(float64(time.Until(deadline))*share))
}
