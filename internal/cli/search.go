package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
)

func (a *app) searchCommand() *cobra.Command {
	r := engine.RecallRequest{Who: engine.Operator()}
	var explain bool
	cmd := &cobra.Command{
		Use:   "search <query>",
		Short: "Search memories as an agent would",
		Long: `Search memories through the same steps as the agent tool memory_recall.
With --explain each result says how its score came about, and what was dropped
where. With --json: an array of results; with --explain an object
{"diagnostics": …, "results": […]}.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Query = args[0]
			return a.with(cmd, func(ctx context.Context, e *engine.Engine) error { return a.search(ctx, e, r, explain) })
		},
	}
	cmd.Flags().Var(scopeName(&r.Scope), "scope", "only this scope, for example agent:main")
	cmd.Flags().StringVar(&r.Category, "category", "", "only this category")
	cmd.Flags().Var(whole(&r.Limit, 10, 1, protocol.MaxLimit), "limit", "how many, 1 to 20")
	cmd.Flags().BoolVar(&explain, "explain", false, "show how every score came about")
	cmd.Flags().BoolVar(&explain, "debug", false, "same as --explain")
	return cmd
}

type resultJSON struct {
	Entry   rowJSON          `json:"entry"`
	Score   float64          `json:"score"`
	Sources protocol.Sources `json:"sources"`
	Reason  string           `json:"reason"`
	Why     any              `json:"why,omitempty"`
}

// diagnosticsJSON keeps the names of the TypeScript plugin's diagnostics.
type diagnosticsJSON struct {
	Source      string         `json:"source"`
	Mode        string         `json:"mode"`
	Query       string         `json:"originalQuery"`
	Limit       int            `json:"limit"`
	Scopes      []string       `json:"scopeFilter,omitempty"`
	Category    string         `json:"category,omitempty"`
	Vector      int            `json:"vectorResultCount"`
	Keyword     int            `json:"bm25ResultCount"`
	Fused       int            `json:"fusedResultCount"`
	Final       int            `json:"finalResultCount"`
	StageCounts map[string]int `json:"stageCounts"`
	Degraded    any            `json:"degraded,omitempty"`
	Explain     any            `json:"explain"`
}

func (a *app) search(ctx context.Context, e *engine.Engine, r engine.RecallRequest, explain bool) error {
	answer, err := e.Recall(ctx, r)
	if err != nil {
		return err
	}
	a.noteKeywords(e)
	for _, d := range answer.Degraded {
		a.notef("the %s half of the search failed: %s", d.Half, d.Reason)
	}
	if a.json {
		return a.searchJSON(r, answer, explain)
	}
	if len(answer.Hits) == 0 {
		a.printf("Nothing found.\n")
	}
	screen := a.screen()
	if screen.width > 0 && !explain && len(answer.Hits) > 0 {
		a.searchTable(screen, answer)
		return nil
	}
	for i, h := range answer.Hits {
		a.printf("%d. [%s] [%s] %s (%.0f%%, %s)\n", i+1, h.Memory.ID, engine.Tag(h.Memory),
			engine.Shorten(h.Memory.Text, 2*shownChars), 100*h.Score, halves(h.Vector != nil, h.BM25 != nil))
		if explain {
			a.printf("   %s\n%s", h.Reason, indent(fmt.Sprint(h.Why)))
		}
	}
	if explain {
		a.printf("\nHow the search went (%s):\n%s", answer.Mode, indent(fmt.Sprint(answer.Explain)))
	}
	return nil
}

func (a *app) searchTable(s screen, answer engine.RecallAnswer) {
	rows := make([][]string, len(answer.Hits))
	for i, h := range answer.Hits {
		by := halves(h.Vector != nil, h.BM25 != nil)
		if h.Vector != nil && h.BM25 != nil {
			by = "both"
		}
		rows[i] = []string{
			fmt.Sprintf("%.0f%%", 100*h.Score), shortID(h.Memory.ID), by,
			string(h.Memory.Category), h.Memory.Scope, h.Memory.Text,
		}
	}
	a.table(s, []column{
		{title: "SCORE", right: true, style: green}, {title: "ID"}, {title: "BY", style: dim},
		{title: "CATEGORY", style: dim}, {title: "SCOPE", most: 24, style: dim}, {title: "TEXT"},
	}, rows)
}

func (a *app) searchJSON(r engine.RecallRequest, answer engine.RecallAnswer, explain bool) error {
	results := make([]resultJSON, 0, len(answer.Hits))
	for _, h := range answer.Hits {
		one := resultJSON{Entry: rowOf(h.Memory), Score: h.Score, Reason: h.Reason, Sources: protocol.Sources{Fused: &protocol.Source{Score: h.Fused}}}
		if h.Vector != nil {
			one.Sources.Vector = &protocol.Source{Score: h.Vector.Score, Rank: h.Vector.Rank}
		}
		if h.BM25 != nil {
			one.Sources.BM25 = &protocol.Source{Score: h.BM25.Score, Rank: h.BM25.Rank}
		}
		if explain {
			one.Why = h.Why
		}
		results = append(results, one)
	}
	if !explain {
		return a.printJSON(results)
	}
	d := diagnosticsJSON{
		Source: "cli", Mode: answer.Mode, Query: r.Query, Limit: r.Limit, Scopes: answer.Scopes, Category: r.Category,
		Vector: answer.Left("vector"), Keyword: answer.Left("keyword"), Fused: answer.Left("fuse"), Final: answer.Left("limit"),
		StageCounts: map[string]int{"afterMinScore": answer.Left("min_score"), "afterHardMinScore": answer.Left("hard_min_score")},
		Explain:     answer.Explain,
	}
	if len(answer.Degraded) > 0 {
		d.Degraded = answer.Degraded
	}
	return a.printJSON(map[string]any{"diagnostics": d, "results": results})
}

func halves(vector, keyword bool) string {
	switch {
	case vector && keyword:
		return "vector and keywords"
	case vector:
		return "vector"
	}
	return "keywords"
}

func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("   " + line)
	}
	return b.String()
}
