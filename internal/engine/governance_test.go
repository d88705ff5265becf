package engine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// answered ends the turn of an event.
func (f *fixture) answered(session, event, answer string) {
	f.NoteAnswer(AnswerRequest{AgentID: "main", SessionKey: "agent:main:" + session, SessionID: "s-" + session, Run: "run-" + event, Success: true, Answer: answer})
}

// counted writes what is held.
func (f *fixture) counted() {
	f.t.Helper()
	db, err := f.opened(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	f.writeSomeTouches(f.t.Context(), db, 10*time.Second)
	if s := f.Touches(); s.Held != 0 {
		f.t.Fatalf("not written: %+v", s)
	}
}

const elsewhere = "As you mentioned before, I remember: the harbour market has fresh crabs, and the museum closes early on Sundays."

// D8, A3: three turns that had no use for a memory hold it back from turns for a
// while, whatever phrases they used; the tool finds it all the same; its importance
// is as it was. One use makes up for all.
func TestUnusedIsHeldBack(t *testing.T) {
	at := now
	f := start(t, nil, autoRecall, func(o *Options) { o.Now = func() time.Time { return at } })
	f.pauses()
	m := f.remember("The train to Bergen leaves from gate nine").Memory
	ask := func(n int) string {
		at = at.Add(time.Minute)
		return f.prompted(inSession(fmt.Sprint("s", n), "1", "What is there to see in Bergen near the train and its gate?"))
	}
	for n := range 3 {
		if ask(n) == "" {
			t.Fatalf("turn %d was shown nothing", n)
		}
		f.answered(fmt.Sprint("s", n), "1", elsewhere)
		f.counted()
	}
	row := f.row(m.ID)
	if row.Importance != m.Importance || row.Metadata.AccessCount != 0 || row.Text != m.Text {
		t.Errorf("the row is %+v", row)
	}
	if number(row.Metadata, keyInjected) != 3 || number(row.Metadata, keyBadRecalls) != 3 {
		t.Errorf("counted %s", row.Metadata)
	}
	if want := at.Add(30 * time.Minute); !row.Metadata.SuppressedUntil().Equal(want) {
		t.Errorf("held back until %s, want %s", row.Metadata.SuppressedUntil(), want)
	}
	if block := ask(4); block != "" {
		t.Errorf("a turn was shown\n%s", block)
	}
	if hits := f.recalled("Bergen train gate"); len(hits) != 1 {
		t.Errorf("the tool finds %q", hits)
	}
	at = at.Add(time.Hour)
	if ask(5) == "" {
		t.Error("it is still held back")
	}
	f.answered("s5", "1", "Close to gate nine there is a bakery.")
	f.counted()
	row = f.row(m.ID)
	if number(row.Metadata, keyBadRecalls) != 0 || !row.Metadata.SuppressedUntil().IsZero() || !row.Metadata.LastConfirmedUseAt.Equal(at) {
		t.Errorf("after its use: %s", row.Metadata)
	}
}

// No verdict is better than a wrong one.
func TestTurnsWithoutVerdict(t *testing.T) {
	f := start(t, nil, autoRecall)
	f.pauses()
	m := f.remember("The train to Bergen leaves from gate nine").Memory
	for name, end := range map[string]func(session string){
		"it failed": func(s string) {
			f.NoteAnswer(AnswerRequest{AgentID: "main", SessionKey: "agent:main:" + s, SessionID: "s-" + s, Run: "run-1", Answer: elsewhere})
		},
		"another turn's end":    func(s string) { f.answered(s, "of a heartbeat", elsewhere) },
		"another session's end": func(string) { f.answered("other", "1", elsewhere) },
		"a word":                func(s string) { f.answered(s, "1", "Done.") },
		"it never ended":        func(string) {},
	} {
		session := strings.ReplaceAll(name, " ", "-")
		if f.prompted(inSession(session, "1", "Is Bergen worth the train, and how far is its gate?")) == "" {
			t.Fatalf("%s: shown nothing", name)
		}
		end(session)
	}
	f.counted()
	if d := f.row(m.ID).Metadata; number(d, keyInjected) != 5 || number(d, keyBadRecalls) != 0 || !d.LastConfirmedUseAt.Equal(m.Metadata.LastConfirmedUseAt) {
		t.Errorf("counted %s", d)
	}
	// One end is one verdict, however often the host says it.
	f.prompted(inSession("twice", "1", "Is Bergen worth the train, and how far is its gate?"))
	for range 3 {
		f.answered("twice", "1", elsewhere)
	}
	f.counted()
	if d := f.row(m.ID).Metadata; number(d, keyBadRecalls) != 1 {
		t.Errorf("counted %s", d)
	}
}

// D9: tiers move in everyday use, when recalls on purpose are counted; injections
// alone move none.
func TestTiersMove(t *testing.T) {
	at := now
	f := start(t, nil, autoRecall, func(o *Options) { o.Now = func() time.Time { return at } })
	f.pauses()
	a, err := f.Store(t.Context(), StoreRequest{Who: main, Text: "The train to Bergen leaves from gate nine", Importance: 0.95})
	if err != nil {
		t.Fatal(err)
	}
	old := made("The boiler is serviced in October", memory.Cases, now.AddDate(0, -3, 0), func(m *memory.Memory) { m.Scope = a.Memory.Scope })
	summary := made("A talk about the boiler", memory.Cases, now.AddDate(0, -3, 0), func(m *memory.Memory) {
		m.Scope, m.Metadata.Source = a.Memory.Scope, memory.SourceSessionSummary
	})
	f.puts(old, summary)
	for n := range 20 {
		f.prompted(inSession(fmt.Sprint("s", n), "1", bergen))
	}
	f.counted()
	if d := f.row(a.Memory.ID).Metadata; d.Tier != "working" || number(d, keyTierUpdated) != 0 {
		t.Errorf("injections moved it: %s", d)
	}
	for range 12 {
		at = at.Add(time.Hour)
		f.asks("Bergen train gate")
	}
	f.counted()
	if d := f.row(old.ID).Metadata; d.Tier != "peripheral" {
		t.Errorf("what nobody recalled for three months: %s", d)
	}
	if d := f.row(summary.ID).Metadata; d.Tier != "working" {
		t.Errorf("the summary of a session moved: %s", d)
	}
	if d := f.row(a.Memory.ID).Metadata; d.Tier != "core" || number(d, keyTierUpdated) != at.UnixMilli() {
		t.Errorf("after twelve recalls: %s", d)
	}
}

// An erasure takes along what sessions were shown.
func TestErasureForgetsWhatWasShown(t *testing.T) {
	f := start(t, nil, autoRecall)
	f.pauses()
	f.remember("The train to Bergen leaves from gate nine")
	first := f.prompted(inSession("a", "1", bergen))
	if n := f.chats.erase(); n != 1 || first == "" {
		t.Errorf("%d sessions held a text", n)
	}
	f.answered("a", "1", elsewhere) // has nothing left to judge
	f.counted()
}
