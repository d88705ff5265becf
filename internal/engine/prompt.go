package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/retrieve"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/screen"
)

// PromptRequest is a turn about to start.
type PromptRequest struct {
	AgentID    string
	SessionKey string
	Prompt     string
	// Trigger is what started the turn; only "user" gets memories.
	Trigger string
	// Provenance is inter_session or internal_system when no person wrote it.
	Provenance string
}

// maxPromptRunes is how much of a text is searched for where no setting says
// so: its beginning says what it is about, the rest is pasted.
const maxPromptRunes = 2000

// Prompt gives the block of memories to put before a turn, or "" when the turn
// needs none; one that cannot be tied to an agent needs none. An error means
// that nothing is injected; the turn goes on.
func (e *Engine) Prompt(ctx context.Context, r PromptRequest) (string, error) {
	c := e.cfg.AutoRecall
	room := budget(c)
	if room.Items == 0 || !byPerson(r.Trigger, r.Provenance, r.SessionKey) {
		return "", nil
	}
	shortest := 0 // the default of package screen
	if c.MinLength != nil {
		shortest = max(1, *c.MinLength)
	}
	prompt := screen.Words(firstBytes(r.Prompt, longestHeard))
	if prompt == "" || screen.SkipRecallBelow(prompt, shortest) {
		return "", nil
	}
	if c.TimeoutMs > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(c.TimeoutMs)*time.Millisecond)
		defer cancel()
	}
	who := Agent(r.AgentID, r.SessionKey)
	access, err := e.access(who)
	if err != nil {
		e.log.Debug("a turn without an agent gets no memories", "session", r.SessionKey)
		return "", nil
	}
	if !getsMemories(c, access.Agent, r.SessionKey) {
		return "", nil
	}
	// Twice as many as are injected, because the budget may pass over long ones.
	limit := min(2*room.Items, retrieve.MaxLimit)
	if choosy(c) {
		limit = retrieve.MaxLimit
	}
	// The beginning of a prompt says what it is about, the rest is pasted.
	answer, err := e.Recall(ctx, RecallRequest{Who: who, Query: firstRunes(prompt, c.MaxQueryLength), Limit: limit})
	if err != nil {
		return "", fmt.Errorf("recalling memories for a turn: %w", err)
	}
	hits := chosen(c, answer.Hits, e.now())
	items := make([]screen.Item, 0, len(hits))
	for _, h := range hits {
		m := h.Memory
		items = append(items, screen.Item{
			Label: fmt.Sprintf("%s:%s %s%s", m.Kind(), m.Scope, Day(m), speaker(m)),
			Text:  m.Abstract(),
		})
	}
	block, _ := screen.Inject(items, room)
	return block, nil
}

// speaker marks what the assistant said, so that its "I" is not taken for the
// person's.
func speaker(m memory.Memory) string {
	if string(m.Metadata.Extra["source_role"]) == `"assistant"` {
		return ", the assistant's words"
	}
	return ""
}

// subSessions are parts of session keys that belong to no conversation with a
// person.
var subSessions = []string{":subagent:", ":active-memory:", ":cron:", ":heartbeat:"}

// byPerson reports whether a person wrote what a turn is about. Scheduled jobs,
// heartbeats, flushes of memory and other agents do not count.
func byPerson(trigger, provenance, sessionKey string) bool {
	if trigger != "user" || (provenance != "" && provenance != "external_user") || strings.HasPrefix(sessionKey, "temp:memory-reflection") {
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
