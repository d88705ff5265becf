package embed

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestCache(t *testing.T) {
	s := serve(t, byLength)
	e := open(t, s, func(o *Options) { o.CacheSize = 2 })
	count := func(want int, call func() ([]float32, error)) {
		t.Helper()
		v, err := call()
		if err != nil {
			t.Fatal(err)
		}
		v[0] = -1 // the caller may change what it got
		if len(s.bodies) != want {
			t.Errorf("%d requests, want %d", len(s.bodies), want)
		}
	}
	query := func(text string) func() ([]float32, error) {
		return func() ([]float32, error) { return e.EmbedQuery(t.Context(), text) }
	}
	count(1, query("a"))
	count(1, query("a"))
	count(2, func() ([]float32, error) { return e.EmbedPassage(t.Context(), "a") }) // another kind
	count(3, query("bb"))
	count(4, query("a")) // was pushed out
	if v, _ := e.EmbedQuery(t.Context(), "a"); v[0] != 1 {
		t.Errorf("the cache was changed from outside: %v", v)
	}
	if _, err := e.EmbedPassages(t.Context(), []string{"ccc", "a"}); err != nil || len(s.bodies) != 5 {
		t.Errorf("%d requests, %v", len(s.bodies), err)
	}
	if got := len(s.bodies[4]["input"].([]any)); got != 2 {
		t.Errorf("%d inputs in the batch, want 2: the passage was pushed out", got)
	}
	off := open(t, s, func(o *Options) { o.CacheSize = -1 })
	for range 2 {
		if _, err := off.EmbedQuery(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.bodies) != 7 {
		t.Errorf("a cache of negative size kept something: %d requests", len(s.bodies))
	}
}

func TestFailuresAreNotCached(t *testing.T) {
	var calls atomic.Int32
	s := serve(t, func(r *http.Request, in []string) (int, string) {
		if calls.Add(1) == 1 {
			return 500, "oops"
		}
		return byLength(r, in)
	})
	e := open(t, s, nil)
	if _, err := e.EmbedQuery(t.Context(), "a"); !errors.Is(err, ErrUnavailable) {
		t.Fatal(err)
	}
	if _, err := e.EmbedQuery(t.Context(), "a"); err != nil {
		t.Error(err)
	}
}

func TestOneRequestServesAllWhoAskAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(0, "", nil)
		var calls atomic.Int32
		release := make(chan struct{})
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				v, err := c.do(t.Context(), Query, "same", func() ([]float32, error) {
					calls.Add(1)
					<-release
					return []float32{1}, nil
				})
				if err != nil || len(v) != 1 {
					t.Errorf("%v, %v", v, err)
				}
				v[0] = 7
			})
		}
		synctest.Wait() // all wait on one request
		close(release)
		wg.Wait()
		if calls.Load() != 1 {
			t.Errorf("%d requests for one text", calls.Load())
		}
	})
}

func TestAnotherTakesOverWhenTheFirstGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCache(0, "", nil)
		hasty, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := c.do(hasty, Query, "same", func() ([]float32, error) { <-hasty.Done(); return nil, hasty.Err() }); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the first one got %v", err)
			}
		})
		synctest.Wait()
		wg.Go(func() {
			v, err := c.do(t.Context(), Query, "same", func() ([]float32, error) { return []float32{2}, nil })
			if err != nil || v[0] != 2 {
				t.Errorf("the second one got %v, %v", v, err)
			}
		})
		impatient, stop := context.WithTimeout(t.Context(), time.Millisecond)
		defer stop()
		wg.Go(func() {
			_, err := c.do(impatient, Query, "same", func() ([]float32, error) { t.Error("asked again"); return nil, nil })
			if !errors.Is(err, ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the impatient one got %v", err)
			}
		})
		wg.Wait()
	})
}

func FuzzInspect(f *testing.F) {
	for _, s := range []string{`{"data":[{"embedding":[1,2]}]}`, `{"data":[{"embedding":[1,null]}]}`, `{"data":[{"embedding":"AA"}]}`, `NaN`, `{"error":1}`, ``} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if _, err := inspect(body); err != nil && !errors.Is(err, ErrBadVector) && !errors.Is(err, ErrRejected) {
			t.Fatalf("%q: %v wraps no sentinel", body, err)
		}
	})
}
