package server

import (
	"context"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// cancel is the notification that a caller no longer waits for a request.
func (s *session) cancel(_ context.Context, p protocol.CancelParams) (protocol.Empty, error) {
	s.rpc.CancelRequest(string(p.ID))
	return protocol.Empty{}, nil
}
