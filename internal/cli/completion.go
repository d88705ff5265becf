package cli

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// completions tells the shell what the values of flags may be. It goes through
// all commands, so that a new one with such a flag is completed, too.
func (a *app) completions(root *cobra.Command) {
	values := map[string]cobra.CompletionFunc{
		"category": cobra.FixedCompletions(memory.CategoryNames(), cobra.ShellCompDirectiveNoFileComp),
		"scope":    a.completeScope,
		"db": func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
	for _, cmd := range append(root.Commands(), root) {
		if cmd.ValidArgsFunction == nil {
			cmd.ValidArgsFunction = cobra.NoFileCompletions // arguments are ids and texts
		}
		for name, complete := range values {
			if cmd.LocalNonPersistentFlags().Lookup(name) != nil || cmd == root && root.PersistentFlags().Lookup(name) != nil {
				_ = cmd.RegisterFlagCompletionFunc(name, complete) // fails only when registered twice
			}
		}
	}
}

// completionPatience is how long a person waits for a list after pressing Tab.
const completionPatience = time.Second

// completeScope offers the scopes there are. It makes no database, and says
// nothing when something is wrong: the command itself will.
func (a *app) completeScope(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoFileComp
	ctx, cancel := context.WithTimeout(cmd.Context(), completionPatience)
	defer cancel()
	loaded, err := config.Load(config.Source{FD: a.configFD})
	if err != nil {
		return nil, directive
	}
	e, err := a.open(loaded, slog.New(slog.DiscardHandler), true)
	if err != nil {
		return nil, directive
	}
	defer e.Close() //nolint:errcheck // nothing was written
	if there, err := e.Examine(ctx); err != nil || !there.Made {
		return nil, directive
	}
	stats, err := e.Stats(ctx, engine.StatsRequest{Who: engine.Operator()})
	if err != nil {
		return nil, directive
	}
	scopes := slices.Sorted(maps.Keys(stats.ByScope))
	return slices.DeleteFunc(scopes, func(s string) bool { return s == "" || visible(s) != s }), directive
}
