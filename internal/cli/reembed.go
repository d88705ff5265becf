package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
)

func (a *app) reembedCommand() *cobra.Command {
	r := engine.ReembedRequest{Who: engine.Operator()}
	var skip bool
	cmd := &cobra.Command{
		Use:   "reembed",
		Short: "Give all memories vectors of the configured embedding model",
		Long: `Give all memories vectors of the configured embedding model, after another one
was configured. Ids, texts, scopes, dates and everything else stay.

Vectors are made first and kept in a file beside the database, which is read and
written by everybody meanwhile: memories are found by their words, and a program
that still uses the old model finds them by its vectors. When all are made, the
table with the new ones takes the place of the old in one step. A run that is
interrupted, killed, or stopped by the provider changes nothing, and the same
command goes on where it ended. What is stored meanwhile is taken along.

A provider that is down, refuses, or answers what cannot be used stops it. Only
a few single texts that it will not embed, though it embeds the others, may be
left without a vector: they are named, and found by their words.

With --source-db another database is copied into the configured one (or that
named with --db), embedded with the configured model. Ids are kept, and memories
that are there already stay as they are, so that running it again doubles nothing,
undoes nothing, and completes what is missing; --replace puts the source's in
their place. The source is only read.

Without anything to do, memories that wait for their vector get it. The exit code
is 5 if the embedding provider failed, also for a single text, and 4 while another
process does the same. With --json: the counts.`,
		Example: `  memory-pro reembed
  memory-pro reembed --dry-run
  memory-pro reembed --source-db ~/old/memory --db ~/new/memory`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case r.Source == "" && skip, r.Source == "" && r.Replace:
				return errors.New("--skip-existing and --replace say what becomes of memories that two databases have; they need --source-db")
			case skip && r.Replace:
				return errors.New("--skip-existing and --replace exclude each other")
			}
			a.patience = unhurried
			return a.with(cmd, func(ctx context.Context, e *engine.Engine) error { return a.reembed(ctx, e, r) })
		},
	}
	flags := cmd.Flags()
	flags.Var(directory(&r.Source), "source-db", "copy the database in this `directory` instead; it is not changed")
	flags.BoolVar(&skip, "skip-existing", false, "leave memories alone that are there already, which is the rule (with --source-db)")
	flags.BoolVar(&r.Replace, "replace", false, "let the source's memories replace those that are there already under the same ids (with --source-db)")
	flags.BoolVar(&r.Force, "force", false, "embed in place what has vectors of the configured model already, or a source that is the database itself")
	flags.Var(whole(&r.Batch, engine.ReembedBatch, 1, engine.MaxReembedBatch), "batch-size", fmt.Sprintf("texts in one request, at most %d", engine.MaxReembedBatch))
	flags.Var(whole(&r.Limit, 0, 0, math.MaxInt32), "limit", "stop after so many texts, and go on the next time; of a source, take only so many rows")
	flags.BoolVar(&r.DryRun, "dry-run", false, "say what would be done, and do nothing")
	return cmd
}

func (a *app) reembed(ctx context.Context, e *engine.Engine, r engine.ReembedRequest) error {
	if r.Source != "" {
		at, err := config.Locate(r.Source)
		if err != nil {
			return err
		}
		r.Source = at
	}
	bar := a.progress("memories", 0, time.Now())
	r.Progress = func(done, of int) {
		bar.bytes = int64(of)
		bar.show(done, int64(done), time.Now())
	}
	r.Step = func(what string) {
		if bar.end(); bar.width == 0 {
			a.notef("%s", what)
		}
	}
	done, err := e.Reembed(ctx, r)
	bar.end()
	if err != nil {
		return err
	}
	if done.Interrupted || (!r.DryRun && done.Import.Rejected > 0) {
		a.code = exitFailure
	}
	if !r.DryRun && done.Pending > 0 && (!done.InPlace || done.PendingBecause != "" || done.Refused) {
		a.code = exitProvider
	}
	if !r.DryRun {
		a.reembedRemarks(done, r)
	}
	if a.json {
		return a.printJSON(reembedOf(done, r.DryRun))
	}
	a.printReembed(done, r)
	return nil
}

