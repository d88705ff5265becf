package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
)

func (a *app) undoCommand() *cobra.Command {
	r := engine.UndoRequest{Who: engine.Operator()}
	cmd := &cobra.Command{
		Use:   "undo <change>",
		Short: "Take one recorded change back",
		Long: `Put back what a change found. The number is that of "log" and "history". This is
a change itself and can be undone the same way. When a memory was changed again
since, nothing is done; --force puts it back all the same. Of a change of many
memories the first are listed; with --json all are.`,
		Args: needs("change"),
		RunE: func(cmd *cobra.Command, args []string) error {
			seq, err := strconv.ParseUint(trimHash(args[0]), 10, 64)
			if err != nil || seq == 0 {
				return &failure{command: cmd.Name(), err: &engine.BadInputError{Problem: fmt.Sprintf("%.40q is no number of a change; \"memory-pro log\" lists them", args[0])}}
			}
			r.Seq = seq
			return a.with(cmd, func(ctx context.Context, e *engine.Engine) error { return a.takeBack(ctx, e, r) })
		},
	}
	cmd.Flags().BoolVar(&r.DryRun, "dry-run", false, "only show what would be done")
	cmd.Flags().BoolVar(&r.Force, "force", false, "also where a memory was changed again since")
	return cmd
}

// trimHash lets a number be typed as it is shown.
func trimHash(s string) string {
	if len(s) > 1 && s[0] == '#' {
		return s[1:]
	}
	return s
}

type undoJSON struct {
	Action string       `json:"action"`
	Undone uint64       `json:"undone"`
	DryRun bool         `json:"dryRun,omitempty"`
	Seq    uint64       `json:"seq,omitempty"`
	Steps  []changeJSON `json:"changes"`
	// Pending are memories that came back without a vector.
	Pending []string `json:"pendingVectors,omitempty"`
}

// undoneLines is how many memories are told about; of more, a line each.
const undoneLines = 20

func (a *app) takeBack(ctx context.Context, e *engine.Engine, r engine.UndoRequest) error {
	answer, err := e.Undo(ctx, r)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(undoJSON{
			Action: string(answer.Action), Undone: r.Seq, DryRun: r.DryRun, Seq: answer.Seq, Steps: changesOf(answer.Steps), Pending: answer.Pending,
		})
	}
	if answer.Action == engine.Unchanged {
		a.printf("Nothing to undo: all is as it was before change %d.\n", r.Seq)
		return nil
	}
	verb := "Undone"
	if r.DryRun {
		verb = "Would undo"
	}
	a.printf("%s change %d: %s\n", verb, r.Seq, summary(answer.Record))
	s := a.screen()
	if len(answer.Steps) <= undoneLines {
		for _, c := range answer.Steps {
			a.printChange(s, c)
		}
	} else {
		for _, c := range answer.Steps[:undoneLines] {
			a.printf("    %s\n", engine.Shorten(inOneLine(c), summaryChars))
		}
		a.printf("    and %d more; --json names all\n", len(answer.Steps)-undoneLines)
	}
	if len(answer.Pending) > 0 && !r.DryRun {
		a.notef("put back without a vector, so found by words only until the next start of the gateway: %d %s", len(answer.Pending), plural(len(answer.Pending)))
	}
	if answer.Seq != 0 {
		a.printf("%s takes this back again.\n", a.typed(fmt.Sprintf("memory-pro undo %d", answer.Seq)))
	}
	return nil
}
