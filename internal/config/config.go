// Package config is every setting of the product: one table of keys (keys.go
// and the keys_*.go it joins), the parser that checks a configuration against
// it, and the places a configuration comes from (load.go). The manifest's
// schema and docs/configuration.md are generated from the table. It is the only
// package that reads the environment.
//
// Rules that hold for every key. Absent means the default, and 0 means 0. A
// number outside its bounds moves to the nearest one and leaves a notice. A
// value of the wrong type is an error that names the key, the key counts as
// absent, and everything it does not concern keeps working. A key nobody knows
// is left aside with a notice that names the right one.
//
// Caveats: secrets of features that are on are resolved while parsing, so a
// Config holds them in clear; never print one whole.
package config

import (
	"fmt"
	"slices"
)

// Config is the plugin's configuration, resolved and within bounds.
type Config struct {
	// Embedding is nil when the block is absent (see Local) or cannot be used
	// (see EmbeddingFault).
	Embedding *Embedding
	// EmbeddingFault says why the embedding block cannot be used. Memories are
	// found by keywords alone then: any other model would write vectors that do
	// not belong to the rest, and another address would get what is not its own.
	EmbeddingFault string
	// ModelFile is the file of the embedded model; "" is the one that comes with
	// the program, ModelOff none at all.
	ModelFile string
	// DBPath is an absolute path, or s3://bucket[/prefix]; empty with a PathFault.
	DBPath    string
	PathFault string
	// StorageOptions reach object storage, in the spelling of package lance; nil
	// for a directory. They hold secrets.
	StorageOptions map[string]string
	// StateDir is where this machine keeps what belongs to a database in object
	// storage; empty for a directory.
	StateDir string
	// VectorCache is the directory of vectors of texts kept between runs.
	VectorCache string
	// Locking is nil unless machines lock through Redis.
	Locking *Locking
	// LockingFault says why they cannot though they should: nothing may be written.
	LockingFault string

	Cleanup    Cleanup
	Backup     Backup
	AutoRecall AutoRecall
	Capture    Capture
	Retrieval  Retrieval
	Decay      Decay
	Tier       Tier
	Scopes     Scopes
	// ManagementTools registers the tools that list, debug and count.
	ManagementTools bool
	// RecallLog keeps a bounded record of recalls, for replay and statistics.
	RecallLog bool

	// Problems are the errors of Parse, one for each key that is not used.
	Problems []string
	// Notices are remarks for the operator, in the order of the keys.
	Notices []string
	// Unbuilt names the keys that are set but wait for their feature.
	Unbuilt []string
}

// Local reports whether the model inside the program makes the vectors.
func (c Config) Local() bool {
	return c.EmbeddingFault == "" && (c.Embedding == nil || c.Embedding.Provider == ProviderLocal)
}

// WithoutEmbedding is c with an embedding block found to be unusable.
func (c Config) WithoutEmbedding(why error) Config {
	c.Embedding, c.EmbeddingFault = nil, why.Error()
	c.Problems = append(slices.Clone(c.Problems), c.EmbeddingFault)
	return c
}

// NotBuilt names the keys that are set and ask for a feature this version does
// not have. Values that switch such a feature off ask for nothing.
func NotBuilt(c Config) []string { return c.Unbuilt }

// Embedding says who turns text into vectors.
type Embedding struct {
	// Provider is one of the Provider constants. With ProviderLocal the other
	// fields mean nothing and APIKeys is empty.
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
	// Normalized is asked of providers that know the field; nil asks for nothing.
	Normalized *bool
	// APIVersion is Azure's.
	APIVersion string
	// Chunking splits texts that are too long; without it they are cut.
	Chunking bool
	// ASTChunking splits code at its declarations, in these languages; none means all known.
	ASTChunking  bool
	ASTLanguages []string
	AutoChunk    AutoChunk
}

// AutoChunk are sizes of an earlier version; nil leaves them to the model's limits.
type AutoChunk struct {
	MaxChunkSize, OverlapSize, MinChunkSize, MaxLines *int
	SemanticSplit                                     bool
}

// Cleanup is a schedule for old versions of the table.
type Cleanup struct {
	// Enabled keeps them for RetentionDays; otherwise the store deletes them itself.
	Enabled        bool
	IntervalHours  int
	RetentionDays  int
	InitialDelayMs int
}

// Backup is the daily copy of all memories.
type Backup struct {
	Enabled bool
	// Keep is how many verified ones stay.
	Keep int
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
	// MaxQueryLength is how much of a prompt is searched for, in characters.
	MaxQueryLength int
	// MaxPerTurn is a second bound on MaxItems.
	MaxPerTurn int
	// MaxTokens bounds the block in tokens, as estimated; 0 leaves it to MaxChars.
	MaxTokens int
	// MinScore is the hook's own cut, on this product's scale; nil leaves it to the product.
	MinScore *float64
	// Mode is full, summary, adaptive or off.
	Mode string
	// MinRepeated is how many turns of a session pass before a memory is added
	// again; 0 adds it at once.
	MinRepeated int
	// BadRecallDecayMs forgives unused recalls after that long;
	// SuppressionDurationMs holds a memory back after several of them.
	BadRecallDecayMs, SuppressionDurationMs int
	// CategoryField names a metadata field shown in place of the category.
	CategoryField string
	// HoldBackSuspicious leaves out memories that give instructions.
	HoldBackSuspicious bool
	// IncludeAgents and ExcludeAgents are ids, prefixes that end in "-", or
	// "temp:*". A non-empty IncludeAgents decides alone.
	IncludeAgents, ExcludeAgents []string
	// Categories keeps these kinds, in any of their names; empty keeps all.
	Categories        []string
	ExcludeReflection bool
	// MaxAgeDays leaves older memories out; 0 keeps all.
	MaxAgeDays int
	// MaxPerKey keeps the newest versions of one fact; 0 keeps all.
	MaxPerKey int
}

// Capture is remembering from conversation, after a turn.
type Capture struct {
	// Enabled is autoCapture.
	Enabled bool
	// Assistant lets what the assistant said be remembered, too, marked as its words.
	Assistant bool
}

// Scopes says who reaches what.
type Scopes struct {
	// Default is where an agent writes that cannot write to its own scope.
	Default string
	// Access replaces what an agent reaches. An agent whose entry cannot be
	// read has its own scope here and no more; an empty list reaches nothing.
	Access map[string][]string
	// Everyone is added to what every agent reaches (CLAWTEAM_MEMORY_SCOPE).
	Everyone []string
	// OwnOnly is set when agentAccess cannot be read at all: then no agent
	// reaches more than its own scope.
	OwnOnly bool
}

func (c *Config) notice(format string, args ...any) {
	c.Notices = append(c.Notices, fmt.Sprintf(format, args...))
}
