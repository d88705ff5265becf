// Package rerank asks a cross-encoder of a provider how well documents answer a
// query. Package retrieve uses it for a second look at its best candidates.
//
// Concepts. A provider's request, the way it is authorised and the places where
// its answer may be are one entry in dialects.go; answers are read the same way
// for all of them (answer.go), because servers that imitate one another mix the
// forms. Scores leave in [0,1]; a document without one has NaN.
//
// Caveats: a provider that fails, hangs or talks nonsense is left alone after
// the first time, and tried again in the background with two sentences of ours:
// a recall never pays twice. A Reranker must be closed.
package rerank

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/provider"
)

const (
	// MaxDocuments bounds a request; retrieve has at most 100 candidates.
	MaxDocuments = 100
	// maxDocument and maxQuery bound their texts, in characters. The common models
	// read 500 to 1000 tokens of a document; what it is about stands in front.
	maxDocument = 4000
	maxQuery    = 1000
	// maxAnswer and maxAnswerEach bound an answer in bytes, the second for each
	// document, which some repeat: maxDocument characters of twelve bytes, as JSON
	// may write them.
	maxAnswer, maxAnswerEach = 64 << 10, 12*maxDocument + 1024
	// atOnce is how many requests run side by side. Ten recalls at the same moment
	// are no reason to be limited by the provider.
	atOnce = 4
	// rest is how long a provider that failed is left alone. It is short because
	// what ends it costs no recall anything.
	rest = 15 * time.Second
	// patience: even this little without an answer counts as a failure.
	patience = 50 * time.Millisecond
	// probeTimeout bounds the try in the background: a model may have to be loaded.
	probeTimeout = 20 * time.Second
)

// Options say whom to ask.
type Options struct {
	// Provider is jina, siliconflow, voyage, pinecone, dashscope or tei.
	Provider string
	// Endpoint and Model are empty for the provider's own. tei has none.
	Endpoint, Model string
	// Keys are used in turn; tei works without any.
	Keys []string
	// Client is nil for one that honours proxies and certificates.
	Client *http.Client
	// Rest replaces how long a provider that failed is left alone.
	Rest time.Duration
	// Now is the clock of the breaker and of resting keys; nil is the real one.
	Now func() time.Time
}

// Reranker asks one provider. It is safe for concurrent use.
type Reranker struct {
	dialect  dialect
	provider string
	model    string
	address  *url.URL
	keys     *provider.Keys
	client   *http.Client
	limit    *provider.Limit
	breaker  *provider.Breaker
}

// New checks the options. It does not contact the provider.
func New(o Options) (*Reranker, error) {
	d, known := dialects[o.Provider]
	if !known {
		return nil, fmt.Errorf("reranking: no provider %q; set retrieval.rerankProvider to one of %s", o.Provider, strings.Join(Providers(), ", "))
	}
	r := &Reranker{
		dialect: d, provider: o.Provider, model: strings.TrimSpace(o.Model),
		keys: provider.NewKeys(o.Keys), client: o.Client, limit: provider.NewLimit(atOnce),
	}
	r.keys.Now = o.Now
	if r.model == "" {
		r.model = d.model
	}
	var err error
	if r.address, err = d.address(strings.TrimSpace(o.Endpoint), r.model); err != nil {
		return nil, fmt.Errorf("reranking with %s: %w", o.Provider, err)
	}
	if d.needsKey && r.keys.Secrets()[0] == "" {
		return nil, fmt.Errorf("reranking with %s: it needs a key; set retrieval.rerankApiKey", o.Provider)
	}
	if r.client == nil {
		r.client = provider.Client(provider.ClientOptions{})
	}
	if o.Rest <= 0 {
		o.Rest = rest
	}
	r.breaker = provider.NewBreaker(provider.BreakerOptions{
		Rest: o.Rest, Patience: patience, Now: o.Now, Probe: r.Probe, ProbeTimeout: probeTimeout,
	})
	return r, nil
}

// Name is the model and where it runs, for messages.
func (r *Reranker) Name() string {
	if r.model == "" {
		return fmt.Sprintf("%s at %s", r.provider, r.address.Host)
	}
	return fmt.Sprintf("%s (%s at %s)", r.provider, r.model, r.address.Host)
}

// Close ends what goes on in the background.
func (r *Reranker) Close() {
	r.breaker.Close()
	r.client.CloseIdleConnections()
}

// Err is why the provider is left alone at the moment; nil if it is not.
func (r *Reranker) Err() error { return r.breaker.Err() }

// Rerank gives one score in [0,1] for each document, in their order, NaN for one
// that the provider did not score; more than MaxDocuments are not sent. While the
// provider is left alone the error comes at once, and is that of the failure.
func (r *Reranker) Rerank(ctx context.Context, query string, documents []string) ([]float64, error) {
	ctx, cancel := sooner(ctx)
	defer cancel()
	var scores []float64
	err := r.limit.Do(ctx, func() error {
		return r.breaker.Do(ctx, func(ctx context.Context) (err error) {
			scores, err = r.ask(ctx, query, documents)
			return r.failure(ctx, err)
		})
	})
	if err != nil {
		return nil, r.failure(ctx, err)
	}
	return scores, nil
}

// probe is all that a provider sees when it is tried.
var probe = struct {
	query     string
	documents []string
}{"memory-pro doctor: does reranking work?", []string{"Reranking works.", "The weather is fine."}}

// Probe asks about two sentences of ours, whether or not the provider is left
// alone.
func (r *Reranker) Probe(ctx context.Context) error {
	_, err := r.ask(ctx, probe.query, probe.documents)
	return r.failure(ctx, err)
}

// sooner ends a little before the caller's deadline, so that what is said about
// a provider that hangs is said here.
func sooner(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, deadline.Add(-time.Until(deadline)/20))
}

// ask sends one request, or several if keys are limited, and reads the answer.
func (r *Reranker) ask(ctx context.Context, query string, documents []string) ([]float64, error) {
	scores := make([]float64, len(documents))
	var sent []string
	var place []int // of each text that is sent, among the documents
	for i, d := range documents {
		scores[i] = math.NaN()
		if text := bounded(d, maxDocument); text != "" && len(sent) < MaxDocuments {
			sent, place = append(sent, text), append(place, i)
		}
	}
	if query = bounded(query, maxQuery); query == "" || len(sent) == 0 {
		return nil, errors.New("there is nothing to rerank")
	}
	var answered map[int]float64
	err := r.keys.Do(ctx, func(key string) error {
		body, err := provider.Post(ctx, r.client, provider.Request{
			URL: r.address.String(), Header: r.dialect.authorise(key), MaxAnswer: maxAnswer + int64(len(sent))*maxAnswerEach, Secrets: r.keys.Secrets(),
			Body: r.dialect.body(question{r.model, query, sent, r.address.Path}),
		})
		if err == nil {
			answered, err = read(body, len(sent), r.dialect.scoreNames())
		}
		return provider.Redact(err, r.keys.Secrets(), append(slices.Clone(sent), query)...)
	})
	if err != nil {
		return nil, err
	}
	for i, s := range answered {
		scores[place[i]] = s
	}
	return scores, nil
}

// bounded is the beginning of a text, without what is no text.
func bounded(text string, runes int) string {
	text = strings.TrimSpace(strings.ToValidUTF8(text, ""))
	n := 0
	for i := range text {
		if n++; n > runes {
			return text[:i]
		}
	}
	return text
}
