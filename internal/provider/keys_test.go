package provider

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

func newClock() *clock { return &clock{t: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

// B81: one limited key fails nothing, all limited fail within bounds.
func TestKeysRotate(t *testing.T) {
	limited, busy, refused := &StatusError{Status: 429, RetryAfter: 2 * time.Second}, &StatusError{Status: 503}, &StatusError{Status: 401}
	broken := errors.New("broken")
	for _, c := range []struct {
		name  string
		keys  []string
		said  map[string]error
		asked []string
		want  string // of the error
	}{
		{"limited, busy, fine", []string{"k1", "k2", "k3"}, map[string]error{"k1": limited, "k2": busy}, []string{"k1", "k2", "k3"}, ""},
		{"all limited", []string{"k1", "k2"}, map[string]error{"k1": limited, "k2": limited}, []string{"k1", "k2"}, "all 2 keys exhausted"},
		{"refused, fine", []string{"k1", "k2"}, map[string]error{"k1": refused}, []string{"k1", "k2"}, ""},
		{"another failure", []string{"k1", "k2"}, map[string]error{"k1": broken}, []string{"k1"}, "broken"},
		{"a fault of the provider", []string{"k1", "k2"}, map[string]error{"k1": &StatusError{Status: 500}}, []string{"k1"}, "status 500"},
		{"one key", []string{"k1"}, map[string]error{"k1": limited}, []string{"k1"}, "status 429"},
		{"blank ones", []string{" ", "k1", ""}, nil, []string{"k1"}, ""},
		{"none", nil, nil, []string{""}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			keys := NewKeys(c.keys)
			keys.Now = newClock().Now
			var asked []string
			err := keys.Do(t.Context(), func(key string) error { asked = append(asked, key); return c.said[key] })
			if diff := cmp.Diff(c.asked, asked); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestKeysTakeTurnsAndRest(t *testing.T) {
	now := newClock()
	keys := NewKeys([]string{"a", "b"})
	keys.Now = now.Now
	said := map[string]error{}
	ask := func() (asked string, err error) {
		err = keys.Do(t.Context(), func(key string) error { asked += key; return said[key] })
		return asked, err
	}
	want := func(what, asked string, failed bool) {
		t.Helper()
		if got, err := ask(); got != asked || (err != nil) != failed {
			t.Errorf("%s: asked %q (%v), want %q", what, got, err, asked)
		}
	}
	want("the first", "a", false)
	want("the next", "b", false)
	said["a"] = &StatusError{Status: 429, RetryAfter: time.Minute}
	want("limited", "ab", false)
	want("its neighbour", "b", false)
	want("it rests", "b", false)
	said["b"] = &StatusError{Status: 429, RetryAfter: 2 * time.Minute}
	if _, err := ask(); !errors.As(err, new(*ExhaustedError)) || !Limited(err) || !strings.Contains(err.Error(), "tried again in 1m0s") {
		t.Errorf("both limited: %v", err)
	}
	want("both rest", "", true)
	now.pass(time.Minute)
	delete(said, "a")
	want("the first is back", "a", false)
	said["a"] = &StatusError{Status: 401}
	want("refused", "a", true)
	now.pass(time.Minute)
	want("refused ones rest for long", "b", true)
}

func TestOneRefusedKeyIsAskedAgain(t *testing.T) {
	keys := NewKeys([]string{"only"})
	for range 2 {
		asked := 0
		if err := keys.Do(t.Context(), func(string) error { asked++; return &StatusError{Status: 401} }); asked != 1 || !Refused(err) {
			t.Errorf("asked %d times: %v", asked, err)
		}
	}
}

func TestKeysStopWithTheirCaller(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	asked := 0
	err := NewKeys([]string{"a", "b"}).Do(ctx, func(string) error { asked++; cancel(); return &StatusError{Status: 429} })
	if asked != 1 || !Limited(err) {
		t.Errorf("asked %d times: %v", asked, err)
	}
}

func TestKeysSideBySide(t *testing.T) {
	keys := NewKeys([]string{"a", "b", "c"})
	var mu sync.Mutex
	var asked []string
	var work sync.WaitGroup
	for range 30 {
		work.Go(func() {
			if err := keys.Do(context.Background(), func(key string) error {
				mu.Lock()
				defer mu.Unlock()
				asked = append(asked, key)
				return nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	slices.Sort(asked)
	if got := strings.Join(asked, ""); got != strings.Repeat("a", 10)+strings.Repeat("b", 10)+strings.Repeat("c", 10) {
		t.Errorf("not in turn: %s", got)
	}
}
