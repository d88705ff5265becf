package server

import (
	"context"
	"fmt"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
)

// toolDebug is the agent tool memory_debug.
func (s *session) toolDebug(ctx context.Context, p protocol.ToolParams) (protocol.ToolResult, error) {
	r, a, err := s.explained(ctx, protocol.ToolDebug, p)
	if err != nil {
		return protocol.ToolResult{}, err
	}
	d := explainDetails(r, a)
	return protocol.Text(debugText(d.Diagnostics, a), d), nil
}

// explained asks without leaving a trace.
func (s *session) explained(ctx context.Context, tool string, p protocol.ToolParams) (engine.RecallRequest, engine.RecallAnswer, error) {
	e, err := s.current()
	if err != nil {
		return engine.RecallRequest{}, engine.RecallAnswer{}, err
	}
	args, err := protocol.ParseExplain(tool, p.Params)
	if err != nil {
		return engine.RecallRequest{}, engine.RecallAnswer{}, err
	}
	r := engine.RecallRequest{
		Who:   engine.Agent(p.Context.AgentID, p.Context.SessionKey),
		Query: args.Query, Limit: args.Limit, Scope: args.Scope, Source: retrieve.SourceManual,
	}
	a, err := e.Explain(ctx, r)
	return r, a, err
}

// droppedShown is how many dropped ids a line of the trace names.
const droppedShown = 3

func debugText(d protocol.Diagnostics, a engine.RecallAnswer) string {
	var b strings.Builder
	ignored(&b, a)
	fmt.Fprintf(&b, "Retrieval Debug Trace:\n  mode: %s\n", d.Mode)
	if d.QueryExpanded {
		fmt.Fprintf(&b, "  words added to the query: %q\n", d.BM25Query)
	}
	for _, stage := range d.Stages {
		fmt.Fprintf(&b, "  %s: %d -> %d (%s) %.1fms", stage.Name, stage.Input, stage.Output, change(stage), stage.DurationMs)
		if len(stage.ScoreRange) == 2 {
			fmt.Fprintf(&b, " scores=[%.3f, %.3f]", stage.ScoreRange[0], stage.ScoreRange[1])
		}
		b.WriteByte('\n')
		if n := len(stage.DroppedIDs); n > 0 {
			fmt.Fprintf(&b, "    dropped: %s", strings.Join(stage.DroppedIDs[:min(n, droppedShown)], ", "))
			if n > droppedShown {
				fmt.Fprintf(&b, " and %d more", n-droppedShown)
			}
			b.WriteByte('\n')
		}
	}
	for _, half := range a.Degraded {
		fmt.Fprintf(&b, "  %s failed: %s\n", half.Half, engine.Quoted(half.Reason))
	}
	fmt.Fprintf(&b, "\nResults (%d):", len(a.Hits))
	if len(a.Hits) > 0 {
		b.WriteString("\n" + a.BlockOf(func(h retrieve.Hit) []string {
			return []string{fmt.Sprintf("%s (%.1f%%, %s)", engine.Shorten(h.Memory.Abstract(), 120), 100*h.Score, FoundBy(h, "+"))}
		}))
	}
	return b.String()
}

// change is how many rows a step took away, or brought.
func change(s protocol.StageTrace) string {
	if s.Output > s.Input {
		return fmt.Sprintf("+%d", s.Output-s.Input)
	}
	return fmt.Sprintf("-%d", s.Input-s.Output)
}

// FoundBy names what a hit owes its score to.
func FoundBy(h retrieve.Hit, and string) string {
	var parts []string
	if h.Vector != nil {
		parts = append(parts, "vector")
	}
	if h.BM25 != nil {
		parts = append(parts, "BM25")
	}
	if h.Reranked != nil {
		parts = append(parts, "reranked")
	}
	if len(parts) == 0 {
		return "exact"
	}
	return strings.Join(parts, and)
}

func ignored(b *strings.Builder, a engine.RecallAnswer) {
	if a.IgnoredScope != "" {
		fmt.Fprintf(b, "Scope %q is out of your reach; searched %s instead.\n", a.IgnoredScope, strings.Join(a.Accessible, ", "))
	}
}

// explainDetails are the machine-readable side of both tools that explain.
func explainDetails(r engine.RecallRequest, a engine.RecallAnswer) protocol.ExplainDetails {
	d := protocol.ExplainDetails{
		Count: len(a.Hits), Memories: make([]protocol.ExplainedMemory, 0, len(a.Hits)), Query: a.Query,
		Diagnostics: Diagnostics(r, a), IgnoredScope: a.IgnoredScope,
	}
	for _, h := range a.Hits {
		d.Memories = append(d.Memories, explainedOf(h))
	}
	return d
}
