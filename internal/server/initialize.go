package server

import (
	"context"
	"log/slog"
	"os"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// initialize makes the engine and answers at once; the database is opened
// afterwards.
func (s *session) initialize(_ context.Context, p protocol.InitializeParams) (protocol.InitializeResult, error) {
	if p.ProtocolVersion != protocol.Version {
		return protocol.InitializeResult{}, &versionError{shim: p.ProtocolVersion, sidecar: protocol.Version}
	}
	s.level.Set(levelOf(p.LogLevel))

	s.mu.Lock()
	defer s.mu.Unlock()
	if s.engine == nil {
		made, err := s.options.Open(p, s.log)
		if s.failed = err; err != nil {
			return protocol.InitializeResult{}, err
		}
		s.engine = made
		made.Warm()
		s.watch.Go(func() { s.watchHealth(made) })
	}
	r := protocol.InitializeResult{
		ProtocolVersion: protocol.Version, Version: s.options.Version, PID: os.Getpid(), Ready: s.engine.Ready(),
	}
	for _, t := range protocol.Tools() {
		r.Tools = append(r.Tools, t.Name)
	}
	return r, nil
}

func levelOf(name string) slog.Level {
	switch name {
	case "trace", "debug":
		return slog.LevelDebug
	case "warn":
		return slog.LevelWarn
	case "error", "fatal", "silent":
		return slog.LevelError
	}
	return slog.LevelInfo
}
