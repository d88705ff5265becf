package engine

import (
	"fmt"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

// Who is on whose behalf a verb runs. The zero value is nobody, and is refused.
type Who struct {
	operator bool
	caller   scope.Caller
}

// Agent is an agent as the host names it: by id, or by a session key
// "agent:<id>:…" when the id is blank.
func Agent(id, sessionKey string) Who {
	return Who{caller: scope.Caller{AgentID: id, SessionKey: sessionKey}}
}

// Operator is the person at the command line, who sees everything.
func Operator() Who { return Who{operator: true} }

// access applies the configured scopes.
func (e *Engine) access(w Who) (scope.Access, error) {
	if w.operator {
		return scope.Operator(), nil
	}
	s := e.cfg.Scopes
	return scope.Rules{Default: s.Default, Access: s.Access, Everyone: s.Everyone, OwnOnly: s.OwnOnly}.ForCaller(w.caller)
}

// readable narrows a caller's reach to a requested scope. One that is out of
// reach is left aside, not an error: the caller gets what it may see, and is
// told.
func readable(a scope.Access, requested string) (filter scope.Filter, ignored string) {
	filter, err := a.Read(requested)
	if err != nil {
		return a.Filter(), requested
	}
	return filter, ""
}

// String is for logs.
func (w Who) String() string {
	if w.operator {
		return "operator"
	}
	return fmt.Sprintf("agent %q, session %q", w.caller.AgentID, w.caller.SessionKey)
}
