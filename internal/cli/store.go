package cli

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/server"
)

func (a *app) storeCommand() *cobra.Command {
	r := engine.StoreRequest{Who: engine.Operator()}
	cmd := &cobra.Command{
		Use:   "store <text>",
		Short: "Remember a statement",
		Long: `Remember one statement, through the same steps as the agent tool memory_store.
The text "-" is read from standard input. With --json: what came of it, with
"action" created, duplicate, superseded, noise_filtered or
envelope_metadata_rejected. A statement is stored also when the embedding provider
fails, in whatever way: it has no vector then ("embedding": "pending"), is found by
its words, and gets its vector later.`,
		Args: needs("text"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Text = args[0]
			return a.with(cmd, func(ctx context.Context, e *engine.Engine) error { return a.store(ctx, e, r) })
		},
	}
	cmd.Flags().Var(scopeName(&r.Scope), "scope", "where to keep it (default global, which all agents read)")
	cmd.Flags().StringVar(&r.Category, "category", "", "what kind of statement it is (default other)")
	cmd.Flags().Var(fraction(&r.Importance, memory.DefaultImportance), "importance", "from 0, trivial, to 1, vital")
	cmd.Flags().BoolVar(&r.Force, "force", false, "store it even if it is known already")
	return cmd
}

func (a *app) store(ctx context.Context, e *engine.Engine, r engine.StoreRequest) error {
	text, err := a.textOrInput(r.Text)
	if err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" {
		return &engine.BadInputError{Problem: "storing a memory: the text is empty; give a statement"}
	}
	r.Text = text
	answer, err := e.Store(ctx, r)
	if err != nil {
		return err
	}
	a.noteKeywords(e)
	if answer.Pending != "" {
		a.notef("stored without a vector, so it is found by its words only until it gets one: %s", answer.Pending)
	}
	if a.json {
		return a.printJSON(server.StoreDetails(answer))
	}
	a.printf("%s\n", server.StoreText(answer))
	switch answer.Action {
	case engine.Noise, engine.Envelope:
	case engine.Duplicate:
		a.printf("[%s]\n", answer.Existing.ID)
	default:
		a.printf("[%s]\n", answer.Memory.ID)
	}
	return nil
}

// countedBytes bounds how much of an endless input is read to say how long it is.
const countedBytes = 1 << 28

// textOrInput reads the text "-" from standard input.
func (a *app) textOrInput(text string) (string, error) {
	if text != "-" {
		return text, nil
	}
	read, err := io.ReadAll(io.LimitReader(a.in, memory.MaxTextBytes+1))
	if err != nil || len(read) <= memory.MaxTextBytes {
		return string(read), err
	}
	rest, _ := io.Copy(io.Discard, io.LimitReader(a.in, countedBytes)) // only to tell people
	return "", &engine.TooLargeError{Bytes: len(read) + int(rest)}
}
