// Package config is every setting of the product: one struct, one table of
// keys with defaults and bounds (keys.go), and the places a configuration
// comes from (load.go). It is the only package that reads the environment.
//
// Three rules hold for every key. Absent means the default, and 0 means 0. A
// number outside its bounds moves to the nearest one and leaves a notice; a
// value of the wrong type is an error that names the key. A key nobody knows
// is accepted with a notice, because a configuration written for the
// TypeScript plugin has to keep working.
//
// Caveats: secrets are resolved while parsing, so a Config holds them in
// clear; never print one whole.
package config

// Config is the plugin's configuration, resolved and within bounds.
type Config struct {
	// Embedding is nil when the block is absent: then memories are found by
	// keywords alone, and no key from the environment is picked up.
	Embedding *Embedding
	// DBPath is absolute.
	DBPath     string
	AutoRecall AutoRecall
	Capture    Capture
	Retrieval  Retrieval
	// Notices are remarks for the operator, in the order of the keys.
	Notices []string
}

// Embedding says who turns text into vectors.
type Embedding struct {
	Provider string
	// APIKeys has at least one element; "" means the endpoint wants none.
	APIKeys []string
	Model   string
	BaseURL string
	// Dimensions is the stored width; 0 takes it from the table of known models.
	Dimensions int
	// RequestDimensions is sent to the provider and then is the stored width too; 0 sends none.
	RequestDimensions int
	OmitDimensions    bool
	TaskQuery         string
	TaskPassage       string
	// MaxInputChars cuts longer inputs; 0 leaves the model's own default.
	MaxInputChars int
	// ClientTimeoutMs bounds one HTTP request; 0 leaves only the caller's deadline.
	ClientTimeoutMs int
}

// AutoRecall is the injection of memories before a turn.
type AutoRecall struct {
	Enabled bool
	// TimeoutMs is its whole budget; 0 leaves only the host's own.
	TimeoutMs int
	// MaxItems, MaxChars and PerItemMaxChars bound the block; any of them 0 injects nothing.
	MaxItems        int
	MaxChars        int
	PerItemMaxChars int
	// MinLength skips shorter prompts; nil leaves it to the rules of package screen.
	MinLength *int
}

// Capture is remembering from conversation, after a turn.
type Capture struct {
	// Enabled is autoCapture.
	Enabled bool
	// Assistant lets what the assistant said be remembered, too, marked as its words.
	Assistant bool
}

// Retrieval tunes the search.
type Retrieval struct {
	// Mode is hybrid or vector.
	Mode         string
	VectorWeight float64
	BM25Weight   float64
	// MinScore cuts after fusion, HardMinScore before results leave. Nil means
	// the product's own value; a configured one has been converted from the
	// TypeScript plugin's scale.
	MinScore     *float64
	HardMinScore *float64
	// CandidatePoolSize is how many candidates each half contributes at least.
	CandidatePoolSize int
}
