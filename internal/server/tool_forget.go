package server

import (
	"context"
	"fmt"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// toolForget is the agent tool memory_forget. Forgetting what is not there is an
// answer, so that a call can be repeated.
func (s *session) toolForget(ctx context.Context, p protocol.ToolParams) (protocol.ToolResult, error) {
	e, err := s.current()
	if err != nil {
		return protocol.ToolResult{}, err
	}
	args, err := protocol.ParseForget(p.Params)
	if err != nil {
		return protocol.ToolResult{}, err
	}
	answer, err := e.Forget(ctx, engine.ForgetRequest{
		Who: engine.Agent(p.Context.AgentID, p.Context.SessionKey),
		ID:  args.MemoryID, Query: args.Query, Scope: args.Scope,
	})
	if err == nil {
		return protocol.Text(forgetText(answer), forgetDetails(answer, args)), nil
	}
	to, known := outcomeOf(err, args.Scope)
	switch {
	case !known:
		return protocol.ToolResult{}, err
	case len(to.Candidates) > 0:
		d := protocol.ForgetDetails{Action: protocol.ActionCandidates, Candidates: Candidates(to.Candidates)}
		return protocol.Text(fmt.Sprintf("The id %.80q fits several memories, so nothing was deleted. Call again with more of the id of one of them:\n%s",
			args.MemoryID, engine.Block(to.Candidates)), d), nil
	}
	d := protocol.ForgetDetails{Error: to.Error, RequestedScope: to.Scope}
	switch to.Error {
	case protocol.ErrorMissingParam:
		return protocol.Text("Nothing was deleted: say which memory, by memoryId or by query.", d), nil
	case protocol.ErrorNotFound:
		if d.ID = args.MemoryID; d.ID == "" {
			d.ID = args.Query
		}
		return protocol.Text(missing(d.ID)+" Nothing was deleted.", d), nil
	}
	return protocol.Text(fmt.Sprintf("Not deleted: %s.", err), d), nil
}

func forgetText(a engine.ForgetAnswer) string {
	switch {
	case a.Action == engine.Deleted:
		return fmt.Sprintf("Forgotten: %q (%s).", engine.Shorten(a.Memory.Text, shownChars), a.Memory.ID)
	case len(a.Candidates) == 0:
		return "No memory fits that description; nothing was deleted."
	}
	return fmt.Sprintf("Nothing was deleted yet: without an id, only a memory that alone matches the description to %g of 1 is deleted. "+
		"Choose one of these and call again with its id as memoryId:\n", engine.CertainFrom) + engine.Block(a.Candidates)
}

func forgetDetails(a engine.ForgetAnswer, args protocol.ForgetArgs) protocol.ForgetDetails {
	switch {
	case a.Action == engine.Deleted:
		return protocol.ForgetDetails{Action: protocol.ActionDeleted, ID: a.Memory.ID, Scope: a.Memory.Scope}
	case len(a.Candidates) == 0:
		none := 0
		d := protocol.ForgetDetails{Found: &none, Query: args.Query}
		if d.Query == "" {
			d.Query = args.MemoryID
		}
		return d
	}
	threshold := engine.CertainFrom
	return protocol.ForgetDetails{Action: protocol.ActionCandidates, Candidates: Candidates(a.Candidates), Threshold: &threshold}
}
