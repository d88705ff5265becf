package server

import (
	"context"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// messageReceived notes a message of a channel in its sender's own words. It
// stores nothing: the host does not fire it for every turn, and does fire it
// for commands. It only helps to find those words in the turn's history, where
// they stand inside the channel's wrapping.
func (s *session) messageReceived(_ context.Context, p protocol.MessageReceivedParams) (protocol.Empty, error) {
	e, err := s.current()
	if err == nil {
		e.NoteReceived(p.Context.SessionKey, p.Event.Content)
	}
	return protocol.Empty{}, err
}
