package engine

import (
	"slices"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
)

// forgetVectors drops the vectors of texts that are kept between calls, and between
// runs. The latter also where another embedder is configured by now.
func (e *Engine) forgetVectors(x *erasure, texts []string, a *EraseAnswer) {
	forget := func(gone int, err error) {
		if x.vectors += gone; err != nil {
			a.Left = append(a.Left, "vectors kept between runs: "+err.Error())
		}
	}
	for _, text := range texts {
		if e.embedder != nil {
			if cache, ok := e.embedder.Embedder.(interface {
				Forget(text string) (int, error)
			}); ok {
				forget(cache.Forget(text))
			}
		}
		if dir := e.cfg.VectorCache; dir != "" {
			forget(embed.ForgetIn(dir, text))
		}
	}
}

// eraseFromCaches drops what this process remembers of the texts and returns how
// many entries that were: what sessions said lately.
func (e *Engine) eraseFromCaches(x *erasure) (n int) {
	n += e.chats.erase()
	c := e.captures
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, sessions := range []interface {
		Keys() []string
		Peek(string) ([]string, bool)
		Add(string, []string) bool
	}{c.received, c.told} {
		for _, key := range sessions.Keys() {
			list, _ := sessions.Peek(key)
			left := slices.DeleteFunc(slices.Clone(list), x.holds)
			if gone := len(list) - len(left); gone > 0 {
				n += gone
				sessions.Add(key, left)
			}
		}
	}
	for _, key := range c.sessions.Keys() {
		if at, ok := c.sessions.Peek(key); ok && x.holds(at.last) {
			at.last = ""
			n++
		}
	}
	return n
}
