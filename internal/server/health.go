package server

import (
	"context"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// health reports without waiting for anything.
func (s *session) health(context.Context, protocol.Empty) (protocol.HealthResult, error) {
	e, err := s.current()
	if err != nil {
		return protocol.HealthResult{
			State: string(engine.Unavailable), Cause: err.Error(),
			Version: s.options.Version, Store: protocol.StoreHealth{Error: err.Error()},
		}, nil
	}
	return s.healthOf(e), nil
}

func (s *session) healthOf(e Engine) protocol.HealthResult {
	h := e.Health()
	state, cause := h.State()
	return protocol.HealthResult{
		OK: h.OK(), State: string(state), Cause: cause, Version: s.options.Version,
		Store:     protocol.StoreHealth{Open: h.StoreOpen, Path: h.StorePath, Error: h.StoreError},
		Embedding: protocol.EmbeddingHealth{Mode: h.EmbeddingMode, Model: h.EmbeddingModel, Ready: h.EmbeddingReady, Error: h.EmbeddingError},
		Problems:  h.Problems, Notices: h.Notices,
	}
}

// healthEvery is how soon the host hears of a change. Looking costs nothing.
const healthEvery = time.Second

// watchHealth tells the host when the state changes, until the session ends. A
// host that was told nothing takes it that all is well.
func (s *session) watchHealth(e Engine) {
	every := s.options.HealthEvery
	if every == 0 {
		every = healthEvery
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	told := protocol.HealthResult{State: string(engine.Available)}
	for {
		select {
		case <-s.stop:
			return
		case <-ticker.C:
		}
		now := s.healthOf(e)
		if now.State == told.State && now.Cause == told.Cause {
			continue
		}
		if err := s.rpc.Notify(context.Background(), protocol.MethodHealth, now); err != nil {
			return // nobody listens any more
		}
		told = now
	}
}
