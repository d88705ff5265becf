package protocol

// WhyParams ask what became of one memory in a recall.
type WhyParams struct {
	Context CallContext `json:"context"`
	Query   string      `json:"query"`
	// ID is the full id or its first eight or more characters.
	ID       string `json:"id"`
	Scope    string `json:"scope,omitempty"`
	Category string `json:"category,omitempty"`
	Limit    int    `json:"limit,omitempty"`
	// Turn asks about the memories added before a turn, instead of memory_recall.
	Turn       bool `json:"turn,omitempty"`
	DeadlineMs int  `json:"deadlineMs,omitempty"`
}

// WhyResult says what became of it.
type WhyResult struct {
	ID string `json:"id"`
	// Verdict is one word: found, injected, out_of_reach, not_found, deleted,
	// superseded, expired, min_score, …; Text the same for people.
	Verdict string `json:"verdict"`
	Text    string `json:"text"`
	// Next is what could be done about it; empty where there is nothing to do.
	Next string `json:"next,omitempty"`
	// Place is its place among Of results, counted from 1; 0 if it is none.
	Place int `json:"place"`
	Of    int `json:"of"`
	// Stage is where it ended; Score what it had there, Threshold what it missed,
	// Short by how much.
	Stage     string  `json:"stage,omitempty"`
	Score     float64 `json:"score"`
	Threshold float64 `json:"threshold,omitempty"`
	Short     float64 `json:"short,omitempty"`
	// By is the memory that stands in its place.
	By string `json:"by,omitempty"`
	// Memory is absent when it is out of reach or does not exist.
	Memory *Candidate `json:"memory,omitempty"`
	Mode   string     `json:"retrievalMode,omitempty"`
	Query  string     `json:"query"`
	// Why is the tree of numbers its score is made of; absent if it was not scored.
	Why any `json:"why,omitempty"`
}
