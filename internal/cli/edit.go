package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/server"
)

func (a *app) editCommand() *cobra.Command {
	r := engine.UpdateRequest{Who: engine.Operator()}
	var importance float64
	cmd := &cobra.Command{
		Use:   "edit <id>",
		Short: "Change a memory",
		Long: `Change the text, importance, category or scope of one memory. The id may be
shortened to its first eight or more characters, as long as only one memory
fits; the id of an older version stands for the newest one.

A new text for a preference or an entity becomes a new version, and the old one
is kept as history; "show" lists the versions. Everything else changes in place.
The text "-" is read from standard input.`,
		Example: `  memory-pro edit 1f0c9d2e --text "Mara prefers aisle seats"
  memory-pro edit 1f0c9d2e --importance 0.9 --scope global`,
		Args: needs("id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.ID = args[0]
			if cmd.Flags().Changed("importance") {
				r.Importance = &importance
			}
			return a.with(cmd, func(ctx context.Context, e *engine.Engine) error { return a.edit(ctx, e, r) })
		},
	}
	cmd.Flags().StringVar(&r.Text, "text", "", "the whole new statement")
	cmd.Flags().Var(fraction(&importance, memory.DefaultImportance), "importance", "from 0, trivial, to 1, vital")
	cmd.Flags().StringVar(&r.Category, "category", "", "what kind of statement it is")
	cmd.Flags().Var(scopeName(&r.Scope), "scope", "move it to this scope, for example agent:main or global")
	return cmd
}

func (a *app) edit(ctx context.Context, e *engine.Engine, r engine.UpdateRequest) error {
	text, err := a.textOrInput(r.Text)
	if err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" && r.Text != "" { // it came from standard input
		return &engine.BadInputError{Problem: "changing a memory: the text is empty; give the whole new statement"}
	}
	r.Text = text
	answer, err := e.Update(ctx, r)
	if err != nil {
		return tooShort(r.ID, err)
	}
	switch {
	case answer.Action != engine.Candidates:
	case len(answer.Candidates) == 0:
		return tooShort(r.ID, &engine.NoMatchError{Description: r.ID})
	default:
		return &engine.AmbiguousError{Reference: r.ID, Matches: answer.Candidates}
	}
	if a.json {
		return a.printJSON(server.UpdateDetails(answer))
	}
	a.printf("%s\n", server.UpdateText(answer))
	return nil
}
