package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
)

func (a *app) replayCommand() *cobra.Command {
	var sets []string
	limit := 0
	cmd := &cobra.Command{
		Use:   "replay [n | id]",
		Short: "Run a recorded recall again, with other settings if you like",
		Long: `Without an argument, list the recalls recorded last: of the gateway, its tools and
this command line. With a number from that list, or an id, run one again and show
where each memory stood then, stands now, and would stand with the settings given
by --set: one that moved, came in or went out, and why. Nothing is changed, counted
or recorded. --set takes the settings of search and ageing (retrieval, decay, tier),
spelt as in the configuration.

At most 500 recalls are kept, in a file beside the database that only you can read;
recallLog: false keeps none.`,
		Example: `  memory-pro replay
  memory-pro replay 1 --set retrieval.vectorWeight=0.5 --set retrieval.bm25Weight=0.5`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withLoaded(cmd, func(ctx context.Context, e *engine.Engine, loaded config.Loaded) error {
				switch {
				case len(args) == 0 && len(sets) > 0:
					return &engine.BadInputError{Problem: "--set tries a setting on one recall: say which, for example memory-pro replay 1 --set " + sets[0]}
				case len(args) == 0:
					return a.recorded(ctx, e, limit)
				}
				r := engine.ReplayRequest{Who: engine.Operator(), Ref: args[0]}
				var used []string
				if len(sets) > 0 {
					other, spelled, err := otherSettings(loaded, sets)
					if err != nil {
						return err
					}
					for _, notice := range other.Notices {
						if mentionsAny(notice, sets) {
							a.notef("%s", notice)
						}
					}
					r.With, used = &other, spelled
				}
				return a.replay(ctx, e, r, used)
			})
		},
	}
	cmd.Flags().StringArrayVar(&sets, "set", nil, "run it with this setting as well, `key=value` (may be repeated)")
	cmd.Flags().Var(whole(&limit, 20, 1, 500), "limit", "how many to list")
	return cmd
}

// mentionsAny reports whether a notice is about one of the settings on trial.
func mentionsAny(notice string, sets []string) bool {
	for _, set := range sets {
		if key, _, _ := strings.Cut(set, "="); strings.Contains(notice, key) {
			return true
		}
	}
	return false
}

// recordedJSON is a recorded recall.
type recordedJSON struct {
	Number   int     `json:"number"`
	ID       string  `json:"id"`
	At       int64   `json:"at"`
	Source   string  `json:"source"`
	Agent    string  `json:"agent,omitempty"`
	Query    string  `json:"query"`
	Mode     string  `json:"mode,omitempty"`
	Failed   string  `json:"failed,omitempty"`
	TookMs   float64 `json:"tookMs"`
	Settings string  `json:"settings"`
	Version  int64   `json:"tableVersion"`
	Hits     []hit   `json:"hits"`
	// Drops counts the candidates that were left out, by reason.
	Drops map[string]int `json:"drops,omitempty"`
}

type hit struct {
	ID    string  `json:"id"`
	Score float64 `json:"score"`
}

// recorded lists what there is to replay.
func (a *app) recorded(ctx context.Context, e *engine.Engine, limit int) error {
	list, err := e.Recorded(ctx, engine.RecordedRequest{Who: engine.Operator(), Limit: limit})
	if err != nil {
		return err
	}
	if a.json {
		out := make([]recordedJSON, 0, len(list))
		for i, entry := range list {
			out = append(out, recordedOf(i+1, entry))
		}
		return a.printJSON(out)
	}
	if len(list) == 0 {
		a.printf("No recall is recorded.\n")
		return nil
	}
	s := a.screen()
	if s.width == 0 {
		for i, entry := range list {
			a.printf("%d. [%s] %s %s: %q, %s\n", i+1, entry.ID, moment(entry.At), askedBy(entry), engine.Shorten(entry.Query, shownChars), cameTo(entry))
		}
		return nil
	}
	rows := make([][]string, len(list))
	for i, entry := range list {
		rows[i] = []string{fmt.Sprint(i + 1), entry.ID, entry.At.Local().Format("01-02 15:04"), askedBy(entry), cameTo(entry), entry.Query}
	}
	a.table(s, []column{
		{title: "N", right: true, style: bold}, {title: "ID", style: dim}, {title: "WHEN"}, {title: "BY", most: 24, style: dim}, {title: "FOUND"}, {title: "QUESTION"},
	}, rows)
	return nil
}

// replay runs one again; used are the other settings, as they came out.
func (a *app) replay(ctx context.Context, e *engine.Engine, r engine.ReplayRequest, used []string) error {
	answer, err := e.Replay(ctx, r)
	if err != nil {
		return err
	}
	a.noteKeywords(e)
	if a.json {
		return a.printJSON(replayOf(answer, used))
	}
	s := a.screen()
	entry := answer.Entry
	a.printf("[%s] %s %s: %q\n", entry.ID, moment(entry.At), askedBy(entry), engine.Shorten(entry.Query, 2*shownChars))
	if entry.Cut {
		a.printf("Only the beginning of the question is recorded; the rest is missing now.\n")
	}
	if answer.TableChanged {
		a.printf("The table has changed since, its memories or only its upkeep; what moved between then and now may be due to that.\n")
	}
	if answer.SettingsChanged {
		a.printf("Settings of the search, or the embedding model, have changed since.\n")
	}
	counts := fmt.Sprintf("Found then %d, now %d", len(entry.Hits), len(answer.Now.Hits))
	if answer.With != nil {
		counts += fmt.Sprintf(", with %s %d", strings.Join(used, " "), len(answer.With.Hits))
	}
	a.printf("%s\n", counts)
	if len(answer.Moves) == 0 {
		return nil
	}
	a.printf("\n")
	a.printMoves(s, answer)
	return nil
}
