package embed

import (
	"context"
	"fmt"
	"net/http"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/provider"
)

// wire is how a server is asked. send makes one request for a few texts, with a
// key ("" for none). Its errors are those of package provider and of net/http,
// or wrap ErrBadVector or ErrRejected.
type wire interface {
	send(ctx context.Context, key string, kind Kind, texts []string) ([]numbered, error)
}

// numbered is a vector of an answer and which text it says it belongs to.
type numbered struct {
	index  int
	vector []float32
}

// inRow numbers vectors that come in the order of their texts.
func inRow(vectors [][]float32) []numbered {
	list := make([]numbered, len(vectors))
	for i, v := range vectors {
		list[i] = numbered{i, v}
	}
	return list
}

// wireOf chooses the protocol of an address.
func wireOf(a address, h hints, o Options, secrets []string) wire {
	common := common{client: o.HTTPClient, address: a, hints: h, opts: o, secrets: secrets}
	switch a.kind {
	case serverOllama:
		return newOllamaWire(common)
	case serverTEI:
		return teiWire{common}
	case serverGemini:
		return geminiWire{common}
	}
	return newOpenAIWire(common)
}

// common is what every wire needs.
type common struct {
	client  *http.Client
	address address
	hints   hints
	opts    Options
	secrets []string
}

// post sends a body with n texts and gives the answer's.
func (c common) post(ctx context.Context, url string, header http.Header, n int, body any) ([]byte, error) {
	answer, err := provider.Post(ctx, c.client, provider.Request{URL: url, Header: header, Body: body, MaxAnswer: c.opts.mostBytes(n), Secrets: c.secrets})
	if err != nil {
		return nil, err
	}
	return answer, plausible(answer, n)
}

// bearer is the header most servers want, none without a key.
func bearer(key string) http.Header {
	h := http.Header{}
	if key != "" {
		h.Set("Authorization", "Bearer "+key)
	}
	return h
}

// width is the width to ask for, 0 for none.
func (o Options) width() int {
	if o.OmitDimensions {
		return 0
	}
	return o.RequestDimensions
}

// placed puts the vectors of an answer where their texts are. A place without one
// is nil, and err says why: the answer numbers too few, the same twice, or none.
// Servers that number nothing leave every index 0; their order is taken as it is.
func placed(got []numbered, want int) (vectors [][]float32, err error) {
	counts := map[int]int{}
	isNumbered := false
	for _, n := range got {
		counts[n.index]++
		isNumbered = isNumbered || n.index != 0
	}
	vectors = make([][]float32, want)
	if len(got) != want {
		err = fmt.Errorf("%d vectors came back for %d texts: %w", len(got), want, ErrBadVector)
	}
	for i, n := range got {
		at := n.index
		switch {
		case !isNumbered && len(got) != want:
			continue
		case !isNumbered:
			at = i
		case at < 0 || at >= want || counts[at] > 1:
			err = fmt.Errorf("the answer numbers its vectors wrongly (index %d of %d, or twice the same): %w", at, want, ErrBadVector)
			continue
		}
		vectors[at] = n.vector
		if n.vector == nil {
			vectors[at] = []float32{} // present, though empty: Check names it
		}
	}
	return vectors, err
}
