package embed

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// teiWire asks a text-embeddings-inference server by its own route, which tells
// when a text is too long.
type teiWire struct{ common }

func (w teiWire) send(ctx context.Context, key string, kind Kind, texts []string) ([]numbered, error) {
	body := map[string]any{"inputs": w.hints.wrap(kind, texts), "truncate": w.opts.Whole}
	if hint := w.hints.field(kind); hint != "" {
		body[w.hints.taskField] = hint
	}
	if width := w.opts.width(); width > 0 {
		body[w.hints.widthField] = width
	}
	answer, err := w.post(ctx, w.address.at(""), bearer(key), len(texts), body)
	if err != nil {
		return nil, err
	}
	var raw []json.RawMessage
	if err := decode(answer, &raw); err != nil {
		return nil, err
	}
	vectors, err := vectorsOf(raw)
	return inRow(vectors), err
}

// geminiWire asks Google's own route, which knows what a text is for; its route
// for OpenAI's protocol does not.
type geminiWire struct{ common }

func (w geminiWire) send(ctx context.Context, key string, kind Kind, texts []string) ([]numbered, error) {
	model := "models/" + strings.TrimPrefix(w.opts.Model, "models/")
	requests := make([]map[string]any, len(texts))
	for i, text := range texts {
		r := map[string]any{"model": model, "content": map[string]any{"parts": []any{map[string]any{"text": text}}}}
		if hint := w.hints.field(kind); hint != "" {
			r[w.hints.taskField] = hint
		}
		if width := w.opts.width(); width > 0 {
			r[w.hints.widthField] = width
		}
		requests[i] = r
	}
	header := http.Header{}
	if key != "" {
		header.Set("X-Goog-Api-Key", key)
	}
	path := "/models/" + url.PathEscape(strings.TrimPrefix(model, "models/")) + ":batchEmbedContents"
	answer, err := w.post(ctx, w.address.at(path), header, len(texts), map[string]any{"requests": requests})
	if err != nil {
		return nil, err
	}
	var got struct {
		Embeddings []struct {
			Values json.RawMessage `json:"values"`
		} `json:"embeddings"`
	}
	if err := decode(answer, &got); err != nil {
		return nil, err
	}
	raw := make([]json.RawMessage, len(got.Embeddings))
	for i, e := range got.Embeddings {
		raw[i] = e.Values
	}
	vectors, err := vectorsOf(raw)
	return inRow(vectors), err
}
