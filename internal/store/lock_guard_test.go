package store

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// fakeGuard is a lock between machines whose answers a test decides.
type fakeGuard struct {
	held     atomic.Int32 // leases that are out
	most     atomic.Int32 // so many were out at once
	acquired atomic.Int32
	refuse   func(ctx context.Context) error // of Acquire
	check    func(nth int32) error           // of the nth Check of a lease
}

type fakeLease struct {
	g      *fakeGuard
	checks atomic.Int32
}

func (g *fakeGuard) Acquire(ctx context.Context, _ string) (Lease, error) {
	if g.refuse != nil {
		if err := g.refuse(ctx); err != nil {
			return nil, err
		}
	}
	g.acquired.Add(1)
	if n := g.held.Add(1); n > g.most.Load() {
		g.most.Store(n)
	}
	return &fakeLease{g: g}, nil
}

func (l *fakeLease) Check(context.Context) error {
	if l.g.check == nil {
		return nil
	}
	return l.g.check(l.checks.Add(1))
}

func (l *fakeLease) Token() int64 { return int64(l.g.acquired.Load()) }

func (l *fakeLease) Release() error { l.g.held.Add(-1); return nil }

var errAway = errors.New("the lock went elsewhere")

func TestGuardSurroundsEveryWrite(t *testing.T) {
	noHandlesLeft(t)
	g := &fakeGuard{}
	guarded := func(o *Options) { o.Guard = g }
	dir := t.TempDir()
	a, b := open(t, dir, guarded), open(t, dir, guarded)
	before := g.acquired.Load()
	if before == 0 {
		t.Error("the table was made without the lock")
	}
	done := make(chan struct{})
	go func() { defer close(done); insert(t, a, numbered("a %d", 10)...) }()
	for i := range 5 {
		insert(t, b, mem("b"+string(rune('0'+i))))
	}
	<-done
	for _, s := range []*Store{a, b} {
		s.queue.writer.Wait() // the lease is given back after the answer
	}
	if g.held.Load() != 0 || g.most.Load() != 1 || g.acquired.Load() < before+6 {
		t.Errorf("%d leases are out, %d were at once, %d were given for 6 writes", g.held.Load(), g.most.Load(), g.acquired.Load()-before)
	}
	total(t, a)
	if n := g.acquired.Load(); n > before+6 {
		t.Errorf("%d leases for 6 writes: a read took one", n-before)
	}
}

// A guard that gives no lock keeps everything from being written; reads go on, and
// so does an opening that has nothing to write.
func TestGuardThatRefuses(t *testing.T) {
	noHandlesLeft(t)
	g := &fakeGuard{}
	dir := t.TempDir()
	s := open(t, dir, func(o *Options) { o.Guard = g })
	insert(t, s, mem("before"))
	g.refuse = func(context.Context) error { return errAway }
	err := s.Write(t.Context(), "storing", func(tx *Tx) error { t.Error("the function was called"); return nil })
	if !errors.Is(err, errAway) || !strings.Contains(err.Error(), "nothing was written") {
		t.Errorf("Write = %v", err)
	}
	again := open(t, dir, func(o *Options) { o.Guard = g })
	if n := total(t, again); n != 1 || total(t, s) != 1 {
		t.Errorf("%d rows", n)
	}
	g.refuse = nil
	insert(t, s, mem("after"))
	if n := total(t, again); n != 2 {
		t.Errorf("%d rows, want 2", n)
	}
}

// Somebody who gives up waiting ends the wait for the guard as well.
func TestGuardIsNotWaitedForInVain(t *testing.T) {
	noHandlesLeft(t)
	g := &fakeGuard{}
	s := open(t, t.TempDir(), func(o *Options) { o.Guard, o.LockTimeout = g, 30*time.Millisecond })
	ended := make(chan struct{})
	g.refuse = func(ctx context.Context) error { <-ctx.Done(); close(ended); return ctx.Err() }
	err := s.Write(t.Context(), "storing", func(*Tx) error { return nil })
	var locked *LockedError
	if !errors.As(err, &locked) {
		t.Errorf("Write = %v", err)
	}
	<-ended
	g.refuse = nil
	insert(t, s, mem("after"))
}

// A lease lost before the commit costs the write, one lost after it the certainty.
func TestLeaseLost(t *testing.T) {
	for name, c := range map[string]struct {
		lostAt int32
		rows   int64
	}{"before the commit": {1, 0}, "after the commit": {2, 1}} {
		t.Run(name, func(t *testing.T) {
			noHandlesLeft(t)
			g := &fakeGuard{}
			s := open(t, t.TempDir(), func(o *Options) { o.Guard = g })
			g.check = func(nth int32) error {
				if nth >= c.lostAt {
					return errAway
				}
				return nil
			}
			err := s.Write(t.Context(), "storing", func(tx *Tx) error { return tx.Insert(mem("x")) })
			var ambiguous *AmbiguousError
			if !errors.Is(err, errAway) || errors.As(err, &ambiguous) != (c.rows == 1) {
				t.Errorf("Write = %v", err)
			}
			says := "nothing was written"
			if c.rows == 1 {
				says = "ambiguous"
			}
			if err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("the error does not say %q: %v", says, err)
			}
			if n := total(t, s); n != c.rows {
				t.Errorf("%d rows, want %d", n, c.rows)
			}
			g.check = nil
			insert(t, s, mem("the next one"))
			if n := total(t, s); n != c.rows+1 {
				t.Errorf("%d rows after the next write, want %d", n, c.rows+1)
			}
		})
	}
}
