package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// toolUpdate is the agent tool memory_update.
func (s *session) toolUpdate(ctx context.Context, p protocol.ToolParams) (protocol.ToolResult, error) {
	e, err := s.current()
	if err != nil {
		return protocol.ToolResult{}, err
	}
	args, err := protocol.ParseUpdate(p.Params)
	if err != nil {
		return protocol.ToolResult{}, err
	}
	answer, err := e.Update(ctx, engine.UpdateRequest{
		Who: engine.Agent(p.Context.AgentID, p.Context.SessionKey),
		ID:  args.MemoryID, Query: args.Query,
		Text: args.Text, Importance: args.Importance, Category: args.Category,
	})
	if err == nil {
		return protocol.Text(UpdateText(answer), UpdateDetails(answer)), nil
	}
	to, known := outcomeOf(err, "")
	switch {
	case !known:
		return protocol.ToolResult{}, err
	case len(to.Candidates) > 0:
		answer = engine.UpdateAnswer{Action: engine.Candidates, Candidates: to.Candidates}
		return protocol.Text(UpdateText(answer), UpdateDetails(answer)), nil
	}
	d := protocol.UpdateDetails{Error: to.Error}
	switch to.Error {
	case protocol.ErrorNoUpdates:
		return protocol.Text("Nothing was changed, because no new text, importance or category was given.", d), nil
	case protocol.ErrorNotFound:
		d.ID = args.MemoryID
		return protocol.Text(missing(args.MemoryID), d), nil
	}
	return protocol.Text(fmt.Sprintf("Not changed: %s.", err), d), nil
}

// missing is the same for an id that is wrong, gone, or somebody else's.
func missing(id string) string {
	return fmt.Sprintf("No memory of yours has the id %.80q; memory_recall shows ids.", id)
}

// UpdateText tells what came of an update, to the model or at the command line.
func UpdateText(a engine.UpdateAnswer) string {
	quote := func(text string) string { return fmt.Sprintf("%q", engine.Shorten(text, shownChars)) }
	var text string
	switch a.Action {
	case engine.Noise:
		return "Not changed: the new text reads like small talk or a question, not like something to remember (" + a.Reason + ")."
	case engine.Envelope:
		return "Not changed: there was only the channel's wrapping, no statement."
	case engine.Unchanged:
		return "Nothing to change: the memory says so already."
	case engine.Candidates:
		if len(a.Candidates) == 0 {
			return "No memory fits that description; nothing was changed."
		}
		return "Nothing was changed yet. Choose one of these and call again with its id as memoryId:\n" + engine.Block(a.Candidates)
	case engine.Superseded:
		text = fmt.Sprintf("New version %s: %s. The older version %s is kept as history.", a.Memory.ID, quote(a.Memory.Text), a.Previous.ID)
	default:
		text = fmt.Sprintf("Changed %s of memory %s: %s.", strings.Join(a.Fields, ", "), a.Memory.ID, quote(a.Memory.Text))
	}
	return text + hints(a.Pending, a.Removed)
}

// hints are what should be known about a text that was stored.
func hints(pending string, removed int) (text string) {
	if pending != "" {
		text += " It has no vector yet, so for now it is found by its words only; memory-pro doctor says why."
	}
	if removed > 0 {
		text += fmt.Sprintf(" Control characters were removed from the text: %d.", removed)
	}
	return text
}

// UpdateDetails are the machine-readable side of an update, for the tool and
// the command line.
func UpdateDetails(a engine.UpdateAnswer) protocol.UpdateDetails {
	d := protocol.UpdateDetails{Action: string(a.Action), Reason: a.Reason}
	switch a.Action {
	case engine.Noise, engine.Envelope:
		return d
	case engine.Candidates:
		d.Candidates = Candidates(a.Candidates)
		return d
	case engine.Superseded:
		d.OldID, d.NewID = a.Previous.ID, a.Memory.ID
	default:
		d.ID = a.Memory.ID
	}
	d.Scope, d.Category, d.RawCategory = a.Memory.Scope, string(a.Memory.Kind()), string(a.Memory.Category)
	d.Importance, d.FieldsUpdated = &a.Memory.Importance, a.Fields
	d.RemovedControlCharacters = a.Removed
	if a.Pending != "" {
		d.Embedding = a.Memory.Metadata.Embedding
	}
	return d
}
