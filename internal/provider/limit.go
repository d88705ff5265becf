package provider

import "context"

// Limit bounds how many calls run at once. Those that wait are served in the
// order they came. It is safe for concurrent use; nil bounds nothing.
type Limit struct{ slots chan struct{} }

// NewLimit lets n calls run at once; 0 and less bound nothing.
func NewLimit(n int) *Limit {
	if n <= 0 {
		return nil
	}
	return &Limit{make(chan struct{}, n)}
}

// Do runs fn when its turn comes. A caller that leaves before gets the error of
// its context.
func (l *Limit) Do(ctx context.Context, fn func() error) error {
	if l == nil {
		return fn()
	}
	select {
	case l.slots <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-l.slots }()
	return fn()
}
