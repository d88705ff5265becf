package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
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
		Source: retrieve.SourceManual,
	})
	if err != nil {
		return protocol.ToolResult{}, err
	}
	form := engine.Form{FullText: args.FullText, MaxChars: args.MaxChars}
	return protocol.Text(recallText(answer, form), recallDetails(answer, form, p.Explain)), nil
}

func recallText(a engine.RecallAnswer, form engine.Form) string {
	var b strings.Builder
	if a.IgnoredScope != "" {
		fmt.Fprintf(&b, "Scope %q is out of your reach; searched %s instead.\n", a.IgnoredScope, strings.Join(a.Accessible, ", "))
	}
	for _, d := range a.Degraded {
		b.WriteString(lacks(d))
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

// lacks says what a part of the search that failed means for the answer.
func lacks(d retrieve.Degraded) string {
	switch d.Half {
	case retrieve.HalfRerank:
		return "Note: the second look at the results failed, so their order may be worse.\n"
	case retrieve.HalfNeighbours:
		return "Note: related memories could not be looked up.\n"
	}
	if d.Partly {
		return "Note: the database is being embedded anew, so some memories are found by their words only.\n"
	}
	return fmt.Sprintf("Note: the %s half of the search failed, so something may be missing.\n", d.Half)
}

func recallDetails(a engine.RecallAnswer, form engine.Form, why bool) protocol.RecallDetails {
	d := protocol.RecallDetails{
		Count: len(a.Hits), Memories: make([]protocol.RecalledMemory, 0, len(a.Hits)), Query: a.Query,
		Scopes: notNil(a.Scopes), AccessibleScopes: notNil(a.Accessible), IgnoredScope: a.IgnoredScope,
		RetrievalMode: a.Mode, RecallMode: "summary",
	}
	if form.FullText {
		d.RecallMode = "full"
	}
	d.Degraded = degradedOf(a)
	for _, h := range a.Hits {
		m := RecalledOf(h, why)
		if form.FullText {
			m.FullText = h.Memory.Full()
		}
		d.Memories = append(d.Memories, m)
	}
	return d
}

func degradedOf(a engine.RecallAnswer) (list []protocol.DegradedHalf) {
	for _, half := range a.Degraded {
		list = append(list, protocol.DegradedHalf{Half: half.Half, Reason: half.Reason})
	}
	return list
}

// RecalledOf is the machine-readable side of one hit, for the tools and the command
// line; with its tree of numbers if why.
func RecalledOf(h retrieve.Hit, why bool) protocol.RecalledMemory {
	m := protocol.RecalledMemory{
		ID: h.Memory.ID, Text: h.Memory.Text, Category: engine.Tag(h.Memory), RawCategory: string(h.Memory.Category),
		Scope: h.Memory.Scope, Importance: h.Memory.Importance, Score: h.Score, Reason: h.Reason, Sources: SourcesOf(h), Flags: h.Flags,
	}
	for _, n := range h.Neighbours {
		m.Neighbors = append(m.Neighbors, protocol.Neighbor{
			ID: n.ID, Text: n.Text, Category: engine.Tag(n), RawCategory: string(n.Category), Scope: n.Scope,
		})
	}
	if why && h.Why != nil {
		m.Why = h.Why
	}
	return m
}

// SourcesOf are the scores a hit is made of.
func SourcesOf(h retrieve.Hit) protocol.Sources {
	s := protocol.Sources{Fused: &protocol.Source{Score: h.Fused}}
	if h.Vector != nil {
		s.Vector = &protocol.Source{Score: h.Vector.Score, Rank: h.Vector.Rank}
	}
	if h.BM25 != nil {
		s.BM25 = &protocol.Source{Score: h.BM25.Score, Rank: h.BM25.Rank}
	}
	if h.Reranked != nil {
		s.Reranked = &protocol.Source{Score: *h.Reranked}
	}
	return s
}

// notNil keeps an empty list from becoming null in JSON.
func notNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
