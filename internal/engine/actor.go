package engine

import (
	"context"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// Who changed something, in the record of changes.
const (
	ActorTool        = "tool"        // an agent, by one of its tools
	ActorOperator    = "cli"         // the person at the command line
	ActorCapture     = "capture"     // nobody asked; it was said in a conversation
	ActorMaintenance = "maintenance" // the program, on its own
)

// acting has the writes made with the returned context recorded as done by w.
func acting(ctx context.Context, w Who, a scope.Access) context.Context {
	who := store.Actor{Kind: ActorTool, Agent: a.Agent, Session: w.caller.SessionKey}
	if w.operator {
		who = store.Actor{Kind: ActorOperator}
	}
	return store.As(ctx, who)
}

// storing is acting for the verb Store, which captures come through as well.
func (o Origin) storing(ctx context.Context, w Who, a scope.Access) context.Context {
	if o.Source != memory.SourceAutoCapture {
		return acting(ctx, w, a)
	}
	return store.As(ctx, store.Actor{Kind: ActorCapture, Agent: a.Agent, Session: w.caller.SessionKey})
}

// maintaining is for what nobody asked for.
func maintaining(ctx context.Context) context.Context {
	return store.As(ctx, store.Actor{Kind: ActorMaintenance})
}
