package retrieve

import (
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"
)

// Result answers a Request.
type Result struct {
	// Hits are in the order to show them: by score, best first, but for repetitions
	// (BehindAlike), which stand behind others of up to half their score; and then
	// those the reranker did not score (BehindUnscored), by score again.
	Hits []Hit
	// Mode says which halves answered, or ModeTags.
	Mode string
	// Degraded names what failed.
	Degraded []Degraded
	// Explain is the life of the request, dropped candidates included.
	Explain *rank.Node
	// Stages are the steps that ran, in order; the searches ran at the same time.
	Stages []Stage
	// Dropped holds one entry for each candidate that is no hit, in the order in
	// which they went, and for each of Request.Watch that exists and is no hit.
	Dropped []Drop
	// Expanded is the keyword query with its added words; empty if none were added.
	Expanded string
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
	// Reranked is the reranker's own score; nil when it gave none.
	Reranked *float64
	// Relevance is the score that HardMinScore judged: before age and preference.
	Relevance float64
	// Behind says why the hit stands behind better or worse ones; see the
	// constants. LikeID is the hit it resembles.
	Behind, LikeID string
	// Neighbours are related rows that are no hits themselves.
	Neighbours []memory.Memory
	// Flags warn of a hit, for example that it reads like an instruction.
	Flags []string
	// Why explains Score.
	Why *rank.Node
	// Reason is the same for people, in one line.
	Reason string
}

// Source is what one half said about a hit.
type Source struct {
	// Score is calibrated to [0,1]; Raw is the cosine or BM25 score.
	Score, Raw float64
	// Rank counts from 1; 0 when the half did not list the row itself.
	Rank int
}

// Degraded is something that could not answer, or not for all memories.
type Degraded struct {
	// Half is "vector", "keyword", "rerank" or "neighbours".
	Half   string `json:"half"`
	Reason string `json:"reason"`
	// Partly is set if it answered for some of them.
	Partly bool `json:"partly,omitempty"`
}

// Names of Degraded.
const (
	HalfVector     = "vector"
	HalfKeyword    = "keyword"
	HalfRerank     = "rerank"
	HalfNeighbours = "neighbours"
)

// Stage is a step that ran.
type Stage struct {
	// Name is one of the Stage constants.
	Name string `json:"name"`
	// In and Out count rows before and after.
	In  int `json:"in"`
	Out int `json:"out"`
	// Took is how long it ran.
	Took time.Duration `json:"took"`
	// Lowest and Highest score of the rows left; 0 without any.
	Lowest  float64 `json:"lowest"`
	Highest float64 `json:"highest"`
	// Dropped are the ids of the rows that are not left.
	Dropped []string `json:"dropped,omitempty"`
}

// Names of stages, in the order in which they may run.
const (
	StageEmbed      = "embed"
	StageVector     = "vector"
	StageKeyword    = "keyword"
	StageFuse       = "fuse"
	StageTags       = "tags"
	StageMinScore   = "min_score"
	StageActive     = "active"
	StageContext    = "context"
	StageRerank     = "rerank"
	StageLength     = "length"
	StageHardMin    = "hard_min_score"
	StageEvidence   = "evidence"
	StageDecay      = "decay"
	StageImportance = "importance"
	StageNoise      = "noise"
	StageIntent     = "intent"
	StageDiversity  = "diversity"
	StageWithout    = "without"
	StageLimit      = "limit"
	StageNeighbours = "neighbours"
	// StageFilter and StagePool are where watched rows end that no half listed.
	StageFilter = "filter"
	StagePool   = "pool"
)

// AllStages lists the names of all stages.
func AllStages() []string {
	return []string{StageEmbed, StageVector, StageKeyword, StageFuse, StageTags, StageMinScore, StageActive, StageContext, StageRerank, StageLength, StageHardMin, StageEvidence,
		StageImportance, StageDecay, StageNoise, StageIntent, StageDiversity, StageWithout, StageLimit, StageNeighbours, StageFilter, StagePool}
}

// Left is how many rows a stage left; 0 if it did not run.
func (r Result) Left(stage string) int {
	for _, s := range r.Stages {
		if s.Name == stage {
			return s.Out
		}
	}
	return 0
}
