package server

import (
	"context"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// beforePromptBuild is the host's hook before a turn. It never fails the turn:
// what goes wrong is logged, once until it went right again.
func (s *session) beforePromptBuild(ctx context.Context, p protocol.PromptParams) (protocol.PromptResult, error) {
	e, err := s.current()
	if err == nil {
		r := engine.PromptRequest{
			AgentID: p.Context.AgentID, SessionKey: p.Context.SessionKey,
			Prompt: p.Event.Prompt, Trigger: p.Context.Trigger,
		}
		if from := p.Context.InputProvenance; from != nil {
			r.Provenance = from.Kind
		}
		var block string
		if block, err = e.Prompt(ctx, r); err == nil {
			s.hookWorked()
			return protocol.PromptResult{PrependContext: block}, nil
		}
	}
	s.hookFailed(err)
	return protocol.PromptResult{}, nil
}

func (s *session) hookFailed(err error) {
	fault := engine.FaultOf(err)
	s.mu.Lock()
	again := s.complained[fault]
	if s.complained == nil {
		s.complained = map[engine.Fault]bool{}
	}
	s.complained[fault] = true
	s.mu.Unlock()
	if !again {
		s.log.Warn("no memories were added to a turn; further failures of this kind are not logged until it works again", "error", err)
	}
}

func (s *session) hookWorked() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.complained = nil
}
