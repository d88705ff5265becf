package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/provider"
)

const (
	// embedderRest is how long a provider that failed is left alone. It is short
	// because what ends it costs nobody anything: a request in the background.
	embedderRest = 2 * time.Second
	// embedderProbe bounds that request: a model may have to be loaded first.
	embedderProbe = 20 * time.Second
)

// watched remembers how the provider fares, for Health, keeps calls from one that
// is down, and tells when it works again after a failure.
type watched struct {
	Embedder
	recovered func()
	// breaker is nil for a model that needs no network.
	breaker *provider.Breaker

	mu   sync.Mutex
	last error
}

// prober is an embedder that can be tried without a cache answering for it.
type prober interface {
	Probe(ctx context.Context) error
}

// watch puts a breaker before an embedder that can be down. A rest of 0 is the
// usual one, a nil clock the real one.
func watch(e Embedder, rest time.Duration, now func() time.Time, recovered func()) *watched {
	w := &watched{Embedder: e, recovered: recovered}
	p, remote := e.(prober)
	if !remote {
		return w
	}
	if rest <= 0 {
		rest = embedderRest
	}
	w.breaker = provider.NewBreaker(provider.BreakerOptions{
		Rest: rest, Counts: down, Now: now, ProbeTimeout: embedderProbe,
		Probe: func(ctx context.Context) error {
			err := p.Probe(ctx)
			if err != nil && !down(err) {
				return nil // it answers; what it says, the next call hears, too
			}
			return err
		},
		Closed: func() { w.note(nil) },
	})
	return w
}

// down tells a provider that does not serve from one that refuses a request.
func down(err error) bool {
	return errors.Is(err, embed.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded)
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

// guard makes a call unless the provider is known to be down, and takes note of
// how it ended. A caller who left does not look like a provider that failed.
func (w *watched) guard(ctx context.Context, call func(context.Context) error) error {
	var err error
	if w.breaker == nil {
		err = call(ctx)
	} else {
		err = w.breaker.Do(ctx, call)
	}
	var some *embed.ItemsError
	switch {
	case errors.As(err, &some): // the others were embedded
		w.note(nil)
	case err == nil, ctx.Err() != context.Canceled && !errors.Is(err, provider.ErrOpen):
		w.note(err)
	}
	return err
}

// probe asks the provider itself, whatever is kept or known of it.
func (w *watched) probe(ctx context.Context) (err error) {
	if p, remote := w.Embedder.(prober); remote {
		err = p.Probe(ctx)
	} else {
		_, err = w.Embedder.EmbedQuery(ctx, probeText)
	}
	if err == nil || ctx.Err() != context.Canceled {
		w.note(err)
	}
	return err
}

// works asks for the vector of a text that every provider can embed.
func (w *watched) works(ctx context.Context) error {
	if _, remote := w.Embedder.(prober); remote {
		return w.probe(ctx)
	}
	_, err := w.EmbedPassage(ctx, probeText)
	return err
}

// stop ends what goes on in the background.
func (w *watched) stop() {
	if w.breaker != nil {
		w.breaker.Close()
	}
}

// kept gives a vector that is there already, also while the provider is down.
func (w *watched) kept(kind embed.Kind, text string) ([]float32, bool) {
	if k, keeps := w.Embedder.(interface {
		Kept(embed.Kind, string) ([]float32, bool)
	}); keeps {
		return k.Kept(kind, text)
	}
	return nil, false
}

func (w *watched) EmbedQuery(ctx context.Context, text string) (v []float32, err error) {
	if v, ok := w.kept(embed.Query, text); ok {
		return v, nil
	}
	err = w.guard(ctx, func(ctx context.Context) error {
		v, err = w.Embedder.EmbedQuery(ctx, text)
		return err
	})
	return v, err
}

func (w *watched) EmbedPassage(ctx context.Context, text string) (v []float32, err error) {
	if v, ok := w.kept(embed.Passage, text); ok {
		return v, nil
	}
	err = w.guard(ctx, func(ctx context.Context) error {
		v, err = w.Embedder.EmbedPassage(ctx, text)
		return err
	})
	return v, err
}

func (w *watched) EmbedPassages(ctx context.Context, texts []string) (v [][]float32, err error) {
	err = w.guard(ctx, func(ctx context.Context) error {
		v, err = w.Embedder.EmbedPassages(ctx, texts)
		return err
	})
	return v, err
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
