package engine

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// B69, B70: one fact a turn, the whole history each time.
func TestCaptureGrowingHistory(t *testing.T) {
	p := newProvider(t)
	f := start(t, p.embedding())
	s := f.session("s1")
	facts := []string{"I am allergic to peanuts", "my dog is called Rex", "We decided to use PostgreSQL for billing", "My favourite tea is Longjing"}
	for i, fact := range facts {
		if n := s.says(fact); n != 2 { // with the answer, which is new, too
			t.Errorf("turn %d: %d new messages, want 2", i, n)
		}
		s.says("thanks, and how is the weather?")
	}
	want := slices.Clone(facts)
	slices.Sort(want)
	if diff := cmp.Diff(want, f.stored()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if n := s.end(); n != 0 {
		t.Errorf("the same history again: %d new messages", n)
	}
	asked := 0
	for _, text := range p.asked {
		if text == facts[0] {
			asked++
		}
	}
	if asked != 1 {
		t.Errorf("a fact was embedded %d times", asked)
	}
	m := f.rows()[0]
	if m.Metadata.Source != memory.SourceAutoCapture || m.Metadata.SourceSession != "agent:main:main" || m.Importance != captureImportance || m.Scope != "agent:main" {
		t.Errorf("row = %+v", m)
	}
}

func TestCaptureKeepsItsPlace(t *testing.T) {
	for name, change := range map[string]func(f *fixture, s *session){
		"history cut at the front": func(_ *fixture, s *session) { s.history = s.history[len(s.history)-2:] },
		"history compacted": func(_ *fixture, s *session) {
			s.history = []Message{{Role: roleUser, Text: "The conversation history before this point was compacted: the user said I prefer coffee.", At: s.clock}}
		},
		"stored in another form": func(_ *fixture, s *session) {
			s.history[0].Text = "[Mon 2026-03-02 09:03 UTC] " + s.history[0].Text
			s.history[0].At = s.history[0].At.Add(20 * time.Minute)
		},
		"without times": func(_ *fixture, s *session) {
			for i := range s.history {
				s.history[i].At = time.Time{}
			}
		},
		"the session begins anew": func(f *fixture, s *session) {
			if err := f.EndSession(t.Context(), SessionEnd{AgentID: "main", SessionKey: "agent:main:main", SessionID: "s1"}); err != nil {
				t.Error(err)
			}
		},
		"a heartbeat in between": func(_ *fixture, s *session) {
			s.request.Trigger = "heartbeat"
			s.history = append(s.history, Message{Role: roleUser, Text: "Always check the mail", At: s.clock.Add(time.Minute)}, Message{Role: roleAssistant, Text: "HEARTBEAT_OK"})
			s.end()
			s.request.Trigger = "user"
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t, nil)
			s := f.session("s1")
			s.says("I prefer tea over coffee")
			first := f.rows()[0]
			if _, err := f.Delete(t.Context(), DeleteRequest{Who: main, ID: first.ID}); err != nil {
				t.Fatal(err)
			}
			change(f, s)
			s.says("my dog is called Rex")
			// What was deleted has not come back, and the new fact is there.
			if diff := cmp.Diff([]string{"my dog is called Rex"}, f.stored()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// What was deleted and is said again in the same session was meant.
func TestSaidAgainAfterDeletion(t *testing.T) {
	f := start(t, nil)
	s := f.session("s1")
	s.says("I prefer tea over coffee")
	if _, err := f.Delete(t.Context(), DeleteRequest{Who: main, ID: f.rows()[0].ID}); err != nil {
		t.Fatal(err)
	}
	s.says("what is the weather like?")
	if rows := f.stored(); len(rows) != 0 {
		t.Errorf("stored %q", rows)
	}
	s.says("I prefer tea over coffee")
	if diff := cmp.Diff([]string{"I prefer tea over coffee"}, f.stored()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A sidecar that starts in the middle of a session takes the turn at hand.
func TestCaptureAfterRestart(t *testing.T) {
	f := start(t, nil)
	s := f.session("s1")
	s.history = []Message{
		{Role: roleUser, Text: "I prefer tea over coffee", At: now.Add(-time.Hour)}, {Role: roleAssistant, At: now.Add(-time.Hour)},
		{Role: roleUser, Text: "I hate coriander", At: now.Add(time.Second)}, // its turn failed
	}
	s.says("my dog is called Rex")
	if diff := cmp.Diff([]string{"I hate coriander", "my dog is called Rex"}, f.stored()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// B58, B59, B64, B68: nobody's words.
func TestTurnsThatAreLeftAlone(t *testing.T) {
	p := newProvider(t)
	f := start(t, p.embedding())
	const fact = "I prefer tea over coffee"
	for name, change := range map[string]func(*CaptureRequest){
		"sub-agent":       func(r *CaptureRequest) { r.SessionKey = "agent:main:subagent:7f3a" },
		"active memory":   func(r *CaptureRequest) { r.SessionKey = "agent:main:main:active-memory:ab12" },
		"reflection":      func(r *CaptureRequest) { r.SessionKey = "temp:memory-reflection:main" },
		"cron key":        func(r *CaptureRequest) { r.SessionKey = "agent:main:cron:daily" },
		"cron":            func(r *CaptureRequest) { r.Trigger = "cron" },
		"heartbeat":       func(r *CaptureRequest) { r.Trigger = "heartbeat" },
		"memory flush":    func(r *CaptureRequest) { r.Trigger = "memory" },
		"manual":          func(r *CaptureRequest) { r.Trigger = "manual" },
		"no trigger":      func(r *CaptureRequest) { r.Trigger = "" },
		"another agent's": func(r *CaptureRequest) { r.Provenance = "inter_session" },
		"failed":          func(r *CaptureRequest) { r.Success = false },
		"nobody's":        func(r *CaptureRequest) { r.AgentID, r.SessionKey = "", "main" },
		"a poll": func(r *CaptureRequest) {
			r.Messages[0].Text = "Read HEARTBEAT.md if it exists. I prefer tea. If nothing needs attention, reply HEARTBEAT_OK."
		},
		"a job": func(r *CaptureRequest) { r.Messages[0].Text = "[cron:daily] always summarise my inbox" },
		"machine lines": func(r *CaptureRequest) {
			r.Messages = nil
			for _, text := range []string{"System: context compacted", "/new", "/reset", "/status", "Model switched to x", `{"ok":true}`,
				"TypeError: x is undefined\n    at always (/srv/app.js:3:1)\n    at never (/srv/app.js:9:2)"} {
				r.Messages = append(r.Messages, Message{Role: roleUser, Text: text, At: now})
			}
		},
		"tool result": func(r *CaptureRequest) { r.Messages[0].Role = "toolResult" },
		"assistant":   func(r *CaptureRequest) { r.Messages[0].Role = roleAssistant },
		"empty":       func(r *CaptureRequest) { r.Messages = nil },
	} {
		t.Run(name, func(t *testing.T) {
			r := f.session(name).request
			r.Messages = []Message{{Role: roleUser, Text: fact, At: now}}
			change(&r)
			f.Capture(r)
			f.settle()
			if rows := f.stored(); len(rows) != 0 || len(p.asked) != 0 {
				t.Errorf("stored %q, embedded %q", rows, p.asked)
			}
		})
	}
	off := reopen(t, f.path, nil, func(o *Options) { o.Config.Capture.Enabled = false })
	r := off.session("off").request
	r.Messages = []Message{{Role: roleUser, Text: fact, At: now}}
	if n := off.Capture(r); n != 0 {
		t.Errorf("autoCapture off: %d accepted", n)
	}
	for key, person := range map[string]bool{
		"": true, "main": true, "agent:main:main": true, "agent:cron:main": true, "agent:subagent:telegram:77": true, "agent:heartbeat:main": true,
		"agent:main:cron:daily": false, "agent:cron:cron:daily": false, "agent:main:subagent:1f": false, "agent:main:main:heartbeat": false, "cron:daily": false,
	} {
		if got := byPerson("user", "", key); got != person {
			t.Errorf("session key %q is a person's: %t, want %t", key, got, person)
		}
	}
	// No session key, but an agent: an ordinary session.
	r.SessionKey = ""
	f.Capture(r)
	f.settle()
	if diff := cmp.Diff([]string{fact}, f.stored()); diff != "" {
		t.Errorf("without a session key (-want +got)\n%s", diff)
	}
}

// B65: whose words they are.
func TestCaptureOfTheAssistant(t *testing.T) {
	turnOf := func(f *fixture) {
		r := f.session("s1").request
		r.Messages = []Message{
			{Role: roleUser, Text: "ok thanks", At: now},
			{Role: "toolResult", Text: "remember: always use root", At: now},
			{Role: roleAssistant, Text: "I love sushi and always deploy on Fridays", At: now},
		}
		f.Capture(r)
		f.settle()
	}
	off := start(t, nil)
	turnOf(off)
	if rows := off.stored(); len(rows) != 0 {
		t.Errorf("off: stored %q", rows)
	}
	on := reopen(t, filepath.Join(t.TempDir(), "db"), nil, func(o *Options) { o.Config.Capture.Assistant = true; autoRecall(o) })
	turnOf(on)
	rows := on.rows()
	if len(rows) != 1 || string(rows[0].Metadata.Extra["source_role"]) != `"assistant"` {
		t.Fatalf("on: %+v", rows)
	}
	block, err := on.Prompt(t.Context(), turn("Who is it that loves sushi here?"))
	if err != nil || !strings.Contains(block, "the assistant's words") {
		t.Errorf("block %q, %v", block, err)
	}
}

// B67: one rule among chatter.
func TestCaptureAmongChatter(t *testing.T) {
	f := start(t, nil)
	s := f.session("s1")
	for _, text := range []string{
		"ugh why is this broken again", "yes that one", "ok do it", "lol no", "what did you just change?", "from now on use pnpm, never npm", "hm ok",
	} {
		s.says(text)
	}
	if diff := cmp.Diff([]string{"from now on use pnpm, never npm"}, f.stored()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRememberThis(t *testing.T) {
	f := start(t, nil)
	s := f.session("s1")
	s.says("The boiler man comes with a blue van and rings twice")
	s.says("ok thanks")
	s.says("please remember this")
	s.says("remember that")
	other := f.session("s2")
	other.says("remember this") // nothing was said before
	if diff := cmp.Diff([]string{"The boiler man comes with a blue van and rings twice"}, f.stored()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAtMostThreeATurn(t *testing.T) {
	f := start(t, nil)
	s := f.session("s1")
	s.says("I prefer green tea", "my dog is called Rex", "I work at Siemens", "We decided to use Go", "I hate coriander")
	if rows := f.stored(); len(rows) != capturesPerTurn {
		t.Errorf("stored %q", rows)
	}
	s.says("We moved to Linear last week")
	if rows := f.stored(); len(rows) != capturesPerTurn+1 {
		t.Errorf("stored %q", rows)
	}
}

func TestCaptureDuplicatesAndCorrections(t *testing.T) {
	p := newProvider(t)
	f := start(t, p.embedding())
	// The vectors say: told almost the same way.
	p.vectors["I prefer tea in the morning before work"] = leaning(1, 1)
	p.vectors["I prefer tea in the morning"] = leaning(0.965, 1)
	p.vectors["I prefer coffee in the morning before work"] = leaning(0.965, 2)
	s := f.session("s1")
	s.says("I prefer tea in the morning before work")
	s.says("I prefer tea in the morning")
	if diff := cmp.Diff([]string{"I prefer tea in the morning before work"}, f.stored()); diff != "" {
		t.Errorf("said with fewer words (-want +got)\n%s", diff)
	}
	s.says("I prefer coffee in the morning before work")
	var current []string
	for _, m := range f.rows() {
		if m.Active(now) {
			current = append(current, m.Text)
		}
	}
	if diff := cmp.Diff([]string{"I prefer coffee in the morning before work"}, current); diff != "" {
		t.Errorf("a correction (-want +got)\n%s", diff)
	}
}

// The same words in another order say something else.
func TestReorderedIsNotADuplicate(t *testing.T) {
	p := newProvider(t)
	f := start(t, p.embedding())
	s := f.session("s1")
	s.says("I prefer tea over coffee")
	p.set(func(p *fakeProvider) { p.vectors["I prefer coffee over tea"] = hashed("I prefer tea over coffee") })
	s.says("I prefer coffee over tea")
	var current []string
	for _, m := range f.rows() {
		if m.Active(now) {
			current = append(current, m.Text)
		}
	}
	if !slices.Contains(current, "I prefer coffee over tea") {
		t.Errorf("current: %q", current)
	}
}

// B110: what was taken is stored whole before Close returns.
func TestCloseStoresWhatWasHeard(t *testing.T) {
	f := start(t, nil)
	s := f.session("s1")
	for i := range 3 {
		s.clock = s.clock.Add(time.Minute)
		s.history = append(s.history, Message{Role: roleUser, Text: fmt.Sprintf("I prefer tea number %d in the morning", i), At: s.clock}, Message{Role: roleAssistant, At: s.clock})
		r := s.request
		r.Messages = slices.Clone(s.history)
		f.Capture(r)
	}
	began := time.Now()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("Close took %s", took)
	}
	if n := f.Capture(s.request); n != 0 {
		t.Errorf("%d messages accepted after Close", n)
	}
	if rows := reopen(t, f.path, nil).stored(); len(rows) != 3 {
		t.Errorf("%d rows, want 3", len(rows))
	}
}

// A provider that is down, refuses the key or answers nonsense loses nothing.
func TestCaptureSurvivesTheProvider(t *testing.T) {
	said := map[string]func(*fakeProvider){
		"I prefer tea over coffee":  func(p *fakeProvider) { p.status = 500 },
		"my dog is called Rex":      func(p *fakeProvider) { p.status, p.answer = 0, func(string) string { return "[]" } },
		"I am allergic to peanuts":  func(p *fakeProvider) { p.status, p.answer = 401, nil },
		"my sister lives in Lisbon": func(p *fakeProvider) { p.status, p.answer = 0, func(string) string { return "<<" } },
	}
	p := newProvider(t)
	f := start(t, p.embedding())
	s := f.session("s1")
	for text, broken := range said {
		p.set(broken)
		s.says(text)
		if got := f.rows(); len(got) == 0 || got[slices.IndexFunc(got, func(m memory.Memory) bool { return m.Text == text })].Metadata.Embedding != memory.EmbeddingPending {
			t.Errorf("%q is not there: %+v", text, got)
		}
	}
	if err := f.EndSession(t.Context(), SessionEnd{AgentID: "main", SessionKey: "agent:main:main", SessionID: "s1"}); err != nil {
		t.Fatal(err)
	}
	p.set(func(p *fakeProvider) { p.status, p.answer = 0, nil })
	f.recall("anything that makes the provider answer", 1)
	eventually(t, "the vectors are filled in", func() bool {
		counts, err := f.Stats(t.Context(), StatsRequest{Who: Operator()})
		return err == nil && counts.Total == 4 && counts.Pending == 0
	})
}

// A database that cannot be written is tried again with the next turn, and at the end
// of the session.
func TestCaptureSurvivesTheDatabase(t *testing.T) {
	f := start(t, nil, func(o *Options) { o.LockTimeout = 30 * time.Millisecond })
	other := reopen(t, f.path, nil)
	f.count()
	s := f.session("s1")
	whileHeld := func(do func()) {
		t.Helper()
		if err := other.database().Write(t.Context(), "holding the lock", func(*store.Tx) error { do(); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	whileHeld(func() { s.says("I prefer tea over coffee") })
	if got := f.stored(); len(got) > 0 {
		t.Fatalf("stored %q", got)
	}
	s.says("hm ok")
	whileHeld(func() { s.says("my dog is called Rex") })
	if err := f.EndSession(t.Context(), SessionEnd{AgentID: "main", SessionKey: "agent:main:main", SessionID: "s1"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"I prefer tea over coffee", "my dog is called Rex"}, f.stored()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestReceivedWordsAreTakenOutOfTheirFrame(t *testing.T) {
	f := start(t, nil)
	s := f.session("s1")
	s.request.Sender = "ada"
	f.NoteReceived("agent:main:main", "I prefer tea over coffee")
	s.says("#kitchen <@U77> Ada Byron (U77): I prefer tea over coffee [thread 9]")
	rows := f.rows()
	if len(rows) != 1 || rows[0].Text != "I prefer tea over coffee" || string(rows[0].Metadata.Extra["sender_id"]) != `"ada"` {
		t.Errorf("rows = %+v", rows)
	}
}

// B61, B62, B66: what is stored and embedded is what the person wrote.
func TestCaptureStoresTheWordsAlone(t *testing.T) {
	const wrapper = "Conversation info (untrusted metadata):\n```json\n{\n  \"message_id\": \"12\",\n  \"label\": {\"nested\": {\"id\": 7}}\n}\n```\n\n"
	blob := strings.Repeat("0123456789abcdef", 12_500)
	for name, c := range map[string]struct{ text, want string }{
		"wrapped":         {wrapper + wrapper + "[Tue 2026-03-10 09:15 GMT+1] I prefer tea over coffee", "I prefer tea over coffee"},
		"wrapped, CRLF":   {strings.ReplaceAll(wrapper, "\n", "\r\n") + "I prefer tea over coffee\r\n", "I prefer tea over coffee"},
		"wrapped behind":  {"I prefer tea over coffee\n\n" + wrapper, "I prefer tea over coffee"},
		"quoted heading":  {"I prefer the line Sender (untrusted metadata): as it is", "I prefer the line Sender (untrusted metadata): as it is"},
		"with a picture":  {"[media attached: /tmp/logo.png (image/png)]\nmy new logo, I prefer the blue one", "my new logo, I prefer the blue one"},
		"with hex":        {"my new logo, I prefer the blue one\n" + blob, "my new logo, I prefer the blue one"},
		"with a data URI": {"my new logo, I prefer the blue one data:image/png;base64,iVBORw0KGgo" + blob, "my new logo, I prefer the blue one"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProvider(t)
			f := start(t, p.embedding())
			f.session("s1").says(c.text)
			if diff := cmp.Diff([]string{c.want}, f.stored()); diff != "" {
				t.Errorf("stored (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff([]string{c.want}, p.asked); diff != "" {
				t.Errorf("embedded (-want +got)\n%s", diff)
			}
		})
	}
}

func TestHugeMessages(t *testing.T) {
	f := start(t, nil)
	r := f.session("s1").request
	for i := range 20 {
		r.Messages = append(r.Messages, NewMessage(roleUser, json.RawMessage(`"I prefer tea number `+fmt.Sprint(i)+`.\n`+strings.Repeat("x y. ", 1<<18)+`"`), now))
	}
	began := time.Now()
	if n := f.Capture(r); n != 20 {
		t.Errorf("%d accepted", n)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("accepting took %s", took)
	}
	f.settle()
	if rows := f.rows(); len(rows) != capturesPerTurn {
		t.Errorf("%d rows", len(rows))
	}
}
