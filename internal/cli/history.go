package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

func (a *app) historyCommand() *cobra.Command {
	r := engine.HistoryRequest{Who: engine.Operator()}
	return &cobra.Command{
		Use:   "history <id>",
		Short: "Show what happened to one memory",
		Long: `Show every recorded change of one memory and of the versions before and after
it, oldest first: when, by whom, and what it was before and after. Words in [-…-]
went, words in {+…+} came. The memory may be deleted by now; the id may be
shortened to its first eight or more characters. "undo" takes a change back by
its number.`,
		Args: needs("id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.ID = args[0]
			return a.with(cmd, func(ctx context.Context, e *engine.Engine) error { return a.history(ctx, e, r) })
		},
	}
}

// recordJSON is a recorded change. Times are milliseconds since 1970.
type recordJSON struct {
	Seq       uint64       `json:"seq"`
	At        int64        `json:"at"`
	Actor     string       `json:"actor,omitempty"`
	Agent     string       `json:"agent,omitempty"`
	Session   string       `json:"session,omitempty"`
	Operation string       `json:"operation"`
	Applied   bool         `json:"applied"`
	Changes   []changeJSON `json:"changes"`
}

type changeJSON struct {
	ID string `json:"id"`
	// Change is created, changed, deleted or erased.
	Change string      `json:"change"`
	Before *rowJSON    `json:"before,omitempty"`
	After  *rowJSON    `json:"after,omitempty"`
	Fields []fieldJSON `json:"fields,omitempty"`
	// Diff is the text's change by words.
	Diff string `json:"diff,omitempty"`
}

type fieldJSON struct {
	Name   string `json:"name"`
	Before string `json:"before"`
	After  string `json:"after"`
}

func recordOf(r engine.Record) recordJSON {
	j := recordJSON{
		Seq: r.Seq, At: millis(r.At), Actor: r.Actor, Agent: r.Agent, Session: r.Session,
		Operation: r.Operation, Applied: r.Applied, Changes: changesOf(r.Changes),
	}
	return j
}

func changesOf(list []engine.Change) []changeJSON {
	out := make([]changeJSON, 0, len(list))
	for _, c := range list {
		j := changeJSON{ID: c.ID, Change: kindOf(c)}
		for _, side := range []struct {
			from *memory.Memory
			to   **rowJSON
		}{{c.Before, &j.Before}, {c.After, &j.After}} {
			if side.from != nil {
				row := rowOf(*side.from)
				*side.to = &row
			}
		}
		for _, f := range c.Fields {
			j.Fields = append(j.Fields, fieldJSON(f))
			if f.Name == "text" {
				j.Diff = string(diffText(wordDiff(f.Before, f.After), screen{}))
			}
		}
		out = append(out, j)
	}
	return out
}

// kindOf names a change of one memory.
func kindOf(c engine.Change) string {
	switch {
	case c.Erased:
		return "erased"
	case c.Before == nil:
		return "created"
	case c.After == nil:
		return "deleted"
	}
	return "changed"
}

func (a *app) history(ctx context.Context, e *engine.Engine, r engine.HistoryRequest) error {
	answer, err := e.History(ctx, r)
	if err != nil {
		return tooShort(r.ID, err)
	}
	a.unreadable(answer.Unreadable)
	if a.json {
		records := make([]recordJSON, 0, len(answer.Records))
		for _, rec := range answer.Records {
			records = append(records, recordOf(rec))
		}
		return a.printJSON(map[string]any{"id": answer.ID, "versions": answer.Versions, "exists": answer.Memory != nil, "records": records})
	}
	s := a.screen()
	if answer.Memory != nil {
		a.printf("%s: %s\n", answer.ID, engine.Shorten(answer.Memory.Text, shownChars))
	} else {
		a.printf("%s: deleted\n", answer.ID)
	}
	if len(answer.Records) == 0 {
		a.printf("\nNo change of it is recorded: it is older than the record.\n")
	}
	for _, rec := range answer.Records {
		a.printf("\n%s  %s\n", s.paint(bold, fmt.Sprintf("#%d  %s", rec.Seq, moment(rec.At))), by(rec))
		for _, c := range rec.Changes {
			a.printChange(s, c)
		}
	}
	return nil
}

// by says who made a change, and how.
func by(r engine.Record) string {
	who := r.Actor
	if who == "" {
		who = "unknown"
	}
	if r.Agent != "" {
		who += ", agent " + r.Agent
	}
	if r.Session != "" {
		who += ", session " + r.Session
	}
	if !r.Applied {
		who += " (not known to be applied)"
	}
	return r.Operation + " (" + who + ")"
}

// printChange tells what a memory was before and is after.
func (a *app) printChange(s screen, c engine.Change) {
	a.printf("    %s %s\n", kindOf(c), c.ID)
	line := func(name string, value painted) {
		a.printf("      %-12s %s\n", name+":", painted(strings.ReplaceAll(string(value), "\n", "\n"+strings.Repeat(" ", 19))))
	}
	switch {
	case c.Erased:
	case c.Before == nil || c.After == nil:
		m, how := c.After, green
		if m == nil {
			m, how = c.Before, red
		}
		line("text", s.paint(how, m.Text))
		line("kept as", s.paint("", fmt.Sprintf("%s in %s, importance %g", m.Category, orNone(m.Scope), m.Importance)))
	case len(c.Fields) == 0:
		line("vector", "made anew")
	default:
		for _, f := range c.Fields {
			if f.Name == "text" {
				line(f.Name, diffText(wordDiff(f.Before, f.After), s))
			} else {
				line(f.Name, s.paint("", orDash(f.Before)+" → "+orDash(f.After)))
			}
		}
	}
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// unreadable tells what of the record is damaged; the rest is shown all the same.
func (a *app) unreadable(list []string) {
	for _, problem := range list {
		a.notef("part of the record cannot be read: %s", problem)
	}
}

// since reads how far back to look: a day, a moment, or a time from now like 36h or 7d.
func since(p *time.Time, now func() time.Time) flagValue {
	typed := ""
	return flagValue{"time", func() string { return typed }, func(s string) error {
		if days, ok := strings.CutSuffix(s, "d"); ok {
			var n int
			if _, err := fmt.Sscanf(days+" .", "%d .", &n); err == nil && n > 0 && n < 100_000 {
				*p, typed = now().AddDate(0, 0, -n), s
				return nil
			}
		}
		if ago, err := time.ParseDuration(s); err == nil && ago > 0 {
			*p, typed = now().Add(-ago), s
			return nil
		}
		for _, form := range []string{time.DateOnly, time.RFC3339} {
			if at, err := time.Parse(form, s); err == nil {
				*p, typed = at, s
				return nil
			}
		}
		return fmt.Errorf("give a day like 2026-03-01, a moment like 2026-03-01T08:00:00Z, or a time back like 36h or 7d")
	}}
}
