package engine

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// session plays the host: it keeps the history and hands all of it over after
// every turn.
type session struct {
	f       *fixture
	request CaptureRequest
	history []Message
	clock   time.Time
}

func (f *fixture) session(id string) *session {
	return &session{f: f, clock: now.Add(time.Minute), request: CaptureRequest{
		AgentID: "main", SessionKey: "agent:main:main", SessionID: id, Trigger: "user", Success: true,
	}}
}

// says ends a turn in which the person wrote the texts, and waits for the capture.
func (s *session) says(texts ...string) int {
	s.f.t.Helper()
	for _, text := range texts {
		s.clock = s.clock.Add(2 * time.Minute)
		s.history = append(s.history, Message{Role: roleUser, Text: text, At: s.clock})
	}
	s.history = append(s.history, Message{Role: roleAssistant, Text: "I prefer to say: noted.", At: s.clock.Add(time.Second)})
	return s.end()
}

func (s *session) end() int {
	s.f.t.Helper()
	r := s.request
	r.Messages = slices.Clone(s.history)
	n := s.f.Capture(r)
	s.f.settle()
	return n
}

// settle waits until the queue is empty.
func (f *fixture) settle() {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.t.Context(), 30*time.Second)
	defer cancel()
	if err := f.captures.wait(ctx, func() bool { return len(f.captures.pending) == 0 }); err != nil {
		f.t.Fatal(err)
	}
}

// stored gives the texts in the table, sorted.
func (f *fixture) stored() []string {
	f.t.Helper()
	out := []string{}
	for _, m := range f.rows() {
		out = append(out, m.Text)
	}
	slices.Sort(out)
	return out
}

func (f *fixture) rows() []memory.Memory {
	f.t.Helper()
	db, err := f.opened(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	access, _ := f.access(Operator())
	page, err := db.List(f.t.Context(), store.ListQuery{Who: access.Filter(), Limit: 1000})
	if err != nil {
		f.t.Fatal(err)
	}
	return page.Memories
}

func TestSessionsAreBounded(t *testing.T) {
	c := newCapturer(now)
	for i := range maxSessions + 100 {
		at := c.conversation(fmt.Sprint(i))
		for j := range 3 {
			at.take([]Message{{Role: roleUser, Text: fmt.Sprint(i, j), At: now.Add(time.Duration(i) * time.Second)}})
		}
	}
	if n := c.sessions.Len(); n != maxSessions {
		t.Errorf("%d sessions are held", n)
	}
	if !c.floor.Equal(now.Add(99 * time.Second)) {
		t.Errorf("floor = %s", c.floor)
	}
	var at cursor
	for i := range 3 * rememberedMessages {
		at.take([]Message{{Role: roleUser, Text: fmt.Sprint(i), At: now}})
	}
	if len(at.seen) != rememberedMessages || len(at.order) != rememberedMessages {
		t.Errorf("%d messages are held", len(at.seen))
	}
}

// B69: some hosts hand over the newest message alone, with times or without.
func TestCaptureOfTheNewestMessageAlone(t *testing.T) {
	for name, timed := range map[string]bool{"with times": true, "without times": false} {
		t.Run(name, func(t *testing.T) {
			f := start(t, nil)
			for i := range 8 {
				m := Message{Role: roleUser, Text: fmt.Sprintf("I prefer tea number %d in the morning", i)}
				if timed {
					m.At = now.Add(time.Duration(i) * time.Minute)
				}
				r := f.session("s1").request
				r.Messages = []Message{m}
				for round, want := range []int{1, 0} { // the same event twice is one turn
					if n := f.Capture(r); n != want {
						t.Errorf("message %d, time %d: %d new, want %d", i, round+1, n, want)
					}
				}
			}
			f.settle()
			if rows := f.rows(); len(rows) != 8 {
				t.Errorf("%d rows, want 8", len(rows))
			}
		})
	}
}
