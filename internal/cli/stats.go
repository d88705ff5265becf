package cli

import (
	"context"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/server"
)

func (a *app) statsCommand() *cobra.Command {
	r := engine.StatsRequest{Who: engine.Operator()}
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count memories, and say how they can be found and how recalls fare",
		Long: `Count memories by scope and category, and say how they can be found. Below it stand
figures about the recalls on record, of the gateway and of this command line: how
many found nothing, how long they and their steps took (half of them, 95 and 99 of
a hundred), and what candidates were left out for most.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd, func(ctx context.Context, e *engine.Engine) error { return a.stats(ctx, e, r) })
		},
	}
	cmd.Flags().Var(scopeName(&r.Scope), "scope", "only this scope, for example agent:main")
	return cmd
}

// statsJSON keeps the names of the TypeScript plugin.
type statsJSON struct {
	Memory    protocol.MemoryStats    `json:"memory"`
	Scopes    protocol.ScopeStats     `json:"scopes"`
	Retrieval protocol.RetrievalStats `json:"retrieval"`
	// Recalls are figures of those on record; absent where none are kept.
	Recalls *protocol.RecallStats `json:"recalls,omitempty"`
	Path    string                `json:"dbPath"`
}

func (a *app) stats(ctx context.Context, e *engine.Engine, r engine.StatsRequest) error {
	s, err := e.Stats(ctx, r)
	if err != nil {
		return err
	}
	if !a.json {
		a.printStats(s)
		return nil
	}
	d := server.StatsDetails(s)
	return a.printJSON(statsJSON{Memory: d.Stats, Scopes: d.Scopes, Retrieval: d.Retrieval, Recalls: d.Recorded, Path: s.Path})
}

func (a *app) printStats(s engine.StatsAnswer) {
	a.printf("%d %s in %s\n", s.Total, plural(int(s.Total)), s.Path)
	if s.Pending > 0 {
		a.printf("  %d without a vector yet: found by keywords only\n", s.Pending)
	}
	if s.Unscoped > 0 {
		a.printf("  %d without a scope: no agent finds them, only this command line does\n", s.Unscoped)
	}
	a.printf("Search: %s; text index: %s\n", s.RetrievalMode, yesNo(s.TextIndex.Present))
	a.printCounts("By scope:", s.ByScope)
	a.printCounts("By category:", s.ByCategory)
	a.printf("%s\n", a.screen().paint(bold, "Recalls:"))
	switch {
	case s.Recorded == nil:
		a.printf("  not recorded, as recallLog is false\n")
	case s.Recorded.Recalls == 0:
		a.printf("  none on record yet: each is from now on, of the gateway, its tools and %s\n", a.typed("memory-pro search"))
	default:
		a.printf("%s", server.RecallLines(*s.Recorded, "  "))
	}
}

func (a *app) printCounts(title string, counts map[string]int64) {
	if len(counts) == 0 {
		return
	}
	s, widest := a.screen(), 0
	names := slices.Sorted(maps.Keys(counts))
	for _, name := range names {
		widest = max(widest, width(visible(name)))
	}
	a.printf("%s\n", s.paint(bold, title))
	for _, name := range names {
		shown := name
		if shown == "" {
			shown = "(none)"
		}
		if s.width > 0 {
			a.printf("  %s  %6d\n", pad(fit(shown, s.width-10), widest), counts[name])
		} else {
			a.printf("  %s: %d\n", shown, counts[name])
		}
	}
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
