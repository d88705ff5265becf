package server

import (
	"context"
	"fmt"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// toolStore is the agent tool memory_store. What did not lead to a new memory
// for a good reason is an answer; only faults are errors.
func (s *session) toolStore(ctx context.Context, p protocol.ToolParams) (protocol.ToolResult, error) {
	e, err := s.current()
	if err != nil {
		return protocol.ToolResult{}, err
	}
	args, err := protocol.ParseStore(p.Params)
	if err != nil {
		return protocol.ToolResult{}, err
	}
	answer, err := e.Store(ctx, engine.StoreRequest{
		Who:  engine.Agent(p.Context.AgentID, p.Context.SessionKey),
		Text: args.Text, Importance: args.Importance, Category: args.Category, Scope: args.Scope, Force: args.Force,
	})
	if engine.FaultOf(err) == engine.FaultDenied {
		return protocol.Text(
			fmt.Sprintf("Not stored: %s.", err),
			protocol.StoreDetails{Error: protocol.ErrorScopeDenied, RequestedScope: args.Scope}), nil
	}
	if err != nil {
		return protocol.ToolResult{}, err
	}
	return protocol.Text(StoreText(answer), StoreDetails(answer)), nil
}

// shownChars is how much of a text is repeated to the model.
const shownChars = 100

// StoreText tells what came of a store, to the model or at the command line.
func StoreText(a engine.StoreAnswer) string {
	quote := func(text string) string { return fmt.Sprintf("%q", engine.Shorten(text, shownChars)) }
	switch a.Action {
	case engine.Duplicate:
		return "Known already, not stored again: " + quote(a.Existing.Text)
	case engine.Noise:
		return "Not stored: this reads like small talk or a question, not like something to remember (" + a.Reason + ")."
	case engine.Envelope:
		return "Not stored: there was only the channel's wrapping, no statement."
	}
	text := fmt.Sprintf("Remembered in scope %s: %s.", a.Memory.Scope, quote(a.Memory.Text))
	if a.Action == engine.Superseded {
		text += " It replaces the older version " + quote(a.Existing.Text) + "."
	}
	return text + hints(a.Pending, a.Removed)
}

// StoreDetails are the machine-readable side of a store, for the tool and the
// command line.
func StoreDetails(a engine.StoreAnswer) protocol.StoreDetails {
	d := protocol.StoreDetails{Action: string(a.Action)}
	switch a.Action {
	case engine.Duplicate:
		d.ExistingID, d.ExistingText, d.ExistingScope = a.Existing.ID, a.Existing.Text, a.Existing.Scope
		d.Similarity = &a.Similarity
		return d
	case engine.Noise, engine.Envelope:
		d.Reason = a.Reason
		return d
	case engine.Superseded:
		d.SupersededID, d.SupersededIDs = a.Existing.ID, []string{a.Existing.ID}
		d.Similarity = &a.Similarity
	}
	d.ID, d.Scope = a.Memory.ID, a.Memory.Scope
	d.Category, d.RawCategory = string(a.Memory.Kind()), string(a.Memory.Category)
	d.Importance = &a.Memory.Importance
	d.DuplicateOverride, d.RemovedControlCharacters = a.DuplicateOverride, a.Removed
	d.Embedding = a.Memory.Metadata.Embedding
	if a.Pending == "" {
		d.Embedding = ""
	}
	return d
}
