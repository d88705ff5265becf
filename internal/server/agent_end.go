package server

import (
	"context"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// agentEnd is the host's hook after a turn. It is answered when the messages
// are in the engine's queue, and the answer was compared with what the turn was
// given; whatever goes wrong later is the engine's to log.
func (s *session) agentEnd(_ context.Context, p protocol.AgentEndParams) (protocol.AgentEndResult, error) {
	e, err := s.current()
	if err != nil {
		return protocol.AgentEndResult{}, err
	}
	r := engine.CaptureRequest{
		AgentID: p.Context.AgentID, SessionKey: p.Context.SessionKey, SessionID: p.Context.SessionID,
		Trigger: p.Context.Trigger, Sender: p.Context.SenderID, Success: p.Event.Success,
		Messages: make([]engine.Message, 0, len(p.Event.Messages)),
	}
	if from := p.Context.InputProvenance; from != nil {
		r.Provenance = from.Kind
	}
	for _, m := range p.Event.Messages {
		r.Messages = append(r.Messages, engine.NewMessage(m.Role, m.Content, at(m.Timestamp)))
	}
	e.NoteAnswer(engine.AnswerRequest{
		AgentID: r.AgentID, SessionKey: r.SessionKey, SessionID: r.SessionID, Run: p.Context.RunID,
		Success: p.Event.Success, Answer: p.Event.Answer,
	})
	return protocol.AgentEndResult{Accepted: e.Capture(r)}, nil
}

// latest is the last millisecond JavaScript can name.
const latest = 8.64e15

// at reads a host's time; what is none is unknown.
func at(ms float64) time.Time {
	if !(ms > 0 && ms <= latest) {
		return time.Time{}
	}
	return time.UnixMilli(int64(ms))
}
