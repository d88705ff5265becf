package cli

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/server"
)

func (a *app) searchCommand() *cobra.Command {
	r := engine.RecallRequest{Who: engine.Operator(), Source: retrieve.SourceCLI}
	var explain bool
	cmd := &cobra.Command{
		Use:   "search <query>",
		Short: "Search memories as an agent would",
		Long: `Search memories through the same steps as the agent tool memory_recall.
With --explain each result says how its score came about, and what was dropped
where. With --json: an array of results; with --explain an object
{"diagnostics": …, "results": […]}.`,
		Args: needs("query"),
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
	// Neighbors are related memories that were not found themselves.
	Neighbors []protocol.Neighbor `json:"neighbors,omitempty"`
	Why       any                 `json:"why,omitempty"`
}

func (a *app) search(ctx context.Context, e *engine.Engine, r engine.RecallRequest, explain bool) error {
	if err := notTooLong(r.Query); err != nil {
		return err
	}
	answer, err := e.Recall(ctx, r)
	if err != nil {
		return err
	}
	a.noteKeywords(e)
	for _, d := range answer.Degraded {
		did := "failed"
		if d.Partly {
			did = "knows only some memories"
		}
		a.notef("%s %s: %s", partOfSearch(d.Half), did, d.Reason)
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
			engine.Shorten(h.Memory.Text, 2*shownChars), 100*h.Score, foundBy(h))
		for _, n := range h.Neighbours {
			a.printf("   related: [%s] %s\n", n.ID, engine.Shorten(n.Text, shownChars))
		}
		if explain {
			a.printf("   %s\n%s", h.Reason, indent(fmt.Sprint(h.Why)))
		}
	}
	if explain {
		a.printf("\nHow the search went (%s):\n%s", answer.Mode, indent(fmt.Sprint(answer.Explain)))
	}
	return nil
}

// notTooLong holds a question to what the tools take.
func notTooLong(query string) error {
	if n := utf8.RuneCountInString(query); n > protocol.MaxQueryChars {
		return &engine.BadInputError{Problem: fmt.Sprintf("the query has %d characters, at most %d are searched for; shorten it to the words that matter", n, protocol.MaxQueryChars)}
	}
	return nil
}

func (a *app) searchTable(s screen, answer engine.RecallAnswer) {
	rows := make([][]string, len(answer.Hits))
	for i, h := range answer.Hits {
		by := foundBy(h)
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
		m := server.RecalledOf(h, explain)
		results = append(results, resultJSON{
			Entry: rowOf(h.Memory), Score: h.Score, Sources: m.Sources, Reason: h.Reason, Neighbors: m.Neighbors, Why: m.Why,
		})
	}
	if !explain {
		return a.printJSON(results)
	}
	return a.printJSON(map[string]any{"diagnostics": server.Diagnostics(r, answer), "results": results})
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

// foundBy names what a result owes its place to.
func foundBy(h retrieve.Hit) string {
	by := halves(h.Vector != nil, h.BM25 != nil)
	if h.Reranked != nil {
		by += ", reranked"
	}
	return by
}

// partOfSearch names what failed.
func partOfSearch(half string) string {
	switch half {
	case retrieve.HalfRerank:
		return "the second look at the results"
	case retrieve.HalfNeighbours:
		return "looking up related memories"
	}
	return "the " + half + " half of the search"
}

func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("   " + line)
	}
	return b.String()
}
