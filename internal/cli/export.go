package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
)

// unhurried is the patience of commands that take as long as there is data.
const unhurried = 365 * 24 * time.Hour

func (a *app) exportCommand() *cobra.Command {
	r := engine.ExportRequest{Who: engine.Operator()}
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write all memories to a file or to standard output",
		Long: `Write all memories with everything that is known of them, also those that were
replaced or have expired, to standard output or to a file. A file appears
complete or not at all, readable by you alone.

Formats:
  ndjson  a line a memory between a first line that says what the file is and a
          last one with count and checksum
  json    one document {"version","exportedAt","filters","memories","count"}, as
          the TypeScript plugin memory-lancedb-pro writes and reads it
Without --format, the end of the file's name decides: json for .json, else
ndjson; with --json on standard output it is json. With --output and --json: what
was written, as {"file","format","count","bytes","sha256"}.`,
		Example: `  memory-pro export --output memories.ndjson --vectors
  memory-pro export --scope agent:main --output main.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.json && r.File == "" {
				if r.Format == "ndjson" {
					return errors.New("--json promises one JSON value on standard output; write ndjson to a file with --output, or leave --json out")
				}
				r.Format = "json"
			}
			a.patience = unhurried
			return a.with(cmd, func(ctx context.Context, e *engine.Engine) error { return a.export(ctx, e, r) })
		},
	}
	cmd.Flags().Var(scopeName(&r.Scope), "scope", "only this scope, for example agent:main")
	cmd.Flags().StringVar(&r.Category, "category", "", "only this category")
	cmd.Flags().Var(fileName(&r.File), "output", "write to this `file`")
	cmd.Flags().Var(oneOf(&r.Format, "ndjson", "json"), "format", "ndjson or json")
	cmd.Flags().BoolVar(&r.Vectors, "vectors", false, "with the vectors, so that an import with the same model need not embed again")
	return cmd
}

func (a *app) export(ctx context.Context, e *engine.Engine, r engine.ExportRequest) error {
	r.Out = a.out
	done, err := e.Export(ctx, r)
	switch {
	case err != nil:
		return err
	case r.File == "":
		return nil
	case a.json:
		return a.printJSON(map[string]any{
			"file": r.File, "format": done.Format, "count": done.Count, "bytes": done.Bytes, "sha256": done.SHA256,
		})
	}
	a.printf("Exported %d %s to %s (%s).\n", done.Count, plural(done.Count), r.File, size(done.Bytes))
	return nil
}
