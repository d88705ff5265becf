package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

func (a *app) showCommand() *cobra.Command {
	r := engine.ShowRequest{Who: engine.Operator()}
	return &cobra.Command{
		Use:   "show <id>",
		Short: "Show everything about one memory",
		Long: `Show one memory in full: its text, where it is kept, whether it holds now and
why not, its versions, and its metadata. The id may be shortened to its first
eight or more characters, as long as only one memory fits.`,
		Args: needs("id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.ID = args[0]
			return a.with(cmd, func(ctx context.Context, e *engine.Engine) error { return a.show(ctx, e, r) })
		},
	}
}

// showJSON is a row and what follows from its metadata.
type showJSON struct {
	rowJSON
	Kind     string        `json:"memoryCategory"`
	Active   bool          `json:"active"`
	Standing string        `json:"standing"`
	FactKey  string        `json:"factKey,omitempty"`
	Versions []versionJSON `json:"versions"`
}

type versionJSON struct {
	ID        string `json:"id"`
	Text      string `json:"text"`
	ValidFrom int64  `json:"validFrom,omitempty"`
	Ended     int64  `json:"invalidatedAt,omitempty"`
	// Shown marks the memory that was asked for.
	Shown bool `json:"shown,omitempty"`
}

func (a *app) show(ctx context.Context, e *engine.Engine, r engine.ShowRequest) error {
	answer, err := e.Show(ctx, r)
	if err != nil {
		return tooShort(r.ID, err)
	}
	m := answer.Memory
	if a.json {
		j := showJSON{
			rowJSON: rowOf(m), Kind: string(m.Kind()), Active: answer.Active, Standing: answer.Standing, FactKey: m.FactKey(),
			Versions: make([]versionJSON, 0, len(answer.Versions)),
		}
		for _, v := range answer.Versions {
			j.Versions = append(j.Versions, versionJSON{
				ID: v.ID, Text: v.Text, ValidFrom: millis(v.Metadata.ValidFrom), Ended: millis(v.Metadata.InvalidatedAt), Shown: v.ID == m.ID,
			})
		}
		return a.printJSON(j)
	}
	a.printf("%s\n\n%s\n\n", m.ID, visible(m.Text))
	for _, line := range [][2]string{
		{"kind", string(m.Kind()) + " (stored as " + string(m.Category) + ")"},
		{"scope", orNone(m.Scope)},
		{"remembered", moment(m.Time)},
		{"standing", answer.Standing},
		{"fact key", m.FactKey()},
		{"vector", vectorState(m)},
	} {
		if line[1] != "" {
			a.printf("%-12s %s\n", line[0]+":", visible(line[1]))
		}
	}
	a.printf("%-12s %g\n", "importance:", m.Importance)
	if len(answer.Versions) > 1 {
		a.printf("\nVersions, oldest first:\n")
		for _, v := range answer.Versions {
			mark := " "
			if v.ID == m.ID {
				mark = "*"
			}
			a.printf("%s [%s] %s (%s)\n", mark, v.ID, engine.Shorten(v.Text, shownChars), v.Metadata.ValidFrom.UTC().Format(time.DateOnly))
		}
	}
	a.printf("\nMetadata:\n%s\n", visible(m.Metadata.String()))
	return nil
}

func vectorState(m memory.Memory) string {
	if m.Metadata.Embedding == memory.EmbeddingPending {
		if why := m.Metadata.EmbeddingProblem; why != "" {
			return "none, found by its words only: " + why
		}
		return "not yet: found by its words only"
	}
	return ""
}

// moment is empty for rows of early tables that state none.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func orNone(s string) string {
	if s == "" {
		return "(none: no agent reads it)"
	}
	return s
}
