package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/host"
)

type setupOptions struct {
	dryRun, yes, uninstall bool
	// embedding is the name of a preset, url its address where that is one's own.
	embedding, url string
}

func (a *app) setupCommand() *cobra.Command {
	var o setupOptions
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "Make OpenClaw use this memory",
		Long: `Make OpenClaw use this memory: give it the memory slot, let it see conversations
(without that it can neither recall nor capture), switch recall before each turn
on, and the host's own dreaming off where nobody has decided about it.

The change to openclaw.json is shown first. Everything else in the file stays as
it is, comments included, and a copy of the old file is kept beside it. In the
end a memory is stored, found and deleted again, as proof. A second run changes
nothing. --uninstall takes back what setup has changed, unless somebody has
changed it since.

--embedding NAME writes the settings of a provider of embeddings, too: local (the
model inside the program), openai, azure, jina, voyage, gemini, nvidia,
siliconflow, dashscope, ollama, lmstudio, llamacpp or tei. Its key is taken from a
variable, which the settings name. Memories that have vectors of another model
are found by keywords until "memory-pro reembed" has run.

The file is the one OPENCLAW_CONFIG_PATH names, or openclaw.json in the state
directory. One that cannot be edited safely is left alone, with the commands of
the host that make the same change.`,
		Example: `  memory-pro setup --dry-run
  memory-pro setup --yes
  memory-pro setup --embedding ollama
  memory-pro setup --uninstall`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.setup(cmd.Context(), o); err != nil {
				return &failure{command: cmd.Name(), err: err}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "show the change and write nothing")
	cmd.Flags().BoolVar(&o.yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&o.uninstall, "uninstall", false, "take back what setup has changed")
	cmd.Flags().StringVar(&o.embedding, "embedding", "", "write the settings of a provider of embeddings: "+strings.Join(presetNames(), ", "))
	cmd.Flags().StringVar(&o.url, "embedding-url", "", "its address, where it is not the usual one")
	return cmd
}

// fit refuses options that would be left out of account.
func (o setupOptions) fit() error {
	switch {
	case o.uninstall && (o.embedding != "" || o.url != ""):
		return &engine.BadInputError{Problem: "--uninstall takes back what was changed; leave out --embedding and --embedding-url"}
	case o.url != "" && o.embedding == "":
		return &engine.BadInputError{Problem: "--embedding-url is the address of a provider; name the provider, too, with --embedding"}
	case o.url != "" && o.embedding == localPreset:
		return &engine.BadInputError{Problem: "the model inside the program has no address; leave out --embedding-url"}
	}
	return nil
}

// setupJSON is what setup --json prints.
type setupJSON struct {
	File    string     `json:"file"`
	Changed bool       `json:"changed"` // whether there is anything to change
	Written bool       `json:"written"`
	Backup  string     `json:"backup,omitempty"`
	Diff    string     `json:"diff,omitempty"`
	Changes []change   `json:"changes"`
	Kept    []string   `json:"kept,omitempty"` // changed since by somebody, so left alone
	Check   *roundTrip `json:"check,omitempty"`
}

func (a *app) setup(ctx context.Context, o setupOptions) error {
	if err := o.fit(); err != nil {
		return err
	}
	// The plugin's own settings may be broken; the file they stand in must not be.
	loaded, loading := config.Load(config.Source{FD: a.configFD})
	file := config.HostFile(loaded.Env)
	if file == "" {
		return &engine.BadInputError{Problem: "HOME is not set, so there is no openclaw.json to change; set HOME or OPENCLAW_CONFIG_PATH"}
	}
	f, err := host.Read(file)
	if err != nil {
		return err
	}
	if o.uninstall {
		return a.undo(f, o)
	}
	if loading != nil {
		return loading
	}
	plan, err := planSetup(f)
	if err != nil {
		return err
	}
	embedding, err := planEmbedding(f, o.embedding, o.url)
	if err != nil {
		return err
	}
	plan = append(plan, embedding...)
	if err := a.installed(f); err != nil {
		return err
	}
	j := setupJSON{File: f.Path, Changed: len(plan) > 0, Changes: append([]change{}, plan...)}
	text, err := f.Apply(edits(plan))
	if err != nil {
		return byHand(err, f.Commands(edits(plan)))
	}
	if len(embedding) > 0 {
		if err := usable(f, text, loaded.Env, keyVariable(o.embedding)); err != nil {
			return err
		}
	}
	if variable := keyVariable(o.embedding); variable != "" && len(embedding) > 0 {
		a.notef("the key is read from the variable %s; set it where the gateway runs", variable)
	}
	if idle := idleSettings(f); o.embedding == localPreset && len(idle) > 0 {
		a.notef("these settings of the provider before stay, without effect; openclaw config unset removes them: %s", strings.Join(idle, ", "))
	}
	if err := a.change(f, text, o, &j); err != nil {
		return err
	}
	if j.Written {
		before, err := readRecord(f)
		if err == nil {
			err = before.add(plan).save(f, time.Now())
		}
		if err != nil {
			a.notef("%s", err)
		}
	}
	if !o.dryRun {
		if j.Written && len(embedding) > 0 {
			if loaded, err = config.Load(config.Source{FD: a.configFD}); err != nil {
				return fmt.Errorf("openclaw.json is written, but its settings cannot be used yet: %w", err)
			}
		}
		proof, err := a.check(ctx, loaded)
		if err != nil {
			return fmt.Errorf("openclaw.json is as it should be, but memory does not work: %w; %s says more", err, a.typed("memory-pro doctor"))
		}
		j.Check = &proof
	}
	return a.tellSetup(j)
}

