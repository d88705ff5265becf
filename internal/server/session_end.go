package server

import (
	"context"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// sessionEnd is the host's hook at the end of a session: it waits, as long as
// its deadline allows, until everything heard in it is stored.
func (s *session) sessionEnd(ctx context.Context, p protocol.SessionEndParams) (protocol.SessionEndResult, error) {
	e, err := s.current()
	if err != nil {
		return protocol.SessionEndResult{}, err
	}
	late := e.EndSession(ctx, engine.SessionEnd{
		AgentID: p.Context.AgentID, SessionKey: p.Context.SessionKey, SessionID: p.Context.SessionID, Reason: p.Event.Reason,
	})
	return protocol.SessionEndResult{Stored: late == nil}, nil
}
