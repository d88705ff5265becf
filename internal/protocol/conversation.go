package protocol

import "encoding/json"

// Methods that follow a conversation. All are answered at once but session_end,
// which waits, within its deadline, until what was heard is stored.
const (
	MethodAgentEnd        = "hook.agent_end"
	MethodMessageReceived = "hook.message_received"
	MethodSessionEnd      = "hook.session_end"
)

// SessionMessage is one message of a session's history.
type SessionMessage struct {
	Role string `json:"role"`
	// Content is a string, or parts of which those of type "text" are read. It may
	// be left out where only the order of messages matters.
	Content json.RawMessage `json:"content,omitempty"`
	// Timestamp is in milliseconds since 1970; 0 is unknown.
	Timestamp float64 `json:"timestamp,omitempty"`
}

// AgentEndEvent is the host's agent_end event: a turn is over.
type AgentEndEvent struct {
	// Messages are the newest of the session, oldest first. Those before them may
	// be left out, and those seen already may come again.
	Messages SessionMessages `json:"messages"`
	Success  bool            `json:"success"`
	// Answer is all that the assistant wrote in the turn, what it told its tools
	// included; it is compared with the memories the turn was given.
	Answer string `json:"answer,omitempty"`
}

// SessionMessages is a history. An element that is no message is left out: the
// host keeps more kinds of entries than messages, and one of them must not cost
// the turn. What is no list at all is refused.
type SessionMessages []SessionMessage

// UnmarshalJSON implements json.Unmarshaler.
func (ms *SessionMessages) UnmarshalJSON(raw []byte) error {
	var elements []json.RawMessage
	if err := json.Unmarshal(raw, &elements); err != nil {
		return err
	}
	*ms = make(SessionMessages, 0, len(elements))
	for _, element := range elements {
		var m *SessionMessage
		if json.Unmarshal(element, &m) == nil && m != nil {
			*ms = append(*ms, *m)
		}
	}
	return nil
}

// AgentEndParams hands over a turn to remember from.
type AgentEndParams struct {
	Event   AgentEndEvent `json:"event"`
	Context CallContext   `json:"context"`
}

// AgentEndResult says how many messages were new. What comes of them is decided
// afterwards.
type AgentEndResult struct {
	Accepted int `json:"accepted"`
}

// MessageReceivedEvent is the host's message_received event: a message arrived
// on a channel, in the sender's own words.
type MessageReceivedEvent struct {
	Content string `json:"content"`
}

// MessageReceivedParams announces a message that a turn will be about.
type MessageReceivedParams struct {
	Event   MessageReceivedEvent `json:"event"`
	Context CallContext          `json:"context"`
}

// SessionEndEvent is the host's session_end event. With the reasons "new" and
// "reset" the session goes on under the same id.
type SessionEndEvent struct {
	Reason string `json:"reason,omitempty"`
}

// SessionEndParams ends a session.
type SessionEndParams struct {
	Event      SessionEndEvent `json:"event"`
	Context    CallContext     `json:"context"`
	DeadlineMs int             `json:"deadlineMs,omitempty"`
}

// SessionEndResult says whether everything heard in the session is stored.
type SessionEndResult struct {
	Stored bool `json:"stored"`
}
