package engine

import (
	"fmt"
	"testing"
)

// B112: however many sessions come, a bounded number of them is remembered, and
// of one that has ended nothing but where its history stopped.
func TestEndedSessionsAreForgotten(t *testing.T) {
	f := start(t, nil)
	for i := range maxSessions + 300 {
		key := fmt.Sprintf("agent:main:session-%d", i)
		f.NoteReceived(key, "The parcel came today")
		f.noteTold(Agent("main", key), "The parcel came")
		f.Capture(CaptureRequest{AgentID: "main", SessionKey: key, SessionID: key, Trigger: "user", Success: true,
			Messages: []Message{{Role: roleUser, Text: "The parcel came today", At: now}}})
		if err := f.EndSession(t.Context(), SessionEnd{AgentID: "main", SessionKey: key, SessionID: key, Reason: "new"}); err != nil {
			t.Fatal(err)
		}
	}
	c := f.captures
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.sessions.Len(); n > maxSessions {
		t.Errorf("%d sessions are remembered, at most %d should be", n, maxSessions)
	}
	if c.received.Len() > 0 || c.told.Len() > 0 || len(c.queue) > 0 || len(c.pending) > 0 {
		t.Errorf("left of ended sessions: %d received, %d told, %d queued, %d pending", c.received.Len(), c.told.Len(), len(c.queue), len(c.pending))
	}
	for _, at := range c.sessions.Values() {
		if len(at.seen) > 0 || len(at.order) > 0 || at.last != "" || len(at.failed) > 0 {
			t.Fatalf("an ended session still holds %d messages and %q", len(at.seen), at.last)
		}
	}
}
