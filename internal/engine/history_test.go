package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// told sums up records: number, who, what, and the fields that changed.
func told(records []Record) []string {
	out := []string{}
	for _, r := range records {
		line := fmt.Sprintf("%d %s %s: %s", r.Seq, r.Actor, r.Agent, r.Operation)
		for _, c := range r.Changes {
			var names []string
			for _, f := range c.Fields {
				names = append(names, f.Name)
			}
			switch {
			case c.Erased:
				line += ", erased"
			case c.Before == nil:
				line += ", created"
			case c.After == nil:
				line += ", deleted"
			default:
				line += ", " + strings.Join(names, " ")
			}
		}
		out = append(out, strings.ReplaceAll(line, " :", ":"))
	}
	return out
}

func (f *fixture) log(r LogRequest) []Record {
	f.t.Helper()
	if r.Who == (Who{}) {
		r.Who = Operator()
	}
	a, err := f.Log(f.t.Context(), r)
	if err != nil {
		f.t.Fatal(err)
	}
	if len(a.Unreadable) > 0 {
		f.t.Fatal(a.Unreadable)
	}
	return a.Records
}

func (f *fixture) history(who Who, id string) HistoryAnswer {
	f.t.Helper()
	a, err := f.History(f.t.Context(), HistoryRequest{Who: who, ID: id})
	if err != nil {
		f.t.Fatal(err)
	}
	return a
}

