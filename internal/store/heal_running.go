package store

import (
	"context"
	"errors"
	"sync"
	"time"
)

// mendEvery is how often a process tries to mend a table it has open.
const mendEvery = time.Minute

// mending is what a running process does about damage that a read met: it opens the
// table a second time, which mends it for all who have it open. The read itself
// fails; those that come after find a table without the damaged files.
type mending struct {
	mu     sync.Mutex
	last   time.Time
	closed bool
	ctx    context.Context
	stop   context.CancelFunc
	work   sync.WaitGroup
}

func (m *mending) close() {
	m.mu.Lock()
	m.closed = true
	if m.stop != nil {
		m.stop()
	}
	m.mu.Unlock()
	m.work.Wait()
}

// met has the table mended in the background if err is damage.
func (s *Store) met(err error) error {
	var damage *DamageError
	m := &s.mending
	if !errors.As(err, &damage) || s.readOnly != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed || time.Since(m.last) < mendEvery { // the zero time is long ago
		return err
	}
	m.last = time.Now()
	if m.stop == nil {
		m.ctx, m.stop = context.WithCancel(context.Background())
	}
	m.work.Go(func() {
		again := s.options
		again.swept = nil
		other, err := Open(m.ctx, again)
		if err == nil {
			err = other.Close()
		}
		if err != nil && m.ctx.Err() == nil {
			s.log.Error("a damaged table could not be mended while it is in use", "path", s.path, "error", err)
		}
	})
	return err
}
