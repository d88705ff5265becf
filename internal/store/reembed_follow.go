package store

import (
	"context"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
)

// follow notices that the table was embedded anew, by whichever process: it may have
// vectors of another width then, and what is held of the old ones is of no use.
// Readers come here with every search, so that it is one comparison as a rule.
func (s *Store) follow(n notes) {
	seen := s.followed.Load()
	if n.Swap != nil || (seen != nil && *seen == n.Mark) {
		return
	}
	if s.shape.Load() == nil {
		return // still being opened
	}
	ctx, cancel := context.WithTimeout(context.Background(), commitPatience)
	defer cancel()
	if seen != nil {
		if err := s.refresh(ctx); err != nil {
			return // the next one tries again
		}
		if err := s.reinspect(ctx); err != nil {
			return
		}
		s.mirrored.drop()
		s.vectors.set(vectorsNone, s.now().Add(-2*vectorsSeen))
		s.log.Info("the table has vectors of another model now", "path", s.path, "model", n.Fingerprint, "width", s.layout().width)
	}
	s.followed.CompareAndSwap(seen, &n.Mark)
}

// reinspect looks at the columns of the table as it is now.
func (s *Store) reinspect(ctx context.Context) error {
	var l layout
	err := s.use(func(t *lance.Table) error {
		schema, err := t.Schema(ctx)
		if err == nil {
			l, err = inspect(s.path, schema)
		}
		return err
	})
	if err == nil {
		s.shape.Store(&l)
	}
	return err
}

// drop gives up what is held; it is read anew.
func (r *mirrored) drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.m, r.dropped = nil, r.dropped+1
}
