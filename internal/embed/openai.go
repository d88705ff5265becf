// Package embed turns text into vectors. Local runs the model inside the program;
// OpenAI speaks the protocol of that name, which most providers and local servers
// understand.
//
// Concepts. A query and a stored passage may be embedded differently (task
// hints), so there are two kinds of calls. Every vector is checked before it
// leaves: the right width, finite, not all zero; a broken one is an error and
// never a row. Errors name the cause and the next step, and wrap one of the
// sentinels in errors.go.
//
// Caveats: nothing is retried here; the caller knows how much time is left. Texts
// longer than MaxInputChars are embedded by their beginning.
package embed

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// Defaults of Options.
const (
	DefaultModel   = "text-embedding-3-small"
	DefaultBaseURL = "https://api.openai.com/v1"
	DefaultTimeout = 30 * time.Second
	// DefaultCacheSize is in vectors: 256 of 1536 dimensions are 1.5 MB. Recall
	// asks the same question again within a turn (hook, then tool), seldom later.
	DefaultCacheSize = 256
)

// batchSize is the number of inputs of one request. Some providers refuse more
// than 100; past 64 a larger batch no longer saves time.
const batchSize = 64

// Options configure an OpenAI-compatible provider. The zero value is OpenAI's
// small model without a key.
type Options struct {
	// APIKey may be empty: local servers need none.
	APIKey  string
	BaseURL string
	Model   string
	// Dimensions is the width of the vectors the provider returns; 0 takes it
	// from the table of known models.
	Dimensions int
	// RequestDimensions asks the provider for that width, which is then the
	// width of the vectors. OmitDimensions never sends the field.
	RequestDimensions int
	OmitDimensions    bool
	// Timeout bounds one request; 0 means DefaultTimeout.
	Timeout time.Duration
	// MaxInputChars cuts longer texts; 0 means the model's own, if one is known.
	MaxInputChars int
	// CacheSize is in vectors; 0 means DefaultCacheSize, negative none.
	CacheSize int
	// TaskQuery and TaskPassage are sent as the provider's task hint.
	TaskQuery, TaskPassage string
	// HTTPClient is used instead of the default one, which honours the proxy
	// variables of the environment.
	HTTPClient *http.Client
}

// OpenAI embeds through an OpenAI-compatible server. It is safe for concurrent use.
type OpenAI struct {
	opts   Options
	host   string
	shape  shape
	width  int
	client *openai.Client
	cache  *cache
}

// NewOpenAI checks the options. It does not contact the server.
func NewOpenAI(o Options) (*OpenAI, error) {
	o.Model = strings.TrimSpace(o.Model)
	if o.Model == "" {
		o.Model = DefaultModel
	}
	base, err := baseURL(o.BaseURL)
	if err != nil {
		return nil, err
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.MaxInputChars <= 0 {
		o.MaxInputChars = knownInputChars(o.Model)
	}
	width := widthOf(o)
	if width <= 0 {
		return nil, fmt.Errorf("configuring embedding model %q: its vector width is not known; set embedding.dimensions to the number of values it returns", o.Model)
	}
	config := openai.DefaultConfig(o.APIKey)
	config.BaseURL = base.String()
	if o.HTTPClient == nil {
		o.HTTPClient = &http.Client{}
	}
	config.HTTPClient = inspector{o.HTTPClient}
	e := &OpenAI{opts: o, host: base.Host, shape: shapeOf(base.Hostname(), o.Model), width: width, client: openai.NewClientWithConfig(config)}
	e.cache = newCache(o.CacheSize)
	return e, nil
}

// baseURL reads an endpoint as people write it.
func baseURL(s string) (*url.URL, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		s = DefaultBaseURL
	}
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fmt.Errorf("configuring embedding: baseURL %q is no http or https address; write it like %s", s, DefaultBaseURL)
	}
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/embeddings")
	if u.Path == "" && u.Port() == "11434" {
		u.Path = "/v1" // Ollama serves this protocol there
	}
	return u, nil
}

// Dimensions is the width of every vector.
func (e *OpenAI) Dimensions() int { return e.width }

// Model is the model's name.
func (e *OpenAI) Model() string { return e.opts.Model }

