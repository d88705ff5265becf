package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
)

// TestHeldUnderLoad: while several write, maintain and search at once, who has written
// finds it with the next search of another process, never what was deleted, and never
// a row twice or of another's scope. Then the reader is closed under those who read.
func TestHeldUnderLoad(t *testing.T) {
	noHandlesLeft(t)
	path := t.TempDir()
	writer, held := open(t, path), open(t, path, func(o *Options) { o.Resident = true })
	writer.janitor.stop()
	held.janitor.stop()
	insert(t, writer, numbered("heron %d", 300)...)
	secret := mem("heron of bob", inScope("agent:bob"))
	insert(t, writer, secret)
	var all, busy sync.WaitGroup
	var closed, stop atomic.Bool
	find := func(by, text, id string, there bool) bool {
		hits, err := held.Nearest(t.Context(), agent(t, "alice"), memory.Narrow{ActiveAt: start}, vec(text), 5)
		if by == "words" {
			hits, err = held.Matching(t.Context(), agent(t, "alice"), memory.Narrow{ActiveAt: start}, text, 500)
		}
		if err != nil {
			if !errors.Is(err, ErrClosed) || !closed.Load() {
				t.Errorf("%s: %v", by, err)
			}
			return false
		}
		seen := map[string]bool{}
		for _, h := range hits {
			if seen[h.Memory.ID] || h.Memory.Scope == secret.Scope {
				t.Errorf("%s: %q is found twice, or by another", by, h.Memory.Text)
			}
			seen[h.Memory.ID] = true
		}
		if seen[id] != there {
			t.Errorf("%s: %q is found: %v", by, text, seen[id])
		}
		return true
	}
	for w := range 3 {
		enough := sync.OnceFunc(busy.Done)
		busy.Add(1)
		all.Go(func() {
			defer enough()
			r := rand.New(rand.NewPCG(uint64(w), 6))
			var mine []memory.Memory
			for i := 0; !stop.Load(); i++ {
				if i == 40 {
					enough() // and goes on until the reader is closed
				}
				m := mem(fmt.Sprintf("w%dn%d", w, i))
				if err := writer.Write(t.Context(), "test", func(tx *Tx) error { return tx.Insert(m) }); err != nil {
					t.Error(err)
					return
				}
				mine = append(mine, m)
				if !find([]string{"vector", "words"}[i%2], m.Text, m.ID, true) {
					return
				}
				if i%3 == 2 {
					gone := mine[r.IntN(len(mine))]
					if _, err := writer.Get(t.Context(), everyone(), gone.ID); errors.Is(err, ErrNotFound) {
						continue
					}
					if err := writer.Write(t.Context(), "test", func(tx *Tx) error { return tx.Delete(gone.ID) }); err != nil {
						t.Error(err)
						return
					}
					if !find([]string{"vector", "words"}[i/3%2], gone.Text, gone.ID, false) {
						return
					}
					if _, err := held.Get(t.Context(), everyone(), gone.ID); !errors.Is(err, ErrNotFound) && !closed.Load() {
						t.Errorf("%q is there by id: %v", gone.Text, err)
					}
				}
			}
		})
	}
	all.Go(func() {
		for !stop.Load() {
			if _, err := writer.Maintain(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
	for range 2 {
		all.Go(func() {
			for find("vector", "heron 7", "", false) {
			}
		})
	}
	busy.Wait()
	closed.Store(true)
	if err := held.Close(); err != nil {
		t.Error(err)
	}
	stop.Store(true)
	all.Wait()
}
