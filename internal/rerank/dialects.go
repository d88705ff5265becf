package rerank

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// dialect is what providers do differently.
type dialect struct {
	// endpoint and model are the provider's own; empty where it has none.
	endpoint, model string
	needsKey        bool
	// tail is the end of an address that was given without one.
	tail      string
	authorise func(key string) http.Header
	body      func(question) any
	// scoreFirst: the score is under "score" rather than "relevance_score".
	scoreFirst bool
}

// question is what a request is made of. path is that of the address.
type question struct {
	model, query string
	documents    []string
	path         string
}

// Bodies of requests, as the providers document them.
type (
	withTopN struct {
		Model     string   `json:"model,omitempty"`
		Query     string   `json:"query"`
		Documents []string `json:"documents"`
		TopN      int      `json:"top_n"`
	}
	withTopK struct {
		Model     string   `json:"model,omitempty"`
		Query     string   `json:"query"`
		Documents []string `json:"documents"`
		TopK      int      `json:"top_k"`
	}
	ofPinecone struct {
		Model      string            `json:"model"`
		Query      string            `json:"query"`
		Documents  []pineconeText    `json:"documents"`
		TopN       int               `json:"top_n"`
		RankFields []string          `json:"rank_fields"`
		Parameters map[string]string `json:"parameters,omitempty"`
	}
	pineconeText struct {
		Text string `json:"text"`
	}
	ofDashScope struct {
		Model string `json:"model"`
		Input struct {
			Query     string   `json:"query"`
			Documents []string `json:"documents"`
		} `json:"input"`
	}
	ofTEI struct {
		Query    string   `json:"query"`
		Texts    []string `json:"texts"`
		Truncate bool     `json:"truncate"` // else a text past the model's length refuses them all
	}
)

var dialects = map[string]dialect{
	"jina":        {endpoint: "https://api.jina.ai/v1/rerank", model: "jina-reranker-v3", needsKey: true, tail: "/rerank", authorise: bearer, body: topN},
	"siliconflow": {endpoint: "https://api.siliconflow.com/v1/rerank", model: "BAAI/bge-reranker-v2-m3", needsKey: true, tail: "/rerank", authorise: bearer, body: topN},
	"voyage": {endpoint: "https://api.voyageai.com/v1/rerank", model: "rerank-2.5", needsKey: true, tail: "/rerank", authorise: bearer,
		body: func(q question) any { return withTopK{q.model, q.query, q.documents, len(q.documents)} }},
	"pinecone": {endpoint: "https://api.pinecone.io/rerank", model: "bge-reranker-v2-m3", needsKey: true, tail: "/rerank", scoreFirst: true,
		authorise: func(key string) http.Header {
			return http.Header{"Api-Key": {key}, "X-Pinecone-Api-Version": {"2024-10"}}
		}, body: pinecone},
	"dashscope": {endpoint: dashScopeNative, model: "gte-rerank-v2", needsKey: true, authorise: bearer, body: dashScope},
	"tei": {tail: "/rerank", scoreFirst: true, authorise: bearer,
		body: func(q question) any { return ofTEI{q.query, q.documents, true} }},
}

// DashScope serves its newest text model under another address, in another form.
const (
	dashScopeNative = "https://dashscope.aliyuncs.com/api/v1/services/rerank/text-rerank/text-rerank"
	dashScopeFlat   = "https://dashscope.aliyuncs.com/compatible-api/v1/reranks"
	dashScopeNewest = "qwen3-rerank"
)

// Providers are the names New knows, sorted.
func Providers() []string { return slices.Sorted(maps.Keys(dialects)) }

func bearer(key string) http.Header {
	if key == "" {
		return nil
	}
	return http.Header{"Authorization": {"Bearer " + key}}
}

func topN(q question) any { return withTopN{q.model, q.query, q.documents, len(q.documents)} }

func pinecone(q question) any {
	b := ofPinecone{Model: q.model, Query: q.query, TopN: len(q.documents), RankFields: []string{"text"}}
	for _, d := range q.documents {
		b.Documents = append(b.Documents, pineconeText{d})
	}
	if strings.HasPrefix(q.model, "bge-") || strings.HasPrefix(q.model, "pinecone-") {
		b.Parameters = map[string]string{"truncate": "END"} // these refuse a long text otherwise
	}
	return b
}

func dashScope(q question) any {
	if last := q.path[strings.LastIndex(q.path, "/")+1:]; last == "reranks" || last == "rerank" {
		return topN(q)
	}
	b := ofDashScope{Model: q.model}
	b.Input.Query, b.Input.Documents = q.query, q.documents
	return b
}

// scoreNames are the names of a score, the likelier one first.
func (d dialect) scoreNames() []string {
	if d.scoreFirst {
		return []string{"score", "relevance_score"}
	}
	return []string{"relevance_score", "score"}
}

// address reads an endpoint as people write it: with or without its last part.
func (d dialect) address(endpoint, model string) (*url.URL, error) {
	if endpoint == "" {
		endpoint = d.endpoint
		if endpoint == dashScopeNative && model == dashScopeNewest {
			endpoint = dashScopeFlat
		}
	}
	if endpoint == "" {
		return nil, errors.New("it has no address of its own; set retrieval.rerankEndpoint to where it runs, like http://127.0.0.1:8080")
	}
	u, err := url.Parse(endpoint)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fmt.Errorf("retrieval.rerankEndpoint is no http or https address; write it like %s", cmp.Or(d.endpoint, "http://127.0.0.1:8080/rerank"))
	}
	if path := strings.TrimRight(u.Path, "/"); path == "" || strings.HasSuffix(path, "/v1") {
		u.Path = d.path(path)
	}
	return u, nil
}

// path completes one that ends where the provider's calls begin.
func (d dialect) path(given string) string {
	own, err := url.Parse(d.endpoint)
	if given != "" || err != nil || own.Path == "" {
		return given + d.tail
	}
	return own.Path
}
