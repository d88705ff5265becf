package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/screen"
)

// Injection is what a turn gets, and why.
type Injection struct {
	// Block is what the turn is shown; "" if nothing.
	Block string
	// Skipped is why nothing was searched for: one of the Skipped constants, or "".
	Skipped string
	// Taken are the memories in the block, in its order.
	Taken []memory.Memory
	// Left says of memories that were found why they are not in the block.
	Left map[string]string
	// Intent is what the prompt was taken to be after, in adaptive mode.
	Intent string
	// Answer is what the search found.
	Answer RecallAnswer
}

// Reasons of Injection.Left, beside the stages of retrieval.
const (
	LeftBudget     = "no room in the block"
	LeftRepeated   = "shown in this session lately"
	LeftVersions   = "newer versions of the same fact were taken"
	LeftSuspicious = "it gives instructions to its reader"
	LeftScore      = "below autoRecallMinScore"
	LeftUnused     = "of no use lately, and held back for a while"
)

// inject finds memories for a prompt and renders them.
func (e *Engine) inject(ctx context.Context, r PromptRequest, prompt string, t turnState, rehearsal bool) (Injection, error) {
	c := e.cfg.AutoRecall
	shape, unwritten := shapeOf(c, prompt), e.verdicts()
	i := Injection{Left: map[string]string{}, Intent: shape.intent.Name}
	request := RecallRequest{
		Who: Agent(r.AgentID, r.SessionKey), Source: retrieve.SourceHook,
		// The beginning of a prompt says what it is about, the rest is pasted.
		Query:  firstRunes(prompt, c.MaxQueryLength),
		Limit:  min(2*shape.room.Items, retrieve.MaxLimit),
		Narrow: unwritten.narrow(narrowing(c, e.now())), Prefer: shape.intent.Prefer, Without: t.without, Watch: r.Watch,
	}
	hits, answer, err := e.choose(ctx, request, unwritten, i.Left, rehearsal)
	if err != nil {
		return Injection{}, fmt.Errorf("recalling memories for a turn: %w", err)
	}
	maps.Copy(i.Left, t.without)
	i.Answer = answer
	items := make([]screen.Item, 0, len(hits))
	for _, h := range hits {
		items = append(items, screen.Item{Label: labelOf(c, h), Text: shape.text(h.Memory), More: related(h)})
	}
	block, shown := screen.Inject(items, shape.room)
	i.Block = block
	for n, h := range hits {
		if slices.Contains(shown, n) {
			i.Taken = append(i.Taken, h.Memory)
		} else {
			i.Left[h.Memory.ID] = LeftBudget
		}
	}
	e.log.Debug("recalled for a turn", "session", r.SessionKey, "mode", c.Mode, "intent", i.Intent, "limit", request.Limit, "found", len(answer.Hits),
		"shown", len(shown), "left", len(i.Left), "shownLately", len(t.without), "characters", utf8.RuneCountInString(block), "tokens", screen.Tokens(block))
	return i, nil
}

// chooseRounds bounds how often the search is repeated because the settings
// refuse some of what it found.
const chooseRounds = 4

// choose recalls, and asks again without what the settings refuse, so that what
// is refused never takes the place of what is not. left learns of the refused.
func (e *Engine) choose(ctx context.Context, r RecallRequest, unwritten verdicts, left map[string]string, rehearsal bool) (kept []retrieve.Hit, answer RecallAnswer, err error) {
	recall := e.Recall
	for round := 1; ; round++ {
		if rehearsal || round > 1 {
			recall = e.asked // what is asked again is one recall to whoever counts them
		}
		again, err := recall(ctx, r)
		if err != nil && round == 1 {
			return nil, RecallAnswer{}, err
		} else if err != nil {
			return kept, answer, nil // too late for more: what there is will do
		}
		answer = again
		var refused map[string]string
		kept, refused = e.permittedNow(answer.Hits, unwritten)
		maps.Copy(left, refused)
		if len(refused) == 0 || len(answer.Hits) < r.Limit || round == chooseRounds {
			return kept, answer, nil
		}
		without := maps.Clone(refused)
		maps.Copy(without, r.Without)
		r.Without = without
	}
}

func (e *Engine) asked(ctx context.Context, r RecallRequest) (RecallAnswer, error) {
	return e.ask(ctx, e.cfg, r)
}

// related is what stands behind a memory where neighbours are asked for.
func related(h retrieve.Hit) string {
	const each = 80
	var texts []string
	for _, m := range h.Neighbours {
		texts = append(texts, Shorten(m.Abstract(), each))
	}
	texts = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
	if len(texts) == 0 {
		return ""
	}
	return "Related: " + strings.Join(texts, " | ")
}