// reembedRemarks are for people, also beside --json.
func (a *app) reembedRemarks(done engine.ReembedAnswer, r engine.ReembedRequest) {
	if !done.InPlace {
		done.Import.Pending, done.Import.Interrupted = 0, false // told below
		a.importRemarks(done.Import, r.Source, "--replace")
	}
	because := cmp.Or(done.PendingBecause, done.Import.PendingBecause)
	for _, w := range done.Waiting {
		switch {
		case w.Reason != "":
			a.notef("%s has no vector: %s", w.ID, w.Reason)
		case because == "": // otherwise one cause is told for all, below
			a.notef("%s has no vector yet", w.ID)
		}
	}
	if done.Pending > 0 && (done.Complete || !done.InPlace) {
		if because != "" {
			because = ": " + because
		}
		a.notef("%d %s without a vector, so %s by %s words only; %s tries again%s", done.Pending, are(done.Pending),
			choose(done.Pending, "it is found", "they are found"), choose(done.Pending, "its", "their"), a.typed("memory-pro reembed"), because)
	}
	const goOn = "Run the same command again to go on"
	switch {
	case (done.Interrupted || done.Limited) && done.InPlace:
		a.notef("stopped before the end: the database is as it was; what is done is kept. %s", goOn)
	case done.Interrupted:
		a.notef("stopped before the end: what is counted is stored. %s", goOn)
	case done.Limited:
		a.notef("stopped at the limit: the source has more")
	}
}

func are(n int) string { return choose(n, "is", "are") }

func choose(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func (a *app) printReembed(done engine.ReembedAnswer, r engine.ReembedRequest) {
	of := fmt.Sprintf("%d %s", done.Rows, plural(done.Rows))
	from := cmp.Or(done.From, "a model that is not noted")
	rest := ""
	if r.DryRun && done.Kept > 0 {
		of = fmt.Sprintf("%d of %s", done.Left, of)
		rest = fmt.Sprintf(" (%d have their vector from a run before)", done.Kept)
	}
	switch {
	case !done.InPlace && r.DryRun:
		a.printOutcome("Would import", done.Import)
	case !done.InPlace:
		a.printOutcome("Embedded and imported", done.Import)
	case r.DryRun && done.Needed && done.From == done.To:
		why := "--force"
		if done.Adopted {
			why = "nobody noted what wrote their vectors, they were only taken for the configured model's"
		}
		a.printf("Would embed %s anew%s with %s: %s.\n", of, rest, done.To, why)
	case r.DryRun && done.Needed:
		a.printf("Would embed %s anew%s: their vectors are of %s (%d numbers), the configured model is %s (%d numbers).\n",
			of, rest, from, done.FromWidth, done.To, done.ToWidth)
	case r.DryRun:
		a.printf("Nothing to embed anew: the vectors are of the configured model. %d %s without one.\n", done.Pending, are(done.Pending))
	case done.Interrupted || done.Limited:
		a.printf("Embedded %d of %s.\n", done.Kept+done.Embedded, of)
	case !done.Needed && done.Pending == 0:
		a.printf("%s.\n", choose(done.Rows, "The only memory has a vector of the configured model", "All "+of+" have vectors of the configured model"))
	case !done.Needed:
		a.printf("%d of %s have vectors of the configured model.\n", done.Rows-done.Pending, of)
	default:
		a.printf("Embedded %s anew, counted before and after: %d have vectors of %s (%d numbers) now.\n",
			of, done.Rows-done.Pending, done.To, done.ToWidth)
	}
}

// reembedJSON are the counts of a re-embed.
type reembedJSON struct {
	DryRun      bool             `json:"dryRun"`
	InPlace     bool             `json:"inPlace"`
	From        string           `json:"from"`
	FromWidth   int              `json:"fromWidth"`
	To          string           `json:"to"`
	ToWidth     int              `json:"toWidth"`
	Needed      bool             `json:"needed"`
	Adopted     bool             `json:"adopted"`
	Rows        int              `json:"rows"`
	Embedded    int              `json:"embedded"`
	Kept        int              `json:"keptFromBefore"`
	Left        int              `json:"toEmbed"`
	Pending     int              `json:"withoutVector"`
	Because     string           `json:"withoutVectorBecause,omitempty"`
	Waiting     []engine.Waiting `json:"waiting,omitempty"`
	Complete    bool             `json:"complete"`
	Interrupted bool             `json:"interrupted"`
	Limited     bool             `json:"limited"`
	Import      *importJSON      `json:"import,omitempty"`
}

func reembedOf(done engine.ReembedAnswer, dryRun bool) reembedJSON {
	j := reembedJSON{
		DryRun: dryRun, InPlace: done.InPlace, From: done.From, FromWidth: done.FromWidth, To: done.To, ToWidth: done.ToWidth,
		Needed: done.Needed, Adopted: done.Adopted, Rows: done.Rows, Embedded: done.Embedded, Kept: done.Kept, Left: done.Left, Because: cmp.Or(done.PendingBecause, done.Import.PendingBecause), Pending: done.Pending, Waiting: done.Waiting,
		Complete: done.Complete, Interrupted: done.Interrupted, Limited: done.Limited,
	}
	if !done.InPlace {
		i := importOf(done.Import, dryRun)
		j.Import = &i
	}
	return j
}
