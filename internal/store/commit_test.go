package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// recorded is the whole journal, oldest first.
func recorded(t testing.TB, s *Store) []journal.Recorded {
	t.Helper()
	list, err := s.Log(0, func(journal.Entry) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(list)
	return list
}

// steps counts how often each step of a commit is come to. Call it before the
// first write.
func steps(s *Store) func(step string) int {
	var mu sync.Mutex
	count := map[string]int{}
	s.fault = func(step string) error {
		mu.Lock()
		defer mu.Unlock()
		count[step]++
		return nil
	}
	return func(step string) int {
		mu.Lock()
		defer mu.Unlock()
		return count[step]
	}
}

// oneBatch holds the writer until all jobs wait, so that they are one batch in
// the order given. It returns their errors.
func oneBatch(t *testing.T, s *Store, jobs ...func(*Tx) error) []error {
	t.Helper()
	hold, held := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := s.Write(t.Context(), "first", func(*Tx) error { close(held); <-hold; return nil }); err != nil {
			t.Error(err)
		}
	})
	<-held
	errs := make([]error, len(jobs))
	for i, fn := range jobs {
		ctx := As(t.Context(), Actor{Kind: "tool", Agent: fmt.Sprint("agent ", i), Session: "s"})
		wg.Go(func() { errs[i] = s.Write(ctx, fmt.Sprint("job ", i), fn) })
		waitingWrites(t, s, i+1)
	}
	close(hold)
	wg.Wait()
	return errs
}

// TestJournal has every kind of change recorded as what it did, by whom.
func TestJournal(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	a, b, c := mem("alpha"), mem("beta"), mem("gamma")
	a2 := a
	a2.Text, a2.Vector = "alpha two", nil
	counted := a2
	counted.Metadata.AccessCount, counted.Metadata.LastAccessedAt = 7, start.Add(time.Hour)
	refused := errors.New("refused")
	writes := []struct {
		name string
		fn   func(*Tx) error
		want []journal.Change // nil: nothing is recorded
		err  error
	}{
		{"insert", func(tx *Tx) error { return tx.Insert(a, b) },
			[]journal.Change{{ID: a.ID, After: rowOf(a)}, {ID: b.ID, After: rowOf(b)}}, nil},
		{"create", func(tx *Tx) error { return tx.Create(c) }, []journal.Change{{ID: c.ID, After: rowOf(c)}}, nil},
		{"update", func(tx *Tx) error { return tx.Update(a2) },
			[]journal.Change{{ID: a.ID, Before: without(rowOf(a)), After: with(rowOf(a2), a.Vector)}}, nil},
		{"the same again", func(tx *Tx) error { return tx.Update(a2) }, nil, nil},
		{"counts of use", func(tx *Tx) error { return tx.Update(counted) }, nil, nil},
		{"quiet", func(tx *Tx) error { tx.Quiet(); m := b; m.Importance = 0.1; return tx.Update(m) }, nil, nil},
		{"insert and delete", func(tx *Tx) error { m := mem("x"); return errors.Join(tx.Insert(m), tx.Delete(m.ID)) }, nil, nil},
		{"read only", func(tx *Tx) error { _, err := tx.Get(t.Context(), everyone(), a.ID); return err }, nil, nil},
		{"refused", func(tx *Tx) error { return errors.Join(tx.Insert(mem("y")), refused) }, nil, refused},
		{"delete", func(tx *Tx) error { return tx.Delete(c.ID) }, []journal.Change{{ID: c.ID, Before: rowOf(c)}}, nil},
	}
	for _, w := range writes {
		t.Run(w.name, func(t *testing.T) {
			before := len(recorded(t, s))
			ctx := As(t.Context(), Actor{Kind: "cli", Agent: "main", Session: "one"})
			if err := s.Write(ctx, w.name, w.fn); !errors.Is(err, w.err) {
				t.Fatal(err)
			}
			list := recorded(t, s)[before:]
			if w.want == nil {
				if len(list) > 0 {
					t.Errorf("recorded %+v", list)
				}
				return
			}
			if len(list) != 1 {
				t.Fatalf("%d entries, want 1", len(list))
			}
			e := list[0]
			if diff := cmp.Diff(w.want, e.Changes); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if e.Actor != "cli" || e.Agent != "main" || e.Session != "one" || e.Operation != w.name || e.Version == 0 || e.Boot != s.boot {
				t.Errorf("recorded as %+v", e)
			}
		})
	}
	got, err := s.Get(t.Context(), everyone(), a.ID)
	if err != nil || got.Metadata.AccessCount != 7 {
		t.Errorf("counts of use were not stored: %+v, %v", got.Metadata, err)
	}
	history, err := s.History(a.ID)
	if err != nil || len(history) != 2 || history[0].Operation != "insert" || history[1].Operation != "update" {
		t.Errorf("history %+v, %v", history, err)
	}
}

func without(r *journal.Row) *journal.Row { r.Vector = nil; return r }

func with(r *journal.Row, v []float32) *journal.Row { r.Vector = v; return r }

