package store

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/memory"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/scope"
)

const (
	// mirrorBytes bounds the vectors held in memory; larger tables are searched
	// through LanceDB.
	mirrorBytes = 48 << 20
	// mirrorFrom is from which store on a process is worth the reading of the
	// whole table: a command stores once.
	mirrorFrom = 3
	// mirrorBehind is how many entries of other processes are taken over before a
	// search; when there are more, the table is read anew.
	mirrorBehind = 256
)

var errTooMany = errors.New("more vectors than are held in memory")

// mirrored looks after the mirror: it is read from the table once, in the
// background, and follows the journal from then on. That is enough, because every
// change is on record before it is in the table. (The TypeScript plugin keeps no
// record. A row that it stores while this process runs is found by every search
// but this one; two programs that write at once are not promised anything else.)
type mirrored struct {
	mu      sync.Mutex
	m       *mirror // nil until it is read
	asked   int
	reading bool
	refused bool // the table is too large
	dropped int  // so often what is held became useless, be it still being read
	work    sync.WaitGroup
	ctx     context.Context
	stop    context.CancelFunc
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

// follow takes over what this process put into the table.
func (r *mirrored) follow(entries []*journal.Entry) {
	r.mu.Lock()
	m := r.m
	r.mu.Unlock()
	if m == nil || len(entries) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range entries {
		if e.Seq != m.seq+1 {
			return // others were there between; the next search catches up
		}
		m.apply(e)
	}
}

func (m *mirror) apply(e *journal.Entry) {
	for _, c := range e.Changes {
		if c.After == nil {
			m.set(c.ID, nil)
		} else {
			m.set(c.ID, c.After.Vector)
		}
	}
	m.seq = e.Seq
}

// nearMirrored is Nearest for the rows whose cosine is at least above. ok is false
// when the mirror cannot tell. seq is what the answer takes into account.
func (s *Store) nearMirrored(ctx context.Context, who scope.Filter, n memory.Narrow, vector []float32, above float64, limit int) (hits []memory.Hit, seq uint64, ok bool) {
	if s.CheckVectors() != nil {
		return nil, 0, false
	}
	m := s.mirrorNow()
	if m == nil || len(vector) != m.width || !s.catchUp(m) {
		return nil, 0, false
	}
	m.mu.RLock()
	list, more := m.near(vector, above, limit)
	seq = m.seq
	m.mu.RUnlock()
	if more || len(list) == 0 {
		return nil, seq, !more // so many: the limit must not hide those who may be read
	}
	rows, err := s.scan(ctx, scope.Operator().Filter(), memory.Narrow{}, ids(list), hitColumns, 0)
	if err != nil {
		return nil, 0, false
	}
	rows = slices.DeleteFunc(rows, func(m memory.Memory) bool {
		return len(m.Vector) != len(vector) || !readable(who, m) || !n.Keeps(m)
	})
	for _, m := range rows {
		hits = append(hits, memory.Hit{Memory: m, Score: cosine(vector, m.Vector)})
	}
	return best(hits, limit), seq, true
}

// mirrorNow is the mirror, if it is there; asked for often enough, it is made.
func (s *Store) mirrorNow() *mirror {
	r := &s.mirrored
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.m != nil || r.refused || r.reading || !s.local || s.readOnly != nil || s.journalProblem != nil {
		return r.m
	}
	if r.asked++; r.asked < mirrorFrom {
		return nil
	}
	if r.stop == nil {
		r.ctx, r.stop = context.WithCancel(context.Background())
	}
	r.reading = true
	dropped := r.dropped
	r.work.Go(func() {
		m, err := s.readMirror(r.ctx)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.reading = false
		switch {
		case errors.Is(err, errTooMany):
			r.refused = true
		case err != nil:
			s.log.Debug("the vectors could not be read into memory", "path", s.path, "error", err)
		case !r.refused && r.dropped == dropped:
			r.m = m
		}
	})
	return nil
}

// readMirror reads all vectors. What is written meanwhile is on record after seq,
// and taken over once more by the first search.
func (s *Store) readMirror(ctx context.Context) (*mirror, error) {
	m := newMirror(s.layout().width)
	m.seq = s.recent.held()
	err := s.Each(ctx, scope.Operator().Filter(), memory.Narrow{}, true, func(rows []memory.Memory) error {
		for _, row := range rows {
			m.set(row.ID, row.Vector)
		}
		if 4*len(m.units) > mirrorBytes {
			return errTooMany
		}
		return ctx.Err()
	})
	return m, err
}

// catchUp takes over what is on record and in the table since. When that is too
// much, or cannot be read, the mirror is given up and made anew.
func (s *Store) catchUp(m *mirror) bool {
	last := s.recent.held() // what is recorded after it is for NearestAfter
	m.mu.Lock()
	defer m.mu.Unlock()
	if last <= m.seq {
		return true
	}
	whole := last-m.seq <= mirrorBehind
	if whole {
		for e, err := range s.journal.Since(m.seq) {
			if whole = err == nil && e.Seq == m.seq+1; !whole || e.Version == 0 {
				break // what is not in the table yet may be taken back
			}
			m.apply(&e.Entry)
		}
	}
	if whole = whole && 4*len(m.units) <= mirrorBytes; !whole {
		s.mirrored.mu.Lock()
		s.mirrored.m = nil
		s.mirrored.mu.Unlock()
	}
	return whole
}
