package embed

import (
	"context"
	"crypto/sha256"
	"slices"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
)

// cache keeps the vectors of recent texts, in memory and perhaps on disk, and lets
// one request serve all who ask for the same text at the same time. Texts are
// kept as hashes: a memory may be a megabyte long.
type cache struct {
	origin  [sha256.Size]byte          // of what makes the vectors
	vectors *lru.Cache[key, []float32] // nil when switched off
	disk    *disk                      // nil without one

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

func newCache(size int, fingerprint string, d *disk) *cache {
	if size == 0 {
		size = DefaultCacheSize
	}
	c := &cache{origin: sha256.Sum256([]byte(fingerprint)), disk: d, flights: map[key]*flight{}}
	if size > 0 {
		c.vectors, _ = lru.New[key, []float32](size) // fails only for sizes below 1
	}
	return c
}

// keyOf hashes a text with what makes its vector, known by its own hash.
func keyOf(origin [sha256.Size]byte, kind Kind, text string) key {
	h := sha256.New()
	h.Write(origin[:])
	h.Write([]byte(kind))
	h.Write([]byte{0})
	h.Write([]byte(text))
	return key(h.Sum(nil))
}

// get answers with a copy, which the caller may keep and change.
func (c *cache) get(kind Kind, text string) ([]float32, bool) {
	return c.find(keyOf(c.origin, kind, text))
}

func (c *cache) find(k key) ([]float32, bool) {
	if c.vectors != nil {
		if v, ok := c.vectors.Get(k); ok {
			return slices.Clone(v), true
		}
	}
	v, ok := c.disk.get(k)
	if ok && c.vectors != nil {
		c.vectors.Add(k, slices.Clone(v))
	}
	return v, ok
}

func (c *cache) put(kind Kind, text string, vector []float32) {
	c.keep(keyOf(c.origin, kind, text), vector)
}

func (c *cache) keep(k key, vector []float32) {
	if c.vectors != nil {
		c.vectors.Add(k, slices.Clone(vector))
	}
	c.disk.put(k, vector)
}

// do answers from the cache, from a request under way, or by calling embed. The
// first caller's context governs the request; when that one gives up, the
// next takes over.
func (c *cache) do(ctx context.Context, kind Kind, text string, embed func() ([]float32, error)) ([]float32, error) {
	k := keyOf(c.origin, kind, text)
	for {
		if v, ok := c.find(k); ok {
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
	if f.err == nil {
		c.keep(k, f.vector)
	}
}

// forget drops the vectors of a text and returns how many there were.
func (c *cache) forget(text string) (n int, err error) {
	n, err = c.disk.forget(text)
	if c.vectors == nil {
		return n, err
	}
	for _, kind := range []Kind{Query, Passage} {
		if c.vectors.Remove(keyOf(c.origin, kind, text)) {
			n++
		}
	}
	return n, err
}
