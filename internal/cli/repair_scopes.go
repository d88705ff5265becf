package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
)

func (a *app) repairScopesCommand() *cobra.Command {
	r := engine.RepairScopesRequest{Who: engine.Operator()}
	cmd := &cobra.Command{
		Use:   "repair-scopes",
		Short: "List memories in no scope, which no agent finds, and put them into one",
		Long: `List memories whose scope is missing or blank: no agent finds them. With --apply
they are put into a scope, global unless --target-scope names another; nothing
else about them changes, and "memory-pro undo" takes it back. A scope that nothing
is in and that the configuration does not name is refused unless
--allow-new-scope is given, because a mistyped one would hide them again.`,
		Example: `  memory-pro repair-scopes
  memory-pro repair-scopes --target-scope agent:main --apply`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			a.patience = unhurried
			return a.with(cmd, func(ctx context.Context, e *engine.Engine) error { return a.repairScopes(ctx, e, r) })
		},
	}
	cmd.Flags().Var(scopeName(&r.Target), "target-scope", "the scope they get; global if none is named")
	cmd.Flags().BoolVar(&r.AllowNew, "allow-new-scope", false, "also a scope that is not in use")
	cmd.Flags().BoolVar(&r.Apply, "apply", false, "do it; otherwise they are only listed")
	return cmd
}

type repairScopesJSON struct {
	Target   string    `json:"targetScope"`
	Applied  bool      `json:"applied"`
	Memories []rowJSON `json:"memories"`
	Repaired int       `json:"repaired"`
	Nameless int       `json:"withoutId"`
}

func (a *app) repairScopes(ctx context.Context, e *engine.Engine, r engine.RepairScopesRequest) error {
	done, err := e.RepairScopes(ctx, r)
	if err != nil {
		if done.Repaired > 0 {
			a.notef("%d %s repaired before it failed; the same command again goes on from there", done.Repaired, were(done.Repaired))
		}
		return err
	}
	if done.Nameless > 0 {
		a.notef("%d more have no id either, so that nothing can change them; they stay as they are", done.Nameless)
	}
	if a.json {
		j := repairScopesJSON{Target: done.Target, Applied: r.Apply, Memories: []rowJSON{}, Repaired: done.Repaired, Nameless: done.Nameless}
		for _, m := range done.Memories {
			j.Memories = append(j.Memories, rowOf(m))
		}
		return a.printJSON(j)
	}
	if len(done.Memories) == 0 {
		a.printf("Every memory is in a scope.\n")
		return nil
	}
	if r.Apply {
		a.printf("Put %d %s into scope %s.\n", done.Repaired, plural(done.Repaired), done.Target)
		return nil
	}
	a.printf("%d %s in no scope:\n\n", len(done.Memories), plural(len(done.Memories)))
	for i, m := range done.Memories {
		a.printLine(i+1, m)
	}
	a.notef("%s puts them into scope %s", a.typed("memory-pro repair-scopes --apply"+targetFlag(done.Target)), done.Target)
	return nil
}

func targetFlag(target string) string {
	if target == "global" {
		return ""
	}
	return " --target-scope " + target
}
