// Package cli is the program memory-pro: one file a command. Each command opens
// the same engine the sidecar uses, asks once, prints and ends, so that what an
// operator sees is what an agent gets.
//
// With --json standard output holds one JSON value and nothing else, also on
// failure; everything for people goes to standard error then. Exit codes are
// in exit.go and in the help.
package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
)

// Main runs the program and returns its exit code. The first interrupt ends a
// command in order, the second one at once.
func Main(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return (&app{in: os.Stdin, out: os.Stdout, err: os.Stderr}).run(ctx, args)
}

// app is what every command shares.
type app struct {
	in       io.Reader
	out, err io.Writer

	configFD int
	db       string
	json     bool
	verbose  bool
	patience time.Duration // 0 means commandPatience

	document []byte // what --json prints in the end
	code     int    // of a command that succeeded in saying something bad
}

func (a *app) run(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil && a.document != nil {
		_, err = a.out.Write(a.document)
	}
	if err == nil {
		return a.code
	}
	// A flag that cannot be parsed leaves those after it unread.
	a.json = a.json || slices.Contains(args, "--json")
	return a.fail(err)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "memory-pro",
		Short: "Long-term memory for OpenClaw agents",
		Long: `Long-term memory for OpenClaw agents: list, search, store, edit and delete what
is remembered, and serve it to the OpenClaw plugin.

The database and the embedding provider are those of the plugin: the entry
plugins.entries.memory-lancedb-pro.config of openclaw.json. When something does
not work, "memory-pro doctor" says what and why. "memory-pro completion" teaches
your shell the commands, categories and scopes.
` + exitHelp,
		Example: `  memory-pro store "Mara prefers window seats" --category preferences
  memory-pro search "which seat for Mara" --explain
  memory-pro list --limit 5 --json`,
		Version:       version,
		SilenceErrors: true, SilenceUsage: true,
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	flags := root.PersistentFlags()
	flags.IntVar(&a.configFD, "config-fd", 0, "read the configuration from this open descriptor (used by the plugin)")
	flags.Var(directory(&a.db), "db", "use the database in this `directory`, or at s3://bucket/prefix, instead of the configured one")
	flags.BoolVar(&a.json, "json", false, "print one JSON value on standard output")
	flags.BoolVarP(&a.verbose, "verbose", "v", false, "tell more on standard error")
	root.AddCommand(
		a.versionCommand(), a.serveCommand(), a.configCommand(),
		a.listCommand(), a.searchCommand(), a.whyCommand(), a.replayCommand(), a.statsCommand(), a.storeCommand(),
		a.showCommand(), a.editCommand(), a.deleteCommand(), a.historyCommand(), a.logCommand(), a.undoCommand(), a.forgetCommand(),
		a.exportCommand(), a.importCommand(), a.backupCommand(), a.reembedCommand(), a.repairScopesCommand(), a.doctorCommand(), a.setupCommand(),
	)
	a.completions(root)
	return root
}

// commandPatience bounds a command as a tool call is bounded, so that a provider
// that hangs without a time limit of its own does not hang a script.
const commandPatience = time.Minute

// with opens an engine, lets fn use it, and closes it.
func (a *app) with(cmd *cobra.Command, fn func(context.Context, *engine.Engine) error) error {
	return a.withLoaded(cmd, func(ctx context.Context, e *engine.Engine, _ config.Loaded) error { return fn(ctx, e) })
}

// withLoaded is with for a command that looks at the configuration, too.
func (a *app) withLoaded(cmd *cobra.Command, fn func(context.Context, *engine.Engine, config.Loaded) error) error {
	loaded, err := config.Load(config.Source{FD: a.configFD})
	if err != nil {
		return &failure{command: cmd.Name(), err: err}
	}
	e, err := a.open(loaded, a.logger(), true)
	if err != nil {
		return &failure{command: cmd.Name(), err: err}
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), cmp.Or(a.patience, commandPatience))
	defer cancel()
	err = fn(ctx, e, loaded)
	if closing := e.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return &failure{command: cmd.Name(), err: err}
	}
	return nil
}

// open makes an engine of a configuration and the flags. A command refuses a
// configuration with an error in it; the host's sidecar works without the keys
// concerned, and tells.
func (a *app) open(loaded config.Loaded, log *slog.Logger, oneShot bool) (*engine.Engine, error) {
	if a.db != "" {
		// Unlike dbPath, a flag is relative to where the command was typed.
		at, err := config.Locate(a.db)
		if err != nil {
			return nil, err
		}
		loaded.Env.DBPath = at
	}
	c, err := loaded.Parse()
	if a.db != "" {
		err = config.Without(err, config.ErrNoHome) // the flag is the way out
	}
	if err != nil && (oneShot || config.Fatal(err)) {
		return nil, err
	}
	o := engine.Options{Config: c, Logger: log, OneShot: oneShot}
	e, err := engine.Open(o)
	if err == nil || oneShot {
		return e, err
	}
	// An embedder that cannot be made leaves the keywords.
	o.Config = c.WithoutEmbedding(err)
	return engine.Open(o)
}

func (a *app) logger() *slog.Logger {
	level := slog.LevelError
	if a.verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, attr slog.Attr) slog.Attr {
		if attr.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return attr
	}}))
}

// printJSON makes v the one value of a --json run, which is written when the
// command has succeeded.
func (a *app) printJSON(v any) (err error) {
	a.document, err = encode(v)
	return err
}

// encode keeps text readable: < and > are not escaped. The control characters
// that JSON allows in the clear are, because some terminals obey them.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	if !bytes.ContainsFunc(b.Bytes(), hidden) {
		return b.Bytes(), nil
	}
	var out bytes.Buffer
	for _, r := range b.String() {
		if hidden(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.Bytes(), nil
}

func hidden(r rune) bool { return r >= 0x7f && r <= 0x9f }

func (a *app) printf(format string, args ...any) { write(a.out, format, args...) }

// notef is for people, beside the result.
func (a *app) notef(format string, args ...any) {
	write(a.err, "memory-pro: "+format+"\n", args...)
}

// noteKeywords tells people that an embedding model should be there and is not.
// Everything else works, so nothing else would say so.
func (a *app) noteKeywords(e *engine.Engine) {
	if h := e.Health(); !a.json && h.EmbeddingMode == "keywords" && h.EmbeddingError != "" {
		a.notef("memories are found by keywords alone; %s says why", a.typed("memory-pro doctor"))
	}
}
