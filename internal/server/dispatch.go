package server

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/handler"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// methods is everything the sidecar answers.
func (s *session) methods() handler.Map {
	return handler.Map{
		protocol.MethodInitialize:        method(s, s.initialize, nil),
		protocol.MethodToolRecall:        method(s, s.toolRecall, toolDeadline),
		protocol.MethodToolStore:         method(s, s.toolStore, toolDeadline),
		protocol.MethodToolUpdate:        method(s, s.toolUpdate, toolDeadline),
		protocol.MethodToolForget:        method(s, s.toolForget, toolDeadline),
		protocol.MethodToolDebug:         method(s, s.toolDebug, toolDeadline),
		protocol.MethodToolExplainRank:   method(s, s.toolExplainRank, toolDeadline),
		protocol.MethodToolStats:         method(s, s.toolStats, toolDeadline),
		protocol.MethodWhy:               method(s, s.why, whyDeadline),
		protocol.MethodBeforePromptBuild: method(s, s.beforePromptBuild, promptDeadline),
		protocol.MethodAgentEnd:          method(s, s.agentEnd, nil),
		protocol.MethodMessageReceived:   method(s, s.messageReceived, nil),
		protocol.MethodSessionEnd:        method(s, s.sessionEnd, sessionEndDeadline),
		protocol.MethodHealth:            method(s, s.health, nil),
		protocol.MethodShutdown:          method(s, s.shutdown, nil),
		protocol.MethodCancel:            method(s, s.cancel, nil),
	}
}

// Deadlines of requests that bring none.
const (
	defaultDeadline = 60 * time.Second
	hookDeadline    = 10 * time.Second
	// longestDeadline also keeps an absurd number from overflowing into the past.
	longestDeadline = time.Hour
)

func toolDeadline(p protocol.ToolParams) time.Duration {
	return orDefault(p.DeadlineMs, defaultDeadline)
}

func whyDeadline(p protocol.WhyParams) time.Duration {
	return orDefault(p.DeadlineMs, defaultDeadline)
}

func promptDeadline(p protocol.PromptParams) time.Duration {
	return orDefault(p.DeadlineMs, hookDeadline)
}

func sessionEndDeadline(p protocol.SessionEndParams) time.Duration {
	return orDefault(p.DeadlineMs, hookDeadline)
}

func orDefault(ms int, d time.Duration) time.Duration {
	if ms > 0 {
		return time.Duration(min(ms, int(longestDeadline/time.Millisecond))) * time.Millisecond
	}
	return d
}

// method adapts one method: decode, bound, run, and turn whatever happens into
// an answer. This is the only place that recovers.
func method[P, R any](s *session, run func(context.Context, P) (R, error), deadline func(P) time.Duration) jrpc2.Handler {
	return func(ctx context.Context, req *jrpc2.Request) (any, error) {
		var params P
		if req.HasParams() {
			if err := json.Unmarshal([]byte(req.ParamString()), &params); err != nil {
				return nil, rpcError(&badParamsError{method: req.Method(), err: err})
			}
		}
		limit := defaultDeadline
		if deadline != nil {
			limit = deadline(params)
		}
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()

		done := make(chan outcome[R], 1)
		go func() {
			var o outcome[R]
			defer func() {
				if p := recover(); p != nil {
					s.log.Error("a defect in memory-lancedb-pro: a request panicked", "method", req.Method(), "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
					o.err = &panicError{method: req.Method(), value: p}
				}
				done <- o
			}()
			o.result, o.err = run(ctx, params)
		}()
		// A verb honours its context; should one not, the caller is answered in
		// time all the same.
		var o outcome[R]
		select {
		case o = <-done:
		case <-ctx.Done():
			select {
			case o = <-done:
			case <-time.After(lateness):
				o.err = fmt.Errorf("%s: %w", req.Method(), ctx.Err())
			}
		}
		if o.err != nil {
			return nil, rpcError(o.err)
		}
		return o.result, nil
	}
}

// lateness is what a verb gets to notice that its deadline has passed.
const lateness = 50 * time.Millisecond

type outcome[R any] struct {
	result R
	err    error
}
