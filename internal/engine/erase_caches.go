package engine

import (
	"slices"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/embed"
)

// eraseFromVectors drops the vectors of the texts, and of questions about them, that
// are kept between calls, and between runs. The latter also where another embedder is
// configured by now.
func (e *Engine) eraseFromVectors(x *erasure, a *EraseAnswer) {
	n := 0
	forget := func(gone int, err error) {
		if n += gone; err != nil {
			a.Left = append(a.Left, "vectors kept between runs: "+err.Error())
		}
	}
	for _, text := range slices.Concat(x.texts, x.questions) {
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
	a.put("kept vectors", "", "", removed(n, "vector", 0, "", ""))
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
