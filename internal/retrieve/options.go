package retrieve

import (
	"log/slog"
	"regexp"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// Options configure a Retriever. A zero value switches its step off, except
// where a field says otherwise.
type Options struct {
	// Searcher may also be a Getter; see Request.Watch.
	Searcher Searcher
	// Embedder may be nil: then words alone decide.
	Embedder    Embedder
	Calibration rank.Profile
	// VectorWeight and BM25Weight say how much each half counts; only their
	// ratio matters. 0 is no influence at all, unless the other half is off or
	// fails; both zero means the defaults.
	VectorWeight, BM25Weight float64
	// MinScore drops candidates right after fusion, HardMinScore when relevance
	// is judged and age has not been looked at yet.
	MinScore, HardMinScore float64
	// Evidence drops what is found for the hook and is not itself clearly about the
	// question, or far behind the best.
	Evidence bool
	// PoolSize is the number of candidates from each half; 0 means DefaultPoolSize.
	PoolSize int
	// Mode is ModeHybrid (also ""), ModeVector or ModeKeyword.
	Mode string
	// TagPrefixes begin tag tokens (proj:apollo). A query with a tag is answered
	// by words alone, with rows that hold all its tags.
	TagPrefixes []string
	// QueryExpansion adds words of the same meaning to the keyword half's query,
	// when a person asks (SourceManual, SourceCLI).
	QueryExpansion bool
	Rerank         Rerank
	// LengthNormAnchor is the length in characters from which rows count less.
	LengthNormAnchor int
	// Decay ages by tier. When it is nil Age does, if it is not nil.
	Decay *rank.Decay
	Age   *rank.Age
	// FilterNoise drops rows whose text Noise calls noise.
	FilterNoise bool
	Noise       func(text string) bool
	// Diversity is the cosine over which a hit goes behind the others because a
	// better one says the same.
	Diversity float64
	// Neighbours is how many related rows go with each hit, in hybrid mode.
	Neighbours int
	// Clock measures how long steps take; nil is time.Now.
	Clock  func() time.Time
	Logger *slog.Logger
}

// Rerank is the second look at the best candidates.
type Rerank struct {
	// Mode is RerankNone (also ""), RerankCrossEncoder or RerankLightweight.
	Mode string
	// By does it in mode RerankCrossEncoder; nil is no second look.
	By Reranker
	// Timeout bounds it besides its share of the caller's deadline; 0 does not.
	Timeout time.Duration
}

// Request is one question.
type Request struct {
	Query string
	// Limit is brought into 1–MaxLimit; 0 means DefaultLimit.
	Limit int
	Who   scope.Filter
	// Category, in either spelling, keeps one category.
	Category string
	// Now decides which memories are active, and how old they are. It must be set.
	Now time.Time
	// Source is SourceManual, SourceHook or SourceCLI.
	Source string
	// Narrow says what else to leave out. Category and Now take the place of its
	// Category and ActiveAt.
	Narrow memory.Narrow
	// Without drops rows by id, for the reason given; they take no place of others.
	Without map[string]string
	// Prefer lifts rows of these categories, among what is relevant.
	Prefer []memory.StoredCategory
	// Watch names rows whose fate is to be told in Result.Dropped even if no half
	// lists them. It changes nothing about the hits.
	Watch []string
}

// Retriever answers requests. Make one with New.
type Retriever struct {
	opts    Options
	weights rank.Weights
	tags    *regexp.Regexp
	log     *slog.Logger
}

// New makes a Retriever. Numbers outside their range are moved into it.
func New(opts Options) *Retriever {
	if opts.PoolSize <= 0 {
		opts.PoolSize = DefaultPoolSize
	}
	opts.PoolSize = min(opts.PoolSize, MaxPoolSize)
	opts.MinScore, opts.HardMinScore = rank.Clamp(opts.MinScore), rank.Clamp(opts.HardMinScore)
	if opts.Clock == nil {
		opts.Clock = time.Now
	}
	log := opts.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Retriever{
		opts: opts, log: log, tags: rank.TagPattern(opts.TagPrefixes),
		weights: rank.Weights{Vector: opts.VectorWeight, BM25: opts.BM25Weight}.Normal(),
	}
}
