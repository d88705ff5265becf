package embed

// Vectors of a text say something about it, so what is erased is dropped from the
// caches as well. Both embedders keep theirs in memory alone, under hashes.

// Forget drops what is kept of a text and returns how many vectors that were.
func (l *Local) Forget(text string) int { return l.cache.forget(text) }

// Forget drops what is kept of a text and returns how many vectors that were.
func (e *OpenAI) Forget(text string) int { return e.cache.forget(e.cut(text)) }
