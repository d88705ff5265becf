package server

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/recalls"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
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

// longSteps are those that can take time; of the others people are told only that they
// left something out. All are in the machine-readable side.
var longSteps = []string{retrieve.StageEmbed, retrieve.StageVector, retrieve.StageKeyword, retrieve.StageRerank, retrieve.StageNeighbours}

// RecallLines tell figures about recalls to people, a line each.
func RecallLines(s recalls.Summary, bullet string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, bullet+format+"\n", args...) }
	if s.Recalls == 1 {
		line("1 recall, %s", minute(s.First))
	} else {
		line("%d recalls from %s to %s", s.Recalls, minute(s.First), minute(s.Last))
	}
	line("found nothing: %d (%.1f%%); failed: %d; with half of the search: %d", s.Empty, 100*s.EmptyRate(), s.Failed, s.Degraded)
	line("took %s", quantiles(s.Took))
	for _, from := range s.Sources {
		line("%s: %d, nothing found by %d, %s", named(from.Name), from.Recalls, from.Empty, quantiles(from.Took))
	}
	for _, stage := range s.Stages {
		if stage.Dropped == 0 && !slices.Contains(longSteps, stage.Name) {
			continue
		}
		text := fmt.Sprintf("step %s: %s", stage.Name, quantiles(stage.Took))
		if stage.Dropped > 0 {
			text += fmt.Sprintf(", left out %d", stage.Dropped)
		}
		line("%s", text)
	}
	if len(s.Drops) > 0 {
		parts := make([]string, len(s.Drops))
		for i, d := range s.Drops {
			parts[i] = fmt.Sprintf("%s %d", d.Reason, d.Count)
		}
		line("left out most for: %s", strings.Join(parts, ", "))
	}
	return b.String()
}

func quantiles(q recalls.Quantiles) string {
	ms := func(d time.Duration) string { return fmt.Sprintf("%.1f", milliseconds(d)) }
	return fmt.Sprintf("p50 %s, p95 %s, p99 %s ms", ms(q.P50), ms(q.P95), ms(q.P99))
}

func minute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

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
