package provider

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var errDown = errors.New("down")

func fails(context.Context) error { return errDown }
func works(context.Context) error { return nil }

func TestBreaker(t *testing.T) {
	now := newClock()
	b := NewBreaker(BreakerOptions{Failures: 2, Rest: time.Minute, Now: now.Now})
	calls := 0
	do := func(fn func(context.Context) error) error {
		return b.Do(t.Context(), func(ctx context.Context) error { calls++; return fn(ctx) })
	}
	check := func(what string, err, want error, called int) {
		t.Helper()
		if !errors.Is(err, want) || (want == nil) != (err == nil) || calls != called {
			t.Errorf("%s: %v after %d calls, want %v after %d", what, err, calls, want, called)
		}
	}
	check("works", do(works), nil, 1)
	check("fails once", do(fails), errDown, 2)
	check("is let through", do(works), nil, 3)
	check("fails", do(fails), errDown, 4)
	check("fails again", do(fails), errDown, 5)
	check("open", do(works), ErrOpen, 5)
	check("open, and says why", do(works), errDown, 5)
	if !errors.Is(b.Err(), errDown) {
		t.Errorf("Err = %v", b.Err())
	}
	now.pass(time.Minute)
	check("tries once, fails", do(fails), errDown, 6)
	check("open again", do(works), ErrOpen, 6)
	now.pass(time.Minute)
	check("tries once, works", do(works), nil, 7)
	check("closed", do(fails), errDown, 8)
	check("closed still", do(works), nil, 9)
	if b.Err() != nil {
		t.Errorf("Err = %v", b.Err())
	}
}

func TestBreakerLetsOneTry(t *testing.T) {
	now := newClock()
	b := NewBreaker(BreakerOptions{Rest: time.Minute, Now: now.Now})
	_ = b.Do(t.Context(), fails)
	now.pass(time.Minute)
	inside, goOn := make(chan struct{}), make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() {
		if err := b.Do(context.Background(), func(context.Context) error { close(inside); <-goOn; return nil }); err != nil {
			t.Error(err)
		}
	})
	<-inside
	for range 10 {
		if err := b.Do(t.Context(), works); !errors.Is(err, ErrOpen) {
			t.Errorf("a second one tried: %v", err)
		}
	}
	close(goOn)
	work.Wait()
	if err := b.Do(t.Context(), works); err != nil {
		t.Error(err)
	}
}

func TestBreakerKnowsWhoGaveUp(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	<-late.Done()
	waits := func(ctx context.Context) error { return ctx.Err() }
	for _, c := range []struct {
		name string
		ctx  context.Context
		took time.Duration
		open bool
	}{{"left", gone, time.Hour, false}, {"no time to begin with", late, time.Millisecond, false}, {"hung", late, time.Second, true}} {
		t.Run(c.name, func(t *testing.T) {
			now := newClock()
			b := NewBreaker(BreakerOptions{Now: now.Now})
			if err := b.Do(c.ctx, func(ctx context.Context) error { now.pass(c.took); return waits(ctx) }); err == nil {
				t.Fatal("no error")
			}
			if open := b.Err() != nil; open != c.open {
				t.Errorf("open: %t", open)
			}
		})
	}
}

func TestBreakerCountsWhatItIsTold(t *testing.T) {
	b := NewBreaker(BreakerOptions{Counts: func(err error) bool { return !errors.Is(err, errDown) }})
	if err := b.Do(t.Context(), fails); !errors.Is(err, errDown) || b.Err() != nil {
		t.Errorf("%v, %v", err, b.Err())
	}
}

func TestBreakerRestsAsLongAsItIsAsked(t *testing.T) {
	now := newClock()
	b := NewBreaker(BreakerOptions{Rest: time.Second, Now: now.Now})
	_ = b.Do(t.Context(), func(context.Context) error { return &StatusError{Status: 429, RetryAfter: time.Minute} })
	now.pass(59 * time.Second)
	if err := b.Do(t.Context(), works); !errors.Is(err, ErrOpen) {
		t.Errorf("asked too soon: %v", err)
	}
	now.pass(time.Second)
	if err := b.Do(t.Context(), works); err != nil {
		t.Error(err)
	}
}

func TestBreakerOutlivesAPanic(t *testing.T) {
	b := NewBreaker(BreakerOptions{})
	func() {
		defer func() { _ = recover() }()
		_ = b.Do(t.Context(), func(context.Context) error { panic("x") })
	}()
	if b.Err() == nil {
		t.Error("a call that broke off counts as a success")
	}
}

// Nobody pays for finding out whether it works again.
func TestBreakerProbesInTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		probes, answer := 0, errDown
		b := NewBreaker(BreakerOptions{Rest: time.Minute, ProbeTimeout: 5 * time.Second, Probe: func(ctx context.Context) error {
			probes++
			if answer != nil {
				<-ctx.Done() // it hangs
			}
			return answer
		}})
		defer b.Close()
		do := func() (took time.Duration, err error) {
			begun := time.Now()
			err = b.Do(t.Context(), works)
			return time.Since(begun), err
		}
		_ = b.Do(t.Context(), fails)
		time.Sleep(time.Minute)
		for range 3 {
			if took, err := do(); took != 0 || !errors.Is(err, ErrOpen) {
				t.Errorf("a caller paid %s: %v", took, err)
			}
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if _, err := do(); !errors.Is(err, ErrOpen) || probes != 1 {
			t.Errorf("%d probes: %v", probes, err)
		}
		answer = nil
		time.Sleep(time.Minute)
		_, _ = do()
		synctest.Wait()
		if _, err := do(); err != nil || probes != 2 {
			t.Errorf("%d probes: %v", probes, err)
		}
	})
}

func TestBreakerClosesWithAProbeUnderWay(t *testing.T) {
	now := newClock()
	begun := make(chan struct{})
	b := NewBreaker(BreakerOptions{Now: now.Now, ProbeTimeout: time.Hour, Probe: func(ctx context.Context) error {
		close(begun)
		<-ctx.Done()
		return ctx.Err()
	}})
	_ = b.Do(t.Context(), fails)
	now.pass(DefaultRest)
	_ = b.Do(t.Context(), works)
	<-begun
	b.Close()
	b.Close()
	if err := b.Do(t.Context(), works); !errors.Is(err, ErrOpen) {
		t.Errorf("after Close: %v", err)
	}
}

func TestLimit(t *testing.T) {
	l := NewLimit(2)
	inside, goOn := make(chan struct{}), make(chan struct{})
	var work sync.WaitGroup
	for range 2 {
		work.Go(func() { _ = l.Do(context.Background(), func() error { inside <- struct{}{}; <-goOn; return nil }) })
		<-inside
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Do(gone, func() error { t.Error("a third one ran"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting: %v", err)
	}
	close(goOn)
	work.Wait()
	if err := l.Do(t.Context(), func() error { return errDown }); !errors.Is(err, errDown) {
		t.Errorf("got %v", err)
	}
	if err := NewLimit(0).Do(t.Context(), func() error { return nil }); err != nil {
		t.Error(err)
	}
}
