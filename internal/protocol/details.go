package protocol

// The details of tool results keep the keys and action names of the TypeScript
// plugin, because hosts and scripts read them.

// RecallDetails belongs to memory_recall.
type RecallDetails struct {
	Count    int              `json:"count"`
	Memories []RecalledMemory `json:"memories"`
	Query    string           `json:"query"`
	// Scopes were searched; AccessibleScopes could have been.
	Scopes           []string `json:"scopes"`
	AccessibleScopes []string `json:"accessibleScopes"`
	// IgnoredScope was asked for but is out of the caller's reach.
	IgnoredScope string `json:"ignoredScope,omitempty"`
	// RetrievalMode is hybrid, vector or keyword: what really ran.
	RetrievalMode string `json:"retrievalMode"`
	// RecallMode is full or summary: how the text was rendered.
	RecallMode string `json:"recallMode"`
	// Degraded names each half of the search that failed, with the reason.
	Degraded []DegradedHalf `json:"degraded,omitempty"`
}

// DegradedHalf is a part of the search that gave nothing because it failed: vector,
// keyword, rerank or neighbours.
type DegradedHalf struct {
	Half   string `json:"half"`
	Reason string `json:"reason"`
}

// RecalledMemory is one hit. Category is the display tag "preference:agent:main".
type RecalledMemory struct {
	ID          string  `json:"id"`
	Text        string  `json:"text"`
	Category    string  `json:"category"`
	RawCategory string  `json:"rawCategory"`
	Scope       string  `json:"scope"`
	Importance  float64 `json:"importance"`
	Score       float64 `json:"score"`
	Sources     Sources `json:"sources"`
	FullText    string  `json:"fullText,omitempty"`
	// Reason says in one line why this memory was found.
	Reason string `json:"reason"`
	// Flags warn of the memory, for example that it gives instructions to its reader.
	Flags []string `json:"flags,omitempty"`
	// Neighbors are related memories that were not found themselves.
	Neighbors []Neighbor `json:"neighbors,omitempty"`
	// Why is the tree of numbers the score is made of, where it was asked for.
	Why any `json:"why,omitempty"`
}

// Neighbor is a memory related to one that was found.
type Neighbor struct {
	ID          string `json:"id"`
	Text        string `json:"text"`
	Category    string `json:"category"`
	RawCategory string `json:"rawCategory"`
	Scope       string `json:"scope"`
}

// Sources are the scores a hit was made of; all in [0,1].
type Sources struct {
	Vector *Source `json:"vector,omitempty"`
	BM25   *Source `json:"bm25,omitempty"`
	Fused  *Source `json:"fused,omitempty"`
	// Reranked is the second look's own score.
	Reranked *Source `json:"reranked,omitempty"`
}

// Source is one half's score and the rank it gave the hit, counted from 1.
type Source struct {
	Score float64 `json:"score"`
	Rank  int     `json:"rank,omitempty"`
}

// Actions of StoreDetails.
const (
	ActionCreated          = "created"
	ActionDuplicate        = "duplicate"
	ActionSuperseded       = "superseded"
	ActionNoiseFiltered    = "noise_filtered"
	ActionEnvelopeRejected = "envelope_metadata_rejected"
	ActionUpdated          = "updated"
	ActionUnchanged        = "unchanged"
	ActionDeleted          = "deleted"
	ActionCandidates       = "candidates"
)

// Values of details.error: outcomes the model can act on, which are no faults.
const (
	// ErrorScopeDenied is a write outside the caller's scopes.
	ErrorScopeDenied = "scope_access_denied"
	// ErrorNotFound is an id without a memory the caller may see.
	ErrorNotFound = "not_found"
	// ErrorNoUpdates is an update without a change.
	ErrorNoUpdates = "no_updates"
	// ErrorMissingParam is a request to forget that names nothing.
	ErrorMissingParam = "missing_param"
)

// StoreDetails belongs to memory_store. Which fields are set depends on Action;
// a refused scope has Error instead.
type StoreDetails struct {
	Action string `json:"action,omitempty"`
	ID     string `json:"id,omitempty"`
	Scope  string `json:"scope,omitempty"`
	// Category is the smart category, RawCategory the stored one.
	Category    string   `json:"category,omitempty"`
	RawCategory string   `json:"rawCategory,omitempty"`
	Importance  *float64 `json:"importance,omitempty"`
	// DuplicateOverride is set when force let a duplicate in.
	DuplicateOverride bool `json:"duplicateOverride,omitempty"`
	// Embedding is "pending" when the vector will be filled in later.
	Embedding string `json:"embedding,omitempty"`
	// RemovedControlCharacters were in the text and are not stored.
	RemovedControlCharacters int `json:"removedControlCharacters,omitempty"`

	ExistingID    string   `json:"existingId,omitempty"`
	ExistingText  string   `json:"existingText,omitempty"`
	ExistingScope string   `json:"existingScope,omitempty"`
	Similarity    *float64 `json:"similarity,omitempty"`

	SupersededID  string   `json:"supersededId,omitempty"`
	SupersededIDs []string `json:"supersededIds,omitempty"`

	Reason         string `json:"reason,omitempty"`
	Error          string `json:"error,omitempty"`
	RequestedScope string `json:"requestedScope,omitempty"`
}
