package embed

// Vectors of a text say something about it, so what is erased is dropped from the
// caches as well.

// Forget drops what is kept of a text and returns how many vectors that were.
func (l *Local) Forget(text string) (int, error) { return l.cache.forget(text) }

// Forget drops what is kept of a text, in memory and on disk, and returns how
// many vectors that were.
func (e *Remote) Forget(text string) (int, error) { return e.cache.forget(text) }
