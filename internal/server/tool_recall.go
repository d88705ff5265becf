package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

// toolRecall is the agent tool memory_recall.
func (s *session) toolRecall(ctx context.Context, p protocol.ToolParams) (protocol.ToolResult, error) {
	e, err := s.current()
	if err != nil {
		return protocol.ToolResult{}, err
	}
	args, err := protocol.ParseRecall(p.Params)
	if err != nil {
		return protocol.ToolResult{}, err
	}
	answer, err := e.Recall(ctx, engine.RecallRequest{
		Who:   engine.Agent(p.Context.AgentID, p.Context.SessionKey),
		Query: args.Query, Limit: args.Limit, Scope: args.Scope, Category: args.Category, Deliberate: true,
	})
	if err != nil {
		return protocol.ToolResult{}, err
	}
	form := engine.Form{FullText: args.FullText, MaxChars: args.MaxChars}
	return protocol.Text(recallText(answer, form), recallDetails(answer, form)), nil
}

func recallText(a engine.RecallAnswer, form engine.Form) string {
	var b strings.Builder
	if a.IgnoredScope != "" {
		fmt.Fprintf(&b, "Scope %q is out of your reach; searched %s instead.\n", a.IgnoredScope, strings.Join(a.Accessible, ", "))
	}
	for _, d := range a.Degraded {
		fmt.Fprintf(&b, "Note: the %s half of the search failed, so something may be missing.\n", d.Half)
	}
	switch len(a.Hits) {
	case 0:
		b.WriteString("Nothing relevant is remembered.")
		return b.String()
	case 1:
		b.WriteString("1 memory found:\n")
	default:
		fmt.Fprintf(&b, "%d memories found:\n", len(a.Hits))
	}
	b.WriteString(a.Block(form))
	return b.String()
}

func recallDetails(a engine.RecallAnswer, form engine.Form) protocol.RecallDetails {
	d := protocol.RecallDetails{
		Count: len(a.Hits), Memories: make([]protocol.RecalledMemory, 0, len(a.Hits)), Query: a.Query,
		Scopes: notNil(a.Scopes), AccessibleScopes: notNil(a.Accessible), IgnoredScope: a.IgnoredScope,
		RetrievalMode: a.Mode, RecallMode: "summary",
	}
	if form.FullText {
		d.RecallMode = "full"
	}
	for _, half := range a.Degraded {
		d.Degraded = append(d.Degraded, protocol.DegradedHalf{Half: half.Half, Reason: half.Reason})
	}
	for _, h := range a.Hits {
		m := protocol.RecalledMemory{
			ID: h.Memory.ID, Text: h.Memory.Text, Category: engine.Tag(h.Memory), RawCategory: string(h.Memory.Category),
			Scope: h.Memory.Scope, Importance: h.Memory.Importance, Score: h.Score, Reason: h.Reason,
			Sources: protocol.Sources{Fused: &protocol.Source{Score: h.Fused}},
		}
		if h.Vector != nil {
			m.Sources.Vector = &protocol.Source{Score: h.Vector.Score, Rank: h.Vector.Rank}
		}
		if h.BM25 != nil {
			m.Sources.BM25 = &protocol.Source{Score: h.BM25.Score, Rank: h.BM25.Rank}
		}
		if form.FullText {
			m.FullText = h.Memory.Full()
		}
		d.Memories = append(d.Memories, m)
	}
	return d
}

// notNil keeps an empty list from becoming null in JSON.
func notNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