// TestBatchIsRecordedByJob lets several jobs of one batch touch one row: each is
// told with its own before and after, in one append and one commit.
func TestBatchIsRecordedByJob(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	m := mem("version 0")
	insert(t, s, m)
	count := steps(s)
	text := func(i int) memory.Memory {
		next := m
		next.Text = fmt.Sprint("version ", i)
		return next
	}
	refused := errors.New("refused")
	errs := oneBatch(t, s,
		func(tx *Tx) error { return tx.Update(text(1)) },
		func(tx *Tx) error { return tx.Update(text(1)) },
		func(tx *Tx) error { return errors.Join(tx.Update(text(9)), refused) },
		func(tx *Tx) error { return tx.Update(text(2)) },
		func(tx *Tx) error { return tx.Delete(m.ID) },
		func(tx *Tx) error { return tx.Insert(text(3)) },
	)
	for i, err := range errs {
		if (i == 2) != errors.Is(err, refused) || i != 2 && err != nil {
			t.Errorf("job %d: %v", i, err)
		}
	}
	want := []string{"agent 0: version 0 → version 1", "agent 3: version 1 → version 2", "agent 4: version 2 → ", "agent 5:  → version 3"}
	var got []string
	for _, e := range recorded(t, s)[1:] {
		line := e.Agent + ": "
		for i, r := range []*journal.Row{e.Changes[0].Before, e.Changes[0].After} {
			if i == 1 {
				line += " → "
			}
			if r != nil {
				line += r.Text
			}
		}
		got = append(got, line)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if a, p := count(stepAppend), count(stepPut); a != 1 || p != 1 {
		t.Errorf("%d appends and %d commits, want 1 and 1", a, p)
	}
	row, err := s.Get(t.Context(), everyone(), m.ID)
	if err != nil || row.Text != "version 3" {
		t.Errorf("the row is %q, %v", row.Text, err)
	}
}

// TestUpdatesAreNeverSeenHalf polls a row while it is updated.
func TestUpdatesAreNeverSeenHalf(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s, other := open(t, dir), open(t, dir)
	m := mem("the row that must not vanish")
	insert(t, s, m, mem("another"))
	ctx, done := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	polls := 0
	for _, from := range []*Store{s, other} {
		readers.Go(func() {
			for n := 0; ctx.Err() == nil || n == 0; n++ {
				_, err := from.Get(t.Context(), everyone(), m.ID)
				rows, cerr := from.Count(t.Context(), everyone(), memory.Narrow{})
				if err != nil || cerr != nil || rows != 2 {
					t.Errorf("poll %d: %d rows, %v, %v", n, rows, err, cerr)
					return
				}
				if from == s {
					polls++
				}
			}
		})
	}
	for i := range 25 {
		m.Importance = float64(i) / 25
		if err := s.Write(t.Context(), "updating", func(tx *Tx) error { return tx.Update(m) }); err != nil {
			t.Error(err)
		}
	}
	done()
	readers.Wait()
	t.Logf("%d polls", polls)
}

// TestChangesInPlace: a row that was read in a transaction may be changed as it is,
// maps included, and the change is seen for what it is.
func TestChangesInPlace(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	m := mem("alpha", func(m *memory.Memory) { m.Metadata.Extra = map[string]json.RawMessage{"colour": []byte(`"red"`)} })
	insert(t, s, m)
	reads := map[string]func(tx *Tx) (memory.Memory, error){
		"Get": func(tx *Tx) (memory.Memory, error) { return tx.Get(t.Context(), everyone(), m.ID) },
		"Nearest": func(tx *Tx) (memory.Memory, error) {
			hits, err := tx.Nearest(t.Context(), everyone(), memory.Narrow{}, m.Vector, 1)
			if err != nil || len(hits) != 1 {
				return memory.Memory{}, fmt.Errorf("%d hits, %w", len(hits), err)
			}
			return hits[0].Memory, nil
		},
	}
	for name, read := range reads {
		before := len(recorded(t, s))
		err := s.Write(t.Context(), name, func(tx *Tx) error {
			row, err := read(tx)
			if err != nil {
				return err
			}
			row.Metadata.Extra["colour"] = []byte(`"` + name + `"`)
			return tx.Update(row)
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Get(t.Context(), everyone(), m.ID)
		if err != nil || string(got.Metadata.Extra["colour"]) != `"`+name+`"` {
			t.Errorf("%s: stored %s, %v", name, got.Metadata.Extra["colour"], err)
		}
		if n := len(recorded(t, s)) - before; n != 1 {
			t.Errorf("%s: %d entries, want 1", name, n)
		}
	}
}

// C1: forgets that come at once are one record and one deletion.
func TestForgetsAtOnceAreOneCommit(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	rows := numbered("row %d", 8)
	insert(t, s, rows...)
	count := steps(s)
	var jobs []func(*Tx) error
	for _, m := range rows {
		jobs = append(jobs, func(tx *Tx) error { return tx.Delete(m.ID) })
	}
	if err := errors.Join(oneBatch(t, s, jobs...)...); err != nil {
		t.Fatal(err)
	}
	if a, d := count(stepAppend), count(stepDelete); a != 1 || d != 1 || total(t, s) != 0 {
		t.Errorf("%d appends, %d deletions, %d rows left; want 1, 1, 0", a, d, total(t, s))
	}
}
