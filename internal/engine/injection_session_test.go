package engine

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

const bergen = "Which gate does my train to Bergen leave from?"

// inSession is a turn of a session, with the name of its message.
func inSession(session, event, prompt string) PromptRequest {
	return PromptRequest{AgentID: "main", SessionKey: "agent:main:" + session, SessionID: "s-" + session, Event: event, Run: "run-" + event, Prompt: prompt, Trigger: "user"}
}

func (f *fixture) prompted(r PromptRequest) string {
	f.t.Helper()
	block, err := f.Prompt(f.t.Context(), r)
	if err != nil {
		f.t.Fatal(err)
	}
	return block
}

// B1: two chats on one channel. What a stranger writes in the other one is never
// searched for, whenever it arrives, and his memories' answers are not shown here.
func TestTwoChatsOnOneChannel(t *testing.T) {
	p := newProvider(t)
	f := start(t, p.embedding(), autoRecall)
	f.pauses()
	f.remember("My favourite tea is oolong from the shop in the arcade")
	f.remember("The neighbour drives a green estate car with a roof box")
	p.set(func(p *fakeProvider) { p.asked = nil })
	const mine, theirs = "Which tea do I prefer in the afternoon?", "Which car does the neighbour drive?"
	f.NoteReceived("agent:main:chat-b", theirs)
	f.NoteReceived("agent:main:chat-a", "an older message of this chat about cars")
	block := f.prompted(inSession("chat-a", "m1", mine))
	f.NoteReceived("agent:main:chat-b", theirs)
	other := f.prompted(inSession("chat-b", "m2", theirs))
	if !strings.Contains(block, "oolong") || strings.Contains(block, "estate car") || !strings.Contains(other, "estate car") {
		t.Errorf("chat A:\n%s\nchat B:\n%s", block, other)
	}
	if want := []string{mine, theirs}; !slices.Equal(p.asked, want) {
		t.Errorf("embedded %q, want %q", p.asked, want)
	}
}

// B3, B75, B76: an event answered twice gets the same bytes and is one turn; the
// same question as a new message gets its memories again; another question does
// not get what was shown lately.
func TestRepetitionGoesByEvent(t *testing.T) {
	f := start(t, nil, autoRecall)
	f.pauses()
	f.remember("The train to Bergen leaves from gate nine")
	first := f.prompted(inSession("a", "m1", bergen))
	if !strings.Contains(first, "gate nine") {
		t.Fatalf("nothing was shown: %q", first)
	}
	if again := f.prompted(inSession("a", "m1", bergen)); again != first {
		t.Errorf("the same event got\n%s\nand then\n%s", first, again)
	}
	if again := f.prompted(inSession("a", "m2", "which gate does my train to Bergen leave from")); again != first {
		t.Errorf("asked again, the question got\n%s", again)
	}
	if other := f.prompted(inSession("a", "m3", "Is the gate of the Bergen train painted?")); other != "" {
		t.Errorf("another question was shown the same:\n%s", other)
	}
	if other := f.prompted(inSession("b", "m4", "Is the gate of the Bergen train painted?")); !strings.Contains(other, "gate nine") {
		t.Errorf("another session was shown\n%s", other)
	}
	if at, _ := f.chats.all.Peek(sessionID(CaptureRequest{AgentID: "main", SessionKey: "agent:main:a", SessionID: "s-a"})); at.turn != 3 {
		t.Errorf("the session is in turn %d, want 3", at.turn)
	}
	// Without names of events each call is a turn.
	for range 2 {
		if again := f.prompted(inSession("a", "", bergen)); again != first {
			t.Errorf("without an event the question got\n%s", again)
		}
	}
}

