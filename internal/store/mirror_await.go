package store

import (
	"context"
	"time"
)

// readPatience is how long a search waits for the table to be read into memory.
// 50,000 rows of 1,024 numbers take half a second.
const readPatience = time.Second

// mirrorAwaited is the mirror after the reading that goes on, in a process that stays
// and of a table that LanceDB has no index for, because its vectors do not fit its
// cache. There each search reads all vectors, 200 MB of them, and a few at once leave
// much memory behind.
func (s *Store) mirrorAwaited(ctx context.Context) *mirror {
	r := &s.mirrored
	r.mu.Lock()
	reading, read := r.reading, r.read
	r.mu.Unlock()
	if !s.options.Resident || !reading || s.vectorPathNow(ctx) != vectorsNone {
		return nil
	}
	rows, err := s.count(ctx, nil)
	if err != nil || 4*rows*int64(s.layout().width) < flatBytes {
		return nil
	}
	patience := time.NewTimer(readPatience)
	defer patience.Stop()
	select {
	case <-read:
		return s.mirrorFresh(ctx)
	case <-patience.C:
	case <-ctx.Done():
	}
	return nil
}
