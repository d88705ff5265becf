package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
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
	cmd.Flags().StringVar(&r.Scope, "scope", "", "only this scope, for example agent:main")
	cmd.Flags().StringVar(&r.Category, "category", "", "only this category")
	cmd.Flags().IntVar(&r.Limit, "limit", 20, "how many, at most 1000")
	cmd.Flags().IntVar(&r.Offset, "offset", 0, "skip this many")
	cmd.Flags().StringVar(&r.Cursor, "cursor", "", "continue after the page that gave this cursor")
	return cmd
}

func (a *app) list(ctx context.Context, e *engine.Engine, r engine.ListRequest) error {
	page, err := e.List(ctx, r)
	if err != nil {
		return err
	}
	a.noteIgnored(page.IgnoredScope)
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