// B4: the number of turns is what the setting says, and 0 is off.
func TestMinRepeated(t *testing.T) {
	for n, want := range map[int]string{0: "xxxxxxxx", 1: "xxxxxxxx", 2: "x-x-x-x-", 3: "x--x--x-", 8: "x-------", 100: "x-------"} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			f := start(t, nil, autoRecall, func(o *Options) { o.Config.AutoRecall.MinRepeated = n })
			f.pauses()
			f.remember("The train to Bergen leaves from gate nine")
			got := ""
			for i := range 8 {
				mark := "-"
				if f.prompted(inSession("a", fmt.Sprint(i), fmt.Sprintf("Bergen train gate, question %d?", i))) != "" {
					mark = "x"
				}
				got += mark
			}
			if got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

// What a person asked counts as a turn, also where it needs no memory; what the
// host asked does not.
func TestTurnsAreThoseOfAPerson(t *testing.T) {
	f := start(t, nil, autoRecall, func(o *Options) { o.Config.AutoRecall.MinRepeated = 3 })
	f.pauses()
	f.remember("The train to Bergen leaves from gate nine")
	f.prompted(inSession("a", "1", bergen))
	for i := range 5 {
		poll := inSession("a", fmt.Sprint("poll", i), "Read HEARTBEAT.md")
		poll.Trigger = "heartbeat"
		f.prompted(poll)
	}
	f.prompted(inSession("a", "2", "thanks"))
	if block := f.prompted(inSession("a", "3", "Is the Bergen gate far?")); block != "" {
		t.Errorf("the third turn was shown\n%s", block)
	}
	if block := f.prompted(inSession("a", "4", "Is the gate of Bergen cold?")); block == "" {
		t.Error("the fourth turn was shown nothing")
	}
}

// A session is forgotten when it ends, also under the same id; a compaction
// forgets what was shown, for the model no longer sees it. What is held is bounded.
func TestSessionsAreForgotten(t *testing.T) {
	f := start(t, nil, autoRecall)
	f.pauses()
	f.remember("The train to Bergen leaves from gate nine")
	for _, reason := range []string{"new", "reset", "compaction", "idle"} {
		f.prompted(inSession("a", "1"+reason, bergen))
		if block := f.prompted(inSession("a", "2"+reason, "Is the gate of Bergen cold?")); block != "" {
			t.Errorf("%s: shown again too early\n%s", reason, block)
		}
		if err := f.EndSession(t.Context(), SessionEnd{AgentID: "main", SessionKey: "agent:main:a", SessionID: "s-a", Reason: reason}); err != nil {
			t.Fatal(err)
		}
		if block := f.prompted(inSession("a", "3"+reason, "Is the gate of Bergen warm?")); block == "" {
			t.Errorf("%s: what was shown before is held against it", reason)
		}
		if err := f.EndSession(t.Context(), SessionEnd{AgentID: "main", SessionKey: "agent:main:a", SessionID: "s-a", Reason: "new"}); err != nil {
			t.Fatal(err)
		}
	}
	if n := f.chats.all.Len(); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
	for i := range maxSessions + 50 {
		f.chats.begin(inSession(fmt.Sprint(i), "1", bergen), bergen, 8, false)
	}
	if n := f.chats.all.Len(); n != maxSessions {
		t.Errorf("%d sessions are held", n)
	}
	for i := range 500 {
		ts, _, _ := f.chats.begin(inSession("long", fmt.Sprint(i), fmt.Sprint("question ", i)), fmt.Sprint("question ", i), 8, false)
		var x Injection
		for j := range 20 {
			x.Taken = append(x.Taken, made(fmt.Sprint(i, j), "cases", now))
		}
		f.chats.finish(ts, "question", x)
	}
	at, _ := f.chats.all.Peek(sessionID(CaptureRequest{AgentID: "main", SessionKey: "agent:main:long", SessionID: "s-long"}))
	if len(at.shown) > 8*20 || len(at.asked) > 8 {
		t.Errorf("%d memories and %d questions of a session are held", len(at.shown), len(at.asked))
	}
}

// A rehearsal answers as the turn would, and leaves no trace.
func TestRehearsal(t *testing.T) {
	f := start(t, nil, autoRecall)
	f.pauses()
	f.remember("The train to Bergen leaves from gate nine")
	for range 3 {
		i, err := f.injection(t.Context(), inSession("a", "1", "Is the gate of Bergen cold?"), true)
		if err != nil || len(i.Taken) != 1 {
			t.Fatalf("%+v, %v", i, err)
		}
	}
	if f.chats.all.Len() != 0 || f.Touches().Held != 0 {
		t.Error("a rehearsal was noted")
	}
	f.prompted(inSession("a", "1", bergen))
	i, err := f.injection(t.Context(), inSession("a", "2", "Is the gate of Bergen cold?"), true)
	if err != nil || len(i.Taken) != 0 || len(i.Left) != 1 {
		t.Errorf("%+v, %v", i, err)
	}
	for _, reason := range i.Left {
		if reason != LeftRepeated {
			t.Errorf("left because %q", reason)
		}
	}
	greeting, err := f.injection(t.Context(), inSession("a", "3", "hello"), true)
	if err != nil || greeting.Skipped != SkippedNeedsNone {
		t.Errorf("%+v, %v", greeting, err)
	}
}

// B76: the bytes depend on what is recalled alone: not on the clock, on earlier
// recalls, or on the order in which rows with one score were written; and there is
// none where nothing is relevant or fits.
func TestBlockIsStable(t *testing.T) {
	at := now
	f := start(t, nil, autoRecall, func(o *Options) { o.Now = func() time.Time { return at } })
	f.pauses()
	twins := []memory.Memory{
		made("The Bergen train leaves from gate nine", memory.Cases, now), made("The Bergen train leaves from gate five", memory.Cases, now), made("The Bergen train leaves from gate four", memory.Cases, now),
	}
	f.puts(twins...)
	first := f.prompted(inSession("a", "1", bergen))
	if strings.Count(first, "\n- ") != 3 {
		t.Fatalf("want three lines:\n%s", first)
	}
	for i := range 3 {
		at = at.Add(time.Minute)
		f.asks("Bergen train gate")
		if again := f.prompted(inSession(fmt.Sprint("b", i), "1", bergen)); again != first {
			t.Errorf("the block changed from\n%s\nto\n%s", first, again)
		}
	}
	slices.Reverse(twins)
	g := reopen(t, filepath.Join(t.TempDir(), "db"), nil, autoRecall)
	g.pauses()
	g.puts(twins...)
	if other := g.prompted(inSession("a", "1", bergen)); other != first {
		t.Errorf("written in another order:\n%s\nwas\n%s", other, first)
	}
	if none := f.prompted(inSession("c", "1", "How many moons does Jupiter have?")); none != "" {
		t.Errorf("nothing is relevant, and it says\n%s", none)
	}
	f.cfg.AutoRecall.MaxChars = 20
	if none := f.prompted(inSession("d", "1", bergen)); none != "" {
		t.Errorf("nothing fits, and it says\n%s", none)
	}
}
