package rerank

import (
	"context"
	"errors"
	"fmt"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/provider"
)

// Settings that messages name.
const (
	keySetting     = "retrieval.rerankApiKey"
	addressSetting = "retrieval.rerankEndpoint"
	modelSetting   = "retrieval.rerankModel"
	waitSetting    = "retrieval.rerankTimeoutMs"
)

// failed is a failure put into words. It is made once: what callers are told
// while the provider is left alone is the same error.
type failed struct {
	text string
	err  error
}

func (f *failed) Error() string { return f.text }
func (f *failed) Unwrap() error { return f.err }

// failure names the provider, what happened and the next step.
func (r *Reranker) failure(ctx context.Context, err error) error {
	var known *failed
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known): // also the one that opened the breaker
		return known
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("reranking with %s: %w", r.Name(), context.Canceled)
	}
	return &failed{fmt.Sprintf("reranking with %s: %s", r.Name(), r.cause(err)), err}
}

func (r *Reranker) cause(err error) string {
	var status *provider.StatusError
	if errors.As(err, &status) {
		return fmt.Sprintf("%v; %s", err, status.Advice(keySetting, addressSetting, modelSetting))
	}
	if words := provider.Unreachable(err, addressSetting, waitSetting, r.keys.Secrets()...); words != "" {
		return words
	}
	if errors.Is(err, errAnswer) {
		return fmt.Sprintf("%v; check that what answers at %s is of the kind that retrieval.rerankProvider names", err, addressSetting)
	}
	return provider.Public(err.Error(), r.keys.Secrets()...)
}