func (a *app) undo(f *host.File, o setupOptions) error {
	done, err := readRecord(f)
	if err != nil {
		return err
	}
	text, undone, kept, err := planUndo(f, done.Changes)
	if err != nil {
		return byHand(err, f.Commands(undone))
	}
	j := setupJSON{File: f.Path, Changed: len(undone) > 0, Changes: done.Changes, Kept: kept}
	if j.Changes == nil {
		j.Changes = []change{}
	}
	if err := a.change(f, text, o, &j); err != nil {
		return err
	}
	if !o.dryRun {
		_ = os.Remove(done.at) // left behind, it would only say that there is nothing to undo
	}
	if a.json {
		return a.printJSON(j)
	}
	for _, path := range kept {
		a.printf("%s was changed since and stays as it is.\n", path)
	}
	switch {
	case len(done.Changes) == 0:
		a.printf("Setup has changed nothing in %s, so there is nothing to take back.\n", f.Path)
	case j.Written:
		a.printf("Done; the file as it was is kept in %s.\nMemories stay where they are. Restart the gateway: openclaw gateway restart\n", j.Backup)
	}
	return nil
}

// change shows what is going to happen to the file, and lets it happen.
func (a *app) change(f *host.File, text []byte, o setupOptions, j *setupJSON) error {
	if !j.Changed {
		return nil
	}
	j.Diff = f.Diff(text)
	if !a.json {
		a.printDiff(j.Diff)
	}
	if o.dryRun {
		return nil
	}
	if name := config.HostFileFixed(config.Env{}); name != "" {
		return fmt.Errorf("%s is managed elsewhere (%s=1); make the change shown there", f.Path, name)
	}
	if !o.yes {
		if !a.interactive() || a.json {
			return &engine.BadInputError{Problem: "nothing was written: there is nobody to ask; add --yes, or --dry-run to only look"}
		}
		if !a.agreed("Write this to " + f.Path + "?") {
			return errors.New("nothing was written")
		}
	}
	backup, err := f.Write(text, time.Now())
	if err != nil {
		return err
	}
	j.Written, j.Backup = true, backup
	return nil
}

func (a *app) agreed(question string) bool {
	write(a.err, "%s [y/N] ", question)
	answer, _ := bufio.NewReader(a.in).ReadString('\n') // no answer is a no
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

func (a *app) printDiff(diff string) {
	s := a.screen()
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(line, "\n")
		how := style("")
		switch {
		case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
			how = bold
		case strings.HasPrefix(line, "+"):
			how = green
		case strings.HasPrefix(line, "-"):
			how = red
		}
		a.printf("%s\n", s.paint(how, line))
	}
	a.printf("\n")
}

func (a *app) tellSetup(j setupJSON) error {
	if a.json {
		return a.printJSON(j)
	}
	switch {
	case !j.Changed:
		a.printf("%s has all it needs.\n", j.File)
	case j.Written && j.Backup != "":
		a.printf("Written; the file as it was is kept in %s\n", j.Backup)
	}
	if j.Check == nil {
		return nil
	}
	a.printf("Checked: a memory was stored, found by %s and deleted again in %d ms.\n", j.Check.FoundBy, j.Check.Millis)
	if j.Check.Pending != "" {
		a.notef("it had no vector: %s", j.Check.Pending)
	}
	if j.Written {
		a.printf("Restart the gateway: openclaw gateway restart\n")
	}
	return nil
}

// installed refuses to give the slot to a plugin the host does not know: the
// host would not start any more.
func (a *app) installed(f *host.File) error {
	if a.configFD > 2 || f.Knows(config.PluginID) { // or the plugin itself runs us
		return nil
	}
	return errors.New("the host does not know the plugin yet, and would not start with its name in the memory slot; " +
		"install it first (openclaw plugins install, with the package's path or name), and run setup again")
}

// byHand adds the host's own commands to an error about a file that is not edited.
func byHand(err error, commands []string) error {
	var cannot *host.CannotError
	if !errors.As(err, &cannot) || len(commands) == 0 {
		return err
	}
	return fmt.Errorf("%w; nothing was written. These commands make the change:\n  %s", err, strings.Join(commands, "\n  "))
}
