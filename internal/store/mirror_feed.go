package store

import (
	"context"
	"errors"
	"sync"
)

// mirrorFrom is from which search on a process is worth the reading of the whole
// table: a command searches once or twice.
const mirrorFrom = 4

// mirrorAgain is after how many searches a reading that failed is tried again.
const mirrorAgain = 32

// mirrored looks after the mirror: it is read from the table in the background, and
// brought up to date by those who search.
type mirrored struct {
	mu      sync.Mutex
	m       *mirror // nil until it is read
	asked   int
	reading bool
	read    chan struct{} // closed when the reading ends
	refused bool          // the table is too large, or cannot be followed
	dropped int           // so often what is held became useless, be it still being read
	work    sync.WaitGroup
	ctx     context.Context
	stop    context.CancelFunc
	syncing sync.Mutex // held while those who search bring the mirror up to date
}

// close ends the reading.
func (r *mirrored) close() {
	r.mu.Lock()
	r.refused, r.m = true, nil
	if r.stop != nil {
		r.stop()
	}
	r.mu.Unlock()
	r.work.Wait()
}

// held is the mirror, if it is there.
func (r *mirrored) held() *mirror {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.m
}

// mirrorNow is the mirror, if it is there; asked for often enough, it is made.
func (s *Store) mirrorNow() *mirror {
	r := &s.mirrored
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.m != nil || r.refused || r.reading || !s.local {
		return r.m
	}
	if r.asked++; r.asked >= mirrorFrom {
		s.readInBackground(newMirror(s.layout().width))
	}
	return nil
}

// hold reads the table into memory without being asked.
func (s *Store) hold() {
	r := &s.mirrored
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.local && !r.reading && !r.refused && r.m == nil {
		s.readInBackground(newMirror(s.layout().width))
	}
}

// readInBackground makes m the table and then the mirror. The caller holds mu. Nobody
// else changes m meanwhile, because it is not the mirror: who just does is waited for.
func (s *Store) readInBackground(m *mirror) {
	r := &s.mirrored
	if r.stop == nil {
		r.ctx, r.stop = context.WithCancel(context.Background())
	}
	r.reading, r.m, r.read = true, nil, make(chan struct{})
	dropped, read := r.dropped, r.read
	r.work.Go(func() {
		defer close(read)
		r.waitForSync()
		err := s.sync(r.ctx, m, 0)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.reading = false
		switch {
		case errors.Is(err, errTooMany), errors.Is(err, errNotHeld):
			r.refused = true
			s.log.Debug("the table is searched through LanceDB", "path", s.path, "reason", err)
		case err != nil:
			r.asked = mirrorFrom - mirrorAgain
			s.log.Debug("the table could not be read into memory", "path", s.path, "error", err)
		case !r.refused && r.dropped == dropped:
			r.m = m
		}
	})
}

// waitForSync returns when nobody changes the mirror that was.
func (r *mirrored) waitForSync() {
	r.syncing.Lock()
	defer r.syncing.Unlock()
}

// mirrorFresh is the mirror as the newest version, or nil where LanceDB has to be
// asked: there is none, or it cannot be brought up to date soon.
func (s *Store) mirrorFresh(ctx context.Context) *mirror {
	_ = s.Vectors() // a re-embed, of any process, makes what is held useless
	m := s.mirrorNow()
	if m == nil {
		return nil
	}
	m.mu.RLock()
	at := m.at
	m.mu.RUnlock()
	now, err := s.editionNow(ctx, at)
	if err == nil && now == at {
		return m
	}
	return s.mirrorSynced(ctx, m, now)
}

// mirrorSynced waits for its turn to bring m up to a version or beyond.
func (s *Store) mirrorSynced(ctx context.Context, m *mirror, wanted edition) *mirror {
	r := &s.mirrored
	r.syncing.Lock()
	if r.held() != m { // it is being read in the background
		r.syncing.Unlock()
		return nil
	}
	var err error
	if m.at != wanted || wanted == (edition{}) { // the other half of the search did not do it meanwhile
		err = s.sync(ctx, m, syncRows)
	}
	r.syncing.Unlock()
	switch {
	case err == nil:
		return m
	case errors.Is(err, errTooMany), errors.Is(err, errNotHeld), errors.Is(err, errBehind):
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.m == m && !r.reading {
			s.readInBackground(m)
		}
	default:
		s.log.Debug("the rows in memory could not be brought up to date", "path", s.path, "error", err)
	}
	return nil
}
