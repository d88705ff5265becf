package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// whyTurn says what becomes of a memory before a turn with the question as its
// prompt. What a session was shown lately is known to the process that serves it,
// and to no other.
func (e *Engine) whyTurn(ctx context.Context, answer *WhyAnswer, who Who) error {
	i, err := e.injection(ctx, PromptRequest{
		AgentID: who.caller.AgentID, SessionKey: who.caller.SessionKey, Prompt: answer.Query, Trigger: "user", Watch: []string{answer.ID},
	}, true)
	if err != nil {
		return err
	}
	if i.Skipped != "" {
		answer.Verdict = NoRecall
		answer.Text, answer.Next = skipped(i.Skipped)
		return nil
	}
	e.judge(answer, i.Answer)
	if at := slices.IndexFunc(i.Taken, func(m memory.Memory) bool { return m.ID == answer.ID }); at >= 0 {
		answer.Verdict, answer.Place, answer.Of = Injected, at+1, len(i.Taken)
		answer.Text = fmt.Sprintf("It is added to the turn, as number %d of %d.", at+1, len(i.Taken))
		return nil
	}
	reason, left := i.Left[answer.ID]
	if !left {
		return nil // judged by the search
	}
	// Whether the last search still listed it or was told to leave it out.
	found := "It is found, "
	if answer.Verdict == Found {
		found = fmt.Sprintf("It is found, at place %d of %d, ", answer.Place, answer.Of)
	}
	answer.Place = 0
	switch reason {
	case LeftBudget:
		answer.Verdict = NoRoom
		answer.Text = found + "but the block has no room for it."
		answer.Next = "Raise autoRecallMaxItems, autoRecallMaxChars or autoRecallMaxTokens."
	case LeftRepeated:
		answer.Verdict = Repeated
		answer.Text = "It was shown in this session lately, and is not added again yet."
		answer.Next = "Lower autoRecallMinRepeated; 0 adds it every time."
	case LeftSuspicious:
		answer.Verdict = LeftOut
		answer.Text = found + "but it reads like an instruction and is held back."
		answer.Next = "Say it as a fact, or set autoRecallHoldBackSuspicious to false."
	case LeftScore:
		answer.Verdict = LeftOut
		answer.Text = found + fmt.Sprintf("but its score, %s, is below autoRecallMinScore.", score(answer.Score))
		answer.Next = fmt.Sprintf("Lower autoRecallMinScore to %.2f.", answer.Score-0.005)
	default:
		answer.Verdict = LeftOut
		answer.Text = found + "but it is not taken: " + reason + "."
	}
	return nil
}

// skipped says why a turn gets no memories at all, and what could be done.
func skipped(reason string) (text, next string) {
	switch reason {
	case SkippedOff:
		return "No memories are added to turns: automatic recall is off, or has no room.", "Set autoRecall to true, and neither recallMode to off nor one of its sizes to 0."
	case SkippedNobody:
		return "Turns that no person began get no memories.", ""
	case SkippedNoAgent:
		return "The turn belongs to no agent.", "Name one."
	case SkippedAgent:
		return "This agent gets no memories.", "See autoRecallIncludeAgents and autoRecallExcludeAgents."
	case SkippedNeedsNone:
		return "The prompt asks for no memory: it is too short, a greeting, a command or the like.", "Say more in it, or lower autoRecallMinLength."
	}
	return "The turn gets no memories: " + reason + ".", ""
}
