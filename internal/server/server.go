// Package server is the sidecar: it answers the requests of the shim over
// stdin and stdout. Every method has a file of its own, named after it, which
// decodes, asks the engine, and encodes; the list in dispatch.go is the whole
// surface.
//
// Nothing but frames may reach the stream, so TakeStdout moves it away from
// descriptor 1 before anything else runs. A request that fails, panics or
// hangs costs nobody else anything.
//
// Caveats: one Serve is one session with one engine; initializing again after
// success answers the same and changes nothing.
package server

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/creachadair/jrpc2"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// Engine is the part of package engine the methods use.
type Engine interface {
	Recall(context.Context, engine.RecallRequest) (engine.RecallAnswer, error)
	Explain(context.Context, engine.RecallRequest) (engine.RecallAnswer, error)
	Why(context.Context, engine.WhyRequest) (engine.WhyAnswer, error)
	Stats(context.Context, engine.StatsRequest) (engine.StatsAnswer, error)
	Store(context.Context, engine.StoreRequest) (engine.StoreAnswer, error)
	Update(context.Context, engine.UpdateRequest) (engine.UpdateAnswer, error)
	Forget(context.Context, engine.ForgetRequest) (engine.ForgetAnswer, error)
	Prompt(context.Context, engine.PromptRequest) (string, error)
	Capture(engine.CaptureRequest) int
	NoteAnswer(engine.AnswerRequest)
	NoteReceived(sessionKey, text string)
	EndSession(context.Context, engine.SessionEnd) error
	Health() engine.Health
	Ready() bool
	Warm()
	Close() error
}

// Options configure a session.
type Options struct {
	In  io.Reader
	Out io.WriteCloser
	// Version is the program's own.
	Version string
	// Open makes the engine when initialize arrives. It must not wait for the
	// database.
	Open func(protocol.InitializeParams, *slog.Logger) (Engine, error)
	// Errors gets what cannot be told over the stream any more.
	Errors io.Writer
	// Grace is how long requests in flight may take once the session ends; 0
	// means 5 s.
	Grace time.Duration
	// HealthEvery is how often a change of health is looked for; 0 means 1 s.
	HealthEvery time.Duration
}

const (
	// concurrency is far above what a host asks at once, so that calls that hang
	// until their deadlines do not keep others, or their own cancellation, waiting.
	concurrency  = 256
	defaultGrace = 5 * time.Second
	// closePatience bounds the closing of the database: the kernel drops its
	// lock, and what was acknowledged is on disk.
	closePatience = 5 * time.Second
)

// Serve answers requests until the input ends or ctx is done. Requests in flight
// are answered first, for as long as Grace allows; then the engine is closed.
func Serve(ctx context.Context, o Options) error {
	if o.Grace == 0 {
		o.Grace = defaultGrace
	}
	if o.Errors == nil {
		o.Errors = io.Discard
	}
	s := &session{options: o, stop: make(chan struct{})}
	s.rpc = jrpc2.NewServer(s.methods(), &jrpc2.ServerOptions{AllowPush: true, Concurrency: concurrency, DisableBuiltin: true})
	s.log = slog.New(newLogHandler(s.rpc, o.Errors, &s.level))

	defer context.AfterFunc(ctx, s.end)()
	err := s.rpc.Start(newDrain(newFrames(o.In, o.Out), s.stop, o.Grace)).Wait()
	s.end()
	s.watch.Wait()
	s.close()
	return err
}

// session is one connection.
type session struct {
	options Options
	rpc     *jrpc2.Server
	log     *slog.Logger
	level   slog.LevelVar

	watch   sync.WaitGroup
	stop    chan struct{} // closed when no more requests are read
	endOnce sync.Once

	mu     sync.Mutex
	engine Engine
	// failed is why initialize could not make an engine.
	failed error
}

// end stops reading requests.
func (s *session) end() { s.endOnce.Do(func() { close(s.stop) }) }

// close closes the engine, but does not wait for it for ever.
func (s *session) close() {
	s.mu.Lock()
	e := s.engine
	s.mu.Unlock()
	if e == nil {
		return
	}
	done := make(chan error, 1)
	go func() { done <- e.Close() }()
	select {
	case err := <-done:
		if err != nil {
			s.log.Error("the memory database was not closed properly", "error", err)
		}
	case <-time.After(closePatience):
		s.log.Error("the memory database did not close in time", "waited", closePatience)
	}
}

// current is the engine, or why there is none.
func (s *session) current() (Engine, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.engine == nil {
		return nil, &notInitializedError{cause: s.failed}
	}
	return s.engine, nil
}
