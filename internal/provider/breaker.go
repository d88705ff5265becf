package provider

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrOpen is what a Breaker answers while the provider is taken for dead.
var ErrOpen = errors.New("the provider failed and is left alone for now")

// Defaults of BreakerOptions.
const (
	DefaultFailures = 1
	DefaultRest     = 30 * time.Second
	// DefaultPatience is the shortest time whose passing says that a provider hangs.
	DefaultPatience = 250 * time.Millisecond
)

// BreakerOptions configure a Breaker.
type BreakerOptions struct {
	// Failures in a row open it; 0 means DefaultFailures. Rest is how long it then
	// stays so; 0 means DefaultRest. A provider that asked for longer gets that.
	Failures int
	Rest     time.Duration
	// Patience: a call that its caller's deadline ended sooner is no failure;
	// 0 means DefaultPatience.
	Patience time.Duration
	// Counts tells failures of the provider from refusals of one request; nil
	// counts every error.
	Counts func(error) bool
	// Now is the clock; nil is the real one.
	Now func() time.Time
	// Probe, if there is one, is tried in the background when the rest is over,
	// so that no caller pays for a provider that still hangs; callers are turned
	// away until it succeeds. It gets a context of ProbeTimeout. Without one, the
	// first caller after the rest is the probe.
	Probe        func(context.Context) error
	ProbeTimeout time.Duration
	// Closed is told that everything is let through again; nil is not told.
	Closed func()
}

// Breaker keeps calls from a provider that is down. It is safe for concurrent
// use. One with a Probe has to be closed.
type Breaker struct {
	o          BreakerOptions
	background context.Context
	stop       context.CancelFunc
	work       sync.WaitGroup

	mu       sync.Mutex
	failures int       // in a row
	until    time.Time // open until then, then half open; zero: closed
	probing  bool
	last     error
}

// NewBreaker makes a closed breaker: everything is let through.
func NewBreaker(o BreakerOptions) *Breaker {
	if o.Failures <= 0 {
		o.Failures = DefaultFailures
	}
	if o.Rest <= 0 {
		o.Rest = DefaultRest
	}
	if o.Patience <= 0 {
		o.Patience = DefaultPatience
	}
	if o.Counts == nil {
		o.Counts = func(error) bool { return true }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.ProbeTimeout <= 0 {
		o.ProbeTimeout = dialTimeout
	}
	b := &Breaker{o: o}
	b.background, b.stop = context.WithCancel(context.Background())
	return b
}

// openError is ErrOpen with the failure that opened the breaker.
type openError struct {
	left time.Duration
	last error
}

func (e *openError) Error() string {
	return fmt.Sprintf("not asked again for %s: %v", max(e.left.Round(time.Second), time.Second), e.last)
}

func (e *openError) Unwrap() []error { return []error{ErrOpen, e.last} }

// Do calls fn unless the provider is taken for dead; then the error wraps
// ErrOpen and the failure, and fn is not called. A caller that gave up itself
// leaves the breaker as it was.
func (b *Breaker) Do(ctx context.Context, fn func(context.Context) error) error {
	probe, err := b.enter()
	if err != nil {
		return err
	}
	settled := false
	defer func() {
		if !settled { // fn panicked
			b.leave(probe, errors.New("the call broke off"))
		}
	}()
	begun := b.o.Now()
	err = fn(ctx)
	settled = true
	switch {
	case err != nil && errors.Is(ctx.Err(), context.Canceled),
		err != nil && ctx.Err() != nil && b.o.Now().Sub(begun) < b.o.Patience:
		b.abandon(probe)
	case err != nil && !b.o.Counts(err):
		b.leave(probe, nil) // it answered
	default:
		b.leave(probe, err)
	}
	return err
}

// Err is the failure that opened the breaker, nil while it is closed.
func (b *Breaker) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until.IsZero() {
		return nil
	}
	return b.last
}

// Close ends a probe in the background.
func (b *Breaker) Close() {
	b.mu.Lock()
	b.stop() // under the lock: no probe starts after it
	b.mu.Unlock()
	b.work.Wait()
}

// enter lets a caller in, and says whether it is the one that tries.
func (b *Breaker) enter() (probe bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until.IsZero() {
		return false, nil
	}
	left := b.until.Sub(b.o.Now())
	if left > 0 || b.probing {
		return false, &openError{max(left, 0), b.last}
	}
	if b.o.Probe == nil {
		b.probing = true
		return true, nil
	}
	if b.background.Err() == nil {
		b.probing = true
		b.work.Go(b.tryAgain)
	}
	return false, &openError{0, b.last}
}

func (b *Breaker) tryAgain() {
	ctx, cancel := context.WithTimeout(b.background, b.o.ProbeTimeout)
	defer cancel()
	err := b.o.Probe(ctx)
	if b.background.Err() != nil {
		b.abandon(true)
		return
	}
	b.leave(true, err)
}

// leave takes note of how a call ended.
func (b *Breaker) leave(probe bool, err error) {
	if b.settle(probe, err) && b.o.Closed != nil {
		b.o.Closed()
	}
}

// settle reports whether the breaker was open and is closed now.
func (b *Breaker) settle(probe bool, err error) (closed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if probe {
		b.probing = false
	}
	if err == nil {
		if closed = probe && !b.until.IsZero(); probe || b.until.IsZero() {
			b.failures, b.until, b.last = 0, time.Time{}, nil
		}
		return closed // a call from before it failed says nothing about now
	}
	b.last = err
	if b.failures++; !probe && b.failures < b.o.Failures {
		return false
	}
	rest := b.o.Rest
	var s *StatusError
	if errors.As(err, &s) {
		rest = max(rest, s.RetryAfter)
	}
	b.until = b.o.Now().Add(rest)
	return false
}

// abandon forgets a call whose end says nothing.
func (b *Breaker) abandon(probe bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if probe {
		b.probing = false
	}
}
