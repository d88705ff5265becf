package embed

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/provider"
)

// ollamaWire asks a server of Ollama by whichever route it has. Which ones there
// are depends on its version, and on what stands in front of it.
type ollamaWire struct {
	common
	routes []route
	// works is the place of the route that worked last.
	works atomic.Int32
}

type route func(ctx context.Context, key string, kind Kind, texts []string) ([]numbered, error)

func newOllamaWire(c common) *ollamaWire {
	w := &ollamaWire{common: c}
	compatible := openaiWire{common: c, base: c.address.at("/v1")}.send
	w.routes = []route{w.embed, compatible, w.older}
	if c.address.openai {
		w.routes = []route{compatible, w.embed, w.older}
	}
	return w
}

// send tries the route that worked last, and then the others if it is gone.
func (w *ollamaWire) send(ctx context.Context, key string, kind Kind, texts []string) ([]numbered, error) {
	first := int(w.works.Load())
	var missing error
	for i := range w.routes {
		at := (first + i) % len(w.routes)
		got, err := w.routes[at](ctx, key, kind, texts)
		if noRoute(err) {
			if missing == nil {
				missing = err
			}
			continue
		}
		w.works.Store(int32(at))
		return got, err
	}
	return nil, missing
}

// noRoute tells a path the server does not have from a model it does not have.
func noRoute(err error) bool {
	var s *provider.StatusError
	if !errors.As(err, &s) {
		return false
	}
	return s.Status == http.StatusMethodNotAllowed || s.Status == http.StatusNotFound && !strings.Contains(strings.ToLower(s.Message), "model")
}

// embed is the route of today, for many texts at once. The server would cut what
// is too long for the model and say nothing.
func (w *ollamaWire) embed(ctx context.Context, key string, kind Kind, texts []string) ([]numbered, error) {
	body := map[string]any{"model": w.opts.Model, "input": w.hints.wrap(kind, texts)}
	if width := w.opts.width(); width > 0 {
		body["dimensions"] = width
	}
	if !w.opts.Whole {
		body["truncate"] = false
	}
	answer, err := w.post(ctx, w.address.at("/api/embed"), bearer(key), len(texts), body)
	if err != nil {
		return nil, err
	}
	var got struct {
		Embeddings []json.RawMessage `json:"embeddings"`
	}
	if err := decode(answer, &got); err != nil {
		return nil, err
	}
	vectors, err := vectorsOf(got.Embeddings)
	return inRow(vectors), err
}

// older is the route of old versions: one text a request.
func (w *ollamaWire) older(ctx context.Context, key string, kind Kind, texts []string) ([]numbered, error) {
	var vectors [][]float32
	for _, text := range w.hints.wrap(kind, texts) {
		answer, err := w.post(ctx, w.address.at("/api/embeddings"), bearer(key), 1, map[string]any{"model": w.opts.Model, "prompt": text})
		if err != nil {
			return nil, err
		}
		var got struct {
			Embedding json.RawMessage `json:"embedding"`
		}
		if err := decode(answer, &got); err != nil {
			return nil, err
		}
		one, err := vectorsOf([]json.RawMessage{got.Embedding})
		if err != nil {
			return nil, err
		}
		vectors = append(vectors, one...)
	}
	return inRow(vectors), nil
}
