package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/store"
)

// performer is a process that performs acts.
type performer func(ctx context.Context, a Act) (Act, error)

// remote is a child that performs acts for this process.
type remote struct {
	child   *child
	mu      sync.Mutex
	next    int
	waiting map[int]chan answered
}

func startRemote(t *testing.T, dir string) *remote {
	t.Helper()
	c, err := startChild(childSpec{Task: "serve", Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	r := &remote{child: c, waiting: map[int]chan answered{}}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		in := json.NewDecoder(c.record)
		for {
			var a answered
			if in.Decode(&a) != nil {
				r.mu.Lock()
				defer r.mu.Unlock()
				for _, w := range r.waiting {
					close(w)
				}
				r.waiting = nil
				return
			}
			r.mu.Lock()
			r.waiting[a.Number] <- a
			delete(r.waiting, a.Number)
			r.mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		_ = c.stdin.Close()
		<-ended
		if err := c.ended(false); err != nil {
			t.Error(err)
		}
		_ = c.record.Close()
	})
	return r
}

func (r *remote) perform(_ context.Context, a Act) (Act, error) {
	answer := make(chan answered, 1)
	r.mu.Lock()
	if r.waiting == nil {
		r.mu.Unlock()
		return a, fmt.Errorf("the child has ended; it said: %s", r.child.errors)
	}
	number := r.next
	r.next++
	r.waiting[number] = answer
	text, err := json.Marshal(answered{Number: number, Act: a})
	if err == nil {
		_, err = r.child.stdin.Write(append(text, '\n'))
	}
	r.mu.Unlock()
	if err != nil {
		return a, err
	}
	got, ok := <-answer
	switch {
	case !ok:
		return a, fmt.Errorf("the child ended before it answered; it said: %s", r.child.errors)
	case got.Error != "":
		return a, errors.New(got.Error)
	}
	return got.Act, nil
}

// Random operations of several goroutines in three processes, on a few rows that
// all of them change and read, are as if they had been done one after another,
// while the table is maintained.
func TestRowsAreLinearizable(t *testing.T) {
	if err := flag.Set("rapid.checks", "20"); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "db")
	ctx := context.WithoutCancel(t.Context())
	var stores []*store.Store
	var performers []performer
	for range 2 {
		s, err := openStore(ctx, dir, "")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		stores = append(stores, s)
	}
	performers = append(performers, func(ctx context.Context, a Act) (Act, error) { return perform(ctx, stores[0], a) },
		func(ctx context.Context, a Act) (Act, error) { return perform(ctx, stores[1], a) },
		startRemote(t, dir).perform, startRemote(t, dir).perform)
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		plans := rapid.SliceOfN(rapid.SliceOfN(acts(round), 3, 10), 4, 8).Draw(rt, "plans")
		history := perfect(rt, performers, plans, func() {
			if _, err := stores[1].Maintain(ctx); err != nil {
				rt.Errorf("maintaining: %v", err)
			}
		})
		for id, acts := range history {
			if err := linearizable(acts); err != nil {
				rt.Errorf("row %s: %v", id, err)
			}
		}
	})
}

// rowsAtOnce is how many rows the clients of one round share.
const rowsAtOnce = 3

// acts draws operations on the rows of a round. Texts are few, so that a swap
// sometimes finds what it expects, and name the round, so that rounds differ.
func acts(round int) *rapid.Generator[Act] {
	r := rand.New(rand.NewPCG(uint64(round), 9))
	var ids []string
	for range rowsAtOnce {
		ids = append(ids, ownedID(r, 9))
	}
	var texts []string
	for range 4 {
		texts = append(texts, sentence(r))
	}
	return rapid.Custom(func(t *rapid.T) Act {
		a := Act{
			Op: rapid.SampledFrom([]string{"get", "get", "put", "put", "set", "set", "swap", "swap", "forget"}).Draw(t, "op"),
			ID: rapid.SampledFrom(ids).Draw(t, "id"),
		}
		switch a.Op {
		case "get":
			a.Old = rapid.SampledFrom([]string{"", "list", "prefix"}).Draw(t, "way")
		case "swap":
			a.Old = rapid.SampledFrom(texts).Draw(t, "old")
			fallthrough
		case "put", "set":
			a.Text = rapid.SampledFrom(texts).Draw(t, "text")
		}
		return a
	})
}

