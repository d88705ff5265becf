package embed

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/provider"
)

// azureVersion is used where neither the settings nor the address name one: the
// newest that Azure calls stable.
const azureVersion = "2024-10-21"

// openaiWire speaks the protocol of OpenAI, and Azure's forms of it.
type openaiWire struct {
	common
	base string
}

func (w openaiWire) send(ctx context.Context, key string, kind Kind, texts []string) ([]numbered, error) {
	answer, err := w.api(key, len(texts)).CreateEmbeddings(ctx, w.request(kind, texts))
	if err != nil {
		return nil, err
	}
	list := make([]numbered, len(answer.Data))
	for i, d := range answer.Data {
		list[i] = numbered{d.Index, d.Embedding}
	}
	return list, nil
}

// api is a client for one key and so many texts; it costs nothing to make.
func (w openaiWire) api(key string, n int) *openai.Client {
	doer := inspector{client: w.client, secrets: w.secrets, texts: n, most: w.opts.mostBytes(n)}
	config := openai.DefaultConfig(key)
	switch w.address.kind {
	case serverAzure:
		config = openai.DefaultAzureConfig(key, w.base)
		config.APIVersion = firstOf(w.opts.APIVersion, w.address.version, azureVersion)
		config.AzureModelMapperFunc = func(model string) string { return firstOf(w.address.deployment, model) }
	case serverAzureV1:
		doer.header, config = key, openai.DefaultConfig("")
		config.APIVersion = firstOf(w.opts.APIVersion, w.address.version)
	}
	config.BaseURL, config.HTTPClient = w.base, doer
	return openai.NewClientWithConfig(config)
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// request fills in what the profile knows.
func (w openaiWire) request(kind Kind, texts []string) openai.EmbeddingRequest {
	h, o := w.hints, w.opts
	r := openai.EmbeddingRequest{Input: h.wrap(kind, texts), Model: openai.EmbeddingModel(o.Model), ExtraBody: map[string]any{}}
	if h.format {
		r.EncodingFormat = openai.EmbeddingEncodingFormatFloat
	}
	if hint := h.field(kind); hint != "" {
		r.ExtraBody[h.taskField] = hint
	}
	if width := o.width(); width > 0 {
		r.ExtraBody[h.widthField] = width
	}
	if h.normalized && o.Normalized != nil {
		r.ExtraBody["normalized"] = *o.Normalized
	}
	return r
}

// inspector looks at answers before the library decodes them; see inspect. A
// failure leaves as an error of package provider.
type inspector struct {
	client  *http.Client
	secrets []string
	header  string // a key for Azure's header; "" for none
	texts   int    // how many were sent
	most    int64  // bytes of an answer
}

// Do sends the request and checks the answer.
func (i inspector) Do(req *http.Request) (*http.Response, error) {
	if i.header != "" {
		req.Header.Set(openai.AzureAPIKeyHeader, i.header)
	}
	res, err := i.client.Do(req)
	if err != nil {
		return nil, err
	}
	body, err := provider.ReadAnswer(res, i.most)
	_ = res.Body.Close() // it was read to its end, or is given up
	if err != nil {
		return nil, err
	}
	if err := provider.CheckStatus(res, body, time.Now(), i.secrets...); err != nil {
		return nil, err
	}
	if int64(len(body)) > i.most {
		return nil, fmt.Errorf("the answer to %d texts is larger than %d KB: %w", i.texts, i.most>>10, ErrBadVector)
	}
	if err := plausible(body, i.texts); err != nil {
		return nil, err
	}
	if body, err = inspect(body); err != nil {
		return nil, err
	}
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return res, nil
}
