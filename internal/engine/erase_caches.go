package engine

import "slices"

// eraseFromCaches drops what this process remembers of the texts and returns how
// many entries that were: vectors, and what sessions said lately.
func (e *Engine) eraseFromCaches(x *erasure) (n int) {
	if e.embedder != nil {
		if cache, ok := e.embedder.Embedder.(interface{ Forget(text string) int }); ok {
			for _, text := range x.texts {
				n += cache.Forget(text)
			}
		}
	}
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
