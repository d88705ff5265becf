package store

import (
	"fmt"
	"testing"
	"time"
)

// TestCloseWaitsForNoWriter: maintenance in the background that waits for its turn
// while another process writes does not hold up Close.
func TestCloseWaitsForNoWriter(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	s, other := open(t, dir, func(o *Options) { o.LockTimeout = time.Hour }), open(t, dir)
	for i := range 2 * tidyAfter {
		insert(t, s, mem(fmt.Sprint("row ", i)))
	}
	other.janitor.stop()
	entered, leave := make(chan struct{}), make(chan struct{})
	written := make(chan error, 1)
	go func() {
		written <- other.Write(t.Context(), "a long write", func(*Tx) error {
			close(entered)
			<-leave
			return nil
		})
	}()
	<-entered
	s.janitor.commits.Store(wholeAfter)
	s.janitor.wake()
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }() // returns although the other still writes
	if err := <-closed; err != nil {
		t.Error(err)
	}
	close(leave)
	if err := <-written; err != nil {
		t.Error(err)
	}
}

// TestOpeningWaitsForNoWriter: a reader that comes while another process writes, and
// has not synced the table yet, gets its answer before that one ends.
func TestOpeningWaitsForNoWriter(t *testing.T) {
	noHandlesLeft(t)
	dir := t.TempDir()
	other := open(t, dir, func(o *Options) { o.LockTimeout = time.Hour })
	insert(t, other, mem("row"))
	other.durable.close() // it stays ahead of its checkpoint
	insert(t, other, mem("another row"))
	leave, written := make(chan struct{}), make(chan error, 1)
	entered := make(chan struct{})
	go func() {
		written <- other.Write(t.Context(), "a long write", func(*Tx) error {
			close(entered)
			<-leave
			return nil
		})
	}()
	<-entered
	s := open(t, dir, func(o *Options) { o.LockTimeout = time.Hour })
	if n := total(t, s); n != 2 {
		t.Errorf("%d rows, want 2", n)
	}
	close(leave)
	if err := <-written; err != nil {
		t.Error(err)
	}
	insert(t, s, mem("and it writes"))
}