// Fingerprint names everything that decides what a vector means. Vectors of
// different fingerprints must not be compared.
func (e *OpenAI) Fingerprint() string {
	return fmt.Sprintf("%s model=%q dimensions=%d query=%q passage=%q", e.shape.name, e.opts.Model, e.width,
		e.shape.mark(Query, e.opts), e.shape.mark(Passage, e.opts))
}

// EmbedQuery embeds a question.
func (e *OpenAI) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	return e.one(ctx, Query, text)
}

// EmbedPassage embeds a text to be stored.
func (e *OpenAI) EmbedPassage(ctx context.Context, text string) ([]float32, error) {
	return e.one(ctx, Passage, text)
}

// EmbedPassages embeds texts to be stored, in order. It fails as a whole.
func (e *OpenAI) EmbedPassages(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	missing := map[string][]int{} // a text twice in a batch is sent once
	var order []string
	for i, text := range texts {
		text = e.cut(text)
		if strings.TrimSpace(text) == "" {
			return nil, fmt.Errorf("embedding text %d of %d: it is empty: %w", i+1, len(texts), ErrInput)
		}
		if v, ok := e.cache.get(Passage, text); ok {
			vectors[i] = v
			continue
		}
		if missing[text] == nil {
			order = append(order, text)
		}
		missing[text] = append(missing[text], i)
	}
	for len(order) > 0 {
		batch := order[:min(batchSize, len(order))]
		order = order[len(batch):]
		got, err := e.request(ctx, Passage, batch)
		if err != nil {
			return nil, err
		}
		for j, text := range batch {
			e.cache.put(Passage, text, got[j])
			for _, i := range missing[text] {
				vectors[i] = slices.Clone(got[j])
			}
		}
	}
	return vectors, nil
}

func (e *OpenAI) one(ctx context.Context, kind Kind, text string) ([]float32, error) {
	text = e.cut(text)
	if strings.TrimSpace(text) == "" {
		return nil, fmt.Errorf("embedding a text: it is empty: %w", ErrInput)
	}
	return e.cache.do(ctx, kind, text, func() ([]float32, error) {
		got, err := e.request(ctx, kind, []string{text})
		if err != nil {
			return nil, err
		}
		return got[0], nil
	})
}

// cut keeps the first MaxInputChars characters.
func (e *OpenAI) cut(text string) string {
	if e.opts.MaxInputChars <= 0 || len(text) <= e.opts.MaxInputChars {
		return text
	}
	n := 0
	for i := range text {
		if n == e.opts.MaxInputChars {
			return text[:i]
		}
		n++
	}
	return text
}

// request sends one batch and returns its vectors in the order of the inputs.
func (e *OpenAI) request(ctx context.Context, kind Kind, inputs []string) ([][]float32, error) {
	call, cancel := context.WithTimeout(ctx, e.opts.Timeout)
	defer cancel()
	answer, err := e.client.CreateEmbeddings(call, e.shape.request(kind, inputs, e.opts))
	if err != nil {
		return nil, e.explain(ctx, err)
	}
	vectors, err := inOrder(answer.Data, len(inputs))
	if err != nil {
		return nil, fmt.Errorf("embedding with %s: %w", e.name(), err)
	}
	for _, v := range vectors {
		if err := Check(v, e.width); err != nil {
			return nil, fmt.Errorf("embedding with %s: %w%s", e.name(), err, e.widthHint(len(v)))
		}
	}
	return vectors, nil
}

// name is the model and where it runs, for messages.
func (e *OpenAI) name() string { return fmt.Sprintf("%q at %s", e.opts.Model, e.host) }

// widthHint is the way out of a wrong width.
func (e *OpenAI) widthHint(got int) string {
	switch {
	case got == 0 || got == e.width:
		return ""
	case e.opts.RequestDimensions > 0:
		return fmt.Sprintf("; the provider ignores the width asked for: remove embedding.requestDimensions and set embedding.dimensions to %d", got)
	}
	return fmt.Sprintf("; set embedding.dimensions to %d, or embedding.requestDimensions to %d if the provider can shorten its vectors", got, e.width)
}
