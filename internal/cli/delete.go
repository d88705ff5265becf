package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
)

func (a *app) deleteCommand() *cobra.Command {
	r := engine.DeleteRequest{Who: engine.Operator()}
	cmd := &cobra.Command{
		Use:   "delete <id>",
		Short: "Delete one memory for good",
		Long: `Delete one memory for good. The id may be shortened to its first eight or more
characters, as long as only one memory fits.`,
		Args: needs("id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.ID = args[0]
			return a.with(cmd, func(ctx context.Context, e *engine.Engine) error { return a.delete(ctx, e, r) })
		},
	}
	cmd.Flags().Var(scopeName(&r.Scope), "scope", "only if it is in this scope")
	return cmd
}

func (a *app) delete(ctx context.Context, e *engine.Engine, r engine.DeleteRequest) error {
	gone, err := e.Delete(ctx, r)
	if err != nil {
		return tooShort(r.ID, err)
	}
	if a.json {
		return a.printJSON(map[string]any{"deleted": true, "id": gone.ID, "scope": gone.Scope})
	}
	a.printf("Deleted %s: %s\n", gone.ID, engine.Shorten(gone.Text, shownChars))
	return nil
}
