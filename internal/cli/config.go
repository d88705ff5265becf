package cli

import (
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
)

func (a *app) configCommand() *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show the settings that count, and what is wrong with them",
		Long: `Show the settings as they were understood: those that are set, or with --all
every one. Secrets are only told to be there. Errors and remarks follow on
standard error; the exit code is 2 if a setting cannot be used.
With --json: an object {"origin", "settings": [{"key", "value", "set",
"state"}], "problems", "notices"}; state is "built", "not built yet" or "no
effect". docs/configuration.md says what each key does.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			loaded, err := config.Load(config.Source{FD: a.configFD})
			if err == nil {
				err = a.showConfig(loaded, all)
			}
			if err != nil {
				return &failure{command: cmd.Name(), err: err}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also settings that are left at their defaults")
	return cmd
}

type settingJSON struct {
	Key   string `json:"key"`
	Value any    `json:"value"`
	Set   bool   `json:"set"`
	State string `json:"state"`
}

func (a *app) showConfig(loaded config.Loaded, all bool) error {
	settings, err := loaded.Effective()
	if err != nil {
		return err
	}
	c, err := loaded.Parse()
	shown := []settingJSON{}
	for _, s := range settings {
		if all || s.Set {
			shown = append(shown, settingJSON{s.Key.Path, s.Value, s.Set, state(s.Key)})
		}
	}
	var problems *config.Error
	if errors.As(err, &problems) {
		a.code = exitUsage
	}
	// What each key for itself does not show: together they have to name a service.
	for _, check := range []func(config.Config) error{engine.CheckEmbedding, engine.CheckReranker} {
		if err := check(c); err != nil {
			a.code = exitUsage
			c.Problems = append(c.Problems, err.Error())
		}
	}
	if a.json {
		return a.printJSON(map[string]any{"origin": loaded.Origin, "settings": shown,
			"problems": append([]string{}, c.Problems...), "notices": append([]string{}, c.Notices...)})
	}
	a.printf("# %s\n", loaded.Origin)
	for _, s := range shown {
		value, err := json.Marshal(s.Value)
		if err != nil {
			return err
		}
		remark := ""
		if s.State != "built" {
			remark = "  # " + s.State
		}
		a.printf("%s = %s%s\n", s.Key, value, remark)
	}
	for _, problem := range c.Problems {
		a.notef("%s", problem)
	}
	for _, notice := range c.Notices {
		a.notef("%s", notice)
	}
	return nil
}

func state(k config.Key) string {
	switch {
	case k.Moot != "":
		return "no effect"
	case !k.Built:
		return "not built yet"
	}
	return "built"
}
