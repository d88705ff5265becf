package protocol

// UpdateDetails belongs to memory_update. Which fields are set depends on
// Action; an outcome without an action has Error instead.
type UpdateDetails struct {
	Action string `json:"action,omitempty"`
	// ID is the changed row; with a new version there are OldID and NewID instead.
	ID    string `json:"id,omitempty"`
	OldID string `json:"oldId,omitempty"`
	NewID string `json:"newId,omitempty"`
	Scope string `json:"scope,omitempty"`
	// Category is the smart category, RawCategory the stored one.
	Category    string   `json:"category,omitempty"`
	RawCategory string   `json:"rawCategory,omitempty"`
	Importance  *float64 `json:"importance,omitempty"`
	// FieldsUpdated names what changed: text, importance, category, scope.
	FieldsUpdated []string `json:"fieldsUpdated,omitempty"`
	// Embedding is "pending" when the vector will be filled in later.
	Embedding string `json:"embedding,omitempty"`
	// RemovedControlCharacters were in the text and are not stored.
	RemovedControlCharacters int `json:"removedControlCharacters,omitempty"`

	Candidates []Candidate `json:"candidates,omitempty"`
	Reason     string      `json:"reason,omitempty"`
	Error      string      `json:"error,omitempty"`
	// RequestedScope is the one that was denied.
	RequestedScope string `json:"requestedScope,omitempty"`
}

// ForgetDetails belongs to memory_forget.
type ForgetDetails struct {
	Action string `json:"action,omitempty"`
	ID     string `json:"id,omitempty"`
	Scope  string `json:"scope,omitempty"`
	// Found is 0 when a description fits nothing, and absent otherwise.
	Found      *int        `json:"found,omitempty"`
	Query      string      `json:"query,omitempty"`
	Candidates []Candidate `json:"candidates,omitempty"`
	// Threshold is how sure a search must be, in [0,1], before it deletes.
	Threshold      *float64 `json:"threshold,omitempty"`
	Error          string   `json:"error,omitempty"`
	RequestedScope string   `json:"requestedScope,omitempty"`
}

// Candidate is a memory that a reference may mean. Category is the display tag
// "preference:agent:main".
type Candidate struct {
	ID          string  `json:"id"`
	Text        string  `json:"text"`
	Category    string  `json:"category"`
	RawCategory string  `json:"rawCategory"`
	Scope       string  `json:"scope"`
	Importance  float64 `json:"importance"`
	// Score is that of the search, in [0,1]; absent for an id prefix.
	Score *float64 `json:"score,omitempty"`
	// Reason says in one line why the search found it.
	Reason string `json:"reason,omitempty"`
}
