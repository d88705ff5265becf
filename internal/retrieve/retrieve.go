// Package retrieve finds the memories that answer a query. Recall in recall.go
// is the whole pipeline as a list of steps; each step has a file.
//
// Concepts. Two halves look for candidates at the same time: the vector half by
// meaning, the keyword half by words. rank turns their raw scores into one in
// [0,1]; cuts, order and limit follow. Every hit carries the tree that explains
// its score and a line for people, and the result says what was dropped and why.
//
// Caveats: a half that fails is reported in Result.Degraded, not returned as an
// error, unless both fail. A Retriever is safe for concurrent use.
package retrieve

import (
	"context"
	"log/slog"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
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

// Embedder turns a query into a vector. It must honour ctx, and its errors name
// the operation.
type Embedder interface {
	EmbedQuery(ctx context.Context, text string) ([]float32, error)
}

// Modes of retrieval. A Result's mode says which halves took part.
const (
	ModeHybrid  = "hybrid"
	ModeVector  = "vector"
	ModeKeyword = "keyword"
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

// Options configure a Retriever.
type Options struct {
	Searcher Searcher
	// Embedder may be nil: then words alone decide.
	Embedder    Embedder
	Calibration rank.Profile
	// VectorWeight and BM25Weight say how much each half counts; only their
	// ratio matters. Both zero means the defaults.
	VectorWeight, BM25Weight float64
	// MinScore drops candidates right after fusion, HardMinScore at the end.
	// Zero drops nothing.
	MinScore, HardMinScore float64
	// PoolSize is the number of candidates from each half; 0 means DefaultPoolSize.
	PoolSize int
	// Mode is ModeHybrid (also ""), ModeVector or ModeKeyword.
	Mode   string
	Logger *slog.Logger
}

// Request is one question.
type Request struct {
	Query string
	// Limit is brought into 1–MaxLimit; 0 means DefaultLimit.
	Limit int
	Who   scope.Filter
	// Category, in either spelling, keeps one category.
	Category string
	// Now decides which memories are active. It must be set.
	Now time.Time
}

// Result answers a Request.
type Result struct {
	// Hits are sorted by score, best first.
	Hits []Hit
	// Mode says which halves answered.
	Mode string
	// Degraded names the halves that failed.
	Degraded []Degraded
	// Explain is the life of the request, dropped candidates included.
	Explain *rank.Node
	Counts  Counts
}

// Counts says how many candidates were left after each stage.
type Counts struct {
	Vector     int `json:"vector"`
	Keyword    int `json:"keyword"`
	Fused      int `json:"fused"`
	AboveMin   int `json:"aboveMinScore"`
	AboveHard  int `json:"aboveHardMinScore"`
	Returned   int `json:"returned"`
	OverBudget int `json:"overLimit"`
}

// Degraded is a half that could not answer.
type Degraded struct {
	// Half is "vector" or "keyword".
	Half   string `json:"half"`
	Reason string `json:"reason"`
}

// Source is what one half said about a hit.
type Source struct {
	// Score is calibrated to [0,1]; Raw is the cosine or BM25 score.
	Score, Raw float64
	// Rank counts from 1; 0 when the half did not list the row itself.
	Rank int
}

// Hit is one memory of the answer.
type Hit struct {
	Memory memory.Memory
	// Score is the final score in [0,1].
	Score float64
	// Vector and BM25 are nil when that half knows nothing of the row.
	Vector, BM25 *Source
	// Fused is the score after fusion, before the exact-match guard.
	Fused float64
	// Why explains Score.
	Why *rank.Node
	// Reason is the same for people, in one line.
	Reason string
}
