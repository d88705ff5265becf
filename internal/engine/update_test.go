package engine

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/config"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// clock is a clock that tests move.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// ticking gives a fixture a clock of its own.
func ticking() (*clock, func(*Options)) {
	c := &clock{at: now}
	return c, func(o *Options) { o.Now = c.now }
}

// keep stores for agent main under a category.
func (f *fixture) keep(text, category string) memory.Memory {
	f.t.Helper()
	a, err := f.Store(f.t.Context(), StoreRequest{Who: main, Text: text, Category: category, Importance: 0.7, Force: true})
	if err != nil || a.Memory.ID == "" {
		f.t.Fatalf("storing %q: %s, %v", text, a.Action, err)
	}
	return a.Memory
}

func (f *fixture) update(r UpdateRequest) UpdateAnswer {
	f.t.Helper()
	if r.Who == (Who{}) {
		r.Who = main
	}
	a, err := f.Update(f.t.Context(), r)
	if err != nil {
		f.t.Fatalf("updating %+v: %v", r, err)
	}
	return a
}

func (f *fixture) show(id string) ShowAnswer {
	f.t.Helper()
	a, err := f.Show(f.t.Context(), ShowRequest{Who: Operator(), ID: id})
	if err != nil {
		f.t.Fatalf("showing %s: %v", id, err)
	}
	return a
}

