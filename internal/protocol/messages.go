package protocol

import "encoding/json"

// InitializeParams is the first request of a session.
type InitializeParams struct {
	ProtocolVersion int    `json:"protocolVersion"`
	PluginVersion   string `json:"pluginVersion,omitempty"`
	HostVersion     string `json:"hostVersion,omitempty"`
	// StateDir is the host's state directory, the home of the default database.
	StateDir string `json:"stateDir,omitempty"`
	// Agents are the ids the host has configured.
	Agents []string `json:"agents,omitempty"`
	// LogLevel is debug, info, warn or error.
	LogLevel string `json:"logLevel,omitempty"`
	// Config is the plugin's configuration as the host resolved it.
	Config json.RawMessage `json:"config,omitempty"`
}

// InitializeResult answers at once; the store opens afterwards.
type InitializeResult struct {
	ProtocolVersion int    `json:"protocolVersion"`
	Version         string `json:"version"`
	PID             int    `json:"pid"`
	// Ready says whether the store is open already.
	Ready bool     `json:"ready"`
	Tools []string `json:"tools"`
}

// CallContext is who calls, as far as the host knows. Unknown fields are
// ignored, so the shim may pass the host's context as it is.
type CallContext struct {
	AgentID    string `json:"agentId,omitempty"`
	SessionKey string `json:"sessionKey,omitempty"`
	SessionID  string `json:"sessionId,omitempty"`
	// RunID names the turn.
	RunID        string `json:"runId,omitempty"`
	WorkspaceDir string `json:"workspaceDir,omitempty"`
	// Trigger says what started the turn: user, cron, heartbeat, …
	Trigger string `json:"trigger,omitempty"`
	// InputProvenance says where the turn's input came from, if not a person.
	InputProvenance *InputProvenance `json:"inputProvenance,omitempty"`
	// SenderID says who wrote, on a channel of several people.
	SenderID string `json:"senderId,omitempty"`
}

// InputProvenance is external_user, inter_session or internal_system.
type InputProvenance struct {
	Kind string `json:"kind,omitempty"`
}

// ToolParams is one tool call. Params is what the model wrote, unchecked.
type ToolParams struct {
	CallID     string          `json:"callId,omitempty"`
	Context    CallContext     `json:"context"`
	Params     json.RawMessage `json:"params"`
	DeadlineMs int             `json:"deadlineMs,omitempty"`
	// Explain asks memory_recall for how each score came about
	// (details.memories[].why). It is the caller's and not the model's to set.
	Explain bool `json:"explain,omitempty"`
}

// ToolResult is what the host hands to the model (Content) and logs (Details).
type ToolResult struct {
	Content []Content `json:"content"`
	Details any       `json:"details"`
}

// Content is one part of a tool result.
type Content struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// Text makes a tool result of one text and its details.
func Text(text string, details any) ToolResult {
	return ToolResult{Content: []Content{{Type: "text", Text: text}}, Details: details}
}

// PromptEvent is the host's before_prompt_build event, as far as it is used.
type PromptEvent struct {
	// Prompt is what the turn is asked: the current message alone where the host
	// tells it from the history around it.
	Prompt string `json:"prompt"`
	// ID names the message. It stays when the host builds the prompt again, and is
	// another one for the same words sent again.
	ID string `json:"id,omitempty"`
}

// PromptParams asks whether a turn gets memories.
type PromptParams struct {
	Event      PromptEvent `json:"event"`
	Context    CallContext `json:"context"`
	DeadlineMs int         `json:"deadlineMs,omitempty"`
}

// PromptResult is empty when the turn needs no memory. The block goes behind the
// message: the host keeps it out of the history, so that in front of the message
// it would make the provider read the message itself anew in the next turn.
type PromptResult struct {
	AppendContext string `json:"appendContext,omitempty"`
}

// HealthResult reports without touching the provider. It is the answer to
// "health", and the sidecar sends it under the same name when the state or its
// cause has changed.
type HealthResult struct {
	OK bool `json:"ok"`
	// State is what a recall would do: available, degraded (it answers, with less
	// than it is configured to use) or unavailable. Cause says why, unless available.
	State     string          `json:"state"`
	Cause     string          `json:"cause,omitempty"`
	Version   string          `json:"version"`
	Store     StoreHealth     `json:"store"`
	Embedding EmbeddingHealth `json:"embedding"`
	// Problems are the configuration's errors; the keys they name count as absent.
	Problems []string `json:"problems,omitempty"`
	// Notices are configuration remarks for the operator.
	Notices []string `json:"notices,omitempty"`
}

// StoreHealth says whether the database is open, and if not, why.
type StoreHealth struct {
	Open  bool   `json:"open"`
	Path  string `json:"path"`
	Error string `json:"error,omitempty"`
}

// EmbeddingHealth is the last thing known about the embedder.
type EmbeddingHealth struct {
	// Mode is "local", "provider" or "keywords".
	Mode  string `json:"mode"`
	Model string `json:"model,omitempty"`
	// Ready says that a text can be embedded at once: the embedded model is opened
	// in the background.
	Ready bool   `json:"ready,omitempty"`
	Error string `json:"error,omitempty"`
}

// Empty is a result without content.
type Empty struct{}

// LogParams is one log line for the host's logger.
type LogParams struct {
	Level   string         `json:"level"`
	Message string         `json:"message"`
	Fields  map[string]any `json:"fields,omitempty"`
}

// CancelParams names the request to give up.
type CancelParams struct {
	ID json.RawMessage `json:"id"`
}
