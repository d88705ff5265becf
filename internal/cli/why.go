package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/engine"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/protocol"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/server"
)

func (a *app) whyCommand() *cobra.Command {
	r := engine.WhyRequest{Who: engine.Operator(), Source: retrieve.SourceCLI}
	var agent string
	cmd := &cobra.Command{
		Use:   "why <query> <id>",
		Short: "Say why a question finds a memory, or why not",
		Long: `Say what becomes of one memory when something is asked: found, at which place and
with which score; or what stopped it: its scope, that it was replaced, expired or
archived, a cut it missed and by how much, a better memory that says the same, the
limit. What can be done about it stands below. Nothing is counted or recorded.

With --agent the question is asked as that agent would ask it. With --turn it is a
prompt, and the answer is about the memories added before a turn, by the settings of
automatic recall; which of them a session was shown lately only the gateway knows.
The id may be shortened to its first eight or more characters.`,
		Example: `  memory-pro why "which seat for Mara" 1f0c2a9e
  memory-pro why "which seat for Mara" 1f0c2a9e --agent main --turn`,
		Args: needs("query", "id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Query, r.ID = args[0], args[1]
			for _, name := range []string{"scope", "category", "limit"} {
				if r.Turn && cmd.Flags().Changed(name) {
					return &engine.BadInputError{Problem: fmt.Sprintf("--%s means nothing with --turn: before a turn the settings of automatic recall decide; leave it out", name)}
				}
			}
			if r.Turn && agent == "" {
				agent = "main"
			}
			if agent != "" {
				who := engine.Agent(agent, "")
				r.For = &who
			}
			return a.with(cmd, func(ctx context.Context, e *engine.Engine) error { return a.why(ctx, e, r) })
		},
	}
	cmd.Flags().StringVar(&agent, "agent", "", "ask as this agent")
	cmd.Flags().BoolVar(&r.Turn, "turn", false, "ask about the memories added before a turn (agent main, unless named)")
	cmd.Flags().Var(scopeName(&r.Scope), "scope", "ask of this scope only, for example agent:main")
	cmd.Flags().StringVar(&r.Category, "category", "", "ask for this category only")
	cmd.Flags().Var(whole(&r.Limit, 10, 1, protocol.MaxLimit), "limit", "how many results the question has room for, 1 to 20")
	return cmd
}

func (a *app) why(ctx context.Context, e *engine.Engine, r engine.WhyRequest) error {
	if err := notTooLong(r.Query); err != nil {
		return err
	}
	answer, err := e.Why(ctx, r)
	if err != nil {
		return tooShort(r.ID, err)
	}
	a.noteKeywords(e)
	if answer.Verdict == engine.Missing {
		a.code = exitNotFound
	}
	if a.json {
		return a.printJSON(server.WhyOf(answer))
	}
	s := a.screen()
	if m := answer.Memory; m != nil {
		a.printf("[%s] [%s] %s\n", m.ID, engine.Tag(*m), engine.Shorten(m.Text, 2*shownChars))
	}
	how := yellow
	switch answer.Verdict {
	case engine.Found, engine.Injected:
		how = green
	case engine.Missing, engine.Gone, engine.OutOfReach:
		how = red
	}
	a.printf("%s\n", s.paint(how, answer.Text))
	if answer.Why != nil {
		a.printf("%s", indent(fmt.Sprint(answer.Why)))
	}
	if answer.Next != "" {
		a.printf("Next: %s\n", answer.Next)
	}
	return nil
}
