package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
)

// erasePatience bounds an erasure: the whole table is written anew, and every file
// of it and of the backups is read.
const erasePatience = time.Hour

type forgetOptions struct {
	id                string
	erase, chain, yes bool
	also              []string
}

func (a *app) forgetCommand() *cobra.Command {
	var o forgetOptions
	cmd := &cobra.Command{
		Use:   "forget <id>",
		Short: "Delete one memory, or erase its text from everywhere",
		Long: `Delete one memory, as "delete" does. Its text then is still in the record of
changes, from which "undo" brings it back, and in backups.

With --erase it is gone for good: from the table, older versions of it, the words
of the index, the record of changes, and the backups. Then every memory, every
recorded change and every file beside the database is searched for the text, and a
receipt says what was looked at, what was removed, and whether anything is left. A
memory that was deleted before can still be erased. Exports and files of rejected
rows lie where you put them: name them with --also. A running gateway forgets what
it holds in memory when it ends.

The id may be shortened to its first eight or more characters.`,
		Example: `  memory-pro forget 1f0c2a9e
  memory-pro forget 1f0c2a9e --erase --also ~/memories.jsonl`,
		Args: needs("id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.id = args[0]
			if !o.erase && (o.chain || len(o.also) > 0) {
				return errors.New("--chain and --also belong to --erase")
			}
			if o.erase {
				a.patience = cmp.Or(a.patience, erasePatience)
			}
			return a.with(cmd, func(ctx context.Context, e *engine.Engine) error { return a.forget(ctx, e, o) })
		},
	}
	cmd.Flags().BoolVar(&o.erase, "erase", false, "remove the text from everywhere it lies, for good")
	cmd.Flags().BoolVar(&o.chain, "chain", false, "with --erase: also the other versions of the statement")
	cmd.Flags().StringArrayVar(&o.also, "also", nil, "with --erase: also clean this `file or directory` of exported rows (may be repeated)")
	cmd.Flags().BoolVar(&o.yes, "yes", false, "do not ask")
	return cmd
}

func (a *app) forget(ctx context.Context, e *engine.Engine, o forgetOptions) error {
	if !o.erase {
		return a.delete(ctx, e, engine.DeleteRequest{Who: engine.Operator(), ID: o.id})
	}
	r := engine.EraseRequest{Who: engine.Operator(), ID: o.id, Chain: o.chain, Also: o.also, DryRun: true}
	plan, err := e.Erase(ctx, r)
	var carried *engine.CarriedError
	if errors.As(err, &carried) && !o.yes && !a.json && a.interactive() {
		a.printf("Other versions of it carry the same text: %s\n", strings.Join(carried.Versions, ", "))
		if !a.agreed("Erase them along with it?") {
			return errors.New("nothing was erased")
		}
		r.Chain = true
		plan, err = e.Erase(ctx, r)
	}
	if err != nil {
		return tooShort(r.ID, err)
	}
	if !o.yes {
		if a.json || !a.interactive() {
			return &engine.BadInputError{Problem: "nothing was erased: there is nobody to ask; add --yes"}
		}
		a.printf("%s: %s\n", plan.ID, engine.Shorten(plan.Text, shownChars))
		if n := len(plan.IDs); n > 1 {
			a.printf("and %d other versions of it\n", n-1)
		}
		if !a.agreed("Erase this for good? It cannot be undone.") {
			return errors.New("nothing was erased")
		}
	}
	r.DryRun = false
	done, err := e.Erase(ctx, r)
	if err != nil {
		return err
	}
	if !done.Clean() {
		a.code = exitFailure
	}
	if a.json {
		return a.printJSON(receiptOf(done))
	}
	a.printReceipt(done)
	return nil
}

type receiptJSON struct {
	Erased bool     `json:"erased"`
	ID     string   `json:"id"`
	IDs    []string `json:"ids"`
	// Clean says that the text was looked for everywhere and found nowhere any more.
	Clean  bool          `json:"clean"`
	Places []placeJSON   `json:"places"`
	Found  []findingJSON `json:"found"`
	Left   []string      `json:"left"`
}

type placeJSON struct {
	Place   string `json:"place"`
	Path    string `json:"path,omitempty"`
	Looked  string `json:"lookedAt,omitempty"`
	Removed string `json:"removed,omitempty"`
}

type findingJSON struct {
	Memory  string `json:"memoryId,omitempty"`
	Deleted bool   `json:"deleted,omitempty"`
	Path    string `json:"path,omitempty"`
	Offset  int64  `json:"offset,omitempty"`
	Form    string `json:"form,omitempty"`
}

func receiptOf(done engine.EraseAnswer) receiptJSON {
	j := receiptJSON{Erased: true, ID: done.ID, IDs: done.IDs, Clean: done.Clean(), Places: []placeJSON{}, Found: []findingJSON{}, Left: []string{}}
	for _, p := range done.Places {
		j.Places = append(j.Places, placeJSON{p.Name, p.Path, p.Looked, p.Removed})
	}
	for _, f := range done.Found {
		j.Found = append(j.Found, findingJSON(f))
	}
	j.Left = append(j.Left, done.Left...)
	return j
}

func (a *app) printReceipt(done engine.EraseAnswer) {
	a.printf("Erased %s.\n\n", strings.Join(done.IDs, ", "))
	for _, p := range done.Places {
		line := fmt.Sprintf("  %-22s", p.Name+":")
		if p.Looked != "" {
			line += " looked at " + p.Looked + ";"
		}
		switch {
		case p.Removed != "":
			line += " removed " + p.Removed
		case p.Looked == "":
			line += " nothing to remove"
			if p.Name == engine.EraseSearch {
				line = fmt.Sprintf("  %-22s not done", p.Name+":")
			}
		}
		a.printf("%s\n", strings.TrimSuffix(line, ";"))
	}
	a.printf("\n")
	for _, f := range done.Found {
		switch {
		case f.Memory != "" && f.Deleted:
			a.printf("Still on record: memory %s, which was deleted, said it too; %s\n", f.Memory, a.typed("memory-pro forget "+f.Memory+" --erase"))
		case f.Memory != "":
			a.printf("Still there: memory %s says it too; %s\n", f.Memory, a.typed("memory-pro forget "+f.Memory+" --erase"))
		default:
			a.printf("Still there: %s holds it %s, at byte %d\n", f.Path, f.Form, f.Offset)
		}
	}
	for _, left := range done.Left {
		a.printf("Not done: %s\n", left)
	}
	switch {
	case done.Clean():
		a.printf("It was found nowhere any more.\n")
	case len(done.Found) == 0:
		a.printf("Not certain: nothing of it was seen, but not everything could be looked into.\n")
	default:
		a.printf("It is not gone everywhere: see above.\n")
	}
}
