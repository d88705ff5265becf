package server

import (
	"context"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// shutdown lets no further request in; the session ends when those in flight,
// this one included, are answered.
func (s *session) shutdown(context.Context, protocol.Empty) (protocol.Empty, error) {
	s.end()
	return protocol.Empty{}, nil
}
