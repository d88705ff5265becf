package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
)

const (
	// rememberedSessions is how many sessions an engine remembers at most.
	rememberedSessions = 2000
	// recallsPerSession are asked in each.
	recallsPerSession = 5
)

// creep gives an engine turns of ever new sessions, each with recalls and a
// capture, and returns the heap in use after half of them and at the end, in
// bytes. Before it counts, the engine has met as many sessions as it remembers.
func creep(ctx context.Context, dir string, sessions int) (half, end float64, err error) {
	e, err := openEngine(dir)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	for i := range rememberedSessions {
		if err := turn(ctx, e, fmt.Sprintf("agent:main:earlier-%d", i), "ok"); err != nil {
			return 0, 0, err
		}
	}
	for i := range sessions {
		key := fmt.Sprintf("agent:main:session-%d", i)
		for j := range recallsPerSession {
			// As before a turn, and as the tool.
			question := fmt.Sprintf("What is the door code of house %d?", (i+j)%100)
			if j == 0 {
				_, err = e.Prompt(ctx, engine.PromptRequest{AgentID: "main", SessionKey: key, Prompt: question, Trigger: "user"})
			} else {
				_, err = e.Recall(ctx, engine.RecallRequest{Who: engine.Agent("main", key), Query: question})
			}
			if err != nil {
				return 0, 0, err
			}
		}
		if err := turn(ctx, e, key, fmt.Sprintf("Remember that the door code of house %d is %d.", i%100, 1000+i%100)); err != nil {
			return 0, 0, err
		}
		if i == sessions/2 {
			half = heap()
		}
	}
	return half, heap(), nil
}

// turn is one turn of a session that ends with it.
func turn(ctx context.Context, e *engine.Engine, key, text string) error {
	now := time.Now()
	e.Capture(engine.CaptureRequest{AgentID: "main", SessionKey: key, SessionID: key, Trigger: "user", Success: true,
		Messages: []engine.Message{{Role: "user", Text: text, At: now}, {Role: "assistant", Text: "Noted.", At: now}}})
	return e.EndSession(ctx, engine.SessionEnd{AgentID: "main", SessionKey: key, SessionID: key, Reason: "new"})
}

// heap is what is in use after a collection, in bytes.
func heap() float64 {
	runtime.GC()
	runtime.GC() // what finalizers gave up in the first
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
