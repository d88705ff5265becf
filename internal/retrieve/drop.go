package retrieve

import "github.com/memory-lancedb-pro/memory-lancedb-pro/internal/rank"

// Drop says why a row is no hit.
type Drop struct {
	ID string `json:"id"`
	// Stage is where it ended.
	Stage string `json:"stage"`
	// Reason is one of the Reason constants, or the one given in Request.Without.
	Reason string `json:"reason"`
	// Detail is the same for people.
	Detail string `json:"detail,omitempty"`
	// Score is what it had, or would have had, on the scale of Threshold, which
	// is the cut it missed, or the score of the last that did better.
	Score     float64 `json:"score"`
	Threshold float64 `json:"threshold"`
	// By is the id of the better row that says the same, or that took the place.
	By string `json:"by,omitempty"`
	// Why explains Score; nil when it was never scored.
	Why *rank.Node `json:"why,omitempty"`
}

// Reasons of a Drop.
const (
	// ReasonPool: no half listed the row, though it would have passed.
	ReasonPool         = "pool"
	ReasonTag          = "tag"
	ReasonMinScore     = "min_score"
	ReasonHardMinScore = "hard_min_score"
	// ReasonEvidence: it is not clearly about the question, or far behind By, and
	// nobody asked.
	ReasonEvidence = "evidence"
	ReasonNoise    = "noise"
	// ReasonDiverse: it was put behind others because By says the same, and
	// then was over the limit.
	ReasonDiverse = "diverse"
	ReasonLimit   = "limit"

	// Those of rows that are not current.
	ReasonSuperseded  = "superseded"
	ReasonExpired     = "expired"
	ReasonNotYetValid = "not_yet_valid"

	// Those of Request.Narrow.
	ReasonCategory   = "category"
	ReasonArchived   = "archived"
	ReasonState      = "state"
	ReasonLayer      = "layer"
	ReasonTooOld     = "too_old"
	ReasonSuppressed = "suppressed"
)

// Reasons of Hit.Behind.
const (
	// BehindUnscored: the reranker gave it no score.
	BehindUnscored = "unscored"
	// BehindAlike: a better hit says the same. It is ordered by half its score, and
	// may have kept its place with that.
	BehindAlike = "alike"
)
