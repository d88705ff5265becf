package server

import (
	"errors"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// reference is what a tool answers to an error that is no fault but something the
// model can act on: an id that fits nothing or too much, a scope out of reach.
type reference struct {
	// Error and Scope are details.error and details.requestedScope.
	Error, Scope string
	Candidates   []engine.Candidate
}

// outcomeOf sorts an error of Update or Forget into outcome and fault.
func outcomeOf(err error, scope string) (reference, bool) {
	var (
		ambiguous *engine.AmbiguousError
		noUpdate  *engine.NothingToUpdateError
		noForget  *engine.NothingToForgetError
	)
	switch {
	case errors.As(err, &ambiguous):
		return reference{Candidates: ambiguous.Matches}, true
	case errors.As(err, &noUpdate):
		return reference{Error: protocol.ErrorNoUpdates}, true
	case errors.As(err, &noForget):
		return reference{Error: protocol.ErrorMissingParam}, true
	case engine.FaultOf(err) == engine.FaultNotFound:
		return reference{Error: protocol.ErrorNotFound}, true
	case engine.FaultOf(err) == engine.FaultDenied:
		return reference{Error: protocol.ErrorScopeDenied, Scope: scope}, true
	}
	return reference{}, false
}

// Candidates are the machine-readable side of a list to choose from, for the
// tools and the command line.
func Candidates(list []engine.Candidate) []protocol.Candidate {
	out := make([]protocol.Candidate, 0, len(list))
	for _, c := range list {
		one := protocol.Candidate{
			ID: c.Memory.ID, Text: c.Memory.Text, Category: engine.Tag(c.Memory), RawCategory: string(c.Memory.Category),
			Scope: c.Memory.Scope, Importance: c.Memory.Importance, Reason: c.Reason,
		}
		if c.Score > 0 {
			one.Score = &c.Score
		}
		out = append(out, one)
	}
	return out
}
