package engine

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// pauses stands for time.After: the test says when a pause of a length is over.
type pauses struct{ every, lull chan time.Time }

func (f *fixture) pauses() pauses {
	p := pauses{make(chan time.Time), make(chan time.Time)}
	f.touches.after = func(d time.Duration) <-chan time.Time {
		if d == touchEvery {
			return p.every
		}
		return p.lull
	}
	return p
}

// asks recalls the way an agent does by its tool.
func (f *fixture) asks(query string) RecallAnswer {
	f.t.Helper()
	a, err := f.Recall(f.t.Context(), RecallRequest{Who: main, Query: query, Limit: 20, Deliberate: true})
	if err != nil {
		f.t.Fatalf("recalling %q: %v", query, err)
	}
	return a
}

func (f *fixture) row(id string) memory.Memory {
	f.t.Helper()
	a, err := f.Show(f.t.Context(), ShowRequest{Who: Operator(), ID: id})
	if err != nil {
		f.t.Fatal(err)
	}
	return a.Memory
}

// A recall by the tool counts; a search of the operator and a description that is
// looked up do not, and the injection before a turn counts apart (B29). Nothing
// else of the row changes (A3), and the counts are there after a restart.
func TestTouchesCountWhatWasAskedFor(t *testing.T) {
	at := now
	f := start(t, nil, autoRecall, func(o *Options) { o.Now = func() time.Time { return at } })
	p := f.pauses()
	asked := f.remember("Mara drinks oolong tea at four").Memory
	other := f.remember("The boiler is serviced in October").Memory
	f.recalled("oolong tea")
	for range 50 {
		block, err := f.Prompt(t.Context(), PromptRequest{AgentID: "main", Prompt: "Which tea does Mara drink at four?", Trigger: "user"})
		if err != nil || !strings.Contains(block, "oolong") {
			t.Fatalf("Prompt: %q, %v", block, err)
		}
	}
	if s := f.Touches(); s.Held != 50 {
		t.Fatalf("50 injections are held as %+v", s)
	}
	at = at.Add(time.Hour)
	f.asks("oolong tea")
	at = at.Add(time.Minute)
	f.asks("oolong tea")
	if got := f.row(asked.ID).Metadata.AccessCount; got != 0 {
		t.Fatalf("counted %d before it was time", got)
	}
	p.every <- at
	eventually(t, "the counts are written", func() bool { return f.Touches().Written == 52 })

	want := asked
	want.Metadata.AccessCount, want.Metadata.LastAccessedAt = 2, at
	want.Metadata.Extra = map[string]json.RawMessage{
		"injected_count": json.RawMessage("50"), "last_injected_at": json.RawMessage(fmt.Sprint(now.UnixMilli())),
		"bad_recall_count": json.RawMessage("0"), "suppressed_until_ms": json.RawMessage("0"),
	}
	for range 2 {
		got := f.row(asked.ID)
		if got.Metadata.String() != want.Metadata.String() || got.Text != want.Text || got.Importance != want.Importance || !got.Time.Equal(want.Time) {
			t.Errorf("the row is\n%+v, want\n%+v", got, want)
		}
		if got := f.row(other.ID); got.Metadata.AccessCount != 0 {
			t.Errorf("a row that was not returned counts %d", got.Metadata.AccessCount)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		f = reopen(t, f.path, nil)
	}
}

// What is held when the engine ends is written then.
func TestTouchesAreWrittenAtClose(t *testing.T) {
	f := start(t, nil)
	f.pauses()
	m := f.remember("Mara drinks oolong tea at four").Memory
	for range 3 {
		f.asks("oolong tea")
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	f = reopen(t, f.path, nil)
	if got := f.row(m.ID).Metadata.AccessCount; got != 3 {
		t.Errorf("counted %d, want 3", got)
	}
}

// C2: a store after a hundred recalls waits for no count, however many
// memories they returned; those are written once the recalls have stopped.
func TestTouchesWaitForALull(t *testing.T) {
	f := start(t, nil)
	p := f.pauses()
	const rows = touchMany + 20
	db, err := f.opened(t.Context())
	if err == nil {
		err = db.Write(t.Context(), "test", func(tx *store.Tx) error {
			for i := range rows {
				text := fmt.Sprintf("Locker number%d belongs to team%d", i, i/20)
				m := memory.Memory{ID: memory.NewID(), Text: text, Scope: "global", Metadata: memory.NewMetadata(text, memory.Cases, memory.SourceManual, now)}
				if err := tx.Create(m); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		f.asks(fmt.Sprintf("team%d", i%(rows/20)))
	}
	held := f.Touches().Held
	if held < touchMany {
		t.Fatalf("the recalls returned only %d memories", held)
	}
	f.remember("The spare key is under the blue pot")
	if s := f.Touches(); s.Written != 0 || s.Held != held {
		t.Fatalf("counts were written before the store: %+v", s)
	}
	p.lull <- now // the recalls went on while it was waited
	f.asks("team0")
	// Both batches: what is more than touchMany waits for the next time.
	eventually(t, "everything is written", func() bool {
		select {
		case p.lull <- now:
		case p.every <- now:
		case <-time.After(time.Millisecond):
		}
		s := f.Touches()
		return s.Held == 0 && s.Written > held
	})
}

// While another process holds the lock no recall waits, and counts are given up
// in the end, with a number that says how many.
func TestTouchesBehindAStuckLock(t *testing.T) {
	f := start(t, nil)
	p := f.pauses()
	m := f.remember("Mara drinks oolong tea at four").Memory
	lock := flock.New(filepath.Join(f.path, ".memory-pro.lock"))
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	patience := func(d time.Duration) {
		f.touches.mu.Lock()
		defer f.touches.mu.Unlock()
		f.touches.patience = d
	}
	patience(5 * time.Millisecond)
	f.asks("oolong tea")
	p.every <- now
	for range 20 { // each returns although nobody can write until the end of this test
		f.asks("oolong tea")
	}
	for range touchAttempts - 1 {
		p.every <- now
	}
	eventually(t, "the counts are dropped", func() bool { s := f.Touches(); return s.Held == 0 && s.Dropped == 21 })
	if s := f.Touches(); !strings.Contains(s.LastError, "lock") {
		t.Errorf("the reason is %q", s.LastError)
	}
	eventually(t, "another process can tell", func() bool { return ReadLostTouches(f.path).Count == 21 })
	if lost := ReadLostTouches(f.path); !lost.Last.Equal(now) || lost.Error == "" {
		t.Errorf("it says %+v", lost)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	patience(time.Minute)
	f.asks("oolong tea")
	p.every <- now
	eventually(t, "later ones are written", func() bool { return f.Touches().Written == 1 })
	if got := f.row(m.ID).Metadata.AccessCount; got != 1 {
		t.Errorf("counted %d, want 1", got)
	}
}

// A memory that was forgotten meanwhile does not keep the others from being counted.
func TestTouchesOfForgottenMemories(t *testing.T) {
	f := start(t, nil)
	p := f.pauses()
	gone := f.remember("Mara drinks oolong tea at four").Memory
	stays := f.remember("Oolong tea is kept in the blue tin").Memory
	f.asks("oolong tea")
	if _, err := f.Delete(t.Context(), DeleteRequest{Who: main, ID: gone.ID}); err != nil {
		t.Fatal(err)
	}
	p.every <- now
	eventually(t, "the counts are written", func() bool { return f.Touches().Held == 0 && f.Touches().Written == 2 })
	if got := f.row(stays.ID).Metadata.AccessCount; got != 1 {
		t.Errorf("counted %d, want 1", got)
	}
	if n := f.count(); n != 1 {
		t.Errorf("%d memories, want 1", n)
	}
}
