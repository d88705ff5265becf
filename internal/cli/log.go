package cli

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
)

func (a *app) logCommand() *cobra.Command {
	r := engine.LogRequest{Who: engine.Operator()}
	cmd := &cobra.Command{
		Use:   "log",
		Short: "List recorded changes, newest first",
		Long: `List what was changed in the memories, newest first, one line a change: its
number, when, by whom, and what. "history" shows one memory's changes in full,
"undo" takes a change back by its number.
With --json: an array of changes. When there are more, that is told on standard
error.`,
		Example: `  memory-pro log --since 7d --agent main
  memory-pro undo 42 --dry-run`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd, func(ctx context.Context, e *engine.Engine) error { return a.log(ctx, e, r) })
		},
	}
	cmd.Flags().Var(whole(&r.Limit, 20, 1, 10_000), "limit", "how many, 1 to 10000")
	cmd.Flags().Var(since(&r.Since, time.Now), "since", "nothing older: a day, a moment, or a time back like 36h or 7d")
	cmd.Flags().StringVar(&r.Agent, "agent", "", "only what was done on behalf of this agent")
	cmd.Flags().Var(scopeName(&r.Scope), "scope", "only memories of this scope, for example agent:main")
	return cmd
}

func (a *app) log(ctx context.Context, e *engine.Engine, r engine.LogRequest) error {
	answer, err := e.Log(ctx, r)
	if err != nil {
		return err
	}
	a.unreadable(answer.Unreadable)
	switch s := a.screen(); {
	case a.json:
		records := make([]recordJSON, 0, len(answer.Records))
		for _, rec := range answer.Records {
			records = append(records, recordOf(rec))
		}
		if err := a.printJSON(records); err != nil {
			return err
		}
	case len(answer.Records) == 0:
		a.printf("No changes are recorded.\n")
	case s.width > 0:
		rows := make([][]string, len(answer.Records))
		for i, rec := range answer.Records {
			rows[i] = []string{strconv.FormatUint(rec.Seq, 10), rec.At.UTC().Format(time.DateTime), rec.Actor, rec.Agent, summary(rec)}
		}
		a.table(s, []column{
			{title: "#", right: true}, {title: "WHEN (UTC)", style: dim}, {title: "BY", style: dim}, {title: "AGENT", most: 16, style: dim}, {title: "CHANGE"},
		}, rows)
	default:
		for _, rec := range answer.Records {
			who := rec.Actor
			if rec.Agent != "" {
				who += " " + rec.Agent
			}
			a.printf("#%d  %s  %s  %s\n", rec.Seq, moment(rec.At), orDash(who), summary(rec))
		}
	}
	if answer.More {
		a.notef("there are older ones: a higher --limit shows them")
	}
	return nil
}

// summaryChars is how much of a change a line shows.
const summaryChars = 160

// summary tells a change in one line.
func summary(r engine.Record) string {
	if len(r.Changes) == 1 {
		return engine.Shorten(inOneLine(r.Changes[0]), summaryChars)
	}
	var line string
	// A new version is two changes: the old row's end and the new row.
	if len(r.Changes) == 2 {
		was, is := r.Changes[0], r.Changes[1]
		if was.Before == nil {
			was, is = is, was
		}
		if is.Before == nil && is.After != nil && was.Before != nil && is.After.Metadata.Supersedes == was.ID {
			line = fmt.Sprintf("new version %s of %s: %s", shortID(is.ID), shortID(was.ID), diffText(wordDiff(was.Before.Text, is.After.Text), screen{}))
			return engine.Shorten(line, summaryChars)
		}
	}
	counts := map[string]int{}
	for _, c := range r.Changes {
		counts[kindOf(c)]++
	}
	line = r.Operation + ":"
	for _, kind := range []string{"created", "changed", "deleted", "erased"} {
		if n := counts[kind]; n > 0 {
			line += fmt.Sprintf(" %d %s", n, kind)
		}
	}
	return line
}

func inOneLine(c engine.Change) string {
	line := kindOf(c) + " " + shortID(c.ID)
	switch {
	case c.Erased:
	case c.Before == nil:
		line += ": " + c.After.Text
	case c.After == nil:
		line += ": " + c.Before.Text
	case len(c.Fields) == 0:
		line += ": its vector"
	default:
		for i, f := range c.Fields {
			sep := "; "
			if i == 0 {
				sep = ": "
			}
			if f.Name == "text" {
				line += sep + string(diffText(wordDiff(f.Before, f.After), screen{}))
			} else {
				line += sep + f.Name + " " + orDash(f.Before) + " → " + orDash(f.After)
			}
		}
	}
	return line
}
