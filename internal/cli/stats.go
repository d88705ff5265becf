package cli

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
)

func (a *app) statsCommand() *cobra.Command {
	r := engine.StatsRequest{Who: engine.Operator()}
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count memories, and say how they can be found",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd, func(ctx context.Context, e *engine.Engine) error { return a.stats(ctx, e, r) })
		},
	}
	cmd.Flags().Var(scopeName(&r.Scope), "scope", "only this scope, for example agent:main")
	return cmd
}

// statsJSON keeps the names of the TypeScript plugin.
type statsJSON struct {
	Memory struct {
		Total      int64            `json:"totalCount"`
		Scopes     map[string]int64 `json:"scopeCounts"`
		Categories map[string]int64 `json:"categoryCounts"`
		Pending    int64            `json:"pendingVectors"`
		Unscoped   int64            `json:"unscoped"`
	} `json:"memory"`
	Scopes struct {
		Total  int            `json:"totalScopes"`
		ByType map[string]int `json:"scopesByType"`
	} `json:"scopes"`
	Retrieval struct {
		Mode       string `json:"mode"`
		FullText   bool   `json:"hasFtsSupport"`
		Tokenizer  string `json:"tokenizer,omitempty"`
		Indexed    int64  `json:"indexedRows"`
		Unindexed  int64  `json:"unindexedRows"`
		Dimensions int    `json:"dimensions"`
	} `json:"retrieval"`
	Path string `json:"dbPath"`
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
	var j statsJSON
	j.Path = s.Path
	j.Memory.Total, j.Memory.Pending, j.Memory.Unscoped = s.Total, s.Pending, s.Unscoped
	j.Memory.Scopes, j.Memory.Categories = notNil(s.ByScope), notNil(s.ByCategory)
	j.Scopes.Total, j.Scopes.ByType = len(s.ByScope), map[string]int{}
	for name := range s.ByScope {
		kind, _, _ := strings.Cut(name, ":")
		j.Scopes.ByType[kind]++
	}
	j.Retrieval.Mode, j.Retrieval.FullText, j.Retrieval.Tokenizer = s.RetrievalMode, s.TextIndex.Present, s.TextIndex.Tokenizer
	j.Retrieval.Indexed, j.Retrieval.Unindexed, j.Retrieval.Dimensions = s.TextIndex.Indexed, s.TextIndex.Unindexed, s.Dimensions
	return a.printJSON(j)
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

func notNil(m map[string]int64) map[string]int64 {
	if m == nil {
		return map[string]int64{}
	}
	return m
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
