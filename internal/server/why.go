package server

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
)

// why says what becomes of one memory when something is asked.
func (s *session) why(ctx context.Context, p protocol.WhyParams) (protocol.WhyResult, error) {
	e, err := s.current()
	if err != nil {
		return protocol.WhyResult{}, err
	}
	switch {
	case strings.TrimSpace(p.Query) == "":
		err = &engine.BadInputError{Problem: protocol.MethodWhy + ": the query is empty; say what was asked"}
	case utf8.RuneCountInString(p.Query) > protocol.MaxQueryChars:
		err = &engine.BadInputError{Problem: fmt.Sprintf("%s: the query has over %d characters; shorten it to the words that matter", protocol.MethodWhy, protocol.MaxQueryChars)}
	}
	if err != nil {
		return protocol.WhyResult{}, err
	}
	a, err := e.Why(ctx, engine.WhyRequest{
		Who: engine.Agent(p.Context.AgentID, p.Context.SessionKey),
		ID:  p.ID, Query: p.Query, Scope: p.Scope, Category: p.Category, Limit: p.Limit, Source: retrieve.SourceManual, Turn: p.Turn,
	})
	if err != nil {
		return protocol.WhyResult{}, err
	}
	return WhyOf(a), nil
}

// WhyOf is the machine-readable side of the answer, for the sidecar and the command
// line.
func WhyOf(a engine.WhyAnswer) protocol.WhyResult {
	r := protocol.WhyResult{
		ID: a.ID, Verdict: string(a.Verdict), Text: a.Text, Next: a.Next, Place: a.Place, Of: a.Of,
		Stage: a.Stage, Score: a.Score, Threshold: a.Threshold, Short: a.Short(), By: a.By, Mode: a.Mode, Query: a.Query,
	}
	if a.Memory != nil {
		r.Memory = &Candidates([]engine.Candidate{{Memory: *a.Memory}})[0]
	}
	if a.Why != nil {
		r.Why = a.Why
	}
	return r
}
