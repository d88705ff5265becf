// Package retrieve finds the memories that answer a query. Recall in recall.go
// is the whole pipeline as a list of steps; each step has a file.
//
// Concepts. Two halves look for candidates at the same time: the vector half by
// meaning, the keyword half by words. rank turns their raw scores into one in
// [0,1]. Steps that judge relevance come before the last cut (a second look by a
// reranker, length); what may only reorder comes after it (age, likeness to a
// better hit). Every hit carries the tree that explains its score and a line for
// people, and the result says what was dropped, where and why.
//
// Caveats: a half or a reranker that fails is reported in Result.Degraded, not
// returned as an error, unless both halves fail. A Retriever is safe for
// concurrent use.
package retrieve

import (
	"context"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// Searcher finds candidates inside the caller's scopes. Both methods must honour
// ctx, return at most limit hits, best first, and fill Memory.Vector where the
// row has one. Nearest scores by cosine in [-1,1], Matching by BM25 ≥ 0. Their
// errors name the operation; they are shown as they are.
type Searcher interface {
	Nearest(ctx context.Context, who scope.Filter, narrow memory.Narrow, vector []float32, limit int) ([]memory.Hit, error)
	Matching(ctx context.Context, who scope.Filter, narrow memory.Narrow, text string, limit int) ([]memory.Hit, error)
}

// Getter reads rows by id, with their vectors; ids that do not exist or are out of
// reach are left out. A Searcher that has it can tell the fate of Request.Watch.
type Getter interface {
	GetWhole(ctx context.Context, who scope.Filter, ids ...string) (map[string]memory.Memory, error)
}

// Embedder turns a query into a vector. It must honour ctx, and its errors name
// the operation.
type Embedder interface {
	EmbedQuery(ctx context.Context, text string) ([]float32, error)
}

// Reranker looks at query and document together.
type Reranker interface {
	// Rerank gives one score per document in [0,1], NaN for a document it did not
	// score. It must honour ctx; its errors name the provider.
	Rerank(ctx context.Context, query string, documents []string) ([]float64, error)
	Name() string
}

// Modes of retrieval. A Result's mode says which halves took part.
const (
	ModeHybrid  = "hybrid"
	ModeVector  = "vector"
	ModeKeyword = "keyword"
	// ModeTags is the mode of a Result whose query holds tags: its rows do, too.
	ModeTags = "tags"
)

// Sources of a request.
const (
	SourceManual = "manual"
	SourceHook   = "auto-recall"
	SourceCLI    = "cli"
)

// Modes of the second look.
const (
	RerankNone         = "none"
	RerankCrossEncoder = "cross-encoder"
	RerankLightweight  = "lightweight"
)

// Limits of a request.
const (
	DefaultLimit = 3
	MaxLimit     = 20
)

// Pool sizes: how many candidates each half is asked for.
const (
	DefaultPoolSize = 20
	MaxPoolSize     = 100
)

// Default weights and cuts, those of the plugin this product replaces.
const (
	DefaultVectorWeight = 0.7
	DefaultBM25Weight   = 0.3
	DefaultMinScore     = 0.3
	DefaultHardMinScore = 0.35
)

// DefaultDiversity is the cosine over which two hits say the same.
const DefaultDiversity = 0.85

// DefaultLengthAnchor is the length from which a row counts less, in characters.
const DefaultLengthAnchor = 500

// DefaultTagPrefixes begin the tag tokens of a query.
var DefaultTagPrefixes = []string{"proj", "env", "team", "scope"}