// perfect performs each plan as one client, all at once, and reads every row at
// the end. The acts come back by row.
func perfect(t *rapid.T, performers []performer, plans [][]Act, beside func()) map[string][]Act {
	ctx := context.Background()
	var mu sync.Mutex
	history := map[string][]Act{}
	do := func(client int, a Act) {
		a.Client = client
		done, err := performers[client%len(performers)](ctx, a)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			t.Errorf("%v: %v", a, err)
			return
		}
		history[a.ID] = append(history[a.ID], done)
	}
	var all sync.WaitGroup
	for client, plan := range plans {
		all.Go(func() {
			for _, a := range plan {
				do(client, a)
			}
		})
	}
	all.Go(beside)
	all.Wait()
	for id := range history {
		for client := range performers {
			do(client, Act{Op: "get", ID: id})
		}
	}
	return history
}

// The checker must tell a possible history from an impossible one.
func TestLinearizable(t *testing.T) {
	act := func(op, text, found string, done bool, call, ret int64) Act {
		return Act{Op: op, Text: text, Old: map[bool]string{true: "a"}[op == "swap"], Found: found, Done: done, Call: call, Return: ret}
	}
	put := act("put", "a", "", true, 0, 10)
	tests := map[string]struct {
		acts []Act
		ok   bool
	}{
		"nothing":                                {nil, true},
		"read after write":                       {[]Act{put, act("get", "", "a", false, 11, 12)}, true},
		"stale read":                             {[]Act{put, act("get", "", "", false, 11, 12)}, false},
		"read beside a write, before":            {[]Act{put, act("get", "", "", false, 5, 6)}, true},
		"read beside a write, after":             {[]Act{put, act("get", "", "a", false, 5, 6)}, true},
		"seen, then not":                         {[]Act{put, act("get", "", "a", false, 2, 3), act("get", "", "", false, 4, 5)}, false},
		"two insertions":                         {[]Act{put, act("put", "b", "", true, 5, 15)}, false},
		"one of two refused":                     {[]Act{put, act("put", "b", "", false, 5, 15)}, true},
		"two swaps of one value":                 {[]Act{put, act("swap", "b", "", true, 11, 20), act("swap", "c", "", true, 11, 20)}, false},
		"one of two swaps refused":               {[]Act{put, act("swap", "b", "", true, 11, 20), act("swap", "c", "", false, 11, 20)}, true},
		"an update lost":                         {[]Act{put, act("set", "b", "", true, 11, 12), act("get", "", "a", false, 13, 14)}, false},
		"an update after a forget":               {[]Act{put, act("forget", "", "", true, 11, 12), act("set", "b", "", true, 13, 14)}, false},
		"an update beside a forget":              {[]Act{put, act("forget", "", "", true, 11, 20), act("set", "b", "", true, 13, 14), act("get", "", "", false, 21, 22)}, true},
		"a row that vanishes during an update":   {[]Act{put, act("set", "b", "", true, 11, 20), act("get", "", "", false, 13, 14)}, false},
		"a refusal that nothing accounts for":    {[]Act{put, act("set", "b", "", false, 11, 12)}, false},
		"a refusal beside the insertion it lost": {[]Act{put, act("set", "b", "", false, 1, 2)}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if err := linearizable(test.acts); (err == nil) != test.ok {
				t.Errorf("got %v", err)
			}
			slices.Reverse(test.acts)
			if err := linearizable(test.acts); (err == nil) != test.ok {
				t.Errorf("in another order of telling: %v", err)
			}
		})
	}
}
