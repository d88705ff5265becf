package memory

import (
	"encoding/json"
	"time"
)

// Tier is how firmly a memory is held.
type Tier string

// The tiers.
const (
	TierCore       Tier = "core"
	TierWorking    Tier = "working"
	TierPeripheral Tier = "peripheral"
)

// States of a memory.
const (
	StatePending   = "pending"
	StateConfirmed = "confirmed"
	StateArchived  = "archived"
)

// Layers of memory.
const (
	LayerDurable    = "durable"
	LayerWorking    = "working"
	LayerReflection = "reflection"
	LayerArchive    = "archive"
)

// Sources of memories that this product writes or reads.
const (
	SourceManual         = "manual"
	SourceAutoCapture    = "auto-capture"
	SourceReflection     = "reflection"
	SourceDreaming       = "dreaming-engine"
	SourceSessionSummary = "session-summary"
	SourceLegacy         = "legacy"
)

// EmbeddingPending is the value of Metadata.Embedding for a row whose vector
// could not be computed yet.
const EmbeddingPending = "pending"

// DefaultConfidence is that of a memory nobody has rated.
const DefaultConfidence = 0.7

// Relation points from one memory to another.
type Relation struct {
	Type   string `json:"type"`
	Target string `json:"targetId"`
}

// Metadata is the JSON column beside a memory's text. Zero times and empty
// strings mean "not stated" and are not written. Keys not listed here, ours of
// later versions or another program's, are kept in Extra.
type Metadata struct {
	// L0, L1, L2 are the one-line, short and full forms of the text.
	L0, L1, L2 string
	Category   Category
	Tier       Tier
	// AccessCount is how often it was recalled on purpose.
	AccessCount int
	// Confidence lies in [0,1].
	Confidence     float64
	LastAccessedAt time.Time
	ValidFrom      time.Time
	// InvalidatedAt is when a newer version took over.
	InvalidatedAt time.Time
	// ValidUntil is when the statement stops being true by its own words.
	ValidUntil time.Time
	// TemporalType is "static" or "dynamic".
	TemporalType             string
	FactKey                  string
	Supersedes, SupersededBy string
	Relations                []Relation
	SourceSession            string
	Source                   string
	State                    string
	Layer                    string
	LastConfirmedUseAt       time.Time
	// Embedding is "" or EmbeddingPending. EmbeddingProblem is why this text gets no
	// vector, of one that waits and was refused though the provider embeds others.
	Embedding, EmbeddingProblem string
	// Extra holds all other keys with their JSON as it was read.
	Extra map[string]json.RawMessage
}

// ActiveAt reports whether the statement holds at t: begun (valid_from ≤ t), no
// newer version yet (t < invalidated_at) and not expired (t < valid_until).
func (d Metadata) ActiveAt(t time.Time) bool {
	return !d.ValidFrom.After(t) &&
		(d.InvalidatedAt.IsZero() || d.InvalidatedAt.After(t)) &&
		(d.ValidUntil.IsZero() || d.ValidUntil.After(t))
}

// NewMetadata describes a memory stated at the given moment.
func NewMetadata(text string, kind Category, source string, at time.Time) Metadata {
	at = at.UTC().Truncate(time.Millisecond)
	l0, l1, l2 := forms(text)
	d := Metadata{
		L0: l0, L1: l1, L2: l2,
		Category: kind, Tier: TierWorking, Confidence: DefaultConfidence,
		LastAccessedAt: at, ValidFrom: at,
		Source: source, State: StateConfirmed,
	}
	d.Layer = layerOf(d)
	return d
}

// layerOf is the layer a row belongs to when its metadata name none.
func layerOf(d Metadata) string {
	switch d.Source {
	case SourceReflection, SourceDreaming, SourceSessionSummary:
		return LayerReflection
	}
	if d.State == StateArchived {
		return LayerArchive
	}
	switch d.Category {
	case Profile, Preferences, Events:
		return LayerDurable
	}
	return LayerWorking
}

// Abstract is the one-line form of m: L0, else its text.
func (m Memory) Abstract() string {
	if m.Metadata.L0 != "" {
		return m.Metadata.L0
	}
	return m.Text
}

// Full is the longest form of m that is stored.
func (m Memory) Full() string {
	for _, s := range []string{m.Metadata.L2, m.Metadata.L1} {
		if s != "" {
			return s
		}
	}
	return m.Text
}
