package cli

import (
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/server"
)

func (a *app) serveCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Serve the OpenClaw plugin over standard input and output",
		Long: `Serve the OpenClaw plugin over standard input and output (JSON-RPC 2.0 with
Content-Length frames). The plugin starts this by itself. It ends when its
input ends, or on SIGTERM, after answering what was asked.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out, err := server.TakeStdout()
			if err != nil {
				return &failure{command: "serve", err: err}
			}
			// A host that died must not kill us before the last write is committed.
			signal.Ignore(syscall.SIGPIPE)
			err = server.Serve(cmd.Context(), server.Options{
				In: os.Stdin, Out: out, Errors: os.Stderr, Version: version, Open: a.openForHost,
			})
			if err != nil {
				return &failure{command: "serve", err: err}
			}
			return nil
		},
	}
}

// openForHost uses the configuration the host sent, or the one a command would
// use when it sent none.
func (a *app) openForHost(p protocol.InitializeParams, log *slog.Logger) (server.Engine, error) {
	loaded := config.FromHost(p.Config, p.StateDir, config.Env{})
	if p.Config == nil {
		var err error
		if loaded, err = config.Load(config.Source{FD: a.configFD}); err != nil {
			return nil, err
		}
	}
	e, err := a.open(loaded, log, false)
	if err != nil {
		return nil, err // a nil *Engine must not become a non-nil interface
	}
	return e, nil
}