// put writes rows behind the engine's back.
func (f *fixture) put(rows ...memory.Memory) {
	f.t.Helper()
	db, err := f.opened(f.t.Context())
	if err == nil {
		err = db.Write(f.t.Context(), "test", func(tx *store.Tx) error { return tx.Insert(rows...) })
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

func row(id, text, scope string) memory.Memory {
	return memory.Memory{
		ID: id, Text: text, Category: memory.StoredOther, Scope: scope, Importance: 0.5, Time: now,
		Metadata: memory.NewMetadata(text, memory.Patterns, memory.SourceManual, now),
	}
}

func ptr(v float64) *float64 { return &v }

// active gives the texts of a scope that are current.
func (f *fixture) active(scope string) (current []string) {
	f.t.Helper()
	page, err := f.List(f.t.Context(), ListRequest{Who: Operator(), Scope: scope, Limit: 1000})
	if err != nil {
		f.t.Fatal(err)
	}
	for _, m := range page.Memories {
		if m.Active(f.now()) {
			current = append(current, m.Text)
		}
	}
	return current
}

func TestUpdateInPlace(t *testing.T) {
	const old, fresh = "The invoices are due on Friday", "The boiler is serviced in October"
	clock, ticks := ticking()
	p := newProvider(t)
	f := start(t, p.embedding(), ticks)
	m := f.keep(old, "fact")
	clock.move(time.Hour)

	a := f.update(UpdateRequest{ID: m.ID[:8] + "…", Text: fresh + "\x07", Importance: ptr(3), Category: "decision"})
	if a.Action != Updated || a.Memory.ID != m.ID || a.Removed != 1 {
		t.Fatalf("answer %+v", a)
	}
	if diff := cmp.Diff([]string{"text", "importance", "category"}, a.Fields); diff != "" {
		t.Errorf("fields (-want +got)\n%s", diff)
	}
	got := f.show(m.ID).Memory
	d := got.Metadata
	if got.Text != fresh || !got.Time.Equal(now) || got.Importance != 1 || got.Category != memory.StoredDecision || got.Kind() != memory.Events {
		t.Errorf("row %+v", got)
	}
	if d.L0 != fresh || d.L2 != fresh || d.Confidence != 1 || !d.ValidFrom.Equal(now) || !d.LastConfirmedUseAt.Equal(clock.now()) || d.Supersedes != "" || d.Embedding != "" {
		t.Errorf("metadata %+v", d)
	}
	if n := f.count(); n != 1 {
		t.Errorf("%d rows, want 1", n)
	}
	hits := f.recall("when is the boiler serviced", 3).Hits
	if len(hits) != 1 || hits[0].Vector == nil {
		t.Errorf("found by the new text: %+v", hits)
	}
	if got := f.recalled("invoices due on Friday"); len(got) != 0 {
		t.Errorf("found by the old text: %q", got)
	}
	if again := f.update(UpdateRequest{ID: m.ID, Text: fresh, Importance: ptr(1), Category: "events"}); again.Action != Unchanged || len(again.Fields) != 0 {
		t.Errorf("the same again: %+v", again)
	}
}

// A change that leaves the text alone asks no provider and keeps the vector.
func TestUpdateKeepsTheVector(t *testing.T) {
	p := newProvider(t)
	f := start(t, p.embedding())
	m := f.keep("The ladder leans on the north wall", "preferences")
	p.set(func(p *fakeProvider) { p.asked, p.status = nil, http.StatusServiceUnavailable })
	a := f.update(UpdateRequest{ID: m.ID, Importance: ptr(0.2), Category: "entities"})
	if a.Action != Updated || a.Pending != "" || a.Memory.ID != m.ID {
		t.Errorf("answer %+v", a)
	}
	if len(p.asked) != 0 {
		t.Errorf("the provider was asked for %q", p.asked)
	}
	p.set(func(p *fakeProvider) { p.status = 0 })
	hits := f.recall("the ladder on the north wall", 3).Hits
	if len(hits) != 1 || hits[0].Vector == nil || hits[0].Memory.Importance != 0.2 || hits[0].Memory.Kind() != memory.Entities {
		t.Errorf("recalled %+v", hits)
	}
}

func TestUpdateMakesAVersion(t *testing.T) {
	clock, ticks := ticking()
	f := start(t, newProvider(t).embedding(), ticks)
	first := f.keep("Seat on trains: window", "preferences")
	clock.move(time.Hour)
	a := f.update(UpdateRequest{ID: first.ID, Text: "Seat on trains: aisle", Importance: ptr(0.9)})
	if a.Action != Superseded || a.Previous.ID != first.ID || a.Memory.ID == first.ID || a.Memory.Importance != 0.9 {
		t.Fatalf("answer %+v", a)
	}
	clock.move(time.Hour)
	old, fresh := f.show(first.ID), f.show(a.Memory.ID)
	d := fresh.Memory.Metadata
	if d.Supersedes != first.ID || !d.ValidFrom.Equal(now.Add(time.Hour)) || !d.InvalidatedAt.IsZero() || d.FactKey != "preferences:seat on trains" ||
		!cmp.Equal(d.Relations, []memory.Relation{{Type: "supersedes", Target: first.ID}}) || !fresh.Memory.Time.Equal(now.Add(time.Hour)) {
		t.Errorf("new version %+v", fresh.Memory)
	}
	d = old.Memory.Metadata
	if d.SupersededBy != a.Memory.ID || !d.InvalidatedAt.Equal(now.Add(time.Hour)) || old.Memory.Text != first.Text ||
		!cmp.Equal(d.Relations, []memory.Relation{{Type: "superseded_by", Target: a.Memory.ID}}) || !old.Memory.Time.Equal(now) {
		t.Errorf("old version %+v", old.Memory)
	}
	if old.Active || !fresh.Active || !strings.HasPrefix(old.Standing, "replaced by "+a.Memory.ID) || !strings.HasPrefix(fresh.Standing, "current since") {
		t.Errorf("standing %q, %q", old.Standing, fresh.Standing)
	}
	if diff := cmp.Diff([]string{"Seat on trains: aisle"}, f.recalled("which seat on trains")); diff != "" {
		t.Errorf("recalled (-want +got)\n%s", diff)
	}

	// The old id still means the statement.
	third := f.update(UpdateRequest{ID: first.ID, Text: "Seat on trains: by the door"})
	if third.Action != Superseded || third.Previous.ID != a.Memory.ID || third.Memory.Metadata.FactKey != "preferences:seat on trains" {
		t.Errorf("third %+v", third)
	}
	var chain []string
	for _, v := range f.show(a.Memory.ID).Versions {
		chain = append(chain, v.ID)
	}
	if diff := cmp.Diff([]string{first.ID, a.Memory.ID, third.Memory.ID}, chain); diff != "" {
		t.Errorf("versions (-want +got)\n%s", diff)
	}
	// A rating does not make a version, and finds the newest one too.
	if a := f.update(UpdateRequest{ID: first.ID, Importance: ptr(0.3)}); a.Action != Updated || a.Memory.ID != third.Memory.ID {
		t.Errorf("a rating: %+v", a)
	}
}

// A8: of many updates at once each continues from the one before.
func TestUpdatesAtOnceDoNotForkTheChain(t *testing.T) {
	for name, embedding := range map[string]*config.Embedding{"vectors": newProvider(t).embedding(), "keywords": nil} {
		t.Run(name, func(t *testing.T) {
			const updates = 8
			f := start(t, embedding)
			first := f.keep("Seat on trains: window", "preferences")
			var wg sync.WaitGroup
			for i := range updates {
				wg.Go(func() {
					if _, err := f.Update(t.Context(), UpdateRequest{Who: main, ID: first.ID, Text: fmt.Sprintf("Seat on trains: number %d", i)}); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if got := f.active(""); len(got) != 1 {
				t.Errorf("current versions: %q", got)
			}
			versions := f.show(first.ID).Versions
			if len(versions) != updates+1 || f.count() != updates+1 {
				t.Fatalf("%d versions in the chain, %d rows, want %d of both", len(versions), f.count(), updates+1)
			}
			for i, v := range versions {
				if v.Active(now) != (i == updates) || v.Metadata.FactKey != "preferences:seat on trains" && i > 0 {
					t.Errorf("version %d: %+v", i, v.Metadata)
				}
			}
		})
	}
}

// A clock that went back must not leave two current versions.
func TestUpdateWithAClockThatWentBack(t *testing.T) {
	clock, ticks := ticking()
	f := start(t, nil, ticks)
	first := f.keep("Seat on trains: window", "preferences")
	clock.move(-time.Hour)
	a := f.update(UpdateRequest{ID: first.ID, Text: "Seat on trains: aisle"})
	for _, move := range []time.Duration{0, 2 * time.Hour} {
		clock.move(move)
		if diff := cmp.Diff([]string{a.Memory.Text}, f.active("")); diff != "" {
			t.Errorf("current at %s (-want +got)\n%s", clock.now(), diff)
		}
	}
}

// A2: whoever reads during updates sees the memory, every time, and one version
// of it.
func TestReadersNeverMissAnUpdatedRow(t *testing.T) {
	f := start(t, nil)
	fact, seat := f.keep("The zylophrast is kept in the cellar", "fact"), f.keep("Seat on trains: window", "preferences")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 12 {
			_, err := f.Update(t.Context(), UpdateRequest{Who: main, ID: fact.ID, Importance: ptr(float64(i%10) / 10)})
			if err == nil {
				_, err = f.Update(t.Context(), UpdateRequest{Who: main, ID: seat.ID, Text: fmt.Sprintf("Seat on trains: number %d", i)})
			}
			if err != nil {
				t.Error(err)
				return
			}
		}
	}()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		if got := f.active("agent:main"); len(got) != 2 {
			t.Fatalf("a reader saw %q", got)
		}
		if got := f.recalled("zylophrast"); len(got) != 1 {
			t.Fatalf("a recall saw %q", got)
		}
	}
}

// A provider that is down costs the new text its vector for a while, in place
// and as a version; what is found by meaning is never the old text.
func TestUpdateWithoutProvider(t *testing.T) {
	for _, c := range []struct {
		category string
		action   Action
	}{{"fact", Updated}, {"preferences", Superseded}} {
		t.Run(c.category, func(t *testing.T) {
			const old, fresh = "The invoices are due on Friday", "The boiler is serviced in October"
			p := newProvider(t)
			f := start(t, p.embedding())
			m := f.keep(old, c.category)
			p.set(func(p *fakeProvider) { p.status = http.StatusServiceUnavailable })
			a := f.update(UpdateRequest{ID: m.ID, Text: fresh})
			if a.Action != c.action || a.Pending == "" || a.Memory.Metadata.Embedding != memory.EmbeddingPending {
				t.Fatalf("answer %+v", a)
			}
			if got := f.recalled("boiler"); len(got) != 1 || got[0] != fresh {
				t.Errorf("by words: %q", got)
			}
			p.set(func(p *fakeProvider) { p.status = 0 })
			if got := f.recalled("invoices due on Friday"); len(got) != 0 {
				t.Errorf("by the old meaning: %q", got)
			}
			eventually(t, "the vector is filled in", func() bool {
				s, err := f.Stats(t.Context(), StatsRequest{Who: Operator()})
				return err == nil && s.Pending == 0
			})
			if hits := f.recall("when is the boiler serviced", 3).Hits; len(hits) != 1 || hits[0].Vector == nil {
				t.Errorf("by meaning: %+v", hits)
			}
		})
	}
}

func TestUpdateOutcomes(t *testing.T) {
	const some = -1
	f := start(t, nil)
	f.put(
		row("aaaaaaaa-0000-4000-8000-000000000001", "The north gate opens at nine", "agent:main"),
		row("aaaaaaaa-0000-4000-8000-000000000002", "The south gate opens at ten", "agent:main"),
		row("bbbbbbbb-0000-4000-8000-000000000001", "The west gate opens at noon", "agent:other"),
		row("bbbbbbbb-0000-4000-8000-000000000002", "The east gate opens at one", "agent:main"),
		row("mem-md-7", "An old note about the garden gate", "agent:main"),
	)
	for _, c := range []struct {
		name   string
		r      UpdateRequest
		action Action
		fault  Fault
		found  int
	}{
		{"nothing to change", UpdateRequest{ID: "mem-md-7"}, "", FaultBadParams, 0},
		{"blank text is no text", UpdateRequest{ID: "mem-md-7", Text: " \n"}, "", FaultBadParams, 0},
		{"noise", UpdateRequest{ID: "mem-md-7", Text: "good morning"}, Noise, "", 0},
		{"only wrapping", UpdateRequest{ID: "mem-md-7", Text: "\x1b[0m\x07"}, Envelope, "", 0},
		{"too large", UpdateRequest{ID: "mem-md-7", Text: strings.Repeat("x", memory.MaxTextBytes+1)}, "", FaultTooLarge, 0},
		{"not UTF-8", UpdateRequest{ID: "mem-md-7", Text: "caf\xe9"}, "", FaultBadParams, 0},
		{"unknown category", UpdateRequest{ID: "mem-md-7", Category: "beverages"}, "", FaultBadParams, 0},
		{"old id", UpdateRequest{ID: "mem-md-7", Importance: ptr(0.9)}, Updated, "", 0},
		{"unknown id", UpdateRequest{ID: "cccccccc-0000-4000-8000-000000000001", Importance: ptr(1)}, "", FaultNotFound, 0},
		{"unknown prefix", UpdateRequest{ID: "cccccccc", Importance: ptr(1)}, "", FaultNotFound, 0},
		{"another agent's id", UpdateRequest{ID: "bbbbbbbb-0000-4000-8000-000000000001", Importance: ptr(1)}, "", FaultNotFound, 0},
		{"another agent's row does not make a prefix ambiguous", UpdateRequest{ID: "BBBBBBBB...", Importance: ptr(1)}, Updated, "", 0},
		{"ambiguous prefix", UpdateRequest{ID: "aaaaaaaa", Importance: ptr(1)}, "", FaultBadParams, 2},
		{"longer prefix", UpdateRequest{ID: "aaaaaaaa-0000-4000-8000-000000000002"[:35] + "2", Importance: ptr(1)}, Updated, "", 0},
		{"a wildcard is no prefix", UpdateRequest{ID: "aaaaaaaa%", Importance: ptr(1)}, Candidates, "", 0},
		{"short prefix", UpdateRequest{ID: "aaaa", Importance: ptr(1)}, Candidates, "", 0},
		{"a description", UpdateRequest{Query: "which gate opens at nine", Importance: ptr(1)}, Candidates, "", some},
		{"a description in place of an id", UpdateRequest{ID: "the garden gate", Importance: ptr(1)}, Candidates, "", some},
		{"one word in place of an id", UpdateRequest{ID: "garden", Importance: ptr(1)}, Candidates, "", 1},
		{"a description of nothing", UpdateRequest{Query: "harpsichord", Importance: ptr(1)}, Candidates, "", 0},
		{"somebody else's scope", UpdateRequest{ID: "mem-md-7", Scope: "agent:other"}, "", FaultDenied, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.r.Who = main
			before := f.everything()
			a, err := f.Update(t.Context(), c.r)
			found := len(a.Candidates)
			if amb := new(AmbiguousError); asError(err, &amb) {
				found = len(amb.Matches)
			}
			if c.fault != "" {
				if err == nil || FaultOf(err) != c.fault {
					t.Errorf("error %v (%s), want %s", err, FaultOf(err), c.fault)
				}
			} else if err != nil || a.Action != c.action {
				t.Errorf("action %s, %v; want %s", a.Action, err, c.action)
			}
			if found != c.found && (c.found != some || found == 0) {
				t.Errorf("%d candidates, want %d", found, c.found)
			}
			if c.action != Updated && f.everything() != before {
				t.Error("a row changed")
			}
		})
	}
	if _, err := f.Update(t.Context(), UpdateRequest{Who: Agent("", ""), ID: "mem-md-7", Importance: ptr(1)}); FaultOf(err) != FaultNoAgent {
		t.Errorf("nobody: %v", err)
	}
}

// everything is the content of the table.
func (f *fixture) everything() string {
	f.t.Helper()
	page, err := f.List(f.t.Context(), ListRequest{Who: Operator(), Limit: 1000})
	if err != nil {
		f.t.Fatal(err)
	}
	return fmt.Sprintf("%+v", page.Memories)
}

func TestUpdateMovesBetweenScopes(t *testing.T) {
	f := start(t, nil)
	m := f.keep("The ladder leans on the north wall", "fact")
	if a := f.update(UpdateRequest{Who: Operator(), ID: m.ID, Scope: "global"}); a.Action != Updated || a.Memory.Scope != "global" {
		t.Errorf("moved: %+v", a)
	}
	answer, err := f.Recall(t.Context(), RecallRequest{Who: Agent("other", ""), Query: "ladder"})
	if err != nil || len(answer.Hits) != 1 {
		t.Errorf("another agent sees %q, %v", texts(answer), err)
	}
}

// The head of a chain may be gone; what is left can still be changed.
func TestUpdateAfterTheNewestVersionWasDeleted(t *testing.T) {
	f := start(t, nil)
	first := f.keep("Seat on trains: window", "preferences")
	second := f.update(UpdateRequest{ID: first.ID, Text: "Seat on trains: aisle"}).Memory
	if _, err := f.Delete(t.Context(), DeleteRequest{Who: main, ID: second.ID}); err != nil {
		t.Fatal(err)
	}
	if got := f.active(""); len(got) != 0 {
		t.Errorf("current after deletion: %q", got)
	}
	third := f.update(UpdateRequest{ID: first.ID, Text: "Seat on trains: by the door"})
	if third.Action != Superseded || third.Previous.ID != first.ID {
		t.Errorf("third: %+v", third)
	}
	if diff := cmp.Diff([]string{"Seat on trains: by the door"}, f.active("")); diff != "" {
		t.Errorf("current (-want +got)\n%s", diff)
	}
}
