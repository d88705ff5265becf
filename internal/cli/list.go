package cli

import (
	"context"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

func (a *app) listCommand() *cobra.Command {
	r := engine.ListRequest{Who: engine.Operator()}
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List memories, newest first",
		Long: `List memories, newest first, also those that were replaced by newer versions.
With --json: an array of rows. When there are more, the cursor of the next page
is told on standard error.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd, func(ctx context.Context, e *engine.Engine) error { return a.list(ctx, e, r) })
		},
	}
	cmd.Flags().Var(scopeName(&r.Scope), "scope", "only this scope, for example agent:main")
	cmd.Flags().StringVar(&r.Category, "category", "", "only this category")
	cmd.Flags().Var(whole(&r.Limit, 20, 1, 1000), "limit", "how many, 1 to 1000")
	cmd.Flags().Var(whole(&r.Offset, 0, 0, math.MaxInt32), "offset", "skip this many")
	cmd.Flags().StringVar(&r.Cursor, "cursor", "", "continue after the page that gave this cursor")
	return cmd
}

func (a *app) list(ctx context.Context, e *engine.Engine, r engine.ListRequest) error {
	page, err := e.List(ctx, r)
	if err != nil {
		return err
	}
	if a.json {
		rows := make([]rowJSON, 0, len(page.Memories))
		for _, m := range page.Memories {
			rows = append(rows, rowOf(m))
		}
		if err := a.printJSON(rows); err != nil {
			return err
		}
	} else if len(page.Memories) == 0 {
		a.printf("No memories.\n")
	} else if s := a.screen(); s.width > 0 {
		a.listTable(s, r.Offset, page.Memories)
	} else {
		a.printf("%d %s:\n\n", len(page.Memories), plural(len(page.Memories)))
		for i, m := range page.Memories {
			a.printLine(r.Offset+i+1, m)
		}
	}
	if page.Next != "" {
		a.notef("there are more: --cursor %s", page.Next)
	}
	return nil
}

// listTable is for a person's eyes. The id is short enough to type and long
// enough for every command that takes one.
func (a *app) listTable(s screen, offset int, memories []memory.Memory) {
	rows := make([][]string, len(memories))
	for i, m := range memories {
		rows[i] = []string{
			strconv.Itoa(offset + i + 1), shortID(m.ID), string(m.Category), m.Scope, engine.Day(m), m.Text,
		}
	}
	a.table(s, []column{
		{title: "#", right: true, style: dim}, {title: "ID"}, {title: "CATEGORY", style: dim},
		{title: "SCOPE", most: 24, style: dim}, {title: "DATE", style: dim}, {title: "TEXT"},
	}, rows)
}

// shortID is the start of an id that commands accept.
func shortID(id string) string { return id[:min(8, len(id))] }
