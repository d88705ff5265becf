package config

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

	Rerank Rerank
	// QueryExpansion searches for related words, too, when a person asks.
	QueryExpansion bool
	// TagPrefixes begin a tag, as proj in "proj:apollo".
	TagPrefixes []string
	// LengthNormAnchor is the length in characters from which a memory counts
	// less; 0 is off.
	LengthNormAnchor int
	// FilterNoise leaves small talk out of results.
	FilterNoise bool
	Neighbours  Neighbours
	// DisableNativeCosine computes similarity outside the database.
	DisableNativeCosine bool

	// The rest counts with decay.enabled off alone. Half-lives of 0 are off.
	RecencyHalfLifeDays   float64
	RecencyWeight         float64
	TimeDecayHalfLifeDays float64
	ReinforcementFactor   float64
	MaxHalfLifeMultiplier float64
}

// Rerank is the second look at the best candidates.
type Rerank struct {
	// Mode is cross-encoder, lightweight or none. Without a key, cross-encoder is none.
	Mode string
	// Provider is jina, siliconflow, voyage, pinecone, dashscope or tei.
	Provider string
	// Endpoint and Model are empty for the provider's own.
	Endpoint, Model string
	APIKeys         []string
	// TimeoutMs is nil unless configured: then the caller's time decides.
	TimeoutMs *int
	// Fault says why the block cannot be used; nothing is sent anywhere then.
	Fault string
}

// Neighbours adds related memories to each result.
type Neighbours struct {
	Enabled      bool
	MaxPerResult int
}

// Decay is how memories fade, by the tier they are in.
type Decay struct {
	Enabled                                              bool
	RecencyHalfLifeDays                                  float64
	RecencyWeight, FrequencyWeight, IntrinsicWeight      float64
	StaleThreshold, SearchBoostMin, ImportanceModulation float64
	BetaCore, BetaWorking, BetaPeripheral                float64
	CoreFloor, WorkingFloor, PeripheralFloor             float64
}

// Tier is when a memory moves from tier to tier.
type Tier struct {
	CoreAccess                    int
	CoreComposite, CoreImportance float64
	PeripheralComposite           float64
	PeripheralAgeDays             float64
	WorkingAccess                 int
	WorkingComposite              float64
}
