package engine

// Health is what is known without asking anybody.
type Health struct {
	StoreOpen  bool
	StorePath  string
	StoreError string
	// EmbeddingMode is "local", "provider" or "keywords".
	EmbeddingMode  string
	EmbeddingModel string
	// EmbeddingReady says that a text can be embedded at once. The embedded model
	// is opened in the background, or by its first use.
	EmbeddingReady bool
	EmbeddingError string
	// RecallError is why the last recall failed, KeywordError why it did without
	// its keyword half.
	RecallError, KeywordError string
	// Problems are the configuration's errors, Notices its remarks.
	Problems []string
	Notices  []string
}

// OK reports whether nothing is known to be wrong. A database that was not
// needed yet is not wrong.
func (h Health) OK() bool {
	state, _ := h.State()
	return state == Available
}

// State says what a recall would do right now.
type State string

// The states.
const (
	// Available: it searches the way it is configured to.
	Available State = "available"
	// Degraded: it answers, with less than it is configured to use.
	Degraded State = "degraded"
	// Unavailable: it fails.
	Unavailable State = "unavailable"
)

// State sums up, with the cause unless all is well.
func (h Health) State() (state State, cause string) {
	switch {
	case h.StoreError != "" && !h.StoreOpen:
		return Unavailable, h.StoreError
	case h.RecallError != "":
		return Unavailable, h.RecallError
	case h.StoreError != "":
		return Degraded, h.StoreError
	case h.EmbeddingError != "":
		return Degraded, h.EmbeddingError
	case h.KeywordError != "":
		return Degraded, h.KeywordError
	case len(h.Problems) > 0:
		return Degraded, h.Problems[0]
	}
	return Available, ""
}

// Health reports at once.
func (e *Engine) Health() Health {
	h := Health{StorePath: e.cfg.DBPath, EmbeddingMode: "keywords", EmbeddingError: e.keywordsBecause,
		RecallError: e.complaints.about("recall"), KeywordError: e.complaints.about("keyword"),
		Problems: e.cfg.Problems, Notices: e.cfg.Notices}
	s, err := e.opening.now()
	h.StoreOpen = s != nil
	if s != nil {
		err = s.CheckVectors()
	}
	if err == nil && e.cfg.PathFault != "" {
		h.StoreError = e.cfg.PathFault
	}
	if err != nil {
		h.StoreError = err.Error()
	}
	if e.embedder != nil {
		h.EmbeddingMode, h.EmbeddingModel, h.EmbeddingReady = "provider", e.embedder.Model(), e.embedderReady()
		if e.local() {
			h.EmbeddingMode = "local"
		}
		if err := e.embedder.lastError(); err != nil {
			h.EmbeddingError = err.Error()
		}
	}
	return h
}
