package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/screen"
)

// Capture is remembering without being asked, after a turn, by rules alone:
//
//	agent_end ─ Capture: was it a person's turn? → which messages are new (cursor)
//	        └─ queue ─ one worker: words of the person (screen.Words) → what is
//	           worth keeping (screen.Statements), at most three a turn → Store
//	session_end ─ EndSession: wait for the session's queue, start its cursor anew
//	Close ─ wait for the whole queue, within bounds
//
// The hook is answered when the messages are in the queue. Everything is stored
// through the verb Store, so a capture obeys the same scopes, gates, duplicates
// and versions as the tool; it is written whole or not at all.

// CaptureRequest is a turn that has ended.
type CaptureRequest struct {
	AgentID, SessionKey, SessionID string
	// Trigger and Provenance are as in PromptRequest.
	Trigger, Provenance string
	// Sender is who spoke, on a channel that says so.
	Sender string
	// Success is false when the turn failed; its words wait for the next one.
	Success bool
	// Messages end with the turn; those before it may be left out.
	Messages []Message
}

const (
	capturesPerTurn   = 3
	captureImportance = 0.7
	// longestMeant is how much of what was said before "remember this" can mean,
	// in characters.
	longestMeant    = 4000
	captureAttempts = 3
	// capturePatience bounds the storing of one statement: a provider that hangs
	// must not hold up other sessions, and the vector can come later.
	capturePatience = 10 * time.Second
)

// Capture takes a turn that has ended and says how many messages were new. The
// rest happens in the background.
func (e *Engine) Capture(r CaptureRequest) (accepted int) {
	if !e.cfg.Capture.Enabled || len(r.Messages) == 0 {
		return 0
	}
	if _, err := e.access(Agent(r.AgentID, r.SessionKey)); err != nil {
		e.log.Debug("a turn without an agent is not captured", "session", r.SessionKey)
		return 0
	}
	c := e.captures
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0
	}
	key := sessionID(r)
	at := c.conversation(key)
	if !byPerson(r.Trigger, r.Provenance, r.SessionKey) {
		at.pass(r.Messages)
		return 0
	}
	if !r.Success {
		return 0
	}
	next := &endedTurn{session: key, request: r}
	number := turnNumbers(r.Messages)
	fresh := at.take(r.Messages)
	if at.last == "" && len(fresh) > 0 {
		at.last = saidBefore(r.Messages[:fresh[0]])
	}
	for _, i := range fresh {
		next.messages = append(next.messages, heard{r.Messages[i], number[i]})
	}
	next.request.Messages = nil
	c.enqueue(append(at.failed, next)...)
	at.failed = nil
	next.told, _ = c.told.Peek(r.SessionKey)
	c.told.Remove(r.SessionKey)
	e.runCaptures()
	return len(next.messages)
}

// NoteReceived remembers what arrived on a channel, word for word. The history
// has the same message inside the channel's wrapping, and this tells the two
// apart even where the wrapping is of a form nobody has seen.
func (e *Engine) NoteReceived(sessionKey, text string) {
	if !e.cfg.Capture.Enabled || sessionKey == "" || len(text) > longestReceived {
		return
	}
	words := screen.Words(text)
	if words == "" {
		return
	}
	c := e.captures
	c.mu.Lock()
	defer c.mu.Unlock()
	list, _ := c.received.Get(sessionKey)
	if list = append(list, words); len(list) > maxReceived {
		list = list[1:]
	}
	c.received.Add(sessionKey, slices.Clone(list))
}

// captureTurn stores what is worth keeping of a turn. A statement stored before
// a failure is found as a duplicate when the turn is tried again.
func (e *Engine) captureTurn(t *endedTurn) error {
	for _, s := range e.worthKeeping(t) {
		ctx, cancel := context.WithTimeout(e.background, capturePatience)
		answer, err := e.Store(ctx, s)
		cancel()
		switch FaultOf(err) {
		case FaultBadParams, FaultTooLarge, FaultDenied:
			e.log.Debug("a captured statement was refused", "error", err)
			continue
		}
		if err != nil {
			if e.background.Err() == nil && e.complaints.fresh("capture", err.Error()) {
				e.log.Warn("a statement could not be captured; it is tried again with the next turn of its session, or at its end", "session", t.request.SessionKey, "error", err)
			}
			return err
		}
		e.complaints.settled("capture")
		e.log.Debug("captured", "action", answer.Action, "id", answer.Memory.ID, "session", t.request.SessionKey)
	}
	return nil
}

// worthKeeping gives the statements of a turn's messages, for Store.
func (e *Engine) worthKeeping(t *endedTurn) []StoreRequest {
	c := e.captures
	c.mu.Lock()
	last := c.conversation(t.session).last
	received, _ := c.received.Get(t.request.SessionKey)
	c.mu.Unlock()

	var out []StoreRequest
	byTurn := map[int]int{}
	for _, m := range t.messages {
		if m.Role == roleAssistant && !e.cfg.Capture.Assistant {
			continue
		}
		words := screen.Words(m.Text)
		if m.Role == roleUser {
			words = screen.Within(words, received)
		}
		for _, s := range screen.Statements(words) {
			if byTurn[m.turn] == capturesPerTurn {
				break
			}
			if s.Points {
				if s.Text = last; s.Text == "" || m.Role != roleUser {
					continue
				}
				if _, withheld := screen.Withheld(s.Text); withheld {
					continue
				}
				s.Category = screen.Category(s.Text)
			}
			if alreadyTold(s.Text, t.told) {
				continue
			}
			byTurn[m.turn]++
			out = append(out, t.store(s, m.Role))
		}
		if m.Role == roleUser && screen.Substantive(words) {
			last = firstRunes(words, longestMeant)
		}
	}
	c.mu.Lock()
	c.conversation(t.session).last = last
	c.mu.Unlock()
	return out
}

func (t *endedTurn) store(s screen.Statement, role string) StoreRequest {
	r := StoreRequest{
		Who: Agent(t.request.AgentID, t.request.SessionKey), Text: s.Text, Category: s.Category, Importance: captureImportance,
		Origin: Origin{Source: memory.SourceAutoCapture, Session: t.request.SessionKey, Assistant: role == roleAssistant},
	}
	if role == roleUser {
		r.Origin.Sender = t.request.Sender
	}
	return r
}

// saidBefore is the newest substantive message of a history.
func saidBefore(ms []Message) string {
	for i := len(ms) - 1; i >= 0; i-- {
		if ms[i].Role == roleUser {
			if words := screen.Words(ms[i].Text); screen.Substantive(words) {
				return words
			}
		}
	}
	return ""
}

// turnNumbers counts the turns of a history: each begins with a message of the
// person after something else.
func turnNumbers(ms []Message) []int {
	out := make([]int, len(ms))
	n := 0
	for i, m := range ms {
		if i > 0 && m.Role == roleUser && ms[i-1].Role != roleUser {
			n++
		}
		out[i] = n
	}
	return out
}

// sessionID names a session: the id alone, where agents share nothing.
func sessionID(r CaptureRequest) string {
	return strings.Join([]string{r.AgentID, r.SessionKey, r.SessionID}, "\x00")
}
