package protocol

// ExplainDetails belongs to memory_debug and memory_explain_rank.
type ExplainDetails struct {
	Count       int               `json:"count"`
	Memories    []ExplainedMemory `json:"memories"`
	Query       string            `json:"query"`
	Diagnostics Diagnostics       `json:"diagnostics"`
	// IgnoredScope was asked for but is out of the caller's reach.
	IgnoredScope string `json:"ignoredScope,omitempty"`
}

// ExplainedMemory is a hit and what is known of the memory besides its text.
type ExplainedMemory struct {
	RecalledMemory
	State  string `json:"state"`
	Layer  string `json:"layer"`
	Source string `json:"source"`
	Tier   string `json:"tier"`
	// AccessCount is how often it was asked for and found, InjectedCount how often
	// it was added to a turn unasked, BadRecallCount how often that was of no use.
	AccessCount    int `json:"accessCount"`
	InjectedCount  int `json:"injectedCount"`
	BadRecallCount int `json:"badRecallCount"`
	// SuppressedUntilMs is until when it is not added unasked; 0 if it may be.
	SuppressedUntilMs int64 `json:"suppressedUntilMs"`
}

// Diagnostics tell how a recall went. The names are those of the TypeScript
// plugin, as far as it has the same.
type Diagnostics struct {
	Source string `json:"source"`
	Mode   string `json:"mode"`
	Query  string `json:"originalQuery"`
	// BM25Query is what the keyword half searched for, where words were added.
	BM25Query     string   `json:"bm25Query,omitempty"`
	QueryExpanded bool     `json:"queryExpanded"`
	Limit         int      `json:"limit"`
	Scopes        []string `json:"scopeFilter,omitempty"`
	Category      string   `json:"category,omitempty"`
	Vector        int      `json:"vectorResultCount"`
	Keyword       int      `json:"bm25ResultCount"`
	Fused         int      `json:"fusedResultCount"`
	Final         int      `json:"finalResultCount"`
	// StageCounts is how many rows were left after each step.
	StageCounts map[string]int `json:"stageCounts"`
	// DropSummary lists the steps that dropped something, most first.
	DropSummary []StageDrop    `json:"dropSummary"`
	Stages      []StageTrace   `json:"stages"`
	Dropped     []DroppedRow   `json:"dropped"`
	Degraded    []DegradedHalf `json:"degraded,omitempty"`
	// Explain is the life of the request as a tree.
	Explain any `json:"explain,omitempty"`
}

// StageDrop is one step that dropped rows.
type StageDrop struct {
	Stage   string `json:"stage"`
	Before  int    `json:"before"`
	After   int    `json:"after"`
	Dropped int    `json:"dropped"`
}

// StageTrace is one step of a recall.
type StageTrace struct {
	Name   string `json:"name"`
	Input  int    `json:"inputCount"`
	Output int    `json:"outputCount"`
	// DroppedIDs are the rows that were not left.
	DroppedIDs []string `json:"droppedIds"`
	// ScoreRange is the lowest and the highest score left; absent without rows.
	ScoreRange []float64 `json:"scoreRange,omitempty"`
	DurationMs float64   `json:"durationMs"`
}

// DroppedRow says why one candidate is no result.
type DroppedRow struct {
	ID     string `json:"id"`
	Stage  string `json:"stage"`
	Reason string `json:"reason"`
	// Detail is the same for people.
	Detail string  `json:"detail,omitempty"`
	Score  float64 `json:"score"`
	// Threshold is the cut that was missed, or the score of the last that did better.
	Threshold float64 `json:"threshold"`
	// By is the id of the result that says the same, or took the place.
	By string `json:"by,omitempty"`
}
