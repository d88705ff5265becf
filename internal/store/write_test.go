package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

func TestRoundTrip(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	want := mem("prefers tea over coffee", inScope("agent:alice"), at(start.Add(123*time.Millisecond)), func(m *memory.Memory) {
		m.Importance = 0.9
		m.Category = memory.StoredPreference
	})
	insert(t, s, want)
	got, err := s.Get(t.Context(), everyone(), want.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("memory changed on its way through the table (-want +got):\n%s", diff)
	}
}

func TestUpdateKeepsWhatItIsNotGiven(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	m := mem("the office is on floor 3")
	insert(t, s, m, mem("unrelated"))
	changed := m
	changed.Text, changed.Vector, changed.Time = "the office is on floor 5", nil, time.Time{}
	if err := s.Write(t.Context(), "test", func(tx *Tx) error { return tx.Update(changed) }); err != nil {
		t.Fatal(err)
	}
	got, err := s.Get(t.Context(), everyone(), m.ID)
	if err != nil {
		t.Fatal(err)
	}
	m.Text = changed.Text
	if diff := cmp.Diff(m, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := total(t, s); n != 2 {
		t.Errorf("the table has %d rows, want 2", n)
	}
}

// A reworded memory whose new vector is not there yet must not be found by the
// vector of its old text.
func TestUpdateToPendingDropsTheVector(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	m := mem("the office is on floor 3")
	insert(t, s, m)
	changed := m
	changed.Text, changed.Vector, changed.Metadata.Embedding = "the office is on floor 5", nil, memory.EmbeddingPending
	err := s.Write(t.Context(), "test", func(tx *Tx) error {
		if err := tx.Update(changed); err != nil {
			return err
		}
		hits, err := tx.Nearest(t.Context(), everyone(), memory.Narrow{}, m.Vector, 5)
		if len(hits) != 0 {
			t.Errorf("within the transaction: %q", texts(hits))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Get(t.Context(), everyone(), m.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(changed, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if hits, err := s.Nearest(t.Context(), everyone(), memory.Narrow{}, m.Vector, 5); err != nil || len(hits) != 0 {
		t.Errorf("found by the old vector: %q, %v", texts(hits), err)
	}
}

func TestRefusedWrites(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	there := mem("already there")
	insert(t, s, there)
	boom := errors.New("boom")
	tests := []struct {
		name string
		fn   func(*Tx) error
		want error
		says string
	}{
		{"taken id", func(tx *Tx) error { return tx.Insert(mem("other", withID(there.ID))) }, ErrExists, there.ID},
		{"one id twice", func(tx *Tx) error { a := mem("a"); return tx.Insert(a, a) }, ErrExists, ""},
		{"update of nothing", func(tx *Tx) error { return tx.Update(mem("x")) }, ErrNotFound, "deleted meanwhile"},
		{"delete of nothing", func(tx *Tx) error { return tx.Delete("no-such-id") }, ErrNotFound, "no-such-id"},
		{"update after delete", func(tx *Tx) error { _ = tx.Delete(there.ID); return tx.Update(there) }, ErrNotFound, ""},
		{"no text", func(tx *Tx) error { return tx.Insert(mem("  \n")) }, ErrInvalid, "no text"},
		{"no id", func(tx *Tx) error { return tx.Insert(mem("x", withID(""))) }, ErrInvalid, "no id"},
		{"odd id", func(tx *Tx) error { return tx.Insert(mem("x", withID("a' OR '1'='1"))) }, ErrInvalid, "id is malformed"},
		{"no scope", func(tx *Tx) error { return tx.Insert(mem("x", inScope(""))) }, ErrInvalid, "scope"},
		{"wildcard scope", func(tx *Tx) error { return tx.Insert(mem("x", inScope("agent:%"))) }, ErrInvalid, "scope"},
		{"too long", func(tx *Tx) error { return tx.Insert(mem(strings.Repeat("x", memory.MaxTextBytes+1))) }, ErrInvalid, "split it"},
		{"not UTF-8", func(tx *Tx) error { return tx.Insert(mem("caf\xe9")) }, ErrInvalid, "UTF-8"},
		{"zero vector", func(tx *Tx) error { return tx.Insert(mem("x", withVector(make([]float32, width)))) }, ErrInvalid, "zeros"},
		{"NaN in vector", func(tx *Tx) error {
			v := vec("x")
			v[2] = float32(math.NaN())
			return tx.Insert(mem("x", withVector(v)))
		}, ErrInvalid, "finite"},
		{"own error", func(tx *Tx) error { _ = tx.Insert(mem("x")); return boom }, boom, "test: boom"},
		{"refused change whose error is ignored", func(tx *Tx) error {
			_ = tx.Insert(mem("x"), mem(""))
			return nil
		}, ErrInvalid, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := s.Write(t.Context(), "test", tt.fn)
			if !errors.Is(err, tt.want) || !strings.Contains(fmt.Sprint(err), tt.says) {
				t.Errorf("got %v, want %v saying %q", err, tt.want, tt.says)
			}
		})
	}
	var wide *WidthError
	err := s.Write(t.Context(), "test", func(tx *Tx) error { return tx.Insert(mem("x", withVector(make([]float32, 3)))) })
	if !errors.As(err, &wide) || wide.Table != width || wide.Given != 3 {
		t.Errorf("a vector of 3 numbers: got %v, want a WidthError of %d and 3", err, width)
	}
	if n := total(t, s); n != 1 {
		t.Errorf("the table has %d rows, want 1: a refused write left something", n)
	}
}

func TestOneTransaction(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	a, b, c := mem("alpha"), mem("beta"), mem("gamma")
	insert(t, s, a, b)
	err := s.Write(t.Context(), "test", func(tx *Tx) error {
		ctx := t.Context()
		changed := a
		changed.Text, changed.Vector = "alpha, second edition", nil
		if err := errors.Join(tx.Insert(c), tx.Update(changed), tx.Delete(b.ID)); err != nil {
			return err
		}
		got, err := tx.Get(ctx, everyone(), a.ID)
		if err != nil || got.Text != changed.Text || got.Vector == nil {
			return fmt.Errorf("Get of the updated row: %+v, %v", got, err)
		}
		if _, err := tx.Get(ctx, everyone(), b.ID); !errors.Is(err, ErrNotFound) {
			return fmt.Errorf("Get of the deleted row: %v", err)
		}
		hits, err := tx.Nearest(ctx, everyone(), memory.Narrow{}, c.Vector, 5)
		if err != nil || len(hits) != 2 || hits[0].Memory.ID != c.ID || hits[0].Score < 0.999 {
			return fmt.Errorf("Nearest to the inserted row: %v, %v", texts(hits), err)
		}
		// Insert and delete in one go leaves nothing; delete and insert replaces.
		d := mem("delta")
		if err := errors.Join(tx.Insert(d), tx.Delete(d.ID)); err != nil {
			return err
		}
		return tx.Insert(mem("beta reborn", withID(b.ID)))
	})
	if err != nil {
		t.Fatal(err)
	}
	page, err := s.List(t.Context(), ListQuery{Who: everyone()})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, m := range page.Memories {
		got[m.Text] = true
	}
	want := map[string]bool{"alpha, second edition": true, "beta reborn": true, "gamma": true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestBatch has one writer hold the queue while others gather, so that they run
// as one batch: the same text stored by all of them lands once, and the ones
// that fail do not disturb the rest.
func TestBatch(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	hold, held := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = s.Write(t.Context(), "first", func(*Tx) error { close(held); <-hold; return nil })
	})
	<-held
	duplicate := errors.New("duplicate")
	before, err := s.table.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	errs := make([]error, 12)
	for i := range errs {
		wg.Go(func() {
			errs[i] = s.Write(t.Context(), fmt.Sprint("writer ", i), func(tx *Tx) error {
				if i%4 == 3 {
					return tx.Update(mem("not there"))
				}
				m := mem("the same sentence")
				hits, err := tx.Nearest(t.Context(), everyone(), memory.Narrow{}, m.Vector, 1)
				if err != nil {
					return err
				}
				if len(hits) > 0 && hits[0].Score > 0.98 {
					return duplicate
				}
				return tx.Insert(m)
			})
		})
	}
	for waiting := 0; waiting < len(errs); {
		s.queue.mu.Lock()
		waiting = len(s.queue.waiting)
		s.queue.mu.Unlock()
	}
	close(hold)
	wg.Wait()
	var stored, duplicates, missing int
	for _, err := range errs {
		switch {
		case err == nil:
			stored++
		case errors.Is(err, duplicate):
			duplicates++
		case errors.Is(err, ErrNotFound):
			missing++
		default:
			t.Error(err)
		}
	}
	if stored != 1 || duplicates != 8 || missing != 3 {
		t.Errorf("%d stored, %d duplicates, %d missing; want 1, 8, 3", stored, duplicates, missing)
	}
	if n := total(t, s); n != 1 {
		t.Errorf("the table has %d rows, want 1", n)
	}
	if after, _ := s.table.Version(t.Context()); after != before+1 {
		t.Errorf("the batch made %d commits, want 1", after-before)
	}
}

// TestBatchSettles shows that a keyword read inside a transaction sees what
// earlier writers of the batch did.
func TestBatchSettles(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	hold, held := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		err := s.Write(t.Context(), "first", func(tx *Tx) error {
			close(held)
			<-hold
			return tx.Insert(mem("zylophrast lives here"))
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-held
	wg.Go(func() {
		err := s.Write(t.Context(), "second", func(tx *Tx) error {
			hits, err := tx.Matching(t.Context(), everyone(), memory.Narrow{}, "zylophrast", 3)
			if err == nil && len(hits) != 1 {
				err = fmt.Errorf("found %v", texts(hits))
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
	close(hold)
	wg.Wait()
}

func TestPanicReachesTheCaller(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	func() {
		defer func() {
			if p := recover(); p != "oops" {
				t.Errorf("recovered %v, want oops", p)
			}
		}()
		_ = s.Write(t.Context(), "test", func(*Tx) error { panic("oops") })
	}()
	insert(t, s, mem("life goes on"))
}

func TestClosed(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	errs := map[string]error{}
	errs["Write"] = s.Write(ctx, "test", func(*Tx) error { return nil })
	_, errs["Get"] = s.Get(ctx, everyone(), "some-id")
	_, errs["List"] = s.List(ctx, ListQuery{Who: everyone()})
	_, errs["Nearest"] = s.Nearest(ctx, everyone(), memory.Narrow{}, vec("x"), 1)
	_, errs["Matching"] = s.Matching(ctx, everyone(), memory.Narrow{}, "x", 1)
	_, errs["Maintain"] = s.Maintain(ctx)
	for name, err := range errs {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s: got %v, want ErrClosed", name, err)
		}
	}
}

// TestHostileStrings uses ids, scopes and prefixes that would mean something to
// SQL or to a pattern.
func TestHostileStrings(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	insert(t, s, mem("one", inScope("team_a")), mem("two", inScope("teamXa")), mem("three's \"quote\" -- ; DROP"))
	ctx := t.Context()
	for _, id := range []string{"________", "%%%%%%%%", "*", "' OR '1'='1", `\`, "a\x00b", "'; DROP TABLE memories; --"} {
		if _, err := s.Get(ctx, everyone(), id); err == nil {
			t.Errorf("Get(%q) found something", id)
		}
		if list, _ := s.FindPrefix(ctx, everyone(), id, 10); len(list) > 0 {
			t.Errorf("FindPrefix(%q) found %d", id, len(list))
		}
		if err := s.Write(ctx, "test", func(tx *Tx) error { return tx.Delete(id) }); err == nil {
			t.Errorf("Delete(%q) deleted something", id)
		}
	}
	one, err := scope.Operator().Read("team_a")
	if err != nil {
		t.Fatal(err)
	}
	page, err := s.List(ctx, ListQuery{Who: one})
	if err != nil || len(page.Memories) != 1 || page.Memories[0].Text != "one" {
		t.Errorf("the scope team_a lists %v, %v; want only its own", page.Memories, err)
	}
	for _, q := range []string{"' OR 1=1", `"`, `AND OR NOT`, `foo:bar*`, `\`, "(", "+quote -one"} {
		if _, err := s.Matching(ctx, everyone(), memory.Narrow{}, q, 3); err != nil {
			t.Errorf("Matching(%q): %v", q, err)
		}
	}
	if n := total(t, s); n != 3 {
		t.Errorf("%d rows left, want 3", n)
	}
}
