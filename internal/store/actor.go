package store

import "context"

// Actor is who has a change made, for the journal.
type Actor struct {
	// Kind is "tool", "cli", "capture", "import", "maintenance" or "hook"; empty
	// if nobody said.
	Kind string
	// Agent and Session name on whose behalf, if that is known.
	Agent, Session string
}

type actorKey struct{}

// As has the writes made with the returned context journaled as the actor's.
func As(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// actorOf is who was named last; zero if nobody was.
func actorOf(ctx context.Context) Actor {
	a, _ := ctx.Value(actorKey{}).(Actor)
	return a
}
