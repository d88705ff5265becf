package server

import (
	"context"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// health reports without waiting for anything.
func (s *session) health(context.Context, protocol.Empty) (protocol.HealthResult, error) {
	e, err := s.current()
	if err != nil {
		return protocol.HealthResult{Version: s.options.Version, Store: protocol.StoreHealth{Error: err.Error()}}, nil
	}
	h := e.Health()
	return protocol.HealthResult{
		OK: h.OK(), Version: s.options.Version,
		Store:     protocol.StoreHealth{Open: h.StoreOpen, Path: h.StorePath, Error: h.StoreError},
		Embedding: protocol.EmbeddingHealth{Mode: h.EmbeddingMode, Model: h.EmbeddingModel, Error: h.EmbeddingError},
		Problems:  h.Problems,
		Notices:   h.Notices,
	}, nil
}
