package embed

import (
	"context"
	"crypto/sha256"
	"slices"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
)

// cache keeps the vectors of recent texts and lets one request serve all who ask
// for the same text at the same time. Texts are kept as hashes: a memory may be a
// megabyte long.
type cache struct {
	vectors *lru.Cache[key, []float32] // nil when switched off

	mu      sync.Mutex
	flights map[key]*flight // requests under way, by what they embed
}

type key [sha256.Size]byte

// flight is one request under way; done closes when the rest is set.
type flight struct {
	done   chan struct{}
	vector []float32
	err    error
	// abandoned: it failed because its caller's time was over, so another
	// caller may try.
	abandoned bool
}

func newCache(size int) *cache {
	if size == 0 {
		size = DefaultCacheSize
	}
	c := &cache{flights: map[key]*flight{}}
	if size > 0 {
		c.vectors, _ = lru.New[key, []float32](size) // fails only for sizes below 1
	}
	return c
}

func keyOf(kind Kind, text string) key { return sha256.Sum256([]byte(string(kind) + "\x00" + text)) }

// get answers with a copy, which the caller may keep and change.
func (c *cache) get(kind Kind, text string) ([]float32, bool) {
	if c.vectors == nil {
		return nil, false
	}
	v, ok := c.vectors.Get(keyOf(kind, text))
	return slices.Clone(v), ok
}

func (c *cache) put(kind Kind, text string, vector []float32) {
	if c.vectors != nil {
		c.vectors.Add(keyOf(kind, text), slices.Clone(vector))
	}
}

// do answers from the cache, from a request under way, or by calling embed. The
// first caller's context governs the request; when that one gives up, the
// next takes over.
func (c *cache) do(ctx context.Context, kind Kind, text string, embed func() ([]float32, error)) ([]float32, error) {
	k := keyOf(kind, text)
	for {
		if v, ok := c.get(kind, text); ok {
			return v, nil
		}
		c.mu.Lock()
		f, waiting := c.flights[k]
		if !waiting {
			f = &flight{done: make(chan struct{})}
			c.flights[k] = f
		}
		c.mu.Unlock()
		if !waiting {
			c.fly(ctx, k, f, embed)
			return slices.Clone(f.vector), f.err
		}
		select {
		case <-ctx.Done():
			return nil, unavailable(ctx)
		case <-f.done:
		}
		if f.err == nil {
			return slices.Clone(f.vector), nil
		}
		if f.abandoned && ctx.Err() == nil {
			continue
		}
		return nil, f.err
	}
}

// fly makes the request and tells those who wait, also when embed panics.
func (c *cache) fly(ctx context.Context, k key, f *flight, embed func() ([]float32, error)) {
	f.err = ErrUnavailable
	defer func() {
		f.abandoned = f.err != nil && ctx.Err() != nil
		c.mu.Lock()
		delete(c.flights, k)
		c.mu.Unlock()
		close(f.done)
	}()
	f.vector, f.err = embed()
	if f.err == nil && c.vectors != nil {
		c.vectors.Add(k, slices.Clone(f.vector))
	}
}

// forget drops the vectors of a text and returns how many there were.
func (c *cache) forget(text string) (n int) {
	if c.vectors == nil {
		return 0
	}
	for _, kind := range []Kind{Query, Passage} {
		if c.vectors.Remove(keyOf(kind, text)) {
			n++
		}
	}
	return n
}
