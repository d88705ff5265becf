package cli

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
)

func (a *app) importCommand() *cobra.Command {
	r := engine.ImportRequest{Who: engine.Operator()}
	conflict := "skip"
	cmd := &cobra.Command{
		Use:   "import <file>",
		Short: "Take in memories from a file",
		Long: `Take in memories from a file, or from standard input for "-". The format is
recognised: what "memory-pro export" and "memory-pro backup" write, the JSON of
the TypeScript plugin memory-lancedb-pro, a JSON list of rows, or a row a line. A
row is an object with "text", and where known "id", "scope", "category",
"importance", "timestamp" and "metadata".

Everything is kept as the file has it. Rows without an id get one that depends on
what they say, so that importing a file twice changes nothing; a row whose id is
there already is passed over. Vectors of the file are used if the same model
wrote them, else the texts are embedded. While the embedding provider is down,
memories are stored without a vector, and get one later.

Rows that cannot be taken are told by line and kept in <file>.rejected.ndjson,
where they can be put right and imported from. Ctrl-C stops after what is being
written; the same command again goes on from there. The exit code is 1 if no row
could be taken. With --json: the counts.`,
		Example: `  memory-pro import memories.ndjson
  memory-pro import old.json --scope agent:main --dry-run`,
		Args:              needs("file"),
		ValidArgsFunction: completeFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Replace = conflict == "replace"
			a.patience = unhurried
			return a.with(cmd, func(ctx context.Context, e *engine.Engine) error { return a.importFile(ctx, e, args[0], r) })
		},
	}
	cmd.Flags().Var(scopeName(&r.Scope), "scope", "put all of them into this scope, whatever the file says")
	cmd.Flags().BoolVar(&r.DryRun, "dry-run", false, "say what would be done, and do nothing")
	cmd.Flags().Var(oneOf(&conflict, "skip", "replace"), "on-conflict", "what happens to a memory whose id the file has, too: skip the row, or replace the memory")
	return cmd
}

// importFile opens the file called name and takes it in.
func (a *app) importFile(ctx context.Context, e *engine.Engine, name string, r engine.ImportRequest) error {
	bytes := int64(0)
	if name == "-" {
		name, r.RejectFile = "standard input", "import.rejected.ndjson"
		r.From = until(ctx, a.in)
	} else {
		f, err := os.Open(name)
		if err != nil {
			return &engine.BadInputError{Problem: err.Error()}
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		if info.IsDir() {
			return &engine.BadInputError{Problem: name + " is a directory; name a file"}
		}
		r.From, r.RejectFile, bytes = f, name+".rejected.ndjson", info.Size()
	}
	bar := a.progress("rows", bytes, time.Now())
	r.Progress = func(done engine.ImportAnswer) { bar.show(done.Read, done.Bytes, time.Now()) }
	done, err := e.Import(ctx, r)
	bar.end()
	if err != nil {
		if stored := done.Imported + done.Replaced; stored > 0 {
			a.notef("%d %s stored before it failed; the same command again goes on from there", stored, were(stored))
		}
		return err
	}
	a.noteKeywords(e)
	return a.imported(done, r, name)
}

// until is r as long as ctx lasts: reading a terminal or a pipe cannot be
// interrupted otherwise. What is read last is lost.
func until(ctx context.Context, r io.Reader) io.Reader {
	out, in := io.Pipe()
	context.AfterFunc(ctx, func() { in.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.Copy(in, r)
		in.CloseWithError(err)
	}()
	return out
}

// importJSON are the counts of an import.
type importJSON struct {
	DryRun      bool            `json:"dryRun"`
	Read        int             `json:"read"`
	Imported    int             `json:"imported"`
	Replaced    int             `json:"replaced"`
	Skipped     int             `json:"skipped"`
	Differing   int             `json:"skippedDiffering"`
	Rejected    int             `json:"rejected"`
	Rejects     []engine.Reject `json:"rejects,omitempty"`
	RejectFile  string          `json:"rejectFile,omitempty"`
	Pending     int             `json:"withoutVector"`
	Because     string          `json:"withoutVectorBecause,omitempty"`
	Taken       int             `json:"vectorsFromFile"`
	Undated     int             `json:"undated"`
	Renamed     int             `json:"newIds"`
	Notes       []string        `json:"notes,omitempty"`
	Interrupted bool            `json:"interrupted"`
}

func importOf(done engine.ImportAnswer, dryRun bool) importJSON {
	return importJSON{
		DryRun: dryRun, Read: done.Read, Imported: done.Imported, Replaced: done.Replaced, Skipped: done.Skipped, Differing: done.Differing,
		Rejected: done.Rejected, Rejects: done.Rejects, RejectFile: done.RejectFile, Pending: done.Pending, Because: done.PendingBecause,
		Taken: done.Taken, Undated: done.Undated, Renamed: done.Renamed, Notes: done.Notes, Interrupted: done.Interrupted,
	}
}

// imported tells what came of it.
func (a *app) imported(done engine.ImportAnswer, r engine.ImportRequest, name string) error {
	if done.Interrupted || (done.Rejected > 0 && done.Rejected == done.Read) {
		a.code = exitFailure
	}
	a.importRemarks(done, name, "--on-conflict replace")
	if a.json {
		return a.printJSON(importOf(done, r.DryRun))
	}
	did := "Imported"
	if r.DryRun {
		did = "Would import"
	}
	a.printOutcome(did, done)
	return nil
}

func (a *app) printOutcome(did string, done engine.ImportAnswer) {
	a.printf("%s %d %s", did, done.Imported, plural(done.Imported))
	for _, part := range []struct {
		n    int
		says string
	}{{done.Replaced, "replaced"}, {done.Skipped, "there already"}, {done.Rejected, "rejected"}} {
		if part.n > 0 {
			a.printf(", %d %s", part.n, part.says)
		}
	}
	a.printf(".\n")
}

// importRemarks are for people, also beside --json. overrule is the flag that lets
// the file win.
func (a *app) importRemarks(done engine.ImportAnswer, name, overrule string) {
	for _, r := range done.Rejects {
		a.notef("line %d: %s", r.Line, r.Reason)
	}
	if more := done.Rejected - len(done.Rejects); more > 0 {
		a.notef("%d more were rejected", more)
	}
	if done.RejectFile != "" {
		a.notef("what was rejected is in %s; put it right there, and import that file", done.RejectFile)
	}
	if done.RejectProblem != "" {
		a.notef("%s", done.RejectProblem)
	}
	for _, note := range done.Notes {
		a.notef("%s: %s", name, note)
	}
	if done.Differing > 0 {
		a.notef("%d of those that are there already say something else in the file; %s takes the file's", done.Differing, overrule)
	}
	if done.Undated > 0 {
		a.notef("%d %s no usable date and got the present time", done.Undated, had(done.Undated))
	}
	if done.Pending > 0 && done.PendingBecause != "" {
		found := choose(done.Pending, "it is found by its words only until it gets one", "they are found by their words only until they get one")
		a.notef("%d %s stored without a vector, so %s: %s", done.Pending, were(done.Pending), found, done.PendingBecause)
	}
	if done.Interrupted {
		a.notef("stopped before the end of %s. What is counted is stored; run the same command again to go on, it passes over what is there", name)
	}
}

func were(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

func had(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}
