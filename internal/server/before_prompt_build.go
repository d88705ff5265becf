package server

import (
	"context"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// beforePromptBuild is the host's hook before a turn. A failure is an error
// here and no more than a log line for the host: the shim lets the turn go on
// and reports the plugin as unhealthy.
func (s *session) beforePromptBuild(ctx context.Context, p protocol.PromptParams) (protocol.PromptResult, error) {
	e, err := s.current()
	if err != nil {
		return protocol.PromptResult{}, err
	}
	r := engine.PromptRequest{
		AgentID: p.Context.AgentID, SessionKey: p.Context.SessionKey, SessionID: p.Context.SessionID,
		Prompt: p.Event.Prompt, Event: p.Event.ID, Run: p.Context.RunID, Trigger: p.Context.Trigger,
	}
	if from := p.Context.InputProvenance; from != nil {
		r.Provenance = from.Kind
	}
	block, err := e.Prompt(ctx, r)
	return protocol.PromptResult{AppendContext: block}, err
}
