package server

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/recalls"
)

// toolStats is the agent tool memory_stats.
func (s *session) toolStats(ctx context.Context, p protocol.ToolParams) (protocol.ToolResult, error) {
	e, err := s.current()
	if err != nil {
		return protocol.ToolResult{}, err
	}
	scope, err := protocol.ParseStats(p.Params)
	if err != nil {
		return protocol.ToolResult{}, err
	}
	a, err := e.Stats(ctx, engine.StatsRequest{Who: engine.Agent(p.Context.AgentID, p.Context.SessionKey), Scope: scope})
	if err != nil {
		return protocol.ToolResult{}, err
	}
	return protocol.Text(statsText(a), StatsDetails(a)), nil
}

func statsText(a engine.StatsAnswer) string {
	var b strings.Builder
	if a.IgnoredScope != "" {
		fmt.Fprintf(&b, "Scope %q is out of your reach; counted %s instead.\n", a.IgnoredScope, strings.Join(a.Accessible, ", "))
	}
	fmt.Fprintf(&b, "Memory Statistics:\n• Total memories: %d\n• Available scopes: %d\n• Retrieval mode: %s\n• FTS support: %s\n",
		a.Total, len(a.Accessible), a.RetrievalMode, yesNo(a.TextIndex.Present))
	if a.Pending > 0 {
		fmt.Fprintf(&b, "• Without a vector yet, found by words only: %d\n", a.Pending)
	}
	counts := func(title string, of map[string]int64) {
		fmt.Fprintf(&b, "\n%s:\n", title)
		for _, name := range slices.Sorted(maps.Keys(of)) {
			fmt.Fprintf(&b, "  • %s: %d\n", named(name), of[name])
		}
	}
	counts("Memories by scope", a.ByScope)
	counts("Memories by category", a.ByCategory)
	if a.Recalls.Recalls > 0 {
		b.WriteString("\nRecalls since the gateway started:\n" + RecallLines(a.Recalls, "  • "))
	}
	if a.Recorded != nil && a.Recorded.Recalls > a.Recalls.Recalls {
		b.WriteString("\nRecorded recalls:\n" + RecallLines(*a.Recorded, "  • "))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// named is a word out of the table, or that there is none.
func named(name string) string {
	if strings.TrimSpace(name) == "" {
		return "(none)"
	}
	return engine.Shorten(name, 100)
}

func yesNo(b bool) string {
	if b {
		return "Yes"
	}
	return "No"
}

// StatsDetails are the machine-readable side, for the tool and the command line.
func StatsDetails(a engine.StatsAnswer) protocol.StatsDetails {
	d := protocol.StatsDetails{
		Stats: protocol.MemoryStats{
			Total: a.Total, Scopes: counted64(a.ByScope), Categories: counted64(a.ByCategory), Pending: a.Pending, Unscoped: a.Unscoped,
		},
		Scopes: protocol.ScopeStats{Total: len(a.ByScope), ByType: map[string]int{}},
		Retrieval: protocol.RetrievalStats{
			Mode: a.RetrievalMode, FullText: a.TextIndex.Present, Tokenizer: a.TextIndex.Tokenizer,
			Indexed: a.TextIndex.Indexed, Unindexed: a.TextIndex.Unindexed, Dimensions: a.Dimensions,
		},
		IgnoredScope: a.IgnoredScope,
	}
	for name := range a.ByScope {
		kind, _, _ := strings.Cut(name, ":")
		d.Scopes.ByType[kind]++
	}
	if a.Recalls.Recalls > 0 {
		d.Recalls = recallStats(a.Recalls)
	}
	if a.Recorded != nil {
		d.Recorded = recallStats(*a.Recorded)
	}
	return d
}

func recallStats(s recalls.Summary) *protocol.RecallStats {
	d := &protocol.RecallStats{
		Recalls: s.Recalls, Empty: s.Empty, EmptyRate: s.EmptyRate(), Failed: s.Failed, Degraded: s.Degraded, Latency: latency(s.Took),
		Stages: []protocol.StageStats{}, Sources: []protocol.SourceStats{}, Drops: []protocol.DropStats{},
	}
	if s.Recalls > 0 {
		d.First, d.Last = s.First.UnixMilli(), s.Last.UnixMilli()
	}
	for _, stage := range s.Stages {
		d.Stages = append(d.Stages, protocol.StageStats{Name: stage.Name, Runs: stage.Runs, Dropped: stage.Dropped, Latency: latency(stage.Took)})
	}
	for _, from := range s.Sources {
		d.Sources = append(d.Sources, protocol.SourceStats{Name: from.Name, Recalls: from.Recalls, Empty: from.Empty, Latency: latency(from.Took)})
	}
	for _, drop := range s.Drops {
		d.Drops = append(d.Drops, protocol.DropStats{Reason: drop.Reason, Count: drop.Count})
	}
	return d
}

func latency(q recalls.Quantiles) protocol.Latency {
	return protocol.Latency{P50: milliseconds(q.P50), P95: milliseconds(q.P95), P99: milliseconds(q.P99)}
}

func counted64(m map[string]int64) map[string]int64 {
	if m == nil {
		return map[string]int64{}
	}
	return m
}
