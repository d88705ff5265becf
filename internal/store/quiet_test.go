package store

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"
)

// A quiet write waits behind the writes that came after it, alone, and is not
// hurt by them nor hurts them.
func TestQuietWritesComeLast(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	var mu sync.Mutex
	var order []string
	ran := func(who string) {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, who)
	}
	inside, leave := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	begin := func(write func(context.Context, string, func(*Tx) error) error, who string, fn func(*Tx) error, want error) {
		all.Go(func() {
			if err := write(t.Context(), who, fn); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", who, err, want)
			}
		})
	}
	begin(s.Write, "first", func(*Tx) error { close(inside); <-leave; ran("first"); return nil }, nil)
	<-inside
	refused := errors.New("refused")
	begin(s.WriteQuiet, "quiet 1", func(*Tx) error { ran("quiet"); return refused }, refused)
	waitingWrites(t, s, 1)
	begin(s.WriteQuiet, "quiet 2", func(tx *Tx) error { ran("quiet"); return tx.Insert(mem("counted quietly")) }, nil)
	waitingWrites(t, s, 2)
	begin(s.Write, "late", func(tx *Tx) error { ran("late"); return tx.Insert(mem("told late")) }, nil)
	waitingWrites(t, s, 3)
	close(leave)
	all.Wait()
	if want := []string{"first", "late", "quiet", "quiet"}; !slices.Equal(order, want) {
		t.Errorf("ran in the order %q, want %q", order, want)
	}
}

func TestLoadReadsOnce(t *testing.T) {
	noHandlesLeft(t)
	s := open(t, t.TempDir())
	a, b := mem("one"), mem("two")
	insert(t, s, a, b)
	err := s.Write(t.Context(), "test", func(tx *Tx) error {
		if err := tx.Load(t.Context(), a.ID, b.ID, "no-such-row"); err != nil {
			return err
		}
		if n := len(tx.batch.known); n != 3 {
			t.Errorf("%d rows are known, want 3", n)
		}
		if _, err := tx.Get(t.Context(), everyone(), "no-such-row"); !errors.Is(err, ErrNotFound) {
			t.Errorf("Get of a row that is not there: %v", err)
		}
		got, err := tx.Get(t.Context(), everyone(), b.ID)
		if err == nil && got.Text != "two" {
			t.Errorf("got %q", got.Text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// waitingWrites waits until n writes are in the queue.
func waitingWrites(t *testing.T, s *Store, n int) {
	t.Helper()
	for waiting := -1; waiting != n; runtime.Gosched() {
		s.queue.mu.Lock()
		waiting = len(s.queue.waiting)
		s.queue.mu.Unlock()
	}
}
