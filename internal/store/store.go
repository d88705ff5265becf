// Package store keeps memories in a LanceDB table: rows become memories and
// scopes become conditions inside the query, nowhere else.
//
// A Store is one open table. Reads are always fresh: a commit of any process is
// seen by the next read. All changes go through Write, one function under one
// lock between processes (write.go, lock.go). A text index over the texts and
// the maintenance of the table are taken care of here (index.go, maintain.go).
//
// The table is that of the TypeScript plugin memory-lancedb-pro: one of its
// databases is opened in place, with its columns, and can be handed back.
//
// Caveats: while the table's vectors are of another model (see Vectors), or of
// another width, searching them is refused, new ones are left out, and everything
// that needs none goes on working. Ordering by time is by the stored number;
// timestamps in seconds are corrected once, at the first opening.
package store

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/journal"
	"github.com/memory-lancedb-pro/memory-lancedb-pro/internal/lance"
)

// Store is an open database of memories. Its methods may be called from several
// goroutines.
type Store struct {
	path        string            // a directory, or s3://bucket/prefix
	state       string            // locks, journal and what was set aside lie here; path itself if that is a directory
	local       bool              // path is a directory
	storage     map[string]string // how object storage is reached
	dimensions  int
	fingerprint string
	// adoptVectors lets vectors of unknown origin count as the model's.
	adoptVectors bool
	notes        *notebook
	shape        atomic.Pointer[layout] // see layout
	followed     atomic.Pointer[string] // the re-embed that shape is of; see follow
	lockTimeout  time.Duration
	now          func() time.Time
	log          *slog.Logger
	db           *lance.DB
	lock         *fileLock
	queue        queue
	readOnly     error // why nothing can be written; nil if it can
	janitor      janitor
	vectors      vectorPath
	fresh        freshness

	journal        *journal.Journal // nil if it could not be opened
	journalProblem error            // why nothing can be recorded; nil if it can
	boot           string           // which run of the machine this is
	replayWanted   atomic.Bool      // what is on record must be compared with the table before the next write
	durable        durable
	back           *goingBack // the table was behind the record, and the replay is not done; for the holder of the lock
	begunAnew      bool       // healing has taken the whole table out
	recent         recent
	mirrored       mirrored
	partly         partial
	pause          func(time.Duration) error // for tests: see known
	mending        mending
	options        Options                 // what it was opened with
	grounded       bool                    // the table was durable once; for the writer alone
	fault          func(step string) error // for tests: has a step of a commit fail; see at

	indexWanted  atomic.Bool            // the text index must be built at the next write
	indexProblem atomic.Pointer[string] // why it could not be

	// alive guards table: every use holds it for reading, Close for writing.
	alive sync.RWMutex
	table *lance.Table // nil after Close
	lost  bool         // table is nil because it could not be opened again; see reopen
}

// Path is the database directory.
func (s *Store) Path() string { return s.path }

// layout is the table as it was inspected last: a re-embed, of any process, gives
// it vectors of another width.
func (s *Store) layout() layout {
	if l := s.shape.Load(); l != nil {
		return *l
	}
	return layout{}
}

// Dimensions is the number of numbers in the table's vectors.
func (s *Store) Dimensions() int { return s.layout().width }

// CheckWidth is a *WidthError if the configured model's vectors do not fit the
// table, and nil without a model.
func (s *Store) CheckWidth() error {
	if s.dimensions == 0 || s.dimensions == s.layout().width {
		return nil
	}
	return &WidthError{Path: s.path, Table: s.layout().width, Given: s.dimensions}
}

// Close lets maintenance finish the step it is at, answers the writes that were
// accepted, makes the table durable, and closes it. Closing twice does nothing.
func (s *Store) Close() error {
	s.janitor.stop()
	s.mending.close()
	s.mirrored.close()
	s.queue.close()
	s.durable.close()
	if s.durable.pending() {
		s.checkpointSoon()
	}
	s.alive.Lock()
	defer s.alive.Unlock()
	if s.table == nil && !s.lost {
		return nil
	}
	var err error
	if s.table != nil {
		err = errors.Join(s.table.Close(), s.db.Close())
	}
	s.table, s.lost = nil, false
	if s.journal != nil {
		err = errors.Join(err, s.journal.Close())
	}
	return err
}

// use runs fn with the open table.
func (s *Store) use(fn func(*lance.Table) error) error {
	err := s.useOpen(fn)
	if errors.Is(err, errLost) {
		if err := s.reopen(true); err != nil {
			return err
		}
		err = s.useOpen(fn)
	}
	return err
}

func (s *Store) useOpen(fn func(*lance.Table) error) error {
	s.alive.RLock()
	defer s.alive.RUnlock()
	switch {
	case s.lost:
		return errLost
	case s.table == nil:
		return ErrClosed
	}
	return fn(s.table)
}

// readTries bounds how often a query is asked again. Versions outlive their
// successors by seconds, so the second try is enough unless another process keeps
// none at all.
const readTries = 4

// read runs a query. Another process may prune a version between the moment a
// query picked it and the moment it opens its files; then it is asked again on the
// newest, which has all of its own.
func (s *Store) read(ctx context.Context, query func(*lance.Table) (*lance.Rows, error)) (rows *lance.Rows, err error) {
	err = s.retried(ctx, func(t *lance.Table) error {
		rows, err = query(t)
		return err
	})
	if err == nil {
		s.freshen(ctx)
		return rows, nil
	}
	return nil, s.met(s.explainRead(ctx, err))
}

func (s *Store) count(ctx context.Context, p lance.Predicate) (n int64, err error) {
	err = s.retried(ctx, func(t *lance.Table) error {
		n, err = t.Count(ctx, p)
		return err
	})
	return n, s.met(s.explainRead(ctx, err))
}

func (s *Store) retried(ctx context.Context, query func(*lance.Table) error) error {
	return s.use(func(t *lance.Table) error {
		for try := 1; ; try++ {
			err := query(t)
			gone := errors.Is(err, lance.ErrNotFound) || errors.Is(err, lance.ErrIO)
			if !gone || try == readTries || ctx.Err() != nil || t.CheckoutLatest(ctx) != nil {
				return err
			}
		}
	})
}

// refresh moves to the newest version, for the writer.
func (s *Store) refresh(ctx context.Context) error {
	return s.use(func(t *lance.Table) error { return t.CheckoutLatest(ctx) })
}
