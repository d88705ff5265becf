package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

const (
	// limitedRest is how long a key rests that was limited without saying for how
	// long; usedUpRest one whose account has no quota, or that was refused: only a
	// person changes that.
	limitedRest = time.Second
	usedUpRest  = 5 * time.Minute
)

// Keys are the keys of one provider, used in turn. It is safe for concurrent use.
type Keys struct {
	// Now is the clock; nil is the real one. Set it before the first Do.
	Now func() time.Time

	mu   sync.Mutex
	keys []key
	next int
}

type key struct {
	value string
	until time.Time // it rests until then
	last  error     // why
}

// NewKeys takes the keys in their order. Blank ones are left out; without any
// there is one empty key, for a server that wants none.
func NewKeys(values []string) *Keys {
	k := &Keys{}
	for _, v := range values {
		if v = strings.TrimSpace(v); v != "" {
			k.keys = append(k.keys, key{value: v})
		}
	}
	if len(k.keys) == 0 {
		k.keys = []key{{}}
	}
	return k
}

// Len is the number of keys, at least 1.
func (k *Keys) Len() int { return len(k.keys) }

// Secrets are the keys, for Public.
func (k *Keys) Secrets() []string {
	out := make([]string, len(k.keys))
	for i := range k.keys {
		out[i] = k.keys[i].value
	}
	return out
}

// ExhaustedError says that every key of several is limited or refused.
type ExhaustedError struct {
	Keys int
	// RetryAfter is when the first of them may be tried again.
	RetryAfter time.Duration
	// Last is what the last one was told.
	Last error
}

func (e *ExhaustedError) Error() string {
	return fmt.Sprintf("all %d keys exhausted, the first may be tried again in %s; the last was told: %v", e.Keys, max(e.RetryAfter.Round(time.Second), time.Second), e.Last)
}

func (e *ExhaustedError) Unwrap() error { return e.Last }

// Do calls with a key, each call with the next one. A call that is told that its
// key is limited (429, 503, a quota) or refused (401, 403) is made again with
// the next key, each key at most once; a key that was limited rests as long as
// the provider asked, and is not tried in that time. Nothing is waited for: with
// every key at rest the error comes at once, an *ExhaustedError if there are
// several. Any other error is returned as it is.
func (k *Keys) Do(ctx context.Context, call func(key string) error) error {
	k.mu.Lock()
	first := k.next
	k.next = (k.next + 1) % len(k.keys)
	k.mu.Unlock()
	var last error
	for i := range k.keys {
		at := (first + i) % len(k.keys)
		value, resting := k.usable(at)
		if resting != nil {
			if last == nil {
				last = resting
			}
			continue
		}
		err := call(value)
		if err == nil || ctx.Err() != nil || !(Limited(err) || Refused(err)) {
			return err
		}
		k.rest(at, err)
		last = err
	}
	if len(k.keys) == 1 {
		return last
	}
	return &ExhaustedError{Keys: len(k.keys), RetryAfter: k.soonest(), Last: last}
}

// usable gives a key, or why it rests.
func (k *Keys) usable(i int) (string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	key := &k.keys[i]
	if left := key.until.Sub(k.now()); left > 0 {
		return "", fmt.Errorf("not asked again for %s: %w", max(left.Round(time.Second), time.Second), key.last)
	}
	return key.value, nil
}

func (k *Keys) rest(i int, err error) {
	pause := limitedRest
	var s *StatusError
	switch {
	case errors.As(err, &s) && s.RetryAfter > 0:
		pause = s.RetryAfter
	case len(k.keys) == 1:
		pause = 0 // nothing to turn to, and whoever corrects the account wants to see it work
	case UsedUp(err) || Refused(err):
		pause = usedUpRest
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys[i].until, k.keys[i].last = k.now().Add(pause), err
}

func (k *Keys) soonest() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	var soon time.Time
	for i := range k.keys {
		if at := k.keys[i].until; soon.IsZero() || at.Before(soon) {
			soon = at
		}
	}
	return max(soon.Sub(k.now()), 0)
}

func (k *Keys) now() time.Time {
	if k.Now == nil {
		return time.Now()
	}
	return k.Now()
}
