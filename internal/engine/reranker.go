package engine

import (
	"context"
	"errors"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rerank"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
)

const (
	// rerankPatience is how long a second look may take when nobody says; its share
	// of the caller's deadline bounds it besides.
	rerankPatience = 5 * time.Second
	// Before a turn it is half of the time for recall, within these.
	rerankLeastInTurn = 500 * time.Millisecond
	rerankMostInTurn  = 2500 * time.Millisecond
)

// chooseReranker makes what the configuration describes. There is none without a
// key (for tei: without an endpoint), and none where the settings are wrong: a
// recall does without, and doctor says why.
func (e *Engine) chooseReranker() *rerank.Reranker {
	r := e.cfg.Retrieval.Rerank
	if !wantsReranker(r) {
		return nil
	}
	made, err := newReranker(r)
	if err != nil {
		e.log.Warn("results are not reranked", "reason", err)
		return nil
	}
	return made
}

// wantsReranker reports whether the settings ask for a provider and give what it needs.
func wantsReranker(r config.Rerank) bool {
	if r.Mode != retrieve.RerankCrossEncoder {
		return false
	}
	if r.Fault != "" {
		return true
	}
	if r.Provider == "tei" {
		return r.Endpoint != ""
	}
	return len(r.APIKeys) > 0
}

func newReranker(r config.Rerank) (*rerank.Reranker, error) {
	if r.Fault != "" {
		return nil, errors.New(r.Fault)
	}
	return rerank.New(rerank.Options{Provider: r.Provider, Endpoint: r.Endpoint, Model: r.Model, Keys: r.APIKeys})
}

// rerankOptions are the settings of c as package retrieve takes them, for a recall
// of this source.
func (e *Engine) rerankOptions(c config.Config, source string) retrieve.Rerank {
	o := retrieve.Rerank{Mode: c.Retrieval.Rerank.Mode, Timeout: rerankTimeout(c, source)}
	if e.reranker != nil {
		o.By = e.reranker
	}
	return o
}

func rerankTimeout(c config.Config, source string) time.Duration {
	if ms := c.Retrieval.Rerank.TimeoutMs; ms != nil {
		return time.Duration(*ms) * time.Millisecond
	}
	if budget := c.AutoRecall.TimeoutMs; source == retrieve.SourceHook && budget > 0 {
		half := time.Duration(budget) * time.Millisecond / 2
		return min(max(half, rerankLeastInTurn), rerankMostInTurn)
	}
	return rerankPatience
}

// closeReranker ends what it does in the background.
func (e *Engine) closeReranker() {
	if e.reranker != nil {
		e.reranker.Close()
	}
}

// RerankProbe says how reranking fares right now.
type RerankProbe struct {
	// Configured is false where no provider is asked for, or it has no key or no
	// endpoint; nothing is sent anywhere then.
	Configured bool
	// Name is the model and where it runs.
	Name string
	Took time.Duration
	Err  error
}

// ProbeReranker asks the provider about two sentences of ours.
func (e *Engine) ProbeReranker(ctx context.Context) RerankProbe {
	c := e.cfg.Retrieval.Rerank
	p := RerankProbe{Configured: wantsReranker(c)}
	if !p.Configured {
		return p
	}
	if e.reranker == nil {
		made, err := newReranker(c)
		if p.Err = err; err == nil {
			made.Close()
		}
		return p
	}
	p.Name = e.reranker.Name()
	begun := time.Now()
	p.Err = e.reranker.Probe(ctx)
	p.Took = time.Since(begun)
	return p
}
