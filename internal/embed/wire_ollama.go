package embed

import (
	"context"
	"encoding/json"
)

// ollamaWire asks a server of Ollama by whichever route it has. Which ones there
// are depends on its version, and on what stands in front of it.
type ollamaWire struct{ common }

func newOllamaWire(c common) wire {
	w := ollamaWire{c}
	compatible := openaiWire{common: c, base: c.address.at("/v1")}.send
	list := []route{w.embed, compatible, w.older}
	if c.address.openai {
		list = []route{compatible, w.embed, w.older}
	}
	return &routes{list: list, missing: func(_ []numbered, err error) bool { return noRoute(err) }}
}

// embed is the route of today, for many texts at once. The server would cut what
// is too long for the model and say nothing.
func (w ollamaWire) embed(ctx context.Context, key string, kind Kind, texts []string) ([]numbered, error) {
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
func (w ollamaWire) older(ctx context.Context, key string, kind Kind, texts []string) ([]numbered, error) {
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