// Every way into the table leaves its name in the record: the tools with agent
// and session, the operator, the capture after a turn, the program itself. What
// changes nothing leaves nothing.
func TestEveryChangeSaysWhoMadeIt(t *testing.T) {
	server := newProvider(t)
	f := start(t, server.embedding())
	agent := Agent("main", "agent:main:chat")
	ctx := t.Context()

	server.set(func(p *fakeProvider) { p.status = 503 })
	made, err := f.Store(ctx, StoreRequest{Who: agent, Text: "Seat on trains: window", Category: "preferences"})
	if err != nil {
		t.Fatal(err)
	}
	server.set(func(p *fakeProvider) { p.status = 0 })
	f.fillSoon()
	eventually(t, "the vector is filled in", func() bool { return f.row(made.Memory.ID).Metadata.Embedding == "" })
	changed, err := f.Update(ctx, UpdateRequest{Who: agent, ID: made.Memory.ID, Text: "Seat on trains: aisle"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Update(ctx, UpdateRequest{Who: Operator(), ID: changed.Memory.ID, Importance: new(0.9)}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Update(ctx, UpdateRequest{Who: Operator(), ID: changed.Memory.ID, Importance: new(0.9)}); err != nil {
		t.Fatal(err)
	}
	f.Capture(CaptureRequest{
		AgentID: "main", SessionKey: "agent:main:chat", SessionID: "s1", Trigger: "user", Success: true,
		Messages: []Message{{Role: roleUser, Text: "Remember that my dentist is Dr. Okafor in Elm Street", At: now.Add(time.Second)}},
	})
	eventually(t, "the turn is captured", func() bool { return f.count() == 3 })
	if _, err := f.Forget(ctx, ForgetRequest{Who: agent, ID: changed.Memory.ID}); err != nil {
		t.Fatal(err)
	}
	f.asks("seat on trains")

	records := f.log(LogRequest{})
	slices.Reverse(records)
	want := []string{
		"1 tool main: storing a memory, created",
		"2 maintenance: filling in vectors, embedding",
		"3 tool main: updating a memory, invalidated_at relations superseded_by, created",
		"4 cli: updating a memory, importance confidence",
		"5 capture main: storing a memory, created",
		"6 tool main: forgetting a memory, deleted",
	}
	if diff := cmp.Diff(want, told(records)); diff != "" {
		t.Errorf("the record (-want +got)\n%s", diff)
	}
	for _, i := range []int{0, 2, 4, 5} {
		if records[i].Session != "agent:main:chat" {
			t.Errorf("change %d is of session %q", i+1, records[i].Session)
		}
	}
}

// B48: a memory's history has its other versions, whichever is named, also when
// they are gone.
func TestHistoryFollowsVersions(t *testing.T) {
	f := start(t, nil)
	ctx := t.Context()
	first, err := f.Store(ctx, StoreRequest{Who: main, Text: "Favourite editor: Vim", Category: "preferences"})
	if err != nil {
		t.Fatal(err)
	}
	second, err := f.Update(ctx, UpdateRequest{Who: main, ID: first.Memory.ID, Text: "Favourite editor: Helix"})
	if err != nil {
		t.Fatal(err)
	}
	f.remember("The boiler is serviced in October")
	if _, err := f.Delete(ctx, DeleteRequest{Who: main, ID: first.Memory.ID}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Delete(ctx, DeleteRequest{Who: main, ID: second.Memory.ID}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"1 tool main: storing a memory, created",
		"2 tool main: updating a memory, invalidated_at relations superseded_by, created",
		"4 tool main: deleting a memory, deleted",
		"5 tool main: deleting a memory, deleted",
	}
	for _, id := range []string{first.Memory.ID, second.Memory.ID, first.Memory.ID[:8], second.Memory.ID[:8]} {
		a := f.history(main, id)
		if diff := cmp.Diff(want, told(a.Records)); diff != "" {
			t.Errorf("the history of %s (-want +got)\n%s", id, diff)
		}
		if a.Memory != nil || !strings.HasPrefix(a.ID, id) {
			t.Errorf("the answer for %s is about %s, %v", id, a.ID, a.Memory)
		}
	}
}

// What an agent cannot read is not in its record, nor on one side of a change.
func TestRecordKeepsToScopes(t *testing.T) {
	f := start(t, nil)
	ctx := t.Context()
	alice, bob := Agent("alice", "agent:alice:chat"), Agent("bob", "agent:bob:chat")
	secret, err := f.Store(ctx, StoreRequest{Who: alice, Text: "The safe opens with 4417"})
	if err != nil {
		t.Fatal(err)
	}
	if got := f.log(LogRequest{Who: bob}); len(got) != 0 {
		t.Errorf("bob sees %v", told(got))
	}
	for _, id := range []string{secret.Memory.ID, secret.Memory.ID[:8]} {
		if _, err := f.History(ctx, HistoryRequest{Who: bob, ID: id}); FaultOf(err) != FaultNotFound {
			t.Errorf("bob asks for the history of %s: %v", id, err)
		}
	}
	if _, err := f.Undo(ctx, UndoRequest{Who: bob, Seq: 1}); FaultOf(err) != FaultNotFound {
		t.Errorf("bob undoes what alice did: %v", err)
	}
	if _, err := f.Log(ctx, LogRequest{Who: bob, Scope: "agent:alice"}); FaultOf(err) != FaultDenied {
		t.Errorf("bob names alice's scope: %v", err)
	}

	// Moved to where both can read it: for bob it comes to be, without a past.
	if _, err := f.Update(ctx, UpdateRequest{Who: alice, ID: secret.Memory.ID, Scope: "global"}); err != nil {
		t.Fatal(err)
	}
	seen := f.log(LogRequest{Who: bob})
	if diff := cmp.Diff([]string{"2 tool alice: updating a memory, created"}, told(seen)); diff != "" {
		t.Errorf("bob sees (-want +got)\n%s", diff)
	}
	if seen[0].Session != "" {
		t.Errorf("bob is told alice's session %q", seen[0].Session)
	}
	if _, err := f.Undo(ctx, UndoRequest{Who: bob, Seq: 2}); FaultOf(err) != FaultBadParams {
		t.Errorf("bob undoes half of a change: %v", err)
	}
	if got := told(f.log(LogRequest{Who: alice, Scope: "agent:alice"})); len(got) != 2 {
		t.Errorf("alice's own scope has %v", got)
	}
	if got := f.log(LogRequest{Agent: "bob"}); len(got) != 0 {
		t.Errorf("by bob: %v", told(got))
	}
}

func TestLogIsBounded(t *testing.T) {
	at := now
	f := start(t, nil, func(o *Options) { o.Now = func() time.Time { return at } })
	for i := range 5 {
		at = now.Add(time.Duration(i) * time.Hour)
		f.remember(fmt.Sprintf("Locker %d is on floor %d", i, i+10))
	}
	a, err := f.Log(t.Context(), LogRequest{Who: Operator(), Limit: 2})
	if err != nil || !a.More || len(a.Records) != 2 || a.Records[0].Seq != 5 {
		t.Errorf("two of five: %v, %v, more %v", told(a.Records), err, a.More)
	}
	if got := f.log(LogRequest{Since: now.Add(3 * time.Hour)}); len(got) != 2 {
		t.Errorf("since the third hour: %v", told(got))
	}
	if a, err := f.Log(t.Context(), LogRequest{Who: Operator(), Limit: 5}); err != nil || a.More {
		t.Errorf("five of five: %v, more %v", err, a.More)
	}
}

// undo takes a change back and expects that it worked.
func (f *fixture) undo(seq uint64, change ...func(*UndoRequest)) UndoAnswer {
	f.t.Helper()
	r := UndoRequest{Who: Operator(), Seq: seq}
	for _, c := range change {
		c(&r)
	}
	a, err := f.Undo(f.t.Context(), r)
	if err != nil {
		f.t.Fatalf("undoing %d: %v", seq, err)
	}
	return a
}

// table is every row as it counts for undo, by id.
func (f *fixture) table() map[string]memory.Memory {
	f.t.Helper()
	a, err := f.List(f.t.Context(), ListRequest{Who: Operator(), Limit: 1000})
	if err != nil {
		f.t.Fatal(err)
	}
	out := map[string]memory.Memory{}
	for _, m := range a.Memories {
		m.Vector = nil
		out[m.ID] = m
	}
	return out
}

// Whatever was done, undoing it gives the rows of before, undoing that the rows
// of after, and undoing once more those of before; each time all of them are
// found by their vectors.
func TestUndoOfEveryKind(t *testing.T) {
	ctx := t.Context()
	for _, c := range []struct {
		name string
		do   func(f *fixture, seat, invoices string) error
	}{
		{"a store", func(f *fixture, _, _ string) error {
			_, err := f.Store(ctx, StoreRequest{Who: main, Text: "The boiler is serviced in October"})
			return err
		}},
		{"a new version", func(f *fixture, id, _ string) error {
			_, err := f.Update(ctx, UpdateRequest{Who: main, ID: id, Text: "Seat on trains: aisle"})
			return err
		}},
		{"a superseding store", func(f *fixture, _, _ string) error {
			a, err := f.Store(ctx, StoreRequest{Who: main, Text: "Seat on trains: the window", Category: "preferences"})
			if err == nil && a.Action != Superseded {
				err = errors.New("it was " + string(a.Action))
			}
			return err
		}},
		{"a change in place", func(f *fixture, id, _ string) error {
			_, err := f.Update(ctx, UpdateRequest{Who: main, ID: id, Importance: new(0.1), Category: "fact", Scope: "global"})
			return err
		}},
		{"another text in place", func(f *fixture, _, id string) error {
			_, err := f.Update(ctx, UpdateRequest{Who: main, ID: id, Text: "The invoices are due on Monday"})
			return err
		}},
		{"a deletion", func(f *fixture, id, _ string) error {
			_, err := f.Delete(ctx, DeleteRequest{Who: main, ID: id})
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := newProvider(t)
			server.vectors["Seat on trains: window"], server.vectors["Seat on trains: the window"] = leaning(1, 1), leaning(0.96, 1)
			f := start(t, server.embedding())
			a, err := f.Store(ctx, StoreRequest{Who: main, Text: "Seat on trains: window", Category: "preferences"})
			if err != nil {
				t.Fatal(err)
			}
			b, err := f.Store(ctx, StoreRequest{Who: main, Text: "The invoices are due on Friday", Category: "fact"})
			if err != nil {
				t.Fatal(err)
			}
			before := f.table()
			if err := c.do(f, a.Memory.ID, b.Memory.ID); err != nil {
				t.Fatal(err)
			}
			after := f.table()
			if cmp.Equal(before, after) {
				t.Fatal("nothing was changed")
			}
			seq := f.log(LogRequest{Limit: 1})[0].Seq

			dry := f.undo(seq, func(r *UndoRequest) { r.DryRun = true })
			if diff := cmp.Diff(after, f.table()); diff != "" || dry.Action != Undone || dry.Seq != 0 {
				t.Errorf("a dry run: %s, %s", dry.Action, diff)
			}
			for i, want := range []map[string]memory.Memory{before, after, before} {
				done := f.undo(seq)
				if done.Action != Undone || done.Seq != seq+1 {
					t.Fatalf("undo %d: %s, recorded as %d", i+1, done.Action, done.Seq)
				}
				if diff := cmp.Diff(want, f.table()); diff != "" {
					t.Fatalf("after undo %d (-want +got)\n%s", i+1, diff)
				}
				if i == 0 {
					if diff := cmp.Diff(dry.Steps, done.Steps); diff != "" {
						t.Errorf("the dry run told otherwise (-dry +done)\n%s", diff)
					}
				}
				if len(done.Pending) > 0 {
					t.Errorf("undo %d left %v without a vector", i+1, done.Pending)
				}
				s, err := f.Stats(ctx, StatsRequest{Who: Operator()})
				if err != nil || s.Pending != 0 {
					t.Errorf("after undo %d %d rows have no vector, %v", i+1, s.Pending, err)
				}
				seq = done.Seq
			}
			if again := f.undo(seq - 3); again.Action != Unchanged || again.Seq != 0 {
				t.Errorf("undoing what is undone: %s, recorded as %d", again.Action, again.Seq)
			}
		})
	}
}

// A row that was changed since is left alone, and the refusal names the change
// in the way; force puts it back, and can be undone.
func TestUndoAfterLaterChanges(t *testing.T) {
	f := start(t, nil)
	ctx := t.Context()
	a := f.remember("The invoices are due on Friday")
	for _, text := range []string{"The invoices are due on Monday", "The invoices are due on Tuesday"} {
		if _, err := f.Update(ctx, UpdateRequest{Who: main, ID: a.Memory.ID, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	_, err := f.Undo(ctx, UndoRequest{Who: Operator(), Seq: 2})
	var since *ChangedSinceError
	if !errors.As(err, &since) || len(since.Changed) != 1 || since.Changed[0].By != 3 || FaultOf(err) != FaultConflict {
		t.Fatalf("undoing under a later change: %v", err)
	}
	if !strings.Contains(err.Error(), "by change 3") || f.row(a.Memory.ID).Text != "The invoices are due on Tuesday" {
		t.Errorf("%v; the text is %q", err, f.row(a.Memory.ID).Text)
	}
	forced := f.undo(2, func(r *UndoRequest) { r.Force = true })
	if got := f.row(a.Memory.ID).Text; got != "The invoices are due on Friday" {
		t.Errorf("after force: %q", got)
	}
	f.undo(forced.Seq)
	if got := f.row(a.Memory.ID).Text; got != "The invoices are due on Tuesday" {
		t.Errorf("after undoing it: %q", got)
	}
}

// Recalls between a change and its undo do not stand in its way, and are still
// counted afterwards.
func TestUndoKeepsCounts(t *testing.T) {
	f := start(t, nil)
	p := f.pauses()
	a := f.remember("Mara drinks oolong tea at four")
	if _, err := f.Update(t.Context(), UpdateRequest{Who: main, ID: a.Memory.ID, Importance: new(0.2)}); err != nil {
		t.Fatal(err)
	}
	f.asks("oolong tea")
	p.every <- now
	eventually(t, "the count is written", func() bool { return f.Touches().Written == 1 })
	f.undo(2)
	if m := f.row(a.Memory.ID); m.Importance != 0.7 || m.Metadata.AccessCount != 1 {
		t.Errorf("importance %g, counted %d", m.Importance, m.Metadata.AccessCount)
	}
	if n := len(f.log(LogRequest{})); n != 3 {
		t.Errorf("%d changes are recorded, want 3: counts are none", n)
	}
}

// While the provider is down a text that comes back waits for its vector, and a
// deleted memory comes back with the one it had.
func TestUndoWithoutProvider(t *testing.T) {
	server := newProvider(t)
	f := start(t, server.embedding())
	ctx := t.Context()
	a := f.remember("The invoices are due on Friday")
	b := f.remember("The boiler is serviced in October")
	if _, err := f.Update(ctx, UpdateRequest{Who: main, ID: a.Memory.ID, Text: "The invoices are due on Monday"}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Delete(ctx, DeleteRequest{Who: main, ID: b.Memory.ID}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil { // and with it the cache of vectors
		t.Fatal(err)
	}
	server.set(func(p *fakeProvider) { p.status = 503 })
	f = reopen(t, f.path, server.embedding(), func(o *Options) { o.OneShot = true })
	if got := f.undo(3); !slices.Equal(got.Pending, []string{a.Memory.ID}) || f.row(a.Memory.ID).Metadata.Embedding != memory.EmbeddingPending {
		t.Errorf("the changed one: pending %v, metadata %s", got.Pending, f.row(a.Memory.ID).Metadata)
	}
	if got := f.undo(4); len(got.Pending) != 0 {
		t.Errorf("the deleted one: pending %v", got.Pending)
	}
	s, err := f.Stats(ctx, StatsRequest{Who: Operator()})
	if err != nil || s.Pending != 1 {
		t.Errorf("%d rows have no vector, want 1; %v", s.Pending, err)
	}
}

func TestUndoOfNothing(t *testing.T) {
	f := start(t, nil)
	f.remember("The boiler is serviced in October")
	for _, seq := range []uint64{0, 2, 1 << 60} {
		_, err := f.Undo(t.Context(), UndoRequest{Who: Operator(), Seq: seq})
		if FaultOf(err) != FaultNotFound || !strings.Contains(err.Error(), "log") {
			t.Errorf("undo %d: %v", seq, err)
		}
	}
	if _, err := f.History(t.Context(), HistoryRequest{Who: Operator(), ID: memory.NewID()}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("history of nothing: %v", err)
	}
}
