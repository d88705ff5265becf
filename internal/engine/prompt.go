package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/screen"
)

// PromptRequest is a turn about to start.
type PromptRequest struct {
	AgentID, SessionKey, SessionID string
	// Prompt is what the turn is asked. It alone is what is searched for: nothing
	// that arrived elsewhere on the channel.
	Prompt string
	// Event names this delivery of the prompt, Run the turn it belongs to; either
	// may be empty. A host that builds a prompt a second time says the same Event.
	Event, Run string
	// Trigger is what started the turn; only "user" gets memories.
	Trigger string
	// Provenance is inter_session or internal_system when no person wrote it.
	Provenance string
	// Watch names memories whose fate Injection.Answer tells, found or not.
	Watch []string
}

// maxPromptRunes is how much of a text is searched for where no setting says
// so: its beginning says what it is about, the rest is pasted.
const maxPromptRunes = 2000

// Reasons why a turn gets no memories; see Injection.Skipped.
const (
	SkippedOff       = "off"
	SkippedNobody    = "not asked by a person"
	SkippedNoAgent   = "no agent"
	SkippedAgent     = "not for this agent"
	SkippedNeedsNone = "asks for none"
)

// Prompt gives the block of memories for a turn, or "" when the turn needs none;
// one that cannot be tied to an agent needs none. An error means that nothing is
// injected; the turn goes on.
//
//	whose turn is it → was this event answered → does the prompt need memory →
//	Recall without what the session was shown lately → what the settings let in →
//	the block → note what was shown, for governance
func (e *Engine) Prompt(ctx context.Context, r PromptRequest) (string, error) {
	i, err := e.injection(ctx, r, false)
	return i.Block, err
}

// injection is Prompt with what stands behind the block. A rehearsal leaves no
// trace: the session does not go on by a turn, and nothing is counted.
func (e *Engine) injection(ctx context.Context, r PromptRequest, rehearsal bool) (Injection, error) {
	c := e.cfg.AutoRecall
	switch {
	case budget(c).Items == 0:
		return Injection{Skipped: SkippedOff}, nil
	case !byPerson(r.Trigger, r.Provenance, r.SessionKey):
		return Injection{Skipped: SkippedNobody}, nil
	}
	if c.TimeoutMs > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(c.TimeoutMs)*time.Millisecond)
		defer cancel()
	}
	access, err := e.access(Agent(r.AgentID, r.SessionKey))
	if err != nil {
		e.log.Debug("a turn without an agent gets no memories", "session", r.SessionKey)
		return Injection{Skipped: SkippedNoAgent}, nil
	}
	if !getsMemories(c, access.Agent, r.SessionKey) {
		return Injection{Skipped: SkippedAgent}, nil
	}
	prompt := screen.Words(firstBytes(r.Prompt, longestHeard))
	t, block, answered := e.chats.begin(r, prompt, c.MinRepeated, rehearsal)
	if answered {
		return Injection{Block: block}, nil
	}
	shortest := 0 // the default of package screen
	if c.MinLength != nil {
		shortest = max(1, *c.MinLength)
	}
	var i Injection
	if prompt == "" || screen.SkipRecallBelow(prompt, shortest) {
		i.Skipped = SkippedNeedsNone
	} else if i, err = e.inject(ctx, r, prompt, t, rehearsal); err != nil {
		return Injection{}, err
	}
	if ctx.Err() != nil && !rehearsal {
		// The turn went on without it: what it does not see was not shown to it.
		return Injection{}, fmt.Errorf("recalling memories for a turn: they came too late: %w", ctx.Err())
	}
	if !rehearsal {
		e.chats.finish(t, prompt, i)
		e.noteInjected(i.Taken)
	}
	return i, nil
}

// subSessions are parts of session keys that belong to no conversation with a
// person.
var subSessions = []string{":subagent:", ":active-memory:", ":cron:", ":heartbeat:"}

// byPerson reports whether a person wrote what a turn is about. Scheduled jobs,
// heartbeats, flushes of memory and other agents do not count.
func byPerson(trigger, provenance, sessionKey string) bool {
	if trigger != "user" || cmp.Or(provenance, "external_user") != "external_user" || strings.HasPrefix(sessionKey, "temp:memory-reflection") {
		return false
	}
	rest := sessionKey
	if named, ok := strings.CutPrefix(sessionKey, "agent:"); ok {
		_, rest, _ = strings.Cut(named, ":") // without the agent's name, which may be any word
	}
	return !slices.ContainsFunc(subSessions, func(s string) bool { return strings.Contains(":"+rest+":", s) })
}

// Shorten cuts text to n characters on one line, ending with … if it was cut.
// Old tables hold control characters; they do not reach a terminal.
func Shorten(text string, n int) string {
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return strings.TrimSpace(firstRunes(text, max(n-1, 0))) + "…"
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
