package protocol

// StatsDetails belongs to memory_stats. Counts are of what the agent can see.
type StatsDetails struct {
	Stats     MemoryStats    `json:"stats"`
	Scopes    ScopeStats     `json:"scopeManagerStats"`
	Retrieval RetrievalStats `json:"retrievalConfig"`
	// Recalls are those of this process, Recorded those on disk, of any process.
	Recalls  *RecallStats `json:"recalls,omitempty"`
	Recorded *RecallStats `json:"recordedRecalls,omitempty"`
	// IgnoredScope was asked for but is out of the caller's reach.
	IgnoredScope string `json:"ignoredScope,omitempty"`
}

// MemoryStats counts memories.
type MemoryStats struct {
	Total      int64            `json:"totalCount"`
	Scopes     map[string]int64 `json:"scopeCounts"`
	Categories map[string]int64 `json:"categoryCounts"`
	// Pending are those without a vector yet, found by words only; Unscoped those
	// that no agent finds.
	Pending  int64 `json:"pendingVectors"`
	Unscoped int64 `json:"unscoped"`
}

// ScopeStats counts scopes.
type ScopeStats struct {
	Total  int            `json:"totalScopes"`
	ByType map[string]int `json:"scopesByType"`
}

// RetrievalStats says how memories can be found.
type RetrievalStats struct {
	Mode      string `json:"mode"`
	FullText  bool   `json:"hasFtsSupport"`
	Tokenizer string `json:"tokenizer,omitempty"`
	// Indexed and Unindexed count everybody's rows, for the operator alone.
	Indexed    int64 `json:"indexedRows,omitempty"`
	Unindexed  int64 `json:"unindexedRows,omitempty"`
	Dimensions int   `json:"dimensions"`
}

// RecallStats are figures about recalls. Times are in milliseconds.
type RecallStats struct {
	Recalls int `json:"recalls"`
	// First and Last are when, in milliseconds since 1970.
	First int64 `json:"first"`
	Last  int64 `json:"last"`
	// Empty found nothing; EmptyRate is their share of those that could search.
	Empty     int     `json:"zeroResults"`
	EmptyRate float64 `json:"zeroResultRate"`
	Failed    int     `json:"failed"`
	Degraded  int     `json:"degraded"`
	Latency   Latency `json:"latencyMs"`

	Stages  []StageStats  `json:"stages"`
	Sources []SourceStats `json:"sources"`
	// Drops are the most frequent reasons why candidates were left out.
	Drops []DropStats `json:"topDropReasons"`
}

// Latency are quantiles of times, in milliseconds.
type Latency struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
}

// StageStats are figures about one step.
type StageStats struct {
	Name    string  `json:"name"`
	Runs    int     `json:"runs"`
	Dropped int     `json:"dropped"`
	Latency Latency `json:"latencyMs"`
}

// SourceStats are the recalls of one source: manual, auto-recall, cli.
type SourceStats struct {
	Name    string  `json:"name"`
	Recalls int     `json:"recalls"`
	Empty   int     `json:"zeroResults"`
	Latency Latency `json:"latencyMs"`
}

// DropStats is how many candidates were left out for one reason.
type DropStats struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}
